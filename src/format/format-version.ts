import { InspectError } from '../base/errors.ts'

/** Newest format version that this code knows: that of upstream's development branch. @see NEWEST_STABLE in releases.ts */
export const NEWEST_FORMAT_VERSION = 23

/** Unreleased builds write versions from here on. @see tiledb/sm/misc/constants.cc */
export const FIRST_EXPERIMENTAL_VERSION = 0x80000000

/**
 * @throws InspectError BAD_VALUE for 0, which no release wrote; UNSUPPORTED_VERSION above {@link NEWEST_FORMAT_VERSION}
 */
export function checkVersion(version: number, field = 'version'): void {
  if (version >= 1 && version <= NEWEST_FORMAT_VERSION) return
  const experimental =
    version >= FIRST_EXPERIMENTAL_VERSION ? ' (an experimental version, of an unreleased build or a fork)' : ''
  throw new InspectError(
    version === 0 ? 'BAD_VALUE' : 'UNSUPPORTED_VERSION',
    { expected: `a format version from 1 to ${NEWEST_FORMAT_VERSION}`, found: `${version}${experimental}` },
    { field },
  )
}
