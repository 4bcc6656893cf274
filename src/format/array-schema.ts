import { attribute } from './attribute.ts'
import { currentDomain } from './current-domain.ts'
import { type Datatype, datatypeCoding } from './datatype.ts'
import { type Dimension, dimension } from './dimension.ts'
import { dimensionLabel } from './dimension-label.ts'
import { enumerationEntry } from './enumeration.ts'
import { filterPipeline } from './filter-pipeline.ts'
import { checkVersion } from './format-version.ts'
import { type AnyIo, countedList } from './io.ts'
import { arrayTypeCoding, layoutCoding } from './layout.ts'

/** The domain: the dimensions and, before version 5, their common type. */
export interface Domain {
  type: Datatype | undefined
  dimensions: Dimension[]
}

function domain(version: number) {
  return (io: AnyIo): Domain => {
    const type = version < 5 ? io.coded('type', 'uint8', datatypeCoding, 'type of all dimensions') : undefined
    const counted = ['dimension_num', 'uint32', 'dimensions'] as const
    return { type, dimensions: countedList(io, counted, 'dimensions', dimension(version, type)) }
  }
}

/**
 * An array schema: the content of the generic tile in `__array_schema.tdb` (versions 1 to 9) or `__schema/<name>`
 * (since 10). The tile order is stored as 0 (row-major) if cells are in Hilbert order.
 *
 * @see format_spec/array_schema.md
 */
export type ArraySchema = ReturnType<typeof arraySchema>

export function arraySchema(io: AnyIo) {
  const version = io.u32('version', 'format version: of the schema')
  checkVersion(version)
  const filters = filterPipeline(version)
  const ofDuplicates = 'whether several cells may have the same coordinates'
  const ofCoords = 'filters of dimensions that have none of their own, and of timestamps'
  const ofValidity = 'filters of the validity of nullable attributes'
  const labels = ['dimension_label_num', 'uint32', 'dimension labels'] as const
  const enumerations = ['enumeration_num', 'uint32', 'enumerations'] as const
  const schema = {
    version,
    allows_duplicates: version >= 5 ? io.flag('allows_duplicates', ofDuplicates) : false,
    array_type: io.coded('array_type', 'uint8', arrayTypeCoding, '0 dense, 1 sparse'),
    tile_order: io.coded('tile_order', 'uint8', layoutCoding, '0 row-major, 1 col-major'),
    cell_order: io.coded('cell_order', 'uint8', layoutCoding, '0 row-major, 1 col-major, 4 hilbert'),
    capacity: io.u64('capacity', 'cells: of a tile in sparse fragments'),
    coords_filters: io.struct('coords_filters', filters, ofCoords),
    offsets_filters: io.struct('offsets_filters', filters, 'filters of the offsets of var-sized fields'),
    validity_filters: version >= 7 ? io.struct('validity_filters', filters, ofValidity) : undefined,
    domain: io.struct('domain', domain(version)),
    attributes: countedList(io, ['attribute_num', 'uint32', 'attributes'], 'attributes', attribute(version)),
    dimension_labels: version >= 18 ? countedList(io, labels, 'dimension_labels', dimensionLabel) : [],
    enumerations: version >= 20 ? countedList(io, enumerations, 'enumerations', enumerationEntry) : [],
  }
  const { dimensions } = schema.domain
  const current_domain = version >= 22 ? io.struct('current_domain', currentDomain(dimensions)) : undefined
  return { ...schema, current_domain }
}
