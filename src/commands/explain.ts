import {
  breaksTiles,
  CONSOLIDATION_DEFAULTS,
  candidatesBetween,
  consolidatables,
  lacksConditions,
  leastAmplification,
  MAX_GROUPED,
  neighbours,
  nextConsolidated,
  takenLater,
  withLater,
} from '../advice/consolidation.ts'
import { type AdvisedFinding, advise, printed } from '../advice/finding.ts'
import { queryFindings } from '../advice/findings.ts'
import { inspectLine } from '../advice/line.ts'
import { countedCells } from '../advice/values.ts'
import { unlessFault, usage } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { shellWord } from '../base/shell-word.ts'
import { shortSize } from '../base/sizes.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { damagedFault, damagedFilesOf } from '../calls/damaged-files.ts'
import { documentHead } from '../calls/document-parts.ts'
import { layerPlace } from '../calls/layer-place.ts'
import { parseChoice, parseSize } from '../calls/option-values.ts'
import { collect } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { addQueryOptions, noteUnsortedTexts, parseQuery, type QueryOptions } from '../calls/read-query.ts'
import { findingsOfOpening } from '../calls/refused.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { endResult } from '../calls/values.ts'
import type { Comparable } from '../cells/bounds.ts'
import { isAtLeast, SEVERITIES } from '../check/codes.ts'
import type { CellValue, ValueRange } from '../documents/common.ts'
import type {
  ExplainConsolidation,
  ExplainCost,
  ExplainDocument,
  ExplainField,
  ExplainFunnel,
  ExplainLine,
  ExplainStep,
} from '../documents/explain.ts'
import type { TileCost } from '../explain/cost.ts'
import { planRead } from '../explain/explain.ts'
import { RELEASE } from '../explain/memory/release.ts'
import type { ExplainQuery, ReadPlan } from '../explain/plan.ts'
import { type ReadCost, readCost } from '../explain/read-cost.ts'
import { LOCAL_DISK, OBJECT_STORE, type StepCost, type StorageRates, secondsOf } from '../explain/step-cost.ts'
import { LAST_TIME } from '../format/timestamped-name.ts'
import { writingCodecs } from '../node/node-codecs.ts'
import type { ArrayTarget } from '../objects/target.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray, ReadQuery } from '../read/query.ts'
import { type Config, parseConfig } from './config.ts'
import { denseCells, heldTiles, resultBuffers } from './result-buffers.ts'

interface ExplainOptions extends QueryOptions {
  exact?: boolean
  remedies?: boolean
  latency?: string
  throughput?: string
  budget?: string
  config?: string[]
  failOn?: string
}

const TAKES = { array: '' } as const satisfies Takes

export const command: CommandModule<ExplainOptions> = {
  about:
    'It shows which fragments and tiles TileDB reads, how many bytes and requests that takes, how much memory it needs, and what makes it slow. It reads only metadata; with --exact also coordinates and var-sized values.',
  examples: [
    ['what a read of a whole array costs', 'explain weather'],
    ['what a box costs, to the tile and the cell', 'explain places --range lat=40..60 --exact'],
    ['on storage that is far away', 'explain places --latency 100 --throughput 20'],
    [
      'what tiledb.consolidate would merge with other settings',
      'explain places --config sm.consolidation.step_min_frags=2',
    ],
    ['exit code 1 for too many fragments and the like, in CI', 'explain --fail-on warning places'],
    ['the bytes from storage, for a script', 'explain places --json'],
  ],
  takesTimes: true,

  takes: TAKES,

  configure(command) {
    command.argument('<array>', targetsHelp(TAKES))
    addQueryOptions(command)
    command
      .option(
        '--exact',
        'read coordinates, to know which tiles and cells count, and var-sized values, to know the size of the result',
      )
      .option(
        '--remedies',
        'also compute what the read costs after each remedy, on the changed array in memory; includes --exact; up to 2 million cells and 64 MiB',
      )
      .option('--latency <ms>', `milliseconds from a request to its first byte (${OBJECT_STORE.latency_ms})`)
      .option(
        '--throughput <MB/s>',
        `megabytes per second of all requests together (${OBJECT_STORE.megabytes_per_second}, usual for S3 in the same region)`,
      )
      .option(
        '--budget <bytes>',
        `sm.mem.total_budget of the reader, such as 500M or 1.5GiB (${shortSize(RELEASE.settings['sm.mem.total_budget'])})`,
      )
      .option(
        '--config <KEY=VALUE>',
        'a setting of TileDB (repeatable): sm.consolidation.step_min_frags and others of consolidation, for what tiledb.consolidate would do; sm.mem.total_budget is the same as --budget',
        collect,
      )
    command.option(
      '--fail-on <severity>',
      `exit with 1 if a finding has this severity or a worse one: ${SEVERITIES.join(', ')}`,
    )
  },

  async *run(cx, [path], options) {
    const target = await targetFor(cx, 'explain', TAKES, await cx.open(path))
    yield await arrayOutcome(cx, path, target, options)
  },
}

