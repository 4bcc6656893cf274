import { useEffect, useRef, useState } from 'preact/hooks'
import { exitCodeOf } from '../../base/errors.ts'
import { formatCount, shortValue } from '../../render/units.ts'
import { fieldName } from '../../render/views/wording.ts'
import { cellOfNumber, ownValue } from '../cell-of-number.ts'
import { Button, cutName } from '../controls.tsx'
import { Damaged } from '../damaged.tsx'
import { COLOURS, mousePlace, type Sheet } from '../drawing.tsx'
import { changeLink, type Link } from '../link.ts'
import { listInLink, listText } from '../range-list.ts'
import { Surface } from '../surface.tsx'
import { type Column, numberColumn, Table } from '../table.tsx'
import type { Lined, PictureSource } from '../tasks.ts'
import { Text } from '../text.tsx'
import { timeOptions } from '../times.ts'
import { useReading } from '../use-reading.ts'
import type { ViewProps } from '../view.ts'
import { areaColour } from './area-colour.ts'
import { boundsPlaces, shownNames, writtenAxis } from './chosen.ts'
import { Extremes } from './extremes.tsx'
import { labelText } from './labels.ts'
import { type Area, around, canvasPen, isInside, type Pen } from './pen.ts'
import { keptInside, type PlotAxis, placeOfCoordinate, rangeInLink, rangeWord, spanWord } from './plot-axis.ts'
import { type KeptDrawing, SaveButtons } from './save.tsx'
import { runsOf, type Series, type SeriesLine } from './series.ts'
import { ticksOf, valueTicks } from './ticks.ts'
import { useSeen } from './use-seen.ts'

/** Attributes as lines along the only dimension of numbers. In the link, `a` has the names, one a line. */

/** Most lines that are drawn without being asked for. */
const FEW = 3
/** Height of a line's panel, space around it, and below all for the axis, in CSS pixels. */
const [PANEL, GAP, BELOW, LEFT, RIGHT] = [170, 26, 40, 100, 14]
/** Pixels of a line that a dot needs. */
const DOT = 6
/** Width of a letter. */
const LETTER = 6.6
/** Most points that the table lists. */
const MAX_LISTED = 1000

interface LinesProps extends ViewProps {
  source: PictureSource
  /** Index of the dimension. */
  d: number
}

interface Span {
  from: number
  to: number
}

function namesIn(link: Link, names: readonly string[]): readonly string[] {
  const chosen = (link.a ?? '').split('\n').filter((name) => names.includes(name))
  return chosen.length > 0 ? chosen : names.slice(0, FEW)
}

export function Lines({ source, link, inspected, d }: LinesProps) {
  const axis = writtenAxis(source, d)
  const names = shownNames(source).filter((name) => source.attributes.some((one) => one.name === name))
  const shown = namesIn(link, names)
  const inLink = listInLink(link.r)
  const [from, to] = boundsPlaces(source, inLink, axis) ?? [0, axis.size]
  const others = inLink.filter((range) => !range.startsWith(`${axis.dimension.name}=`))
  const ranges = [rangeWord(axis, from, to), ...others]
  const whole = { a: shown.join('\n'), r: listText([...rangeInLink(axis, from, to), ...others]) }
  useEffect(() => {
    if ((link.a ?? '') !== whole.a || link.r !== whole.r) changeLink(link, whole, true)
  })
  const wanted = { d, attributes: shown, ranges, isWhole: link.m === 'all', goesOn: link.x === 'k' }
  const reading = useReading<Lined>(
    (progress) => progress.follow(inspected.begin('lines', timeOptions(link), wanted)),
    [source, JSON.stringify(wanted)],
  )
  const { value, isDone, error, stop } = reading
  const last = useRef<Series | undefined>(undefined)
  if (value?.found) last.current = value.found
  const isDamaged = source.unopened.length > 0 || (error !== undefined && exitCodeOf(error) === 1)
  useEffect(() => {
    if (isDamaged && link.x !== 'k') changeLink(link, { x: 'k' }, true)
  })
  const series = last.current
  const toggle = (name: string) => {
    const next = shown.includes(name)
      ? shown.filter((one) => one !== name)
      : names.filter((one) => one === name || shown.includes(one))
    if (next.length > 0) changeLink(link, { ...whole, a: next.join('\n') })
  }
  return (
    <>
      {names.length > 1 && (
        <details>
          <summary>
            {shown.length} of {names.length} attributes
          </summary>
          {names.map((name) => (
            <label key={name}>
              <input type="checkbox" checked={shown.includes(name)} onChange={() => toggle(name)} />{' '}
              <Text>{fieldName(name)}</Text>{' '}
            </label>
          ))}
        </details>
      )}
      {series && (
        <Plot {...{ source, link, axis, series, ranges, whole: axis.size }} seen={{ from, to }} version={value} />
      )}
      <p role="status" class="under">
        {value?.found && statusText(value.found, isDone)}
        {!value?.found && (isDone ? !error && 'Nothing was written there.' : 'Reading cells …')}{' '}
        {!isDone && <Button onClick={stop}>Stop</Button>}
        {isDone && value?.found?.kind === 'preview' && (
          <Button onClick={() => changeLink(link, { m: 'all' })}>
            Read all {formatCount(value.found.total)} cells
          </Button>
        )}
      </p>
      <Damaged
        {...{ inspected, link, error }}
        faults={[...source.unopened, ...(value?.faults ?? [])]}
        isUnderWay={!isDone}
      />
      {series && isDone && <Numbers {...{ source, series, axis }} />}
    </>
  )
}

