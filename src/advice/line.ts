import type { Prose } from '../base/prose.ts'

/** A line of advice: a statement that calls TileDB-Py, or a command of this program. */
export interface AdviceLine {
  /** What the line does. */
  does: Deed
  /** The statement or command, without its note. */
  code: string
  /** What to know about the line. */
  note?: Prose | undefined
  /** What the line loses; left out if it loses nothing. */
  loses?: LineLoss | undefined
}

/**
 * What a line of advice does. The new array of a rewrite takes three lines: `load` gets the old schema and changes nothing, `create` makes the
 * new array, `copy` fills it. `read` opens the array in another way. `inspect` is a command of this program, which changes nothing.
 */
export type Deed =
  | 'consolidate'
  | 'vacuum'
  | 'delete fragments'
  | 'upgrade version'
  | 'drop attribute'
  | 'load'
  | 'create'
  | 'copy'
  | 'read'
  | 'inspect'

/** What a line of advice loses: cells for reads as of a time in the past, cells, old readers or an attribute. */
export type LineLoss = 'earlier cells' | 'deleted cells' | 'fragments' | 'old readers' | 'attribute'

/** A line of advice as documents print it, with its note as a comment. */
export function lineText({ code, note }: Pick<AdviceLine, 'code' | 'note'>): Prose {
  return note === undefined ? code : `${code}  # ${note}`
}

/** A command of this program as a line of advice. */
export function inspectLine(code: string, note?: Prose): AdviceLine {
  return { does: 'inspect', code, note }
}
