import type { AdvisedFinding, Remedy } from '../../advice/finding.ts'
import { lineText } from '../../advice/line.ts'
import type { Output } from '../../base/result.ts'
import { shortSize } from '../../base/sizes.ts'
import type { ValueRange } from '../../documents/common.ts'
import type {
  ExplainDocument,
  ExplainField,
  ExplainFunnel,
  ExplainLine,
  ExplainResultField,
  ExplainResultSize,
  ExplainStep,
  ExplainStorage,
  ExplainTotal,
} from '../../documents/explain.ts'
import { MEASURED_RELEASE } from '../../format/releases.ts'
import { SEVERITY_ROLES } from '../color.ts'
import { formatCount } from '../units.ts'
import { placeTexts } from './layer.ts'
import {
  limitOf,
  ROWS,
  type Shows,
  shownList,
  writeCodeLine,
  writeLine,
  writeSection,
  writeTableOrBelow,
  writeTitle,
} from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import {
  counted,
  countText,
  fieldName,
  NOTHING,
  rangeText,
  relativeChangeText,
  shortSizeText,
  withTimes,
} from './wording.ts'

/**
 * Shows what a read does, step by step, and what makes it slow.
 * @param findings the findings of the document, with their advice as data
 * @param shown.isTimed whether the user gave a time
 * @param shown.hasRemedies whether the user asked for what remedies save
 */
export async function explainTable(
  document: ExplainDocument,
  findings: readonly AdvisedFinding[],
  { isTimed, hasRemedies }: { isTimed: boolean; hasRemedies: boolean },
  out: Output,
): Promise<void> {
  const { path, as_of, order, reader, ranges, exact, funnel, fields, layer_place } = document
  const facts = `order ${order}, by TileDB's ${reader}${rangesText(ranges)}`
  await writeTitle(path, withTimes(facts, isTimed ? as_of : undefined), out)
  for (const text of layer_place ? placeTexts(layer_place) : []) await writeLine(text, out)
  await writeAdvice(document, findings, hasRemedies, out)
  await out.write('\n')
  for (const text of totalTexts(document)) await writeLine(text, out)
  await out.write('\n')
  await writeTableOrBelow(shownList(FUNNEL_COLUMNS, funnel), out)
  if (fields.length > 0) {
    await writeSection(exact ? 'fields' : 'fields, at most', out)
    await writeTableOrBelow({ ...shownList(FIELD_COLUMNS, fields), limit: limitOf(ROWS, out) }, out)
  }
  await writeSection('steps, with estimated times', out)
  await writeTableOrBelow(shownList(STEP_COLUMNS, stepRows(document)), out)
  if (out.full) {
    await writeSection('buffers for the result, in bytes', out)
    await writeTableOrBelow(shownList(RESULT_COLUMNS, document.result), out)
    await writeSection('fragments', out)
    const rows: ExplainLine[] = []
    for await (const row of document.fragments) rows.push(row)
    await writeTableOrBelow(shownList(FRAGMENT_COLUMNS, rows), out)
  }
}

/** Writes what to do about the read. It comes before the numbers, so a small terminal shows it without scrolling. */
async function writeAdvice(
  document: ExplainDocument,
  findings: readonly AdvisedFinding[],
  hasRemedies: boolean,
  out: Output,
): Promise<void> {
  for (const text of consolidationTexts(document.consolidation)) await writeLine(text, out)
  const { memory_bytes, makes_progress } = document.total
  const isEnough = memory_bytes !== null && makes_progress
  if (isEnough || findings.length > 0) await writeFindings(findings, out)
  // Whether it was not computed yet what a remedy saves.
  const isUncomputed = (codes: RegExp): boolean =>
    !hasRemedies && findings.some(({ code, remedies = [] }) => codes.test(code) && remedies.length === 0)
  const tileCodes = Object.keys(document.ranges).length > 0 ? /^TILES?_(SHAPE|LARGE|SMALL)$/ : /^TILES_SMALL$/
  const changes = [
    ...(isUncomputed(/^FRAGMENTS_(MANY|OVERLAP)$/) &&
    !document.consolidation?.breaks_tiles &&
    !document.consolidation?.lacks_conditions &&
    !document.consolidation?.takes_later
      ? ['after tiledb.consolidate']
      : []),
    ...(isUncomputed(tileCodes) ? ['with other tiles'] : []),
  ]
  const limit = 'for up to 2 million cells and 64 MiB'
  if (changes.length > 0)
    await writeLine(`what a read costs ${changes.join(', or ')}: --remedies, ${limit}`, out, 'dim')
  if (!isEnough) await writeLine(`memory budget: ${budgetText(document.total)}`, out, 'bad')
}

