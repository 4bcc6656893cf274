import type { Output } from '../../base/result.ts'
import type { DamageKindsDocument } from '../../documents/damage-kinds.ts'
import type { DamagedSampleDocument } from '../../documents/damaged-sample.ts'
import { heading, keyValues, table } from '../table.ts'
import { line, section } from './parts.ts'

/** What is wrong with a sample, and how to see it. */
export async function damagedSampleTable(document: DamagedSampleDocument, out: Output): Promise<void> {
  const { path, damage, what, severity, meaning, next } = document
  await heading(`${path}: damaged on purpose, written`, out)
  await keyValues(Object.entries({ damage, what, severity, meaning }), out)
  await section('try', out)
  await line(`  ${next}`, out)
}

export async function damageKindsTable({ kinds }: DamageKindsDocument, out: Output): Promise<void> {
  await table(
    {
      columns: [{ name: 'damage', role: 'field' }, { name: 'severity' }, { name: 'what' }],
      rows: kinds.map(({ damage, severity, what }) => [damage, severity, what]),
    },
    out,
  )
}
