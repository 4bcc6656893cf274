import { useEffect, useRef, useState } from 'preact/hooks'
import { exitCodeOf } from '../../base/errors.ts'
import { formatCount, shortValue } from '../../render/units.ts'
import { fieldName } from '../../render/views/wording.ts'
import { listOf, wordsOf } from '../cell-query.tsx'
import { Damaged } from '../damaged.tsx'
import { change, goTo } from '../link.ts'
import { isNumeric, pixelOf, pointAt, type Raster, type RasterAxis } from '../raster.ts'
import { cellOption, coordinateText } from '../short-cell.ts'
import { shownNumber } from '../shown-number.ts'
import { type Column, Table } from '../table.tsx'
import type { Openable, Pictured, Wanted } from '../tasks.ts'
import { Text } from '../text.tsx'
import { timesOf } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import { useReading } from '../use-reading.ts'
import type { View, ViewProps } from '../view.ts'

/**
 * Two dimensions as a picture. In the link: `a` is the attribute, `d` has the indexes of the dimensions, down and to the right, `r` the
 * ranges as in Cells, `m` is `all` where all cells are read, `x` is `k` where damage was met: then what cannot be read is left out.
 */
export const heatMap: View = {
  id: 'heat',
  title: 'Heat map',
  targets: ['array'],
  call: ({ link }) => ({
    words: [
      'read',
      ...wordsOf({
        ...timesOf(link),
        range: listOf(link.r),
        ...(link.a !== undefined && link.a !== COUNT && { field: link.a }),
        ...(link.x === 'k' && { keepGoing: true }),
      }),
    ],
  }),
  Show: HeatMap,
}

/** In place of an attribute: how many points there are. */
const COUNT = '#'

function HeatMap({ inspected, link }: ViewProps) {
  const written = useLoaded(async () => {
    const { value } = await inspected.begin('written', timesOf(link)).next()
    return value
  }, [inspected, link.t])
  return (
    <Shown
      of={written}
      what="the array"
      show={(written) => {
        const axes = written.dimensions.flatMap((one, d) => (isNumeric(one) ? [d] : []))
        if (axes.length < 2)
          return <p>A picture needs two dimensions of numbers or dates: this array has {axes.length}.</p>
        const names = written.attributes.filter(isNumeric).map(({ name }) => name)
        if (written.array_type === 'sparse') names.push(COUNT)
        if (names.length === 0) return <p>No attribute has one number or date a cell.</p>
        return <Chosen written={written} axes={axes} names={names} link={link} inspected={inspected} />
      }}
    />
  )
}

interface Choice {
  written: Openable
  axes: readonly number[]
  names: readonly string[]
}

