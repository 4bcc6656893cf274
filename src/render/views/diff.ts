import type { Output, Result } from '../../base/result.ts'
import type { TimestampRange } from '../../documents/common.ts'
import type { DiffDocument } from '../../documents/diff.ts'
import { writeHeading, writeKeyValues, writeTable } from '../table.ts'
import { textWidth } from '../text-width.ts'
import { shortValue } from '../units.ts'
import { fits, limitOf, listOf, ROWS, type Shows, writeLine, writeMore, writeSection } from './parts.ts'
import { counted, NOTHING, timeRangeText } from './wording.ts'

/** Most characters of a value. */
const VALUE_ROOM = 40

/** Shows the differences, in a table if their paths fit. */
export async function diffTable(document: DiffDocument, out: Output): Promise<void> {
  const { path, other, cells_compared, differences, reader_cells: read } = document
  const { cell_num = 0, not_compared = [], unlisted_cell_num = 0 } = document
  await writeHeading(read ? 'comparison of what readers see' : 'comparison', out)
  await writeKeyValues(Object.entries({ a: withTime(path, read?.as_of), b: withTime(other, read?.other_as_of) }), out)
  if (read && !cells_compared) await writeLine('cells were not compared: the dimensions differ', out, 'bad')
  if (read && differences.length === 0) {
    await writeLine(`EQUAL: readers see the same ${counted(cell_num, 'cell')}, fields and metadata`, out, 'good')
    return
  }
  const { cells_same: same, cells_changed = 0, cells_only_a = 0, cells_only_b = 0 } = read ?? {}
  if (same !== undefined) {
    const unequal = `${counted(cells_changed, 'cell')} changed, ${cells_only_a} only in a, ${cells_only_b} only in b`
    await writeLine(`${counted(same, 'cell')} the same, ${unequal}`, out)
  }
  const cells = cells_compared && !read ? `, ${counted(cell_num, 'cell')} compared` : ''
  if (not_compared.length > 0) await writeLine(`not compared: ${not_compared.join(', ')}`, out, 'bad')
  if (differences.length === 0 && not_compared.length > 0) {
    await writeLine('no difference in what could be compared', out)
    return
  }
  if (differences.length === 0) {
    await writeLine(`EQUAL${cells === '' ? '; cells were not compared (--cells)' : cells}`, out, 'good')
    return
  }
  const unlisted = unlisted_cell_num === 0 ? '' : `, and ${counted(unlisted_cell_num, 'cell')} that are only counted`
  await writeSection(`${counted(differences.length, 'difference')}${unlisted}${cells}`, out)
  const unpaired = differences.filter(isUnpaired).length
  if (cells_compared && unpaired > 0) {
    const whose = `cells of ${counted(unpaired, 'fragment')} that only one side has`
    await writeLine(`not compared: ${whose} (diff --read compares what readers see)`, out)
  }
  const limit = limitOf(ROWS, out)
  const columns: Shows<DiffDocument['differences'][number]>[] = [
    { name: 'where', role: 'field', cell: placeText },
    { name: 'a', align: 'right', cell: ({ a }) => valueText(a) },
    { name: 'b', align: 'right', cell: ({ b }) => valueText(b) },
  ]
  const { rows } = listOf(columns, differences)
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

/** Whether a difference is a fragment that has no counterpart. */
function isUnpaired({ path, a, b }: DiffDocument['differences'][number]): boolean {
  return (a === null || b === null) && /^(?:members\..+\.)?fragments\.__[^.]+$/.test(path)
}

function placeText({ path, more }: DiffDocument['differences'][number]): string {
  return more === undefined ? path : `${path} and ${counted(more, 'more', 'more')}`
}

/** Returns the text of a value; `-` if there is none. */
function valueText(value: unknown): string {
  return value === null ? NOTHING : shortValue(value as Result, VALUE_ROOM)
}
