import { InspectError } from '../../src/errors.ts'
import { concat } from '../../src/filters/bytes.ts'
import { Pipeline, type TileType } from '../../src/filters/pipeline.ts'
import { DATATYPES, datatypeSize } from '../../src/format/datatype.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { FILTER_TYPES, type FilterType, isCompressor } from '../../src/format/filter-type.ts'
import { nodeCodecs } from '../../src/source/node-codecs.ts'
import type { Random } from '../helpers/random.ts'
import { mutateBytes } from './mutations.ts'

const NAMES = Object.keys(FILTER_TYPES) as FilterType[]
const KEY = new Uint8Array(32).fill(7)
/** No tile of a fuzz case is larger unfiltered. */
const MOST_BYTES = 1 << 20

function config(random: Random, name: FilterType): FilterConfig {
  if (isCompressor(name))
    return { name, level: -1, reinterpret_datatype: random.below(2) === 0 ? 'ANY' : random.pick(DATATYPES) }
  if (name === 'BIT_WIDTH_REDUCTION' || name === 'POSITIVE_DELTA')
    return { name, max_window_size: random.pick([0, 1, 8, 256]) }
  if (name === 'SCALE_FLOAT')
    return { name, scale: random.pick([0, 0.5, 1]), offset: 1, byte_width: random.pick([0, 1, 2, 3, 4, 8]) }
  if (name === 'WEBP') {
    const format = random.pick(['NONE', 'RGB', 'BGR', 'RGBA', 'BGRA'] as const)
    return {
      name,
      quality: 90,
      format,
      lossless: true,
      y_extent: 1 + random.below(8),
      x_extent: 3 * (1 + random.below(8)),
    }
  }
  return { name }
}

/** One to three filters over bytes they wrote and that were mutated, or over nothing but noise. @returns a broken law */
export async function fuzzFilter(random: Random): Promise<string | undefined> {
  const filters = Array.from({ length: 1 + random.below(3) }, () => config(random, random.pick(NAMES)))
  const datatype = random.pick(DATATYPES)
  const tile: TileType = {
    datatype,
    cellSize: datatypeSize(datatype),
    formatVersion: 1 + random.below(23),
    key: KEY,
    stringOffsets: random.below(6) === 0,
  }
  const what = filters.map(({ name }) => name).join(', ')
  try {
    const pipeline = await Pipeline.load(filters, tile, nodeCodecs)
    const data = random.integers(datatypeSize(datatype), random.below(64))
    let stored = random.bytes(8 + random.below(200))
    try {
      stored = pipeline.forwardTile(data, [data.length], { randomBytes: (length) => random.bytes(length) })
    } catch (error) {
      // Writing may refuse what it cannot filter; reading is what is tried here.
      if (!(error instanceof InspectError) && !tile.stringOffsets) throw error
    }
    for (let left = random.below(3); left >= 0; left--) stored = mutateBytes(random, stored, random.bytes(64))
    // What a chunk claims to be is bounded by its tile's size, as in a fragment.
    const { data: out } = pipeline.reverseTile(framed(stored), { onVerdict: () => {} })
    if (out.length > MOST_BYTES * 64) return `${what}: ${out.length} bytes from ${stored.length}`
    return undefined
  } catch (error) {
    if (error instanceof InspectError) return undefined
    return `${what} (${datatype}): ${error instanceof Error ? error.stack?.split('\n').slice(0, 3).join(' ') : String(error)}`
  }
}

/** Caps the length that the first chunk claims. */
function framed(stored: Uint8Array): Uint8Array {
  if (stored.length < 12) return stored
  const out = concat([stored])
  const view = new DataView(out.buffer, out.byteOffset)
  if (view.getUint32(8, true) > MOST_BYTES) view.setUint32(8, view.getUint32(8, true) % MOST_BYTES, true)
  return out
}