async function arrayOutcome(
  cx: CommandContext,
  path: string,
  target: ArrayTarget,
  options: ExplainOptions,
): Promise<Outcome> {
  const opened = await withLater(await openAt(target.array))
  const rates = parseRates(options)
  const config = parseConfig(options.config)
  const failOn = parseChoice('--fail-on', SEVERITIES, options.failOn)
  const budget = chosenBudget(options, config) ?? RELEASE.settings['sm.mem.total_budget']
  const query = await parseQuery(cx, opened, options)
  const computesRemedies = options.remedies === true
  const exact = computesRemedies || options.exact === true
  const request: ExplainQuery = { opened, query, exact, computesRemedies, codecs: writingCodecs }
  const measured = await measuredRead(cx, request, budget)
  const { plan, cost, counted } = measured
  const fragments = await explainedFragments(opened, plan, cost.tiles)
  const findings = withoutVacuum([
    ...(await openingFindings(cx, path, opened, options.field)),
    ...(await damageFindings(cx, path, opened, plan)),
    ...(await queryFindings(request, plan, cost, counted)),
  ])
  const document: ExplainDocument = {
    ...documentHead('explain', cx.shownPath(path)),
    as_of: opened.between,
    layer_place: await layerPlace(cx, target),
    ranges: shownRanges(opened, request.query),
    order: request.query.order,
    exact,
    reader: plan.reader,
    fields: explainedFields(cost.tiles),
    ...(await resultBuffers(request, await heldTiles(opened, plan.tile_reads, cost.tiles), counted)),
    funnel: funnelOf(request, plan, fragments),
    steps: explainedSteps(cost, rates),
    opening: { step_num: cost.opening.length, ...costOf(cost.opening, rates) },
    fragments,
    total: explainedTotal(request, measured, budget, rates),
    storage: {
      latency_ms: rates.latency_ms,
      megabytes_per_second: rates.megabytes_per_second,
      at_once: rates.at_once,
    },
    consolidation:
      cx.times || opened.fragments.some(({ fragment }) => fragment.lost)
        ? null
        : ((await consolidationOf(opened, config).catch(unlessFault)) ?? null),
    findings: findings.map(printed),
  }
  if (failOn !== undefined && findings.some(({ severity }) => isAtLeast(severity, failOn))) cx.foundWrong()
  return {
    kind: 'rows',
    document,
    rows: fragments,
    async table(out) {
      const { explainTable } = await import('../render/views/explain.ts')
      await explainTable(document, findings, { isTimed: cx.times !== undefined, hasRemedies: computesRemedies }, out)
    },
  }
}

/** The budget that the options name, in bytes; undefined if they name none. @throws InspectError USAGE if two of them do */
function chosenBudget({ budget }: ExplainOptions, { total_budget }: Config): number | undefined {
  if (budget === undefined) return total_budget
  if (total_budget !== undefined)
    throw usage('--budget and --config sm.mem.total_budget are the same: expected one of them, found both')
  return parseSize('--budget', budget)
}

/** What a read loads and costs. */
interface MeasuredRead {
  plan: ReadPlan
  cost: ReadCost
  /** The cells that it returns; undefined without --exact, and if they cannot be counted. */
  counted: Awaited<ReturnType<typeof countedCells>>
}

async function measuredRead(cx: CommandContext, request: ExplainQuery, budget: number): Promise<MeasuredRead> {
  const { opened, query, exact } = request
  /** Shows progress while `work` runs. With --exact the size of the work is known: the files of `fields`, all of which it may read. */
  const shown = async <T>(what: string, fields: readonly string[] | undefined, work: () => Promise<T>): Promise<T> => {
    const total = async (): Promise<number> =>
      (await import('../calls/work-size.ts')).bytesOfRead(opened, { fields: fields && [...fields] })
    const progress = cx.progress({ what, total: exact ? total : undefined })
    try {
      return await work()
    } finally {
      progress.stop()
    }
  }
  const plan = await shown('finding tiles', [], () => planRead(request, budget))
  noteUnsortedTexts(cx, opened, query)
  const cost = await shown('measuring tiles', query.fields, () => readCost(request, plan))
  const count = (): Promise<MeasuredRead['counted']> => countedCells(request, plan).catch(unlessFault)
  return { plan, cost, counted: exact ? await shown('counting cells', [], count) : undefined }
}

