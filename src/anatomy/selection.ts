import { type InspectError, inconsistent } from '../base/errors.ts'
import type { Children, Part } from './part.ts'

/** Which parts are shown. */
export interface Selection {
  /** Number of levels below the first part; undefined shows all. */
  depth?: number | undefined
  /** First and last byte of the file, both inclusive. Content below filters is shown only for parts that lie wholly inside. */
  range?: { from: number; to: number } | undefined
  /** Called with the fault of each part that is shown. */
  onFault(error: InspectError): void
}

/** Reports the fault of a part. An invalid part without a fault or children is reported as well. */
export function reportPartFault(part: Part, { onFault }: Selection): void {
  if (part.fault) onFault(part.fault)
  else if (part.verdict === 'invalid' && part.children === undefined)
    onFault(inconsistent(part.meaning ?? 'found invalid', { field: part.name }))
}

/** Whether the elements of a part have names or notes, and are not only numbers. */
export function isNamed({ elements }: Part): boolean {
  return elements?.names !== undefined || elements?.note !== undefined
}

/** The children that lie in the range, with their positions. */
export async function* selected(
  part: Part,
  children: Children,
  { range }: Pick<Selection, 'range'>,
): AsyncGenerator<{ child: Part; index: number }> {
  const { space, offset, length } = part
  if (!range || space.name !== undefined) {
    for (let index = 0; index < children.count; index++) yield { child: await children.at(index), index }
    return
  }
  const { from, to } = range
  const isInside = offset >= from && offset + length - 1 <= to
  for (let index = Math.max(0, from > offset ? children.find(from) : 0); index < children.count; index++) {
    const child = await children.at(index)
    if (child.space !== space) {
      if (isInside) yield { child, index }
    } else if (child.offset > to) {
      // Children with a space of their own come after the others.
      if (!isInside) return
      // An empty child lies in the range if its place does.
    } else if (child.offset + child.length > from || (child.length === 0 && child.offset >= from))
      yield { child, index }
  }
}
