import { InspectError } from '../../base/errors.ts'
import { parseRangeSets } from '../../calls/ranges.ts'
import type { Bounds } from '../../cells/bounds.ts'
import { isNumeric } from '../../cells/column.ts'
import type { LayerImage, PictureAxis } from '../../layers/picture.ts'
import type { Link } from '../link.ts'
import { type AxisFacts, isLastLeft, isLastTop, isOfCamera, orientationOf } from '../orientation.ts'
import { listInLink, rangeOf } from '../range-list.ts'
import type { PictureFacts } from '../raster.ts'
import { bestPair, roleOf } from './axis-role.ts'
import {
  coordinateAt,
  coordinateWord,
  type Frame,
  type PlotAxis,
  placeOfCoordinate,
  plotAxis,
  rangeInLink,
  rangeWord,
  type SeenAxes,
} from './plot-axis.ts'

/**
 * What a picture shows, by its link and by what the dimensions are. In the link, `a` is the attribute, `d` has the indexes of the
 * dimensions that go up and across, `f` the letters of the axes that the reader turned, `k` is 0 or 1 for colours from three values,
 * and `r` has the ranges as in Cells.
 */
export interface Chosen {
  frame: Frame
  /** Indexes of the two dimensions. */
  up: number
  across: number
  whole: SeenAxes
  seen: SeenAxes
  /** One raster, or three for red, green and blue: the attribute, and ranges as `--range` takes them. */
  planes: readonly Plane[]
  /** What is in sight of the two dimensions, and one coordinate of each other dimension of a dense array. */
  ranges: readonly string[]
  /** The same for the link: {@link rangeInLink}. */
  rangesInLink: readonly string[]
  slices: readonly Slice[]
  /** Whether cells with the fill value are cells like others. */
  fillIsValue: boolean
  /** Whether a step along both axes is equally long, unless the reader chose. */
  isTrue: boolean
  /** Whether there are three values for colours. */
  hasColours: boolean
}

interface Plane {
  /** Undefined for the number of cells. */
  attribute: string | undefined
  ranges: readonly string[]
}

/** A dimension of which one coordinate is shown. */
export interface Slice {
  d: number
  axis: PlotAxis
  place: number
}

/** In the list of attributes, it stands for the number of cells. */
export const COUNT = '#'

/** Names of the attributes that can be shown, and {@link COUNT}. */
export function shownNames({ attributes, array_type }: PictureFacts): readonly string[] {
  const names = attributes.filter(isNumeric).map(({ name }) => name)
  return array_type === 'sparse' ? [...names, COUNT] : names
}

/** Indexes of the dimensions that can be an axis: those with numbers or dates that have cells. */
export function axesOf({ dimensions, bounds }: Pick<PictureFacts, 'dimensions' | 'bounds'>): readonly number[] {
  return dimensions.flatMap((one, d) => (isNumeric(one) && bounds[d] ? [d] : []))
}

/** The axis of a dimension, from the first to the last written coordinate. */
export function writtenAxis({ dimensions, bounds }: Pick<PictureFacts, 'dimensions' | 'bounds'>, d: number): PlotAxis {
  const { low = 0, high = 0 } = bounds[d] ?? {}
  return plotAxis(dimensions[d], low as number | bigint, high as number | bigint)
}

