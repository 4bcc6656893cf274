import type { Output } from '../../base/result.ts'
import type { Role } from '../color.ts'
import { heading } from '../table.ts'
import type { Rows } from '../text-buffer.ts'
import { type Document, type Fields, fieldList, fields, list, text } from './narrow.ts'
import { line } from './parts.ts'
import { counted, countText, inside } from './wording.ts'

const ROLES: Readonly<Record<string, Role>> = { error: 'bad', warning: 'number', note: 'dim' }

/** Findings one below the other while they are found, then what they come to, then what was not looked at. */
export async function checkTable(document: Document & { findings: Rows<Fields> }, out: Output): Promise<void> {
  await heading(document.path, out)
  for await (const finding of document.findings) {
    const severity = text(finding.severity)
    const file = inside(text(finding.file), document.path)
    await line(
      `${severity} ${text(finding.code)} ${[file, placeText(finding)].filter(Boolean).join(': ')}`,
      out,
      ROLES[severity],
    )
    await line(`  ${text(finding.message)}`, out)
    await line(`  ${text(finding.meaning)}`, out, 'dim')
  }
  const { error, warning, note } = fields(document.finding_num)
  const total = [
    [error, 'error'],
    [warning, 'warning'],
    [note, 'note'],
  ]
    .filter(([count]) => Number(count) > 0)
    .map(([count, name]) => counted(Number(count), String(name)))
  const verdict = total.length === 0 ? 'no findings' : total.join(', ')
  const counts = fields(document.counts)
  const seen = [
    counted(Number(counts.fragment_num), 'fragment'),
    counted(Number(counts.file_num), 'file'),
    ...(document.level === 'structure' ? [] : [counted(Number(counts.tile_num), 'tile')]),
    ...(document.level === 'cells' ? [`${countText(counts.cell_num)} cells`] : []),
  ]
  const unexamined = fieldList(document.not_examined)
  const ok = document.ok === true
  const word = !ok ? 'NOT OK' : unexamined.length > 0 ? 'NOT FULLY EXAMINED' : 'OK'
  await line(`${word}: ${verdict} in ${seen.join(', ')}`, out, word === 'OK' ? 'good' : 'bad')
  for (const { file, message } of unexamined)
    await line(
      `not examined: ${[inside(text(file), document.path), text(message)].filter(Boolean).join(': ')}`,
      out,
      'bad',
    )
  const left = Array.from(list(document.not_checked), text)
  await line(`not checked: ${left.length === 0 ? 'nothing' : left.join('; ')}`, out, 'dim')
}

function placeText({ offset, space, field, tile, chunk }: Fields): string {
  const parts: string[] = []
  if (tile !== undefined) parts.push(`tile ${countText(tile)}`)
  if (chunk !== undefined) parts.push(`chunk ${countText(chunk)}`)
  if (offset !== null) parts.push(`byte ${countText(offset)}${space === undefined ? '' : ` of the ${text(space)}`}`)
  if (field !== null) parts.push(`field ${text(field)}`)
  return parts.join(', ')
}
