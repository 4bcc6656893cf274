import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { CountedBytes, Memory } from '../../src/base/memory.ts'
import type { CellBatch, ColumnType } from '../../src/cells/column.ts'
import { datatypeSize } from '../../src/format/datatype.ts'
import { NEWEST_STABLE } from '../../src/format/releases.ts'
import { zstdInWasm } from '../../src/node/node-codecs.ts'
import { parquetFormat } from '../../src/rows/parquet.ts'
import { type Records, writeRecords } from '../../src/rows/records.ts'
import { TableRows } from '../../src/rows/table-records.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { unpackWorkspace, WORKSPACES } from '../helpers/genomicsdb.ts'
import { run } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'
import { type ArrowValue, readArrow } from './arrow-table.ts'
import { type ParquetRead, readParquet } from './parquet-table.ts'

const folder = temporaryFolder()
const fixtures = `${FIXTURES}/${NEWEST_STABLE}`
/** Fixtures that have all datatypes together. */
const TYPES = readdirSync(fixtures).filter((name) => name.startsWith('type_') && !name.endsWith('.json'))

/** Times in milliseconds, as Parquet has no seconds. */
function milliseconds(value: ArrowValue): ArrowValue {
  if (Array.isArray(value)) return value.map(milliseconds)
  return typeof value === 'bigint' ? value * 1000n : value
}

/** Compares the cells that two formats have. */
async function compare(args: readonly string[]): Promise<ParquetRead> {
  const arrow = readArrow((await run([...args, '--format', 'arrow'])).stdout)
  const { code, stdout } = await run([...args, '--format', 'parquet'])
  expect({ args, code }).toEqual({ args, code: 0 })
  const parquet = await readParquet(stdout)
  expect(parquet.rowNum).toBe(arrow.rowNum)
  expect([...parquet.columns.keys()]).toEqual(arrow.names)
  for (const [c, name] of arrow.names.entries()) {
    const values = arrow.columns.get(name) ?? []
    const isSeconds = arrow.metadata[c] === 'DATETIME_SEC' && !args.includes('--raw')
    const expected = isSeconds ? values.map(milliseconds) : values
    expect({ args, name, values: parquet.columns.get(name) }).toEqual({ args, name, values: expected })
  }
  return parquet
}

describe('a file holds what Arrow holds', () => {
  test.each(shortTurn(TYPES, 3))('%s', async (name) => {
    const args = ['decode', `${fixtures}/${name}`, '--all-fragments']
    // These have a day that no date of 32 bits can hold.
    if (name !== 'type_datetimes') await compare(args)
    await compare([...args, '--raw'])
  })

  test('dictionaries, nulls, lists, and cells of no fragment at all', async () => {
    for (const name of ['enumerations', 'evolved_sparse', 'empty_sparse'])
      await compare(['read', `${fixtures}/${name}`])
    await compare(['read', `${fixtures}/enumerations`, '--labels'])
    const { groups } = await compare(['read', `${fixtures}/sparse_basic`, '--limit', '0'])
    // A list of row groups without any is refused by readers written in Rust.
    expect(groups).toEqual([0])
  })

  test('calls of GenomicsDB, which have lists of lists', async () => {
    for (const name of shortTurn(WORKSPACES, 6)) await compare(['read', unpackWorkspace(name, folder)])
  })
})

const INT16: ColumnType = { name: 'a', kind: 'attribute', type: 'INT16', cell_val_num: 1, nullable: true }
const TEXT: ColumnType = { name: 's', kind: 'attribute', type: 'STRING_UTF8', cell_val_num: 'var', nullable: false }