/** Says whether the memory budget lets the read make progress. */
function budgetText({ memory_bytes, makes_progress }: ExplainTotal): string {
  if (memory_bytes === null) return 'NONE IS ENOUGH, TileDB CRASHES'
  return makes_progress
    ? `at least ${shortSize(memory_bytes)}`
    : `TOO SMALL, at least ${shortSize(memory_bytes)} are needed`
}

/** Most names of fragments in a list. More are counted. */
const MAX_NAMED = 5

/** Returns what `tiledb.consolidate` would do with several fragments, and the settings that matter. */
export function consolidationTexts(consolidation: ExplainDocument['consolidation']): string[] {
  if (!consolidation) return []
  const {
    fragment_num,
    merged_num,
    merged,
    least_amplification,
    merged_by_two,
    config,
    breaks_tiles,
    lacks_conditions,
    takes_later,
  } = consolidation
  const all = countText(fragment_num)
  if (breaks_tiles)
    return [
      `do not run tiledb.consolidate: TileDB ${MEASURED_RELEASE} breaks this array by it, or crashes`,
      '  the array has a current domain, and the box around its fragments is no whole number of tiles',
      '  instead: read that box, write its cells at once, then delete the older fragments with tiledb.Array.delete_fragments',
    ]
  if (lacks_conditions)
    return [
      `do not run tiledb.consolidate without sm.consolidation.purge_deleted_cells=true: TileDB ${MEASURED_RELEASE} crashes`,
      '  a fragment has marks of deleted cells, and the array has no delete condition left; another delete before it helps, too',
    ]
  if (takes_later > 0)
    return [
      `do not run tiledb.consolidate yet: it also takes ${counted(takes_later, 'fragment')} dated ahead`,
      '  the merged fragment has their time: of a dense array, readers of today then miss all cells',
      '  first mend their times (check --plan), or set sm.consolidation.timestamp_end to the time of now',
    ]
  if (merged) return configuredTexts(all, merged, config)
  if (fragment_num < 2) return []
  if (merged_num > 0) return [`tiledb.consolidate merges all ${all} fragments into one`]
  const texts = [
    `tiledb.consolidate does nothing: the box around the ${all} fragments, or around the first of them, has ${shortRatio(least_amplification)} times the cells of their tiles`,
    `  sm.consolidation.amplification ${Math.ceil(least_amplification)} instead of 1 merges them all, and also stores cells in the gaps`,
  ]
  if (merged_by_two?.length === 0)
    texts.push(
      '  sm.consolidation.step_min_frags 2 changes nothing: no fragments that follow each other in time can be merged',
    )
  else if (merged_by_two)
    texts.push(
      `  with sm.consolidation.step_min_frags 2 its first step merges ${counted(merged_by_two.length, 'fragment')}:`,
      ...someNames(merged_by_two, '    '),
    )
  return texts
}

