import type { Command as CommanderCommand } from 'commander'
import { usage } from '../base/errors.ts'

/** A file option with this name means stdout. */
export const STDOUT = '-'

/** Collects the values of an option that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** Refuses options that have no effect without the option `needed`. The names are commander's: `failOn` for `--fail-on`. */
export function onlyWith(command: CommanderCommand, needed: string, ...names: readonly string[]): void {
  command.hook('preAction', () => {
    const values = command.opts<Record<string, unknown>>()
    const found = values[needed] === undefined && names.find((name) => values[name] !== undefined)
    if (found) throw usage(`--${found} expects --${needed} beside it, found none`)
  })
}
