import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { tileCellNum } from '../../cells/tile-places.ts'
import { rangesResult } from '../../commands/values.ts'
import type { ArrayFragment } from '../../documents/array.ts'
import type { Dimension } from '../../format/dimension.ts'
import { formatCount } from '../../render/units.ts'
import {
  counted,
  countText,
  fieldName,
  NOTHING,
  rangeText,
  sizeText,
  timeRangeText,
} from '../../render/views/wording.ts'
import type { Fragment, FragmentInfo } from '../../store/fragment.ts'
import { breath } from '../breath.ts'
import { listOf } from '../cell-query.tsx'
import { COLOURS, Drawing, placeOf, type Sheet } from '../drawing.tsx'
import type { Inspected } from '../inspected.ts'
import { change, goTo, type Link } from '../link.ts'
import { type Axis, axisOf, fragmentAxis } from '../map/axis.ts'
import { addEnds, type Boxes, placedBoxes, type StoredBoxes, side, storedBoxes } from '../map/boxes.ts'
import { type Drawn, isSeen, paint, type Seen, tilesAt } from '../map/paint.ts'
import { type Column, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { timesOf, timeWords } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { View, ViewProps } from '../view.ts'

/**
 * Where the fragments and their tiles lie, in two dimensions. In the link: `d` has the numbers of the two dimensions, `c` what colours
 * mean, `b` what is seen, and `q` the same as ranges of the call.
 */
export const map: View = {
  id: 'map',
  title: 'Map',
  targets: ['array', 'fragment'],
  call: ({ inspected, link }) => {
    const ranges = listOf(link.q).flatMap((range) => ['--range', range])
    // What is read at a time: the map has no other fragments.
    const now = inspected.target.type === 'array' ? ['--between', '0..'] : []
    return { words: ['tiles', ...ranges, ...(link.t === undefined ? now : timeWords(link))] }
  },
  Show: MapView,
}

/** A fragment that is read, and what the map needs of it. */
interface Mapped {
  listed: Pick<
    ArrayFragment,
    'name' | 'timestamp_range' | 'tile_num' | 'cells_in_domain' | 'size' | 'data_size' | 'nonempty_domain'
  >
  fragment: Fragment
  info: FragmentInfo
  /** Its first data file. */
  file: string | undefined
}

interface Loaded {
  dimensions: readonly Dimension[]
  mapped: readonly Mapped[]
  /** Fragments without a box: what was written to them is not known. */
  unplaced: number
  /** The time of the link that it was read for. */
  t: string | undefined
}

async function load(inspected: Inspected, link: Link): Promise<Loaded> {
  const listed = await inspected.document('ls', timesOf(link))
  const { target } = inspected
  const found: { listed: Mapped['listed']; fragment: Fragment }[] = []
  if (target.type === 'fragment' && listed.kind === 'fragment')
    found.push({ listed: listed as Mapped['listed'], fragment: target.fragment })
  if (target.type === 'array' && listed.kind === 'array') {
    const entries = new Map((await target.array.fragments()).map((entry) => [entry.name, entry.path]))
    for (const one of listed.fragments) {
      const path = entries.get(one.name)
      if (path !== undefined && (one.state === 'live' || one.state === 'unlisted') && one.error === undefined)
        found.push({ listed: one, fragment: target.array.fragment(path) })
    }
  }
  const mapped: Mapped[] = []
  for (const { listed, fragment } of found) {
    await breath()
    const info = await fragment.info()
    const files = await fragment.fieldFiles()
    await fragment.close()
    if (info.nonempty_domain) mapped.push({ listed, fragment, info, file: files.find(({ size }) => size > 0)?.name })
  }
  return {
    dimensions: mapped[0]?.info.schema.domain.dimensions ?? [],
    mapped,
    unplaced: found.length - mapped.length,
    t: link.t,
  }
}

function MapView({ inspected, link }: ViewProps) {
  const loaded = useLoaded(() => load(inspected, link), [inspected, link.t])
  return (
    <Shown
      of={loaded}
      what="the boxes of fragments"
      show={(found) =>
        found.mapped.length === 0 ? (
          <p>No fragment that is read has a box.</p>
        ) : (
          <MapOf inspected={inspected} link={link} loaded={found} />
        )
      }
    />
  )
}

/** Boxes of tiles in memory, and fragments whose tiles are drawn, at most. */
const MOST_TILES = 4_000_000
const MOST_OPEN = 300
/** Boxes in a picture: while something moves, and when it rests. */
const MOVING = 15_000
const RESTING = 120_000
/** Milliseconds until it rests. */
const REST = 200
const TILES_LISTED = 200
/** Of larger fragments, all tiles have the colour of their mean size. */
const MOST_SIZED = 20_000
/** In CSS pixels. */
const LEFT = 8
const BELOW = 20
const HEIGHT = 420

const MEANINGS = ['fragment', 'age', 'cells', 'bytes'] as const
type Meaning = (typeof MEANINGS)[number]

const LEGENDS: Record<Meaning, string> = {
  fragment: 'Each fragment has a colour; after seven they begin anew.',
  age: 'From yellow, the oldest fragment, to blue, the newest.',
  cells: 'From yellow, few cells in a tile, to blue, the most.',
  bytes: `From yellow, few stored bytes in a tile, to blue, the most; of fragments of more than ${formatCount(MOST_SIZED)} tiles, their mean.`,
}

/** A fragment as it lies on the chosen axes. */
interface Lying {
  domain: Float64Array
  boxes?: Boxes
}

/** What has been placed on two axes. Boxes of tiles come in one by one. */
interface Placed {
  loaded: Loaded
  axes: readonly [Axis, Axis]
  /** Dimensions of the axes. */
  dims: readonly [number | undefined, number | undefined]
  lying: readonly Lying[]
  whole: Seen
  /** The same without the edge. */
  full: Seen
  /** Boxes that axes of text needed. */
  stored: ReadonlyMap<number, StoredBoxes>
}

async function placeDomains(loaded: Loaded, dims: readonly [number | undefined, number | undefined]): Promise<Placed> {
  const { dimensions, mapped } = loaded
  const axes = dims.map((d) => (d === undefined ? fragmentAxis(mapped.length) : axisOf(dimensions[d]))) as [Axis, Axis]
  const stored = new Map<number, StoredBoxes>()
  for (const [a, axis] of axes.entries()) {
    const d = dims[a]
    if (!axis.isText || d === undefined) continue
    const ends: Uint8Array[] = []
    for (const [i, one] of mapped.entries()) {
      const range = one.info.nonempty_domain?.[d]
      if (range) ends.push(range.min, range.max)
      if (i >= MOST_OPEN) continue
      const boxes = stored.get(i) ?? (await readBoxes(one))
      if (!boxes) continue
      stored.set(i, boxes)
      await addEnds(boxes, d, ends)
    }
    axis.steps(ends)
  }
  const full = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity }
  const lying = mapped.map(({ info }, row): Lying => {
    const domain = new Float64Array(4)
    if (info.nonempty_domain)
      for (const [a, axis] of axes.entries()) side(axis, dims[a], row)(info.nonempty_domain, domain, 2 * a)
    full.x0 = Math.min(full.x0, domain[0])
    full.x1 = Math.max(full.x1, domain[1])
    full.y0 = Math.min(full.y0, domain[2])
    full.y1 = Math.max(full.y1, domain[3])
    return { domain }
  })
  return { loaded, axes, dims, lying, full, whole: padded(full, axes), stored }
}

