import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { THEME_CHANGED } from './theme.tsx'

/** A canvas to draw on, measured in CSS pixels. */
export interface Sheet {
  canvas: CanvasRenderingContext2D
  width: number
  height: number
  /** Number of screen pixels per CSS pixel. */
  ratio: number
  /** The value of a colour of the style, such as `ink` or `c1`. */
  colour(name: string): string
}

/** Names of the colours that tell kinds apart. */
export const COLOURS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'] as const

/**
 * A drawing on a canvas. It is drawn again with the component, when its width changes, and when the page turns light or dark.
 * A table beside it must show the same facts. If it takes clicks but no keys, other elements must do what the clicks do.
 */
export function Drawing(
  props: Omit<JSX.IntrinsicElements['canvas'], 'label' | 'height' | 'ref' | 'style'> & {
    label: string
    /** In CSS pixels. */
    height: number
    draw(sheet: Sheet): void
  },
) {
  const { label, height, draw, ...more } = props
  const box = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const [, redraw] = useState(0)

  useEffect(() => {
    const parent = box.current?.parentElement
    if (!parent) return
    const observer = new ResizeObserver(() => setWidth(parent.clientWidth))
    observer.observe(parent)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const changed = () => redraw((times) => times + 1)
    scheme.addEventListener('change', changed)
    addEventListener(THEME_CHANGED, changed)
    return () => {
      observer.disconnect()
      removeEventListener(THEME_CHANGED, changed)
      scheme.removeEventListener('change', changed)
    }
  }, [])
  useEffect(() => {
    const canvas = box.current?.getContext('2d')
    if (!canvas || width === 0) return
    const frame = requestAnimationFrame(() => {
      const ratio = devicePixelRatio
      const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)]
      if (canvas.canvas.width !== across) canvas.canvas.width = across
      if (canvas.canvas.height !== down) canvas.canvas.height = down
      canvas.setTransform(ratio, 0, 0, ratio, 0, 0)
      canvas.clearRect(0, 0, width, height)
      canvas.font = '12px system-ui, sans-serif'
      const style = getComputedStyle(document.documentElement)
      // Reading a colour from the style is slow, and drawings need one for each of 10,000 boxes.
      const known = new Map<string, string>()
      const colour = (name: string): string => {
        const found = known.get(name) ?? style.getPropertyValue(`--${name}`).trim()
        known.set(name, found)
        return found
      }
      draw({ canvas, width, height, ratio, colour })
    })
    return () => cancelAnimationFrame(frame)
  })
  return (
    <div class="drawing">
      <canvas ref={box} role="img" aria-label={label} style={{ height: `${height}px` }} {...more} />
    </div>
  )
}

/** The place of the mouse in CSS pixels from the upper left corner of the drawing. */
export function mousePlace(event: MouseEvent): [x: number, y: number] {
  const { left, top } = (event.currentTarget as Element).getBoundingClientRect()
  return [event.clientX - left, event.clientY - top]
}
