import type { Slot } from './fragment-slots.ts'

/** Content of a file in a fragment folder. */
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
 * Codes that replace some characters of field names in version 8. Four of them are wrong as percent-encoding, but
 * TileDB writes them: `<` %20, `>` %2D, `\` %30, `|` %3C.
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
 * Returns the base name of a slot's files, without `_var`, `_validity` and `.tdb`; undefined for the phantom coordinates
 * slot. Up to version 7 it is the field's name. Version 8 replaces some characters of that name. Since version 9 it is
 * `a<i>` or `d<j>`, with the index in the fragment's own schema.
 *
 * @see format_spec/array_file_hierarchy.md
 */
export function fieldFileBase(
  version: number,
  slot: Pick<Slot, 'name' | 'kind' | 'index' | 'phantom'>,
): string | undefined {
  if (slot.kind === 'coords') return slot.phantom ? undefined : '__coords'
  if (slot.kind === 'timestamps') return 't'
  if (slot.kind === 'delete_timestamps') return 'dt'
  if (slot.kind === 'delete_condition_index') return 'dci'
  if (version >= 9) return `${slot.kind === 'attribute' ? 'a' : 'd'}${slot.index}`
  if (version < 8) return slot.name
  return [...slot.name].map((ch) => VERSION_8_CODES[ch] ?? ch).join('')
}

/** Returns the roles of a slot's files, data or offsets first. The phantom slot has a role, but no file. */
export function fieldFileRoles(slot: Slot): FileRole[] {
  const first = slot.varSized ? 'offsets' : cellsRole(slot)
  return [first, ...(slot.varSized ? (['var'] as const) : []), ...(slot.nullable ? (['validity'] as const) : [])]
}

/** Returns the role of the file that holds a slot's values. */
export function cellsRole({ kind, varSized }: Slot): FileRole {
  if (kind !== 'attribute' && kind !== 'dimension') return kind
  return varSized ? 'var' : 'data'
}

/** Returns the name of one of a slot's files; undefined for the phantom coordinates slot. */
export function fieldFileName(version: number, slot: Slot, role: FileRole): string | undefined {
  const base = fieldFileBase(version, slot)
  return base === undefined ? undefined : `${base}${role === 'var' || role === 'validity' ? `_${role}` : ''}.tdb`
}
