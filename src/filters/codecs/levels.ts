import { badValue, type InspectError } from '../../base/errors.ts'

/** How TileDB interprets the stored level of a compression filter. */

const ZLIB_DEFAULT = -1

/** Highest level of GZIP and BZIP2. Above it TileDB's write fails. */
export const HIGHEST_LEVEL = 9

/** Returns the level for zlib. @throws InspectError BAD_VALUE above {@link HIGHEST_LEVEL} */
export function gzipLevel(level: number): number {
  if (level > HIGHEST_LEVEL) throw tooHigh(level)
  return level < 0 ? ZLIB_DEFAULT : level
}

const BZIP2_LOWEST = 1

/** Returns the block size in units of 100,000 bytes. @throws InspectError BAD_VALUE above {@link HIGHEST_LEVEL} */
export function bzip2Level(level: number): number {
  if (level > HIGHEST_LEVEL) throw tooHigh(level)
  return Math.max(level, BZIP2_LOWEST)
}

const ZSTD_LOWEST = -7
const ZSTD_DEFAULT = 3
const ZSTD_HIGHEST = 22

/** Returns the level for libzstd. Like libzstd, it lowers too high levels. Level -1 is a fast level, not the default. */
export function zstdLevel(level: number): number {
  return level < ZSTD_LOWEST ? ZSTD_DEFAULT : Math.min(level, ZSTD_HIGHEST)
}

function tooHigh(level: number): InspectError {
  return badValue({ expected: `a level of at most ${HIGHEST_LEVEL}`, found: level }, { field: 'level' })
}
