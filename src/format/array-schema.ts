import { type Attribute, attribute } from './attribute.ts'
import { type CurrentDomain, currentDomain } from './current-domain.ts'
import { type Datatype, datatypeCoding } from './datatype.ts'
import { type Dimension, dimension } from './dimension.ts'
import { type DimensionLabel, dimensionLabel } from './dimension-label.ts'
import { type EnumerationEntry, enumerationEntry } from './enumeration.ts'
import { type FilterPipeline, filterPipeline } from './filter-pipeline.ts'
import { checkVersion } from './format-version.ts'
import type { Describe, Io } from './io.ts'
import { type ArrayType, arrayTypeCoding, type Layout, layoutCoding } from './layout.ts'

/** The domain: the dimensions and, before version 5, their common type. */
export interface Domain {
  type: Datatype | undefined
  dimensions: Dimension[]
}

/**
 * An array schema: the content of the generic tile in `__array_schema.tdb` (versions 1 to 9) or `__schema/<name>`
 * (since 10).
 *
 * @see format_spec/array_schema.md
 */
export interface ArraySchema {
  version: number
  /** Since version 5; false before. */
  allows_duplicates: boolean
  array_type: ArrayType
  /** Order of tiles in the array. Stored as 0 (row-major) if cells are in Hilbert order. */
  tile_order: Layout
  cell_order: Layout
  /** Cells in a tile of a sparse fragment. */
  capacity: bigint
  /** Filters of dimensions without their own filters, of timestamps and of delete metadata. */
  coords_filters: FilterPipeline
  offsets_filters: FilterPipeline
  /** Since version 7. */
  validity_filters: FilterPipeline | undefined
  domain: Domain
  attributes: Attribute[]
  /** Since version 18. */
  dimension_labels: DimensionLabel[]
  /** Since version 20. */
  enumerations: EnumerationEntry[]
  /** Since version 22. */
  current_domain: CurrentDomain | undefined
}

function domain(version: number): Describe<Domain> {
  return (io) => {
    const type = version < 5 ? io.coded('type', 'uint8', datatypeCoding, 'of all dimensions') : undefined
    const count = io.derive('dimension_num', 'uint32', (d) => d.dimensions.length, 'dimensions')
    return { type, dimensions: io.list('dimensions', count, dimension(version, type)) }
  }
}

export function arraySchema(io: Io<ArraySchema>): ArraySchema {
  const version = io.u32('version', 'format version: of the schema')
  checkVersion(version)
  const allows_duplicates =
    version >= 5 ? io.flag('allows_duplicates', 'whether several cells may have the same coordinates') : false
  const array_type = io.coded('array_type', 'uint8', arrayTypeCoding, '0 dense, 1 sparse')
  const tile_order = io.coded('tile_order', 'uint8', layoutCoding, '0 row-major, 1 col-major')
  const cell_order = io.coded('cell_order', 'uint8', layoutCoding, '0 row-major, 1 col-major, 4 hilbert')
  const capacity = io.u64('capacity', 'cells: of a tile in sparse fragments')
  const coords_filters = io.struct(
    'coords_filters',
    filterPipeline(version),
    'of dimensions without filters of their own, and of time stamps',
  )
  const offsets_filters = io.struct('offsets_filters', filterPipeline(version), 'of the offsets of var-sized fields')
  const validity_filters =
    version >= 7
      ? io.struct('validity_filters', filterPipeline(version), 'of the validity of nullable attributes')
      : undefined
  const arrayDomain = io.struct('domain', domain(version))
  const attributeNum = io.derive('attribute_num', 'uint32', (s) => s.attributes.length, 'attributes')
  const attributes = io.list('attributes', attributeNum, attribute(version))
  const labelNum =
    version >= 18 ? io.derive('dimension_label_num', 'uint32', (s) => s.dimension_labels.length, 'dimension labels') : 0
  const dimension_labels = version >= 18 ? io.list('dimension_labels', labelNum, dimensionLabel) : []
  const enumerationNum =
    version >= 20 ? io.derive('enumeration_num', 'uint32', (s) => s.enumerations.length, 'enumerations') : 0
  const enumerations = version >= 20 ? io.list('enumerations', enumerationNum, enumerationEntry) : []
  const current_domain = version >= 22 ? io.struct('current_domain', currentDomain(arrayDomain.dimensions)) : undefined
  return {
    version,
    allows_duplicates,
    array_type,
    tile_order,
    cell_order,
    capacity,
    coords_filters,
    offsets_filters,
    validity_filters,
    domain: arrayDomain,
    attributes,
    dimension_labels,
    enumerations,
    current_domain,
  }
}
