import { bytes, littleEndian, textBytes, u32Bytes, u64Bytes } from '../../src/damage/bytes.ts'

export { bytes, textBytes, u32Bytes, u64Bytes }

export const u8 = (value: number): Uint8Array => littleEndian(1, value)
export const u16 = (value: number): Uint8Array => littleEndian(2, value)

/** A uint32 length, then UTF-8. */
export const text32 = (value: string): Uint8Array => bytes(u32Bytes(textBytes(value).length), textBytes(value))

/** A uint64 length, then UTF-8. */
export const text64 = (value: string): Uint8Array => bytes(u64Bytes(textBytes(value).length), textBytes(value))