function statusText({ kind, read, total, step }: Series, isDone: boolean): string {
  if (kind === 'preview')
    return `A preview, by the statistics of tiles.${isDone ? ' No cell was read.' : ` Reading cells … ${formatCount(read)}`}`
  if (!isDone) return `Reading cells … ${formatCount(read)} of ${formatCount(total)}`
  const isEach = typeof step === 'bigint' && step === 1n
  return isEach
    ? `${formatCount(read)} cells, each by itself.`
    : `${formatCount(read)} cells; a line is their mean, the area behind it goes from the least to the greatest.`
}

interface PlotProps {
  source: PictureSource
  link: Link
  axis: PlotAxis
  series: Series
  ranges: readonly string[]
  whole: number
  seen: Span
  version: unknown
}

/** Draws a panel for each line, and the axis below them. @param at the place that is pointed at */
function drawPanels(
  { source, axis, series }: PlotProps,
  { seen, at }: { seen: Span; at: number | undefined },
  pen: Pen,
  size: number,
  colour: Sheet['colour'],
): void {
  const { lines } = series
  const room = Math.max(20, size - LEFT - RIGHT)
  const x = (place: number): number => LEFT + ((place - seen.from) / (seen.to - seen.from)) * room
  for (const [i, line] of lines.entries())
    drawLine(
      pen,
      { x: LEFT, y: GAP + i * (PANEL + GAP), width: room, height: PANEL },
      {
        source,
        line,
        series,
        axis,
        seen,
        x,
        colour,
        name: COLOURS[i % COLOURS.length] ?? 'c1',
      },
    )
  const bottom = lines.length * (PANEL + GAP)
  for (const { place, text } of ticksOf(axis, seen.from, seen.to, Math.max(1, Math.floor(room / 100)))) {
    pen.line(x(place), bottom, x(place), bottom + 4, colour('ink'))
    if (x(place) + (text.length * LETTER) / 2 <= size) pen.text(text, x(place), bottom + 13, 'center', colour('ink'))
  }
  pen.text(`${cutName(axis.dimension.name || '(no name)')} →`, LEFT + room / 2, bottom + 31, 'center', colour('ink'))
  if (at !== undefined) pen.line(x(at), GAP, x(at), bottom, colour('dim'))
}

