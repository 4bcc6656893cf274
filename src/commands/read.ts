import { concat } from '../base/bytes.ts'
import { addPlace, type InspectError, isNew } from '../base/errors.ts'
import type { ReadHead } from '../documents/read.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { openAt } from '../read/opening.ts'
import { type OpenedArray, PROVENANCE, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { attributeLabels } from '../store/labels.ts'
import { type CellOptions, MOST_FAULTS, parseLimit, type Reader, readerOutcome } from './cell-reader.ts'
import { type CommandContext, type CommandModule, documentHead, type Outcome, wrongTarget } from './command.ts'
import { LabelReport } from './missing-labels.ts'
import { addQueryOptions, parseQuery, type QueryOptions } from './read-query.ts'
import { noteBytesToRead } from './reading-ahead.ts'
import { addTimesOptions, type TimesOptions, useTimes } from './times.ts'

interface ReadOptions extends CellOptions, QueryOptions, TimesOptions {
  labels?: boolean
  provenance?: boolean
}

export const command: CommandModule<ReadOptions> = {
  about:
    'Newer cells hide older ones, deleted cells are left out, and attributes that were added later have fill values in older cells. decode shows what a fragment itself holds.',
  examples: [
    ['the cells of an array', 'read places --limit 5'],
    ['the cells of a box, as it was at a time', 'read places --range lat=40..60 --as-of 2024-05-02'],
    ['cells that meet a condition', 'read places --where "population > 5000000"'],
    ['which fragment each cell comes from', 'read places --provenance --format ndjson'],
  ],

  formats: ['arrow'],

  configure(command) {
    command.argument('<array...>', 'array')
    addQueryOptions(command, '; others have fill values in dense arrays')
    command
      .option('--limit <n>', 'at most n cells')
      .option('--labels', 'values of enumerations instead of their indexes')
      .option('--provenance', 'columns __fragment, __tile, __cell, __written: where each cell is stored, and its time')
      .option('--keep-going', 'leaves out fragments and tiles that cannot be read, and says which')
    addTimesOptions(command)
  },

  async *run(cx, [path], options) {
    useTimes(cx, options)
    const target = await cx.open(path)
    if (target.type !== 'array') throw await wrongTarget(cx, 'read', target, 'an array')
    if (options.limit === undefined && options.range === undefined) await noteBytesToRead(cx, target)
    const faults = new Faults(cx)
    const opened = await openAt(target.array, {}, options.keepGoing ? faults.add : undefined)
    if (options.where !== undefined && opened.schema.array_type === 'dense')
      cx.note('cells that do not meet the condition come, too, with fill values: the array is dense')
    if (faults.found.length > 0)
      cx.note(`older cells that the missing ${faults.found.length > 1 ? 'fragments hide' : 'fragment hides'} are shown`)
    yield await arrayOutcome(cx, path, opened, faults, options)
  },
}

/** What could not be read, each once. */
class Faults {
  readonly found: InspectError[] = []
  private readonly told = new Set<string>()
  private readonly cx: CommandContext

  constructor(cx: CommandContext) {
    this.cx = cx
  }

  readonly add = (fault: InspectError): void => {
    if (!isNew(this.told, fault) && !this.cx.wantsEveryFault) return
    if (this.found.length < MOST_FAULTS) this.found.push(fault)
    this.cx.fault(fault)
  }
}

async function arrayOutcome(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  faults: Faults,
  options: ReadOptions,
): Promise<Outcome> {
  const asked = await parseQuery(cx, opened, options)
  const head: ReadHead = { ...documentHead('read', cx.shownPath(path)), as_of: opened.between, order: asked.order }
  const reader = await openReader(opened, asked, faults, options)
  const outcome = readerOutcome(cx, head, reader, options)
  const { rows, tail } = outcome
  let cell_num = 0
  return Object.assign(outcome, {
    document: { ...outcome.document, cells: counted(outcome.document.cells, () => cell_num++) },
    tail: () => ({ cell_num, ...tail?.() }),
    rows,
  })
}

function counted<T>(rows: AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const row of rows) {
        count()
        yield row
      }
    },
  }
}

async function openReader(
  opened: OpenedArray,
  asked: ReadQuery,
  faults: Faults,
  options: ReadOptions,
): Promise<Reader> {
  const report = new LabelReport()
  const enumerations = await shownEnumerations(opened, options, report)
  const query: ReadQuery = {
    ...asked,
    provenance: options.provenance,
    reuse: true,
    onRemark: (field, remark) => report.remark(field, remark),
    onFault: options.keepGoing ? faults.add : undefined,
  }
  return {
    columns: readColumns(opened.schema, query),
    limit: parseLimit(options.limit),
    enumerations,
    report,
    faults: faults.found,
    batches: () => readMerged(opened, query),
    async close() {},
  }
}

/** The enumerations of `--labels`, and the names of the fragments for `--provenance`. */
export async function shownEnumerations(
  { array, schema, fragments }: OpenedArray,
  { labels, provenance }: Pick<ReadOptions, 'labels' | 'provenance'>,
  report: LabelReport,
): Promise<Map<string, Enumeration>> {
  const found = new Map<string, Enumeration>()
  const file = await array.newestSchema()
  for (const { name } of labels ? schema.attributes : []) {
    const { enumeration, remark, fault } = await attributeLabels(array, name, schema, file.file.name)
    if (fault) throw addPlace(fault, { field: name })
    if (enumeration) found.set(name, enumeration)
    if (remark !== undefined) report.remark(name, remark)
  }
  if (provenance) found.set(PROVENANCE[0].name, namesOf(fragments.map(({ fragment }) => fragment.name)))
  return found
}

/** Names as the values of an enumeration. */
function namesOf(names: readonly string[]): Enumeration {
  const values = names.map((name) => new TextEncoder().encode(name))
  const offsets = new Float64Array(values.length)
  for (let i = 1; i < offsets.length; i++) offsets[i] = offsets[i - 1] + values[i - 1].length
  const { name } = PROVENANCE[0]
  const data = concat(values)
  return { version: 0, name, path_name: '', type: 'STRING_UTF8', cell_val_num: 'var', ordered: false, data, offsets }
}
