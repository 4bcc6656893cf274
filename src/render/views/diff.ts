import type { Output, Result } from '../../base/result.ts'
import { type Column, heading, keyValues, table } from '../table.ts'
import { textWidth } from '../text-width.ts'
import { shortValue } from '../units.ts'
import { amount, type Document, fieldList, list, text } from './narrow.ts'
import { fits, limitOf, line, ROWS, section } from './parts.ts'
import { counted, NOTHING } from './wording.ts'

/** Characters of a value. */
const VALUE_ROOM = 40

export async function diffTable(document: Document, full: boolean, out: Output): Promise<void> {
  const differences = fieldList(document.differences)
  await heading('a and b', out)
  await keyValues(
    [
      ['a', document.path],
      ['b', text(document.other)],
    ],
    out,
  )
  const cells = document.cells_compared === true ? `, ${counted(amount(document.cell_num), 'cell')} compared` : ''
  const names = Array.from(list(document.not_compared), text)
  if (names.length > 0) await line(`not compared: ${names.join(', ')}`, out, 'bad')
  if (differences.length === 0 && names.length > 0) {
    await line('no difference in what could be compared', out)
    return
  }
  if (differences.length === 0) {
    await line(`EQUAL${cells === '' ? '; cells were not compared (--cells)' : cells}`, out, 'good')
    return
  }
  await section(`${counted(differences.length, 'difference')}${cells}`, out)
  const limit = limitOf(full, ROWS, out)
  const columns: Column[] = [
    { name: 'where', role: 'field' },
    { name: 'a', align: 'right' },
    { name: 'b', align: 'right' },
  ]
  const rows = differences.map(({ path, a, b, more }) => [
    more === undefined ? text(path) : `${text(path)} and ${counted(amount(more), 'more', 'more')}`,
    valueText(a),
    valueText(b),
  ])
  // the place is what counts: it is not to be cut
  const whole = Math.max(...rows.slice(0, limit).map(([where]) => textWidth(where)))
  if (out.columns === undefined || (whole < out.columns / 2 && fits(columns, rows.slice(0, limit), out))) {
    await table({ columns, rows, limit }, out)
    return
  }
  for (const [where, a, b] of rows.slice(0, limit)) {
    await line(where, out, 'field')
    await keyValues(
      [
        ['  a', a],
        ['  b', b],
      ],
      out,
    )
  }
  if (limit !== undefined && rows.length > limit)
    await line(`… ${rows.length - limit} more (--full shows all)`, out, 'dim')
}

/** `-` for what is not there. */
function valueText(value: Result | undefined): string {
  return value === null || value === undefined ? NOTHING : shortValue(value, VALUE_ROOM)
}
