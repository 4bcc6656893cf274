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

export type Unit = (typeof UNITS)[number]

/** Unit and meaning of a field. */
export interface About {
  /** Unit of the number, or of each number of a list. */
  unit: Unit | undefined
  meaning: string | undefined
}

const IS_UNIT: ReadonlySet<string> = new Set(UNITS)

function isUnit(text: string): text is Unit {
  return IS_UNIT.has(text)
}

/** Splits the `about` text of a field (see {@link Io}): `bytes`, `bytes: of the part`, or a meaning alone. */
export function aboutOf(text: string | undefined): About {
  if (text === undefined) return { unit: undefined, meaning: undefined }
  if (isUnit(text)) return { unit: text, meaning: undefined }
  const colon = text.indexOf(': ')
  const head = text.slice(0, Math.max(colon, 0))
  return isUnit(head) ? { unit: head, meaning: text.slice(colon + 2) } : { unit: undefined, meaning: text }
}
