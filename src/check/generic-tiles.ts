import { isElementSize } from '../filters/elements.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { type Describe, decodePrefix } from '../format/io.ts'
import {
  contentSpace,
  decodeTile,
  isReadByNumber,
  type OddCompressor,
  oddCompressor,
  openGenericTile,
  readStored,
} from '../objects/generic-tile.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { type Folder, withSource } from '../storage/source.ts'
import type { FindingCode, FindingState, VariantOf } from './codes.ts'
import { type Finding, type FindingPlace, finding, fromError, guardedValue, type Items } from './finding.ts'
import type { CheckRun } from './run.ts'

/**
 * Compares a generic tile's header with what TileDB writes.
 * @param unread the finding if TileDB cannot read the tile: a code, and a variant of it that tells more than `compressor`.
 *   `isReadByNumber` if the bytes are of the compressor that the options name, and not of the filter
 */
export function* headerFindings(
  header: GenericTileHeader,
  place: FindingPlace,
  unread: Pick<FindingState, 'code' | 'variant'> & { isReadByNumber?: boolean | undefined },
): Generator<Finding> {
  const wrong = (
    field: string,
    expected: string | number,
    found: string | number | bigint,
    variant?: VariantOf<'GENERIC_TILE_HEADER'>,
  ): Finding => finding('GENERIC_TILE_HEADER', { ...place, field }, expected, found, variant)
  const { format_version } = header
  if (format_version < 1 || format_version > NEWEST_FORMAT_VERSION)
    yield wrong('format_version', `1 to ${NEWEST_FORMAT_VERSION}`, format_version)
  if (header.datatype !== 'CHAR') yield wrong('datatype', 'CHAR', header.datatype)
  if (header.cell_size !== 1n) yield wrong('cell_size', 1, header.cell_size)
  const { after_filters: rest } = header
  if (rest) yield wrong('filter_pipeline_length', 'the length of the filters', `${rest.length} more bytes`)
  const aes = header.filters.filters.some(({ name }) => name === 'AES_256_GCM')
  if (aes !== (header.encryption_type === 'AES_256_GCM')) {
    const expected = aes ? 'AES_256_GCM, as its filters say' : 'NO_ENCRYPTION'
    yield wrong('encryption_type', expected, header.encryption_type, 'refused')
  }
  const odd = oddCompressor(header)
  if (odd && unread.isReadByNumber)
    yield wrong(`${odd.name}.compressor`, `the number of ${odd.name}`, odd.compressor, 'compressor')
  else if (odd) yield oddCompressorFinding(odd, place, unread)
  for (const filter of header.filters.filters) {
    yield* filterFindings(filter, place, false)
    if (filter.name.startsWith('UNKNOWN_')) yield* unknownFilter(filter.name, place, unread)
  }
}

/** A filter of a tile that TileDB does not have. Of a schema it keeps TileDB from opening the array, of another file only from reading that. */
function* unknownFilter(
  name: string,
  place: FindingPlace,
  { code, variant }: Pick<FindingState, 'code' | 'variant'>,
): Generator<Finding> {
  const at = { ...place, field: name }
  const expected = 'a filter of some release'
  if (code === 'SCHEMA_UNREADABLE') yield finding('SCHEMA_FILTER_UNKNOWN', at, expected, name)
  else yield finding(code, at, expected, name, variant as VariantOf<typeof code> | undefined)
}

/**
 * The finding for a tile whose compressor TileDB takes for another one. Of a schema nothing is lost, as it can be written again.
 * @param unread as in {@link headerFindings}
 */
export function oddCompressorFinding(
  { name, compressor }: OddCompressor,
  place: FindingPlace,
  { code, variant }: Pick<FindingState, 'code' | 'variant'>,
): Finding {
  const at = { ...place, field: `${name}.compressor` }
  const expected = `the number of ${name}`
  if (code === 'SCHEMA_UNREADABLE') return finding('SCHEMA_FILTER_COMPRESSOR', at, expected, compressor, 'tile')
  return finding(code, at, expected, compressor, (variant ?? 'compressor') as VariantOf<typeof code>)
}

/**
 * Reports an unencrypted tile in an encrypted array: TileDB opens the array with a key, and refuses this tile. Skips schemas, which
 * {@link CheckedSchemas} compares with one another.
 */
