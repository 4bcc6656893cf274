import type { Prose } from './prose.ts'
import { sizeText } from './sizes.ts'

/**
 * Every error code and the exit code of the process for it: 1 damage, 2 wrong usage, 3 could not be examined.
 * Codes are part of the public contract.
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
  TILEDB_REFUSES: 1,
  USAGE: 2,
  WRONG_TARGET: 2,
  EXISTS: 2,
  NOT_FOUND: 3,
  CHANGED_WHILE_READ: 3,
  NOT_TILEDB: 3,
  NO_PERMISSION: 3,
  NO_LISTING: 3,
  IO: 3,
  TOO_MANY_FILES: 3,
  KEY_NEEDED: 3,
  WRONG_KEY: 3,
  UNSUPPORTED_VERSION: 3,
  UNSUPPORTED_FILTER: 3,
  NO_SCHEMA: 3,
  TOO_LARGE: 3,
  NOT_RECOVERED: 3,
  INTERNAL: 3,
} as const

/** The kind of an error. Codes are never renamed. */
export type ErrorCode = keyof typeof ERROR_CODES

/** Where a fault is: the file, a byte offset from its start (or in `space`), and the dotted name of the field. */
export interface ErrorPlace {
  file?: string | undefined
  offset?: number | undefined
  field?: string | undefined
  /** Number of the tile, if a tile of a fragment was read. */
  tile?: number | undefined
  /** Set when `offset` counts in unfiltered content instead of in the file. */
  space?: string | undefined
}

/** What should be there, and what is there. Both continue a sentence: `a multiple of 8`, `12`. */
export interface Mismatch {
  expected: Prose | number | bigint
  found: Prose | number | bigint
  /** The whole sentence in the words of the command line: see {@link InspectError.commandLine}. */
  commandLine?: Prose | undefined
}

/** A sentence that is another one on the command line. */
export interface Sentence {
  says: Prose
  commandLine: Prose
}

/** What an error says: a sentence, or what was expected and what was found. */
export type Fault = Prose | Sentence | Mismatch

/**
 * The only error that reading, filtering and writing throw. `message` holds no path and no offset: the printer adds them
 * from `at`. Each layer fills in the part of `at` that it knows, the lowest layer first ({@link withPlace}).
 */
export class InspectError extends Error {
  override readonly name = 'InspectError'
  declare readonly message: Prose
  readonly code: ErrorCode
  readonly at: ErrorPlace
  /** What was expected; undefined if the error is a sentence. */
  declare readonly expected: Prose | undefined
  /** What was found instead; undefined if {@link expected} is. */
  declare readonly found: Prose | undefined
  /**
   * The message on the command line, where it names an option or says what to type; undefined if it is the same. A page and users of the
   * library have no options, and get {@link message}.
   */
  declare readonly commandLine: Prose | undefined

  /** @param options.stack the stack of the error from which this one is made; by default its own */
  constructor(
    code: ErrorCode,
    fault: Fault,
    at: ErrorPlace = {},
    options?: { cause?: unknown; stack?: string | undefined },
  ) {
    super(grammatical(faultText(fault)), options)
    this.code = code
    this.at = at
    const stack = options?.stack ?? (at.file === undefined ? undefined : this.stack)
    if (stack !== undefined) this.stack = placedStack(this, stack)
    if (typeof fault === 'string') return
    if (fault.commandLine !== undefined) this.commandLine = grammatical(fault.commandLine)
    if (!('expected' in fault)) return
    this.expected = grammatical(valueText(fault.expected))
    this.found = grammatical(valueText(fault.found))
  }

  /** What the error says, for another error that says the same. */
  get fault(): Fault {
    const { expected, found, message, commandLine } = this
    if (expected !== undefined && found !== undefined) return { expected, found, commandLine }
    return commandLine === undefined ? message : { says: message, commandLine }
  }
}

/**
 * Frees the objects whose methods were running when an error and its causes were made. V8 keeps them, with the tiles that they hold,
 * until the text of the stack is made. To be called for errors that are kept.
 */
export function freeStack(error: unknown): void {
  for (let one = error; one instanceof Error; one = one.cause) void one.stack
}

/** What an error says on the command line. */
export function commandLineText({ commandLine, message }: InspectError): Prose {
  return commandLine ?? message
}

/** A {@link Mismatch} with more words about what was expected, which only the command line has. */
export function withHint({ expected, found }: Mismatch, hint: Prose): Mismatch {
  return { expected, found, commandLine: faultText({ expected: `${expected} ${hint}`, found }) }
}

/**
 * The error for a wrong value of an option. Only the command line names the option.
 * @param form what the option expects, if that is more than what was expected: how its value is written
 */
