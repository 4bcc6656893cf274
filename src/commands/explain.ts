import {
  CONSOLIDATION_DEFAULTS,
  consolidatables,
  leastAmplification,
  MOST_GROUPED,
  neighbours,
  nextConsolidated,
  ofTimes,
} from '../advice/consolidation.ts'
import { advise, type Finding } from '../advice/finding.ts'
import { queryFindings } from '../advice/findings.ts'
import { countedCells } from '../advice/values.ts'
import { InspectError, unlessFault, usage } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { shellWord } from '../base/shell-word.ts'
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
import { DEFAULT_BUDGET, type ExplainQuery, type FragmentPlan, type ReadPlan } from '../explain/plan.ts'
import { type ReadCost, readCost } from '../explain/read-cost.ts'
import { LOCAL_DISK, OBJECT_STORE, type StepCost, type StorageRates, secondsOf } from '../explain/step-cost.ts'
import { LAST_TIME } from '../format/timestamped-name.ts'
import { writingCodecs } from '../node/node-codecs.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray, ReadQuery } from '../read/query.ts'
import { type CommandContext, type CommandModule, collect, documentHead, type Outcome, wrongTarget } from './command.ts'
import { type Config, parseConfig } from './config.ts'
import { damagedFault, damagedFilesOf } from './damaged-files.ts'
import { parseChoice, parseSize } from './option-values.ts'
import { addQueryOptions, parseQuery, type QueryOptions } from './read-query.ts'
import { denseCells, resultBuffers } from './result-buffers.ts'
import { addTimesOptions, type TimesOptions, useTimes } from './times.ts'
import { endResult } from './values.ts'

interface ExplainOptions extends QueryOptions, TimesOptions {
  exact?: boolean
  latency?: string
  throughput?: string
  budget?: string
  config?: string[]
  failOn?: string
}

export const command: CommandModule<ExplainOptions> = {
  about:
    'Which fragments and tiles TileDB reads for it, how many bytes and requests that takes, how much memory it needs, and what makes it slow. Reads only metadata; with --exact also coordinates and var-sized values.',
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

  configure(command) {
    command.argument('<array>', 'array')
    addQueryOptions(command)
    command
      .option(
        '--exact',
        'undoes the tiles of coordinates, to know which tiles and cells count, and reads var-sized values for the size of the result',
      )
      .option('--latency <ms>', `milliseconds from a request to its first byte; by default ${OBJECT_STORE.latency_ms}`)
      .option(
        '--throughput <MB/s>',
        `megabytes per second, of all requests together; by default ${OBJECT_STORE.megabytes_per_second}, usual for S3 in the same region`,
      )
      .option('--budget <bytes>', 'sm.mem.total_budget of the reader, as 500M or 1.5GiB; by default 10 GiB')
      .option(
        '--config <KEY=VALUE>',
        'a setting of TileDB: sm.consolidation.step_min_frags and its like, for what tiledb.consolidate would do; sm.mem.total_budget is --budget (repeatable)',
        collect,
      )
    command.option(
      '--fail-on <severity>',
      `exit with 1 if there is a finding of this severity or a worse one: ${SEVERITIES.join(', ')}`,
    )
    addTimesOptions(command)
  },

  async *run(cx, [path], options) {
    useTimes(cx, options)
    const target = await cx.open(path)
    if (target.type !== 'array') throw await wrongTarget(cx, 'explain', target, 'an array')
    yield await arrayOutcome(cx, path, await openAt(target.array), options)
  },
}