/** Returns what `tiledb.consolidate` would do with given settings. @param all number of all fragments, as text */
function configuredTexts(all: string, merged: readonly string[], config: Readonly<Record<string, string>>): string[] {
  const settings = Object.entries(config).map(([key, value]) => `${key}=${value}`)
  const given = `with ${settings.join(', ')}`
  if (merged.length === 0)
    return [
      `tiledb.consolidate does nothing: of ${all} fragments, none that follow each other in time can be merged`,
      `  ${given}`,
    ]
  const size = config['sm.consolidation.max_fragment_size']
  const steps = config['sm.consolidation.steps']
  const made = size === undefined ? 'one fragment' : `fragments of at most ${size} bytes`
  // TileDB does one step even if the settings say 0.
  const isLastStep = (steps !== undefined && Number(steps) <= 1) || countText(merged.length) === all
  const further = isLastStep ? '' : '; further steps take the result and the rest'
  return [
    `tiledb.consolidate merges ${countText(merged.length)} of ${all} fragments into ${made} in its first step${further}`,
    `  ${given}`,
    ...someNames(merged, '  '),
  ]
}

function someNames(names: readonly string[], indent: string): string[] {
  const more = names.length - MAX_NAMED
  return [
    ...names.slice(0, MAX_NAMED).map((name) => `${indent}${name}`),
    ...(more > 0 ? [`${indent}… ${countText(more)} more`] : []),
  ]
}

/** Returns a ratio with one digit after the point. It is rounded up: a smaller setting would not suffice. */
function shortRatio(ratio: number): string {
  return (Math.ceil(ratio * 10) / 10).toFixed(1)
}

/** Writes the findings, with their numbers and what to do. Advice that several findings share is written once. */
export async function writeFindings(findings: readonly AdvisedFinding[], out: Output): Promise<void> {
  /** The code of the first finding with each advice. */
  const written = new Map<string, string>()
  for (const { severity, code, field, message, advice, remedies = [] } of findings) {
    const about = field === undefined ? '' : ` ${fieldName(field)}`
    await writeLine(`${severity} ${code}${about}: ${message}`, out, SEVERITY_ROLES[severity])
    for (const remedy of remedies) await writeLine(`  ${remedyText(remedy)}`, out)
    const adviceText = advice.map(lineText).join('\n')
    const earlier = written.get(adviceText)
    written.set(adviceText, earlier ?? code)
    if (earlier !== undefined) await writeLine(`  as for ${earlier}`, out, 'field')
    else for (const line of advice) await writeCodeLine(line, out)
  }
  if (findings.length === 0) await writeLine('findings: none', out, 'good')
}

/** `consolidated: 23 tiles, 8,000 cells, 98.1 KiB unfiltered (-29 %), 61.2 KiB stored (-20 %), 20 reads; computed` */
function remedyText({ change, basis, before, after }: Remedy): string {
  const { tiles_read, cells_read, unfiltered_bytes, stored_bytes, reads } = after
  const percent = (part: number, whole: number): string =>
    whole === 0 ? '' : ` (${relativeChangeText(part, whole, 0)})`
  // Without filters both counts are 0.
  const isFiltered = unfiltered_bytes > 0 || before.unfiltered_bytes > 0
  const unfiltered = `${shortSize(unfiltered_bytes)} unfiltered${percent(unfiltered_bytes, before.unfiltered_bytes)}, `
  const size = `${shortSize(stored_bytes)} stored${percent(stored_bytes, before.stored_bytes)}`
  const stored = basis === 'estimated' ? `about ${size} if compressed as well as now` : size
  const inReads = `${counted(reads, 'read')}${percent(reads, before.reads)}`
  // Not every reader of TileDB counts cells.
  const cells = before.cells_read === 0 ? '' : `${counted(cells_read, 'cell')}, `
  return `${change}: ${counted(tiles_read, 'tile')}, ${cells}${isFiltered ? unfiltered : ''}${stored}, ${inReads}; ${basis}`
}

/** Length of the longest bar, in characters. */
const BAR = 20

const FUNNEL_COLUMNS: readonly Shows<ExplainFunnel>[] = [
  { name: 'step', cell: ({ name }) => name },
  { name: 'of', align: 'right', cell: ({ of }) => countText(of) },
  { name: 'left', align: 'right', cell: ({ left }) => countText(left) },
  { name: '', cell: ({ certainty }) => certainty },
  { name: '', whole: true, cell: ({ of, left }) => barText(of, left) },
  { name: terminalHeading('dropped'), cell: ({ dropped }) => droppedText(dropped) },
]

