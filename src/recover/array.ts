import { commandLineText, damageOf, exitCodeOf, hasCode, InspectError, orError, unlessDamaged } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { unionOf } from '../cells/rtree-builder.ts'
import type { Finding } from '../check/finding.ts'
import { arrayMetadata } from '../format/array-metadata.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import type { Describe } from '../format/io.ts'
import type { NDRange } from '../format/range.ts'
import { nameFacts, parseTimestampedName } from '../format/timestamped-name.ts'
import {
  type FragmentEntry,
  type InspectArray,
  LABELS_FOLDER,
  METADATA_FOLDER,
  SCHEMA_FOLDER,
} from '../objects/array.ts'
import { FRAGMENTS_FOLDER, stem } from '../objects/commits.ts'
import { boundedEnumeration } from '../objects/enumerations.ts'
import type { Fragment } from '../objects/fragment.ts'
import { readTileFile } from '../objects/generic-tile.ts'
import { unreadFragments } from '../read/opening.ts'
import type { Folder } from '../storage/source.ts'
import { enterOnce } from '../storage/walk.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'
import { commitFiles } from './commits.ts'
import { isContradiction } from './contradictions.ts'
import { type FactsFromOutside, factsOf, type MetadataFacts } from './facts.ts'
import { withoutForeignMetadata } from './foreign-metadata.ts'
import { errorsOf, lost, type RecoveredFile, type RecoveredFragment, recoverFragment } from './fragment.ts'
import { type LeftOut, NewFiles } from './new-files.ts'

/** What was written in place of an array or fragment. */
export interface RecoveredArray {
  fragments: readonly RecoveredFragment[]
  leftOut: readonly LeftOut[]
}

/** Takes the new files. */
export interface RecoverOutput {
  /** @param path path in the new folder */
  write(path: string, file: RecoveredFile): Promise<void>
}

export interface RecoverOptions {
  dropDamaged: boolean
  /** Returns the box that the user gave for a dense fragment; undefined without one. */
  domain(schema: ArraySchema): NDRange | undefined
}

/**
 * Recovers an array: every fragment that a commit names, and everything else that belongs to it. Schemas and commits are written
 * last, so that unfinished output is no array.
 * @throws InspectError NOT_RECOVERED if something would be lost and the options do not allow it
 */
export async function recoverArray(
  array: InspectArray,
  options: RecoverOptions,
  cx: () => WriteContext,
  out: RecoverOutput,
): Promise<RecoveredArray> {
  await checkSchemas(array, options)
  const entries = await array.fragments()
  const commits = await array.commits()
  const isListDamaged = commits.files.some(({ kind, fault }) => kind === 'consolidated-commits' && fault)
  const unread = await unreadFragments(array, entries)
  const fragments: RecoveredFragment[] = []
  const found = new NewFiles()
  for (const entry of entries) {
    const { path, name } = entry
    let guess: string | undefined
    // Before version 5 a fragment has no commit: its metadata shows that it was written. It may have lost that.
    if (!entry.committed && entry.state === 'no-metadata') guess = 'that its write was finished'
    else if (!entry.committed && isListDamaged) guess = 'that the damaged list of commits names it'
    else if (!entry.committed) {
      const isLoss = unread.includes(entry)
      const why = isLoss
        ? 'no commit names it, and TileDB reads no other fragment: its cells are nowhere else'
        : 'no commit names it: no reader sees it'
      found.leaveOut(path, why, isLoss)
      continue
    }
    // All that was listed is copied in the end, so a change is found before the work. Over a network, asking costs requests.
    if (!array.folder.isRemote) await array.folder.storage.confirm?.()
    const fragment = await orError(() => tryFragment(array, entry, options, cx))
    if (fragment instanceof InspectError) {
      if (fragment.code !== 'NOT_RECOVERED' || entry.isRead || !entry.to_vacuum) throw fragment
      found.leaveOut(path, `a .vac file hides it from readers, and it is damaged: ${commandLineText(fragment)}`)
      continue
    }
    if (guess !== undefined) fragment.assumed.push(guess)
    await writeFragment(fragment, path.slice(0, path.length - name.length), out)
    fragments.push(fragment)
  }
  for (const path of await array.missingFragments()) {
    const name = lastPathPart(path)
    const instead = await wholeReplaced(array, name, options, cx)
    if (!instead && !options.dropDamaged) throw await noFragment(array, path)
    fragments.push(
      instead ? replacedBy(name, instead) : { ...lost(name), why: 'a commit names it, and its folder is gone' },
    )
  }
  await plainFiles(array.folder, LABELS_FOLDER, found)
  await checkedFiles(array, METADATA_FOLDER, arrayMetadata, found)
  await schemaFiles(array, found)
  await commitFiles(array, fragments, found)
  for (const file of found.files) await out.write(file.name, file)
  return { fragments, leftOut: found.leftOut }
}

