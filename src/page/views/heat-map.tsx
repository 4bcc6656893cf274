import { useEffect, useRef, useState } from 'preact/hooks'
import { exitCodeOf } from '../../base/errors.ts'
import { formatCount, shortValue } from '../../render/units.ts'
import { fieldName } from '../../render/views/wording.ts'
import { cellOfNumber } from '../cell-of-number.ts'
import { listOf, wordsOf } from '../cell-query.tsx'
import { Button, cutName, Form, RangeFields, rangeOf, Select, typedRanges } from '../controls.tsx'
import { Damaged } from '../damaged.tsx'
import { placeOf } from '../drawing.tsx'
import { changeLink, viewLink } from '../link.ts'
import { colourAt } from '../palette.ts'
import { isNumeric, pixelOf, pointAt, type Raster, type RasterAxis } from '../raster.ts'
import { cellOption, coordinateText } from '../short-cell.ts'
import { type Column, Table } from '../table.tsx'
import type { Pictured, PictureOptions, PictureSource } from '../tasks.ts'
import { Text } from '../text.tsx'
import { timeOptions } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import { useReading } from '../use-reading.ts'
import type { ViewParts, ViewProps } from '../view.ts'

/**
 * Two dimensions as a picture. In the link, `a` is the attribute, `d` has the indexes of the dimensions down and to the right, and `r`
 * the ranges as in Cells. `m` is `all` if all cells are read. `x` is `k` if damage was found: what cannot be read is then left out.
 */
export const heatMap: ViewParts = {
  call: ({ link }) => ({
    words: [
      'read',
      ...wordsOf({
        ...timeOptions(link),
        range: listOf(link.r),
        ...(link.a !== undefined && link.a !== COUNT && { field: link.a }),
        ...(link.x === 'k' && { keepGoing: true }),
      }),
    ],
  }),
  Show: HeatMap,
}

/** In the list of attributes, it stands for the number of cells. */
const COUNT = '#'

function HeatMap({ inspected, link }: ViewProps) {
  const loaded = useLoaded(async () => {
    const { value } = await inspected.begin('pictureSource', timeOptions(link)).next()
    return value
  }, [inspected, link.t])
  return (
    <Shown
      of={loaded}
      what="the array"
      show={(source) => {
        const axes = source.dimensions.flatMap((one, d) => (isNumeric(one) ? [d] : []))
        if (axes.length < 2)
          return <p>A picture needs two dimensions of numbers or dates: this array has {axes.length}.</p>
        const names = source.attributes.filter(isNumeric).map(({ name }) => name)
        if (source.array_type === 'sparse') names.push(COUNT)
        if (names.length === 0) return <p>No attribute has one number or date per cell.</p>
        return <FormAndPicture {...{ source, axes, names, link, inspected }} />
      }}
    />
  )
}

interface FormAndPictureProps extends ViewProps {
  source: PictureSource
  /** Indexes of the dimensions that can be an axis. */
  axes: readonly number[]
  /** Names of the attributes that can be shown, and {@link COUNT}. */
  names: readonly string[]
}

/** The form for what the picture shows, and the picture. */
function FormAndPicture({ source, axes, names, link, inspected }: FormAndPictureProps) {
  const { dimensions } = source
  const isDense = source.array_type === 'dense'
  const [down, right] = axesOf(link.d, axes)
  const attribute = link.a !== undefined && names.includes(link.a) ? link.a : names[0]
  const inLink = listOf(link.r)
  // Defaults are written into the link. So it names the same cells later, and so does the call.
  const ranges = dimensions.flatMap(({ name, type }, d) => {
    const range = rangeOf(inLink, name)
    const isPictured = d === down || d === right
    if (range !== undefined && (isPictured || !isDense || !range.includes('..'))) return [range]
    const bounds = source.bounds[d]
    if (!bounds || !isNumeric(dimensions[d])) return []
    const ends = [bounds.low, bounds.high].map((end) => coordinateText(cellOfNumber(type, end as number)))
    if (isPictured) return [`${name}=${ends.join('..')}`]
    return isDense ? [`${name}=${ends[0]}`] : []
  })
  const whole = { a: attribute, d: `${down},${right}`, r: JSON.stringify(ranges) }
  useEffect(() => {
    if (link.a !== whole.a || link.d !== whole.d || link.r !== whole.r) changeLink(link, whole, true)
  })
  const choose = (more: Record<string, string | undefined>) => changeLink(link, { ...whole, ...more })
  const axisNames = axes.map((d) => dimensions[d].name)
  const chooseAxes = (to: readonly [number, number]) => choose({ d: to.join(), r: undefined })
  return (
    <>
      <Form
        class="query"
        use={(values) => choose({ r: JSON.stringify(typedRanges(values, dimensions)), m: undefined, x: undefined })}
        key={whole.r}
      >
        <Select
          label="attribute"
          names={names.map((name) => (name === COUNT ? 'number of cells' : fieldName(name)))}
          at={names.indexOf(attribute)}
          choose={(i) => choose({ a: names[i] })}
        />
        <Select
          label="down"
          names={axisNames}
          at={axes.indexOf(down)}
          choose={(i) => chooseAxes([axes[i], axes[i] === right ? down : right])}
        />
        <Select
          label="to the right"
          names={axisNames}
          at={axes.indexOf(right)}
          choose={(i) => chooseAxes([axes[i] === down ? right : down, axes[i]])}
        />
        <RangeFields dimensions={dimensions} ranges={ranges} />
        <button type="submit">Draw</button>
        <Button onClick={() => choose({ r: undefined, m: undefined })}>All that was written</Button>
      </Form>
      <Picture
        wanted={{ down, right, attribute, ranges, isWhole: link.m === 'all', goesOn: link.x === 'k' }}
        {...{ source, link, inspected }}
      />
    </>
  )
}

