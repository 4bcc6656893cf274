import { InspectError } from '../base/errors.ts'
import { parseRangeSets } from '../calls/ranges.ts'
import type { TimesOptions } from '../calls/times.ts'
import type { Comparable } from '../cells/bounds.ts'
import { isNumeric } from '../cells/column.ts'
import type { CellValue } from '../documents/common.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { LayerImage, LayerPoints, PictureAxis, RowNames } from '../layers/picture.ts'
import type { OpenedArray } from '../read/query.ts'
import { cellOfNumber } from './cell-of-number.ts'
import type { Engine } from './engine.ts'
import { isOfCamera, type Orientation, orientationOf } from './orientation.ts'
import { axesOf, type Chosen, chosenPicture, shownNames, sliceWord, writtenAxis } from './picture/chosen.ts'
import { stagesOf } from './picture/picture.ts'
import { coordinateWord, type PlotAxis } from './picture/plot-axis.ts'
import { cellsInTiles, previewOf } from './picture/preview.ts'
import { series } from './picture/series.ts'
import {
  cellsOfGrid,
  fillRaster,
  newRaster,
  type PictureFacts,
  pictureFacts,
  pixelOf,
  pixelValue,
  type Raster,
  type RasterAxis,
  type RasterOptions,
} from './raster.ts'
import { coordinateText } from './short-cell.ts'

/** Reads the small pictures of layers. Each reads no more than a picture of its size needs: a large array is sampled. */

/** What a small picture may read. */
const LIMITS = { pixels: 200, each: 0, cells: 100_000, sampled: 4_000_000 }
/** Most points of a picture. Of more, blocks of rows are read, evenly from all. */
const POINTS = 20_000
const BLOCKS = 40

/** An end of an axis, and the coordinate of the array there. */
interface ShownAxis {
  dimension: string
  /** The coordinates at the left and at the right, or at the bottom and at the top. */
  ends: readonly [string, string]
}

/** A small picture of cells, as it is seen. */
export interface SmallImage {
  kind: 'image'
  width: number
  height: number
  /** Width by height of what it shows. A pixel may have more cells along one axis than along the other. */
  aspect: number
  /** One list of values, or three for red, green and blue: row after row from the top. NaN where there is none. */
  planes: readonly Float64Array[]
  across: ShownAxis
  up: ShownAxis
  /** The one coordinate that is shown of each other dimension: `time 0`. */
  at: readonly string[]
  /** How each pixel came from cells. */
  by: Raster['kind']
}

/** A small picture of points. */
export interface SmallPoints {
  kind: 'points'
  /** The two numbers of each point. */
  x: Float64Array
  y: Float64Array
  /** Position of the name of each point in `names`. */
  groups: Uint16Array
  /** The names that colours tell apart. Empty if there are none. */
  names: readonly string[]
  /** The attribute with the names; undefined if there are none. */
  attribute: string | undefined
}

/** A small picture of values along one dimension. */
export interface SmallLine {
  kind: 'line'
  across: ShownAxis
  /** The least and the greatest value of each step. Infinite where there is none. */
  lows: Float64Array
  highs: Float64Array
  by: 'exact' | 'preview'
}

/** A small picture of an array of which no layer says what it shows: what the view of its cells begins with. */
export interface PlainPicture {
  /** The attributes that are shown; empty for the number of cells. */
  title: string
  drawn: SmallImage | SmallLine
  /** Whether steps along both axes are equally long. */
  isTrue: boolean
}

/**
 * Most cells of such a picture, and most in the tiles that it samples. It is read unasked. Up to there, all cells are read: of 240,000 that
 * took 0.04 to 0.3 s, and a sample, which reads each cell by itself, 2 to 4 s.
 */
const PLAIN_LIMITS = { ...LIMITS, cells: 1_000_000, sampled: 1_000_000 }
/** Most pixels of points along an axis: they are hard to see if they are small. */
const POINT_PIXELS = 64
/** Fewest tiles along both axes that a sample reads. */
const MIN_TILES = 16

/**
 * Reads few cells, or statistics only. Undefined if there is nothing to show, or if a sample would be large.
 * @throws InspectError if the array is damaged
 */
