import type { Output } from '../../base/result.ts'
import type { DamageKindsDocument } from '../../documents/damage-kinds.ts'
import type { DamagedSampleDocument } from '../../documents/damaged-sample.ts'
import { heading, keyValues, table } from '../table.ts'
import { line, listOf, type Shows, section } from './parts.ts'

/** What is wrong with a sample, and how to see it. */
export async function damagedSampleTable(document: DamagedSampleDocument, out: Output): Promise<void> {
  const { path, damage, what, severity, meaning, next } = document
  await heading(`${path}: damaged on purpose, written`, out)
  await keyValues(Object.entries({ damage, what, severity, meaning }), out)
  await section('try', out)
  await line(`  ${next}`, out)
}

export async function damageKindsTable({ kinds }: DamageKindsDocument, out: Output): Promise<void> {
  const columns: Shows<DamageKindsDocument['kinds'][number]>[] = [
    { name: 'damage', role: 'field', cell: ({ damage }) => damage },
    { name: 'severity', cell: ({ severity }) => severity },
    { name: 'what', cell: ({ what }) => what },
  ]
  await table(listOf(columns, kinds), out)
}
