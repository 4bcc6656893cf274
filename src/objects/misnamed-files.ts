import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { entrySize } from './file-sizes.ts'
import type { FieldFile, Fragment } from './fragment.ts'

/**
 * The missing data files of a fragment that lie in its folder under another name, by that name. No field has a file of this name, its size is
 * that of the missing file, and either the names differ only in case, or no other file of this size is missing or to spare.
 */
export async function misnamedFiles(fragment: Fragment, files: readonly FieldFile[]): Promise<Map<string, FieldFile>> {
  const found = new Map<string, FieldFile>()
  const entries = await fragment.entries()
  const there = new Set(entries.map(({ name }) => name))
  const missing = files.filter(({ name, size }) => size > 0 && !there.has(name))
  if (missing.length === 0) return found
  const listed = new Set([FRAGMENT_METADATA_FILE, ...files.map(({ name }) => name)])
  const spare: { name: string; size: number }[] = []
  for (const entry of entries)
    if (entry.kind === 'file' && !listed.has(entry.name))
      spare.push({ name: entry.name, size: await entrySize(fragment.folder, entry) })
  for (const one of missing) {
    const fitting = spare.filter(({ size }) => size === one.size)
    const alike = fitting.filter(({ name }) => name.toLowerCase() === one.name.toLowerCase())
    const others = missing.filter(({ size }) => size === one.size)
    const [own, ...rest] = alike.length > 0 || others.length > 1 ? alike : fitting
    if (own && rest.length === 0) found.set(own.name, one)
  }
  return found
}