/** The cost of the whole read. @param budget bytes of memory that the reader has */
function explainedTotal(
  request: ExplainQuery,
  { plan, cost, counted }: MeasuredRead,
  budget: number,
  rates: StorageRates,
): ExplainDocument['total'] {
  const { tiles, steps } = cost
  const { bytes, reads } = costOf(steps, rates)
  return {
    tiles_read: tiles.tiles,
    cells_read: plan.cells_read,
    cells_found: plan.cells_found,
    ...cellsInTiles(request, plan),
    result_cell_num: counted?.cells ?? null,
    deleted_cell_num: counted?.deleted ?? null,
    unfiltered_bytes: tiles.unfiltered_bytes,
    stored_bytes: tiles.stored_bytes,
    metadata_bytes: sum(steps, ({ name, bytes }) => (name === 'tiles' ? 0 : bytes)),
    vfs_bytes: bytes,
    reads,
    ...requestsOf(steps),
    memory_bytes: Number.isFinite(plan.least_memory_budget) ? plan.least_memory_budget : null,
    makes_progress: plan.least_memory_budget <= budget,
    seconds: rounded(sum(steps, (step) => secondsOf(step, rates)) + tiles.unfilter_seconds),
    local_seconds: rounded(sum(steps, (step) => secondsOf(step, LOCAL_DISK)) + tiles.unfilter_seconds),
    unfilter_seconds: rounded(tiles.unfilter_seconds),
  }
}

/**
 * For a dense read with ranges: the cells of the tiles that it reads, and the cells that it asks for. Only cells in the box around
 * the fragments count. Null for other reads.
 */
function cellsInTiles(
  request: ExplainQuery,
  plan: ReadPlan,
): Pick<ExplainDocument['total'], 'cells_in_tiles' | 'cells_asked'> {
  const { schema, fragments } = request.opened
  const hasCells = fragments.some(({ info }) => info.nonempty_domain)
  if (schema.array_type !== 'dense' || request.query.ranges.size === 0 || !hasCells)
    return { cells_in_tiles: null, cells_asked: null }
  return { cells_in_tiles: sum(plan.fragments, ({ cells_read }) => cells_read), cells_asked: denseCells(request, true) }
}

/**
 * The findings about files that make the read fail: the missing and the short files of the fields and fragments that it reads. There
 * is one finding for each field. They decide the exit code.
 */
async function damageFindings(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  { tile_reads }: ReadPlan,
): Promise<AdvisedFinding[]> {
  const damaged = await damagedFilesOf(opened, tile_reads)
  const groups = groupBy(damaged, ({ field, size }) => `${size === null} ${field}`)
  return Array.from(groups.values(), (files) => {
    const [{ fragment, field, size }] = files
    const fault = damagedFault(fragment, [files[0]])
    cx.fault(fault, true)
    const others = files.length > 1 ? ` (and ${files.length - 1} more of the field's files)` : ''
    const bytes = sum(files, (file) => file.listed_size - (file.size ?? 0))
    return advise(size === null ? 'FILE_MISSING' : 'FILE_SHORT', {
      field,
      message: `${fault.message}${others}`,
      effect: { seconds: 0, files: files.length, bytes },
      advice: [inspectLine(`tiledb-inspect check ${shellWord(path)} --level structure`, 'names every such file')],
    })
  })
}

/** The errors and warnings that TileDB meets when it opens the array, whether it then fails or reads on. Errors decide the exit code. */
async function openingFindings(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  fields: readonly string[] | undefined,
): Promise<AdvisedFinding[]> {
  const found = await findingsOfOpening(opened, fields)
  if (found.length === 0) return []
  const { refusalError, refusedFindings } = await import('../check/refusals.ts')
  const advice = [inspectLine(`tiledb-inspect check --plan ${shellWord(path)}`)]
  return [...groupBy(found, ({ code, severity }) => `${severity} ${code}`).values()].map((alike) => {
    const [{ code, file, expected, found, severity, meaning }, ...more] = alike
    const refused = refusedFindings(alike)
    let message = `${cx.shownPath(file)}: expected ${expected}, found ${found}`
    if (refused.length > 0) {
      const fault = refusalError(refused)
      cx.fault(fault, true)
      message = fault.message
    } else {
      if (severity === 'error') cx.foundWrong()
      if (more.length > 0) message += `; check names ${more.length} more`
    }
    // The code may be a variant, whose meaning differs from that of the code.
    return { ...advise(code, { message, effect: { seconds: 0 }, advice }), severity, meaning }
  })
}

