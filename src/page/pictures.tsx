import { useEffect, useRef, useState } from 'preact/hooks'
import { asInspectError, type InspectError } from '../base/errors.ts'
import type { LayerPicture } from '../layers/picture.ts'
import { formatCount } from '../render/units.ts'
import { Button } from './controls.tsx'
import { COLOURS, Drawing, type Sheet } from './drawing.tsx'
import { viewLink } from './link.ts'
import { isOfCamera } from './orientation.ts'
import { leastAndGreatest, pixelsOf, shareOf, sheetPlaces } from './small-pixels.ts'
import { Text } from './text.tsx'
import type { PlainPicture, SmallImage, SmallLine, SmallPoints } from './thumbnail.ts'
import { timeOptions } from './times.ts'
import { Fault } from './use-loaded.tsx'
import { useReading } from './use-reading.ts'
import type { ViewProps } from './view.ts'

/** Number of pictures that are drawn without being asked: each costs reads. */
const FEW = 4
/** Longest side of an image in CSS pixels. Small ones are enlarged by a whole number. */
const LONGEST = 240
/** Height of a picture of points, and its margin, in CSS pixels. */
const [HEIGHT, MARGIN] = [220, 8]
const LINE_HEIGHT = 120
/** Width of a point in CSS pixels: of few, and of many. */
const [LARGE_POINT, SMALL_POINT, MANY] = [5, 2, 2000]

type Drawn = SmallImage | SmallPoints | InspectError | undefined

interface PicturesProps extends ViewProps {
  pictures: readonly LayerPicture[]
  /** The link to an array, by the path of its names; undefined if it cannot be opened. */
  linkTo(array: string): string | undefined
}

/** The small pictures of a dataset: each array that looks like something. They are read one after another. */
export function Pictures({ inspected, link, pictures, linkTo }: PicturesProps) {
  const [most, setMost] = useState(FEW)
  const wanted = pictures.slice(0, most)
  const reading = useReading<readonly Drawn[]>(
    async ({ show, onStop }) => {
      const drawn: Drawn[] = []
      for (const picture of wanted) {
        const job = inspected.begin('smallPicture', timeOptions(link), picture)
        onStop(job.stop)
        try {
          drawn.push((await job.next()).value)
        } catch (error) {
          drawn.push(asInspectError(error))
        }
        await show([...drawn])
      }
      return drawn
    },
    [inspected, link.t, most],
  )
  const drawn = reading.value ?? []
  return (
    <section aria-labelledby="pictures">
      <h3 id="pictures">Pictures</h3>
      <div class="small-pictures">
        {drawn.map((one, i) => (
          <Figure key={wanted[i]?.title} picture={wanted[i]} drawn={one} to={linkTo(wanted[i]?.array ?? '')} />
        ))}
      </div>
      {!reading.isDone && <p role="status">Reading pictures …</p>}
      {pictures.length > most && (
        <Button onClick={() => setMost(pictures.length)}>Show {pictures.length - most} more pictures</Button>
      )}
    </section>
  )
}

interface FigureProps {
  picture: LayerPicture | undefined
  drawn: Drawn
  to: string | undefined
}

function Figure({ picture, drawn, to }: FigureProps) {
  if (!picture) return null
  const title = <Text>{picture.title || 'this array'}</Text>
  return (
    <figure class="small-picture">
      {drawn instanceof Error && <Fault error={drawn} />}
      {drawn && !(drawn instanceof Error) && drawn.kind === 'image' && (
        <Image image={drawn} title={picture.title} isGrey={isGrey(picture)} />
      )}
      {drawn && !(drawn instanceof Error) && drawn.kind === 'points' && <Points points={drawn} picture={picture} />}
      <figcaption>
        <p>
          <strong>{to === undefined ? title : <a href={to}>{title}</a>}</strong>
        </p>
        {drawn && !(drawn instanceof Error) && drawn.kind === 'image' && (
          <p class="note">
            <Text>{imageText(drawn, isGrey(picture))}</Text>
          </p>
        )}
        {drawn && !(drawn instanceof Error) && drawn.kind === 'points' && <Legend points={drawn} />}
        {drawn === undefined && <p class="note">Nothing that can be drawn was written there.</p>}
      </figcaption>
    </figure>
  )
}

/** Whether the values of an image are brightness. */
function isGrey(picture: LayerPicture): boolean {
  return picture.kind === 'image' && isOfCamera(picture)
}

/** @param isFree whether it has the proportions of a screen, and not its own */
function Image(props: { image: SmallImage; title: string; isGrey: boolean; isFree?: boolean }) {
  const { image, title, isGrey, isFree } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const { width, height, aspect } = image
  useEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(new ImageData(pixelsOf(image, isGrey), width, height), 0, 0)
  }, [image])
  const longest = Math.max(width, height)
  const long = longest > LONGEST ? LONGEST : longest * Math.max(1, Math.floor(LONGEST / longest))
  return (
    <div
      class={image.by === 'points' ? 'drawing' : 'picture unread'}
      style={{ width: `${isFree ? LONGEST : Math.min(1, aspect) * long}px` }}
    >
      <canvas
        ref={canvas}
        width={width}
        height={height}
        style={{ aspectRatio: isFree ? '2' : String(aspect), imageRendering: 'pixelated' }}
        role="img"
        aria-label={`${title}: ${imageText(image, isGrey)}`}
      />
    </div>
  )
}

