import { useEffect, useMemo, useState } from 'preact/hooks'
import { sum } from '../../base/sum.ts'
import { rangesResult } from '../../calls/values.ts'
import { tileCellNum } from '../../cells/tile-places.ts'
import type { ArrayFragment } from '../../documents/array.ts'
import type { Dimension } from '../../format/dimension.ts'
import type { Fragment, FragmentInfo } from '../../objects/fragment.ts'
import { formatCount } from '../../render/units.ts'
import { heading } from '../../render/views/headings.ts'
import { counted, countText, fieldName, fullSizeText, NOTHING, rangeText } from '../../render/views/wording.ts'
import { Button, cutName, Select } from '../controls.tsx'
import { COLOURS, mousePlace, type Sheet } from '../drawing.tsx'
import { FragmentName } from '../fragment-name.tsx'
import type { Inspected } from '../inspected.ts'
import { changeLink, type Link, viewLink } from '../link.ts'
import { axisOf, fragmentAxis, type MapAxis } from '../map/axis.ts'
import {
  type AxisDimensions,
  addEnds,
  type BoxLevels,
  placeBoxes,
  type StoredBoxes,
  sidePlacer,
  storedBoxes,
} from '../map/boxes.ts'
import { type Drawn, isSeen, paint, type SeenMap, tilesAt } from '../map/paint.ts'
import { isLastTop, orientationOf } from '../orientation.ts'
import { bestPair } from '../picture/axis-role.ts'
import { namedRoles } from '../picture/chosen.ts'
import { listInLink } from '../range-list.ts'
import { writtenBounds } from '../raster.ts'
import { Surface } from '../surface.tsx'
import { type Column, fragmentColumn, numberColumn, Table, writtenColumn } from '../table.tsx'
import { Text } from '../text.tsx'
import { timeOptions, timeWords } from '../times.ts'
import { Shown, useLoaded, useWork } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'
import { yieldToBrowser } from '../yield-to-browser.ts'

/**
 * The places of fragments and their tiles in two dimensions. In the link, `d` has the numbers of the two dimensions, `c` the meaning
 * of colours, `b` the part in sight, and `q` the same part as a JSON list of ranges for the call.
 */
export const map: ViewParts = {
  call: ({ inspected, link }) => {
    const ranges = listInLink(link.q).flatMap((range) => ['--range', range])
    // The map has only the fragments that a reader opens.
    const now = inspected.target.type === 'array' ? ['--between', '0..'] : []
    return { words: ['tiles', ...ranges, ...(link.t === undefined ? now : timeWords(link))] }
  },
  Show: MapView,
}

interface MapFragment {
  listed: Pick<
    ArrayFragment,
    'name' | 'timestamp_range' | 'tile_num' | 'cells_in_domain' | 'size' | 'data_size' | 'nonempty_domain'
  >
  fragment: Fragment
  info: FragmentInfo
  /** Name of the first data file that is not empty. */
  file: string | undefined
}

interface Loaded {
  dimensions: readonly Dimension[]
  /** What the dimensions are, as in the picture of the cells. */
  roles: ReturnType<typeof namedRoles>
  fragments: readonly MapFragment[]
  /** Number of fragments without a box: their domain is not known. */
  unplaced: number
  /** The time of the link for which the fragments were loaded. */
  t: string | undefined
}

async function load(inspected: Inspected, link: Link): Promise<Loaded> {
  const listed = await inspected.document('ls', timeOptions(link))
  const { target } = inspected
  const found: { listed: MapFragment['listed']; fragment: Fragment }[] = []
  if (target.type === 'fragment' && listed.kind === 'fragment')
    found.push({ listed: listed as MapFragment['listed'], fragment: target.fragment })
  if (target.type === 'array' && listed.kind === 'array') {
    const entries = new Map((await target.array.fragments()).map((entry) => [entry.name, entry.path]))
    for (const one of listed.fragments) {
      const path = entries.get(one.name)
      if (path !== undefined && (one.state === 'live' || one.state === 'unlisted') && one.error === undefined)
        found.push({ listed: one, fragment: target.array.fragment(path) })
    }
  }
  const fragments: MapFragment[] = []
  for (const { listed, fragment } of found) {
    await yieldToBrowser()
    const info = await fragment.info()
    const files = await fragment.fieldFiles()
    await fragment.close()
    const file = files.find(({ size }) => size > 0)?.name
    if (info.nonempty_domain) fragments.push({ listed, fragment, info, file })
  }
  const schema = fragments[0]?.info.schema
  const dimensions = schema?.domain.dimensions ?? []
  const bounds = dimensions.map((_, d) => schema && writtenBounds({ schema, fragments }, d))
  return {
    dimensions,
    roles: schema ? namedRoles({ dimensions, attributes: schema.attributes, bounds }) : [],
    fragments,
    unplaced: found.length - fragments.length,
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
        found.fragments.length === 0 ? (
          <p>No fragment that is read has a box.</p>
        ) : (
          <MapOf {...{ inspected, link }} loaded={found} />
        )
      }
    />
  )
}

