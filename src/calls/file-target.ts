import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { type InspectArray, schemaFileOpened } from '../objects/array.ts'
import type { FileTarget } from '../objects/target.ts'
import type { CommandContext } from './command.ts'
import { type Takes, wrongTarget } from './targets.ts'

/** What commands about one file take. */
export const TAKES_FILE = {
  file: 'any of an array or group',
  fragment: 'its metadata file',
  array: 'its newest schema',
} as const satisfies Takes

/** Opens a file: the target itself, the metadata file of a fragment, or the newest schema of an array. */
export async function fileTarget(cx: CommandContext, path: string, command: string): Promise<FileTarget> {
  const target = await cx.open(path)
  if (target.type === 'file') return target
  let inside: string | undefined
  if (target.type === 'fragment') inside = `${target.path}/${FRAGMENT_METADATA_FILE}`
  if (target.type === 'array') inside = await newestSchemaPath(target.array)
  const file = inside === undefined ? undefined : await cx.open(inside)
  if (file?.type !== 'file') throw await wrongTarget(cx, command, TAKES_FILE, target)
  return file
}

/** The path of the newest schema file. No key is needed. */
async function newestSchemaPath(array: InspectArray): Promise<string | undefined> {
  const newest = schemaFileOpened(await array.schemaFiles(), array.cx.now)
  return newest && `${array.folder.path}/${newest.path}`
}