function Chosen({ written, axes, names, link, inspected }: ViewProps & Choice) {
  const { dimensions } = written
  const isDense = written.array_type === 'dense'
  const [down, right] = axesOf(link.d, axes)
  const attribute = link.a !== undefined && names.includes(link.a) ? link.a : names[0]
  const given = listOf(link.r)
  // What is left open is written into the link, so that it names the same cells later, and so does the command.
  const ranges = dimensions.flatMap(({ name, type }, d) => {
    const own = given.find((one) => one.startsWith(`${name}=`))
    const isPictured = d === down || d === right
    if (own !== undefined && (isPictured || !isDense || !own.includes('..'))) return [own]
    const bounds = written.bounds[d]
    if (!bounds || !isNumeric(dimensions[d])) return []
    const ends = [bounds.low, bounds.high].map((end) => coordinateText(shownNumber(type, end as number)))
    return isPictured ? [`${name}=${ends.join('..')}`] : isDense ? [`${name}=${ends[0]}`] : []
  })
  const whole = { a: attribute, d: `${down},${right}`, r: JSON.stringify(ranges) }
  useEffect(() => {
    if (link.a !== whole.a || link.d !== whole.d || link.r !== whole.r) change(link, whole, true)
  })
  const choose = (more: Record<string, string | undefined>) => change(link, { ...whole, ...more })
  const select = (label: string, value: number, set: (d: number) => void) => (
    <label>
      {label}{' '}
      <select onChange={(event) => set(Number(event.currentTarget.value))}>
        {axes.map((d) => (
          <option key={d} value={d} selected={d === value}>
            {dimensions[d].name.slice(0, 60)}
          </option>
        ))}
      </select>
    </label>
  )
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement)
    const r = dimensions.flatMap(({ name }, d) => {
      const text = String(data.get(`r${d}`) ?? '').trim()
      return text === '' ? [] : [`${name}=${text}`]
    })
    choose({ r: JSON.stringify(r), m: undefined, x: undefined })
  }
  return (
    <>
      <form class="query" onSubmit={submit} key={whole.r}>
        <label>
          attribute{' '}
          <select onChange={(event) => choose({ a: names[event.currentTarget.selectedIndex] })}>
            {names.map((name) => (
              <option key={name} selected={name === attribute}>
                {name === COUNT ? 'number of cells' : fieldName(name).slice(0, 60)}
              </option>
            ))}
          </select>
        </label>
        {select('down', down, (d) => choose({ d: `${d},${d === right ? down : right}`, r: undefined }))}
        {select('to the right', right, (d) => choose({ d: `${d === down ? right : down},${d}`, r: undefined }))}
        {dimensions.map(({ name }, d) => (
          <label key={name}>
            <Text>{name}</Text>{' '}
            <input
              name={`r${d}`}
              defaultValue={ranges.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1)}
            />
          </label>
        ))}
        <button type="submit">Draw</button>
        <button type="button" onClick={() => choose({ r: undefined, m: undefined })}>
          All that was written
        </button>
      </form>
      <Picture
        written={written}
        wanted={{ down, right, attribute, ranges, isWhole: link.m === 'all', goesOn: link.x === 'k' }}
        link={link}
        inspected={inspected}
      />
    </>
  )
}

function axesOf(text: string | undefined, axes: readonly number[]): readonly [number, number] {
  const [down, right] = (text ?? '').split(',').map(Number)
  return axes.includes(down) && axes.includes(right) && down !== right ? [down, right] : [axes[0], axes[1]]
}

