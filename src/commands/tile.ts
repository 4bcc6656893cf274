import { InspectError, usage } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import type { Output } from '../base/result.ts'
import { isStringOffsetsTile, TileFile, type TileRole } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import type { TileChunk, TileChunkStage, TileDocument, TileFilterMetadata } from '../documents/tile.ts'
import { hex } from '../filters/bytes.ts'
import type { Pipeline, StageResult } from '../filters/pipeline.ts'
import { stageMetadata } from '../filters/stage-metadata.ts'
import { decode } from '../format/io.ts'
import { CHUNK_HEAD_BYTES, type StoredChunk, tileChunks } from '../format/tile-chunks.ts'
import type { Fragment, FragmentInfo } from '../store/fragment.ts'
import { type CommandContext, type CommandModule, documentHead, type Outcome, oneFragment } from './command.ts'
import { addHexOptions, type HexOptions } from './hex-options.ts'

export interface TileOptions extends HexOptions {
  role?: TileRole
  bytes?: boolean
  stages?: string
  offset?: string
}

const ROLES = ['data', 'offsets', 'var', 'validity'] as const

export const command: CommandModule<TileOptions> = {
  about: 'With --hex or --bytes its content, with --stages what each filter made of it.',
  examples: [
    ['the chunks of a tile, and what each filter made of them', 'tile places/__1714 lat 2'],
    ['its unfiltered bytes into a file', 'tile places/__1714 lat 0 --bytes -o lat.bin'],
    ['the bytes at each stage, a file each', 'tile weather/__1714 temperature 0 --stages stages'],
  ],

  ownOutput: ({ bytes }) => bytes === true,

  configure(command) {
    command
      .argument('<fragment>', 'fragment, or array that has one')
      .argument('<field>', 'field, or the name of a data file (a0_var.tdb)')
      .argument('[index]', 'tile, counted from 0', '0')
      .option(
        '--role <role>',
        "which of a field's files: data, offsets, var or validity (a var-sized field means its values)",
      )
      .option('--offset <n>', 'the tile at this byte of a data file, without the metadata: for fragments that lost it')
      .option('--bytes', 'write the unfiltered bytes')
      .option('--stages <dir>', 'write the bytes at each stage into this folder, a file each')
    addHexOptions(command)
  },

  async *run(cx, [path, field, indexText], options) {
    const fragment = await oneFragment(cx, 'tile', await cx.open(path))
    if (options.offset !== undefined) {
      const { tileAtOffset } = await import('./tile-at-offset.ts')
      yield await tileAtOffset(cx, fragment, field, options.offset, options)
      return
    }
    const info = await fragment.info()
    const file = await openFile(fragment, info, field, options.role)
    try {
      const tile = tileIndex(indexText, info.tile_num)
      yield options.hex
        ? await (await import('./hex-sections.ts')).tileHex(cx, file, tile, options)
        : await tileOutcome(cx, fragment, info, file, tile, options)
    } finally {
      await file.close()
      await fragment.close()
    }
  },
}

function tileIndex(text: string, tileNum: number): number {
  const index = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(index < tileNum)) throw usage(`tile expects an index from 0 to ${tileNum - 1}, found ${JSON.stringify(text)}`)
  return index
}

async function openFile(
  fragment: Fragment,
  info: FragmentInfo,
  field: string,
  role: TileRole | undefined,
): Promise<TileFile> {
  if (role !== undefined && !ROLES.includes(role)) {
    throw usage(`--role expects ${ROLES.join(', ')}, found ${JSON.stringify(role)}`)
  }
  const files = await fragment.fieldFiles()
  const byName = files.find(({ name }) => name === field)
  const ofField = files.filter(({ slot }) => info.slots[slot].name === field)
  if (!byName && ofField.length === 0) {
    const names = [...new Set(files.map(({ slot }) => info.slots[slot].name))]
    const near = didYouMean(field, [...names, ...files.map(({ name }) => name)])
    const all = names.map((name) => JSON.stringify(name)).join(', ')
    throw usage(`expected a field (${all}) or one of its files, found ${JSON.stringify(field)}${near}`)
  }
  const wanted = byName ?? ofField.find((file) => tileRole(file) === (role ?? defaultRole(ofField.map(tileRole))))
  if (!wanted) {
    throw usage(`expected a role of ${field} (${ofField.map(tileRole).join(', ')}), found ${role}`)
  }
  return TileFile.open(fragment, wanted.slot, tileRole(wanted))
}

function defaultRole(roles: readonly TileRole[]): TileRole {
  return roles.includes('var') ? 'var' : 'data'
}

async function tileOutcome(
  cx: CommandContext,
  fragment: Fragment,
  info: FragmentInfo,
  file: TileFile,
  tile: number,
  options: TileOptions,
): Promise<Outcome> {
  const { offset, size } = file.place(tile)
  const stored = await file.stored(tile)
  const stringOffsets = await holdsStringOffsets(fragment, file, tile)
  const framed = decode(stored, tileChunks, { file: file.source.name, offset })
  const pipeline = await file.pipeline(stringOffsets)
  const expected = file.expectedSize(tile)
  const undone = undoneChunks(cx, pipeline, framed.chunks, stored, offset, file.source.name, expected)
  const document: TileDocument = {
    ...documentHead('tile', cx.shownPath(fragment.folder.path)),
    field: info.slots[file.slot].name,
    file: file.name,
    role: file.role,
    tile,
    tile_num: info.tile_num,
    cell_num: file.cells(tile),
    offset,
    size,
    unfiltered_size: undone.unfiltered_size,
    expected_size: expected,
    string_offsets: stringOffsets || undefined,
    chunks: undone.chunks,
    extra_size: framed.extra.length > 0 ? framed.extra.length : undefined,
  }
  return finished(cx, document, stored, undone, options)
}

