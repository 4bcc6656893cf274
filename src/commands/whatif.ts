import type { Change } from '../advice/change.ts'
import { unlessFault, usage } from '../base/errors.ts'
import { Lease } from '../base/memory.ts'
import { sum } from '../base/sum.ts'
import { BEST_KINDS, CELL_ORDERS, EMITTED } from '../calls/choices.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { parseChoice, parseWhole, unknownField } from '../calls/option-values.ts'
import { collect } from '../calls/options.ts'
import { RANGE_SET_FORMS } from '../calls/ranges.ts'
import { parseQuery } from '../calls/read-query.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { filterResult } from '../calls/values.ts'
import type { WhatifDocument, WhatifField, WhatifLayout, WhatifTrial } from '../documents/whatif.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { writingCodecs } from '../node/node-codecs.ts'
import { ratioOf } from '../objects/file-sizes.ts'
import type { Target } from '../objects/target.ts'
import { openAt } from '../read/opening.ts'
import { fieldNames, type OpenedArray, type OpenedFragment, type ReadQuery } from '../read/query.ts'
import { cellTotals, isSmall, type LayoutChange, type NewFilters, schemaWith, tryLayouts } from '../whatif/layout.ts'
import { type Sampled, type SamplingOptions, takeSample } from '../whatif/sample.ts'
import { keepsOffsetsInside, type Trial } from '../whatif/trial.ts'
import { type Best, type FieldTrials, readSeconds, trialSize, tryField } from '../whatif/whatif.ts'
import { offerRefusal, parseFilters, refusal } from '../write/filter-options.ts'
import { checkSchema } from '../write/schema-check.ts'
import { type Emitted, emittedOutcome } from './whatif-emit.ts'

interface WhatifOptions {
  field?: string[]
  filters?: string[]
  sample?: string
  seed?: string
  capacity?: string
  tileExtent?: string[]
  range?: string[]
  cellOrder?: string
  emit?: string
  best?: string
}

/** The measure that each value of `--best` chooses by. */
const BESTS: Readonly<Record<(typeof BEST_KINDS)[number], keyof Best>> = {
  smallest: 'size',
  fastest: 'reading',
  balanced: 'balanced',
}

/** Default of `--sample`: unfiltered bytes of each field. */
const SAMPLE_BYTES = 1024 * 1024

const TAKES = { array: '', 'fragment in an array': '' } as const satisfies Takes

