import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { exitCodeOf } from '../../base/errors.ts'
import { isNumeric } from '../../cells/column.ts'
import type { LayerImage } from '../../layers/picture.ts'
import { escapeText, formatCount, shortValue } from '../../render/units.ts'
import { fieldName } from '../../render/views/wording.ts'
import { cellOfNumber, ownValue } from '../cell-of-number.ts'
import { optionWords } from '../cell-query.tsx'
import { Button, cutName, Form, formText, RangeFields, Select, typedRanges } from '../controls.tsx'
import { Damaged } from '../damaged.tsx'
import { COLOURS, mousePlace, type Sheet } from '../drawing.tsx'
import { FragmentName } from '../fragment-name.tsx'
import { changeLink, type Link, viewLink } from '../link.ts'
import { PALETTE_NAMES, type PaletteName, type Scale } from '../palette.ts'
import { axesOf, type Chosen, COUNT, chosenPicture, shownNames, sliceWord } from '../picture/chosen.ts'
import { Extremes } from '../picture/extremes.tsx'
import { labelText } from '../picture/labels.ts'
import { Lines } from '../picture/lines.tsx'
import { canvasPen, isInside } from '../picture/pen.ts'
import {
  colouredPixels,
  endsOf,
  extremePixels,
  type Lack,
  middleOf,
  rasterLack,
  type SpecialColours,
} from '../picture/pixels.ts'
import {
  cellArea,
  drawPlot,
  lettersBeside,
  type PixelLayer,
  type PlotBox,
  placeDrawn,
  trueHeight,
} from '../picture/plot.ts'
import {
  coordinateAt,
  coordinateWord,
  keptInside,
  type PlotAxis,
  placeOfCoordinate,
  rangeInLink,
  rasterPlaces,
  type SeenAxes,
  spanWord,
} from '../picture/plot-axis.ts'
import { SaveButtons, type KeptDrawing as Saved } from '../picture/save.tsx'
import { isSame, useSeen } from '../picture/use-seen.ts'
import { listInLink, listText } from '../range-list.ts'
import { LACKS, pixelValue, type Raster } from '../raster.ts'
import { Surface } from '../surface.tsx'
import { type Column, Table } from '../table.tsx'
import type { Pictured, PictureOptions, PictureSource, ReadFault } from '../tasks.ts'
import { Text } from '../text.tsx'
import { timeOptions } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import { useReading } from '../use-reading.ts'
import type { ViewParts, ViewProps } from '../view.ts'

/**
 * The cells as a picture: an image of two dimensions, or lines along one. What the link has is told by `../picture/chosen.ts`; besides,
 * `m` is `all` if all cells are read, `x` is `k` if what cannot be read is left out, `c` is the scale of colours, `l` its ends, `g` is 1
 * for logarithms, `e` is 1 or 0 for steps of one length, and `b` says which boxes lie over the cells.
 */
export const picture: ViewParts = {
  call: ({ link }) => ({
    words: [
      'read',
      ...optionWords({
        ...timeOptions(link),
        range: listInLink(link.r),
        ...(link.a !== undefined && link.a !== COUNT && { field: link.a.split('\n') }),
        ...(link.x === 'k' && { keepGoing: true }),
      }),
    ],
  }),
  Show: PictureView,
}

function PictureView({ inspected, link }: ViewProps) {
  const loaded = useLoaded(async () => {
    // The page asks for the overview of every array. The worker that made it then goes on; a second one would first have to start.
    const overview = await inspected.document('overview', timeOptions(link))
    const { value } = await inspected.begin('pictureSource', timeOptions(link)).next()
    const pictures = 'layer' in overview ? (overview.layer?.pictures ?? []) : []
    const image = pictures.find((one): one is LayerImage => one.kind === 'image' && one.array === '')
    return { source: value, image }
  }, [inspected, link.t])
  return (
    <Shown
      of={loaded}
      what="the array"
      show={({ source, image }) => {
        const axes = axesOf(source)
        if (shownNames(source).length === 0) return <p>No attribute has one number or date per cell.</p>
        if (axes.length === 0)
          return (
            <>
              <p>A picture needs a dimension of numbers or dates with cells: this array has none.</p>
              <Damaged {...{ inspected, link }} faults={source.unopened} />
            </>
          )
        if (axes.length === 1 && !source.attributes.some(isNumeric))
          return <p>No attribute has one number or date per cell.</p>
        if (axes.length === 1) return <Lines {...{ source, link, inspected }} d={axes[0] ?? 0} />
        return <FormAndPicture {...{ source, image, link, inspected }} />
      }}
    />
  )
}

interface PictureProps extends ViewProps {
  source: PictureSource
  chosen: Chosen
}

