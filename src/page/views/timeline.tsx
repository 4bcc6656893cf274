import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ArrayFragment } from '../../documents/array.ts'
import { timeText } from '../../format/timestamped-name.ts'
import { counted, NOTHING, sizeText, stateText, timeRangeText } from '../../render/views/wording.ts'
import { Drawing, placeOf, type Sheet } from '../drawing.tsx'
import { change, type Link, linkText } from '../link.ts'
import { type Column, Table } from '../table.tsx'
import { Text } from '../text.tsx'
import { timesOf, timeWords } from '../times.ts'
import { Shown, useLoaded } from '../use-loaded.tsx'
import type { View, ViewProps } from '../view.ts'

/** The fragments of an array in time, by state. `x` of the link: `time`, or `order` where times stand side by side, whatever lies between. */
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
] as const

/** Sizes in CSS pixels. */
const LABELS = 130
const RIGHT = 12
const AXIS = 22
const THIN = 6
/** Of a row where there is one alone. */
const THICK = 14
const MOST_ROWS = 12
const LEAST_WIDTH = 4

function Timeline({ inspected, link }: ViewProps) {
  const listed = useLoaded(async () => {
    const found = await inspected.document('ls', timesOf(link))
    return found.kind === 'array' ? found.fragments : []
  }, [inspected, link.t])
  return <Shown of={listed} what="the fragments" show={(fragments) => <Drawn fragments={fragments} link={link} />} />
}

/** A fragment in the drawing, in CSS pixels from its left. */
interface Placed {
  fragment: ArrayFragment
  lane: number
  row: number
  from: number
  to: number
}

function Drawn({ fragments, link }: { fragments: readonly ArrayFragment[]; link: Link }) {
  const [over, setOver] = useState<ArrayFragment | undefined>(undefined)
  const stops = useMemo(() => distinct(fragments.map(({ timestamp_range }) => timestamp_range?.[1])), [fragments])
  const isOrder = useMemo(() => (link.x ? link.x === 'order' : areCrowded(fragments)), [fragments, link.x])
  const scale = useMemo(() => scaleOf(fragments, isOrder), [fragments, isOrder])
  const { lanes, height } = useMemo(() => lanesOf(fragments), [fragments])
  const time = /^\d{1,18}$/.test(link.t ?? '') ? Number(link.t) : undefined
  const placed = useRef<{ width: number; scale?: Scale; lanes?: readonly Lane[]; list: readonly Placed[] }>({
    width: 0,
    list: [],
  })

  const draw = (sheet: Sheet): void => {
    const { width } = sheet
    const old = placed.current
    if (old.width !== width || old.scale !== scale || old.lanes !== lanes)
      placed.current = { width, scale, lanes, list: place(fragments, lanes, scale, width) }
    drawTimeline(sheet, { placed: placed.current.list, lanes, scale, time, over })
  }
  const hit = (event: MouseEvent): ArrayFragment | undefined => {
    const [x, y] = placeOf(event)
    return placed.current.list.findLast(({ from, to, lane, row }) => {
      const { top, thick } = lanes[lane]
      return x >= from - 1 && x <= to + 1 && y >= top + row * thick && y < top + (row + 1) * thick
    })?.fragment
  }
  const travel = (to: number | undefined): void => change(link, { t: to === undefined ? undefined : String(to) })
  // The mouse moves often, and a table is slow to make.
  const table = useMemo(
    () => <Table caption="Fragments in time" columns={columnsOf(link)} rows={fragments} keyOf={({ name }) => name} />,
    [fragments, link],
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
        label={`${counted(fragments.length, 'fragment')} in time, by state. The table below has the same.`}
        height={height}
        draw={draw}
        onMouseMove={(event) => setOver(hit(event))}
        onMouseLeave={() => setOver(undefined)}
        onClick={(event) => {
          const last = hit(event)?.timestamp_range?.[1]
          if (last !== undefined) travel(Number(last))
        }}
      />
      <p class="under">
        {over ? (
          <>
            <Text>{over.name}</Text>: {stateText(over)}, {timeRangeText(over.timestamp_range)}, {sizeText(over.size)}
          </>
        ) : (
          'A click on a fragment shows the array as of its last time, in all views.'
        )}
      </p>
      {table}
    </>
  )
}

/** Milliseconds for which the slider rests before the array is read as of its time. */
const REST = 150

/** A slider over the times at which fragments were finished, and now. */
function Travel(props: { stops: readonly number[]; time: number | undefined; travel(to: number | undefined): void }) {
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
    </div>
  )
}

/** Numbers, rising, each once. */
function distinct(stamps: readonly (number | bigint | undefined)[]): number[] {
  const numbers = stamps.filter((stamp) => stamp !== undefined).map(Number)
  return [...new Set(numbers)].sort((a, b) => a - b)
}

