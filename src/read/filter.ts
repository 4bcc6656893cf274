import { inconsistent } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { lastPathPart } from '../base/paths.ts'
import type { ColumnData, ColumnType } from '../cells/column.ts'
import { type ConditionNode, refusedParts } from '../format/delete-condition.ts'
import { isConsolidatedName } from '../format/timestamped-name.ts'
import { u64 } from '../format/u32.ts'
import { stem } from '../objects/commits.ts'
import { conditionFields, meets } from './condition.ts'
import { pickedColumn } from './fill.ts'
import { isCutByTime } from './opening.ts'
import {
  type Deletion,
  fieldNames,
  type OpenedArray,
  type OpenedFragment,
  type ReadQuery,
  type TimedCondition,
  wantedColumns,
} from './query.ts'
import { exactTime, type SourceBatch } from './source.ts'

/** Cells of several batches. */
export interface Picked {
  /** By cell: the position of its batch. */
  from: Uint32Array
  /** By cell: its position in the batch. */
  rows: Uint32Array
}

/** The column that tells which condition deleted a cell: its index among the conditions that the fragment has processed. */
const CONDITION_INDEX: ColumnType = {
  name: '__delete_condition_index',
  kind: 'delete_condition_index',
  type: 'UINT64',
  cell_val_num: 1,
  nullable: false,
}

/** Drops deleted cells, and cells that do not meet the condition of the query. */
export class CellFilter {
  /** Columns to read: those to show, then others that conditions need, then {@link CONDITION_INDEX} if deletions are named. */
  readonly wanted: readonly ColumnType[]
  private readonly opened: OpenedArray
  private readonly where: ConditionNode | undefined
  private readonly onDeleted: ReadQuery['onDeleted']
  /** The end of the opening's times. */
  private readonly end: number | bigint
  /** Whether delete timestamps that fragments store have an effect. */
  private readonly seesDeletions: boolean
  /** By fragment: names of the delete conditions that it has processed, by their index in the fragment. */
  private readonly processed: readonly (readonly string[])[]
  private readonly isProcessed: readonly ReadonlySet<string>[]

  private constructor(
    opened: OpenedArray,
    query: ReadQuery,
    processed: readonly (readonly string[])[],
    isNamed: boolean,
  ) {
    const conditions = [...opened.deletes.map(({ stays }) => stays), ...(query.where ? [query.where] : [])]
    this.wanted = [...wantedColumns(opened.schema, query, conditions), ...(isNamed ? [CONDITION_INDEX] : [])]
    this.opened = opened
    this.where = query.where
    this.onDeleted = query.onDeleted
    this.end = exactTime(opened.between[1])
    this.processed = processed
    this.isProcessed = processed.map((names) => new Set(names))
    this.seesDeletions = seesDeletions(opened, query)
  }

  /** @param isNamed whether to find the names of deletions that fragments store */
  static async of(opened: OpenedArray, query: ReadQuery, isNamed = query.onDeleted !== undefined): Promise<CellFilter> {
    const { array, fragments, deletes } = opened
    const processed: (readonly string[])[] = []
    const isNeeded = deletes.length > 0 || isNamed
    for await (const names of inOrder(isNeeded ? fragments : [], atOnce(array.folder), processedNames))
      processed.push(names)
    for (const condition of deletes) {
      if (processed.some((names) => !names.includes(condition.name))) requireAccepted(condition, opened)
    }
    return new CellFilter(opened, query, processed, isNamed)
  }

  /** Whether the filter keeps all cells of a batch, whatever their values. */
  keepsAll({ deleted, lost }: SourceBatch): boolean {
    return !lost && deleted === undefined && this.where === undefined && this.opened.deletes.length === 0
  }

  /** The picked cells without those that the filter drops. */
  kept(batches: readonly SourceBatch[], picked: Picked): Picked {
    if (batches.every((batch) => this.keepsAll(batch))) return picked
    const { from, rows } = picked
    const stays = Uint8Array.from(from, (batch) => (batches[batch].lost ? 0 : 1))
    if (this.where) {
      const met = this.evaluate(this.where, batches, picked)
      for (let i = 0; i < stays.length; i++) stays[i] &= met[i]
    }
    if (this.onDeleted)
      for (const [i, deletion] of this.deletions(batches, picked).entries())
        if (deletion && stays[i] === 1) this.onDeleted(deletion, batches[from[i]].source.index)
    for (let i = 0; i < rows.length; i++) if (this.storedDeletion(batches[from[i]], rows[i]) !== undefined) stays[i] = 0
    for (const condition of this.opened.deletes) this.applyDelete(condition, batches, picked, stays)
    const left = stays.reduce((sum, one) => sum + one, 0)
    if (left === rows.length) return picked
    const out = { from: new Uint32Array(left), rows: new Uint32Array(left) }
    for (let i = 0, o = 0; i < rows.length; i++) {
      if (stays[i] === 0) continue
      out.from[o] = from[i]
      out.rows[o++] = rows[i]
    }
    return out
  }

  /** By cell: its first deletion; undefined if it is not deleted. */
  deletions(batches: readonly SourceBatch[], picked: Picked): (Deletion | undefined)[] {
    const { from, rows } = picked
    const { deletes } = this.opened
    const found = Array.from(rows, (row, i): Deletion | undefined => {
      const time = this.storedDeletion(batches[from[i]], row)
      if (time === undefined) return undefined
      const name = this.storedName(batches[from[i]], row)
      return { time: BigInt(time), name, condition: deletes.find((one) => one.name === name) }
    })
    for (const condition of deletes) {
      const stays = new Uint8Array(rows.length).fill(1)
      this.applyDelete(condition, batches, picked, stays)
      const { time, name } = condition
      for (const [i, known] of found.entries())
        if (stays[i] === 0 && (known === undefined || time < known.time)) found[i] = { time, name, condition }
    }
    return found
  }

