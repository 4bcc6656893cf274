import { faultOf, InspectError } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { messageOf } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { PlacedChunk } from '../cells/large-tiles.ts'
import type { TileChunk, TileChunkStage, TileDocument, TileFilterMetadata } from '../documents/tile.ts'
import { hex } from '../filters/bytes.ts'
import type { Pipeline, StageResult } from '../filters/pipeline.ts'
import { stageMetadata } from '../filters/stage-metadata.ts'
import { CHUNK_HEAD_BYTES } from '../format/tile-chunks.ts'

/** Options that ask for the bytes of a tile. */
export interface BytesOptions {
  bytes?: boolean
  stages?: string
}
/** Whether the options ask for the bytes of the whole tile. */
export function asksForBytes({ bytes, stages }: BytesOptions): boolean {
  return bytes === true || stages !== undefined
}

/** A tile as stored, with what is needed to undo its filters. */
interface StoredTile {
  pipeline: Pipeline
  chunks: Iterable<PlacedChunk> | AsyncIterable<PlacedChunk>
  /** Stored bytes of the tile. */
  size: number
  /** The same as bytes; undefined for a tile that is read chunk by chunk, because nobody asks for bytes. */
  stored: Uint8Array | undefined
  file: string
  /** Unfiltered bytes of the tile according to the metadata. Chunks beyond them are not undone. */
  expected?: number | undefined
}

/** Undoes the filters of each chunk. If that fails, the error is reported, and shown with the chunk. */
export async function undoneOutcome(
  cx: CommandContext,
  { pipeline, chunks: storedChunks, size, stored, file, expected }: StoredTile,
  options: BytesOptions,
  documentOf: (undone: Pick<TileDocument, 'unfiltered_size' | 'chunks'>) => TileDocument,
): Promise<Outcome> {
  const chunks: TileChunk[] = []
  const bytes: Uint8Array[] = []
  const stageBytes: { filter: string; parts: Uint8Array[] }[] = []
  const isKept = asksForBytes(options)
  let unfiltered_size = 0
  let undone = 0
  let end = 0
  for await (const { chunk, index, offset } of storedChunks) {
    const { original_length, metadata, data } = chunk
    const stages: StageResult[] = []
    let error: InspectError | undefined
    end += original_length
    try {
      pipeline.refuseClaim(chunk)
      pipeline.refuseBeyond(end, expected, size)
      if (isKept) pipeline.refuseLarger(end)
      const out = pipeline.undoAt(offset, chunk, index, { onStage: (stage) => void stages.push(stage) })
      if (options.bytes) bytes.push(out.data)
      undone++
      unfiltered_size += out.data.length
    } catch (caught) {
      const { code, fault, at } = faultOf(caught)
      error = new InspectError(code, fault, { ...at, file }, { cause: caught })
      cx.fault(error)
    }
    if (options.stages !== undefined)
      stages.forEach(({ config, output }, i) => {
        stageBytes[i] ??= { filter: config.name, parts: [] }
        stageBytes[i].parts.push(output.data)
      })
    chunks.push({
      offset: offset - CHUNK_HEAD_BYTES,
      original_length,
      filtered_length: data.length,
      metadata_length: metadata.length,
      stages: stages.map(stageResult),
      error: error && { code: error.code, message: messageOf(cx, error) },
    })
  }
  const document = documentOf({ chunks, unfiltered_size })
  if (options.stages !== undefined && stored) await writeStages(cx, options.stages, stored, stageBytes)
  if (options.bytes) return { kind: 'bytes', bytes, incomplete: undone < chunks.length }
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/tile.ts')).tileTable(document, out),
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

/** A value with all bytes in it as hex. The bytes in metadata of filters are short: digests, tags and window offsets. */
function withHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return hex(value)
  if (Array.isArray(value)) return value.map(withHex)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withHex(inner)]))
}

/** Writes `00-stored.bin`, and a file for the output of each filter, in the order in which the filters are undone. */
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
