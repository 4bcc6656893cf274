import { textBytes, u64Bytes } from '../../src/damage/bytes.ts'
import { UUID } from '../../src/damage/damage.ts'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import { addCells, removeKey, rows, setKeys } from '../../src/damage/layer-sample.ts'
import type { SampleName } from '../../src/damage/samples.ts'
import { writeCells } from '../../src/damage/soma-sample.ts'
import { VCF_SAMPLE, vcfCell, vcfHeader } from '../../src/damage/vcf-sample.ts'
import { VECTOR_DATASET } from '../../src/damage/vector-sample.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import type { Range } from '../../src/format/range.ts'

type Change = (array: EditableArray) => void | Promise<void>

const writeData = (array: EditableArray, ...cells: readonly object[]): Promise<void> =>
  addCells(array, VCF_SAMPLE, 'data/', rows(...cells))

const writeIndex = (array: EditableArray, name: string, ...values: readonly number[]): Promise<void> =>
  addCells(array, VECTOR_DATASET, `${name}/`, rows(...values.map((value, at) => ({ rows: at, values: value }))))

/** Name of the fragment of the array `allele_count`. */
const alleleFragment = (array: EditableArray): string =>
  /allele_count\/__fragments\/([^/]+)/.exec(array.matching(/\/allele_count\/__fragments\//)[0] ?? '')?.[1] ?? ''

/** Adds a group to the members of the dataset. */
const addMember = (array: EditableArray, name: string): Promise<void> =>
  array.rewrite(array.find(/^\/__group\//), groupDetails, ({ members }) => {
    members.push({ version: 2, type: 'group', relative: true, uri: name, name, deleted: false })
  })

/** Gives an array a current domain, which tiledbsoma calls its shape. */
const setShape = (array: EditableArray, schema: RegExp, range: Range[]): Promise<void> =>
  array.rewrite(array.find(schema), arraySchema, { current_domain: { version: 0, type: 'NDRECTANGLE', range } })

/** For each variant of a code about layers, a damage that gives this variant: the sample, and what is changed in it. */
export const LAYER_VARIANTS: Readonly<Record<string, readonly [sample: SampleName, change: Change]>> = {
  'LAYER_VERSION.mixed': ['soma', (array) => setKeys(array, 'obs/', { soma_encoding_version: '1.1.0' })],
  'LAYER_MEMBER.type': ['soma', (array) => setKeys(array, 'obs/', { soma_object_type: 'SOMASparseNDArray' })],
  'LAYER_MEMBER.absolute': [
    'soma',
    (array) =>
      array.rewrite(array.find(/^\/__group\//), groupDetails, ({ members }) => {
        for (const member of members)
          if (member.uri === 'obs') Object.assign(member, { uri: `file://${array.root}/obs`, relative: false })
      }),
  ],
  'LAYER_SCHEMA.reserved': [
    'soma',
    (array) =>
      array.rewrite(array.find(/^\/obs\/__schema\/__\d/), arraySchema, ({ domain: { dimensions } }) => {
        for (const dimension of dimensions) dimension.name = 'soma_other'
      }),
  ],
  'LAYER_SHAPES_DIFFER.old': [
    'soma',
    async (array) => {
      const names = { min: textBytes('a'), max: textBytes('z') }
      const ids = { min: u64Bytes(0), max: u64Bytes(50) }
      await setShape(array, /\/var\/__schema\/__\d/, [names])
      await setShape(array, /\/X\/data\/__schema\/__\d/, [ids, ids])
    },
  ],
  'LAYER_CELLS_AGAIN.duplicates': [
    'soma',
    async (array) => {
      await writeCells(array, 'ms/RNA/X/data/', rows({ soma_dim_0: 1, soma_dim_1: 1, soma_data: 1 }))
      for (const path of array.matching(/\/X\/data\/__schema\/__\d/))
        await array.rewrite(path, arraySchema, { allows_duplicates: true })
    },
  ],
  'GROUP_MEMBER_MISSING.needed': ['soma', (array) => array.removeAll(/\/ms\/RNA\/X\/data\//)],
  'GROUP_MEMBER_MISSING.temporary': ['vectorIndex', (array) => addMember(array, 'temp_data_1')],
  'LAYER_METADATA.unmarked': ['vcf', (array) => removeKey(array, 'dataset_type')],
  'LAYER_ID_UNKNOWN.unlisted': ['vcf', (array) => writeData(array, vcfCell('C', 5, 5))],
  'LAYER_ID_UNUSED.listed': [
    'vcf',
    (array) => addCells(array, VCF_SAMPLE, 'metadata/vcf_headers/', rows(vcfHeader('C'))),
  ],
  'LAYER_CELLS_AGAIN.alike': ['vcf', (array) => writeData(array, vcfCell('A', 100, 100))],
  'LAYER_COUNT.unwritten': ['vectorIndex', (array) => setKeys(array, '', { base_sizes: '[6]' })],
  'LAYER_COUNT.order': [
    'vectorIndex',
    async (array) => {
      await setKeys(array, '', { ingestion_timestamps: '[1770000000000]' })
      await writeIndex(array, 'partition_indexes', 0, 3, 2)
    },
  ],
  'LAYER_COUNT.repeats': ['vcf', (array) => writeData(array, vcfCell('A', 5000, 7000))],
  'LAYER_STALE.replaced': [
    'vcf',
    async (array) => {
      const name = alleleFragment(array)
      const wide = `__10_1800000000000_${UUID}_22`
      array.move(`${array.root}/allele_count/__fragments/${name}`, `${array.root}/allele_count/__fragments/${wide}`)
      array.move(`${array.root}/allele_count/__commits/${name}.wrt`, `${array.root}/allele_count/__commits/${wide}.wrt`)
      await setKeys(array, 'allele_count/', { [`file://${array.root}/allele_count/__fragments/${name}`]: 'A,B' })
    },
  ],
  'LAYER_STALE.copied': [
    'vcf',
    (array) =>
      setKeys(array, 'allele_count/', { [`file:///before/allele_count/__fragments/${alleleFragment(array)}`]: 'A,B' }),
  ],
  'LAYER_STALE.deleted': ['vcf', (array) => setKeys(array, 'allele_count/', { 'skipped_delete_sample:C': '' })],
  'LAYER_STALE.newer': ['vectorIndex', (array) => writeIndex(array, 'shuffled_vector_ids', 10)],
  'LAYER_STALE.temporary': [
    'vectorIndex',
    async (array) => {
      array.add('temp_data_1/__tiledb_group.tdb')
      await addMember(array, 'temp_data_1')
    },
  ],
}
