import type { Output } from '../../base/result.ts'
import type { DamageKindsDocument } from '../../documents/damage-kinds.ts'
import type { DamagedSampleDocument } from '../../documents/damaged-sample.ts'
import { writeHeading, writeKeyValues, writeTable } from '../table.ts'
import { fits, type Shows, shownList, writeCommandLine, writeLine, writeSection } from './parts.ts'

/** Shows what is wrong with a sample, and a command that finds it. */
export async function damagedSampleTable(document: DamagedSampleDocument, out: Output): Promise<void> {
  const { path, damage, what, severity, meaning, next } = document
  await writeHeading(`${path}: damaged on purpose, written`, out)
  await writeKeyValues(Object.entries({ damage, what, severity, meaning }), out)
  await writeSection('try', out)
  await writeCommandLine(next, out)
}

export async function damageKindsTable({ kinds }: DamageKindsDocument, out: Output): Promise<void> {
  const columns: Shows<DamageKindsDocument['kinds'][number]>[] = [
    { name: 'damage', role: 'field', whole: true, cell: ({ damage }) => damage },
    { name: 'severity', cell: ({ severity }) => severity },
    { name: 'what', cell: ({ what }) => what },
  ]
  const list = shownList(columns, kinds)
  if (fits(list.columns, list.rows, out)) {
    await writeTable(list, out)
    return
  }
  for (const { damage, severity, what } of kinds) {
    await writeLine(`${damage} (${severity})`, out, 'field')
    await writeLine(`  ${what}`, out)
  }
}
