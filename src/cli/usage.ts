import { didYouMean, nearest } from '../base/nearest.ts'
import { formatNames } from './formats.ts'

/** Options and commands that users of other tools try, and what they need instead. */
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

/** A word this long may be a key, so messages do not repeat it. */
const MAY_BE_KEY = /[A-Za-z0-9+/=_-]{32,}/g

/** `--name=value`, of which commander compares all with the options. */
const WITH_VALUE = /^unknown option '(--[^=']+)=.*$/s

/**
 * Rewords commander's message about a wrong command line, in one line, with the most similar valid word.
 * @param options those of the command, as in `--limit`
 */
export function usageMessage(message: string, command: string | undefined, options: readonly string[]): string {
  return worded(message.replace(/^error: /, ''), command, options).replace(MAY_BE_KEY, '…')
}

function worded(text: string, command: string | undefined, options: readonly string[]): string {
  const [, option] = WITH_VALUE.exec(text) ?? []
  if (option !== undefined) {
    if (options.includes(option)) return `${option} takes no value`
    const near = nearest(option, options)
    return worded(
      `unknown option '${option}'${near === undefined ? '' : `\n(Did you mean ${near}?)`}`,
      command,
      options,
    )
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
