import { addPlace, type InspectError, isNew, usage } from '../base/errors.ts'
import type { ReadHead } from '../documents/read.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { openAt } from '../read/opening.ts'
import {
  fieldNames,
  type OpenedArray,
  PROVENANCE,
  READ_ORDERS,
  type ReadOrder,
  type ReadQuery,
  readColumns,
} from '../read/query.ts'
import { defaultOrder, readMerged } from '../read/read.ts'
import { loadWhere, WHERE_FORMS } from '../read/where.ts'
import { attributeLabels } from '../store/labels.ts'
import { type CellOptions, MOST_FAULTS, parseLimit, type Reader, readerOutcome } from './cell-reader.ts'
import { type CommandContext, type CommandModule, collect, documentHead, type Outcome, wrongTarget } from './command.ts'
import { unknownField } from './fields.ts'
import { LabelReport } from './missing-labels.ts'
import { parseRangeSets, RANGE_SET_FORMS } from './ranges.ts'
import { noteBytesToRead } from './reading-ahead.ts'
import { addTimesOptions, type TimesOptions, useTimes } from './times.ts'

interface ReadOptions extends CellOptions, TimesOptions {
  field?: string[]
  range?: string[]
  where?: string
  order?: string
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

  arrow: true,

  configure(command) {
    command
      .argument('<array...>', 'array')
      .option('--field <name>', 'only this attribute, beside the dimensions (repeatable)', collect)
      .option(
        '--range <NAME=LO..HI>',
        `only cells inside, ends included: ${RANGE_SET_FORMS}; several of a dimension are united`,
        collect,
      )
      .option(
        '--where <condition>',
        `only cells that meet it: ${WHERE_FORMS}; others have fill values in dense arrays`,
        oneCondition,
      )
      .option('--order <order>', `${READ_ORDERS.join(', ')}; by default the one that costs least`)
      .option('--limit <n>', 'at most n cells')
      .option('--labels', 'values of enumerations instead of their indexes')
      .option('--provenance', 'columns __fragment, __tile, __cell, __written: where each cell is stored, and its time')
      .option('--keep-going', 'leaves out tiles that cannot be read, and says which')
    addTimesOptions(command)
  },

  async *run(cx, [path], options) {
    useTimes(cx, options)
    const target = await cx.open(path)
    if (target.type !== 'array') throw await wrongTarget(cx, 'read', target, 'an array')
    if (options.limit === undefined && options.range === undefined) await noteBytesToRead(cx, target)
    const opened = await openAt(target.array)
    yield await arrayOutcome(cx, path, opened, options)
  },
}

/** The last of several conditions would pass for all of them. */
function oneCondition(text: string, before: string | undefined): string {
  if (before !== undefined) throw usage('--where expects one condition, found two: join them with and')
  return text
}

async function arrayOutcome(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  options: ReadOptions,
): Promise<Outcome> {
  const order = parseOrder(options.order) ?? defaultOrder(opened)
  const head: ReadHead = { ...documentHead('read', cx.shownPath(path)), as_of: opened.between, order }
  const reader = await openReader(cx, opened, order, options)
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
  cx: CommandContext,
  opened: OpenedArray,
  order: ReadOrder,
  options: ReadOptions,
): Promise<Reader> {
  const { schema } = opened
  const { dimensions } = schema.domain
  const faults: InspectError[] = []
  const told = new Set<string>()
  const report = new LabelReport()
  const enumerations = await shownEnumerations(opened, options, report)
  const query: ReadQuery = {
    order,
    ranges: parseRangeSets(dimensions, options.range ?? []),
    fields: await checkFields(cx, opened, options.field),
    where: options.where === undefined ? undefined : await loadWhere(options.where, schema, opened.array),
    provenance: options.provenance,
    reuse: true,
    onRemark: (field, remark) => report.remark(field, remark),
    onFault: options.keepGoing
      ? (fault) => {
          if (!isNew(told, fault)) return
          if (faults.length < MOST_FAULTS) faults.push(fault)
          cx.fault(fault)
        }
      : undefined,
  }
  return {
    columns: readColumns(schema, query),
    limit: parseLimit(options.limit),
    enumerations,
    report,
    faults,
    batches: () => readMerged(opened, query),
    async close() {},
  }
}

/** The latest time that a name can have. */
const LAST_TIME = 2n ** 63n - 1n

/**
 * Checks the names of `--field`. A field that the array has later, and not at the time of the read, is left out.
 * @throws InspectError USAGE for a field that the array has at neither time
 */
export async function checkFields(
  cx: CommandContext,
  { schema, array }: OpenedArray,
  named: string[] | undefined,
): Promise<string[] | undefined> {
  if (!named) return undefined
  const own = fieldNames(schema)
  const lacking = named.filter((name) => !own.includes(name))
  if (lacking.length === 0) return named
  const newest = await array.at({ now: LAST_TIME }).newestSchema()
  for (const name of lacking) {
    if (!fieldNames(newest.schema).includes(name)) throw unknownField('--field', name, own)
    cx.note(`${name}: the array has no such field at that time`)
  }
  return named
}

function parseOrder(text: string | undefined): ReadOrder | undefined {
  const order = READ_ORDERS.find((one) => one === text)
  if (text === undefined || order) return order
  throw usage(`--order expects one of ${READ_ORDERS.join(', ')}, found ${JSON.stringify(text)}`)
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
  const data = new Uint8Array(Buffer.concat(values))
  return { version: 0, name, path_name: '', type: 'STRING_UTF8', cell_val_num: 'var', ordered: false, data, offsets }
}
