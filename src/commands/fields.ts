import { type InspectError, usage } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { type FragmentInfo, slotHasFiles } from '../store/fragment.ts'

/**
 * The slots of the named fields that have data files; all of them if no names are given.
 * @throws InspectError USAGE for a name that is not a field of the fragment
 */
export function selectedSlots(info: FragmentInfo, names: readonly string[] | undefined): number[] {
  const slots = info.slots.flatMap((slot, i) => (slotHasFiles(info, slot) ? [i] : []))
  if (names === undefined) return slots
  for (const name of names) {
    if (slots.some((i) => info.slots[i].name === name)) continue
    throw unknownField(
      '--field',
      name,
      slots.map((i) => info.slots[i].name),
    )
  }
  return slots.filter((i) => names.includes(info.slots[i].name))
}

/** @param option that named the field, such as `--field` */
export function unknownField(option: string, name: string, fields: readonly string[]): InspectError {
  const all = fields.map((field) => JSON.stringify(field)).join(', ')
  const found = `found ${JSON.stringify(name)}${didYouMean(name, fields)}`
  return usage(`${option} expects a field (${all}), ${found}`)
}
