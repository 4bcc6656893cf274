import { concat } from '../../src/base/bytes.ts'
import type { TileRole } from '../../src/cells/tile-files.ts'
import { Pipeline } from '../../src/filters/pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../../src/format/generic-tile.ts'
import { decodePrefix, encode } from '../../src/format/io.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { openGenericTile } from '../../src/objects/generic-tile.ts'
import type { EditedArray } from '../helpers/edit-array.ts'
import { contextFor } from '../helpers/fixtures.ts'
import type { Random } from '../helpers/random.ts'

/** Values that mutations write to lengths, counts and offsets. */
export const EXTREMES = [
  0n,
  1n,
  7n,
  255n,
  0x7fffffffn,
  0x80000000n,
  0xffffffffn,
  0x100000000n,
  2n ** 40n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
]

/** Changes bytes as damage or an attacker would: a bit, a byte, a run, an extreme length, a lost end, a splice. */
export function mutateBytes(random: Random, bytes: Uint8Array, other: Uint8Array): Uint8Array {
  const out = bytes.slice()
  const at = random.below(Math.max(1, out.length))
  switch (random.below(8)) {
    case 0:
      return out.subarray(0, at)
    case 1:
    case 2:
      if (out.length > 0) out[at] ^= 1 << random.below(8)
      return out
    case 3:
      out.fill(random.pick([0, 0xff, 0x80, random.below(256)]), at, at + 1 + random.below(16))
      return out
    case 4:
    case 5: {
      const size = random.pick([1, 2, 4, 8])
      const start = Math.max(0, Math.min(out.length - size, random.below(2) === 0 ? at - (at % size) : at))
      let value = random.pick(EXTREMES) + BigInt(random.below(3)) - 1n
      for (let i = 0; i < size && start + i < out.length; i++, value >>= 8n) out[start + i] = Number(value & 0xffn)
      return out
    }
    case 6: {
      const from = random.below(Math.max(1, other.length))
      const part = other.subarray(from, from + 1 + random.below(64))
      return concat([out.subarray(0, at), part, out.subarray(random.below(2) === 0 ? at : at + part.length)])
    }
    default:
      return concat([out.subarray(0, at), out.subarray(Math.min(out.length, at + 1 + random.below(32)))])
  }
}

/** Mutates a file of an array as a file system would damage it, or its content below the filters. @returns what was done */
export async function mutateArray(random: Random, array: EditedArray): Promise<string> {
  const paths = [...array.files.keys()].filter((path) => array.get(path).length > 0)
  if (paths.length === 0) return 'nothing: every file is empty'
  const path = random.pick(paths)
  const name = path.slice(path.indexOf('/', 1) + 1)
  const kind = random.below(20)
  if (kind === 0) {
    array.files.delete(path)
    return `removed ${name}`
  }
  if (kind === 1) {
    array.files.set(path, array.get(random.pick(paths)))
    return `another file for ${name}`
  }
  if (kind < 11) {
    const done = await mutateBelow(random, array, path)
    if (done) return `${done} of ${name}`
  }
  array.files.set(path, mutateBytes(random, array.get(path), array.get(random.pick(paths))))
  return `bytes of ${name}`
}

/** Mutates content below the filters: undoes them, mutates, and applies them again, so that every checksum fits. Undefined if nothing was done. */
async function mutateBelow(random: Random, array: EditedArray, path: string): Promise<string | undefined> {
  try {
    if (path.endsWith('/__fragment_metadata.tdb')) return await mutateSection(random, array, path)
    if (path.endsWith('.tdb') && !path.endsWith('__array_schema.tdb')) return await mutateTile(random, array, path)
    if (/\.(?:wrt|ok|vac|con|ign)$/.test(path)) return undefined
    array.files.set(path, await mutatedGenericTile(random, array, array.get(path), array.get(path)))
    return 'content'
  } catch {
    // An earlier mutation made this place unreadable.
    return undefined
  }
}

async function mutateSection(random: Random, array: EditedArray, path: string): Promise<string> {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const fragment = await array.fragment(folder)
  const info = await fragment.info()
  const starts = await fragment.metadataOffsets()
  const index = random.below(starts.length)
  const end = starts[index + 1] ?? info.footer?.offset ?? array.get(path).length
  const section = array.get(path).subarray(starts[index], end)
  const stored = await mutatedGenericTile(random, array, section, array.get(path))
  if (info.footer) await array.editFooter({}, folder, { offset: starts[index], stored })
  else array.files.set(path, stored)
  return `section ${index}`
}

async function mutateTile(random: Random, array: EditedArray, path: string): Promise<string | undefined> {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const fragment = await array.fragment(folder)
  const info = await fragment.info()
  const files = await fragment.fieldFiles()
  const file = files.find(({ name }) => path === `${folder}/${name}`)
  if (!file || info.tile_num === 0) return undefined
  const role: TileRole = file.role === 'offsets' || file.role === 'var' || file.role === 'validity' ? file.role : 'data'
  const tile = random.below(info.tile_num)
  const change = (data: Uint8Array): Uint8Array => mutateBytes(random, data, array.get(path)).slice(0, data.length)
  await array.editTile(info.slots[file.slot].name, role, tile, change, folder)
  return `cells of tile ${tile}`
}

async function mutatedGenericTile(
  random: Random,
  array: EditedArray,
  tile: Uint8Array,
  other: Uint8Array,
): Promise<Uint8Array> {
  const cx = contextFor(array)
  const { header, payload } = await openGenericTile(tile, cx, { file: '', offset: 0 })
  const changed = mutateBytes(random, payload, other)
  const type = { datatype: 'CHAR', cellSize: 1, formatVersion: header.format_version, key: cx.key } as const
  const pipeline = await Pipeline.load(header.filters.filters, type, nodeCodecs)
  const chunks = pipeline.forwardTile(changed, [changed.length], { randomBytes: (length) => random.bytes(length) })
  const now: GenericTileHeader = { ...header, persisted_size: chunks.length, tile_size: changed.length }
  const { length } = decodePrefix(tile, genericTileHeader)
  if (random.below(8) === 0) return concat([tile.subarray(0, length), chunks])
  return concat([encode(now, genericTileHeader), chunks])
}
