import { commitsFolder, lastPathPart } from '../format/commit-files.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { type ConsolidationMode, vacuumedBy } from '../store/vacuum.ts'
import type { Place } from './place.ts'

/** Vacuums an array as `tiledb.vacuum` does. @returns paths in the array of what was removed */
export async function vacuum(place: Place, mode: ConsolidationMode): Promise<readonly string[]> {
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
  for (const path of gone) place.remove(path)
  return gone
}