/** A tile of `count` cells from `first` on: numbers, every third null, and texts of up to 60 bytes. */
function tileOf(first: number, count: number): CellBatch {
  const numbers = Array.from({ length: count }, (_, i) => (first + i) % 30_000)
  const texts = numbers.map((n) => 'é'.repeat(n % 30))
  const starts = Float64Array.from([0, ...texts.map(({ length }) => 2 * length)])
  for (let i = 1; i < starts.length; i++) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0)
  const validity = Uint8Array.from(numbers, (n) => (n % 3 === 0 ? 0 : 1))
  return {
    tile: 0,
    cell_num: count,
    rows: undefined,
    columns: [
      { data: new Uint8Array(Int16Array.from(numbers, (n) => -n).buffer), starts: undefined, validity },
      { data: Buffer.from(texts.join('')), starts, validity: undefined },
    ],
  }
}

class Sink {
  readonly parts: Uint8Array[] = []
  readonly out = {
    columns: undefined,
    color: false,
    write: (part: string | Uint8Array): void => {
      this.parts.push(typeof part === 'string' ? Buffer.from(part) : part.slice())
    },
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.parts)
  }
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}

async function written(records: Omit<Records, 'batches'> & { batches: Iterable<CellBatch> }): Promise<Uint8Array> {
  const sink = new Sink()
  const { columns, batches } = records
  await writeRecords({ columns, batches: each(batches) }, sink.out, {
    format: parquetFormat(await zstdInWasm()),
    raw: false,
  })
  return sink.bytes
}

describe('row groups and pages', () => {
  test('a large tile has many pages, small tiles share a row group; no row is cut', async () => {
    const tiles = [tileOf(0, 70_000), ...Array.from({ length: 30 }, (_, t) => tileOf(70_000 + 100 * t, 100))]
    const read = await readParquet(await written({ columns: [INT16, TEXT], batches: tiles }))
    expect(read.groups).toEqual([70_000, 3000])
    const numbers = Array.from({ length: 73_000 }, (_, i) => i % 30_000)
    expect(read.columns.get('a')).toEqual(numbers.map((n) => (n % 3 === 0 ? null : 0 - n)))
    expect(read.columns.get('s')).toEqual(numbers.map((n) => 'é'.repeat(n % 30)))
  })

  test('numbers that do not shrink are not compressed; NaN keeps its bits', async () => {
    const words = Uint32Array.from({ length: 4000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1))
    // A signalling NaN, and R's NA.
    words.set([0x7fa00001, 0x000007a2, 0x7ff00000])
    const column: ColumnType = { name: 'f', kind: 'attribute', type: 'FLOAT32', cell_val_num: 1, nullable: false }
    const data = new Uint8Array(words.buffer)
    const tile = {
      tile: 0,
      cell_num: 4000,
      rows: undefined,
      columns: [{ data, starts: undefined, validity: undefined }],
    }
    const bytes = await written({ columns: [column], batches: [tile] })
    expect((await readParquet(bytes)).metadata.row_groups[0]?.columns[0]?.meta_data?.codec).toBe('UNCOMPRESSED')
    expect(Buffer.from(bytes).includes(Buffer.from(data))).toBe(true)
  })

  test('seconds that no millisecond of 64 bits reaches are refused', async () => {
    const column: ColumnType = { name: 't', kind: 'attribute', type: 'DATETIME_SEC', cell_val_num: 1, nullable: false }
    const data = new Uint8Array(BigInt64Array.of(2n ** 60n).buffer)
    const tile = { tile: 0, cell_num: 1, rows: undefined, columns: [{ data, starts: undefined, validity: undefined }] }
    await expect(written({ columns: [column], batches: [tile] })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('1152921504606846976 seconds'),
    })
  })

  test('null and empty lists and structs are told apart, at every depth', async () => {
    const sink = new Sink()
    const rows = new TableRows(new CountedBytes(new Memory(), 'rows'))
    const shown = [
      { a: [[1, 2], [], null, [3]], b: { c: 1, d: ['x', ''] }, e: 2n ** 63n },
      { a: null, b: null, e: 0 },
      { a: [], b: { d: [] }, e: null },
      { a: [[null]], b: { c: 1.5 }, f: [1, 'one'] },
    ]
    for (const row of shown) rows.add(row, 'rows')
    await rows.write(sink.out, parquetFormat(await zstdInWasm()))
    const { columns } = await readParquet(sink.bytes)
    expect(columns.get('a')).toEqual([[[1n, 2n], [], null, [3n]], null, [], [[null]]])
    expect(columns.get('b')).toEqual([{ c: 1, d: ['x', ''] }, null, { c: null, d: [] }, { c: 1.5 }])
    expect(columns.get('e')).toEqual([2n ** 63n, 0n, null, null])
    expect(columns.get('f')).toEqual([null, null, null, ['1', '"one"']])
  })
})

