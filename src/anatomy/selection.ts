import { InspectError } from '../base/errors.ts'
import type { Children, Part } from './part.ts'

/** Which parts are shown. */
export interface Selection {
  /** Levels below the first part; all without it. */
  depth?: number | undefined
  /** First and last byte of the file, inclusive; content below filters is shown of parts that lie inside. */
  range?: { from: number; to: number } | undefined
  /** Told every fault that is met on the way. */
  onFault(error: InspectError): void
}

/** Faults, and what was found invalid without one, told once. */
export function tellFault(part: Part, { onFault }: Selection): void {
  if (part.fault) onFault(part.fault)
  else if (part.verdict === 'invalid' && part.children === undefined)
    onFault(new InspectError('INCONSISTENT', part.meaning ?? 'found invalid', { field: part.name }))
}

/** Whether the elements are more than a run of numbers. */
export function isNamed({ elements }: Part): boolean {
  return elements?.names !== undefined || elements?.note !== undefined
}

/** The children that a range takes, with their positions. */
export async function* selected(
  part: Part,
  children: Children,
  { range }: Pick<Selection, 'range'>,
): AsyncGenerator<{ child: Part; index: number }> {
  const [from, to] = selectedIndexes(part, children, range)
  for (let index = from; index < to; index++) {
    const child = await children.at(index)
    const kind = inRange(part, child, range)
    if (kind === 'behind') {
      // what has a space of its own stands behind the others
      if (range && part.offset < range.from) return
      if (range && part.offset + part.length - 1 > range.to) return
    }
    if (kind === 'yes') yield { child, index }
  }
}

function selectedIndexes(part: Part, children: Children, range: Selection['range']): [number, number] {
  if (!range || part.space.name !== undefined) return [0, children.count]
  const first = range.from > part.offset ? children.find(range.from) : 0
  return [Math.max(0, first), children.count]
}

function inRange(part: Part, child: Part, range: Selection['range']): 'yes' | 'no' | 'behind' {
  if (!range || part.space.name !== undefined) return 'yes'
  const inside = part.offset >= range.from && part.offset + part.length - 1 <= range.to
  if (child.space !== part.space) return inside ? 'yes' : 'no'
  if (child.offset > range.to) return 'behind'
  return child.offset + child.length > range.from || (child.length === 0 && child.offset >= range.from) ? 'yes' : 'no'
}
