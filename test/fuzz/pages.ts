import { InspectError } from '../../src/base/errors.ts'
import { Pipeline } from '../../src/filters/pipeline.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../../src/format/generic-tile.ts'
import { decode, encode } from '../../src/format/io.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { openGenericTile } from '../../src/objects/generic-tile.ts'
import { openPagedTile } from '../../src/objects/paged-tile.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { bytes } from '../helpers/build-bytes.ts'
import type { Random } from '../helpers/random.ts'
import { sameBytes } from '../helpers/specimen.ts'
import { type Broken, broken } from './fuzzer.ts'
import { mutateBytes } from './mutations.ts'

const KEY = new Uint8Array(32).fill(7)
const FILE = { file: '', offset: 0 }

/** Reads a generic tile of several chunks, intact or mutated, in pages and at once. Both must give the same. */
export async function fuzzPages(random: Random): Promise<Broken | undefined> {
  const key = random.below(3) === 0 ? KEY : undefined
  const filters: FilterConfig[] = [{ name: 'GZIP', level: 5 }]
  if (key) filters.push({ name: 'AES_256_GCM' })
  const lengths = Array.from({ length: random.below(6) }, () => random.below(random.pick([2, 300])))
  const content = random.bytes(lengths.reduce((sum, length) => sum + length, 0))
  const type = { datatype: 'CHAR', cellSize: 1, formatVersion: 22, key } as const
  const pipeline = await Pipeline.load(filters, type, nodeCodecs)
  const randomBytes = (length: number): Uint8Array => random.bytes(length)
  const tile = decode(pipeline.forwardTile(content, lengths, { randomBytes }), tileChunks)
  const what = `${lengths.join(', ')} bytes${key ? ', encrypted' : ''}`
  try {
    if (random.below(4) === 0 && tile.chunks.length > 0) random.pick(tile.chunks).original_length += random.below(3) - 1
    const chunks = encode(tile, tileChunks)
    const header: GenericTileHeader = {
      format_version: 22,
      persisted_size: chunks.length,
      tile_size: content.length + (random.below(8) === 0 ? random.below(3) - 1 : 0),
      datatype: 'CHAR',
      cell_size: 1n,
      encryption_type: key ? 'AES_256_GCM' : 'NO_ENCRYPTION',
      filters: { max_chunk_size: 65536, filters },
    }
    let stored = bytes(encode(header, genericTileHeader), chunks)
    for (let left = random.below(3); left > 0; left--) stored = mutateBytes(random, stored, random.bytes(64))
    return await compared(random, stored, key, what)
  } catch (error) {
    return error instanceof InspectError || error instanceof TypeError ? undefined : broken(error, what)
  }
}

async function compared(
  random: Random,
  stored: Uint8Array,
  key: Uint8Array | undefined,
  what: string,
): Promise<Broken | undefined> {
  const section = {
    end: stored.length,
    window: random.pick([1, 50, 1e6]),
    read: async (offset: number, length: number) => stored.subarray(offset, offset + length),
  }
  const whole = await openGenericTile(stored, readContext(nodeCodecs, key), FILE).catch(refused)
  const paged = await openPagedTile(section, 0, readContext(nodeCodecs, key)).catch(refused)
  if (!whole !== !paged) return { law: whole ? 'pages are refused' : 'only in pages it is read', what }
  if (!whole || !paged) return undefined
  const { payload } = whole
  if (paged.length !== payload.length) return { law: `${paged.length} bytes in pages, ${payload.length} at once`, what }
  const cursor = paged.cursor()
  for (let left = 4; left > 0; left--) {
    const start = random.below(payload.length + 1)
    const end = start + random.below(payload.length - start + 1)
    if (!sameBytes(await cursor.bytes(start, end), payload.subarray(start, end)))
      return { law: `other bytes from ${start} to ${end}`, what }
  }
  return undefined
}

function refused(error: unknown): undefined {
  if (!(error instanceof InspectError)) throw error
}
