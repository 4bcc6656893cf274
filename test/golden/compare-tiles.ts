import { existsSync, readFileSync } from 'node:fs'
import { type Datatype, datatypeKind } from '../../src/format/datatype.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { dataFiles, tileStarts } from './data-files.ts'
import type { Differences } from './differences.ts'
import { type ExpectedAttribute, type ExpectedFragment, schemaOf } from './expected.ts'
import type { GoldenArray } from './golden-array.ts'

const OFFSET_KEYS = { data: 'tile_offsets', var: 'tile_var_offsets', validity: 'tile_validity_offsets' } as const

/** `metadata <fragment>`: tile offsets against the chunks in the files, statistics against the cells that TileDB read. */
export async function compareTiles(array: GoldenArray, found: Differences): Promise<void> {
  for (const want of array.expected.fragments) {
    const got = await array.json(['metadata'], array.fragmentPath(want), 'fragment-metadata')
    const fields = new Map(
      items(get(got, 'fields'))
        .filter((field) => get(field, 'phantom') !== true)
        .map((field) => [String(get(field, 'name')), field]),
    )
    compareOffsets(array, want, fields, found)
    compareStatistics(array, want, fields, found)
  }
}

function compareOffsets(
  array: GoldenArray,
  want: ExpectedFragment,
  fields: ReadonlyMap<string, Json>,
  found: Differences,
): void {
  for (const { role, field, path } of dataFiles(schemaOf(array.expected, want), want, array.fragmentPath(want))) {
    if (!existsSync(path)) continue
    const starts = tileStarts(readFileSync(path))
    const printed = get(fields.get(field), OFFSET_KEYS[role])
    if (starts === undefined) found.add(`${path}: its chunks do not fill it`)
    else {
      const wanted = array.loose ? starts.slice(0, items(printed).length) : starts
      found.equal(printed, wanted, `${OFFSET_KEYS[role]} of ${field} in ${want.name}, against the chunks in the file`)
    }
  }
}

/** Statistics of whole numbers, tile by tile. Dense tiles hold padding, which the expected cells do not. */
function compareStatistics(
  array: GoldenArray,
  want: ExpectedFragment,
  fields: ReadonlyMap<string, Json>,
  found: Differences,
): void {
  const { cells } = want
  if (!cells || want.cells_note !== undefined || want.dense || want.format_version < 11 || want.order !== 'global')
    return
  const schema = schemaOf(array.expected, want)
  for (const attribute of schema.attrs) {
    const column = cells.attrs[attribute.name]
    if (!Array.isArray(column) || attribute.cell_val_num !== 1 || attribute.name in (want.unreadable ?? {})) continue
    if (!isWholeNumber(attribute.type)) continue
    const parts: Json[][] = []
    const capacity = Number(schema.capacity)
    for (let i = 0; i < column.length; i += capacity) parts.push(column.slice(i, i + capacity))
    compareField(fields.get(attribute.name), attribute, parts, want, found)
  }
}

function isWholeNumber(type: Datatype): boolean {
  return ['int', 'uint', 'datetime', 'time'].includes(datatypeKind(type))
}

const LIMITS = { unsigned: [0n, 2n ** 64n - 1n], signed: [-(2n ** 63n), 2n ** 63n - 1n] } as const

function compareField(
  got: Json | undefined,
  { name, type, nullable }: ExpectedAttribute,
  parts: readonly (readonly Json[])[],
  want: ExpectedFragment,
  found: Differences,
): void {
  const live = parts.map((part) => part.filter(isInteger).map(BigInt))
  const what = (key: string): string => `${key} of ${name} in ${want.name}`
  if (live.every((part) => part.length > 0)) {
    const mins = live.map(least)
    const maxs = live.map(greatest)
    found.value(type, get(got, 'tile_mins'), mins, what('tile_mins'))
    found.value(type, get(got, 'tile_maxs'), maxs, what('tile_maxs'))
    if (want.format_version >= 12 && mins.length > 0) {
      found.value(type, get(got, 'min'), least(mins), what('min'))
      found.value(type, get(got, 'max'), greatest(maxs), what('max'))
    }
  }
  const [low, high] = datatypeKind(type) === 'uint' ? LIMITS.unsigned : LIMITS.signed
  const fits = (values: readonly bigint[]): boolean => {
    let sum = 0n
    return values.every((value) => {
      sum += value
      return sum >= low && sum <= high
    })
  }
  // Beyond the limits TileDB's sums saturate.
  if (live.every(fits)) {
    const sums = live.map((part) => part.reduce((a, b) => a + b, 0n))
    found.value('INT64', get(got, 'tile_sums'), sums, what('tile_sums'))
    if (want.format_version >= 12 && fits(sums)) {
      found.value(
        'INT64',
        get(got, 'sum'),
        sums.reduce((a, b) => a + b, 0n),
        what('sum'),
      )
    }
  }
  if (!nullable) return
  const nulls = parts.map((part, i) => part.length - live[i].length)
  found.equal(get(got, 'tile_null_counts'), nulls, what('tile_null_counts'))
  if (want.format_version >= 12)
    found.equal(
      get(got, 'null_count'),
      nulls.reduce((a, b) => a + b, 0),
      what('null_count'),
    )
}

function isInteger(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function least(values: readonly bigint[]): bigint {
  return values.toSorted(rising)[0]
}

function greatest(values: readonly bigint[]): bigint {
  return values.toSorted(rising)[values.length - 1]
}

function rising(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
