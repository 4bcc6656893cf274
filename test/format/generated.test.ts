import { describe, expect, test } from '@jest/globals'
import { arrayMetadata, type MetadataEntry } from '../../src/format/array-metadata.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import {
  aesMetadata,
  bitWidthMetadata,
  checksumMetadata,
  compressorMetadata,
  dictionaryMetadata,
  partLengthsMetadata,
  positiveDeltaMetadata,
  rleStringMetadata,
} from '../../src/format/chunk-metadata.ts'
import { consolidatedFragmentMetadata } from '../../src/format/consolidated-fragment-metadata.ts'
import { datatypeSize } from '../../src/format/datatype.ts'
import { deleteCondition, updateCondition } from '../../src/format/delete-condition.ts'
import { enumerationFile } from '../../src/format/enumeration.ts'
import { filterPipeline } from '../../src/format/filter-pipeline.ts'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { fragmentFooter } from '../../src/format/fragment-footer.ts'
import { fragmentMetadataV1 } from '../../src/format/fragment-metadata-v1.ts'
import { fragmentMinMaxSumNullCount } from '../../src/format/fragment-min-max-sum-null-count.ts'
import { genericTileHeader } from '../../src/format/generic-tile.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { type Describe, decode, encode } from '../../src/format/io.ts'
import { processedConditions } from '../../src/format/processed-conditions.ts'
import { mbrAt, rtree } from '../../src/format/rtree.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { tileMinMax } from '../../src/format/tile-min-max.ts'
import { tileOffsets } from '../../src/format/tile-offsets.ts'
import { tileSums } from '../../src/format/tile-sums.ts'
import {
  anyCellValNum,
  anyCondition,
  anyDatatype,
  anyDimensions,
  anyFooter,
  anyMetadataV1,
  anyPipeline,
  anyRTree,
  anySchema,
  anySize,
  anyText,
  many,
} from '../helpers/generate.ts'
import { type Random, withRandom } from '../helpers/random.ts'
import { specimen } from '../helpers/specimen.ts'
import { tries } from '../helpers/turn.ts'

const VERSIONS = Array.from({ length: NEWEST_FORMAT_VERSION }, (_, i) => i + 1)
const ROUNDS = tries(5, 20)

/** Checks that `decode(encode(v)) = v`, that the trace covers all bytes, and that shorter bytes are not read as `v`. */
function expectLaws<T>(value: T, describe: Describe<T>): void {
  const stored = encode(value, describe)
  expect(decode(stored, describe)).toEqual(value)
  const one = specimen({ structure: 'generated', version: 0, where: '' }, stored, describe)
  expect(one.coverage()).toBeUndefined()
  for (const length of [0, 1, stored.length >> 1, stored.length - 1]) if (length < stored.length) one.prefix(length)
}

function rounds(work: (random: Random) => void): void {
  withRandom((random) => {
    for (let i = 0; i < ROUNDS; i++) work(random)
  })
}

describe.each(VERSIONS)('version %i', (version) => {
  test('any schema comes back', () => {
    rounds((random) => expectLaws(anySchema(version, random), arraySchema))
  })

  test('any filter pipeline comes back', () => {
    rounds((random) => expectLaws(anyPipeline(version)(random), filterPipeline(version)))
  })

  test('any generic tile header comes back', () => {
    rounds((random) => {
      const header = {
        format_version: version,
        persisted_size: anySize(random),
        tile_size: anySize(random),
        datatype: anyDatatype(random),
        cell_size: BigInt(anySize(random)),
        encryption_type: random.pick(['NO_ENCRYPTION', 'AES_256_GCM'] as const),
        filters: anyPipeline(version)(random),
      }
      expectLaws(header, genericTileHeader)
    })
  })

  if (version < 3) {
    test('any fragment metadata comes back', () => {
      rounds((random) => {
        const schema = anySchema(version, random)
        expectLaws(anyMetadataV1(version, schema, random), fragmentMetadataV1(schema))
      })
    })
    return
  }

  test('any footer comes back', () => {
    rounds((random) => {
      const schema = anySchema(version, random)
      expectLaws(anyFooter(version, schema, random), fragmentFooter(schema))
    })
  })

  test('any R-tree comes back, and its boxes can be picked out', () => {
    rounds((random) => {
      const dimensions = anyDimensions(version, random)
      const tree = anyRTree(version, dimensions, random)
      expectLaws(tree, rtree(version, dimensions))
      const read = decode(encode(tree, rtree(version, dimensions)), rtree(version, dimensions))
      for (const [i, level] of read.levels.entries()) {
        for (const index of [0, level.mbr_num - 1]) {
          if (index >= 0 && index < level.mbr_num)
            expect(mbrAt(level, index, dimensions)).toEqual(mbrAt(tree.levels[i], index, dimensions))
        }
      }
    })
  })
})

