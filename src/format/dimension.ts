import { type CellValNum, cellValNumCoding } from './cell-val-num.ts'
import { type Datatype, datatypeCoding, datatypeSize } from './datatype.ts'
import { type FilterPipeline, filterPipeline } from './filter-pipeline.ts'
import type { Describe } from './io.ts'

/** A dimension of the array schema. */
export interface Dimension {
  /** `__dim_0`, `__dim_1`… if the user gave no name. */
  name: string
  /** Before version 5 the domain stores one type for all dimensions. */
  type: Datatype
  /** 1, or `"var"` for string dimensions. */
  cell_val_num: CellValNum
  /** As stored. An empty pipeline means that the schema's coords filters apply. */
  filters: FilterPipeline
  /** Minimum, then maximum; empty for string dimensions. */
  domain: Uint8Array
  /** One value; undefined if the dimension has none (sparse arrays only). */
  tile_extent: Uint8Array | undefined
}

/**
 * @param domainType the domain's type; undefined since version 5
 * @see format_spec/array_schema.md, "Dimension"
 */
export function dimension(version: number, domainType: Datatype | undefined): Describe<Dimension> {
  return (io) => {
    const name = io.string('name', 'uint32', 'name of the dimension')
    const type = domainType ?? io.coded('type', 'uint8', datatypeCoding, 'before, all have that of the domain')
    const cell_val_num =
      version >= 5 ? io.coded('cell_val_num', 'uint32', cellValNumCoding, '1; all bits set for strings') : 1
    const filters =
      version >= 5
        ? io.struct('filters', filterPipeline(version), 'empty: the coords filters apply')
        : { max_chunk_size: 0, filters: [] }
    const size = datatypeSize(type)
    const domainLength =
      version >= 5 ? io.derive('domain_length', 'uint64', (d) => d.domain.length, 'bytes: 0 for strings') : 2 * size
    io.require(
      domainLength === (cell_val_num === 'var' ? 0 : 2 * size),
      'domain_length',
      () => `expected ${cell_val_num === 'var' ? 0 : 2 * size} bytes of domain for ${type}, found ${domainLength}`,
    )
    const domain = io.bytes('domain', domainLength, 'lowest and highest value')
    const nullExtent = io.derive(
      'null_tile_extent',
      'uint8',
      (d) => (d.tile_extent === undefined ? 1 : 0),
      '1: the dimension has no tile extent',
    )
    io.require(nullExtent <= 1, 'null_tile_extent', () => `expected 0 or 1, found ${nullExtent}`)
    const tile_extent =
      nullExtent === 0 ? io.bytes('tile_extent', size, 'one value; where `null_tile_extent` is 0') : undefined
    return { name, type, cell_val_num, filters, domain, tile_extent }
  }
}