/** Upper limit on the boxes of tiles in memory. */
const MAX_TILES = 4_000_000
/** Upper limit on the fragments whose tiles are drawn. */
const MAX_OPEN = 300
/** Upper limit on the boxes in a picture while the user moves the map. */
const MOVING = 15_000
/** Upper limit on the boxes in a picture of a map that rests. */
const RESTING = 120_000
/** Milliseconds without a move after which the map rests. */
const REST = 200
const TILES_LISTED = 200
/** Upper limit on the tiles of a fragment whose sizes are read. In larger fragments, all tiles have the colour of the mean size. */
const MAX_SIZED = 20_000
/** In CSS pixels: margins at the left and right, space below for the axis, and height of the whole drawing. */
const [LEFT, BELOW, HEIGHT] = [8, 20, 420]

const MEANINGS = ['fragment', 'age', 'cells', 'bytes'] as const
type Meaning = (typeof MEANINGS)[number]

const LEGENDS: Record<Meaning, string> = {
  fragment: 'Each fragment has a colour; after seven they begin anew.',
  age: 'From yellow, the oldest fragment, to blue, the newest.',
  cells: 'From yellow, few cells in a tile, to blue, the most.',
  bytes: `From yellow, few stored bytes in a tile, to blue, the most; of fragments of more than ${formatCount(MAX_SIZED)} tiles, their mean.`,
}

/** A fragment on the chosen axes. Its boxes are missing until they are loaded. */
type PlacedFragment = Pick<Drawn, 'domain'> & { boxes?: BoxLevels }

/** The fragments on two axes. The boxes of their tiles are loaded one fragment after the other. */
interface Placed {
  loaded: Loaded
  axes: readonly [MapAxis, MapAxis]
  dims: AxisDimensions
  placed: readonly PlacedFragment[]
  /** The part of the map with all fragments. */
  full: SeenMap
  /** The same part with a margin. */
  whole: SeenMap
  /** Boxes that were read for text axes, by the index of the fragment. */
  stored: ReadonlyMap<number, StoredBoxes>
}

async function placeDomains(loaded: Loaded, dims: AxisDimensions): Promise<Placed> {
  const { dimensions, fragments } = loaded
  const axes = dims.map((d) => (d === undefined ? fragmentAxis(fragments.length) : axisOf(dimensions[d]))) as [
    MapAxis,
    MapAxis,
  ]
  const stored = new Map<number, StoredBoxes>()
  for (const [a, axis] of axes.entries()) {
    const d = dims[a]
    if (!axis.isText || d === undefined) continue
    const ends: Uint8Array[] = []
    for (const [i, one] of fragments.entries()) {
      const range = one.info.nonempty_domain?.[d]
      if (range) ends.push(range.min, range.max)
      if (i >= MAX_OPEN) continue
      const boxes = stored.get(i) ?? (await readBoxes(one))
      if (!boxes) continue
      stored.set(i, boxes)
      await addEnds(boxes, d, ends)
    }
    axis.setSteps(ends)
  }
  const full = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity }
  const placed = fragments.map(({ info }, row): PlacedFragment => {
    const domain = new Float64Array(4)
    if (info.nonempty_domain)
      for (const [a, axis] of axes.entries()) sidePlacer(axis, dims[a], row)(info.nonempty_domain, domain, 2 * a)
    full.x0 = Math.min(full.x0, domain[0])
    full.x1 = Math.max(full.x1, domain[1])
    full.y0 = Math.min(full.y0, domain[2])
    full.y1 = Math.max(full.y1, domain[3])
    return { domain }
  })
  return { loaded, axes, dims, placed, full, whole: padded(full, axes), stored }
}

