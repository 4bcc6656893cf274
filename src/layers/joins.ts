import { InspectError, isAboutBytes } from '../base/errors.ts'
import type { Memory } from '../base/memory.ts'
import { finding, type Items } from '../check/finding.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { InspectArray } from '../objects/array.ts'
import { openAt, unreadFragments } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { idsOf, isIdType, openNow } from './columns.ts'
import { IdSet } from './id-set.ts'
import { idsText, MetIds } from './id-text.ts'
import type { DatasetPart } from './part.ts'
import { findingPlace } from './place.ts'

/*
 * Whether the coordinates of arrays are rows of the data frames that they belong to. Memory holds a bit for each row.
 */

/** The rows of a data frame, which coordinates of other arrays name. */
export interface FrameAxis {
  part: DatasetPart
  /** What a row is called: the column that has its id, or a word. */
  id: string
  ids: IdSet
  highest: number
  /** The rows that some array has a cell of. */
  used: IdSet
  /** The arrays that have this axis. */
  arrays: DatasetPart[]
}

function newAxis(part: DatasetPart, id: string, memory: Memory): FrameAxis {
  return { part, id, ids: new IdSet(memory), highest: -1, used: new IdSet(memory), arrays: [] }
}

/** Runs a part of the check. Damage that ends it is the finding of another check; what could not be examined is said. */
export async function* guardedJoin<T>(part: DatasetPart, run: () => Items<T>): Items<T | undefined> {
  try {
    return yield* run()
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    if (!isAboutBytes(error)) yield { notExamined: new InspectError(error.code, error.fault, findingPlace(part)) }
    return undefined
  }
}

/** A part of a check that has no findings of its own, for {@link guardedJoin}. */
// biome-ignore lint/correctness/useYield: the others have findings
export async function* returned<T>(value: Promise<T>): Items<T> {
  return await value
}

/**
 * Opens an array whose cells tell what is missing. Undefined if TileDB reads nothing of it, though fragments are complete: their own
 * check says so.
 * @throws InspectError of a fragment that cannot be opened
 */
export async function openWhole(array: InspectArray, to?: bigint): Promise<OpenedArray | undefined> {
  const opened = await openAt(array, to === undefined ? {} : { to })
  if (opened.fragments.length > 0) return opened
  return (await unreadFragments(array, await array.fragments())).length > 0 ? undefined : opened
}

/** Whether the cells of an array tell what is missing: {@link openWhole}. */
export async function* opensWhole(part: DatasetPart | undefined): Items<boolean> {
  const array = part?.array
  if (!part || !array) return false
  return (yield* guardedJoin(part, () => returned(openWhole(array)))) !== undefined
}

/** The rows of a data frame whose ids are a column. Undefined if they cannot be read. */
export async function* columnAxis(part: DatasetPart | undefined, id: string): Items<FrameAxis | undefined> {
  return part && (yield* guardedJoin(part, () => readAxis(part, id)))
}

async function* readAxis(part: DatasetPart, id: string): Items<FrameAxis | undefined> {
  const { array } = part
  const schema = await part.schema()
  const fields = [...(schema?.domain.dimensions ?? []), ...(schema?.attributes ?? [])]
  if (!array || fields.find(({ name }) => name === id)?.type !== 'INT64') return undefined
  const opened = await openWhole(array)
  if (!opened) return undefined
  const axis = newAxis(part, id, array.cx.memory)
  const repeated = new MetIds()
  const negative = new MetIds()
  for await (const [ids] of idsOf(opened, [id]))
    for (let cell = 0; cell < (ids?.length ?? 0); cell++) {
      const one = ids?.at(cell) ?? -1
      if (!Number.isSafeInteger(one) || one < 0) negative.add(ids?.exact(cell) ?? 0n)
      else if (!axis.ids.add(one)) repeated.add(BigInt(one))
      else if (one > axis.highest) axis.highest = one
    }
  const place = findingPlace(part, id)
  if (repeated.count > 0)
    yield finding('LAYER_ID_INVALID', place, `one row for each ${id}`, `more rows for ${id} ${repeated}`)
  if (negative.count > 0) yield finding('LAYER_ID_INVALID', place, `${id} 0 to 2^53 - 1`, `${id} ${negative}`)
  return axis
}

/** The rows of a dense data frame: the coordinates that were written. Undefined as in {@link columnAxis}. */
export async function* rowAxis(part: DatasetPart | undefined): Items<FrameAxis | undefined> {
  return part && (yield* guardedJoin(part, () => countRows(part)))
}

// biome-ignore lint/correctness/useYield: it is run as the other kind of axis is, which has findings
async function* countRows(part: DatasetPart): Items<FrameAxis | undefined> {
  const { array } = part
  const schema = await part.schema()
  const [dimension] = schema?.domain.dimensions ?? []
  if (!array || !dimension || schema?.array_type !== 'dense' || !isIdType(dimension.type)) return undefined
  const opened = await openWhole(array)
  if (!opened) return undefined
  const axis = newAxis(part, 'row', array.cx.memory)
  for (const { info } of opened.fragments) {
    const [written] = info.nonempty_domain ?? []
    if (!written) continue
    const last = Number(integerOf(dimension.type, written.max))
    axis.ids.addRun(Number(integerOf(dimension.type, written.min)), last)
    axis.highest = Math.max(axis.highest, last)
  }
  return axis
}

