import { firstOf, grammatical, InspectError, unlessFault } from '../base/errors.ts'
import { quotedWord } from '../base/shell-word.ts'
import { pythonString } from '../base/unsafe-text.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { layerPlace } from '../calls/layer-place.ts'
import { memberOpener } from '../calls/member-lines.ts'
import { examined } from '../check/condition.ts'
import type { LayerPlace } from '../documents/common.ts'
import type { WhyDocument } from '../documents/why.ts'
import type { InspectArray } from '../objects/array.ts'
import { isRemotePath } from '../storage/remote/urls.ts'
import type { Answer, Need } from '../why/answer.ts'
import { type Examine, why } from '../why/why.ts'

interface WhyOptions {
  quick?: boolean
}

export const command: CommandModule<WhyOptions> = {
  about:
    'It compares what TileDB finds in the array with the path and without it, at every time that makes a difference. The cells of small arrays are read and counted. Where another fragment or file holds the same, it is examined first. Nothing is deleted.',
  examples: [
    ['the schemas of an array', 'why places/__schema'],
    ['a fragment, named by the beginning of its name', 'why places/__1714'],
    ['for scripts: yes, tiledb or no', 'why weather/__commits --json'],
  ],

  configure(command) {
    command
      .argument('<path...>', 'any file or folder of an array or group, or one of these')
      .option(
        '--quick',
        'do not read what holds the same in place of the path; nothing is then called safe to delete because of it',
      )
  },

  async *run(cx, [path], { quick = false }) {
    const full = cx.internalPath(path)
    const isAsked = ({ folder }: InspectArray, one: string): boolean => `${folder.path}/${one}` === full
    const examine: Examine = async (array, paths) => {
      const asked = quick ? paths.filter((one) => isAsked(array, one)) : paths
      const progress = cx.progress({ what: 'examining what holds the same', total: () => bytesOf(array, asked) })
      try {
        return await examined(array, asked, 'cells')
      } finally {
        progress.stop()
      }
    }
    const answer = await why(cx.storage, full, { ...cx.reading, onFault: cx.fault }, examine).catch(
      async (error: unknown) => {
        if (!(error instanceof InspectError) || error.code !== 'NOT_FOUND' || error.at.file !== full) throw error
        throw await missingFault(cx, full, error)
      },
    )
    const kind = (await cx.storage.kind(full)) ?? 'file'
    const document: WhyDocument = {
      ...documentHead('why', path),
      what: grammatical(answer.what),
      root: cx.shownPath(answer.root),
      layer_place: await placeOfRoot(cx, answer.root),
      needed_by: shownNeeds(cx, answer.needed_by),
      without: answer.without,
      opening_requests: answer.opening_requests,
      noticed_by: answer.noticed,
      delete: answer.delete,
      reason: answer.reason,
      how: howText(answer, SHELL_REFUSES.test(path) ? full : path, cx.shownPath(answer.root), kind === 'folder'),
      empties: answer.empties ?? null,
      changes_metadata: answer.changes_metadata ?? null,
    }
    yield {
      kind: 'document',
      document,
      table: async (out) => (await import('../render/views/why.ts')).whyTable(document, out),
    }
  },
}

/** What the array is in the words of its layer. Whatever cannot be opened has none. */
async function placeOfRoot(cx: CommandContext, root: string): Promise<LayerPlace | undefined> {
  const target = await memberOpener(cx)(root).catch(unlessFault)
  return target?.type === 'array' ? layerPlace(cx, target) : undefined
}

/** Bytes of some files and folders of an array, as {@link bytesBelow} counts them. */
async function bytesOf({ folder }: InspectArray, paths: readonly string[]): Promise<number | undefined> {
  const { bytesBelow } = await import('../calls/work-size.ts')
  let bytes = 0
  for (const path of paths) {
    const isFolder = (await folder.kind(path)) === 'folder'
    const own = isFolder
      ? await bytesBelow(folder.storage, `${folder.path}/${path}`)
      : folder.storage.fileSize?.(`${folder.path}/${path}`)
    if (own === undefined) return undefined
    bytes += own
  }
  return bytes
}

/** Paths that `rm` refuses: URLs, `.` and `..`. */
const SHELL_REFUSES = /^file:\/\/|(?:^|\/)\.\.?\/*$/

/**
 * The error for a path where nothing is. If the name tells what would be there, the error says so, and what needs it. Otherwise it
 * names what may have been meant.
 */
async function missingFault(cx: CommandContext, full: string, error: InspectError): Promise<InspectError> {
  const { missingPart } = await import('../why/missing.ts')
  const { what, needed_by = [] } = (await missingPart(cx.storage, full, cx.reading)) ?? {}
  const near = await (await import('../objects/fragment-prefix.ts')).withSuggestion(cx.storage, full, error)
  if (what === undefined) return near
  const isNeeded = needed_by.length > 0
  const needs = isNeeded ? `${firstOf(needed_by)} ${needed_by.length === 1 ? 'needs' : 'need'} it` : 'nothing needs it'
  const text = `${(isNeeded ? error : near).message}; by its name it would be ${what}; ${needs}`
  return new InspectError(error.code, text, error.at, { cause: error })
}

function shownNeeds(cx: CommandContext, needs: readonly Need[]): Need[] {
  return needs.map(({ path, what: text, needed_by }) => ({
    // Paths inside the array stay relative to the array.
    path: path.startsWith('/') || isRemotePath(path) ? cx.shownPath(path) : path,
    what: grammatical(text),
    needed_by: shownNeeds(cx, needed_by),
  }))
}

/** The shell command, or the call of TileDB-Py, that deletes. @param path the path for the shell, or a URL */
function howText({ how }: Answer, path: string, root: string, isFolder: boolean): string | null {
  if (how === undefined) return null
  const array = pythonString(root)
  const [call, ...args] = how.split(' ')
  switch (call) {
    case 'rm':
      if (path.startsWith('s3://')) return `aws s3 rm ${isFolder ? '--recursive ' : ''}${quotedWord(path)}`
      if (/^gc?s:/.test(path))
        return `gcloud storage rm ${isFolder ? '--recursive ' : ''}${quotedWord(path.replace(/^gcs:/, 'gs:'))}`
      if (isRemotePath(path)) return 'delete it at the server'
      return `rm ${isFolder ? '-r ' : ''}${path.startsWith('-') ? '-- ' : ''}${quotedWord(path)}`
    case 'vacuum': {
      const mode = args.length === 0 ? '' : `, config=tiledb.Config({"sm.vacuum.mode": "${args[0]}"})`
      return `tiledb.vacuum(${array}${mode})`
    }
    case 'delete_fragments':
      return `tiledb.Array.delete_fragments(${array}, ${args.join(', ')})`
    case 'delete_array':
      return `tiledb.Array.delete_array(${array})`
    default:
      return `tiledb.Group(${array}, "m").delete(recursive=True)`
  }
}
