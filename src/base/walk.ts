/**
 * Calls `each` for every row, one after another. It waits only if `each` returns a promise. The rows are closed after an error of
 * `each`.
 * @returns what is known after the last row: what the rows return
 */
export async function walk<Row, End>(
  rows: AsyncIterator<Row, End, undefined>,
  each: (row: Row) => Promise<void> | void,
): Promise<End> {
  for (;;) {
    const next = await rows.next()
    if (next.done) return next.value
    try {
      const wait = each(next.value)
      if (wait) await wait
    } catch (error) {
      await rows.return?.()
      throw error
    }
  }
}

/** Rows with a change to each. They return what the rows return. */
export async function* mapRows<Row, Changed, End>(
  rows: AsyncIterator<Row, End, undefined>,
  change: (row: Row) => Changed,
): AsyncGenerator<Changed, End> {
  let isOpen = false
  try {
    for (;;) {
      const next = await rows.next()
      if (next.done) return next.value
      isOpen = true
      yield change(next.value)
      isOpen = false
    }
  } finally {
    if (isOpen) await rows.return?.()
  }
}
