import { NO_BYTES } from '../base/bytes.ts'
import { commandLineText, damageOf, unlessDamaged } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { deleteCondition, updateCondition } from '../format/delete-condition.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import {
  COMMITS_FOLDER,
  type CommitFile,
  type Commits,
  committedPath,
  FRAGMENTS_FOLDER,
  linePath,
  listedCondition,
  pathOfCommit,
  stem,
} from '../objects/commits.ts'
import { readTileFile } from '../objects/generic-tile.ts'
import { readAll, withSource } from '../storage/source.ts'
import type { RecoveredFragment } from './fragment.ts'
import type { NewFiles } from './new-files.ts'

/** Adds the commits of the new array. They name only what is written there. */
export async function commitFiles(
  array: InspectArray,
  fragments: readonly RecoveredFragment[],
  found: NewFiles,
): Promise<void> {
  const commits = await array.commits()
  const adding = new NewCommits({ array, commits, entries: await array.fragments(), fragments, found })
  const { files } = commits
  // A condition is taken from its own file, if that can be read, rather than from a list.
  for (const file of files) if (!isList(file)) await adding.add(file)
  for (const file of files) if (isList(file)) await adding.add(file)
  adding.addMissing()
}

interface Recovery {
  array: InspectArray
  commits: Commits
  /** The fragments of the damaged array. */
  entries: readonly FragmentEntry[]
  /** What became of them. */
  fragments: readonly RecoveredFragment[]
  /** The files of the new array so far, and those that are left out. */
  found: NewFiles
}

function isList({ kind }: CommitFile): boolean {
  return kind === 'consolidated-commits'
}

/** Makes the commits of the new array, one file of the damaged array after another. */
class NewCommits {
  private readonly recovery: Recovery
  /** What became of each fragment, by its name. */
  private readonly outcomes: ReadonlyMap<string, RecoveredFragment>
  /** Lines that `.ign` files take back. */
  private readonly ignored: ReadonlySet<string>
  /** Whether a list of commits is kept. If none is, `.ign` files have nothing to take back. */
  private readonly keepsLists: boolean
  /** Paths of conditions whose own file cannot be read, but that a list holds, too. */
  private readonly onlyListed = new Set<string>()
  /** Paths of the commits that were added. */
  private readonly added = new Set<string>()

  constructor(recovery: Recovery) {
    const { fragments, commits } = recovery
    this.recovery = recovery
    this.outcomes = new Map(fragments.map((one) => [one.name, one]))
    const ignoreFiles = commits.files.filter(({ kind }) => kind === 'ignore')
    this.ignored = new Set(ignoreFiles.flatMap(({ entries }) => entries.map(({ text }) => text)))
    this.keepsLists = commits.files.some((file) => isList(file) && this.isWhole(file))
  }

  /** Adds what a file of the damaged array becomes. */
  async add(file: CommitFile): Promise<void> {
    const { found, array } = this.recovery
    const { path, kind } = file
    switch (kind) {
      case 'write':
        if (this.isWritten(lastPathPart(committedPath(path)))) this.commit(path)
        else found.leaveOut(path, this.whyNoCommit(committedPath(path)))
        return
      case 'delete':
      case 'update':
        return this.addCondition(path, kind)
      case 'vacuum':
        this.addVacuumList(file)
        return
      case 'consolidated-commits':
        return this.addList(file)
      case 'ignore':
        if (this.keepsLists) found.copy(array.folder, path)
        else found.leaveOut(path, 'the lists that it takes back are not there')
        return
      case 'fragment-metadata':
        return this.addFooters(path)
    }
  }

  /**
   * Adds the commits that no file of the damaged array gave. The parts of a dense fragment have new names, and a damaged list does not name
   * its fragments.
   */
  addMissing(): void {
    const { entries, fragments, commits } = this.recovery
    const known = new Map(entries.map(({ name, path }) => [name, path]))
    for (const { name, written } of fragments) {
      const path = known.get(name) ?? name
      const isInFolder = path.includes('/')
      const isCommitted = commits.committed.has(path)
      for (const part of written) {
        if (isCommitted && part.name === name) continue
        if (isInFolder) this.commit(pathOfCommit(`${FRAGMENTS_FOLDER}/${part.name}`))
        // Before version 5 fragments need no commit.
        else if (isCommitted) this.commit(pathOfCommit(part.name))
      }
    }
  }

