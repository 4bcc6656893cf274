import { type ColumnData, type ColumnType, cellBytes } from '../cells/column.ts'
import { gather } from '../cells/gather.ts'
import { unionOf } from '../cells/rtree-builder.ts'
import { concat } from '../filters/bytes.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import { fillCell } from '../read/fill.ts'
import { openAt } from '../read/opening.ts'
import { type OpenedArray, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { Source } from '../read/source.ts'
import { MemoryStorage } from '../source/memory.ts'
import { readContext } from '../store/generic-tile.ts'
import { openTarget } from '../store/target.ts'
import { arrayFiles } from '../write/array-writer.ts'
import type { FragmentCellsToWrite } from '../write/ndjson-cells.ts'
import { Random } from '../write/random.ts'

/** Folder of arrays in memory. */
const FOLDER = 'array'

/** An array in memory, as TileDB would write it: one fragment for each set of cells, at the times 1, 2, … */
export async function arrayInMemory(
  schema: ArraySchema,
  fragments: readonly FragmentCellsToWrite[],
  codecs: Codecs,
): Promise<OpenedArray> {
  const random = new Random(FOLDER)
  const array = {
    schema,
    enumerations: [],
    metadata: [],
    timestamp: 0n,
    uuid: () => random.uuid(),
    fragments,
  }
  const files = new Map<string, Uint8Array>()
  const cx = { codecs, key: undefined, randomBytes: (length: number) => new Uint8Array(length) }
  for await (const { path, bytes } of arrayFiles(array, cx, () => {})) files.set(`${FOLDER}/${path}`, bytes)
  const target = await openTarget(new MemoryStorage(files), FOLDER, readContext(codecs))
  if (target.type !== 'array') throw new TypeError('expected an array in memory')
  return openAt(target.array)
}

/** All cells that a read of an array returns, in one set: what a rewrite puts into a new array. */
export async function cellsToRewrite(opened: OpenedArray): Promise<FragmentCellsToWrite> {
  const { schema, fragments } = opened
  const dense = schema.array_type === 'dense'
  const types = readColumns(schema, { order: 'row-major', ranges: new Map() })
  const parts: ColumnData[][] = types.map(() => [])
  let cell_num = 0
  const order = dense ? 'row-major' : schema.allows_duplicates ? 'unordered' : 'global'
  for await (const batch of readMerged(opened, { order, ranges: new Map() })) {
    const rows = batch.rows && Int32Array.from(batch.rows)
    cell_num += rows ? rows.length : batch.cell_num
    for (const [i, type] of types.entries()) {
      const column = batch.columns[i] ?? repeated(fillCell(schema, type), batch.cell_num)
      parts[i].push(gather(column, elementSize(type), rows ?? { from: 0, to: batch.cell_num }))
    }
  }
  const domains = fragments.flatMap(({ info }) => (info.nonempty_domain ? [info.nonempty_domain] : []))
  const domain = dense ? unionOf(domains, schema.domain.dimensions) : undefined
  const kept = types.flatMap((type, i) =>
    dense && type.kind === 'dimension' ? [] : [[type.name, joined(parts[i], type)] as const],
  )
  return { domain, cell_num, columns: new Map(kept) }
}

/**
 * All cells of a sparse array with their times, as `tiledb.consolidate` writes them: of several cells with the same coordinates, all
 * are kept. Not for arrays with delete conditions.
 */
export async function cellsToConsolidate(opened: OpenedArray): Promise<FragmentCellsToWrite> {
  const { schema, fragments } = opened
  const types = readColumns(schema, { order: 'global', ranges: new Map() })
  const parts: ColumnData[][] = types.map(() => [])
  const times: BigUint64Array[] = []
  let cell_num = 0
  for (const [index, fragment] of fragments.entries()) {
    const source = await Source.open(fragment, index, types, undefined)
    try {
      const tiles = Array.from(source.tiles(new Map()), ({ tile }) => tile)
      for await (const batch of source.batches(tiles)) {
        cell_num += batch.cell_num
        for (const [i, type] of types.entries())
          parts[i].push(batch.columns[i] ?? repeated(fillCell(schema, type), batch.cell_num))
        const { written } = batch
        times.push(
          BigUint64Array.from({ length: batch.cell_num }, (_, cell) =>
            written ? BigInt(written[cell]) : fragment.time,
          ),
        )
      }
    } finally {
      await source.close()
    }
  }
  const columns = new Map(types.map((type, i) => [type.name, joined(parts[i], type)]))
  const bytes = times.map((some) => new Uint8Array(some.buffer))
  columns.set('__timestamps', { data: concat(bytes), starts: undefined, validity: undefined })
  return { domain: undefined, cell_num, columns }
}

function elementSize({ type, cell_val_num }: ColumnType): number {
  return cell_val_num === 'var' ? datatypeSize(type) : datatypeSize(type) * cell_val_num
}

/** A column with one cell, so many times. */
function repeated(cell: ColumnData, count: number): ColumnData {
  return gather(cell, cellBytes(cell, 0, cell.data.length).length, new Int32Array(count))
}

/** Columns one after another. */
function joined(parts: readonly ColumnData[], { cell_val_num, nullable }: ColumnType): ColumnData {
  const data = concat(parts.map((part) => part.data))
  const validity = nullable ? concat(parts.map((part) => part.validity ?? new Uint8Array(0))) : undefined
  if (cell_val_num !== 'var') return { data, starts: undefined, validity }
  const counts = parts.map(({ starts }) => (starts ? starts.length - 1 : 0))
  const starts = new Float64Array(counts.reduce((a, b) => a + b, 0) + 1)
  let cell = 0
  let base = 0
  for (const [p, part] of parts.entries()) {
    const own = part.starts ?? new Float64Array(1)
    for (let i = 0; i < counts[p]; i++) starts[cell++] = base + own[i] - own[0]
    base += part.data.length
  }
  starts[cell] = base
  return { data, starts, validity }
}
