import type { CellsMissingLabel, CellsUnknownNulls } from '../documents/cells.ts'
import { counted } from '../render/views/wording.ts'
import type { CommandContext } from './command.ts'

/** Collects notes about fields, each once: remarks, nulls that are not known, and cells without a label. */
export class FieldReport {
  private readonly remarks = new Map<string, Set<string>>()
  private readonly missing = new Map<string, CellsMissingLabel>()
  private readonly faults = new Set<string>()
  private readonly unknown = new Map<string, CellsUnknownNulls>()
  private reported = false

  remark(field: string, text: string): void {
    const known = this.remarks.get(field) ?? new Set()
    this.remarks.set(field, known.add(text))
  }

  /** Adds a tile whose validity cannot be read, though its values can. @param nulls how many of its cells are null, if that is known */
  addUnknownNulls(field: string, cells: number, nulls: number | undefined): void {
    const { cell_num, null_count } = this.unknown.get(field) ?? { cell_num: 0, null_count: 0 }
    const all = null_count === null || nulls === undefined ? null : null_count + nulls
    this.unknown.set(field, { field, cell_num: cell_num + cells, null_count: all })
  }

  /** What {@link addUnknownNulls} added, as part of a document; undefined if nothing. */
  unknownNulls(): CellsUnknownNulls[] | undefined {
    return this.unknown.size === 0 ? undefined : [...this.unknown.values()]
  }

  /** Notes a fault of a field's labels. @returns whether it is the field's first: every fragment of an array has the same fault */
  isNewFault(field: string): boolean {
    return this.faults.size < this.faults.add(field).size
  }

  /** A function to call for each cell whose index has no label. @param values the labels */
  missingIn(field: string, enumeration: string, values: readonly unknown[]): (index: number | bigint) => void {
    const known = this.missing.get(field) ?? {
      field,
      enumeration,
      value_num: values.length,
      cell_num: 0,
      first: null,
      looks_like_label: values.some((value) => typeof value === 'number' || typeof value === 'bigint') || undefined,
    }
    this.missing.set(field, known)
    return (index) => {
      known.first ??= index
      known.cell_num++
    }
  }

  /** The missing labels as part of a document; undefined if none are missing. */
  missingLabels(): CellsMissingLabel[] | undefined {
    const all = [...this.missing.values()].filter(({ cell_num }) => cell_num > 0)
    return all.length === 0 ? undefined : all.map((one) => ({ ...one }))
  }

  /** Prints the report after the last cell, once. @param inRecords whether a cell without a label is null instead of its index, as in Arrow and Parquet */
  tell(cx: Pick<CommandContext, 'note'>, inRecords = false): void {
    if (this.reported) return
    this.reported = true
    for (const [field, texts] of this.remarks) for (const text of texts) cx.note(`${field}: ${text}`)
    for (const { field, cell_num, null_count } of this.unknown.values()) {
      const known = null_count === null ? '' : ` (nulls by the statistics: ${null_count})`
      cx.note(
        `${field}: the stored values of ${counted(cell_num, 'cell')} are shown, but nothing tells which of them are null${known}`,
      )
    }
    for (const { field, enumeration, value_num, cell_num, first, looks_like_label } of this.missing.values()) {
      if (cell_num === 0) continue
      const index = looks_like_label ? INDEX_LOOKS_LIKE_LABEL : INDEX_SHOWN
      const instead = inRecords ? NULL_SHOWN : index
      const cells = `${counted(cell_num, 'cell')} ${cell_num === 1 ? 'has' : 'have'}`
      cx.note(
        `${field}: ${cells} no label (the first has index ${first}, the enumeration ${enumeration} has ${counted(value_num, 'value')}): ${instead}`,
      )
    }
  }
}

/** What the output has for a cell without a label. */
const INDEX_SHOWN = 'the index is shown'
const INDEX_LOOKS_LIKE_LABEL =
  'the index is shown, and looks like a label, as these are numbers: only --format arrow and parquet, which write null, tell them apart'
const NULL_SHOWN = 'null is written'