/** The axes in `d` of the link; the first two if it is invalid. */
function axesOf(text: string | undefined, axes: readonly number[]): readonly [number, number] {
  const [down, right] = (text ?? '').split(',').map(Number)
  return axes.includes(down) && axes.includes(right) && down !== right ? [down, right] : [axes[0], axes[1]]
}

function Picture({
  source,
  wanted,
  link,
  inspected,
}: ViewProps & { source: PictureSource; wanted: PictureOptions & { attribute: string } }) {
  const reading = useReading<Pictured>(
    (progress) => {
      const attribute = wanted.attribute === COUNT ? undefined : wanted.attribute
      return progress.follow(inspected.begin('raster', timeOptions(link), { ...wanted, attribute }))
    },
    [source, JSON.stringify(wanted)],
  )
  const { value, isDone, error, stop } = reading
  const raster = value?.raster
  const { unopened } = source
  const isDamaged = unopened.length > 0 || (error !== undefined && exitCodeOf(error) === 1)
  // Going on after damage is slower, so the picture does so only after it has met some. The link records that for the call.
  useEffect(() => {
    if (isDamaged && !wanted.goesOn) changeLink(link, { x: 'k' }, true)
  })
  return (
    <>
      <p role="status">
        {!isDone && `Reading cells … ${raster ? formatCount(raster.read) : ''} `}
        {isDone && (raster ? legendText(raster, source.array_type) : !error && 'Nothing was written there.')}
      </p>
      <p>
        {!isDone && <Button onClick={stop}>Stop</Button>}
        {isDone && raster?.kind === 'sample' && (
          <Button onClick={() => changeLink(link, { m: 'all' })}>Read all cells, for means</Button>
        )}
      </p>
      <Damaged {...{ inspected, link, error }} faults={[...unopened, ...(value?.faults ?? [])]} isUnderWay={!isDone} />
      {unopened.length > 0 && <p>Where a fragment is left out, the picture has older values, or none.</p>}
      {raster && (
        <Drawing
          {...{ raster, link }}
          version={value}
          ranges={wanted.ranges}
          names={source.dimensions.map(({ name }) => name)}
        />
      )}
      {raster && isDone && <PointsTable raster={raster} />}
    </>
  )
}

/** A sentence that says what a point of the picture shows. */
function legendText({ kind, read, total, isCut }: Raster, type: string): string {
  const cells = formatCount(read)
  if (kind === 'points')
    return `${cells} cells${isCut ? ', the first that were found: there are more' : ''}; a point with several cells has their mean.`
  const unread = total === undefined ? 0 : total - read
  const lack = unread > 0 ? ` ${formatCount(unread)} others were not read.` : ''
  if (kind === 'each') return `Each point is one of ${cells} cells of this ${type} slice.${lack}`
  if (kind === 'mean') return `${cells} cells; a point is the mean of those that it covers.${lack}`
  return `A sample: ${cells} cells are read; a point is the first cell of those that it covers.${lack}`
}

/** The smallest and the largest number of the picture. */
function extremes(raster: Raster): readonly [number, number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < raster.counts.length; i++) {
    const value = pointAt(raster, i)
    if (typeof value !== 'number' || !Number.isFinite(value)) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  return low <= high ? [low, high] : undefined
}

function draw(canvas: HTMLCanvasElement, raster: Raster, [low, high]: readonly [number, number]): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const style = getComputedStyle(canvas)
  const named = (name: string): number => Number.parseInt(style.getPropertyValue(name).trim().slice(1), 16)
  const special = { fill: named('--line'), null: named('--c4') }
  const image = context.createImageData(canvas.width, canvas.height)
  for (let i = 0; i < raster.counts.length; i++) {
    const value = pointAt(raster, i)
    if (value === undefined) continue
    const colour = typeof value === 'number' ? colourAt((value - low) / (high - low || 1)) : special[value]
    image.data.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], 4 * i)
  }
  context.putImageData(image, 0, 0)
}

