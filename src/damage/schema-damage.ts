import { arraySchema } from '../format/array-schema.ts'
import { enumerationFile } from '../format/enumeration.ts'
import { bytes } from './bytes.ts'
import { cutShort, type Damages, damage, inFooter, inSchema, SCHEMA, UUID } from './damage.ts'

/** Where the flag stands in a schema, after its version. */
const ALLOWS_DUPLICATES = 4

const ENUMERATION = /\/__enumerations\//

/** Damage to schemas, enumerations and dimension labels. */
export const SCHEMA_DAMAGE = {
  SCHEMA_NAME_INVALID: damage('sparse', 'a file without timestamps in its name among the schemas', (array) =>
    array.add('__schema/draft'),
  ),
  SCHEMA_UNREADABLE: cutShort('sparse', 'a schema cut short', SCHEMA, 60),
  SCHEMA_MISSING: inFooter('sparse', 'a footer that names no schema', { array_schema_name: `__1_1_${UUID}` }),
  SCHEMA_FOREIGN: damage('sparse', 'a newest schema with another dimension', async (array) => {
    const schema = array.find(SCHEMA)
    const time = Number(/__schema\/__(\d+)_/.exec(schema)?.[1]) + 1
    const newer = `__schema/__${time}_${time}_${UUID}`
    array.add(newer, array.get(schema))
    await array.rewrite(`${array.root}/${newer}`, arraySchema, ({ domain }) => {
      domain.dimensions[0].name = 'other'
    })
  }),
  SCHEMA_NO_DIMENSION: inSchema('empty', 'a schema without dimensions', ({ domain }) => {
    domain.dimensions = []
  }),
  SCHEMA_DUPLICATE_FIELD: inSchema('sparse', 'two fields with the same name', ({ attributes }) => {
    attributes[1].name = 'a'
  }),
  SCHEMA_LAYOUT: inSchema('sparse', 'a cell order that TileDB does not use for cells', { cell_order: 'unordered' }),
  SCHEMA_CAPACITY: inSchema('empty', 'tiles without cells', { capacity: 0n }),
  SCHEMA_DOMAIN: inSchema('sparse', 'a domain with the upper end first', ({ domain }) => {
    const [first] = domain.dimensions
    const size = first.domain.length / 2
    first.domain = bytes(first.domain.subarray(size), first.domain.subarray(0, size))
  }),
  SCHEMA_TILE_EXTENT: inSchema('emptyDense', 'a tile extent of 0', ({ domain }) => {
    domain.dimensions[0].tile_extent?.fill(0)
  }),
  SCHEMA_CURRENT_DOMAIN: inSchema(
    'currentDomain',
    'a current domain outside of the domain',
    ({ current_domain }) => void current_domain?.range?.[0].max.fill(0x7f, -1),
  ),
  SCHEMA_FILL_VALUE: inSchema('emptyDense', 'a fill value of half a cell', ({ attributes }) => {
    attributes[0].fill_value = Uint8Array.of(1, 2, 3)
  }),
  SCHEMA_FILTER_UNKNOWN: inSchema('empty', 'a filter that no release has', ({ coords_filters }) => {
    coords_filters.filters.push({ name: 'UNKNOWN_77' })
  }),
  SCHEMA_FILTER_COMPRESSOR: inSchema(
    'emptyDense',
    'a compressor number that contradicts its filter',
    ({ coords_filters }) => {
      coords_filters.filters = [{ name: 'ZSTD', compressor: 5, level: 3 }]
    },
  ),
  FLAG_VALUE: damage('sparse', 'a flag that is neither 0 nor 1', (array) =>
    array.rewriteContent(
      array.find(SCHEMA),
      (content) => void content.fill(2, ALLOWS_DUPLICATES, ALLOWS_DUPLICATES + 1),
    ),
  ),
  SCHEMA_FILTER_OPTIONS: inSchema('sparse', 'windows of 0 bytes', ({ attributes }) => {
    attributes[0].filters.filters[0].max_window_size = 0
  }),
  ENUMERATION_UNLISTED: inSchema(
    'enumerations',
    'an attribute with an enumeration that the schema lacks',
    ({ attributes }) => {
      attributes[0].enumeration = 'nobody'
    },
  ),
  ENUMERATION_MISSING: damage('enumerations', 'an enumeration without its file', (array) =>
    array.remove(array.first(ENUMERATION)),
  ),
  ENUMERATION_UNREADABLE: cutShort('enumerations', 'an enumeration cut short', ENUMERATION, 40),
  ENUMERATION_NAME: damage('enumerations', 'an enumeration file with another name than the schema gives', (array) =>
    array.rewrite(array.first(ENUMERATION), enumerationFile, { name: 'other' }),
  ),
  ENUMERATION_VALUES: damage('enumerations', 'decreasing offsets of values', async (array) => {
    for (const path of array.matching(ENUMERATION)) {
      await array.rewrite(path, enumerationFile, ({ offsets }) => void offsets?.fill(1e6, 1, 2))
    }
  }),
  LABEL_DIMENSION: inSchema('labels', 'a label of a dimension that does not exist', ({ dimension_labels }) => {
    dimension_labels[0].dimension_index = 9
  }),
  LABEL_MISSING: damage('labels', 'a label without its array', (array) => array.removeAll(/\/l1\//)),
} satisfies Damages