describe('any', () => {
  test('delete condition comes back, with NOT, sets and tests for null', () => {
    rounds((random) => expectLaws(anyCondition(random), deleteCondition))
  })

  test('update condition comes back', () => {
    rounds((random) => {
      const values = many(random, 4, (r) => ({ field: anyText(r), value: r.bytes(r.below(9)) }))
      expectLaws({ condition: anyCondition(random), values }, updateCondition)
    })
  })

  test('enumeration comes back', () => {
    rounds((random) => {
      const cell_val_num = anyCellValNum(random)
      const enumeration = {
        version: 0,
        name: anyText(random),
        path_name: anyText(random),
        type: anyDatatype(random),
        cell_val_num,
        ordered: random.below(2) === 1,
        data: random.bytes(random.below(50)),
        offsets: cell_val_num === 'var' ? Float64Array.from(many(random, 5, anySize)) : undefined,
      }
      expectLaws(enumeration, enumerationFile)
    })
  })

  test('array metadata come back, deletions too', () => {
    rounds((random) => {
      const entries = many(random, 6, (r): MetadataEntry => {
        const key = anyText(r)
        if (r.below(4) === 0) return { key, deleted: true, type: undefined, value_num: undefined, value: undefined }
        const type = anyDatatype(r)
        const value_num = r.below(5)
        return { key, deleted: false, type, value_num, value: r.bytes(value_num * datatypeSize(type)) }
      })
      expectLaws({ entries }, arrayMetadata)
    })
  })

  test('group details come back, in both versions', () => {
    rounds((random) => {
      const version = 1 + random.below(2)
      const members = many(random, 5, (r) => ({
        version,
        type: r.pick(['group', 'array'] as const),
        relative: r.below(2) === 1,
        uri: anyText(r),
        name: r.below(3) === 0 ? undefined : anyText(r),
        deleted: version === 2 && r.below(2) === 1,
      }))
      expectLaws({ version, members }, groupDetails)
    })
  })

  test('consolidated fragment metadata come back', () => {
    rounds((random) => {
      const entries = many(random, 5, (r) => ({ fragment_name: anyText(r), offset: anySize(r) }))
      expectLaws({ entries, footers: random.bytes(random.below(80)) }, consolidatedFragmentMetadata)
    })
  })

  test('lists of the fragment metadata come back', () => {
    rounds((random) => {
      expectLaws({ values: Float64Array.from(many(random, 300, anySize)) }, tileOffsets)
      expectLaws({ values: random.bytes(8 * random.below(20)) }, tileSums)
      expectLaws({ fixed: random.bytes(random.below(50)), variable: random.bytes(random.below(50)) }, tileMinMax)
      expectLaws({ conditions: many(random, 100, anyText) }, processedConditions)
      const slots = many(random, 6, (r) => ({
        min: r.bytes(r.below(9)),
        max: r.bytes(r.below(9)),
        sum: r.bytes(8),
        null_count: anySize(r),
      }))
      expectLaws(slots, fragmentMinMaxSumNullCount(slots.map((_, i) => `slot ${i}`)))
    })
  })

  test('tile comes back, with bytes behind its chunks too', () => {
    rounds((random) => {
      const chunks = many(random, 100, (r) => ({
        original_length: r.bits(),
        metadata: r.bytes(r.below(20)),
        data: r.bytes(r.below(20)),
      }))
      expectLaws({ chunks, extra: random.bytes(random.below(2) * 5) }, tileChunks)
    })
  })

  test('metadata of filters come back', () => {
    rounds((random) => {
      const lengths = (r: Random): { original_length: number; compressed_length: number } => ({
        original_length: r.bits(),
        compressed_length: r.bits(),
      })
      expectLaws({ metadata_parts: many(random, 3, lengths), data_parts: many(random, 3, lengths) }, compressorMetadata)
      const sealed = (r: Random) => ({
        plain_length: r.bits(),
        encrypted_length: r.bits(),
        iv: r.bytes(12),
        tag: r.bytes(16),
      })
      expectLaws({ metadata_parts: many(random, 3, sealed), data_parts: many(random, 3, sealed) }, aesMetadata)
      const digestLength = random.pick([16, 32])
      const digest = (r: Random) => ({ length: anySize(r), digest: r.bytes(digestLength) })
      const checksums = { metadata_checksums: many(random, 3, digest), data_checksums: many(random, 3, digest) }
      expectLaws(checksums, checksumMetadata(digestLength))
      const size = random.pick([1, 2, 4, 8])
      const narrow = (r: Random) => ({ value_offset: r.bytes(size), bits: r.below(65), window_bytes: r.bits() })
      expectLaws({ original_bytes: random.bits(), windows: many(random, 80, narrow) }, bitWidthMetadata(size))
      const rising = (r: Random) => ({ first_value: r.bytes(size), window_bytes: r.bits() })
      expectLaws({ windows: many(random, 80, rising) }, positiveDeltaMetadata(size))
      expectLaws({ part_lengths: many(random, 5, (r) => r.bits()) }, partLengthsMetadata)
      const part = { original_length: random.bits(), compressed_length: random.bits(), offsets_length: random.bits() }
      expectLaws({ part, run_length_size: random.below(256), string_length_size: 2 }, rleStringMetadata)
      expectLaws(
        { part, id_size: 1, string_length_size: 8, dictionary: random.bytes(random.below(40)) },
        dictionaryMetadata,
      )
    })
  })
})
