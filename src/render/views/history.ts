import type { Output } from '../../base/result.ts'
import type { HistoryDocument, HistoryVersion } from '../../documents/history.ts'
import { placeTexts } from './layer.ts'
import { type Shows, shownList, writeLine, writeNotExamined, writeTableOrBelow, writeTitle } from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import {
  counted,
  fieldName,
  momentText,
  NEVER_WRITTEN,
  timeRangeText,
  valuesText,
  withTimes,
  writtenText,
} from './wording.ts'

/** Most characters of a value, except with `--full`. */
const VALUE = 24
/** Most names in a line. */
const MAX_NAMES = 3
/** Most characters of a value with `--vertical`. */
const BLOCK_VALUE = 1000

/** Shows the versions of a cell, one a row, and what hides each of them. @param isNow whether the user gave no time */
export async function historyTable(document: HistoryDocument, isNow: boolean, out: Output): Promise<void> {
  const { path, cell, versions, as_of, fill_values, layer_place, perhaps_purged = [], not_examined = [] } = document
  const found = versions.length === 0 ? 'no fragment on disk has it' : counted(versions.length, 'version')
  await writeTitle(path, withTimes(`${valuesText(cell, VALUE)}: ${found}`, isNow ? undefined : as_of), out)
  for (const text of layer_place ? placeTexts(layer_place) : []) await writeLine(text, out)
  if (versions.length > 0) {
    const names = versions.map(({ fragment }) => fragment)
    await writeTableOrBelow({ ...shownList(columnsFor(out), versions), names }, out)
  }
  if (fill_values) await writeLine(`a read gives fill values: ${valuesText(fill_values, VALUE)}`, out)
  else if (!versions.some(({ state }) => state === 'current')) await writeLine('a read gives no such cell', out)
  if (perhaps_purged.length > 0) {
    const names = perhaps_purged.slice(0, MAX_NAMES).join(', ')
    const more = perhaps_purged.length > MAX_NAMES ? `, and ${perhaps_purged.length - MAX_NAMES} more` : ''
    await writeLine(`it may have been written, deleted, and left out by the consolidation into ${names}${more}`, out)
  }
  await writeNotExamined(not_examined, path, out)
}

function columnsFor({ vertical, full }: Output): readonly Shows<HistoryVersion>[] {
  const most = vertical ? BLOCK_VALUE : VALUE
  const room = full ? Number.POSITIVE_INFINITY : most
  return [
    { name: 'fragment', role: 'field', cell: ({ fragment }) => fragment },
    { name: 'written', whole: true, cell: writtenText },
    { name: 'state', whole: true, role: stateRole, cell: ({ state }) => state },
    { name: 'values', items: true, below: true, cell: ({ values }) => valuesText(values, room) },
    { name: terminalHeading('by'), below: true, cell: whyText },
  ]
}

function stateRole(state: string): 'good' | 'bad' | 'dim' {
  if (state === 'current') return 'good'
  return state === 'uncommitted' ? 'bad' : 'dim'
}

function whyText(version: HistoryVersion): string {
  const { filled } = version
  const lacks = filled && `${filled.map(fieldName).join(', ')}: not in the fragment, fill value`
  const never = version.never_written && NEVER_WRITTEN[version.never_written]
  return [reasonText(version), never, lacks].filter((text) => text).join('; ')
}

/** "Usually", as TileDB's order of fragments of equal time is its own if there are more than 16 fragments. */
const TIE = ': if the times are equal, TileDB takes the last fragment, usually by name'

function nullsText(nulls: readonly string[] = []): string {
  return nulls.length === 0 ? '' : `; ${nulls.map(fieldName).join(', ')}: null, which TileDB deletes as if it met this`
}

function reasonText({ fragment, written, state, by, timestamp_range }: HistoryVersion): string {
  const at = by?.time === undefined ? '' : momentText(by.time)
  switch (state) {
    case 'current':
      return ''
    case 'overwritten':
      if (by?.time === undefined) return `by ${by?.name}`
      if (by.time !== written) return `by ${by.name}, written at ${at}`
      return `by ${by.name}, also written at ${at}${by.name === fragment ? '' : TIE}`
    case 'deleted':
      return `at ${at}: ${by?.condition ?? 'condition unknown'} (${by?.file ?? by?.name ?? 'file unknown'})${nullsText(by?.nulls)}`
    case 'hidden':
      return by?.kind === 'vacuum' ? `by ${by.file}; consolidated into ${by.name}` : `by ${by?.file}`
    case 'uncommitted':
      return 'no commit names the fragment'
    case 'later':
    case 'earlier':
      return `${state} than the read; time of the fragment: ${timeRangeText(timestamp_range, false)}`
  }
}
