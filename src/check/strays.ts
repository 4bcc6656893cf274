import { arrayMetadata } from '../format/array-metadata.ts'
import { arraySchema } from '../format/array-schema.ts'
import { groupDetails } from '../format/group-details.ts'
import type { Describe } from '../format/io.ts'
import { hasTimes } from '../format/timestamped-name.ts'
import { METADATA_FOLDER } from '../objects/array.ts'
import type { ReadContext } from '../objects/read-context.ts'
import type { Entry, Folder } from '../storage/source.ts'
import type { VariantOf } from './codes.ts'
import { collectItems, finding, type Item, type Items } from './finding.ts'
import { checkedTileFile } from './generic-tiles.ts'
import { type CheckRun, newRun } from './run.ts'

/** Form of the names of schemas, metadata and lists of members. */
export const TIMED_NAME = '__<t1>_<t2>_<uuid>'

/** The folders in which TileDB reads every file, whatever its name. */
const FOLDERS = {
  __schema: { code: 'SCHEMA_NAME_INVALID', unreadable: 'SCHEMA_UNREADABLE', describe: arraySchema },
  __meta: { code: 'METADATA_NAME_INVALID', unreadable: 'METADATA_UNREADABLE', describe: arrayMetadata },
  __group: { code: 'METADATA_NAME_INVALID', unreadable: 'GROUP_DETAILS_UNREADABLE', describe: groupDetails },
} as const

/**
 * Reports a file or folder whose name does not belong in its folder. TileDB reads a copy of a valid file like any valid file.
 * @param expected form of the valid names
 */
export async function* checkStray(
  run: CheckRun,
  inside: Folder,
  { name, kind }: Entry,
  expected: string,
  cx: ReadContext,
): Items {
  const { code, unreadable, describe } = FOLDERS[inside.name as keyof typeof FOLDERS]
  let items: Item[] = []
  let variant: VariantOf<typeof code> | undefined
  // By the times in a name TileDB opens the array. It reads what has the name later, as a file.
  const failsLater = code === 'METADATA_NAME_INVALID' && inside.name === METADATA_FOLDER && hasTimes(name)
  if (kind === 'folder' && failsLater) variant = 'unreadable'
  if (code === 'METADATA_NAME_INVALID' && kind === 'file' && name.endsWith('.vac') && hasTimes(name))
    variant = 'passedOver'
  else if (kind === 'file' && hasTimes(name)) {
    const read = await collectItems(
      checkedTileFile(run, cx, {
        folder: inside,
        path: name,
        describe: describe as Describe<unknown>,
        code: unreadable,
      }),
    )
    items = read.items
    // A file that could not be examined is not called damaged. TileDB cannot read an unknown version either.
    const isUnseen = items.some((item) => 'notExamined' in item && item.notExamined.code !== 'UNSUPPORTED_VERSION')
    if (read.value || isUnseen) variant = 'readable'
    else if (failsLater) variant = 'unreadable'
  }
  yield finding(code, { file: `${inside.path}/${name}` }, expected, JSON.stringify(name), variant)
  for (const item of items) if ('notExamined' in item) yield item
}

/** What {@link checkStray} finds of entries whose names do not belong in their folder. @param inside `__schema` or `__meta` */
export async function strayItems(inside: Folder, strays: readonly Entry[], cx: ReadContext): Promise<Item[]> {
  const items: Item[] = []
  for (const entry of strays) {
    const stray = checkStray(newRun('structure', false), inside, entry, TIMED_NAME, cx)
    items.push(...(await collectItems(stray)).items)
  }
  return items
}