/** The form for what the picture shows, and the picture. */
function FormAndPicture({
  source,
  image,
  link,
  inspected,
}: ViewProps & { source: PictureSource; image: LayerImage | undefined }) {
  const chosen = chosenPicture(source, link, image)
  const { up, across, ranges, rangesInLink, planes, slices, hasColours } = chosen
  const [plane] = planes
  const isColoured = planes.length === 3
  const attribute = plane?.attribute ?? COUNT
  // Defaults are written into the link. So it names the same cells later, and so does the call.
  const whole = {
    a: isColoured ? (link.a ?? attribute) : attribute,
    d: `${up},${across}`,
    r: listText(rangesInLink),
  }
  useEffect(() => {
    // A link does not keep an empty text, such as the name of an attribute without one.
    if ((link.a ?? '') !== whole.a || link.d !== whole.d || link.r !== whole.r) changeLink(link, whole, true)
  })
  const choose = (more: Record<string, string | undefined>) => changeLink(link, { ...whole, ...more })
  const axes = axesOf(source)
  const names = shownNames(source)
  const axisNames = axes.map((d) => fieldName(source.dimensions[d].name))
  const chooseAxes = (to: readonly [number, number]) => choose({ d: to.join(), r: undefined, f: undefined })
  const turn = (axis: 'x' | 'y') => {
    const turned = link.f ?? ''
    choose({ f: turned.includes(axis) ? turned.replace(axis, '') : turned + axis })
  }
  const slide = (index: number, place: number) => {
    const moved = slices.map((one, i) => (i === index ? { ...one, place } : one))
    const words = new Map(moved.map((one) => [one.axis.dimension.name, sliceWord(one)]))
    const next = rangesInLink.map((range) => words.get(range.slice(0, range.indexOf('='))) ?? range)
    changeLink(link, { ...whole, r: listText(next) }, true)
  }
  return (
    <>
      <div class="controls">
        <Select
          label="attribute"
          names={[
            ...names.map((name) => (name === COUNT ? 'number of cells' : fieldName(name))),
            ...(hasColours ? ['red, green and blue'] : []),
          ]}
          at={isColoured ? names.length : names.indexOf(attribute)}
          choose={(i) => choose(i === names.length ? { k: '1' } : { a: names[i], k: '0', l: undefined })}
        />
        <Select
          label="up"
          names={axisNames}
          at={axes.indexOf(up)}
          choose={(i) => chooseAxes([axes[i] ?? up, axes[i] === across ? up : across])}
        />
        <Select
          label="across"
          names={axisNames}
          at={axes.indexOf(across)}
          choose={(i) => chooseAxes([axes[i] === up ? across : up, axes[i] ?? across])}
        />
        <Button onClick={() => chooseAxes([across, up])}>Exchange</Button>
        <Button onClick={() => turn('y')} aria-pressed={link.f?.includes('y') ?? false}>
          Top to bottom
        </Button>
        <Button onClick={() => turn('x')} aria-pressed={link.f?.includes('x') ?? false}>
          Left to right
        </Button>
      </div>
      {slices.map((slice, i) => (
        <div class="controls" key={slice.d}>
          <Text>{slice.axis.dimension.name || '(no name)'}</Text>
          <input
            type="range"
            min="0"
            max={slice.axis.isFloat ? slice.axis.size : slice.axis.size - 1}
            step={slice.axis.isFloat ? slice.axis.size / 100 : 1}
            value={slice.place}
            aria-label={`${cutName(slice.axis.dimension.name)}: which slice`}
            aria-valuetext={coordinateWord(slice.axis, coordinateAt(slice.axis, slice.place))}
            onInput={(event) => slide(i, Number(event.currentTarget.value))}
          />
          <output>
            <Text>{coordinateWord(slice.axis, coordinateAt(slice.axis, slice.place))}</Text>
          </output>
        </div>
      ))}
      <Picture {...{ source, chosen, link, inspected }} />
      <details>
        <summary>Ranges</summary>
        <Form
          class="query"
          use={(values) => choose({ r: listText(typedRanges(values, source.dimensions)), m: undefined, x: undefined })}
          of={JSON.stringify(ranges)}
        >
          <RangeFields dimensions={source.dimensions} ranges={ranges} />
          <button type="submit">Draw</button>
        </Form>
      </details>
    </>
  )
}

/** The rasters of a picture: one, or three for colours. Empty if nothing was written in the ranges. */
interface Found {
  planes: readonly Raster[]
  faults: readonly ReadFault[]
}

function usePlanes({ inspected, link, chosen, source }: PictureProps) {
  const { up, across, planes, fillIsValue } = chosen
  const goesOn = link.x === 'k'
  const wanted = planes.map(
    ({ attribute, ranges }): PictureOptions => ({
      down: up,
      right: across,
      attribute,
      ranges,
      isWhole: link.m === 'all',
      goesOn,
      fillIsValue,
    }),
  )
  const reading = useReading<Found>(
    async (progress) => {
      const found: Pictured[] = []
      const result = (): Found => ({
        planes: found.flatMap((one) => one.found ?? []),
        faults: found.flatMap(({ faults }) => faults),
      })
      for (const [i, options] of wanted.entries()) {
        const job = inspected.begin('raster', timeOptions(link), options)
        progress.onStop(job.stop)
        while (true) {
          const { done, value } = await job.next()
          found[i] = value
          if (done) break
          if (wanted.length === 1) await progress.show(result())
        }
      }
      return result()
    },
    [source, JSON.stringify(wanted)],
  )
  return { ...reading, wanted }
}

