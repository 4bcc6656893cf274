import { useEffect, useMemo, useState } from 'preact/hooks'
import { formatCount } from '../../render/units.ts'
import { Fault } from '../use-loaded.tsx'
import { VirtualList } from '../virtual-list.tsx'
import { type Node, openNodeAt, type Range } from './nodes.ts'
import { Pages } from './pages.ts'

const ROW_PIXELS = 20
/** Milliseconds without scrolling after which bytes are read. */
const REST = 60
/** Number of rows that are read before and after the first in sight. */
const ROWS_READ = 64
/** Number of background colours: the classes `tint0` and so on. */
const COLOURS = 5

/** The bytes of one space in hexadecimal and as text. Colours tell the parts apart, and mark the chosen one. */
export function Hex(props: {
  label: string
  top: Node
  chosen: Node
  /** Offset of the chosen byte. */
  cursor: number
  hovered: Node | undefined
  /** The bytes that a search found. */
  found: Range | undefined
  /** Whether there is room for 8 bytes in a row instead of 16. */
  isNarrow: boolean
  choose(offset: number): void
  hover(node: Node | undefined): void
}) {
  const { label, top, chosen, cursor, hovered, found, isNarrow, choose, hover } = props
  const { length } = top.space
  const width = isNarrow ? 8 : 16
  const pages = useMemo(() => new Pages(top.space), [top.space])
  const [first, setFirst] = useState(Math.floor(cursor / width))
  const [, setLoads] = useState(0)
  const row = Math.floor(cursor / width)

  useEffect(() => {
    let isLatest = true
    const timer = setTimeout(
      async () => {
        const from = Math.max(0, first - ROWS_READ) * width
        if ((await pages.load(from, (first + ROWS_READ) * width)) && isLatest) setLoads((loads) => loads + 1)
      },
      pages.at(first * width) === undefined && first !== 0 ? REST : 0,
    )
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [pages, first, width])
  // Bytes around a far row are read at once, before the list has scrolled there.
  useEffect(() => {
    if (Math.abs(row - first) > ROWS_READ) setFirst(row)
  }, [row])

  function onKey({ key, ctrlKey, metaKey }: KeyboardEvent, visible: number): boolean {
    const isFar = ctrlKey || metaKey
    const moves: Record<string, number> = {
      ArrowRight: cursor + 1,
      ArrowLeft: cursor - 1,
      ArrowDown: cursor + width,
      ArrowUp: cursor - width,
      PageDown: cursor + visible * width,
      PageUp: cursor - visible * width,
      Home: isFar ? 0 : cursor - (cursor % width),
      End: isFar ? length - 1 : cursor - (cursor % width) + width - 1,
    }
    const to = moves[key]
    if (to === undefined || length === 0) return false
    choose(Math.max(0, Math.min(length - 1, to)))
    return true
  }

  /** The offset of the byte under the mouse. */
  const offsetOf = ({ target }: Event): number | undefined => {
    const { at } = (target as HTMLElement).dataset
    return at === undefined ? undefined : Number(at)
  }
  const digits = Math.max(8, Math.max(0, length - 1).toString(16).length)

  function show(index: number) {
    const from = index * width
    const hex = []
    const text = []
    let node: Node | undefined
    for (let at = from; at < Math.min(length, from + width); at++) {
      if (!node || at >= node.to || node.kids || node.group) node = openNodeAt(top, at)
      const byte = pages.at(at)
      const classes = byteClass(node, at, chosen, hovered, found, cursor)
      hex.push(
        <span key={at} class={classes} data-at={at}>
          {byte === undefined ? '··' : byte.toString(16).padStart(2, '0')}
        </span>,
        (at + 1) % 8 === 0 ? '  ' : ' ',
      )
      text.push(
        <span key={at} class={classes} data-at={at}>
          {byte === undefined ? '·' : byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'}
        </span>,
      )
    }
    const missing = width - text.length
    return (
      <>
        <span class="dim">{from.toString(16).padStart(digits, '0')}</span>
        {'  '}
        {hex}
        {' '.repeat(missing * 3 + (missing >= 8 ? 2 : missing > 0 ? 1 : 0))}
        {text}
      </>
    )
  }

  const chooseAt = (event: Event): void => {
    const at = offsetOf(event)
    if (at !== undefined) choose(at)
  }
  const hoverAt = (event: Event): void => {
    const at = offsetOf(event)
    hover(at === undefined ? undefined : openNodeAt(top, at))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list inside takes the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list inside takes the keys
    <div class="hex" onClick={chooseAt} onMouseOver={hoverAt} onFocus={() => {}} onMouseLeave={() => hover(undefined)}>
      <VirtualList
        key={top.number}
        label={`${label}: ${formatCount(length)} bytes in hexadecimal; arrow keys move`}
        count={Math.ceil(length / width)}
        rowHeight={ROW_PIXELS}
        at={row}
        show={show}
        onScroll={setFirst}
        onKey={onKey}
      />
      {pages.error && <Fault error={pages.error} />}
    </div>
  )
}

function byteClass(
  node: Node,
  at: number,
  chosen: Node,
  hovered: Node | undefined,
  found: Range | undefined,
  cursor: number,
): string {
  const within = (range: Range | undefined): boolean => range !== undefined && at >= range.from && at < range.to
  const classes = [node.part.type === 'gap' ? 'dim' : `tint${node.number % COLOURS}`]
  if (isBad(node)) classes.push('damaged')
  // Marking the whole space would hide the colours of its parts.
  if (chosen.space === node.space && chosen !== node.top && within(chosen)) classes.push('in')
  if (hovered?.space === node.space && within(hovered)) classes.push('over')
  if (within(found)) classes.push('found')
  if (at === cursor) classes.push('cursor')
  return classes.join(' ')
}

/** Whether the bytes are known to be damaged. */
export function isBad({ part, error }: Node): boolean {
  return part.verdict === 'invalid' || part.fault !== undefined || error !== undefined
}
