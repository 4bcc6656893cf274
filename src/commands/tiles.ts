import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { slotType } from '../cells/slot-type.ts'
import { TileFile } from '../cells/tile-files.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import type { NDRange } from '../format/range.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { sumValue, type ValueStyle } from '../format/value.ts'
import { type Fragment, type FragmentInfo, slotShape } from '../fragment.ts'
import type { Output, Result } from '../render/result.ts'
import {
  type CommandContext,
  type CommandModule,
  collect,
  documentHead,
  eachFragment,
  type Outcome,
  outcomeOrError,
} from './command.ts'
import { parseTiles } from './decode.ts'
import { selectedSlots } from './fields.ts'
import { minMaxValues } from './metadata.ts'
import { parseRanges, RANGE_FORMS, rangeFilter } from './ranges.ts'
import { rangesResult } from './values.ts'

interface TilesOptions {
  field?: string[]
  range?: string[]
  tiles?: string
}

export const command: CommandModule<TilesOptions> = {
  configure(command) {
    command
      .argument('<target...>', 'fragment, or array (every fragment)')
      .option('--field <name>', 'only this field (repeatable)', collect)
      .option('--range <NAME=LO..HI>', `only the tiles that the range touches, ends included: ${RANGE_FORMS}`, collect)
      .option('--tiles <I..J>', 'only these tiles')
  },

  async *run(cx, paths, options) {
    for (const path of paths) {
      for await (const { fragment, path: at, oneOfSeveral } of eachFragment(cx, path, 'tiles')) {
        const outcome = await outcomeOrError(fragment.folder, () => tilesOutcome(cx, fragment, at, options))
        yield { ...outcome, oneOfSeveral }
      }
    }
  },
}

type Fields = { [key: string]: Result | undefined }

async function tilesOutcome(
  cx: CommandContext,
  fragment: Fragment,
  path: string,
  options: TilesOptions,
): Promise<Outcome> {
  const info = await fragment.info()
  const { dimensions } = info.schema.domain
  const boxes = await tileBoxes(fragment, info)
  const bounds = options.range && parseRanges(dimensions, options.range)
  const wanted = options.tiles === undefined ? undefined : parseTiles(options.tiles, info.tile_num)
  const fields: FieldTiles[] = []
  for (const slot of selectedSlots(info, options.field)) fields.push(await fieldTiles(fragment, info, slot, cx.style))
  const from = wanted?.from ?? 0
  const to = Math.min(wanted?.to ?? info.tile_num - 1, info.tile_num - 1)
  const touches = bounds && rangeFilter(dimensions, bounds)
  function* rows(): Generator<Result> {
    for (let tile = from; tile <= to; tile++) {
      const box = boxes(tile)
      if (touches && !(box && touches(box))) continue
      yield {
        tile,
        cell_num: tile === info.tile_num - 1 ? info.last_tile_cell_num : info.cells_per_tile,
        [info.dense ? 'tile_domain' : 'mbr']: box ? rangesResult(dimensions, box, cx.style) : null,
        fields: fields.map((field) => field(tile)),
      }
    }
  }
  const document = {
    ...documentHead('tiles', cx.shownPath(path)),
    format_version: info.format_version,
    dense: info.dense,
    tile_num: info.tile_num,
    tiles: { [Symbol.iterator]: rows },
  }
  return {
    document,
    rows: 'tiles',
    origin: { fragment: fragment.name },
    async table(out: Output) {
      const { tilesTable } = await import('../render/views/tiles.ts')
      const names = dimensions.map(({ name }) => name)
      await tilesTable(document, { names, limited: touches !== undefined || wanted !== undefined, full: cx.full }, out)
    },
  }
}

/** Box of each tile: its MBR, or for dense fragments the part of the non-empty domain that it holds. */
export async function tileBoxes(
  fragment: Fragment,
  info: FragmentInfo,
): Promise<(tile: number) => NDRange | undefined> {
  const { dimensions } = info.schema.domain
  if (!info.dense) {
    const leaves = leafLevel(await fragment.rtree())
    return (tile) => (leaves && tile < leaves.mbr_num ? mbrAt(leaves, tile, dimensions) : undefined)
  }
  if (!info.nonempty_domain) return () => undefined
  const coordinates = new DenseCoordinates(info)
  return (tile) =>
    coordinates.tileBox(tile).map(({ low, high }, d) => {
      const { type } = dimensions[d]
      return { min: integerBytes(type, low), max: integerBytes(type, high) }
    })
}

function integerBytes(type: Datatype, value: bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, BigInt.asIntN(64, value), true)
  return bytes.subarray(0, datatypeSize(type))
}

/** What the metadata says of one tile of a field. */
type FieldTiles = (tile: number) => Fields

/** Reads the lists of one field; each stays as the typed array it is. Lists that its version or shape has not are left out. */
async function fieldTiles(
  fragment: Fragment,
  info: FragmentInfo,
  slot: number,
  style: ValueStyle,
): Promise<FieldTiles> {
  const field = info.slots[slot]
  const { varSized, nullable } = slotShape(info, field)
  const main = await TileFile.open(fragment, slot, varSized ? 'offsets' : 'data')
  const variable = varSized ? await TileFile.open(fragment, slot, 'var') : undefined
  const validity = nullable ? await TileFile.open(fragment, slot, 'validity') : undefined
  const mins = await fragment.tileMinMax('min', slot)
  const maxs = await fragment.tileMinMax('max', slot)
  const min = mins && minMaxValues(info, field, mins, style)
  const max = maxs && minMaxValues(info, field, maxs, style)
  const sums = await fragment.tileSums(slot)
  const nulls = await fragment.offsets('tile_null_counts', slot)
  const { type } = slotType(info, field)
  // the typed arrays above are all that is needed of the generic tiles
  fragment.forget()
  return (tile) => ({
    name: field.name,
    ...places('', main, tile),
    ...(variable && places('var_', variable, tile)),
    ...(validity && places('validity_', validity, tile)),
    min: valueAt(min, tile),
    max: valueAt(max, tile),
    sum: sums && (tile * 8 + 8 <= sums.length ? sumValue(type, sums.subarray(tile * 8, tile * 8 + 8)) : null),
    null_count: nulls && (tile < nulls.length ? nulls[tile] : null),
  })
}

function valueAt(values: ReturnType<typeof minMaxValues>, tile: number): Result | undefined {
  return values && (tile < values.count ? values.at(tile) : null)
}

/** Where a tile is in a file, stored and unfiltered bytes. */
function places(prefix: string, file: TileFile, tile: number): Fields {
  const { offset, size } = file.place(tile)
  return {
    [`${prefix}offset`]: offset,
    [`${prefix}size`]: size,
    [`${prefix}unfiltered_size`]: file.expectedSize(tile),
  }
}
