import { element } from '../base/element.ts'
import { usage, wrongOption } from '../base/errors.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type CellSort, canSort, FirstCells } from '../read/first-cells.ts'
import { PROVENANCE } from '../read/query.ts'
import { unknownField } from './option-values.ts'

/** Most cells that `--sort-by` shows: all of them are in memory. */
const MAX_SORTED = 100_000

/**
 * Parses `--sort-by`.
 * @param columns those that are read
 * @param limit number of `--limit`
 * @throws InspectError USAGE
 */
export function parseSort(text: string, columns: readonly ColumnType[], limit: number): CellSort {
  if (limit > MAX_SORTED) throw usage(`--sort-by needs --limit, of at most ${MAX_SORTED} cells`)
  const [, cut, direction] = /^(.*):(asc|desc)$/s.exec(text) ?? []
  const named = (name: string | undefined): ColumnType | undefined => columns.find((column) => column.name === name)
  const column = named(text) ?? named(cut)
  if (!column)
    throw unknownField(
      '--sort-by',
      cut ?? text,
      columns.map(({ name }) => name),
    )
  if (!canSort(column))
    throw wrongOption(
      '--sort-by',
      'a field whose cells are single values, or text in bytes',
      `${JSON.stringify(column.name)} of ${column.type}`,
    )
  return { column, descending: column.name !== text && direction === 'desc' }
}

/**
 * The first cells of batches by a column, in order.
 * @param columns those of the batches, without the columns of the provenance that only tell which cells were written
 */
export async function* sortedBatches(
  batches: AsyncIterable<CellBatch>,
  columns: readonly ColumnType[],
  sort: CellSort,
  { schema, limit }: { schema: ArraySchema; limit: number },
): AsyncGenerator<CellBatch> {
  const first = new FirstCells(schema, columns, sort, Math.max(1, limit))
  const isDense = schema.array_type === 'dense'
  for await (const batch of batches) first.add(batch, isDense ? isWritten(batch) : undefined)
  const found = first.batch()
  if (found) yield found
}

/** Whether cells of a dense array were written. The provenance tells it. */
function isWritten({ columns }: CellBatch): (cell: number) => boolean {
  const fragment = columns.at(-PROVENANCE.length)?.validity
  return (cell) => fragment === undefined || element(fragment, cell) === 1
}
