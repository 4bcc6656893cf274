import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import { enumerationFile } from '../format/enumeration.ts'
import { bytes } from './bytes.ts'
import { type Damages, onFooter, SCHEMA, UUID } from './damage.ts'
import type { EditableArray } from './editable-array.ts'

const ENUMERATION = /\/__enumerations\//

const onSchema =
  (change: (schema: ArraySchema) => void) =>
  (array: EditableArray): Promise<void> =>
    array.rewrite(array.find(SCHEMA), arraySchema, change)

/** Damage to schemas, enumerations and dimension labels. */
export const SCHEMA_DAMAGE = {
  SCHEMA_NAME_INVALID: {
    name: 'a file without time stamps among the schemas',
    sample: 'sparse',
    plant: (array) => array.add('__schema/draft'),
  },
  SCHEMA_UNREADABLE: {
    name: 'a schema cut short',
    sample: 'sparse',
    plant: (array) => array.cut(array.find(SCHEMA), 60),
  },
  SCHEMA_MISSING: {
    name: 'a footer that names no schema',
    sample: 'sparse',
    plant: onFooter((footer) => {
      footer.array_schema_name = `__1_1_${UUID}`
    }),
  },
  SCHEMA_NO_DIMENSION: {
    name: 'a schema without dimensions',
    sample: 'empty',
    plant: onSchema((schema) => {
      schema.domain.dimensions = []
    }),
  },
  SCHEMA_DUPLICATE_FIELD: {
    name: 'two fields of one name',
    sample: 'sparse',
    plant: onSchema((schema) => {
      schema.attributes[1].name = 'a'
    }),
  },
  SCHEMA_LAYOUT: {
    name: 'an order that is none of cells',
    sample: 'sparse',
    plant: onSchema((schema) => {
      schema.cell_order = 'unordered'
    }),
  },
  SCHEMA_CAPACITY: {
    name: 'tiles without cells',
    sample: 'empty',
    plant: onSchema((schema) => {
      schema.capacity = 0n
    }),
  },
  SCHEMA_DOMAIN: {
    name: 'a domain upside down',
    sample: 'sparse',
    plant: onSchema(({ domain }) => {
      const [first] = domain.dimensions
      const size = first.domain.length / 2
      first.domain = bytes(first.domain.subarray(size), first.domain.subarray(0, size))
    }),
  },
  SCHEMA_TILE_EXTENT: {
    name: 'tiles of no width',
    sample: 'emptyDense',
    plant: onSchema(({ domain }) => {
      domain.dimensions[0].tile_extent?.fill(0)
    }),
  },
  SCHEMA_CURRENT_DOMAIN: {
    name: 'a current domain outside of the domain',
    sample: 'currentDomain',
    plant: onSchema(({ current_domain }) => {
      const max = current_domain?.range?.[0].max
      if (max) max[max.length - 1] = 0x7f
    }),
  },
  SCHEMA_FILL_VALUE: {
    name: 'a fill value of half a cell',
    sample: 'emptyDense',
    plant: onSchema(({ attributes }) => {
      attributes[0].fill_value = Uint8Array.of(1, 2, 3)
    }),
  },
  SCHEMA_FILTER_UNKNOWN: {
    name: 'a filter of no release',
    sample: 'empty',
    plant: onSchema(({ coords_filters }) => {
      coords_filters.filters.push({ name: 'UNKNOWN_77' })
    }),
  },
  SCHEMA_FILTER_COMPRESSOR: {
    name: 'a compressor number that contradicts its filter',
    sample: 'sparse',
    plant: onSchema(({ coords_filters }) => {
      coords_filters.filters[0].compressor = 5
    }),
  },
  SCHEMA_FILTER_OPTIONS: {
    name: 'windows of no bytes',
    sample: 'sparse',
    plant: onSchema(({ attributes }) => {
      attributes[0].filters.filters[0].max_window_size = 0
    }),
  },
  ENUMERATION_UNLISTED: {
    name: 'an attribute with an enumeration that the schema lacks',
    sample: 'enumerations',
    plant: onSchema(({ attributes }) => {
      attributes[0].enumeration = 'nobody'
    }),
  },
  ENUMERATION_MISSING: {
    name: 'an enumeration without its file',
    sample: 'enumerations',
    plant: (array) => array.remove(array.first(ENUMERATION)),
  },
  ENUMERATION_UNREADABLE: {
    name: 'an enumeration cut short',
    sample: 'enumerations',
    plant: (array) => array.cut(array.first(ENUMERATION), 40),
  },
  ENUMERATION_NAME: {
    name: 'an enumeration that says it is another one',
    sample: 'enumerations',
    plant: (array) =>
      array.rewrite(array.first(ENUMERATION), enumerationFile, (enumeration) => {
        enumeration.name = 'other'
      }),
  },
  ENUMERATION_VALUES: {
    name: 'offsets of values that fall',
    sample: 'enumerations',
    plant: async (array) => {
      for (const path of array.matching(ENUMERATION)) {
        await array.rewrite(path, enumerationFile, ({ offsets }) => {
          if (offsets) offsets[1] = 1e6
        })
      }
    },
  },
  LABEL_DIMENSION: {
    name: 'a label of no dimension',
    sample: 'labels',
    plant: (array) =>
      array.rewrite(array.find(/^\/__schema\/__\d[^/]*$/), arraySchema, ({ dimension_labels }) => {
        dimension_labels[0].dimension_index = 9
      }),
  },
  LABEL_MISSING: {
    name: 'a label without its array',
    sample: 'labels',
    plant: (array) => {
      array.removeAll(/\/l1\//)
    },
  },
} satisfies Damages