/** Pictures that were drawn of the same cells: while another part is read, they stay below it. */
interface Kept {
  key: string
  whole: readonly Raster[] | undefined
  last: readonly Raster[] | undefined
  /** What the axes and colours of `old` mean. */
  axes: string
  /** The last picture of another slice: it stays, pale, until the new one comes. */
  old: readonly Raster[] | undefined
}

function Picture(props: PictureProps) {
  const { source, chosen, link, inspected } = props
  const { value, isDone, error, stop, wanted } = usePlanes(props)
  const { unopened } = source
  const isDamaged = unopened.length > 0 || (error !== undefined && exitCodeOf(error) === 1)
  // Going on after damage is slower, so the picture does so only after it has met some. The link records that for the call.
  useEffect(() => {
    if (isDamaged && link.x !== 'k') changeLink(link, { x: 'k' }, true)
  })
  const kept = useRef<Kept>({ key: '', whole: undefined, last: undefined, axes: '', old: undefined })
  const isWhole = chosen.seen.x0 === 0 && chosen.seen.y0 === 0 && isSame(chosen.seen, chosen.whole)
  const axes = JSON.stringify([link.t, chosen.up, chosen.across, wanted.map(({ attribute }) => attribute)])
  const key = axes + JSON.stringify(wanted.map(({ ranges }) => ranges.slice(2)))
  const before = kept.current
  if (before.key !== key) {
    const old = before.axes === axes ? (before.last ?? before.old) : undefined
    kept.current = { key, whole: undefined, last: undefined, axes, old }
  }
  const planes = value?.planes.length === wanted.length ? value.planes : undefined
  if (planes && isWhole) kept.current.whole = planes
  if (planes && isDone) kept.current.last = planes
  const own = [...new Set([kept.current.whole, kept.current.last, planes])].filter((one) => one !== undefined)
  const isOld = own.length === 0 && !isDone
  const layers = isOld && kept.current.old ? [kept.current.old] : own
  const [raster] = planes ?? []
  const isNothing = isDone && !error && value?.planes.length === 0
  return (
    <>
      {layers.length > 0 && (
        <div class={isOld ? 'old' : undefined}>
          <Canvas {...props} layers={layers} version={value} />
        </div>
      )}
      <p role="status" class="under">
        {raster && statusText(raster, isDone, source.array_type)}
        {!raster && !isDone && 'Reading cells …'}
        {isNothing && 'Nothing was written there.'} {!isDone && <Button onClick={stop}>Stop</Button>}
        {isDone && (raster?.kind === 'preview' || raster?.kind === 'sample') && (
          <Button onClick={() => changeLink(link, { m: 'all' })}>
            Read all {raster.total === undefined ? 'cells' : `${formatCount(raster.total)} cells`}
          </Button>
        )}
      </p>
      <Damaged {...{ inspected, link, error }} faults={[...unopened, ...(value?.faults ?? [])]} isUnderWay={!isDone} />
      {unopened.length > 0 && <p>Where a fragment is left out, the picture has older values, or none.</p>}
      {raster && isDone && <Numbers {...props} raster={raster} />}
    </>
  )
}

/** A sentence that says what a pixel of the picture shows. */
function statusText({ kind, read, total, down, right }: Raster, isDone: boolean, type: string): string {
  const cells = formatCount(read)
  const of = total === undefined ? '' : ` of ${formatCount(total)}`
  if (kind === 'preview')
    return isDone
      ? 'A preview, by the statistics of tiles: no cell was read.'
      : `A preview, by the statistics of tiles. Reading cells … ${cells}${of}`
  if (!isDone) return `Reading cells … ${cells}${of}`
  if (kind === 'points') return `${cells} cells; a point with several cells has their mean.`
  if (kind === 'sample')
    return type === 'sparse'
      ? `A sample: the first ${cells} cells that were found${of}.`
      : `A sample: ${cells} cells were read; a point is one cell of those that it covers.`
  const unread = (total ?? 0) - read
  const lack = unread > 0 ? ` ${formatCount(unread)} others were not read.` : ''
  if (kind === 'each') return `Each point is one of ${cells} cells.${lack}`
  return `${cells} cells; each of ${formatCount(right.length)} x ${formatCount(down.length)} points is the mean of those that it covers.${lack}`
}

/** Heights in CSS pixels: of a picture; at most and at least, if its steps are equally long; and of what is around it in a window. */
const [HEIGHT, HIGHEST, LOWEST, AROUND] = [480, 620, 160, 340]
/** The images of the layers. They are made again only for what changed: the last layer is read while it is drawn. */
function useImages(layers: readonly (readonly Raster[])[], scale: ReturnType<typeof scaleOf>, version: unknown) {
  const images = useRef(new Map<string, { of: readonly Raster[]; version: unknown; image: HTMLCanvasElement }>())
  return (colour: Sheet['colour']): PixelLayer[] => {
    const special = specialColours(colour)
    return layers.flatMap((of, i): PixelLayer[] => {
      const [raster] = of
      if (!raster) return []
      const key = JSON.stringify([i, scale, special])
      const known = images.current.get(key)
      const isLast = i === layers.length - 1
      if (known?.of === of && (!isLast || known.version === version)) return [{ raster, image: known.image }]
      const image = imageOf(of, scale, special)
      if (images.current.size > MAX_IMAGES) images.current.clear()
      images.current.set(key, { of, version, image })
      return [{ raster, image }]
    })
  }
}

