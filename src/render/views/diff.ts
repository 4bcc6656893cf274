import { groupBy } from '../../base/group-by.ts'
import type { Output, Result } from '../../base/result.ts'
import type { TimestampRange } from '../../documents/common.ts'
import type { DiffDocument, DiffMember } from '../../documents/diff.ts'
import { writeHeading, writeKeyValues, writeTable } from '../table.ts'
import { textWidth } from '../text-width.ts'
import { formatCount, shortValue } from '../units.ts'
import {
  fits,
  limitOf,
  ROWS,
  type Shows,
  shownList,
  writeLine,
  writeMore,
  writeSection,
  writeTableOrBelow,
} from './parts.ts'
import { counted, NOTHING, timeRangeText } from './wording.ts'

/** Most characters of a value. */
const VALUE_ROOM = 40

/** Shows the differences, in a table if their paths fit. @param isRead whether only what readers see was compared */
export async function diffTable(document: DiffDocument, isRead: boolean, out: Output): Promise<void> {
  const { path, other, cells_compared, differences, members, reader_cells: read } = document
  const { cell_num = 0, not_compared = [], unlisted_cell_num = 0, unlisted_num = 0 } = document
  await writeHeading(isRead ? 'comparison of what readers see' : 'comparison', out)
  await writeKeyValues(Object.entries({ a: withTime(path, read?.as_of), b: withTime(other, read?.other_as_of) }), out)
  if (isRead && !cells_compared && !members)
    await writeLine('cells were not compared: the dimensions differ', out, 'bad')
  if (read?.cells_same !== undefined && document.verdict !== 'equal') {
    const { cells_same, cells_changed = 0, cells_only_a = 0, cells_only_b = 0 } = read
    const unequal = `${counted(cells_changed, 'cell')} changed, ${cells_only_a} only in a, ${cells_only_b} only in b`
    await writeLine(`${counted(cells_same, 'cell')} the same, ${unequal}`, out)
  }
  if (members) await writeMembers(members, out)
  if (not_compared.length > 0) await writeLine(`not compared: ${not_compared.join(', ')}`, out, 'bad')
  const cells = cells_compared && !isRead ? `, ${counted(cell_num, 'cell')} compared` : ''
  switch (document.verdict) {
    case 'equal': {
      const kept = members ? `, in ${counted(members.length, 'member')}` : ''
      const text = isRead
        ? `EQUAL: readers see the same ${counted(cell_num, 'cell')}, fields and metadata${kept}`
        : `EQUAL${cells === '' ? '; cells and the bytes of files were not compared (--cells, --files)' : cells}`
      await writeLine(text, out, 'good')
      return
    }
    case 'not-compared':
      await writeLine('no difference in what could be compared', out)
      return
    case 'same-cells':
      await writeLine('SAME CELLS, OTHER LAYOUT: readers see the same; how it is stored differs', out, 'good')
  }
  const more = [
    unlisted_num > 0 ? `${formatCount(unlisted_num)} that are only counted` : '',
    unlisted_cell_num > 0 ? `${counted(unlisted_cell_num, 'cell')} that are only counted` : '',
  ].filter(Boolean)
  const unlisted = more.map((one) => `, and ${one}`).join('')
  await writeSection(`${counted(differences.length, 'difference')}${unlisted}${cells}`, out)
  const limit = limitOf(ROWS, out)
  const columns: Shows<DiffDocument['differences'][number]>[] = [
    { name: 'where', role: 'field', cell: placeText },
    { name: 'a', align: 'right', cell: ({ a }) => valueText(a) },
    { name: 'b', align: 'right', cell: ({ b }) => valueText(b) },
  ]
  const { rows } = shownList(columns, differences)
  // A path that is cut would not say what differs.
  const whole = rows.slice(0, limit).reduce((most, [where]) => Math.max(most, textWidth(where)), 0)
  if (out.columns === undefined || (whole < out.columns / 2 && fits(columns, rows.slice(0, limit), out))) {
    await writeTable({ columns, rows, limit }, out)
    return
  }
  for (const [where, a, b] of rows.slice(0, limit)) {
    await writeLine(where, out, 'field')
    await writeKeyValues(Object.entries({ '  a': a, '  b': b }), out)
  }
  await writeMore(rows.length - (limit ?? rows.length), out)
}

/** Returns a path, and the time at which the array is read. */
function withTime(path: string, times: TimestampRange | undefined): string {
  return times ? `${path} as of ${timeRangeText([times[1], times[1]])}` : path
}

const STATES: Readonly<Record<DiffMember['state'], string>> = {
  equal: 'equal',
  'same-cells': 'same cells, other layout',
  'not-compared': 'not compared',
  different: 'different',
  'only-a': 'only in a',
  'only-b': 'only in b',
}

/** Shows the members that are not equal, and how many there are of each state. */
async function writeMembers(members: readonly DiffMember[], out: Output): Promise<void> {
  const states = groupBy(members, ({ state }) => state)
  const nums = [...states].map(([state, { length }]) => `${formatCount(length)} ${STATES[state]}`)
  const unequal = members.filter(({ state }) => state !== 'equal')
  if (unequal.length > 0) {
    const columns: Shows<DiffMember>[] = [
      { name: 'member', role: 'field', cell: ({ name }) => name },
      { name: 'type', cell: ({ type }) => type },
      { name: 'state', cell: ({ state }) => STATES[state] },
      { name: 'differs', cell: ({ differs }) => differs.join(', ') || NOTHING },
    ]
    await out.write('\n')
    await writeTableOrBelow({ ...shownList(columns, unequal), limit: limitOf(ROWS, out) }, out)
  }
  await writeLine(members.length === 0 ? 'no members' : `members: ${nums.join(', ')}`, out)
}

/** Steps of a path that lead from a group to a member: their names may be quoted. */
const MEMBER_STEPS = /^(?:members\.(?:"(?:[^"\\]|\\.)*"|[\w-]+)(?:\.|$))+/
const MEMBER_STEP = /members\.("(?:[^"\\]|\\.)*"|[\w-]+)/g

/** A path with the member as users name it: `ms/RNA/X/data: fragments…`. */
function inWords(path: string): string {
  const [steps] = MEMBER_STEPS.exec(path) ?? []
  if (steps === undefined) return path
  const names = Array.from(steps.matchAll(MEMBER_STEP), ([, name = '']) =>
    name.startsWith('"') ? JSON.parse(name) : name,
  )
  const rest = path.slice(steps.length)
  return names.join('/') + (rest === '' ? '' : `: ${rest}`)
}

function placeText({ path: whole, more, shifted_by }: DiffDocument['differences'][number]): string {
  const path = inWords(whole)
  if (shifted_by) {
    const [least, most] = shifted_by
    const by = least === most ? String(least) : `${least} to ${most}`
    return `${path} and after: ${counted((more ?? 0) + 1, 'offset')} shifted by ${by}`
  }
  return more === undefined ? path : `${path} and ${counted(more, 'more', 'more')}`
}

/** Returns the text of a value; `-` if there is none. */
function valueText(value: unknown): string {
  return value === null ? NOTHING : shortValue(value as Result, VALUE_ROOM)
}
