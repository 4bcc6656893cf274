import { enumerationOf } from './coding.ts'
import { type Describe, flagOf } from './io.ts'
import { type NDRange, ndRange, type RangeType } from './range.ts'

/**
 * The current domain of a schema: the part of the domain that may have cells. It does not change the tiles. Since
 * schema version 22. Its own version is 0 in real bytes (upstream's page says 1).
 *
 * @see format_spec/current_domain.md
 */
export interface CurrentDomain {
  version: number
  type: 'NDRECTANGLE' | undefined
  /** Undefined if the schema has no current domain. */
  range: NDRange | undefined
}

const currentDomainTypeCoding = enumerationOf<'NDRECTANGLE'>('current domain type', ['NDRECTANGLE'])

export function currentDomain(dimensions: readonly RangeType[]): Describe<CurrentDomain> {
  return (io) => {
    const version = io.u32('version', 'of this structure: 0')
    const empty = flagOf(io, 'empty', (c) => c.range === undefined, '1: nothing follows')
    if (empty) return { version, type: undefined, range: undefined }
    return {
      version,
      type: io.coded('type', 'uint8', currentDomainTypeCoding, '0: a box; where there is one'),
      range: io.struct('range', ndRange(dimensions)),
    }
  }
}
