import type { ComponentChild } from 'preact'
import type { Target } from '../store/target.ts'
import type { Inspected } from './inspected.ts'
import type { Link } from './link.ts'

/** What a view is given. */
export interface ViewProps {
  inspected: Inspected
  link: Link
}

/** A part of the page: one file in `views/`, one line in `views.ts`. */
export interface View {
  /** `v` of the link. Never renamed. */
  id: string
  /** In the navigation. */
  title: string
  /** The targets that it shows something of. */
  targets: readonly Target['type'][]
  /**
   * The call that prints the same as text: words behind `tiledb-inspect`, without the target, which is put after the first word;
   * with `path` another target, in the storage's words. Undefined while something is missing that the user has to give.
   */
  call(props: ViewProps): { words: readonly string[]; path?: string } | undefined
  Show(props: ViewProps): ComponentChild
}
