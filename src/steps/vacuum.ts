import { lastPathPart } from '../base/paths.ts'
import { commitsFolder } from '../format/commit-files.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { commitKind } from '../objects/commits.ts'
import { type ConsolidationMode, vacuumedBy } from '../objects/vacuum.ts'
import type { StepTarget } from './step-target.ts'

/**
 * Vacuums an array as `tiledb.vacuum` does, but keeps delete conditions that consolidated commits hold: TileDB removes their files, and its
 * next consolidation of commits looks for them and fails (measured with 2.30).
 * @returns paths in the array of what was removed
 */
export async function vacuum(place: StepTarget, mode: ConsolidationMode): Promise<readonly string[]> {
  const array = await place.array()
  const { gone, voided } = await vacuumedBy(array, mode)
  if (voided.length > 0) {
    const { schema } = await array.newestSchema()
    const [first, last] = [voided[0], voided[voided.length - 1]].map(
      (one) => nameFacts(lastPathPart(one))?.timestamp_range,
    )
    const name = `__${first?.[0] ?? 0n}_${last?.[1] ?? 0n}_${place.cx.uuid()}_${schema.version}.ign`
    await place.writeText(`${commitsFolder(schema.version)}${name}`, voided.map((one) => `${one}\n`).join(''))
  }
  const removed = gone.filter((path) => commitKind(path) !== 'delete')
  if (removed.length < gone.length)
    place.cx.note('the vacuum keeps delete conditions: without their files TileDB fails to consolidate commits again')
  for (const path of removed) place.remove(path)
  return removed
}
