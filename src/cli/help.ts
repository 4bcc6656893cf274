import { type Command, Help } from 'commander'
import type { CommandModule } from '../calls/command.ts'
import { EVERY } from './args.ts'
import { GENOMICSDB_COMMANDS } from './genomicsdb-commands.ts'

/** The description of a command in its help. */
export function aboutText(name: string, { about }: CommandModule<never>, summary: string): string {
  const { takes = [] } = GENOMICSDB_COMMANDS[name] ?? {}
  const more = takes.length === 0 ? [] : [`It also works on GenomicsDB: ${takes.join(', ')}.`]
  return [summary, ...(about === undefined ? [] : [about]), ...more].join('\n\n')
}

const ARRAYS = `
places and weather: arrays in examples/arrays of the package (npm root -g);
a fragment may be given by the beginning of its name.`

/** The examples at the end of a command's help. */
export function examplesText({ examples }: CommandModule<never>): string {
  const lines = examples.flatMap(([what, call]) => [`  ${what}:`, `    tiledb-inspect ${call}`])
  const usesArrays = examples.some(([, call]) => /places|weather/.test(call))
  return ['', 'Examples:', ...lines, ...(usesArrays ? [ARRAYS] : [])].join('\n')
}

/** Leaves the options of every command out of a command's help. */
export function onlyOwnOptions(command: Command): Command {
  return command.configureHelp({
    visibleOptions: (of) => new Help().visibleOptions(of).filter(({ helpGroupHeading }) => helpGroupHeading !== EVERY),
  })
}

/** The end of a command's short help. */
export function shortEnd({ examples }: CommandModule<never>, name: string): string {
  const lines = examples.slice(0, 1).map(([what, call]) => `  ${what}:\n    tiledb-inspect ${call}\n`)
  return `
Example:
${lines.join('')}
tiledb-inspect ${name} --help has all examples and options.
Every command takes --json, -o, --key, --memory and others.`
}