/** The findings, without the advice to vacuum if one is an error: the older fragments may have the only whole copy. */
function withoutVacuum(findings: readonly AdvisedFinding[]): readonly AdvisedFinding[] {
  if (!findings.some(({ severity }) => severity === 'error')) return findings
  return findings.map((one) => ({ ...one, advice: one.advice.filter(({ does }) => does !== 'vacuum') }))
}

/** What `tiledb.consolidate` would merge next. @throws InspectError for damaged metadata */
async function consolidationOf(
  opened: OpenedArray,
  { consolidation, consolidation_texts }: Config,
): Promise<ExplainConsolidation> {
  const every = consolidatables(opened)
  const { timestamp_start = 0n, timestamp_end = LAST_TIME } = consolidation ?? {}
  const times = opened.fragments.map(({ fragment }) => fragment.timestamp_range ?? ([0n, 0n] as const))
  const { candidates, before } = candidatesBetween(every, times, [timestamp_start, timestamp_end])
  const all = candidates.map((i) => every[i])
  const next = nextConsolidated(all, consolidation ?? CONSOLIDATION_DEFAULTS, before) ?? { first: 0, count: 0 }
  const isAll = next.count === all.length
  const two = (isAll ? undefined : neighbours(all)) ?? { first: 0, count: next.count }
  const namesOf = ({ first, count }: typeof two): string[] =>
    candidates.slice(first, first + count).map((i) => opened.fragments[i].fragment.name)
  // Where the defaults merge nothing, other settings are named: these must not break the array either.
  const tried = consolidation || next.count > 0 ? [next] : [{ first: 0, count: all.length }, two]
  return {
    config: consolidation_texts,
    fragment_num: all.length,
    merged_num: next.count,
    merged: consolidation ? namesOf(next) : null,
    least_amplification: all.length === 0 ? 0 : leastAmplification(all),
    merged_by_two: all.length > MAX_GROUPED && !isAll ? null : namesOf(two),
    lacks_conditions: lacksConditions({ ...opened, fragments: candidates.map((i) => opened.fragments[i]) }),
    takes_later: takenLater(opened, timestamp_start, timestamp_end),
    breaks_tiles: tried.some(({ first, count }) => breaksTiles(opened, all.slice(first, first + count))),
  }
}

/** Seconds, rounded to a microsecond. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}

/** Least and largest value of `--latency` and `--throughput`. Between them all sums of seconds are finite. */
const MIN_RATE = 0.001
const MAX_RATE = 1_000_000_000

/** The speed of the storage, from the options. @throws InspectError USAGE */
function parseRates({ latency, throughput }: ExplainOptions): StorageRates {
  const number = (option: string, text: string | undefined, byDefault: number): number => {
    if (text === undefined) return byDefault
    if (!/^\d+(\.\d+)?$/.test(text) || Number(text) < MIN_RATE || Number(text) > MAX_RATE)
      throw usage(`${option} expects a number from ${MIN_RATE} to ${MAX_RATE}, found ${JSON.stringify(text)}`)
    return Number(text)
  }
  return {
    ...OBJECT_STORE,
    latency_ms: number('--latency', latency, OBJECT_STORE.latency_ms),
    megabytes_per_second: number('--throughput', throughput, OBJECT_STORE.megabytes_per_second),
  }
}

/** The ranges as part of the document, by dimension. */
function shownRanges({ schema }: OpenedArray, { ranges }: ReadQuery): ExplainDocument['ranges'] {
  const { dimensions } = schema.domain
  return Object.fromEntries(
    [...ranges].map(([d, sets]) => {
      const { type } = dimensions[d]
      const end = (value: Comparable | undefined): CellValue => (value === undefined ? null : endResult(type, value))
      return [dimensions[d].name, sets.map(({ low, high }): ValueRange => [end(low), end(high)])]
    }),
  )
}

/** The steps of the read. Their seconds add up to those of the whole read. */
function explainedSteps({ steps, tiles }: ReadCost, rates: StorageRates): ExplainStep[] {
  const all = steps.map((step): ExplainStep => ({ name: step.name, ...costOf([step], rates) }))
  const seconds = rounded(tiles.unfilter_seconds)
  if (seconds > 0) all.push({ name: 'undoing filters', ...costOf([], rates), seconds, local_seconds: seconds })
  return all
}