/** Checks that the coordinates of a sparse array are rows. @param axes by dimension; undefined for one that is no axis, or whose rows are unknown */
export async function* checkAxisCoordinates(part: DatasetPart, axes: readonly (FrameAxis | undefined)[]): Items {
  const { array } = part
  const schema = await part.schema()
  if (!array || !schema) return
  const dimensions = schema.domain.dimensions.flatMap(({ name }, d) => {
    const axis = axes[d]
    return axis ? { axis, name, strangers: new MetIds() } : []
  })
  if (dimensions.length === 0) return
  const opened = await openNow(array)
  let held = 0
  let read = 0
  const names = dimensions.map(({ name }) => name)
  for await (const columns of idsOf(opened, names, (cells) => {
    held += cells
  })) {
    read += columns[0]?.length ?? 0
    for (const [d, { axis, strangers }] of dimensions.entries()) {
      const ids = columns[d]
      if (!ids) continue
      const { ids: known, used } = axis
      // Coordinates come in runs.
      let last = -1
      for (let cell = 0; cell < ids.length; cell++) {
        const id = ids.at(cell)
        if (id === last) continue
        if (id >= 0 && known.has(id)) {
          used.add(id)
          last = id
        } else strangers.add(ids.exact(cell))
      }
    }
  }
  for (const { axis, name, strangers } of dimensions) {
    if (strangers.count === 0) continue
    const expected = `every ${name} to be a ${axis.id} of ${axis.part.path}`
    yield finding(
      'LAYER_ID_UNKNOWN',
      findingPlace(part, name),
      expected,
      `${cellsText(strangers.count)} with ${name} ${strangers}, which ${axis.part.path} does not have`,
    )
  }
  if (schema.allows_duplicates) yield* checkDuplicates(part, opened)
  else if (held > read && opened.deletes.length === 0) yield* checkAgain(part, opened, held - read)
}

/** Finds coordinates that an array with duplicates has several times. Its cells are read in order. */
async function* checkDuplicates(part: DatasetPart, opened: OpenedArray): Items {
  const { dimensions } = opened.schema.domain
  if (!dimensions.every(({ type }) => isIdType(type))) return
  const names = dimensions.map(({ name }) => name)
  const before: (bigint | undefined)[] = names.map(() => undefined)
  let count = 0
  let first = ''
  for await (const columns of idsOf(opened, names, undefined, 'row-major'))
    for (let cell = 0; cell < (columns[0]?.length ?? 0); cell++) {
      const now = columns.map((ids) => ids.exact(cell))
      if (now.every((id, d) => id === before[d])) {
        if (count++ === 0) first = `(${now.join(', ')})`
      }
      for (const [d, id] of now.entries()) before[d] = id
    }
  if (count === 0) return
  const found = `more at ${first}${count > 1 ? `, and ${count - 1} others` : ''}`
  yield finding('LAYER_CELLS_AGAIN', findingPlace(part), 'one cell for each coordinates', found, 'duplicates')
}

/** Finds a row whose cells several fragments have. @param count number of cells that later ones replace */
async function* checkAgain(part: DatasetPart, opened: OpenedArray, count: number): Items {
  const seen = new IdSet(opened.array.cx.memory)
  const again = new IdSet(opened.array.cx.memory)
  const [{ name } = { name: '' }] = opened.schema.domain.dimensions
  for (const one of opened.fragments) {
    const own = new IdSet(opened.array.cx.memory)
    for await (const [ids] of idsOf({ ...opened, fragments: [one] }, [name]))
      for (let cell = 0; cell < (ids?.length ?? 0); cell++) own.add(ids?.at(cell) ?? 0)
    for (const id of own) if (!seen.add(id)) again.add(id)
  }
  const found = `${cellsText(count)} that a later write replaces, in ${name} ${idsText(again)}`
  yield finding('LAYER_CELLS_AGAIN', findingPlace(part), 'each cell written once', found)
}

function* unusedIn(ids: Iterable<number>, isUsed: (id: number) => boolean): Generator<number> {
  for (const id of ids) if (!isUsed(id)) yield id
}

/**
 * Finds out whether no array has any cell of the rows that were written last, though other rows have some. A row without values is nothing
 * unusual. The ids must be a column.
 */
export async function* checkUnused({ part, id: name, ids: all, used, arrays }: FrameAxis): Items {
  const { array } = part
  if (used.size === 0 || arrays.length === 0 || !array) return
  const opened = await openNow(array)
  const last = opened.fragments.at(-1)
  if (!last || opened.fragments.length < 2) return
  const rows = new IdSet(array.cx.memory)
  for await (const [ids] of idsOf({ ...opened, fragments: [last] }, [name]))
    for (let cell = 0; cell < (ids?.length ?? 0); cell++) {
      const id = ids?.at(cell) ?? -1
      if (id < 0 || used.has(id)) return
      rows.add(id)
    }
  if (rows.size === 0) return
  const where = arrays.map(({ path }) => path).join(', ')
  const others = unusedIn(all, (id) => used.has(id) || rows.has(id))
  const more = others.next().done ? '' : `; none of ${idsText(unusedIn(all, (id) => used.has(id)))} in all`
  yield finding(
    'LAYER_ID_UNUSED',
    findingPlace(part, name),
    `cells in ${where}`,
    `none of ${name} ${idsText(rows)}${more}`,
  )
}

function cellsText(count: number): string {
  return count === 1 ? '1 cell' : `${count} cells`
}
