import { groupBy } from '../base/group-by.ts'
import { shownLabels } from '../calls/cells-outcome.ts'
import type { CommandContext } from '../calls/command.ts'
import { differences, keyInPath } from '../calls/compare-results.ts'
import { FieldReport } from '../calls/field-report.ts'
import { NotUniqueReport } from '../calls/not-unique.ts'
import { packDocument } from '../calls/page-data.ts'
import { RefusedChunks, tellRefused } from '../calls/refused.ts'
import { shownEnumerations, tellingFaults } from '../calls/shown-enumerations.ts'
import { bytesOfRead } from '../calls/work-size.ts'
import type { Comparable } from '../cells/bounds.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { compareCoordinates, coordinatesOf } from '../cells/coordinates.ts'
import { columnValue } from '../cells/rows.ts'
import type { CellsLine } from '../documents/cells.ts'
import type { NotUniqueInfo } from '../documents/common.ts'
import type { DiffLine } from '../documents/diff.ts'
import type { CellValue } from '../format/value.ts'
import { type OpenedArray, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { below, type Compared, type DiffComparison } from './diff-comparison.ts'

/** All cells with the same coordinates. There are several only if the array allows duplicates. */
interface CellGroup {
  coordinates: readonly Comparable[]
  rows: readonly CellsLine[]
}

/** Differences of the fields that readers see. */
export function* fieldDifferences(prefix: string, left: OpenedArray, right: OpenedArray): Generator<DiffLine> {
  yield* differences(below(prefix, 'array_type'), left.schema.array_type, right.schema.array_type)
  yield* differences(below(prefix, 'fields'), columnsOf(left), columnsOf(right))
}

const QUERY = { order: 'row-major', ranges: new Map() } as const

function columnsOf({ schema }: OpenedArray): readonly ColumnType[] {
  return readColumns(schema, QUERY)
}

/**
 * Compares the cells that readers of two arrays see. Cells are matched by their coordinates. Attributes that only one array has are
 * left out, and values of enumerations are compared instead of their indexes. Besides what a read in row-major order needs,
 * only the cells of one place are in memory. If the dimensions differ, nothing is compared.
 */
export async function compareReads(
  run: DiffComparison,
  result: Compared,
  prefix: string,
  left: OpenedArray,
  right: OpenedArray,
): Promise<void> {
  const { cx } = run
  const [leftColumns, rightColumns] = [columnsOf(left), columnsOf(right)]
  const dimensions = leftColumns.filter(({ kind }) => kind === 'dimension')
  const rightDimensions = rightColumns.filter(({ kind }) => kind === 'dimension')
  if (!differences('', dimensions, rightDimensions).next().done) {
    if (!run.options.read) run.lost(below(prefix, 'cells'))
    return
  }
  const names = leftColumns.flatMap(({ kind, name }) =>
    kind === 'attribute' && rightColumns.some((column) => column.kind === kind && column.name === name) ? [name] : [],
  )
  const [ofLeft, ofRight] = run.notUnique
  const [a, b] = [placesOf(cx, left, names, ofLeft), placesOf(cx, right, names, ofRight)]
  const counts = { cells_same: 0, cells_changed: 0, cells_only_a: 0, cells_only_b: 0 }
  const total = async (): Promise<number> =>
    (await bytesOfRead(left, { fields: names })) + (await bytesOfRead(right, { fields: names }))
  const progress = cx.progress({ what: 'comparing cells', total })
  try {
    let [x, y] = [await a.next(), await b.next()]
    while (!x.done || !y.done) {
      const side = sideOf(x, y)
      const [leftRows, rightRows] = [side <= 0 && !x.done ? x.value.rows : [], side >= 0 && !y.done ? y.value.rows : []]
      for (const [row, otherRow] of pairs(leftRows, rightRows)) {
        const path = below(prefix, pathOf(dimensions, row ?? otherRow))
        const differs = result.addCell(differences(path, row, otherRow))
        if (!differs) counts.cells_same++
        else if (!row) counts.cells_only_b++
        else if (!otherRow) counts.cells_only_a++
        else counts.cells_changed++
      }
      if (side <= 0) x = await a.next()
      if (side >= 0) y = await b.next()
    }
  } finally {
    progress.stop()
    await a.return(undefined)
    await b.return(undefined)
  }
  result.sameCells = counts.cells_changed + counts.cells_only_a + counts.cells_only_b === 0
  run.addCounts(counts)
}

/**
 * The cells that a reader sees, one place after another in row-major order.
 * @param reasons gets why the answer is not unique
 */
async function* placesOf(
  cx: CommandContext,
  opened: OpenedArray,
  fields: readonly string[],
  reasons: NotUniqueInfo[],
): AsyncGenerator<CellGroup, undefined> {
  const notUnique = new NotUniqueReport(opened.fragments)
  const chunks = new RefusedChunks()
  const query = { ...QUERY, fields, onNotUnique: notUnique.add, onRefused: chunks.add }
  const columns = readColumns(opened.schema, query)
  const { dimensions } = opened.schema.domain
  const report = new FieldReport()
  const told = new Set<string>()
  const enumerations = await shownEnumerations(opened, { labels: true }, report, tellingFaults(cx, told))
  const values = columns.map((column) =>
    columnValue(column, cx.style, shownLabels({ enumerations, report }, column, cx.style)),
  )
  let place: { coordinates: readonly Comparable[]; rows: CellsLine[] } | undefined
  for await (const batch of readMerged(opened, query)) {
    for (const cell of cellsOf(batch)) {
      const coordinates = coordinatesOf(dimensions, batch.columns, cell)
      const row: { [field: string]: CellValue } = Object.create(null)
      columns.forEach(({ name }, c) => {
        row[name] = values[c](batch.columns[c] as ColumnData, cell)
      })
      if (place && compareCoordinates(place.coordinates, coordinates) === 0) place.rows.push(row)
      else {
        if (place) yield place
        place = { coordinates, rows: [row] }
      }
    }
  }
  if (place) yield place
  notUnique.tell(cx)
  reasons.push(...(notUnique.result() ?? []))
  await tellRefused(cx, opened, fields, told, chunks)
  return undefined
}

/** Which of two reads comes next: below 0 the left one, above 0 the right one, 0 both. One of them at least has not ended. */
function sideOf(x: IteratorResult<CellGroup, undefined>, y: IteratorResult<CellGroup, undefined>): number {
  if (x.done) return 1
  return y.done ? -1 : compareCoordinates(x.value.coordinates, y.value.coordinates)
}

function* cellsOf({ rows, cell_num }: CellBatch): Generator<number> {
  if (rows) yield* rows
  else for (let cell = 0; cell < cell_num; cell++) yield cell
}

/** Pairs the equal cells of a place, and then the others in their order. A cell without a partner is paired with null. */
function pairs(a: readonly CellsLine[], b: readonly CellsLine[]): [CellsLine | null, CellsLine | null][] {
  if (a.length <= 1 && b.length <= 1) return [[a[0] ?? null, b[0] ?? null]]
  const unpaired = groupBy(b, rowText)
  const found: [CellsLine | null, CellsLine | null][] = []
  const alone: CellsLine[] = []
  for (const row of a) {
    const partner = unpaired.get(rowText(row))?.pop()
    if (partner) found.push([row, partner])
    else alone.push(row)
  }
  const rest = [...unpaired.values()].flat()
  for (let i = 0; i < Math.max(alone.length, rest.length); i++) found.push([alone[i] ?? null, rest[i] ?? null])
  return found
}

/** A text that is the same for two cells only if all their values are the same. */
function rowText(row: CellsLine): string {
  return JSON.stringify(row, packDocument)
}

/** The path of a cell in the list of differences: `cells[x=1,y=2]`. */
function pathOf(dimensions: readonly ColumnType[], row: CellsLine | null): string {
  const shown = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value))
  return `cells[${dimensions.map(({ name }) => `${keyInPath(name)}=${shown(row?.[name])}`).join(',')}]`
}
