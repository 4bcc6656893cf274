import type { FindingCode } from '../check/codes.ts'
import type { FragmentFooter } from '../format/fragment-footer.ts'
import type { EditableArray } from './editable-array.ts'
import type { SampleName } from './samples.ts'

/** A damage that a check must find. */
export interface Damage {
  /** What is done, in a few words. */
  name: string
  /** What it is done to. */
  sample: SampleName
  plant(array: EditableArray): Promise<void> | void
}

/** By the code of the finding. */
export type Damages = Readonly<Partial<Record<FindingCode, Damage>>>

export const SCHEMA = /\/__schema\/__\d[^/]*$/
export const METADATA = /__fragment_metadata\.tdb$/
/** Of what damage adds. */
export const UUID = '0123456789abcdef0123456789abcdef'

export const onFooter =
  (change: (footer: FragmentFooter) => void) =>
  (array: EditableArray): Promise<void> =>
    array.editFooter(change)
