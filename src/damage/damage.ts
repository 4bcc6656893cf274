import type { FindingCode } from '../check/codes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { FragmentFooter } from '../format/fragment-footer.ts'
import type { Describe } from '../format/io.ts'
import type { SectionContents } from '../format/metadata-sections.ts'
import type { EditableArray, StructureChange } from './editable-array.ts'
import type { SampleName } from './samples.ts'

/** A damage that a check must find. */
export interface Damage {
  /** The damage in a few words. */
  name: string
  /** The sample to damage. */
  sample: SampleName
  plant(array: EditableArray): Promise<void> | void
}

/** Damages by the code of the finding that reports them. */
export type Damages = Readonly<Partial<Record<FindingCode, Damage>>>

export const SCHEMA = /\/__schema\/__\d[^/]*$/
export const METADATA = /__fragment_metadata\.tdb$/
/** The UUID in the names of files that a damage adds. */
export const UUID = '0123456789abcdef0123456789abcdef'

/** Timestamps of a name that wrongly counts in microseconds, not milliseconds. */
export const MICROSECONDS = '__1700000000000000_1700000000000000'

/** Name of the fragment that a `.wrt` file commits. */
export function committed(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, -'.wrt'.length)
}

/** The folder beside a sample that some damages need, for what lies outside of it. */
export function beside(root: string): string {
  return `${root}-elsewhere`
}

/** Makes a damage. The functions below make damages of one kind. */
export function damage(sample: SampleName, name: string, plant: Damage['plant']): Damage {
  return { name, sample, plant }
}

export function inSchema(sample: SampleName, name: string, change: StructureChange<ArraySchema>): Damage {
  return damage(sample, name, (array) => array.editSchema(change))
}

export function inFooter(sample: SampleName, name: string, change: StructureChange<FragmentFooter>): Damage {
  return damage(sample, name, (array) => array.editFooter(change))
}

/** Changes a section of the fragment's metadata. */
export function inSection<Name extends keyof SectionContents>(
  sample: SampleName,
  name: string,
  section: Name,
  slot: number | undefined,
  change: StructureChange<SectionContents[Name]>,
): Damage {
  return damage(sample, name, (array) => array.editSection(section, slot, change))
}

/** Changes the unfiltered bytes of a tile. */
export function inTile(sample: SampleName, name: string, ...edit: Parameters<EditableArray['editTile']>): Damage {
  return damage(sample, name, (array) => array.editTile(...edit))
}

/** Changes the content of the only file that matches, which is one generic tile. */
export function inFile<T extends object>(
  sample: SampleName,
  name: string,
  file: RegExp,
  describe: Describe<T>,
  change: StructureChange<T>,
): Damage {
  return damage(sample, name, (array) => array.rewrite(array.find(file), describe, change))
}

/** Cuts the first file that matches to `length` bytes. A negative length is the number of bytes to cut off. */
export function cutShort(sample: SampleName, name: string, file: RegExp, length: number): Damage {
  return damage(sample, name, (array) => array.cut(array.first(file), length))
}