function Plot(props: PlotProps) {
  const { source, link, axis, series, ranges, whole } = props
  const [seen, setSeen] = useSeen(props.seen, link, ({ from, to }) => [
    ...rangeInLink(axis, from, to),
    ...ranges.slice(1),
  ])
  const [width, setWidth] = useState(0)
  const [at, setAt] = useState<number | undefined>(undefined)
  const { lines } = series
  const height = lines.length * (PANEL + GAP) + BELOW
  const inner = Math.max(20, width - LEFT - RIGHT)
  const placeAt = (x: number): number => seen.from + ((x - LEFT) / inner) * (seen.to - seen.from)
  const show = (from: number, to: number): void => {
    const [first, last] = keptInside(from, to, axis)
    setSeen({ from: first, to: last })
  }
  const zoom = (factor: number, around = (seen.from + seen.to) / 2): void =>
    show(around - (around - seen.from) * factor, around + (seen.to - around) * factor)
  const drawAll = (pen: Pen, size: number, colour: Sheet['colour']): void =>
    drawPanels(props, { seen, at }, pen, size, colour)
  const draw = (sheet: Sheet): void => {
    if (sheet.width !== width) setWidth(sheet.width)
    drawAll(canvasPen(sheet.canvas), sheet.width, sheet.colour)
  }
  const point = (by: number, isFar: boolean): void => {
    const width = Number(series.step) || 1
    const step = by * (isFar ? (seen.to - seen.from) / 6 : width)
    if (isFar) show(seen.from + step, seen.to + step)
    setAt(Math.min(whole, Math.max(0, at === undefined ? seen.from + width / 2 : at + step)))
  }
  const keys = (isShifted: boolean) => ({
    ArrowLeft: () => point(-1, isShifted),
    ArrowRight: () => point(1, isShifted),
    '+': () => zoom(0.5, at),
    '=': () => zoom(0.5, at),
    '-': () => zoom(2, at),
    '0': () => show(0, whole),
  })
  const kept = (): KeptDrawing => ({
    name: cutName(axis.dimension.name) || 'lines',
    width,
    height,
    draw: drawAll,
    rows: () => rowsOf(series, axis),
  })
  return (
    <figure>
      <div class="controls">
        <Button onClick={() => zoom(0.5)}>Nearer</Button>
        <Button onClick={() => zoom(2)}>Farther</Button>
        <Button onClick={() => show(0, whole)}>All</Button>
        <SaveButtons kept={kept} />
      </div>
      <Surface
        label={`${lines.length} lines along ${cutName(axis.dimension.name)}. Arrow keys go from point to point, with Shift to the next part; plus and minus zoom, 0 shows all. The table below has the same.`}
        height={height}
        draw={draw}
        keys={keys}
        pointOf={(event) => mousePlace(event)[0]}
        drag={(from, to) => {
          const by = placeAt(from) - placeAt(to)
          show(seen.from + by, seen.to + by)
        }}
        isOver={(event) => isInside({ x: LEFT, y: GAP, width: inner, height: height - BELOW - GAP }, mousePlace(event))}
        over={(event) => setAt(placeAt(mousePlace(event)[0]))}
        zoomAt={(factor, event) => zoom(factor, placeAt(mousePlace(event)[0]))}
        doubled={0.5}
      />
      <figcaption>
        <Pointed {...{ source, axis, series }} bin={at === undefined ? undefined : binAt(series, axis, at)} />
      </figcaption>
      {series.kind === 'exact' &&
        lines.map((line) => <LineExtremes key={line.column.name} {...{ ...props, line, setAt }} />)}
    </figure>
  )
}

/** What the lines have where the reader points. */
function Pointed({
  source,
  axis,
  series,
  bin,
}: Pick<PlotProps, 'source' | 'axis' | 'series'> & { bin: number | undefined }) {
  return (
    <p aria-live="polite" class="under">
      {bin === undefined ? (
        <span class="note">
          Point at a line, or go along by Tab and arrow keys. Drag moves, the wheel or + and - zoom, a click keeps the
          point.
        </span>
      ) : (
        <>
          <Text>{`${axis.dimension.name} ${spanText(series, axis, bin)}`}</Text>:{' '}
          {series.lines.map((line) => (
            <span key={line.column.name}>
              <Text>{line.column.name}</Text>{' '}
              <strong>
                <Text>{binText(line, bin, source)}</Text>
              </strong>{' '}
            </span>
          ))}
        </>
      )}
    </p>
  )
}

