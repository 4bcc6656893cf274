import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { type InspectArray, schemaFileOpened } from '../store/array.ts'
import type { Target } from '../store/target.ts'
import { type CommandContext, type CommandModule, wrongTarget } from './command.ts'
import { fileOutcome } from './hex.ts'
import { addHexOptions, type HexOptions } from './hex-options.ts'

interface DumpOptions extends HexOptions {
  path?: string
  tree?: boolean
}

export const command: CommandModule<DumpOptions> = {
  about: 'A path names a field, as --tree shows it. The error for a wrong path lists the fields that exist.',
  examples: [
    ["every byte of a fragment's metadata, and what it means", 'dump places/__1714/__fragment_metadata.tdb'],
    ['the bytes that hold one field', 'dump --path footer.fields[2].file_size places/__1714'],
    ['the fields without their bytes', 'dump --tree --depth 2 places/__1714/a0.tdb'],
  ],

  configure(command) {
    command.argument('<file...>', 'any file of an array or group; a fragment means its metadata file')
    addHexOptions(command, true)
    command
      .option('--path <path>', 'only this field: footer.fields[2].file_size, schema.attributes[a].type')
      .option('--tree', 'the fields without their bytes')
  },

  async *run(cx, [path], options) {
    const target = await fileTarget(cx, path)
    try {
      yield* fileOutcome(cx, target, options)
    } finally {
      await target.fragment?.close()
    }
  },
}

/** The file itself, a fragment's metadata file, or an array's newest schema. */
export async function fileTarget(
  cx: CommandContext,
  path: string,
  command = 'dump',
): Promise<Target & { type: 'file' }> {
  const target = await cx.open(path)
  if (target.type === 'file') return target
  const inside =
    target.type === 'fragment'
      ? `${target.path}/${FRAGMENT_METADATA_FILE}`
      : target.type === 'array'
        ? await newestSchemaPath(target.array)
        : undefined
  const file = inside === undefined ? undefined : await cx.open(inside)
  if (file?.type !== 'file') throw await wrongTarget(cx, command, target, 'a file, a fragment or an array')
  return file
}

/** Needs no key. */
async function newestSchemaPath(array: InspectArray): Promise<string | undefined> {
  const newest = schemaFileOpened(await array.schemaFiles(), array.cx.now)
  return newest && `${array.folder.path}/${newest.path}`
}
