import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { faultOf, unlessFault } from '../../base/errors.ts'
import type { ArrayFragment } from '../../documents/array.ts'
import type { TimestampRange } from '../../documents/common.ts'
import { nameFacts, timeText } from '../../format/timestamped-name.ts'
import { counted, NOTHING, shortSizeText, sizeText, stateText, timeRangeText } from '../../render/views/wording.ts'
import { type InspectArray, METADATA_FOLDER } from '../../store/array.ts'
import type { DeletePlace } from '../../store/deletes.ts'
import { allDeletes, Condition } from '../deletes.tsx'
import { Drawing, placeOf, type Sheet } from '../drawing.tsx'
import type { Inspected } from '../inspected.ts'
import { change, goTo, type Link, linkText } from '../link.ts'
import { Metadata } from '../metadata.tsx'
import { pageWords } from '../page-words.ts'
import { StateLines } from '../state-lines.tsx'
import { type Column, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { atOf, timesOf, timeWords, typedTime } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { View, ViewProps } from '../view.ts'

/** What was written to an array in time: fragments by state, deletes, key-value metadata. `x` of the link: `time`, or `order` where times stand side by side, whatever lies between. */
export const timeline: View = {
  id: 'timeline',
  title: 'Timeline',
  targets: ['array'],
  call: ({ link }) => ({ words: ['ls', ...timeWords(link)] }),
  Show: Timeline,
}

/** States in the order of the lanes, with their colours: what is read comes first. */
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
  // What else was written, by kind.
  ['deletes', 'c1'],
  ['deletes later', 'dim'],
  ['metadata', 'c4'],
  ['metadata later', 'dim'],
] as const

/** What is drawn: a fragment, a delete condition or a file of key-value metadata. */
interface Item {
  name: string
  state: string
  timestamp_range: TimestampRange | null
  /** What stands below the drawing while the mouse is on it, behind its name. */
  words: string
  /** Of a delete condition: where it stands. */
  place?: DeletePlace
}

/** Sizes in CSS pixels. */
const LABELS = 130
const RIGHT = 12
const AXIS = 22
const THIN = 6
/** Of a row where there are few. */
const THICK = 14
const FEW_ROWS = 3
const MOST_ROWS = 12
/** Across, where rows are counted: the height does not depend on the width. */
const USUAL_ROOM = 800
const LEAST_WIDTH = 4

function Timeline({ inspected, link }: ViewProps) {
  const listed = useLoaded(async () => {
    const found = await inspected.document('ls', timesOf(link))
    const fragments = found.kind === 'array' ? found.fragments : []
    const { target } = inspected
    const at = atOf(link)
    const others =
      target.type === 'array'
        ? [...(await deleteItems(target.array, at)), ...(await metadataItems(target.array, at))]
        : []
    return {
      fragments,
      items: [...fragments.map(fragmentItem), ...others],
      as_of: found.kind === 'array' ? found.as_of : undefined,
    }
  }, [inspected, link.t])
  return (
    <Shown
      of={listed}
      what="the fragments"
      show={({ fragments, items, as_of }) => (
        <>
          <Drawn {...{ inspected, fragments, items, link }} />
          <Deletes {...{ inspected, items, link }} />
          <Metadata {...{ inspected, link }} isAll />
          <StateLines fragments={fragments} as_of={as_of} />
        </>
      )}
    />
  )
}

function fragmentItem(one: ArrayFragment): Item {
  const { name, state, timestamp_range, size } = one
  return {
    name,
    state: state ?? '',
    timestamp_range,
    words: `${stateText(one)}, ${timeRangeText(timestamp_range)}, ${sizeText(size)}`,
  }
}

/** @param at milliseconds; undefined for now */
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

async function deleteItems(array: InspectArray, at: bigint | undefined): Promise<Item[]> {
  const now = at ?? array.cx.now
  const all = await allDeletes(array)
  return all.map((place) => ({ ...otherItem('deletes', place.name, [place.time, place.end], now), place }))
}