export async function plainPictureOf(engine: Engine, times: TimesOptions): Promise<PlainPicture | undefined> {
  const { opened } = await engine.openedArray(times)
  const source = pictureFacts(opened)
  const [d, ...more] = axesOf(source)
  const [name] = shownNames(source)
  if (d === undefined || name === undefined) return undefined
  if (more.length === 0) return plainLine(opened, source, d)
  const chosen = chosenPicture(source, {}, undefined)
  const planes: Raster[] = []
  for (const plane of chosen.planes) {
    const raster = await plainRaster(opened, source, chosen, plane)
    if (!raster) return undefined
    planes.push(raster)
  }
  const { frame, slices } = chosen
  const [{ kind, column }] = planes
  return {
    isTrue: chosen.isTrue,
    title: column ? chosen.planes.map(({ attribute }) => attribute).join(', ') : '',
    drawn: {
      kind: 'image',
      ...seenPlanes(planes, frame),
      across: endsOf(frame.across, frame.isLastLeft),
      up: endsOf(frame.up, !frame.isLastTop),
      at: slices.map((slice) => sliceWord(slice).replace('=', ' ')),
      by: kind,
    },
  }
}

function endsOf(axis: PlotAxis, isLastFirst: boolean): ShownAxis {
  const ends = [axis.origin, axis.last].map((end) => coordinateWord(axis, end))
  const [first = '', last = ''] = isLastFirst ? ends.reverse() : ends
  return { dimension: axis.dimension.name, ends: [first, last] }
}

/** Undefined without cells, or if nothing cheap tells what they are. */
async function plainRaster(
  opened: OpenedArray,
  { array_type, extents }: PictureFacts,
  { up, across, fillIsValue }: Chosen,
  { attribute, ranges }: Chosen['planes'][number],
): Promise<Raster | undefined> {
  const sets = parseRangeSets(opened.schema.domain.dimensions, ranges)
  const isSparse = array_type === 'sparse'
  const limits = isSparse ? { ...PLAIN_LIMITS, pixels: POINT_PIXELS } : PLAIN_LIMITS
  const wanted: RasterOptions = {
    ...{ down: up, right: across, attribute, ranges: sets, isWhole: false, limits },
    fillIsValue,
  }
  const cells = isSparse ? await cellsInTiles(opened, sets) : (cellsOfGrid(opened, wanted) ?? 0)
  const found = newRaster(opened, { ...wanted, points: cells })
  if (!found) return undefined
  if (cells > LIMITS.cells) {
    const preview = await previewOf(opened, found.raster, sets)
    if (preview) return preview
    // How many cells there are, the boxes tell even where newer cells hide others.
    const counted = isSparse && newRaster(opened, { ...wanted, attribute: undefined, points: cells })
    if (counted) return previewOf(opened, counted.raster, sets)
    const inTile = extents.reduce((product, extent) => product * Number(extent), 1)
    if (isSparse || inTile * MIN_TILES > PLAIN_LIMITS.sampled) return undefined
  }
  for await (const _ of fillRaster(opened, found, () => false));
  return found.raster
}

/** Cells that are read of a line without statistics. */
const MAX_OF_LINE = 300_000

async function plainLine(opened: OpenedArray, source: PictureFacts, d: number): Promise<PlainPicture | undefined> {
  const name = source.attributes.find(isNumeric)?.name
  if (name === undefined) return undefined
  const wanted = { d, attributes: [name], ranges: new Map() }
  const drawing = series(opened, wanted, { isDue: () => true, isWhole: false, onFault: undefined })
  for await (const { found, isLast } of stagesOf(drawing)) {
    const [line] = found?.lines ?? []
    if (!found || !line) return undefined
    if (isLast || found.kind === 'preview') {
      const { lows, highs } = line
      const across = endsOf(writtenAxis(source, d), false)
      return { title: name, isTrue: false, drawn: { kind: 'line', across, lows, highs, by: found.kind } }
    }
    if (found.total > MAX_OF_LINE) return undefined
  }
  return undefined
}

/** @throws InspectError if an array is missing or damaged */
export async function smallImage(
  engine: Engine,
  times: TimesOptions,
  picture: LayerImage,
): Promise<SmallImage | undefined> {
  const { opened } = await (await engine.member(picture.array)).openedArray(times)
  const [first, second] = inOrder(opened, picture.axes)
  const facts = await Promise.all([first, second].map((axis) => withFall(engine, times, axis)))
  const lies = orientationOf([facts[0] ?? first, facts[1] ?? second])
  const [across, up] = lies.across === 0 ? [first, second] : [second, first]
  const planes: Raster[] = []
  const { attributes, channels } = picture
  const others = otherPlaces(opened, picture)
  for (const attribute of attributes)
    for (const channel of channels?.at ?? [undefined]) {
      const at = channels && channel !== undefined ? new Map([...others, [channels.dimension, channel]]) : others
      const raster = await rasterOf(opened, { across, up, attribute, at, isOfCamera: isOfCamera(picture) })
      if (!raster) return undefined
      planes.push(raster)
    }
  const [raster] = planes
  return {
    kind: 'image',
    ...seenPlanes(planes, lies),
    across: shownAxis(raster.right, lies.isLastLeft),
    up: shownAxis(raster.down, !lies.isLastTop),
    at: opened.schema.domain.dimensions.flatMap((dimension) => {
      const at = others.get(dimension.name)
      return at === undefined ? [] : [`${dimension.name} ${placeText(dimension, at)}`]
    }),
    by: raster.kind,
  }
}

