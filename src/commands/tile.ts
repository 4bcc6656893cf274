import { usage } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { ROLES } from '../calls/choices.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { addHexOptions, type HexOptions } from '../calls/hex-options.ts'
import { parseChoice, parseTileIndex } from '../calls/option-values.ts'
import type { Outcome } from '../calls/outcome.ts'
import { SINGLE_FRAGMENT, singleFragment, targetsHelp } from '../calls/targets.ts'
import { placedChunks } from '../cells/large-tiles.ts'
import { holdsStringOffsets, TileFile, type TileRole } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import type { TileDocument } from '../documents/tile.ts'
import { decode } from '../format/io.ts'
import { CHUNK_COUNT_BYTES, CHUNK_HEAD_BYTES, tileChunks } from '../format/tile-chunks.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { asksForBytes, type BytesOptions, undoneOutcome } from './undone-tile.ts'

interface TileOptions extends HexOptions, BytesOptions {
  role?: string
  offset?: string
}

/** Default of the argument `index`. */
const FIRST_TILE = '0'

export const command: CommandModule<TileOptions> = {
  about: 'With --hex or --bytes it shows the content of the tile, with --stages what each filter made of it.',
  examples: [
    ['the chunks of a tile, and what each filter made of them', 'tile places/__1714 lat 2'],
    ['its unfiltered bytes into a file', 'tile places/__1714 lat 0 --bytes -o lat.bin'],
    ['the bytes at each stage, a file each', 'tile weather/__1714 temperature 0 --stages stages'],
  ],

  ownOutput: ({ bytes }) => bytes === true,

  takes: SINGLE_FRAGMENT,

  configure(command) {
    command
      .argument('<fragment>', targetsHelp(SINGLE_FRAGMENT))
      .argument('<field>', 'field, or the name of a data file (a0_var.tdb)')
      .argument('[index]', 'tile, counted from 0', FIRST_TILE)
      .option(
        '--role <role>',
        'which file of the field: data, offsets, var or validity (of a var-sized field by default its values)',
      )
      .option(
        '--offset <n>',
        'show the tile at this byte of a data file, without the metadata: for fragments that lost it',
      )
      .option('--bytes', 'write the unfiltered bytes')
      .option('--stages <dir>', 'write the bytes after each filter into this folder, a file each')
    addHexOptions(command)
  },

  async *run(cx, [path, field, indexText = FIRST_TILE], options) {
    refuseBeside(options, indexText)
    const fragment = await singleFragment(cx, 'tile', await cx.open(path))
    if (options.offset !== undefined) {
      const { tileAtOffset } = await import('./tile-at-offset.ts')
      yield await tileAtOffset(cx, fragment, field, options.offset, options)
      return
    }
    const info = await fragment.info()
    const file = await openFile(fragment, info, field, parseChoice('--role', ROLES, options.role))
    try {
      const tile = parseTileIndex(indexText, info.tile_num)
      yield options.hex
        ? await (await import('../calls/hex.ts')).tileHex(cx, file, tile, options)
        : await tileOutcome(cx, file, tile, options)
    } finally {
      await file.close()
      await fragment.close()
    }
  },
}

/** Refuses options that have no effect beside each other. */
function refuseBeside({ hex, bytes, stages, offset, role }: TileOptions, index: string): void {
  if (hex && (bytes || stages !== undefined))
    throw usage(`tile expects --hex or ${bytes ? '--bytes' : '--stages'}, found both`)
  if (offset === undefined) return
  const others = [hex && '--hex', role !== undefined && '--role', index !== FIRST_TILE && 'an index']
  const other = others.find(Boolean)
  if (other) throw usage(`tile expects --offset or ${other}, found both`)
}

/** Opens a data file of a field. @param field name of the field, or of the file @throws InspectError USAGE */
async function openFile(
  fragment: Fragment,
  info: FragmentInfo,
  field: string,
  role: TileRole | undefined,
): Promise<TileFile> {
  const files = await fragment.fieldFiles()
  const byName = files.find(({ name }) => name === field)
  const ofField = files.filter(({ slot }) => info.slots[slot].name === field)
  if (!byName && ofField.length === 0) {
    const names = [...new Set(files.map(({ slot }) => info.slots[slot].name))]
    const near = didYouMean(field, [...names, ...files.map(({ name }) => name)])
    const all = names.map((name) => JSON.stringify(name)).join(', ')
    throw usage({ expected: `a field (${all}) or one of its files`, found: `${JSON.stringify(field)}${near}` })
  }
  const wanted = byName ?? ofField.find((file) => tileRole(file) === (role ?? defaultRole(ofField.map(tileRole))))
  if (!wanted) {
    throw usage({ expected: `a role of ${field} (${ofField.map(tileRole).join(', ')})`, found: String(role) })
  }
  return TileFile.open(fragment, wanted.slot, tileRole(wanted))
}

function defaultRole(roles: readonly TileRole[]): TileRole {
  return roles.includes('var') ? 'var' : 'data'
}

/** What the command shows of a tile whose place the metadata tells. */
async function tileOutcome(cx: CommandContext, file: TileFile, tile: number, options: TileOptions): Promise<Outcome> {
  const { fragment, info, slot, name, role, source } = file
  const { offset, size } = file.place(tile)
  // A large tile is not held in memory unless its bytes are asked for.
  const stored = file.isLarge(tile) && !asksForBytes(options) ? undefined : await file.stored(tile)
  const stringOffsets = await holdsStringOffsets(file, tile)
  const chunks = stored
    ? placedChunks(decode(stored, tileChunks, { file: source.name, offset }).chunks, stored, offset)
    : file.chunks(tile)
  const pipeline = await file.pipeline(stringOffsets)
  const expected = file.expectedSize(tile)
  const found = { pipeline, chunks, size, stored, file: source.name, expected }
  return undoneOutcome(cx, found, options, (undone) => ({
    ...documentHead('tile', cx.shownPath(fragment.folder.path)),
    field: info.slots[slot].name,
    file: name,
    role,
    tile,
    tile_num: info.tile_num,
    cell_num: file.cells(tile),
    offset,
    size,
    unfiltered_size: undone.unfiltered_size,
    expected_size: expected,
    string_offsets: stringOffsets || undefined,
    chunks: undone.chunks,
    extra_size: extraSize(undone.chunks, offset, size),
  }))
}

/** Stored bytes after the last chunk of a tile; undefined if there are none. */
function extraSize(chunks: TileDocument['chunks'], offset: number, size: number): number | undefined {
  const last = chunks.at(-1)
  const end = last
    ? last.offset + CHUNK_HEAD_BYTES + last.metadata_length + last.filtered_length
    : offset + CHUNK_COUNT_BYTES
  return end < offset + size ? offset + size - end : undefined
}
