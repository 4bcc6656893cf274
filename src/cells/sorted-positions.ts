/** Sort keys of cells: lanes of unsigned numbers, the most significant lane first. */
export type KeyLanes = Uint32Array[]

/** Bits of a key that cells are sorted by at once: a number has no more. */
const PREFIX_BITS = 32
/** Up to this many cells are sorted by comparing their keys. */
const FEW_CELLS = 32
/** Bits of a digit: each pass also goes through all digits, so few cells take more passes of fewer digits. */
const DIGIT_BITS = { few: 8, many: 11 }
const MANY_CELLS = 8192

/** The positions of the cells, sorted by their keys. The sort is stable. */
export function sortedPositions(lanes: KeyLanes, cellNum: number): Int32Array {
  const positions = new SortedPositions(lanes, cellNum)
  for (const _ of positions.steps());
  return positions.list
}

/** Bits of a lane that lie side by side, and are not the same in all cells. */
interface KeyBits {
  lane: Uint32Array
  shift: number
  width: number
}

/**
 * Sorts the positions of cells by their keys. The first bits that differ between cells become one number, and a radix sort moves the
 * numbers together with the positions: it never looks at keys in any order but that of memory. Cells of equal numbers are then
 * sorted in the same way by their next bits. Most cells differ in the first.
 */
export class SortedPositions {
  /** The positions: sorted once all {@link steps} are done. */
  readonly list: Int32Array
  private readonly lanes: KeyLanes
  /** By place in the list: the number of the cell. */
  private readonly numbers: Uint32Array
  private readonly otherList: Int32Array
  private readonly otherNumbers: Uint32Array
  private readonly counts = new Uint32Array(1 << DIGIT_BITS.many)

  constructor(lanes: KeyLanes, cellNum: number) {
    this.lanes = lanes
    this.list = new Int32Array(cellNum)
    for (let i = 0; i < cellNum; i++) this.list[i] = i
    this.numbers = new Uint32Array(cellNum)
    this.otherList = new Int32Array(cellNum)
    this.otherNumbers = new Uint32Array(cellNum)
  }

  /** Sorts the places `[from, to)`, in steps of at most one pass over them. */
  *steps(from = 0, to = this.list.length): Generator<void, void> {
    const { lanes, list, numbers } = this
    if (to - from <= FEW_CELLS) {
      sortFew(lanes, list, from, to)
      return
    }
    const { bits, width, isAll } = firstBits(lanes, list, from, to)
    numbers.fill(0, from, to)
    for (const one of bits) appendBits(numbers, list, one, from, to)
    yield
    yield* this.passes(width, from, to)
    if (isAll) return
    for (let first = from; first < to; ) {
      const end = endOfEqual(numbers, first, to)
      if (end - first > FEW_CELLS) yield* this.steps(first, end)
      else if (end - first > 1) sortFew(lanes, list, first, end)
      first = end
    }
  }

  /** Sorts by the numbers, from the least significant digit to the most. */
  private *passes(width: number, from: number, to: number): Generator<void, void> {
    const digit = to - from < MANY_CELLS ? DIGIT_BITS.few : DIGIT_BITS.many
    const counts = this.counts.subarray(0, 1 << digit)
    let now = { numbers: this.numbers, list: this.list }
    let other = { numbers: this.otherNumbers, list: this.otherList }
    for (let shift = 0; shift < width; shift += digit) {
      countDigits(now.numbers, shift, counts, from, to)
      moveByDigit(now, other, shift, counts, from, to)
      const moved = other
      other = now
      now = moved
      yield
    }
    if (now.list === this.list) return
    this.list.set(now.list.subarray(from, to), from)
    this.numbers.set(now.numbers.subarray(from, to), from)
  }
}

/**
 * The first bits in which the cells differ, at most {@link PREFIX_BITS}.
 * @returns also their number, and whether these are all bits in which they differ
 */
function firstBits(
  lanes: KeyLanes,
  list: Int32Array,
  from: number,
  to: number,
): { bits: KeyBits[]; width: number; isAll: boolean } {
  const bits: KeyBits[] = []
  let left = PREFIX_BITS
  for (const lane of lanes) {
    if (left === 0) return { bits, width: PREFIX_BITS, isAll: false }
    let rest = differingBits(lane, list, from, to)
    while (rest !== 0) {
      const top = Math.clz32(rest)
      // The ones from the highest on, up to the next zero.
      const width = Math.clz32(~(rest << top))
      const taken = Math.min(width, left)
      if (taken > 0) bits.push({ lane, shift: 32 - top - taken, width: taken })
      left -= taken
      if (taken < width) return { bits, width: PREFIX_BITS, isAll: false }
      rest = top + width === 32 ? 0 : (rest << (top + width)) >>> (top + width)
    }
  }
  return { bits, width: PREFIX_BITS - left, isAll: true }
}

function differingBits(lane: Uint32Array, list: Int32Array, from: number, to: number): number {
  const first = lane[list[from]]
  let bits = 0
  for (let i = from + 1; i < to; i++) bits |= lane[list[i]] ^ first
  return bits
}

function appendBits(
  numbers: Uint32Array,
  list: Int32Array,
  { lane, shift, width }: KeyBits,
  from: number,
  to: number,
): void {
  const mask = width === 32 ? -1 : (1 << width) - 1
  for (let i = from; i < to; i++) numbers[i] = (numbers[i] << width) | ((lane[list[i]] >>> shift) & mask)
}

function endOfEqual(numbers: Uint32Array, first: number, to: number): number {
  let end = first + 1
  while (end < to && numbers[end] === numbers[first]) end++
  return end
}

function countDigits(numbers: Uint32Array, shift: number, counts: Uint32Array, from: number, to: number): void {
  const mask = counts.length - 1
  counts.fill(0)
  for (let i = from; i < to; i++) counts[(numbers[i] >>> shift) & mask]++
}

/** Positions of cells, and their numbers. */
interface Numbered {
  numbers: Uint32Array
  list: Int32Array
}

/** Moves the cells `[from, to)` into the order of a digit. @param counts of {@link countDigits}; changed */
// biome-ignore lint/complexity/useMaxParams: a hot loop over two buffers
function moveByDigit(
  { numbers, list }: Numbered,
  { numbers: toNumbers, list: toList }: Numbered,
  shift: number,
  counts: Uint32Array,
  from: number,
  to: number,
): void {
  const mask = counts.length - 1
  let before = from
  for (let digit = 0; digit <= mask; digit++) {
    const count = counts[digit]
    counts[digit] = before
    before += count
  }
  for (let i = from; i < to; i++) {
    const number = numbers[i]
    const at = counts[(number >>> shift) & mask]++
    toNumbers[at] = number
    toList[at] = list[i]
  }
}

/** Sorts few cells by insertion. */
function sortFew(lanes: KeyLanes, list: Int32Array, from: number, to: number): void {
  for (let i = from + 1; i < to; i++) {
    const cell = list[i]
    let at = i
    while (at > from && isBefore(lanes, cell, list[at - 1])) {
      list[at] = list[at - 1]
      at--
    }
    list[at] = cell
  }
}

/** Whether a cell sorts before another. */
export function isBefore(lanes: KeyLanes, a: number, b: number): boolean {
  for (const lane of lanes) if (lane[a] !== lane[b]) return lane[a] < lane[b]
  return false
}