/** The numbers of rasters as they are seen, row after row from the top. */
function seenPlanes(
  planes: readonly Raster[],
  { isLastLeft, isLastTop }: Pick<Orientation, 'isLastLeft' | 'isLastTop'>,
): Pick<SmallImage, 'width' | 'height' | 'aspect' | 'planes'> {
  const [width, height] = [planes[0].right.length, planes[0].down.length]
  const turned = (one: Raster): Float64Array => {
    const values = new Float64Array(width * height)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const from = (isLastTop ? height - 1 - y : y) * width + (isLastLeft ? width - 1 - x : x)
        const value = pixelValue(one, from)
        values[y * width + x] = typeof value === 'number' ? value : Number.NaN
      }
    return values
  }
  const lengthOf = (axis: RasterAxis): number => axis.length * Number(axis.step)
  const aspect = lengthOf(planes[0].right) / lengthOf(planes[0].down) || 1
  return { width, height, aspect, planes: planes.map(turned) }
}

/** The two axes in the order of the array's dimensions. @throws InspectError */
function inOrder({ schema, array }: OpenedArray, axes: LayerImage['axes']): LayerImage['axes'] {
  const place = ({ dimension }: PictureAxis): number => {
    const d = schema.domain.dimensions.findIndex(({ name }) => name === dimension)
    if (d < 0)
      throw new InspectError(
        'NOT_FOUND',
        { expected: `the dimension ${dimension}`, found: 'none' },
        { file: array.folder.path },
      )
    return d
  }
  return place(axes[0]) < place(axes[1]) ? axes : [axes[1], axes[0]]
}

/** The axis, with the direction of its values. */
async function withFall(engine: Engine, times: TimesOptions, axis: PictureAxis): Promise<PictureAxis> {
  const { dimension, values } = axis
  if (!values) return axis
  const member = await engine.member(values.array)
  const bounds = pictureFacts((await member.openedArray(times)).opened).bounds[0]
  if (!bounds) return axis
  const range = [bounds.low, bounds.high].map((end) => `${dimension}=${String(end)}`)
  const found: number[] = []
  for await (const row of member.rows('read', { ...times, range, field: [values.attribute] }, () => {}))
    found.push(Number(row[values.attribute]))
  return { ...axis, falls: (found.at(-1) ?? 0) < (found[0] ?? 0) }
}

interface Plane {
  across: PictureAxis
  up: PictureAxis
  attribute: string
  /** By name of each other dimension: the coordinate at which it stays. */
  at: ReadonlyMap<string, Comparable>
  /** Whether each cell has a pixel of a camera. A map has places without a value. */
  isOfCamera: boolean
}

/** The cells of one colour. Undefined if nothing was written. */
async function rasterOf(opened: OpenedArray, plane: Plane): Promise<Raster | undefined> {
  const { dimensions } = opened.schema.domain
  const { bounds } = pictureFacts(opened)
  const axes = new Map([plane.across, plane.up].map((axis) => [axis.dimension, axis]))
  const ranges: string[] = []
  for (const [d, dimension] of dimensions.entries()) {
    const { name } = dimension
    if (bounds[d]?.low === undefined) return undefined
    const place = plane.at.get(name)
    const length = axes.get(name)?.length
    if (place !== undefined) ranges.push(`${name}=${placeText(dimension, place)}`)
    // The array may be filled up beyond the picture.
    else if (length !== undefined) {
      const first = integerOf(dimension.type, dimension.domain.subarray(0, dimension.domain.length / 2))
      ranges.push(`${name}=${first}..${first + BigInt(length) - 1n}`)
    }
  }
  const at = (axis: PictureAxis): number => dimensions.findIndex(({ name }) => name === axis.dimension)
  const found = newRaster(opened, {
    down: at(plane.up),
    right: at(plane.across),
    attribute: plane.attribute,
    ranges: parseRangeSets(dimensions, ranges),
    isWhole: false,
    limits: LIMITS,
    fillIsValue: plane.isOfCamera,
  })
  if (!found) return undefined
  for await (const _ of fillRaster(opened, found, () => false));
  return found.raster
}

/**
 * The coordinate at which each other dimension stays, by its name: the first that was written, or the only channel. Channels that are
 * colours are left out.
 */
