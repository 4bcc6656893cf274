import { shellWord } from '../base/shell-word.ts'
import { type CellOptions, FaultList, parseLimit, readerOutcome } from '../calls/cells-outcome.ts'
import { type CommandContext, type CommandModule, NO_PROGRESS } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { FieldReport } from '../calls/field-report.ts'
import { AXIS_OPTIONS, LAYER_OPTION, type LayerOptions, layerSelection } from '../calls/layer-selection.ts'
import { NotUniqueReport } from '../calls/not-unique.ts'
import type { Outcome } from '../calls/outcome.ts'
import { wholeDays } from '../calls/ranges.ts'
import { addQueryOptions, noteUnsortedTexts, parseQuery, type QueryOptions } from '../calls/read-query.ts'
import { noteBytesToRead } from '../calls/reading-ahead.ts'
import { RefusedChunks, tellRangesRefused, tellRefused } from '../calls/refused.ts'
import type { SelectedCells } from '../calls/selected-cells.ts'
import { indexedIn, shownEnumerations, tellingFaults } from '../calls/shown-enumerations.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import type { CellBatch } from '../cells/column.ts'
import type { ReadHead } from '../documents/read.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import type { LayerSelection } from '../layers/layer.ts'
import { conditionFields } from '../read/condition.ts'
import { openAt } from '../read/opening.ts'
import { type OpenedArray, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'

interface ReadCommandOptions extends CellOptions, QueryOptions, LayerOptions {
  sortBy?: string
  labels?: boolean
  provenance?: boolean
}

const TAKES = { array: '' } as const satisfies Takes

export const command: CommandModule<ReadCommandOptions> = {
  about:
    'Newer cells hide older ones, deleted cells are left out, and attributes that were added later have fill values in older cells. decode shows what a fragment itself holds.',
  examples: [
    ['the cells of an array', 'read places --limit 5'],
    ['the cells of a box, as it was at a time', 'read places --range lat=40..60 --as-of 2024-05-02'],
    ['cells that meet a condition', 'read places --where "population > 5000000"'],
    ['the largest values of an attribute', 'read places --sort-by population:desc --limit 3'],
    ['which fragment each cell comes from', 'read places --provenance --format ndjson'],
    ['a matrix of a SOMA experiment, by its rows', 'read blood --layer RNA/X/data --where-obs "n_counts > 9"'],
  ],

  gives: 'cells',
  takesTimes: true,

  takes: TAKES,

  configure(command) {
    command.argument('<array...>', `${targetsHelp(TAKES)}; with --layer an experiment`)
    addQueryOptions(command, '; other cells of dense arrays have fill values')
    command
      .option('--limit <n>', 'at most n cells')
      .option(
        '--sort-by <field>',
        'the first cells by the values of this field, with --limit; field:desc begins with the largest. Null and NaN come last. Of dense arrays only cells that were written, and that meet --where',
      )
      .option(...LAYER_OPTION)
      .option(...AXIS_OPTIONS.obs)
      .option(...AXIS_OPTIONS.var)
      .option('--labels', 'show values of enumerations instead of their indexes')
      .option(
        '--provenance',
        'add columns __fragment, __tile, __cell and __written: where each cell is stored, and its time',
      )
      .option('--keep-going', 'leave out fragments and tiles that cannot be read, and say which')
  },

  async *run(cx, [path], options) {
    const found = await cx.open(path)
    const selection = await layerSelection(cx, found, options)
    const target = selection?.target ?? (await targetFor(cx, 'read', TAKES, found))
    if ((options.limit === undefined || options.sortBy !== undefined) && options.range === undefined)
      await noteBytesToRead(cx, target)
    const faults = new FaultList(cx)
    const opened =
      selection?.opened ??
      (await openAt(
        target.array,
        { boxes: options.range === undefined },
        options.keepGoing ? faults.addNew : undefined,
      ))
    const missing = faults.listed.length
    const chunks = new RefusedChunks()
    const told = new Set<string>()
    const asked = await parseQuery(cx, opened, options)
    const parts = { faults, onRefused: chunks.add, told, selection, asked }
    const outcome = await arrayOutcome(cx, path, opened, parts, options)
    // The options are checked by now: an error about one of them comes without notes.
    if (asked.where && options.sortBy === undefined && opened.schema.array_type === 'dense')
      cx.note(await unmetText(opened, asked, asked.where))
    if (missing > 0)
      cx.note(`older cells that the missing ${missing > 1 ? 'fragments hide' : 'fragment hides'} are shown`)
    yield outcome
    // What was refused is known only after the cells. `told` has what --labels said of it before.
    if (!(await tellRefused(cx, opened, options.field, told, chunks))) await tellRangesRefused(cx, opened, asked.ranges)
  },
}

/** Says of a dense array that cells are shown that do not meet the condition, and what leaves them out. */
async function unmetText({ schema }: OpenedArray, query: ReadQuery, where: ConditionNode): Promise<string> {
  const { canSort } = await import('../read/first-cells.ts')
  const sortable = readColumns(schema, query).filter(canSort)
  const asked = conditionFields(where)
  const field = (sortable.find(({ name }) => asked.has(name)) ?? sortable[0])?.name ?? 'FIELD'
  return `the array is dense: cells that do not meet the condition are shown with fill values; --sort-by ${shellWord(`${field}:desc`)} --limit 10 shows only cells that meet it, stats --read --where counts them`
}

/** What a read works with, besides the array. */
interface ReadParts {
  faults: FaultList
  onRefused: ReadQuery['onRefused']
  told: Set<string>
  selection: LayerSelection | undefined
  /** The query of the options. */
  asked: ReadQuery
}

async function arrayOutcome(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  { faults, onRefused, told, selection, asked }: ReadParts,
  options: ReadCommandOptions,
): Promise<Outcome> {
  const report = new FieldReport()
  const notUnique = new NotUniqueReport(opened.fragments)
  const { schema } = opened
  const isDense = schema.array_type === 'dense'
  const sorts = options.sortBy !== undefined
  const query: ReadQuery = {
    ...asked,
    // A range of the user replaces that of the selection, which leaves out other rows itself.
    ranges: selection ? new Map([...selection.ranges, ...asked.ranges]) : asked.ranges,
    // The places tell which cells of a dense array were written.
    provenance: options.provenance ?? (sorts && isDense ? 'places' : undefined),
    leavesOutUnmet: sorts,
    reuse: true,
    onNotUnique: notUnique.add,
    onRefused,
    onRemark: (field, remark) => report.remark(field, remark),
    onFault: options.keepGoing ? faults.addNew : undefined,
  }
  const columns = readColumns(schema, { ...query, provenance: options.provenance })
  const limit = parseLimit(options.limit)
  const shown = selection?.columns(columns) ?? columns
  const sorting = options.sortBy === undefined ? undefined : await import('../calls/sorted-cells.ts')
  const sort = sorting?.parseSort(options.sortBy ?? '', shown, limit)
  let progress = NO_PROGRESS
  const days = wholeDays(schema.domain.dimensions, options.range ?? [])
  let isEmpty = false
  /** The same batches. Whether they have cells is known at their end. */
  async function* watched(batches: AsyncIterable<CellBatch>): AsyncGenerator<CellBatch> {
    let cells = 0
    for await (const batch of batches) {
      cells += batch.rows?.length ?? batch.cell_num
      yield batch
    }
    isEmpty = cells === 0
  }
  const reader: SelectedCells = {
    columns: shown,
    asked: [...(sort ? [sort.column.name] : []), ...(asked.where ? conditionFields(asked.where) : [])],
    limit,
    indexed: options.labels ? undefined : indexedIn(schema, shown),
    enumerations: await shownEnumerations(opened, options, report, tellingFaults(cx, told)),
    report,
    notUnique,
    faults: faults.listed,
    batches() {
      progress = cx.progress({
        what: 'reading cells',
        total: async () => (await import('../calls/work-size.ts')).bytesOfRead(opened, query),
      })
      const merged = readMerged(opened, query)
      const chosen = selection?.batches(merged) ?? merged
      const batches = sorting && sort ? sorting.sortedBatches(chosen, shown, sort, { schema, limit }) : chosen
      return days.length > 0 ? watched(batches) : batches
    },
    async close() {
      progress.stop()
      for (const day of isEmpty ? days : [])
        cx.note(`no cells: a date without a time is one instant; --range ${shellWord(day)} is the day`)
    },
  }
  const head: ReadHead = {
    ...documentHead('read', cx.shownPath(path)),
    as_of: opened.between,
    order: query.order,
    sort_by: sort && { field: sort.column.name, descending: sort.descending },
  }
  noteUnsortedTexts(cx, opened, query)
  return readerOutcome(cx, head, reader, { ...options, counts: true })
}
