import type { CellValue } from '../documents/common.ts'
import { hex } from '../filters/bytes.ts'
import { formatCount, shortValue } from '../render/units.ts'

/** Characters of a text, bytes, and elements of a cell that are shown. */
const MOST = { characters: 300, bytes: 64, elements: 20 }

/** A cell as the page shows it, without what is too much to show. */
export interface ShortCell {
  text: string
  /** What was cut, in words. */
  more?: string
  isNull?: true
}

export function shortCell(value: CellValue | undefined): ShortCell {
  if (value === null || value === undefined) return { text: value === null ? 'null' : '', isNull: true }
  if (typeof value === 'string') return cut(value, MOST.characters, 'characters', (part) => part as string)
  if (value instanceof Uint8Array)
    return cut(value, MOST.bytes, 'bytes', (part) => (part.length === 0 ? '' : `0x${hex(part as Uint8Array)}`))
  if (Array.isArray(value))
    return cut(
      value,
      MOST.elements,
      'values',
      (part) => `[${[...part].map((one) => shortValue(one, MOST.characters)).join(', ')}]`,
    )
  return { text: shortValue(value) }
}

type Sliced<T> = { length: number; slice(from: number, to: number): T }

function cut<T extends { length: number } & Iterable<CellValue>>(
  value: Sliced<T>,
  most: number,
  what: string,
  show: (part: T) => string,
): ShortCell {
  const text = show(value.slice(0, most))
  return value.length > most ? { text, more: `… ${formatCount(value.length - most)} more ${what}` } : { text }
}

/**
 * `NAME=V,…` of a cell, as `--cell` takes it.
 * @returns undefined where a coordinate cannot be written so, or is too long
 */
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

/** A coordinate as options take it: texts in quotes, unless they are dates or other plain words. */
export function coordinateText(value: CellValue | undefined): string | undefined {
  if (typeof value === 'number') return shortValue(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'string') return undefined
  return /^[\w:-][\w:+-]*(\.\d+)?$/.test(value) ? value : JSON.stringify(value)
}
