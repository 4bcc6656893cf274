import { withPlace } from '../base/errors.ts'
import { coordinateRange } from '../cells/rtree-builder.ts'
import { type ArrayMetadata, arrayMetadata, type MetadataEntry } from '../format/array-metadata.ts'
import { type ArraySchema, arraySchema } from '../format/array-schema.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { type Enumeration, enumerationFile } from '../format/enumeration.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { type Describe, encode } from '../format/io.ts'
import { writeFragment } from './fragment-writer.ts'
import { genericTileWriter, type WriteContext } from './generic-tile-writer.ts'
import type { FragmentCellsToWrite } from './ndjson-cells.ts'

/** An array as values. */
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

/**
 * The files of an array in the layout of its schema's format version: first data, then the schema, then the commits. So a
 * partial result is not an array yet, or is an array without these fragments.
 *
 * @param onFragment called for each fragment
 * @see format_spec/array_file_hierarchy.md
 */
export async function* arrayFiles(
  array: ArrayToWrite,
  cx: WriteContext,
  onFragment: (fragment: WrittenFragmentFacts) => void,
): AsyncGenerator<ArrayFile> {
  const { schema, uuid } = array
  const { version } = schema
  let timestamp = array.timestamp
  const schemaName = version >= 10 ? `__${timestamp}_${timestamp}_${uuid()}` : OLD_SCHEMA_FILE
  const fragments = version >= 12 ? '__fragments/' : ''
  const commits: string[] = []
  for await (const { domain, cell_num, columns } of array.fragments) {
    if (cell_num === 0) continue
    timestamp++
    const written = await writeFragment(
      {
        schema,
        schemaName,
        formatVersion: version,
        timestampRange: timestampsOf(columns) ?? [timestamp, timestamp],
        uuid: uuid(),
        domain,
        cells: { cell_num, columns },
      },
      cx,
    )
    onFragment({ name: written.name, cell_num })
    for (const { name, bytes } of written.files) yield { path: `${fragments}${written.name}/${name}`, bytes }
    if (version >= 12) commits.push(`__commits/${written.name}.wrt`)
    else if (version >= 5) commits.push(`${written.name}.ok`)
  }
  const writeTile = await genericTileWriter(version, cx)
  const tile = <T>(value: T, describe: Describe<T>, field: string): Uint8Array =>
    withPlace({ field }, () => writeTile(encode(value, describe)))
  if (array.metadata.length > 0) {
    timestamp++
    const metadata: ArrayMetadata = { entries: [...array.metadata].sort((a, b) => (a.key < b.key ? -1 : 1)) }
    yield {
      path: `__meta/__${timestamp}_${timestamp}_${uuid()}`,
      bytes: tile(metadata, arrayMetadata, 'metadata'),
    }
  }
  for (const enumeration of array.enumerations) {
    const bytes = tile(enumeration, enumerationFile, 'enumerations')
    yield { path: `__schema/__enumerations/${enumeration.path_name}`, bytes }
  }
  if (version < 12) yield { path: '__lock.tdb', bytes: new Uint8Array(0) }
  const schemaPath = version >= 10 ? `__schema/${schemaName}` : schemaName
  yield { path: schemaPath, bytes: tile(schema, arraySchema, 'schema') }
  for (const path of commits) yield { path, bytes: new Uint8Array(0) }
}

/** First and last timestamp of the cells, if each has its own. */
function timestampsOf(columns: FragmentCellsToWrite['columns']): [bigint, bigint] | undefined {
  const column = columns.get('__timestamps')
  if (!column) return undefined
  const { min, max } = coordinateRange({ type: 'UINT64', cell_val_num: 1 }, column, column.data.length / 8)
  return [integerOf('UINT64', min), integerOf('UINT64', max)]
}