/** A fragment whose tiles have no boxes that can be read is drawn as a whole. */
async function readBoxes({ fragment }: Mapped): Promise<StoredBoxes | undefined> {
  try {
    return await storedBoxes(fragment)
  } catch {
    return undefined
  } finally {
    await fragment.close()
  }
}

/** With an edge, but not beyond the domain. */
function padded({ x0, x1, y0, y1 }: Seen, axes: readonly [Axis, Axis]): Seen {
  const [x, y] = [
    [x0, x1],
    [y0, y1],
  ].map(([from, to], a): [number, number] => {
    const edge = (to - from || 1) * 0.02
    const [low, high] = axes[a].ends()
    const inside = [Math.max(from - edge, Math.min(from, low)), Math.min(to + edge, Math.max(to, high))] as const
    return inside[0] < inside[1] ? [...inside] : [from - edge, to + edge]
  })
  return { x0: x[0], x1: x[1], y0: y[0], y1: y[1] }
}

function MapOf({ inspected, link, loaded }: { inspected: Inspected; link: Link; loaded: Loaded }) {
  const { dimensions, mapped } = loaded
  const choices = [...dimensions.map(({ name }) => name), 'fragment']
  const dims = useMemo(() => dimsOf(link.d, dimensions.length), [link.d, dimensions])
  const meaning: Meaning = MEANINGS.find((one) => one === link.c) ?? 'fragment'
  const placed = useLoaded(() => placeDomains(loaded, dims), [loaded, dims])
  const choose = (axis: number, to: number) => {
    const next = dims.map((d) => d ?? dimensions.length)
    if (next[1 - axis] === to) next[1 - axis] = next[axis]
    next[axis] = to
    change(link, { d: next.join('.'), b: undefined, q: undefined })
  }
  return (
    <>
      <div class="controls">
        {['Across', 'Up'].map((title, axis) => (
          <label key={title}>
            {title}:{' '}
            <select
              value={dims[axis] ?? dimensions.length}
              onChange={(e) => choose(axis, Number(e.currentTarget.value))}
            >
              {choices.map((name, d) => (
                <option key={d} value={d}>
                  {fieldName(name).slice(0, 60)}
                </option>
              ))}
            </select>
          </label>
        ))}
        <label>
          Colour:{' '}
          <select value={meaning} onChange={(e) => change(link, { c: e.currentTarget.value })}>
            {MEANINGS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      <Shown
        of={placed}
        what="the boxes"
        show={(found) => (
          <Canvas {...{ inspected, link, meaning, placed: found }} key={`${found.dims} ${found.loaded.t}`} />
        )}
      />
      {loaded.unplaced > 0 && <p>{counted(loaded.unplaced, 'fragment')} without a box.</p>}
      {mapped.length > MOST_OPEN && <p>Tiles are drawn of {MOST_OPEN} fragments in sight at a time.</p>}
    </>
  )
}

function dimsOf(text: string | undefined, count: number): [number | undefined, number | undefined] {
  const asked = (text ?? `0.${Math.min(count, 1)}`).split('.').map(Number)
  const [x, y] = asked.map((d) => (d >= 0 && d < count ? d : undefined))
  return x === y ? [0, count > 1 ? 1 : undefined] : [x, y]
}

/** What is seen as ranges that select the same tiles: of the dimensions of which not all is in sight. */
function rangesSeen(dimensions: readonly Dimension[], { axes, dims, full }: Placed, seen: Seen): readonly string[] {
  const ends = [
    [seen.x0, seen.x1, full.x0, full.x1],
    [seen.y0, seen.y1, full.y0, full.y1],
  ]
  return axes.flatMap((axis, a) => {
    const d = dims[a]
    const [from, to, first, last] = ends[a]
    // A box reaches to the end of its last cell.
    const [low, high, most] = [Math.max(from - axis.unit, first), Math.min(to, last - axis.unit), last - axis.unit]
    if (d === undefined || (low <= first && high >= most) || low > high) return []
    const range = axis.range(low, high)
    return range === undefined ? [] : [`${dimensions[d].name}=${range}`]
  })
}

function seenText(seen: Seen, whole: Seen): string | undefined {
  const { x0, x1, y0, y1 } = seen
  return seen === whole ? undefined : [x0, x1, y0, y1].map((one) => Number(one.toPrecision(10))).join('_')
}

function seenOf(text: string | undefined, whole: Seen): Seen {
  const [x0, x1, y0, y1] = (text ?? '').split('_').map(Number)
  return x1 > x0 && y1 > y0 ? { x0, x1, y0, y1 } : whole
}

/** A tile that was pointed at. */
interface Tile {
  fragment: number
  tile: number | undefined
}

/** What was clicked: all that lies there, of which a click at the same place chooses the next. */
interface Pinned {
  tiles: readonly Tile[]
  at: number
  place: readonly [x: number, y: number]
}

/** In CSS pixels: what a hand moves between two clicks at one place. */
const SAME = 4

function Canvas(props: { inspected: Inspected; link: Link; meaning: Meaning; placed: Placed }) {
  const { inspected, link, meaning, placed } = props
  const { loaded } = placed
  const { mapped, dimensions } = loaded
  const { whole, axes, lying } = placed
  const [seen, setSeen] = useState(() => seenOf(link.b, whole))
  const [rested, setRested] = useState(seen)
  const [over, setOver] = useState<Tile | undefined>(undefined)
  const [pinned, setPinned] = useState<Pinned | undefined>(undefined)
  const [come, setCome] = useState(0)
  const [stored] = useState(() => new Map(placed.stored))
  const [sizes] = useState(() => new Map<number, Float64Array>())
  const dragged = useRef<[x: number, y: number] | undefined>(undefined)
  const isMoving = seen !== rested

  useEffect(() => {
    if (!isMoving) return
    const timer = setTimeout(() => {
      setRested(seen)
      change(
        link,
        {
          b: seenText(seen, whole),
          q: JSON.stringify(rangesSeen(dimensions, placed, seen)).replace(/^\[\]$/, ''),
        },
        true,
      )
    }, REST)
    return () => clearTimeout(timer)
  }, [seen, rested])

  // The link may change by other hands: by "back", or typed.
  useEffect(() => {
    if (link.b === seenText(rested, whole)) return
    const next = seenOf(link.b, whole)
    setSeen(next)
    setRested(next)
  }, [link.b])

  // Tiles' boxes come one fragment after the other, those in sight first.
  useEffect(() => {
    let isLatest = true
    const read = async () => {
      let tiles = lying.reduce((sum, { boxes }) => sum + (boxes?.levels.at(-1)?.count ?? 0), 0)
      let opened = 0
      for (const [i, one] of lying.entries()) {
        if (!isLatest) return
        if (one.boxes) opened++
        if (one.boxes || !isSeen(one.domain, 0, rested)) continue
        tiles += mapped[i].info.tile_num
        if (++opened > MOST_OPEN || (tiles > MOST_TILES && opened > 1)) break
        const found = stored.get(i) ?? (await readBoxes(mapped[i]))
        if (!found) continue
        stored.set(i, found)
        one.boxes = await placedBoxes(found, axes, placed.dims, i)
        if (isLatest) setCome((times) => times + 1)
      }
    }
    read()
    return () => {
      isLatest = false
    }
  }, [rested, placed])

  // Bytes of tiles are read only for their colours.
  useEffect(() => {
    if (meaning !== 'bytes') return
    let isLatest = true
    const read = async () => {
      for (const [i, { fragment, info }] of mapped.entries()) {
        if (!isLatest) return
        if (sizes.has(i) || info.tile_num > MOST_SIZED || !lying[i].boxes) continue
        sizes.set(i, await tileSizes(inspected, fragment).catch(() => new Float64Array(0)))
        if (isLatest) setCome((times) => times + 1)
      }
    }
    read()
    return () => {
      isLatest = false
    }
  }, [meaning, come])

  const draw = (sheet: Sheet): void => {
    const colours = coloursOf(sheet, meaning, mapped, sizes)
    const drawn = lying.map(
      ({ domain, boxes }, i): Drawn => ({ domain, boxes, colour: (level, index) => colours(i, boxes, level, index) }),
    )
    drawMap(sheet, { drawn, seen, axes, most: isMoving ? MOVING : RESTING })
  }
  const near = (factor: number, [ax, ay]: readonly [number, number] = [0.5, 0.5]): void => {
    const [w, h] = [(seen.x1 - seen.x0) * factor, (seen.y1 - seen.y0) * factor]
    const [x, y] = [seen.x0 + (seen.x1 - seen.x0) * ax, seen.y0 + (seen.y1 - seen.y0) * ay]
    // Beyond what a number tells apart nothing is to be seen.
    if (w < Math.abs(x) * 1e-13 || h < Math.abs(y) * 1e-13 || w > (whole.x1 - whole.x0) * 50) return
    setSeen({ x0: x - w * ax, x1: x + w * (1 - ax), y0: y - h * ay, y1: y + h * (1 - ay) })
  }
  const move = (dx: number, dy: number): void => {
    const [x, y] = [(seen.x1 - seen.x0) * dx, (seen.y1 - seen.y0) * dy]
    setSeen({ x0: seen.x0 + x, x1: seen.x1 + x, y0: seen.y0 + y, y1: seen.y1 + y })
  }
  /** From 0 to 1, from the lower left corner. */
  const shareOf = (event: MouseEvent): [number, number] => {
    const [x, y] = placeOf(event)
    const width = (event.currentTarget as Element).clientWidth - 2 * LEFT
    return [(x - LEFT) / width, 1 - y / (HEIGHT - BELOW)]
  }
  /** What lies where the mouse is, what was written last first. @param most of them */
  const tilesUnder = (event: MouseEvent, most: number): readonly Tile[] => {
    const found: Tile[] = []
    const [ax, ay] = shareOf(event)
    const [x, y] = [seen.x0 + (seen.x1 - seen.x0) * ax, seen.y0 + (seen.y1 - seen.y0) * ay]
    for (let i = lying.length - 1; i >= 0 && found.length < most; i--) {
      const { domain, boxes } = lying[i]
      if (!isSeen(domain, 0, { x0: x, x1: x, y0: y, y1: y })) continue
      for (const tile of boxes ? tilesAt(boxes, x, y) : [undefined]) found.push({ fragment: i, tile })
    }
    return found
  }
  const pin = (event: MouseEvent): void => {
    const tiles = tilesUnder(event, Infinity)
    const place = placeOf(event)
    const isSame =
      pinned?.tiles.length === tiles.length && pinned.place.every((from, a) => Math.abs(from - place[a]) <= SAME)
    if (isSame && tiles.length > 0) setPinned({ ...pinned, at: (pinned.at + 1) % tiles.length })
    else setPinned(tiles.length > 0 ? { tiles, at: 0, place } : undefined)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const keys: Record<string, () => void> = {
      ArrowLeft: () => move(-0.15, 0),
      ArrowRight: () => move(0.15, 0),
      ArrowUp: () => move(0, 0.15),
      ArrowDown: () => move(0, -0.15),
      '+': () => near(0.7),
      '=': () => near(0.7),
      '-': () => near(1 / 0.7),
      '0': () => setSeen(whole),
    }
    const key = keys[event.key]
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    key()
  }
  const told = pinned ? pinned.tiles[pinned.at] : over
  const tables = useMemo(
    () => (
      <>
        <Table
          caption="Fragments in the map"
          columns={fragmentColumns(dimensions, placed.dims)}
          rows={mapped}
          keyOf={({ listed }) => listed.name}
        />
        <Tiles {...{ loaded, lying, stored, link, seen: rested }} />
      </>
    ),
    [mapped, come, rested, link.t],
  )
  return (
    <>
      <div class="controls">
        <button type="button" onClick={() => near(0.5)}>
          Nearer
        </button>
        <button type="button" onClick={() => near(2)}>
          Farther
        </button>
        <button type="button" onClick={() => setSeen(whole)}>
          All
        </button>
        <span>Drag or arrow keys move, the wheel or + and - zoom, 0 shows all.</span>
      </div>
      <Drawing
        label={`Map of ${counted(mapped.length, 'fragment')}. Arrow keys move, plus and minus zoom, 0 shows all. The tables below have the same.`}
        height={HEIGHT}
        draw={draw}
        role="application"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onWheel={(event) => {
          event.preventDefault()
          near(event.deltaY > 0 ? 1.25 : 0.8, shareOf(event))
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          dragged.current = shareOf(event)
        }}
        onPointerMove={(event) => {
          const from = dragged.current
          if (!from) return setOver(tilesUnder(event, 1)[0])
          const to = shareOf(event)
          dragged.current = to
          move(from[0] - to[0], from[1] - to[1])
        }}
        onPointerUp={() => {
          dragged.current = undefined
        }}
        onMouseLeave={() => setOver(undefined)}
        onClick={pin}
      />
      <p class="under" role="status">
        {told ? (
          <Told {...{ loaded, stored, link, told }} />
        ) : (
          'A click on a box names it here. The tables below list the fragments and the tiles in sight.'
        )}
        {pinned &&
          pinned.tiles.length > 1 &&
          `. Box ${formatCount(pinned.at + 1)} of ${formatCount(pinned.tiles.length)} that lie here: another click at the same place names the next.`}
      </p>
      <p class="about">{LEGENDS[meaning]}</p>
      {tables}
    </>
  )
}

/** A fragment or tile in words, with where its bytes are. */
function Told(props: { loaded: Loaded; stored: ReadonlyMap<number, StoredBoxes>; link: Link; told: Tile }) {
  const { loaded, stored, link, told } = props
  const { listed, info } = loaded.mapped[told.fragment]
  const box = told.tile === undefined ? undefined : stored.get(told.fragment)?.at(told.tile)
  const ranges = box ? rangesResult(loaded.dimensions, box, { raw: false }) : listed.nonempty_domain
  return (
    <>
      <Text>{listed.name}</Text>
      {told.tile !== undefined && (
        <>
          , <TileLink {...{ loaded, link, fragment: told.fragment, tile: told.tile }} />,{' '}
          {counted(tileCellNum(info, told.tile), 'cell')}
        </>
      )}
      : <Text>{boxText(loaded.dimensions, ranges)}</Text>
    </>
  )
}

function boxText(dimensions: readonly Dimension[], ranges: ArrayFragment['nonempty_domain']): string {
  return ranges?.map((range, d) => `${fieldName(dimensions[d].name)} ${rangeText(range)}`).join(', ') ?? NOTHING
}

/** The bytes of a tile, in the first data file that there is. */
function TileLink({ loaded, link, fragment, tile }: { loaded: Loaded; link: Link; fragment: number; tile: number }) {
  const one = loaded.mapped[fragment].fragment
  const around = one.array?.folder.path
  const below = around === undefined ? '' : `${one.folder.path.slice(around.length + 1)}/`
  const { file } = loaded.mapped[fragment]
  if (file === undefined) return <>tile {tile}</>
  return <a href={goTo(link, 'files', { p: `${below}${file}`, n: `tiles.${tile}` })}>tile {tile}</a>
}

/** The tiles in sight, as many as a table has room for. */
function Tiles(props: {
  loaded: Loaded
  lying: readonly Lying[]
  stored: ReadonlyMap<number, StoredBoxes>
  link: Link
  seen: Seen
}) {
  const { loaded, lying, stored, link, seen } = props
  const rows: { fragment: number; tile: number; box: string }[] = []
  for (const [fragment, { domain, boxes }] of lying.entries()) {
    if (rows.length >= TILES_LISTED || !boxes || !isSeen(domain, 0, seen)) continue
    const { places, count } = boxes.levels.at(-1) ?? { places: new Float64Array(0), count: 0 }
    for (let tile = 0; tile < count && rows.length < TILES_LISTED; tile++) {
      if (!isSeen(places, tile, seen)) continue
      const box = stored.get(fragment)?.at(tile)
      if (box)
        rows.push({
          fragment,
          tile,
          box: boxText(loaded.dimensions, rangesResult(loaded.dimensions, box, { raw: false })),
        })
    }
  }
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { title: 'fragment', show: ({ fragment }) => <Text>{loaded.mapped[fragment].listed.name}</Text> },
    { title: 'tile', show: ({ fragment, tile }) => <TileLink {...{ loaded, link, fragment, tile }} /> },
    {
      title: 'cells',
      isNumber: true,
      show: ({ fragment, tile }) => countText(tileCellNum(loaded.mapped[fragment].info, tile)),
    },
    { title: 'box', show: ({ box }) => <Text>{box}</Text> },
  ]
  const caption = rows.length < TILES_LISTED ? 'Tiles in sight' : `The first ${TILES_LISTED} tiles in sight`
  return <Table caption={caption} columns={columns} rows={rows} keyOf={({ fragment, tile }) => `${fragment} ${tile}`} />
}

