import type { LazyKernels } from '../filters/kernels/kernels.ts'
import { type Datatype, datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import { isWide, numbersOf, wideNumbersOf } from './elements.ts'
import { type Extremes, extremesAt } from './extremes.ts'
import { BELOW_LIMITS } from './sum-of.ts'

/** Minimum, maximum and sum of the numbers of a tile, as TileDB stores them. The sum has 8 bytes. */
export interface Totals extends Extremes {
  sum: Uint8Array
}

/** Bytes that the kernel takes at once: they stay in a cache between the copy and the loop. */
const PIECE_BYTES = 65_536
/** Fewer bytes are not worth a call. */
const MIN_BYTES = 4096
/** Bytes of the results of the kernel: minimum, maximum, both parts of the sum, magnitude. */
const RESULT_BYTES = 48

/** Index of a type of numbers in `assembly/totals.ts`. */
function kindOf(type: Datatype): number {
  if (isWide(type)) return isSignedInteger(type) ? 8 : 9
  const size = datatypeSize(type)
  if (datatypeKind(type) === 'float') return size === 4 ? 6 : 7
  return 2 * Math.log2(size) + (isSignedInteger(type) ? 0 : 1)
}

/**
 * Minimum, maximum and sum of all numbers, in a tenth of the time of the loops of {@link extremesOf} and SumOf.
 * @returns undefined if these have to be asked: where the kernels do not run, for few numbers, with NaN, and near the limits of a sum
 */
export function totalsOf(kernels: LazyKernels, type: Datatype, data: Uint8Array): Totals | undefined {
  if (data.length < MIN_BYTES) return undefined
  return isWide(type) ? wideTotals(kernels, type, data) : numberTotals(kernels, type, data)
}

function numberTotals(kernels: LazyKernels, type: Datatype, data: Uint8Array): Totals | undefined {
  const isFloat = datatypeKind(type) === 'float'
  let [min, max, sum, magnitude] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
  const done = eachPiece(
    kernels,
    type,
    data,
    () => [sum, magnitude],
    (result) => {
      const [least = 0, most = 0, total = 0, , size = 0] = new Float64Array(result.buffer)
      min = Math.min(min, least)
      max = Math.max(max, most)
      sum = isFloat ? total : sum + total
      magnitude = size
    },
  )
  if (!done || magnitude >= Number.MAX_VALUE / 2 || (!isFloat && !Number.isSafeInteger(sum))) return undefined
  const values = numbersOf(type, data)
  const extremes = extremesAt(data, type, [values.lastIndexOf(min), values.lastIndexOf(max)])
  const bytes = isFloat ? Float64Array.of(sum) : BigInt64Array.of(BigInt(sum))
  return { ...extremes, sum: new Uint8Array(bytes.buffer) }
}

function wideTotals(kernels: LazyKernels, type: Datatype, data: Uint8Array): Totals | undefined {
  let [low, high, magnitude] = [0n, 0n, 0]
  let [min, max] = [2n ** 64n, -(2n ** 64n)]
  const done = eachPiece(
    kernels,
    type,
    data,
    () => [0, 0],
    (result) => {
      const [least = min, most = max] = wideNumbersOf(type, result)
      if (least < min) min = least
      if (most > max) max = most
      const [, , lows = 0n, highs = 0n] = new BigInt64Array(result.buffer)
      low += lows
      high += highs
      magnitude += new Float64Array(result.buffer)[4] ?? 0
    },
  )
  if (!done || magnitude >= BELOW_LIMITS) return undefined
  return { min: bytesOf(min), max: bytesOf(max), sum: bytesOf(low + (high << 32n)) }
}

function bytesOf(value: bigint): Uint8Array {
  return new Uint8Array(BigInt64Array.of(value).buffer)
}

/**
 * Calls the kernel for each piece.
 * @param start returns the sum and the magnitude so far
 * @param visit gets the results of a piece, in a buffer of their own
 */
function eachPiece(
  kernels: LazyKernels,
  type: Datatype,
  data: Uint8Array,
  start: () => readonly [number, number],
  visit: (result: Uint8Array) => void,
): boolean {
  const [kind, size] = [kindOf(type), datatypeSize(type)]
  for (let at = 0; at < data.length; at += PIECE_BYTES) {
    const piece = data.subarray(at, at + PIECE_BYTES)
    const result = kernels
      .forChunk(PIECE_BYTES, true)
      ?.run('totals', RESULT_BYTES, [piece], Math.floor(piece.length / size), kind, ...start())
    if (!result) return false
    visit(result.slice())
  }
  return true
}
