/** Number of concurrent pieces of work when each waits for a network. The client itself sends at most 16 requests at once. */
const REMOTE_AT_ONCE = 24

/** Upper limit on the bytes that concurrent pieces of work hold together, by their own estimates. */
const MAX_BYTES = 256 * 2 ** 20

/** Number of files of a folder to work on concurrently: one on a local disk, where more would not be faster. */
export function atOnce({ isRemote }: { readonly isRemote: boolean }): number {
  return isRemote ? REMOTE_AT_ONCE : 1
}

/**
 * Does `work` for each item, up to `limit` at once, and yields the results in the order of the items. When the caller
 * stops early, no more work starts. A failure is thrown when its turn comes.
 *
 * @param work what it returns at once, without a promise, is not waited for with a `limit` of 1
 * @param bytes estimate of what the work on an item holds in memory. Work starts only while the sum stays within
 *   {@link MAX_BYTES}, and within `room`; a single item may exceed it.
 * @param room bytes that memory has room for
 */
export async function* inOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => R | Promise<R>,
  bytes: (item: T) => number | Promise<number> = () => 0,
  room = MAX_BYTES,
): AsyncGenerator<R> {
  if (limit === 1) {
    // `for await` would wait for each element of a synchronous list, which takes as long as a small piece of work. `yield` waits itself.
    if (Symbol.iterator in items) for (const item of items) yield work(item)
    else for await (const item of items) yield work(item)
    return
  }
  const begun = async (item: T): Promise<R> => work(item)
  const waiting: { result: Promise<R>; bytes: number }[] = []
  let held = 0
  const next = (): Promise<R> | undefined => {
    const first = waiting.shift()
    held -= first?.bytes ?? 0
    return first?.result
  }
  for await (const item of items) {
    const more = await bytes(item)
    while (waiting.length > 0 && held + more > Math.min(MAX_BYTES, room)) yield await (next() as Promise<R>)
    const result = begun(item)
    // It is awaited later. Until then a failure must not count as an unhandled rejection.
    result.catch(() => {})
    waiting.push({ result, bytes: more })
    held += more
    while (waiting.length >= limit) yield await (next() as Promise<R>)
  }
  for (let result = next(); result; result = next()) yield await result
}

/**
 * Looks ahead at items.
 * @returns all items, and how many there are, counted up to `most`
 */
export async function firstOnes<T>(
  items: AsyncGenerator<T>,
  most: number,
): Promise<{ items: AsyncGenerator<T>; first: number }> {
  const begin: T[] = []
  while (begin.length < most) {
    const next = await items.next()
    if (next.done) break
    begin.push(next.value)
  }
  async function* all(): AsyncGenerator<T> {
    yield* begin
    yield* items
  }
  return { items: all(), first: begin.length }
}

/**
 * {@link inOrder} for work that yields several results. It yields all results of the first item, then all of the second,
 * and so on. Results that come before their turn are kept, up to {@link MAX_AHEAD} for each item.
 */
export async function* allInOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => AsyncGenerator<R>,
  bytes?: (item: T) => number | Promise<number>,
  room?: number,
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
    for await (const ahead of inOrder(items, limit, begin, bytes, room)) {
      yield* ahead.all()
      begun.delete(ahead)
    }
  } finally {
    for (const ahead of begun) ahead.stop()
  }
}

/** Upper limit on the results of one generator that are kept before their turn. */
const MAX_AHEAD = 1000

/** Runs a generator in the background, and keeps its results until they are taken. */
class Ahead<R> {
  private readonly results: R[] = []
  private ended = false
  private failure: { error: unknown } | undefined
  private stopped = false
  /** Called when results were added or taken. */
  private wake: (() => void)[] = []

  constructor(source: AsyncGenerator<R>) {
    void this.run(source)
  }

  private async run(source: AsyncGenerator<R>): Promise<void> {
    try {
      for await (const item of source) {
        this.results.push(item)
        this.notifyChange()
        while (this.results.length >= MAX_AHEAD && !this.stopped) await this.nextChange()
        if (this.stopped) return
      }
    } catch (error) {
      this.failure = { error }
    } finally {
      this.ended = true
      this.notifyChange()
    }
  }

  async *all(): AsyncGenerator<R> {
    for (;;) {
      const items = this.results.splice(0)
      if (items.length > 0) {
        this.notifyChange()
        yield* items
      } else if (this.ended) break
      else await this.nextChange()
    }
    if (this.failure) throw this.failure.error
  }

  /** Ends the generator early. */
  stop(): void {
    this.stopped = true
    this.notifyChange()
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => this.wake.push(resolve))
  }

  private notifyChange(): void {
    for (const resolve of this.wake.splice(0)) resolve()
  }
}
