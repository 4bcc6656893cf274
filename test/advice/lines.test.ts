import { expect, test } from '@jest/globals'
import type { ExplainFinding } from '../../src/advice/finding.ts'
import { lineText } from '../../src/advice/line.ts'
import {
  consolidationLines,
  filterList,
  modeLines,
  purgeLines,
  type Rewrite,
  rewriteLines,
} from '../../src/advice/lines.ts'
import { vacuumNote } from '../../src/advice/vacuum-note.ts'
import type { Attribute } from '../../src/format/attribute.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run, runJson } from '../helpers/run.ts'
import { floats, madeArray, ZSTD } from './made-array.ts'

const folder = temporaryFolder()

/** An array with one attribute `v`, which is another one in the schema: lines of Python are made from the schema alone. */
async function withAttribute(dense: boolean, attribute: Partial<Attribute>): Promise<OpenedArray> {
  const column = { v: floats(10, (i) => i) }
  const opened = await madeArray({
    dense,
    dimensions: [['t', 0, 9, 10]],
    attributes: { v: [] },
    fragments: [dense ? column : { ...column, t: Int32Array.from({ length: 10 }, (_, i) => i) }],
  })
  const attributes = opened.schema.attributes.map((one) => ({ ...one, ...attribute }))
  return { ...opened, schema: { ...opened.schema, attributes } }
}

/** The lines as documents print them. */
function rewriteTexts(opened: OpenedArray, change: Rewrite): string[] {
  return rewriteLines(opened, change).map(lineText)
}

function consolidationTexts(opened: OpenedArray): string[] {
  return consolidationLines(opened).map(lineText)
}

const CHANGE = { filters: { fields: ['v'], filters: [ZSTD] } }

test('names in Python are what they are, and hide nothing', async () => {
  const opened = await withAttribute(true, {})
  const [, create] = rewriteTexts(opened, { tile_extents: { 'a,b:\u202e': 5, '\u{e0041}': 10 } })
  expect(create).toContain('tile={"a,b:\\u202e": 5, "\\U000e0041": 10}.get(d.name, d.tile)')
})

// All of these lines ran with TileDB-Py 0.36.1, and gave the same cells, enumerations and metadata.
test('a rewrite keeps metadata, and tells what it needs', async () => {
  const [load, create, copy] = rewriteTexts(await withAttribute(true, {}), CHANGE)
  expect(load).toBe('s = tiledb.ArraySchema.load("array")')
  expect(create).toContain('nullable=a.isnullable, fill=a.fill, filters=')
  expect(copy).toMatch(
    / b\[box\] = a\[box\]; b\.meta\.update\(a\.meta\) {2}# the whole array goes through memory, without earlier states; then the new/,
  )
})

test('a rewrite of dense cells at negative coordinates has no slices: TileDB-Py counts those from the end', async () => {
  const opened = await withAttribute(true, {})
  const [dimension] = opened.schema.domain.dimensions
  const at = (low: number, type: 'INT32' | 'UINT32' | 'DATETIME_DAY' = 'INT32', attribute = {}): string => {
    const ends = type === 'DATETIME_DAY' ? BigInt64Array.of(BigInt(low), 9n) : Int32Array.of(low, 9)
    const dimensions = [{ ...dimension, type, domain: new Uint8Array(ends.buffer) }]
    const attributes = opened.schema.attributes.map((one) => ({ ...one, ...attribute }))
    return rewriteTexts(
      { ...opened, schema: { ...opened.schema, attributes, domain: { type: undefined, dimensions } } },
      {},
    )[2]
  }
  expect(at(-1)).toContain('; b.write_subarray(q, a.read_subarray(p)); b.meta')
  expect(at(-1)).toContain('without earlier states; then')
  expect(at(-1, 'INT32', { nullable: true, type: 'INT8' })).toContain(
    'without earlier states and nulls (they become values); then',
  )
  for (const line of [at(0), at(5, 'UINT32'), at(-1, 'DATETIME_DAY')]) expect(line).toContain('b[box] = a[box]')
})

