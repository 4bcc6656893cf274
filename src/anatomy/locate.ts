import { InspectError } from '../base/errors.ts'
import { FragmentCells } from '../cells/fragment-cells.ts'
import { columnValue } from '../cells/rows.ts'
import type { CellValue, ValueStyle } from '../format/value.ts'
import type { Fragment } from '../store/fragment.ts'
import { type Children, lastNotBehind, type Part } from './part.ts'
import { elementPart } from './path.ts'

/** The parts that hold a byte, from the whole file down to the smallest. */
export async function chainTo(root: Part, offset: number): Promise<Part[]> {
  const chain: Part[] = []
  let part: Part | undefined = root
  while (part) {
    chain.push(part)
    const { elements }: Part = part
    if (elements) {
      chain.push(elementPart(part, lastNotBehind(elements.count, elements.start, offset)))
      break
    }
    const children: Children | undefined = await part.children?.()
    const index: number = children?.find(offset) ?? -1
    part = children && index >= 0 ? await children.at(index) : undefined
  }
  return chain
}

/** One cell as a user knows it. */
export interface CellFacts {
  /** By dimension. */
  coordinates: { [dimension: string]: CellValue }
  /** The field's value; undefined if the bytes belong to a dimension. */
  value: CellValue | undefined
  /** Dense arrays: whether the cell lies in the non-empty domain, so is not padding. */
  written: boolean
}

/**
 * Coordinates of one cell, and the value of one field.
 * @returns undefined if they cannot be read because of damage
 */
export async function cellFacts(
  fragment: Fragment,
  slot: number,
  tile: number,
  cell: number,
  style: ValueStyle,
): Promise<CellFacts | undefined> {
  const info = await fragment.info()
  const { name, kind } = info.slots[slot]
  const field = kind === 'dimension' || kind === 'coords' ? undefined : name
  const cells = await FragmentCells.open(fragment, {
    fields: field === undefined ? [] : [field],
    onColumnError: () => {},
  })
  try {
    const batch = await cells.cell(tile, cell)
    const coordinates: { [dimension: string]: CellValue } = Object.create(null)
    let value: CellValue | undefined
    for (const [i, column] of cells.columns.entries()) {
      const data = batch.columns[i]
      if (!data) return undefined
      const shown = columnValue(column, style)(data, 0)
      if (column.kind === 'dimension') coordinates[column.name] = shown
      else value = shown
    }
    return { coordinates, value, written: batch.rows === undefined || batch.rows.length > 0 }
  } catch (error) {
    if (error instanceof InspectError) return undefined
    throw error
  } finally {
    await cells.close()
  }
}
