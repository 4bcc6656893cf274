import { comparable } from '../cells/bounds.ts'
import type { Dimension } from '../format/dimension.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { type Fragment, type FragmentInfo, slotHasFiles, storedCellNum } from '../store/fragment.ts'

/** What the footer of a fragment tells. */
export interface FragmentFacts {
  fragment: Fragment
  info: FragmentInfo
  cell_num: number
  /** Bytes of its data files. */
  stored_bytes: number
  /** Bytes of the sections of its metadata. */
  sections_bytes: number
  /** Number of its data files. */
  files: number
  /** Ends of its non-empty domain as numbers, by dimension: {@link asNumber}. */
  box: readonly (readonly [low: number, high: number])[]
}

/** Facts of all fragments, from their footers. */
export interface ArrayFacts {
  opened: OpenedArray
  fragments: readonly FragmentFacts[]
  cell_num: number
  stored_bytes: number
}

export function arrayFacts(opened: OpenedArray): ArrayFacts {
  const fragments = opened.fragments.map(factsOf)
  return {
    opened,
    fragments,
    cell_num: sum(fragments, ({ cell_num }) => cell_num),
    stored_bytes: sum(fragments, ({ stored_bytes }) => stored_bytes),
  }
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function factsOf({ fragment, info }: OpenedFragment): FragmentFacts {
  let stored_bytes = 0
  let files = 0
  for (const [slot, one] of info.slots.entries()) {
    if (!slotHasFiles(info, one)) continue
    for (const sizes of [info.file_sizes, info.file_var_sizes, info.file_validity_sizes]) {
      if (!sizes?.[slot]) continue
      stored_bytes += sizes[slot]
      files++
    }
  }
  const { dimensions } = info.schema.domain
  return {
    fragment,
    info,
    cell_num: storedCellNum(info),
    stored_bytes,
    sections_bytes: info.footer?.offset ?? 0,
    files,
    box: (info.nonempty_domain ?? []).map(({ min, max }, d) => [
      asNumber(dimensions[d], min),
      asNumber(dimensions[d], max),
    ]),
  }
}

/** A coordinate as a number that sorts like it, nearly: the first bytes of text, and 64-bit integers rounded. */
export function asNumber({ type }: Pick<Dimension, 'type'>, bytes: Uint8Array): number {
  const value = comparable(type, bytes)
  if (!(value instanceof Uint8Array)) return Number(value)
  let number = 0
  for (let i = 0; i < TEXT_BYTES; i++) number = number * 256 + (value[i] ?? 0)
  return number
}

/** A double holds so many bytes exactly. */
const TEXT_BYTES = 6

/**
 * Read operations of a read of a whole fragment: its footer and that footer's length, an R-tree if it is sparse, and for each data
 * file a list of offsets and the data.
 */
export function requestsOf({ info, files }: FragmentFacts): number {
  return 2 + (info.dense ? 0 : 1) + 2 * files
}
