import type { InspectError } from '../../src/base/errors.ts'
import { checkTarget } from '../../src/check/check.ts'
import type { FindingCode } from '../../src/check/codes.ts'
import type { Finding, Level } from '../../src/check/finding.ts'
import { newRun } from '../../src/check/run.ts'
import { beginLayers } from '../../src/layers/check.ts'
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
  for await (const item of checkTarget(run, await openTarget(storage, path, contextFor({ key })))) {
    if ('notExamined' in item) checked.notExamined.push(item.notExamined)
    else checked.findings.push(item)
  }
  return checked
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
