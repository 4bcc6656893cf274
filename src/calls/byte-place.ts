import type { Part } from '../anatomy/part.ts'
import { usage } from '../base/errors.ts'
import type { DumpField } from '../documents/dump.ts'
import { OFFSET } from './option-values.ts'

/** The offset that `at` gets. @throws InspectError USAGE */
export function parseOffset(text: string | undefined): number {
  if (text !== undefined && OFFSET.test(text)) return Number(text)
  throw usage(`at expects a byte's offset (or --cell), found ${text === undefined ? 'none' : JSON.stringify(text)}`)
}

/** A part as `at` shows it. */
export function partResult(part: Part): DumpField {
  const { name, type, offset, length, label, stored, unit, meaning, verdict } = part
  const value = part.children === undefined && part.elements === undefined ? part.value : undefined
  return { name, type, offset, length, label, value, stored_value: stored, unit, meaning, verdict }
}
