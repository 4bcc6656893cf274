import type { Output, Result } from '../../base/result.ts'
import type { Column } from '../table.ts'
import { type Document, type Fields, fieldList, fields, list, text } from './narrow.ts'
import { limitOf, line, ROWS, tableOrBelow, title } from './parts.ts'
import { counted, NOTHING } from './wording.ts'

const EFFECTS: Readonly<Record<string, string>> = {
  'to-vacuum': 'the fragment is still there, hidden by a vacuum file',
  hidden: 'an ignore file takes this commit back',
  ignored: 'an ignore file took this commit back',
  dangling: 'it refers to something that is not there',
  orphan: 'the fragment that should hold the cells of those listed is not there',
  processed: 'the fragment holds no cell any more that the condition deletes, or marks those cells',
  applied: 'the condition is applied whenever the fragment is read',
}

/** One row a commit file, and one for each of its entries below it. */
export async function commitsTable(document: Document, full: boolean, out: Output): Promise<void> {
  const commits = fieldList(document.commits)
  await title(document.path, filesText(commits), out)
  if (commits.length === 0) return
  const conditions = commits.some(({ condition, error }) => condition !== undefined || error !== undefined)
  const columns: Column[] = [
    { name: 'file', role: 'field' },
    { name: 'kind' },
    { name: 'effect', role: effectRole },
    { name: 'refers to' },
    ...(conditions ? [{ name: 'condition', role: errorRole }] : []),
  ]
  const effects = new Set<string>()
  const rows = commits.flatMap((commit) => {
    effects.add(text(commit.effect))
    const row = [
      commit.entry === null ? text(commit.file) : `  ${text(commit.entry)}`,
      text(commit.kind),
      text(commit.effect),
      referenceText(commit),
      ...(conditions ? [conditionText(commit)] : []),
    ]
    return [row, ...fragmentRows(commit, effects)]
  })
  await tableOrBelow({ columns, rows, limit: limitOf(full, ROWS, out) }, out)
  for (const [effect, meaning] of Object.entries(EFFECTS)) {
    if (effects.has(effect)) await line(`${effect}: ${meaning}`, out, 'dim')
  }
}

/** Kind of the rows of files that hold copies of footers: they commit nothing. */
const FOOTERS = 'fragment-metadata'

/** `3 commit files, 1 consolidated fragment metadata file` */
function filesText(commits: readonly Fields[]): string {
  const number = (wanted: readonly Fields[]): number => new Set(wanted.map(({ file }) => text(file))).size
  const footers = number(commits.filter(({ kind }) => kind === FOOTERS))
  const others = number(commits) - footers
  const committed = others === 0 ? 'no commit files' : counted(others, 'commit file')
  return footers === 0 ? committed : `${committed}, ${counted(footers, 'consolidated fragment metadata file')}`
}

/** Fragments named below a delete condition; more than these are counted only. */
const NAMED = 8

/** Below a delete condition the fragments that it concerns. */
function fragmentRows({ kind, processed_by, not_processed_by }: Fields, effects: Set<string>): string[][] {
  const groups = [
    ['processed', Array.from(list(processed_by), text)],
    ['applied', Array.from(list(not_processed_by), text)],
  ] as const
  if (groups.reduce((sum, [, names]) => sum + names.length, 0) > NAMED) return []
  return groups.flatMap(([effect, names]) =>
    names.map((name) => {
      effects.add(effect)
      return [`  ${name}`, text(kind), effect, 'fragment of that name', NOTHING]
    }),
  )
}

function effectRole(effect: string): 'good' | 'bad' | 'dim' | undefined {
  if (effect === 'visible') return 'good'
  if (effect === 'dangling' || effect === 'orphan') return 'bad'
  return effect === 'to-vacuum' || effect === 'ignored' || effect === 'hidden' ? 'dim' : undefined
}

function errorRole(cell: string): 'bad' | undefined {
  return cell.startsWith('error: ') ? 'bad' : undefined
}

/** Mostly the fragment of the same name: then those words, so that the eye finds the others. */
function referenceText({ file, entry, refers_to, exists, entry_num }: Fields): string {
  if (typeof entry_num === 'number' && exists !== false) return counted(entry_num, 'entry', 'entries')
  if (refers_to === null) return exists === false ? 'no such file any more' : NOTHING
  const name = text(refers_to)
  const same = (text(entry) || text(file)).includes(name)
  return `${same ? 'fragment of that name' : name}${exists === false ? ' (not there)' : ''}`
}

function conditionText({ condition, error, processed_by, not_processed_by }: Fields): string {
  const { message } = fields(error)
  if (message !== undefined) return `error: ${text(message)}`
  if (condition === undefined) return NOTHING
  const count = (names: Result | undefined): number => Array.from(list(names)).length
  const notes = [
    [count(processed_by), 'processed by'],
    [count(not_processed_by), 'applied when read to'],
  ] as const
  const shown = notes.flatMap(([many, what]) => (many === 0 ? [] : `${what} ${counted(many, 'fragment')}`))
  return shown.length === 0 ? text(condition) : `${text(condition)} (${shown.join(', ')})`
}