/** @param picture what the layer above says of the array */
export function chosenPicture(source: PictureFacts, link: Link, picture: LayerImage | undefined): Chosen {
  const axes = axesOf(source)
  const isPhoto = isOfColours(source, picture)
  const facts = (d: number): AxisFacts => {
    const { name, type } = source.dimensions[d]
    const known: PictureAxis | undefined = picture?.axes.find(({ dimension }) => dimension === name)
    const named = roleOf({ name, type })
    return { dimension: name, role: known?.role ?? (isPhoto ? OF_PHOTO.get(named) : named), falls: known?.falls }
  }
  const [up, across] = pairOf(source, link, axes, picture, facts)
  const turned = link.f ?? ''
  const frame: Frame = {
    across: writtenAxis(source, across),
    up: writtenAxis(source, up),
    isLastLeft: isLastLeft(facts(across)) !== turned.includes('x'),
    isLastTop: isLastTop(facts(up)) !== turned.includes('y'),
  }
  const inLink = listInLink(link.r)
  const whole = { x0: 0, x1: frame.across.size, y0: 0, y1: frame.up.size }
  const [x, y] = [frame.across, frame.up].map((axis) => boundsPlaces(source, inLink, axis))
  const seen = { ...whole, ...(x && { x0: x[0], x1: x[1] }), ...(y && { y0: y[0], y1: y[1] }) }
  const channel = channelOf(source, [up, across], picture)
  const colours = coloursOf(source, picture, channel)
  const isColoured = colours !== undefined && link.k !== '0' && (link.k === '1' || colours.isCertain)
  const slices = slicesOf(source, inLink, [up, across], isColoured ? channel : undefined)
  const names = shownNames(source)
  const attribute = link.a !== undefined && names.includes(link.a) ? link.a : (picture?.attributes[0] ?? names[0])
  const others = source.dimensions.flatMap(({ name }, d) => {
    if (d === up || d === across || (isColoured && d === channel)) return []
    const slice = slices.find((one) => one.d === d)
    if (slice) return [sliceWord(slice)]
    return rangeOf(inLink, name) ?? []
  })
  const ranges = [rangeWord(frame.up, seen.y0, seen.y1), rangeWord(frame.across, seen.x0, seen.x1), ...others]
  const rangesInLink = [
    ...rangeInLink(frame.up, seen.y0, seen.y1),
    ...rangeInLink(frame.across, seen.x0, seen.x1),
    ...others,
  ]
  const plain = [{ attribute: attribute === COUNT ? undefined : attribute, ranges }]
  const roles = [facts(up).role, facts(across).role]
  return {
    frame,
    up,
    across,
    whole,
    seen,
    slices,
    ranges,
    rangesInLink,
    planes: isColoured
      ? colours.planes.map(({ attribute, range }) => ({ attribute, ranges: range ? [...ranges, range] : ranges }))
      : plain,
    fillIsValue: picture !== undefined && isOfCamera(picture),
    isTrue: roles.every((role) => role !== undefined && role !== 'time'),
    hasColours: colours !== undefined,
  }
}

function pairOf(
  source: PictureFacts,
  link: Link,
  axes: readonly number[],
  picture: LayerImage | undefined,
  facts: (d: number) => AxisFacts,
): readonly [up: number, across: number] {
  const [a = -1, b = -1] = (link.d ?? '').split(',').map(Number)
  if (a !== b && axes.includes(a) && axes.includes(b)) return [a, b]
  const ofLayer = picture?.axes.map(({ dimension }) => source.dimensions.findIndex(({ name }) => name === dimension))
  const known = ofLayer?.every((d) => axes.includes(d)) ? ofLayer.sort((x, y) => x - y) : undefined
  const best = bestPair(
    axes.map((d) => facts(d).role),
    axes.map((d) => writtenAxis(source, d).size),
  ).map((i) => axes[i] ?? 0)
  const [first = 0, second = 1] = known ?? best
  const lies = orientationOf([facts(first), facts(second)])
  return lies.across === 1 ? [first, second] : [second, first]
}

/** The places between which a range of the link lies; undefined without one. */
export function boundsPlaces(
  source: PictureFacts,
  ranges: readonly string[],
  axis: PlotAxis,
): [number, number] | undefined {
  const bounds = boundsIn(source, ranges, axis.dimension.name)
  if (!bounds) return undefined
  const place = (end: Bounds['low'], other: number): number =>
    end === undefined ? other : placeOfCoordinate(axis, end as number | bigint)
  const from = place(bounds.low, 0)
  const to = place(bounds.high, axis.size) + (axis.isFloat || bounds.high === undefined ? 0 : 1)
  return to > from ? [from, to] : undefined
}

/** A typed range of a dimension; undefined if there is none, or if it is no range. */
function boundsIn({ dimensions }: PictureFacts, ranges: readonly string[], name: string): Bounds | undefined {
  const range = rangeOf(ranges, name)
  if (range === undefined) return undefined
  try {
    const d = dimensions.findIndex((one) => one.name === name)
    return parseRangeSets(dimensions, [range]).get(d)?.[0]
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  }
}

