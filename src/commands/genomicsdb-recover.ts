import { InspectError } from '../base/errors.ts'
import { isWithinFolder } from '../base/paths.ts'
import type { Prose } from '../base/prose.ts'
import { walk } from '../base/walk.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import type { Finding } from '../check/finding.ts'
import { checkWorkspace } from '../check/genomicsdb/workspace.ts'
import { newRun } from '../check/run.ts'
import type { RecoverDocument, RecoverFragment, RecoverLeftOut } from '../documents/recover.ts'
import { GENOMICSDB_SCHEMA_FILE } from '../format/genomicsdb/array-schema.ts'
import {
  CALLSET_FILE,
  FRAGMENT_LIST_FILE,
  GENOMICSDB_META_FOLDER,
  HEADER_FILE,
  VIDMAP_FILE,
  WORKSPACE_MARK,
} from '../format/genomicsdb/names.ts'
import { intervalFacts } from '../genomicsdb/facts.ts'
import { type Interval, Workspace } from '../genomicsdb/workspace.ts'
import { batchesOfImport } from '../mend/genomicsdb-plan.ts'
import { noteLeftBeside } from '../node/file-output.ts'
import { type FolderOutput, openFolderOutput } from '../node/folder-output.ts'
import { copiedFile, filePieces } from '../recover/fragment.ts'
import type { Folder } from '../storage/source.ts'

interface Options {
  to: string
}

export const handler: GenomicsdbHandler<Options> = {
  async *run(cx, target, _args, options) {
    if (target.kind !== 'workspace') throw notForGenomicsdb('recover', target)
    const workspace = new Workspace(target.folder, cx.reading)
    const found: Finding[] = []
    await walk(checkWorkspace(newRun('cells', true), workspace), (item) => {
      if ('notExamined' in item) throw item.notExamined
      found.push(item)
    })
    noteLeftBeside(options.to, cx.note)
    const output = await openFolderOutput(options.to, (place) => cx.refuseReadPlace(place, '--to'))
    try {
      const copied = await copyWhole(cx, workspace, found, output)
      await cx.settle?.(copied.is_loss)
      output.commit()
      const document: RecoverDocument = {
        ...documentHead('recover', cx.shownPath(target.path)),
        written_to: options.to,
        ...copied,
        lost_file: null,
        place: null,
      }
      if (document.is_loss || document.remaining.length > 0) cx.foundWrong()
      yield {
        kind: 'document',
        document,
        table: async (out) => (await import('../render/views/recover.ts')).recoverTable(document, out),
      }
    } finally {
      output.discard()
    }
  },
}

type Copied = Pick<RecoverDocument, 'fragments' | 'left_out' | 'cell_num' | 'cells_lost' | 'remaining' | 'is_loss'>

/** Copies a workspace without what is damaged, was never finished, or is of an import that did not end. */
async function copyWhole(
  cx: CommandContext,
  workspace: Workspace,
  found: readonly Finding[],
  output: FolderOutput,
): Promise<Copied> {
  const root = workspace.folder.path
  const fragments: RecoverFragment[] = []
  const left_out: RecoverLeftOut[] = []
  const leftOut = new Set<string>()
  const leave = (path: string, reason: Prose, is_loss: boolean): void => {
    leftOut.add(path)
    left_out.push({ path: cx.shownPath(`${root}/${path}`), reason, is_loss })
  }
  if (await workspace.hasFile(FRAGMENT_LIST_FILE))
    leave(FRAGMENT_LIST_FILE, 'the import that it belongs to did not end', false)
  for (const path of await batchesOfImport(workspace)) leave(path, 'of an import that did not end', false)
  const intervals = await workspace.intervals()
  const names = new Set(intervals.map(({ name }) => name))
  const unfollowed: Unfollowed[] = []
  for await (const one of notFollowed(workspace.folder)) unfollowed.push(one)
  for (const { path, reason, isLink } of unfollowed) leave(path, reason, isLink && isNeeded(path, names))
  for (const interval of intervals) {
    for (const { name, path, state, cell_num = 0 } of (await intervalFacts(interval)).folders) {
      const own = found.filter(({ file, severity }) => severity === 'error' && isIn(file, path))
      const inside = path.slice(root.length + 1)
      const link = unfollowed.find((one) => lacks(inside, one))
      const isNew = own.some(({ code }) => code === 'GENOMICSDB_IMPORT')
      if (isNew || state === 'unfinished') leave(inside, 'of an import that did not end', false)
      else if (state === 'unmarked') leave(inside, 'it has no mark', own.length > 0)
      else if (own.length === 0 && !link && !hasBrokenSchema(found, interval)) {
        fragments.push(outcomeOf(name, cell_num, [], null))
      } else {
        const reason = own[0] ? `expected ${own[0].expected}, found ${own[0].found}` : link?.reason
        fragments.push(outcomeOf(name, cell_num, own, reason ?? 'its schema cannot be read'))
        leftOut.add(inside)
      }
    }
    if (hasBrokenSchema(found, interval)) leave(interval.name, 'its schema cannot be read', true)
  }
  await copyFolder(workspace.folder, '', leftOut, output)
  const lost = fragments.filter(({ outcome }) => outcome === 'lost')
  const remaining = found.filter(
    ({ file, severity }) => severity === 'error' && !isLeftOut(file.slice(root.length + 1), leftOut),
  )
  return {
    fragments,
    left_out,
    cell_num: fragments.reduce((sum, one) => sum + one.cell_num, 0),
    cells_lost: lost.reduce((sum, { cells_lost }) => sum + (cells_lost ?? 0), 0),
    remaining: [...new Set(remaining.map(({ code }) => code))],
    is_loss: lost.length > 0 || left_out.some(({ is_loss }) => is_loss),
  }
}