/**
 * Recovers a fragment of the array. If a consolidated fragment loses cells, or may have wrong ones, the fragments that it replaced take its
 * place. They must still be whole.
 */
async function tryFragment(
  array: InspectArray,
  { path, name }: FragmentEntry,
  options: RecoverOptions,
  cx: () => WriteContext,
): Promise<RecoveredFragment> {
  const outside = outsideOf(array, name, options)
  const found = await orError(() => recoverFragment(array, path, outside, options.dropDamaged, cx()))
  const isLost =
    found instanceof InspectError
      ? found.code === 'NOT_RECOVERED'
      : found.cellsLost !== 0 || found.contradictions.length > 0
  const instead = isLost ? await wholeReplaced(array, name, options, cx) : undefined
  if (instead) return replacedBy(name, instead)
  if (found instanceof InspectError) throw found
  return found
}

function replacedBy(name: string, instead: readonly string[]): RecoveredFragment {
  return { ...lost(name), cellsLost: 0, instead }
}

/** Names of the fragments that a consolidated one replaced; undefined if one of them is missing, loses a cell, or may have a wrong one. */
async function wholeReplaced(
  array: InspectArray,
  name: string,
  options: RecoverOptions,
  cx: () => WriteContext,
): Promise<string[] | undefined> {
  const names = await replacedNames(array, name)
  if (names.size === 0) return undefined
  const entries = await array.fragments()
  for (const one of names) {
    const entry = entries.find((other) => other.name === one && other.committed)
    if (!entry) return undefined
    const outside = outsideOf(array, one, options)
    // What memory has no room for, or what cannot be reached, need not be damaged.
    const found = await recoverFragment(array, entry.path, outside, false, cx()).catch(damageOf)
    if (found instanceof InspectError || found.contradictions.length > 0) return undefined
  }
  return [...names]
}

/** The names in the vacuum list of a consolidated fragment. */
async function replacedNames(array: InspectArray, name: string): Promise<Set<string>> {
  const list = (await array.commits()).files.find(
    ({ kind, path }) => kind === 'vacuum' && stem(lastPathPart(path)) === name,
  )
  return new Set(list?.entries.map((entry) => entry.name))
}

/** Writes the files of a fragment, and drops them from memory. */
async function writeFragment({ written }: RecoveredFragment, folder: string, out: RecoverOutput): Promise<void> {
  for (const part of written)
    for (const file of part.files.splice(0)) await out.write(`${folder}${part.name}/${file.name}`, file)
}

/** Recovers one fragment into a folder. If unreadable tiles divide a dense fragment, its parts become folders inside. */
export async function recoverOne(
  array: InspectArray,
  { folder, name }: Fragment,
  options: RecoverOptions,
  cx: () => WriteContext,
  out: RecoverOutput,
): Promise<RecoveredArray> {
  await checkSchemas(array, options)
  const path = folder.path.slice(array.folder.path.length + 1)
  const outside = outsideOf(array, name, options)
  const fragment = await recoverFragment(array, path, outside, options.dropDamaged, cx())
  if (fragment.written.length === 0)
    throw new InspectError(
      'NOT_RECOVERED',
      { expected: 'a tile that can be read', found: `none: ${fragment.why}` },
      {
        file: folder.path,
      },
    )
  if (fragment.written.length > 1) await writeFragment(fragment, '', out)
  else for (const file of fragment.written.flatMap((part) => part.files.splice(0))) await out.write(file.name, file)
  return { fragments: [fragment], leftOut: [] }
}

function factsWithoutUser(array: InspectArray, path: string): Promise<MetadataFacts | InspectError> {
  const outside = outsideOf(array, lastPathPart(path), { domain: () => undefined })
  return array.withFragment(path, async (fragment) => {
    const own = await withoutForeignMetadata(array, fragment.asStored())
    return orError(() => factsOf(array, own, outside))
  })
}

/**
 * The findings because of which recovery leaves out tiles that the fragment's metadata contradicts, where it leaves out those that cannot be
 * read. This reads all cells, as recovery does.
 */
export async function droppedContradictions(array: InspectArray, path: string): Promise<readonly Finding[]> {
  const facts = await factsWithoutUser(array, path)
  if (facts instanceof InspectError || !facts.metadataAgrees) return []
  const { found } = await array.withFragment(path, (fragment) => errorsOf(fragment.asStored()))
  return found.filter(({ code, tile }) => isContradiction(code) && tile !== undefined)
}

/** What recovery of a fragment needs, and the array does not have: its schema, the box of a dense fragment, or whole tiles, or files of its own. */
export async function lackOf(
  array: InspectArray,
  path: string,
): Promise<'schema' | 'box' | 'tiles' | 'own-files' | undefined> {
  const found = await factsWithoutUser(array, path)
  if (!(found instanceof InspectError) && found.stranger) return 'own-files'
  if (!(found instanceof InspectError) && found.tileNum === 0) return 'tiles'
  if (!(found instanceof InspectError) || found.code !== 'NOT_RECOVERED') return undefined
  if (found.at.field === 'nonempty_domain') return 'box'
  return found.at.field === 'array_schema_name' ? 'schema' : undefined
}

