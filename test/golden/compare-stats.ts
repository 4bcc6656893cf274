import { existsSync, statSync } from 'node:fs'
import { datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { dataFiles } from './data-files.ts'
import type { Differences } from './differences.ts'
import { type ExpectedAttribute, type ExpectedFragment, schemaOf } from './expected.ts'
import type { GoldenArray } from './golden-array.ts'

/** `stats`: bytes as the files have them, unfiltered bytes as the cells that TileDB read need, all summed up for the array. */
export async function compareStats(array: GoldenArray, found: Differences): Promise<void> {
  const totals = { size: 0, cell_num: 0, tile_num: 0, unfiltered_size: 0, memory: 0 }
  for (const want of array.expected.fragments) {
    const path = array.fragmentPath(want)
    const got = await array.json(['stats'], path, 'stats')
    found.equal(get(got, 'cell_num'), want.cell_num, `cell_num of ${want.name}`)
    found.equal(get(got, 'format_versions'), [want.format_version], `format version of ${want.name}`)
    compareFiles(array, got, want, path, found)
    if (!array.loose) compareSections(got, want, path, found)
    if (!want.listed) continue
    totals.size += Number(get(got, 'size'))
    totals.cell_num += Number(get(got, 'cell_num'))
    totals.tile_num += Number(get(got, 'tile_num'))
    totals.unfiltered_size += Number(get(got, 'unfiltered_size'))
    totals.memory += Number(get(get(got, 'fragment_metadata'), 'memory_size'))
  }
  const all = await array.json(['stats'], array.path, 'stats')
  for (const key of ['size', 'cell_num', 'tile_num', 'unfiltered_size'] as const) {
    found.equal(get(all, key), totals[key], `${key} of the array`)
  }
  found.equal(get(get(all, 'fragment_metadata'), 'memory_size'), totals.memory, 'memory_size of the array')
  found.equal(
    get(all, 'fragment_num'),
    array.expected.fragments.filter(({ listed }) => listed).length,
    'fragment_num of the array',
  )
}

function compareFiles(array: GoldenArray, got: Json, want: ExpectedFragment, path: string, found: Differences): void {
  const schema = schemaOf(array.expected, want)
  let data = 0
  for (const { role, field, path: file } of dataFiles(schema, want, path)) {
    if (!existsSync(file)) continue
    data += statSync(file).size
    const fields = items(get(got, 'fields')).find((one) => get(one, 'name') === field)
    const files = items(get(fields, 'files'))
    const wanted =
      role === 'data'
        ? ['data', 'offsets', 'coords', 'timestamps', 'delete_timestamps', 'delete_condition_index']
        : [role]
    const one = files.find((candidate) => wanted.includes(String(get(candidate, 'role'))))
    found.equal(get(one, 'size'), statSync(file).size, `size of the ${role} of ${field} in ${want.name}`)
    const attribute = schema.attrs.find(({ name }) => name === field)
    const unfiltered = attribute && unfilteredSize(attribute, role, want)
    if (unfiltered !== undefined) {
      found.equal(get(one, 'unfiltered_size'), unfiltered, `unfiltered size of the ${role} of ${field} in ${want.name}`)
    }
  }
  found.equal(get(got, 'data_size'), data, `data_size of ${want.name}`)
}

/** Bytes that the cells need; undefined where the expected file does not tell. */
function unfilteredSize(attribute: ExpectedAttribute, role: string, want: ExpectedFragment): number | undefined {
  const { type, cell_val_num, name } = attribute
  if (role === 'validity') return want.cell_num
  if (role === 'data') return want.cell_num * (cell_val_num === 'var' ? 8 : datatypeSize(type) * cell_val_num)
  const column = want.cells?.attrs[name]
  if (want.dense || want.cells_note !== undefined || want.unreadable?.[name] || !Array.isArray(column)) return undefined
  // what a null cell holds is not told
  if (attribute.nullable || !['text', 'bytes'].includes(datatypeKind(type))) return undefined
  return column.reduce<number>((bytes, cell) => bytes + Buffer.from(String(get(cell, 'b64')), 'base64').length, 0)
}

/** Sections and footer fill the metadata file: what is left is the footer's length, or nothing. */
function compareSections(got: Json, want: ExpectedFragment, path: string, found: Differences): void {
  const metadata = get(got, 'fragment_metadata')
  const file = statSync(`${path}/__fragment_metadata.tdb`).size
  found.equal(get(metadata, 'size'), file, `size of the metadata of ${want.name}`)
  const rest = file - Number(get(metadata, 'sections_size')) - Number(get(metadata, 'footer_size'))
  // TileDB 2.11 already wrote a list of processed conditions, which footers name since format 16
  const unnamed = want.format_version === 15
  found.need(
    unnamed || rest === 0 || rest === 8,
    () => `${rest} bytes of the metadata of ${want.name} are in no section`,
  )
}
