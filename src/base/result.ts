/**
 * What a command produces: plain data under the names of the command line's contract. Renderers turn it into JSON,
 * NDJSON, CSV or tables; none of them changes a value, so they cannot disagree.
 *
 * - 64-bit values of the format (INT64 and UINT64 cells, time stamps, sums) are bigint, however small; sizes, offsets and
 *   counts are numbers.
 * - FLOAT32 values are the number whose shortest form is theirs (see format/value.ts), so that every number prints as `String` does.
 * - Bytes are Uint8Array. A key whose value is undefined is left out.
 * - Long lists may be iterables, made while they are printed; they can be walked more than once. Those that are too long to be
 *   in memory, or not yet read, are asynchronous ones, and {@link Pages} where there are very many elements.
 */
export type Result = null | boolean | number | bigint | string | object

/**
 * A long list that comes a page at a time. It is an asynchronous iterable like any other; writers that take its pages wait
 * once a page and not once an element. Can be walked more than once.
 */
export class Pages<T = Result> implements AsyncIterable<T> {
  readonly pages: () => AsyncIterable<Iterable<T>>

  constructor(pages: () => AsyncIterable<Iterable<T>>) {
    this.pages = pages
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const page of this.pages()) yield* page
  }
}

/** Bytes that come a page at a time, and are one value. Can be walked more than once. */
export class PagedBytes {
  /** Lengths are multiples of 3, but for the last one: base64 has no seams there. */
  readonly pages: () => AsyncIterable<Uint8Array>

  constructor(pages: () => AsyncIterable<Uint8Array>) {
    this.pages = pages
  }
}

/** Where renderers write. Nothing in `src/render` knows the process. */
export interface Output {
  /** Resolves when more may be written. */
  write(text: string | Uint8Array): Promise<void> | void
  /** Width of the terminal; undefined in a pipe or file. */
  columns: number | undefined
  color: boolean
  /** Whether tables are shown as a block a row. */
  vertical?: boolean | undefined
}

/** Whether a value is an object with keys: no list, no bytes. */
export function isFields(value: Result | undefined): value is { readonly [key: string]: Result | undefined } {
  if (typeof value !== 'object' || value === null || value instanceof PagedBytes) return false
  return !(Symbol.iterator in value || Symbol.asyncIterator in value)
}

/** Whether a value is a list, made before or while it is walked. */
export function isIterable(value: Result | undefined): value is Iterable<Result> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}
