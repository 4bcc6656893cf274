import { finding, type Items } from '../../check/finding.ts'
import { integerOf } from '../../format/dense-tiles.ts'
import type { OpenedArray } from '../../read/query.ts'
import { idsOf, isIdType } from '../columns.ts'
import { guardedJoin, openWhole, returned } from '../joins.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { type IndexRole, type ListName, lastAt, rolesOf } from './index-parts.ts'

/*
 * Whether the arrays hold as much as the lists of the index say. They are opened as of the last ingestion, as the library does.
 */

/** Arrays that must have a cell for each of what a list counts, and how many cells more. */
const COUNTED = {
  base_sizes: { what: 'vectors', roles: { vectors: 0, ids: 0, 'compressed vectors': 0, 'edge indexes': 1 } },
  partition_history: { what: 'partitions', roles: { centroids: 0, 'partition indexes': 1 } },
  num_edges_history: { what: 'edges', roles: { edges: 0, 'edge scores': 0 } },
} as const satisfies {
  readonly [list in ListName]?: { what: string; roles: Readonly<Partial<Record<IndexRole, number>>> }
}
type CountedList = keyof typeof COUNTED

/** Arrays that say where parts begin, the list with the number of parts, and the list with the number of what is parted. */
const BEGINS = [
  { role: 'partition indexes', parts: 'partition_history', of: 'base_sizes' },
  { role: 'edge indexes', parts: 'base_sizes', of: 'num_edges_history' },
] as const satisfies readonly { role: IndexRole; parts: CountedList; of: CountedList }[]

/** Checks the arrays of an index. */
export async function* checkCells(top: DatasetPart): Items {
  const roles = await rolesOf(top)
  const wrong = new Set<CountedList>()
  for (const list of Object.keys(COUNTED) as CountedList[]) {
    const said = await lastAt(top, list)
    if (!said) continue
    const short = yield* shortOf(top, roles, list, said)
    if (!short || short.length === 0) continue
    wrong.add(list)
    const expected = `${said} ${COUNTED[list].what}, as the last ingestion has`
    yield finding('LAYER_COUNT', findingPlace(top, list), expected, short.join(', '), 'unwritten')
  }
  for (const { role, parts, of } of BEGINS) {
    const part = roles.get(role)
    const [count, total] = [await lastAt(top, parts), await lastAt(top, of)]
    if (part && count && total && !wrong.has(parts) && !wrong.has(of))
      yield* guardedJoin(part, () => checkBegins(top, part, { count, total, of }))
  }
}

/** How many cells each array has that has fewer than a list counts, in words. */
async function* shortOf(
  top: DatasetPart,
  parts: ReadonlyMap<IndexRole, DatasetPart>,
  list: CountedList,
  said: number,
): Items<string[]> {
  const short: string[] = []
  for (const [role, more] of Object.entries(COUNTED[list].roles) as [IndexRole, number][]) {
    const part = parts.get(role)
    const written = part && (yield* guardedJoin(part, () => returned(writtenOf(top, part))))
    if (written !== undefined && written < said + more) short.push(`${written - more} in ${part?.names.at(-1)}`)
  }
  return short
}

async function openAsIngested(top: DatasetPart, part: DatasetPart): Promise<OpenedArray | undefined> {
  const last = await lastAt(top, 'ingestion_timestamps')
  return part.array && openWhole(part.array, last ? BigInt(last) : undefined)
}

/** Number of cells along the last dimension. */
function writtenIn({ schema, fragments }: OpenedArray): number | undefined {
  const d = schema.domain.dimensions.length - 1
  const dimension = schema.domain.dimensions[d]
  if (!dimension || !isIdType(dimension.type)) return undefined
  let length = 0
  for (const { info } of fragments) {
    const range = info.nonempty_domain?.[d]
    if (range) length = Math.max(length, Number(integerOf(dimension.type, range.max)) + 1)
  }
  return length
}

async function writtenOf(top: DatasetPart, part: DatasetPart): Promise<number | undefined> {
  const opened = await openAsIngested(top, part)
  return opened && writtenIn(opened)
}

async function* checkBegins(
  top: DatasetPart,
  part: DatasetPart,
  { count, total, of }: { count: number; total: number; of: CountedList },
): Items {
  const opened = await openAsIngested(top, part)
  const name = opened?.schema.attributes[0]?.name
  const dimension = opened?.schema.domain.dimensions[0]
  if (!opened || name === undefined || dimension === undefined || opened.schema.domain.dimensions.length !== 1) return
  let before = 0
  let at = 0
  for await (const [places, values] of idsOf(opened, [dimension.name, name], undefined, 'row-major'))
    for (let cell = 0; cell < (values?.length ?? 0); cell++) {
      const place = places?.at(cell) ?? 0
      const value = values?.at(cell) ?? 0
      if (place > count) break
      if (value < before) {
        const expected = `${before} or more at position ${place}`
        yield finding('LAYER_COUNT', findingPlace(part, name), expected, value, 'order')
        return
      }
      before = value
      at = place
    }
  // The library keeps room for more edges than there are.
  const isRight = of === 'num_edges_history' ? before <= total : before === total
  if (at === count && !isRight)
    yield finding('LAYER_COUNT', findingPlace(part, name), `${total} at the end, as ${of} has`, before)
}
