import { Button } from '../controls.tsx'
import { csvText, download } from '../download.ts'
import type { Sheet } from '../drawing.tsx'
import { canvasPen, type Pen, svgPen } from './pen.ts'

/** A drawing that the reader may keep: as picture, or as the numbers behind it. */
export interface KeptDrawing {
  /** Name of the file, without its ending. */
  name: string
  /** In CSS pixels. */
  width: number
  height: number
  draw(pen: Pen, width: number, colour: Sheet['colour']): void
  /** The numbers, with a line of titles. */
  rows(): Iterable<readonly string[]>
}

/** Screen pixels per CSS pixel of a saved picture. */
const RATIO = 2

/** @param kept gives the drawing as it is now */
export function SaveButtons({ kept }: { kept(): KeptDrawing }) {
  return (
    <>
      <Button onClick={() => savePng(kept())}>PNG</Button>
      <Button onClick={() => saveSvg(kept())}>SVG</Button>
      <Button onClick={() => saveCsv(kept())}>CSV</Button>
    </>
  )
}

function saveCsv({ name, rows }: KeptDrawing): void {
  download(`${name}.csv`, new Blob([csvText(rows())], { type: 'text/csv' }))
}

function saveSvg({ name, width, height, draw }: KeptDrawing): void {
  const { pen, text } = svgPen(width, height, styleColour('paper'))
  draw(pen, width, styleColour)
  download(`${name}.svg`, new Blob([text()], { type: 'image/svg+xml' }))
}

function savePng({ name, width, height, draw }: KeptDrawing): void {
  const sheet = document.createElement('canvas')
  sheet.width = RATIO * width
  sheet.height = RATIO * height
  const canvas = sheet.getContext('2d')
  if (!canvas) return
  canvas.scale(RATIO, RATIO)
  canvas.font = '12px system-ui, sans-serif'
  const pen = canvasPen(canvas)
  pen.box({ x: 0, y: 0, width, height }, styleColour('paper'))
  draw(pen, width, styleColour)
  sheet.toBlob((blob) => blob && download(`${name}.png`, blob))
}

function styleColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}
