import { usage } from '../base/errors.ts'
import { extensionOf } from '../base/paths.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { addHexOptions, type HexOptions } from '../calls/hex-options.ts'
import { collect, onlyWith, STDOUT } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { parseRanges, RANGE_FORMS } from '../calls/ranges.ts'
import { type Takes, targetsHelp } from '../calls/targets.ts'
import { asOf } from '../calls/times.ts'
import { mbrColumns, mbrsResult, rangesResult } from '../calls/values.ts'
import { orFailure, throughFragments } from '../calls/walkers.ts'
import { rangeFilter } from '../cells/bounds.ts'
import { ColumnRows } from '../cells/column-rows.ts'
import type { ValueRange } from '../documents/common.ts'
import type { RtreeDocument, RtreeTile } from '../documents/rtree.ts'
import { leafLevel, mbrAt, type RTreeLevel } from '../format/rtree.ts'
import type { Fragment } from '../objects/fragment.ts'

interface RTreeOptions extends HexOptions {
  range?: string[]
  svg?: string
  dimension?: string[]
}

/** What can be drawn. */
const TAKES_SVG = { 'fragment or its file': '', array: '' } as const satisfies Takes
const TAKES = { 'fragment or its file': '', array: 'every fragment', group: 'of each array' } as const satisfies Takes

export const command: CommandModule<RTreeOptions> = {
  examples: [
    ['boxes of the tiles', 'rtree places/__1714'],
    ['tiles that a query of this box would touch', 'rtree places --range lat=40..60 --range lon=0..20'],
    ['a picture of the boxes', 'rtree places --svg boxes.svg --dimension lon --dimension lat'],
  ],

  together: true,

  ownOutput: ({ svg }) => svg === STDOUT,
  takesTimes: true,

  takes: TAKES,
  takesWith: { '--svg': TAKES_SVG },

  configure(command) {
    command
      .argument('<target...>', targetsHelp(TAKES))
      .option('--range <NAME=LO..HI>', `only the tiles that the range touches, ends included: ${RANGE_FORMS}`, collect)
      .option(
        '--svg <file>',
        'draw the boxes of the tiles into this file, or - for stdout: of a fragment, or of all visible fragments of an array',
      )
      .option('--dimension <name>', 'with --svg, given twice: the dimension across, then the dimension up', collect)
    onlyWith(command, 'svg', 'dimension')
    addHexOptions(command)
  },

  async *run(cx, paths, options) {
    const { svg } = options
    const used = [options.range && '--range', svg !== undefined && '--svg', options.hex && '--hex'].filter(Boolean)
    if (used.length > 1) throw usage(`rtree expects ${used[0]} or ${used[1]}, found both`)
    if (svg !== undefined) {
      if (paths.length > 1) throw usage(`--svg expects one target, found ${paths.length}`)
      const extension = extensionOf(svg)
      if (extension !== '' && extension !== 'svg')
        throw usage(`--svg writes SVG: expected a name that ends in .svg, found .${extension}`)
      if (svg !== STDOUT) await cx.refuseReadPlace(svg, '--svg')
    }
    for (const path of paths) yield* orFailure(ofTarget(cx, path, options))
  },
}

async function* ofTarget(cx: CommandContext, path: string, options: RTreeOptions): AsyncGenerator<Outcome> {
  if (options.svg !== undefined) {
    yield await (await import('./rtree-svg.ts')).svgOutcome(cx, path, options.svg, options.dimension, TAKES_SVG)
    return
  }
  yield* throughFragments(cx, path, 'rtree', TAKES, async (fragment) =>
    options.hex
      ? (await import('../calls/hex.ts')).fragmentHex(cx, fragment, 'rtree', options)
      : rtreeOutcome(cx, fragment, options),
  )
}

async function rtreeOutcome(cx: CommandContext, fragment: Fragment, options: RTreeOptions): Promise<Outcome> {
  const { schema, dense } = await fragment.info()
  const dimensions = schema.domain.dimensions
  const tree = await fragment.rtree()
  const leaves = leafLevel(tree)
  const head = {
    ...documentHead('rtree', cx.shownPath(fragment.folder.path)),
    ...asOf(cx),
    fanout: tree.fanout,
    level_num: tree.levels.length,
    mbr_num: leaves?.mbr_num ?? 0,
  }
  const mbrs = (level: RTreeLevel): Iterable<ValueRange[]> => {
    const columns = mbrColumns(level, 0, level.mbr_num, dimensions, cx.style)
    return columns ? new ColumnRows<ValueRange[]>(columns, level.mbr_num) : mbrsResult(level, dimensions, cx.style)
  }
  let document: RtreeDocument
  if (options.range) {
    const touches = rangeFilter(dimensions, parseRanges(dimensions, options.range))
    const tiles: RtreeTile[] = []
    for (let tile = 0; leaves && tile < leaves.mbr_num; tile++) {
      const mbr = mbrAt(leaves, tile, dimensions)
      if (touches(mbr)) tiles.push({ tile, mbr: rangesResult(dimensions, mbr, cx.style) })
    }
    document = { ...head, tiles }
  } else document = { ...head, levels: tree.levels.map(mbrs) }
  const names = dimensions.map(({ name }) => name)
  return {
    kind: 'document',
    document,
    table: async (out) => (await import('../render/views/rtree.ts')).rtreeTable(document, names, dense, out),
  }
}
