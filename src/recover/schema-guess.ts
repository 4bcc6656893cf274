import { type FindingCode, isMendedBy } from '../check/codes.ts'
import { checkFragment } from '../check/fragment.ts'
import { newRun } from '../check/run.ts'
import { InspectArray, SCHEMA_FOLDER } from '../objects/array.ts'
import type { Fragment } from '../objects/fragment.ts'
import { withFile } from '../storage/overlay.ts'
import { Folder, readAll, withSource } from '../storage/source.ts'
import { isContradiction } from './contradictions.ts'

/**
 * The code of the first error that shows that the cells of a fragment are not those of a schema: with it, they contradict the statistics, or no
 * tile can be read. Undefined if nothing shows it.
 * @param lost name of the schema that the fragment names, and that is not there
 * @param guess name of the schema that is tried in its place
 */
export async function refutesSchema(fragment: Fragment, lost: string, guess: string): Promise<FindingCode | undefined> {
  const { array } = fragment
  if (!array) return undefined
  const { folder, cx } = array
  const schema = await withSource(folder.file(`${SCHEMA_FOLDER}/${guess}`), readAll)
  const storage = withFile(folder.storage, `${folder.path}/${SCHEMA_FOLDER}/${lost}`, schema)
  const asIf = new InspectArray(new Folder(storage, folder.path), { ...cx, onFault: () => {} })
  return asIf.withFragment(fragment.folder.path.slice(folder.path.length + 1), async (one) => {
    const unread = new Set<number>()
    let first: FindingCode | undefined
    for await (const item of checkFragment(newRun('cells', true), one.asStored(), undefined, undefined)) {
      if ('part' in item || 'notExamined' in item || item.severity !== 'error') continue
      if (isContradiction(item.code)) return item.code
      if (item.tile === undefined || !isMendedBy(item.code, 'drop')) continue
      unread.add(item.tile)
      first ??= item.code
    }
    return first !== undefined && unread.size >= (await one.info()).tile_num ? first : undefined
  })
}
