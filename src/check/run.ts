import { isElementSize } from '../filters/elements.ts'
import { type FilterConfig, WEBP_PADDING_BYTES } from '../format/filter-pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { type Describe, decode, decodePrefix } from '../format/io.ts'
import { type Folder, readAll, withSource } from '../source/source.ts'
import { openGenericTile, type ReadContext } from '../store/generic-tile.ts'
import { isFirst, type Shard } from '../store/shard.ts'
import type { FindingCode } from './codes.ts'
import { type Finding, finding, fromError, type Item, type Items, type Level, type Place } from './finding.ts'

/** The options of one check, and the counts of what it has examined so far. */
export interface CheckRun {
  readonly level: Level
  /** Also checks uncommitted fragments, and schemas that no fragment uses. */
  readonly all: boolean
  /** Checks one part of the fragments. The first part also contains everything outside fragments. */
  readonly shard: Shard | undefined
  /** Whether data files become units of work, for several threads. */
  readonly shared?: boolean
  /** Number of arrays, groups and fragments that are checked at once, this one included. They share the memory. */
  readonly concurrency: number
  readonly counts: { fragment_num: number; file_num: number; tile_num: number; chunk_num: number; cell_num: number }
}

export function newRun(level: Level, all: boolean, shard?: Shard): CheckRun {
  return {
    level,
    all,
    shard,
    concurrency: 1,
    counts: { fragment_num: 0, file_num: 0, tile_num: 0, chunk_num: 0, cell_num: 0 },
  }
}

/**
 * Items about what is outside fragments: only the first shard gives them. The other shards run the same check silently, for
 * what it learns.
 */
export async function* ofFirstShard(run: CheckRun, items: Items): Items {
  if (isFirst(run.shard)) {
    yield* items
    return
  }
  for await (const _ of items) {
    // The first shard reports these.
  }
}

/** The run for what is outside fragments. Shards other than the first do not count it. */
export function firstShardRun(run: CheckRun): CheckRun {
  return isFirst(run.shard) ? run : newRun(run.level, run.all, run.shard)
}

/** Whether the run's level includes another level. */
export function reaches(run: CheckRun, level: Exclude<Level, 'structure'>): boolean {
  return run.level === 'cells' || run.level === level
}

/** Compares a generic tile's header with what TileDB writes. */
export function headerFindings(header: GenericTileHeader, place: Place): Finding[] {
  const findings: Finding[] = []
  const wrong = (field: string, expected: string | number, found: string | number): void => {
    findings.push(finding('GENERIC_TILE_HEADER', { ...place, field }, expected, found))
  }
  if (header.datatype !== 'CHAR') wrong('datatype', 'CHAR', header.datatype)
  if (header.cell_size !== 1) wrong('cell_size', 1, header.cell_size)
  const aes = header.filters.filters.some(({ name }) => name === 'AES_256_GCM')
  const encrypted = header.encryption_type === 'AES_256_GCM'
  if (aes !== encrypted) {
    wrong('encryption_type', aes ? 'AES_256_GCM, as its filters say' : 'NO_ENCRYPTION', header.encryption_type)
  }
  for (const filter of header.filters.filters) findings.push(...filterFindings(filter, place))
  return findings
}

/**
 * Finds a plain tile among encrypted ones. TileDB refuses one or the other, with a key or without. Schemas are compared with
 * one another.
 */
export function* plainAmongEncrypted(
  { encryption_type }: GenericTileHeader,
  cx: ReadContext,
  code: FindingCode,
  place: Place,
): Generator<Finding> {
  if (!cx.encrypted || encryption_type !== 'NO_ENCRYPTION' || code === 'SCHEMA_UNREADABLE') return
  yield finding(code, { ...place, field: 'encryption_type' }, 'AES_256_GCM as in other files', encryption_type)
}

