import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { openAnatomy } from '../../src/anatomy/files.ts'
import type { Part, Space } from '../../src/anatomy/part.ts'
import { InspectError } from '../../src/base/errors.ts'
import { localFiles } from '../../src/node/file.ts'
import { closeTarget, openTarget } from '../../src/objects/target.ts'
import { type Node, nodeAt, nodeOfSteps, openNodeAt, rootNode, rowsOf } from '../../src/page/bytes/nodes.ts'
import { SpacePages } from '../../src/page/bytes/pages.ts'
import { findBytes, findFields, type Match, parseHex, SLICE_BYTES } from '../../src/page/bytes/search.ts'
import type { Storage } from '../../src/storage/source.ts'
import { filePaths } from '../anatomy/anatomy.ts'
import { CountedStorage } from '../helpers/counted-storage.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { runJson } from '../helpers/run.ts'

/** The tree, bytes and searches of a file, without a browser. */

async function withRoot<T>(path: string, work: (root: Node) => Promise<T>, storage: Storage = localFiles): Promise<T> {
  const reading = { ...contextFor({ key: undefined }), onFault: () => {} }
  const target = await openTarget(storage, path, reading)
  if (target.type !== 'file') throw new Error(`${path} is a ${target.type}`)
  const { root, close } = await openAnatomy(target, { reading, style: { raw: false } })
  try {
    return await work(rootNode(root))
  } finally {
    await close()
    await closeTarget(target)
  }
}

describe('the tree', () => {
  /** All nodes in the form of `dump --json`: without groups, and with unnamed values in a list. */
  async function nodesBelow(node: Node): Promise<unknown> {
    const { name, type, offset, length, space, verdict, fault, elements } = node.part
    const isNamed = elements?.names !== undefined || elements?.note !== undefined
    const kids = !node.canOpen || (elements && !isNamed) ? [] : await flat(await node.open())
    return [name, type, offset, length, space.name, verdict, fault?.code, await Promise.all(kids.map(nodesBelow))]
  }
  async function flat(nodes: readonly Node[]): Promise<Node[]> {
    const inside = await Promise.all(nodes.map(async (one) => (one.group ? flat(await one.open()) : [one])))
    return inside.flat()
  }
  const numberOf = (value: Json | undefined): number => Number(value)
  function dumped(node: Json): unknown {
    const [name, type, space, verdict] = ['name', 'type', 'space', 'verdict'].map((key) => get(node, key))
    const code = get(get(node, 'error'), 'code')
    const kids = items(get(node, 'children') ?? []).map(dumped)
    return [name, type, numberOf(get(node, 'offset')), numberOf(get(node, 'length')), space, verdict, code, kids]
  }

  const damaged = `${temporaryFolder()}/damaged`
  cpSync(`${FIXTURES}/22/filter_zstd`, damaged, { recursive: true })
  const file = `${firstFragment(damaged)}/a0.tdb`
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1] ^= 0x10
  writeFileSync(file, bytes)
  const old = `${FIXTURES}/1/${readdirSync(`${FIXTURES}/1`).find((name) => !name.includes('.'))}`

  const arrays = [`${FIXTURES}/22/dense_basic`, `${FIXTURES}/22/string_dims_2d`, `${FIXTURES}/22/deletes`, old, damaged]
  test.each(arrays)('of %s is what dump prints', async (array) => {
    let faults = 0
    for (const path of filePaths(array)) {
      const { documents } = await runJson(['dump', path])
      const shown = await withRoot(path, nodesBelow)
      expect(shown).toEqual(dumped(documents[0]))
      if (JSON.stringify(shown).includes('BAD_') || JSON.stringify(shown).includes('invalid')) faults++
    }
    expect(faults > 0).toBe(array === damaged)
  })

  test('leads from a byte to the smallest field, and from the path back', async () => {
    const path = `${firstFragment(`${FIXTURES}/22/dense_basic`)}/__fragment_metadata.tdb`
    await withRoot(path, async (root) => {
      for (const offset of [0, 60, root.part.length - 1]) {
        const node = await nodeAt(root, offset)
        const { documents } = await runJson(['at', '--no-flips', path, String(offset)])
        const chain = items(get(documents[0], 'chain') ?? [])
        expect(node.steps).toEqual(chain.slice(1).map((link) => get(link, 'name')))
        expect(await nodeOfSteps(root, node.steps)).toBe(node)
        expect(openNodeAt(root, offset)).toBe(node)
        expect(rowsOf(root)).toContain(node)
      }
    })
  })

  test('keeps an error with the part that cannot be opened, and opens anew what was closed', async () => {
    let reads = 0
    const space = { length: 8, read: async () => new Uint8Array(8) } as unknown as Space
    const leaf = { name: 'leaf', type: 'uint64', offset: 0, length: 8, space } as Part
    const children = async () => {
      if (reads++ === 0) throw new InspectError('TRUNCATED', 'expected 8 bytes, found 7')
      return { count: 1, at: () => leaf, find: () => 0 }
    }
    const root = rootNode({ name: 'file', type: 'tile', offset: 0, length: 8, space, children } as unknown as Part)
    expect(await root.open()).toEqual([])
    expect(root.error).toMatchObject({ code: 'TRUNCATED' })
    root.close()
    expect([root.error, root.kids, rowsOf(root)]).toEqual([undefined, undefined, [root]])
    expect((await root.open()).map(({ part }) => part.name)).toEqual(['leaf'])
    expect(rowsOf(root)).toHaveLength(2)
  })

  test('opens what is below filters into a space of its own', async () => {
    const path = `${firstFragment(`${FIXTURES}/22/filter_zstd`)}/a0.tdb`
    await withRoot(path, async (root) => {
      const content = await nodeOfSteps(root, ['tiles', '0', 'content'])
      expect(content.top).toBe(content)
      expect(content.space.name).toContain('unfiltered content')
      const value = await nodeAt(content, 0)
      expect(value.steps).toEqual(['tiles', '0', 'content', '0'])
      expect(await new SpacePages(content.space).load(0, 10)).toBe(true)
    })
  })

  test('of a list of a million holds few nodes', async () => {
    const space = { length: 1_250_000, name: undefined } as Space
    let made = 0
    const at = (index: number): Part => {
      made++
      return { name: String(index), type: 'tile', space, offset: index, length: 1 }
    }
    const list = { count: 1_250_000, at, find: (offset: number) => offset }
    const root = rootNode({
      name: 'tiles',
      type: 'list',
      space,
      offset: 0,
      length: list.count,
      children: async () => list,
    })
    const node = await nodeAt(root, 1_249_999)
    expect(node.steps).toEqual(['1249999'])
    expect(made).toBeLessThanOrEqual(100)
    expect(rowsOf(root).length).toBeLessThan(400)
    expect(openNodeAt(root, 1_249_999)).toBe(node)
  })
})

