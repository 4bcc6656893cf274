import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import type { ArrowValue } from './arrow-table.ts'

export interface ParquetRead {
  rowNum: number
  /** Rows of each row group. */
  groups: number[]
  metadata: FileMetaData
  /** By name. */
  columns: Map<string, ArrowValue[]>
}

/** Reads a file whole, through hyparquet. Times are counts of their unit, bytes are base64. */
export async function readParquet(bytes: Uint8Array): Promise<ParquetRead> {
  const file = new Uint8Array(bytes).buffer
  const metadata = parquetMetadata(file)
  const { decompress } = await nodeCodecs.zstd()
  const rows = await parquetReadObjects({
    file,
    metadata,
    compressors: { ZSTD: decompress },
    utf8: false,
    parsers: {
      timestampFromMilliseconds: (count) => count,
      timestampFromMicroseconds: (count) => count,
      timestampFromNanoseconds: (count) => count,
      dateFromDays: (days) => days,
    },
  })
  const [root, ...elements] = metadata.schema
  const names = childNames(elements, root?.num_children ?? 0)
  return {
    rowNum: Number(metadata.num_rows),
    groups: metadata.row_groups.map(({ num_rows }) => Number(num_rows)),
    metadata,
    columns: new Map(names.map((name) => [name, rows.map((row) => plain(row[name]))])),
  }
}

function childNames(elements: FileMetaData['schema'], count: number): string[] {
  const names: string[] = []
  let inside = 0
  for (const { name, num_children = 0 } of elements) {
    if (inside === 0 && names.length < count) names.push(name)
    else inside--
    inside += num_children
  }
  return names
}

function plain(value: unknown): ArrowValue {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return value.map(plain)
  return (value ?? null) as ArrowValue
}
