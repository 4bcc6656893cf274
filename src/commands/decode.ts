import { addPlace, damageOf, InspectError } from '../base/errors.ts'
import { batchesInBounds, limitToBounds } from '../calls/cells-in-bounds.ts'
import { type CellOptions, FaultList, parseLimit, readerOutcome } from '../calls/cells-outcome.ts'
import { type CommandContext, type CommandModule, NO_PROGRESS } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { FieldReport } from '../calls/field-report.ts'
import { parseJobs, parseTiles } from '../calls/option-values.ts'
import { collect } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { parseRanges, RANGE_FORMS } from '../calls/ranges.ts'
import { noteBytesToRead } from '../calls/reading-ahead.ts'
import { FRAGMENT_COLUMN, type SelectedCells } from '../calls/selected-cells.ts'
import { indexedIn } from '../calls/shown-enumerations.ts'
import { SINGLE_FRAGMENT, singleFragment, targetFor, targetsHelp } from '../calls/targets.ts'
import { type CellSelection, FragmentCells } from '../cells/fragment-cells.ts'
import { KnownNulls, writtenCells } from '../cells/known-nulls.ts'
import { NULLS_AS_WRITTEN } from '../cells/slot-type.ts'
import { tileCellNum } from '../cells/tile-places.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { InspectArray } from '../objects/array.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import { changedFields } from '../objects/changed-fields.ts'
import { deletePlaces } from '../objects/deletes.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { fragmentLabels } from '../objects/labels.ts'

interface DecodeOptions extends CellOptions {
  field?: string[]
  range?: string[]
  tiles?: string
  fill?: boolean
  labels?: boolean
  allFragments?: boolean
  jobs?: string
}

const TAKES_WITH = {
  '--all-fragments': { array: '', 'fragment or its file': '' },
} as const satisfies CommandModule<never>['takesWith']

export const command: CommandModule<DecodeOptions> = {
  about:
    'Dates, enumerations and nulls are shown as TileDB returns them. --all-fragments takes an array and adds a column __fragment.',
  examples: [
    ['the first cells of a fragment', 'decode places/__1714 --limit 5'],
    ['one attribute inside a box', 'decode weather/__1714 --field sky --range day=1..7'],
    ['all cells of an array, one line of JSON each', 'decode --all-fragments places --format ndjson'],
    ['for pandas.read_feather', 'decode weather/__1714 -o weather.arrow'],
    ['a large fragment, filters undone in two threads', 'decode places/__1714 --jobs 2 -o places.csv'],
  ],

  gives: 'cells',

  takes: SINGLE_FRAGMENT,
  takesWith: TAKES_WITH,

  configure(command) {
    command
      .argument(
        '<fragment...>',
        `${targetsHelp(SINGLE_FRAGMENT)}; with --all-fragments ${targetsHelp(TAKES_WITH['--all-fragments'])}`,
      )
      .option('--field <name>', 'only this attribute, besides the dimensions (repeatable)', collect)
      .option('--range <NAME=LO..HI>', `only cells inside, ends included: ${RANGE_FORMS}`, collect)
      .option('--tiles <I..J>', 'only these tiles')
      .option('--limit <n>', 'at most n cells')
      .option('--fill', 'show padding cells of dense fragments, too')
      .option('--labels', 'show values of enumerations instead of their indexes')
      .option('--keep-going', 'leave out tiles that cannot be read, and say which')
      .option('--jobs <n>', 'number of threads that undo filters; the order of the cells stays the same', '1')
      .option('--all-fragments', 'show the cells of each visible fragment of an array, with a column __fragment')
  },

  async *run(cx, [path], options) {
    const target = await cx.open(path)
    if (options.limit === undefined && (target.type === 'fragment' || options.allFragments))
      await noteBytesToRead(cx, target)
    if (options.allFragments) await targetFor(cx, 'decode --all-fragments', TAKES_WITH['--all-fragments'], target)
    if (target.type === 'array' && options.allFragments) {
      const { allFragmentsOutcome } = await import('./decode-all.ts')
      yield await allFragmentsOutcome(cx, path, target.array, options, (...shared) =>
        openReader(cx, options, ...shared),
      )
      return
    }
    const fragment = await singleFragment(cx, 'decode', target, ' (--all-fragments decodes each)')
    if (target.type === 'array') await noteDeletes(cx, target.array)
    try {
      yield await fragmentOutcome(cx, fragment, options)
    } finally {
      await fragment.close()
    }
  },
}

/** Says which delete conditions a reader of the array would apply to the cells. */
async function noteDeletes(cx: CommandContext, array: InspectArray): Promise<void> {
  const { length } = await deletePlaces(array)
  if (length > 0)
    cx.note(
      `the cells are shown as stored: TileDB applies ${length === 1 ? '1 delete condition' : `${length} delete conditions`}`,
      'target',
    )
}

async function fragmentOutcome(cx: CommandContext, fragment: Fragment, options: DecodeOptions): Promise<Outcome> {
  const reader = await openReader(cx, options, fragment)
  const info = await fragment.info()
  const head = { ...documentHead('cells', cx.shownPath(fragment.folder.path)), format_version: info.format_version }
  const { range, tiles, fill } = options
  const total = range === undefined && tiles === undefined && !fill ? cellsInDomain(info) : undefined
  const origin = { [FRAGMENT_COLUMN]: fragment.name }
  return { ...readerOutcome(cx, head, reader, options, total), origin }
}