function fragmentColumns(
  dimensions: readonly Dimension[],
  dims: readonly [number | undefined, number | undefined],
): readonly Column<Mapped>[] {
  const chosen = dims.filter((d) => d !== undefined)
  return [
    { title: 'name', show: ({ listed }) => <Text>{listed.name}</Text>, by: ({ listed }) => listed.name },
    {
      title: 'written',
      show: ({ listed }) => timeRangeText(listed.timestamp_range, false),
      by: ({ listed }) => listed.timestamp_range?.[1],
    },
    ...chosen.map(
      (d): Column<Mapped> => ({
        title: fieldName(dimensions[d].name).slice(0, 60),
        show: ({ listed }) => <Text>{listed.nonempty_domain ? rangeText(listed.nonempty_domain[d]) : NOTHING}</Text>,
      }),
    ),
    {
      title: 'tiles',
      isNumber: true,
      show: ({ listed }) => countText(listed.tile_num),
      by: ({ listed }) => listed.tile_num,
    },
    {
      title: 'cells',
      isNumber: true,
      show: ({ listed }) => countText(listed.cells_in_domain),
      by: ({ listed }) => listed.cells_in_domain,
    },
    { title: 'size', isNumber: true, show: ({ listed }) => sizeText(listed.size), by: ({ listed }) => listed.size },
  ]
}

