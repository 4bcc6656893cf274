import { Buffer } from 'node:buffer'
import { describe, expect, test } from '@jest/globals'
import { cellBytes } from '../../src/cells/column.ts'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { datatypeSize } from '../../src/format/datatype.ts'
import type { ComparisonOp, ConditionNode } from '../../src/format/delete-condition.ts'
import { leafLevel, mbrAt } from '../../src/format/rtree.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import type { Fragment } from '../../src/objects/fragment.ts'
import { type ConditionColumn, comparisonOf, meets } from '../../src/read/condition.ts'
import { openAt } from '../../src/read/opening.ts'
import { tileTest } from '../../src/read/pruning.ts'
import { type OpenedArray, type ReadQuery, readColumns } from '../../src/read/query.ts'
import { readSparse } from '../../src/read/sparse.ts'
import { Folder } from '../../src/storage/source.ts'
import { floats, ints, madeArray } from '../advice/made-array.ts'
import { CountedStorage } from '../helpers/counted-storage.ts'
import { contextFor, FIXTURES, fixtureFolders } from '../helpers/fixtures.ts'

const OPS: ComparisonOp[] = ['LT', 'LE', 'GT', 'GE', 'EQ', 'NE', 'IN', 'NOT_IN']
/** Values to compare with, of each field. */
const VALUES = 6

interface Counts {
  ruledOut: number
  tested: number
  /** Tiles that were ruled out although a cell meets the condition. */
  wrong: string[]
}

function condition(field: string, op: ComparisonOp, value: Uint8Array): ConditionNode {
  const offsets = op === 'IN' || op === 'NOT_IN' ? Float64Array.of(0) : undefined
  return { node: 'value', op, field, value, offsets }
}

async function testFragment(fragment: Fragment, counts: Counts): Promise<void> {
  const info = await fragment.info()
  const leaves = leafLevel(await fragment.rtree())
  if (info.dense || !leaves) return
  const cells = await FragmentCells.open(fragment)
  const tiles: { tile: number; cell_num: number; columns: Map<string, ConditionColumn> }[] = []
  for await (const { tile, cell_num, columns } of cells.batches()) {
    const named = columns.flatMap((data, i) =>
      data ? [[cells.columns[i].name, { type: cells.columns[i], data }] as const] : [],
    )
    tiles.push({ tile, cell_num, columns: new Map(named) })
  }
  for (const { name, type, cell_val_num } of cells.columns) {
    if (comparisonOf({ type, cell_val_num }) === undefined) continue
    const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
    const values = Array.from({ length: VALUES }, (_, i) => {
      const { columns, cell_num } = tiles[Math.floor((i * (tiles.length - 1)) / (VALUES - 1))]
      const data = columns.get(name)?.data
      return data ? cellBytes(data, (i * 7) % cell_num, size) : new Uint8Array(size)
    })
    for (const [i, value] of values.entries()) {
      const node = condition(name, OPS[(i + counts.tested) % OPS.length], value)
      const mayHold = await tileTest(fragment, info, node, true)
      for (const { tile, cell_num, columns } of tiles) {
        counts.tested++
        if (mayHold(tile, mbrAt(leaves, tile, info.schema.domain.dimensions))) continue
        counts.ruledOut++
        if (meets(node, columns, cell_num).includes(1))
          counts.wrong.push(`${fragment.name} ${name} ${tile} ${JSON.stringify(node)}`)
      }
    }
  }
  await cells.close()
}

describe('tests exclude no tile with a cell that meets the condition, but many others', () => {
  const versions = [...new Set(fixtureFolders().map(({ name }) => name.split('/')[0]))]

  test.each(versions)('format %s', async (version) => {
    const counts: Counts = { ruledOut: 0, tested: 0, wrong: [] }
    for (const folder of fixtureFolders()) {
      if (folder.kind !== 'array' || !folder.name.startsWith(`${version}/`)) continue
      const array = new InspectArray(new Folder(localFiles, folder.path), contextFor(folder))
      for (const { path, committed } of await array.fragments()) {
        if (!committed) continue
        const fragment = array.fragment(path)
        await testFragment(fragment, counts)
        await fragment.close()
      }
    }
    expect(counts.wrong).toEqual([])
    expect(counts.ruledOut).toBeGreaterThan(counts.tested / 50)
  })
})

/** Cells that were read together: their columns, and each as text. */
interface Read {
  cell_num: number
  columns: ReadonlyMap<string, ConditionColumn>
  texts: ReadonlyMap<number, string>
}

async function readAll(opened: OpenedArray, where?: ConditionNode): Promise<Read[]> {
  const query: ReadQuery = { order: 'global', ranges: new Map(), where }
  const types = readColumns(opened.schema, query)
  const all: Read[] = []
  for await (const { rows, columns, cell_num } of readSparse(opened, query)) {
    // The memory of a batch is used again for the next.
    const named = types.flatMap((type, i) => {
      const data = columns[i]
      return data ? [[type.name, { type, data: structuredClone(data) }] as const] : []
    })
    const text = (row: number): string =>
      named
        .map(([, { type, data }]) => {
          const size = type.cell_val_num === 'var' ? 0 : datatypeSize(type.type) * type.cell_val_num
          return data.validity?.[row] === 0 ? 'null' : Buffer.from(cellBytes(data, row, size)).toString('hex')
        })
        .join(' ')
    const shown = Array.from(rows ?? Array(cell_num).keys(), (row) => [row, text(row)] as const)
    all.push({ cell_num, columns: new Map(named), texts: new Map(shown) })
  }
  return all
}

