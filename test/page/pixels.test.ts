import { expect, test } from '@jest/globals'
import { colourAt, type Scale } from '../../src/page/palette.ts'
import { colouredPixels, extremePixels, rasterLack } from '../../src/page/picture/pixels.ts'
import { LACKS, type Raster } from '../../src/page/raster.ts'
import { ownMemory } from '../../src/page/tasks.ts'

/** A raster of one row. Each pixel has one cell with a number, a flag of what it lacks, or neither. */
function rasterOf(pixels: readonly (number | 'fill' | 'null' | undefined)[]): Raster {
  const axis = { dimension: {}, length: pixels.length, low: 0n, step: 1n, end: undefined }
  return {
    kind: 'each',
    down: axis,
    right: axis,
    column: { name: 'a' },
    sums: Float64Array.from(pixels, (one) => (typeof one === 'number' ? one : 0)),
    counts: Uint32Array.from(pixels, (one) => (typeof one === 'number' ? 1 : 0)),
    lacks: Uint8Array.from(pixels, (one) => (typeof one === 'string' ? LACKS[one] : 0)),
    fillIsValue: false,
    read: pixels.length,
    total: pixels.length,
  } as unknown as Raster
}

const SCALE: Scale = { palette: 'viridis', low: 0, high: 10, isLog: false }

test('pixels have the colours of the scale, those without a number their own; those without a cell are transparent', () => {
  const special = { fill: 0x102030, null: 0x405060 }
  const pixels = colouredPixels([rasterOf([0, 10, 99, 'fill', 'null', undefined, Number.NaN])], SCALE, special)
  const colours = Array.from({ length: 7 }, (_, i) => [...pixels.subarray(4 * i, 4 * i + 4)])
  const bytes = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255, 255]
  expect(colours).toEqual([
    ...[colourAt(0), colourAt(1), colourAt(1), special.fill, special.null].map(bytes),
    [0, 0, 0, 0],
    bytes(special.null),
  ])
})

test('a raster says what any of its pixels lacks', () => {
  expect(rasterLack(rasterOf([1, 2]))).toEqual({ flags: 0, hasUnread: false })
  expect(rasterLack(rasterOf([1, 'null', 'fill']))).toEqual({ flags: LACKS.null | LACKS.fill, hasUnread: false })
  expect(rasterLack(rasterOf([undefined, 1]))).toEqual({ flags: 0, hasUnread: true })
})

test('the memory of a drawing is handed over whole, that of other results not', () => {
  const found = rasterOf([1])
  expect(ownMemory({ found, faults: [] })).toEqual([found.sums.buffer, found.counts.buffer, found.lacks.buffer])
  expect(ownMemory({ found: undefined, faults: [] })).toEqual([])
  expect(ownMemory(undefined)).toEqual([])
  expect(ownMemory({ rows: [new Uint8Array(3)] })).toEqual([])
})

test('the pixels with the least and the greatest number are the first ones', () => {
  expect(extremePixels(rasterOf(['null', 4, 9, -1, 9, -1, undefined, Number.NaN]))).toEqual([3, 2])
  expect(extremePixels(rasterOf(['fill', undefined]))).toBeUndefined()
})