/** Stored bytes of each tile, as `tiles` prints them. */
async function tileSizes(inspected: Inspected, fragment: Fragment): Promise<Float64Array> {
  const { tiles } = (await inspected.document('tiles', {}, fragment.folder.path)) as unknown as {
    tiles: readonly { fields: readonly Record<string, unknown>[] }[]
  }
  const sizes = ['size', 'var_size', 'validity_size'] as const
  return Float64Array.from(tiles, ({ fields }) =>
    fields.reduce((sum, field) => sum + sizes.reduce((all, name) => all + Number(field[name] ?? 0), 0), 0),
  )
}

/** The colour of a box of a fragment: its own, or on the way from light to dark. */
function coloursOf(
  { colour }: Sheet,
  meaning: Meaning,
  mapped: readonly Mapped[],
  sizes: ReadonlyMap<number, Float64Array>,
): (fragment: number, boxes: Boxes | undefined, level: number, index: number) => number {
  if (meaning === 'fragment') {
    const all = COLOURS.map((name) => pixel(rgb(colour(name))))
    return (fragment) => all[fragment % all.length]
  }
  const [light, dark] = [rgb(colour('c7')), rgb(colour('c1'))]
  const ramp = Array.from({ length: 64 }, (_, i) =>
    pixel(light.map((from, part) => from + ((dark[part] - from) * i) / 63) as [number, number, number]),
  )
  const at = (share: number): number => ramp[Math.max(0, Math.min(63, Math.round(share * 63)))]
  if (meaning === 'age') return (fragment) => at(mapped.length < 2 ? 1 : fragment / (mapped.length - 1))
  const mean = mapped.map(({ info, listed }) =>
    meaning === 'cells' ? info.cells_per_tile : (listed.data_size ?? listed.size) / Math.max(1, info.tile_num),
  )
  const of = (fragment: number, tile: number): number =>
    meaning === 'cells' ? tileCellNum(mapped[fragment].info, tile) : (sizes.get(fragment)?.[tile] ?? mean[fragment])
  const most = mean.reduce((all, one, i) => {
    return sizes.get(i)?.reduce((a, b) => Math.max(a, b), all) ?? Math.max(all, one)
  }, 0)
  return (fragment, boxes, level, index) => {
    if (!boxes) return at(mean[fragment] / most)
    // The first tile below a box stands for all of them.
    const tile = index * boxes.fanout ** (boxes.levels.length - 1 - level)
    return at(of(fragment, tile) / most)
  }
}