export const command: CommandModule<WhatifOptions> = {
  about:
    'It takes tiles spread over all fragments, filters them as TileDB would, undoes the filters, and compares every bit. Without --filters it tries filters that suit the values. Nothing is written.',
  examples: [
    ['which filters would make it smaller, or faster to read', 'whatif weather'],
    ['one field with filters of your choice', 'whatif weather --field rain_mm --filters bitshuffle,lz4'],
    ['on all tiles, so that sizes are exact', 'whatif places --sample all'],
    ['what a read of a box costs with smaller tiles', 'whatif weather --tile-extent day=2 --range day=3..4'],
    ['larger tiles in another order', 'whatif places --capacity 50 --cell-order row-major'],
    ['a schema with the best filters, for write-sample', 'whatif places --best smallest --emit schema'],
    ['the schema as TileDB-Py code', 'whatif weather --emit python'],
    ['for a script', 'whatif weather --json'],
  ],

  ownOutput: ({ emit }) => emit !== undefined,
  takesTimes: true,

  takes: TAKES,

  configure(command) {
    command
      .argument('<target>', targetsHelp(TAKES))
      .option('--field <name>', 'only this field (repeatable)', collect)
      .option(
        '--filters <list>',
        'try these filters, such as zstd:level=9 or byteshuffle,lz4 (repeatable); an empty text means no filters',
        collect,
      )
      .option('--sample <bytes>', 'unfiltered bytes of each field to try (1048576); all: every tile')
      .option('--seed <text>', 'another text takes other tiles (1)')
      .option('--capacity <n>', 'try another capacity: cells of a sparse tile')
      .option('--tile-extent <name=n>', 'try another tile extent of a dimension (repeatable)', collect)
      .option('--cell-order <order>', `try another cell order: ${CELL_ORDERS.join(', ')}`)
      .option(
        '--range <NAME=LO..HI>',
        `show what a read of this box costs with other tiles and orders: ${RANGE_SET_FORMS} (repeatable)`,
        collect,
      )
      .option('--emit <form>', 'print only the schema with these changes: schema (for write-sample --schema) or python')
      .option('--best <kind>', 'with --emit: use the filters that are smallest, fastest to read, or balanced')
  },

  async *run(cx, [path], options) {
    const asked = options.filters?.map((text) => parseFilters(text, '--filters'))
    const emit = parseChoice('--emit', EMITTED, options.emit)
    if (emit && options.range) throw usage('whatif expects --range or --emit, found both')
    const best = parseBest(options.best, emit)
    const { opened, enumerations } = await openTarget(cx, await cx.open(path))
    checkFields(opened.fragments, opened.schema, options.field)
    const change = parseChange(opened.schema, options)
    if (emit) {
      const filters = best
        ? bestFilters((await tryFilters(cx, opened, asked, options)).trials, best)
        : askedFilters(opened.schema, asked, options.field)
      const changed = change !== undefined || best !== undefined || asked !== undefined
      const schema = changed ? schemaWith(opened.schema, change ?? {}, filters) : opened.schema
      yield emittedOutcome(cx, path, emit, { schema, enumerations, changed })
      return
    }
    // With other tiles, filters are tried only if the user names some.
    const { sampled, trials } = await tryFilters(cx, opened, asked, options, change !== undefined && !asked)
    const query = options.range && (await parseQuery(cx, opened, { range: options.range }))
    const layouts = await layoutsOf(opened, enumerations, { change, asked, query }, options)
    if (query && layouts.some(({ read_cost }) => !read_cost))
      cx.note('the array is too large to say what the read costs after each change')
    const document: WhatifDocument = {
      ...documentHead('whatif', cx.shownPath(path)),
      sample: {
        tiles: sampled.tiles,
        tile_num: sampled.tile_num,
        bytes: sum(trials, ({ unfiltered_bytes }) => unfiltered_bytes),
        seed: options.seed ?? SEED,
        whole: trials.every(({ sample }) => sample.whole),
      },
      fields: trials.map(fieldResult).sort((a, b) => b.stored.bytes - a.stored.bytes),
      layouts,
      total: {
        bytes: sampled.file_bytes,
        smallest_bytes: totalWith(sampled, trials, 'size'),
        fastest_bytes: totalWith(sampled, trials, 'reading'),
        balanced_bytes: totalWith(sampled, trials, 'balanced'),
      },
    }
    yield {
      kind: 'document',
      document,
      table: async (out) => (await import('../render/views/whatif.ts')).whatifTable(document, out),
    }
  },
}

/** Default of `--seed`. */
const SEED = '1'

/** Tries filters on a sample of tiles. @param none whether to try no filters */
async function tryFilters(
  cx: CommandContext,
  { fragments }: OpenedArray,
  asked: FilterConfig[][] | undefined,
  { seed = SEED, sample: bytes, field: fields }: WhatifOptions,
  none = false,
): Promise<{ sampled: Sampled; trials: FieldTrials[] }> {
  const held = new Lease(cx.reading.memory)
  try {
    const sampled = await sampleOf(cx, fragments, { seed, bytes: sampleBytes(bytes), fields: none ? [] : fields, held })
    return { sampled, trials: await tryFields(cx, sampled, asked) }
  } finally {
    held.release()
  }
}

