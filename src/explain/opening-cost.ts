import { lastPathPart } from '../base/paths.ts'
import { sum } from '../base/sum.ts'
import { COMMITS_SINCE } from '../format/commit-files.ts'
import { NAMES_SINCE } from '../format/consolidated-fragment-metadata.ts'
import { FRAGMENT_METADATA_FILE, footerLengthIsStored } from '../format/fragment-footer.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { METADATA_FOLDER, SCHEMA_FOLDER } from '../objects/array.ts'
import {
  COMMITS_FOLDER,
  FRAGMENT_META_FOLDER,
  FRAGMENTS_FOLDER,
  mayBeFragment,
  pathOfCommit,
} from '../objects/commits.ts'
import { deletePlaces } from '../objects/deletes.ts'
import { isWithin, vacuumLists } from '../objects/visibility.ts'
import type { OpenedArray } from '../read/query.ts'
import { withSource } from '../storage/source.ts'
import { RELEASE } from './memory/release.ts'
import {
  addToStep,
  emptyStep,
  genericTileCost,
  listingCost,
  type StepCost,
  type StepName,
  wholeFileCost,
} from './step-cost.ts'

/** The folders that TileDB lists in addition to the array's own. It never lists the folder of the fragments. */
const LISTED = [COMMITS_FOLDER, FRAGMENT_META_FOLDER, METADATA_FOLDER, SCHEMA_FOLDER]
/** Folders that are not fragments. */
const FOLDERS = [...LISTED, FRAGMENTS_FOLDER]

/**
 * What opening the array for reading costs TileDB. Commit files, schemas and consolidated fragment metadata are
 * read whatever their time, key-value metadata only when somebody asks for it.
 *
 * @see ArrayDirectory::load, FragmentInfo::load_array_schemas_and_fragment_metadata, FragmentMetadata::load
 */
export async function openingCost(opened: OpenedArray): Promise<StepCost[]> {
  return [
    await listings(opened),
    await commitFiles(opened),
    await schemas(opened),
    await vacuumFiles(opened),
    await consolidatedMetadata(opened),
    await footers(opened),
  ]
}

/** The listings. A folder may be a fragment of a version without commits: a request for each such folder asks whether it has metadata. */
async function listings({ array }: OpenedArray): Promise<StepCost> {
  const step = emptyStep('listings')
  const root = await array.root()
  addToStep(step, listingCost(root.length))
  for (const name of LISTED) addToStep(step, listingCost((await array.folder.folder(name).listIfThere()).length))
  const { committed } = await array.commits()
  const asked = root.filter(({ name }) => {
    const version = nameFacts(name)?.format_version ?? COMMITS_SINCE
    return version < COMMITS_SINCE && mayBeFragment(name) && !committed.has(name) && !FOLDERS.includes(name)
  })
  addToStep(step, {
    requests: asked.length,
    head_requests: asked.length,
    chain: step.chain + Math.min(1, asked.length),
  })
  return step
}

/** The cost of files that are read whole. @param paths relative to the array */
async function wholeFiles(name: StepName, { array }: OpenedArray, paths: Iterable<string>): Promise<StepCost> {
  const step = emptyStep(name)
  for (const path of paths)
    addToStep(step, wholeFileCost(await withSource(array.folder.file(path), (source) => source.size())))
  return step
}

/** The lists of consolidated commits and of commits to ignore, read whole and in turn. */
async function commitFiles(opened: OpenedArray): Promise<StepCost> {
  const { files } = await opened.array.commits()
  const lists = files.filter(({ kind }) => kind === 'consolidated-commits' || kind === 'ignore')
  const paths = lists.map(({ path }) => path)
  const step = await wholeFiles('commit files', opened, paths)
  return { ...step, chain: step.requests }
}

/** The lists of fragments and of metadata files that a consolidation replaced. */
async function vacuumFiles(opened: OpenedArray): Promise<StepCost> {
  const { array, schema } = opened
  const paths: string[] = []
  const { files } = await array.commits()
  for (const { file } of vacuumLists(files, array.cx, schema.array_type === 'sparse')) paths.push(file)
  for (const { name } of await array.folder.folder(METADATA_FOLDER).listIfThere()) {
    if (!name.endsWith('.vac') || !isWithin(nameFacts(name)?.timestamp_range ?? [0n, 0n], array.cx)) continue
    paths.push(`${METADATA_FOLDER}/${name}`)
  }
  return wholeFiles('vacuum files', opened, paths)
}