function zoomed(
  { x0, x1, y0, y1 }: SeenAxes,
  factor: number,
  around: Place = { x: (x0 + x1) / 2, y: (y0 + y1) / 2 },
): SeenAxes {
  const { x, y } = around
  return {
    x0: x - (x - x0) * factor,
    x1: x + (x1 - x) * factor,
    y0: y - (y - y0) * factor,
    y1: y + (y1 - y) * factor,
  }
}

function moved({ x0, x1, y0, y1 }: SeenAxes, dx: number, dy: number): SeenAxes {
  return { x0: x0 + dx, x1: x1 + dx, y0: y0 + dy, y1: y1 + dy }
}

/** The place that is nearest to another, and inside. */
function nearest(place: number, first: number, end: number): number {
  return Math.min(end - 1e-9 * Math.abs(end), Math.max(first, place))
}

/** The point beside another, or the first one. @param by points to the right and upwards */
function neighbour(
  { frame }: Chosen,
  seen: SeenAxes,
  raster: Raster,
  at: Place | undefined,
  by: readonly [number, number],
): Place {
  const [x, y] = [rasterPlaces(frame.across, raster.right), rasterPlaces(frame.up, raster.down)]
  if (!at) return { x: seen.x0 + x.step / 2, y: seen.y0 + y.step / 2 }
  return { x: nearest(at.x + by[0] * x.step, x.first, x.end), y: nearest(at.y + by[1] * y.step, y.first, y.end) }
}

function Canvas(props: PictureProps & { layers: readonly (readonly Raster[])[]; version: unknown }) {
  const { source, chosen, link, layers, version } = props
  const { frame, whole, planes } = chosen
  const [seen, setSeen] = useSeen(chosen.seen, link, ({ x0, x1, y0, y1 }) => [
    ...rangeInLink(frame.up, y0, y1),
    ...rangeInLink(frame.across, x0, x1),
    ...chosen.ranges.slice(2),
  ])
  const [width, setWidth] = useState(0)
  const [at, setAt] = useState<Place | undefined>(undefined)
  const top = layers[layers.length - 1] ?? []
  const [raster] = top
  const ends = useMemo(() => endsOf(top), [version, layers.length])
  const lack = useMemo(() => raster && rasterLack(raster), [version, layers.length])
  const scale = scaleOf(link, ends, planes.length === 3)
  const isTrue = (link.e ?? (chosen.isTrue ? '1' : '0')) === '1'
  const hasScale = planes.length === 1

  const sizes = { width, height: HEIGHT, hasScale, isTrue, letters: lettersBeside(frame.up, seen, HEIGHT) }
  if (isTrue && width > 0)
    sizes.height = Math.max(LOWEST, Math.min(HIGHEST, Math.max(HEIGHT, innerHeight - AROUND), trueHeight(sizes, seen)))
  const { height } = sizes
  const layersIn = useImages(layers, scale, version)
  const draw = (sheet: Sheet): void => {
    if (sheet.width !== width) setWidth(sheet.width)
    drawPlot(canvasPen(sheet.canvas), { ...sizes, width: sheet.width }, plotOf(sheet.colour), sheet.colour)
  }
  const plotOf = (colour: Sheet['colour']) => ({
    frame,
    seen,
    layers: layersIn(colour),
    scale: hasScale ? scale : undefined,
    valueText: (value: number) =>
      raster ? (labelText(source, raster.column, value) ?? numberText(raster, value)) : String(value),
    boxes: boxesOf(props, colour),
    cursor: at && pixelBox(raster, frame.across, frame.up, at),
  })
  const area = () => cellArea(sizes, seen)
  const placeUnder = (event: MouseEvent): Place => {
    const [x, y] = placeDrawn(frame, seen, area(), mousePlace(event))
    return { x, y }
  }
  const zoom = (factor: number, around?: Place): void => setSeen(inside(zoomed(seen, factor, around), chosen))
  const move = (dx: number, dy: number): void => setSeen(inside(moved(seen, dx, dy), chosen))
  /** Goes to a neighbouring point. With Shift, the point goes far, and what is in sight goes along. */
  const step = (right: number, down: number, isFar: boolean): void => {
    const [dx, dy] = [frame.isLastLeft ? -right : right, frame.isLastTop ? -down : down]
    const [farX, farY] = [(dx * (seen.x1 - seen.x0)) / 6, (dy * (seen.y1 - seen.y0)) / 6]
    if (isFar) move(farX, farY)
    if (isFar && at) setAt({ x: nearest(at.x + farX, 0, whole.x1), y: nearest(at.y + farY, 0, whole.y1) })
    else if (raster) setAt(neighbour(chosen, seen, raster, at, [dx, dy]))
  }
  const cell = at && raster ? cellAt(props, raster, at) : undefined
  const open = (): void => {
    if (cell) location.hash = viewLink(link, 'history', { c: cell })
    else if (at) zoom(0.25, at)
  }
  const keys = (isShifted: boolean) => ({
    ArrowLeft: () => step(-1, 0, isShifted),
    ArrowRight: () => step(1, 0, isShifted),
    ArrowUp: () => step(0, -1, isShifted),
    ArrowDown: () => step(0, 1, isShifted),
    '+': () => zoom(0.5, at),
    '=': () => zoom(0.5, at),
    '-': () => zoom(2, at),
    '0': () => setSeen(whole),
    Enter: open,
  })
  const kept = (): Saved => ({
    name: [...new Set(planes.map(({ attribute }) => attribute))].join('-') || 'cells',
    width,
    height,
    draw: (pen, _, colour) => drawPlot(pen, sizes, plotOf(colour), colour),
    rows: () => numberRows(props, top),
  })
  return (
    <figure>
      <div class="controls">
        <Button onClick={() => zoom(0.5)}>Nearer</Button>
        <Button onClick={() => zoom(2)}>Farther</Button>
        <Button onClick={() => setSeen(whole)}>All</Button>
        <SaveButtons kept={kept} />
      </div>
      <LookForm {...{ link, isTrue, top }} scale={hasScale ? scale : undefined} />
      <Surface
        label={`${cutName(frame.across.dimension.name)} goes across, ${cutName(frame.up.dimension.name)} goes ${frame.isLastTop ? 'up' : 'down'}. Arrow keys go from point to point, with Shift to the next part; plus and minus zoom, 0 shows all, Enter opens a cell. The table below has the same.`}
        height={height}
        draw={draw}
        keys={keys}
        pointOf={mousePlace}
        drag={(from, to) => {
          const [before, after] = [from, to].map((one) => placeDrawn(frame, seen, area(), one))
          if (before && after) move(before[0] - after[0], before[1] - after[1])
        }}
        isOver={(event) => isInside(area(), mousePlace(event))}
        over={(event) => setAt(placeUnder(event))}
        zoomAt={(factor, event) => zoom(factor, placeUnder(event))}
        doubled={0.5}
      />
      <Under {...props} {...{ top, lack, at, cell }} />
      {raster && <PictureExtremes {...{ source, frame, raster, version, setAt }} isOfOne={hasScale} />}
    </figure>
  )
}

