import type { FragmentEntry } from '../objects/array.ts'

/** The facts on which the order of fragments depends. */
export type TimedName = Pick<FragmentEntry, 'name' | 'timestamp_range'>

/**
 * Whether cells of `than` may hide cells of `one`. Readers order fragments by their first timestamp. Each cell of a consolidated
 * sparse fragment has a time of its own.
 */
export function mayBeOlder(one: TimedName, than: TimedName, dense: boolean): boolean {
  const [first] = one.timestamp_range ?? [0n]
  const [low, high] = than.timestamp_range ?? [0n, 0n]
  if (first !== low) return first < (dense ? low : high)
  return dense || low === high ? one.name < than.name : true
}

/** Says which older values readers see again. @param num number of older fragments @param isSure whether their boxes surely overlap */
export function olderText(num: number, isSure: boolean): string {
  const isOne = num === 1
  const older = `${num} older ${isOne ? 'fragment' : 'fragments'}`
  const again = `readers see ${isOne ? 'its' : 'their'} older values again`
  if (!isSure) return `${older} may hold the same cells: there ${again}`
  return `${older} ${isOne ? 'overlaps' : 'overlap'} the box of these cells: where ${isOne ? 'it holds' : 'they hold'} the same cells, ${again}`
}
