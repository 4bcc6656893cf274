import { type Command, Help } from 'commander'
import type { CommandModule } from '../calls/command.ts'
import { wrapText } from '../render/text-width.ts'
import { EVERY } from './args.ts'
import { DOCUMENT_KEYS } from './document-keys.ts'
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

/** The end of a command's help: its examples, and the keys of its documents. */
export function endText(name: string, { examples }: CommandModule<never>): string {
  const lines = examples.flatMap(([what, call]) => [`  ${what}:`, `    tiledb-inspect ${call}`])
  const usesArrays = examples.some(([, call]) => /places|weather/.test(call))
  return ['', 'Examples:', ...lines, ...(usesArrays ? [ARRAYS] : []), ...keysLines(name)].join('\n')
}

/** Columns of the help. */
const COLUMNS = 80

function keysLines(name: string): string[] {
  if (!Object.hasOwn(DOCUMENT_KEYS, name)) return []
  const documents = DOCUMENT_KEYS[name].split('\n')
  const [first] = documents
  const more = `tiledb-inspect help json ${name} has programs for jq.`
  if (documents.length === 1) return ['', ...folded(`Document: keys ${first.slice(first.indexOf(' ') + 1)}`), more]
  return ['', 'Documents, and their keys:', ...documents.flatMap(folded), more]
}

/** A text in lines that fit the help. */
function folded(text: string): string[] {
  return wrapText(text, COLUMNS - 4).map((line, i) => (i > 0 ? `    ${line}` : `  ${line}`))
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