/** The boxes of a fragment's tiles. Undefined if they cannot be read: the fragment is then drawn as one box. */
async function readBoxes({ fragment }: MapFragment): Promise<StoredBoxes | undefined> {
  try {
    return await storedBoxes(fragment)
  } catch {
    return undefined
  } finally {
    await fragment.close()
  }
}

/** Adds a margin that does not reach beyond the domain. */
function padded({ x0, x1, y0, y1 }: SeenMap, [x, y]: readonly [MapAxis, MapAxis]): SeenMap {
  const pad = (from: number, to: number, axis: MapAxis): readonly [number, number] => {
    const margin = (to - from || 1) * 0.02
    const [low, high] = axis.ends()
    const inside = [Math.max(from - margin, Math.min(from, low)), Math.min(to + margin, Math.max(to, high))] as const
    return inside[0] < inside[1] ? inside : [from - margin, to + margin]
  }
  const [left, right] = pad(x0, x1, x)
  const [low, high] = pad(y0, y1, y)
  return { x0: left, x1: right, y0: low, y1: high }
}

function MapOf({ inspected, link, loaded }: ViewProps & { loaded: Loaded }) {
  const { dimensions, fragments } = loaded
  const choices = [...dimensions.map(({ name }) => fieldName(name)), 'fragment']
  const dims = useMemo(() => dimsOf(link.d, loaded), [link.d, loaded])
  const meaning: Meaning = MEANINGS.find((one) => one === link.c) ?? 'fragment'
  const placed = useLoaded(() => placeDomains(loaded, dims), [loaded, dims])
  const choose = (axis: number, to: number) => {
    const next = dims.map((d) => d ?? dimensions.length)
    if (next[1 - axis] === to) next[1 - axis] = next[axis]
    next[axis] = to
    changeLink(link, { d: next.join('.'), b: undefined, q: undefined })
  }
  return (
    <>
      <div class="controls">
        {['Across:', 'Up:'].map((label, axis) => (
          <Select
            key={label}
            label={label}
            names={choices}
            at={dims[axis] ?? dimensions.length}
            choose={(d) => choose(axis, d)}
          />
        ))}
        <Select
          label="Colour:"
          names={MEANINGS}
          at={MEANINGS.indexOf(meaning)}
          choose={(i) => changeLink(link, { c: MEANINGS[i] })}
        />
      </div>
      <Shown
        of={placed}
        what="the boxes"
        show={(found) => (
          <Canvas {...{ inspected, link, meaning, placing: found }} key={`${found.dims} ${found.loaded.t}`} />
        )}
      />
      {loaded.unplaced > 0 && <p>{counted(loaded.unplaced, 'fragment')} without a box.</p>}
      {fragments.length > MAX_OPEN && <p>Tiles are drawn of {MAX_OPEN} fragments in sight at a time.</p>}
    </>
  )
}

/** The dimensions in `d` of the link; if it is no good, those that the picture of the cells has, and as they lie there. */
function dimsOf(text: string | undefined, { dimensions, roles, fragments }: Loaded): AxisDimensions {
  const count = dimensions.length
  const known = (d: number): number | undefined => (d >= 0 && d < count ? d : undefined)
  if (text !== undefined) {
    const [x, y] = text.split('.').map(Number).map(known)
    if (x !== y) return [x, y]
  }
  if (count < 2) return [0, undefined]
  const [first, second] = bestPair(
    roles,
    dimensions.map((one, d) => lengthOf(one, d, fragments)),
  )
  const facts = (d: number) => ({ dimension: dimensions[d].name, role: roles[d] })
  return orientationOf([facts(first), facts(second)]).across === 1 ? [second, first] : [first, second]
}

/** The written length of a dimension. Texts have none. */
function lengthOf(dimension: Dimension, d: number, fragments: Loaded['fragments']): number {
  const axis = axisOf(dimension)
  if (axis.isText) return 0
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { info } of fragments) {
    const range = info.nonempty_domain?.[d]
    if (!range) continue
    low = Math.min(low, axis.place(range.min, 0, range.min.length))
    high = Math.max(high, axis.place(range.max, 0, range.max.length))
  }
  return high - low
}