/** Names are enough to draw: there may be thousands of files. */
async function metadataItems(array: InspectArray, at: bigint | undefined): Promise<Item[]> {
  const entries = (await array.folder.folder(METADATA_FOLDER).listIfThere().catch(unlessFault)) ?? []
  return entries.flatMap(({ name }) => {
    const range = name.endsWith('.vac') ? undefined : nameFacts(name)?.timestamp_range
    return range ? [otherItem('metadata', name, range, at ?? array.cx.now)] : []
  })
}

function Deletes({ inspected, items, link }: Pick<DrawnProps, 'inspected' | 'items' | 'link'>) {
  const deletes = items.filter(({ place }) => place !== undefined)
  if (deletes.length === 0) return null
  return (
    <Table
      caption="Deletes in time"
      columns={deleteColumns(inspected, link)}
      rows={deletes}
      keyOf={({ name }) => name}
    />
  )
}

const deleteColumns = ({ target }: Inspected, link: Link): readonly Column<Item>[] => [
  {
    title: 'condition',
    show: ({ place }) => place && target.type === 'array' && <Condition array={target.array} place={place} />,
  },
  {
    title: 'written',
    show: ({ timestamp_range }) => <span class="times">{timeRangeText(timestamp_range, false)}</span>,
    by: ({ timestamp_range }) => timestamp_range?.[1],
  },
  {
    title: 'state',
    show: ({ state }) => (state === 'deletes' ? 'applied by reads' : <span class="dim">later</span>),
    by: ({ state }) => state,
  },
  {
    title: 'file',
    show: ({ place }) =>
      place && (
        <a href={goTo(link, 'files', { p: place.path })}>
          <Text>{place.path}</Text>
        </a>
      ),
  },
  travelColumn(link),
]

/** An item in the drawing, in CSS pixels from its left. */
interface Placed {
  item: Item
  lane: number
  row: number
  from: number
  to: number
}

interface DrawnProps {
  inspected: Inspected
  fragments: readonly ArrayFragment[]
  items: readonly Item[]
  link: Link
}

function Drawn({ inspected, fragments, items, link }: DrawnProps) {
  const [under, setUnder] = useState<Item | undefined>(undefined)
  const [clicked, setClicked] = useState<string | undefined>(undefined)
  // What was clicked stays when the array is read as of its time.
  const over = under ?? items.find(({ name }) => name === clicked)
  const stops = useMemo(() => distinct(items.map(({ timestamp_range }) => timestamp_range?.[1])), [items])
  const isOrder = useMemo(() => (link.x ? link.x === 'order' : areCrowded(items)), [items, link.x])
  const scale = useMemo(() => scaleOf(items, isOrder), [items, isOrder])
  const { lanes, height } = useMemo(() => lanesOf(items, scale), [items, scale])
  const time = atOf(link)
  const placed = useRef<{ width: number; scale?: Scale; lanes?: readonly Lane[]; list: readonly Placed[] }>({
    width: 0,
    list: [],
  })

  const draw = (sheet: Sheet): void => {
    const { width } = sheet
    const old = placed.current
    if (old.width !== width || old.scale !== scale || old.lanes !== lanes)
      placed.current = { width, scale, lanes, list: place(items, lanes, scale, width) }
    drawTimeline(sheet, { placed: placed.current.list, lanes, scale, time, over })
  }
  const hit = (event: MouseEvent): Item | undefined => {
    const [x, y] = placeOf(event)
    return placed.current.list.findLast(({ from, to, lane, row }) => {
      const { top, thick } = lanes[lane]
      return x >= from - 1 && x <= to + 1 && y >= top + row * thick && y < top + (row + 1) * thick
    })?.item
  }
  const travel = (to: number | bigint | undefined): void => change(link, { t: to?.toString() })
  // The mouse moves often, and a table is slow to make.
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
      <fieldset>
        <legend>Across</legend>
        {(['time', 'order'] as const).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="scale"
              checked={isOrder === (name === 'order')}
              onChange={() => change(link, { x: name })}
            />{' '}
            {name === 'order' ? 'order of times' : 'time'}
          </label>
        ))}
      </fieldset>
      <Drawing
        label={`${counted(fragments.length, 'fragment')} in time, by state, and when deletes and metadata were written. What follows has the same.`}
        height={height}
        draw={draw}
        onMouseMove={(event) => setUnder(hit(event))}
        onMouseLeave={() => setUnder(undefined)}
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
            <Text>{over.name}</Text>: {over.words}
            {over.place && inspected.target.type === 'array' && (
              <>
                : <Condition array={inspected.target.array} place={over.place} />
              </>
            )}
          </>
        ) : (
          'A click on a mark shows the array as of its last time, in all views. The slider above has the same times, and the tables below the same marks.'
        )}
      </p>
      {table}
    </>
  )
}

