import { deflateSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { u32Bytes, u64Bytes } from '../../src/damage/bytes.ts'
import { genericTileHeader } from '../../src/format/generic-tile.ts'
import { encode } from '../../src/format/io.ts'
import { bytes } from '../helpers/build-bytes.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

/** What of a chunk's stored bytes: through so many layers of gzip, each behind the other. */
function chunk(content: Uint8Array, layers: number): Uint8Array {
  let metadata: Uint8Array[] = []
  let data: Uint8Array[] = [content]
  for (let layer = 0; layer < layers; layer++) {
    const parts = [...metadata, ...data]
    const stored = parts.map((part) => new Uint8Array(deflateSync(part)))
    const lengths = parts.flatMap((part, i) => [...u32Bytes(part.length), ...u32Bytes(stored[i].length)])
    metadata = [bytes(u32Bytes(metadata.length), u32Bytes(data.length), lengths)]
    data = [concat(stored)]
  }
  const [m, d] = [concat(metadata), concat(data)]
  return bytes(u32Bytes(content.length), u32Bytes(d.length), u32Bytes(m.length), m, d)
}

/** A generic tile of equal chunks. */
function tile(one: Uint8Array, size: number, count: number, layers: number): Uint8Array {
  const chunks = bytes(u64Bytes(count), concat(Array.from({ length: count }, () => one)))
  const header = encode(
    {
      format_version: 22,
      persisted_size: chunks.length,
      tile_size: size * count,
      datatype: 'CHAR',
      cell_size: 1n,
      encryption_type: 'NO_ENCRYPTION',
      filters: {
        max_chunk_size: 65536,
        filters: Array.from({ length: layers }, () => ({ name: 'GZIP' as const, level: -1 })),
      },
    },
    genericTileHeader,
  )
  return bytes(header, chunks)
}

const ZEROS = new Uint8Array(2 ** 26)
const HOSTILE: Readonly<Record<string, () => Uint8Array>> = {
  'gzip in gzip': () => tile(chunk(ZEROS, 2), ZEROS.length, 8, 2),
  'gzip in gzip in gzip': () => tile(chunk(ZEROS, 3), ZEROS.length, 24, 3),
  'two thousand chunks': () => tile(chunk(ZEROS.subarray(0, 2 ** 20), 2), 2 ** 20, 2000, 2),
  'two hundred thousand chunks of one byte': () => tile(chunk(ZEROS.subarray(0, 1), 1), 1, 200_000, 1),
  'two hundred thousand empty chunks': () => tile(chunk(ZEROS.subarray(0, 0), 0), 0, 200_000, 0),
}

const PLACES: Readonly<Record<string, [fixture: string, file: RegExp]>> = {
  'a schema': ['22/sparse_basic', /\/__schema\/__\d/],
  'key-value metadata': ['22/metadata', /\/__meta\/__\d/],
  'an enumeration': ['22/enumerations', /\/__enumerations\/__/],
  'a delete condition': ['22/deletes', /\.del$/],
  'consolidated fragment metadata': ['22/dense_fragment_metadata_consolidated', /\.meta$/],
}

const COMMANDS = [
  ['check'],
  ['verify-checksums', '--deep'],
  ['schema', '--all'],
  ['commits'],
  ['metadata'],
  ['ls'],
  ['stats'],
]

/** Milliseconds and bytes, while other tests run beside this one. */
const LONGEST = 15_000
const MOST = 400 * 2 ** 20

describe.each(Object.keys(HOSTILE))('%s', (hostile) => {
  const content = HOSTILE[hostile]()

  test.each(shortTurn(Object.keys(PLACES), 5))(
    'in the place of %s is refused at once, and what raises the bound is named',
    async (place) => {
      const [fixture, file] = PLACES[place]
      const array = new EditedArray(fixture)
      const path = array.first(file)
      array.files.set(path, content)
      let named = false
      for (const call of [
        ...COMMANDS.map(([command, ...rest]) => [command, EDITED, ...rest]),
        ['dump', path],
        ['at', path, '60'],
      ]) {
        const start = performance.now()
        const before = process.memoryUsage().rss
        const { code, stderr, text } = await run([...call, '--json'], { storage: array.storage() })
        expect([call, performance.now() - start < LONGEST]).toEqual([call, true])
        expect([call, process.memoryUsage().rss - before < MOST]).toEqual([call, true])
        expect(stderr + text).not.toMatch(/fault of tiledb-inspect/)
        if (code !== 0) expect([call, code]).toEqual([call, expect.any(Number)])
        named ||= /--memory/.test(stderr)
      }
      expect(named).toBe(true)
    },
  )
})

test('at tries no flips of metadata that unfolds to much, and says so', async () => {
  const array = new EditedArray('22/metadata')
  const path = array.first(/\/__meta\/__\d/)
  const at = async (size: number) => {
    array.files.set(path, tile(chunk(ZEROS.subarray(0, size), 1), size, 1, 1))
    return runJson(['at', path, '60'], { storage: array.storage() })
  }
  const { documents } = await at(40 * 2 ** 20)
  expect(documents[0]).toMatchObject({
    detected_by: null,
    detected_in: null,
    not_tried: 'the tile unfolds to 41943040 bytes, more than 16777216',
  })
  const { text } = await run(['at', path, '60'], { storage: array.storage() })
  expect(text).toMatch(/a flip here is noticed by\s+not known: the tile unfolds/)
  expect((await at(1000)).documents[0]).not.toHaveProperty('not_tried')
})
