import { rangeFilter } from '../cells/bounds.ts'
import { mbrAt, type RTreeLevel } from '../format/rtree.ts'
import type { GenomicsdbFragment } from '../genomicsdb/fragment.ts'
import { parseRanges } from './ranges.ts'

/** The boxes of a fragment, one a tile. */
export function boxesOf({ book }: GenomicsdbFragment): RTreeLevel {
  return { mbr_num: book.mbr_num, bytes: book.mbrs, starts: undefined }
}

/** The tiles whose boxes the ranges of `--range` touch, in order; all of them without ranges. */
export function tilesTouched(fragment: GenomicsdbFragment, ranges: readonly string[] | undefined): number[] {
  const { dimensions } = fragment.array
  const level = boxesOf(fragment)
  const touches = ranges && rangeFilter(dimensions, parseRanges(dimensions, ranges))
  const all = Array.from({ length: fragment.tile_num }, (_, tile) => tile)
  return touches ? all.filter((tile) => touches(mbrAt(level, tile, dimensions))) : all
}

/** What `make` gives for each element, made anew each time that it is asked for. */
export function mapped<T, R>(list: readonly T[], make: (one: T) => R): Iterable<R> {
  return {
    *[Symbol.iterator]() {
      for (const one of list) yield make(one)
    },
  }
}
