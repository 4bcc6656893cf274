import type { Document, Output } from '../../base/result.ts'
import { heading, keyValues, table } from '../table.ts'
import { fieldList, text } from './narrow.ts'
import { line, section } from './parts.ts'

/** What is wrong with a sample, and how to see it. */
export async function damagedSampleTable(document: Document, out: Output): Promise<void> {
  await heading(`${document.path}: damaged on purpose, written`, out)
  await keyValues(
    [
      ['damage', text(document.damage)],
      ['what', text(document.what)],
      ['severity', text(document.severity)],
      ['meaning', text(document.meaning)],
    ],
    out,
  )
  await section('try', out)
  await line(`  ${text(document.next)}`, out)
}

export async function damageKindsTable(document: Document, out: Output): Promise<void> {
  await table(
    {
      columns: [{ name: 'damage', role: 'field' }, { name: 'severity' }, { name: 'what' }],
      rows: fieldList(document.kinds).map(({ damage, severity, what }) => [text(damage), text(severity), text(what)]),
    },
    out,
  )
}