/** The kinds of rasters whose numbers are those of cells, and all of them. */
const KNOWN: readonly Raster['kind'][] = ['each', 'mean', 'points']

/** Where the least and the greatest number in sight are. */
function PictureExtremes(props: {
  source: PictureSource
  frame: Chosen['frame']
  raster: Raster
  version: unknown
  isOfOne: boolean
  setAt(at: Place): void
}) {
  const { source, frame, raster, version, isOfOne, setAt } = props
  const { kind, column, right, down } = raster
  const pixels = useMemo(() => extremePixels(raster), [raster, version])
  if (!pixels || !isOfOne || !column || !KNOWN.includes(kind)) return null
  const extremes = pixels.map((pixel) => {
    const [x, y] = [pixel % right.length, Math.floor(pixel / right.length)]
    const place = (axis: PlotAxis, of: Raster['down'], index: number): number => {
      const { first, step } = rasterPlaces(axis, of)
      return first + (index + 0.5) * step
    }
    return {
      value: valueText(source, raster, pixel),
      place: `${frame.up.dimension.name} ${spanText(frame.up, down, y)}, ${frame.across.dimension.name} ${spanText(frame.across, right, x)}`,
      go: () => setAt({ x: place(frame.across, right, x), y: place(frame.up, down, y) }),
    }
  })
  return (
    <p class="note">
      <Extremes of={extremes} />
    </p>
  )
}

/** What stands below a picture: how to move, and what is where the reader points. */
function Under(
  props: PictureProps & {
    top: readonly Raster[]
    lack: Lack | undefined
    at: Place | undefined
    cell: string | undefined
  },
) {
  const { source, top, lack, at } = props
  const [raster] = top
  return (
    <figcaption>
      <p class="note">
        Drag moves, the wheel or + and - zoom, 0 shows all, a click keeps the point.{' '}
        {raster && lack && <Lacking {...lack} raster={raster} isDense={source.array_type === 'dense'} />}
      </p>
      <p aria-live="polite" class="under">
        {at && raster ? (
          <PointText {...props} at={at} />
        ) : (
          <span class="note">Point at the picture, or go there by Tab and arrow keys.</span>
        )}
      </p>
    </figcaption>
  )
}

interface LookProps {
  link: Link
  isTrue: boolean
  /** Of a picture with one colour scale. */
  scale: Scale | undefined
  top: readonly Raster[]
}

