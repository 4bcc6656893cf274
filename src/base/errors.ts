/**
 * Everything that can be wrong with a target, by name. A code is part of the public contract: it is never renamed.
 * The second column is the process's exit code: 1 damage, 2 wrong usage, 3 could not be examined.
 */
export const ERROR_CODES = {
  TRUNCATED: 1,
  BAD_ENUM: 1,
  BAD_VALUE: 1,
  INCONSISTENT: 1,
  TRAILING_BYTES: 1,
  CHECKSUM: 1,
  BAD_FILTERED_DATA: 1,
  MISSING_FILE: 1,
  USAGE: 2,
  WRONG_TARGET: 2,
  EXISTS: 2,
  NOT_FOUND: 3,
  NOT_TILEDB: 3,
  NO_PERMISSION: 3,
  NO_LISTING: 3,
  IO: 3,
  KEY_NEEDED: 3,
  WRONG_KEY: 3,
  UNSUPPORTED_VERSION: 3,
  UNSUPPORTED_FILTER: 3,
  NO_SCHEMA: 3,
  TOO_LARGE: 3,
  INTERNAL: 3,
} as const

/** What is wrong, by name; never renamed. */
export type ErrorCode = keyof typeof ERROR_CODES

/** Where a fault is: a file's name, a byte offset from its start (or in `space`), and the dotted name of the field read. */
export interface ErrorPlace {
  file?: string | undefined
  offset?: number | undefined
  field?: string | undefined
  /** Set when `offset` counts inside content below a filter instead of the file. */
  space?: string | undefined
}

/**
 * The one error that reading, filtering and writing raise. `message` says what was expected and what was found; it holds
 * neither path nor offset, which the printer adds from `at`. A lower layer fills in what it knows of `at`, each layer
 * above adds what only it knows ({@link withPlace}).
 */
export class InspectError extends Error {
  override readonly name = 'InspectError'
  readonly code: ErrorCode
  readonly at: ErrorPlace

  constructor(code: ErrorCode, message: string, at: ErrorPlace = {}, options?: { cause?: unknown }) {
    super(grammatical(message), options)
    this.code = code
    this.at = at
  }
}

const QUOTED = /"(?:[^"\\]|\\.)*"/.source
const COUNTED =
  /(?<![\w.,-])1 (?:(entr|indic)(?:ies|es)|((?:more |whole )?(?:byte|bit|cell|tile|value|element|fragment|file|chunk|integer|string|offset|dimension|attribute|level|box|target|id|run|literal|column|row|member|number|digit|character)(?:e(?=s\b))?)s)\b/
    .source
const ARTICLE = /\b([Aa])(?= (?:array|attribute|element|empty|entry|enumeration|error|index|integer|offset|unknown)\b)/
  .source
const GRAMMAR = new RegExp(`${QUOTED}|${COUNTED}|${ARTICLE}`, 'g')

/**
 * `1 byte` and `an array` where numbers and words were put together; what stands between quotes is not ours. Bytes of
 * names that are not UTF-8 are written out: a message is text.
 */
export function grammatical(message: string): string {
  const text = message.isWellFormed()
    ? message
    : message.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)
  return text.replace(GRAMMAR, (found: string, irregular?: string, noun?: string, article?: string) => {
    if (irregular !== undefined) return irregular === 'entr' ? '1 entry' : '1 index'
    if (noun !== undefined) return `1 ${noun === 'boxe' ? 'box' : noun}`
    return article === undefined ? found : `${article}n`
  })
}

/** Exit code of the process for an error: 1 damage, 2 usage, 3 not examined. */
export function exitCodeOf(error: InspectError): 1 | 2 | 3 {
  return ERROR_CODES[error.code]
}

/** Whether an error says something that none did before it, whatever the place in the file. @param told is added to */
export function isNew(told: Set<string>, { code, message, at }: InspectError): boolean {
  const text = `${code} ${at.file ?? ''} ${message}`
  if (told.has(text)) return false
  told.add(text)
  return true
}

/** The same error with what this layer knows of its place; what a lower layer said stays. Other errors pass unchanged. */
export function addPlace(error: unknown, place: ErrorPlace): unknown {
  if (!(error instanceof InspectError)) return error
  const at: ErrorPlace = { ...error.at }
  at.file ??= place.file
  at.offset ??= place.offset
  at.field ??= place.field
  at.space ??= place.space
  const placed = new InspectError(error.code, error.message, at, { cause: error.cause })
  if (error.stack !== undefined) placed.stack = error.stack
  return placed
}

/** The same error with the section's name ahead of what was read in it: `tile_offsets.a.chunks.0.GZIP`. */
export function addSection(error: unknown, section: string): unknown {
  if (!(error instanceof InspectError)) return error
  const { field } = error.at
  const named = new InspectError(
    error.code,
    error.message,
    { ...error.at, field: field === undefined ? section : `${section}.${field}` },
    { cause: error.cause },
  )
  if (error.stack !== undefined) named.stack = error.stack
  return named
}

/** Runs `work`; an {@link InspectError} leaving it gets `place` added. */
export function withPlace<T>(place: ErrorPlace, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw addPlace(error, place)
  }
}

/** {@link withPlace} for asynchronous work. */
export async function withPlaceAsync<T>(place: ErrorPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw addPlace(error, place)
  }
}

/**
 * Any error as an InspectError. Every other kind is a fault of this program: where it has several things to do, it says so, and goes on with the next.
 * @throws ClosedPipe
 */
export function asInspectError(error: unknown): InspectError {
  if (error instanceof InspectError) return error
  if (error instanceof ClosedPipe) throw error
  if (error instanceof RangeError && /allocation failed/i.test(error.message))
    return new InspectError('TOO_LARGE', `there is not enough memory (${error.message})`, {}, { cause: error })
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const message = `this is a fault of tiledb-inspect (${what}); DEBUG=1 shows where`
  return new InspectError('INTERNAL', message, {}, { cause: error })
}

/** Raised by writing where nobody reads any more: the program ends quietly, with the exit code so far. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe'
}

/** Names that a message lists. */
const LISTED = 5

/** The first of some names, and how many there are where that is not all. */
export function firstOf(names: readonly string[]): string {
  return names.slice(0, LISTED).join(', ') + (names.length > LISTED ? `, … (${names.length} in all)` : '')
}