describe('the bounds of a row group', () => {
  /** Bounds and nulls of a column of one row group, as they are stored. */
  async function boundsOf(
    column: Partial<ColumnType> & Pick<ColumnType, 'type'>,
    data: Uint8Array,
    validity?: readonly number[],
  ): Promise<unknown[]> {
    const one = { name: 'c', kind: 'attribute', cell_val_num: 1, nullable: validity !== undefined, ...column } as const
    const isText = one.cell_val_num === 'var'
    const cell_num = isText ? data.filter((byte) => byte === 0x2c).length + 1 : data.length / datatypeSize(one.type)
    const texts = isText ? Buffer.from(data).toString('latin1').split(',') : []
    const cells = {
      data: isText ? Buffer.from(texts.join(''), 'latin1') : data,
      starts: isText
        ? Float64Array.from([0, ...texts.map((_, i) => texts.slice(0, i + 1).join('').length)])
        : undefined,
      validity: validity && Uint8Array.from(validity),
    }
    const bytes = await written({ columns: [one], batches: [{ tile: 0, cell_num, rows: undefined, columns: [cells] }] })
    const { min_value, max_value, null_count } =
      (await readParquet(bytes)).metadata.row_groups[0]?.columns[0]?.meta_data?.statistics ?? {}
    return [min_value, max_value, null_count]
  }
  const bytesOf = ({ buffer }: { buffer: ArrayBuffer }): Uint8Array => new Uint8Array(buffer)

  test('integers are ordered with their sign, or without one', async () => {
    const ends32 = bytesOf(Int32Array.of(5, -1, 2 ** 31 - 1, -(2 ** 31)))
    expect(await boundsOf({ type: 'INT32' }, ends32)).toEqual([-(2 ** 31), 2 ** 31 - 1, 0n])
    expect(await boundsOf({ type: 'UINT32' }, ends32)).toEqual([5, 2 ** 32 - 1, 0n])
    const ends64 = bytesOf(BigInt64Array.of(5n, -1n, 2n ** 63n - 1n, -(2n ** 63n)))
    expect(await boundsOf({ type: 'INT64' }, ends64)).toEqual([-(2n ** 63n), 2n ** 63n - 1n, 0n])
    expect(await boundsOf({ type: 'UINT64' }, ends64)).toEqual([5n, 2n ** 64n - 1n, 0n])
    expect(await boundsOf({ type: 'INT8' }, Uint8Array.of(1, 0xff))).toEqual([-1, 1, 0n])
    expect(await boundsOf({ type: 'UINT8' }, Uint8Array.of(1, 0xff))).toEqual([1, 255, 0n])
    expect(await boundsOf({ type: 'BOOL' }, Uint8Array.of(1, 1))).toEqual([true, true, 0n])
  })

  test('nulls do not count; without values there are no bounds', async () => {
    const data = bytesOf(Int16Array.of(-9, 3, 4, 99))
    expect(await boundsOf({ type: 'INT16' }, data, [0, 1, 1, 0])).toEqual([3, 4, 2n])
    expect(await boundsOf({ type: 'INT16' }, data, [0, 0, 0, 0])).toEqual([undefined, undefined, 4n])
  })

  test('a zero holds both zeros; a NaN, which some readers take for the largest number, leaves no bounds', async () => {
    expect(await boundsOf({ type: 'FLOAT64' }, bytesOf(Float64Array.of(0, 0)))).toEqual([-0, 0, 0n])
    expect(await boundsOf({ type: 'FLOAT32' }, bytesOf(Float32Array.of(-0, -1.5)))).toEqual([-1.5, 0, 0n])
    const ends = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
    expect(await boundsOf({ type: 'FLOAT64' }, bytesOf(Float64Array.from(ends)))).toEqual([...ends, 0n])
    const none = [undefined, undefined, 0n]
    expect(await boundsOf({ type: 'FLOAT64' }, bytesOf(Float64Array.of(1, Number.NaN, 2)))).toEqual(none)
  })

  test('texts are ordered by their bytes, and long ones are cut to what holds them', async () => {
    const text = { type: 'STRING_UTF8', cell_val_num: 'var' } as const
    // U+FFFD comes before U+1F600 in bytes, but after it in the units of JavaScript.
    expect(await boundsOf(text, Buffer.from('z,\u{1f600},\ufffd,zz'))).toEqual(['z', '\u{1f600}', 0n])
    const [min, max] = await boundsOf(text, Buffer.from(`${'a'.repeat(5000)},${'b'.repeat(5000)}`))
    expect([min, max]).toEqual(['a'.repeat(4096), `${'b'.repeat(4095)}c`])
  })

  test('values of a dictionary that no row has do not count', async () => {
    const { metadata, columns } = await compare(['read', `${fixtures}/enumerations`, '--labels'])
    const bounds = metadata.row_groups[0]?.columns.flatMap(({ meta_data }) => {
      const name = meta_data?.path_in_schema[0] ?? ''
      const texts = columns.get(name)?.filter((one) => typeof one === 'string') ?? []
      const { min_value, max_value } = meta_data?.statistics ?? {}
      return texts.length > 0 ? [{ name, found: [min_value, max_value], texts: texts.sort() }] : []
    })
    expect(bounds?.length).toBeGreaterThan(0)
    for (const { name, found, texts } of bounds ?? [])
      expect({ name, found }).toEqual({ name, found: [texts[0], texts.at(-1)] })
  })
})

