import type { CellValue } from '../documents/common.ts'
import { hex } from '../filters/bytes.ts'
import { formatCount, shortValue } from '../render/units.ts'

/** Limits above which a cell is cut. */
const MOST = { characters: 300, bytes: 64, elements: 20 }

/** A cell as the page shows it, cut if it is long. */
export interface ShortCell {
  text: string
  /** How much was cut, in words. */
  more?: string
  isNull?: true
}

export function shortCell(value: CellValue | undefined): ShortCell {
  if (value === undefined) return { text: '' }
  if (value === null) return { text: 'null', isNull: true }
  if (typeof value === 'string') return cut(value, MOST.characters, 'characters', (part) => part)
  if (value instanceof Uint8Array)
    return cut(value, MOST.bytes, 'bytes', (part) => (part.length === 0 ? '' : `0x${hex(part)}`))
  if (Array.isArray(value)) {
    const show = (part: CellValue[]): string => `[${part.map((one) => shortValue(one, MOST.characters)).join(', ')}]`
    return cut(value as CellValue[], MOST.elements, 'values', show)
  }
  return { text: shortValue(value) }
}

/** @param show gives the text of the part that is left @param what the unit of the limit `most` */
function cut<T>(
  value: { length: number; slice(from: number, to: number): T },
  most: number,
  what: string,
  show: (part: T) => string,
): ShortCell {
  const text = show(value.slice(0, most))
  return value.length > most ? { text, more: `… ${formatCount(value.length - most)} more ${what}` } : { text }
}

/** `NAME=V,…` of a cell, as `--cell` takes it. Undefined if a coordinate cannot be written so, or the text is too long. */
export function cellOption(names: readonly string[], cell: Readonly<Record<string, CellValue>>): string | undefined {
  const parts: string[] = []
  for (const name of names) {
    const text = coordinateText(cell[name])
    if (text === undefined) return undefined
    parts.push(`${name}=${text}`)
  }
  const text = parts.join(',')
  return text.length <= 500 ? text : undefined
}

/** A coordinate as options take it. Text stands in quotes unless it is a date or another plain word. */
export function coordinateText(value: CellValue | undefined): string | undefined {
  if (typeof value === 'number') return shortValue(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'string') return undefined
  return /^[\w:-][\w:+-]*(\.\d+)?$/.test(value) ? value : JSON.stringify(value)
}