function otherPlaces(opened: OpenedArray, { axes, channels }: LayerImage): Map<string, Comparable> {
  const { bounds } = pictureFacts(opened)
  const places = new Map<string, Comparable>()
  for (const [d, { name }] of opened.schema.domain.dimensions.entries()) {
    if (axes.some(({ dimension }) => dimension === name)) continue
    const [channel, ...more] = name === channels?.dimension ? channels.at : []
    const at = channel ?? bounds[d]?.low
    if (at !== undefined && more.length === 0) places.set(name, at)
  }
  return places
}

/** A coordinate as `--range` takes it. */
function placeText({ type }: Dimension, at: Comparable): string | undefined {
  return coordinateText(cellOfNumber(type, at as number | bigint))
}

function shownAxis(axis: RasterAxis, isLastFirst: boolean): ShownAxis {
  const [first, last] = [pixelOf(axis, 0)[0], pixelOf(axis, axis.length - 1)[1]].map(String)
  return { dimension: axis.dimension.name, ends: isLastFirst ? [last, first] : [first, last] }
}

/** Undefined if no row has both numbers. @throws InspectError if an array is missing or damaged */
export async function smallPoints(
  engine: Engine,
  times: TimesOptions,
  picture: LayerPoints,
): Promise<SmallPoints | undefined> {
  const member = await engine.member(picture.array)
  const { opened } = await member.openedArray(times)
  const { dimensions } = opened.schema.domain
  const { bounds } = pictureFacts(opened)
  const [rows, numbers] = [picture.row_dimension, picture.number_dimension].map(
    (name) => bounds[dimensions.findIndex((one) => one.name === name)],
  )
  if (!rows || !numbers || numbers.low === numbers.high) return undefined
  const first = wholeOf(numbers.low)
  const blocks = blocksOf(wholeOf(rows.low), wholeOf(rows.high))
  // By the text of the id, as large ids are the same number.
  const places = new Map<string, [number, number]>()
  const range = [
    ...blocks.map((block) => `${picture.row_dimension}=${block}`),
    `${picture.number_dimension}=${first}..${first + 1n}`,
  ]
  for await (const row of member.rows('read', { ...times, range, field: [picture.attribute] }, () => {})) {
    const id = String(row[picture.row_dimension])
    const place = places.get(id) ?? [Number.NaN, Number.NaN]
    const which = String(row[picture.number_dimension]) === String(first) ? 0 : 1
    place[which] = Number(row[picture.attribute])
    places.set(id, place)
  }
  if (![0, 1].every((which) => [...places.values()].some((place) => !Number.isNaN(place[which])))) return undefined
  const ids = [...places.keys()]
  const { attribute, names } = picture.colours ? await namesOf(engine, times, picture.colours, blocks) : NO_NAMES
  const all = [...new Set(names.values())].sort()
  return {
    kind: 'points',
    x: Float64Array.from(ids, (id) => places.get(id)?.[0] ?? Number.NaN),
    y: Float64Array.from(ids, (id) => places.get(id)?.[1] ?? Number.NaN),
    groups: Uint16Array.from(ids, (id) => Math.max(0, all.indexOf(names.get(id) ?? ''))),
    names: all,
    attribute,
  }
}

function wholeOf(end: Comparable | undefined): bigint {
  return BigInt(end as number | bigint)
}

/** Ranges of rows: all, or blocks evenly from all. */
function blocksOf(low: bigint, high: bigint): string[] {
  const count = high - low + 1n
  if (count <= POINTS) return [`${low}..${high}`]
  const size = BigInt(POINTS / BLOCKS)
  return Array.from({ length: BLOCKS }, (_, i) => {
    const from = low + (BigInt(i) * (count - size)) / BigInt(BLOCKS - 1)
    return `${from}..${from + size - 1n}`
  })
}

/** Names of rows, and the attribute that has them. */
interface Named {
  attribute: string | undefined
  /** By the text of the row's id. */
  names: ReadonlyMap<string, string>
}

/** Most attributes that are tried. */
const TRIED = 8

/** The names of the first attribute that has several. */
async function namesOf(
  engine: Engine,
  times: TimesOptions,
  { array, dimension, attributes }: RowNames,
  blocks: readonly string[],
): Promise<Named> {
  const member = await engine.member(array)
  const field = attributes.slice(0, TRIED)
  const found = field.map((attribute) => ({ attribute, names: new Map<string, string>() }))
  const options = { ...times, range: blocks.map((block) => `${dimension}=${block}`), field, labels: true }
  for await (const row of member.rows('read', options, () => {}))
    for (const { attribute, names } of found) names.set(String(row[dimension]), nameText(row[attribute] ?? null))
  return found.find(({ names }) => new Set(names.values()).size > 1) ?? NO_NAMES
}

const NO_NAMES: Named = { attribute: undefined, names: new Map() }

function nameText(value: CellValue): string {
  return value === null ? 'none' : String(value)
}