/** The chunks of a tile in the form of documents, and their unfiltered bytes. */
export interface UndoneChunks {
  chunks: TileChunk[]
  parts: Uint8Array[]
  stageBytes: { filter: string; parts: Uint8Array[] }[]
  unfiltered_size: number
}

/**
 * Undoes the filters of each chunk. A chunk that fails is reported and shown with its error.
 * @param expected unfiltered bytes of the tile; chunks beyond it are not undone
 */
export function undoneChunks(
  cx: CommandContext,
  pipeline: Pipeline,
  stored: readonly StoredChunk[],
  bytes: Uint8Array,
  offset: number,
  file: string,
  expected?: number,
): UndoneChunks {
  const chunks: TileChunk[] = []
  const parts: Uint8Array[] = []
  const stageBytes: { filter: string; parts: Uint8Array[] }[] = []
  let unfiltered_size = 0
  let end = 0
  for (const [index, chunk] of stored.entries()) {
    const stages: StageResult[] = []
    const head = {
      offset: offset + (chunk.metadata.byteOffset - bytes.byteOffset) - CHUNK_HEAD_BYTES,
      original_length: chunk.original_length,
      filtered_length: chunk.data.length,
      metadata_length: chunk.metadata.length,
    }
    let error: InspectError | undefined
    end += chunk.original_length
    try {
      pipeline.refuseBeyond(end, expected, bytes.length)
      const out = pipeline.reverseChunkAt(bytes, offset, chunk, index, { onStage: (stage) => void stages.push(stage) })
      parts.push(out.data)
      unfiltered_size += out.data.length
    } catch (caught) {
      if (!(caught instanceof InspectError)) throw caught
      error = new InspectError(caught.code, caught.message, { ...caught.at, file }, { cause: caught })
      cx.fault(error)
    }
    stages.forEach(({ config, output }, i) => {
      stageBytes[i] ??= { filter: config.name, parts: [] }
      stageBytes[i].parts.push(output.data)
    })
    chunks.push({
      ...head,
      stages: stages.map(stageResult),
      error: error && { code: error.code, message: error.message },
    })
  }
  return { chunks, parts, stageBytes, unfiltered_size }
}

export async function finished(
  cx: CommandContext,
  document: TileDocument,
  stored: Uint8Array,
  { chunks, parts, stageBytes }: UndoneChunks,
  options: Pick<TileOptions, 'stages' | 'bytes'>,
): Promise<Outcome> {
  if (options.stages !== undefined) await writeStages(cx, options.stages, stored, stageBytes)
  if (options.bytes) return { document, bytes: parts, incomplete: parts.length < chunks.length, table: () => {} }
  return {
    document,
    async table(out: Output) {
      const { tileTable } = await import('../render/views/tile.ts')
      await tileTable(document, cx.full, out)
    },
  }
}

/** Whether a var tile holds its own offsets, according to the offsets tile; for an offsets file, whether its tile says so. */
async function holdsStringOffsets(fragment: Fragment, file: TileFile, tile: number): Promise<boolean> {
  if (file.role !== 'var' || file.cells(tile) === 0) return false
  const offsets = await TileFile.open(fragment, file.slot, 'offsets')
  try {
    return isStringOffsetsTile(await offsets.stored(tile))
  } finally {
    await offsets.close()
  }
}

function stageResult(stage: StageResult): TileChunkStage {
  return {
    filter: stage.config.name,
    metadata: withHex(stageMetadata(stage) ?? {}) as TileFilterMetadata,
    input_length: stage.input.metadata.length + stage.input.data.length,
    output_length: stage.output.metadata.length + stage.output.data.length,
  }
}

/** A described value, with short byte fields (digests, tags, window offsets) in hex. */
function withHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return hex(value)
  if (Array.isArray(value)) return value.map(withHex)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withHex(inner)]))
}

/** `00-stored.bin`, then the output of each filter as it was undone, in that order. */
async function writeStages(
  cx: CommandContext,
  folder: string,
  stored: Uint8Array,
  stages: { filter: string; parts: Uint8Array[] }[],
): Promise<void> {
  const { writeFiles } = await import('../node/file-output.ts')
  const files: [string, Uint8Array[]][] = [['00-stored.bin', [stored]]]
  stages.forEach(({ filter, parts }, i) => {
    files.push([`${String(i + 1).padStart(2, '0')}-after-${filter}.bin`, parts])
  })
  await cx.refuseReadPlace(folder, '--stages')
  for (const [name] of files) await cx.refuseReadPlace(`${folder}/${name}`, '--stages')
  await writeFiles(folder, files)
}
