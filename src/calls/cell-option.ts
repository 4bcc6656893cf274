import { usage, wrongOption } from '../base/errors.ts'
import { type Bounds, compare, rangeFilter } from '../cells/bounds.ts'
import type { Dimension } from '../format/dimension.ts'
import type { ValueStyle } from '../format/value.ts'
import { parseRanges, type RangeOption } from './ranges.ts'
import { domainResult } from './values.ts'

/** Splits `row=3,col=7` at commas that are followed by a dimension's name, so that values may contain commas. */
function splitCells(dimensions: readonly Dimension[], texts: readonly string[]): string[] {
  const isStart = (piece: string): boolean => dimensions.some(({ name }) => piece.startsWith(`${name}=`))
  const parts: string[] = []
  for (const [i, piece] of texts.flatMap((text) => Array.from(text.split(',').entries()))) {
    // Many users type a space after the comma.
    const trimmed = isStart(piece) ? piece : piece.trimStart()
    if (isStart(trimmed)) parts.push(trimmed)
    else if (i === 0) parts.push(piece)
    else parts[parts.length - 1] += `,${piece}`
  }
  return parts
}

/** `--cell` in the words of errors about ranges. */
const CELL: RangeOption = {
  name: '--cell',
  form: 'NAME=V',
  takes: 'a value for each dimension, by name',
  one: 'one value',
}

/**
 * Parses `NAME=V,…` options into the bounds of one cell, by dimension.
 * @throws InspectError USAGE if a dimension has no value, two values, or a range
 */
export function parseCell(dimensions: readonly Dimension[], texts: readonly string[]): Map<number, Bounds> {
  const bounds = parseRanges(dimensions, splitCells(dimensions, texts), CELL)
  const missing = dimensions.flatMap(({ name }, d) => (bounds.has(d) ? [] : [name]))
  if (missing.length > 0) {
    const found = `none for ${missing.join(', ')}: ${JSON.stringify(texts.join(','))}`
    throw wrongOption('--cell', 'a value for each dimension', found)
  }
  for (const [d, { low, high }] of bounds) {
    if (low !== undefined && high !== undefined && compare(low, high) === 0) continue
    const [expected, found] = [`one value for ${dimensions[d].name}`, 'a range']
    throw usage({ expected, found, commandLine: `--cell expects ${expected}, found ${found} (--range takes ranges)` })
  }
  return bounds
}

/** Refuses a cell outside the domain. @throws InspectError USAGE */
export function refuseOutside(
  dimensions: readonly Dimension[],
  bounds: ReadonlyMap<number, Bounds>,
  texts: readonly string[],
  style: ValueStyle,
): void {
  const options = splitCells(dimensions, texts)
  for (const [d, ends] of bounds) {
    const { name, type, cell_val_num, domain } = dimensions[d]
    const range = domainResult(type, domain, style)
    const [min, max] = [domain.subarray(0, domain.length / 2), domain.subarray(domain.length / 2)]
    if (!range || rangeFilter([{ type, cell_val_num }], new Map([[0, ends]]))([{ min, max }])) continue
    const found = JSON.stringify(options.find((option) => option.startsWith(`${name}=`)))
    throw wrongOption('--cell', `${name} in its domain, ${range.join(' to ')}`, found)
  }
}
