/** What is done at once where each piece of work waits for a network. */
const FAR_AT_ONCE = 24

/** Bytes that several pieces of work may hold together, as far as they say. */
const MOST_BYTES = 256 * 2 ** 20

/** How many pieces of work on files of a folder are worth doing at once: one after the other on a disk. */
export function atOnce({ isRemote }: { readonly isRemote: boolean }): number {
  return isRemote ? FAR_AT_ONCE : 1
}

/**
 * Does `work` for each item, up to `limit` at once, and gives the results in the items' order. Where a reader stops early
 * no more are begun; a failure is raised in its turn.
 *
 * @param bytes what the work on an item may hold: the sum of those under way stays below a bound, but for a single one
 */
export async function* inOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
  bytes: (item: T) => number | Promise<number> = () => 0,
): AsyncGenerator<R> {
  const waiting: { result: Promise<R>; bytes: number }[] = []
  let held = 0
  const next = (): Promise<R> | undefined => {
    const first = waiting.shift()
    held -= first?.bytes ?? 0
    return first?.result
  }
  for await (const item of items) {
    const more = limit === 1 ? 0 : await bytes(item)
    while (waiting.length > 0 && held + more > MOST_BYTES) yield await (next() as Promise<R>)
    const result = work(item)
    // Awaited in its turn; until then a failure must not count as unhandled.
    result.catch(() => {})
    waiting.push({ result, bytes: more })
    held += more
    while (waiting.length >= limit) yield await (next() as Promise<R>)
  }
  for (let result = next(); result; result = next()) yield await result
}

/**
 * {@link inOrder} for work that gives several things: all of the first item, then all of the second, whichever is there
 * sooner. What comes ahead of its turn is kept, up to a bound.
 */
export async function* allInOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => AsyncGenerator<R>,
  bytes?: (item: T) => number | Promise<number>,
): AsyncGenerator<R> {
  if (limit === 1) {
    for await (const item of items) yield* work(item)
    return
  }
  const begun = new Set<Ahead<R>>()
  const begin = async (item: T): Promise<Ahead<R>> => {
    const ahead = new Ahead(work(item))
    begun.add(ahead)
    return ahead
  }
  try {
    for await (const ahead of inOrder(items, limit, begin, bytes)) {
      yield* ahead.all()
      begun.delete(ahead)
    }
  } finally {
    for (const ahead of begun) ahead.stop()
  }
}

/** What a generator may give before its turn. */
const MOST_AHEAD = 1000

/** A generator that goes on by itself while nobody takes what it gives. */
class Ahead<R> {
  private readonly given: R[] = []
  private ended = false
  private failure: { error: unknown } | undefined
  private stopped = false
  /** Woken when something was given or taken. */
  private wake: (() => void)[] = []

  constructor(source: AsyncGenerator<R>) {
    void this.run(source)
  }

  private async run(source: AsyncGenerator<R>): Promise<void> {
    try {
      for await (const item of source) {
        this.given.push(item)
        this.changed()
        while (this.given.length >= MOST_AHEAD && !this.stopped) await this.change()
        if (this.stopped) return
      }
    } catch (error) {
      this.failure = { error }
    } finally {
      this.ended = true
      this.changed()
    }
  }

  async *all(): AsyncGenerator<R> {
    for (;;) {
      const items = this.given.splice(0)
      if (items.length > 0) {
        this.changed()
        yield* items
      } else if (this.ended) break
      else await this.change()
    }
    if (this.failure) throw this.failure.error
  }

  /** Nobody will take any more. */
  stop(): void {
    this.stopped = true
    this.changed()
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.wake.push(resolve))
  }

  private changed(): void {
    for (const resolve of this.wake.splice(0)) resolve()
  }
}
