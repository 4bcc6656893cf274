import { InspectError } from '../base/errors.ts'
import { enumerationOf } from './coding.ts'
import { type AnyIo, flagOf } from './io.ts'
import { ndRange, type RangeType } from './range.ts'

const currentDomainTypeCoding = enumerationOf<'NDRECTANGLE'>('current domain type', ['NDRECTANGLE'])

/**
 * The current domain of a schema: the part of the domain that may have cells. It does not change the tiles. Since
 * schema version 22. Its own version is 0 in real bytes (upstream's page says 1). `range` is undefined if the schema has
 * no current domain.
 *
 * @throws InspectError UNSUPPORTED_VERSION: TileDB does not open an array with another version either
 * @see format_spec/current_domain.md
 */
export type CurrentDomain = ReturnType<ReturnType<typeof currentDomain>>

export function currentDomain(dimensions: readonly RangeType[]) {
  return (io: AnyIo) => {
    const version = io.u32('version', 'version of this structure: 0')
    if (version !== 0)
      throw new InspectError(
        'UNSUPPORTED_VERSION',
        { expected: 'current domain version 0', found: version },
        { field: 'version' },
      )
    const empty = flagOf(io, 'empty', (c: { range: unknown }) => c.range === undefined, '1: nothing follows')
    return {
      version,
      type: empty ? undefined : io.coded('type', 'uint8', currentDomainTypeCoding, '0: a box; absent if `empty` is 1'),
      range: empty ? undefined : io.struct('range', ndRange(dimensions)),
    }
  }
}
