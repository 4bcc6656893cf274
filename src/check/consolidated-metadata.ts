import { unlessFault } from '../base/errors.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { lastPathPart } from '../base/paths.ts'
import { sameBytes } from '../filters/bytes.ts'
import { consolidatedFragmentMetadata } from '../format/consolidated-fragment-metadata.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import { type Commits, commitKindIn, FRAGMENT_META_FOLDER } from '../objects/commits.ts'
import type { Fragment } from '../objects/fragment.ts'
import { type Entry, withSource } from '../storage/source.ts'
import { finding, type Items } from './finding.ts'
import { checkFragment } from './fragment.ts'
import { checkedTileFile } from './generic-tiles.ts'
import { type CheckRun, newRun } from './run.ts'

/** Checks consolidated fragment metadata. Each footer in it must be byte for byte that of its fragment. */
export async function* checkConsolidatedMetadata(
  run: CheckRun,
  array: InspectArray,
  fragments: readonly FragmentEntry[],
): Items {
  const byName = new Map(fragments.map((entry) => [entry.name, entry]))
  for (const { kind, path } of await metadataEntries(array)) {
    const file = `${array.folder.path}/${path}`
    const read = yield* checkedEntry(run, array, path, kind)
    if (!read) continue
    const { value, payload } = read
    const base = payload.length - value.footers.length
    yield* allInOrder(
      value.entries.entries(),
      atOnce(array.folder),
      async function* ([i, { fragment_name, offset }]): Items {
        const place = { file, offset, space: 'unfiltered content of the generic tile at 0', field: `entries.${i}` }
        const end = value.entries[i + 1]?.offset ?? payload.length
        if (offset < base || offset >= payload.length || end <= offset) {
          const at = { ...place, field: `${place.field}.offset` }
          yield finding('CONSOLIDATED_METADATA_OFFSET', at, `${base} to ${payload.length - 1}, rising`, offset)
          return
        }
        const entry = byName.get(lastPathPart(fragment_name))
        if (!entry) {
          const found = JSON.stringify(fragment_name)
          yield finding('CONSOLIDATED_METADATA_DANGLING', place, 'a fragment that is there', found)
          return
        }
        const own = await footerBytes(array, entry.path)
        if (!own || sameBytes(own, payload.subarray(offset, end))) return
        if (await isOnlyOwnDamaged(array, entry.path)) {
          const at = { file: `${array.folder.path}/${entry.path}/${FRAGMENT_METADATA_FILE}`, field: 'footer' }
          const expected = `the ${end - offset} bytes of its copy in ${path}`
          yield finding('CONSOLIDATED_METADATA_DIFFERS', at, expected, `${own.length} other bytes`, 'ownDamaged')
          return
        }
        const expected = `the ${own.length} bytes of the footer of ${entry.name}`
        yield finding('CONSOLIDATED_METADATA_DIFFERS', place, expected, `${end - offset} other bytes`)
      },
    )
  }
}

async function* checkedEntry(run: CheckRun, array: InspectArray, path: string, kind: Entry['kind']) {
  const code = 'CONSOLIDATED_METADATA_UNREADABLE'
  const { folder, cx } = array
  if (kind === 'file')
    return yield* checkedTileFile(run, cx, { folder, path, describe: consolidatedFragmentMetadata, code })
  yield finding(code, { file: `${folder.path}/${path}` }, 'a file', 'a folder', 'folder')
  return undefined
}

/** Whether TileDB reads something that is no commit file as consolidated metadata. @param path relative to the array */
export function isReadAsMetadata({ path }: Commits['others'][number]): boolean {
  return (
    path.startsWith(`${FRAGMENT_META_FOLDER}/`) ||
    (!path.includes('/') && commitKindIn('', path) === 'fragment-metadata')
  )
}

/** Checks what TileDB reads as consolidated metadata because it lies in the folder, or has the suffix, though it is none by its name. */
export async function* checkOtherMetadata(run: CheckRun, array: InspectArray): Items {
  for (const one of (await array.commits()).others)
    if (isReadAsMetadata(one)) yield* checkedEntry(run, array, one.path, one.kind)
}

/** The entries that TileDB reads as consolidated metadata: by suffix in the array's folder, and all in `__fragment_meta`. */
async function metadataEntries(array: InspectArray): Promise<{ path: string; kind: Entry['kind'] }[]> {
  const inside = await array.folder.folder(FRAGMENT_META_FOLDER).listIfThere()
  return [
    ...(await array.root())
      .filter(({ name }) => commitKindIn('', name) === 'fragment-metadata')
      .map(({ name, kind }) => ({ path: name, kind })),
    ...inside.map(({ name, kind }) => ({ path: `${FRAGMENT_META_FOLDER}/${name}`, kind })),
  ]
}

/**
 * Lets a fragment be checked by the footer that fits the rest of its metadata: by the copy in consolidated fragment metadata only if its own
 * footer is damaged. {@link checkConsolidatedMetadata} says that they differ. To call before its footer is read.
 */
export async function chooseFooter(fragment: Fragment): Promise<void> {
  const { array, name, folder } = fragment
  const copy = array?.footerCopies?.get(name)
  // What is read at once is the same in both.
  if (!array || !copy || fragment.infoSync()) return
  const path = folder.path.slice(array.folder.path.length + 1)
  const own = await footerBytes(array, path)
  if (own && !sameBytes(own, copy.bytes) && !(await isOnlyOwnDamaged(array, path))) fragment.asStored()
}

/** Whether the metadata of a fragment has an error by its own footer, and none by the copy. */
async function isOnlyOwnDamaged(array: InspectArray, path: string): Promise<boolean> {
  const hasError = async (fragment: Fragment): Promise<boolean> => {
    try {
      for await (const item of checkFragment(newRun('structure', false), fragment, undefined, undefined))
        if ('notExamined' in item || ('severity' in item && item.severity === 'error')) return true
      return false
    } finally {
      await fragment.close()
    }
  }
  if (await hasError(array.fragment(path))) return false
  return hasError(array.fragment(path).asStored())
}

/** The bytes of a fragment's footer; undefined if it cannot be read, which the fragment's own check reports. */
async function footerBytes(array: InspectArray, path: string): Promise<Uint8Array | undefined> {
  const fragment = array.fragment(path).asStored()
  try {
    const { footer } = await fragment.info()
    if (!footer || fragment.ownFooterFault) return undefined
    return await withSource(array.folder.file(`${path}/${FRAGMENT_METADATA_FILE}`), (source) =>
      source.read(footer.offset, footer.size),
    )
  } catch (error) {
    return unlessFault(error)
  } finally {
    await fragment.close()
  }
}