async function arrayOutcome(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  options: ExplainOptions,
): Promise<Outcome> {
  const exact = options.exact === true
  const rates = parseRates(options)
  const config = parseConfig(options.config)
  const failOn = parseChoice('--fail-on', SEVERITIES, options.failOn)
  if (options.budget !== undefined && config.total_budget !== undefined)
    throw usage('--budget and --config sm.mem.total_budget are the same: expects one of them')
  const given = options.budget === undefined ? config.total_budget : parseSize('--budget', options.budget)
  const budget = given ?? DEFAULT_BUDGET
  const asked: ExplainQuery = { opened, query: await parseQuery(cx, opened, options), exact, codecs: writingCodecs }
  const plan = await planRead(asked, budget)
  const cost = await readCost(asked, plan)
  const { tiles, steps } = cost
  const counted = exact ? await countedCells(asked).catch(unlessFault) : undefined
  const sum = (of: (step: StepCost) => number): number => steps.reduce((all, step) => all + of(step), 0)
  const fragments = await explainedFragments(opened, plan, tiles)
  const document: ExplainDocument = {
    ...documentHead('explain', cx.shownPath(path)),
    as_of: opened.between,
    ranges: shownRanges(opened, asked.query),
    order: asked.query.order,
    exact,
    reader: plan.reader,
    fields: explainedFields(tiles),
    ...(await resultBuffers(asked, tiles, counted)),
    funnel: funnelOf(asked, plan, fragments),
    steps: explainedSteps(cost, rates),
    opening: { step_num: cost.opening.length, ...costOf(cost.opening, rates) },
    fragments,
    total: {
      tiles_read: tiles.tiles,
      cells_read: plan.cells_read,
      cells_found: plan.cells_found,
      ...cellsInTiles(asked, plan),
      result_cells: counted?.cells ?? null,
      deleted_cells: counted?.deleted ?? null,
      unfiltered_bytes: tiles.unfiltered_bytes,
      stored_bytes: tiles.stored_bytes,
      metadata_bytes: sum(({ name, bytes }) => (name === 'tiles' ? 0 : bytes)),
      vfs_bytes: sum(({ bytes }) => bytes),
      requests: sum(({ reads }) => reads),
      ...requestsOf(steps),
      memory_bytes: Number.isFinite(plan.least_memory_budget) ? plan.least_memory_budget : null,
      makes_progress: plan.least_memory_budget <= budget,
      seconds: rounded(sum((step) => secondsOf(step, rates)) + tiles.unfilter_seconds),
      local_seconds: rounded(sum((step) => secondsOf(step, LOCAL_DISK)) + tiles.unfilter_seconds),
      unfilter_seconds: rounded(tiles.unfilter_seconds),
    },
    storage: {
      latency_ms: rates.latency_ms,
      megabytes_per_second: rates.megabytes_per_second,
      at_once: rates.at_once,
    },
    consolidation: cx.times ? null : consolidationOf(opened, config),
    findings: [...(await damageFindings(cx, path, opened, plan)), ...(await queryFindings(asked, plan, cost, counted))],
  }
  return {
    document,
    foundWrong: failOn !== undefined && document.findings.some(({ severity }) => isAtLeast(severity, failOn)),
    rows: fragments,
    async table(out) {
      const { explainTable } = await import('../render/views/explain.ts')
      await explainTable(document, cx.times !== undefined, out)
    },
  }
}

/** Of a dense read with ranges: the cells of the tiles, and those in the ranges, as far as fragments lie around them. */
function cellsInTiles(
  asked: ExplainQuery,
  plan: ReadPlan,
): Pick<ExplainDocument['total'], 'cells_in_tiles' | 'cells_asked'> {
  const { schema, fragments } = asked.opened
  if (
    schema.array_type !== 'dense' ||
    asked.query.ranges.size === 0 ||
    !fragments.some(({ info }) => info.nonempty_domain)
  )
    return { cells_in_tiles: null, cells_asked: null }
  const cells_in_tiles = plan.fragments.reduce((all, { cells_read }) => all + cells_read, 0)
  return { cells_in_tiles, cells_asked: denseCells(asked, true) }
}

/** What the read fails on: missing and short files of the fields and fragments that it reads, by field. They decide the exit code. */
async function damageFindings(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  { tile_reads }: ReadPlan,
): Promise<Finding[]> {
  const damaged = await damagedFilesOf(opened, tile_reads)
  const alike = groupBy(damaged, ({ field, size }) => `${size === null} ${field}`)
  return Array.from(alike.values(), (some) => {
    const [{ fragment, field, size }] = some
    const fault = damagedFault(fragment, [some[0]])
    cx.fault(fault, true)
    const others = some.length > 1 ? ` (and ${some.length - 1} more of the field's files)` : ''
    const bytes = some.reduce((sum, one) => sum + one.listed_size - (one.size ?? 0), 0)
    return advise(size === null ? 'FILE_MISSING' : 'FILE_SHORT', {
      field,
      message: `${fault.message}${others}`,
      effect: { seconds: 0, files: some.length, bytes },
      advice: [`tiledb-inspect check ${shellWord(path)} --level structure  # names every such file`],
    })
  })
}

function consolidationOf(opened: OpenedArray, { consolidation, given }: Config): ExplainConsolidation | null {
  try {
    const every = consolidatables(opened)
    const nameOf = (i: number): string => opened.fragments[i].fragment.name
    const { timestamp_start = 0n, timestamp_end = LAST_TIME } = consolidation ?? {}
    const times = opened.fragments.map(({ fragment }) => fragment.timestamp_range ?? ([0n, 0n] as const))
    const { candidates, before } = ofTimes(every, times, [timestamp_start, timestamp_end])
    const all = candidates.map((i) => every[i])
    const next = nextConsolidated(all, consolidation ?? CONSOLIDATION_DEFAULTS, before) ?? { first: 0, count: 0 }
    const isAll = next.count === all.length
    const two = (isAll ? undefined : neighbours(all)) ?? { first: 0, count: next.count }
    const named = ({ first, count }: typeof two): string[] => candidates.slice(first, first + count).map(nameOf)
    return {
      config: given,
      fragment_num: all.length,
      merged_num: next.count,
      merged: consolidation ? named(next) : null,
      least_amplification: all.length === 0 ? 0 : leastAmplification(all),
      merged_by_two: all.length > MOST_GROUPED && !isAll ? null : named(two),
    }
  } catch (error) {
    if (error instanceof InspectError) return null
    throw error
  }
}

/** To a microsecond. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}

/** Between these numbers of milliseconds and megabytes a second, all sums of seconds are finite. */
const LEAST_RATE = 0.001
const MOST_RATE = 1_000_000_000

