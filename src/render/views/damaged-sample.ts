import type { Output } from '../../base/result.ts'
import type { DamageKindsDocument } from '../../documents/damage-kinds.ts'
import type { DamagedSampleDocument } from '../../documents/damaged-sample.ts'
import { heading, keyValues, table } from '../table.ts'
import { commandLine, fits, line, listOf, type Shows, section } from './parts.ts'

/** Shows what is wrong with a sample, and a command that finds it. */
export async function damagedSampleTable(document: DamagedSampleDocument, out: Output): Promise<void> {
  const { path, damage, what, severity, meaning, next } = document
  await heading(`${path}: damaged on purpose, written`, out)
  await keyValues(Object.entries({ damage, what, severity, meaning }), out)
  await section('try', out)
  await commandLine(next, out)
}

export async function damageKindsTable({ kinds }: DamageKindsDocument, out: Output): Promise<void> {
  const columns: Shows<DamageKindsDocument['kinds'][number]>[] = [
    { name: 'damage', role: 'field', whole: true, cell: ({ damage }) => damage },
    { name: 'severity', cell: ({ severity }) => severity },
    { name: 'what', cell: ({ what }) => what },
  ]
  const list = listOf(columns, kinds)
  if (fits(list.columns, list.rows, out)) {
    await table(list, out)
    return
  }
  for (const { damage, severity, what } of kinds) {
    await line(`${damage} (${severity})`, out, 'field')
    await line(`  ${what}`, out)
  }
}
