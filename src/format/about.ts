import type { Prose } from '../base/prose.ts'

/** Units of the format's numbers. */
const UNITS = [
  'bytes',
  'bits',
  'cells',
  'values',
  'tiles',
  'chunks',
  'parts',
  'windows',
  'filters',
  'MBRs',
  'levels',
  'dimensions',
  'attributes',
  'dimension labels',
  'enumerations',
  'fragments',
  'members',
  'conditions',
  'sections',
  'format version',
] as const

export type ValueUnit = (typeof UNITS)[number]

/** Unit and meaning of a field. */
export interface About {
  /** Unit of the number, or of each number of a list. */
  unit: ValueUnit | undefined
  meaning: Prose | undefined
}

/** Splits the `about` text of a field (see {@link Io}): `bytes`, `bytes: of the part`, or a meaning alone. */
export function aboutOf(text: string | undefined): About {
  const [head, ...rest] = text?.split(': ') ?? []
  const unit = UNITS.find((one) => one === head)
  return { unit, meaning: unit === undefined ? text : rest.join(': ') || undefined }
}
