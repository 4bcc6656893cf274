import type { ComponentProps } from 'preact'
import { useRef } from 'preact/hooks'
import { Drawing } from './drawing.tsx'

/** How much nearer or farther a turn of the wheel goes. */
const WHEEL = { nearer: 0.8, farther: 1.25 }
/** Longest way of the mouse in CSS pixels from button down to button up that is a click. */
const CLICK = 4

/** A drawing through which the reader moves: by keys, by the wheel, and by dragging. */
export function Surface<Point>(
  props: ComponentProps<typeof Drawing> & {
    /** What keys do. @param isShifted whether Shift is down */
    keys(isShifted: boolean): Readonly<Record<string, () => void>>
    /** The point under the mouse, by which a drag is measured. */
    pointOf(event: MouseEvent): Point
    drag(from: Point, to: Point): void
    /** Whether the mouse is over what is drawn, and not beside it. There the wheel scrolls the page, and a click does nothing. */
    isOver?(event: MouseEvent): boolean
    /** Called while the mouse moves and drags nothing, until a click; then at the next click, or when the mouse comes back. */
    over(event: MouseEvent): void
    /** Shows so many times as much, around the point under the mouse. */
    zoomAt(factor: number, event: MouseEvent): void
    /** What a double click gives to `zoomAt`. */
    doubled?: number
  },
) {
  const { keys, pointOf, drag, isOver = () => true, over, zoomAt, doubled, ...drawing } = props
  const dragged = useRef<{ at: Point; from: MouseEvent } | undefined>(undefined)
  /** Whether a click keeps the point: else the way to a link below the drawing would go over other points. */
  const isKept = useRef(false)
  return (
    <Drawing
      {...drawing}
      role="application"
      tabIndex={0}
      onKeyDown={(event) => {
        const key = keys(event.shiftKey)[event.key]
        if (!key || event.ctrlKey || event.metaKey || event.altKey) return
        event.preventDefault()
        key()
      }}
      onWheel={(event) => {
        if (!isOver(event)) return
        event.preventDefault()
        zoomAt(event.deltaY > 0 ? WHEEL.farther : WHEEL.nearer, event)
      }}
      onDblClick={(event) => {
        if (doubled !== undefined && isOver(event)) zoomAt(doubled, event)
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        dragged.current = { at: pointOf(event), from: event }
      }}
      onPointerMove={(event) => {
        if (!dragged.current) return isKept.current || !isOver(event) || over(event)
        const { at, from } = dragged.current
        const to = pointOf(event)
        dragged.current = { at: to, from }
        drag(at, to)
      }}
      onPointerUp={(event) => {
        const from = dragged.current?.from
        dragged.current = undefined
        if (!from || !isOver(event) || Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > CLICK)
          return
        isKept.current = !isKept.current
        over(event)
      }}
      onPointerLeave={() => {
        isKept.current = false
      }}
    />
  )
}