/** Greatest width and height of the picture in CSS pixels. */
const [WIDTH, HEIGHT] = [800, 512]
/** Size of the largest point in CSS pixels. */
const LARGEST_POINT = 24

/** Length of an axis in CSS pixels: a whole number of pixels for each point. */
function axisLength(points: number, most: number): string {
  return `${points * Math.max(1, Math.min(LARGEST_POINT, Math.floor(most / points)))}px`
}

interface DrawingProps {
  raster: Raster
  /** A value that differs whenever the raster has changed. */
  version: unknown
  link: ViewProps['link']
  ranges: readonly string[]
  /** Names of all dimensions. */
  names: readonly string[]
}

const clamped = (index: number, length: number): number => Math.min(length - 1, Math.max(0, index))

function Drawing({ raster, version, link, ranges, names }: DrawingProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [at, setAt] = useState<number | undefined>(undefined)
  const { down, right } = raster
  const ends = extremes(raster)
  useEffect(() => {
    if (canvas.current) draw(canvas.current, raster, ends ?? [0, 0])
  }, [version])

  const pointUnder = (event: MouseEvent): number => {
    const { width, height } = (event.currentTarget as Element).getBoundingClientRect()
    const [x, y] = placeOf(event)
    const row = clamped(Math.floor((y / height) * down.length), down.length)
    return row * right.length + clamped(Math.floor((x / width) * right.length), right.length)
  }
  const open = (i: number): void => {
    const cell = raster.kind === 'sample' ? undefined : cellAt(raster, i, names, ranges)
    if (cell) location.hash = viewLink(link, 'history', { c: cell })
    else changeLink(link, { r: JSON.stringify(zoomed(raster, i, ranges)), m: undefined })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && at !== undefined) open(at)
    const next = pointAfterKey(raster, at, event.key)
    if (next === undefined) return
    event.preventDefault()
    setAt(next)
  }
  const cell = at === undefined ? undefined : cellAt(raster, at, names, ranges)
  const percent = (index: number, length: number): string => `${(100 * index) / length}%`
  return (
    <figure>
      <div
        class={raster.kind === 'points' ? 'picture' : 'picture unread'}
        style={{ width: axisLength(right.length, WIDTH) }}
      >
        <canvas
          ref={canvas}
          width={right.length}
          height={down.length}
          style={{ height: axisLength(down.length, HEIGHT) }}
          role="img"
          aria-label={`${cutName(down.dimension.name)} goes down, ${cutName(right.dimension.name)} to the right. Arrow keys go from point to point, Enter opens one. The table below has the same.`}
          tabIndex={0}
          onMouseMove={(event) => setAt(pointUnder(event))}
          onClick={(event) => open(pointUnder(event))}
          onKeyDown={onKeyDown}
        />
        {at !== undefined && (
          <div
            class="cursor"
            style={{
              left: percent(at % right.length, right.length),
              top: percent(Math.floor(at / right.length), down.length),
              width: percent(1, right.length),
              height: percent(1, down.length),
            }}
          />
        )}
      </div>
      <figcaption>
        <Legend raster={raster} ends={ends} />
        <p aria-live="polite" class="at">
          {at === undefined ? (
            <span class="note">Point at the picture, or go there by Tab and arrow keys.</span>
          ) : (
            <>
              <Text>{placeText(down, at, raster)}</Text>, <Text>{placeText(right, at, raster)}</Text>:{' '}
              <strong>
                <Text>{valueText(raster, at)}</Text>
              </strong>{' '}
              {cell && <a href={viewLink(link, 'history', { c: cell })}>versions of this cell</a>}
            </>
          )}
        </p>
      </figcaption>
    </figure>
  )
}

/** Where an arrow key leads from a point, or at first; undefined for other keys. */
function pointAfterKey({ down, right }: Raster, at: number | undefined, key: string): number | undefined {
  const moves: Record<string, readonly [number, number]> = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
  }
  const move = moves[key]
  if (!move || at === undefined) return move && 0
  const [y, x] = [Math.floor(at / right.length), at % right.length]
  return clamped(y + move[0], down.length) * right.length + clamped(x + move[1], right.length)
}

/** What the colours mean. @param ends least and greatest value */
function Legend({ raster, ends }: { raster: Raster; ends: ReturnType<typeof extremes> }) {
  return (
    <p class="legend">
      {ends && (
        <>
          <Text>{numberText(raster, ends[0])}</Text> <span class="scale" /> <Text>{numberText(raster, ends[1])}</Text>
        </>
      )}
      {raster.fills.some(Boolean) && (
        <>
          <span class="swatch fill" /> fill value, or never written
        </>
      )}
      {lacksCells(raster) && (
        <>
          <span class="swatch unread" /> not read
        </>
      )}
      {raster.nulls.some(Boolean) && (
        <>
          <span class="swatch null" /> null or NaN
        </>
      )}
    </p>
  )
}

