import type { CommandModule } from '../calls/command.ts'
import { fileTarget, TAKES_FILE } from '../calls/file-target.ts'
import { fileOutcome } from '../calls/hex.ts'
import { addHexOptions, type HexOptions } from '../calls/hex-options.ts'
import { targetsHelp } from '../calls/targets.ts'

interface DumpOptions extends HexOptions {
  path?: string
  tree?: boolean
}

export const command: CommandModule<DumpOptions> = {
  about:
    '--path takes the path of a field, as --tree shows it. The error for a wrong path lists the fields that exist.',
  examples: [
    ["every byte of a fragment's metadata, and what it means", 'dump places/__1714/__fragment_metadata.tdb'],
    ['the bytes that hold one field', 'dump --path footer.fields[2].file_size places/__1714'],
    ['the fields without their bytes', 'dump --tree --depth 2 places/__1714/a0.tdb'],
  ],

  takes: TAKES_FILE,

  configure(command) {
    command.argument('<file...>', targetsHelp(TAKES_FILE))
    addHexOptions(command, true)
    command
      .option('--path <path>', 'only this field: footer.fields[2].file_size, schema.attributes[a].type')
      .option('--tree', 'show the fields without their bytes')
  },

  async *run(cx, [path], options) {
    const target = await fileTarget(cx, path, 'dump')
    try {
      yield* fileOutcome(cx, target, options)
    } finally {
      await target.fragment?.close()
    }
  },
}
