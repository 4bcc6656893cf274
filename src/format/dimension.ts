import type { Fault } from '../base/errors.ts'
import { type CellValNum, cellValNumCoding } from './cell-val-num.ts'
import { type Datatype, datatypeCoding, datatypeSize } from './datatype.ts'
import { type FilterPipeline, filterPipeline } from './filter-pipeline.ts'
import { type AnyIo, flagOf } from './io.ts'
import type { Range } from './range.ts'

/** A dimension of the array schema. If the user gave no names, they are `__dim_0`, `__dim_1`… */
export type Dimension = ReturnType<ReturnType<typeof dimension>>

/**
 * @param domainType the domain's type; undefined since version 5
 * @see format_spec/array_schema.md, "Dimension"
 */
export function dimension(version: number, domainType: Datatype | undefined) {
  const filtersOf = (io: AnyIo): FilterPipeline =>
    version >= 5
      ? io.struct('filters', filterPipeline(version), 'filters of the dimension; empty: the coords filters apply')
      : { max_chunk_size: 0, filters: [] }
  return (io: AnyIo) => {
    const name = io.string('name', 'uint32', 'name of the dimension')
    const type =
      domainType ?? io.coded('type', 'uint8', datatypeCoding, 'type of the values; before version 5 that of the domain')
    const cell_val_num: CellValNum =
      version >= 5
        ? io.coded('cell_val_num', 'uint32', cellValNumCoding, 'values of a cell: 1; all bits set: var-sized strings')
        : 1
    const filters = filtersOf(io)
    const size = datatypeSize(type)
    const expected = cell_val_num === 'var' ? 0 : 2 * size
    const length =
      version >= 5 ? io.derive('domain_length', 'uint64', (d) => d.domain.length, 'bytes: 0 for strings') : 2 * size
    const badLength = (): Fault => ({ expected: `${expected} bytes of domain for ${type}`, found: length })
    io.require(length === expected, 'domain_length', badLength)
    const domain = io.bytes('domain', length, 'lowest and highest value')
    const none = (d: { tile_extent: unknown }): boolean => d.tile_extent === undefined
    const tile_extent = flagOf(io, 'null_tile_extent', none, '1: the dimension has no tile extent')
      ? undefined
      : io.bytes('tile_extent', size, 'extent of a tile, one value; absent if `null_tile_extent` is 1')
    return { name, type, cell_val_num, filters, domain, tile_extent }
  }
}

/** The domain of a dimension as a range. */
export function domainRange({ domain }: Dimension): Range {
  const half = domain.length / 2
  return { min: domain.subarray(0, half), max: domain.subarray(half) }
}