/** Where the least and the greatest number of a line in sight are. */
function LineExtremes({
  source,
  axis,
  series,
  line,
  setAt,
}: PlotProps & { line: SeriesLine; setAt(place: number): void }) {
  const bins = Array.from(line.counts.keys()).filter((bin) => line.counts[bin] > 0)
  if (bins.length === 0) return null
  const ends = [
    { of: line.lows, bin: bins.reduce((a, b) => (line.lows[b] < line.lows[a] ? b : a)) },
    { of: line.highs, bin: bins.reduce((a, b) => (line.highs[b] > line.highs[a] ? b : a)) },
  ]
  return (
    <p class="note">
      <Text>{line.column.name}</Text>:{' '}
      <Extremes
        of={ends.map(({ of, bin }) => ({
          value: ownText(line, of[bin], source),
          place: `${axis.dimension.name} ${spanText(series, axis, bin)}`,
          go: () => setAt(middleOf(series, axis, bin)),
        }))}
      />
    </p>
  )
}

/** Place of the middle of a step. */
function middleOf(series: Series, axis: PlotAxis, bin: number): number {
  return placeOfCoordinate(axis, series.low) + (bin + 0.5) * (Number(series.step) || 1)
}

function binAt(series: Series, axis: PlotAxis, place: number): number | undefined {
  const bin = Math.floor((place - placeOfCoordinate(axis, series.low)) / (Number(series.step) || 1))
  return bin >= 0 && bin < series.length ? bin : undefined
}

function spanText(series: Series, axis: PlotAxis, bin: number): string {
  const step = Number(series.step) || 1
  return spanWord(axis, placeOfCoordinate(axis, series.low) + bin * step, step, axis.size)
}

function numberText({ column }: SeriesLine, value: number, isExact: boolean): string {
  if (isExact) return shortValue(ownValue(column.type, value))
  return /^(?:FLOAT|U?INT|BOOL)/.test(column.type)
    ? String(Number(value.toPrecision(6)))
    : shortValue(cellOfNumber(column.type, value))
}

/** The words of a number that a cell has. */
function ownText(line: SeriesLine, value: number, source: PictureSource): string {
  return labelText(source, line.column, value) ?? numberText(line, value, true)
}

function binText(line: SeriesLine, bin: number, source: PictureSource): string {
  const count = line.counts[bin]
  if (count === 0) return line.lacks[bin] > 0 ? 'no value' : 'no cell'
  const mean = line.sums[bin] / count
  const labels = [line.lows[bin], line.highs[bin]].map((one) => labelText(source, line.column, one))
  // Labels have no mean.
  if (labels[0] !== undefined)
    return [...new Set(labels)].join(' to ') + (count === 1 ? '' : ` (${formatCount(count)} cells)`)
  if (count === 1) return numberText(line, mean, true)
  const [low, high] = [line.lows[bin], line.highs[bin]].map((one) => numberText(line, one, true))
  return `${numberText(line, mean, false)} (${low} to ${high}, ${formatCount(count)} cells)`
}

interface LineDrawing {
  source: PictureSource
  line: SeriesLine
  series: Series
  axis: PlotAxis
  seen: Span
  x(place: number): number
  colour: Sheet['colour']
  /** Name of the line's colour. */
  name: string
}

