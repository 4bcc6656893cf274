/**
 * Does `work` for each item, up to `limit` at once, and gives the results in the items' order. Where a reader stops early
 * no more are begun; a failure is raised in its turn.
 */
export async function* inOrder<T, R>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = []
  for (const item of items) {
    const result = work(item)
    // Awaited in its turn; until then a failure must not count as unhandled.
    result.catch(() => {})
    waiting.push(result)
    while (waiting.length >= limit) yield* waiting.splice(0, 1)
  }
  yield* waiting
}
