import type { AnyIo } from './io.ts'

/** Bytes at the start of every gzip stream. */
export const GZIP_HEAD_BYTES = 10
/** Bytes after the compressed ones: CRC-32 and size. */
export const GZIP_TAIL_BYTES = 8

const FLAGS_AT = 3
const [HEADER_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16]

/** Length of the fields that flags announce, in bytes: an extra field, a name, a comment and a checksum of the header. */
export function optionalBytes(stream: Uint8Array): number {
  const flags = stream[FLAGS_AT] ?? 0
  let at = GZIP_HEAD_BYTES
  if (flags & EXTRA) at += 2 + (stream[at] ?? 0) + 256 * (stream[at + 1] ?? 0)
  for (const text of [NAME, COMMENT]) {
    if (!(flags & text)) continue
    const end = stream.indexOf(0, at)
    at = end < 0 ? stream.length : end + 1
  }
  if (flags & HEADER_CRC) at += 2
  return Math.min(at, Math.max(stream.length, GZIP_HEAD_BYTES)) - GZIP_HEAD_BYTES
}

/**
 * One gzip stream (RFC 1952).
 * @param optional bytes of the optional fields: see {@link optionalBytes}
 * @param deflated bytes of the compressed content
 */
export function gzipMember(optional: number, deflated: number) {
  return (io: AnyIo) => ({
    magic: io.bytes('magic', 2, 'of gzip: 1f 8b'),
    method: io.u8('method', '8: deflate'),
    flags: io.u8('flags', 'which optional fields follow'),
    modified: io.u32('modified', 'seconds since 1970; 0 if not known'),
    extra_flags: io.u8('extra_flags', 'how hard the writer compressed'),
    system: io.u8('system', 'of the writer: 3 Unix'),
    ...(optional > 0 && { optional: io.bytes('optional', optional, 'the fields that the flags announce') }),
    deflated: io.bytes('deflated', deflated, 'the content, compressed (RFC 1951)'),
    crc32: io.u32('crc32', 'checksum of the content'),
    content_size: io.u32('content_size', 'bytes: of the content, without the bits above 32'),
  })
}
