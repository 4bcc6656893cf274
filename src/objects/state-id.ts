import type { InspectArray } from './array.ts'

/** Names of the files and folders that tell the state of an array. No fragment is entered: files of a fragment never change once it is committed. */
const FOLDERS = /^__(?:schema|fragments|commits|meta|fragment_meta|labels)$/

/**
 * A text that differs once files of an array come or go: names from its folder and the folders in it, with sizes if the listings have them.
 * What is changed in place, without another size, is not noticed.
 */
export async function stateOf(array: InspectArray): Promise<string> {
  const lines: string[] = []
  for (const { name, kind, size } of await array.root()) {
    lines.push(line(name, size))
    if (kind !== 'folder' || !FOLDERS.test(name)) continue
    for (const entry of await array.folder.folder(name).list()) lines.push(` ${line(entry.name, entry.size)}`)
  }
  return lines.join('\n')
}

function line(name: string, size: number | undefined): string {
  return size === undefined ? name : `${name} ${size}`
}
