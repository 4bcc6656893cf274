import { faultOf, InspectError, orError } from '../base/errors.ts'
import { cellsOutcome, FaultList, parseLimit } from '../calls/cells-outcome.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead, errorResult } from '../calls/document-parts.ts'
import type { GenomicsdbHandler } from '../calls/genomicsdb.ts'
import { type OpenedWorkspace, openWorkspace } from '../calls/genomicsdb-facts.ts'
import { parseCallRanges } from '../calls/genomicsdb-ranges.ts'
import { unknownField } from '../calls/option-values.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { columnValue } from '../cells/rows.ts'
import type { CellsLine, CellsTail } from '../documents/cells.ts'
import type { GenomicsdbArray } from '../genomicsdb/array.ts'
import { type CallField, callFields } from '../genomicsdb/call-fields.ts'
import {
  type CallMaps,
  callBatches,
  callColumns,
  FIRST_FIELD,
  FragmentColumns,
  placeFields,
} from '../genomicsdb/calls.ts'
import { openGenomicsdbFragment } from '../genomicsdb/fragment.ts'
import type { WantedCalls } from '../genomicsdb/merge.ts'
import { listsOf } from '../genomicsdb/values.ts'
import { columnsOf, type Interval } from '../genomicsdb/workspace.ts'
import type { ShownColumn } from '../rows/cell-lines.ts'

interface Options {
  field?: string[]
  range?: string[]
  limit?: string
  keepGoing?: boolean
  provenance?: boolean
}

export const handler: GenomicsdbHandler<Options> = {
  async *run(cx, target, _args, options) {
    const faults = new FaultList(cx)
    const onFault = (fault: InspectError): void => {
      if (!options.keepGoing) throw fault
      faults.addNew(fault)
    }
    const opened = await openWorkspace(cx, 'read', target, onFault)
    if (!opened.workspace)
      cx.note('there is no workspace around the array: samples and contigs have no names', 'target')
    const wanted = parseCallRanges(options.range ?? [], opened.maps)
    const touched = await touchedIntervals(opened, wanted)
    if (touched.length === 0 && opened.intervals.length > 0) cx.note('no interval has these positions', 'target')
    yield await callsOutcome(cx, target.path, { ...opened, intervals: touched }, { wanted, faults, onFault }, options)
  },
}

/** The intervals that have wanted positions. */
async function touchedIntervals(
  { intervals, maps }: OpenedWorkspace,
  { columns }: WantedCalls,
): Promise<readonly Interval[]> {
  if (!columns) return intervals
  const touched: Interval[] = []
  for (const interval of intervals) {
    const own = await columnsOf(interval, maps.vidmap)
    if (!own || columns.some(([from, to]) => from <= own[1] && to >= own[0])) touched.push(interval)
  }
  return touched
}

interface Reading {
  wanted: WantedCalls
  /** The faults that were passed over. */
  faults: FaultList
  /** Throws a fault, or passes over it with --keep-going. */
  onFault: (fault: InspectError) => void
}

async function callsOutcome(
  cx: CommandContext,
  path: string,
  opened: OpenedWorkspace,
  { wanted, faults, onFault }: Reading,
  options: Options,
): Promise<Outcome> {
  const limit = parseLimit(options.limit)
  const { columns, fields } = await shownColumns(opened, options, onFault)
  const unknown: Unknown = { row: new Set(), column: new Set() }
  const batches = (): AsyncGenerator<CellBatch> =>
    allBatches(
      opened,
      { columns, fields, wanted, provenance: options.provenance ?? false },
      (what, number) => unknown[what].add(number),
      onFault,
    )
  const lists = columns.map((_, c) => {
    const field = fields[c - FIRST_FIELD]
    return field && listsOf(field)
  })
  const tail = (): CellsTail => ({ errors: errorsOf(cx, faults) })
  async function* rows(): AsyncGenerator<CellsLine, CellsTail & { call_num: number }> {
    const values = columns.map((column, c) => ({ name: column.name, at: lists[c] ?? columnValue(column, cx.style) }))
    const call_num = limit > 0 ? yield* callRows(batches(), values, limit) : 0
    noteUnknown(cx, unknown)
    return { call_num, ...tail() }
  }
  const head = documentHead('genomicsdb-calls', cx.shownPath(path))
  return {
    ...cellsOutcome(cx, head, rows, { columns, one: 'call' }, options),
    list: 'calls',
    columns: () => columns.map(({ name }) => name),
    async cellLines(out, style) {
      const { writeCellLines } = await import('../rows/cell-lines.ts')
      const shown = columns.map(
        (column, c): ShownColumn => ({ column, ...(lists[c] && { value: lists[c], made: true }) }),
      )
      const notes = await writeCellLines(shown, batches(), out, { ...cx.style, ...style }, { limit })
      noteUnknown(cx, unknown)
      return { ...notes, tail: tail() }
    },
    async records(out, format) {
      const { writeCallRecords } = await import('../calls/genomicsdb-records.ts')
      await writeCallRecords({ columns, lists, fields }, batches(), out, { format, raw: cx.style.raw, limit })
      noteUnknown(cx, unknown)
      return tail()
    },
  }
}