const PREVIEW = 'a preview, by the statistics of tiles: no cell was read'

/** What is seen of an array at first sight, as a way to the view of its cells. Nothing if nothing cheap shows it. */
export function SmallPlain({ inspected, link }: ViewProps) {
  const { value } = useReading<PlainPicture | undefined>(
    (progress) => progress.follow(inspected.begin('plainPicture', timeOptions(link))),
    [inspected, link.t],
  )
  if (!value) return null
  const { drawn } = value
  const title = value.title || 'number of cells'
  return (
    <figure class="small-picture">
      <a href={viewLink(link, 'heat')}>
        {drawn.kind === 'image' ? (
          <Image image={drawn} title={title} isGrey={false} isFree={!value.isTrue} />
        ) : (
          <Line line={drawn} title={title} />
        )}
        Picture of <Text>{title}</Text>
      </a>
      <figcaption class="note">
        <Text>{drawn.kind === 'image' ? imageText(drawn, false) : lineText(drawn)}</Text>
      </figcaption>
    </figure>
  )
}

function Line({ line, title }: { line: SmallLine; title: string }) {
  const { lows, highs } = line
  const [low, high] = leastAndGreatest([lows, highs]) ?? [0, 0]
  const draw = ({ canvas, width, height, colour }: Sheet): void => {
    const step = (width - 2 * MARGIN) / lows.length
    const place = (value: number): number => height - MARGIN - shareOf(value, low, high) * (height - 2 * MARGIN)
    canvas.fillStyle = colour(COLOURS[0])
    for (const [i, least] of lows.entries())
      if (Number.isFinite(least)) {
        const top = place(highs[i] ?? least)
        canvas.fillRect(MARGIN + i * step, top, Math.max(1, step), Math.max(SMALL_POINT, place(least) - top))
      }
  }
  return <Drawing label={`${title}: ${lineText(line)}`} height={LINE_HEIGHT} draw={draw} />
}

function lineText({ across, lows, highs, by }: SmallLine): string {
  const ends = leastAndGreatest([lows, highs])?.map((end) => Number(end.toPrecision(6)))
  return [
    `${across.dimension} from ${across.ends[0]} at the left to ${across.ends[1]}`,
    ...(ends ? [`values from ${ends[0]} to ${ends[1]}`] : []),
    ...(by === 'preview' ? [PREVIEW] : []),
  ].join('; ')
}

/** Which way the picture lies, and what its colours mean. */
function imageText({ across, up, at, planes, by }: SmallImage, isGrey: boolean): string {
  const [left, right] = across.ends
  const [bottom, top] = up.ends
  const ends = leastAndGreatest(planes)?.map((end) => Number(end.toPrecision(6)))
  const ofOnePlane = isGrey ? 'black to white' : 'dark to light'
  const colours = planes.length === 3 ? 'red, green and blue' : ofOnePlane
  return [
    `${across.dimension} from ${left} at the left to ${right}`,
    `${up.dimension} from ${top} at the top to ${bottom}`,
    ...at,
    ...(ends ? [shadesText(ends, colours)] : []),
    ...(by === 'mean' ? ['a pixel is the mean of its cells'] : []),
    ...(by === 'sample' ? ['a sample of the cells'] : []),
    ...(by === 'preview' ? [PREVIEW] : []),
  ].join('; ')
}

function shadesText([low, high]: readonly number[], colours: string): string {
  return low === high ? `each value is ${low}` : `${colours}: ${low} to ${high}`
}

function colourOf(group: number, names: readonly string[]): string {
  if (names.length === 0) return COLOURS[0]
  return COLOURS[group] ?? 'dim'
}

function Points({ points, picture }: { points: SmallPoints; picture: LayerPicture }) {
  const { x, groups, names } = points
  const draw = ({ canvas, width, height, colour }: Sheet): void => {
    const places = sheetPlaces(points, width, height, MARGIN)
    const size = x.length > MANY ? SMALL_POINT : LARGE_POINT
    for (let i = 0; i < x.length; i++) {
      canvas.fillStyle = colour(colourOf(groups[i] ?? 0, names))
      canvas.fillRect((places[2 * i] ?? 0) - size / 2, (places[2 * i + 1] ?? 0) - size / 2, size, size)
    }
  }
  const kinds = names.length > 0 ? `, ${names.length} kinds` : ''
  return <Drawing label={`${picture.title}: ${formatCount(x.length)} points${kinds}`} height={HEIGHT} draw={draw} />
}

/** What the axes and the colours mean. */
function Legend({ points: { x, names, attribute } }: { points: SmallPoints }) {
  const others = names.slice(COLOURS.length)
  return (
    <>
      <p class="note">
        {formatCount(x.length)} {x.length === 1 ? 'row was' : 'rows were'} read; the first number goes to the right, the
        second up
        {attribute !== undefined && (
          <>
            , colours are <Text>{attribute}</Text>
          </>
        )}
        .
      </p>
      {attribute !== undefined && (
        <ul class="legend" aria-label={attribute}>
          {names.slice(0, COLOURS.length).map((name, i) => (
            <li key={name}>
              <span class="dot" style={{ background: `var(--${COLOURS[i]})` }} /> <Text>{name}</Text>
            </li>
          ))}
          {others.length > 0 && (
            <li>
              <span class="dot" style={{ background: 'var(--dim)' }} /> {others.length} others
            </li>
          )}
        </ul>
      )}
    </>
  )
}