  private async addCondition(path: string, kind: 'delete' | 'update'): Promise<void> {
    const { array, commits, found } = this.recovery
    const source = array.folder.file(path)
    const read: Promise<unknown> =
      kind === 'delete'
        ? readTileFile(source, deleteCondition, array.cx)
        : readTileFile(source, updateCondition, array.cx)
    const fault = await read.then(() => undefined, damageOf)
    if (fault) {
      const why = `it cannot be read: ${commandLineText(fault)}`
      const isListed = listedCondition(commits, path) !== undefined
      if (isListed) this.onlyListed.add(path)
      found.leaveOut(path, isListed ? `${why}; consolidated commits hold the condition, too` : why, !isListed)
      return
    }
    this.added.add(path)
    found.copy(array.folder, path)
  }

  private addVacuumList({ path, fault }: CommitFile): void {
    const { array, found } = this.recovery
    const name = stem(lastPathPart(path))
    if (fault) found.leaveOut(path, `it cannot be read: ${commandLineText(fault)}`)
    // If the consolidated fragment is lost, those that it replaced count again.
    else if (this.outcomes.has(name) && !this.isWritten(name)) found.leaveOut(path, 'its fragment is lost')
    else found.copy(array.folder, path)
  }

  /** Adds a list of commits, or a commit for each of its lines that still holds. */
  private async addList(file: CommitFile): Promise<void> {
    const { array, found } = this.recovery
    const { path, fault, entries } = file
    const isWhole = this.isWhole(file)
    if (isWhole) found.copy(array.folder, path)
    else found.leaveOut(path, 'it is damaged, or names what is not there', fault !== undefined)
    if (isWhole && !entries.some(({ text }) => this.onlyListed.has(text))) return
    const bytes = await withSource(array.folder.file(path), readAll)
    for (const { text, tile, name } of entries) {
      if (isWhole && !this.onlyListed.has(text)) continue
      const fragment = linePath(text)
      if (fragment !== undefined && !this.ignored.has(text) && this.isWritten(lastPathPart(fragment)))
        this.commit(pathOfCommit(fragment))
      // A damaged line may name any path. Only its last part is used, so nothing is written outside the folder.
      else if (tile) this.commit(`${COMMITS_FOLDER}/${name}`, bytes.slice(tile.offset, tile.offset + tile.length))
    }
  }

  /** Adds a file of consolidated fragment metadata, if all of its footers are still those of fragments. */
  private async addFooters(path: string): Promise<void> {
    const { array, found } = this.recovery
    const metadata = await array.consolidatedFragmentMetadata(path).catch(unlessDamaged)
    const isKept = metadata?.entries.every(
      ({ fragment_name }) => this.outcomes.get(lastPathPart(fragment_name))?.outcome === 'kept',
    )
    if (isKept) found.copy(array.folder, path)
    else found.leaveOut(path, 'its footers are not all those of the fragments here')
  }

  /** Adds a commit, if it is not there yet. @param bytes its content: none for a write */
  private commit(path: string, bytes: Uint8Array = NO_BYTES): void {
    if (this.added.has(path)) return
    this.added.add(path)
    this.recovery.found.files.push({ name: path, bytes })
  }

  /** Whether a fragment of that name is in the new array. */
  private isWritten(name: string): boolean {
    return this.outcomes.get(name)?.written.some((one) => one.name === name) ?? false
  }

  /** Whether every line of a list names a fragment of the new array, or is taken back. */
  private isWhole({ fault, entries }: CommitFile): boolean {
    const { ignored } = this.recovery.commits
    if (fault) return false
    return entries.every(({ text }) => {
      const fragment = linePath(text)
      return fragment === undefined || ignored.has(fragment) || this.isWritten(lastPathPart(fragment))
    })
  }

  private whyNoCommit(fragment: string): string {
    const { entries, found } = this.recovery
    const outcome = this.outcomes.get(lastPathPart(fragment))
    if (outcome?.instead) return 'the fragments that its fragment replaced take its place'
    if (outcome) return outcome.written.length > 0 ? 'its fragment became several others' : 'its fragment is lost'
    const isLeftOut = found.leftOut.some(({ path }) => path === fragment)
    return isLeftOut && entries.some(({ path, to_vacuum }) => to_vacuum && path === fragment)
      ? 'its fragment is left out: a consolidated one has the cells'
      : 'its fragment is not there'
  }
}