function isIn(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`)
}

function isLeftOut(path: string, leftOut: ReadonlySet<string>): boolean {
  return [...leftOut].some((one) => isIn(path, one))
}

function hasBrokenSchema(found: readonly Finding[], { folder }: Interval): boolean {
  return found.some(({ code, file }) => code === 'GENOMICSDB_SCHEMA' && isIn(file, folder.path))
}

function outcomeOf(name: string, cells: number, own: readonly Finding[], reason: string | null): RecoverFragment {
  const isLost = reason !== null
  return {
    name,
    outcome: isLost ? 'lost' : 'kept',
    cell_num: isLost ? 0 : cells,
    cells_lost: isLost ? cells : 0,
    reason,
    codes: [...new Set(own.map(({ code }) => code))],
    assumed: [],
    contradictions: [],
    written_as: isLost ? [] : [name],
  }
}

/** What a copy leaves out, whatever is in it. */
interface Unfollowed {
  /** In the workspace. */
  path: string
  reason: Prose
  /** Whether a link led to something. */
  isLink: boolean
}

/**
 * What cannot be copied: links that lead out of the workspace, links to folders that were entered, and what is no file. So no folder
 * is entered more than twice: by its own path, and by one link.
 */
async function* notFollowed(top: Folder): AsyncGenerator<Unfollowed> {
  const root = top.realPath
  const entered = new Set<string>()
  async function* below(folder: Folder, inside: string, isLinked: boolean): AsyncGenerator<Unfollowed> {
    entered.add(folder.realPath)
    for (const { name, kind, link = false } of await folder.list()) {
      const path = inside === '' ? name : `${inside}/${name}`
      if (kind === 'other') {
        yield { path, reason: 'it is neither a file nor a folder, nor a link to one', isLink: false }
        continue
      }
      const { realPath } = folder.folder(name)
      const byLink = isLinked || link
      if (link && !isWithinFolder(realPath, root))
        yield { path, reason: 'a link leads out of the workspace', isLink: true }
      else if (kind === 'folder' && byLink && entered.has(realPath))
        yield { path, reason: 'a link leads to a folder that has another path in the workspace', isLink: true }
      else if (kind === 'folder') yield* below(folder.folder(name), path, byLink)
    }
  }
  yield* below(top, '', false)
}

const ROOT_FILES: ReadonlySet<string> = new Set([CALLSET_FILE, VIDMAP_FILE, HEADER_FILE, WORKSPACE_MARK])

/** Whether readers need what is at a path beside the fragments: files of the workspace, and a whole interval, its schema or its metadata. */
function isNeeded(path: string, intervals: ReadonlySet<string>): boolean {
  const [first = '', second] = path.split('/')
  if (!intervals.has(first)) return ROOT_FILES.has(path)
  return second === undefined || second === GENOMICSDB_SCHEMA_FILE || second === GENOMICSDB_META_FOLDER
}

/** Whether a fragment lies in what is left out, or one of its files does. */
function lacks(fragment: string, { path, isLink }: Unfollowed): boolean {
  return isIn(fragment, path) || (isLink && isIn(path, fragment) && /\.tdb(\.gz)?$/.test(path))
}

/** Copies the files of a folder, and those of the folders in it. */
async function copyFolder(
  from: Folder,
  path: string,
  leftOut: ReadonlySet<string>,
  output: FolderOutput,
): Promise<void> {
  for (const { name, kind } of await from.list()) {
    const inside = path === '' ? name : `${path}/${name}`
    if (leftOut.has(inside)) continue
    if (kind === 'folder') await copyFolder(from.folder(name), inside, leftOut, output)
    else if (kind === 'file') await output.writeParts(inside, filePieces(copiedFile(from, name)))
    else throw new InspectError('IO', 'what is no file cannot be copied', { file: `${from.path}/${name}` })
  }
}
