import { addPlace, faultOf, InspectError } from '../base/errors.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { type Describe, decodePrefix, trace } from '../format/io.ts'
import { chunkCount } from '../format/tile-chunks.ts'
import {
  checkChunkNum,
  contentBound,
  GENERIC_TILE_HEADER_BYTES,
  mostElements,
  TILE_OF_BYTES,
} from '../objects/generic-tile.ts'
import { type ChunkParts, chunkParts } from './chunks.ts'
import { childList, type Part, type Space, unreadable } from './part.ts'
import { partOf, type StructureFacts, tracedPart } from './spans.ts'

/** Makes a part of the unfiltered bytes of a generic tile. Their offsets count in a {@link Space} of their own. */
export type ContentReader = (bytes: Uint8Array, space: Space) => Part

/** A {@link ContentReader} for one structure. */
export function contentOf<T>(describe: Describe<T>, known?: (value: T) => StructureFacts): ContentReader {
  return (bytes, space) => tracedPart('content', describe, { space, bytes, base: 0 }, known)
}

/** Reads the header of the generic tile at an offset. @throws InspectError if there is none */
export async function headerAt(
  space: Space,
  offset: number,
  end: number,
): Promise<{ header: GenericTileHeader; headerLength: number }> {
  const bytes = await headerBytes(space, offset, end)
  const { value, length } = decodePrefix(bytes, genericTileHeader, { file: space.file, offset })
  return { header: value, headerLength: length }
}

function headerBytes(space: Space, offset: number, end: number): Promise<Uint8Array> {
  return space.read(offset, Math.min(end - offset, GENERIC_TILE_HEADER_BYTES))
}

/**
 * Makes the part of a generic tile: its header, its chunks with the metadata of filters, and its content in a space of its own.
 * Reads only the header; the rest is read when the part is opened.
 * @param end limit of the tile in the space
 */
export async function genericTilePart(
  name: string,
  space: Space,
  offset: number,
  end: number,
  content: ContentReader,
): Promise<Part> {
  const part: Part = { name, type: 'generic tile', space, offset, length: end - offset }
  const found = await headerAt(space, offset, end).catch(faultOf)
  if (found instanceof InspectError)
    return { ...part, verdict: 'invalid', children: async () => childList(await brokenHeader(part, found)) }
  const { header, headerLength } = found
  const { persisted_size, tile_size } = header
  const at = offset + headerLength
  const room = end - at
  const length = Math.min(persisted_size, room)
  const tooShort = { expected: `${persisted_size} bytes of tile`, found: room }
  const truncated =
    persisted_size > room
      ? new InspectError('TRUNCATED', tooShort, { file: space.file, offset, field: 'persisted_size' })
      : undefined
  return {
    ...part,
    length: headerLength + length,
    claimedSize: tile_size,
    async children() {
      const body = await bodyParts(part, at, await space.read(at, length), header, content)
      const refine: StructureFacts['refine'] = (field) => {
        if (field.name === 'persisted_size')
          return { ...field, verdict: truncated ? 'invalid' : 'valid', fault: truncated }
        if (field.name !== 'tile_size') return field
        return { ...field, verdict: body.total === tile_size ? 'valid' : 'invalid' }
      }
      const bytes = await space.read(offset, headerLength)
      const top = tracedPart('header', genericTileHeader, { space, bytes, base: offset }, () => ({ refine }))
      return childList([top, ...body.parts], body.content)
    },
  }
}

async function bodyParts(
  { space, offset: tileOffset }: Part,
  offset: number,
  stored: Uint8Array,
  header: GenericTileHeader,
  content: ContentReader,
): Promise<Pick<ChunkParts, 'parts' | 'content' | 'total'>> {
  const { reading, file } = space
  const { format_version: formatVersion } = header
  const { filters } = header.filters
  try {
    const tile = { ...TILE_OF_BYTES, formatVersion, key: reading.key, ...contentBound(stored.length, reading) }
    const pipeline = await Pipeline.load(filters, tile, reading.codecs)
    checkChunkNum(chunkCount(stored), header, reading)
    const found = chunkParts({
      space,
      offset,
      stored,
      pipeline,
      filters,
      what: `the generic tile at ${tileOffset}`,
      expectedSize: header.tile_size,
      inPlace: false,
      mostElements: mostElements(stored.length, reading),
      content: (bytes, place) => content(bytes, place.space),
    })
    if (header.encryption_type === 'AES_256_GCM') {
      reading.encrypted = true
      if (found.isWhole()) reading.keyProven = true
    }
    return found
  } catch (error) {
    const fault = faultOf(addPlace(error, { file, offset }))
    return { parts: [unreadable(space, offset, stored.length, fault)], content: undefined, total: undefined }
  }
}

/** The readable fields of a damaged header, and the rest of the tile. */
async function brokenHeader({ space, offset, length }: Part, error: InspectError): Promise<Part[]> {
  const bytes = await headerBytes(space, offset, offset + length)
  const { root } = trace(bytes, genericTileHeader, 'header', { offset })
  const top = partOf(root, { space, bytes, base: offset }, [])
  const rest = unreadable(space, offset + root.length, length - root.length, error)
  return root.length > 0 ? [top, rest] : [rest]
}