describe('options', () => {
  test('-o x.parquet appears whole or not at all', async () => {
    const place = `${folder}/a.parquet`
    expect((await run(['read', `${fixtures}/sparse_basic`, '-o', place])).code).toBe(0)
    const before = readFileSync(place)
    expect((await readParquet(before)).rowNum).toBeGreaterThan(0)
    const { code } = await run(['read', `${fixtures}/type_datetimes`, '-o', place])
    expect(code).toBe(2)
    expect(readFileSync(place)).toEqual(before)
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([])
  })

  test('rows of documents are tables, those of several targets one', async () => {
    const targets = [`${fixtures}/sparse_basic`, `${fixtures}/dense_basic`]
    const { columns, rowNum } = await readParquet((await run(['ls', ...targets, '--format', 'parquet'])).stdout)
    const lines = (await run(['ls', ...targets, '--format', 'ndjson'])).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rowNum).toBe(lines.length)
    expect(columns.get('cell_num')).toEqual(lines.map(({ cell_num }) => BigInt(cell_num)))
    expect(columns.get('nonempty_domain')).toHaveLength(lines.length)
    const tiles = await readParquet((await run(['tiles', `${fixtures}/sparse_basic`, '--format', 'parquet'])).stdout)
    expect(tiles.columns.get('fields')?.[0]).toEqual(
      expect.arrayContaining([expect.objectContaining({ size: expect.anything() })]),
    )
  })

  test('nothing is written to a terminal, and cells of one target only; what is too much for the memory is said', async () => {
    const array = `${fixtures}/sparse_basic`
    const call = [['ls', array, '--format', 'parquet'], { columns: 80 }] as const
    expect(await run(...call)).toMatchObject({ code: 2, stderr: expect.stringContaining('terminal') })
    const two = await run(['read', array, array, '--format', 'parquet'])
    expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining('found 2 targets') })
    writeFileSync(`${folder}/none`, '')
    const damaged = await run(['ls', `${folder}/none`, '-o', `${folder}/b.parquet`])
    expect(damaged.code).not.toBe(0)
    expect(existsSync(`${folder}/b.parquet`)).toBe(false)
  })
})
