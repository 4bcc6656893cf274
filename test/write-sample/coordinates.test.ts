import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, expect, test } from '@jest/globals'
import { Pipeline } from '../../src/filters/pipeline.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const folder = mkdtempSync(`${tmpdir()}/tiledb-inspect-coordinates-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

for (const [cell_order, type] of [
  ['row-major', 'FLOAT64'],
  ['col-major', 'FLOAT32'],
  ['hilbert', 'FLOAT64'],
] as const) {
  test(`NaN coordinates come last and stay out of boxes: ${cell_order}, ${type}`, async () => {
    const name = `${folder}/${cell_order}`
    const schema = {
      array_type: 'sparse',
      cell_order,
      capacity: 3,
      allows_duplicates: true,
      dimensions: [{ name: 'x', type, domain: [-100, 100], tile_extent: 10 }],
      attributes: [{ name: 'a', type: 'INT32' }],
    }
    const coordinates = ['NaN', 5, 'NaN:0x', -3, 50, 7, -99]
    const odd = type === 'FLOAT32' ? 'ffc00000' : 'fff8000000000000'
    writeFileSync(`${name}.json`, JSON.stringify(schema))
    writeFileSync(
      `${name}.ndjson`,
      coordinates.map((x, a) => JSON.stringify({ x: x === 'NaN:0x' ? x + odd : x, a })).join('\n'),
    )
    const { code } = await run(['write-sample', name, '--schema', `${name}.json`, '--data', `${name}.ndjson`])
    expect(code).toBe(0)
    const fragment = firstFragment(name)
    const { text } = await run(['decode', fragment, '--format', 'ndjson', '--field', 'a'])
    const order = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).a)
    expect(order).toEqual([6, 3, 1, 5, 4, 0, 2])
    const { levels } = JSON.parse((await run(['rtree', fragment, '--json'])).text)
    expect(levels).toEqual([[[[-99, 50]]], [[[-99, 5]], [[7, 50]], [['NaN', 'NaN']]]])
  })
}

test('a chunk of nothing behind a filter that leaves nothing of it has no part that a checksum could lose', async () => {
  const pipeline = async (...names: FilterConfig['name'][]) =>
    Pipeline.load(
      names.map((name) => ({ name })),
      { datatype: 'INT32', cellSize: 4, formatVersion: 22 },
      nodeCodecs,
    )
  for (const first of ['BYTESHUFFLE', 'BITSHUFFLE', 'RLE', 'XOR'] as const) {
    for (const last of ['CHECKSUM_MD5', 'CHECKSUM_SHA256', 'RLE'] as const) {
      const filters = await pipeline(first, last)
      const tile = Buffer.from(filters.forwardTile(new Uint8Array(0), [0]))
      // One chunk; bytes before filtering, after filtering, of metadata; 1 part of metadata, 0 parts of data.
      expect(tile.readBigUInt64LE(0)).toBe(1n)
      expect([tile.readUInt32LE(20), tile.readUInt32LE(24)]).toEqual([1, 0])
      expect(filters.reverseTile(tile).data).toHaveLength(0)
    }
  }
  // If TileDB can read what it writes, the bytes are the same as its own: one empty part.
  const tile = Buffer.from((await pipeline('BYTESHUFFLE')).forwardTile(new Uint8Array(0), [0]))
  expect(tile.subarray(20).toString('hex')).toBe('0100000000000000')
})