export function* checkEncrypted(
  { encryption_type }: GenericTileHeader,
  cx: ReadContext,
  code: FindingCode,
  place: FindingPlace,
): Generator<Finding> {
  if (!cx.encrypted || encryption_type !== 'NO_ENCRYPTION' || code === 'SCHEMA_UNREADABLE') return
  yield finding(code, { ...place, field: 'encryption_type' }, 'AES_256_GCM as in other files', encryption_type)
}

/** Checks the options of a filter, but the number of a compressor. @param inSchema whether it is a filter of data, and not of the generic tile itself */
export function* filterFindings(filter: FilterConfig, place: FindingPlace, inSchema: boolean): Generator<Finding> {
  const { name, options_length, byte_width, max_window_size, scale, quality } = filter
  const field = place.field === undefined ? name : `${place.field}.${name}`
  const wrong = (
    option: string,
    expected: string,
    found: string | number,
    variant?: VariantOf<'SCHEMA_FILTER_OPTIONS'>,
  ): Finding => {
    const at = { ...place, field: `${field}.${option}` }
    return finding('SCHEMA_FILTER_OPTIONS', at, expected, found, inSchema ? variant : undefined)
  }
  if (inSchema && name.startsWith('UNKNOWN_'))
    yield finding('SCHEMA_FILTER_UNKNOWN', { ...place, field }, 'a filter of some release', name)
  if (options_length !== undefined) yield wrong('options_length', 'the length of its options', options_length, 'length')
  if (byte_width !== undefined && !isElementSize(byte_width))
    yield wrong('byte_width', '1, 2, 4 or 8', byte_width, 'byteWidth')
  if (max_window_size === 0) yield wrong('max_window_size', '1 or more bytes', 0)
  if (scale !== undefined && (scale === 0 || !Number.isFinite(scale)))
    yield wrong('scale', 'a finite number other than 0', scale)
  if (quality !== undefined && !(quality >= 0 && quality <= 100)) yield wrong('quality', '0 to 100', quality)
}

/** The content of a generic tile: the value, and the bytes that it was read from. */
interface Content<T> {
  value: T
  payload: Uint8Array
}

/**
 * Checks the header of a generic tile that must fill `bytes`, and reads its content.
 * @param code code of the finding if the tile cannot be read; the result is then undefined
 */
export async function* checkedTile<T>(
  bytes: Uint8Array,
  describe: Describe<T>,
  cx: ReadContext,
  place: { file: string; offset: number },
  code: FindingCode,
): Items<Content<T> | undefined> {
  try {
    const { value: header } = decodePrefix(bytes, genericTileHeader, place)
    const isByNumber = oddCompressor(header) !== undefined && (await isReadByNumber(bytes, cx, place))
    yield* headerFindings(header, place, { code, isReadByNumber: isByNumber })
    yield* checkEncrypted(header, cx, code, place)
    const tile = await openGenericTile(bytes, cx, place)
    const { payload, length } = tile
    if (length < bytes.length) {
      const at = { ...place, offset: place.offset + length, field: 'persisted_size' }
      const found = `${bytes.length - length} more bytes`
      yield finding('GENERIC_TILE_HEADER', at, 'the end of the file after the tile', found)
    }
    const odd: Finding[] = []
    const value = decodeTile(tile, describe, place, (field, stored, offset) => {
      const at = { file: place.file, offset, field, space: contentSpace(place.offset) }
      odd.push(finding('FLAG_VALUE', at, '0 or 1', stored))
    })
    yield* odd
    return { value, payload }
  } catch (error) {
    yield fromError(error, code, place)
    return undefined
  }
}

/** {@link checkedTile} for a file that is a single generic tile. */
export async function* checkedTileFile<T>(
  run: CheckRun,
  cx: ReadContext,
  { folder, path, describe, code }: { folder: Folder; path: string; describe: Describe<T>; code: FindingCode },
): Items<Content<T> | undefined> {
  const file = `${folder.path}/${path}`
  run.counts.file_num++
  const bytes = yield* guardedValue(code, { file }, () =>
    withSource(folder.file(path), (source) => readStored(source, cx)),
  )
  return bytes && (yield* checkedTile(bytes, describe, cx, { file, offset: 0 }, code))
}

/** Checks a file that TileDB always creates empty. */
export async function* checkEmpty(run: CheckRun, folder: Folder, path: string, code: FindingCode): Items {
  run.counts.file_num++
  const file = `${folder.path}/${path}`
  const size = yield* guardedValue(code, { file }, () => withSource(folder.file(path), (source) => source.size()))
  if (size) yield finding(code, { file, offset: 0 }, 'an empty file', `${size} bytes`)
}