/** Checks that a schema can be read. @throws InspectError NOT_RECOVERED if none can, or the one in use cannot and its loss is not allowed */
async function checkSchemas(array: InspectArray, { dropDamaged }: RecoverOptions): Promise<void> {
  const fault = await array.schemaOfCells().then(() => undefined, damageOf)
  if (!fault) return
  if (exitCodeOf(fault) !== 1) throw fault
  let isThere = false
  for (const { name } of await array.schemaFiles())
    isThere ||= ((await array.schema(name).catch(unlessDamaged))?.domain.dimensions.length ?? 0) > 0
  if (isThere && dropDamaged) return
  const advice = isThere ? '; --drop-damaged leaves it out' : ', and no other is there'
  throw new InspectError('NOT_RECOVERED', `the schema cannot be read: ${commandLineText(fault)}${advice}`, fault.at)
}

/** The error for a fragment that a commit names, and whose folder is gone. */
async function noFragment(array: InspectArray, path: string): Promise<InspectError> {
  const folders = (await array.folder.folder(FRAGMENTS_FOLDER).listIfThere()).filter(({ kind }) => kind === 'folder')
  const misnamed = folders.find(({ name }) => !nameFacts(name))
  const perhaps = misnamed ? `; ${FRAGMENTS_FOLDER}/${misnamed.name} may be it: recover that fragment by itself` : ''
  const fault = {
    expected: 'the fragment that a commit names',
    found: `no such folder${perhaps}; --drop-damaged leaves out what cannot be read`,
  }
  return new InspectError('NOT_RECOVERED', fault, { file: `${array.folder.path}/${path}` })
}

/** The facts about a fragment that the user and other fragments know. */
function outsideOf(array: InspectArray, name: string, { domain }: Pick<RecoverOptions, 'domain'>): FactsFromOutside {
  return {
    domain,
    async union() {
      const replaced = await replacedNames(array, name)
      const boxes: NDRange[] = []
      let schema: ArraySchema | undefined
      for (const entry of await array.fragments()) {
        if (!replaced.has(entry.name)) continue
        const info = await array.withFragment(entry.path, (fragment) => fragment.info().catch(unlessDamaged))
        if (!info?.nonempty_domain) return undefined
        schema ??= info.schema
        boxes.push(info.nonempty_domain)
      }
      return schema && boxes.length === replaced.size ? unionOf(boxes, schema.domain.dimensions) : undefined
    },
  }
}

/** Adds the schemas that can be read, and their enumerations. */
async function schemaFiles(array: InspectArray, found: NewFiles): Promise<void> {
  const { folder } = array
  for (const name of [OLD_SCHEMA_FILE, '__lock.tdb']) if ((await folder.kind(name)) === 'file') found.copy(folder, name)
  await checkedFiles(array, SCHEMA_FOLDER, arraySchema, found)
  await checkedFiles(array, `${SCHEMA_FOLDER}/__enumerations`, boundedEnumeration(array.cx), found)
}

/** Adds every file of a folder and of the folders in it. Leaves out links to folders that were entered before. */
async function plainFiles(
  folder: Folder,
  inside: string,
  found: NewFiles,
  entered = new Set([folder.realPath]),
): Promise<void> {
  const entries = await folder.folder(inside).listIfThere()
  if (entries.length === 0) return
  if (!enterOnce(folder.folder(inside), entered)) {
    found.leaveOut(inside, 'it is a link to a folder that is copied already')
    return
  }
  for (const { name, kind } of entries) {
    if (kind === 'file') found.copy(folder, `${inside}/${name}`)
    else if (kind === 'folder') await plainFiles(folder, `${inside}/${name}`, found, entered)
  }
}

/** Adds the files of a folder that are one generic tile each, and the lists beside them. Leaves out those that cannot be read. */
async function checkedFiles<T>(
  array: InspectArray,
  inside: string,
  describe: Describe<T>,
  found: NewFiles,
): Promise<void> {
  const { folder, cx } = array
  for (const { name, kind } of await folder.folder(inside).listIfThere()) {
    const path = `${inside}/${name}`
    if (kind !== 'file') continue
    const suffix = parseTimestampedName(name)?.suffix
    const isList = suffix === 'vac'
    const read = isList ? undefined : await orError(() => readTileFile(folder.file(path), describe, cx))
    // What no finished write left behind may be of any version, and have any content.
    const isStray = !isList && suffix !== undefined
    const isUnknown = isStray && hasCode(read, 'UNSUPPORTED_VERSION')
    const refused = read instanceof InspectError ? read : undefined
    const fault = refused && !isUnknown ? damageOf(refused) : refused
    if (fault) found.leaveOut(path, `it cannot be read: ${commandLineText(fault)}`, !isStray)
    else found.copy(folder, path)
  }
}
