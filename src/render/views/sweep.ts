import type { Output } from '../../base/result.ts'
import { walk } from '../../base/walk.ts'
import type { SweepHead, SweepHurt, SweepMember, SweepTail, SweepWorst } from '../../documents/dataset.ts'
import { painter, type Role } from '../color.ts'
import { cutMiddle, pad, textWidth } from '../text-width.ts'
import { escapeText, formatCount } from '../units.ts'
import { cellsText, NOT_LISTED, totalsText } from './dataset-words.ts'
import { type Shows, shownList, writeIgnored, writeLine, writeSection, writeTableOrBelow, writeTitle } from './parts.ts'
import { groupSums } from './stats.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted, countText, NOTHING, ratioText, shardPrefix, shortSizeText } from './wording.ts'

/*
 * Lines come as they are made, so the widths of columns cannot be those of what is still to come: they suit most numbers, and a wider one
 * moves the rest of its line. The name is last.
 */

interface Fixed {
  name: string
  width: number
  align: 'left' | 'right'
  cell(line: SweepMember): string
}

const GAP = '  '
/** Least width of a name beside which there is a remark. */
const MIN_NAME = 16
/** The same beside a code, which says more than the middle of a name. */
const MIN_CUT_NAME = 8

/** Shows the lines as they come, then the totals and the worst. */
export async function sweepTable(
  head: SweepHead,
  lines: AsyncGenerator<SweepMember, SweepTail>,
  out: Output,
): Promise<void> {
  const paint = await painter(out)
  const columns = COLUMNS[head.sweep]
  const lead = columns.reduce((width, column) => width + column.width + GAP.length, 0)
  const room = out.columns === undefined ? undefined : Math.max(MIN_NAME, out.columns - lead)
  let begun = false
  const begin = async (): Promise<void> => {
    if (begun) return
    begun = true
    const names = columns.map(({ name, width, align }) => pad(name, width, align))
    await out.write(`${paint('heading', [...names, 'member'].join(GAP))}\n`)
  }
  const tail = await walk(lines, async (line) => {
    await begin()
    const cells = columns.map((column) => pad(column.cell(line), column.width, column.align)).join(GAP)
    const { name, note } = fitted(escapeText(line.name), fullRemark(line, head.sweep), room)
    const text = note === '' ? paint('field', name) : `${paint('field', name)}${GAP}${paint(roleOf(line), note)}`
    await out.write(`${cells}${GAP}${text}\n`)
  })
  if (begun) await out.write('\n')
  await writeEnd(head, tail, out)
}

/** A name and what is said of it, so that both fit: if need be, without messages. The only code of a member is always there. */
function fitted(
  name: string,
  { whole, codes, short }: Remark,
  room: number | undefined,
): { name: string; note: string } {
  if (room === undefined) return { name, note: whole }
  const left = room - GAP.length - textWidth(name)
  const [worst, ...more] = codes
  const only = more.length === 0 ? worst : undefined
  const forms = [whole, only ?? (worst === undefined ? short : `${worst}, …`)]
  const note = forms.find((one) => textWidth(one) <= left) ?? only ?? short
  if (note === '') return { name: cutMiddle(name, room), note }
  const forName = Math.min(only === undefined ? MIN_NAME : MIN_CUT_NAME, textWidth(name))
  const forNote = Math.min(textWidth(note), Math.max(0, room - GAP.length - forName))
  return { name: cutMiddle(name, room - GAP.length - forNote), note: cutMiddle(note, forNote) }
}

const fixed = (name: string, width: number, cell: Fixed['cell'], align: Fixed['align'] = 'right'): Fixed => ({
  name,
  width,
  align,
  cell,
})

const KIND = fixed('kind', 6, kindText, 'left')
const CELLS = fixed(terminalHeading('cell_num'), 11, cellsText)
const FRAGMENTS = fixed(terminalHeading('fragment_num'), 9, ({ fragment_num }) =>
  fragment_num === undefined ? '' : countText(fragment_num),
)
const SIZE = fixed('size', 9, ({ size }) => (size === undefined ? '' : shortSizeText(size)))
const COLUMNS: Readonly<Record<SweepHead['sweep'], readonly Fixed[]>> = {
  ls: [KIND, CELLS, FRAGMENTS, SIZE],
  check: [
    fixed('verdict', 8, verdict, 'left'),
    FRAGMENTS,
    fixed(terminalHeading('tile_num'), 10, ({ check, resolved }) =>
      check && resolved !== null ? countText(check.counts.tile_num) : '',
    ),
    SIZE,
  ],
  stats: [
    KIND,
    CELLS,
    FRAGMENTS,
    SIZE,
    fixed('ratio', 6, ({ stats }) => (stats ? ratioText(stats.unfiltered_size, stats.data_size) : '')),
  ],
}

function kindText({ array_type, found, type, state }: SweepMember): string {
  if (state === 'missing' || state === 'outside') return state === 'missing' ? 'none' : 'away'
  return array_type ?? found ?? type
}

function verdict({ check, error, again, state }: SweepMember): string {
  if (error || (check && check.not_examined.length > 0 && check.ok)) return 'not read'
  if (again !== undefined) return 'again'
  if (check === undefined || (check.ok && (state === 'missing' || state === 'cycle'))) return NOTHING
  return check.ok ? 'OK' : 'NOT OK'
}