async function tryFields(
  cx: CommandContext,
  sampled: Sampled,
  asked: FilterConfig[][] | undefined,
): Promise<FieldTrials[]> {
  const sizes = sampled.samples.map(({ parts }) => sum(parts, ({ data }) => data.length))
  const progress = cx.progress({ what: 'trying filters', unit: 'bytes', total: sum(sizes, (size) => size) })
  let before = 0
  try {
    const trials: FieldTrials[] = []
    for (const [i, sample] of sampled.samples.entries()) {
      // The filters that the user names are for values, not for offsets and validity.
      if (asked && sample.field === null) continue
      const pausing = {
        pause: cx.reading.pause,
        onTried: (share: number) => progress.update(before + share * sizes[i]),
      }
      const trial = await tryField(sample, asked, { codecs: writingCodecs, key: cx.reading.key, ...pausing }).catch(
        unlessFault,
      )
      // Some releases lost bytes when they wrote. Such values cannot be written again.
      if (trial) trials.push(trial)
      else cx.note(`${sample.field ?? sample.role} is left out: its stored filters cannot write its values again`)
      before += sizes[i]
      progress.update(before)
    }
    return trials
  } finally {
    progress.stop()
  }
}

async function sampleOf(
  cx: CommandContext,
  fragments: readonly OpenedFragment[],
  options: SamplingOptions,
): Promise<Sampled> {
  const progress = cx.progress({ what: 'reading a sample', unit: 'tiles' })
  try {
    return await takeSample(fragments, { ...options, onTile: progress.update, pause: cx.reading.pause })
  } finally {
    progress.stop()
  }
}

/** What the user wants to know of other layouts. */
interface AskedLayouts {
  change: LayoutChange | undefined
  /** The filters to try; undefined if none are named. */
  asked: FilterConfig[][] | undefined
  query: ReadQuery | undefined
}

async function layoutsOf(
  opened: OpenedArray,
  enumerations: Enumeration[],
  { change, asked, query }: AskedLayouts,
  { field, seed = SEED }: WhatifOptions,
): Promise<WhatifLayout[]> {
  const { merges, orders } = usualChanges(opened)
  // The merges come first: they show what having one fragment does, apart from what the change does.
  const areFiltersAsked = (asked || field) && !query
  const usual = areFiltersAsked ? [] : [...merges, ...orders]
  const changes = change ? [...merges, change] : usual
  if (changes.length === 0) return []
  const filters = change ? askedFilters(opened.schema, asked, field) : NO_FILTERS
  if (change) {
    const schema = schemaWith({ ...opened.schema, dimension_labels: [] }, change, filters)
    checkSchema({ schema, enumerations }, true)
  }
  const extent = await cellTotals(opened)
  // In a large array, other layouts take too long if nobody asked for them.
  if (extent.cells === 0 || (!change && !query && !isSmall(extent, opened.array.cx.memory, SMALL_ARRAY))) return []
  const layouts: WhatifLayout[] = []
  for await (const layout of tryLayouts(opened, changes, filters, writingCodecs, { extent, seed, query }))
    layouts.push(layout)
  return layouts
}

/** Largest number of cells of an array in which other layouts are tried though nobody asked for them. */
const SMALL_ARRAY = 200_000
const NO_FILTERS: NewFilters = { fields: new Map() }

/** The changes that are always of interest: one fragment instead of several, in two ways; and other orders of sparse cells. */
function usualChanges({ schema, fragments, deletes }: OpenedArray): { merges: Change[]; orders: LayoutChange[] } {
  const { array_type, cell_order, domain } = schema
  const merges: Change[] = fragments.length > 1 || deletes.length > 0 ? [{ consolidate: true }, {}] : []
  if (array_type === 'dense' || domain.dimensions.length < 2) return { merges, orders: [] }
  const orders = CELL_ORDERS.filter((order) => order !== cell_order && order !== 'col-major')
  return { merges, orders: orders.map((order) => ({ cell_order: order })) }
}

function parseBest(text: string | undefined, emit: Emitted | undefined): keyof Best | undefined {
  if (text === undefined) return undefined
  if (!emit) throw usage('--best expects --emit beside it, found none')
  return BESTS[parseChoice('--best', BEST_KINDS, text)]
}

