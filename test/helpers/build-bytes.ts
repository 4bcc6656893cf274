import { bytes, littleEndian, text, u32, u64 } from '../../src/damage/bytes.ts'

export { bytes, text, u32, u64 }

export const u8 = (value: number): Uint8Array => littleEndian(1, value)
export const u16 = (value: number): Uint8Array => littleEndian(2, value)

/** A uint32 length, then UTF-8. */
export const text32 = (value: string): Uint8Array => bytes(u32(text(value).length), text(value))

/** A uint64 length, then UTF-8. */
export const text64 = (value: string): Uint8Array => bytes(u64(text(value).length), text(value))