function Picture({
  written,
  wanted,
  link,
  inspected,
}: ViewProps & { written: Openable; wanted: Wanted & { attribute: string } }) {
  const reading = useReading<Pictured>(
    (turns) => {
      const attribute = wanted.attribute === COUNT ? undefined : wanted.attribute
      return turns.follow(inspected.begin('raster', timesOf(link), { ...wanted, attribute }))
    },
    [written, JSON.stringify(wanted)],
  )
  const { value, isDone, error, stop } = reading
  const raster = value?.raster
  const { unopened } = written
  const isDamaged = unopened.length > 0 || (error !== undefined && exitCodeOf(error) === 1)
  // The way round damage is slower, so it is gone only where there is some; the link has it, and so does the command.
  useEffect(() => {
    if (isDamaged && !wanted.goesOn) change(link, { x: 'k' }, true)
  })
  return (
    <>
      <p role="status">
        {!isDone && `Reading cells … ${raster ? formatCount(raster.read) : ''} `}
        {isDone && (raster ? whatIsDrawn(raster, written.array_type) : !error && 'Nothing was written there.')}
      </p>
      <p>
        {!isDone && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        {isDone && raster?.kind === 'sample' && (
          <button type="button" onClick={() => change(link, { m: 'all' })}>
            Read all cells, for means
          </button>
        )}
      </p>
      <Damaged {...{ inspected, link, error }} faults={[...unopened, ...(value?.faults ?? [])]} isUnderWay={!isDone} />
      {unopened.length > 0 && <p>Where a fragment is left out, the picture has older values, or none.</p>}
      {raster && (
        <Drawing
          raster={raster}
          version={value}
          link={link}
          ranges={wanted.ranges}
          names={written.dimensions.map(({ name }) => name)}
        />
      )}
      {raster && isDone && <Pixels raster={raster} />}
    </>
  )
}

function whatIsDrawn({ kind, read, total, isCut }: Raster, type: string): string {
  const cells = formatCount(read)
  if (kind === 'points')
    return `${cells} cells${isCut ? ', the first that were found: there are more' : ''}; a point with several cells has their mean.`
  const others = total === undefined ? 0 : total - read
  const lacks = others > 0 ? ` ${formatCount(others)} others were not read.` : ''
  if (kind === 'each') return `Each of ${cells} cells of this ${type} slice.${lacks}`
  if (kind === 'mean') return `${cells} cells; a point is the mean of those that it covers.${lacks}`
  return `A sample: ${cells} cells are read; a point is the first cell of those that it covers.${lacks}`
}

/** Ends and middle of a scale that grows lighter, and that people with any colour vision can read. */
const SCALE = [0x440154, 0x414487, 0x2a788e, 0x22a884, 0x7ad151, 0xfde725]

function colourAt(part: number): number {
  const at = Math.min(1, Math.max(0, part)) * (SCALE.length - 1)
  const i = Math.min(SCALE.length - 2, Math.floor(at))
  const mixed = (shift: number): number => {
    const [a, b] = [SCALE[i], SCALE[i + 1]].map((colour) => (colour >> shift) & 255)
    return Math.round(a + (b - a) * (at - i)) << shift
  }
  return mixed(16) | mixed(8) | mixed(0)
}

/** Smallest and largest number that is drawn. */
function extent(raster: Raster): readonly [number, number] | undefined {
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
  const apart = { fill: named('--line'), null: named('--c4') }
  const image = context.createImageData(canvas.width, canvas.height)
  for (let i = 0; i < raster.counts.length; i++) {
    const value = pointAt(raster, i)
    if (value === undefined) continue
    const colour = typeof value === 'number' ? colourAt((value - low) / (high - low || 1)) : apart[value]
    image.data.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], 4 * i)
  }
  context.putImageData(image, 0, 0)
}

/** Width and height of the picture in CSS pixels, unless the screen is smaller. */
const [WIDTH, HEIGHT] = [800, 512]
/** Of the largest point. */
const LARGEST = 24

/** Space for points along an axis, in CSS pixels: whole pixels a point. */
function room(length: number, most: number): string {
  return `${length * Math.max(1, Math.min(LARGEST, Math.floor(most / length)))}px`
}

interface DrawingProps {
  raster: Raster
  /** Another value each time that the raster has changed. */
  version: unknown
  link: ViewProps['link']
  ranges: readonly string[]
  names: readonly string[]
}