/** The cost of steps that follow one another. */
function costOf(steps: readonly StepCost[], rates: StorageRates): ExplainCost {
  return {
    listings: sum(steps, ({ listings }) => listings),
    bytes: sum(steps, ({ bytes }) => bytes),
    reads: sum(steps, ({ reads }) => reads),
    ...requestsOf(steps),
    seconds: rounded(sum(steps, (step) => secondsOf(step, rates))),
    local_seconds: rounded(sum(steps, (step) => secondsOf(step, LOCAL_DISK))),
  }
}

/** The requests to an object store by kind, because each kind may have its own price. */
function requestsOf(
  steps: readonly StepCost[],
): Pick<ExplainCost, 'requests' | 'list_requests' | 'head_requests' | 'get_requests'> {
  return {
    requests: sum(steps, ({ requests }) => requests),
    list_requests: sum(steps, ({ list_requests }) => list_requests),
    head_requests: sum(steps, ({ head_requests }) => head_requests),
    get_requests: sum(steps, ({ requests, list_requests, head_requests }) => requests - list_requests - head_requests),
  }
}

/** The fields that the read loads, the largest first. */
function explainedFields({ fields }: TileCost): ExplainField[] {
  const all = fields.map(({ name, tiles, parts }) => ({
    name,
    tiles_read: tiles,
    stored_bytes: sum(parts, (part) => part.stored_bytes),
    unfiltered_bytes: sum(parts, (part) => part.unfiltered_bytes),
    unfilter_seconds: rounded(sum(parts, (part) => part.unfilter_seconds)),
  }))
  return all.sort((a, b) => b.stored_bytes - a.stored_bytes)
}

/** The fragments that the read opens, and those that it does not open because of their times. */
async function explainedFragments(
  { array, fragments }: OpenedArray,
  plan: ReadPlan,
  { fragments: costs }: TileCost,
): Promise<ExplainLine[]> {
  const planned = new Map<string, ExplainLine>()
  for (const { fragment, passed_over_by, tile_num, tiles_touched, tiles_inside, cells_read } of plan.fragments) {
    const { stored_bytes = 0, unfiltered_bytes = 0 } = costs.get(fragment) ?? {}
    const { name } = fragments[fragment].fragment
    const bytes = { stored_bytes, unfiltered_bytes }
    planned.set(name, { name, passed_over_by, tile_num, tiles_touched, tiles_inside, cells_read, ...bytes })
  }
  const rest = {
    tile_num: null,
    tiles_touched: 0,
    tiles_inside: 0,
    cells_read: 0,
    stored_bytes: 0,
    unfiltered_bytes: 0,
  }
  return (await array.fragments()).flatMap(({ name, state }) => {
    const one = planned.get(name)
    if (one) return one
    return state === 'future' || state === 'past' ? { name, passed_over_by: 'time' as const, ...rest } : []
  })
}

/** How many fragments, tiles and cells are left after each step of the read. */
function funnelOf({ exact }: ExplainQuery, plan: ReadPlan, fragments: readonly ExplainLine[]): ExplainFunnel[] {
  // A dense reader needs no coordinates to know its tiles.
  const certainty = exact || plan.reader === 'DenseReader' ? 'exact' : 'at most'
  const passedOver = new Map<string, number>()
  for (const { passed_over_by } of fragments)
    if (passed_over_by !== null) passedOver.set(passed_over_by, (passedOver.get(passed_over_by) ?? 0) + 1)
  const tileNum = sum(plan.fragments, ({ tile_num }) => tile_num)
  const passedTiles = sum(plan.fragments, ({ passed_over_by, tile_num, tiles_touched }) =>
    passed_over_by ? tile_num - tiles_touched : 0,
  )
  const touched = sum(plan.fragments, ({ tiles_touched }) => tiles_touched)
  const dropped = sum(plan.fragments, ({ tiles_dropped }) => tiles_dropped)
  const left = fragments.filter(({ passed_over_by }) => passed_over_by === null).length
  const funnel: ExplainFunnel[] = [
    { name: 'fragments', of: fragments.length, left, certainty: 'exact', dropped: Object.fromEntries(passedOver) },
    {
      name: 'tiles',
      of: tileNum,
      left: touched - dropped,
      certainty,
      dropped: {
        'fragments passed over': passedTiles,
        boxes: tileNum - passedTiles - touched,
        [plan.reader === 'DenseReader' ? 'newer fragments' : 'coordinates']: dropped,
      },
    },
  ]
  if (plan.cells_found !== null && plan.cells_read > 0)
    funnel.push({ name: 'cells', of: plan.cells_read, left: plan.cells_found, certainty, dropped: {} })
  return funnel
}