/** What the options select. What cannot be read is told: a missing file once, not for each tile. */
function selectionOf(
  options: DecodeOptions,
  { fragment, info }: { fragment: Fragment; info: FragmentInfo },
  report: FieldReport,
  addFault: (error: InspectError, name: string) => void,
): CellSelection {
  const missingFiles = new Set<string>()
  const nulls = new KnownNulls(fragment)
  const addColumnFault = (error: InspectError, name: string, tile: number): void => {
    const missing = error.code === 'MISSING_FILE' ? error.at.file : undefined
    if (missing === undefined) addFault(error, `${name}, tile ${tile}`)
    else if (!missingFiles.has(missing)) addFault(error, name)
    if (missing !== undefined) missingFiles.add(missing)
  }
  return {
    fields: options.field,
    tiles: options.tiles === undefined ? undefined : parseTiles(options.tiles, info.tile_num),
    fill: options.fill,
    onColumnError: (error, { name }, tile) => addColumnFault(error, name, tile),
    async lostValidity(error, slot, tile) {
      const field = info.slots[slot].name
      const fault = damageOf(addPlace(error, { tile }))
      const count = await nulls.count(slot, tile)
      const proven = await nulls.proven(slot, tile)
      if (proven !== undefined) {
        report.remark(field, NULLS_PROVEN)
        return new Uint8Array(tileCellNum(info, tile)).fill(proven)
      }
      if (options.keepGoing) throw error
      addColumnFault(fault, field, tile)
      report.addUnknownNulls(field, writtenCells(info, tile), count)
      return undefined
    },
    wholeTiles: options.keepGoing,
    onFieldError: addFault,
    onLostTail({ of_metadata }, name) {
      if (!of_metadata) report.remark(name, TAIL_LOST)
    },
    onOtherType: (name) => report.remark(name, NULLS_AS_WRITTEN),
  }
}

/** Opens the cells of a fragment that the options select. Several fragments share the list of faults and the report. */
async function openReader(
  cx: CommandContext,
  options: DecodeOptions,
  fragment: Fragment,
  faults = new FaultList(cx),
  report = new FieldReport(),
): Promise<SelectedCells> {
  const info = await fragment.info()
  const dimensions = info.schema.domain.dimensions
  const bounds = options.range ? parseRanges(dimensions, options.range) : undefined
  let progress = NO_PROGRESS
  const addFault = (error: InspectError, name: string): void => faults.add(inField(error, fragment, name))
  const selection = selectionOf(options, { fragment, info }, report, addFault)
  const jobs = parseJobs(options.jobs)
  // Threads do not pay for a few cells.
  if (jobs > 1 && options.limit === undefined) {
    const { unfilterInWorkers } = await import('../threads/tile-pool.ts')
    const { countedTiles } = await import('../calls/work-size.ts')
    const { key, memory } = cx.reading
    selection.threads = countedTiles(unfilterInWorkers(jobs, { key, memory }), (tiles) => progress.update(tiles))
  }
  // Not awaited yet: over a network, the schemas are listed while the fragment is opened.
  const changed = changedFields(fragment)
  changed.catch(() => {})
  const cells = await FragmentCells.open(fragment, selection)
  if (bounds) await limitToBounds(selection, fragment, cells, bounds)
  const isShown = (attribute: string): boolean =>
    cells.columns.some(({ kind, name }) => kind === 'attribute' && name === attribute)
  for (const { name, now, written } of await changed) {
    if (isShown(name)) report.remark(name, `shown as written, ${written}; TileDB reads these cells wrongly, as ${now}`)
  }
  const enumerations = options.labels ? await shownLabels(fragment, isShown, report, addFault) : new Map()
  return {
    columns: cells.columns,
    limit: parseLimit(options.limit),
    indexed: options.labels ? undefined : indexedIn(info.schema, cells.columns),
    enumerations,
    report,
    faults: faults.listed,
    // Returns the generator itself, because one more around it costs a microsecond per tile.
    batches: (reuse) => {
      selection.reuse = reuse
      progress = cx.progress({
        what: 'decoding',
        unit: selection.threads && 'tiles',
        total: async () => (await import('../calls/work-size.ts')).sizeOfDecoding(fragment, selection),
      })
      return bounds ? batchesInBounds(cells, bounds) : cells.batches()
    },
    async close() {
      progress.stop()
      await cells.close()
    },
  }
}

/** The labels of the shown fields. What is wrong with them is told. */
async function shownLabels(
  fragment: Fragment,
  isShown: (name: string) => boolean,
  report: FieldReport,
  addFault: (error: InspectError, name: string) => void,
): Promise<Map<string, Enumeration>> {
  const enumerations = new Map<string, Enumeration>()
  for (const [name, { enumeration, remark, fault }] of await fragmentLabels(fragment)) {
    if (!isShown(name)) continue
    if (enumeration) enumerations.set(name, enumeration)
    if (remark !== undefined) report.remark(name, remark)
    if (fault && report.isNewFault(name)) addFault(fault, name)
  }
  return enumerations
}

const NULLS_PROVEN =
  'the file of its validity cannot be read, but the statistics tell that all cells of a tile are null, or none: these are shown so'

const TAIL_LOST =
  'TileDB lost bytes of chunks when it wrote them, and zeros are shown in their place. Cells may be wrong, and TileDB may show other values: check says where'

/** The error with its place in the fragment. @param name the field, or the field and the tile */
function inField({ code, fault, at, cause }: InspectError, fragment: Fragment, name: string): InspectError {
  const field = at.field === undefined ? name : `${name}, ${at.field}`
  return new InspectError(code, fault, { ...at, file: at.file ?? fragment.folder.path, field }, { cause })
}
