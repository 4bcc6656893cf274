import type { ExpectedFragment, ExpectedSchema } from './expected.ts'

/** One data file that a fragment must have by its version and schema. */
export interface DataFile {
  role: 'data' | 'var' | 'validity'
  field: string
  path: string
}

/** Codes of version 8 for characters in file names; four are wrong as percent-encoding, and are the format nevertheless. */
const VERSION_8_CODES = new Map(
  [...'!"#$%&\'()*+,/:;=?@[]'].map((ch) => [ch, `%${ch.charCodeAt(0).toString(16).toUpperCase()}`]),
)
for (const [ch, code] of ['<%20', '>%2D', '\\%30', '|%3C'].map((pair) => [pair[0], pair.slice(1)]))
  VERSION_8_CODES.set(ch, code)

/** Data files of a fragment; the `data` file of a var-sized field holds its offsets. */
export function dataFiles(
  schema: ExpectedSchema,
  { format_version, dense, files }: ExpectedFragment,
  path: string,
): DataFile[] {
  const out: DataFile[] = []
  const add = (field: string, letter: string, index: number, varSized: boolean, nullable: boolean): void => {
    if (field === '' && format_version < 5) return
    const base = format_version >= 9 ? `${letter}${index}` : format_version === 8 ? version8Name(field) : field
    out.push({ role: 'data', field, path: `${path}/${base}.tdb` })
    if (varSized) out.push({ role: 'var', field, path: `${path}/${base}_var.tdb` })
    if (nullable) out.push({ role: 'validity', field, path: `${path}/${base}_validity.tdb` })
  }
  schema.attrs.forEach(({ name, cell_val_num, nullable }, i) => {
    add(name, 'a', i, cell_val_num === 'var', nullable)
  })
  if (dense) return out
  if (format_version < 5) out.push({ role: 'data', field: '__coords', path: `${path}/__coords.tdb` })
  else {
    schema.dims.forEach(({ name, var: varSized }, i) => {
      add(name, 'd', i, varSized, false)
    })
  }
  if (format_version < 14) return out
  for (const [file, field] of HISTORY_FILES)
    if (files.includes(file)) out.push({ role: 'data', field, path: `${path}/${file}` })
  return out
}

const HISTORY_FILES = [
  ['t.tdb', '__timestamps'],
  ['dt.tdb', '__delete_timestamps'],
  ['dci.tdb', '__delete_condition_index'],
]

function version8Name(field: string): string {
  return [...field].map((ch) => VERSION_8_CODES.get(ch) ?? ch).join('')
}

/** Where each tile of a data file starts, by its chunks alone; undefined where they do not fill the file. */
export function tileStarts(bytes: Buffer): number[] | undefined {
  const starts: number[] = []
  let at = 0
  while (at < bytes.length) {
    starts.push(at)
    if (bytes.length - at < 8) return undefined
    const chunks = bytes.readBigUInt64LE(at)
    at += 8
    for (let chunk = 0n; chunk < chunks; chunk++) {
      if (bytes.length - at < 12) return undefined
      at += 12 + bytes.readUInt32LE(at + 4) + bytes.readUInt32LE(at + 8)
    }
  }
  return at === bytes.length ? starts : undefined
}
