import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import type { InspectError } from '../../src/base/errors.ts'
import type { Bounds } from '../../src/cells/bounds.ts'
import { cellBytes } from '../../src/cells/column.ts'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { type Datatype, datatypeSize } from '../../src/format/datatype.ts'
import type { ConditionNode } from '../../src/format/delete-condition.ts'
import { integerOf } from '../../src/format/dense-tiles.ts'
import { bytesOf } from '../../src/format/value.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { type DenseRoom, readDense } from '../../src/read/dense.ts'
import { openAt, withMisread } from '../../src/read/opening.ts'
import { type OpenedArray, type ReadOrder, type ReadQuery, readColumns } from '../../src/read/query.ts'
import { defaultOrder, readMerged } from '../../src/read/read.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { Folder, type Storage } from '../../src/storage/source.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

/** A query, and what TileDB 2.30 answered. See test/fixtures/dense_reads.py. */
interface Asked {
  array: string
  order: ReadOrder
  to: number
  ranges: [low: number, high: number][][]
  where: [field: string, type: Datatype, op: string, value: number] | null
  cells: { [attribute: string]: (string | null)[] }
}

const FOLDER = `${FIXTURES}/dense_reads`
const asked: Asked[] = JSON.parse(readFileSync(`${FOLDER}/queries.json`, 'utf8'))

function open(name: string, to?: bigint, storage: Storage = localFiles): Promise<OpenedArray> {
  return openAt(new InspectArray(new Folder(storage, `${FOLDER}/${name}`), contextFor({ key: undefined })), { to })
}

/** Cells by column, as hexadecimal digits. */
type Cells = { [column: string]: (string | null)[] }

async function cellsOf(opened: OpenedArray, query: ReadQuery, room?: DenseRoom): Promise<Cells> {
  const types = readColumns(opened.schema, query)
  const cells: Cells = Object.fromEntries(types.map(({ name }) => [name, []]))
  for await (const { columns, rows, cell_num } of readDense(opened, query, room)) {
    if (columns.length !== types.length) throw new Error(`${columns.length} columns`)
    const shown = rows ?? Array.from({ length: cell_num }, (_, i) => i)
    for (const [c, { name, type, cell_val_num, nullable }] of types.entries()) {
      const column = columns[c]
      if (!column) throw new Error(`no column ${name}`)
      const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
      const count = column.starts ? column.starts.length - 1 : column.data.length / size
      if (count !== cell_num) throw new Error(`${count} cells of ${name}`)
      for (const row of shown) {
        const isNull = nullable && column.validity?.[row] === 0
        cells[name].push(isNull ? null : Buffer.from(cellBytes(column, row, size)).toString('hex'))
      }
    }
  }
  return cells
}

function rangeSets(ranges: Asked['ranges']): Map<number, Bounds[]> {
  return new Map(ranges.map((sides, d) => [d, sides.map(([low, high]) => ({ low, high }))]))
}

const OPS = { '<': 'LT', '>': 'GT' } as const

function condition(where: Asked['where']): ConditionNode | undefined {
  if (!where) return undefined
  const [field, type, op, value] = where
  if (op !== '<' && op !== '>') throw new Error(op)
  return { node: 'value', op: OPS[op], field, value: bytesOf(type, 1, value), offsets: undefined }
}

function queryOf({ order, ranges, where }: Asked): ReadQuery {
  return { order, ranges: rangeSets(ranges), where: condition(where) }
}

/** All coordinates of the ranges, in the order of a read across tiles. */
function coordinates({ order, ranges }: Asked): number[][] {
  const values = ranges.map((sides) => sides.flatMap(([low, high]) => span(low, high)))
  const axes = order === 'col-major' ? values.toReversed() : values
  const all = axes.reduce<number[][]>((done, axis) => done.flatMap((one) => axis.map((x) => [...one, x])), [[]])
  return order === 'col-major' ? all.map((one) => one.toReversed()) : all
}

function span(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i)
}

/** Coordinates of cells, by dimension. */
function shownCoordinates({ schema }: OpenedArray, cells: Cells): number[][] {
  const { dimensions } = schema.domain
  return cells[dimensions[0].name].map((_, i) =>
    dimensions.map(({ name, type }) => Number(integerOf(type, Buffer.from(cells[name][i] ?? '', 'hex')))),
  )
}

