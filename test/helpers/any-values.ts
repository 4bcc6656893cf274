import { decodeText } from '../../src/format/text.ts'
import type { Random } from './random.ts'

/** Any text that can stand on disk, UTF-8 or not. */
export function anyText(random: Random): string {
  const kind = random.below(4)
  if (kind === 0) return ''
  if (kind === 1) return decodeText(random.bytes(random.below(12)))
  return random.pick(['a', 'rows', '__dim_0', 'Zürß', '名前', 'a b/c%d\\e', '\u0000', '😀', 'x'.repeat(300)])
}

export function anySize(random: Random): number {
  return random.pick([0, 1, 255, 2 ** 32, 2 ** 53 - 1, random.bits(), random.bits() * 2 ** 20])
}

export function anyU64(random: Random): bigint {
  return random.pick([0n, 1n, 2n ** 63n, 2n ** 64n - 1n, BigInt(random.bits()) << BigInt(random.below(32))])
}

export function anySizes(random: Random, count: number): Float64Array {
  return Float64Array.from({ length: count }, () => anySize(random))
}
