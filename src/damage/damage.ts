import type { FindingCode } from '../check/codes.ts'
import type { FragmentFooter } from '../format/fragment-footer.ts'
import type { EditableArray } from './editable-array.ts'
import type { SampleName } from './samples.ts'

/** A damage that a check must find. */
export interface Damage {
  /** What is done, in a few words. */
  name: string
  /** The sample that is damaged. */
  sample: SampleName
  plant(array: EditableArray): Promise<void> | void
}

/** Damages by the code of their finding. */
export type Damages = Readonly<Partial<Record<FindingCode, Damage>>>

export const SCHEMA = /\/__schema\/__\d[^/]*$/
export const METADATA = /__fragment_metadata\.tdb$/
/** The UUID of files that a damage adds. */
export const UUID = '0123456789abcdef0123456789abcdef'

export const onFooter =
  (change: (footer: FragmentFooter) => void) =>
  (array: EditableArray): Promise<void> =>
    array.editFooter(change)
