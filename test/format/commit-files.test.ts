import { describe, expect, test } from '@jest/globals'
import { lastPathPart } from '../../src/base/paths.ts'
import { parseConsolidatedCommits, parseLines } from '../../src/format/commit-files.ts'
import { bytes, textBytes, u64Bytes } from '../helpers/build-bytes.ts'
import { failure } from '../helpers/failure.ts'

const WRITE = '__commits/__1_1_0123456789abcdef0123456789abcdef_22.wrt'
const DELETE = '__commits/__2_2_0123456789abcdef0123456789abcdef_22.del'

describe('consolidated commits', () => {
  const tile = bytes([1, 0x0a, 3, 0x0a])
  const file = bytes(textBytes(`${WRITE}\n${DELETE}\n`), u64Bytes(tile.length), tile, textBytes(`${WRITE}\n`))

  test('are lines; a delete is followed by its whole tile, newlines in it included', () => {
    const tileAt = WRITE.length + DELETE.length + 2 + 8
    expect(parseConsolidatedCommits(file)).toEqual([
      { path: WRITE, offset: 0, tile: undefined },
      { path: DELETE, offset: WRITE.length + 1, tile: { offset: tileAt, length: tile.length } },
      { path: WRITE, offset: tileAt + tile.length, tile: undefined },
    ])
  })

  test('may lack the last newline, and be empty', () => {
    expect(parseConsolidatedCommits(textBytes(WRITE))).toEqual([{ path: WRITE, offset: 0, tile: undefined }])
    expect(parseConsolidatedCommits(new Uint8Array(0))).toEqual([])
    expect(parseConsolidatedCommits(textBytes('\n\n'))).toEqual([])
  })

  test('of an update hold its tile as well', () => {
    const update = '__commits/u_22.upd'
    expect(parseConsolidatedCommits(bytes(textBytes(`${update}\n`), u64Bytes(0)))).toEqual([
      { path: update, offset: 0, tile: { offset: update.length + 9, length: 0 } },
    ])
  })

  test('raise TRUNCATED wherever the tile of a delete ends early, and nothing else', () => {
    const start = WRITE.length + 1 + DELETE.length
    const end = start + 1 + 8 + tile.length
    for (let length = start; length < end; length++) {
      const error = failure(() => parseConsolidatedCommits(file.subarray(0, length)))
      expect(error.code).toBe('TRUNCATED')
      expect(error.at.offset).toBe(start + 1)
      expect(error.at.field).toBe(length < start + 9 ? 'tile_length' : 'tile')
    }
  })

  test('do not believe a length of 2^60 and more', () => {
    for (const length of [2n ** 60n, 2n ** 64n - 1n]) {
      const error = failure(() => parseConsolidatedCommits(bytes(textBytes(`${DELETE}\n`), u64Bytes(length), tile)))
      expect(error.message).toBe(`expected ${length} bytes, found ${tile.length}`)
    }
  })
})

describe('lists of a .vac or .ign file', () => {
  test('are lines with their offsets, empty ones too: TileDB refuses lists that have any', () => {
    expect(parseLines(textBytes('a\n\nbc\nd'))).toEqual([
      { text: 'a', offset: 0 },
      { text: '', offset: 2 },
      { text: 'bc', offset: 3 },
      { text: 'd', offset: 6 },
    ])
    expect(parseLines(new Uint8Array(0))).toEqual([])
  })

  test('name a fragment by the last part of a path or URI', () => {
    expect(lastPathPart('s3://bucket/array/__fragments/__1_1_x')).toBe('__1_1_x')
    expect(lastPathPart('file:///a/b/')).toBe('b')
    expect(lastPathPart('name')).toBe('name')
    expect(lastPathPart('')).toBe('')
  })
})