function Drawing({ raster, version, link, ranges, names }: DrawingProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [at, setAt] = useState<number | undefined>(undefined)
  const { down, right } = raster
  const ends = extent(raster)
  useEffect(() => {
    if (canvas.current) draw(canvas.current, raster, ends ?? [0, 0])
  }, [version])

  const pointed = (event: MouseEvent): number => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const part = (place: number, size: number, length: number): number =>
      Math.min(length - 1, Math.max(0, Math.floor((place / size) * length)))
    return (
      part(event.clientY - box.top, box.height, down.length) * right.length +
      part(event.clientX - box.left, box.width, right.length)
    )
  }
  const open = (i: number): void => {
    const cell = raster.kind === 'sample' ? undefined : cellAt(raster, i, names, ranges)
    if (cell) location.hash = goTo(link, 'history', { c: cell })
    else change(link, { r: JSON.stringify(zoomed(raster, i, ranges)), m: undefined })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const [y, x] = [Math.floor((at ?? 0) / right.length), (at ?? 0) % right.length]
    const move: Record<string, readonly [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
    }
    const step = at === undefined && move[event.key] ? [0, 0] : move[event.key]
    if (event.key === 'Enter' && at !== undefined) open(at)
    if (!step) return
    event.preventDefault()
    const inside = (index: number, length: number): number => Math.min(length - 1, Math.max(0, index))
    setAt(inside(y + step[0], down.length) * right.length + inside(x + step[1], right.length))
  }
  const cell = at === undefined ? undefined : cellAt(raster, at, names, ranges)
  const percent = (index: number, length: number): string => `${(100 * index) / length}%`
  return (
    <figure>
      <div class={raster.kind === 'points' ? 'picture' : 'picture unread'} style={{ width: room(right.length, WIDTH) }}>
        <canvas
          ref={canvas}
          width={right.length}
          height={down.length}
          style={{ height: room(down.length, HEIGHT) }}
          role="img"
          aria-label={`${down.dimension.name.slice(0, 60)} goes down, ${right.dimension.name.slice(0, 60)} to the right. Arrow keys go from point to point, Enter opens one. The table below has the same.`}
          tabIndex={0}
          onMouseMove={(event) => setAt(pointed(event))}
          onClick={(event) => open(pointed(event))}
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
        <p class="legend">
          {ends && (
            <>
              <Text>{numberText(raster, ends[0])}</Text> <span class="scale" />{' '}
              <Text>{numberText(raster, ends[1])}</Text>
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
        <p aria-live="polite" class="at">
          {at === undefined ? (
            <span class="note">Point at the picture, or go there by Tab and arrow keys.</span>
          ) : (
            <>
              <Text>{placeText(down, at, raster)}</Text>, <Text>{placeText(right, at, raster)}</Text>:{' '}
              <strong>
                <Text>{valueText(raster, at)}</Text>
              </strong>{' '}
              {cell && <a href={goTo(link, 'history', { c: cell })}>versions of this cell</a>}
            </>
          )}
        </p>
      </figcaption>
    </figure>
  )
}

/** Whether a grid has points of which nothing was read. What was never written is read as the fill value. */
const lacksCells = (raster: Raster): boolean =>
  raster.kind !== 'points' && raster.counts.some((_, i) => pointAt(raster, i) === undefined)

const indexOn = (raster: Raster, axis: RasterAxis, i: number): number =>
  axis === raster.down ? Math.floor(i / raster.right.length) : i % raster.right.length

const endText = ({ dimension }: RasterAxis, end: number | bigint): string =>
  coordinateText(shownNumber(dimension.type, end)) ?? ''

/** What a point covers along an axis, as `--range` takes it. */
function spanText(axis: RasterAxis, from: number, to = from): string {
  const [low, high] = [pixelOf(axis, from)[0], pixelOf(axis, to)[1]]
  return low === high ? endText(axis, low) : `${endText(axis, low)}..${endText(axis, high)}`
}

function placeText(axis: RasterAxis, i: number, raster: Raster): string {
  return `${axis.dimension.name.slice(0, 60)} ${spanText(axis, indexOn(raster, axis, i))}`
}

function numberText({ column, kind }: Raster, value: number): string {
  if (!column) return formatCount(value)
  const isFloat = column.type.startsWith('FLOAT') || (kind === 'mean' && /^U?INT/.test(column.type))
  return isFloat ? String(Number(value.toPrecision(6))) : shortValue(shownNumber(column.type, value))
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

/** The only cell of a point, or of a sample the one that was read. */
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

/** A quarter of what is shown, around a point. */
function zoomed(raster: Raster, i: number, ranges: readonly string[]): readonly string[] {
  return ranges.map((range) => {
    const axis = [raster.down, raster.right].find(({ dimension }) => range.startsWith(`${dimension.name}=`))
    if (!axis) return range
    const at = indexOn(raster, axis, i)
    const around = Math.floor(axis.length / 8)
    const [from, to] = [Math.max(0, at - around), Math.min(axis.length - 1, at + around)]
    return `${axis.dimension.name}=${spanText(axis, from, to)}`
  })
}

/** The same as a table. */
function Pixels({ raster }: { raster: Raster }) {
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
