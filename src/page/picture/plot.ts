import { cutName } from '../controls.tsx'
import { colourAt, placeOnScale, type Scale } from '../palette.ts'
import type { Raster } from '../raster.ts'
import { type Area, around, type Pen } from './pen.ts'
import { type Frame, type PlotAxis, rasterPlaces, type SeenAxes } from './plot-axis.ts'
import { ticksOf, valueTicks } from './ticks.ts'

/** A picture of cells with its axes and its scale of colours: where everything lies, and how it is drawn. */

/** Pixels of a raster, ready to be drawn. */
export interface PixelLayer {
  raster: Raster
  image: HTMLCanvasElement
}

/** Names of the colours that drawings take from the style. */
type ColourOf = (name: string) => string

/** A box over the cells. */
export interface PlotBox extends SeenAxes {
  colour: string
  /** The colour beside its edge, so that the box is seen on cells of any colour. */
  beside?: string
}

interface Plot {
  frame: Frame
  seen: SeenAxes
  layers: readonly PixelLayer[]
  /** Undefined for a picture in red, green and blue. */
  scale: Scale | undefined
  /** The words of a value at the scale; empty if it has none, as a number between two labels. */
  valueText(value: number): string
  /** Boxes over the cells, and their colours. */
  boxes: readonly PlotBox[]
  /** The cell that is pointed at. */
  cursor: SeenAxes | undefined
}

/** Space around the cells, in CSS pixels. */
const MARGIN = { top: 10, right: 12, bottom: 42, scale: 104 }
/** Width of a letter, and height of a line. */
const [LETTER, LINE] = [6.6, 16]
/** Pixels between two marks of an axis: of one across, for short words and for dates; and of one that goes up. */
const APART = { across: [60, 90], up: 42 }
const [SCALE_GAP, SCALE_WIDTH] = [14, 14]
const LONGEST_LABEL = 18
/** Letters of a value at the scale that have room. */
const MAX_LETTERS = 10
/** Pixels between the lines of what was not read. */
const HATCH = 8

/** The size of a drawing in CSS pixels, and what is in it. */
export interface Sizes {
  width: number
  height: number
  hasScale: boolean
  /** Whether steps along both axes are equally long. */
  isTrue: boolean
  /** Letters of the longest word beside the axis that goes up. */
  letters: number
}

/** Letters of the longest word beside an axis. */
export function lettersBeside(axis: PlotAxis, seen: SeenAxes, height: number): number {
  const marks = ticksOf(axis, seen.y0, seen.y1, Math.max(1, Math.floor(height / APART.up)))
  return marks.reduce((most, { text }) => Math.max(most, Math.min(LONGEST_LABEL, text.length)), 3)
}

/** Where the cells are drawn. */
export function cellArea({ width, height, hasScale, isTrue, letters }: Sizes, seen: SeenAxes): Area {
  const x = Math.min(LETTER * letters + 12, width / 3)
  const right = hasScale ? MARGIN.scale : MARGIN.right
  const room = Math.max(20, width - x - right)
  const inner = Math.max(20, height - MARGIN.top - MARGIN.bottom)
  const long = isTrue ? Math.max(20, inner * aspectOf(seen)) : room
  return { x, y: MARGIN.top, width: Math.min(room, long), height: inner }
}

function aspectOf({ x0, x1, y0, y1 }: SeenAxes): number {
  return (x1 - x0) / (y1 - y0)
}

/** The height of a drawing of this width in which steps along both axes are equally long. */
export function trueHeight(sizes: Sizes, seen: SeenAxes): number {
  const { width } = cellArea({ ...sizes, isTrue: false }, seen)
  return width / aspectOf(seen) + MARGIN.top + MARGIN.bottom
}

/** Where a place of the axes is drawn. */
export function drawnAt({ isLastLeft, isLastTop }: Frame, seen: SeenAxes, area: Area) {
  const [perX, perY] = [area.width / (seen.x1 - seen.x0), area.height / (seen.y1 - seen.y0)]
  return {
    x: (place: number): number => area.x + (isLastLeft ? seen.x1 - place : place - seen.x0) * perX,
    y: (place: number): number => area.y + (isLastTop ? seen.y1 - place : place - seen.y0) * perY,
  }
}

/** The place of the axes that is drawn somewhere. */
export function placeDrawn(
  { isLastLeft, isLastTop }: Frame,
  seen: SeenAxes,
  area: Area,
  [x, y]: readonly [number, number],
): [x: number, y: number] {
  const [right, down] = [(x - area.x) / area.width, (y - area.y) / area.height]
  return [
    isLastLeft ? seen.x1 - right * (seen.x1 - seen.x0) : seen.x0 + right * (seen.x1 - seen.x0),
    isLastTop ? seen.y1 - down * (seen.y1 - seen.y0) : seen.y0 + down * (seen.y1 - seen.y0),
  ]
}

/** A box of places as an area of the drawing. */
function areaOf(frame: Frame, seen: SeenAxes, area: Area, box: SeenAxes): Area {
  const at = drawnAt(frame, seen, area)
  const [x, y] = [Math.min(at.x(box.x0), at.x(box.x1)), Math.min(at.y(box.y0), at.y(box.y1))]
  return { x, y, width: Math.abs(at.x(box.x1) - at.x(box.x0)), height: Math.abs(at.y(box.y1) - at.y(box.y0)) }
}