/** Whether a grid has points of which nothing was read. Cells that were never written count as read: they have the fill value. */
const lacksCells = (raster: Raster): boolean =>
  raster.kind !== 'points' && raster.counts.some((_, i) => pointAt(raster, i) === undefined)

const indexOn = (raster: Raster, axis: RasterAxis, i: number): number =>
  axis === raster.down ? Math.floor(i / raster.right.length) : i % raster.right.length

const endText = ({ dimension }: RasterAxis, end: number | bigint): string =>
  coordinateText(cellOfNumber(dimension.type, end)) ?? ''

/** The coordinates that points cover along an axis, as `--range` takes them. */
function spanText(axis: RasterAxis, from: number, to = from): string {
  const [low, high] = [pixelOf(axis, from)[0], pixelOf(axis, to)[1]]
  return low === high ? endText(axis, low) : `${endText(axis, low)}..${endText(axis, high)}`
}

function placeText(axis: RasterAxis, i: number, raster: Raster): string {
  return `${cutName(axis.dimension.name)} ${spanText(axis, indexOn(raster, axis, i))}`
}

function numberText({ column, kind }: Raster, value: number): string {
  if (!column) return formatCount(value)
  const isFloat = column.type.startsWith('FLOAT') || (kind === 'mean' && /^U?INT/.test(column.type))
  return isFloat ? String(Number(value.toPrecision(6))) : shortValue(cellOfNumber(column.type, value))
}

function valueText(raster: Raster, i: number): string {
  const value = pointAt(raster, i)
  const { column, counts, kind, values } = raster
  if (value === undefined) return kind === 'points' ? 'no cell' : 'not read'
  if (value === 'null' && values[i] === undefined) return 'null or NaN'
  if (value === 'fill' && values[i] === undefined) return 'fill value'
  if (column && values[i] !== undefined && counts[i] <= 1)
    return `${shortValue(values[i])}${value === 'fill' ? ' (fill value)' : ''}`
  if (!column || kind === 'sample') return numberText(raster, Number(value))
  return `${numberText(raster, Number(value))}, mean of ${formatCount(counts[i])}`
}

/** The cell of a point, as `--cell` takes it. Undefined if several cells were read. */
function cellAt(raster: Raster, i: number, names: readonly string[], ranges: readonly string[]): string | undefined {
  const { kind, counts, fills, nulls, cells, down, right } = raster
  if (kind === 'mean' || counts[i] + fills[i] + nulls[i] !== 1) return undefined
  if (kind === 'points') return cells[i] && cellOption(names, cells[i])
  const parts = names.map((name) => {
    const axis = [down, right].find(({ dimension }) => dimension.name === name)
    if (!axis) return ranges.find((range) => range.startsWith(`${name}=`))
    return `${name}=${endText(axis, pixelOf(axis, indexOn(raster, axis, i))[0])}`
  })
  return parts.join(',')
}

/** Ranges of a quarter of each axis around a point. */
function zoomed(raster: Raster, i: number, ranges: readonly string[]): readonly string[] {
  return ranges.map((range) => {
    const axis = [raster.down, raster.right].find(({ dimension }) => range.startsWith(`${dimension.name}=`))
    if (!axis) return range
    const at = indexOn(raster, axis, i)
    const reach = Math.floor(axis.length / 8)
    const [from, to] = [Math.max(0, at - reach), Math.min(axis.length - 1, at + reach)]
    return `${axis.dimension.name}=${spanText(axis, from, to)}`
  })
}

/** The points of the picture as a table. */
function PointsTable({ raster }: { raster: Raster }) {
  const points: number[] = []
  for (let i = 0; i < raster.counts.length; i++) if (pointAt(raster, i) !== undefined) points.push(i)
  const place = (axis: RasterAxis): Column<number> => ({
    title: axis.dimension.name,
    isName: true,
    show: (i) => <Text>{spanText(axis, indexOn(raster, axis, i))}</Text>,
  })
  const number = (i: number): number | undefined => {
    const value = pointAt(raster, i)
    return typeof value === 'number' ? value : undefined
  }
  const columns: readonly Column<number>[] = [
    place(raster.down),
    place(raster.right),
    { title: 'value', isNumber: true, show: (i) => <Text>{valueText(raster, i)}</Text>, by: number },
  ]
  return points.length === 0 ? null : <Table caption="Points" columns={columns} rows={points} keyOf={(i) => i} />
}
