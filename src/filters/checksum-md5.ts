import { checksumFilter } from './checksum.ts'
import type { FilterFactory } from './filter.ts'

const DIGEST_BYTES = 16

/** CHECKSUM_MD5: see checksum.ts. */
export const checksumMd5: FilterFactory = async (codecs) =>
  checksumFilter('CHECKSUM_MD5', DIGEST_BYTES, await codecs.md5())
