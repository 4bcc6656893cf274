import { InspectError, usage } from '../../base/errors.ts'
import type { Bounds } from '../../cells/bounds.ts'
import { type CellBatch, type ColumnData, type ColumnType, cellBytes } from '../../cells/column.ts'
import { uint32LanesOf } from '../../cells/elements.ts'
import type { ArraySchema } from '../../format/array-schema.ts'
import { datatypeKind } from '../../format/datatype.ts'
import { openAt } from '../../read/opening.ts'
import { readColumns } from '../../read/query.ts'
import { readMerged } from '../../read/read.ts'
import { loadWhere } from '../../read/where.ts'
import { int64At } from '../columns.ts'
import { IdSet } from '../id-set.ts'
import type { AxisConditions, AxisName, LayerSelection } from '../layer.ts'
import type { DatasetPart } from '../part.ts'
import { AXES, isNDArray, JOINID, typeOf } from './objects.ts'

/** Most ranges that a read is asked for. The rows between them are left out afterwards. */
const MAX_RANGES = 32

/** Share of the memory of a run that the names of the rows of an axis may take. */
const NAMES_SHARE = 1 / 8
/** Bytes of a name besides its text: its place in a map. */
const NAME_BYTES = 100

/** An axis of a selection: the rows that are wanted, and their names. */
interface SelectedAxis {
  axis: AxisName
  dimension: number
  ids: IdSet
  /** Column with the name of each row, such as `obs_id`. Undefined if there is none, or no memory for it. */
  column: ColumnType | undefined
  names: Map<number, Uint8Array>
}

/**
 * The cells of an array of a measurement whose rows of obs and var meet conditions, as tiledbsoma's `axis_query` selects them.
 * @param path names below `ms`: `RNA/X/data`
 * @throws InspectError USAGE if there is no such array, or it has no such axis; and those of conditions
 */
export async function select(
  experiment: DatasetPart,
  path: string,
  conditions: AxisConditions,
): Promise<LayerSelection> {
  const [measurementName = '', collection = '', ...rest] = path.split('/')
  const measurement = experiment.find(['ms', measurementName])
  const part = measurement?.find([collection, ...rest])
  const schema = await part?.schema()
  const axes = Object.hasOwn(AXES, collection) ? AXES[collection] : undefined
  const hasAxes = schema && axes && isNDArray(schema) && schema.domain.dimensions.length >= axes.length
  if (!part?.array || !measurement || !hasAxes) {
    const other = experiment.find(path.split('/'))?.array
    const hint = other ? '; it is a target of its own, without --layer' : ''
    const known = `an array of a measurement, such as ${await example(experiment)}`
    throw usage(`--layer expects ${known}, found ${JSON.stringify(path)}${hint}`)
  }
  for (const name of ['obs', 'var'] as const)
    if (conditions[name] !== undefined && !axes.includes(name))
      throw usage(`--where-${name} needs an array whose rows are those of ${name}: ${path} has none`)
  const frames = { obs: experiment.parts.get('obs'), var: measurement.parts.get('var') }
  const selected: SelectedAxis[] = []
  for (const [dimension, name] of axes.entries()) {
    const frame = name === null ? undefined : frames[name]
    if (name !== null && frame) selected.push({ axis: name, dimension, ...(await selectRows(frame, conditions[name])) })
  }
  const opened = await openAt(part.array)
  const dimensions = schema.domain.dimensions.length
  return {
    opened,
    ranges: new Map(selected.map(({ dimension, ids }) => [dimension, rangesOf(ids)])),
    columns: (columns) => withNames(columns, selected, dimensions),
    batches: (batches) => selectedBatches(batches, selected, dimensions),
  }
}

/** The path of the first array, for messages. */
async function example(experiment: DatasetPart): Promise<string> {
  for (const [name, measurement] of experiment.parts.get('ms')?.parts ?? [])
    for (const layer of measurement.parts.get('X')?.parts.keys() ?? []) return `${name}/X/${layer}`
  return (await typeOf(experiment)) === 'SOMAExperiment' ? 'RNA/X/data' : 'RNA/X/data of an experiment'
}

/** The rows of a data frame that meet a condition. */
async function selectRows(
  frame: DatasetPart,
  condition: string | undefined,
): Promise<Pick<SelectedAxis, 'ids' | 'column' | 'names'>> {
  const { array } = frame
  const schema = await frame.schema()
  if (!array || !schema) throw new InspectError('NOT_FOUND', `${frame.path} cannot be read`, { file: frame.file })
  const opened = await openAt(array)
  const where = condition === undefined ? undefined : await loadWhere(condition, schema, array)
  const name = nameColumn(schema)
  const fields = [JOINID, ...(name === undefined ? [] : [name])]
  const query = { order: 'unordered', ranges: new Map(), fields, where, reuse: true } as const
  const columns = readColumns(opened.schema, query)
  const [idPlace, namePlace] = [JOINID, name].map((field) => columns.findIndex((column) => column.name === field))
  const { memory } = array.cx
  const names = new Map<number, Uint8Array>()
  const ids = new IdSet(memory)
  let room = memory.facts.bytes * NAMES_SHARE
  for await (const batch of readMerged(opened, query)) {
    const data = batch.columns[idPlace ?? -1]
    const texts = batch.columns[namePlace ?? -1]
    if (!data) continue
    const lanes = uint32LanesOf(data.data)
    for (const row of rowsOf(batch)) {
      const id = int64At(lanes, row)
      if (id < 0) continue
      ids.add(id)
      if (!texts || room < 0) continue
      const text = cellBytes(texts, row, 0).slice()
      room -= text.length + NAME_BYTES
      names.set(id, text)
    }
  }
  // Names of only some rows would mislead.
  const column = room < 0 || name === undefined ? undefined : nullable(columns[namePlace ?? -1])
  return { ids, column, names }
}

