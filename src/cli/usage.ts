import { didYouMean, nearest } from '../base/nearest.ts'
import { formatNames } from './formats.ts'

/** Options and commands of other tools that users may try, and what to use instead. */
const HINTS: Readonly<Record<string, string>> = {
  cat: 'read shows the cells of an array, decode those of a fragment, dump the bytes of a file',
  head: 'read --limit 10 shows the first cells of an array, decode those of a fragment',
  info: 'schema, ls and stats tell what an array is, holds and takes',
  show: 'ls, schema, read and dump show what is there',
  get: 'read shows the cells of an array, decode those of a fragment',
  hexdump: 'dump shows every byte, and what it means',
  xxd: 'dump shows every byte, and what it means',
  du: 'stats tells what fills the disk',
  fsck: 'check finds any damage',
  validate: 'check finds any damage',
  fragments: 'ls lists the fragments of an array',
  tree: 'ls lists what is in a folder, dump --tree the fields of a file',
  create: 'write-sample writes an array',
  version: '--version shows it',
  examples: 'tiledb-inspect <command> --help has them',
  '--sort': 'read --order sorts cells by their coordinates; --format csv and ndjson go into sort, jq and DuckDB',
  '--order-by': 'read --order sorts cells by their coordinates; --format csv and ndjson go into sort, jq and DuckDB',
  '-n': '--limit n shows the first cells',
  '--head': '--limit n shows the first cells',
  ...Object.fromEntries(formatNames({}).map((name) => [`--${name}`, `--format ${name}`])),
  '--where': 'read --where chooses cells by a condition, --range NAME=LO..HI by a dimension',
  '--attr': '--field names attributes',
  '--recursive': 'check, verify-checksums and stats go through all that is in a target by themselves',
  '-r': 'check, verify-checksums and stats go through all that is in a target by themselves',
  '-v': '--version shows the version; DEBUG=1 where an error arose',
  '--verbose': 'DEBUG=1 shows where an error arose',
}

/** Whether a word is a command of other tools. */
export function isHinted(word: string): boolean {
  return Object.hasOwn(HINTS, word)
}

/** A word that is long enough to be a key. Messages do not repeat it. */
const MAY_BE_KEY = /[A-Za-z0-9+/=_-]{32,}/g

/** commander's message for `--name=value` with an unknown option. commander looks for options like the whole of it. */
const WITH_VALUE = /^unknown option '(--[^=']+)=.*$/s

/**
 * commander's message about a wrong command line in one line of our own words, with the most similar valid word.
 * @param options the options of the command, such as `--limit`
 */
export function usageMessage(message: string, command: string | undefined, options: readonly string[]): string {
  return reword(message.replace(/^error: /, ''), command, options).replace(MAY_BE_KEY, '…')
}

function reword(text: string, command: string | undefined, options: readonly string[]): string {
  const [, option] = WITH_VALUE.exec(text) ?? []
  if (option !== undefined) {
    if (options.includes(option)) return `${option} takes no value`
    const near = nearest(option, options)
    const suggestion = near === undefined ? '' : `\n(Did you mean ${near}?)`
    return reword(`unknown option '${option}'${suggestion}`, command, options)
  }
  const [unknown, word] = /^unknown (?:command|option) '([^']*)'/.exec(text) ?? []
  if (word !== undefined && isHinted(word)) return `${unknown}; ${HINTS[word]}`
  if (word !== undefined && text === `unknown command '${word}'`)
    return `unknown command or no such file or folder: ${word}`
  const choice = /^option '([^' ]+)(?: [^']*)?' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(text)
  if (choice) {
    const [, option, found, choices] = choice
    return `${option} expects ${choices}, found ${JSON.stringify(found)}${didYouMean(found, choices.split(', '))}`
  }
  const suggestion = /^(.*)\n\(Did you mean (.*)\?\)$/s.exec(text)
  if (suggestion) return `${suggestion[1]}; did you mean ${suggestion[2]}?`
  const excess = /^too many arguments for '(.*)'\. Expected (\d+ arguments?) but got (\d+)\.$/.exec(text)
  if (excess) return `${excess[1]} expects ${excess[2]}, found ${excess[3]}`
  if (text.startsWith('missing required argument') && command !== undefined) {
    return `${text}; tiledb-inspect ${command} --help has examples`
  }
  return text
}