describe('a long file', () => {
  const array = `${temporaryFolder()}/long`
  cpSync(`${FIXTURES}/22/filter_zstd`, array, { recursive: true })
  const file = `${firstFragment(array)}/a0.tdb`
  const SIZE = 100 * 2 ** 30
  truncateSync(file, SIZE)

  test('of 100 GB opens with few reads, and reads what is in sight', async () => {
    const storage = new CountedStorage(localFiles)
    await withRoot(
      file,
      async (root) => {
        await root.open()
        await nodeAt(root, 0)
        const pages = new SpacePages(root.space)
        for (const at of [0, SIZE / 2, SIZE - 1000]) {
          await pages.load(at, at + 1000)
          expect(pages.at(at)).toBeDefined()
          expect((await nodeAt(root, at)).to).toBeGreaterThan(at)
        }
        expect(pages.at(SIZE - 1)).toBe(0)
      },
      storage,
    )
    expect(storage.reads.length).toBeGreaterThan(0)
    expect(storage.reads.length).toBeLessThanOrEqual(20)
    expect(storage.reads.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(2 ** 20)
  })
})

describe('the search', () => {
  const spaceOf = (bytes: Uint8Array): Space =>
    ({ length: bytes.length, read: async (at: number, count: number) => bytes.subarray(at, at + count) }) as Space
  async function all(matches: AsyncIterable<Match>): Promise<Match[]> {
    const found: Match[] = []
    for await (const match of matches) found.push(match)
    return found
  }

  test('finds bytes in a slice, across the border of slices, and at the end', async () => {
    const bytes = new Uint8Array(2 * SLICE_BYTES + 10)
    const places = [5, SLICE_BYTES - 2, SLICE_BYTES, 2 * SLICE_BYTES - 1, bytes.length - 3]
    for (const at of places) bytes.set([1, 2, 3], at)
    // The third place wrote over the second, which is set again.
    bytes.set([1, 2, 3], SLICE_BYTES - 2)
    const done: number[] = []
    const found = await all(findBytes(spaceOf(bytes), Uint8Array.of(1, 2, 3), (at) => done.push(at)))
    expect(found.map((one) => 'from' in one && one.from)).toEqual([
      5,
      SLICE_BYTES - 2,
      2 * SLICE_BYTES - 1,
      bytes.length - 3,
    ])
    expect(done).toEqual([SLICE_BYTES, 2 * SLICE_BYTES, bytes.length])
  })

  test('finds places that overlap, each once', async () => {
    const bytes = new Uint8Array(SLICE_BYTES + 1)
    bytes.fill(7, SLICE_BYTES - 2)
    const found = await all(findBytes(spaceOf(bytes), Uint8Array.of(7, 7)))
    expect(found).toEqual([
      { from: SLICE_BYTES - 2, to: SLICE_BYTES },
      { from: SLICE_BYTES - 1, to: SLICE_BYTES + 1 },
    ])
  })

  test('finds fields by a part of their path, also below filters', async () => {
    const path = `${firstFragment(`${FIXTURES}/22/dense_basic`)}/__fragment_metadata.tdb`
    const found = await withRoot(path, ({ part }) => all(findFields(part, 'FOOTER.version')))
    expect(found).toEqual([{ steps: ['footer', 'version'] }])
    const below = await withRoot(path, ({ part }) => all(findFields(part, 'content')))
    expect(below.length).toBeGreaterThan(1)
  })

  test('takes hexadecimal with or without spaces', () => {
    expect(parseHex('0xff 00:1A')).toEqual(Uint8Array.of(255, 0, 26))
    expect(['', 'f', 'xyz'].map(parseHex)).toEqual([undefined, undefined, undefined])
  })
})
