import type { Slot } from './fragment-slots.ts'

/** What a file in a fragment folder holds. */
export type FileRole =
  | 'data'
  | 'offsets'
  | 'var'
  | 'validity'
  | 'coords'
  | 'timestamps'
  | 'delete_timestamps'
  | 'delete_condition_index'
  | 'metadata'
  | 'unknown'

/**
 * Codes that version 8 puts for characters of field names. Four of them are wrong as percent-encoding, and are the
 * format nevertheless: `<` %20, `>` %2D, `\` %30, `|` %3C.
 */
const VERSION_8_CODES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...'!"#$%&\'()*+,/:;=?@[]'].map((ch) => [ch, `%${ch.charCodeAt(0).toString(16).toUpperCase()}`]),
  ),
  '<': '%20',
  '>': '%2D',
  '\\': '%30',
  '|': '%3C',
}

/**
 * Base name of a slot's files, without `_var`, `_validity` and `.tdb`; undefined for the phantom coordinates slot.
 * Up to version 7 the field's name, in 8 with characters replaced, since 9 `a<i>` and `d<j>` counted in the fragment's own schema.
 *
 * @see format_spec/array_file_hierarchy.md
 */
export function fieldFileBase(version: number, slot: Slot): string | undefined {
  if (slot.kind === 'coords') return slot.phantom ? undefined : '__coords'
  if (slot.kind === 'timestamps') return 't'
  if (slot.kind === 'delete_timestamps') return 'dt'
  if (slot.kind === 'delete_condition_index') return 'dci'
  if (version >= 9) return `${slot.kind === 'attribute' ? 'a' : 'd'}${slot.index}`
  if (version < 8) return slot.name
  return [...slot.name].map((ch) => VERSION_8_CODES[ch] ?? ch).join('')
}
