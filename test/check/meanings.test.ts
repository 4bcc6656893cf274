import { describe, expect, test } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { CODE_ROWS } from '../../src/check/codes.ts'
import { LEVELS, type Level } from '../../src/check/finding.ts'
import { isWrittenTwice } from '../../src/check/written-twice.ts'
import { METADATA, SCHEMA, UUID } from '../../src/damage/damage.ts'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import { sampleArray } from '../../src/damage/samples.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import { datatypeSize } from '../../src/format/datatype.ts'
import { deleteCondition } from '../../src/format/delete-condition.ts'
import { type Enumeration, enumerationFile } from '../../src/format/enumeration.ts'
import type { FragmentFooter } from '../../src/format/fragment-footer.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { decode, encode } from '../../src/format/io.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { openGenericTile } from '../../src/objects/generic-tile.ts'
import { MemorySource } from '../../src/storage/memory.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { openEdited } from '../helpers/open-edited.ts'
import { dataset } from '../layers/parts.ts'
import { DATASET_VARIANTS } from './dataset-variants.ts'
import { check, serious, shown } from './findings.ts'
import { GENOMICSDB_VARIANTS } from './genomicsdb-variants.ts'
import { LAYER_VARIANTS } from './layer-variants.ts'

const SPARSE = '22/sparse_basic'
const BEFORE = `__5_5_${UUID}_22`
const text = (content: string): Uint8Array => new TextEncoder().encode(content)

const AHEAD = `__9999999999999_9999999999999_${UUID}_22`
/** The line in consolidated commits for the fragment of a time. */
const lineOf = (array: EditedArray, at: number): string =>
  new RegExp(`__commits/__${at}_\\S*\\.wrt`).exec(
    new TextDecoder('latin1').decode(array.get(array.find(/\.con$/))),
  )?.[0] ?? ''

/** Removes the enumeration of the first schema. */
const withoutFirstEnumeration = (array: EditedArray): void => array.remove(array.find(/__enumerations\/__00000001/))

/** Cuts the last line off consolidated commits. */
const cutAtLastLine = (array: EditedArray): void => {
  const list = array.find(/\.con$/)
  array.cut(list, -(lineOf(array, 30).length + 1))
}

/** Moves the section of the first field out of the file. */
const farAway =
  (key: 'tile_sums_offsets' | 'tile_var_sizes_offsets') =>
  (footer: FragmentFooter): void => {
    const offsets = footer[key]
    if (offsets) offsets[0] = 2 ** 60
  }

/** Variants that only a check of another level than `cells` tells. */
const LEVEL_OF: Readonly<Record<string, Level>> = { 'FILE_LONG.doubled': 'structure' }

/** Exchanges a file of the two fragments. */
function exchange(array: EditedArray): void {
  const [one, other] = [array.find(/__10_10_.*\/a0\.tdb$/), array.find(/__20_20_.*\/a0\.tdb$/)]
  const bytes = array.get(one)
  array.add(one.slice(EDITED.length + 1), array.get(other))
  array.add(other.slice(EDITED.length + 1), bytes)
}

/** Adds a newest schema whose first dimension ends earlier. */
async function withSmallerDomain(array: EditedArray): Promise<void> {
  const newer = `__schema/__99_99_${UUID}`
  array.add(newer, array.get(array.find(/__schema\/__\d/)))
  await array.rewrite(`${EDITED}/${newer}`, arraySchema, ({ domain: { dimensions } }) => {
    const { domain } = dimensions[0]
    // The end becomes the beginning.
    domain.copyWithin(domain.length / 2, 0, domain.length / 2)
  })
}

/** Lists a delete condition in consolidated commits, and cuts its own file. */
function cutListedCondition(array: EditedArray): void {
  const file = array.find(/__15_15_.*\.del$/)
  const condition = array.get(file)
  const line = text(`${file.slice(array.root.length + 1)}\n`)
  const length = new Uint8Array(new BigUint64Array([BigInt(condition.length)]).buffer)
  array.add(`__commits/__15_15_${UUID}_22.con`, concat([line, length, condition]))
  array.cut(file, 11)
}

function writeTwice(array: EditedArray, file: RegExp): void {
  const path = array.find(file)
  array.append(path, array.get(path))
}

/** Damages that give a code another meaning than its usual one. */
const PROVOKED: Readonly<
  Record<string, readonly [fixture: string, change: (array: EditedArray) => void | Promise<void>]>
