import { hasSum } from '../cells/tile-statistics.ts'
import { type FindingCode, isMendedBy } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import type { FragmentInfo } from '../objects/fragment.ts'

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
 * @param info undefined if the metadata cannot be read: then nothing tells what is wrong
 */
export function lastingContradictions(info: FragmentInfo | undefined, findings: readonly Finding[]): Finding[] {
  const all = findings.filter(
    ({ code, severity, tile }) => severity === 'error' && tile !== undefined && isContradiction(code),
  )
  // If the sum of the coordinates fits, or is itself wrong, they are as they were written, and the box is wrong.
  const hasFittingSum = (one: Finding): boolean => {
    const field = contradictedField(one)
    const slot = info?.slots.find(({ name, kind }) => name === field && kind === 'dimension')
    if (!slot || !hasSum(slot) || !info?.footer?.tile_sums_offsets) return false
    return !all.some(
      (other) =>
        other.code === 'TILE_SUM' &&
        other.wrong !== 'metadata' &&
        other.tile === one.tile &&
        contradictedField(other) === field,
    )
  }
  return all.filter((one) => (one.code === 'COORDINATE_MBR' ? !hasFittingSum(one) : one.wrong !== 'metadata'))
}
