import { InspectError } from '../base/errors.ts'
import { checksumMetadata, type PartChecksum, readFewChecksums } from '../format/chunk-metadata.ts'
import { decodePrefix, encode } from '../format/io.ts'
import { hex, Parts, sameBytes } from './bytes.ts'
import type { Codecs, Digest } from './codecs/codecs.ts'
import { type ChecksumVerdict, type Filter, type FilterContext, type FilterDefinition, noMore } from './filter.ts'

/**
 * Makes one of the two checksum filters. The bytes pass unchanged. The digests of all parts go in front of the metadata.
 *
 *     metadata  u32 metadata parts, u32 data parts, per part u64 bytes and its digest; earlier metadata
 *     data      unchanged
 *
 * Reading compares the digests. `onVerdict` receives each result. Without it, a mismatch throws CHECKSUM.
 *
 * @see format_spec/tile.md, "Checksum Filters"
 */
function checksum(
  name: ChecksumVerdict['filter'],
  digestLength: number,
  load: (codecs: Codecs) => Promise<Digest>,
): FilterDefinition {
  const layout = checksumMetadata(digestLength)
  return {
    since: 4,
    outputType: undefined,
    suits: undefined,
    tellsDamage: true,
    keepsData: true,
    losesEmptyPart: () => true,
    metadata: () => layout,
    mostUndone: noMore,
    load: async (codecs) => checksumFilter(name, digestLength, await load(codecs)),
  }
}

export const checksumMd5 = checksum('CHECKSUM_MD5', 16, (codecs) => codecs.md5())
export const checksumSha256 = checksum('CHECKSUM_SHA256', 32, (codecs) => codecs.sha256())

function checksumFilter(name: ChecksumVerdict['filter'], digestLength: number, digest: Digest): Filter {
  const layout = checksumMetadata(digestLength)
  /** A text of each digest would take longer than the digest of a small part. */
  const right: ChecksumVerdict = { filter: name, ok: true, expected: '', actual: '' }
  const sign = (part: Uint8Array): PartChecksum => ({ length: part.length, digest: digest(part) })

  /** Compares the digests of consecutive parts, which fill `bytes`. */
  function verify(parts: readonly PartChecksum[], bytes: Uint8Array, list: string, cx: FilterContext): void {
    const covered = new Parts(bytes, 'bytes under checksums')
    parts.forEach((part, index) => {
      const found = digest(covered.take(part.length, `${list}.${index}.length`))
      if (sameBytes(part.digest, found)) {
        cx.onVerdict?.(right)
        return
      }
      const [expected, actual] = [hex(part.digest), hex(found)]
      if (cx.onVerdict) cx.onVerdict({ filter: name, ok: false, expected, actual })
      else throw new InspectError('CHECKSUM', { expected, found: actual }, { field: `${list}.${index}.digest` })
    })
    covered.end(list)
  }

  return {
    forward(parts) {
      const own = { metadata_checksums: parts.metadata.map(sign), data_checksums: parts.data.map(sign) }
      return { metadata: [encode(own, layout), ...parts.metadata], data: parts.data }
    },
    reverse(bytes, _config, cx) {
      const { value: described, length } =
        readFewChecksums(bytes.metadata, digestLength) ?? decodePrefix(bytes.metadata, layout)
      const metadata = bytes.metadata.subarray(length)
      verify(described.metadata_checksums, metadata, 'metadata_checksums', cx)
      verify(described.data_checksums, bytes.data, 'data_checksums', cx)
      return { metadata, data: bytes.data }
    },
  }
}
