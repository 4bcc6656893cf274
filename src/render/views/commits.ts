import { lastPathPart } from '../../base/paths.ts'
import type { Output } from '../../base/result.ts'
import type { CommitsDocument, CommitsLine } from '../../documents/commits.ts'
import { writeTable } from '../table.ts'
import {
  fits,
  limitOf,
  prefixLength,
  ROWS,
  type Shows,
  type Spare,
  shownList,
  withoutSpares,
  writeLine,
  writeTableOrBelow,
  writeTitle,
} from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted, NOTHING, timeRangeText } from './wording.ts'

/** Effect of a commit file or entry, or of a delete condition on a fragment. */
type Effect = CommitsLine['effect'] | 'marked' | 'purged' | 'applied'

/** A row: a commit file, an entry of one, or a fragment that a delete condition affects. */
interface Row {
  file: string
  kind: CommitsLine['kind']
  time: string
  effect: Effect
  refersTo: string
  condition: string
  /** Whether an ignore file is the reason for the effect `hidden`, and no vacuum file. */
  byIgnoreFile: boolean
}

/** What the effects mean, below the table; with the rows to which that applies, if not to all with the effect. */
const EFFECTS: readonly (readonly [Effect, string, ((row: Row) => boolean)?])[] = [
  ['to-vacuum', 'the fragment is still there, hidden by a vacuum file'],
  ['hidden', 'an ignore file takes this commit back', ({ byIgnoreFile }) => byIgnoreFile],
  [
    'hidden',
    'a vacuum file lists the fragment, and no other fragment replaces it: do not vacuum',
    ({ byIgnoreFile }) => !byIgnoreFile,
  ],
  ['ignored', 'an ignore file took this commit back'],
  ['dangling', 'it refers to something that is not there'],
  ['orphan', 'the fragment that should hold the cells of those listed is not there'],
  ['future', 'readers do not count it before the time in its name'],
  [
    'unlisted',
    'TileDB reads the fragment as far as it was written up to now, but does not list it: its timestamps end in the future',
  ],
  ['marked', 'the fragment holds the cells that the condition deletes, marked as deleted'],
  ['purged', 'the fragment no longer holds the cells that the condition deletes'],
  ['applied', 'the condition is applied whenever the fragment is read'],
]

/** Shows a row for each commit file, and below it a row for each entry. */
export async function commitsTable({ path, commits }: CommitsDocument, out: Output): Promise<void> {
  await writeTitle(path, filesText(commits), out)
  if (commits.length === 0) return
  const conditions = commits.some(({ condition, error }) => condition !== undefined || error !== undefined)
  const exact = out.full || out.columns === undefined
  const columns: Column[] = [
    { name: 'file', role: 'field', cell: ({ file }) => file },
    { name: 'kind', cell: ({ kind }) => kind },
    { name: terminalHeading('timestamp_range'), align: 'right', spare: 1, cell: ({ time }) => time },
    { name: 'effect', role: effectRole, cell: ({ effect }) => effect },
    { name: terminalHeading('refers_to'), spare: 2, cell: ({ refersTo }) => refersTo },
  ]
  const condition: Column = {
    name: 'condition',
    role: errorRole,
    shown: conditions,
    cell: ({ condition }) => condition,
  }
  const rows = commits.flatMap((commit): Row[] => {
    const { file, entry, kind, effect, timestamp_range } = commit
    const shown = entry === null ? file : `  ${entry}`
    const row = {
      file: shown,
      kind,
      time: timeRangeText(timestamp_range, exact),
      effect,
      refersTo: referenceText(commit),
      condition: conditionText(commit),
      // A vacuum file hides only what is there; the effect on what is gone is `dangling`.
      byIgnoreFile: kind === 'ignore' || commit.exists === false,
    }
    return [row, ...fragmentRows(commit)]
  })
  await writeCommits(columns, condition, rows, out)
  for (const [effect, meaning, applies = () => true] of EFFECTS) {
    if (rows.some((row) => row.effect === effect && applies(row))) await writeLine(`${effect}: ${meaning}`, out, 'dim')
  }
}

type Column = Shows<Row> & Spare

/**
 * Writes the table. If whole names do not fit a terminal, it has their beginnings, as `ls` has, and leaves out what the names tell.
 * Conditions are then below the table.
 */