/** {@link isLastTop} of the axis that goes up; rows count from the top, fragments rise. */
function risesUp({ dimensions, roles }: Loaded, [, d]: AxisDimensions): boolean {
  if (d === undefined || axisOf(dimensions[d]).isText) return true
  return isLastTop({ role: roles[d] })
}

/** Ranges that select the tiles in sight. Dimensions that are in sight as a whole have no range. */
function rangesSeen(dimensions: readonly Dimension[], { axes, dims, full }: Placed, seen: SeenMap): readonly string[] {
  const ends = [
    [seen.x0, seen.x1, full.x0, full.x1],
    [seen.y0, seen.y1, full.y0, full.y1],
  ]
  return axes.flatMap((axis, a) => {
    const d = dims[a]
    const [from, to, first, last] = ends[a]
    // Places are edges of cells: a box ends one `unit` after the place of its last cell.
    const [low, high, most] = [Math.max(from - axis.unit, first), Math.min(to, last - axis.unit), last - axis.unit]
    if (d === undefined || (low <= first && high >= most) || low > high) return []
    const range = axis.range(low, high)
    return range === undefined ? [] : [`${dimensions[d].name}=${range}`]
  })
}

function seenText(seen: SeenMap, whole: SeenMap): string | undefined {
  const { x0, x1, y0, y1 } = seen
  return seen === whole ? undefined : [x0, x1, y0, y1].map((one) => Number(one.toPrecision(10))).join('_')
}

function seenOf(text: string | undefined, whole: SeenMap): SeenMap {
  const [x0, x1, y0, y1] = (text ?? '').split('_').map(Number)
  return x1 > x0 && y1 > y0 ? { x0, x1, y0, y1 } : whole
}

/** A tile under the mouse; without `tile`, a whole fragment. */
interface Tile {
  /** Index of the fragment. */
  fragment: number
  tile: number | undefined
}

/** The last click. Another click at the same place chooses the next tile. */
interface Pinned {
  /** All tiles at the place. */
  tiles: readonly Tile[]
  /** Index of the chosen one. */
  at: number
  place: readonly [x: number, y: number]
}

/** Distance in CSS pixels up to which two clicks are at the same place. */
const SAME = 4

/** The part in sight, which moves at once, and where it last rested. The link has the latter. */
function useSeen(link: Link, dimensions: readonly Dimension[], placing: Placed) {
  const { whole } = placing
  const [seen, setSeen] = useState(() => seenOf(link.b, whole))
  const [rested, setRested] = useState(seen)
  useEffect(() => {
    if (seen === rested) return
    const timer = setTimeout(() => {
      setRested(seen)
      const ranges = rangesSeen(dimensions, placing, seen)
      changeLink(link, { b: seenText(seen, whole), q: ranges.length > 0 ? JSON.stringify(ranges) : '' }, true)
    }, REST)
    return () => clearTimeout(timer)
  }, [seen, rested])

  // "Back" and typing change the link, too.
  useEffect(() => {
    if (link.b === seenText(rested, whole)) return
    const next = seenOf(link.b, whole)
    setSeen(next)
    setRested(next)
  }, [link.b])

  /** Makes the part in sight larger by a factor around a point, given as shares of its width and height. */
  const zoom = (factor: number, [ax, ay]: readonly [number, number] = [0.5, 0.5]): void => {
    const [w, h] = [(seen.x1 - seen.x0) * factor, (seen.y1 - seen.y0) * factor]
    const [x, y] = placeIn(seen, ax, ay)
    // Zooming in ends where doubles cannot tell places apart.
    if (w < Math.abs(x) * 1e-13 || h < Math.abs(y) * 1e-13 || w > (whole.x1 - whole.x0) * 50) return
    setSeen({ x0: x - w * ax, x1: x + w * (1 - ax), y0: y - h * ay, y1: y + h * (1 - ay) })
  }
  /** Moves the part in sight by shares of its width and height. */
  const move = (dx: number, dy: number): void => {
    const [x, y] = [(seen.x1 - seen.x0) * dx, (seen.y1 - seen.y0) * dy]
    setSeen({ x0: seen.x0 + x, x1: seen.x1 + x, y0: seen.y0 + y, y1: seen.y1 + y })
  }
  return { seen, rested, zoom, move, showAll: () => setSeen(whole) }
}

