import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { faultOf, unlessFault } from '../../base/errors.ts'
import { rising } from '../../base/rising.ts'
import type { ArrayFragment } from '../../documents/array.ts'
import type { TimestampRange } from '../../documents/common.ts'
import { nameFacts, timeText } from '../../format/timestamped-name.ts'
import { type InspectArray, METADATA_FOLDER } from '../../objects/array.ts'
import type { DeletePlace } from '../../objects/deletes.ts'
import { heading } from '../../render/views/headings.ts'
import { counted, fullSizeText, NOTHING, shortSizeText, stateText, timeRangeText } from '../../render/views/wording.ts'
import { Button, Form, formText, Radios } from '../controls.tsx'
import { allDeletes, conditionWords, DeleteCondition, learnCondition } from '../deletes.tsx'
import { Drawing, mousePlace, type Sheet } from '../drawing.tsx'
import { FragmentName, PathName } from '../fragment-name.tsx'
import type { Inspected } from '../inspected.ts'
import { changeLink, type Link, linkText, viewLink } from '../link.ts'
import { Metadata } from '../metadata.tsx'
import { StateLines } from '../state-lines.tsx'
import { type Column, fragmentColumn, numberColumn, Table, writtenColumn } from '../table.tsx'
import { Text } from '../text.tsx'
import { linkTime, parseTypedTime, timeOptions, timeWords } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { ViewParts, ViewProps } from '../view.ts'

/**
 * The times at which fragments, deletes and key-value metadata were written to an array. `x` of the link is `time`, or `order` for
 * equal distances from each time to the next.
 */
export const timeline: ViewParts = {
  call: ({ link }) => ({ words: ['ls', ...timeWords(link)] }),
  Show: Timeline,
}

/** States in the order of the lanes, each with its colour. */
const STATES = [
  ['live', 'c3'],
  ['unlisted', 'c6'],
  ['to-vacuum', 'c5'],
  ['hidden', 'c2'],
  ['ignored', 'c4'],
  ['uncommitted', 'c2'],
  ['no-metadata', 'c2'],
  ['future', 'dim'],
  ['past', 'dim'],
  // Not fragments:
  ['deletes', 'c1'],
  ['deletes later', 'dim'],
  ['metadata', 'c4'],
  ['metadata later', 'dim'],
] as const

/** A mark in the drawing: a fragment, a delete condition or a file of key-value metadata. */
interface Item {
  name: string
  state: string
  timestamp_range: TimestampRange | null
  /** Text below the drawing while the mouse is on the mark. */
  words: string
  /** The place of a delete condition. */
  place?: DeletePlace
}

/** In CSS pixels: width of the labels at the left, margin at the right, height of the axis above. */
const [LABELS, RIGHT, AXIS] = [130, 12, 22]
/** Height of a row in CSS pixels: in lanes with up to {@link FEW_ROWS} rows, and in others. */
const [THICK, THIN] = [14, 6]
const FEW_ROWS = 3
const MAX_ROWS = 12
/** Rows are counted for this width in CSS pixels, so that the height of the drawing does not depend on the real width. */
const USUAL_ROOM = 800
/** Least width of a mark in CSS pixels. */
const MIN_WIDTH = 4

function Timeline({ inspected, link }: ViewProps) {
  const loaded = useLoaded(async () => {
    const listed = await inspected.document('ls', timeOptions(link))
    const { target } = inspected
    if (listed.kind !== 'array' || target.type !== 'array') return undefined
    const { array } = target
    const at = linkTime(link) ?? array.cx.now
    const deletes = await deleteItems(array, at)
    const items = [...listed.fragments.map(fragmentItem), ...deletes, ...(await metadataItems(array, at))]
    return { array, listed, deletes, items }
  }, [inspected, link.t])
  return (
    <Shown
      of={loaded}
      what="the fragments"
      show={(found) =>
        found && (
          <>
            <Drawn
              {...{ inspected, array: found.array, fragments: found.listed.fragments, items: found.items, link }}
            />
            {found.deletes.length > 0 && (
              <Table
                caption="Deletes in time"
                columns={deleteColumns(found.array, link)}
                rows={found.deletes}
                keyOf={({ name }) => name}
              />
            )}
            <Metadata {...{ inspected, link }} isAll />
            <StateLines listed={found.listed} />
          </>
        )
      }
    />
  )
}

