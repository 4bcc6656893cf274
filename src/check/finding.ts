import { ERROR_CODES, grammatical, InspectError } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import { sizeText } from '../base/sizes.ts'
import { timeText } from '../format/timestamped-name.ts'
import { isKnownFault, type KnownFault } from './codes/known.ts'
import type { Severity } from './codes/row.ts'
import { type FindingCode, type FindingState, meaningOf, type VariantOf } from './codes.ts'

/** How deep a check goes: `structure` reads no data tiles, `chunks` undoes every filter, `cells` examines every cell. */
export const LEVELS = ['structure', 'chunks', 'cells'] as const
export type Level = (typeof LEVELS)[number]

/** Where in an array a finding is. */
export interface FindingPlace {
  file: string
  /** Bytes from the start of the file, or, if `space` is set, of the content below a filter. */
  offset?: number | undefined
  space?: string | undefined
  /** Dotted name of the field, as in errors: `file_sizes.a0`. */
  field?: string | undefined
  tile?: number | undefined
  chunk?: number | undefined
  /** Index of the cell in its tile. */
  cell?: number | undefined
}

/** A fault, or something worth knowing. */
export interface Finding extends FindingPlace, FindingState {
  severity: Severity
  expected: Prose
  found: Prose
  /** What the finding means for a reader. For a known fault it also names the TileDB releases. */
  meaning: Prose
  /** Why readers ignore the fragment, if they do: an error then becomes a warning. */
  ignored?: IgnoredReason | undefined
  /** Path in the array of the missing file or folder, if `file` only names it. */
  missing?: string | undefined
  /** Path in the array of the file with which this one was exchanged. */
  exchanged?: string | undefined
  /** Paths in the array of the fragments whose cells this one has, too. */
  sources?: readonly string[] | undefined
  /** The values that disagree, if this is about a statistic of cells. */
  statistic?: { counted: string; stored: string } | undefined
  /** File or folder for which the finding is reported only once. */
  once?: string | undefined
}

/** What is found in the place of a file. */
export const NO_FILE = { none: 'no such file', folder: 'a folder', other: 'a pipe, socket or device' } as const

/** Something that could not be examined: no key, no permission, an unknown version. It is not a finding. */
export interface NotExaminedItem {
  notExamined: InspectError
}

export type Item = Finding | NotExaminedItem

/** Why readers ignore a fragment. */
export type IgnoredReason = 'uncommitted' | 'toVacuum' | 'future'

const WHY_IGNORED: Readonly<Record<IgnoredReason, string>> = {
  uncommitted: 'readers skip the fragment, as no commit names it',
  toVacuum:
    'readers skip the fragment, because a .vac file hides it; in dense arrays and in formats before 15, reads as of a time before that of the .vac file still use it',
  future: 'readers skip the fragment until the time in its name',
}

/** Turns errors into warnings if readers ignore the fragment. */
export function asIgnored(item: Item, ignored: IgnoredReason | undefined): Item {
  if (ignored === undefined || 'notExamined' in item || item.severity !== 'error') return item
  return { ...item, severity: 'warning', ignored, meaning: `${item.meaning}; but ${WHY_IGNORED[ignored]}` }
}

/** Yields the results of a check as they are found. The return value is for the caller. */
export type Items<T = void> = AsyncGenerator<Item, T>

/** Why a finding means something else than its code usually does: a variant of the code, or known faults of TileDB releases. */
export type SpecialCause<Code extends FindingCode> = VariantOf<Code> | KnownFault | readonly KnownFault[]

/** Most characters of what was expected or found. A name, or a text of the metadata, may be of any length. */
const LONGEST_TEXT = 4000

export function finding<Code extends FindingCode>(
  code: Code,
  place: FindingPlace,
  expected: string | number | bigint,
  found: string | number | bigint,
  special?: SpecialCause<Code>,
): Finding {
  const state = stateOf(code, special)
  const { severity, meaning } = meaningOf(state)
  return {
    severity,
    ...state,
    ...place,
    expected: grammatical(textOf(expected)),
    found: grammatical(textOf(found)),
    meaning,
  }
}

function stateOf<Code extends FindingCode>(code: Code, special: SpecialCause<Code> | undefined): FindingState {
  if (special === undefined) return { code }
  if (typeof special !== 'string') return { code, knownFaults: special }
  return isKnownFault(special) ? { code, knownFaults: [special] } : { code, variant: special }
}

function textOf(value: string | number | bigint): string {
  const text = typeof value === 'number' ? sizeText(value) : String(value)
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text
}

/**
 * Turns an error from reading into a finding, or into a {@link NotExaminedItem}.
 * @throws any error that is not an InspectError
 */
export function fromError<Code extends FindingCode>(
  error: unknown,
  code: Code,
  place: FindingPlace,
  variant?: VariantOf<Code>,
): Item {
  if (!(error instanceof InspectError)) throw error
  const at: FindingPlace = {
    ...place,
    file: error.at.file ?? place.file,
    offset: error.at.offset ?? place.offset,
    space: error.at.offset === undefined ? place.space : error.at.space,
    field: fieldOf(place.field, error.at.field),
  }
  if (error.code === 'NOT_FOUND') return finding(code, at, 'the file', 'that it is missing')
  if (ERROR_CODES[error.code] !== 1) {
    return { notExamined: new InspectError(error.code, error.fault, at, { cause: error }) }
  }
  const { expected = 'what can be read', found = error.message } = error
  return finding(code, at, expected, found, variant)
}

function fieldOf(outer: string | undefined, inner: string | undefined): string | undefined {
  if (outer === undefined || inner === undefined || inner.startsWith(outer)) return inner ?? outer
  return `${outer}.${inner}`
}

/** Reports what counts only later. @param ends its time */
export function futureFinding(code: FindingCode, place: FindingPlace, ends: bigint, now: bigint): Item {
  return finding(code, place, `a time up to now, ${timeText(now)}`, timeText(ends))
}

/** Runs a part of a check. An InspectError ends only this part, and becomes a finding. */
export async function* guarded(code: FindingCode, place: FindingPlace, part: () => Items): Items {
  try {
    yield* part()
  } catch (error) {
    yield fromError(error, code, place)
  }
}

/** A text that two findings share if they say the same, perhaps about different places. */
export function findingKey({ code, variant, knownFaults, wrong, ignored }: Finding): string {
  return JSON.stringify([code, variant, knownFaults, wrong, ignored])
}

/** Leaves out findings that were already reported for the same file or folder: {@link Finding.once}. */
export async function* withoutRepeats(items: Items): Items {
  const reported = new Set<string>()
  for await (const item of items) {
    if ('once' in item) {
      const what = `${item.once} ${findingKey(item)}`
      if (reported.has(what)) continue
      reported.add(what)
    }
    yield item
  }
}

/** Like {@link guarded}, but returns a value; undefined after an error. */
export async function* guardedValue<T, Code extends FindingCode>(
  code: Code,
  place: FindingPlace,
  work: () => Promise<T>,
  variant?: VariantOf<Code>,
): Items<T | undefined> {
  try {
    return await work()
  } catch (error) {
    yield fromError(error, code, place, variant)
    return undefined
  }
}

/** Runs a part to its end, and collects its items. */
export async function collectItems<T>(part: Items<T>): Promise<{ value: T; items: Item[] }> {
  const items: Item[] = []
  for (;;) {
    const { done, value } = await part.next()
    if (done) return { value, items }
    items.push(value)
  }
}

/** Reads metadata whose faults another check reports; undefined if it cannot be read. */
export async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  return (await collectItems(guardedValue('SECTION_UNREADABLE', { file: '' }, work))).value
}