test('a rewrite of an enumeration reads indexes, and not values', async () => {
  const enumeration = { type: 'INT32', enumeration: 'color' } as const
  const [load, create, copy] = rewriteTexts(await withAttribute(true, enumeration), CHANGE)
  expect(load).toBe('a = tiledb.open("array"); s, e = a.schema, [a.enum(n) for n in ["color"]]; a.close()')
  expect(create).toContain('enum_label=a.enum_label, filters=')
  expect(create).toContain('enums=e')
  expect(copy).toContain('b[box] = a.subarray(box);')
  expect(rewriteTexts(await withAttribute(false, enumeration), { capacity: 5 }).join('\n')).toMatch(
    /attrs=\[\*s\], enums=e,.*\n.*d = a\.subarray\(slice\(None\)\); b\[/,
  )
})

test('a rewrite of nullable attributes reads no fill value, and keeps nulls', async () => {
  const [, create, copy] = rewriteTexts(await withAttribute(false, { nullable: true }), CHANGE)
  expect(create).toContain('fill=None if a.isnullable else a.fill, filters=')
  expect(copy).toContain(
    'd = {n: v.astype(object).filled([None]) if hasattr(v, "mask") else v for n, v in a[:].items()}; b[tuple(',
  )
  expect(rewriteTexts(await withAttribute(true, { nullable: true }), CHANGE)[2]).toContain(
    'memory, without earlier states and NaN of nullable attributes (they become null); then',
  )
  const text = { nullable: true, type: 'STRING_UTF8', cell_val_num: 'var' } as const
  expect(rewriteTexts(await withAttribute(true, text), CHANGE)[2]).toContain(
    'filled([None]) if hasattr(v, "mask") and v.dtype == object else v for n, v in a[box].items()}',
  )
})

test('a rewrite keeps the type of ASCII texts', async () => {
  const text = { type: 'STRING_ASCII', cell_val_num: 'var' } as const
  expect(rewriteTexts(await withAttribute(false, text), CHANGE)[1]).toContain('dtype="ascii" if a.isascii else a.dtype')
})

// Measured with TileDB-Py 0.36.1: sparse arrays give the same at earlier times before consolidation, after it and after vacuum.
test('a vacuum loses reads at earlier times only if consolidated cells have no times', async () => {
  const [dense, sparse] = [await withAttribute(true, {}), await withAttribute(false, {})]
  const lost = 'removes the old fragments; reads as of a time before the newest of them lose their cells'
  expect(consolidationTexts(dense).at(-1)).toBe(`tiledb.vacuum("array")  # ${lost}`)
  expect(consolidationTexts(sparse).at(-1)).toBe(
    'tiledb.vacuum("array")  # removes the old fragments; reads as of a time in the past stay the same',
  )
  expect(vacuumNote(sparse, 14)).toBe(lost)
  expect(vacuumNote({ ...sparse, schema: { ...sparse.schema, version: 14 } })).toBe(lost)
})

// Measured with TileDB-Py 0.36.1: after consolidation, the attribute has only fill values at earlier times.
test('a vacuum loses the values of attributes that a later schema dropped', async () => {
  expect(vacuumNote(await withAttribute(false, { name: 'w' }))).toBe(
    'removes the old fragments; reads as of a time in the past lose the values of attributes dropped since: "v"',
  )
})

test('a line says what it does and what it loses, whatever its text says', async () => {
  const [dense, sparse] = [await withAttribute(true, {}), await withAttribute(false, {})]
  const facts = (lines: ReturnType<typeof purgeLines>) => lines.map(({ does, loses }) => [does, loses])
  expect(facts(consolidationLines(dense))).toEqual([
    ['consolidate', undefined],
    ['vacuum', 'earlier cells'],
  ])
  expect(facts(consolidationLines(sparse))[1]).toEqual(['vacuum', undefined])
  expect(facts(purgeLines(sparse, 'consolidation'))).toEqual([
    ['consolidate', 'deleted cells'],
    ['vacuum', undefined],
  ])
  const rewrite = ['load', 'create', 'copy'].map((does) => [does, undefined])
  expect(facts(purgeLines(sparse, 'copy'))).toEqual(rewrite)
  expect(facts(rewriteLines(await withAttribute(true, { enumeration: 'color' }), CHANGE))).toEqual(rewrite)
  expect(facts(modeLines(sparse, 'commits'))).toEqual([
    ['consolidate', undefined],
    ['vacuum', undefined],
  ])
})

test('filters that take numbers for dates name the type as numpy does', () => {
  const text = (reinterpret_datatype: 'ANY' | 'DATETIME_NS' | 'INT8'): string =>
    filterList([{ name: 'DOUBLE_DELTA', level: -1, reinterpret_datatype }])
  expect(text('DATETIME_NS')).toContain('DoubleDeltaFilter(reinterp_dtype=np.dtype("datetime64[ns]"))')
  expect(text('INT8')).toContain('DoubleDeltaFilter(reinterp_dtype=np.dtype("int8"))')
  expect(text('ANY')).toContain('DoubleDeltaFilter()')
})

test('new filters for the single file of coordinates of old formats apply to all dimensions', async () => {
  const array = `${folder}/coordinates`
  const options =
    '--format-version 4 --dim x:FLOAT64:0..9 --dim y:FLOAT64:0..9 --attr a:INT32 --cells 20000 --fragments 1'
  const filters = ['--coords-filters', 'zstd,byteshuffle', '--capacity', '4000']
  expect((await run(['write-sample', array, ...options.split(' '), ...filters])).code).toBe(0)
  const { findings } = (await runJson(['explain', array])).documents[0] as unknown as { findings: ExplainFinding[] }
  const found = findings.find(({ code }) => code === 'FILTER_ORDER')
  expect(found).toMatchObject({ field: '__coords' })
  expect(found?.advice[1]).toContain('[tiledb.ByteShuffleFilter(), tiledb.ZstdFilter()]) if d.name in ["x", "y"] else')
})

/** The fragments of an array in memory, as if they were in these boxes. The tile extent is 10. */
async function inBoxes(...boxes: readonly [low: number, high: number][]): Promise<OpenedArray> {
  const opened = await madeArray({
    dense: true,
    dimensions: [['t', 0, 9999, 10]],
    attributes: { v: [] },
    fragments: [{ v: floats(10_000, (i) => i) }],
  })
  const [one] = opened.fragments
  const fragments = boxes.map(([low, high]) => {
    const [min, max] = [low, high].map((end) => new Uint8Array(Int32Array.of(end).buffer))
    return { ...one, info: { ...one.info, nonempty_domain: [{ min, max }] } }
  })
  return { ...opened, fragments }
}

test('of dense fragments with gaps, neighbours are merged if these are at least half of them', async () => {
  const opened = await inBoxes([0, 9], [9990, 9999], [500, 509], [500, 509], [500, 509])
  expect(consolidationTexts(opened)[0]).toBe(
    'tiledb.consolidate("array", config=tiledb.Config({"sm.consolidation.step_min_frags": "2"}))  # the first step merges 3 of 5 fragments, which follow each other in time',
  )
})

test('if no neighbours fit, the advice tells how many cells filled gaps store', async () => {
  const opened = await inBoxes([0, 9], [9990, 9999], [500, 509])
  expect(consolidationTexts(opened)[0]).toBe(
    'tiledb.consolidate("array", config=tiledb.Config({"sm.consolidation.amplification": "500"}))  # fills the gaps: stores 10000 cells in place of 30',
  )
})
