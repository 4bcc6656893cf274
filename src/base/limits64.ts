const SIGNED = [-(2n ** 63n), 2n ** 63n - 1n] as const
const UNSIGNED = [0n, 2n ** 64n - 1n] as const

/** The smallest and the largest integer of 64 bits. */
export function limits64(signed: boolean): readonly [smallest: bigint, largest: bigint] {
  return signed ? SIGNED : UNSIGNED
}
