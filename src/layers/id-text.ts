import { rising } from '../base/rising.ts'

/** Most ids, or runs of ids, that a finding names. */
const MAX_NAMED = 8

/** Ids in words, as runs: `3, 8 to 12 and 5 more`. @param ids rising */
export function idsText(ids: Iterable<number | bigint>): string {
  const runs: { first: number | bigint; last: number | bigint; length: number }[] = []
  let more = 0
  for (const id of ids) {
    const run = runs[runs.length - 1]
    if (run && Number(id) === Number(run.last) + 1 && more === 0) {
      run.last = id
      run.length++
    } else if (runs.length < MAX_NAMED) runs.push({ first: id, last: id, length: 1 })
    else more++
  }
  const words = runs.map(({ first, last, length }) => {
    if (length === 1) return `${first}`
    return length === 2 ? `${first}, ${last}` : `${first} to ${last}`
  })
  return words.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** A few of the ids that were met, and how often: for findings that name some of many. */
export class MetIds {
  /** Number of times that one of them was met. */
  count = 0
  /** Whether more ids were met than are kept. */
  isCut = false
  private readonly ids = new Set<bigint>()

  add(id: bigint): void {
    this.count++
    if (this.ids.size < MAX_KEPT) this.ids.add(id)
    else if (!this.ids.has(id)) this.isCut = true
  }

  toString(): string {
    return idsText([...this.ids].sort(rising)) + (this.isCut ? ' and others' : '')
  }
}

/** Most different ids that are kept. */
const MAX_KEPT = 1000
