import { type InspectError, inconsistent } from '../base/errors.ts'
import type { Children, Part } from './part.ts'

/** Which parts are shown. */
export interface Selection {
  /** Number of levels below the first part; undefined shows all. */
  depth?: number | undefined
  /** First and last byte of the file, inclusive. Content below filters is shown for parts that lie wholly inside. */
  range?: { from: number; to: number } | undefined
  /** Called with every fault on the way. */
  onFault(error: InspectError): void
}

/** Reports the fault of a part once; an invalid part without a fault is reported, too. */
export function tellFault(part: Part, { onFault }: Selection): void {
  if (part.fault) onFault(part.fault)
  else if (part.verdict === 'invalid' && part.children === undefined)
    onFault(inconsistent(part.meaning ?? 'found invalid', { field: part.name }))
}

/** Whether the elements have names or notes, so are more than a run of numbers. */
export function isNamed({ elements }: Part): boolean {
  return elements?.names !== undefined || elements?.note !== undefined
}

/** The children that lie in the range, with their positions. */
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
      // Children with a space of their own come after the others.
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