function barText(of: number, left: number): string {
  return left === 0 ? '' : '#'.repeat(Math.max(1, Math.round((left / of) * BAR)))
}

function droppedText(dropped: ExplainFunnel['dropped']): string {
  const some = Object.entries(dropped).filter(([, count]) => count > 0)
  return some.map(([reason, count]) => `${reason} ${formatCount(count)}`).join(', ')
}

const FIELD_COLUMNS: readonly Shows<ExplainField>[] = [
  { name: 'field', role: 'field', cell: ({ name }) => fieldName(name) },
  { name: terminalHeading('tiles_read'), align: 'right', cell: ({ tiles_read }) => countText(tiles_read) },
  { name: terminalHeading('stored_bytes'), align: 'right', cell: ({ stored_bytes }) => shortSizeText(stored_bytes) },
  { name: terminalHeading('unfiltered_bytes'), align: 'right', cell: unfilteredText },
  {
    name: terminalHeading('unfilter_seconds'),
    align: 'right',
    cell: ({ unfilter_seconds }) => secondsText(unfilter_seconds),
  },
]

/** The unfiltered bytes, which TileDB does not count for files without filters. */
function unfilteredText({ stored_bytes, unfiltered_bytes }: ExplainField): string {
  return stored_bytes > 0 && unfiltered_bytes === 0 ? 'no filters' : shortSizeText(unfiltered_bytes)
}

const RESULT_COLUMNS: readonly Shows<ExplainResultField>[] = [
  { name: 'field', role: 'field', cell: ({ name }) => fieldName(name) },
  { name: terminalHeading('data_bytes'), align: 'right', cell: ({ data_bytes }) => countText(data_bytes) },
  { name: terminalHeading('offsets_bytes'), align: 'right', cell: ({ offsets_bytes }) => countText(offsets_bytes) },
  { name: terminalHeading('validity_bytes'), align: 'right', cell: ({ validity_bytes }) => countText(validity_bytes) },
  { name: 'certainty', cell: ({ certainty }) => certainty },
]

/** A row of the table of steps: a step, or a sum. */
type StepRow = Pick<ExplainStep, 'bytes' | 'reads' | 'requests' | 'seconds' | 'local_seconds'> & {
  name: string
}

const STEP_COLUMNS: readonly Shows<StepRow>[] = [
  { name: 'step', cell: ({ name }) => name },
  { name: 'bytes', align: 'right', cell: ({ bytes }) => shortSizeText(bytes) },
  { name: 'reads', align: 'right', cell: ({ reads }) => countText(reads) },
  { name: 'requests', align: 'right', cell: ({ requests }) => countText(requests) },
  { name: terminalHeading('local_seconds'), align: 'right', cell: ({ local_seconds }) => secondsText(local_seconds) },
  { name: terminalHeading('seconds'), align: 'right', cell: ({ seconds }) => secondsText(seconds) },
]

/** Returns the steps, with a sum after those that open the array and another sum at the end. */
function stepRows({ steps, opening, total }: ExplainDocument): StepRow[] {
  return [
    ...steps.slice(0, opening.step_num),
    { ...opening, name: '= opening' },
    ...steps.slice(opening.step_num),
    { ...total, name: '= all', bytes: total.vfs_bytes },
  ]
}

/** `30 ms, 100 MB/s, 8 at once` */
function storageText({ latency_ms, megabytes_per_second, at_once }: ExplainStorage): string {
  return `${latency_ms} ms, ${megabytes_per_second} MB/s, ${at_once} at once`
}

const FRAGMENT_COLUMNS: readonly Shows<ExplainLine>[] = [
  { name: 'fragment', role: 'field', cell: ({ name }) => name },
  { name: terminalHeading('passed_over_by'), cell: ({ passed_over_by }) => passed_over_by ?? NOTHING },
  { name: terminalHeading('tile_num'), align: 'right', cell: ({ tile_num }) => countText(tile_num) },
  { name: terminalHeading('tiles_touched'), align: 'right', cell: ({ tiles_touched }) => countText(tiles_touched) },
  { name: terminalHeading('tiles_inside'), align: 'right', cell: ({ tiles_inside }) => countText(tiles_inside) },
  { name: terminalHeading('cells_read'), align: 'right', cell: ({ cells_read }) => countText(cells_read) },
  { name: terminalHeading('stored_bytes'), align: 'right', cell: ({ stored_bytes }) => shortSizeText(stored_bytes) },
]

