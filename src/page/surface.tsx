import type { ComponentProps } from 'preact'
import { useRef } from 'preact/hooks'
import { Drawing } from './drawing.tsx'

/** How much nearer or farther a turn of the wheel goes. */
const WHEEL = { nearer: 0.8, farther: 1.25 }

/** A drawing through which the reader moves: by keys, by the wheel, and by dragging. */
export function Surface<Point>(
  props: ComponentProps<typeof Drawing> & {
    /** What keys do. @param isShifted whether Shift is down */
    keys(isShifted: boolean): Readonly<Record<string, () => void>>
    /** The point under the mouse, by which a drag is measured. */
    pointOf(event: MouseEvent): Point
    drag(from: Point, to: Point): void
    /** Called while the mouse moves and drags nothing. */
    over(event: MouseEvent): void
    /** Shows so many times as much, around the point under the mouse. */
    zoomAt(factor: number, event: MouseEvent): void
  },
) {
  const { keys, pointOf, drag, over, zoomAt, ...drawing } = props
  const dragged = useRef<{ at: Point } | undefined>(undefined)
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
        event.preventDefault()
        zoomAt(event.deltaY > 0 ? WHEEL.farther : WHEEL.nearer, event)
      }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        dragged.current = { at: pointOf(event) }
      }}
      onPointerMove={(event) => {
        if (!dragged.current) return over(event)
        const { at: from } = dragged.current
        const to = pointOf(event)
        dragged.current = { at: to }
        drag(from, to)
      }}
      onPointerUp={() => {
        dragged.current = undefined
      }}
    />
  )
}