export function wrongOption(option: string, expected: Prose, found: Prose, form = expected): InspectError {
  return usage({ expected, found, commandLine: `${option} expects ${form}, found ${found}` })
}

/** A fault with more words at its end. */
export function longer(fault: Fault, more: string): Fault {
  if (typeof fault === 'string') return fault + more
  const commandLine = fault.commandLine === undefined ? undefined : fault.commandLine + more
  if ('expected' in fault) return { expected: fault.expected, found: `${fault.found}${more}`, commandLine }
  return { says: fault.says + more, commandLine: fault.commandLine + more }
}

/** What an error says, in one sentence. */
export function faultText(fault: Fault): string {
  if (typeof fault === 'string') return fault
  if (!('expected' in fault)) return fault.says
  return `expected ${valueText(fault.expected)}, found ${valueText(fault.found)}`
}

/** A value of a {@link Mismatch}. Numbers are sizes, offsets and counts. */
function valueText(value: Mismatch['found']): string {
  return typeof value === 'number' ? sizeText(value) : String(value)
}

/** The facts of an error that a message to another thread transfers. An error itself would lose its class. */
export type ErrorFacts = Pick<InspectError, 'code' | 'fault' | 'at'>

/** The error for a wrong command line, or a wrong call of the library. */
export function usage(fault: Fault, at?: ErrorPlace, options?: { cause?: unknown }): InspectError {
  return new InspectError('USAGE', fault, at, options)
}

/** The error for an invalid value. */
export function badValue(fault: Fault, at?: ErrorPlace, options?: { cause?: unknown }): InspectError {
  return new InspectError('BAD_VALUE', fault, at, options)
}

/** The {@link badValue} error that says what was expected of `field` and what was found. */
export function unexpected(expected: string, found: string, field?: string): InspectError {
  return badValue({ expected, found }, { field })
}

/** The error for two facts that contradict each other. */
export function inconsistent(fault: Fault, at?: ErrorPlace): InspectError {
  return new InspectError('INCONSISTENT', fault, at)
}

const QUOTED = /"(?:[^"\\]|\\.)*"/.source
const COUNTED =
  /(?<![\w.,-])1 (?:(entr|indic)(?:ies|es)|((?:more |whole |other |unfiltered |stored |encrypted |LZ4 )?(?:byte|bit|cell|tile|value|element|fragment|file|chunk|integer|string|offset|dimension|attribute|field|level|box|target|id|run|literal|column|row|member|commit|number|digit|character)(?:e(?=s\b))?)s)\b/
    .source
const ARTICLE =
  /\b([Aa])(?= (?:array|attribute|element|empty|encryption|entry|enumeration|error|index|integer|offset|unknown)\b)/
    .source
const GRAMMAR = new RegExp(`${QUOTED}|${COUNTED}|${ARTICLE}`, 'g')

/**
 * Mends grammar: `1 bytes` becomes `1 byte`, and `a array` becomes `an array`. Text in quotes is left alone. Lone
 * surrogates, which stand for bytes of names that are not UTF-8, become escapes: a message has to be valid text.
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

/**
 * Returns an {@link InspectError}. @throws every other error; and CHANGED_WHILE_READ, which is no fault of a file: the parts that
 * were read are from different times, and tell nothing together
 */
export function faultOf(error: unknown): InspectError {
  if (error instanceof InspectError && error.code !== 'CHANGED_WHILE_READ') return error
  throw error
}

/** For `catch`: turns an {@link InspectError} into undefined. @throws every other error */
export function unlessFault(error: unknown): undefined {
  faultOf(error)
}

/**
 * Codes of errors that say nothing about the bytes: they could not be reached, or memory has no room for them. A size that cannot be right
 * has another code.
 */
const UNSEEN_CODES: readonly ErrorCode[] = ['IO', 'NO_LISTING', 'NO_PERMISSION', 'TOO_LARGE']

/** Whether an error is about the bytes, not about access to them. */
export function isAboutBytes({ code }: InspectError): boolean {
  return !UNSEEN_CODES.includes(code)
}

/** For `catch`: returns an error about the bytes that were read. @throws every other error, because what was not seen is not lost */
export function damageOf(error: unknown): InspectError {
  const fault = faultOf(error)
  if (!isAboutBytes(fault)) throw fault
  return fault
}

/** For `catch`: {@link damageOf} that returns undefined in place of the error. */
export function unlessDamaged(error: unknown): undefined {
  damageOf(error)
}

