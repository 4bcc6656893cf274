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
}) {
  const { label, count, rowHeight, show, at, onScroll } = props
  const box = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(at ?? 0)
  const [height, setHeight] = useState(400)
  const visible = Math.max(1, Math.floor(height / rowHeight))
  const last = Math.max(0, count - visible)
  const tall = Math.min(TALLEST, count * rowHeight)
  const room = Math.max(0, tall - height)
  /** Rows per pixel of the scrollbar. */
  const step = room === 0 ? 0 : last / room

  function scrollTo(row: number): void {
    const wanted = Math.max(0, Math.min(last, row))
    setFirst(wanted)
    onScroll?.(wanted)
    if (box.current && step > 0) box.current.scrollTop = wanted / step
  }

  useEffect(() => {
    const { current } = box
    if (!current) return
    const observer = new ResizeObserver(() => setHeight(current.clientHeight))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (at !== undefined && (at < first || at >= first + visible)) scrollTo(at - Math.floor(visible / 3))
  }, [at])

  function onKeyDown(event: KeyboardEvent): void {
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
      <div key={i} class="row" style={{ top: `${(i - first) * rowHeight}px`, height: `${rowHeight}px` }}>
        {show(i)}
      </div>,
    )
  const top = step === 0 ? 0 : Math.min(room, first / step)
  return (
    <section
      class="virtual"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
      tabIndex={0}
      aria-label={label}
      onScroll={scrolled}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: `${tall}px`, position: 'relative' }}>
        <div style={{ position: 'absolute', top: `${top}px`, left: 0, right: 0 }}>{rows}</div>
      </div>
    </section>
  )
}
