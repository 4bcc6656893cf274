import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Space } from '../../anatomy/part.ts'
import { byteCharacter, byteDigits, offsetWidth } from '../../base/byte-text.ts'
import { formatCount } from '../../render/units.ts'
import { Fault } from '../use-loaded.tsx'
import { VirtualList } from '../virtual-list.tsx'
import { type Node, type NodeRange, openNodeAt } from './nodes.ts'
import { SpacePages } from './pages.ts'

const ROW_PIXELS = 20
/** Milliseconds without scrolling after which bytes are read. */
const REST = 60
/** Number of rows that are read before and after the first in sight. */
const ROWS_READ = 64
/** Number of background colours: the classes `tint0` and so on. */
const COLOURS = 5

interface HexProps {
  label: string
  top: Node
  chosen: Node
  /** Offset of the chosen byte. */
  cursor: number
  hovered: Node | undefined
  /** The bytes that a search found. */
  found: NodeRange | undefined
  /** Whether there is room for 8 bytes in a row instead of 16. */
  isNarrow: boolean
  choose(offset: number): void
  hover(node: Node | undefined): void
}

/** The bytes of one space in hexadecimal and as text. Colours tell the parts apart, and mark the chosen one. */
export function Hex(props: HexProps) {
  const { label, top, cursor, isNarrow, choose, hover } = props
  const { length } = top.space
  const width = isNarrow ? 8 : 16
  const row = Math.floor(cursor / width)
  const { pages, setFirst } = usePages(top.space, row, width)

  function onKey(event: KeyboardEvent, visible: number): boolean {
    const to = byteAfterKey(event, { cursor, width, visible, length })
    if (to === undefined || length === 0) return false
    choose(Math.max(0, Math.min(length - 1, to)))
    return true
  }

  /** The offset of the byte under the mouse. */
  const offsetOf = ({ target }: Event): number | undefined => {
    const { at } = (target as HTMLElement).dataset
    return at === undefined ? undefined : Number(at)
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
        show={(index) => bytesRow(props, pages, index * width, width)}
        onScroll={setFirst}
        onKey={onKey}
      />
      {pages.error && <Fault error={pages.error} />}
    </div>
  )
}

/** The pages of a space, of which those around the first row in sight are read. */
function usePages(space: Space, row: number, width: number) {
  const pages = useMemo(() => new SpacePages(space), [space])
  const [first, setFirst] = useState(row)
  const [, setLoads] = useState(0)
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
  return { pages, setFirst }
}

/** Where a key leads from the chosen byte; undefined for other keys. */
function byteAfterKey(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  { cursor, width, visible, length }: { cursor: number; width: number; visible: number; length: number },
): number | undefined {
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
  return moves[key]
}

/** A row of bytes: its offset, the bytes in hexadecimal, and as text. */
function bytesRow(props: HexProps, pages: SpacePages, from: number, width: number) {
  const { top } = props
  const { length } = top.space
  const digits = offsetWidth(length)
  const hex = []
  const text = []
  let node: Node | undefined
  for (let at = from; at < Math.min(length, from + width); at++) {
    if (!node || at >= node.to || node.kids || node.group) node = openNodeAt(top, at)
    const byte = pages.at(at)
    const classes = byteClass(node, at, props)
    hex.push(
      <span key={at} class={classes} data-at={at}>
        {byte === undefined ? '··' : byteDigits(byte)}
      </span>,
      (at + 1) % 8 === 0 ? '  ' : ' ',
    )
    text.push(
      <span key={at} class={classes} data-at={at}>
        {byte === undefined ? '·' : byteCharacter(byte)}
      </span>,
    )
  }
  const missing = width - text.length
  return (
    <>
      <span class="dim">{from.toString(16).padStart(digits, '0')}</span>
      {'  '}
      {hex}
      {' '.repeat(missing * 3 + Number(missing > 0) + Number(missing >= 8))}
      {text}
    </>
  )
}

function byteClass(node: Node, at: number, { chosen, hovered, found, cursor }: HexProps): string {
  const within = (range: NodeRange | undefined): boolean => range !== undefined && at >= range.from && at < range.to
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
