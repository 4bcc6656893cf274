import { describe, expect, test } from '@jest/globals'
import type { Output, Result } from '../../src/base/result.ts'
import type { CellBatch, ColumnType } from '../../src/cells/column.ts'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { batchRows, columnValue } from '../../src/cells/rows.ts'
import { DATATYPES, type Datatype, datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import { localFiles } from '../../src/node/file.ts'
import { openTarget } from '../../src/objects/target.ts'
import { type CellLineStyle, type ShownColumn, writeCellLines } from '../../src/rows/cell-lines.ts'
import { writeCsv } from '../../src/rows/csv.ts'
import { writeNdjson } from '../../src/rows/ndjson.ts'
import { contextFor, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { Random } from '../helpers/random.ts'
import { shortTurn, turnOfFamilies } from '../helpers/turn.ts'
import { later } from './sink.ts'

const STYLES: CellLineStyle[] = [
  { format: 'ndjson', int64: 'number', raw: false },
  { format: 'ndjson', int64: 'string', raw: true },
  { format: 'csv', int64: 'number', raw: false },
  { format: 'csv', int64: 'number', raw: true },
]

/** An output, and the text that came out. */
function textOutput(): { out: Output; text: () => string } {
  const parts: Uint8Array[] = []
  const out: Output = {
    columns: undefined,
    color: false,
    write: (piece) => void parts.push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece.slice()),
  }
  return { out, text: () => parts.map((part) => Buffer.from(part).toString('latin1')).join('') }
}

/** The lines written from bytes, which are the same by way of the compiled module. */
async function quickly(columns: ShownColumn[], batches: CellBatch[], style: CellLineStyle): Promise<object> {
  const [plain, compiled] = await Promise.all(
    [Number.POSITIVE_INFINITY, 0].map(async (plainRows) => {
      const { out, text } = textOutput()
      const limit = Number.POSITIVE_INFINITY
      const notes = await writeCellLines(columns, later(batches), out, style, { limit, plainRows })
      return { text: text(), rounded: style.format === 'ndjson' && notes.rounded }
    }),
  )
  expect(compiled).toEqual(plain)
  return plain
}

/** The same by way of one object a row. */
async function plainly(columns: ShownColumn[], batches: CellBatch[], style: CellLineStyle): Promise<object> {
  const { out, text } = textOutput()
  const types = columns.map(({ column }) => column)
  const values = columns.map(({ column, labels }) => columnValue(column, style, labels))
  const rows: Result[] = batches.flatMap((batch) => [...batchRows(batch, types, values)])
  if (style.format === 'ndjson') {
    const { rounded } = await writeNdjson(rows, out, style)
    return { text: text(), rounded }
  }
  const { int64, terminal, format } = style
  await writeCsv(rows, out, { int64, terminal, format, columns: types.map(({ name }) => name) })
  return { text: text(), rounded: false }
}

const EDGES = [0, 1, 9, 10, 99, 100, 12345, 99999, 100000, 1e6, 1e7, 1e8, 999999999, 1e9, 2 ** 31, 2 ** 32, 2 ** 53]

/** Numbers of all kinds as cells of a type: every way of printing a number is met. */
function numbers(type: Datatype, count: number): Uint8Array {
  const random = new Random(7)
  const size = datatypeSize(type)
  const bytes = random.bytes(count * size)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < count; i++) {
    const near = random.pick(EDGES) + random.below(3) - 1
    const signed = random.below(2) === 0 ? near : -near
    const digits = random.below(2 ** 30) / 10 ** random.below(16)
    if (type === 'FLOAT64' && i % 3 > 0) {
      view.setFloat64(
        i * 8,
        i % 3 === 1 ? signed / 10 ** random.below(9) : digits * random.pick([1, -1, 1e-9, 1e12]),
        true,
      )
    } else if (type === 'FLOAT32' && i % 3 > 0) {
      view.setFloat32(i * 4, i % 3 === 1 ? signed / 10 ** random.below(9) : digits, true)
    } else if (size === 8 && datatypeKind(type) !== 'float' && i % 2 === 0) {
      view.setBigInt64(i * 8, BigInt(signed) * (i % 4 === 0 ? 1n : 2n ** BigInt(random.below(12))), true)
    }
  }
  if (type === 'FLOAT64') {
    const special = [
      0,
      -0,
      Number.NaN,
      Infinity,
      -Infinity,
      5e-324,
      1.7976931348623157e308,
      1e21,
      1e-7,
      0.1 + 0.2,
      1e15 / 10,
    ]
    for (const [i, value] of special.entries()) view.setFloat64(i * 8, value, true)
  }
  return bytes
}

