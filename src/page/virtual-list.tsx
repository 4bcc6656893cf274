import type { ComponentChild } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Browsers draw nothing taller, in CSS pixels. Longer lists scroll in larger steps. */
const TALLEST = 8_000_000
/** Rows beside those that are seen. */
const MARGIN = 8

/**
 * Rows of which only those in sight are made, for lists of any length. The scrollbar stands for the whole list; arrow and page keys
 * move by rows also where a pixel is more than one.
 */
export function VirtualList(props: {
  label: string
  count: number
  /** In CSS pixels. */
  rowHeight: number
  show(index: number): ComponentChild
  /** The row that is scrolled to when it changes. */
  at?: number | undefined
  /** Called with the first row in sight. */
  onScroll?(first: number): void
  /** `tree`: each row is a `treeitem`. */
  role?: 'tree' | undefined
  /** Id of the row that the keys act on, if the keys do more than scroll. */
  active?: string | undefined
  /** Called first for each key, with the number of rows in sight. @returns whether it did something */
  onKey?(event: KeyboardEvent, visible: number): boolean
}) {
  const { label, count, rowHeight, show, at, onScroll, role, active, onKey } = props
  const box = useRef<HTMLDivElement>(null)
  const [wanted, setFirst] = useState(at ?? 0)
  const [height, setHeight] = useState(400)
  const visible = Math.max(1, Math.floor(height / rowHeight))
  const last = Math.max(0, count - visible)
  const first = Math.min(wanted, last)
  const tall = Math.min(TALLEST, count * rowHeight)
  const room = Math.max(0, tall - height)
  /** Rows per pixel of the scrollbar. */
  const step = room === 0 ? 0 : last / room

  function scrollTo(row: number): void {
    const next = Math.max(0, Math.min(last, row))
    setFirst(next)
    onScroll?.(next)
    if (box.current && step > 0) box.current.scrollTop = next / step
  }

  useEffect(() => {
    const { current } = box
    if (!current) return
    const observer = new ResizeObserver(() => setHeight(current.clientHeight))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  // A list that begins further down, and one whose height or length changed, has its rows elsewhere. The row that is asked
  // for comes after that.
  useEffect(() => {
    if (box.current && step > 0) box.current.scrollTop = first / step
  }, [height, count])
  useEffect(() => {
    if (at !== undefined && (at < first || at >= first + visible)) scrollTo(at - Math.floor(visible / 3))
  }, [at])

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target === box.current && onKey?.(event, visible)) {
      event.preventDefault()
      return
    }
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: visible, PageUp: -visible }
    const move = moves[event.key] ?? (event.key === 'Home' ? -count : event.key === 'End' ? count : undefined)
    if (move === undefined || event.target !== box.current) return
    event.preventDefault()
    scrollTo(first + move)
  }

  function scrolled(): void {
    const row = Math.min(last, Math.round((box.current?.scrollTop ?? 0) * step))
    // Where a pixel is several rows, moving by keys leaves the scrollbar where it is.
    if (Math.abs(row - first) < Math.max(1, step)) return
    setFirst(row)
    onScroll?.(row)
  }

  const from = Math.max(0, first - MARGIN)
  const to = Math.min(count, first + visible + MARGIN)
  const rows: ComponentChild[] = []
  for (let i = from; i < to; i++)
    rows.push(
      <div
        key={i}
        class="row"
        role={role && 'none'}
        style={{ top: `${(i - first) * rowHeight}px`, height: `${rowHeight}px` }}
      >
        {show(i)}
      </div>,
    )
  const top = step === 0 ? 0 : Math.min(room, first / step)
  const Box = role ? 'div' : 'section'
  return (
    <Box
      class="virtual"
      ref={box}
      tabIndex={0}
      aria-label={label}
      {...{ role, 'aria-activedescendant': active }}
      onScroll={scrolled}
      onKeyDown={onKeyDown}
    >
      <div role={role && 'none'} style={{ height: `${tall}px`, position: 'relative' }}>
        <div role={role && 'none'} style={{ position: 'absolute', top: `${top}px`, left: 0, right: 0 }}>
          {rows}
        </div>
      </div>
    </Box>
  )
}
