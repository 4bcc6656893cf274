import { sum } from '../base/sum.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { paddingNum } from '../objects/cell-counts.ts'
import type { OpenedArray } from '../read/query.ts'
import { type AdviceFacts, arrayFacts } from './facts.ts'
import { LARGE_FRAGMENT, MIN_FRAGMENTS, MIN_REPLACED, MIN_REPLACED_BYTES } from './fragments.ts'
import { MIN_OVERHEAD_BYTES, MIN_PADDED_BYTES, MIN_TILES, paddedBytes, tileOverhead } from './tiles.ts'

/*
 * What hurts an array, in numbers, so that many arrays can be put in one order: each number is compared with the limit from which on
 * explain reports it.
 */

/** What hurts. `damage`: errors of a check. The others cost reads time, or space. */
export const MEASURES = ['damage', 'fragments', 'small-tiles', 'padding', 'uncommitted', 'vacuum'] as const
export type Measure = (typeof MEASURES)[number]

/** What hurts an array in one way. */
export interface Hurt {
  measure: Measure
  /** Number of errors, fragments or bytes. */
  value: number
  unit: 'errors' | 'fragments' | 'bytes'
  /** The value as a multiple of the limit: 1 or more. */
  times: number
}

/** What is known of an array. */
export interface Known {
  /** Number of findings that are errors. */
  error_num: number
  entries: readonly FragmentEntry[]
  /** The fragments that TileDB reads and that were opened; undefined if the schema cannot be read. */
  opened: Pick<OpenedArray, 'array' | 'schema' | 'fragments'> | undefined
  /** Bytes that a vacuum frees; 0 if it would lose cells. */
  vacuum_size: number
}

/** Everything that hurts an array, the worst first. */
export async function hurtsOf({ error_num, entries, opened, vacuum_size }: Known): Promise<Hurt[]> {
  const count = (state: FragmentEntry['state']): number => sum(entries, (entry) => (entry.state === state ? 1 : 0))
  const replaced = vacuum_size > 0 ? count('to-vacuum') : 0
  const found: Hurt[] = [
    { measure: 'damage', value: error_num, unit: 'errors', times: error_num },
    { measure: 'uncommitted', value: count('uncommitted'), unit: 'fragments', times: count('uncommitted') },
    replaced / MIN_REPLACED >= vacuum_size / MIN_REPLACED_BYTES
      ? { measure: 'vacuum', value: replaced, unit: 'fragments', times: replaced / MIN_REPLACED }
      : { measure: 'vacuum', value: vacuum_size, unit: 'bytes', times: vacuum_size / MIN_REPLACED_BYTES },
  ]
  if (opened && mayHurt(opened.fragments)) found.push(...ofFacts(await factsOf(opened), entries))
  return found.filter(({ times }) => times >= 1).sort(byHurt)
}

/** Whether the facts can show anything: those of most arrays need not be collected. */
function mayHurt(fragments: OpenedArray['fragments']): boolean {
  if (fragments.length >= MIN_FRAGMENTS) return true
  return fragments.some(({ info }) => info.tile_num >= MIN_TILES || paddingNum(info) > 0)
}

function factsOf(opened: NonNullable<Known['opened']>): Promise<AdviceFacts> {
  const between = [opened.array.cx.from ?? 0n, opened.array.cx.now] as const
  return arrayFacts({ ...opened, between, deletes: [] }, true)
}

function* ofFacts(facts: AdviceFacts, entries: readonly FragmentEntry[]): Generator<Hurt> {
  const { opened, stored_bytes, fragments } = facts
  // Of more fragments than are opened, the names are known.
  const fragment_num = sum(entries, ({ isRead }) => (isRead ? 1 : 0))
  if (stored_bytes / fragments.length < LARGE_FRAGMENT)
    yield { measure: 'fragments', value: fragment_num, unit: 'fragments', times: fragment_num / MIN_FRAGMENTS }
  const { dimensions } = opened.schema.domain
  const isFixed = [...dimensions, ...opened.schema.attributes].every(({ cell_val_num }) => cell_val_num !== 'var')
  const tiles = tileOverhead(facts, isFixed)?.bytes
  if (tiles !== undefined)
    yield { measure: 'small-tiles', value: tiles, unit: 'bytes', times: tiles / MIN_OVERHEAD_BYTES }
  const padding = paddedBytes(facts)
  if (padding !== undefined)
    yield { measure: 'padding', value: Math.round(padding), unit: 'bytes', times: padding / MIN_PADDED_BYTES }
}

/** The order of what hurts: damage first, then by how far the limit is exceeded. */
export function byHurt(a: Hurt, b: Hurt): number {
  return Number(b.measure === 'damage') - Number(a.measure === 'damage') || b.times - a.times
}
