/** Boxes of two dimensions as an SVG picture. The text is produced in pieces, as there may be many boxes. */

import { escapeText } from './units.ts'

/** One box, in the units of the axes. */
export interface SvgBox {
  /** Index of its group in `groups`. */
  group: number
  x: readonly [low: number, high: number]
  y: readonly [low: number, high: number]
  title: string
}

export interface SvgAxis {
  name: string
  low: number
  high: number
  /** Texts of both ends. */
  lowText: string
  highText: string
}

interface SvgDrawing {
  title: string
  x: SvgAxis
  y: SvgAxis
  /** Names of the groups, each of which has a colour. */
  groups: readonly string[]
  boxes: Iterable<SvgBox>
}

const WIDTH = 960
const PLOT = { left: 90, top: 50, width: 840, height: 560 }
/** Height of a line of the legend. */
const LINE = 18
/** Least width and height of a box, so that a point is visible. */
const LEAST = 1
/** Okabe and Ito's colours, which colour-blind people can tell apart, without yellow and black. */
const COLORS = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9']

export function* svgText({ title, x, y, groups, boxes }: SvgDrawing): Generator<string> {
  const { left, top, width, height } = PLOT
  const legend = groups.length > 1 ? groups.length : 0
  const total = top + height + 50 + legend * LINE
  const across = scale(x, left, width)
  const down = scale(y, top + height, -height)
  yield `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${total}" viewBox="0 0 ${WIDTH} ${total}" font-family="sans-serif" font-size="12">\n`
  yield `<rect width="100%" height="100%" fill="white"/>\n`
  yield `<text x="${left}" y="28" font-size="15">${escaped(title)}</text>\n`
  yield `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="#999"/>\n`
  const bottom = top + height
  yield `<text x="${left}" y="${bottom + 16}">${escaped(x.lowText)}</text>\n`
  yield `<text x="${left + width}" y="${bottom + 16}" text-anchor="end">${escaped(x.highText)}</text>\n`
  yield `<text x="${left + width / 2}" y="${bottom + 16}" text-anchor="middle" font-weight="bold">${escaped(x.name)}</text>\n`
  yield `<text x="${left - 6}" y="${bottom}" text-anchor="end">${escaped(y.lowText)}</text>\n`
  yield `<text x="${left - 6}" y="${top + 12}" text-anchor="end">${escaped(y.highText)}</text>\n`
  yield `<text x="${left - 6}" y="${top + height / 2}" text-anchor="end" font-weight="bold">${escaped(y.name)}</text>\n`
  for (const box of boxes) {
    const [x1, x2] = [across(box.x[0]), across(box.x[1])]
    const [y1, y2] = [down(box.y[1]), down(box.y[0])]
    const color = colorOf(box.group)
    const place = `x="${short(x1)}" y="${short(y1)}" width="${short(Math.max(LEAST, x2 - x1))}" height="${short(Math.max(LEAST, y2 - y1))}"`
    yield `<rect ${place} fill="${color}" fill-opacity="0.12" stroke="${color}" stroke-width="0.8"><title>${escaped(box.title)}</title></rect>\n`
  }
  for (let i = 0; i < legend; i++) {
    const at = bottom + 40 + i * LINE
    yield `<rect x="${left}" y="${at - 10}" width="12" height="12" fill="${colorOf(i)}"/><text x="${left + 18}" y="${at}">${escaped(groups[i])}</text>\n`
  }
  yield '</svg>\n'
}

function colorOf(group: number): string {
  return COLORS[group % COLORS.length]
}

/** Returns the function that maps values of an axis to the picture. An axis with a single value maps to the middle. */
function scale({ low, high }: SvgAxis, start: number, length: number): (value: number) => number {
  // The ends are halved, as the span of the widest axis exceeds a float64.
  const span = high / 2 - low / 2
  if (!(span > 0)) return () => start + length / 2
  return (value) => start + ((value / 2 - low / 2) / span) * length
}

function short(value: number): string {
  return String(Number(value.toFixed(2)))
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text as tables do, then for XML 1.0, which cannot hold two more characters. */
function escaped(text: string): string {
  return escapeText(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}
