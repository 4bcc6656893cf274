import type { Io } from './io.ts'

export const AES_IV_BYTES = 12
export const AES_TAG_BYTES = 16

/** One encrypted part. There is no additional authenticated data. */
export interface EncryptedPart {
  plain_length: number
  /** Equal to `plain_length`: the cipher keeps lengths. */
  encrypted_length: number
  iv: Uint8Array
  tag: Uint8Array
}

/**
 * Metadata of AES_256_GCM, the last filter of every pipeline of an encrypted array. It lists the metadata parts of
 * earlier filters, then the data parts. The chunk's data has the encrypted parts in the same order.
 *
 *     u32 metadata parts, u32 data parts, then per part u32 length before, u32 length after, 12 bytes IV, 16 bytes tag
 *
 * @see format_spec/tile.md, "Encryption Filters"; real bytes have the layout of its AESPart, without lengths of IV and tag
 */
export interface AesMetadata {
  metadata_parts: EncryptedPart[]
  data_parts: EncryptedPart[]
}

function encryptedPart(io: Io<EncryptedPart>): EncryptedPart {
  return {
    plain_length: io.u32('plain_length', 'bytes: before'),
    encrypted_length: io.u32('encrypted_length', 'bytes: the same number'),
    iv: io.bytes('iv', AES_IV_BYTES, 'initialisation vector, 12 bytes'),
    tag: io.bytes('tag', AES_TAG_BYTES, 'authentication tag, 16 bytes; there is no additional authenticated data'),
  }
}

export function aesMetadata(io: Io<AesMetadata>): AesMetadata {
  const metadataPartNum = io.derive(
    'metadata_part_num',
    'uint32',
    (m) => m.metadata_parts.length,
    'parts: of metadata of earlier filters, which are encrypted, too',
  )
  const dataPartNum = io.derive('data_part_num', 'uint32', (m) => m.data_parts.length, 'parts: of data')
  return {
    metadata_parts: io.list('metadata_parts', metadataPartNum, encryptedPart),
    data_parts: io.list('data_parts', dataPartNum, encryptedPart),
  }
}