> = {
  'SCHEMA_CAPACITY.large': [
    '22/empty_sparse',
    (array) => array.editSchema((schema) => void Object.assign(schema, { capacity: 2n ** 34n })),
  ],
  'SCHEMA_TILE_EXTENT.large': [
    '22/empty_dense',
    (array) =>
      array.editSchema(({ domain: { dimensions } }) => {
        for (const { domain, tile_extent } of dimensions) {
          domain.fill(0)
          domain.set([0, 0, 0, 64], domain.length - 4)
          tile_extent?.fill(0)
          tile_extent?.set([0, 0, 0, 32], 0)
        }
      }),
  ],
  'DELETE_CONDITION_UNREADABLE.listed': ['22/deletes', cutListedCondition],
  'FIELD_CHANGED.footer': [
    '9/sparse_basic',
    async (array) => {
      const newer = `__schema/__99_99_${UUID}`
      array.add(newer, array.get(array.find(/__array_schema\.tdb$/)))
      await array.rewrite(`${EDITED}/${newer}`, arraySchema, (schema) => {
        schema.attributes.pop()
      })
    },
  ],
  'FIELD_CHANGED.tiles': [
    '22/dense_3d_row_row',
    async (array) => {
      const newer = `__schema/__99_99_${UUID}`
      array.add(newer, array.get(array.find(/__schema\/__\d/)))
      await array.rewrite(`${EDITED}/${newer}`, arraySchema, ({ domain }) => {
        domain.dimensions[0].domain[0]--
      })
    },
  ],
  'FIELD_CHANGED.domain': ['22/dense_3d_row_row', withSmallerDomain],
  'FIELD_CHANGED.domainSparse': [SPARSE, withSmallerDomain],
  'ARRAY_UNKNOWN_ENTRY.masking': [SPARSE, (array) => array.add('__labels')],
  'FOOTER_VERSION.elsewhere': [
    SPARSE,
    (array) => {
      const name = `10_10_${UUID}_22`
      array.move(array.fragmentPath(), `${EDITED}/__fragments/${name}`)
      array.move(array.find(/\.wrt$/), `${EDITED}/__commits/${name}.wrt`)
    },
  ],
  'COMMIT_NAME_INVALID.folder': [
    SPARSE,
    (array) => {
      const mark = array.find(/\.wrt$/)
      array.remove(mark)
      array.add(`${mark.slice(EDITED.length + 1)}/x`)
    },
  ],
  'COMMIT_NAME_INVALID.fatalFolder': [SPARSE, (array) => array.add(`__commits/${BEFORE}.vac/x`)],
  'COMMIT_NAME_INVALID.conditionFolder': [SPARSE, (array) => array.add(`__commits/${BEFORE}.del/x`)],
  'COMMIT_UNREADABLE.refusedLine': [SPARSE, (array) => array.add(`__commits/${BEFORE}.vac`, text('nothing\n'))],
  'CONSOLIDATED_METADATA_UNREADABLE.folder': [SPARSE, (array) => array.add(`__fragment_meta/${BEFORE}.meta/x`)],
  'FRAGMENT_TIMESTAMPS.unseen': [SPARSE, (array) => array.add(`__fragments/__9_5_${UUID}_22/x`)],
  'FRAGMENT_NO_METADATA.uncommitted': [
    SPARSE,
    (array) => {
      array.remove(array.find(METADATA))
      array.remove(array.find(/\.wrt$/))
    },
  ],
  'FRAGMENT_NO_METADATA.toVacuum': [
    '22/vacuum_left',
    (array) => array.remove(array.find(/\/__10_10_.*metadata\.tdb$/)),
  ],
  'FRAGMENT_NO_METADATA.future': [
    SPARSE,
    (array) => {
      array.add(`__commits/${AHEAD}.wrt`)
      array.add(`__fragments/${AHEAD}/x`)
    },
  ],
  'FRAGMENT_NO_METADATA.footerKept': [
    '22/fragment_metadata_consolidated',
    (array) => array.remove(array.find(/\/__20_20_.*metadata\.tdb$/)),
  ],
  'FOOTER_UNREADABLE.footerKept': [
    '22/fragment_metadata_consolidated',
    (array) => {
      const file = array.find(/\/__20_20_.*metadata\.tdb$/)
      array.files.set(file, array.get(file).slice(0, -30))
    },
  ],
  'CONSOLIDATED_METADATA_DIFFERS.ownDamaged': [
    '22/fragment_metadata_consolidated',
    async (array) => {
      const path = array.find(/\/__20_20_.*metadata\.tdb$/)
      const { footer } = await (await array.fragment(path.slice(0, path.lastIndexOf('/')))).info()
      const bytes = array.get(path).slice()
      // The high byte of the last offset: the section lies far behind the end of the file.
      const at = (footer?.offset ?? 0) + (footer?.size ?? 0) - 1
      bytes[at] = 1
      array.files.set(path, bytes)
    },
  ],
  'COMMIT_DANGLING.footerKept': [
    '22/fragment_metadata_consolidated',
    (array) => array.removeAll(/__fragments\/__20_20_/),
  ],
  'ARRAY_READS_EMPTY.lists': [
    SPARSE,
    (array) => {
      const name = array.fragmentPath().split('/').at(-1)
      array.add(`__commits/__1_99_${UUID}_22.vac`, text(`/__fragments/${name}\n`))
    },
  ],
  'ARRAY_READS_EMPTY.future': [
    SPARSE,
    (array) => {
      array.move(array.fragmentPath(), `${EDITED}/__fragments/${AHEAD}`)
      array.move(array.find(/\.wrt$/), `${EDITED}/__commits/${AHEAD}.wrt`)
    },
  ],
  'FRAGMENT_UNCOMMITTED.ignored': [
    '22/commits_consolidated',
    (array) => array.add(`__commits/__1_99_${UUID}_22.ign`, text(`${lineOf(array, 10)}\n`)),
  ],
  'FRAGMENT_UNCOMMITTED.replaced': [
    '22/commits_consolidated',
    (array) => {
      const line = lineOf(array, 10)
      const name = line.slice('__commits/'.length, -'.wrt'.length)
      array.add(`__commits/__1_99_${UUID}_22.ign`, text(`${line}\n`))
      array.add(`__commits/__1_99_${UUID}_22.vac`, text(`/__fragments/${name}\n`))
    },
  ],
  'COMMIT_DANGLING.near': [
    '22/commits_consolidated',
    (array) => array.flip(array.find(/\.con$/), lineOf(array, 10).length - 10),
  ],
  'COMMIT_DANGLING.nearLater': [
    SPARSE,
    (array) => {
      array.removeAll(/\.wrt$/)
      const [first, now] = ['9', '1'].map((digit) => `${digit}700000000000`)
      array.move(array.fragmentPath(), `${EDITED}/__fragments/__${now}_${now}_${UUID}_22`)
      array.add(`__commits/__${now}_${now}_${UUID}_22.con`, text(`__commits/__${first}_${first}_${UUID}_22.wrt\n`))
    },
  ],
  'COMMIT_UNREADABLE.cut': ['22/commits_consolidated', cutAtLastLine],
  'FRAGMENT_UNCOMMITTED.cut': ['22/commits_consolidated', cutAtLastLine],
  'COMMIT_UNREADABLE.skipped': [
    '22/commits_consolidated',
    (array) => array.append(array.find(/\.con$/), text('notes\n')),
  ],
  // A line that lost a digit's bit, as a disk may give it back.
  'VACUUM_DANGLING.near': ['22/vacuum_left', (array) => array.flip(array.find(/\.vac$/), 40)],
  'VACUUM_DANGLING.noFragment': [SPARSE, (array) => array.add(`__commits/${BEFORE}.vac`, text('/__fracments/x\n'))],
  'VACUUM_DANGLING.empty': ['22/vacuum_left', (array) => array.cut(array.find(/\.vac$/), 0)],
  'COMMIT_WRONG_FOLDER.twice': [
    '22/duplicates',
    (array) => {
      const name = array
        .find(/__30_30_.*\.wrt$/)
        .split('/')
        .at(-1)
      array.add(`__commits/__1_99_${UUID}_22.con`, text(`/__commits/${name}\n`))
    },
  ],
  'COMMIT_WRONG_FOLDER.listedTwice': [
    SPARSE,
    (array) => {
      const name = array
        .find(/\.wrt$/)
        .split('/')
        .at(-1)
      array.add(`__commits/__1_99_${UUID}_22.con`, text(`/__commits/${name}\n`))
    },
  ],
  'SCHEMA_UNREADABLE.attributeType': [
    SPARSE,
    async (array) => {
      const path = array.find(SCHEMA)
      const { payload } = await openGenericTile(array.get(path), array.newContext(), { file: path, offset: 0 })
      const schema = decode(payload, arraySchema)
      schema.attributes[0].type = 'UINT64'
      const at = encode(schema, arraySchema).findIndex((byte, i) => byte !== payload[i])
      const bytes = Uint8Array.from(payload)
      bytes[at] = 99
      array.files.set(
        path,
        await array.genericTile<{ bytes: Uint8Array }>({ bytes }, (io) => ({
          bytes: io.bytes('bytes', bytes.length, 'all'),
        })),
      )
    },
  ],
  'ENUMERATION_NAME.exchanged': [
    'labels/late',
    (array) => {
      const [one, other] = array.matching(/__enumerations\/__/)
      const bytes = array.get(one)
      array.add(one.slice(EDITED.length + 1), array.get(other))
      array.add(other.slice(EDITED.length + 1), bytes)
    },
  ],
  'ENUMERATION_MISSING.extended': ['labels/late', withoutFirstEnumeration],
  'ENUMERATION_MISSING.older': ['labels/readded', withoutFirstEnumeration],
  'ENUMERATION_MISSING.unused': [
    'labels/late',
    (array) => {
      withoutFirstEnumeration(array)
      // The schema that has it is not opened at any time: others of the same times come after it, or before all.
      const [first, last] = [array.find(/__schema\/__1_1_/), array.find(/__schema\/__20_20_2/)]
      const opened = [array.get(first), array.get(last)]
      array.files.set(`${EDITED}/__schema/__20_20_${'0'.repeat(32)}`, opened[0])
      array.files.set(first, opened[1])
    },
  ],
  'ENUMERATION_VALUES.twice': [
    '22/enumerations',
    (array) =>
      array.rewrite(array.matching(/__enumerations/)[0], enumerationFile, {
        data: text('abxaxb'),
        offsets: Float64Array.of(0, 2, 3, 4, 5),
      }),
  ],
  'ENUMERATION_VALUES.fewer': [
    '22/enumerations',
    (array) =>
      withEnumerationAnew(array, (enumeration) => {
        const { data, offsets, type, cell_val_num } = enumeration
        const size = offsets ? (offsets[1] ?? data.length) : datatypeSize(type) * Number(cell_val_num)
        return { ...enumeration, data: data.slice(0, size), offsets: offsets?.slice(0, 1) }
      }),
  ],
  'ENUMERATION_VALUES.other': [
    '22/enumerations',
    (array) =>
      withEnumerationAnew(array, (enumeration) => ({ ...enumeration, data: enumeration.data.map((byte) => byte ^ 1) })),
  ],
  // The type of the filter is another one; its number is still that of the compressor that filtered the cells.
  'SCHEMA_FILTER_COMPRESSOR.byNumber': [
    '22/filter_gzip',
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[0].filters.filters = [{ name: 'ZSTD', compressor: 1, level: 3 }]
      }),
  ],
  'GENERIC_TILE_HEADER.compressor': [SPARSE, (array) => array.patch(array.find(SCHEMA), 42, [2])],
  // The number of the compressor, in the options of the only filter.
  'DELETE_CONDITION_UNREADABLE.compressor': [
    '22/deletes',
    (array) => array.patch(array.find(/__15_15_.*\.del$/), 47, [2]),
  ],
  'DELETE_CONDITION_VALUE.nullTest': [
    '22/deletes',
    async (array) => {
      await array.editSchema((schema) => {
        for (const one of schema.attributes) one.nullable = true
      })
      const { name: field } = (await (await openEdited(array)).newestSchema()).schema.attributes[0]
      const test = { node: 'value', op: 'EQ', field, value: new Uint8Array(0), offsets: undefined } as const
      await array.rewrite(array.find(/__15_15_.*\.del$/), deleteCondition, () => test)
    },
  ],
  'COMMIT_DANGLING.future': [SPARSE, (array) => array.add(`__commits/${AHEAD}.wrt`)],
  'COMMIT_DANGLING.skipped': ['10/sparse_basic', (array) => array.add(`__5_5_${UUID}_10.ok`)],
  'COMMIT_DANGLING.toVacuum': [
    SPARSE,
    (array) => {
      array.add(`__commits/${BEFORE}.wrt`)
      array.add(`__commits/__5_6_${UUID}_22.vac`, text(`/__fragments/${BEFORE}\n`))
    },
  ],
  'COMMIT_NAME_INVALID.fatal': [SPARSE, (array) => array.add('__commits/junk.wrt')],
  'SCHEMA_NAME_INVALID.readable': [SPARSE, (array) => array.add('__schema/old_copy', array.get(array.find(SCHEMA)))],
  'SCHEMA_DUPLICATE_FIELD.own': [
    SPARSE,
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[1].name = '__delete_condition_index'
      }),
  ],
  'SCHEMA_LAYOUT.cellOrder': [
    '22/empty_dense',
    (array) =>
      array.editSchema((schema) => {
        schema.cell_order = 'hilbert'
      }),
  ],
  'SCHEMA_TILE_EXTENT.zero': [
    SPARSE,
    (array) => array.editSchema(({ domain }) => void domain.dimensions[0].tile_extent?.fill(0)),
  ],
  'SCHEMA_FILTER_COMPRESSOR.attribute': [
    SPARSE,
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[0].filters.filters = [{ name: 'ZSTD', compressor: 5, level: 3 }]
      }),
  ],
  'SCHEMA_FILTER_COMPRESSOR.dimension': [
    SPARSE,
    (array) =>
      array.editSchema(({ domain }) => {
        domain.dimensions[0].filters.filters = [{ name: 'ZSTD', compressor: 5, level: 3 }]
      }),
  ],
  // The number of the compressor, in the options of the only filter.
  'METADATA_UNREADABLE.compressor': [
    '22/metadata',
    (array) => array.patch(array.matching(/\/__meta\/__\d[^/]*$/)[0], 47, [2]),
  ],
  'ENUMERATION_UNREADABLE.version': [
    '22/enumerations',
    (array) => array.rewriteContent(array.matching(/\/__enumerations\//)[0], (content) => void content.fill(1, 0, 1)),
  ],
  'ENUMERATION_UNREADABLE.compressor': [
    '22/enumerations',
    (array) => array.patch(array.matching(/\/__enumerations\//)[0], 47, [2]),
  ],
  'CONSOLIDATED_METADATA_UNREADABLE.compressor': [
    '22/fragment_metadata_consolidated',
    (array) => array.patch(array.matching(/\.meta$/)[0], 47, [2]),
  ],
  'SECTION_UNREADABLE.compressor': [
    '22/sparse_basic',
    (array) => array.patch(array.matching(/__fragment_metadata\.tdb$/)[0], 47, [2]),
  ],
  'GROUP_DETAILS_UNREADABLE.compressor': [
    '22/group',
    (array) => array.patch(array.matching(/\/__group\/__\d/)[0], 47, [2]),
  ],
  'SCHEMA_FOREIGN.unused': [
    SPARSE,
    async (array) => {
      const schema = array.find(/__schema\/__\d/)
      const time = Number(/__schema\/__(\d+)/.exec(schema)?.[1]) - 1
      const older = `__schema/__${time}_${time}_${UUID}`
      array.add(older, array.get(schema))
      await array.rewrite(`${EDITED}/${older}`, arraySchema, ({ domain }) => {
        domain.dimensions[0].name = 'other'
      })
    },
  ],
  'SCHEMA_FILTER_COMPRESSOR.tile': [SPARSE, (array) => array.patch(array.find(SCHEMA), 47, [2])],
  'SCHEMA_FILTER_OPTIONS.byteWidth': [
    SPARSE,
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[0].filters.filters = [{ name: 'SCALE_FLOAT', scale: 1, offset: 0, byte_width: 3 }]
      }),
  ],
  'SCHEMA_FILTER_OPTIONS.length': [
    SPARSE,
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[0].filters.filters = [{ name: 'BITSHUFFLE', options_length: 3 }]
      }),
  ],
  'SCHEMA_FILTER_OPTIONS.aes': [
    SPARSE,
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[0].filters.filters = [{ name: 'AES_256_GCM' }]
      }),
  ],
  'SCHEMA_DOMAIN.denseFloat': [
    '22/empty_dense',
    (array) =>
      array.editSchema(({ domain }) => {
        const [first] = domain.dimensions
        first.type = 'FLOAT32'
        first.domain = new Uint8Array(Float32Array.of(1, 10).buffer)
        first.tile_extent = new Uint8Array(Float32Array.of(4).buffer)
      }),
  ],
  'SCHEMA_TILE_EXTENT.sparse': [
    SPARSE,
    (array) => array.editSchema(({ domain }) => void domain.dimensions[0].tile_extent?.fill(0xfb)),
  ],
  'SCHEMA_FILL_VALUE.sparse': [
    SPARSE,
    (array) =>
      array.editSchema(({ attributes }) => {
        attributes[0].fill_value = Uint8Array.of(1, 2, 3)
      }),
  ],
  'FILE_UNLISTED.missing': [
    SPARSE,
    (array) => array.move(array.find(/\/a0\.tdb$/), array.find(/\/a0\.tdb$/).replace('a0', 'A0')),
  ],
  'PROCESSED_CONDITION_NAME.lost': ['22/deletes_consolidated', (array) => array.removeAll(/\.del$/)],
  'FRAGMENT_NAME_INVALID.copy': [
    SPARSE,
    (array) => {
      const fragment = array.fragmentPath()
      const copy = `${fragment} copy`.slice(array.root.length + 1)
      for (const path of array.matching(/__fragments\//))
        if (path.startsWith(`${fragment}/`)) array.add(copy + path.slice(fragment.length), array.get(path))
    },
  ],
  'FILE_LONG.exchanged': ['22/dense_basic', exchange],
  'FILE_SHORT.exchanged': ['22/dense_basic', exchange],
  'FILE_LONG.doubled': [SPARSE, (array) => writeTwice(array, /\/a3\.tdb$/)],
  'FILE_LONG.writtenTwice': [SPARSE, (array) => writeTwice(array, /\/a3\.tdb$/)],
  'SECTION_GAP.writtenTwice': [SPARSE, (array) => writeTwice(array, METADATA)],
  'FILE_MISSING.coordinates': [SPARSE, (array) => array.remove(array.find(/\/d1\.tdb$/))],
  'FILE_MISSING.times': ['22/deletes_consolidated', (array) => array.remove(array.find(/\/dt\.tdb$/))],
  'FILE_MISSING.timesUnread': ['22/duplicates', (array) => array.remove(array.find(/\/t\.tdb$/))],
  'FILE_SHORT.times': ['22/deletes_consolidated', (array) => array.cut(array.find(/\/dt\.tdb$/), -1)],
  'FILE_SHORT.timesUnread': ['22/duplicates', (array) => array.cut(array.find(/\/t\.tdb$/), -1)],
  'FILE_SHORT.conditionIndex': ['22/deletes_consolidated', (array) => array.cut(array.find(/\/dci\.tdb$/), -1)],
  'FILE_SHORT.coordinates': [SPARSE, (array) => array.cut(array.find(/\/d0\.tdb$/), -1)],
  'FILE_MISSING.conditionIndex': ['22/deletes_consolidated', (array) => array.remove(array.find(/\/dci\.tdb$/))],
  'VACUUM_MISSING.sameCells': ['22/vacuum_left', (array) => array.remove(array.find(/\.vac$/))],
  'FILE_MISSING.unusedOffsets': ['22/filter_strings', (array) => array.remove(array.find(/\/a0\.tdb$/))],
  'FILE_SHORT.unusedOffsets': ['22/filter_strings', (array) => array.cut(array.find(/\/a0\.tdb$/), -1)],
  'TILE_UNREADABLE.unusedOffsets': [
    '22/filter_strings',
    // The footer agrees with the file, which is too short for a number of chunks.
    (array) => {
      array.cut(array.find(/\/a0\.tdb$/), 4)
      array.editFooter(({ file_sizes }) => {
        file_sizes[0] = 4
      })
    },
  ],
  'TILE_UNREADABLE.unusedTile': ['22/filter_strings', (array) => array.patch(array.find(/\/a0\.tdb$/), 0, [1])],
  'NONEMPTY_DOMAIN.unwritten': [
    '22/dense_3d_row_row',
    (array) => array.editFooter(({ nonempty_domain }) => void nonempty_domain[0].min[0]++),
  ],
  'MBR_INVALID.cells': [SPARSE, (array) => array.editFooter({ last_tile_cell_num: 1n })],
  'CHUNK_UNREADABLE.brokenZstd': [
    '22/filter_zstd',
    (array) => {
      // The first block gets the reserved type.
      array.patch(array.find(/\/a0\.tdb$/), 0x2a, [0x87])
    },
  ],
  'CHUNK_UNREADABLE.cutShort': ['unreadable/18_empty_chunk_gzip', () => {}],
  'CHUNK_UNREADABLE.deltaOfNothing': ['unreadable/22_empty_chunk_double_delta', () => {}],
  'CHUNK_UNREADABLE.partOfNothing': ['unreadable/22_empty_chunk_bitshuffle_md5', () => {}],
  'CHUNK_UNREADABLE.otherTypes': [
    'unreadable/19_one_filter_type',
    (array) => {
      for (const file of [/a1\.tdb$/, /a2\.tdb$/, /a3\.tdb$/, /a4\.tdb$/]) array.remove(array.find(file))
    },
  ],
  'CHUNK_UNREADABLE.tailLost': ['unreadable/22_tail_lost_zstd_delta', () => {}],
  'CHUNK_UNREADABLE.metadataTailLost': ['unreadable/22_tail_lost_bit_width_double_delta', () => {}],
  'SECTION_OFFSET.aggregates': [SPARSE, (array) => array.editFooter(farAway('tile_sums_offsets'))],
  'SECTION_UNREADABLE.aggregates': [SPARSE, (array) => array.editFooter(farAway('tile_sums_offsets'))],
  'SECTION_OFFSET.unneeded': [SPARSE, (array) => array.editFooter(farAway('tile_var_sizes_offsets'))],
  'SECTION_UNREADABLE.unneeded': [SPARSE, (array) => array.editFooter(farAway('tile_var_sizes_offsets'))],
  // Offset of the encryption type in the header.
  'GENERIC_TILE_HEADER.refused': [SPARSE, (array) => array.patch(array.find(SCHEMA), 29, [1])],
  'CELL_LOST.doubleDelta': ['unreadable/18_bits_lost_double_delta', () => {}],
  'CELL_OFFSETS.unusedStart': [
    '22/fill_values',
    // Cells 0 to 8 of this tile are padding.
    (array) => array.editTile('s', 'offsets', 0, (data) => data.fill(0xff, 16, 24)),
  ],
  'TILE_NULL_COUNT.notNullable': [
    '22/type_numbers_sparse',
    (array) => array.editSection('tile_null_counts', 0, { values: Float64Array.of(1, 0, 0) }),
  ],
  'FRAGMENT_NULL_COUNT.notNullable': [
    SPARSE,
    (array) =>
      array.editSection('fragment_min_max_sum_null_count', undefined, ([first]) => {
        first.null_count = 3
      }),
  ],
  'METADATA_NAME_INVALID.unreadable': [
    SPARSE,
    (array) => array.add(`__meta/__5_5_${'0'.repeat(32)}.tmp`, Uint8Array.of(1, 2, 3)),
  ],
  'METADATA_NAME_INVALID.readable': [
    SPARSE,
    (array) => array.add('__meta/old_copy', array.get(array.find(/\/__meta\//))),
  ],
  'METADATA_NAME_INVALID.passedOver': [
    '22/group',
    (array) => array.add(`__group/__1_1_${'0'.repeat(32)}.vac`, new Uint8Array()),
  ],
  'METADATA_UNREADABLE.refusedLine': [
    SPARSE,
    (array) => array.add(`__meta/__1_1_${'0'.repeat(32)}.vac`, text('nonsense\n')),
  ],
  'METADATA_UNREADABLE.unusedLine': [
    '22/group',
    (array) => array.add(`__meta/__1_1_${'0'.repeat(32)}.vac`, text('nonsense\n')),
  ],
  'GROUP_MEMBER_MISSING.elsewhere': [
    '22/group',
    (array) =>
      array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
        for (const member of members)
          if (member.uri.endsWith('arr1')) Object.assign(member, { uri: 'file:///gone/arr1', relative: false })
      }),
  ],
  'GROUP_MEMBER_MISSING.never': [
    '22/group',
    (array) =>
      array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
        for (const member of members)
          if (member.uri.endsWith('arr1')) Object.assign(member, { type: 'invalid', uri: 'no' })
      }),
  ],
  'GROUP_MEMBER_TYPE.invalid': [
    '22/group',
    (array) =>
      array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
        for (const member of members) if (member.uri.endsWith('arr1')) member.type = 'invalid'
      }),
  ],
}