async function writeCommits(
  columns: readonly Column[],
  condition: Column,
  rows: readonly Row[],
  out: Output,
): Promise<void> {
  const limit = limitOf(ROWS, out)
  const whole = shownList([...columns, condition], rows)
  if (fits(whole.columns, whole.rows.slice(0, limit), out)) {
    await writeTable({ ...whole, limit }, out)
    return
  }
  const length = prefixLength([...new Set(rows.map(({ file }) => lastPathPart(file.trim())).map(stemOf))])
  const shortName = ({ file }: Row): string => {
    const name = lastPathPart(file.trim())
    const indent = file.startsWith(' ') ? '  ' : ''
    return indent + (name.length > length ? name.slice(0, length) + suffixOf(name) : name)
  }
  const begins: Column = { name: 'file begins', role: 'field', whole: true, cell: shortName }
  const short = [begins, ...columns.slice(1)]
  const list = (some: readonly Column[]) => shownList([...some, condition], rows)
  const hasRoom = (some: readonly Column[]): boolean => fits(some, shownList(some, rows.slice(0, limit)).rows, out)
  const kept = withoutSpares(short, hasRoom)
  const leftOut = short.filter((column) => !kept.includes(column)).map(({ name }) => name)
  const { columns: shown, rows: texts } = list(kept)
  if (condition.shown) await writeTableOrBelow({ columns: shown, rows: texts, limit, leftOut }, out)
  else await writeTable({ columns: shown, rows: texts, limit, leftOut }, out)
}

/** A name without its suffix: files of one commit have names that differ only there. */
function stemOf(name: string): string {
  return name.slice(0, name.length - suffixOf(name).length)
}

function suffixOf(name: string): string {
  return /\.[a-z]+$/.exec(name)?.[0] ?? ''
}

/** Kind of the files with copies of footers. These files commit nothing. */
const FOOTERS: CommitsLine['kind'] = 'fragment-metadata'

/** `3 commit files, 1 consolidated fragment metadata file` */
function filesText(commits: readonly CommitsLine[]): string {
  const number = (wanted: readonly CommitsLine[]): number => new Set(wanted.map(({ file }) => file)).size
  const footers = number(commits.filter(({ kind }) => kind === FOOTERS))
  const others = number(commits) - footers
  const committed = others === 0 ? 'no commit files' : counted(others, 'commit file')
  return footers === 0 ? committed : `${committed}, ${counted(footers, 'consolidated fragment metadata file')}`
}

/** Most fragments that get a row below their delete condition. More fragments are only counted. */
const NAMED = 8

/** Returns rows for the fragments that a delete condition affects. */
function fragmentRows(commit: CommitsLine): Row[] {
  const { kind, processed_by = [], purged_by = [], not_processed_by = [] } = commit
  if (processed_by.length + not_processed_by.length > NAMED) return []
  const rows = (effect: Effect, names: readonly string[]): Row[] =>
    names.map((name) => ({
      file: `  ${name}`,
      kind,
      time: NOTHING,
      effect,
      refersTo: 'fragment of that name',
      condition: NOTHING,
      byIgnoreFile: false,
    }))
  const marked = processed_by.filter((name) => !purged_by.includes(name))
  return [
    ...rows('marked', marked),
    ...rows('purged', purged_by),
    ...(commit.effect === 'future' ? [] : rows('applied', not_processed_by)),
  ]
}

function effectRole(effect: string): 'good' | 'bad' | 'dim' | undefined {
  if (effect === 'visible') return 'good'
  if (effect === 'dangling' || effect === 'orphan') return 'bad'
  return effect === 'to-vacuum' || effect === 'ignored' || effect === 'hidden' ? 'dim' : undefined
}

function errorRole(cell: string): 'bad' | undefined {
  return cell.startsWith('error: ') ? 'bad' : undefined
}

/** Returns what a file or entry refers to. The usual case, a fragment of the same name, is not spelled out. */
function referenceText({ file, entry, refers_to, exists, entry_num }: CommitsLine): string {
  if (entry_num !== undefined && exists !== false) return counted(entry_num, 'entry', 'entries')
  if (refers_to === null) return exists === false ? 'no such file any more' : NOTHING
  const same = (entry || file).includes(refers_to)
  return `${same ? 'fragment of that name' : refers_to}${exists === false ? ' (not there)' : ''}`
}

function conditionText({ condition, effect, error, processed_by = [], not_processed_by = [] }: CommitsLine): string {
  if (error !== undefined) return `error: ${error.message}`
  if (condition === undefined) return NOTHING
  const applied = `${effect === 'future' ? 'from its time on, ' : ''}applied at each read of`
  const notes = [[processed_by.length, 'processed by'] as const, [not_processed_by.length, applied] as const]
  const shown = notes.flatMap(([count, what]) => (count === 0 ? [] : `${what} ${counted(count, 'fragment')}`))
  return shown.length === 0 ? condition : `${condition} (${shown.join(', ')})`
}
