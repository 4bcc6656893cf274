import { decode, encode } from '../format/io.ts'
import { type StoredChunk, tileChunks } from '../format/tile-chunks.ts'
import { bytes, u32Bytes, u64Bytes } from './bytes.ts'
import { type Damages, damage, inTile } from './damage.ts'

/** Damage to stored tiles and their cells. */
export const CELL_DAMAGE = {
  TILE_UNREADABLE: damage('sparse', 'an impossible chunk count', (array) =>
    array.patch(array.find(/a3\.tdb$/), 0, u64Bytes(2n ** 52n)),
  ),
  TILE_SIZE: inTile('sparse', 'a tile of fewer cells than the metadata says', 'a', 'data', 1, (data) =>
    data.subarray(8),
  ),
  TILE_TRAILING_BYTES: damage('sparse', 'bytes after the last chunk of a tile', (array) =>
    array.editStored('a', 1, (stored) => bytes(stored, [0, 0, 0])),
  ),
  CHUNK_UNREADABLE: damage('sparse', 'a flipped bit in compressed bytes', (array) =>
    array.flip(array.find(/a2\.tdb$/), 40),
  ),
  CHUNK_SPLITS_CELL: damage('sparse', 'a chunk that ends in the middle of a cell', (array) =>
    array.editStored('p', 0, (stored) => {
      // Splits one chunk of 48 bytes without filters into two.
      const tile = decode(stored, tileChunks)
      const [{ data, metadata }] = tile.chunks
      const chunk = (part: Uint8Array): StoredChunk => ({ original_length: part.length, metadata, data: part })
      return encode({ ...tile, chunks: [chunk(data.subarray(0, 10)), chunk(data.subarray(10))] }, tileChunks)
    }),
  ),
  CHECKSUM_MISMATCH: damage('sparse', 'a flipped bit under a checksum', (array) =>
    array.flip(array.find(/a0\.tdb$/), -1),
  ),
  CELL_OFFSETS: inTile('sparse', 'a cell offset beyond the end of the values', 's', 'offsets', 0, (data) =>
    data.set(u64Bytes(1e6), 8),
  ),
  CELL_VAR_SIZE: damage('varNumbers', 'a cell of half a number', async (array) => {
    const { schema } = await (await array.fragment()).info()
    const name = schema.attributes.find(({ type, cell_val_num }) => cell_val_num === 'var' && type === 'INT32')?.name
    await array.editTile(name ?? '', 'offsets', 0, (data) => {
      const offsets = new BigUint64Array(data.buffer, data.byteOffset, data.length / 8)
      offsets[offsets.findIndex((offset) => offset > 0n)]--
    })
  }),
  CELL_VALIDITY: inTile('sparse', 'a validity byte of 7', 'n', 'validity', 1, (data) => {
    data[data.indexOf(1)] = 7
  }),
  CELL_BOOL: inTile('bools', 'a BOOL of 2', 'bool', 'data', 0, (data) => data.set([2])),
  CELL_LOST: damage('scaled', 'a value that SCALE_FLOAT has no room for', async (array) => {
    const value = new Uint8Array(Float64Array.of(1e6).buffer)
    await array.editSection('tile_maxs', 0, ({ fixed }) => fixed.set(value))
    await array.editSection('fragment_min_max_sum_null_count', undefined, (all) => all[0].max.set(value))
  }),
  COORDINATE_DOMAIN: inTile('sparse', 'a coordinate outside of the domain', 'x', 'data', 3, (data) =>
    data.set(u32Bytes(100_000), data.length - 4),
  ),
  COORDINATE_MBR: inTile('sparse', 'a coordinate outside of its box', 'y', 'data', 0, (data) => data.set(u32Bytes(49))),
  COORDINATE_ORDER: damage('sparse', 'two cells that changed places', async (array) => {
    for (const field of ['x', 'y']) {
      await array.editTile(field, 'data', 0, (data) => {
        const first = data.slice(0, 4)
        data.copyWithin(0, 12, 16)
        data.set(first, 12)
      })
    }
  }),
  COORDINATE_DUPLICATE: damage('sparse', 'a cell at the coordinates of another', async (array) => {
    for (const field of ['x', 'y']) await array.editTile(field, 'data', 1, (data) => data.copyWithin(8, 4, 8))
  }),
  CELL_TIMESTAMP: inTile('deleteMetadata', 'a cell from the future', '__timestamps', 'data', 0, (data) =>
    data.set(u64Bytes(999)),
  ),
  DELETE_TIMESTAMP: damage('deleteMetadata', 'a cell deleted before it was written', async (array) => {
    await array.editTile('__delete_timestamps', 'data', 0, (data) => data.set(u64Bytes(1)))
    await array.editTile('__delete_condition_index', 'data', 0, (data) => data.set(u64Bytes(0)))
  }),
  DELETE_CONDITION_INDEX: inTile(
    'deleteMetadata',
    'a cell deleted by a condition that is not listed',
    '__delete_condition_index',
    'data',
    0,
    (data) => data.set(u64Bytes(50)),
  ),
  ENUMERATION_INDEX: inTile('enumerations', 'an index outside of its enumeration', 'tree', 'data', 0, (data) =>
    data.set([200]),
  ),
} satisfies Damages