/** What is to be said of a member besides its numbers. */
interface Remark {
  whole: string
  /** The codes of its findings, the worst first. */
  codes: readonly string[]
  /** Without codes and messages. */
  short: string
}

function remark(line: SweepMember, sweep: SweepHead['sweep']): Remark {
  const { error, state, again, finding_num, codes = [], check } = line
  const alone = (text: string, short = text): Remark => ({
    whole: escapeText(text),
    codes: [],
    short: escapeText(short),
  })
  if (again !== undefined) return alone(`the same as ${again}`, 'again')
  if (error) return alone(`${error.code}: ${error.message}`, error.code)
  if (state === 'missing') return alone('missing')
  if (state === 'outside') return alone('leads out of the group: not followed', 'not followed')
  if (state === 'cycle') return alone('a group that this one lies in', 'a cycle')
  const counts = SEVERITIES.filter((severity) => severity !== 'note' || sweep === 'check').flatMap((severity) => {
    const num = finding_num?.[severity] ?? 0
    return num > 0 ? counted(num, severity) : []
  })
  const [unexamined] = check?.not_examined ?? []
  const found = counts.length === 0 || codes.length === 0 ? '' : `: ${codes.join(', ')}`
  if (sweep === 'ls' && line.array_type === null && counts.length === 0)
    return alone('not read: its schema is not readable', 'not read')
  const short = [...counts, ...(unexamined ? [unexamined.code] : [])].join(', ')
  const whole = alone(`${short}${unexamined ? `: ${unexamined.message}` : found}`, short)
  // Codes that are not counted here are not named.
  return unexamined || found === '' ? whole : { ...whole, codes }
}

/** {@link remark}, and whether no group names the member. */
function fullRemark(line: SweepMember, sweep: SweepHead['sweep']): Remark {
  const found = remark(line, sweep)
  if (!line.not_listed) return found
  const and = (text: string): string => (text === '' ? NOT_LISTED : `${text}; ${NOT_LISTED}`)
  return { ...found, whole: and(found.whole), short: found.short || NOT_LISTED }
}

const SEVERITIES = ['error', 'warning', 'note'] as const

function roleOf({ error, finding_num, state }: SweepMember): Role {
  return error || (finding_num?.error ?? 0) > 0 || state === 'missing' ? 'bad' : 'dim'
}

async function writeEnd(head: SweepHead, tail: SweepTail, out: Output): Promise<void> {
  const {
    totals,
    member_num,
    worst,
    worst_num,
    resumed_num,
    not_entered,
    level,
    ok,
    counts,
    ignored,
    not_checked,
    stats,
  } = tail
  await writeTitle(`${shardPrefix(head.shard)}${head.path}`, member_num === 0 ? 'no members' : totalsText(totals), out)
  const found = SEVERITIES.flatMap((severity) =>
    totals.finding_num[severity] > 0 ? counted(totals.finding_num[severity], severity) : [],
  )
  const facts = [
    counts && `${ok ? 'OK' : 'NOT OK'}: level ${level}, ${counted(counts.tile_num, 'tile')}`,
    found.length === 0 ? 'no findings' : found.join(', '),
    not_entered.excluded_num > 0 && `${countText(not_entered.excluded_num)} left out by --exclude`,
    resumed_num !== undefined && `${countText(resumed_num)} done before`,
  ].filter((one) => typeof one === 'string')
  await writeLine(facts.join('; '), out, totals.finding_num.error > 0 ? 'bad' : undefined)
  if (head.sweep === 'ls' && totals.group_num > 0)
    await writeLine('the size of a group is that of its own files, without its members', out, 'dim')
  if (not_checked && not_checked.length > 0) await writeLine(`not checked: ${not_checked.join('; ')}`, out, 'dim')
  await writeIgnored(ignored, out)
  if (stats) await groupSums(stats, out)
  if (worst.length === 0) {
    await writeLine('no array needs attention: none reaches a limit from which explain reports it', out, 'dim')
    return
  }
  await writeSection(
    worst_num > worst.length
      ? `the ${worst.length} arrays that need attention most, of ${countText(worst_num)}`
      : 'what needs attention',
    out,
  )
  await writeTableOrBelow(shownList(WORST_COLUMNS, worst), out)
}

const WORST_COLUMNS: readonly Shows<SweepWorst>[] = [
  { name: 'member', role: 'field', cell: ({ name }) => name },
  { name: 'attention for', whole: true, cell: ({ measure }) => MEASURE_WORDS[measure] },
  { name: 'how much', align: 'right', cell: amountText },
  {
    name: 'times the limit',
    align: 'right',
    cell: ({ measure, times }) => (measure === 'damage' ? '' : timesText(times)),
  },
]

const MEASURE_WORDS: Readonly<Record<SweepHurt['measure'], string>> = {
  damage: 'damage',
  fragments: 'fragments',
  'small-tiles': 'small tiles',
  padding: 'padding',
  uncommitted: 'uncommitted',
  vacuum: 'waits for vacuum',
}

function amountText({ value, unit }: SweepHurt): string {
  return unit === 'bytes' ? shortSizeText(value) : counted(value, unit === 'errors' ? 'error' : 'fragment')
}

function timesText(times: number): string {
  return times < 10 ? times.toFixed(1) : formatCount(Math.round(times))
}