/** Milliseconds for which the slider rests before the array is read as of its time. */
const REST = 150

/** A slider over the times at which fragments were finished and cells deleted, and now. */
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
    }, REST)
    return () => clearTimeout(timer)
  }, [moved])
  const text = shown === now ? 'now' : timeText(moved === undefined ? (time ?? stops[shown]) : stops[shown])
  const step = (by: number) => setMoved(Math.max(0, Math.min(now, shown + by)))
  return (
    <div class="controls">
      <button type="button" onClick={() => step(-1)} disabled={shown <= 0}>
        Earlier
      </button>
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
      <button type="button" onClick={() => step(1)} disabled={shown >= now}>
        Later
      </button>
      <output for="travel">{text}</output>
      <TypedTime travel={travel} />
    </div>
  )
}

/** A field for any time, also between the stops. */
function TypedTime({ travel }: { travel(to: number | bigint | undefined): void }) {
  const [wrong, setWrong] = useState<string | undefined>(undefined)
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    try {
      const time = typedTime(String(new FormData(event.currentTarget as HTMLFormElement).get('time')).trim())
      setWrong(undefined)
      travel(time)
    } catch (error) {
      setWrong(pageWords(faultOf(error).message))
    }
  }
  return (
    <form onSubmit={submit}>
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
    </form>
  )
}

/** Times, rising, each once. Those in the far future are no exact numbers. */
function distinct(stamps: readonly (number | bigint | undefined)[]): bigint[] {
  const exact = stamps.flatMap((stamp) => (stamp === undefined ? [] : BigInt(stamp)))
  return [...new Set(exact)].sort((a, b) => (a < b ? -1 : 1))
}

/** Whether nearly all times would stand in one place: a tenth of the width has eight tenths of them. */
function areCrowded(items: readonly Item[]): boolean {
  const all = distinct(items.map(({ timestamp_range }) => timestamp_range?.[1])).map(Number)
  const tenth = ((all.at(-1) ?? 0) - (all[0] ?? 0)) / 10
  const many = Math.ceil(all.length * 0.8)
  return all.length > 4 && all.some((stamp, i) => all[i + many - 1] - stamp <= tenth)
}

interface Scale {
  /** From 0 to 1. */
  at(stamp: number): number
  /** Times that the axis names. */
  ends: readonly number[]
}

function scaleOf(items: readonly Item[], isOrder: boolean): Scale {
  const all = distinct(items.flatMap(({ timestamp_range }) => timestamp_range ?? [])).map(Number)
  const [first, last] = [all[0] ?? 0, all.at(-1) ?? 0]
  const ends = first === last ? [first] : [first, last]
  if (first === last) return { at: () => 0.5, ends }
  const ranks = new Map(all.map((stamp, rank) => [stamp, rank / (all.length - 1)]))
  const linear = (stamp: number): number => (stamp - first) / (last - first)
  const rank = (stamp: number): number => {
    const below = all.findLastIndex((one) => one <= stamp)
    return ranks.get(stamp) ?? Math.max(0, below) / (all.length - 1)
  }
  return { at: (stamp) => Math.max(0, Math.min(1, isOrder ? rank(stamp) : linear(stamp))), ends }
}

interface Lane {
  state: string
  colour: string
  item_num: number
  top: number
  rows: number
  /** Height of a row. */
  thick: number
}

/** One lane for each state that there is, with the rows that its items need beside each other. */
function lanesOf(items: readonly Item[], scale: Scale): { lanes: Lane[]; height: number } {
  const lanes: Lane[] = []
  let top = AXIS
  for (const [state, colour] of STATES) {
    const own = items.filter((one) => one.state === state)
    const item_num = own.length
    if (item_num === 0) continue
    const rows = rowsOf(own, scale)
    const thick = rows <= FEW_ROWS ? THICK : THIN
    lanes.push({ state, colour, item_num, top, rows, thick })
    top += Math.max(rows * thick, THICK) + 8
  }
  return { lanes, height: top + 4 }
}

