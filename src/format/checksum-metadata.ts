import type { Describe, Io } from './io.ts'

/** Digest of one part. */
export interface PartChecksum {
  /** Bytes of the part. */
  length: number
  digest: Uint8Array
}

/**
 * Metadata of CHECKSUM_MD5 (digests of 16 bytes) and CHECKSUM_SHA256 (32).
 *
 *     u32 metadata parts, u32 data parts, then per part u64 length, digest
 *
 * The metadata parts are those of earlier filters, and follow this metadata, one after another. The data parts are the
 * chunk's data.
 *
 * @see format_spec/tile.md, "Checksum Filters"
 */
export interface ChecksumMetadata {
  metadata_checksums: PartChecksum[]
  data_checksums: PartChecksum[]
}

export function checksumMetadata(digestLength: number): Describe<ChecksumMetadata> {
  const partChecksum = (io: Io<PartChecksum>): PartChecksum => ({
    length: io.size('length', 'bytes: of the part'),
    digest: io.bytes('digest', digestLength, '16 bytes (MD5) or 32 (SHA-256)'),
  })
  return (io) => {
    const metadataChecksumNum = io.derive(
      'metadata_checksum_num',
      'uint32',
      (m) => m.metadata_checksums.length,
      'parts: of metadata of earlier filters',
    )
    const dataChecksumNum = io.derive('data_checksum_num', 'uint32', (m) => m.data_checksums.length, 'parts: of data')
    return {
      metadata_checksums: io.list('metadata_checksums', metadataChecksumNum, partChecksum),
      data_checksums: io.list('data_checksums', dataChecksumNum, partChecksum),
    }
  }
}