async function provoked(state: string): Promise<EditableArray> {
  const spec = DATASET_VARIANTS[state]
  if (spec) return dataset(spec)
  const layered = LAYER_VARIANTS[state]
  if (layered) {
    const [sample, change] = layered
    const dataset = await sampleArray(sample, EDITED, writingCodecs)
    await change(dataset)
    return dataset
  }
  const ofWorkspace = GENOMICSDB_VARIANTS[state]
  if (ofWorkspace) {
    const workspace = await sampleArray('genomicsdb', EDITED, writingCodecs)
    await ofWorkspace(workspace)
    return workspace
  }
  const [fixture, change] = PROVOKED[state]
  const array = new EditedArray(fixture)
  await change(array)
  return array
}

/** Adds an older schema that has the first enumeration as it is. The present schema has it changed, in another file. */
async function withEnumerationAnew(
  array: EditedArray,
  change: (enumeration: Enumeration) => Enumeration,
): Promise<void> {
  const { schema } = await (await openEdited(array)).newestSchema()
  const [{ path_name }] = schema.enumerations
  const other = `__${'1'.repeat(32)}_0`
  array.add(`__schema/__enumerations/${other}`, array.get(array.find(new RegExp(path_name))))
  await array.rewrite(`${EDITED}/__schema/__enumerations/${other}`, enumerationFile, (enumeration) => ({
    ...change(enumeration),
    path_name: other,
  }))
  const present = array.find(SCHEMA)
  array.add(`__schema/__1000_1000_${UUID}`, array.get(present))
  await array.rewrite(present, arraySchema, ({ enumerations }) => {
    enumerations[0].path_name = other
  })
}

