import type { Command } from 'commander'
import { didYouMean, distance } from '../base/nearest.ts'
import type { WrongCall } from './call-parser.ts'
import { COMMANDS } from './commands.ts'
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

/** What the user wrote, without what may be a key. */
function shown(word: string): string {
  return word.replace(MAY_BE_KEY, '…')
}

/** What is wrong with a call, in one line, with the most similar valid word. */
export function usageMessage({ command, fault }: WrongCall): string {
  switch (fault.kind) {
    case 'unknown command':
      return unknownCommand(fault.word)
    case 'unknown option':
      return unknownOption(fault.option, command)
    case 'no value':
      return `option '${fault.option.flags}' argument missing`
    case 'other value': {
      const { option, found, choices } = fault
      const quoted = shown(JSON.stringify(found))
      return `${option.long} expects ${choices.join(', ')}, found ${quoted}${didYouMean(found, choices)}`
    }
    case 'option missing':
      return `required option '${fault.option.flags}' not specified`
    case 'argument missing':
      return `missing required argument '${fault.name}'; tiledb-inspect ${command.name()} --help has examples`
    case 'too many arguments': {
      const { expected, found } = fault
      return `${command.name()} expects ${expected} ${expected === 1 ? 'argument' : 'arguments'}, found ${found}`
    }
  }
}

function unknownCommand(word: string): string {
  if (isHinted(word)) return `unknown command '${word}'; ${HINTS[word]}`
  const guessed = guess(word, [...Object.keys(COMMANDS), 'help'])
  if (guessed === undefined) return `unknown command or no such file or folder: ${shown(word)}`
  return `unknown command '${word}'; ${guessed}`
}

function unknownOption(found: string, command: Command): string {
  // commander looks for an option like the whole of `--name=value`.
  const end = found.indexOf('=')
  const name = end > '--'.length ? found.slice(0, end) : found
  const options = longOptions(command)
  if (name !== found && options.includes(name)) return `${name} takes no value`
  const text = `unknown option '${shown(name)}'`
  if (isHinted(name)) return `${text}; ${HINTS[name]}`
  const guessed = name.startsWith('--') ? guess(name, options) : undefined
  return guessed === undefined ? text : `${text}; ${guessed}`
}

/** At most so many letters of a mistyped word are wrong, and more than this share of them is right. */
const MAX_WRONG = 3
const MIN_RIGHT = 0.4

/** `did you mean a?` or `did you mean one of a, b?`, with the names that have the fewest wrong letters; undefined if none is similar. */
function guess(word: string, names: readonly string[]): string | undefined {
  // Dashes in front of an option are no letters of its name.
  const dashes = word.startsWith('--') ? 2 : 0
  const similar = names.flatMap((name) => {
    const letters = Math.max(word.length, name.length) - dashes
    const wrong = distance(word, name, MAX_WRONG + 1)
    return wrong <= MAX_WRONG && letters - wrong > MIN_RIGHT * letters ? [{ name, wrong }] : []
  })
  const least = Math.min(...similar.map(({ wrong }) => wrong))
  const likely = similar.filter(({ wrong }) => wrong === least).map(({ name }) => name)
  if (likely.length === 0) return undefined
  return `did you mean ${likely.length > 1 ? 'one of ' : ''}${likely.sort().join(', ')}?`
}

/** The long options of a command and of the program, as its help shows them. */
function longOptions(command: Command): string[] {
  const own = command.createHelp().visibleOptions(command)
  const all = command.parent ? [...own, ...command.parent.options] : own
  return all.flatMap(({ long }) => (long === undefined ? [] : [long]))
}