function drawLine(pen: Pen, area: Area, { source, line, series, axis, seen, x, colour, name }: LineDrawing): void {
  const { lows, highs, sums, counts, lacks } = line
  const bins: number[] = []
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const half = (Number(series.step) || 1) / 2
  for (let bin = 0; bin < series.length; bin++) {
    const place = middleOf(series, axis, bin)
    if (place + half < seen.from || place - half > seen.to) continue
    bins.push(bin)
    if (counts[bin] === 0) continue
    if (Number.isFinite(lows[bin])) low = Math.min(low, lows[bin])
    if (Number.isFinite(highs[bin])) high = Math.max(high, highs[bin])
  }
  pen.text(cutName(line.column.name || '(no name)'), area.x, area.y - 10, 'left', colour('ink'))
  pen.box(around(area), colour('line'), true)
  if (low > high) return
  const room = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1
  const [bottom, top] = [low - room, high + room]
  const y = (value: number): number => area.y + ((top - value) / (top - bottom)) * area.height
  for (const value of valueTicks(bottom, top, 6, false)) {
    const text = labelText(source, line.column, value) ?? numberText(line, value, false)
    if (text === '') continue
    pen.line(area.x - 4, y(value), area.x, y(value), colour('ink'))
    pen.text(text.slice(0, 14), area.x - 7, y(value), 'right', colour('ink'))
  }
  const hasArea = series.kind === 'preview' || bins.some((bin) => counts[bin] > 1)
  const own = colour(hasArea ? 'ink' : name)
  // Whether all steps in sight have room for a dot. All runs of them look the same.
  const isSparse = bins.filter((bin) => counts[bin] + lacks[bin] > 0).length * DOT < area.width
  pen.within(area, () => {
    for (const run of runsOf(bins, counts, lacks)) {
      const points = run.map((bin) => [x(middleOf(series, axis, bin)), y(sums[bin] / counts[bin])] as const)
      if (hasArea) {
        const above = run.map((bin) => [x(middleOf(series, axis, bin)), y(highs[bin])] as const)
        const below = run.map((bin) => [x(middleOf(series, axis, bin)), y(lows[bin])] as const)
        const edge = [...above, ...below.reverse()]
        const filled = areaColour(colour(name), colour('paper'), colour('ink'))
        pen.path(edge, filled, true)
        // One step alone, and a peak of one step, are narrower than a pixel without the edge.
        pen.path(edge, filled)
      }
      pen.path(points, own)
      if (isSparse || run.length === 1)
        for (const [px, py] of points) pen.box({ x: px - 1.5, y: py - 1.5, width: 3, height: 3 }, own)
    }
  })
}

function* rowsOf(series: Series, axis: PlotAxis): Generator<readonly string[]> {
  yield [
    axis.dimension.name,
    ...series.lines.flatMap(({ column: { name } }) => [
      `${name} mean`,
      `${name} least`,
      `${name} greatest`,
      `${name} cells`,
    ]),
  ]
  for (let bin = 0; bin < series.length; bin++) {
    if (series.lines.every(({ counts }) => counts[bin] === 0)) continue
    const values = series.lines.flatMap(({ sums, lows, highs, counts }) =>
      counts[bin] === 0 ? ['', '', '', '0'] : [sums[bin] / counts[bin], lows[bin], highs[bin], counts[bin]].map(String),
    )
    yield [spanText(series, axis, bin), ...values]
  }
}

/** The columns of a line: its values if each step has one cell, else what rows of CSV have, too. Labels have no mean. */
function lineColumns(line: SeriesLine, source: PictureSource): readonly Column<number>[] {
  const { column, sums, lows, highs, counts } = line
  const words = (bin: number): string => binText(line, bin, source)
  const numbers = (title: string, of: (bin: number) => number, textOf: (bin: number) => string): Column<number> => ({
    title,
    isNumber: true,
    show: (bin) => <Text>{textOf(bin)}</Text>,
    by: (bin) => (counts[bin] > 0 ? of(bin) : undefined),
  })
  const mean = (bin: number): number => sums[bin] / counts[bin]
  if (labelText(source, column, 0) !== undefined || counts.every((count) => count <= 1))
    return [numbers(column.name, mean, words)]
  const own = (of: Float64Array) => (bin: number) => (counts[bin] > 0 ? numberText(line, of[bin], true) : '')
  return [
    numbers(`${column.name} mean`, mean, (bin) => (counts[bin] > 1 ? numberText(line, mean(bin), false) : words(bin))),
    numbers(`${column.name} least`, (bin) => lows[bin], own(lows)),
    numbers(`${column.name} greatest`, (bin) => highs[bin], own(highs)),
    numberColumn(`${column.name} cells`, (bin) => counts[bin]),
  ]
}

/** The steps of the lines as a table. */
function Numbers({ source, series, axis }: { source: PictureSource; series: Series; axis: PlotAxis }) {
  const bins = Array.from({ length: series.length }, (_, bin) => bin).filter((bin) =>
    series.lines.some(({ counts, lacks }) => counts[bin] > 0 || lacks[bin] > 0),
  )
  const columns: readonly Column<number>[] = [
    { title: axis.dimension.name, isName: true, show: (bin) => <Text>{spanText(series, axis, bin)}</Text> },
    ...series.lines.flatMap((line) => lineColumns(line, source)),
  ]
  return <Table caption="Points" columns={columns} rows={bins.slice(0, MAX_LISTED)} keyOf={(bin) => bin} />
}
