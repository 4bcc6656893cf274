import { decode, encode } from '../format/io.ts'
import { type StoredChunk, tileChunks } from '../format/tile-chunks.ts'
import { bytes, u64 } from './bytes.ts'
import type { Damages } from './damage.ts'

const setI32 = (data: Uint8Array, cell: number, value: number): void =>
  new DataView(data.buffer, data.byteOffset).setInt32(4 * cell, value, true)

/** Damage to stored tiles and their cells. */
export const CELL_DAMAGE = {
  TILE_UNREADABLE: {
    name: 'a chunk count that cannot be',
    sample: 'sparse',
    plant: (array) => array.patch(array.find(/a3\.tdb$/), 0, u64(2n ** 52n)),
  },
  TILE_SIZE: {
    name: 'a tile of fewer cells than the metadata says',
    sample: 'sparse',
    plant: (array) => array.editTile('a', 'data', 1, (data) => data.subarray(8)),
  },
  TILE_TRAILING_BYTES: {
    name: 'bytes behind the last chunk of a tile',
    sample: 'sparse',
    plant: (array) => array.editStored('a', 'data', 1, (stored) => bytes(stored, [0, 0, 0])),
  },
  CHUNK_UNREADABLE: {
    name: 'a flipped bit in compressed bytes',
    sample: 'sparse',
    plant: (array) => array.flip(array.find(/a2\.tdb$/), 40),
  },
  CHUNK_SPLITS_CELL: {
    name: 'a chunk that ends in a cell',
    sample: 'sparse',
    plant: (array) =>
      array.editStored('p', 'data', 0, (stored) => {
        // Splits one chunk of 48 bytes without filters into two.
        const tile = decode(stored, tileChunks)
        const [{ data, metadata }] = tile.chunks
        const chunk = (part: Uint8Array): StoredChunk => ({ original_length: part.length, metadata, data: part })
        return encode({ ...tile, chunks: [chunk(data.subarray(0, 10)), chunk(data.subarray(10))] }, tileChunks)
      }),
  },
  CHECKSUM_MISMATCH: {
    name: 'a flipped bit under a checksum',
    sample: 'sparse',
    plant: (array) => array.flip(array.find(/a0\.tdb$/), -1),
  },
  CELL_OFFSETS: {
    name: 'an offset of a cell behind its values',
    sample: 'sparse',
    plant: (array) => array.editTile('s', 'offsets', 0, (data) => void data.set(u64(1e6), 8)),
  },
  CELL_VAR_SIZE: {
    name: 'a cell of half a number',
    sample: 'varNumbers',
    plant: async (array) => {
      const { schema } = await (await array.fragment()).info()
      const name = schema.attributes.find(({ type, cell_val_num }) => cell_val_num === 'var' && type === 'INT32')?.name
      await array.editTile(name ?? '', 'offsets', 0, (data) => {
        const view = new DataView(data.buffer, data.byteOffset)
        for (let i = 1; i < data.length / 8; i++) {
          if (view.getUint32(8 * i, true) === 0) continue
          view.setUint32(8 * i, view.getUint32(8 * i, true) - 1, true)
          return
        }
      })
    },
  },
  CELL_VALIDITY: {
    name: 'a validity byte of 7',
    sample: 'sparse',
    plant: (array) =>
      array.editTile('n', 'validity', 1, (data) => {
        const valid = data.indexOf(1)
        data[valid] = 7
      }),
  },
  CELL_BOOL: {
    name: 'a BOOL of 2',
    sample: 'bools',
    plant: (array) =>
      array.editTile('bool', 'data', 0, (data) => {
        data[0] = 2
      }),
  },
  COORDINATE_DOMAIN: {
    name: 'a coordinate outside of the domain',
    sample: 'sparse',
    plant: (array) => array.editTile('x', 'data', 3, (data) => setI32(data, data.length / 4 - 1, 100_000)),
  },
  COORDINATE_MBR: {
    name: 'a coordinate outside of its box',
    sample: 'sparse',
    plant: (array) => array.editTile('y', 'data', 0, (data) => setI32(data, 0, 49)),
  },
  COORDINATE_ORDER: {
    name: 'two cells that changed places',
    sample: 'sparse',
    plant: async (array) => {
      for (const field of ['x', 'y']) {
        await array.editTile(field, 'data', 0, (data) => {
          const first = data.slice(0, 4)
          data.copyWithin(0, 12, 16)
          data.set(first, 12)
        })
      }
    },
  },
  COORDINATE_DUPLICATE: {
    name: 'a cell at the coordinates of another',
    sample: 'sparse',
    plant: async (array) => {
      for (const field of ['x', 'y']) await array.editTile(field, 'data', 1, (data) => void data.copyWithin(8, 4, 8))
    },
  },
  CELL_TIMESTAMP: {
    name: 'a cell from the future',
    sample: 'deleteMetadata',
    plant: (array) => array.editTile('__timestamps', 'data', 0, (data) => void data.set(u64(999), 0)),
  },
  DELETE_TIMESTAMP: {
    name: 'a cell deleted before it was written',
    sample: 'deleteMetadata',
    plant: async (array) => {
      await array.editTile('__delete_timestamps', 'data', 0, (data) => void data.set(u64(1), 0))
      await array.editTile('__delete_condition_index', 'data', 0, (data) => void data.set(u64(0), 0))
    },
  },
  DELETE_CONDITION_INDEX: {
    name: 'a cell deleted by a condition that is not listed',
    sample: 'deleteMetadata',
    plant: (array) => array.editTile('__delete_condition_index', 'data', 0, (data) => void data.set(u64(50), 0)),
  },
  ENUMERATION_INDEX: {
    name: 'an index outside of its enumeration',
    sample: 'enumerations',
    plant: (array) =>
      array.editTile('tree', 'data', 0, (data) => {
        data[0] = 200
      }),
  },
} satisfies Damages