function fragmentItem(one: ArrayFragment): Item {
  const { name, state, timestamp_range, size } = one
  return {
    name,
    state: state ?? '',
    timestamp_range,
    words: `${stateText(one)}, ${timeRangeText(timestamp_range)}, ${fullSizeText(size)}`,
  }
}

/** The mark of deletes or metadata. @param at time of the link in milliseconds */
function otherItem(kind: 'deletes' | 'metadata', name: string, range: TimestampRange, at: bigint): Item {
  const isLater = range[1] > at
  const what = kind === 'deletes' ? 'delete condition' : 'key-value metadata'
  return {
    name,
    state: isLater ? `${kind} later` : kind,
    timestamp_range: range,
    words: `${what}, ${timeRangeText(range)}`,
  }
}

async function deleteItems(array: InspectArray, at: bigint): Promise<Item[]> {
  const all = await allDeletes(array)
  return all.map((place) => ({ ...otherItem('deletes', place.name, [place.time, place.end], at), place }))
}

/** Marks of the metadata files. Only their names are read, as there may be thousands. */
async function metadataItems(array: InspectArray, at: bigint): Promise<Item[]> {
  const entries = (await array.folder.folder(METADATA_FOLDER).listIfThere().catch(unlessFault)) ?? []
  return entries.flatMap(({ name }) => {
    const range = name.endsWith('.vac') ? undefined : nameFacts(name)?.timestamp_range
    return range ? [otherItem('metadata', name, range, at)] : []
  })
}

const deleteColumns = (array: InspectArray, link: Link): readonly Column<Item>[] => [
  {
    title: 'condition',
    show: ({ place }) => place && <DeleteCondition {...{ array, place, link }} />,
    words: ({ place }) => (place ? conditionWords(place) : ''),
    learn: async ({ place }) => place && learnCondition(array, place),
  },
  writtenColumn(),
  {
    title: 'state',
    show: ({ state }) => (state === 'deletes' ? 'applied by reads' : <span class="dim">later</span>),
    by: ({ state }) => state,
  },
  {
    title: 'file',
    show: ({ place }) =>
      place && (
        <a href={viewLink(link, 'files', { p: place.path })}>
          <PathName path={place.path} />
        </a>
      ),
  },
  travelColumn(link),
]

/** A mark with its place in a lane. */
interface Placed {
  item: Item
  row: number
  /** Left and right end in CSS pixels. */
  from: number
  to: number
}

interface DrawnProps {
  inspected: Inspected
  array: InspectArray
  fragments: readonly ArrayFragment[]
  items: readonly Item[]
  link: Link
}

const SCALES = [
  ['time', 'time'],
  ['order', 'order of times'],
] as const