function LookForm({ link, isTrue, scale, top }: LookProps) {
  return (
    <details>
      <summary>Colours, proportions and boxes</summary>
      <div class="controls">
        <label>
          <input type="checkbox" checked={isTrue} onChange={() => changeLink(link, { e: isTrue ? '0' : '1' })} /> true
          proportions
        </label>
        {scale && <ScaleForm {...{ link, scale, top }} />}
        <Select
          label="boxes"
          names={BOXES}
          at={Math.max(0, BOXES.indexOf((link.b ?? 'none') as (typeof BOXES)[number]))}
          choose={(i) => changeLink(link, { b: BOXES[i] })}
        />
      </div>
    </details>
  )
}

function specialColours(colour: (name: string) => string): SpecialColours {
  const number = (name: string): number => Number.parseInt(colour(name).slice(1), 16)
  return { fill: number('line'), null: number('c4') }
}

/** Images of rasters that are kept. */
const MAX_IMAGES = 12

function imageOf(planes: readonly Raster[], scale: Scale, special: SpecialColours): HTMLCanvasElement {
  const image = document.createElement('canvas')
  image.width = planes[0]?.right.length ?? 1
  image.height = planes[0]?.down.length ?? 1
  const pixels = colouredPixels(planes, scale, special)
  image.getContext('2d')?.putImageData(new ImageData(pixels, image.width, image.height), 0, 0)
  return image
}

/** The scale of the link, or from the least to the greatest number. Colours of bytes are shown as they are. */
function scaleOf(link: Link, ends: ReturnType<typeof endsOf>, isColoured: boolean): Scale {
  const [low, high] = (link.l ?? '').split('..').map((text) => (text === '' ? Number.NaN : Number(text)))
  const palette = PALETTE_NAMES.find((name) => name === link.c) ?? 'viridis'
  let [from, to] = ends ?? [0, 1]
  if (isColoured && from >= 0 && to <= 255) [from, to] = [0, 255]
  if (low !== undefined && high !== undefined && low < high) [from, to] = [low, high]
  return { palette, low: from, high: to, isLog: link.g === '1' && from > 0 }
}

/** What lies over the cells. */
const BOXES = ['none', 'fragments', 'tiles'] as const

/** A place of the axes. */
interface Place {
  x: number
  y: number
}

/** Moves what is in sight back to what was written, and keeps it from being smaller than a few cells. */
function inside({ x0, x1, y0, y1 }: SeenAxes, { frame }: Chosen): SeenAxes {
  const [left, right] = keptInside(x0, x1, frame.across)
  const [low, high] = keptInside(y0, y1, frame.up)
  return { x0: left, x1: right, y0: low, y1: high }
}

/** The pixel of a raster at a place. */
function pixelAt(raster: Raster, across: PlotAxis, up: PlotAxis, { x, y }: Place): number | undefined {
  const [right, down] = [rasterPlaces(across, raster.right), rasterPlaces(up, raster.down)]
  if (x < right.first || x >= right.end || y < down.first || y >= down.end) return undefined
  const [column, row] = [(x - right.first) / right.step, (y - down.first) / down.step].map(Math.floor)
  if (column === undefined || row === undefined) return undefined
  return Math.min(raster.down.length - 1, row) * raster.right.length + Math.min(raster.right.length - 1, column)
}

function pixelBox(raster: Raster | undefined, across: PlotAxis, up: PlotAxis, at: Place): SeenAxes | undefined {
  const pixel = raster && pixelAt(raster, across, up, at)
  if (!raster || pixel === undefined) return undefined
  const [x, y] = [rasterPlaces(across, raster.right), rasterPlaces(up, raster.down)]
  const [column, row] = [pixel % raster.right.length, Math.floor(pixel / raster.right.length)]
  return {
    x0: x.first + column * x.step,
    x1: x.first + (column + 1) * x.step,
    y0: y.first + row * y.step,
    y1: y.first + (row + 1) * y.step,
  }
}

/** Most boxes that are drawn. */
const MAX_BOXES = 2000

/** The boxes of fragments, or of the tiles of a dense array, that lie over the cells. */
function boxesOf({ source, chosen, link }: PictureProps, colour: (name: string) => string): PlotBox[] {
  const { frame, up, across, seen, whole } = chosen
  if (link.b === 'fragments')
    return source.fragments.slice(-MAX_BOXES).flatMap(({ ends }, i) => {
      const [x, y] = [ends[across], ends[up]]
      if (!x || !y) return []
      const place = (axis: PlotAxis, end: typeof x.low): number => placeOfCoordinate(axis, end as number | bigint)
      const [oneX, oneY] = [frame.across, frame.up].map(({ isFloat }) => (isFloat ? 0 : 1))
      return {
        x0: place(frame.across, x.low),
        x1: place(frame.across, x.high) + (oneX ?? 0),
        y0: place(frame.up, y.low),
        y1: place(frame.up, y.high) + (oneY ?? 0),
        colour: colour(COLOURS[i % COLOURS.length] ?? 'ink'),
        beside: colour('paper'),
      }
    })
  if (link.b !== 'tiles' || source.array_type !== 'dense') return []
  const [extentX, extentY] = [source.extents[across], source.extents[up]]
  if (extentX === undefined || extentY === undefined) return []
  const lines = (axis: PlotAxis, first: bigint, extent: bigint, from: number, to: number): number[] => {
    const shift = Number((BigInt(axis.origin) - first) % extent)
    const found: number[] = []
    const step = Number(extent)
    for (let at = Math.floor((from + shift) / step) * step - shift; at < to && found.length < MAX_BOXES; at += step)
      found.push(at)
    return found
  }
  const [firstX, firstY] = [source.firsts[across] ?? 0n, source.firsts[up] ?? 0n]
  const [xs, ys] = [
    lines(frame.across, firstX, extentX, seen.x0, seen.x1),
    lines(frame.up, firstY, extentY, seen.y0, seen.y1),
  ]
  if (xs.length * ys.length > MAX_BOXES) return []
  const line = colour('paper')
  return xs.flatMap((x) =>
    ys.map((y) => ({
      x0: Math.max(0, x),
      x1: Math.min(whole.x1, x + Number(extentX)),
      y0: Math.max(0, y),
      y1: Math.min(whole.y1, y + Number(extentY)),
      colour: line,
    })),
  )
}

