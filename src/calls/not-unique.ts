import type { Prose } from '../base/prose.ts'
import type { NotUniqueInfo } from '../documents/common.ts'
import type { NotUnique, OpenedArray } from '../read/query.ts'
import type { CommandContext } from './command.ts'

const MEANINGS: Readonly<Record<NotUnique['kind'], Prose>> = {
  'equal-times':
    "they wrote the same cell at one time, and duplicates are not allowed. This is the answer of TileDB's global and unordered reads; its row-major and col-major reads may give another, or none if a delete condition deletes that one",
  'out-of-order':
    "cells are not in global order in their file. This is the answer of TileDB's row-major and col-major reads; its global and unordered reads may also give cells that newer ones replaced",
}

/** Most fragments that an answer names for each reason. */
const MAX_NAMED = 20

/** Collects the reasons why the answer of a read is not unique. */
export class NotUniqueReport {
  private readonly fragments: OpenedArray['fragments']
  /** Positions of the fragments for each reason. */
  private readonly found = new Map<NotUnique['kind'], Set<number>>()
  private told = false

  /** @param fragments those of the opened array, to which the positions in reasons refer */
  constructor(fragments: OpenedArray['fragments']) {
    this.fragments = fragments
  }

  readonly add = ({ kind, fragments }: NotUnique): void => {
    const positions = this.found.get(kind) ?? new Set()
    for (const position of fragments) positions.add(position)
    this.found.set(kind, positions)
  }

  /** The reasons as part of a document; undefined if there are none. */
  result(): NotUniqueInfo[] | undefined {
    const { fragments } = this
    const all = Array.from(this.found, ([kind, positions]): NotUniqueInfo => {
      const names = Array.from(positions, (position) => fragments[position].fragment.name).sort()
      return { kind, fragments: names.slice(0, MAX_NAMED), message: MEANINGS[kind] }
    })
    return all.length > 0 ? all : undefined
  }

  /** Prints a note for each reason, once. */
  tell(cx: Pick<CommandContext, 'note'>): void {
    if (this.told) return
    this.told = true
    for (const { kind, fragments, message } of this.result() ?? []) {
      const more = (this.found.get(kind)?.size ?? 0) - fragments.length
      cx.note(`the answer is not unique: ${fragments.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${message}`)
    }
  }
}