function Drawn({ inspected, array, fragments, items, link }: DrawnProps) {
  const [hovered, setHovered] = useState<Item | undefined>(undefined)
  const [clicked, setClicked] = useState<string | undefined>(undefined)
  // A click loads the items again, as of another time. The name finds the clicked one among them.
  const over = hovered ?? items.find(({ name }) => name === clicked)
  const stops = useMemo(() => distinct(items.map(({ timestamp_range }) => timestamp_range?.[1])), [items])
  const isOrder = useMemo(() => (link.x ? link.x === 'order' : areCrowded(items)), [items, link.x])
  const scale = useMemo(() => scaleOf(items, isOrder), [items, isOrder])
  const { lanes, height } = useMemo(() => lanesOf(items, scale), [items, scale])
  const time = linkTime(link)
  const placed = useRef<{ width: number; lanes: readonly Lane[]; list: readonly PlacedInLane[] }>({
    width: 0,
    lanes: [],
    list: [],
  })

  const draw = (sheet: Sheet): void => {
    const { width } = sheet
    if (placed.current.width !== width || placed.current.lanes !== lanes)
      placed.current = { width, lanes, list: placeItems(lanes, scale, width) }
    drawTimeline(sheet, { placed: placed.current.list, lanes, scale, time, over })
  }
  const hit = (event: MouseEvent): Item | undefined => {
    const [x, y] = mousePlace(event)
    return placed.current.list.findLast(({ from, to, row, lane: { top, thick } }) => {
      return x >= from - 1 && x <= to + 1 && y >= top + row * thick && y < top + (row + 1) * thick
    })?.item
  }
  const travel = (to: number | bigint | undefined): void => changeLink(link, { t: to?.toString() })
  // A table is slow to make, and each move of the mouse draws this component again.
  const table = useMemo(
    () => (
      <Table
        caption="Fragments in time"
        columns={columnsOf(inspected, link)}
        rows={fragments}
        keyOf={({ name }) => name}
      />
    ),
    [fragments, inspected, link],
  )
  return (
    <>
      <Travel stops={stops} time={time} travel={travel} />
      <Radios
        legend="Across"
        name="scale"
        values={SCALES}
        chosen={isOrder ? 'order' : 'time'}
        choose={(x) => changeLink(link, { x })}
      />
      <Drawing
        label={`${counted(fragments.length, 'fragment')} in time, by state, and when deletes and metadata were written. The tables below say the same.`}
        height={height}
        draw={draw}
        onMouseMove={(event) => setHovered(hit(event))}
        onMouseLeave={() => setHovered(undefined)}
        onClick={(event) => {
          const item = hit(event)
          setClicked(item?.name)
          const last = item?.timestamp_range?.[1]
          if (last !== undefined) travel(last)
        }}
      />
      <p class="under">
        {over ? (
          <>
            <FragmentName name={over.name} isTimed />: {over.words}
            {over.place && (
              <>
                : <DeleteCondition array={array} place={over.place} />
              </>
            )}
          </>
        ) : (
          'A click on a mark shows the array as of its last time, in all views. The slider above stops at the same times, and the tables below list the same marks.'
        )}
      </p>
      {table}
    </>
  )
}

/** When the slider has rested for this long, the array is read as of its time. */
const REST_MS = 150