interface LackProps extends Lack {
  raster: Raster
  isDense: boolean
}

/** What is not a number in the picture, and how it looks. */
function Lacking({ flags, hasUnread, raster, isDense }: LackProps) {
  return (
    <>
      {isDense && !raster.fillIsValue && (flags & LACKS.fill) !== 0 && (
        <>
          <span class="swatch fill" /> fill value, or never written{' '}
        </>
      )}
      {(flags & LACKS.null) !== 0 && (
        <>
          <span class="swatch null" /> null or NaN{' '}
        </>
      )}
      {raster.kind !== 'points' && hasUnread && (
        <>
          <span class="swatch unread" /> not read
        </>
      )}
    </>
  )
}

/** The choice of colours and of their ends. */
function ScaleForm({ link, scale, top }: { link: Link; scale: Scale; top: readonly Raster[] }) {
  const short = (value: number): string => String(Number(value.toPrecision(6)))
  const typed = (values: FormData): void => {
    const [low, high] = ['low', 'high'].map((name) => formText(values, name))
    changeLink(link, { l: low || high ? `${low || scale.low}..${high || scale.high}` : undefined })
  }
  return (
    <>
      <Select
        label="colours"
        names={PALETTE_NAMES}
        at={PALETTE_NAMES.indexOf(scale.palette)}
        choose={(i) => changeLink(link, { c: PALETTE_NAMES[i] as PaletteName })}
      />
      <label>
        <input
          type="checkbox"
          checked={scale.isLog}
          onChange={() => changeLink(link, { g: link.g === '1' ? undefined : '1' })}
        />{' '}
        log
      </label>
      <Form class="limits" use={typed} of={`${scale.low} ${scale.high}`}>
        <label>
          from <input name="low" size={8} defaultValue={short(scale.low)} />
        </label>{' '}
        <label>
          to <input name="high" size={8} defaultValue={short(scale.high)} />
        </label>{' '}
        <button type="submit">Set</button>{' '}
        <Button
          onClick={() => {
            const middle = middleOf(top)
            if (middle && middle[0] < middle[1]) changeLink(link, { l: middle.join('..') })
          }}
        >
          2 to 98 %
        </Button>{' '}
        {link.l !== undefined && <Button onClick={() => changeLink(link, { l: undefined })}>Least to greatest</Button>}
      </Form>
    </>
  )
}

function numberText({ column, kind }: Raster, value: number): string {
  if (!column) return formatCount(Math.round(value))
  const isPlain = column.type.startsWith('FLOAT') || (kind !== 'each' && /^U?INT/.test(column.type))
  if (!isPlain) return shortValue(cellOfNumber(column.type, value))
  return String(Number(value.toPrecision(6)))
}

function valueText(source: PictureSource, raster: Raster, pixel: number): string {
  const { column, kind } = raster
  const value = pixelValue(raster, pixel)
  const count = raster.counts[pixel] ?? 0
  if (value === undefined) return kind === 'points' ? 'no cell' : 'not read'
  if (value === 'null') return 'null or NaN'
  if (value === 'fill') return 'fill value'
  const isOwn = kind === 'sample' || (count === 1 && kind !== 'preview')
  const label = column && isOwn ? labelText(source, column, value) : undefined
  if (label) return label
  if (column && count === 1 && kind !== 'preview') return shortValue(ownValue(column.type, value))
  if (!column || kind === 'sample' || kind === 'preview') return numberText(raster, value)
  return `${numberText({ ...raster, kind: 'mean' }, value)}, mean of ${formatCount(count)}`
}

/** The coordinates that a pixel covers along an axis. */
function spanText(axis: PlotAxis, raster: Raster['down'], index: number): string {
  const { first, step, end } = rasterPlaces(axis, raster)
  return spanWord(axis, first + index * step, step, end)
}

