import { describe, expect, test } from '@jest/globals'
import type { InspectError } from '../../src/base/errors.ts'
import type { CellBatch, ColumnType } from '../../src/cells/column.ts'
import { type CellSelection, FragmentCells } from '../../src/cells/fragment-cells.ts'
import { type TileUnitRunner, tileUnitWorker } from '../../src/cells/tile-units.ts'
import { localFiles } from '../../src/node/file.ts'
import type { Fragment } from '../../src/objects/fragment.ts'
import { openTarget } from '../../src/objects/target.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/source.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor, type FixtureFolder, fixtureFolders } from '../helpers/fixtures.ts'
import { turn } from '../helpers/turn.ts'

/** Runs every other unit like another thread: with nothing open, and with transferred memory. */
function everyOther(storage: Storage, key: string | undefined, unitBytes: number, count: { elsewhere: number }) {
  const runner: TileUnitRunner = {
    worthBytes: 0,
    largestTile: 2 ** 24,
    unitBytes,
    async *run(units, own) {
      const other = tileUnitWorker(storage, contextFor({ key }))
      let index = 0
      for (const unit of units) {
        if (index++ % 2 === 1) yield await own(unit)
        else {
          count.elsewhere++
          const there = structuredClone(unit, { transfer: unit.room ? [unit.room] : [] })
          const done = await other(there)
          yield structuredClone(done, { transfer: [done.room] })
        }
      }
    },
  }
  return runner
}

function copied(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

function look({ tile, cell_num, rows, columns }: CellBatch): unknown {
  const copies = columns.map((column) => [copied(column?.data), column?.starts?.slice(), copied(column?.validity)])
  return { tile, cell_num, rows: rows?.slice(), copies }
}

/** The content of every tile of a fragment, taken before the next tile is read, and the errors. */
async function cellsOf(fragment: Fragment, selection: CellSelection): Promise<unknown[]> {
  const found: unknown[] = []
  const onColumnError = ({ code, message, at }: InspectError, column: ColumnType, tile: number): void => {
    found.push({ code, message, at, name: column.name, tile })
  }
  const cells = await FragmentCells.open(fragment, { onColumnError, ...selection })
  for await (const batch of cells.batches()) found.push(look(batch))
  await cells.close()
  return found
}

/** Each fragment's cells, read by this thread alone and by several threads. */
async function both(
  storage: Storage,
  path: string,
  key: string | undefined,
  unitBytes: number,
): Promise<{ alone: unknown[]; shared: unknown[]; reused: unknown[]; elsewhere: number }> {
  const target = await openTarget(storage, path, contextFor({ key }))
  if (target.type !== 'array') throw new Error(`expected an array at ${path}`)
  const [alone, shared, reused]: unknown[][] = [[], [], []]
  const count = { elsewhere: 0 }
  for (const entry of await target.array.fragments()) {
    const fragment = target.array.fragment(entry.path)
    const threads = everyOther(storage, key, unitBytes, count)
    alone.push(...(await cellsOf(fragment, {})))
    shared.push(...(await cellsOf(fragment, { threads })))
    reused.push(...(await cellsOf(fragment, { threads, reuse: true })))
    await fragment.close()
  }
  return { alone, shared, reused, elsewhere: count.elsewhere }
}

async function isArray({ path, key }: FixtureFolder): Promise<boolean> {
  return (await openTarget(localFiles, path, contextFor({ key }))).type === 'array'
}

describe('tiles unfiltered on several threads', () => {
  const all = fixtureFolders()
  const folders = turn(all, 12)

  test.each([1, 500, 2 ** 20])('give the same cells in every fixture, %i bytes per unit', async (unitBytes) => {
    let elsewhere = 0
    for (const folder of folders) {
      if (!(await isArray(folder))) continue
      const found = await both(localFiles, folder.path, folder.key, unitBytes)
      expect({ name: folder.name, cells: found.shared }).toEqual({ name: folder.name, cells: found.alone })
      expect({ name: folder.name, cells: found.reused }).toEqual({ name: folder.name, cells: found.alone })
      elsewhere += found.elsewhere
    }
    expect(elsewhere).toBeGreaterThan(folders.length / 4)
  })

  test('are read on this thread if another thread cannot read them', async () => {
    const [folder] = all.filter(({ name }) => name.includes('dense_basic'))
    const count = { elsewhere: 0 }
    const threads = everyOther(new MemoryStorage(new Map()), folder.key, 1, count)
    const target = await openTarget(localFiles, folder.path, contextFor(folder))
    if (target.type !== 'array') throw new Error(`expected an array at ${folder.path}`)
    for (const entry of await target.array.fragments()) {
      const fragment = target.array.fragment(entry.path)
      expect(await cellsOf(fragment, { threads })).toEqual(await cellsOf(fragment, {}))
      await fragment.close()
    }
    expect(count.elsewhere).toBeGreaterThan(0)
  })

  test('give the same errors for tiles that cannot be read', async () => {
    let faults = 0
    for (const folder of folders) {
      if (!(await isArray(folder))) continue
      const files = filesBelow(folder.path, EDITED)
      for (const [name, bytes] of files) {
        const damaged = bytes.slice()
        if (/\/[ad]\d?[^/]*\.tdb$/.test(name)) for (let at = 40; at < damaged.length; at += 97) damaged[at] ^= 0x10
        files.set(name, damaged)
      }
      const { alone, shared, reused } = await both(new MemoryStorage(files), EDITED, folder.key, 300)
      expect({ name: folder.name, cells: shared }).toEqual({ name: folder.name, cells: alone })
      expect({ name: folder.name, cells: reused }).toEqual({ name: folder.name, cells: alone })
      faults += alone.filter((one) => typeof one === 'object' && one !== null && 'code' in one).length
    }
    expect(faults).toBeGreaterThan(folders.length / 4)
  })
})
