import type { ComponentChild } from 'preact'
import type { Inspected, PageTarget } from './inspected.ts'
import type { Link } from './link.ts'

export interface ViewProps {
  inspected: Inspected
  link: Link
}

/** A tab of the page: its line in `views.ts`. */
export interface View {
  /** Value of `v` in the link. Never renamed. */
  id: string
  /** Text of the tab. */
  title: string
  /** Types of the targets that have this view. */
  targets: readonly PageTarget['type'][]
  /** Loads the view, which has its file in `views/`. */
  load(): Promise<ViewParts>
}

/** What is in the tab. */
export interface ViewParts {
  /**
   * The call that prints the same as text. `words` follow `tiledb-inspect`; the target is put after the first of them.
   * `path` is another target, as a path of the storage. Undefined as long as the user has to type something first.
   */
  call(props: ViewProps): { words: readonly string[]; path?: string } | undefined
  Show(props: ViewProps): ComponentChild
}
