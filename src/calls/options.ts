import type { Command as CommanderCommand } from 'commander'
import { hasCode, usage } from '../base/errors.ts'
import { type Target, targetInWords } from '../objects/target.ts'
import { Folder } from '../storage/source.ts'
import type { CommandContext } from './command.ts'

/** A file option with this name means stdout. */
export const STDOUT = '-'

/** Collects the values of an option that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** The option that makes a plain folder a dataset of all arrays and groups below it. */
export const RECURSIVE_OPTION = [
  '--recursive',
  'of a plain folder, also the arrays and groups in folders below it, at any depth',
] as const

/** Applies {@link RECURSIVE_OPTION}. @throws InspectError USAGE if the target is no plain folder */
function enterFolders(target: Target, isRecursive = false): void {
  if (!isRecursive) return
  if (target.type !== 'group' || !target.isPlain)
    throw usage({ expected: 'a plain folder for --recursive', found: targetInWords(target) })
  target.group.isRecursive = true
}

/**
 * Opens a target; with {@link RECURSIVE_OPTION} also a folder in which arrays and groups lie deeper than {@link CommandContext.open} looks.
 * @throws InspectError NOT_TILEDB if there are none
 */
export async function openRecursive(cx: CommandContext, path: string, isRecursive = false): Promise<Target> {
  try {
    const target = await cx.open(path)
    enterFolders(target, isRecursive)
    return target
  } catch (error) {
    const folder = new Folder(cx.storage, cx.internalPath(path))
    if (!isRecursive || !hasCode(error, 'NOT_TILEDB') || (await folder.storage.kind(folder.path)) !== 'folder')
      throw error
    const { InspectGroup } = await import('../objects/group.ts')
    const group = new InspectGroup(folder, cx.reading)
    group.isRecursive = true
    for await (const _ of group.eachMember()) return { type: 'group', path: folder.path, group, isPlain: true }
    throw error
  }
}

/** Refuses options that have no effect without the option `needed`. The names are commander's: `failOn` for `--fail-on`. */
export function onlyWith(command: CommanderCommand, needed: string, ...names: readonly string[]): void {
  command.hook('preAction', () => {
    const values = command.opts<Record<string, unknown>>()
    const found = values[needed] === undefined && names.find((name) => values[name] !== undefined)
    if (found) throw usage(`--${found} expects --${needed} beside it, found none`)
  })
}
