import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { childList, lazyChildren, type Part, type Space } from '../../src/anatomy/part.ts'
import { chainTo } from '../../src/anatomy/path.ts'
import { InspectError } from '../../src/base/errors.ts'
import { deleteCondition } from '../../src/format/delete-condition.ts'
import { localFiles } from '../../src/node/file.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { hexView } from '../../src/render/views/hex.ts'
import type { ByteSource, Storage } from '../../src/storage/source.ts'
import { textBytes } from '../helpers/build-bytes.ts'
import { contextFor, fixtureFolders } from '../helpers/fixtures.ts'
import { genericTileBytes } from '../helpers/generic-tile-bytes.ts'
import { Random } from '../helpers/random.ts'
import { turnOf } from '../helpers/turn.ts'
import { dissect, filePaths } from './anatomy.ts'

/** A storage in which one file has the given bytes. */
function withFile(path: string, bytes: Uint8Array): Storage {
  const source: ByteSource = {
    name: path,
    size: async () => bytes.length,
    close: async () => {},
    async read(offset, length) {
      if (offset + length > bytes.length)
        throw new InspectError('TRUNCATED', 'read behind the end', { file: path, offset })
      return bytes.subarray(offset, offset + length)
    },
  }
  return {
    kind: (at) => localFiles.kind(at),
    list: (at) => localFiles.list(at),
    open: (at) => (at === path ? source : localFiles.open(at)),
  }
}

function changed(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length)
  const kind = random.below(4)
  if (kind === 0) return bytes.subarray(0, at)
  const out = Uint8Array.from(bytes)
  if (kind === 1) out[at] ^= 1 << random.below(8)
  if (kind === 2) out.fill(0xff, at, at + 8)
  if (kind === 3) out.set(random.bytes(Math.min(8, bytes.length - at)), at)
  return out
}

describe('damaged files', () => {
  test('are told to the last byte, each byte once, whatever was changed', async () => {
    const folders = fixtureFolders()
    for (const i of turnOf(400, 10)) {
      const random = new Random(20_240_501 + i)
      const folder = random.pick(folders)
      const path = random.pick(filePaths(folder.path))
      const bytes = readFileSync(path)
      if (bytes.length === 0) continue
      const { coverage } = await dissect(path, contextFor(folder), withFile(path, changed(bytes, random)))
      expect([i, path, coverage]).toEqual([i, path, undefined])
    }
  })
})

test.each([
  ['falls', [2, 0]],
  ['lies beyond the value', [0, 2 ** 40]],
  ['leaves bytes before the first', [1, 2]],
  ['is missing', []],
])('of a set in a delete condition whose start of a member %s, every byte is told', async (_, starts) => {
  const folder = fixtureFolders().find(({ name }) => name === '22/deletes')
  if (!folder) throw new Error('no such fixture')
  const path = filePaths(folder.path).find((one) => one.endsWith('.del')) ?? ''
  const condition = { node: 'value', op: 'NOT_IN', field: 's', value: textBytes('abxyz') } as const
  const bytes = genericTileBytes({ ...condition, offsets: Float64Array.from(starts) }, deleteCondition)
  const { coverage } = await dissect(path, contextFor(folder), withFile(path, bytes))
  expect(coverage).toBeUndefined()
})

const GIB = 2 ** 30

/** The space of a file in which each byte is the lowest byte of its offset. */
function countingSpace(length: number, reads: number[]): Space {
  return {
    file: 'counting',
    reading: readContext(nodeCodecs),
    style: { raw: false },
    name: undefined,
    length,
    async read(offset, count) {
      reads.push(offset)
      return Uint8Array.from({ length: count }, (_, i) => (offset + i) & 0xff)
    },
  }
}

describe('large files', () => {
  const shown = async (
    part: Part,
    options: { full?: boolean; range?: { from: number; to: number } },
  ): Promise<string> => {
    const pieces: string[] = []
    const decoder = new TextDecoder()
    await hexView(
      [part],
      { range: options.range, onFault: () => {} },
      {
        write: (piece) => void pieces.push(typeof piece === 'string' ? piece : decoder.decode(piece)),
        columns: 80,
        color: false,
        full: options.full,
      },
    )
    return pieces.join('')
  }

  test('beyond 4 GiB have all digits of their offsets, and only what is shown is read', async () => {
    const reads: number[] = []
    const space = countingSpace(5 * GIB, reads)
    const part: Part = { name: 'data', type: 'bytes', space, offset: 0, length: 5 * GIB }
    const all = await shown(part, {})
    expect(all).toMatch(/^ 000000000 {2}00 01 02/m)
    expect(all).toMatch(/^ 13ffffff0 {2}f0 f1 f2/m)
    expect(all).toMatch(/5,368,709,056 bytes more of data/)
    const ranged = await shown(part, { range: { from: 4 * GIB + 5, to: 4 * GIB + 6 } })
    expect(ranged).toMatch(/^ 100000000 {2} {15}05 06 /m)
    expect(reads.length).toBeLessThan(8)
  })

  test('of a million parts make only those that are shown', async () => {
    const space = countingSpace(16_000_000, [])
    const made: number[] = []
    const list: Part = {
      name: 'tiles',
      type: 'list',
      space,
      offset: 0,
      length: 16_000_000,
      children: async () =>
        lazyChildren(
          1_000_000,
          (index) => index * 16,
          (index) => {
            made.push(index)
            return { name: String(index), type: 'tile', space, offset: index * 16, length: 16 }
          },
        ),
    }
    const root: Part = { ...list, name: 'file', type: 'file', children: async () => childList([list]) }
    expect(await shown(root, {})).toMatch(/999,993 of tiles, \[6\.\.999998\]/)
    expect(made.length).toBeLessThan(12)
    made.length = 0
    const chain = await chainTo(root, 8_000_003)
    expect(chain.map(({ name }) => name)).toEqual(['file', 'tiles', '500000'])
    expect(made).toEqual([500_000])
  })
})
