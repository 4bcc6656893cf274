import { checksumFilter } from './checksum.ts'
import type { FilterFactory } from './filter.ts'

const DIGEST_BYTES = 32

/** CHECKSUM_SHA256: see checksum.ts. */
export const checksumSha256: FilterFactory = async (codecs) =>
  checksumFilter('CHECKSUM_SHA256', DIGEST_BYTES, await codecs.sha256())
