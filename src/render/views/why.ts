import { firstOf } from '../../base/errors.ts'
import type { Output } from '../../base/result.ts'
import type { WhyDocument } from '../../documents/why.ts'
import { asOfText, timeText } from '../../format/timestamped-name.ts'
import type { Effect, Need } from '../../why/answer.ts'
import { type Pair, writeKeyValues } from '../table.ts'
import { textWidth } from '../text-width.ts'
import { placeTexts } from './layer.ts'
import { writeCodeLine } from './parts.ts'
import { counted, countText, fieldName } from './wording.ts'

/** Most effects and needs that are shown. */
const MOST = 3
/** Width of the text before a call. */
const VERDICT = 'delete it?   NOT BY HAND: '.length

/** Shows what a file or folder is, what needs it, what is lost without it, and in the last line whether it may be deleted. */
export async function whyTable(document: WhyDocument, out: Output): Promise<void> {
  const { what, needed_by, without, opening_requests, noticed_by, how } = document
  // A long call has lines of its own, so that it can be copied.
  const isLong = how !== null && VERDICT + textWidth(how) > (out.columns ?? Number.POSITIVE_INFINITY)
  // Effects on reads as of now come first.
  const effects = without.length === 0 ? [noEffect(document)] : limited(without.toReversed().map(effectText))
  const needs = needed_by.length === 0 ? [noNeed(document)] : needLines(needed_by)
  // If all numbers are upper bounds, there may be no difference.
  const isSure = without.some(({ outcome, certainty }) => outcome !== 'cells' || certainty !== 'at most')
  const noticed = noticed_by.map((one) => (one === 'silent' && !isSure ? MAY_DIFFER : NOTICED[one])).join('; ')
  await writeKeyValues(
    [
      ['path', document.path],
      ['is', what],
      ...rows('in its layer', document.layer_place ? placeTexts(document.layer_place) : []),
      ...rows('needed by', needs),
      ...rows('without it', effects),
      opening_requests && [
        'opening',
        `${counted(opening_requests.with_it, 'request')} to S3 with it, ${countText(opening_requests.without_it)} without`,
      ],
      ['who notices', noticed],
      ['delete it?', isLong ? verdict({ ...document, how: 'the call below' }) : verdict(document)],
    ],
    out,
  )
  if (isLong && how !== null) await writeCodeLine({ code: how }, out)
}

function rows(name: string, lines: readonly string[]): Pair[] {
  return lines.map((line, i) => [i === 0 ? name : '', line])
}

function limited(lines: readonly string[]): string[] {
  return lines.length <= MOST + 1 ? [...lines] : [...lines.slice(0, MOST), `and ${lines.length - MOST} more (--json)`]
}

/** Text if nothing needs the path. For a whole array or group, only the folders around it were searched. */
function noNeed({ path, root }: WhyDocument): string {
  return path === root ? 'no array or group in the folders around it' : 'nothing'
}

function noEffect({ delete: answer, reason }: WhyDocument): string {
  // The last line has the reason.
  return answer === 'yes' || reason === '' ? 'no reader sees a difference, at any time' : 'no difference is known'
}

/** Returns a line for each need, followed by indented lines for what needs that in turn. */
function needLines(needs: readonly Need[], depth = 0): string[] {
  const lines: string[] = []
  const shared =
    needs.length > 1 && needs.every((one) => JSON.stringify(one.needed_by) === JSON.stringify(needs[0].needed_by))
  for (const { path, what, needed_by } of needs.slice(0, MOST)) {
    lines.push(`${'  '.repeat(depth)}${path === '' ? what : `${path}: ${what}`}`)
    if (!shared) lines.push(...needLines(needed_by, depth + 1))
  }
  if (needs.length > MOST) lines.push(`${'  '.repeat(depth)}and ${needs.length - MOST} more (--json)`)
  if (shared) lines.push(...needLines(needs[0].needed_by, depth + 1))
  return lines
}

const NOTICED: Record<WhyDocument['noticed_by'][number], string> = {
  open: 'everyone who opens it: an error of TileDB',
  read: 'everyone who reads these: an error of TileDB',
  silent: 'nobody is told: reads give something else without an error',
  other: 'no reader, but others who work with it',
  nobody: 'nobody',
}

const MAY_DIFFER = 'nobody is told: reads may give something else without an error (the cells were not compared)'

function effectText(effect: Effect): string {
  return `${outcomeText(effect)}${timesText(effect)}`
}

function outcomeText({
  outcome,
  names = [],
  message,
  cells_lost = 0,
  cells_added = 0,
  cells_changed = 0,
  certainty,
}: Effect): string {
  const list = firstOf(names.map(fieldName))
  switch (outcome) {
    case 'fails':
      return `it cannot be opened: ${message ?? ''}`
    case 'opens':
      return `it can be opened again; now it cannot: ${message ?? ''}`
    case 'fields':
      return `reads of ${list} fail${certainty === 'at most' ? ', except of tiles that newer cells or deletes hide as a whole' : ''}`
    case 'labels':
      return `reads by the label ${list} fail`
    case 'schema':
      return 'another schema is used'
    case 'metadata':
      return `other metadata: ${list}`
    case 'enumerations':
      return `the enumeration ${list} cannot be read; TileDB-Py then reads no attribute that uses it`
    case 'members':
      return `other members: ${list}`
    case 'cells': {
      const parts = [
        cells_lost > 0 && `${counted(cells_lost, 'cell')} fewer`,
        cells_added > 0 && `${counted(cells_added, 'cell')} more`,
        cells_changed > 0 && `${counted(cells_changed, 'cell')} with other values`,
      ].filter((one) => one !== false)
      if (parts.length === 0) return 'no cell differs'
      return certainty === 'at most' ? `at most ${parts.join(', ')}` : `${parts.join(', ')} (exact)`
    }
  }
}

function timesText({ as_of: [first, last], between }: Effect): string {
  if (between && first === last) return `, as in reads of ${timeText(first, false)} alone`
  if (between)
    return `, as in reads between ${timeText(first, false)} and ${last === null ? 'now' : timeText(last, false)}`
  return last === null && BigInt(first) === 0n ? '' : `, ${asOfText(first, last)}`
}

function verdict({ delete: answer, reason, how, empties, changes_metadata }: WhyDocument): string {
  const times = (what: string, range: WhyDocument['empties'], becomes: string): string =>
    range ? `; ${what} as of ${timeText(range[0], false)} to ${timeText(range[1], false)} ${becomes}` : ''
  const earlier =
    times('reads', empties, 'become empty') + times('after it metadata', changes_metadata, 'is no longer there')
  if (answer === 'yes') return `yes: ${how ?? 'delete it'}${earlier}${reason === '' ? '' : `  (${reason})`}`
  if (answer === 'tiledb') return `NOT BY HAND: ${how} removes it, and a read as of now stays the same${earlier}`
  const why = reason === '' ? '' : ` ${reason[0].toUpperCase()}${reason.slice(1)}.`
  return `NO.${why}${how === null ? '' : ` With all that it holds: ${how}`}`
}
