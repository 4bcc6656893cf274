import { checksum } from './checksum.ts'

const DIGEST_BYTES = 32

/** CHECKSUM_SHA256: see checksum.ts. */
export const checksumSha256 = checksum('CHECKSUM_SHA256', DIGEST_BYTES, (codecs) => codecs.sha256())