  /** The name of the delete commit that deleted a cell, if the fragment stores it. */
  private storedName({ columns, source }: SourceBatch, row: number): string | undefined {
    const data = columns[this.wanted.length - 1]?.data
    return this.wanted.at(-1) === CONDITION_INDEX && data ? this.processed[source.index][u64(data, 8 * row)] : undefined
  }

  /** The time at which a cell was deleted, if the fragment stores it and it has an effect on the read. */
  private storedDeletion({ deleted }: SourceBatch, row: number): number | bigint | undefined {
    if (!this.seesDeletions || !deleted) return undefined
    return deleted[row] <= this.end ? deleted[row] : undefined
  }

  /** Clears `stays` of the cells that a delete deletes. It applies to cells that were written up to its time. */
  private applyDelete(
    { name, time, stays: condition }: TimedCondition,
    batches: readonly SourceBatch[],
    picked: Picked,
    stays: Uint8Array,
  ): void {
    const { from, rows } = picked
    const last = exactTime(time)
    const applies = batches.map(({ source }) => !this.isProcessed[source.index].has(name))
    const met = this.evaluate(condition, batches, picked)
    for (let i = 0; i < stays.length; i++)
      if (met[i] === 0 && applies[from[i]] && writtenAt(batches[from[i]], rows[i]) <= last) stays[i] = 0
  }

  /** Evaluates a condition, separately for each set of its fields that fragments have. @returns by cell: 1 if it is met */
  private evaluate(node: ConditionNode, batches: readonly SourceBatch[], picked: Picked): Uint8Array {
    const fields = this.wanted.flatMap(({ name }, c) => (conditionFields(node).has(name) ? [c] : []))
    const having = batches.map(({ columns }) => fields.filter((c) => columns[c] !== undefined))
    const groups = new Map(having.map((own) => [String(own), own]))
    if (groups.size === 1) return this.evaluateOn(node, having[0], batches, picked)
    const met = new Uint8Array(picked.rows.length)
    for (const [name, own] of groups) {
      const at = Uint32Array.from(met.keys()).filter((i) => String(having[picked.from[i]]) === name)
      const cells = { from: at.map((i) => picked.from[i]), rows: at.map((i) => picked.rows[i]) }
      const found = this.evaluateOn(node, own, batches, cells)
      for (const [i, cell] of at.entries()) met[cell] = found[i]
    }
    return met
  }

  private evaluateOn(
    node: ConditionNode,
    fields: readonly number[],
    batches: readonly SourceBatch[],
    picked: Picked,
  ): Uint8Array {
    const columns = fields.map((c) => {
      const type = this.wanted[c]
      return [type.name, { type, data: this.column(c, batches, picked) }] as const
    })
    return meets(node, new Map(columns), picked.rows.length)
  }

  /** Copies a wanted column of the picked cells. @param c position in {@link wanted} */
  column(c: number, batches: readonly SourceBatch[], picked: Picked): ColumnData {
    const sources = batches.map(({ columns }) => columns[c])
    return pickedColumn(this.opened.schema, this.wanted[c], sources, picked)
  }
}

/**
 * Throws if TileDB refuses to read the array because of a delete condition: for example if it has a field that the array no longer
 * has. It would delete all cells, since none has the field.
 */
function requireAccepted({ path, stays }: TimedCondition, { array, schema }: OpenedArray): void {
  const at = { file: `${array.folder.path}/${path}` }
  const refused = [...refusedParts(stays, schema)].find(({ isNullTest }) => !isNullTest)
  if (refused) {
    const { expected, found } = refused
    throw inconsistent({ expected, found: `${found}: TileDB cannot read the array either` }, at)
  }
  const known = fieldNames(schema)
  for (const field of conditionFields(stays)) {
    if (known.includes(field)) continue
    const message = `a delete condition is about ${JSON.stringify(field)}, which the array's schema does not have: TileDB cannot read the array either`
    throw inconsistent(message, at)
  }
}

/** Names of the delete commits, without suffix, that a fragment has processed: it stores their effect on its cells. */
export async function processedNames({ fragment }: OpenedFragment): Promise<readonly string[]> {
  try {
    return ((await fragment.processedConditions()) ?? []).map((path) => stem(lastPathPart(path)))
  } finally {
    await fragment.close()
  }
}

/**
 * The time at which TileDB considers a cell as written, in milliseconds since 1970: its own timestamp, otherwise the first time of its
 * fragment. It is the real time only if {@link isTimed}.
 */
export function writtenAt({ written, source }: SourceBatch, row: number): number | bigint {
  return written ? written[row] : exactTime(source.fragment.time)
}

/** Whether it is known when the cells were written. Consolidated fragments of older versions have no times of their cells. */
export function isTimed({ written, source }: SourceBatch): boolean {
  return written !== undefined || !isConsolidatedName(source.fragment.fragment.name)
}

/**
 * Whether a read looks at the delete timestamps that consolidated fragments store. If duplicates are allowed, TileDB's readers do so only
 * if they must also evaluate a condition or the timestamps of cells. This matters if the file of a delete condition is lost.
 * @see SparseIndexReaderBase::apply_query_condition
 */
function seesDeletions(opened: OpenedArray, { where, keepsDeleted }: ReadQuery): boolean {
  if (keepsDeleted) return false
  const { schema, deletes, fragments } = opened
  if (!schema.allows_duplicates || deletes.length > 0 || where !== undefined) return true
  return fragments.some((one) => isCutByTime(opened, one))
}