/** @throws InspectError USAGE */
function parseRates({ latency, throughput }: ExplainOptions): StorageRates {
  const number = (option: string, text: string | undefined, usual: number): number => {
    if (text === undefined) return usual
    if (!/^\d+(\.\d+)?$/.test(text) || Number(text) < LEAST_RATE || Number(text) > MOST_RATE)
      throw usage(`${option} expects a number from ${LEAST_RATE} to ${MOST_RATE}, found ${JSON.stringify(text)}`)
    return Number(text)
  }
  return {
    ...OBJECT_STORE,
    latency_ms: number('--latency', latency, OBJECT_STORE.latency_ms),
    megabytes_per_second: number('--throughput', throughput, OBJECT_STORE.megabytes_per_second),
  }
}

/** The ranges as values. */
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

/** The steps; what their seconds add up to is the whole read. */
function explainedSteps({ steps, tiles }: ReadCost, rates: StorageRates): ExplainStep[] {
  const all = steps.map((step): ExplainStep => ({ name: step.name, ...costOf([step], rates) }))
  const seconds = rounded(tiles.unfilter_seconds)
  if (seconds > 0) all.push({ name: 'undoing filters', ...costOf([], rates), seconds, local_seconds: seconds })
  return all
}

/** Of steps that follow one another. */
function costOf(steps: readonly StepCost[], rates: StorageRates): ExplainCost {
  const sum = (of: (step: StepCost) => number): number => steps.reduce((all, step) => all + of(step), 0)
  return {
    listings: sum(({ listings }) => listings),
    bytes: sum(({ bytes }) => bytes),
    requests: sum(({ reads }) => reads),
    ...requestsOf(steps),
    seconds: rounded(sum((step) => secondsOf(step, rates))),
    local_seconds: rounded(sum((step) => secondsOf(step, LOCAL_DISK))),
  }
}

/** Requests to an object store, by their kinds: an object store may have a price for each. */
function requestsOf(
  steps: readonly StepCost[],
): Pick<ExplainCost, 'object_store_requests' | 'list_requests' | 'head_requests' | 'get_requests'> {
  const sum = (of: (step: StepCost) => number): number => steps.reduce((all, step) => all + of(step), 0)
  return {
    object_store_requests: sum(({ requests }) => requests),
    list_requests: sum(({ lists }) => lists),
    head_requests: sum(({ heads }) => heads),
    get_requests: sum(({ requests, lists, heads }) => requests - lists - heads),
  }
}

function explainedFields({ fields }: TileCost): ExplainField[] {
  const all = fields.map(({ name, tiles, parts }) => {
    const sum = (key: 'stored_bytes' | 'unfiltered_bytes' | 'unfilter_seconds'): number =>
      parts.reduce((total, part) => total + part[key], 0)
    return {
      name,
      tiles_read: tiles,
      stored_bytes: sum('stored_bytes'),
      unfiltered_bytes: sum('unfiltered_bytes'),
      unfilter_seconds: rounded(sum('unfilter_seconds')),
    }
  })
  return all.sort((a, b) => b.stored_bytes - a.stored_bytes)
}

/** The fragments that are opened, and those that are not because of their times. */
async function explainedFragments(
  { array, fragments }: OpenedArray,
  plan: ReadPlan,
  { fragments: costs }: TileCost,
): Promise<ExplainLine[]> {
  const planned = new Map<string, ExplainLine>()
  for (const [
    i,
    { fragment, passed_over_by, tile_num, tiles_touched, tiles_inside, cells_read },
  ] of plan.fragments.entries()) {
    const { stored_bytes = 0, unfiltered_bytes = 0 } = costs.get(fragment) ?? {}
    const { name } = fragments[i].fragment
    const tiles = { tile_num, tiles_touched, tiles_inside, cells_read, stored_bytes, unfiltered_bytes }
    planned.set(name, { name, passed_over_by, ...tiles })
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

/** What is left after each step. */
function funnelOf({ exact }: ExplainQuery, plan: ReadPlan, fragments: readonly ExplainLine[]): ExplainFunnel[] {
  // A dense reader needs no coordinates to know its tiles.
  const certainty = exact || plan.reader === 'DenseReader' ? 'exact' : 'at most'
  const passedOver = new Map<string, number>()
  for (const { passed_over_by } of fragments)
    if (passed_over_by !== null) passedOver.set(passed_over_by, (passedOver.get(passed_over_by) ?? 0) + 1)
  const sum = (of: (one: FragmentPlan) => number): number => plan.fragments.reduce((all, one) => all + of(one), 0)
  const tileNum = sum(({ tile_num }) => tile_num)
  const passedTiles = sum(({ passed_over_by, tile_num, tiles_touched }) =>
    passed_over_by ? tile_num - tiles_touched : 0,
  )
  const touched = sum(({ tiles_touched }) => tiles_touched)
  const dropped = sum(({ tiles_dropped }) => tiles_dropped)
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
    funnel.push({
      name: 'cells',
      of: plan.cells_read,
      left: plan.cells_found,
      certainty,
      dropped: {},
    })
  return funnel
}