/** The lines of text with the sums of a read. */
function totalTexts({ exact, total, storage, result_size }: ExplainDocument): string[] {
  const { tiles_read, cells_read, cells_found, unfiltered_bytes, vfs_bytes, reads } = total
  const { cells_in_tiles, cells_asked } = total
  // The dense reader counts no cells.
  const cells = cells_read === 0 && tiles_read > 0 ? '' : `, ${counted(cells_read, 'cell')} read`
  const found = cells === '' || cells_found === null ? '' : ` for ${countText(cells_found)}`
  // If the ranges cut no tile, TileDB does not count the cells that are read.
  const perCell = cells_found && cells_read > cells_found ? `, ${(cells_read / cells_found).toFixed(1)} for each` : ''
  const denseTexts =
    cells_in_tiles && cells_asked
      ? [
          `${counted(cells_in_tiles, 'cell')} in these tiles for ${countText(cells_asked)} in the ranges, ${(cells_in_tiles / cells_asked).toFixed(1)} for each`,
        ]
      : []
  const { deleted_cell_num, local_seconds, seconds } = total
  const { requests, list_requests, head_requests, get_requests } = total
  const unfiltered = unfiltered_bytes > 0 ? `, ${shortSize(unfiltered_bytes)} unfiltered` : ''
  const deleted = deleted_cell_num
    ? `; ${counted(deleted_cell_num, 'more is', 'more are')} deleted but still read (stats --read says by what, and how to remove them)`
    : ''
  return [
    `result: ${resultText(result_size)}${deleted}`,
    `${exact ? 'exact' : 'at most'}: ${counted(tiles_read, 'tile')} of fields${unfiltered}${cells}${found}${perCell}`,
    ...denseTexts,
    `${shortSize(vfs_bytes)} from storage in ${counted(reads, 'read')}; memory budget: ${budgetText(total)}`,
    `estimated: ${secondsText(local_seconds)} from a local disk; from S3 (${storageText(storage)}) ${secondsText(seconds)}`,
    `requests to S3: ${countText(requests)}, of them ${countText(list_requests)} LIST, ${countText(head_requests)} HEAD, ${countText(get_requests)} GET`,
  ]
}

/** `7,000 cells of the non-empty domain, 123.0 KiB (68.4 KiB without coordinates); A[:]: 10,000 cells, 97.7 KiB` */
function resultText({ cell_num, bytes, coordinate_bytes, certainty, ...rest }: ExplainResultSize): string {
  const { whole_cell_num, whole_bytes } = rest
  const isAll = whole_cell_num === null
  const most = certainty === 'at most' ? 'at most ' : ''
  const without = coordinate_bytes > 0 ? ` (${shortSize(bytes - coordinate_bytes)} without coordinates)` : ''
  const size = `${most}${counted(cell_num, 'cell')}${isAll ? '' : ' of the non-empty domain'}, ${shortSize(bytes)}${without}`
  return isAll ? size : `${size}; A[:]: ${counted(whole_cell_num, 'cell')}, ${most}${shortSize(whole_bytes ?? 0)}`
}

function rangesText(ranges: ExplainDocument['ranges']): string {
  return Object.entries(ranges)
    .map(([name, sets]) => `, ${fieldName(name)}=${sets.map(setText).join(' or ')}`)
    .join('')
}

/** A range as `--range` takes it: an open end is empty. */
function setText(set: ValueRange): string {
  return set.includes(null) ? set.map((end) => (end === null ? '' : rangeText([end, end]))).join('..') : rangeText(set)
}

/** `12 ms`, `3.4 s` */
function secondsText(seconds: number): string {
  if (seconds < 0.0005) return '0 ms'
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}
