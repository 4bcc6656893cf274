import { concat } from '../base/bytes.ts'
import { InspectError } from '../base/errors.ts'
import { AES_IV_BYTES, aesMetadata, type EncryptedPart } from '../format/chunk-metadata.ts'
import { encode } from '../format/io.ts'
import { badData, hex, Parts, wholeMetadata } from './bytes.ts'
import type { Aead } from './codecs/codecs.ts'
import { type Filter, type FilterContext, type FilterDefinition, noMore } from './filter.ts'

const KEY_BYTES = 32

/**
 * AES_256_GCM: encrypts each part separately, with its own initialisation vector (IV). Schemas never list this filter. It
 * is the last filter of every pipeline of an encrypted array.
 *
 *     metadata  u32 metadata parts, u32 data parts, per part u32 length before, u32 after, IV (12 bytes), tag (16)
 *     data      the encrypted parts: first the metadata of earlier filters, then the data
 *
 * @see format_spec/tile.md, "Encryption Filters"
 */
export const aes256Gcm: FilterDefinition = {
  since: 1,
  suits: undefined,
  tellsDamage: true,
  losesEmptyPart: () => true,
  outputType: () => 'BLOB',
  metadata: () => aesMetadata,
  mostUndone: noMore,
  load: async (codecs) => aesFilter(await codecs.aes256gcm()),
}

function aesFilter(aead: Aead): Filter {
  return {
    forward(parts, _config, cx) {
      const key = keyOf(cx)
      const { randomBytes } = cx
      if (!randomBytes) throw new TypeError('AES_256_GCM needs a source of random bytes to write')
      const encrypted: Uint8Array[] = []
      const seal = (part: Uint8Array): EncryptedPart => {
        const iv = randomBytes(AES_IV_BYTES)
        const { data, tag } = aead.seal(key, iv, part)
        encrypted.push(data)
        return { plain_length: part.length, encrypted_length: data.length, iv, tag }
      }
      const own = { metadata_parts: parts.metadata.map(seal), data_parts: parts.data.map(seal) }
      return { metadata: [encode(own, aesMetadata)], data: [concat(encrypted)] }
    },
    reverse(bytes, _config, cx) {
      const key = keyOf(cx)
      const described = wholeMetadata(bytes.metadata, aesMetadata, 'that of AES')
      const stored = new Parts(bytes.data, 'encrypted bytes')
      const open = (list: string) => (part: EncryptedPart, index: number) => {
        const place = `${list}.${index}`
        if (part.encrypted_length !== part.plain_length) {
          const fault = { expected: `${part.plain_length} encrypted bytes`, found: part.encrypted_length }
          throw badData(fault, `${place}.encrypted_length`)
        }
        const sealed = stored.take(part.encrypted_length, `${place}.encrypted_length`)
        const plain = aead.open(key, part.iv, part.tag, sealed)
        cx.onVerdict?.({ filter: 'AES_256_GCM', ok: plain !== undefined, expected: hex(part.tag), actual: undefined })
        if (!plain) {
          const fault = {
            expected: 'bytes that the key decrypts',
            found: 'another tag: the key is wrong, or the bytes are damaged',
          }
          throw new InspectError('WRONG_KEY', fault, { field: `${place}.tag` })
        }
        return plain
      }
      const metadata = concat(described.metadata_parts.map(open('metadata_parts')))
      const data = concat(described.data_parts.map(open('data_parts')))
      stored.end()
      return { metadata, data }
    },
  }
}

function keyOf(cx: FilterContext): Uint8Array {
  if (!cx.key)
    throw new InspectError('KEY_NEEDED', 'expected a key, since the array is encrypted (AES-256-GCM); found none')
  if (cx.key.length !== KEY_BYTES) {
    throw new InspectError('WRONG_KEY', { expected: `a key of ${KEY_BYTES} bytes`, found: cx.key.length })
  }
  return cx.key
}
