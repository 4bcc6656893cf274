import { InspectError, isAboutBytes } from '../../base/errors.ts'
import { finding, type Items } from '../../check/finding.ts'
import type { OpenedArray } from '../../read/query.ts'
import { idsOf, openNow } from '../columns.ts'
import { IdSet } from '../id-set.ts'
import { idsText, MetIds } from '../id-text.ts'
import type { Part } from '../part.ts'
import { placeOf } from './check.ts'
import { AXES, isNDArray, JOINID, typeOf } from './objects.ts'
import { isUpgraded, shapeOf, shapeText } from './shape.ts'

/*
 * Whether the coordinates of arrays are rows of the data frames that they belong to. Memory holds a bit for each row.
 */

/** The rows of obs, or of var. */
interface Axis {
  part: Part
  ids: IdSet
  highest: number
  /** The rows that some array has a cell of. */
  used: IdSet
  /** The arrays that have this axis. */
  arrays: Part[]
}

/** Checks the joins of every experiment in a part. */
export async function* checkJoins(top: Part): Items {
  for (const part of top.all()) if ((await typeOf(part)) === 'SOMAExperiment') yield* checkExperiment(part)
}

async function* checkExperiment(experiment: Part): Items {
  const obs = yield* axisOf(experiment.parts.get('obs'))
  for (const measurement of experiment.parts.get('ms')?.parts.values() ?? []) {
    const axes = { obs, var: yield* axisOf(measurement.parts.get('var')) }
    for (const [collection, names] of Object.entries(AXES))
      for (const part of measurement.parts.get(collection)?.parts.values() ?? [])
        yield* guarded(part, () =>
          checkArray(
            part,
            names.map((name) => (name === null ? undefined : axes[name])),
          ),
        )
  }
  if (obs) yield* guarded(obs.part, () => checkUnused(obs))
}

/** Runs a part of the check. Damage that ends it is the finding of another check; what could not be examined is said. */
async function* guarded<T>(part: Part, run: () => Items<T>): Items<T | undefined> {
  try {
    return yield* run()
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    if (!isAboutBytes(error)) yield { notExamined: new InspectError(error.code, error.fault, placeOf(part)) }
    return undefined
  }
}

/** The rows of a data frame. Undefined if they cannot be read. */
async function* axisOf(part: Part | undefined): Items<Axis | undefined> {
  return part && (yield* guarded(part, () => readAxis(part)))
}

async function* readAxis(part: Part): Items<Axis | undefined> {
  const { array } = part
  const schema = await part.schema()
  const fields = [...(schema?.domain.dimensions ?? []), ...(schema?.attributes ?? [])]
  if (!array || fields.find(({ name }) => name === JOINID)?.type !== 'INT64') return undefined
  const { memory } = array.cx
  const axis: Axis = { part, ids: new IdSet(memory), highest: -1, used: new IdSet(memory), arrays: [] }
  const repeated = new MetIds()
  const negative = new MetIds()
  for await (const [ids] of idsOf(await openNow(array), [JOINID]))
    for (let cell = 0; cell < (ids?.length ?? 0); cell++) {
      const id = ids?.at(cell) ?? -1
      if (!Number.isSafeInteger(id) || id < 0) negative.add(ids?.exact(cell) ?? 0n)
      else if (!axis.ids.add(id)) repeated.add(BigInt(id))
      else if (id > axis.highest) axis.highest = id
    }
  const place = placeOf(part, JOINID)
  if (repeated.count > 0)
    yield finding('LAYER_ID_INVALID', place, `one row for each ${JOINID}`, `more rows for ${JOINID} ${repeated}`)
  if (negative.count > 0) yield finding('LAYER_ID_INVALID', place, `${JOINID} 0 to 2^53 - 1`, `${JOINID} ${negative}`)
  return axis
}

/** Checks the coordinates of an array. @param axes by dimension; undefined for one that is no axis, or whose rows are unknown */
async function* checkArray(part: Part, axes: readonly (Axis | undefined)[]): Items {
  const { array } = part
  const schema = await part.schema()
  if (!array || !schema || !isNDArray(schema) || part.member?.again) return
  for (const axis of new Set(axes)) axis?.arrays.push(part)
  const isDense = schema.array_type === 'dense'
  if (isDense || isUpgraded(schema)) {
    const shape = shapeOf(schema)
    for (const [d, axis] of axes.entries()) {
      const length = shape[d]
      if (!axis || length == null || length > axis.highest) continue
      const expected = `room for ${JOINID} ${axis.highest} of ${axis.part.path}`
      yield finding('LAYER_SHAPE', placeOf(part, `soma_dim_${d}`), expected, `the shape ${shapeText(shape)}`)
    }
  }
  // Every cell of a dense array is there, whether it was written or not.
  if (isDense) {
    for (const axis of axes) for (const id of axis?.ids ?? []) axis?.used.add(id)
    return
  }
  const opened = await openNow(array)
  const dimensions = axes.flatMap((axis, d) => (axis ? { axis, name: `soma_dim_${d}`, strangers: new MetIds() } : []))
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
    const expected = `${name} to be a ${JOINID} of ${axis.part.path}`
    yield finding(
      'LAYER_ID_UNKNOWN',
      placeOf(part, name),
      expected,
      `${strangers}, which it does not have (${cellsText(strangers.count)})`,
    )
  }
  if (schema.allows_duplicates) yield* checkDuplicates(part, opened, names)
  else if (held > read && opened.deletes.length === 0) yield* checkAgain(part, opened, held - read)
}

/** Finds coordinates that an array with duplicates has several times. Its cells are read in order. */
async function* checkDuplicates(part: Part, opened: OpenedArray, names: readonly string[]): Items {
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
  yield finding('LAYER_CELLS_AGAIN', placeOf(part), 'one cell for each coordinates', found, 'duplicates')
}

/** Finds a row whose cells several fragments have. @param count number of cells that later ones replace */
async function* checkAgain(part: Part, opened: OpenedArray, count: number): Items {
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
  yield finding('LAYER_CELLS_AGAIN', placeOf(part), 'each cell written once', found)
}

/**
 * Finds out whether no array has any cell of the rows that were written last, though other rows have some. A row without values is nothing
 * unusual.
 */
async function* checkUnused({ part, used, arrays }: Axis): Items {
  const { array } = part
  if (used.size === 0 || arrays.length === 0 || !array) return
  const opened = await openNow(array)
  const last = opened.fragments.at(-1)
  if (!last || opened.fragments.length < 2) return
  const rows = new IdSet(array.cx.memory)
  for await (const [ids] of idsOf({ ...opened, fragments: [last] }, [JOINID]))
    for (let cell = 0; cell < (ids?.length ?? 0); cell++) {
      const id = ids?.at(cell) ?? -1
      if (id < 0 || used.has(id)) return
      rows.add(id)
    }
  if (rows.size === 0) return
  const where = arrays.map(({ path }) => path).join(', ')
  yield finding('LAYER_ID_UNUSED', placeOf(part, JOINID), `cells in ${where}`, `none of ${JOINID} ${idsText(rows)}`)
}

function cellsText(count: number): string {
  return count === 1 ? '1 cell' : `${count} cells`
}