/** Whether nearly all times would stand in one place: a tenth of the width has eight tenths of them. */
function areCrowded(fragments: readonly ArrayFragment[]): boolean {
  const all = distinct(fragments.map(({ timestamp_range }) => timestamp_range?.[1]))
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

function scaleOf(fragments: readonly ArrayFragment[], isOrder: boolean): Scale {
  const all = distinct(fragments.flatMap(({ timestamp_range }) => timestamp_range ?? []))
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
  fragment_num: number
  top: number
  rows: number
  /** Height of a row. */
  thick: number
}

/** One lane for each state that there is, as high as the number of its fragments asks for. */
function lanesOf(fragments: readonly ArrayFragment[]): { lanes: Lane[]; height: number } {
  const lanes: Lane[] = []
  let top = AXIS
  for (const [state, colour] of STATES) {
    const fragment_num = fragments.filter((one) => one.state === state).length
    if (fragment_num === 0) continue
    const rows = Math.min(MOST_ROWS, fragment_num)
    const thick = rows === 1 ? THICK : THIN
    lanes.push({ state, colour, fragment_num, top, rows, thick })
    top += Math.max(rows * thick, THICK) + 8
  }
  return { lanes, height: top + 4 }
}

/** Fragments of a lane do not cover each other while there are rows. */
function place(fragments: readonly ArrayFragment[], lanes: readonly Lane[], scale: Scale, width: number): Placed[] {
  const byState = new Map(lanes.map(({ state }, lane) => [state, lane]))
  const ends = lanes.map(({ rows }) => new Array<number>(rows).fill(Number.NEGATIVE_INFINITY))
  const room = Math.max(10, width - LABELS - RIGHT)
  const placed: Placed[] = []
  let turn = 0
  for (const fragment of fragments) {
    const lane = byState.get(fragment.state ?? '')
    const stamps = fragment.timestamp_range
    if (lane === undefined || stamps === null) continue
    const from = LABELS + room * scale.at(Number(stamps[0])) - 1
    const to = Math.max(from + LEAST_WIDTH, LABELS + room * scale.at(Number(stamps[1])) + 1)
    const free = ends[lane].findIndex((end) => end < from)
    const row = free >= 0 ? free : turn++ % ends[lane].length
    ends[lane][row] = Math.max(ends[lane][row], to)
    placed.push({ fragment, lane, row, from, to })
  }
  return placed
}

function drawTimeline(
  { canvas, width, height, colour }: Sheet,
  what: {
    placed: readonly Placed[]
    lanes: readonly Lane[]
    scale: Scale
    time: number | undefined
    over: ArrayFragment | undefined
  },
): void {
  const { placed, lanes, scale, time, over } = what
  canvas.textBaseline = 'top'
  for (const { state, fragment_num, top, rows, thick } of lanes) {
    canvas.fillStyle = colour('shade')
    canvas.fillRect(0, top - 3, width, Math.max(rows * thick, THICK) + 5)
    canvas.fillStyle = colour('ink')
    canvas.fillText(`${state} (${fragment_num})`, 4, top, LABELS - 12)
  }
  for (const { lane, row, from, to, fragment } of placed) {
    canvas.fillStyle = fragment === over ? colour('ink') : colour(lanes[lane].colour)
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
  const x = LABELS + room * scale.at(time) + 2
  canvas.beginPath()
  canvas.moveTo(x, AXIS - 6)
  canvas.lineTo(x, height)
  canvas.stroke()
  canvas.setLineDash([])
}

function columnsOf(link: Link): readonly Column<ArrayFragment>[] {
  return [
    { title: 'name', show: ({ name }) => <Text>{name}</Text>, by: ({ name }) => name },
    { title: 'state', show: (one) => stateText(one), by: ({ state }) => state },
    {
      title: 'first time',
      show: ({ timestamp_range }) => (timestamp_range ? timeText(timestamp_range[0]) : NOTHING),
      by: ({ timestamp_range }) => timestamp_range?.[0],
    },
    {
      title: 'last time',
      show: ({ timestamp_range }) => (timestamp_range ? timeText(timestamp_range[1]) : NOTHING),
      by: ({ timestamp_range }) => timestamp_range?.[1],
    },
    { title: 'hidden by', show: ({ hidden_by }) => <Text>{hidden_by ?? NOTHING}</Text> },
    { title: 'size', isNumber: true, show: ({ size }) => sizeText(size), by: ({ size }) => size },
    {
      title: 'travel',
      show: ({ timestamp_range, name }) =>
        timestamp_range ? (
          <a href={linkText({ ...link, t: String(timestamp_range[1]) })} aria-label={`as of then: ${name}`}>
            as of then
          </a>
        ) : (
          NOTHING
        ),
    },
  ]
}
