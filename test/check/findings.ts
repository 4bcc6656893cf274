import { InspectError, orError } from '../../src/base/errors.ts'
import { checkTarget } from '../../src/check/check.ts'
import type { FindingCode } from '../../src/check/codes.ts'
import type { Finding, Items, Level } from '../../src/check/finding.ts'
import { checkGenomicsdb } from '../../src/check/genomicsdb/workspace.ts'
import { type CheckRun, newRun } from '../../src/check/run.ts'
import { openGenomicsdbTarget } from '../../src/genomicsdb/target.ts'
import { beginLayers } from '../../src/layers/check.ts'
import type { ReadContext } from '../../src/objects/read-context.ts'
import { openTarget } from '../../src/objects/target.ts'
import type { Storage } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'

export interface Checked {
  findings: Finding[]
  notExamined: InspectError[]
}

/** Checks a target, and collects all items. */
export async function check(
  storage: Storage,
  path: string,
  { level = 'cells', all = false, key }: { level?: Level; all?: boolean; key?: string | undefined } = {},
): Promise<Checked> {
  const checked: Checked = { findings: [], notExamined: [] }
  const run = { ...newRun(level, all), across: beginLayers }
  for await (const item of await itemsOf(run, storage, path, contextFor({ key }))) {
    if ('notExamined' in item) checked.notExamined.push(item.notExamined)
    else checked.findings.push(item)
  }
  return checked
}

/** The items of a target, of GenomicsDB if it is none of TileDB. */
async function itemsOf(run: CheckRun, storage: Storage, path: string, cx: ReadContext): Promise<Items> {
  const target = await orError(() => openTarget(storage, path, cx))
  if (!(target instanceof InspectError)) return checkTarget(run, target)
  const other = await openGenomicsdbTarget(storage, path)
  if (!other) throw target
  return checkGenomicsdb(run, other, cx)
}

/** One line for each finding, for comparisons. */
export function shown(findings: readonly Finding[]): string[] {
  return findings.map(
    ({ severity, code, file, field, tile, expected, found }) =>
      `${severity} ${code} ${file} ${field ?? ''} ${tile ?? ''}: expected ${expected}, found ${found}`,
  )
}

/** The errors and warnings. */
export function serious(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity !== 'note')
}

export type { FindingCode }
