import { withPlace } from '../base/errors.ts'
import { rising } from '../base/rising.ts'
import { coordinateRange } from '../cells/rtree-builder.ts'
import { type ArrayMetadata, arrayMetadata, type MetadataEntry } from '../format/array-metadata.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import { commitPath, FOLDERS_SINCE, fragmentsFolder } from '../format/commit-files.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { type Enumeration, enumerationFile } from '../format/enumeration.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { type Describe, encode } from '../format/io.ts'
import { type FragmentToWrite, writeFragment } from './fragment-writer.ts'
import { genericTileWriter, type WriteContext } from './generic-tile-writer.ts'
import type { FragmentCellsToWrite } from './ndjson-cells.ts'

/** An array to be written, as values. */
export interface ArrayToWrite {
  schema: ArraySchema
  enumerations: readonly Enumeration[]
  metadata: readonly MetadataEntry[]
  /** Timestamp of the schema in milliseconds. Each fragment follows by one; metadata comes last. */
  timestamp: bigint
  /** Returns 32 hex digits for each file that needs them. */
  uuid: () => string
  fragments: Iterable<FragmentCellsToWrite> | AsyncIterable<FragmentCellsToWrite>
}

/** One file of an array. */
export interface ArrayFile {
  /** Path relative to the array. */
  path: string
  bytes: Uint8Array
}

/** Facts about each written fragment. */
export interface WrittenFragmentFacts {
  name: string
  cell_num: number
}

/** Name of the file of a schema that was written at a time. */
export function schemaFileName(version: number, time: bigint, uuid: () => string): string {
  return version >= 10 ? `__${time}_${time}_${uuid()}` : OLD_SCHEMA_FILE
}

/** The name of a fragment, and its files without the commit. */
export async function fragmentFiles(
  fragment: FragmentToWrite,
  cx: WriteContext,
): Promise<{ name: string; files: ArrayFile[] }> {
  const { name, files } = await writeFragment(fragment, cx)
  const folder = `${fragmentsFolder(fragment.formatVersion)}${name}`
  return { name, files: files.map((file) => ({ path: `${folder}/${file.name}`, bytes: file.bytes })) }
}

/** The empty file that every array before version 12 has. */
export function lockFiles(version: number): ArrayFile[] {
  return version < FOLDERS_SINCE ? [{ path: '__lock.tdb', bytes: new Uint8Array(0) }] : []
}

/** The files of a schema: those of its enumerations, then its own. @param name {@link schemaFileName} */
export async function schemaFiles(
  { schema, enumerations }: Pick<ArrayToWrite, 'schema' | 'enumerations'>,
  name: string,
  cx: WriteContext,
): Promise<ArrayFile[]> {
  const { version } = schema
  const writeTile = await genericTileWriter(version, cx)
  const file = <T>(path: string, value: T, describe: Describe<T>, field: string): ArrayFile => ({
    path,
    bytes: withPlace({ field }, () => writeTile(encode(value, describe))),
  })
  const files = enumerations.map((one) =>
    file(`__schema/__enumerations/${one.path_name}`, one, enumerationFile, 'enumerations'),
  )
  files.push(file(version >= 10 ? `__schema/${name}` : name, schema, arraySchema, 'schema'))
  return files
}

/** A file of key-value metadata, of an array or a group. */
export async function metadataFile(
  entries: readonly MetadataEntry[],
  { version, times: [first, last], uuid }: { version: number; times: readonly [bigint, bigint]; uuid: string },
  cx: WriteContext,
): Promise<ArrayFile> {
  const writeTile = await genericTileWriter(version, cx)
  const metadata: ArrayMetadata = { entries: [...entries].sort((a, b) => rising(a.key, b.key)) }
  return {
    path: `__meta/__${first}_${last}_${uuid}`,
    bytes: withPlace({ field: 'metadata' }, () => writeTile(encode(metadata, arrayMetadata))),
  }
}

/**
 * Yields the files of an array in the layout of its schema's format version: first data, then the schema, then the commits. So a
 * partial result is not an array yet, or is an array without these fragments.
 *
 * @param onFragment called once per fragment
 * @see format_spec/array_file_hierarchy.md
 */
export async function* writtenArrayFiles(
  array: ArrayToWrite,
  cx: WriteContext,
  onFragment: (fragment: WrittenFragmentFacts) => void,
): AsyncGenerator<ArrayFile> {
  const { schema, uuid } = array
  const { version } = schema
  let timestamp = array.timestamp
  // The schema is as old as the oldest fragment.
  const schemaAt = (time: bigint): string => schemaFileName(version, time < timestamp ? time : timestamp, uuid)
  let schemaName: string | undefined
  const commits: string[] = []
  for await (const { domain, cell_num, columns, time } of array.fragments) {
    if (cell_num === 0) continue
    const range = timestampsOf(columns)
    const [first] = range ?? [time ?? timestamp + 1n]
    schemaName ??= schemaAt(first)
    if (!range) timestamp = first
    const { name, files } = await fragmentFiles(
      {
        schema,
        schemaName,
        formatVersion: version,
        timestampRange: range ?? [timestamp, timestamp],
        uuid: uuid(),
        domain,
        cells: { cell_num, columns },
      },
      cx,
    )
    onFragment({ name, cell_num })
    yield* files
    commits.push(commitPath(version, name) ?? '')
  }
  schemaName ??= schemaAt(timestamp)
  if (array.metadata.length > 0) {
    timestamp++
    yield metadataFile(array.metadata, { version, times: [timestamp, timestamp], uuid: uuid() }, cx)
  }
  yield* lockFiles(version)
  yield* await schemaFiles(array, schemaName, cx)
  for (const path of commits) if (path !== '') yield { path, bytes: new Uint8Array(0) }
}

/** First and last timestamp of the cells, if each has its own. */
export function timestampsOf(columns: FragmentCellsToWrite['columns']): [bigint, bigint] | undefined {
  const column = columns.get('__timestamps')
  if (!column) return undefined
  const { min, max } = coordinateRange({ type: 'UINT64', cell_val_num: 1 }, column, column.data.length / 8)
  return [integerOf('UINT64', min), integerOf('UINT64', max)]
}
