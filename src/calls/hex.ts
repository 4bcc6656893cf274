import { tilePart } from '../anatomy/data-file.ts'
import { openAnatomy } from '../anatomy/files.ts'
import { metadataParts } from '../anatomy/fragment-metadata.ts'
import { type Elements, fileSpace, type Part, type Space } from '../anatomy/part.ts'
import { elementPart, findPath } from '../anatomy/path.ts'
import { isNamed, reportPartFault, type Selection, selected } from '../anatomy/selection.ts'
import { commandLineText, usage } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import type { TileFile } from '../cells/tile-files.ts'
import type { CellValue } from '../documents/common.ts'
import type { DumpDocument, DumpNode } from '../documents/dump.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { ArrayTarget, FileTarget, FragmentFile, FragmentTarget, GroupTarget } from '../objects/target.ts'
import type { Progress } from '../render/progress.ts'
import { formatCount } from '../render/units.ts'
import type { CommandContext } from './command.ts'
import { documentHead } from './document-parts.ts'
import { type HexOptions, selectionOf } from './hex-options.ts'
import type { Outcome } from './outcome.ts'
import { targetFor } from './targets.ts'

/** Shows a file, or the field that `options.path` names. */
export async function* fileOutcome(
  cx: CommandContext,
  target: FileTarget,
  options: HexOptions & { tree?: boolean; path?: string },
): AsyncGenerator<Outcome> {
  yield* shownFile(cx, await openAnatomy(target, cx), options)
}

/** Shows an opened file, or the field that `options.path` names, and closes it. */
export async function* shownFile(
  cx: CommandContext,
  { root, close }: Awaited<ReturnType<typeof openAnatomy>>,
  options: HexOptions & { tree?: boolean; path?: string },
): AsyncGenerator<Outcome> {
  let progress: Progress | undefined
  try {
    const part = options.path === undefined ? root : await findPath(root, options.path)
    const outcome = hexOutcome(cx, root.type, root.space, [part], options)
    // What is shown is read while it is shown.
    progress = cx.progress({
      what: 'showing bytes',
      total: bytesShown(root.space, part, selectionOf(cx, options, root.space.file)),
    })
    yield outcome
  } finally {
    progress?.stop()
    await close()
  }
}

/** Bytes of the file that are shown of a part. Content below filters has bytes of its own. */
function bytesShown(space: Space, part: Part, { range }: Selection): number | undefined {
  if (part.space !== space) return undefined
  const { from = 0, to = space.length } = range ?? {}
  return Math.max(0, Math.min(part.offset + part.length, to + 1) - Math.max(part.offset, from))
}

/**
 * Shows parts of a file as a `dump` document and as annotated hex; with `tree` only names and values.
 * @param role what the file is, in words
 */
export function hexOutcome(
  cx: CommandContext,
  role: string,
  { file, length }: Space,
  parts: readonly Part[],
  options: HexOptions & { tree?: boolean },
): Outcome {
  const selection = selectionOf(cx, options, file)
  const { from = 0 } = selection.range ?? {}
  if (from > 0 && from >= length)
    throw usage(`--at expects bytes below ${length}, the file's size, found ${options.at}`, { file })
  const [only] = parts
  const path = cx.shownPath(file)
  const head = { ...documentHead('dump', path), file_kind: role }
  const document: DumpDocument =
    parts.length === 1
      ? { ...head, ...partNode(only, selection) }
      : { ...head, children: parts.map((part) => partNode(part, selection, 1)) }
  return {
    kind: 'document',
    document,
    async table(out: Output) {
      const { hexTitle, hexView } = await import('../render/views/hex.ts')
      const bytes = `${formatCount(length)} ${length === 1 ? 'byte' : 'bytes'}`
      const whole = parts.length === 1 && only.length === length
      await hexTitle(path, `${role}, ${whole ? bytes : `in a file of ${bytes}`}`, out)
      await hexView(parts, { ...selection, tree: options.tree }, out)
    },
  }
}

/** A part as a node of the document. Its children are made while it is printed. */
function partNode(part: Part, selection: Selection, depth = 0): DumpNode {
  const { name, type, space, offset, length, label, stored, unit, description, verdict, fault } = part
  reportPartFault(part, selection)
  return {
    name,
    type,
    offset,
    length,
    space: space.name,
    label,
    value: part.elements && !isNamed(part) ? values(part.elements) : part.value,
    stored_value: stored,
    unit,
    meaning: part.meaning ?? description,
    verdict,
    error: fault && { code: fault.code, message: commandLineText(fault) },
    cells: part.cells,
    children: depth === selection.depth ? undefined : childNodes(part, selection, depth + 1),
  }
}

function values(elements: Elements): Iterable<CellValue> {
  return {
    *[Symbol.iterator]() {
      for (let i = 0; i < elements.count; i++) yield elements.value(i)
    },
  }
}

function childNodes(part: Part, selection: Selection, depth: number): AsyncIterable<DumpNode> | undefined {
  if (!part.children && !isNamed(part)) return undefined
  return {
    async *[Symbol.asyncIterator]() {
      if (isNamed(part)) {
        for (let i = 0; part.elements && i < part.elements.count; i++)
          yield partNode(elementPart(part, i), selection, depth)
        return
      }
      const children = await part.children?.()
      if (children)
        for await (const { child } of selected(part, children, selection)) yield partNode(child, selection, depth)
    },
  }
}

/** The result of `--hex` for commands that show a part of a fragment's metadata. */
export async function fragmentHex(
  cx: CommandContext,
  fragment: Fragment,
  which: 'footer' | 'rtree' | 'metadata',
  options: HexOptions,
): Promise<Outcome> {
  const space = await fileSpace(fragment.metadataSource(), cx)
  const parts = await metadataParts(fragment, space, which)
  return hexOutcome(cx, `${which} in the fragment metadata`, space, parts, options)
}

/** The result of `--hex` for whole files: a schema, or the files of key-value metadata. */
export async function* fileHex(cx: CommandContext, path: string, options: HexOptions): AsyncGenerator<Outcome> {
  yield* fileOutcome(cx, await targetFor(cx, '--hex', { file: '' }, await cx.open(path)), options)
}

/** The result of `metadata --hex`: the sections of a fragment, or every file of key-value metadata of an array or group. */
export async function* metadataHex(
  cx: CommandContext,
  target: ArrayTarget | GroupTarget | FragmentTarget | FragmentFile,
  options: HexOptions,
): AsyncGenerator<Outcome> {
  if (target.type === 'fragment' || target.type === 'file') {
    try {
      yield await fragmentHex(cx, target.fragment, 'metadata', options)
    } finally {
      await target.fragment.close()
    }
    return
  }
  const { folder } = target.type === 'array' ? target.array : target.group
  const files = (await folder.folder('__meta').listIfThere()).filter(({ kind }) => kind === 'file')
  if (files.length === 0) cx.note(`${cx.shownPath(target.path)} has no key-value metadata`, 'target')
  for (const { name } of files) yield* fileHex(cx, `${folder.path}/__meta/${name}`, options)
}

/** The result of `tile --hex`: the tile as stored, each filter's metadata, and its content. */
export async function tileHex(cx: CommandContext, file: TileFile, tile: number, options: HexOptions): Promise<Outcome> {
  const space = await fileSpace(file.source, cx)
  return hexOutcome(cx, `tile ${tile} of ${file.tileNum}`, space, [tilePart(file, space, tile)], options)
}
