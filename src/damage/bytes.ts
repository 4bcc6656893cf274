import { concat } from '../base/bytes.ts'

/** Builds bytes from readable pieces: `bytes(u32(7), [1, 2])`. */
export function bytes(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  // Copies even a single part, because callers write to the result.
  return concat([...parts.map((part) => Uint8Array.from(part)), new Uint8Array(0)])
}

/** The lowest bytes of an integer, little-endian. */
export function littleEndian(size: number, value: number | bigint): Uint8Array {
  return new Uint8Array(BigInt64Array.of(BigInt.asIntN(64, BigInt(value))).buffer).slice(0, size)
}

export const u32Bytes = (value: number): Uint8Array => littleEndian(4, value)
export const u64Bytes = (value: number | bigint): Uint8Array => littleEndian(8, value)
/** UTF-8, without any length. */
export const textBytes = (value: string): Uint8Array => new TextEncoder().encode(value)
