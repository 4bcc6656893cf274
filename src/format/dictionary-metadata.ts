import type { Io } from './io.ts'
import { type StringPart, stringPart } from './rle-string-metadata.ts'

/**
 * Metadata of DICTIONARY_ENCODING (STRING_ASCII since version 13, STRING_UTF8 since 17).
 *
 *     string part, u8 id size, u8 string length size, u32 dictionary length, dictionary
 *
 * The dictionary has its entries in the order of first use. An entry is a big-endian length and that many bytes. There
 * is no count of entries, although the page has one.
 *
 * @see format_spec/filters/dictionary_encoding.md
 */
export interface DictionaryMetadata {
  part: StringPart
  /** Bytes of each id in the data: 1, 2, 4 or 8. TileDB chooses it by the number of cells, not of entries. */
  id_size: number
  /** Bytes of each length in the dictionary: 1, 2, 4 or 8. */
  string_length_size: number
  dictionary: Uint8Array
}

export function dictionaryMetadata(io: Io<DictionaryMetadata>): DictionaryMetadata {
  const part = io.struct('part', stringPart)
  const id_size = io.u8('id_size', 'bytes: of an id in the data, big-endian; chosen from the number of cells')
  const string_length_size = io.u8('string_length_size', 'bytes: of a length in the dictionary, big-endian')
  const dictionaryLength = io.derive('dictionary_length', 'uint32', (m) => m.dictionary.length, 'bytes')
  return {
    part,
    id_size,
    string_length_size,
    dictionary: io.bytes('dictionary', dictionaryLength, 'entries in the order of first use: length, bytes; no count'),
  }
}