/** The layout that the options ask for; undefined if they ask for none. @throws InspectError USAGE */
function parseChange({ domain }: ArraySchema, options: WhatifOptions): LayoutChange | undefined {
  const capacity = parseWhole('--capacity', options.capacity)
  const cell_order = parseChoice('--cell-order', CELL_ORDERS, options.cellOrder)
  const extents = options.tileExtent?.map((text): [string, number] => {
    const equals = text.lastIndexOf('=')
    const name = text.slice(0, Math.max(0, equals))
    const number = text.slice(equals + 1)
    const dimension = domain.dimensions.find((one) => one.name === name)
    const names = domain.dimensions.map((one) => one.name)
    if (equals > 0 && !dimension) throw unknownField('--tile-extent', name, names)
    const isNumber = dimension && datatypeKind(dimension.type) === 'float' ? /^\d+(\.\d+)?$/ : /^\d+$/
    if (!dimension || !isNumber.test(number))
      throw usage(`--tile-extent expects NAME=N, as in ${names[0]}=100, found ${JSON.stringify(text)}`)
    return [name, Number(number)]
  })
  if (capacity === undefined && cell_order === undefined && !extents) return undefined
  return { capacity, cell_order, tile_extents: extents && Object.fromEntries(extents) }
}

/** The pipeline of `--filters`, for every field that takes it. @throws InspectError USAGE for several pipelines */
function askedFilters(
  { array_type, domain, attributes }: ArraySchema,
  asked: readonly FilterConfig[][] | undefined,
  names: readonly string[] | undefined,
): NewFilters {
  if (!asked) return NO_FILTERS
  const [filters, ...more] = asked
  if (more.length > 0) throw usage({ expected: 'one --filters, or --best to choose among them', found: asked.length })
  const fields = new Map<string, readonly FilterConfig[]>()
  for (const { name, type, cell_val_num } of [...(array_type === 'dense' ? [] : domain.dimensions), ...attributes]) {
    if (names && !names.includes(name)) continue
    const field = { type, cell_val_num, formatVersion: NEWEST_STABLE }
    // Filters that TileDB accepts, but that damage values of this type, are used only if the user names the field.
    const why = names ? refusal(filters, field) : offerRefusal(filters, field)
    if (why === undefined) fields.set(name, filters)
    else if (names) throw usage(`--filters for ${JSON.stringify(name)}: ${why}`)
  }
  return { fields }
}

/** The best pipeline of each field. Fields whose stored pipeline is the best are left out. */
function bestFilters(trials: readonly FieldTrials[], by: keyof Best): NewFilters {
  const fields = new Map<string, readonly FilterConfig[]>()
  const joint: { offsets?: readonly FilterConfig[]; validity?: readonly FilterConfig[] } = {}
  for (const { sample, best } of trials) {
    const filters = best[by]?.filters
    if (!filters) continue
    if (sample.field !== null) fields.set(sample.field, filters)
    else if (sample.role === 'offsets' || sample.role === 'validity') joint[sample.role] = filters
  }
  return { fields, ...joint }
}

/** Opens an array, or a fragment as if it were alone in its array. */
async function openTarget(
  cx: CommandContext,
  found: Target,
): Promise<{ opened: OpenedArray; enumerations: Enumeration[] }> {
  const target = await targetFor(cx, 'whatif', TAKES, found)
  if (target.type === 'array') {
    const opened = await openAt(target.array)
    return { opened, enumerations: await opened.array.enumerations(opened.schema) }
  }
  const { fragment, array } = target
  const info = await fragment.info()
  const { schema } = info
  const time = fragment.timestamp_range?.[0] ?? 0n
  const opened = {
    array,
    between: [0n, array.cx.now] as const,
    schema,
    fragments: [{ fragment, info, time }],
    deletes: [],
  }
  return { opened, enumerations: await array.enumerations(schema) }
}

function checkFields(
  fragments: readonly OpenedFragment[],
  schema: ArraySchema,
  names: readonly string[] | undefined,
): void {
  const known = new Set([
    ...fieldNames(schema),
    ...fragments.flatMap(({ info }) => info.schema.attributes.map(({ name }) => name)),
  ])
  const unknown = names?.find((name) => !known.has(name))
  if (unknown !== undefined) throw unknownField('--field', unknown, [...known])
}

