import type { InspectError } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { MAX_LISTED } from '../calls/compare-results.ts'
import type { Takes } from '../calls/targets.ts'
import type { NotUniqueInfo } from '../documents/common.ts'
import type { DiffLine, DiffPart, DiffRead, DiffVerdict } from '../documents/diff.ts'

export const TAKES = {
  array: '',
  fragment: '',
  group: 'its members',
  'schema file': '',
  'fragment metadata file': '',
} as const satisfies Takes

export interface DiffOptions {
  schemaOnly?: boolean
  cells?: boolean
  names?: boolean
  read?: boolean
  asOf?: string[]
  recursive?: boolean
  files?: boolean
}

const CELL_COUNTS = ['cells_same', 'cells_changed', 'cells_only_a', 'cells_only_b'] as const

/** Numbers of cells that readers see. */
export type CellCounts = Record<(typeof CELL_COUNTS)[number], number>

/** A comparison, and its results so far. */
export class DiffComparison {
  readonly cx: CommandContext
  readonly options: DiffOptions
  readonly found: DiffLine[] = []
  /** Number of cells that were compared. */
  cell_num: number | undefined
  /** Sums over arrays whose cells were compared as readers see them. */
  counts: CellCounts | undefined
  /** Why answers of reads of each target are not unique, over all arrays. */
  readonly notUnique: readonly [NotUniqueInfo[], NotUniqueInfo[]] = [[], []]
  /** Number of cells that differ and are not listed in `found`. */
  unlistedCells = 0
  /** Number of other differences that are not listed there. */
  unlisted = 0
  /** Paths of what could not be read on one side or both: members of groups, fragments and cells. */
  readonly not_compared: string[] = []

  constructor(cx: CommandContext, options: DiffOptions) {
    this.cx = cx
    this.options = options
  }

  /** Adds the cells of an array whose cells were compared as readers see them. */
  addCounts(more: CellCounts): void {
    const sums = { cells_same: 0, cells_changed: 0, cells_only_a: 0, cells_only_b: 0, ...this.counts }
    let cells = 0
    for (const key of CELL_COUNTS) {
      sums[key] += more[key]
      cells += more[key]
    }
    this.counts = sums
    this.cell_num = (this.cell_num ?? 0) + cells
  }

  /** The counts and reasons that the document has of reads; undefined if no cells were read. */
  get reads(): DiffRead | undefined {
    const [own, other] = this.notUnique
    return (
      this.counts && {
        ...this.counts,
        not_unique: own.length > 0 ? own : undefined,
        other_not_unique: other.length > 0 ? other : undefined,
      }
    )
  }

  /** Reports what could not be compared. */
  lost(path: string, error?: InspectError): void {
    if (error) this.cx.fault(error)
    if (!this.not_compared.includes(path)) this.not_compared.push(path)
  }
}

/** What differs between two objects: two targets, or a member of both. */
export class Compared {
  private readonly run: DiffComparison
  private readonly before: number
  readonly differs = new Set<DiffPart>()
  difference_num = 0
  /** Whether the cells that were compared are the same; undefined if none were. */
  sameCells: boolean | undefined
  /** Whether readers could tell the schemas apart. */
  schemaIsRead = false

  constructor(run: DiffComparison) {
    this.run = run
    this.before = run.not_compared.length
  }

  /** Adds differences. @returns whether there are any */
  add(part: DiffPart, lines: Iterable<DiffLine>): boolean {
    const { found } = this.run
    const before = this.difference_num
    for (const line of lines) {
      this.difference_num++
      if (found.length < MAX_LISTED) found.push(line)
      else this.run.unlisted++
    }
    if (this.difference_num === before) return false
    this.differs.add(part)
    return true
  }

  /** Adds the differences of a cell. @returns whether there are any */
  addCell(lines: Iterable<DiffLine>): boolean {
    const { found } = this.run
    const all = [...lines]
    if (all.length === 0) return false
    this.difference_num++
    this.differs.add('cells')
    if (found.length < MAX_LISTED) found.push(...all)
    else this.run.unlistedCells++
    return true
  }

  /** Adds what another comparison of the same objects has found. */
  join({ differs, difference_num, sameCells, schemaIsRead }: Compared): void {
    for (const part of differs) this.differs.add(part)
    this.difference_num += difference_num
    this.sameCells = sameCells
    this.schemaIsRead ||= schemaIsRead
  }

  get verdict(): DiffVerdict {
    const { run, differs, sameCells, schemaIsRead } = this
    if (run.not_compared.length > this.before) return differs.size > 0 ? 'different' : 'not-compared'
    if (differs.size === 0) return 'equal'
    const isLayout = !schemaIsRead && [...differs].every((part) => part === 'schema' || part === 'storage')
    return sameCells && isLayout ? 'same-cells' : 'different'
  }
}

/** A path below another path. Either may be empty. */
export function below(prefix: string, path: string): string {
  return [prefix, path].filter((name) => name !== '').join('.')
}