describe('a code means something else where its own severity would not be true', () => {
  const all = Object.entries(CODE_ROWS).flatMap(([code, row]) =>
    Object.entries(row.variants ?? {}).map(([variant, meant]) => ({ code, variant, usual: row.meaning, ...meant })),
  )
  test.each(all)('$code.$variant', async ({ code, variant, usual, severity, meaning }) => {
    const array = await provoked(`${code}.${variant}`)
    const { findings } = await check(array.storage(), array.root, { all: true, level: LEVEL_OF[`${code}.${variant}`] })
    expect(findings.filter((one) => one.code === code)).toMatchObject([{ variant, severity, meaning }])
    expect(meaning).not.toBe(usual)
  })
})

describe('files that were written twice over', () => {
  test('are nothing above a note, and only halves that differ are', async () => {
    const array = new EditedArray(SPARSE)
    for (const file of [/\/a3\.tdb$/, METADATA]) writeTwice(array, file)
    for (const level of LEVELS) expect(serious((await check(array.storage(), EDITED, { level })).findings)).toEqual([])
    const file = array.find(/\/a3\.tdb$/)
    for (const position of [0, 389]) {
      array.flip(file, 390 + position)
      const { findings } = await check(array.storage(), EDITED, { level: 'chunks' })
      expect(serious(findings)).toMatchObject([{ code: 'FILE_LONG', offset: 390 }])
      array.flip(file, 390 + position)
    }
  })

  test('metadata with a gap of half its length that is no copy', async () => {
    const array = new EditedArray(SPARSE)
    const path = array.find(METADATA)
    writeTwice(array, METADATA)
    array.patch(path, array.get(path).length / 2, [1])
    const { findings } = await check(array.storage(), EDITED, { level: 'structure' })
    expect(serious(findings)).toMatchObject([{ code: 'SECTION_GAP' }])
  })

  test('halves of several blocks are compared to their ends', async () => {
    const twice = new Uint8Array(2 * (2 ** 20 + 5)).fill(7)
    expect(await isWrittenTwice(new MemorySource('a', twice))).toBe(true)
    twice[twice.length - 1] = 8
    expect(await isWrittenTwice(new MemorySource('a', twice))).toBe(false)
  })
})

