import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openAnatomy } from '../src/anatomy/files.ts'
import { leafLevel, mbrAt, type RTreeLevel } from '../src/format/rtree.ts'
import type { TileMinMax } from '../src/format/tile-min-max.ts'
import { localFiles } from '../src/node/file.ts'
import { nodeCodecs } from '../src/node/node-codecs.ts'
import type { Fragment } from '../src/objects/fragment.ts'
import { readContext } from '../src/objects/read-context.ts'
import { closeTarget, openKnownFragment, openTarget } from '../src/objects/target.ts'
import { type TileBlock, type TileList, TileLists } from '../src/objects/tile-lists.ts'
import { nodeOfSteps, rootNode } from '../src/page/bytes/nodes.ts'
import { fragmentNames } from './helpers/fragments.ts'
import { run } from './helpers/run.ts'

const TILES = 20_000
/** Numbers that divide neither each other nor a chunk. */
const BLOCK = 777
/** INT32 x 3: cells of 12 bytes straddle the chunks of 64 KiB; words: var-sized and nullable. */
const FIELDS = '--attr triple:INT32:3 --attr word:STRING_ASCII:var:nullable --attr real:FLOAT32:nullable'

let folder = ''
let fragment: Fragment

beforeAll(async () => {
  folder = mkdtempSync(`${tmpdir()}/tile-lists-`)
  const args = `write-sample ${folder}/array --dim x:INT32:0..99999 --dim y:INT64:0..99999 ${FIELDS} --capacity 1`
  const { code, stderr } = await run(`${args} --cells ${TILES} --fragments 1`.split(' '))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [name] = fragmentNames(`${folder}/array`)
  fragment = await openKnownFragment(
    localFiles,
    `${folder}/array/__fragments/${name}`,
    readContext(nodeCodecs, undefined),
  )
})

afterAll(async () => {
  await fragment.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Entries of a list, from blocks that also go beyond its end. */
async function entriesOf<T, E>(
  list: TileList<T> | undefined,
  at: (block: T, index: number, count: number) => E,
): Promise<E[]> {
  expect(list).toBeDefined()
  expect(list?.whole).toBeUndefined()
  const out: E[] = []
  const { count = 0 } = list ?? {}
  for (let from = 0; from < count; from += BLOCK) {
    const block: TileBlock<T> | undefined = await list?.block(from, from + BLOCK)
    expect(block?.first).toBe(from)
    const length = Math.min(BLOCK, count - from)
    if (block) for (let i = 0; i < length; i++) out.push(at(block.entries, i, length))
  }
  list?.release()
  return out
}

/** The bytes of each minimum or maximum. */
function cellAt(cellSize: number | undefined): (values: TileMinMax, i: number, count: number) => string {
  return ({ fixed, variable }, i, count) => {
    if (cellSize !== undefined) return Buffer.from(fixed.subarray(i * cellSize, (i + 1) * cellSize)).toString('hex')
    const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.byteLength)
    const start = Number(view.getBigUint64(i * 8, true))
    const end = i + 1 < count ? Number(view.getBigUint64(i * 8 + 8, true)) : variable.length
    return Buffer.from(variable.subarray(start, end)).toString('hex')
  }
}

describe('lists of many tiles have the same entries in blocks and as a whole', () => {
  test.each([
    'tile_offsets',
    'tile_var_offsets',
    'tile_var_sizes',
    'tile_validity_offsets',
    'tile_null_counts',
  ] as const)('%s', async (name) => {
    const lists = new TileLists(fragment)
    const { slots } = await fragment.info()
    let paged = 0
    for (let slot = 0; slot < slots.length; slot++) {
      const whole = await fragment.offsets(name, slot)
      const list = await lists.offsets(name, slot)
      expect(list?.count).toBe(whole?.length)
      if (whole?.length !== TILES) continue
      paged++
      expect(await entriesOf(list, (values, i) => values[i])).toEqual([...whole])
    }
    expect(paged).toBeGreaterThan(0)
  })

  test.each(['min', 'max'] as const)('tile %s', async (which) => {
    const lists = new TileLists(fragment)
    const info = await fragment.info()
    let different = 0
    for (const name of ['triple', 'word', 'real']) {
      const slot = info.slots.findIndex((one) => one.name === name)
      const { varSized, cellSize: size } = info.slots[slot]
      const cellSize = varSized ? undefined : size
      const whole = await fragment.tileMinMax(which, slot)
      if (!whole || whole.fixed.length === 0) continue
      const at = cellAt(cellSize)
      const expected = Array.from({ length: TILES }, (_, i) => at(whole, i, TILES))
      expect(await entriesOf(await lists.minMax(which, slot, cellSize), at)).toEqual(expected)
      different = Math.max(different, new Set(expected).size)
    }
    expect(different).toBeGreaterThan(100)
  })

  test('sums', async () => {
    const lists = new TileLists(fragment)
    const slot = (await fragment.info()).slots.findIndex(({ name }) => name === 'real')
    const sum = (values: Uint8Array, i: number): string =>
      Buffer.from(values.subarray(i * 8, i * 8 + 8)).toString('hex')
    const whole = (await fragment.tileSums(slot)) ?? new Uint8Array(0)
    const expected = Array.from({ length: TILES }, (_, i) => sum(whole, i))
    expect(await entriesOf(await lists.sums(slot), sum)).toEqual(expected)
  })

  test('boxes', async () => {
    const lists = new TileLists(fragment)
    const { dimensions } = (await fragment.info()).schema.domain
    const leaves = leafLevel(await fragment.rtree())
    const box = (level: RTreeLevel, i: number): string =>
      mbrAt(level, i, dimensions)
        .map(({ min, max }) => `${Buffer.from(min).toString('hex')} ${Buffer.from(max).toString('hex')}`)
        .join()
    const expected = Array.from({ length: TILES }, (_, i) => leaves && box(leaves, i))
    expect(await entriesOf(await lists.boxes(), box)).toEqual(expected)
  })
})

test('reading the R-tree and its parts pauses between the chunks', async () => {
  let pauses = 0
  const pause = async (): Promise<void> => void pauses++
  const reading = { ...readContext(nodeCodecs, undefined), pause }
  const paused = await openKnownFragment(localFiles, fragment.folder.path, reading)
  expect(await paused.rtree()).toEqual(await fragment.rtree())
  await paused.close()
  // 24 bytes per tile in chunks of 64 KiB.
  const chunks = Math.floor((24 * TILES) / 65_536)
  expect(pauses).toBeGreaterThan(chunks)

  pauses = 0
  const file = await openTarget(localFiles, `${fragment.folder.path}/__fragment_metadata.tdb`, reading)
  if (file.type !== 'file') throw new Error(file.type)
  const { root, close } = await openAnatomy(file, { reading, style: { raw: false } })
  const node = await nodeOfSteps(rootNode(root), ['rtree', 'content', 'levels'])
  expect((await node.open()).length).toBeGreaterThan(1)
  await close()
  await closeTarget(file)
  expect(pauses).toBeGreaterThan(chunks)
})