function rowsOf(items: readonly Item[], scale: Scale): number {
  const ends: number[] = []
  for (const { timestamp_range } of items) {
    if (timestamp_range === null) continue
    const [from, to] = timestamp_range.map((stamp) => USUAL_ROOM * scale.at(Number(stamp)))
    const free = ends.findIndex((end) => end < from)
    if (free >= 0 || ends.length < MOST_ROWS) ends[free >= 0 ? free : ends.length] = Math.max(from + LEAST_WIDTH, to)
  }
  return Math.max(1, ends.length)
}

/** Items of a lane do not cover each other while there are rows. */
function place(items: readonly Item[], lanes: readonly Lane[], scale: Scale, width: number): Placed[] {
  const byState = new Map(lanes.map(({ state }, lane) => [state, lane]))
  const ends = lanes.map(({ rows }) => new Array<number>(rows).fill(Number.NEGATIVE_INFINITY))
  const room = Math.max(10, width - LABELS - RIGHT)
  const placed: Placed[] = []
  let turn = 0
  for (const item of items) {
    const lane = byState.get(item.state)
    const stamps = item.timestamp_range
    if (lane === undefined || stamps === null) continue
    const from = LABELS + room * scale.at(Number(stamps[0])) - 1
    const to = Math.max(from + LEAST_WIDTH, LABELS + room * scale.at(Number(stamps[1])) + 1)
    const free = ends[lane].findIndex((end) => end < from)
    const row = free >= 0 ? free : turn++ % ends[lane].length
    ends[lane][row] = Math.max(ends[lane][row], to)
    placed.push({ item, lane, row, from, to })
  }
  return placed
}

function drawTimeline(
  { canvas, width, height, colour }: Sheet,
  what: {
    placed: readonly Placed[]
    lanes: readonly Lane[]
    scale: Scale
    time: bigint | undefined
    over: Item | undefined
  },
): void {
  const { placed, lanes, scale, time, over } = what
  canvas.textBaseline = 'top'
  for (const { state, item_num, top, rows, thick } of lanes) {
    canvas.fillStyle = colour('shade')
    canvas.fillRect(0, top - 3, width, Math.max(rows * thick, THICK) + 5)
    canvas.fillStyle = colour('ink')
    canvas.fillText(`${state} (${item_num})`, 4, top, LABELS - 12)
  }
  for (const { lane, row, from, to, item } of placed) {
    canvas.fillStyle = item === over ? colour('ink') : colour(lanes[lane].colour)
    const { top, thick } = lanes[lane]
    canvas.fillRect(from, top + row * thick, to - from, thick - 1)
  }
  const room = Math.max(10, width - LABELS - RIGHT)
  canvas.fillStyle = colour('dim')
  for (const [i, end] of scale.ends.entries()) {
    canvas.textAlign = scale.ends.length === 1 ? 'center' : i === 0 ? 'left' : 'right'
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
    { title: 'name', show: ({ name }) => <Text>{name}</Text>, by: ({ name }) => name },
    {
      title: 'state',
      show: (one) => `${stateText(one)}${damaged.has(one.name) ? ', damaged' : ''}`,
      by: ({ state }) => state,
    },
    {
      title: 'first time',
      show: ({ timestamp_range }) => <Text>{timestamp_range ? timeText(timestamp_range[0], false) : NOTHING}</Text>,
      by: ({ timestamp_range }) => timestamp_range?.[0],
    },
    {
      title: 'last time',
      show: ({ timestamp_range }) => <Text>{timestamp_range ? timeText(timestamp_range[1], false) : NOTHING}</Text>,
      by: ({ timestamp_range }) => timestamp_range?.[1],
    },
    { title: 'hidden by', show: ({ hidden_by }) => <Text>{hidden_by ?? NOTHING}</Text> },
    { title: 'size', isNumber: true, show: ({ size }) => shortSizeText(size), by: ({ size }) => size },
    travelColumn(link),
  ]
}

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
