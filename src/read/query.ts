import type { InspectError } from '../base/errors.ts'
import type { RangeSets } from '../cells/bounds.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import type { RefusedChunk } from '../cells/fragment-cells.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import type { InspectArray } from '../objects/array.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { conditionFields } from './condition.ts'

/** The orders of the cells of a read, as TileDB's layouts name them. */
export const READ_ORDERS = ['row-major', 'col-major', 'global', 'unordered'] as const
export type ReadOrder = (typeof READ_ORDERS)[number]

/** An array as TileDB opens it between two times. */
export interface OpenedArray {
  array: InspectArray
  /** The two times, in milliseconds since 1970, both included. */
  between: readonly [from: bigint, to: bigint]
  /** The newest schema at the second time. */
  schema: ArraySchema
  /** The fragments that a query reads, oldest first: by their first timestamp, then by name. */
  fragments: readonly OpenedFragment[]
  /** The delete conditions between the two times, oldest first. */
  deletes: readonly TimedCondition[]
  /** Number of delete conditions of any time, if all were listed. */
  condition_num?: number | undefined
  /** Times of the fragments that are dated ahead, if they were listed. */
  later?: readonly (readonly [first: bigint, last: bigint])[] | undefined
}

export interface OpenedFragment {
  fragment: Fragment
  info: FragmentInfo
  /** The first time in its name. It is the time of its cells, unless they have timestamps of their own. */
  time: bigint
  /** Names of attributes that have another form in the array than in the fragment: TileDB misreads their cells. */
  misread?: ReadonlySet<string> | undefined
}

/** A delete condition with its time. */
export interface TimedCondition {
  /** Name of the commit, without suffix. */
  name: string
  /** Path of the `.del` or `.con` file that contains it, relative to the array. */
  path: string
  time: bigint
  /** The condition as it is stored: that of the cells that stay. */
  stays: ConditionNode
}

/** The deletion of a cell. */
export interface Deletion {
  time: bigint
  /** Name of the delete commit, without suffix; undefined if the fragment stores only the time. */
  name: string | undefined
  /** Undefined if the array no longer has the condition. */
  condition: TimedCondition | undefined
}

/** What to read of an array. */
export interface ReadQuery {
  order: ReadOrder
  /** Empty for all cells. Those of a dense array are the cells in the non-empty domain of its fragments. */
  ranges: RangeSets
  /** Names of the attributes to read; undefined for all. Dimensions are read always. */
  fields?: readonly string[] | undefined
  /** The condition of the cells to show. In dense arrays the other cells have fill values. */
  where?: ConditionNode | undefined
  /** Whether to return deleted cells, too. */
  keepsDeleted?: boolean | undefined
  /** Whether to add the {@link PROVENANCE} columns. With `places` times are not looked up: in dense arrays they are null. */
  provenance?: boolean | 'places' | undefined
  /** Whether the next batch may overwrite the memory of the current one. */
  reuse?: boolean | undefined
  /** Called before each batch with the number of merged cells inside the ranges, before conditions exclude any. */
  onMerged?: ((cells: number) => void) | undefined
  /**
   * Sparse arrays: called with the number of a fragment's cells inside the ranges and times, before they are merged, and the fragment's
   * position in {@link OpenedArray.fragments}.
   */
  onHeld?: ((cells: number, fragment: number) => void) | undefined
  /** Sparse arrays: called once per merged cell that is left out only because it is deleted, with the position of its fragment. */
  onDeleted?: ((deletion: Deletion, fragment: number) => void) | undefined
  /** Dense arrays: whether cells that do not meet the condition are left out, instead of shown with fill values. */
  leavesOutUnmet?: boolean | undefined
  /** Dense arrays: whether the columns of dimensions are left undefined. Their coordinates then need not be made. */
  leavesOutCoordinates?: boolean | undefined
  /** {@link ReadOptions.onFault} */
  onFault?: ((fault: InspectError) => void) | undefined
  /** Called for each chunk that is read here although TileDB cannot read it. */
  onRefused?: ((chunk: RefusedChunk) => void) | undefined
  /** Sparse arrays: called when TileDB's readers may answer differently from each other; several times for the same reason. */
  onNotUnique?: ((reason: NotUnique) => void) | undefined
  /** Called with a remark on the cells of a field, once for each text. */
  onRemark?: ((field: string, remark: string) => void) | undefined
}

/**
 * Why TileDB's answer depends on the order in which it reads. `equal-times`: fragments of one time have the same cell, and duplicates
 * are not allowed. `out-of-order`: the cells of a fragment are not in global order in its files, which merges rely on.
 */
export interface NotUnique {
  kind: 'equal-times' | 'out-of-order'
  /** Positions in {@link OpenedArray.fragments}. */
  fragments: readonly number[]
}

/** The column with the time of a cell. */
export const WRITTEN: ColumnType = {
  name: '__written',
  kind: 'attribute',
  type: 'DATETIME_MS',
  cell_val_num: 1,
  nullable: true,
  isWritten: true,
}

/**
 * The columns that tell where a cell comes from. `__fragment` is the position in {@link OpenedArray.fragments}. `__written` is null if
 * consolidation kept no time of the cell.
 */
export const PROVENANCE: readonly ColumnType[] = [
  { name: '__fragment', kind: 'attribute', type: 'INT32', cell_val_num: 1, nullable: true },
  { name: '__tile', kind: 'attribute', type: 'UINT64', cell_val_num: 1, nullable: true },
  { name: '__cell', kind: 'attribute', type: 'UINT64', cell_val_num: 1, nullable: true },
  WRITTEN,
]

/** Makes the {@link PROVENANCE} columns. @param timed by cell: 1 if its time is known */
export function provenanceColumns(
  columns: readonly Uint8Array[],
  validity: Uint8Array,
  timed: Uint8Array,
): ColumnData[] {
  return columns.map((data, c) => ({ data, starts: undefined, validity: PROVENANCE[c] === WRITTEN ? timed : validity }))
}

/** The columns of a read: dimensions, then attributes in the order of the schema, then the provenance. */
export function readColumns({ domain, attributes }: ArraySchema, { fields, provenance }: ReadQuery): ColumnType[] {
  return [
    ...domain.dimensions.map(
      ({ name, type, cell_val_num }): ColumnType => ({ name, kind: 'dimension', type, cell_val_num, nullable: false }),
    ),
    ...attributes.flatMap(({ name, type, cell_val_num, nullable }): ColumnType[] =>
      fields && !fields.includes(name) ? [] : [{ name, kind: 'attribute', type, cell_val_num, nullable }],
    ),
    ...(provenance ? PROVENANCE : []),
  ]
}

/** The columns to read: those to show without the provenance, then others that conditions need. */
export function wantedColumns(
  schema: ArraySchema,
  query: ReadQuery,
  conditions: readonly ConditionNode[],
): ColumnType[] {
  const shown = readColumns(schema, { ...query, provenance: false })
  const needed = new Set(conditions.flatMap((node) => [...conditionFields(node)]))
  const others = readColumns(schema, { order: query.order, ranges: query.ranges })
  const isShown = (column: ColumnType): boolean => shown.some(({ name }) => name === column.name)
  return [...shown, ...others.filter((column) => needed.has(column.name) && !isShown(column))]
}

/** Names of all dimensions and attributes. */
export function fieldNames({ domain, attributes }: ArraySchema): string[] {
  return [...domain.dimensions, ...attributes].map(({ name }) => name)
}

/** The result of a read: batches with the columns of {@link readColumns}. Their `tile` means nothing, as cells come from many. */
export type ReadBatches = AsyncGenerator<CellBatch>
