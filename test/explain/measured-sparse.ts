import { readFileSync } from 'node:fs'
import { type Bounds, comparable } from '../../src/cells/bounds.ts'
import type { ReadPlan } from '../../src/explain/plan.ts'
import { planSparseGlobal, planSparseUnordered } from '../../src/explain/sparse.ts'
import type { ComparisonOp, ConditionNode } from '../../src/format/delete-condition.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

type Where = ['and' | 'or', Where, Where] | [field: string, op: string, hex: string]

/** What TileDB counts. */
export interface Counts {
  tiles_read: number
  cells_read: number
  cells_found: number
  /** Unfiltered bytes of sections, by name. */
  metadata: Record<string, number>
  least_memory_budget: number
}

/** A query, and what TileDB 2.30 counted: test/fixtures/README.md says how it is spelled. */
export interface MeasuredSparse extends Counts {
  array: string
  key?: string
  between: [from: number, to: number]
  order: 'global' | 'unordered'
  ranges: ([low: string, high: string][] | null)[]
  fields: string[] | null
  where: Where | null
}

/** The queries of explain-sparse.json. */
export const measuredSparse: MeasuredSparse[] = JSON.parse(readFileSync(`${FIXTURES}/explain-sparse.json`, 'utf8'))
const OPS: Record<string, ComparisonOp> = { '<': 'LT', '<=': 'LE', '>': 'GT', '>=': 'GE', '==': 'EQ', '!=': 'NE' }

function condition(where: Where): ConditionNode {
  if (where[0] === 'and' || where[0] === 'or') {
    const children = (where.slice(1) as Where[]).map(condition)
    return { node: 'expression', op: where[0] === 'and' ? 'AND' : 'OR', children }
  }
  const [field, op, hex] = where as [string, string, string]
  return { node: 'value', field, op: OPS[op], value: bytes(hex), offsets: undefined }
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

/** The array, opened as the query asks, and the plan of the query. */
export async function planOf(asked: MeasuredSparse, exact: boolean): Promise<{ opened: OpenedArray; plan: ReadPlan }> {
  const { array: name, key, order, fields, where } = asked
  const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/${name}`), contextFor({ key }))
  const opened = await openAt(array, { from: BigInt(asked.between[0]), to: BigInt(asked.between[1]) })
  const { dimensions } = opened.schema.domain
  const ranges = new Map<number, Bounds[]>()
  asked.ranges.forEach((pairs, d) => {
    const end = (hex: string) => comparable(dimensions[d].type, bytes(hex))
    const own = pairs?.map(([low, high]) => ({ low: end(low), high: end(high) }))
    if (own) ranges.set(d, own)
  })
  const query = { order, ranges, fields: fields ?? undefined, where: where ? condition(where) : undefined }
  const unordered = order === 'unordered' && opened.schema.allows_duplicates
  return {
    opened,
    plan: await (unordered ? planSparseUnordered : planSparseGlobal)({ opened, query, exact }),
  }
}
