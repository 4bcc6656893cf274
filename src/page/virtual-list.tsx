import type { ComponentChild } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Greatest height in CSS pixels that browsers draw. The scrollbar of a longer list moves in larger steps. */
const TALLEST = 8_000_000
/** Number of rows that are made above and below those in sight. */
const MARGIN = 8

interface ListProps {
  label: string
  count: number
  /** In CSS pixels. */
  rowHeight: number
  show(index: number): ComponentChild
  /** Index of a row. The list scrolls to it when the index changes. */
  at?: number | undefined
  /** Called with the index of the first row in sight when it changes. */
  onScroll?(first: number): void
  /** In a `tree`, each row is a `treeitem`. */
  role?: 'tree' | undefined
  /** Id of the row that the keys act on, if the keys do more than scroll. */
  active?: string | undefined
  /** Called for each key before the list handles it. @param visible number of rows in sight @returns whether it handled the key */
  onKey?(event: KeyboardEvent, visible: number): boolean
}

/** Which rows of a list are in sight, and where the scrollbar stands. */
function useRows({ count, rowHeight, at, onScroll }: ListProps) {
  const box = useRef<HTMLDivElement>(null)
  const [wanted, setFirst] = useState(at ?? 0)
  const [height, setHeight] = useState(400)
  const visible = Math.max(1, Math.floor(height / rowHeight))
  const last = Math.max(0, count - visible)
  const first = Math.min(wanted, last)
  const tall = Math.min(TALLEST, count * rowHeight)
  const room = Math.max(0, tall - height)
  /** Number of rows per pixel of the scrollbar. */
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
  // The first row has a new place after a change of the height or the length, and in a list that begins further down. The effect
  // for `at` must come after this one.
  useEffect(() => {
    if (box.current && step > 0) box.current.scrollTop = first / step
  }, [height, count])
  useEffect(() => {
    if (at !== undefined && (at < first || at >= first + visible)) scrollTo(at - Math.floor(visible / 3))
  }, [at])

  function scrolled(): void {
    const row = Math.min(last, Math.round((box.current?.scrollTop ?? 0) * step))
    // If a pixel stands for several rows, the scrollbar cannot show a move by a few rows. Its event must not undo the move.
    if (Math.abs(row - first) < Math.max(1, step)) return
    setFirst(row)
    onScroll?.(row)
  }

  const top = step === 0 ? 0 : Math.min(room, first / step)
  return { box, first, visible, tall, top, scrollTo, scrolled }
}

/**
 * A list of any length of which only the rows in sight are made. The scrollbar covers the whole list. Arrow and page keys move by
 * rows, even if a pixel of the scrollbar stands for several rows.
 */
export function VirtualList(props: ListProps) {
  const { label, count, rowHeight, show, role, active, onKey } = props
  const { box, first, visible, tall, top, scrollTo, scrolled } = useRows(props)

  function onKeyDown(event: KeyboardEvent): void {
    if (event.target === box.current && onKey?.(event, visible)) {
      event.preventDefault()
      return
    }
    const moves: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: visible,
      PageUp: -visible,
      Home: -count,
      End: count,
    }
    const move = moves[event.key]
    if (move === undefined || event.target !== box.current) return
    event.preventDefault()
    scrollTo(first + move)
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