/** The cost of files that are one generic tile each. @param paths as for {@link wholeFiles} */
async function genericTiles(name: StepName, { array }: OpenedArray, paths: Iterable<string>): Promise<StepCost> {
  const step = emptyStep(name)
  for (const path of paths) addToStep(step, await genericTileCost(array.folder.file(path)))
  return step
}

async function schemas(opened: OpenedArray): Promise<StepCost> {
  const paths = (await opened.array.schemaFiles()).map(({ path }) => path)
  return genericTiles('schemas', opened, paths)
}

async function consolidatedMetadataFiles({ array }: OpenedArray): Promise<string[]> {
  return (await array.commits()).files.flatMap(({ kind, path }) => (kind === 'fragment-metadata' ? [path] : []))
}

async function consolidatedMetadata(opened: OpenedArray): Promise<StepCost> {
  return genericTiles('consolidated fragment metadata', opened, await consolidatedMetadataFiles(opened))
}

/**
 * What opening costs after all fragments are consolidated into one and vacuumed, beside listings and footers: the files that stay, and the
 * `.ign` file that a vacuum writes if a `.con` file names what it removes.
 */
export async function keptFilesCost(opened: OpenedArray): Promise<StepCost[]> {
  const commits = await commitFiles(opened)
  const { consolidated } = await opened.array.commits()
  // A line for each commit, and the end of the line.
  if (consolidated.size > 0)
    addToStep(commits, wholeFileCost(sum([...consolidated], (path) => pathOfCommit(path).length + 1)))
  return [commits, await schemas(opened), await consolidatedMetadata(opened)]
}

/** The footers that are not in consolidated metadata. In versions 1 and 2 all metadata of a fragment is one tile. */
async function footers(opened: OpenedArray): Promise<StepCost> {
  const { array, schema } = opened
  const step = emptyStep('footers')
  const consolidated = new Set<string>()
  for (const path of await consolidatedMetadataFiles(opened))
    for (const { fragment_name } of (await array.consolidatedFragmentMetadata(path)).entries)
      consolidated.add(fragment_name)
  for (const { fragment, info } of opened.fragments) {
    const key = schema.version >= NAMES_SINCE ? fragment.name : uriOf(opened, fragment.folder.path)
    if (consolidated.has(key)) continue
    if (!info.footer_span) {
      const tile = await genericTileCost(fragment.folder.file(FRAGMENT_METADATA_FILE))
      // One request for the size, and one to know whether there is a file of coordinates.
      addToStep(step, { ...tile, sizes: 1, head_requests: 2, requests: (tile.requests ?? 0) + 2 })
      continue
    }
    const { size } = info.footer_span
    const version = fragment.parsedName?.least_version ?? info.format_version
    const lengthBytes = footerLengthIsStored(version, schema) ? 8 : 0
    const reads = lengthBytes > 0 ? 2 : 1
    const bytes = size + lengthBytes
    addToStep(step, { sizes: 1, reads, bytes, requests: 1 + reads })
  }
  return step
}

function uriOf({ array }: OpenedArray, path: string): string {
  const real = array.folder.storage.realPath?.(path) ?? path
  return real.startsWith('/') ? `file://${real}` : real
}

/** The delete conditions. A query of a sparse array loads all of them first, whatever its ranges. */
export async function deleteConditionCost({ array, fragments, schema }: OpenedArray): Promise<StepCost> {
  const step = emptyStep('delete conditions')
  if (schema.array_type === 'dense' || fragments.length === 0) return step
  for (const { path, tile } of await deletePlaces(array)) {
    const cost = await genericTileCost(array.folder.file(path), tile?.offset)
    // Opening the array has read ahead a short file of consolidated commits as a whole.
    const size = tile
      ? await withSource(array.folder.file(path), (source) => source.size())
      : RELEASE.settings['vfs.read_ahead_size']
    addToStep(step, size < RELEASE.settings['vfs.read_ahead_size'] ? { ...cost, requests: 0 } : cost)
  }
  return step
}

/** The enumerations of the attributes in the query's condition. Others are not read before somebody asks for them. */
export async function enumerationCost(opened: OpenedArray, fields: Iterable<string>): Promise<StepCost> {
  const { attributes, enumerations } = opened.schema
  const names = new Set<string>()
  for (const field of fields) names.add(attributes.find(({ name }) => name === field)?.enumeration ?? '')
  const paths = enumerations.flatMap(({ name, path_name }) =>
    names.has(name) ? [`${SCHEMA_FOLDER}/__enumerations/${lastPathPart(path_name)}`] : [],
  )
  return genericTiles('enumerations', opened, paths)
}
