import type { Command as CommanderCommand } from 'commander'
import { usage } from '../base/errors.ts'
import { type Target, targetInWords } from '../objects/target.ts'

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
export function enterFolders(target: Target, isRecursive = false): void {
  if (!isRecursive) return
  if (target.type !== 'group' || !target.isPlain)
    throw usage({ expected: 'a plain folder for --recursive', found: targetInWords(target) })
  target.group.isRecursive = true
}

/** Refuses options that have no effect without the option `needed`. The names are commander's: `failOn` for `--fail-on`. */
export function onlyWith(command: CommanderCommand, needed: string, ...names: readonly string[]): void {
  command.hook('preAction', () => {
    const values = command.opts<Record<string, unknown>>()
    const found = values[needed] === undefined && names.find((name) => values[name] !== undefined)
    if (found) throw usage(`--${found} expects --${needed} beside it, found none`)
  })
}