/** Rows and columns of calls that the maps of the workspace do not have. */
type Unknown = Readonly<Record<'row' | 'column', Set<number>>>

function noteUnknown(cx: CommandContext, { row, column }: Unknown): void {
  if (row.size > 0)
    cx.note(`callset.json has no sample of row ${[...row].slice(0, 5).join(', ')}: such calls have no name`, 'target')
  if (column.size > 0) cx.note('vidmap.json has no contig at some columns: such calls have no place', 'target')
}

/** The calls of batches as rows. @param values of each column @returns number of rows, `limit` at most */
async function* callRows(
  batches: AsyncGenerator<CellBatch>,
  values: readonly { name: string; at: (data: ColumnData, cell: number) => unknown }[],
  limit: number,
): AsyncGenerator<CellsLine, number> {
  let call_num = 0
  for await (const { cell_num, columns } of batches) {
    for (let cell = 0; cell < cell_num && call_num < limit; cell++, call_num++) {
      // Without a prototype, because a field may have any name.
      const row: Record<string, unknown> = Object.create(null)
      for (const [c, { name, at }] of values.entries()) {
        const data = columns[c]
        if (data) row[name] = at(data, cell)
      }
      yield row as CellsLine
    }
    if (call_num >= limit) break
  }
  return call_num
}

function errorsOf(cx: CommandContext, { listed }: FaultList): CellsTail['errors'] {
  return listed.length === 0 ? undefined : listed.map((error) => errorResult(cx, error))
}

/** The columns of all intervals, in the order in which they first occur, and their fields. */
async function shownColumns(
  { intervals, maps }: OpenedWorkspace,
  { field: named, provenance }: Options,
  onFault: Reading['onFault'],
): Promise<{ columns: readonly ColumnType[]; fields: readonly CallField[] }> {
  const fields: CallField[] = []
  const known = new Set<string>()
  for (const interval of intervals) {
    const array = await orError(() => interval.array())
    if (array instanceof InspectError) {
      onFault(array)
      continue
    }
    for (const one of fieldsOf(array, maps)) {
      if (known.has(one.stored.name)) continue
      known.add(one.stored.name)
      fields.push(one)
    }
  }
  const names = fields.map(({ stored }) => stored.name)
  const unknown = named?.find((name) => !known.has(name))
  if (unknown !== undefined) throw unknownField('--field', unknown, names)
  const wanted = named && new Set(named)
  const shown = wanted ? fields.filter(({ stored }) => wanted.has(stored.name)) : fields
  return { columns: callColumns({ fields: shown, provenance }), fields: shown }
}

function fieldsOf({ fields }: GenomicsdbArray, { vidmap }: CallMaps): CallField[] {
  return callFields(fields.slice(0, -1), vidmap?.fields ?? [])
}

/** How the calls of all intervals become batches with one list of columns. */
interface Shown {
  columns: readonly ColumnType[]
  /** The fields among them. */
  fields: readonly CallField[]
  wanted: WantedCalls
  provenance: boolean
}

async function* allBatches(
  { intervals, maps }: OpenedWorkspace,
  { columns, fields: shownFields, wanted, provenance }: Shown,
  onUnknown: (what: keyof Unknown, number: number) => void,
  onFault: Reading['onFault'],
): AsyncGenerator<CellBatch> {
  const names = new Set(shownFields.map(({ stored }) => stored.name))
  for (const interval of intervals) {
    try {
      const array = await interval.array()
      const fields = fieldsOf(array, maps).filter(({ stored }) => names.has(stored.name))
      const merged: FragmentColumns[] = []
      let places: ReturnType<typeof placeFields>
      for (const folder of await interval.fragments()) {
        const fragment = await orError(() => openGenomicsdbFragment(array, folder))
        if (fragment instanceof InspectError) onFault(fragment)
        else {
          merged.push(new FragmentColumns(fragment))
          places = placeFields(fragment)
        }
      }
      if (!places) continue
      const own = callColumns({ fields, provenance })
      const from = columns.map(({ name }) => own.findIndex((one) => one.name === name))
      const shown = { fields, provenance }
      for await (const batch of callBatches(merged, places, shown, {
        maps,
        wanted,
        memory: array.cx.memory,
        onUnknown,
      }))
        yield { ...batch, columns: from.map((place) => batch.columns[place]) }
    } catch (error) {
      onFault(faultOf(error))
    }
  }
}