function nullable(column: ColumnType | undefined): ColumnType | undefined {
  return column && { ...column, kind: 'attribute', nullable: true }
}

/** The column that names the rows: a dimension of text, or `obs_id`, `var_id`, or the first text. */
function nameColumn({ domain, attributes }: ArraySchema): string | undefined {
  const texts = [...domain.dimensions, ...attributes].filter(
    ({ type, cell_val_num }) => datatypeKind(type) === 'text' && cell_val_num === 'var',
  )
  return (texts.find(({ name }) => /^(?:obs|var)_id$/.test(name)) ?? texts[0])?.name
}

/** Few ranges that hold all ids: the smallest gaps between runs are closed. Without ids, a range that holds none. */
function rangesOf(ids: IdSet): Bounds[] {
  const runs: { low: number; high: number }[] = []
  let gap = 1
  for (const id of ids) {
    const last = runs[runs.length - 1]
    if (last && id - last.high <= gap) last.high = id
    else runs.push({ low: id, high: id })
    while (runs.length > 2 * MAX_RANGES) {
      gap *= 2
      closeGaps(runs, gap)
    }
  }
  if (runs.length === 0) runs.push({ low: -1, high: -1 })
  return runs.map(({ low, high }) => ({ low: BigInt(low), high: BigInt(high) }))
}

function closeGaps(runs: { low: number; high: number }[], gap: number): void {
  let kept = 0
  for (const run of runs) {
    const last = runs[kept - 1]
    if (kept > 0 && last && run.low - last.high <= gap) last.high = run.high
    else runs[kept++] = run
  }
  runs.length = kept
}

/** The columns of a read, with the names of rows after the dimensions. Equal names get the name of their axis. */
function withNames(columns: readonly ColumnType[], axes: readonly SelectedAxis[], dimensions: number): ColumnType[] {
  const named = axes.flatMap(({ column, axis }) => (column ? { column, axis } : []))
  const names = named.map(({ column, axis }) => {
    const isTwice = named.filter((one) => one.column.name === column.name).length > 1
    return isTwice ? { ...column, name: `${axis}.${column.name}` } : column
  })
  return [...columns.slice(0, dimensions), ...names, ...columns.slice(dimensions)]
}

/** The cells whose ids are wanted, with names. */
async function* selectedBatches(
  batches: AsyncIterable<CellBatch>,
  axes: readonly SelectedAxis[],
  dimensions: number,
): AsyncGenerator<CellBatch> {
  for await (const batch of batches) {
    const lanes = batch.columns.slice(0, dimensions).map((column) => uint32LanesOf(column?.data ?? new Uint8Array(0)))
    const rows: number[] = []
    for (const row of rowsOf(batch))
      if (axes.every(({ dimension, ids }) => isWanted(ids, int64At(lanes[dimension], row)))) rows.push(row)
    if (rows.length === 0) continue
    const names = axes.flatMap((axis) =>
      axis.column ? namesOf(axis, lanes[axis.dimension], batch.cell_num, rows) : [],
    )
    const columns = [...batch.columns.slice(0, dimensions), ...names, ...batch.columns.slice(dimensions)]
    yield { ...batch, columns, rows: Uint32Array.from(rows) }
  }
}

function isWanted(ids: IdSet, id: number): boolean {
  return id >= 0 && ids.has(id)
}

/** A column with the names of some rows; the others are null. */
function namesOf(
  { names }: SelectedAxis,
  lanes: Uint32Array | undefined,
  count: number,
  rows: readonly number[],
): ColumnData {
  const texts = new Map<number, Uint8Array>()
  let length = 0
  for (const row of rows) {
    const text = names.get(int64At(lanes, row))
    if (!text) continue
    texts.set(row, text)
    length += text.length
  }
  const data = new Uint8Array(length)
  const starts = new Float64Array(count + 1)
  const validity = new Uint8Array(count)
  let at = 0
  for (let row = 0; row < count; row++) {
    starts[row] = at
    const text = texts.get(row)
    if (!text) continue
    data.set(text, at)
    at += text.length
    validity[row] = 1
  }
  starts[count] = at
  return { data, starts, validity }
}

function* rowsOf({ rows, cell_num }: CellBatch): Generator<number> {
  if (rows) yield* rows
  else for (let row = 0; row < cell_num; row++) yield row
}