describe('what readers pass over is no error', () => {
  test('damage of a fragment that a .vac file hides is a warning that says so', async () => {
    const array = new EditedArray('22/vacuum_left')
    array.cut(array.find(/\/__10_10_.*metadata\.tdb$/), 100)
    array.remove(array.find(/\/__20_20_[^/]*\/a0\.tdb$/))
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.map(({ severity, code }) => `${severity} ${code}`).sort()).toEqual([
      'warning FILE_MISSING',
      'warning FOOTER_UNREADABLE',
    ])
    for (const { meaning } of findings) expect(meaning).toMatch(/; but readers skip the fragment, because a \.vac/)
  })

  test('the same, where the fragment alone is the target', async () => {
    const array = new EditedArray('22/vacuum_left')
    const file = array.find(/\/__10_10_.*metadata\.tdb$/)
    array.remove(file)
    const { findings } = await check(array.storage(), file.slice(0, file.lastIndexOf('/')))
    expect(findings).toMatchObject([{ code: 'FRAGMENT_NO_METADATA', severity: 'note' }])
  })

  test('commits that an .ign file takes back may name what is gone', async () => {
    const array = new EditedArray(SPARSE)
    array.add(`__commits/${BEFORE}.con`, text(`__commits/${BEFORE}.wrt\n`))
    array.add(`__commits/${BEFORE}.ign`, text(`__commits/${BEFORE}.wrt\n`))
    expect(shown(serious((await check(array.storage(), EDITED)).findings))).toEqual([])
    // TileDB compares the lines as they are.
    array.add(`__commits/${BEFORE}.ign`, text(`/__commits/${BEFORE}.wrt\n`))
    const { findings } = await check(array.storage(), EDITED)
    expect(serious(findings)).toMatchObject([{ code: 'COMMIT_DANGLING', severity: 'error' }])
  })
})