function columnOf(type: Datatype, more: Partial<ColumnType> = {}): ColumnType {
  return { name: `a ${type}`, kind: 'attribute', type, cell_val_num: 1, nullable: false, ...more }
}

describe('lines written from bytes are those of the rows', () => {
  const dates = DATATYPES.filter((type) => datatypeKind(type) === 'datetime')
  const fixed = DATATYPES.filter((type) => !['text', 'bytes'].includes(datatypeKind(type)) && !dates.includes(type))
  const someFixed = shortTurn(fixed, 6)
  test.each(someFixed.flatMap((type) => STYLES.map((style) => [type, style.format, style] as const)))(
    'of %s as %s',
    async (type, _, style) => {
      const count = 3000
      const size = datatypeSize(type)
      // Not aligned to the type, as what follows something else in a buffer.
      const bytes = new Uint8Array(count * size + 1)
      bytes.set(numbers(type, count), 1)
      const data = { data: bytes.subarray(1), starts: undefined, validity: undefined }
      const validity = new Random(3).bytes(count).map((byte) => byte & 1)
      const columns = [
        { column: columnOf(type), labels: undefined },
        { column: columnOf(type, { name: 'b"', nullable: true }), labels: undefined },
        { column: columnOf(type, { name: 'c,é', cell_val_num: 3 }), labels: undefined },
      ]
      const batches: CellBatch[] = [
        { tile: 0, cell_num: 1000, rows: undefined, columns: [data, { ...data, validity }, data] },
        { tile: 1, cell_num: 1000, rows: Uint32Array.of(1, 7, 999), columns: [data, undefined, data] },
        { tile: 2, cell_num: 1000, rows: undefined, columns: [undefined, undefined, undefined] },
        { tile: 3, cell_num: 0, rows: undefined, columns: [data, data, data] },
      ]
      expect(await quickly(columns, batches, style)).toEqual(await plainly(columns, batches, style))
    },
  )

  test.each(someFixed.flatMap((type) => STYLES.map((style) => [type, style.format, style] as const)))(
    'of nothing but %s as %s',
    async (type, _, style) => {
      const count = 5000
      const size = datatypeSize(type)
      const bytes = new Uint8Array(count * size + 1)
      bytes.set(numbers(type, count), 1)
      const data = { data: bytes.subarray(1), starts: undefined, validity: undefined }
      const validity = new Random(3).bytes(count).map((byte) => byte & 1)
      const some = Uint32Array.from({ length: count }, (_, i) => i).filter((i) => validity[i] === 1 || i < 40)
      const columns = [
        { column: columnOf(type), labels: undefined },
        { column: columnOf(type, { name: 'b"', nullable: true }), labels: undefined },
        { column: columnOf('UINT8', { name: 'c,é'.repeat(20) }), labels: undefined },
      ]
      const batches: CellBatch[] = [
        { tile: 0, cell_num: 10, rows: undefined, columns: [data, { ...data, validity }, data] },
        { tile: 1, cell_num: count, rows: undefined, columns: [data, data, data] },
        { tile: 2, cell_num: count, rows: some, columns: [data, { ...data, validity }, data] },
        { tile: 3, cell_num: count, rows: Uint32Array.of(1, 7, 4500, 4999), columns: [undefined, data, data] },
        { tile: 4, cell_num: 3, rows: undefined, columns: [undefined, undefined, undefined] },
        { tile: 5, cell_num: 0, rows: undefined, columns: [data, data, data] },
        { tile: 6, cell_num: 30, rows: undefined, columns: [data, undefined, data] },
      ]
      expect(await quickly(columns, batches, style)).toEqual(await plainly(columns, batches, style))
      const one = batches.map((batch) => ({ ...batch, columns: batch.columns.slice(1, 2) }))
      expect(await quickly([columns[1]], one, style)).toEqual(await plainly([columns[1]], one, style))
    },
  )

  test.each(STYLES)('one column, some of it null: %j', async (style) => {
    const column = columnOf('STRING_UTF8', { cell_val_num: 'var', nullable: true })
    const data = new TextEncoder().encode('plain"quoted"back\\slash,comma\nlineé\u0001')
    const starts = Float64Array.of(0, 0, 5, 13, 23, 29, 34, data.length)
    const batch = {
      tile: 0,
      cell_num: 7,
      rows: undefined,
      columns: [{ data, starts, validity: Uint8Array.of(1, 1, 1, 1, 0, 1, 1) }],
    }
    const columns = [{ column, labels: undefined }]
    expect(await quickly(columns, [batch], style)).toEqual(await plainly(columns, [batch], style))
  })

  /** Var-sized text as a column's cells. */
  function texts(values: readonly string[]): { data: Uint8Array; starts: Float64Array; validity: undefined } {
    const parts = values.map((value) => new TextEncoder().encode(value))
    const starts = new Float64Array(parts.length + 1)
    for (const [i, { length }] of parts.entries()) starts[i + 1] = starts[i] + length
    return { data: new Uint8Array(Buffer.concat(parts)), starts, validity: undefined }
  }

  const ODD = [
    '',
    '"',
    'a,b',
    'back\\slash',
    'é',
    '\u0000',
    '\u007f',
    'end\n',
    'x'.repeat(1024),
    'y'.repeat(1025),
    'z'.repeat(70_000),
  ]
  test.each(STYLES.flatMap((style) => [1, 40, 1000].map((every) => [style.format, every, style] as const)))(
    'text beside numbers, as %s, one of %i cells odd',
    async (_, every, style) => {
      const random = new Random(every)
      const count = 3000
      const values = Array.from({ length: count }, (_, i) => {
        // Next to the ends of the vectors that are looked at, too.
        const plain = 'abcdefghijklmnopqrstuvwxyz !~'.repeat(2).slice(0, random.below(40))
        return random.below(every) > 0
          ? plain
          : i < 11 * every
            ? plain + random.pick(ODD)
            : random.pick(ODD.slice(0, -1))
      })
      const validity = new Random(3).bytes(count).map((byte) => byte & 1)
      const number = { data: numbers('FLOAT64', count), starts: undefined, validity: undefined }
      const column = texts(values)
      const columns = [
        { column: columnOf('STRING_UTF8', { cell_val_num: 'var' }), labels: undefined },
        { column: columnOf('FLOAT64'), labels: undefined },
        { column: columnOf('STRING_ASCII', { cell_val_num: 'var', nullable: true }), labels: undefined },
      ]
      const some = Uint32Array.from({ length: 1000 }, (_, i) => i + (i > 20 ? 1990 : 0))
      const rows = [undefined, some, Uint32Array.of(5, 2999), Uint32Array.of(2999), undefined]
      const batches = rows.map((shown, tile): CellBatch => {
        const columns = [column, tile === 4 ? undefined : number, { ...column, validity }]
        return { tile, cell_num: count, rows: shown, columns }
      })
      expect(await quickly(columns, batches, style)).toEqual(await plainly(columns, batches, style))
    },
  )

  const STRANGE = [
    ...['=1+1', '+1', '-1', '@a', '\t=1', '\r', 'a=1', '＝1', 'base64:AQID', 'base64', 'base64;x', 'b'],
    ...['\u001b[31m', '\u0000', '\u007f', '\u009b31m', '\u202eabc', '\u2028', '\u200e', '\ufeffa', '\u{e0041}', 'é👍'],
    ...['a,b', 'a\tb', 'a\nb', 'a"b', 'plain'],
  ]
  const STRANGE_STYLES: CellLineStyle[] = (['ndjson', 'csv', 'tsv'] as const).flatMap((format) =>
    [false, true].map((terminal) => ({ format, int64: 'number', raw: false, terminal })),
  )
  test.each(STRANGE_STYLES.map((style) => [style.format, style.terminal, style] as const))(
    'text that is not what it seems, as %s, on a terminal: %p',
    async (format, terminal, style) => {
      const columns: ShownColumn[] = ['a', '=b', 'base64:', 'n\udcff', '\u009b'].map((name) => ({
        column: columnOf('STRING_UTF8', { name, cell_val_num: 'var' }),
        labels: undefined,
      }))
      const data = texts(STRANGE)
      const batch = { tile: 0, cell_num: STRANGE.length, rows: undefined, columns: columns.map(() => data) }
      const written = await quickly(columns, [batch], style)
      expect(written).toEqual(await plainly(columns, [batch], style))
      const text = Buffer.from((written as { text: string }).text, 'latin1').toString('utf8')
      if (format === 'ndjson') {
        expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\u200e\ufeff]|\\udcff/)
        const rows = text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
        expect(rows.map(({ a }) => a)).toEqual(STRANGE)
        expect(Object.keys(rows[0])).toEqual(['a', '=b', 'base64:YmFzZTY0Og==', 'base64:bv8=', '\u009b'])
        return
      }
      if (terminal) expect(text).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u202e\u200e\ufeff]/)
      const separator = format === 'csv' ? ',' : '\t'
      for (const field of ['"=1+1"', '"+1"', '"-1"', '"@a"', '"＝1"', 'a=1', 'base64', 'base64;x', 'b', 'plain'])
        expect(text).toContain(`\n${field}${separator}`)
      expect(text).toContain('base64:YmFzZTY0OkFRSUQ=')
      expect(text).not.toContain('base64:AQID')
      expect(text).toContain(format === 'csv' ? '\n"a,b",' : '\na,b\t')
      expect(text).toContain(format === 'csv' ? '\na\tb,' : '\n"a\tb"\t')
    },
  )

  test('labels of an enumeration, and marks of what was not deleted', async () => {
    const columns: ShownColumn[] = [
      { column: columnOf('UINT8'), labels: { values: ['zero', 'one"', 2n ** 60n], onMissing() {} } },
      { column: columnOf('UINT64', { kind: 'delete_timestamps' }), labels: undefined },
    ]
    const times = new Uint8Array(BigUint64Array.of(2n ** 64n - 1n, 5n, 2n ** 63n, 0n).buffer)
    const indexes = Uint8Array.of(0, 1, 2, 3)
    const batch = {
      tile: 0,
      cell_num: 4,
      rows: undefined,
      columns: [indexes, times].map((data) => ({ data, starts: undefined, validity: undefined })),
    }
    for (const style of STYLES)
      expect(await quickly(columns, [batch], style)).toEqual(await plainly(columns, [batch], style))
  })

  test('no more than the limit', async () => {
    const { out, text } = textOutput()
    const batch = { tile: 0, cell_num: 4, rows: undefined, columns: [] }
    const data = { data: Uint8Array.of(1, 2, 3, 4), starts: undefined, validity: undefined }
    const batches = later([batch, batch].map((one) => ({ ...one, columns: [data] })))
    await writeCellLines([{ column: columnOf('UINT8', { name: 'a' }), labels: undefined }], batches, out, STYLES[0], {
      limit: 5,
    })
    expect(text()).toBe('{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n{"a":1}\n')
  })

  const arrays = fixtureFolders().filter(({ kind }) => kind === 'array')
  test.each(turnOfFamilies(arrays, 8, versionOf).map((folder) => [folder.name, folder] as const))(
    'of fixture %s',
    async (_, folder) => {
      const target = await openTarget(localFiles, folder.path, contextFor(folder))
      if (target.type !== 'array') throw new Error('no array')
      for (const { path, state } of await target.array.fragments()) {
        if (state !== 'live') continue
        const fragment = target.array.fragment(path)
        const cells = await FragmentCells.open(fragment, { onColumnError() {} })
        const batches: CellBatch[] = []
        for await (const batch of cells.batches()) batches.push(batch)
        await cells.close()
        await fragment.close()
        const columns = cells.columns.map((column) => ({ column, labels: undefined }))
        for (const style of STYLES)
          expect(await quickly(columns, batches, style)).toEqual(await plainly(columns, batches, style))
      }
    },
  )
})
