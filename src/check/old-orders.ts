import { type OrderRule, PRESENT_ORDER } from '../cells/cell-order.ts'
import type { ColumnData } from '../cells/column.ts'
import { hilbertBits } from '../cells/hilbert.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { FragmentInfo } from '../objects/fragment.ts'
import type { KnownFault } from './codes/known.ts'

/** A cell order of some TileDB releases that differs from the one in which TileDB merges today. It is no damage. */
export interface OldOrder {
  rule: OrderRule
  /** The faults of TileDB that made the order. */
  faults: readonly KnownFault[]
  /** Whether a cell follows the order; undefined if all cells do. */
  holds?: ((columns: readonly ColumnData[], cell: number) => boolean) | undefined
}

type Choice<K extends keyof OrderRule> = readonly [value: OrderRule[K], fault: KnownFault]

/**
 * @see Domain::tile_order_cmp, Dimension::tile_idx, and Domain::null_tile_extents of 1.5 to 1.7. Within 2.3 (format 9), 2.3.0 differs from
 * later patches.
 */
function tileChoices(version: number, dimensions: readonly Dimension[]): Choice<'tiles'>[] {
  if (version < 5)
    return [
      ['typed', 'orderOfWideDomains'],
      ...(dimensions.some(({ tile_extent }) => !tile_extent) ? [['none', 'orderWithoutTiles'] as const] : []),
    ]
  return [
    ...(version < 10 ? [['wrapping', 'wrappedTileNumbers'] as const] : []),
    ...(version >= 9 && version < 14 ? [['bytes', 'byteTileNumbers'] as const] : []),
  ]
}

/**
 * Orders of text in all releases since 2.0. Consolidation merges by unsigned bytes, but its input is ordered by signed bytes.
 *
 * @see Domain::cell_order_cmp_impl<char>, which compares char, while the readers of these releases compare string_view
 */
function textChoices(merged: boolean): Choice<'text'>[] {
  return [['signed', 'signedText'], ...(merged ? [['any', 'signedText'] as const] : [])]
}

/**
 * Orders of cells with the same Hilbert value. Until 2.23, a late release of format 21, writers and readers differed.
 * Consolidation merged in the readers' order, but its input was in the writers' order: its result may have neither.
 *
 * @see Domain::cell_order_cmp, HilbertCmp
 */
function tieChoices(version: number, merged: boolean): Choice<'hilbertTies'>[] {
  if (version >= 22) return []
  return [['col-major', 'hilbertTies'], ...(merged ? [['any', 'hilbertTies'] as const] : [])]
}

function rangeChoices(version: number): Choice<'hilbertRange'>[] {
  if (version >= 9) return []
  return [['count', 'hilbertRange']]
}

/**
 * Orders of TileDB 2.7 and 2.8 (formats 11 and 12), which read every text up to the end of the buffer of all texts. This changes
 * only texts with fewer bytes than their share of a Hilbert value: their place cannot be computed. After consolidation, the
 * place of no text can be computed.
 *
 * @see QueryBuffer::varying_size_datum_at of 2.8
 */
function spilling(orders: readonly OldOrder[], dimensionNum: number, merged: boolean): OldOrder[] {
  const bytes = Math.ceil(hilbertBits(dimensionNum) / 8)
  const holds = (columns: readonly ColumnData[], cell: number): boolean =>
    !merged && columns.every(({ starts }) => !starts || starts[cell + 1] - starts[cell] >= bytes)
  return orders.map(({ rule }) => ({ rule, faults: ['hilbertSpill'], holds }))
}

/** The order of fragments with NaN coordinates. */
const NAN_ORDER: OldOrder = {
  rule: { ...PRESENT_ORDER, hilbertTies: 'any' },
  faults: ['hilbertNan'],
}

/** More orders that a fragment may have if some coordinates are NaN. */
export function nanOrders({ schema }: FragmentInfo): OldOrder[] {
  return schema.cell_order === 'hilbert' ? [NAN_ORDER] : []
}

/** The old orders that a fragment's cells may have, likelier ones first. @param merged whether it may be consolidated */
export function oldOrders({ format_version, schema }: FragmentInfo, merged: boolean): OldOrder[] {
  const hilbert = schema.cell_order === 'hilbert'
  const text = schema.domain.dimensions.some(({ cell_val_num }) => cell_val_num === 'var')
  let orders: OldOrder[] = [{ rule: PRESENT_ORDER, faults: [] }]
  const vary = <K extends keyof OrderRule>(key: K, choices: readonly Choice<K>[]): void => {
    const others = choices.flatMap(([value, fault]) =>
      orders.map((order) => ({
        rule: { ...order.rule, [key]: value },
        faults: [...order.faults, fault],
      })),
    )
    orders = [...orders, ...others]
  }
  if (hilbert) {
    vary('hilbertTies', tieChoices(format_version, merged))
    vary('hilbertRange', rangeChoices(format_version))
  } else {
    vary('tiles', tileChoices(format_version, schema.domain.dimensions))
    if (schema.domain.dimensions.some(({ type }) => datatypeKind(type) === 'float')) {
      vary('conversion', [['arm', 'armOrder']])
    }
  }
  if (text) vary('text', textChoices(merged))
  const spills = hilbert && text && (format_version === 11 || format_version === 12)
  const rest = spills ? spilling(orders, schema.domain.dimensions.length, merged) : []
  return [...orders.slice(1), ...rest]
}