const name = ({ array, order, to, ranges, where }: Asked): string =>
  `${array} ${order} to ${to} ${JSON.stringify(ranges)} ${where?.join(' ') ?? ''}`

/** By default everything is in one window. The others cut along every axis. */
const ROOMS: readonly (DenseRoom | undefined)[] = [undefined, { most: 2000, batch: 300 }, { most: 250, batch: 80 }]

describe('readDense returns the cells that TileDB returns', () => {
  test.each(asked.map((one) => [name(one), one] as const))('%s', async (_, one) => {
    const opened = await open(one.array, BigInt(one.to))
    for (const room of ROOMS) {
      const cells = await cellsOf(opened, queryOf(one), room)
      expect(cells).toMatchObject(one.cells)
      const shown = shownCoordinates(opened, cells)
      if (one.order !== 'global') expect(shown).toEqual(coordinates(one))
      else expect(shown.toSorted()).toEqual(coordinates(one).toSorted())
    }
  })

  test('in global order, the coordinates follow tiles and then cells', async () => {
    const opened = await open('merged', 35n)
    const query: ReadQuery = { order: 'global', ranges: rangeSets([[[1, 2]], [[3, 4]]]) }
    const shown = shownCoordinates(opened, await cellsOf(opened, query))
    // Tiles of 4 by 3 from (-2, 1) on, in col-major order; cells in row-major order.
    expect(shown).toEqual(
      [
        [1, 3],
        [2, 3],
        [1, 4],
        [2, 4],
      ].toSorted((a, b) => tileOf(a) - tileOf(b)),
    )
  })
})

function tileOf([y, x]: number[]): number {
  return Math.floor((x - 1) / 3) * 3 + Math.floor((y + 2) / 4)
}

describe('without ranges', () => {
  test('a read returns all cells of the box around the fragments', async () => {
    const opened = await open('merged', 25n)
    const box: Asked['ranges'] = [[[-2, 5]], [[1, 8]]]
    const all = await cellsOf(opened, { order: 'row-major', ranges: new Map() })
    expect(all).toEqual(await cellsOf(opened, { order: 'row-major', ranges: rangeSets(box) }))
  })

  test('an open end is that of the fragments', async () => {
    const opened = await open('merged', 25n)
    const query = { order: 'row-major', ranges: new Map([[0, [{ low: 3, high: undefined }]]]) } as const
    expect(shownCoordinates(opened, await cellsOf(opened, query))).toEqual(
      coordinates({ order: 'row-major', ranges: [[[3, 5]], [[1, 8]]] } as Asked),
    )
  })

  test('an array without fragments has no cells, but a box has fill values', async () => {
    const opened = await open('merged', 5n)
    expect(opened.fragments).toHaveLength(0)
    expect((await cellsOf(opened, { order: 'row-major', ranges: new Map() })).a).toEqual([])
    const { a, n, s } = await cellsOf(opened, { order: 'row-major', ranges: rangeSets([[[0, 0]], [[1, 2]]]) })
    expect({ a, n, s }).toEqual({ a: ['f9ffffff', 'f9ffffff'], n: [null, null], s: ['00', '00'] })
  })
})

test('ranges of a dimension are united, clipped to the domain, and come in order', async () => {
  const opened = await open('merged', 25n)
  const some = rangeSets([
    [
      [4, 9],
      [-7, -1],
      [-1, 0],
      [4, 5],
    ],
    [[2, 2]],
  ])
  const same = rangeSets([
    [
      [-2, 0],
      [4, 6],
    ],
    [[2, 2]],
  ])
  expect(await cellsOf(opened, { order: 'row-major', ranges: some })).toEqual(
    await cellsOf(opened, { order: 'row-major', ranges: same }),
  )
})