/** The bytes of `--sample`; undefined for every tile. @throws InspectError USAGE */
function sampleBytes(text: string | undefined): number | undefined {
  if (text === 'all') return undefined
  const bytes = parseWhole('--sample', text) ?? SAMPLE_BYTES
  if (bytes === 0) throw usage('--sample expects a number of bytes above 0, or all; found 0')
  return bytes
}

/** Bytes of the offset of a var-sized cell, without filters. */
const OFFSET_BYTES = 8

function fieldResult({ sample, now, candidates, refused, best, unfiltered_bytes }: FieldTrials): WhatifField {
  const isVarSized = sample.file_offsets_bytes > 0
  const cells = sum(sample.parts, ({ starts }) => (starts ? starts.length - 1 : 0))
  const unfiltered = unfiltered_bytes + (isVarSized ? OFFSET_BYTES * cells : 0)
  const trialResult = (trial: Trial): WhatifTrial => {
    const bytes = Math.round(scaled(sample, now, trial, 'bytes'))
    return {
      filters: trial.filters.map(filterResult),
      bytes,
      offsets_bytes: isVarSized ? Math.round(scaled(sample, now, trial, 'offsets_bytes')) : undefined,
      ratio: trial.bytes === 0 ? null : ratioOf(unfiltered, trialSize(trial)),
      undo_mb_s: speed(trial.undo_mb_s),
      do_mb_s: speed(trial.do_mb_s),
      read_mb_s: speed(unfiltered_bytes / 1e6 / readSeconds(trial)),
      checksummed: trial.checksummed,
      lossless: trial.changed === 0,
      changed_share: trial.changed,
      deviation: trial.deviation,
    }
  }
  const indexOf = (trial: Trial | undefined): number | null => (trial ? candidates.indexOf(trial) : null)
  return {
    name: sample.field,
    role: sample.role,
    type: sample.type,
    cell_val_num: sample.cell_val_num,
    whole: sample.whole,
    stored: trialResult(now),
    candidates: candidates.map(trialResult),
    refused: refused.map(({ filters, reason }) => ({ filters: filters.map(filterResult), reason })),
    smallest: indexOf(best.size),
    fastest: indexOf(best.reading),
    balanced: indexOf(best.balanced),
  }
}

/** Bytes of a trial scaled from the sample to the whole array, by the stored bytes of both. */
function scaled(sample: FieldTrials['sample'], now: Trial, trial: Trial, key: 'bytes' | 'offsets_bytes'): number {
  const all = key === 'bytes' ? sample.file_bytes : sample.file_offsets_bytes
  return sample.whole || now[key] === 0 ? trial[key] : (all * trial[key]) / now[key]
}

/** Bytes of the array if each field had the filters that are best by a measure. */
function totalWith({ file_bytes }: Sampled, trials: readonly FieldTrials[], by: keyof Best): number {
  const inside = new Set(
    trials.flatMap(({ sample, best: { [by]: best } }) =>
      best && sample.field !== null && keepsOffsetsInside(sample, best.filters) ? [sample.field] : [],
    ),
  )
  return trials.reduce((bytes, { sample, now, best: { [by]: best } }) => {
    if (!best) return bytes
    // Offsets that move among the values are counted with the values.
    const after = sample.role === 'offsets' ? { ...best, bytes: bytesWithout(inside, sample, now, best) } : best
    const change = (key: 'bytes' | 'offsets_bytes'): number =>
      scaled(sample, now, after, key) - scaled(sample, now, now, key)
    return bytes + Math.round(change('bytes') + change('offsets_bytes'))
  }, file_bytes)
}

/** Bytes of a trial of the offsets of all fields, if those of some fields stay as they are. */
function bytesWithout(fields: ReadonlySet<string>, { parts }: FieldTrials['sample'], now: Trial, trial: Trial): number {
  return parts.reduce((bytes, { field = '' }, i) => bytes + (fields.has(field) ? now : trial).part_bytes[i], 0)
}

/** A speed rounded to a whole number; below 10 to two digits, so that a slow one is not 0. */
function speed(mb_s: number): number {
  return mb_s < 10 ? Number(mb_s.toPrecision(2)) : Math.round(mb_s)
}
