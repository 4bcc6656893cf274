import { checksum } from './checksum.ts'

const DIGEST_BYTES = 16

/** CHECKSUM_MD5: see checksum.ts. */
export const checksumMd5 = checksum('CHECKSUM_MD5', DIGEST_BYTES, (codecs) => codecs.md5())
