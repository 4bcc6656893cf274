import { InspectError, usage } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import { placedChunks } from '../cells/large-tiles.ts'
import { tileDatatypes } from '../cells/slot-type.ts'
import type { TileRole } from '../cells/tile-files.ts'
import { cellSizeIn, tileRole } from '../cells/tile-places.ts'
import { Pipeline } from '../filters/pipeline.ts'
import { keepsOffsets } from '../filters/registry.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { fieldFileName, fieldFileRoles } from '../format/field-files.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import { fragmentSlots, type Slot } from '../format/fragment-slots.ts'
import { decodePrefix } from '../format/io.ts'
import { chunkedTile, type StoredChunk } from '../format/tile-chunks.ts'
import { type Fragment, filePipeline } from '../objects/fragment.ts'
import { roomOf } from '../objects/read-context.ts'
import { type ByteSource, withSource } from '../storage/source.ts'
import { type BytesOptions, undoneOutcome } from './undone-tile.ts'

/** The field of a data file, found by the file's name. */
interface FieldOfFile {
  schema: ArraySchema
  slot: Slot
  role: TileRole
}

/**
 * Shows the tile that begins at a byte of a data file, without the fragment's metadata. The chunks themselves say where the
 * tile ends. The filters come from the array's newest schema, and the format version from the folder's name.
 *
 * @throws InspectError USAGE if the offset is not a number or not in the file; TRUNCATED if no tile begins there
 */
export async function tileAtOffset(
  cx: CommandContext,
  fragment: Fragment,
  name: string,
  text: string,
  options: BytesOptions,
): Promise<Outcome> {
  const fileName = name.endsWith('.tdb') ? name : `${name}.tdb`
  if (fileName.includes('/')) throw usage({ expected: 'the name of a data file', found: JSON.stringify(name) })
  // Only the metadata says which field a file belongs to.
  if (fileName !== name && (await fragment.folder.kind(fileName)) === undefined)
    throw usage(
      `--offset expects the name of a data file in place of a field, as a0.tdb, found ${JSON.stringify(name)}`,
    )
  return withSource(fragment.folder.file(fileName), async (source) => {
    const size = await source.size()
    if (size === 0) throw usage({ expected: 'a file with bytes', found: 'an empty file' }, { file: source.name })
    const offset = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(offset < size)) throw usage(`--offset expects a byte from 0 to ${size - 1}, found ${JSON.stringify(text)}`)
    const { chunks, stored } = await readChunks(source, offset, size)
    const { length } = stored
    const field = await fieldOf(fragment, fileName)
    const pipeline = await pipelineFor(fragment, field, chunks.length > 0)
    const found = { pipeline, chunks: placedChunks(chunks, stored, offset), size: length, stored, file: source.name }
    return undoneOutcome(cx, found, options, (undone) => ({
      ...documentHead('tile', cx.shownPath(fragment.folder.path)),
      field: field?.slot.name ?? fileName,
      file: fileName,
      role: field?.role,
      offset,
      size: length,
      next_offset: offset + length < size ? offset + length : null,
      unfiltered_size: undone.unfiltered_size,
      chunks: undone.chunks,
    }))
  })
}

/** Bytes of the first read of a tile whose length is not known. */
const FIRST_READ = 2 ** 20

/** Reads the chunks of a tile. Each try reads four times as much, until the chunks are complete. */
async function readChunks(
  source: ByteSource,
  offset: number,
  size: number,
): Promise<{ chunks: StoredChunk[]; stored: Uint8Array }> {
  for (let length = FIRST_READ; ; length *= 4) {
    const bytes = await source.read(offset, Math.min(length, size - offset))
    try {
      const { value, length: used } = decodePrefix(bytes, chunkedTile, { file: source.name, offset })
      return { chunks: value.chunks, stored: bytes.subarray(0, used) }
    } catch (error) {
      const hasMore = error instanceof InspectError && error.code === 'TRUNCATED' && offset + bytes.length < size
      if (!hasMore) throw error
    }
  }
}

function versionOf({ parsedName }: Fragment): number {
  return parsedName?.least_version ?? NEWEST_FORMAT_VERSION
}

/** The field of a data file; undefined outside an array. @throws InspectError USAGE if no field has such a file */
async function fieldOf(fragment: Fragment, fileName: string): Promise<FieldOfFile | undefined> {
  if (!fragment.array) return undefined
  const version = versionOf(fragment)
  const { schema } = await fragment.array.newestSchema()
  const slots = fragmentSlots(version, schema, { includes_timestamps: true, includes_delete_metadata: true })
  for (const slot of slots) {
    const role = fieldFileRoles(slot).find((one) => fieldFileName(version, slot, one) === fileName)
    if (role) return { schema, slot, role: tileRole({ role }) }
  }
  throw usage({ expected: 'a data file of a field of the array', found: JSON.stringify(fileName) })
}

function pipelineFor(fragment: Fragment, field: FieldOfFile | undefined, holdsChunks: boolean): Promise<Pipeline> {
  const { codecs, key } = fragment.cx
  const room = roomOf(fragment.cx)
  const formatVersion = versionOf(fragment)
  // Outside an array the filters are not known. Chunks are then shown as stored.
  if (!field) return Pipeline.load([], { datatype: 'UINT8', cellSize: 1, formatVersion, ...room }, codecs)
  const { schema, slot, role } = field
  const filters = filePipeline({ schema, slots: [slot] }, { slot: 0, role }, fragment.cx.encrypted)
  const owner = { schema, format_version: formatVersion, dense: schema.array_type === 'dense' }
  const tile = {
    ...tileDatatypes(owner, slot, role),
    cellSize: cellSizeIn(slot, role),
    formatVersion,
    key,
    stringOffsets:
      role === 'var' && holdsChunks && filters.length > 0 && keepsOffsets(filters[0], slot.type, formatVersion),
    ...room,
  }
  return Pipeline.load(filters, tile, codecs)
}