describe('what TileDB fails on', () => {
  test.each([
    ['22/encrypted', '22/empty_sparse'],
    ['10/encrypted', '10/sparse_basic'],
  ])('%s with a schema that is not encrypted', async (name, other) => {
    for (const stamp of ['9999999999999', '1000000000000']) {
      const array = new EditedArray(name)
      const plain = new EditedArray(other)
      array.add(`__schema/__${stamp}_${stamp}_${UUID}`, plain.get(plain.find(SCHEMA)))
      const { findings } = await check(array.storage(), EDITED, { key: array.key })
      expect(findings.filter(({ severity }) => severity === 'error')).toMatchObject([
        { code: 'SCHEMA_UNREADABLE', field: 'encryption_type', found: 'NO_ENCRYPTION' },
      ])
    }
  })

  test('metadata that is not encrypted, in an array that is', async () => {
    const array = new EditedArray('22/encrypted')
    const plain = new EditedArray('22/metadata')
    array.add(`__meta/__5_5_${UUID}`, plain.get(plain.find(/\/__meta\/__10_10/)))
    const { findings } = await check(array.storage(), EDITED, { key: array.key })
    expect(findings).toMatchObject([{ code: 'METADATA_UNREADABLE', field: 'encryption_type', severity: 'error' }])
  })

  test('a footer that was cut keeps the whole array from opening, and the finding says so', async () => {
    const array = new EditedArray(SPARSE)
    const file = array.find(METADATA)
    array.cut(file, array.get(file).length - 40)
    const { findings } = await check(array.storage(), EDITED)
    expect(findings).toMatchObject([
      { code: 'FOOTER_UNREADABLE', meaning: expect.stringMatching(/fails to open the whole array/) },
    ])
  })

  test('a .vac file with a line that is no path', async () => {
    const array = new EditedArray(SPARSE)
    array.add(`__commits/${BEFORE}.vac`, text('nobody\n'))
    const { findings } = await check(array.storage(), EDITED)
    expect(serious(findings)).toMatchObject([{ code: 'COMMIT_UNREADABLE', severity: 'error', offset: 0 }])
  })

  test('a commit of __commits whose fragment lies in the folder of old ones', async () => {
    const array = new EditedArray(SPARSE)
    array.move(array.fragmentPath(), `${EDITED}/${array.fragmentPath().replace(/^.*\//, '')}`)
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.filter(({ code }) => code === 'COMMIT_DANGLING')).toMatchObject([{ severity: 'error' }])
  })

  test('a .vac file that was cut in a line, or whose line lies in no folder of fragments, names what it meant', async () => {
    for (const change of [
      (array: EditedArray, file: string) => array.cut(file, 90),
      (array: EditedArray, file: string) => array.patch(file, 6, text('c')),
    ]) {
      const array = new EditedArray('22/vacuum_left')
      change(array, array.find(/\.vac$/))
      const { findings } = await check(array.storage(), EDITED)
      expect(findings).toMatchObject([{ code: 'VACUUM_DANGLING', variant: 'near', severity: 'warning' }])
      expect(findings[0].expected).toMatch(/^"__fragments\/__[12]0_[12]0_[0-9a-f]{32}_22"$/)
    }
  })

  test('cells that are read twice are told only where the sources make up the whole fragment', async () => {
    const codes = async (change: (array: EditableArray) => void): Promise<string[]> => {
      const array = await sampleArray('duplicates', EDITED, writingCodecs)
      change(array)
      return serious((await check(array.storage(), EDITED)).findings).map(({ code }) => code)
    }
    expect(await codes(() => {})).toEqual([])
    const list = /\.vac$/
    expect(await codes((array) => array.remove(array.find(list)))).toEqual(['VACUUM_MISSING'])
    // One of the two lines is gone.
    expect(await codes((array) => array.cut(array.find(list), array.get(array.find(list)).length / 2))).toEqual([
      'VACUUM_MISSING',
    ])
    // What was written later, or left out, at a time of the consolidated fragment.
    for (const gone of [/__10_10_/, /__20_20_/])
      expect(
        await codes((array) => {
          array.removeAll(gone)
          array.remove(array.find(list))
        }),
      ).toEqual([])
  })

  test('a .vac file whose own fragment is gone hides cells that nothing holds anew', async () => {
    const array = new EditedArray('22/vacuum_left')
    array.removeAll(/\/__10_30_[^/]*\/|\/__10_30_[^/]*\.wrt$/)
    const { findings } = await check(array.storage(), EDITED)
    expect(serious(findings).map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      'error VACUUM_HIDES_CELLS',
      'error VACUUM_HIDES_CELLS',
      'error VACUUM_HIDES_CELLS',
      'error ARRAY_READS_EMPTY',
    ])
  })
})
