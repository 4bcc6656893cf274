import { concat, startsOf } from '../base/bytes.ts'
import type { InspectError } from '../base/errors.ts'
import type { ColumnType } from '../cells/column.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { enumerationFault } from '../objects/enumerations.ts'
import { attributeLabels } from '../objects/labels.ts'
import { type OpenedArray, PROVENANCE } from '../read/query.ts'
import type { CommandContext } from './command.ts'
import type { FieldReport } from './field-report.ts'

/** The enumerations that `--labels` shows. A field whose labels cannot be read shows its indexes; and for `--provenance` the names of the fragments, in the form of an enumeration. */
export async function shownEnumerations(
  { array, schema, fragments }: OpenedArray,
  { labels, provenance }: { labels?: boolean; provenance?: boolean },
  report: FieldReport,
  onFault: (fault: InspectError) => void,
): Promise<Map<string, Enumeration>> {
  const found = new Map<string, Enumeration>()
  for (const { name } of labels ? schema.attributes : []) {
    const { enumeration, remark, fault } = await attributeLabels(array, name, schema)
    if (fault && report.isNewFault(name)) {
      onFault(enumerationFault(fault, name))
    }
    if (enumeration) found.set(name, enumeration)
    if (remark !== undefined) report.remark(name, remark)
  }
  if (provenance) found.set(PROVENANCE[0].name, namesOf(fragments.map(({ fragment }) => fragment.name)))
  return found
}

/** Names of the columns that hold indexes of enumerations. */
export function indexedIn({ attributes }: ArraySchema, columns: readonly ColumnType[]): string[] {
  const names = attributes.flatMap(({ name, enumeration }) => (enumeration === '' ? [] : name))
  return columns.flatMap(({ kind, name }) => (kind === 'attribute' && names.includes(name) ? name : []))
}

/** An enumeration whose values are names. */
function namesOf(names: readonly string[]): Enumeration {
  const values = names.map((name) => new TextEncoder().encode(name))
  const [{ name }] = PROVENANCE
  const stored = { data: concat(values), offsets: startsOf(values) }
  return { version: 0, name, path_name: '', type: 'STRING_UTF8', cell_val_num: 'var', ordered: false, ...stored }
}

/** Tells faults, and adds their files to `told`. */
export function tellingFaults(cx: CommandContext, told: Set<string>): (fault: InspectError) => void {
  return (fault) => {
    if (fault.at.file !== undefined) told.add(fault.at.file)
    cx.fault(fault)
  }
}