function rgb(colour: string): [number, number, number] {
  const hex = colour.replace('#', '')
  const size = hex.length === 3 ? 1 : 2
  const part = (i: number): number => Number.parseInt(hex.slice(i * size, (i + 1) * size).repeat(3 - size), 16)
  return [part(0), part(1), part(2)]
}

/** A colour as a picture's memory has it, on machines that put the low byte first, as all with browsers do. */
function pixel([red, green, blue]: readonly [number, number, number]): number {
  return ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0
}

function drawMap(
  { canvas, width, height, ratio, colour }: Sheet,
  what: { drawn: readonly Drawn[]; seen: Seen; axes: readonly [Axis, Axis]; most: number },
): void {
  const { drawn, seen, axes, most } = what
  const size = [Math.max(1, Math.round((width - 2 * LEFT) * ratio)), Math.round((height - BELOW) * ratio)] as const
  const image = canvas.createImageData(...size)
  const pixels = new Uint32Array(image.data.buffer)
  pixels.fill(pixel(rgb(colour('paper'))))
  paint(pixels, size, drawn, seen, most)
  canvas.putImageData(image, LEFT * ratio, 0)
  canvas.strokeStyle = colour('line')
  canvas.strokeRect(LEFT - 0.5, 0.5, width - 2 * LEFT + 1, height - BELOW)
  const [x, y] = axes
  const label = (text: string, at: number, top: number, align: CanvasTextAlign): void => {
    canvas.textAlign = align
    const room = canvas.measureText(text).width
    const left = align === 'left' ? at : align === 'right' ? at - room : at - room / 2
    canvas.fillStyle = colour('paper')
    canvas.fillRect(left - 2, top, room + 4, 15)
    canvas.fillStyle = colour('ink')
    canvas.fillText(text, at, top + 2)
  }
  canvas.textBaseline = 'top'
  const below = height - BELOW + 3
  for (const [i, [share, text]] of endsSeen(x, seen.x0, seen.x1).entries())
    label(text, LEFT + share * (width - 2 * LEFT), below, i === 0 ? 'left' : 'right')
  label(`${fieldName(x.name)} →`.slice(0, 60), width / 2, below, 'center')
  for (const [i, [share, text]] of endsSeen(y, seen.y0, seen.y1).entries())
    label(text, LEFT + 4, (1 - share) * (height - BELOW) + (i === 0 ? -18 : 4), 'left')
  label(`${fieldName(y.name)} ↑`.slice(0, 60), LEFT + 4, (height - BELOW) / 2, 'left')
}

/** The first and last value in sight, with how far along the axis they are, from 0 to 1; none beyond the domain. */
function endsSeen(axis: Axis, from: number, to: number): readonly (readonly [share: number, text: string])[] {
  const [low, high] = axis.ends()
  const [first, last] = [Math.max(from, low), Math.min(to, high)]
  if (first > last) return []
  // Of the whole domain of floats, the difference is infinite.
  const share = (place: number): number => (place === from ? 0 : place === to ? 1 : (place - from) / (to - from))
  return [
    [share(first), axis.text(first)],
    [share(last), axis.text(last, true)],
  ]
}