export function drawPlot(pen: Pen, sizes: Sizes, plot: Plot, colour: ColourOf): void {
  const { frame, seen, layers, scale, boxes, cursor } = plot
  const area = cellArea(sizes, seen)
  pen.within(area, () => {
    if (layers.some(({ raster }) => raster.kind !== 'points')) hatch(pen, area, colour('line'))
    for (const { raster, image } of layers) {
      const [x, y] = [rasterPlaces(frame.across, raster.right), rasterPlaces(frame.up, raster.down)]
      // The last pixel may have fewer cells than the others.
      const whole = {
        x0: x.first,
        x1: x.first + x.step * raster.right.length,
        y0: y.first,
        y1: y.first + y.step * raster.down.length,
      }
      pen.within(areaOf(frame, seen, area, { x0: x.first, x1: x.end, y0: y.first, y1: y.end }), () =>
        pen.image(image, areaOf(frame, seen, area, whole), [frame.isLastLeft, frame.isLastTop]),
      )
    }
    for (const box of boxes) drawBox(pen, areaOf(frame, seen, area, box), box)
    if (cursor) {
      const { x, y, width, height } = areaOf(frame, seen, area, cursor)
      const shown = { x: x - 1, y: y - 1, width: Math.max(3, width + 2), height: Math.max(3, height + 2) }
      pen.box(shown, colour('c2'), true)
    }
  })
  pen.box(around(area), colour('line'), true)
  drawAxes(pen, area, plot, colour)
  if (scale) drawScale(pen, area, scale, plot.valueText, colour)
}

function drawBox(pen: Pen, area: Area, { colour, beside }: PlotBox): void {
  if (beside !== undefined) for (const by of [2, -1]) pen.box(grown(area, by), beside, true)
  for (const by of beside === undefined ? [0] : [1, 0]) pen.box(grown(area, by), colour, true)
}

function grown({ x, y, width, height }: Area, by: number): Area {
  return { x: x - by, y: y - by, width: Math.max(0, width + 2 * by), height: Math.max(0, height + 2 * by) }
}

/** Lines below the cells: where none was read, they stay. */
function hatch(pen: Pen, { x, y, width, height }: Area, colour: string): void {
  for (let at = -height; at < width; at += HATCH) pen.line(x + at, y, x + at + height, y + height, colour)
}

function drawAxes(pen: Pen, area: Area, { frame, seen }: Plot, colour: ColourOf): void {
  const at = drawnAt(frame, seen, area)
  const bottom = area.y + area.height
  const [near, far] = APART.across.map((apart) => {
    const most = Math.max(1, Math.floor(area.width / apart))
    return { apart, ticks: ticksOf(frame.across, seen.x0, seen.x1, most) }
  })
  const haveRoom = near?.ticks.every(({ text }) => (text.length + 2) * LETTER < near.apart)
  const marks = (haveRoom ? near : far)?.ticks ?? []
  let free = Number.NEGATIVE_INFINITY
  for (const { place, text } of frame.isLastLeft ? [...marks].reverse() : marks) {
    const x = at.x(place)
    pen.line(x, bottom, x, bottom + 4, colour('ink'))
    const half = (text.length * LETTER) / 2
    if (x - half < free) continue
    pen.text(text, x, bottom + 12, 'center', colour('ink'))
    free = x + half + 4
  }
  for (const { place, text } of ticksOf(frame.up, seen.y0, seen.y1, Math.max(1, Math.floor(area.height / APART.up)))) {
    const y = at.y(place)
    pen.line(area.x - 4, y, area.x, y, colour('ink'))
    const room = Math.floor((area.x - 8) / LETTER)
    pen.text(text.length > room ? `${text.slice(0, room - 1)}…` : text, area.x - 7, y, 'right', colour('ink'))
  }
  const [across, up] = [frame.across, frame.up].map(({ dimension }) => cutName(dimension.name || '(no name)'))
  pen.text(
    `${across} ${frame.isLastLeft ? '←' : '→'}`,
    area.x + area.width / 2,
    bottom + LINE * 1.9,
    'center',
    colour('ink'),
  )
  pen.text(`${frame.isLastTop ? '↑' : '↓'} ${up}`, 2, bottom + LINE * 1.9, 'left', colour('ink'))
}

function drawScale(pen: Pen, area: Area, scale: Scale, valueText: Plot['valueText'], colour: ColourOf): void {
  const x = area.x + area.width + SCALE_GAP
  const { low, high, isLog, palette } = scale
  for (let row = 0; row < area.height; row++)
    pen.box(
      { x, y: area.y + row, width: SCALE_WIDTH, height: Math.min(1.5, area.height - row) },
      css(colourAt(1 - row / area.height, palette)),
    )
  pen.box(around({ ...area, x, width: SCALE_WIDTH }), colour('line'), true)
  for (const value of valueTicks(low, high, Math.max(2, Math.floor(area.height / APART.up)), isLog)) {
    const y = area.y + (1 - placeOnScale(scale, value)) * area.height
    const text = valueText(value)
    if (text === '' || !(y >= area.y - 1 && y <= area.y + area.height + 1)) continue
    pen.line(x + SCALE_WIDTH, y, x + SCALE_WIDTH + 4, y, colour('ink'))
    pen.text(
      text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS - 1)}…` : text,
      x + SCALE_WIDTH + 6,
      y,
      'left',
      colour('ink'),
    )
  }
}

function css(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`
}
