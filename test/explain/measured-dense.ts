import { readFileSync } from 'node:fs'
import type { Bounds } from '../../src/cells/bounds.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import type { ConditionNode } from '../../src/format/delete-condition.ts'
import { bytesOf } from '../../src/format/value.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray, ReadOrder, ReadQuery } from '../../src/read/query.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

/** A query, and what TileDB 2.30 counted. See test/fixtures/explain_dense.py. */
export interface MeasuredDense {
  array: string
  order: ReadOrder
  to: number
  ranges: [low: number, high: number][][]
  fields: string[] | null
  where: [field: string, type: Datatype, op: '<' | '>' | '==', value: number | string] | null
  /** A tile counts once for each field. */
  tiles_read: number
  /** Unfiltered bytes of loaded metadata, by section. */
  metadata: { [section: string]: number }
  /** At most 3 % too large. */
  least_memory_budget: number
}

/** The queries of explain-dense.json. */
export const measuredDense: MeasuredDense[] = JSON.parse(readFileSync(`${FIXTURES}/explain-dense.json`, 'utf8'))

/** Opens a fixture. */
export function openFixture(name: string, to?: number): Promise<OpenedArray> {
  const array = new InspectArray(new Folder(localFiles, `${FIXTURES}/${name}`), contextFor({ key: undefined }))
  return openAt(array, { to: to === undefined ? undefined : BigInt(to) })
}

/** Ranges as queries have them. */
export function rangeSets(ranges: readonly (readonly (readonly [number, number])[])[]): Map<number, Bounds[]> {
  return new Map(ranges.map((sides, d) => [d, sides.map(([low, high]) => ({ low: BigInt(low), high: BigInt(high) }))]))
}

const OPS = { '<': 'LT', '>': 'GT', '==': 'EQ' } as const

function condition(where: MeasuredDense['where']): ConditionNode | undefined {
  if (!where) return undefined
  const [field, type, op, value] = where
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : bytesOf(type, 1, value)
  return { node: 'value', op: OPS[op], field, value: bytes, offsets: undefined }
}

/** A measured query. */
export function queryOf({ order, ranges, fields, where }: MeasuredDense): ReadQuery {
  return { order, ranges: rangeSets(ranges), fields: fields ?? undefined, where: condition(where) }
}
