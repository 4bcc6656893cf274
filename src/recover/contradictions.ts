import { unlessFault } from '../base/errors.ts'
import { entryAt, hasSum, isSumAtLimit } from '../cells/tile-statistics.ts'
import { type FindingCode, isMendedBy } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import type { Fragment } from '../objects/fragment.ts'

/** Whether the code says that cells contradict what the metadata says about their tile. */
export function isContradiction(code: FindingCode): boolean {
  return isMendedBy(code, 'statistics') || code === 'COORDINATE_MBR'
}

/** The field whose cells the metadata contradicts. Findings about statistics name their list in front of it. */
export function contradictedField({ code, field = '' }: Finding): string {
  return code === 'COORDINATE_MBR' ? field : field.slice(field.indexOf('.') + 1)
}

/**
 * The findings that cells contradict the metadata of their tile, without those that show that the metadata is wrong. New metadata does not
 * mend them: it would only hide that the cells were changed.
 */
export async function lastingContradictions(fragment: Fragment, findings: readonly Finding[]): Promise<Finding[]> {
  const all = findings.filter(
    ({ code, severity, tile }) => severity === 'error' && tile !== undefined && isContradiction(code),
  )
  // If the sum of the coordinates fits, or is itself wrong, they are as they were written, and the box is wrong.
  const hasFittingSum = async (one: Finding): Promise<boolean> => {
    const field = contradictedField(one)
    if (!(await tellsSum(fragment, field, one.tile ?? -1))) return false
    return !all.some(
      (other) =>
        other.code === 'TILE_SUM' &&
        other.wrong !== 'metadata' &&
        other.tile === one.tile &&
        contradictedField(other) === field,
    )
  }
  const lasting: Finding[] = []
  for (const one of all)
    if (one.code === 'COORDINATE_MBR' ? !(await hasFittingSum(one)) : one.wrong !== 'metadata') lasting.push(one)
  return lasting
}

/** Whether the stored sum of a dimension's tile tells its cells. One that overflowed is the same for many. */
async function tellsSum(fragment: Fragment, dimension: string, tile: number): Promise<boolean> {
  // If the metadata cannot be read, nothing tells what is wrong.
  const info = await fragment.info().catch(unlessFault)
  const slot = info?.slots.findIndex(({ name, kind }) => name === dimension && kind === 'dimension') ?? -1
  if (!info?.footer?.tile_sums_offsets || slot < 0 || !hasSum(info.slots[slot])) return false
  const sums = await fragment.tileSums(slot).catch(unlessFault)
  const sum = sums && entryAt(sums, tile, 8)
  return sum !== undefined && !isSumAtLimit(info.slots[slot].type, sum)
}