/** The cells of a read, each as text. */
async function readCells(opened: OpenedArray, where?: ConditionNode): Promise<string[]> {
  return (await readAll(opened, where)).flatMap(({ texts }) => [...texts.values()])
}

/** The cells of a read without a condition that meet one, each as text. */
function cellsThatMeet(all: readonly Read[], node: ConditionNode): string[] {
  return all.flatMap(({ cell_num, columns, texts }) => {
    const met = meets(node, columns, cell_num)
    return [...texts].flatMap(([row, text]) => (met[row] === 1 ? text : []))
  })
}

describe('a read with a condition returns the cells of a read without, tested one by one', () => {
  const names = [
    'commits_consolidated',
    'commits_ignored',
    'sparse_consolidated',
    'duplicates',
    'deletes',
    'rtree_levels',
    'string_dim',
    'type_nullable',
  ]

  test.each(names)('%s', async (name) => {
    const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/22/${name}`), contextFor({ key: undefined }))
    const opened = await openAt(array)
    const all = await readAll(opened)
    let metNum = 0
    for (const { name: field, type, cell_val_num } of readColumns(opened.schema, {
      order: 'global',
      ranges: new Map(),
    })) {
      if (comparisonOf({ type, cell_val_num }) === undefined) continue
      // Values of the oldest fragment: newer cells hide some of them.
      const cells = await FragmentCells.open(opened.fragments[0].fragment, { fields: [field] })
      const { value: batch } = await cells.batches().next()
      const data = batch?.columns[cells.columns.findIndex((one) => one.name === field)]
      if (!batch || !data) throw new Error(`no cells of ${field}`)
      const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
      const values = [1, 3, 5, 7].map((part) => cellBytes(data, Math.floor((batch.cell_num * part) / 8), size).slice())
      await cells.close()
      const nodes = values.map((value) => condition(field, 'EQ', value))
      for (const node of [...nodes, ...(['LT', 'GE', 'NE'] as const).map((op) => condition(field, op, values[2]))]) {
        const wanted = cellsThatMeet(all, node)
        expect(await readCells(opened, node)).toEqual(wanted)
        metNum += wanted.length
      }
    }
    expect(metNum).toBeGreaterThan(0)
  })
})

test('a tile with NaN is read: its minimum and maximum miss the cells before NaN', async () => {
  const opened = await madeArray({
    dimensions: [['t', 0, 9999, 1000]],
    attributes: { v: [] },
    capacity: 10n,
    // Stored of each tile but the last: minimum and maximum 5. Of the last one they are right.
    fragments: [
      { t: ints(40, (i) => i), v: floats(40, (i) => (i < 30 && i % 10 === 8 ? Number.NaN : i % 10 === 9 ? 5 : -i)) },
    ],
  })
  const below = condition('v', 'LT', new Uint8Array(Float64Array.of(-3).buffer))
  const wanted = cellsThatMeet(await readAll(opened), below)
  expect(wanted).toHaveLength(4 + 8 + 8 + 9)
  expect(await readCells(opened, below)).toEqual(wanted)
  const [{ fragment, info }] = opened.fragments
  const leaves = leafLevel(await fragment.rtree())
  const mayHold = await tileTest(fragment, info, condition('v', 'GT', new Uint8Array(Float64Array.of(6).buffer)), true)
  const tested = [0, 1, 2, 3].map((tile) => leaves && mayHold(tile, mbrAt(leaves, tile, info.schema.domain.dimensions)))
  expect(tested).toEqual([true, true, true, false])
})

/** Measured with TileDB 2.30: it compares texts for its minima only up to a zero byte, but for conditions whole. */
test('texts with zero bytes may lie outside the minimum and maximum of their tile', async () => {
  const opened = await madeArray({
    dimensions: [['t', 0, 9999, 1000]],
    attributes: { s: [] },
    capacity: 2n,
    fragments: [{ t: ints(6, (i) => i), s: ['a\0b', 'a\0c', 'a\0b', 'a\0a', 'b', 'c'] }],
  })
  for (const [text, count] of [
    ['a\0a', 1],
    ['a\0c', 1],
    ['c', 1],
  ] as const) {
    const equal = condition('s', 'EQ', Buffer.from(text))
    expect(await readCells(opened, equal)).toHaveLength(count)
  }
  const [{ fragment, info }] = opened.fragments
  const leaves = leafLevel(await fragment.rtree())
  const mayHold = await tileTest(fragment, info, condition('s', 'EQ', Buffer.from('d')), true)
  const tested = [0, 1, 2].map((tile) => leaves && mayHold(tile, mbrAt(leaves, tile, info.schema.domain.dimensions)))
  expect(tested).toEqual([true, true, false])
})

test('tiles that cannot hold a cell for the condition are not read', async () => {
  const storage = new CountedStorage(localFiles)
  const array = new InspectArray(new Folder(storage, `${FIXTURES}/22/rtree_levels`), contextFor({ key: undefined }))
  const opened = await openAt(array)
  const { domain } = opened.schema
  const [{ name }] = domain.dimensions
  const all = await readCells(opened, undefined)
  const whole = storage.of('.tdb').bytes
  const first = Uint8Array.from(Buffer.from(all[0].split(' ')[0], 'hex'))
  storage.reads.length = 0
  const some = await readCells(opened, condition(name, 'EQ', first))
  expect(some.length).toBeGreaterThan(0)
  expect(some.length).toBeLessThan(all.length / 10)
  expect(storage.of('.tdb').bytes).toBeLessThan(whole / 2)
})