/** Finds options of a filter that contradict each other. */
export function filterFindings(filter: FilterConfig, place: Place): Finding[] {
  const findings: Finding[] = []
  const field = place.field === undefined ? filter.name : `${place.field}.${filter.name}`
  const at = (name: string): Place => ({ ...place, field: `${field}.${name}` })
  if (filter.name.startsWith('UNKNOWN_')) {
    findings.push(finding('SCHEMA_FILTER_UNKNOWN', { ...place, field }, 'a filter of some release', filter.name))
  }
  if (filter.compressor !== undefined) {
    findings.push(
      finding('SCHEMA_FILTER_COMPRESSOR', at('compressor'), `the number of ${filter.name}`, filter.compressor),
    )
  }
  const options = (name: string, expected: string, found: string | number): void => {
    findings.push(finding('SCHEMA_FILTER_OPTIONS', at(name), expected, found))
  }
  if (filter.extra && (filter.name !== 'WEBP' || filter.extra.length !== WEBP_PADDING_BYTES)) {
    options('extra', 'no more options', `${filter.extra.length} more bytes`)
  }
  if (filter.byte_width !== undefined && !isElementSize(filter.byte_width)) {
    options('byte_width', '1, 2, 4 or 8', filter.byte_width)
  }
  if (filter.max_window_size === 0) options('max_window_size', '1 or more bytes', 0)
  if (filter.scale !== undefined && (filter.scale === 0 || !Number.isFinite(filter.scale))) {
    options('scale', 'a finite number other than 0', filter.scale)
  }
  if (filter.quality !== undefined && !(filter.quality >= 0 && filter.quality <= 100)) {
    options('quality', '0 to 100', filter.quality)
  }
  return findings
}

/**
 * Opens a generic tile that must fill `bytes`, checks its header, and reads its payload.
 * @returns the value and the payload's length; undefined if it cannot be read, and `items` then says why
 */
export async function checkedTile<T>(
  bytes: Uint8Array,
  describe: Describe<T>,
  cx: ReadContext,
  place: { file: string; offset: number },
  code: FindingCode,
  items: Item[],
): Promise<{ value: T; payload: Uint8Array } | undefined> {
  try {
    const { value: header } = decodePrefix(bytes, genericTileHeader, place)
    items.push(...headerFindings(header, place), ...plainAmongEncrypted(header, cx, code, place))
    const { payload, length, mostElements } = await openGenericTile(bytes, cx, place)
    if (length < bytes.length) {
      items.push(
        finding(
          'GENERIC_TILE_HEADER',
          { ...place, offset: place.offset + length, field: 'persisted_size' },
          'the end of the file behind the tile',
          `${bytes.length - length} more bytes`,
        ),
      )
    }
    const space = `unfiltered content of the generic tile at ${place.offset}`
    return { value: decode(payload, describe, { file: place.file, space, mostElements }), payload }
  } catch (error) {
    items.push(fromError(error, code, place))
    return undefined
  }
}

/** {@link checkedTile} for a file that is a single generic tile. */
export async function checkedTileFile<T>(
  run: CheckRun,
  folder: Folder,
  path: string,
  describe: Describe<T>,
  cx: ReadContext,
  code: FindingCode,
  items: Item[],
): Promise<{ value: T; payload: Uint8Array } | undefined> {
  const file = `${folder.path}/${path}`
  run.counts.file_num++
  try {
    const bytes = await withSource(folder.file(path), readAll)
    return await checkedTile(bytes, describe, cx, { file, offset: 0 }, code, items)
  } catch (error) {
    items.push(fromError(error, code, { file }))
    return undefined
  }
}

/** Checks files that TileDB only ever creates empty. */
export async function* checkEmpty(run: CheckRun, folder: Folder, path: string, code: FindingCode): Items {
  run.counts.file_num++
  const file = `${folder.path}/${path}`
  try {
    const size = await withSource(folder.file(path), (source) => source.size())
    if (size > 0) yield finding(code, { file, offset: 0 }, 'an empty file', `${size} bytes`)
  } catch (error) {
    yield fromError(error, code, { file })
  }
}
