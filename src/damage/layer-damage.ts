import { arraySchema } from '../format/array-schema.ts'
import type { CurrentDomain } from '../format/current-domain.ts'
import { groupDetails } from '../format/group-details.ts'
import { u64Bytes } from './bytes.ts'
import { type Damages, damage, UUID } from './damage.ts'
import { removeKey, setKeys, writeCells } from './soma-sample.ts'

/** The schema of the array `X/data` in the sample of SOMA. */
const X_SCHEMA = /\/X\/data\/__schema\/__\d[^/]*$/

/** Damage between the parts of a dataset of a layer. */
export const LAYER_DAMAGE = {
  LAYER_VERSION: damage('soma', 'a version that no release has', (array) =>
    setKeys(array, '', { soma_encoding_version: '9.9' }),
  ),
  LAYER_METADATA: damage('soma', 'a kind of object that no release has', (array) =>
    setKeys(array, 'obs/', { soma_object_type: 'SOMACube' }),
  ),
  LAYER_INCOMPLETE: damage('image', 'an image without the key that is written last', (array) =>
    removeKey(array, 'valid'),
  ),
  LAYER_TEXT: damage('image', 'a list of levels that is no JSON', (array) =>
    setKeys(array, '', { levels: '[{"level"' }),
  ),
  LAYER_MEMBER: damage('soma', 'an experiment without obs in its list', (array) =>
    array.rewrite(array.find(/^\/__group\//), groupDetails, ({ members }) => {
      members.splice(0, members.length, ...members.filter(({ uri }) => uri !== 'obs'))
    }),
  ),
  LAYER_SCHEMA: damage('soma', 'a layer with other dimensions', (array) =>
    array.rewrite(array.find(X_SCHEMA), arraySchema, ({ domain: { dimensions } }) => {
      for (const [d, dimension] of dimensions.entries()) dimension.name = `dim_${d}`
    }),
  ),
  LAYER_SHAPE: damage('soma', 'a shape that is smaller than obs', (array) =>
    array.rewrite(array.find(X_SCHEMA), arraySchema, { current_domain: shape(3, 3) }),
  ),
  LAYER_SHAPES_DIFFER: damage('soma', 'a shape in one array alone', (array) =>
    array.rewrite(array.find(X_SCHEMA), arraySchema, { current_domain: shape(4, 3) }),
  ),
  LAYER_ID_UNKNOWN: damage('soma', 'a cell of a row that obs does not have', (array) =>
    writeCells(array, 'ms/RNA/X/data/', '{"soma_dim_0":7,"soma_dim_1":0,"soma_data":1}\n'),
  ),
  LAYER_ID_INVALID: damage('soma', 'two rows with one id', (array) =>
    writeCells(array, 'obs/', '{"obs_id":"twice","soma_joinid":1}\n'),
  ),
  LAYER_ID_UNUSED: damage('soma', 'rows that were added to obs alone', (array) =>
    writeCells(array, 'obs/', '{"obs_id":"more","soma_joinid":5}\n'),
  ),
  LAYER_CELLS_AGAIN: damage('soma', 'a cell that was written twice', (array) =>
    writeCells(array, 'ms/RNA/X/data/', '{"soma_dim_0":1,"soma_dim_1":1,"soma_data":1}\n'),
  ),
  LAYER_COUNT: damage('vectorIndex', 'a list with an ingestion more than the others', (array) =>
    setKeys(array, '', { partition_history: '[2,3]' }),
  ),
  LAYER_STALE: damage('vcf', 'statistics of a fragment that is gone', (array) =>
    setKeys(array, 'allele_count/', { [`file:///vcf/allele_count/__fragments/__5_5_${UUID}_22`]: 'A,B' }),
  ),
} satisfies Damages

/** A current domain from 0. */
function shape(...lengths: readonly number[]): CurrentDomain {
  const range = lengths.map((length) => ({ min: u64Bytes(0), max: u64Bytes(length - 1) }))
  return { version: 0, type: 'NDRECTANGLE', range }
}