/** A slider over the last times of all items, and now. @param stops those times, rising */
function Travel(props: {
  stops: readonly bigint[]
  time: bigint | undefined
  travel(to: number | bigint | undefined): void
}) {
  const { stops, time, travel } = props
  const now = stops.length
  const at = time === undefined ? now : stops.findLastIndex((stop) => stop <= time)
  const [moved, setMoved] = useState<number | undefined>(undefined)
  const shown = moved ?? at
  useEffect(() => {
    if (moved === undefined) return
    const timer = setTimeout(() => {
      setMoved(undefined)
      if (moved !== at) travel(moved === now ? undefined : stops[moved])
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [moved])
  const text = shown === now ? 'now' : timeText(moved === undefined ? (time ?? stops[shown]) : stops[shown])
  const step = (by: number) => setMoved(Math.max(0, Math.min(now, shown + by)))
  return (
    <div class="controls">
      <Button onClick={() => step(-1)} disabled={shown <= 0}>
        Earlier
      </Button>
      <label for="travel">As of</label>
      <input
        id="travel"
        type="range"
        min={0}
        max={now}
        value={Math.max(0, shown)}
        aria-valuetext={text}
        onInput={(event) => setMoved(Number(event.currentTarget.value))}
      />
      <Button onClick={() => step(1)} disabled={shown >= now}>
        Later
      </Button>
      <output for="travel">{text}</output>
      <TypedTime travel={travel} />
    </div>
  )
}

/** A text field for any time. */
function TypedTime({ travel }: { travel(to: bigint): void }) {
  const [wrong, setWrong] = useState<string | undefined>(undefined)
  const travelToTyped = (values: FormData): void => {
    try {
      const time = parseTypedTime(formText(values, 'time'))
      setWrong(undefined)
      travel(time)
    } catch (error) {
      setWrong(faultOf(error).message)
    }
  }
  return (
    <Form use={travelToTyped}>
      <label>
        or at{' '}
        <input name="time" required placeholder="2024-05-01T10:00 or ms" aria-describedby={wrong && 'wrong-time'} />
      </label>{' '}
      <button type="submit">Go</button>
      {wrong && (
        <p id="wrong-time" class="fault" role="alert">
          <Text>{wrong}</Text>
        </p>
      )}
    </Form>
  )
}

/** The different times in rising order. As bigints, because the far future has no exact numbers. */
function distinct(stamps: readonly (number | bigint | undefined)[]): bigint[] {
  const exact = stamps.flatMap((stamp) => (stamp === undefined ? [] : BigInt(stamp)))
  return [...new Set(exact)].sort(rising)
}

/** Whether most times would stand close together: 80 % of them within a tenth of the width. */
function areCrowded(items: readonly Item[]): boolean {
  const all = distinct(items.map(({ timestamp_range }) => timestamp_range?.[1])).map(Number)
  const tenth = ((all.at(-1) ?? 0) - (all[0] ?? 0)) / 10
  const many = Math.ceil(all.length * 0.8)
  return all.length > 4 && all.some((stamp, i) => all[i + many - 1] - stamp <= tenth)
}

interface Scale {
  /** The place of a time, from 0 to 1. */
  at(stamp: number): number
  /** Times that the axis shows as text. */
  ends: readonly number[]
}

function scaleOf(items: readonly Item[], isOrder: boolean): Scale {
  const all = distinct(items.flatMap(({ timestamp_range }) => timestamp_range ?? [])).map(Number)
  const [first, last] = [all[0] ?? 0, all.at(-1) ?? 0]
  if (first === last) return { at: () => 0.5, ends: [first] }
  const ranks = new Map(all.map((stamp, rank) => [stamp, rank / (all.length - 1)]))
  const linear = (stamp: number): number => (stamp - first) / (last - first)
  const rank = (stamp: number): number => {
    const below = all.findLastIndex((one) => one <= stamp)
    return ranks.get(stamp) ?? Math.max(0, below) / (all.length - 1)
  }
  return { at: (stamp) => Math.max(0, Math.min(1, isOrder ? rank(stamp) : linear(stamp))), ends: [first, last] }
}

interface Lane {
  state: string
  colour: string
  items: readonly Item[]
  top: number
  rows: number
  /** Height of a row in CSS pixels. */
  thick: number
}

type PlacedInLane = Placed & { lane: Lane }

/** A lane for each state that items have, with as many rows as its items need. */
function lanesOf(items: readonly Item[], scale: Scale): { lanes: Lane[]; height: number } {
  const lanes: Lane[] = []
  let top = AXIS
  for (const [state, colour] of STATES) {
    const laneItems = items.filter((one) => one.state === state)
    if (laneItems.length === 0) continue
    const rows = Math.max(1, ...packRows(laneItems, scale, USUAL_ROOM, MAX_ROWS).map(({ row }) => row + 1))
    const thick = rows <= FEW_ROWS ? THICK : THIN
    lanes.push({ state, colour, items: laneItems, top, rows, thick })
    top += Math.max(rows * thick, THICK) + 8
  }
  return { lanes, height: top + 4 }
}

/**
 * Gives each item a row that is free at its place. If none is free, items cover each other.
 * @param room width for all times in CSS pixels
 * @param most upper limit on the rows
 */
function packRows(items: readonly Item[], scale: Scale, room: number, most: number): Placed[] {
  const ends: number[] = []
  let turn = 0
  const nextRow = (): number => (ends.length < most ? ends.length : turn++ % most)
  return items.flatMap((item) => {
    if (item.timestamp_range === null) return []
    const [first, last] = item.timestamp_range.map((stamp) => room * scale.at(Number(stamp)))
    const from = first - 1
    const to = Math.max(from + MIN_WIDTH, last + 1)
    const free = ends.findIndex((end) => end < from)
    const row = free >= 0 ? free : nextRow()
    ends[row] = Math.max(ends[row] ?? 0, to)
    return [{ item, row, from, to }]
  })
}

const roomOf = (width: number): number => Math.max(10, width - LABELS - RIGHT)

function placeItems(lanes: readonly Lane[], scale: Scale, width: number): PlacedInLane[] {
  return lanes.flatMap((lane) =>
    packRows(lane.items, scale, roomOf(width), lane.rows).map(({ item, row, from, to }) => ({
      item,
      lane,
      row,
      from: LABELS + from,
      to: LABELS + to,
    })),
  )
}

function drawTimeline(
  { canvas, width, height, colour }: Sheet,
  what: {
    placed: readonly PlacedInLane[]
    lanes: readonly Lane[]
    scale: Scale
    time: bigint | undefined
    over: Item | undefined
  },
): void {
  const { placed, lanes, scale, time, over } = what
  canvas.textBaseline = 'top'
  for (const { state, items, top, rows, thick } of lanes) {
    canvas.fillStyle = colour('shade')
    canvas.fillRect(0, top - 3, width, Math.max(rows * thick, THICK) + 5)
    canvas.fillStyle = colour('ink')
    canvas.fillText(`${state} (${items.length})`, 4, top, LABELS - 12)
  }
  for (const { lane, row, from, to, item } of placed) {
    const { top, thick } = lane
    canvas.fillStyle = colour(item === over ? 'ink' : lane.colour)
    canvas.fillRect(from, top + row * thick, to - from, thick - 1)
  }
  const room = roomOf(width)
  canvas.fillStyle = colour('dim')
  for (const [i, end] of scale.ends.entries()) {
    const outwards = i === 0 ? 'left' : 'right'
    canvas.textAlign = scale.ends.length === 1 ? 'center' : outwards
    canvas.fillText(timeText(end, false), LABELS + room * scale.at(end), 3, room / 2 - 4)
  }
  canvas.textAlign = 'left'
  if (time === undefined) return
  canvas.strokeStyle = colour('ink')
  canvas.lineWidth = 2
  canvas.setLineDash([5, 3])
  const x = LABELS + room * scale.at(Number(time)) + 2
  canvas.beginPath()
  canvas.moveTo(x, AXIS - 6)
  canvas.lineTo(x, height)
  canvas.stroke()
  canvas.setLineDash([])
}

function columnsOf(inspected: Inspected, link: Link): readonly Column<ArrayFragment>[] {
  const damaged = inspected.damagedFolders()
  return [
    fragmentColumn(true),
    {
      title: 'state',
      show: (one) => `${stateText(one)}${damaged.has(one.name) ? ', damaged' : ''}`,
      by: ({ state }) => state,
    },
    timeColumn('first time', 0),
    timeColumn('last time', 1),
    numberColumn(heading('cells_in_domain'), ({ cells_in_domain }) => cells_in_domain),
    numberColumn('size', ({ size }) => size, shortSizeText),
    { title: 'hidden by', show: ({ hidden_by }) => (hidden_by ? <PathName path={hidden_by} /> : NOTHING) },
    travelColumn(link),
  ]
}

/** A time, with the day of the week in front if it is a date. */
function dayAndTime(stamp: number | bigint): string {
  const text = timeText(stamp, false)
  const day = new Date(text).toUTCString().slice(0, 3)
  return text.includes('T') ? `${day} ${text}` : text
}

const timeColumn = (title: string, end: 0 | 1): Column<ArrayFragment> => ({
  title,
  show: ({ timestamp_range }) => <Text>{timestamp_range ? dayAndTime(timestamp_range[end]) : NOTHING}</Text>,
  by: ({ timestamp_range }) => timestamp_range?.[end],
})

const travelColumn = (link: Link): Column<Pick<Item, 'name' | 'timestamp_range'>> => ({
  title: 'travel',
  show: ({ timestamp_range, name }) =>
    timestamp_range ? (
      <a class="short" href={linkText({ ...link, t: String(timestamp_range[1]) })} aria-label={`as of then: ${name}`}>
        as of then
      </a>
    ) : (
      NOTHING
    ),
})
