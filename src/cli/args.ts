import { Command, Option } from 'commander'
import { usage } from '../base/errors.ts'
import { extensionOf } from '../base/paths.ts'
import type { CommandModule } from '../calls/command.ts'
import { addTimesOptions, type TimesOptions } from '../calls/times.ts'
import type { JsonStyle } from '../rows/json.ts'
import { ALIASES, COMMANDS, OVERVIEW } from './commands.ts'
import { FORMATS, type Format, formatNames } from './formats.ts'

/** Hints for extensions of `--output` that name no format. */
const EXTENSION_HINTS: Readonly<Record<string, string>> = {
  svg: ' (rtree --svg draws)',
  gz: ' (- and a pipe to gzip)',
  zst: ' (- and a pipe to zstd)',
}

export interface CommonOptions extends TimesOptions {
  format?: Format
  json?: boolean
  output?: string | undefined
  key?: string
  keyFile?: string
  color: 'auto' | 'always' | 'never'
  quiet?: boolean
  raw?: boolean
  int64: JsonStyle['int64']
  full?: boolean
  vertical?: boolean
  requests?: boolean
  signRequest: boolean
  memory?: string
  /** Whether `--output` names stdout. `output` is then undefined. */
  toStdout?: boolean
}

export const EVERY = 'Options of every command:'

export function helpOption(): Option {
  return new Option('-h, --help', 'display help for command').helpGroup(EVERY)
}

export function addCommonOptions(command: Command, formats: readonly Format[]): Command {
  return command
    .optionsGroup(EVERY)
    .addOption(new Option('--format <format>', 'format of the output').choices(formats))
    .option('--json', 'same as --format json')
    .option(
      '-o, --output <file>',
      'write to this file instead of stdout, whole or not at all; its extension gives the format',
    )
    .option('--key <text>', 'AES-256-GCM key: 32 bytes, 64 hex digits or base64 (also TILEDB_INSPECT_KEY)')
    .option('--key-file <file>', 'file that holds the key')
    .option('--raw', 'show values as stored: dates as integers, text and bytes as base64, NaN with its bits')
    .addOption(new Option('--int64 <how>', '64-bit values in JSON').choices(['number', 'string']).default('number'))
    .option('--full', 'show long lists in full')
    .option('--vertical', 'show each row of a table as a block, with a line for each column')
    .addOption(new Option('--color <when>', 'colour').choices(['auto', 'always', 'never']).default('auto'))
    .option('--requests', 'show on stderr what is fetched over a network')
    .option('--no-sign-request', 'send requests to clouds without credentials')
    .option(
      '--memory <bytes>',
      'memory that the run may take for data and metadata; K, M and G are powers of 1024, MB of 1000 (default: 1G)',
    )
    .option('--no-pager', 'do not show long output in $PAGER (less); NO_PAGER=1 does the same for every call')
    .option('--quiet', 'print no progress and no notes on stderr')
}

/** Keys of the options that the user gave, of those that not every command has. */
export function givenOf(command: Command): string[] {
  const own = command.options.filter(({ helpGroupHeading }) => helpGroupHeading !== EVERY)
  return own.map((option) => option.attributeName()).filter((key) => command.getOptionValueSource(key) === 'cli')
}

/**
 * The arguments with the command in front, because commander takes every option as one of a command.
 *
 * - `help <command>` becomes `<command> --help`.
 * - A target alone gets the command `overview`.
 * - A word that is neither a command nor a target is returned alone. The error is then about this word, whatever the options.
 *
 * @param isTarget whether a word that is not a command is a target
 */