/** The dimensions of a dense array of which one coordinate is shown: the middle one, unless the link says another. */
function slicesOf(
  source: PictureFacts,
  inLink: readonly string[],
  pair: readonly number[],
  channel: number | undefined,
): readonly Slice[] {
  return axesOf(source).flatMap((d) => {
    if (pair.includes(d) || d === channel) return []
    const axis = writtenAxis(source, d)
    const bounds = boundsIn(source, inLink, source.dimensions[d].name)
    // Of a sparse array, all is shown that lies behind a pixel.
    if (source.array_type === 'sparse' && bounds?.low === undefined) return []
    if (bounds?.low === undefined || bounds.low !== bounds.high)
      return source.array_type === 'sparse' ? [] : [{ d, axis, place: Math.floor(axis.size / 2) }]
    const place = placeOfCoordinate(axis, bounds.low as number | bigint)
    return [{ d, axis, place: Math.min(axis.isFloat ? axis.size : axis.size - 1, Math.max(0, place)) }]
  })
}

export function sliceWord({ axis, place }: Slice): string {
  return `${axis.dimension.name}=${coordinateWord(axis, coordinateAt(axis, place))}`
}

/** The roles of dimensions by their names. In a picture with red, green and blue, `y` and `x` are rows and columns. */
export function namedRoles(source: ColourFacts): readonly AxisFacts['role'][] {
  const isPhoto = isOfColours(source, undefined)
  return source.dimensions.map((one) => {
    const role = roleOf(one)
    return isPhoto ? OF_PHOTO.get(role) : role
  })
}

/** What `y` and `x` of a picture with red, green and blue are: its first row is at the top. */
const OF_PHOTO: ReadonlyMap<AxisFacts['role'], AxisFacts['role']> = new Map([
  ['y', 'row'],
  ['x', 'column'],
  ['row', 'row'],
  ['column', 'column'],
])

/** The facts of an array that tell whether it has colours. */
type ColourFacts = Pick<PictureFacts, 'dimensions' | 'attributes' | 'bounds'>

function isOfColours(source: ColourFacts, picture: LayerImage | undefined): boolean {
  return coloursOf(source, picture, channelOf(source, [], picture))?.isCertain === true
}

/** Names of a dimension whose coordinates are colours. */
const CHANNELS = /^(?:c|channel|channels|band|bands|rgb|rgba|colou?rs?)$/i
/** Names of attributes that are red, green and blue. */
const COLOURS = [/^(?:r|red)$/i, /^(?:g|green)$/i, /^(?:b|blue)$/i]

/** The dimension whose coordinates are red, green and blue. */
function channelOf(source: ColourFacts, pair: readonly number[], picture: LayerImage | undefined): number | undefined {
  const { dimensions } = source
  const d = dimensions.findIndex(({ name }) =>
    picture?.channels ? name === picture.channels.dimension : CHANNELS.test(name),
  )
  if (d < 0 || pair.includes(d) || !axesOf(source).includes(d)) return undefined
  const { size } = writtenAxis(source, d)
  return picture?.channels || size === 3 || size === 4 ? d : undefined
}

interface Colours {
  planes: readonly { attribute: string; range?: string }[]
  /** Whether a picture is shown so unless the reader wants otherwise. */
  isCertain: boolean
}

/** Where red, green and blue are; undefined if there is no such thing. */
function coloursOf(
  source: ColourFacts,
  picture: LayerImage | undefined,
  channel: number | undefined,
): Colours | undefined {
  const numbers = source.attributes.filter(isNumeric)
  if (picture?.attributes.length === 3)
    return { planes: picture.attributes.map((attribute) => ({ attribute })), isCertain: true }
  const named = COLOURS.flatMap((names) => numbers.filter(({ name }) => names.test(name)).slice(0, 1))
  if (named.length === 3) return { planes: named.map(({ name }) => ({ attribute: name })), isCertain: true }
  const attribute = picture?.attributes[0] ?? numbers[0]?.name
  if (channel === undefined || attribute === undefined) return undefined
  const axis = writtenAxis(source, channel)
  const at = picture?.channels?.at ?? [0, 1, 2].map((i) => Number(coordinateAt(axis, i)))
  if (at.length !== 3) return undefined
  const planes = at.map((value) => ({ attribute, range: `${axis.dimension.name}=${value}` }))
  const { type } = numbers.find(({ name }) => name === attribute) ?? {}
  return { planes, isCertain: picture?.channels !== undefined || type === 'UINT8' }
}