/** The cell of a pixel, as `--cell` takes it; undefined if it may have several. */
function cellAt({ chosen, source }: PictureProps, raster: Raster, at: Place): string | undefined {
  const { frame } = chosen
  const pixel = pixelAt(raster, frame.across, frame.up, at)
  if (pixel === undefined || (raster.kind !== 'each' && raster.kind !== 'points')) return undefined
  const isSingle = [raster.down, raster.right].every(({ step, end }) => end !== undefined && BigInt(step) === 1n)
  if (!isSingle || pixelValue(raster, pixel) === undefined) return undefined
  const [column, row] = [pixel % raster.right.length, Math.floor(pixel / raster.right.length)]
  const parts = source.dimensions.map(({ name }) => {
    if (name === frame.across.dimension.name) return `${name}=${spanText(frame.across, raster.right, column)}`
    if (name === frame.up.dimension.name) return `${name}=${spanText(frame.up, raster.down, row)}`
    return chosen.ranges.find((range) => range.startsWith(`${name}=`) && !range.includes('..'))
  })
  return parts.includes(undefined) ? undefined : parts.join(',')
}

/** Most fragments that are named at a place. */
const MAX_NAMED = 4

/** The value at a place, and which fragments have it in their box. */
function PointText({
  top,
  at,
  cell,
  ...props
}: PictureProps & { top: readonly Raster[]; at: Place; cell: string | undefined }) {
  const { chosen, source, link } = props
  const { frame } = chosen
  const [raster] = top
  const pixel = raster && pixelAt(raster, frame.across, frame.up, at)
  if (!raster || pixel === undefined) return <span class="note">Nothing lies there.</span>
  const [column, row] = [pixel % raster.right.length, Math.floor(pixel / raster.right.length)]
  const covering = source.fragments.filter(({ ends }) => {
    const [x, y] = [ends[chosen.across], ends[chosen.up]]
    const lies = (axis: PlotAxis, place: number, bounds: typeof x): boolean => {
      if (!bounds) return false
      const value = coordinateAt(axis, place)
      return value >= (bounds.low as number | bigint) && value <= (bounds.high as number | bigint)
    }
    return lies(frame.across, at.x, x) && lies(frame.up, at.y, y)
  })
  return (
    <>
      <Text>{`${frame.up.dimension.name} ${spanText(frame.up, raster.down, row)}`}</Text>,{' '}
      <Text>{`${frame.across.dimension.name} ${spanText(frame.across, raster.right, column)}`}</Text>:{' '}
      <strong>
        <Text>{top.map((one) => valueText(source, one, pixel)).join(', ')}</Text>
      </strong>{' '}
      {cell && <a href={viewLink(link, 'history', { c: cell })}>versions of this cell</a>}
      {covering.length > 0 && (
        <span class="note">
          {' '}
          in {covering.length === 1 ? 'fragment' : `${formatCount(covering.length)} fragments, the newest first:`}{' '}
          {covering
            .slice(-MAX_NAMED)
            .reverse()
            .map(({ name }, i) => (
              <span key={name}>
                {i > 0 && ', '}
                <FragmentName name={name} />
              </span>
            ))}
          {covering.length > MAX_NAMED && ' …'}
        </span>
      )}
    </>
  )
}

/** The points of a picture as rows of a table. */
function* numberRows({ chosen: { frame } }: PictureProps, planes: readonly Raster[]): Generator<readonly string[]> {
  const [raster] = planes
  if (!raster) return
  yield [frame.up.dimension.name, frame.across.dimension.name, ...planes.map(({ column }) => column?.name ?? 'cells')]
  for (let row = 0; row < raster.down.length; row++)
    for (let column = 0; column < raster.right.length; column++) {
      const pixel = row * raster.right.length + column
      const values = planes.map((plane) => pixelValue(plane, pixel))
      if (values.every((value) => value === undefined)) continue
      yield [
        spanText(frame.up, raster.down, row),
        spanText(frame.across, raster.right, column),
        ...values.map((value) => (typeof value === 'number' ? String(value) : (value ?? ''))),
      ]
    }
}

/** Points above which there is no table. */
const MAX_LISTED = 20_000

/** The points of the picture as a table. */
function Numbers({ raster, ...props }: PictureProps & { raster: Raster }) {
  const { frame } = props.chosen
  const { down, right } = raster
  if (raster.counts.length > MAX_LISTED)
    return (
      <p class="note">
        {formatCount(raster.counts.length)} points: nearer, there is a table of them. CSV takes all along.
      </p>
    )
  const points = Array.from(raster.counts.keys()).filter((i) => pixelValue(raster, i) !== undefined)
  if (points.length === 0) return null
  const columns: readonly Column<number>[] = [
    {
      title: frame.up.dimension.name,
      isName: true,
      show: (i) => <Text>{spanText(frame.up, down, Math.floor(i / right.length))}</Text>,
    },
    {
      title: frame.across.dimension.name,
      isName: true,
      show: (i) => <Text>{spanText(frame.across, right, i % right.length)}</Text>,
    },
    {
      title: 'value',
      isNumber: true,
      show: (i) => <Text>{valueText(props.source, raster, i)}</Text>,
      by: (i) => {
        const value = pixelValue(raster, i)
        return typeof value === 'number' ? value : undefined
      },
    },
  ]
  return <Table caption={escapeText('Points')} columns={columns} rows={points} keyOf={(i) => i} />
}
