import { tilePart } from '../anatomy/data-file.ts'
import { metadataParts } from '../anatomy/fragment-metadata.ts'
import { fileSpace } from '../anatomy/part.ts'
import type { TileFile } from '../cells/tile-files.ts'
import type { Fragment } from '../store/fragment.ts'
import type { Target } from '../store/target.ts'
import { type CommandContext, type Outcome, wrongTarget } from './command.ts'
import { fileOutcome, hexOutcome } from './hex.ts'
import type { HexOptions } from './hex-options.ts'

/** `--hex` for commands that show a part of a fragment's metadata. */
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

/** `--hex` for whole files: a schema, or the files of key-value metadata. */
export async function* fileHex(cx: CommandContext, path: string, options: HexOptions): AsyncGenerator<Outcome> {
  const target = await cx.open(path)
  if (target.type !== 'file') throw await wrongTarget(cx, '--hex', target, 'a file')
  yield* fileOutcome(cx, target, options)
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
export async function tileHex(cx: CommandContext, file: TileFile, tile: number, options: HexOptions): Promise<Outcome> {
  const space = await fileSpace(file.source, cx)
  return hexOutcome(cx, `tile ${tile} of ${file.tileNum}`, space, [tilePart(file, space, tile)], options)
}
