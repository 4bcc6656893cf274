import type { Numbers, VisitedCells } from './elements.ts'

/** Numbers that are converted at once: 64 KiB. */
const BLOCK_NUMBERS = 8192
/** The numbers of a block, and those between its first and last cell. */
const block = new Float64Array(BLOCK_NUMBERS)
const between = new Float64Array(BLOCK_NUMBERS)

/**
 * Visits the numbers of cells in their order, as one kind of array. A loop that has seen several kinds takes ten times as long, and
 * converting the numbers before takes a fifth of the loop.
 *
 * @param visit gets the numbers of a block, valid for this call, and the index in `cells` of the first
 */
export function visitNumbers(
  values: Numbers,
  { length, at }: VisitedCells,
  visit: (numbers: Float64Array, from: number) => void,
): void {
  for (let from = 0; from < length; from += BLOCK_NUMBERS) {
    const to = Math.min(length, from + BLOCK_NUMBERS)
    if (at) visit(numbersAt(values, at.subarray(from, to)), from)
    else if (values instanceof Float64Array) visit(values.subarray(from, to), from)
    else {
      block.set(values.subarray(from, to))
      visit(block.subarray(0, to - from), from)
    }
  }
}

/** The numbers at some places, at most a block. */
function numbersAt(values: Numbers, at: Uint32Array): Float64Array {
  const count = at.length
  const [low, high] = [at[0], at[count - 1]]
  if (high >= low && high - low < BLOCK_NUMBERS && isRising(at)) {
    between.set(values.subarray(low, high + 1))
    for (let i = 0; i < count; i++) block[i] = between[at[i] - low]
  } else for (let i = 0; i < count; i++) block[i] = values[at[i]]
  return block.subarray(0, count)
}

function isRising(at: Uint32Array): boolean {
  for (let i = 1; i < at.length; i++) if (at[i] < at[i - 1]) return false
  return true
}