/** The place in a part of the map at shares of its width and height. */
function placeIn({ x0, x1, y0, y1 }: SeenMap, ax: number, ay: number): [x: number, y: number] {
  return [x0 + (x1 - x0) * ax, y0 + (y1 - y0) * ay]
}

/** Boxes of the fragments in sight and, if they decide the colours, sizes of tiles. Both are loaded one fragment after the other. */
function useBoxes(inspected: Inspected, placing: Placed, meaning: Meaning, rested: SeenMap) {
  const { loaded, axes, placed } = placing
  const { fragments } = loaded
  const [loads, setLoads] = useState(0)
  const [stored] = useState(() => new Map(placing.stored))
  const [sizes] = useState(() => new Map<number, Float64Array>())
  useWork(
    async (isWanted) => {
      let tiles = sum(placed, ({ boxes }) => boxes?.levels.at(-1)?.count ?? 0)
      let opened = 0
      for (const [i, one] of placed.entries()) {
        if (!isWanted()) return
        if (one.boxes) opened++
        if (one.boxes || !isSeen(one.domain, 0, rested)) continue
        tiles += fragments[i].info.tile_num
        if (++opened > MAX_OPEN || (tiles > MAX_TILES && opened > 1)) break
        const found = stored.get(i) ?? (await readBoxes(fragments[i]))
        if (!found) continue
        stored.set(i, found)
        one.boxes = await placeBoxes(found, axes, placing.dims, i)
        if (isWanted()) setLoads((times) => times + 1)
      }
    },
    [rested, placing],
  )

  useWork(
    async (isWanted) => {
      if (meaning !== 'bytes') return
      for (const [i, { fragment, info }] of fragments.entries()) {
        if (!isWanted()) return
        if (sizes.has(i) || info.tile_num > MAX_SIZED || !placed[i].boxes) continue
        sizes.set(i, await tileSizes(inspected, fragment).catch(() => new Float64Array(0)))
        if (isWanted()) setLoads((times) => times + 1)
      }
    },
    [meaning, loads],
  )
  return { loads, stored, sizes }
}

/** The tiles at a place of the map, the last written first. @param most number of tiles after which no further fragment is searched */
function tilesOf(placed: readonly PlacedFragment[], [x, y]: readonly [number, number], most: number): readonly Tile[] {
  const found: Tile[] = []
  for (let i = placed.length - 1; i >= 0 && found.length < most; i--) {
    const { domain, boxes } = placed[i]
    if (!isSeen(domain, 0, { x0: x, x1: x, y0: y, y1: y })) continue
    for (const tile of boxes ? tilesAt(boxes, x, y) : [undefined]) found.push({ fragment: i, tile })
  }
  return found
}

/** Place of the mouse from the left and from where the axis that goes up begins, as shares of width and height. */
function shareOf(event: MouseEvent, rises: boolean): [number, number] {
  const [x, y] = mousePlace(event)
  const width = (event.currentTarget as Element).clientWidth - 2 * LEFT
  const down = y / (HEIGHT - BELOW)
  return [(x - LEFT) / width, rises ? 1 - down : down]
}

/** What a click at a place pins: the next tile there if the last click was there, too. */
function pinnedBy(pinned: Pinned | undefined, tiles: readonly Tile[], place: Pinned['place']): Pinned | undefined {
  if (tiles.length === 0) return undefined
  const isSame =
    pinned?.tiles.length === tiles.length && pinned.place.every((from, a) => Math.abs(from - place[a]) <= SAME)
  return isSame ? { ...pinned, at: (pinned.at + 1) % tiles.length } : { tiles, at: 0, place }
}