/** Whether an error is an {@link InspectError} with one of the codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is InspectError {
  return error instanceof InspectError && codes.includes(error.code)
}

/** For `catch`: turns an error with one of the codes into undefined. @throws every other error */
export function unlessCode(...codes: readonly ErrorCode[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.some((code) => hasCode(error, code))) throw error
  }
}

/** Exit code of the process for an error. @see ERROR_CODES */
export function exitCodeOf(error: InspectError): 1 | 2 | 3 {
  return ERROR_CODES[error.code]
}

/** Whether no error of the same file, code and message was told. Offsets may differ. Adds the error to `told`. */
export function isNew(told: Set<string>, { code, message, at }: InspectError): boolean {
  const text = `${code} ${at.file ?? ''} ${message}`
  // Prose: what would look the same is told once.
  if (told.has(text)) return false
  told.add(text)
  return true
}

/** The same error at another place. */
export function movedTo(at: ErrorPlace, error: InspectError): InspectError {
  const { code, fault, cause, stack } = error
  return new InspectError(code, fault, at, { cause, stack })
}

/** The stack of an error, with its file in the first line. Of an error that nobody catches, JavaScript shows only the stack. */
function placedStack({ name, message, at: { file } }: InspectError, stack: string): string {
  const frames = stack.search(/\n {4}at /)
  return `${name}: ${file === undefined ? '' : `${file}: `}${message}${frames < 0 ? '' : stack.slice(frames)}`
}

/** Adds the parts of a place that an InspectError does not have yet. Returns other errors unchanged. */
export function addPlace(error: unknown, place: ErrorPlace): unknown {
  if (!(error instanceof InspectError)) return error
  const at: ErrorPlace = { ...error.at }
  at.file ??= place.file
  at.offset ??= place.offset
  at.field ??= place.field
  at.space ??= place.space
  at.tile ??= place.tile
  return movedTo(at, error)
}

/** Puts a section's name in front of the field of an InspectError: `tile_offsets.a.chunks.0.GZIP`. */
export function addSection(error: unknown, section: string): unknown {
  if (!(error instanceof InspectError)) return error
  const { field } = error.at
  return movedTo({ ...error.at, field: field === undefined ? section : `${section}.${field}` }, error)
}

/** Runs `work` and adds `place` to an {@link InspectError} that it throws. */
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

/** Returns the result of `work`; undefined if it throws any error. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Returns the result of `work`, or the {@link InspectError} that it throws. @throws every other error */
export async function orError<T>(work: () => Promise<T>): Promise<T | InspectError> {
  try {
    return await work()
  } catch (error) {
    return faultOf(error)
  }
}

/** Messages of JavaScript when memory is short or a length is too large. A negative length is a fault of this program. */
const NO_MEMORY =
  /^RangeError: (?:Invalid (?:typed )?array(?: buffer)? length(?!: -)|Array buffer allocation failed|Invalid string length)/

/** Whether an error means that an allocation was too large. */
export function lacksMemory(error: unknown): error is RangeError {
  // Prose: JavaScript has no code for this.
  return NO_MEMORY.test(String(error))
}

/**
 * Any error as an InspectError. Unexpected errors are faults of this program, and become INTERNAL: a command that works
 * on several targets can then report one and go on with the next.
 *
 * @throws ClosedPipe unchanged
 */
export function asInspectError(error: unknown): InspectError {
  if (error instanceof InspectError) return error
  if (error instanceof ClosedPipe) throw error
  if (lacksMemory(error))
    return new InspectError('TOO_LARGE', `there is not enough memory (${error.message})`, {}, { cause: error })
  // The program also opens files of its own, such as its modules.
  const tooMany = tooManyFiles(error)
  if (tooMany !== undefined) return new InspectError('TOO_MANY_FILES', tooMany, {}, { cause: error })
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const says = `this is a fault of tiledb-inspect (${what})`
  return new InspectError('INTERNAL', { says, commandLine: `${says}; DEBUG=1 shows where` }, {}, { cause: error })
}

/** The text about an error of the system that says that no more files can be opened; undefined for any other error. */
export function tooManyFiles(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EMFILE') return 'too many files are open: ulimit -n 4096 raises the limit for the commands of a shell'
  return code === 'ENFILE' ? 'too many files are open in the whole system' : undefined
}

/** Thrown by a write when nobody reads the output any more. The program ends quietly, with the exit code so far. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe'
}

/** Upper limit on the names that a message lists. */
const LISTED = 5

/** The first few names; if there are more, also how many there are in all. */
export function firstOf(names: readonly string[]): string {
  return names.slice(0, LISTED).join(', ') + (names.length > LISTED ? `, … (${names.length} in all)` : '')
}