export async function commandFirst(
  argv: readonly string[],
  isTarget: (word: string) => Promise<boolean>,
): Promise<readonly string[]> {
  let at = 0
  const program = new Command().option('-h, --help').option('-V, --version')
  addTimesOptions(program)
  const { options } = addCommonOptions(program, formatNames())
  const flags = options.flatMap(({ short, long, required }) => [[short, required] as const, [long, required] as const])
  const takesValue = new Map(flags)
  while (argv[at]?.startsWith('-') && argv[at] !== '--') at += takesValue.get(argv[at]) ? 2 : 1
  if (at < argv.length && argv[at] !== '--' && !isCommand(argv[at])) {
    // After an unknown option, this word may be its value: options of single commands are not known here.
    const areKnown = argv.slice(0, at).every((arg, i) => takesValue.has(arg) || takesValue.get(argv[i - 1]))
    if (areKnown) return (await isTarget(argv[at])) ? [OVERVIEW, ...argv] : [argv[at]]
    while (at < argv.length && !isCommand(argv[at])) at++
  }
  // There are only options: the error of `overview` says that a target is missing.
  if (at >= argv.length)
    return argv.length === 0 || argv.some((arg) => PROGRAM_OPTIONS.includes(arg)) ? argv : [OVERVIEW, ...argv]
  if (argv[at] === '--' && at + 1 < argv.length && !isCommand(argv[at + 1]))
    return (await isTarget(argv[at + 1])) ? [OVERVIEW, ...argv] : [argv[at + 1]]
  if (argv[at] === 'help') return helpCall(argv.slice(at + 1))
  return [ALIASES.get(argv[at]) ?? argv[at], ...argv.slice(0, at), ...argv.slice(at + 1)]
}

/** `help <command>` as the call `<command> --help`. Other words, and several words, stay: `help` looks for questions with them. */
function helpCall(args: readonly string[]): readonly string[] {
  const [word, ...more] = args.filter((arg) => !arg.startsWith('-'))
  if (word === undefined || (word === 'help' && more.length === 0)) return ['--help']
  return more.length === 0 && isCommand(word) ? [ALIASES.get(word) ?? word, '--help'] : ['help', ...args]
}

/** Options that need no command. */
const PROGRAM_OPTIONS: readonly string[] = ['-h', '--help', '-V', '--version']

function isCommand(arg: string): boolean {
  return arg === 'help' || Object.hasOwn(COMMANDS, arg) || ALIASES.has(arg)
}

/** The command of a call whose arguments {@link commandFirst} has ordered. */
export function commandAsked(argv: readonly string[]): string | undefined {
  return argv.find((arg) => !arg.startsWith('-'))
}

/** The format that the options ask for, before commander has parsed them. */
export function formatAsked(argv: readonly string[]): Format {
  const at = argv.indexOf('--format')
  const named =
    argv.find((arg) => arg.startsWith('--format='))?.slice('--format='.length) ?? (at >= 0 ? argv[at + 1] : undefined)
  if (argv.includes('--json')) return 'json'
  return formatNames().find((format) => format === named) ?? 'table'
}

/** The format of the output. @throws InspectError USAGE if the extension names no format that the command can write */
export function chosenFormat(options: CommonOptions, module: CommandModule<never>): Format {
  if (options.json && options.format && options.format !== 'json')
    throw usage({ expected: 'one format', found: `--json and --format ${options.format}` })
  if (options.json) return 'json'
  if (options.format) return options.format
  if (options.output === undefined) return 'table'
  const extension = extensionOf(options.output)
  const format = formatNames().find((name) => FORMATS[name].extensions.includes(extension))
  if (module.ownOutput?.(options as never)) return format === 'json' || format === 'ndjson' ? format : 'table'
  const written = formatNames(module)
  if (format !== undefined && !written.includes(format))
    throw usage(`this command writes ${written.join(', ')}, not ${format}, found --output .${extension}`)
  if (format !== undefined) return format
  const known = written.flatMap((name) => FORMATS[name].extensions.filter((one) => one !== ''))
  throw usage(
    `--output expects a name with ${known.map((name) => `.${name}`).join(', ')} (without any: a table), or also --format; found .${extension}${EXTENSION_HINTS[extension] ?? ''}`,
  )
}
