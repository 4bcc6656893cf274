import type { Command as CommanderCommand } from 'commander'
import { usage } from '../base/errors.ts'
import { parseChoice, parseWhole } from './option-values.ts'

/** By what a list can be sorted. */
export const LIST_ORDERS = ['name', 'size', 'cells', 'fragments', 'written'] as const
export type ListOrder = (typeof LIST_ORDERS)[number]

/** The options of a list. */
export interface ListOptions {
  sort?: string
  reverse?: boolean
  limit?: string
}

/** How a list is sorted and cut. Undefined keeps the order in which it is stored. */
export interface ListCut {
  order: ListOrder | undefined
  isReverse: boolean
  limit: number | undefined
}

export function addListOptions(command: CommanderCommand): void {
  command
    .option('--sort <what>', `sort by ${LIST_ORDERS.join(', ')}: names from a to z, all else from the largest down`)
    .option('--reverse', 'the other way round')
    .option('--limit <n>', 'show only the first n')
}

/** @throws InspectError USAGE */
export function parseListOptions({ sort, reverse = false, limit }: ListOptions): ListCut {
  const order = parseChoice('--sort', LIST_ORDERS, sort)
  return { order, isReverse: reverse, limit: parseWhole('--limit', limit) }
}

/** @throws InspectError USAGE for an order that is not among those that a list has */
export function checkListOrder(order: ListOrder, known: readonly ListOrder[]): void {
  if (!known.includes(order)) throw usage({ expected: `--sort ${known.join(', ')} for this list`, found: order })
}

/** What of an element decides; undefined comes last. */
type Keys<T> = { readonly [order in ListOrder]?: (one: T) => string | number | bigint | null | undefined }

/**
 * Sorts a list. Equal elements stay in their order.
 * @param keys what decides for each order
 */
export function sortedBy<T>(list: readonly T[], order: ListOrder, isReverse: boolean, keys: Keys<T>): T[] {
  const key = keys[order] ?? (() => undefined)
  const sign = isReverse ? -1 : 1
  const keyed = list.map((one) => ({ one, key: key(one) ?? undefined }))
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === b) return 0
    if (a === undefined || b === undefined) return a === undefined ? 1 : -1
    if (typeof a === 'string' || typeof b === 'string') return String(a) < String(b) ? -sign : sign
    return a > b ? -sign : sign
  })
  return keyed.map(({ one }) => one)
}

/** The number of levels of `--depth`. @throws InspectError USAGE */
export function parseDepth(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  throw usage(`--depth expects a number of levels from 1 on, or all, found ${JSON.stringify(text)}`)
}

/**
 * The rows in the order that was asked for. Only an order needs all rows before the first.
 * @param sorted sorts all rows; called only if there is an order
 * @returns how many rows there are, and what is known after the last
 */
export async function* cutRows<T, End>(
  rows: AsyncGenerator<T, End>,
  { order, isReverse, limit = Number.POSITIVE_INFINITY }: ListCut,
  sorted: (all: readonly T[], order: ListOrder) => readonly T[],
): AsyncGenerator<T, { num: number; end: End }> {
  const kept: T[] = []
  const isSorted = order !== undefined || isReverse
  let num = 0
  for (;;) {
    const next = await rows.next()
    if (next.done) {
      yield* (order === undefined ? kept.toReversed() : sorted(kept, order)).slice(0, limit)
      return { num, end: next.value }
    }
    if (isSorted) kept.push(next.value)
    else if (num < limit) yield next.value
    num++
  }
}
