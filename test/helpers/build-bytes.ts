/** Readable pieces of on-disk bytes: `bytes(u32(7), text('rows'))`. */
export function bytes(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}

function little(size: number, value: number | bigint): Uint8Array {
  let left = BigInt.asUintN(8 * size, BigInt(value))
  return Uint8Array.from({ length: size }, () => {
    const byte = Number(left & 0xffn)
    left >>= 8n
    return byte
  })
}

export const u8 = (value: number): Uint8Array => little(1, value)
export const u16 = (value: number): Uint8Array => little(2, value)
export const u32 = (value: number): Uint8Array => little(4, value)
export const u64 = (value: number | bigint): Uint8Array => little(8, value)

/** UTF-8, without any length. */
export const text = (value: string): Uint8Array => new TextEncoder().encode(value)

/** A uint32 length, then UTF-8. */
export const text32 = (value: string): Uint8Array => bytes(u32(text(value).length), text(value))

/** A uint64 length, then UTF-8. */
export const text64 = (value: string): Uint8Array => bytes(u64(text(value).length), text(value))
