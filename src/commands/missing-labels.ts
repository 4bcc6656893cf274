import type { Result } from '../base/result.ts'
import type { CommandContext } from './command.ts'

/** What is said of labels: those of an older schema, and those that there are none of. Each thing once. */
export class LabelReport {
  private readonly remarks = new Map<string, Set<string>>()
  private readonly missing = new Map<string, Missing>()
  private readonly faults = new Set<string>()
  private told = false

  remark(field: string, text: string): void {
    const known = this.remarks.get(field) ?? new Set()
    this.remarks.set(field, known.add(text))
  }

  /** Whether no fault of the field's labels was told: each fragment of an array meets the same one. */
  isNewFault(field: string): boolean {
    return this.faults.size < this.faults.add(field).size
  }

  /** @returns what is to be told of each cell whose index has no label */
  missingIn(field: string, enumeration: string, valueNum: number): (index: number | bigint) => void {
    const known = this.missing.get(field) ?? { field, enumeration, value_num: valueNum, cell_num: 0, first: null }
    this.missing.set(field, known)
    return (index) => {
      known.first ??= index
      known.cell_num++
    }
  }

  /** For a document; undefined where nothing is missing. */
  result(): Result | undefined {
    const all = [...this.missing.values()].filter(({ cell_num }) => cell_num > 0)
    return all.length === 0 ? undefined : all.map((one) => ({ ...one }))
  }

  /** Says it once, behind the last cell. @param instead what stands in a cell without a label */
  tell(cx: Pick<CommandContext, 'note'>, instead: string): void {
    if (this.told) return
    this.told = true
    for (const [field, texts] of this.remarks) for (const text of texts) cx.note(`${field}: ${text}`)
    for (const { field, enumeration, value_num, cell_num, first } of this.missing.values()) {
      if (cell_num === 0) continue
      const cells = cell_num === 1 ? '1 cell has' : `${cell_num} cells have`
      cx.note(
        `${field}: ${cells} no label (the first has index ${first}, the enumeration ${enumeration} has ${value_num} values): ${instead}`,
      )
    }
  }
}

interface Missing {
  field: string
  enumeration: string
  value_num: number
  cell_num: number
  first: number | bigint | null
}