function Canvas({ inspected, link, meaning, placing }: ViewProps & { meaning: Meaning; placing: Placed }) {
  const { loaded, placed } = placing
  const { fragments, dimensions } = loaded
  const rises = risesUp(loaded, placing.dims)
  const { seen, rested, zoom, move, showAll } = useSeen(link, dimensions, placing)
  const { loads, stored, sizes } = useBoxes(inspected, placing, meaning, rested)
  const [over, setOver] = useState<Tile | undefined>(undefined)
  const [pinned, setPinned] = useState<Pinned | undefined>(undefined)

  const draw = (sheet: Sheet): void => {
    const colourOf = boxColours(sheet, meaning, fragments, sizes)
    const drawn = placed.map(
      ({ domain, boxes }, i): Drawn => ({ domain, boxes, colour: (level, index) => colourOf(i, boxes, level, index) }),
    )
    drawMap(sheet, { drawn, seen, placing, rises, most: seen === rested ? RESTING : MOVING })
  }
  const tilesUnder = (event: MouseEvent, most: number): readonly Tile[] =>
    tilesOf(placed, placeIn(seen, ...shareOf(event, rises)), most)
  const keys = () => ({
    ArrowLeft: () => move(-0.15, 0),
    ArrowRight: () => move(0.15, 0),
    ArrowUp: () => move(0, rises ? 0.15 : -0.15),
    ArrowDown: () => move(0, rises ? -0.15 : 0.15),
    '+': () => zoom(0.7),
    '=': () => zoom(0.7),
    '-': () => zoom(1 / 0.7),
    '0': showAll,
  })
  const pointedAt = pinned ? pinned.tiles[pinned.at] : over
  const tables = useMemo(
    () => (
      <>
        <Table
          caption="Fragments in the map"
          columns={fragmentColumns(dimensions, placing.dims)}
          rows={fragments.map(({ listed }) => listed)}
          keyOf={({ name }) => name}
        />
        <Tiles {...{ loaded, placed, stored, link, seen: rested }} />
      </>
    ),
    [fragments, loads, rested, link.t],
  )
  return (
    <>
      <div class="controls">
        <Button onClick={() => zoom(0.5)}>Nearer</Button>
        <Button onClick={() => zoom(2)}>Farther</Button>
        <Button onClick={showAll}>All</Button>
        <span>Drag or arrow keys move, the wheel or + and - zoom, 0 shows all.</span>
      </div>
      <Surface
        label={`Map of ${counted(fragments.length, 'fragment')}. Arrow keys move, plus and minus zoom, 0 shows all. The tables below have the same.`}
        height={HEIGHT}
        draw={draw}
        keys={keys}
        pointOf={(event) => shareOf(event, rises)}
        drag={(from, to) => move(from[0] - to[0], from[1] - to[1])}
        over={(event) => setOver(tilesUnder(event, 1)[0])}
        zoomAt={(factor, event) => zoom(factor, shareOf(event, rises))}
        onMouseLeave={() => setOver(undefined)}
        onClick={(event) => setPinned(pinnedBy(pinned, tilesUnder(event, Infinity), mousePlace(event)))}
      />
      <p class="under" role="status">
        {pointedAt ? (
          <PointedAt {...{ loaded, stored, link, pointedAt }} />
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

interface TileProps {
  loaded: Loaded
  /** Boxes that were read so far, by the index of the fragment. */
  stored: ReadonlyMap<number, StoredBoxes>
  link: Link
}

/** A fragment or tile in words, with a link to its bytes. */
function PointedAt({ loaded, stored, link, pointedAt }: TileProps & { pointedAt: Tile }) {
  const { fragment, tile } = pointedAt
  const { listed, info } = loaded.fragments[fragment]
  const box = tile === undefined ? undefined : stored.get(fragment)?.at(tile)
  const ranges = box ? rangesResult(loaded.dimensions, box, { raw: false }) : listed.nonempty_domain
  return (
    <>
      <FragmentName name={listed.name} />
      {tile !== undefined && (
        <>
          , <TileLink {...{ link, tile }} of={loaded.fragments[fragment]} />, {counted(tileCellNum(info, tile), 'cell')}
        </>
      )}
      : <Text>{boxText(loaded.dimensions, ranges)}</Text>
    </>
  )
}

function boxText(dimensions: readonly Dimension[], ranges: ArrayFragment['nonempty_domain']): string {
  return ranges?.map((range, d) => `${fieldName(dimensions[d].name)} ${rangeText(range)}`).join(', ') ?? NOTHING
}

/** A link to the bytes of a tile in the fragment's first data file. */
function TileLink({ of: { fragment, file }, link, tile }: { of: MapFragment; link: Link; tile: number }) {
  if (file === undefined) return <>tile {tile}</>
  const array = fragment.array?.folder.path
  const folder = array === undefined ? '' : `${fragment.folder.path.slice(array.length + 1)}/`
  return <a href={viewLink(link, 'files', { p: `${folder}${file}`, n: `tiles.${tile}` })}>tile {tile}</a>
}

/** A table of the first tiles in sight. */
function Tiles(props: TileProps & { placed: readonly PlacedFragment[]; seen: SeenMap }) {
  const { loaded, placed, stored, link, seen } = props
  const { dimensions, fragments } = loaded
  const rows: { of: MapFragment; tile: number; box: string }[] = []
  for (const [i, { domain, boxes }] of placed.entries()) {
    if (rows.length >= TILES_LISTED || !boxes || !isSeen(domain, 0, seen)) continue
    const { places, count } = boxes.levels.at(-1) ?? { places: new Float64Array(0), count: 0 }
    for (let tile = 0; tile < count && rows.length < TILES_LISTED; tile++) {
      const box = isSeen(places, tile, seen) ? stored.get(i)?.at(tile) : undefined
      if (!box) continue
      rows.push({ of: fragments[i], tile, box: boxText(dimensions, rangesResult(dimensions, box, { raw: false })) })
    }
  }
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { title: 'fragment', show: ({ of }) => <FragmentName name={of.listed.name} /> },
    { title: 'tile', show: ({ of, tile }) => <TileLink {...{ of, link, tile }} /> },
    { title: heading('cell_num'), isNumber: true, show: ({ of, tile }) => countText(tileCellNum(of.info, tile)) },
    { title: 'box', show: ({ box }) => <Text>{box}</Text> },
  ]
  const caption = rows.length < TILES_LISTED ? 'Tiles in sight' : `The first ${TILES_LISTED} tiles in sight`
  return <Table caption={caption} columns={columns} rows={rows} keyOf={({ of, tile }) => `${of.listed.name} ${tile}`} />
}

function fragmentColumns(
  dimensions: readonly Dimension[],
  dims: AxisDimensions,
): readonly Column<MapFragment['listed']>[] {
  return [
    fragmentColumn(true),
    writtenColumn(),
    ...dims
      .filter((d) => d !== undefined)
      .map(
        (d): Column<MapFragment['listed']> => ({
          title: cutName(fieldName(dimensions[d].name)),
          show: ({ nonempty_domain }) => <Text>{nonempty_domain ? rangeText(nonempty_domain[d]) : NOTHING}</Text>,
        }),
      ),
    numberColumn(heading('tile_num'), ({ tile_num }) => tile_num),
    numberColumn(heading('cells_in_domain'), ({ cells_in_domain }) => cells_in_domain),
    numberColumn('size', ({ size }) => size, fullSizeText),
  ]
}

/** Stored bytes of each tile, added up from the document of `tiles`. */
async function tileSizes(inspected: Inspected, fragment: Fragment): Promise<Float64Array> {
  const { tiles } = await inspected.document('tiles', {}, fragment.folder.path)
  return Float64Array.from(tiles, ({ fields }) =>
    sum(fields, ({ size, var_size = 0, validity_size = 0 }) => size + var_size + validity_size),
  )
}

/** The function that gives the colour of a box: that of its fragment, or one between light and dark. */
function boxColours(
  { colour }: Sheet,
  meaning: Meaning,
  fragments: readonly MapFragment[],
  sizes: ReadonlyMap<number, Float64Array>,
): (fragment: number, boxes: BoxLevels | undefined, level: number, index: number) => number {
  if (meaning === 'fragment') {
    const all = COLOURS.map((name) => pixel(rgb(colour(name))))
    return (fragment) => all[fragment % all.length]
  }
  const [light, dark] = [rgb(colour('c7')), rgb(colour('c1'))]
  const ramp = Array.from({ length: 64 }, (_, i) =>
    pixel(light.map((from, part) => from + ((dark[part] - from) * i) / 63) as [number, number, number]),
  )
  const at = (share: number): number => ramp[Math.max(0, Math.min(63, Math.round(share * 63)))]
  if (meaning === 'age') return (fragment) => at(fragments.length < 2 ? 1 : fragment / (fragments.length - 1))
  const mean = fragments.map(({ info, listed }) =>
    meaning === 'cells' ? info.cells_per_tile : (listed.data_size ?? listed.size) / Math.max(1, info.tile_num),
  )
  const of = (fragment: number, tile: number): number =>
    meaning === 'cells' ? tileCellNum(fragments[fragment].info, tile) : (sizes.get(fragment)?.[tile] ?? mean[fragment])
  const most = mean.reduce(
    (all, one, i) => sizes.get(i)?.reduce((a, b) => Math.max(a, b), all) ?? Math.max(all, one),
    0,
  )
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

/** A colour as the value of a pixel. Its bytes are those of little-endian machines; no browser runs on others. */
function pixel([red, green, blue]: readonly [number, number, number]): number {
  return ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0
}

function drawMap(
  { canvas, width, height, ratio, colour }: Sheet,
  what: { drawn: readonly Drawn[]; seen: SeenMap; placing: Placed; rises: boolean; most: number },
): void {
  const { drawn, seen, rises, most } = what
  const { axes, full } = what.placing
  const size = [Math.max(1, Math.round((width - 2 * LEFT) * ratio)), Math.round((height - BELOW) * ratio)] as const
  const image = canvas.createImageData(...size)
  const pixels = new Uint32Array(image.data.buffer)
  pixels.fill(pixel(rgb(colour('paper'))))
  paint(pixels, size, drawn, seen, most)
  if (!rises) turnOver(pixels, size[0])
  canvas.putImageData(image, LEFT * ratio, 0)
  canvas.strokeStyle = colour('line')
  canvas.strokeRect(LEFT - 0.5, 0.5, width - 2 * LEFT + 1, height - BELOW)
  const [x, y] = axes
  const label = (text: string, at: number, top: number, align: CanvasTextAlign): void => {
    canvas.textAlign = align
    const room = canvas.measureText(text).width
    const before: Partial<Record<CanvasTextAlign, number>> = { left: 0, center: room / 2, right: room }
    const left = at - (before[align] ?? 0)
    canvas.fillStyle = colour('paper')
    canvas.fillRect(left - 2, top, room + 4, 15)
    canvas.fillStyle = colour('ink')
    canvas.fillText(text, at, top + 2)
  }
  canvas.textBaseline = 'top'
  const below = height - BELOW + 3
  const mark = (left: number, top: number, wide: number, high: number): void => {
    canvas.fillStyle = colour('ink')
    canvas.fillRect(left, top, wide, high)
  }
  for (const [i, [share, text]] of endsSeen(x, [seen.x0, seen.x1], [full.x0, full.x1]).entries()) {
    const at = LEFT + share * (width - 2 * LEFT)
    label(text, at, below, i === 0 ? 'left' : 'right')
    mark(at - i, height - BELOW, 1, 5)
  }
  label(cutName(`${fieldName(x.name)} →`), width / 2, below, 'center')
  for (const [i, [share, text]] of endsSeen(y, [seen.y0, seen.y1], [full.y0, full.y1]).entries()) {
    const at = (rises ? 1 - share : share) * (height - BELOW)
    label(text, LEFT + 7, at + ((i === 0) === rises ? -16 : 1), 'left')
    mark(LEFT, at - Number((i === 0) === rises), 5, 1)
  }
  label(cutName(`${fieldName(y.name)} ${rises ? '↑' : '↓'}`), LEFT + 4, (height - BELOW) / 2, 'left')
}

/** Exchanges top and bottom. */
function turnOver(pixels: Uint32Array, width: number): void {
  const rows = pixels.length / width
  for (let row = 0; row < rows >> 1; row++) {
    const [top, bottom] = [row * width, (rows - 1 - row) * width]
    const kept = pixels.slice(top, top + width)
    pixels.copyWithin(top, bottom, bottom + width)
    pixels.set(kept, bottom)
  }
}

/** Two places. */
type Ends = readonly [low: number, high: number]

/**
 * The first and the last value of the boxes that are in sight, each with its place on the axis from 0 to 1: the margin around the boxes
 * has no values. Empty if no box is in sight.
 */
function endsSeen(
  axis: MapAxis,
  [from, to]: Ends,
  [low, high]: Ends,
): readonly (readonly [share: number, text: string])[] {
  const [first, last] = [Math.max(from, low), Math.min(to, high)]
  if (first > last) return []
  // `to - from` may be infinite for the whole domain of floats.
  const share = (place: number): number => {
    if (place === from) return 0
    return place === to ? 1 : (place - from) / (to - from)
  }
  return [
    [share(first), axis.text(first)],
    [share(last), axis.text(last, true)],
  ]
}
