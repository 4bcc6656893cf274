import { addPlace, InspectError } from '../base/errors.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { type Describe, decodePrefix, trace } from '../format/io.ts'
import { chunkCount } from '../format/tile-chunks.ts'
import type { ValueStyle } from '../format/value.ts'
import { checkChunkNum, contentBound, mostElements, type ReadContext } from '../store/generic-tile.ts'
import { type ChunkParts, chunkParts } from './chunks.ts'
import { childList, type Part, type Space, unreadable } from './part.ts'
import { partOf, type Reading, tracedPart } from './spans.ts'

/** Context that the functions of this folder need. */
export interface Anatomist {
  cx: ReadContext
  style: ValueStyle
}

/** Makes a part of the unfiltered bytes of a generic tile, in a space of their own. */
export type ContentReader = (bytes: Uint8Array, space: Space, file: string) => Part

/** A {@link ContentReader} for one structure. */
export function contentOf<T>(
  describe: Describe<T>,
  style: ValueStyle,
  valueKnown?: (value: T) => Pick<Reading, 'typeOf' | 'namesOf' | 'refine'>,
): ContentReader {
  return (bytes, space, file) => tracedPart('content', describe, { space, bytes, base: 0, style }, file, valueKnown)
}

/** How many bytes are read to find a header; no header is longer. */
const HEADER_READ_BYTES = 4096

/**
 * The generic tile at `offset`, which ends before `end`: header, chunks, filters' metadata, and its content in a space of its
 * own. Only the header is read here; the rest is read when opened.
 */
export async function genericTilePart(
  name: string,
  space: Space,
  file: string,
  offset: number,
  end: number,
  content: ContentReader,
  by: Anatomist,
): Promise<Part> {
  const head = await space.read(offset, Math.min(end - offset, HEADER_READ_BYTES))
  const part: Part = { name, type: 'generic tile', space, offset, length: end - offset }
  let header: GenericTileHeader
  let headerLength: number
  try {
    const prefix = decodePrefix(head, genericTileHeader, { file, offset })
    header = prefix.value
    headerLength = prefix.length
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return {
      ...part,
      verdict: 'invalid',
      children: async () => childList(brokenHeader(space, offset, head, end, error, by)),
    }
  }
  const room = end - offset - headerLength
  const length = headerLength + Math.min(header.persisted_size, room)
  return {
    ...part,
    length,
    unfolds: header.tile_size,
    async children() {
      const stored = await space.read(offset + headerLength, length - headerLength)
      const truncated =
        header.persisted_size > room
          ? new InspectError('TRUNCATED', `expected ${header.persisted_size} bytes of tile, found ${room}`, {
              file,
              offset,
              field: 'persisted_size',
            })
          : undefined
      const body = await bodyParts(offset, space, file, offset + headerLength, stored, header, content, by)
      const verdicts = {
        persisted_size: truncated ? ('invalid' as const) : ('valid' as const),
        tile_size: body.total === header.tile_size ? ('valid' as const) : ('invalid' as const),
      }
      const top = headerPart(space, offset, head.subarray(0, headerLength), by, verdicts, truncated)
      return childList([top, ...body.parts], body.content)
    },
  }
}

function headerPart(
  space: Space,
  offset: number,
  bytes: Uint8Array,
  by: Anatomist,
  verdicts: Readonly<Record<string, 'valid' | 'invalid'>>,
  truncated: InspectError | undefined,
): Part {
  const { root } = trace(bytes, genericTileHeader, 'header', { offset })
  return partOf(
    root,
    {
      space,
      bytes,
      base: offset,
      style: by.style,
      refine(part, path) {
        if (path.length !== 1) return part
        const verdict = Object.hasOwn(verdicts, part.name) ? verdicts[part.name] : part.verdict
        const unit = part.name.endsWith('_size') ? 'bytes' : part.unit
        return { ...part, verdict, unit, fault: part.name === 'persisted_size' ? truncated : undefined }
      },
    },
    [],
  )
}

async function bodyParts(
  tileOffset: number,
  space: Space,
  file: string,
  offset: number,
  stored: Uint8Array,
  header: GenericTileHeader,
  content: ContentReader,
  by: Anatomist,
): Promise<Pick<ChunkParts, 'parts' | 'content' | 'total'>> {
  const { filters } = header.filters
  try {
    const pipeline = await Pipeline.load(
      filters,
      {
        datatype: header.datatype,
        cellSize: header.cell_size,
        formatVersion: header.format_version,
        key: by.cx.key,
        ...contentBound(stored.length, by.cx),
      },
      by.cx.codecs,
    )
    checkChunkNum(chunkCount(stored), header, by.cx)
    const found = chunkParts({
      space,
      file,
      offset,
      stored,
      pipeline,
      filters,
      cx: by.cx,
      style: by.style,
      what: `the generic tile at ${tileOffset}`,
      expectedSize: header.tile_size,
      inPlace: false,
      mostElements: mostElements(stored.length, by.cx),
      content: (bytes, place) => content(bytes, place.space, file),
    })
    if (header.encryption_type === 'AES_256_GCM') {
      by.cx.encrypted = true
      if (found.whole()) by.cx.keyProven = true
    }
    return found
  } catch (error) {
    const placed = addPlace(error, { file, offset })
    if (!(placed instanceof InspectError)) throw placed
    return { parts: [unreadable(space, offset, stored.length, placed)], content: undefined, total: undefined }
  }
}

function brokenHeader(
  space: Space,
  offset: number,
  head: Uint8Array,
  end: number,
  error: InspectError,
  by: Anatomist,
): Part[] {
  const { root } = trace(head, genericTileHeader, 'header', { offset })
  const top = partOf(root, { space, bytes: head, base: offset, style: by.style }, [])
  const at = offset + root.length
  return [...(root.length > 0 ? [top] : []), unreadable(space, at, end - at, error)]
}
