import { tilePart } from '../anatomy/data-file.ts'
import { openAnatomy } from '../anatomy/files.ts'
import { footerPart, sectionParts } from '../anatomy/fragment-metadata.ts'
import type { Part, Space } from '../anatomy/part.ts'
import type { TileFile } from '../cells/tile-files.ts'
import { withSource } from '../store/array.ts'
import type { Fragment } from '../store/fragment.ts'
import type { Target } from '../store/target.ts'
import { type CommandContext, type Outcome, wrongTarget } from './command.ts'
import { anatomist, hexOutcome, spaceOf } from './hex.ts'
import type { HexOptions } from './hex-options.ts'

/** `--hex` for commands that show a part of a fragment's metadata. */
export async function fragmentHex(
  cx: CommandContext,
  fragment: Fragment,
  which: 'footer' | 'rtree' | 'metadata',
  options: HexOptions,
): Promise<Outcome> {
  const source = fragment.metadataSource()
  const space = await spaceOf(source)
  const parts = await partsOf(cx, fragment, space, which)
  return hexOutcome(
    cx,
    { path: cx.shownPath(source.name), role: `${which} in the fragment metadata`, source, parts },
    options,
  )
}

async function partsOf(cx: CommandContext, fragment: Fragment, space: Space, which: string): Promise<Part[]> {
  const { footer } = await fragment.info()
  const file = fragment.metadataSource().name
  const by = anatomist(cx)
  if (which === 'footer' && footer) return [await footerPart(fragment, space, file, by)]
  return sectionParts(fragment, space, file, by, (name) => (name === 'rtree') === (which === 'rtree'))
}

/** `--hex` for whole files: a schema, or the files of key-value metadata. */
export async function* fileHex(cx: CommandContext, path: string, options: HexOptions): AsyncGenerator<Outcome> {
  const target = await cx.open(path)
  if (target.type !== 'file') throw await wrongTarget(cx, '--hex', target, 'a file')
  const { root, role, close } = await openAnatomy(target, anatomist(cx))
  try {
    const source = target.folder.file(target.name)
    yield* withFile(cx, { path: cx.shownPath(target.path), role, source, parts: [root] }, options)
  } finally {
    await close()
  }
}

async function* withFile(
  cx: CommandContext,
  subject: Parameters<typeof hexOutcome>[1],
  options: HexOptions,
): AsyncGenerator<Outcome> {
  try {
    yield hexOutcome(cx, subject, options)
  } finally {
    await withSource(subject.source, async () => {})
  }
}

/** `metadata --hex`: a fragment's sections, or every file of an array's or group's key-value metadata. */
export async function* metadataHex(cx: CommandContext, target: Target, options: HexOptions): AsyncGenerator<Outcome> {
  if (target.type === 'array' || target.type === 'group') {
    const { folder } = target.type === 'array' ? target.array : target.group
    for (const { name, kind } of await folder.folder('__meta').listIfThere())
      if (kind === 'file') yield* fileHex(cx, `${folder.path}/__meta/${name}`, options)
  } else if (target.fragment) {
    try {
      yield await fragmentHex(cx, target.fragment, 'metadata', options)
    } finally {
      await target.fragment.close()
    }
  } else throw await wrongTarget(cx, 'metadata', target, 'a fragment, an array or a group')
}

/** `tile --hex`: the tile as stored, each filter's metadata, and its content. */
export async function tileHex(
  cx: CommandContext,
  fragment: Fragment,
  file: TileFile,
  tile: number,
  options: HexOptions,
): Promise<Outcome> {
  const space = await spaceOf(file.source)
  const part = await tilePart(fragment, file, space, tile, anatomist(cx))
  const role = `tile ${tile} of ${file.tileNum}`
  return hexOutcome(cx, { path: cx.shownPath(file.source.name), role, source: file.source, parts: [part] }, options)
}