test('the provenance leads to the stored cell', async () => {
  const opened = await open('merged')
  for (const room of ROOMS) {
    const query: ReadQuery = {
      order: 'col-major',
      ranges: rangeSets([[[-2, 6]], [[1, 10]]]),
      fields: ['a'],
      provenance: true,
    }
    const cells = await cellsOf(opened, query, room)
    const seen = new Set<number>()
    const stored: FragmentCells[] = []
    for (const [i, fragment] of cells.__fragment.entries()) {
      if (fragment === null) {
        expect([cells.a[i], cells.__tile[i], cells.__cell[i], cells.__written[i]]).toEqual([
          'f9ffffff',
          null,
          null,
          null,
        ])
        continue
      }
      const [index, tile, cell, written] = [fragment, cells.__tile[i], cells.__cell[i], cells.__written[i]].map((hex) =>
        Number(integerOf('INT64', Buffer.from(hex ?? '', 'hex'))),
      )
      seen.add(index)
      stored[index] ??= await FragmentCells.open(opened.fragments[index].fragment, { fields: ['a'] })
      const { columns } = await stored[index].cell(tile, cell)
      const at = [columns[0], columns[1], columns[2]].map((column) => Buffer.from(column?.data ?? []).toString('hex'))
      expect(at).toEqual([cells.y[i], cells.x[i], cells.a[i]])
      expect(written).toBe(Number(opened.fragments[index].time))
    }
    expect([...seen].sort()).toEqual([0, 1, 2, 3])
    for (const one of stored) await one?.close()
  }
})

describe('a tile that cannot be read', () => {
  /** The array, with the first tile of an attribute of the second fragment gone. */
  function openDamaged(): Promise<OpenedArray> {
    const files = filesBelow(`${FOLDER}/merged`, `${FOLDER}/merged`)
    for (const [path, bytes] of files) if (/__20_20_.*a0\.tdb$/.test(path)) bytes.fill(0xff, 0, 8)
    return open('merged', 35n, new MemoryStorage(files))
  }

  test('is an error that names the file and the tile', async () => {
    const opened = await openDamaged()
    await expect(cellsOf(opened, { order: 'row-major', ranges: new Map() })).rejects.toMatchObject({
      at: { file: expect.stringMatching(/__20_20_.*a0\.tdb$/), field: expect.stringContaining('tile 0') },
    })
  })

  test('is reported, and its cells are left out unless a newer fragment has them', async () => {
    const query: ReadQuery = { order: 'row-major', ranges: new Map(), provenance: true }
    const whole = await cellsOf(await open('merged', 35n), query)
    for (const room of ROOMS) {
      const faults: InspectError[] = []
      const opened = await openDamaged()
      const cells = await cellsOf(opened, { ...query, onFault: (fault) => faults.push(fault) }, room)
      expect(faults).toHaveLength(1)
      expect(faults[0].at.file).toMatch(/__20_20_.*a0\.tdb$/)
      const lost = (i: number): boolean => whole.__fragment[i] === '01000000' && whole.__tile[i] === '00'.repeat(8)
      const rest = whole.a.map((_, i) => i).filter((i) => !lost(i))
      expect(rest.length).toBeLessThan(whole.a.length)
      for (const [column, all] of Object.entries(whole)) expect(cells[column]).toEqual(rest.map((i) => all[i]))
    }
  })
})

test('cells of another form than the array has now are filled, with a remark', async () => {
  const opened = await open('merged', 25n)
  const attributes = opened.schema.attributes.map((one) =>
    one.name === 'a' ? { ...one, type: 'UINT32' as const } : one,
  )
  const remarks: string[] = []
  const schema = { ...opened.schema, attributes }
  const changed = { ...opened, schema, fragments: withMisread(schema, opened.fragments) }
  const query: ReadQuery = {
    order: 'row-major',
    ranges: new Map(),
    onRemark: (field, text) => remarks.push(`${field}: ${text}`),
  }
  const { a, p } = await cellsOf(changed, query)
  expect(new Set(a)).toEqual(new Set(['f9ffffff']))
  expect(p).toEqual((await cellsOf(opened, query)).p)
  expect(remarks).toEqual([
    'a: cells that were written as INT32 are shown as fill values; TileDB reads them wrongly, as UINT32',
  ])
})

test('readMerged reads dense arrays', async () => {
  const opened = await open('cube', 25n)
  const { array, cells } = asked.find((one) => one.array === 'cube' && one.order === defaultOrder(opened)) as Asked
  const rows: number[] = []
  for await (const { columns } of readMerged(opened, {
    order: defaultOrder(opened),
    ranges: rangeSets([[[250, 254]], [[0, 3]], [[0, 4]]]),
  }))
    rows.push(...new Uint8Array(columns[3]?.data ?? []))
  expect(array).toBe('cube')
  expect(Buffer.from(rows).toString('hex')).toBe(cells.a.join(''))
})
