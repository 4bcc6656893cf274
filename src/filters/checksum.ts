import { InspectError } from '../base/errors.ts'
import { checksumMetadata, type PartChecksum } from '../format/checksum-metadata.ts'
import { decodePrefix, encode } from '../format/io.ts'
import { badData, hex } from './bytes.ts'
import type { Digest } from './codecs/codecs.ts'
import type { ChecksumVerdict, Filter, FilterContext } from './filter.ts'

/**
 * The two checksum filters: bytes pass unchanged, a digest of every part goes in front of the metadata.
 *
 *     metadata  u32 metadata parts, u32 data parts, per part u64 bytes and its digest; earlier metadata
 *     data      as it was
 *
 * Reading: a digest that does not fit goes to `onVerdict`, or raises CHECKSUM where nobody listens.
 *
 * @see format_spec/tile.md, "Checksum Filters"
 */
export function checksumFilter(name: ChecksumVerdict['filter'], digestLength: number, digest: Digest): Filter {
  const layout = checksumMetadata(digestLength)
  const sign = (part: Uint8Array): PartChecksum => ({ length: part.length, digest: digest(part) })

  /** Compares the digests of `parts`, which follow one another and together are `bytes`. */
  function verify(parts: readonly PartChecksum[], bytes: Uint8Array, list: string, cx: FilterContext): void {
    let at = 0
    parts.forEach((part, index) => {
      if (part.length > bytes.length - at) {
        throw badData(
          `expected ${part.length} bytes under a checksum, found ${bytes.length - at}`,
          `${list}.${index}.length`,
        )
      }
      const expected = hex(part.digest)
      const actual = hex(digest(bytes.subarray(at, at + part.length)))
      at += part.length
      const ok = expected === actual
      if (cx.onVerdict) cx.onVerdict({ filter: name, ok, expected, actual })
      else if (!ok)
        throw new InspectError('CHECKSUM', `expected ${expected}, found ${actual}`, {
          field: `${list}.${index}.digest`,
        })
    })
    if (at !== bytes.length) throw badData(`expected ${at} bytes under checksums, found ${bytes.length}`, list)
  }

  return {
    forward(parts) {
      const own = { metadata_checksums: parts.metadata.map(sign), data_checksums: parts.data.map(sign) }
      return { metadata: [encode(own, layout), ...parts.metadata], data: parts.data }
    },
    reverse(bytes, _config, cx) {
      const { value: described, length } = decodePrefix(bytes.metadata, layout)
      const metadata = bytes.metadata.subarray(length)
      verify(described.metadata_checksums, metadata, 'metadata_checksums', cx)
      verify(described.data_checksums, bytes.data, 'data_checksums', cx)
      return { metadata, data: bytes.data }
    },
  }
}
