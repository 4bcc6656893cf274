import { Command, CommanderError, Option } from 'commander'
import { asInspectError, ClosedPipe, exitCodeOf, InspectError } from '../base/errors.ts'
import { extensionOf } from '../base/extension.ts'
import { isFields, type Output, type Result } from '../base/result.ts'
import { VERSION } from '../base/version.ts'
import {
  type CommandContext,
  type CommandModule,
  documentHead,
  errorResult,
  type Outcome,
} from '../commands/command.ts'
import type { List } from '../documents/common.ts'
import { absolutePath } from '../node/current-folder.ts'
import type { FileOutput } from '../node/file-output.ts'
import { mayBeKey, readKey } from '../node/key.ts'
import { nodeCodecs } from '../node/node-codecs.ts'
import { type JsonNotes, type JsonStyle, writeJson } from '../render/json.ts'
import { wrapWords } from '../render/text-width.ts'
import { UNSAFE } from '../render/unsafe-text.ts'
import { isRemotePath, refuseOtherSchemes, remoteTarget } from '../source/remote/urls.ts'
import type { Storage } from '../source/source.ts'
import { type ReadContext, readContext } from '../store/generic-tile.ts'
import { beginsFragmentName, closeTarget, openTarget, type Target } from '../store/target.ts'

/** Headings in the list of commands. */
const FOLDER = 'What is in a folder:'
const RIGHT = 'Whether it is right:'
const METADATA = 'What the metadata says:'
const BYTES = 'Cells and bytes:'
const MAKING = 'Beside that:'

interface CommandEntry {
  group: string
  summary: string
  load: () => Promise<{ command: CommandModule<never> }>
}

/** Every command and its module. A module is loaded only when its command is called. */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  ls: {
    group: FOLDER,
    summary: 'fragments of an array and what state they are in, files of a fragment, members of a group',
    load: () => import('../commands/ls.ts'),
  },
  schema: {
    group: FOLDER,
    summary: 'array schema: dimensions, attributes, filters, enumerations',
    load: () => import('../commands/schema.ts'),
  },
  commits: {
    group: FOLDER,
    summary: 'commit, vacuum, delete and consolidated files, and which fragments count because of them',
    load: () => import('../commands/commits.ts'),
  },
  stats: {
    group: FOLDER,
    summary: 'what fills disk and memory, by field, filter and section; two targets side by side',
    load: () => import('../commands/stats.ts'),
  },
  check: {
    group: RIGHT,
    summary: 'any damage: files, sizes, metadata, filters, checksums; with --level cells every cell',
    load: () => import('../commands/check.ts'),
  },
  'verify-checksums': {
    group: RIGHT,
    summary: 'only the checksums that filters stored: MD5, SHA-256, AES-GCM tags',
    load: () => import('../commands/verify-checksums.ts'),
  },
  diff: {
    group: RIGHT,
    summary: 'two arrays, fragments or schemas compared; their cells, too, with --cells',
    load: () => import('../commands/diff.ts'),
  },
  footer: {
    group: METADATA,
    summary: 'footer of the fragment metadata, field by field',
    load: () => import('../commands/footer.ts'),
  },
  rtree: {
    group: METADATA,
    summary: 'R-tree: bounding boxes of the tiles of a sparse fragment',
    load: () => import('../commands/rtree.ts'),
  },
  metadata: {
    group: METADATA,
    summary: 'tile offsets and statistics of a fragment; key-value metadata of an array or group',
    load: () => import('../commands/metadata.ts'),
  },
  tiles: {
    group: METADATA,
    summary: 'metadata of a fragment by tile: boxes, offsets, sizes, minima and maxima',
    load: () => import('../commands/tiles.ts'),
  },
  decode: {
    group: BYTES,
    summary: 'cells, in stored order: as a table, JSON, NDJSON, CSV or Arrow',
    load: () => import('../commands/decode.ts'),
  },
  tile: {
    group: BYTES,
    summary: 'anatomy of one tile: chunks, filters, sizes at each stage',
    load: () => import('../commands/tile.ts'),
  },
  dump: {
    group: BYTES,
    summary: 'any file, byte by byte: annotated hex, or the tree of its fields; the bytes of one field',
    load: () => import('../commands/dump.ts'),
  },
  at: {
    group: BYTES,
    summary: 'what a byte means, which cells it feeds, what would notice a flip; or where a cell is',
    load: () => import('../commands/at.ts'),
  },
  'write-sample': {
    group: MAKING,
    summary: 'writes a sample array that TileDB opens',
    load: () => import('../commands/write-sample.ts'),
  },
  completion: {
    group: MAKING,
    summary: 'completes commands and options in bash, zsh or fish',
    load: () => import('../commands/completion.ts'),
  },
}

const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv'] as const
type Format = (typeof FORMATS)[number] | 'arrow'

/** Formats by the extension of `--output`; '' if there is none. */
const EXTENSIONS: Readonly<Record<string, Format>> = {
  '': 'table',
  txt: 'table',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  tsv: 'tsv',
  // Arrow IPC files (one with the extension that pandas uses) and streams
  arrow: 'arrow',
  feather: 'arrow',
  arrows: 'arrow',
}
const ARROW_STREAM = 'arrows'

/** What the program may use of the process. It has no other access to the outside. */
export interface Process {
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  stdout: Output & { isTTY: boolean }
  stderr: (text: string) => void
  /** Width of the terminal on stderr, or 0 if it is unknown; undefined if stderr is not a terminal. */
  stderrColumns?: number | undefined
  /** Where paths are looked up. */
  storage: Storage
}

interface CommonOptions {
  format?: Format
  json?: boolean
  output?: string | undefined
  key?: string
  keyFile?: string
  color: 'auto' | 'always' | 'never'
  quiet?: boolean
  raw?: boolean
  int64: 'number' | 'string'
  full?: boolean
  vertical?: boolean
  requests?: boolean
  signRequest: boolean
  maxTileSize?: string
}

/** Runs the program. @returns the exit code */
export async function main(given: Process): Promise<number> {
  const process: Process = { ...given, argv: commandFirst(given.argv) }
  const state: RunState = {
    process,
    codes: new Set(),
    format: 'table',
    shown: 0,
    cut: false,
    failures: [],
    several: false,
  }
  let program: Command | undefined
  try {
    program = await buildProgram(state)
    await program.parseAsync([...process.argv], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0
      state.format = formatAsked(process.argv)
      // commander throws this when no command is given.
      if (error.code === 'commander.help' && program) {
        process.stderr(program.helpInformation())
        return 2
      }
      const { usageMessage } = await import('../commands/usage.ts')
      const usage = new InspectError('USAGE', usageMessage(error.message, commandAsked(process.argv)))
      await showError(state, usage, asGiven, process.stdout)
      return 2
    }
    if (!(error instanceof ClosedPipe)) await showError(state, error, asGiven, process.stdout)
  }
  return state.codes.has(2) ? 2 : state.codes.has(1) ? 1 : state.codes.has(3) ? 3 : 0
}

const asGiven = (path: string): string => path

/** Command names that users of other programs may expect. */
const ALIASES: Readonly<Record<string, string>> = { verify: 'verify-checksums' }
/** Common options that take a value. */
const WITH_VALUE = ['--format', '-o', '--output', '--key', '--key-file', '--int64', '--color', '--max-tile-size']

/** Moves the command to the front, as every option belongs to a command. */
function commandFirst(argv: readonly string[]): readonly string[] {
  const isCommand = (arg: string): boolean =>
    arg === 'help' || Object.hasOwn(COMMANDS, arg) || Object.hasOwn(ALIASES, arg)
  let at = 0
  while (argv[at]?.startsWith('-') && argv[at] !== '--') at += WITH_VALUE.includes(argv[at]) ? 2 : 1
  // An option that belongs to one command may take a value, too.
  if (at > 0) while (at < argv.length && !isCommand(argv[at])) at++
  if (at >= argv.length) return argv
  return [ALIASES[argv[at]] ?? argv[at], ...argv.slice(0, at), ...argv.slice(at + 1)]
}

interface RunState {
  process: Process
  /** Exit codes of all errors and outcomes so far. */
  codes: Set<number>
  format: Format
  /** Number of documents shown so far. */
  shown: number
  /** Whether an error ended a document in the middle. */
  cut: boolean
  /** Errors that were shown in place of a document. */
  failures: InspectError[]
  /** Whether more than one target was given. */
  several: boolean
  /** Columns of the CSV output so far. */
  columns?: readonly string[] | undefined
}

/** The format option, for errors before options are parsed. */
function formatAsked(argv: readonly string[]): Format {
  const at = argv.indexOf('--format')
  const named =
    argv.find((arg) => arg.startsWith('--format='))?.slice('--format='.length) ?? (at >= 0 ? argv[at + 1] : undefined)
  if (argv.includes('--json')) return 'json'
  return FORMATS.find((format) => format === named) ?? 'table'
}

/** The command that is called, or whose help is wanted. */
function commandAsked(argv: readonly string[]): string | undefined {
  const asked = argv.find((arg) => !arg.startsWith('-'))
  return asked === 'help' ? argv[argv.indexOf('help') + 1] : asked
}

const HELP_END = `
tiledb-inspect <command> --help has the options of each, and examples.
Exit codes: 0 all is well, 1 damage or a difference was found,
            2 the call is wrong, 3 could not look.`

async function buildProgram(state: RunState): Promise<Command> {
  const { process } = state
  const program = new Command('tiledb-inspect')
  const quietly = (command: Command): Command =>
    command.exitOverride().configureOutput({
      writeOut: (text) => void process.stdout.write(text),
      writeErr: () => {},
    })
  quietly(program)
    .description('See what is really on disk in TileDB arrays, fragments and tiles.')
    .version(VERSION, '-V, --version')
    .showSuggestionAfterError()
    .addHelpText('after', HELP_END)
    .commandsGroup(MAKING)
    .helpCommand(true)
  const helpOf = commandAsked(process.argv)
  const wantsHelp = process.argv.some((arg) => arg === '--help' || arg === '-h' || arg === 'help')
  for (const [name, { group, summary, load }] of Object.entries(COMMANDS)) {
    const command = quietly(program.command(name)).summary(summary).description(summary).helpGroup(group)
    // Completion needs all commands; any other call needs only its own.
    if (name !== helpOf && helpOf !== 'completion') continue
    const module = (await load()).command
    module.configure(command)
    addCommonOptions(command, module.arrow === true)
    if (wantsHelp) {
      const { aboutText, examplesText } = await import('../commands/examples.ts')
      command.description(aboutText(name, summary)).addHelpText('after', examplesText(name))
    }
    command.action(() => runCommand(state, module, command))
  }
  return program
}

function addCommonOptions(command: Command, arrow: boolean): void {
  const formats = arrow ? [...FORMATS, 'arrow'] : FORMATS
  command
    .optionsGroup('Options of every command:')
    .addOption(new Option('--format <format>', 'how the result is written').choices(formats))
    .option('--json', 'same as --format json')
    .option('-o, --output <file>', 'write there instead of stdout, whole or not at all; the format from the extension')
    .option('--key <text>', 'AES-256-GCM key: 32 bytes, 64 hex digits or base64 (also TILEDB_INSPECT_KEY)')
    .option('--key-file <file>', 'file that holds the key')
    .option('--raw', 'values as stored: dates as integers, text and bytes as base64, NaN with its bits')
    .addOption(new Option('--int64 <how>', '64-bit values in JSON').choices(['number', 'string']).default('number'))
    .option('--full', 'show long lists whole')
    .option('--vertical', 'each row of a table as a block, with a line for each column')
    .addOption(new Option('--color <when>', 'colour').choices(['auto', 'always', 'never']).default('auto'))
    .option('--requests', 'show on stderr what is fetched over a network')
    .option('--no-sign-request', 'ask S3 without credentials')
    .option(
      '--max-tile-size <bytes>',
      'refuse tiles of more bytes unfiltered; K, M and G are powers of 1024 (default for metadata: 16M, or 2048 a stored byte if more)',
    )
    .option('--quiet', 'no progress, no notes on stderr')
}

async function runCommand(state: RunState, module: CommandModule<never>, command: Command): Promise<void> {
  const options = command.opts<CommonOptions>()
  if (STDOUT.includes(options.output ?? '')) options.output = undefined
  else if (options.output !== undefined) options.output = localOutput(options.output)
  state.format = chosenFormat(options, module)
  // Only the target is checked: other arguments, such as a field's name, may be empty.
  if ([command.processedArgs[0]].flat().includes(''))
    throw new InspectError('USAGE', 'expected a path, found an empty argument')
  const { storage, given, done } = await placesFor(state, command.processedArgs.flat(), options)
  const paths = await completeFragmentNames(storage, await resolveFileUrls(storage, given))
  state.several = paths.length > 1 && command.registeredArguments[0]?.variadic === true
  // Several targets are tried one by one.
  const oneByOne = command.registeredArguments.length === 1 && !module.together
  const opened: Target[] = []
  /** The first fault and the last note about the current target. */
  let reported: { fault?: InspectError; note?: string } = {}
  if (state.format === 'arrow') checkArrow(state, paths, options)
  const key = await readKey(options, state.process.env.TILEDB_INSPECT_KEY)
  const { absolute, shown } = pathsFor(paths)
  const maxTileSize = options.maxTileSize === undefined ? undefined : parseTileSize(options.maxTileSize)
  const cx: CommandContext = {
    storage,
    reading: readContext(nodeCodecs, key, maxTileSize),
    style: { raw: options.raw ?? false },
    full: options.full ?? false,
    shownPath: shown,
    open: async (path) => {
      const target = await openOrSuggest(storage, absolute(path), readingFor(cx))
      opened.push(target)
      return target
    },
    progress: async (what) =>
      (await import('../render/progress.ts')).startProgress(
        what,
        state.process.stderrColumns !== undefined && !options.quiet,
      ),
    fault: (error, isShown) => {
      state.codes.add(exitCodeOf(error))
      reported.fault ??= error
      if (!isShown) say(state, errorLine(error, shown))
    },
    note: (text) => {
      reported.note = text
      note(state, options, text)
    },
    refuseReadPlace: async (path, option) => {
      const { ReadPlaces } = await import('../node/read-places.ts')
      const read = [...placesRead(command, paths, option), ...(option === OUTPUT ? [] : [options.output ?? []].flat())]
      const local = read.filter((one) => !isRemotePath(one)).map(absolute)
      new ReadPlaces(local, shown).refuse(path, option)
    },
  }
  // Whether a key fits, and whether data is encrypted, must be found out for each array separately.
  const readingFor = (context: CommandContext) => {
    context.reading = { ...readContext(nodeCodecs, key, maxTileSize), onFault: context.fault }
    return context.reading
  }
  if (options.output !== undefined) await cx.refuseReadPlace(options.output, OUTPUT)
  const output = await openOutput(state, options)
  let ended = false
  try {
    for (const some of oneByOne ? paths.map((path) => [path]) : [paths]) {
      const before = state.shown + state.failures.length
      reported = {}
      try {
        for await (const outcome of module.run(cx, some, options as never)) {
          try {
            if (outcome.error) await showFailure(state, outcome.error, shown, output.out)
            else await show(state, outcome, output.out, options, shown)
            state.cut ||= outcome.incomplete === true && state.format !== 'json'
          } catch (error) {
            state.cut = !(error instanceof ClosedPipe)
            throw error
          } finally {
            // Some outcomes know only after the last row whether all is right.
            if (outcome.foundWrong) state.codes.add(1)
          }
        }
        if (state.shown + state.failures.length === before)
          await showNothing(state, reported, shown(some[0]), shown, output.out)
      } catch (error) {
        if (error instanceof ClosedPipe) throw error
        // Wrong options are wrong for every target.
        if (error instanceof InspectError && error.code === 'USAGE') {
          const { file } = error.at
          throw new InspectError('USAGE', error.message, { ...error.at, file: file && shown(file) }, { cause: error })
        }
        await showFailure(state, error, shown, output.out)
      } finally {
        for (const target of opened.splice(0)) await closeTarget(target)
      }
    }
    ended = true
  } finally {
    done()
    if (output.file) await finish(state, output.file, ended, options, shown)
  }
}

const OUTPUT = '--output'
/** Other names of standard output. If it is a socket, the system cannot open it by these names. */
const STDOUT = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']

/** Arguments that are not paths. */
const NO_PATHS = ['field', 'index', 'offset', 'shell']
/** Options that name files to write. */
const WRITTEN = ['output', 'svg']

/**
 * Paths of everything that a call reads: targets and files named by options. When `asks` is the command itself, its argument
 * is where to write, not a target.
 */
function placesRead(command: Command, paths: readonly string[], asks: string): string[] {
  const named = command.registeredArguments.map((argument) => argument.name())
  const isTarget = (i: number): boolean => asks !== command.name() && !NO_PATHS.includes(named[i] ?? named.at(-1) ?? '')
  const targets = paths.filter((path, i) => path !== undefined && isTarget(i))
  const values = command.opts<Record<string, unknown>>()
  const files = command.options.flatMap((option) => {
    const value = values[option.attributeName()]
    const isRead = /<file>/.test(option.flags) && !WRITTEN.includes(option.attributeName())
    return isRead && typeof value === 'string' && value !== '-' ? [value] : []
  })
  return [...targets, ...files]
}

/**
 * Gives the output its final name if it is complete. Otherwise the output is removed, and errors of a JSON format go to
 * stdout.
 */
async function finish(
  state: RunState,
  file: FileOutput,
  ended: boolean,
  options: CommonOptions,
  shown: (path: string) => string,
): Promise<void> {
  const { cut, failures } = state
  // Only the JSON formats show an error in place of a missing target.
  const saysErrors = state.format === 'json' || state.format === 'ndjson'
  if (ended && !cut && (failures.length === 0 || (saysErrors && state.shown > 0))) {
    file.commit()
    return
  }
  file.discard()
  if ((cut || state.shown > 0) && file.isWhole)
    note(state, options, `${options.output} is not written: it would not be whole (stdout takes what there is)`)
  for (const error of failures) await showErrorDocument(state, error, shown, state.process.stdout)
}

/** An output path on this machine. @throws InspectError USAGE */
function localOutput(path: string): string {
  if (path === '') throw new InspectError('USAGE', '--output expects a file, found an empty argument')
  refuseOtherSchemes(path)
  if (isRemotePath(path)) throw new InspectError('USAGE', '--output expects a file of this machine, found a URL')
  return path.startsWith(FILE_SCHEME) ? fileUrlPath(path) : path
}

/** @throws InspectError USAGE */
function parseTileSize(text: string): number {
  const [, digits, unit] = /^(\d+)([KMG]?)$/i.exec(text) ?? []
  const size = Number(digits) * 1024 ** ' KMG'.indexOf((unit || ' ').toUpperCase())
  if (Number.isSafeInteger(size)) return size
  throw new InspectError('USAGE', `--max-tile-size expects bytes, as 1000000 or 64M, found ${JSON.stringify(text)}`)
}

function note(state: RunState, options: CommonOptions, text: string): void {
  if (!options.quiet) say(state, `note: ${escapeControls(text)}`)
}

interface Places {
  storage: Storage
  /** The arguments without secrets. */
  given: string[]
  done(): void
}

/** Where the arguments lead. The code for URLs is loaded only if there is a URL. */
async function placesFor(state: RunState, args: string[], options: CommonOptions): Promise<Places> {
  for (const arg of args) if (arg !== undefined) refuseOtherSchemes(arg)
  const local = state.process.storage
  if (!args.some((arg) => arg !== undefined && isRemotePath(arg))) return { storage: local, given: args, done() {} }
  const { openPlaces } = await import('../source/remote/places.ts')
  return openPlaces(local, args, {
    env: state.process.env,
    signRequests: options.signRequest,
    note: (text) => note(state, options, text),
    show: options.requests ? state.process.stderr : undefined,
  })
}

/** The arguments, with abbreviated fragment names completed. */
async function completeFragmentNames(storage: Storage, given: string[]): Promise<string[]> {
  const abbreviated = (path: string | undefined): boolean => path?.split('/').some(beginsFragmentName) === true
  if (!given.some(abbreviated)) return given
  const { writtenOut } = await import('../store/fragment-prefix.ts')
  const { absolute } = pathsFor([])
  const paths: string[] = []
  for (const path of given) paths.push(abbreviated(path) ? await writtenOut(storage, path, absolute) : path)
  return paths
}

async function openOrSuggest(storage: Storage, path: string, reading: ReadContext): Promise<Target> {
  try {
    return await openTarget(storage, path, reading)
  } catch (error) {
    if (!(error instanceof InspectError) || error.code !== 'NOT_FOUND' || error.at.file !== path) throw error
    if (mayBeKey(path.slice(path.lastIndexOf('/') + 1)))
      throw new InspectError(
        'NOT_FOUND',
        'expected a path, found none of that name, which may be a key: --key takes one',
      )
    throw await (await import('../store/fragment-prefix.ts')).notFound(storage, path, error)
  }
}

/** @throws InspectError USAGE if the extension names no format, or one that the command does not write */
function chosenFormat(options: CommonOptions, module: CommandModule<never>): Format {
  if (options.json && options.format && options.format !== 'json')
    throw new InspectError('USAGE', `expected one format, found --json and --format ${options.format}`)
  if (options.json) return 'json'
  if (options.format) return options.format
  if (options.output === undefined) return 'table'
  const extension = extensionOf(options.output)
  const format = Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined
  if (module.ownOutput?.(options as never)) return format === 'json' || format === 'ndjson' ? format : 'table'
  if (format === 'arrow' && !module.arrow)
    throw new InspectError(
      'USAGE',
      `this command writes ${FORMATS.join(', ')}, not Arrow, found --output .${extension}`,
    )
  if (format !== undefined) return format
  const known = Object.keys(EXTENSIONS).filter((name) => name !== '' && (module.arrow || EXTENSIONS[name] !== 'arrow'))
  throw new InspectError(
    'USAGE',
    `--output expects a name with ${known.map((name) => `.${name}`).join(', ')} (without any: a table), or --format beside it; found .${extension}${EXTENSION_HINTS[extension] ?? ''}`,
  )
}

/** Hints for extensions that users may try. */
const EXTENSION_HINTS: Readonly<Record<string, string>> = {
  svg: ' (rtree --svg draws)',
  parquet: ' (pyarrow and DuckDB make Parquet of .arrow)',
  gz: ' (- and a pipe to gzip)',
  zst: ' (- and a pipe to zstd)',
}

function checkArrow(state: RunState, paths: readonly string[], options: CommonOptions): void {
  if (paths.length > 1) {
    throw new InspectError(
      'USAGE',
      `--format arrow writes one table: expected one fragment, or an array with --all-fragments, found ${paths.length} targets`,
    )
  }
  refuseTerminal(state, options)
}

function refuseTerminal(state: RunState, options: CommonOptions): void {
  if (state.process.stdout.isTTY && options.output === undefined) {
    throw new InspectError('USAGE', 'bytes are not written to a terminal: redirect stdout or give --output FILE')
  }
}

/** Makes paths absolute for reading, and turns them back into what the user wrote for messages. */
function pathsFor(given: readonly string[]): {
  absolute: (path: string) => string
  shown: (path: string) => string
} {
  const absolute = (path: string): string => {
    if (isRemotePath(path)) return remoteTarget(path).path
    return absolutePath(path.startsWith(FILE_SCHEME) ? fileUrlPath(path) : path)
  }
  const shown = (path: string): string => {
    for (const one of given) {
      const full = absolute(one)
      if (path === full) return one
      if (path.startsWith(`${full}/`)) return one.replace(/\/*$/, '') + path.slice(full.length)
      if (full.startsWith(`${path}/`) && one.endsWith(full.slice(path.length)))
        return one.slice(0, one.length - (full.length - path.length)) || '.'
    }
    // For files beside a target that was given relative to the current folder, such as the schema of its array.
    if (given.some((one) => one.startsWith('/'))) return path
    const here = absolute('')
    return path.startsWith(`${here}/`) ? path.slice(here.length + 1) : path
  }
  return { absolute, shown }
}

const FILE_SCHEME = 'file://'

/** @throws InspectError USAGE for a file on another host */
function fileUrlPath(url: string): string {
  const [, host, path] = /^([^/]*)(\/.*)?$/s.exec(url.slice(FILE_SCHEME.length)) ?? []
  if (path !== undefined && (host === '' || host === 'localhost')) return path
  throw new InspectError('USAGE', `expected file:///path, found ${JSON.stringify(url)}`)
}

/**
 * TileDB takes the path of a file:// URL as it is; other programs write `%20` for a space. The spelling that exists is used.
 */
async function resolveFileUrls(storage: Storage, paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const given of paths) {
    if (!given?.startsWith(FILE_SCHEME) || !given.includes('%')) found.push(given)
    else {
      const path = fileUrlPath(given)
      found.push((await storage.kind(path)) === undefined ? decoded(path) : path)
    }
  }
  return found
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Width used for a terminal that does not report its width, as in many CI systems. */
const USUAL_WIDTH = 80

function widthOf({ columns }: Pick<Output, 'columns'>): number | undefined {
  return columns === 0 ? USUAL_WIDTH : columns
}

async function openOutput(
  state: RunState,
  options: CommonOptions,
): Promise<{ out: Output; file: FileOutput | undefined }> {
  const { process } = state
  const color =
    options.color === 'always' ||
    (options.color === 'auto' &&
      (process.env.NO_COLOR
        ? false
        : process.env.FORCE_COLOR
          ? process.env.FORCE_COLOR !== '0'
          : process.stdout.isTTY && !options.output))
  const { vertical } = options
  if (options.output === undefined)
    return {
      out: { write: process.stdout.write, columns: widthOf(process.stdout), color, vertical },
      file: undefined,
    }
  const { openFileOutput } = await import('../node/file-output.ts')
  const file = await openFileOutput(options.output)
  return { out: { write: (data) => file.write(data), columns: undefined, color, vertical }, file }
}

async function show(
  state: RunState,
  outcome: Outcome,
  out: Output,
  options: CommonOptions,
  shown: (path: string) => string,
): Promise<void> {
  const first = state.shown++ === 0
  if (outcome.bytes) {
    refuseTerminal(state, options)
    for (const part of outcome.bytes) await out.write(part)
    return
  }
  if (state.format === 'arrow') {
    const { output } = options
    await outcome.arrow?.(out, output !== undefined && extensionOf(output) !== ARROW_STREAM)
    return
  }
  if (state.format === 'table') {
    if (outcome.noTable) {
      state.shown--
      return
    }
    if (!first) await out.write('\n')
    await outcome.table(out)
    return
  }
  const notes = await writeForPrograms(state, state.format, outcome, out, options.int64, (error) =>
    errorResult({ shownPath: shown }, error),
  )
  if (notes.failed) {
    state.cut = true
    state.failures.push(notes.failed)
    printError(state, notes.failed, shown)
  }
  if (notes.rounded && !options.quiet) {
    say(state, 'note: integers beyond 2^53 were printed as numbers; readers that round them want --int64 string')
  }
}

/** JSON, NDJSON, CSV and TSV. */
async function writeForPrograms(
  state: RunState,
  format: Exclude<Format, 'table' | 'arrow'>,
  outcome: Outcome,
  out: Output,
  int64: JsonStyle['int64'],
  ending: (error: InspectError) => Result,
): Promise<JsonNotes> {
  const several = state.several || outcome.oneOfSeveral === true
  const terminal = out.columns !== undefined
  if (format !== 'json' && outcome.cellLines && !several) return outcome.cellLines(out, { format, int64, terminal })
  if (format === 'csv' || format === 'tsv') {
    const { writeCsv } = await import('../render/csv.ts')
    const rows = rowsOf(outcome, several)
    const own = await outcome.columns?.()
    const columns =
      own && (several ? [...Object.keys(originOf(outcome)).filter((name) => !own.includes(name)), ...own] : own)
    state.columns = await writeCsv(rows, out, {
      ...{ int64, columns, below: state.columns },
      ...{ tabs: format === 'tsv', terminal },
    })
    return { rounded: false }
  }
  if (format === 'json' || outcome.rows === undefined)
    return writeJson(outcome.document, out, { int64, indent: format === 'json' }, { tail: outcome.tail, ending })
  const { writeNdjson } = await import('../render/ndjson.ts')
  return writeNdjson(outcome.lines?.() ?? rowsOf(outcome, several), out, { int64, flushRows: outcome.flushRows })
}

function originOf({ origin, document }: Outcome): { readonly [key: string]: Result } {
  return origin ?? { path: document.path }
}

/** @param several whether rows must say which target they belong to, if they do not say it already */
function rowsOf({ rows, ...outcome }: Outcome, several: boolean): List<Result> {
  if (rows === undefined) return [outcome.document]
  return several ? withOrigin(rows, originOf(outcome)) : rows
}

/** Rows that name their origin stay unchanged. So their columns have the same order for one target and for several. */
async function* withOrigin(rows: List<Result>, origin: { readonly [key: string]: Result }): AsyncGenerator<Result> {
  const keys = Object.keys(origin)
  for await (const row of rows) yield isFields(row) && !keys.every((key) => key in row) ? { ...origin, ...row } : row
}

/** Ensures that a reader of JSON gets a document even if there is nothing to show: with the error, or a message. */
async function showNothing(
  state: RunState,
  reported: { fault?: InspectError; note?: string },
  path: string,
  shown: (path: string) => string,
  out: Output,
): Promise<void> {
  if (reported.fault) {
    state.failures.push(reported.fault)
    await showErrorDocument(state, reported.fault, shown, out)
  } else if (state.format === 'json') {
    state.shown++
    const document = { ...documentHead('empty', path), message: reported.note ?? null }
    await writeJson(document, out, { int64: 'number', indent: true })
  }
}

/** Shows an error in place of a document. */
async function showFailure(
  state: RunState,
  error: unknown,
  shown: (path: string) => string,
  out: Output,
): Promise<void> {
  state.failures.push(await showError(state, error, shown, out))
}

/** The one place where errors are printed. */
async function showError(
  state: RunState,
  error: unknown,
  shown: (path: string) => string,
  out: Output,
): Promise<InspectError> {
  const known = asInspectError(error)
  printError(state, known, shown)
  if (state.process.env.DEBUG && error instanceof Error) state.process.stderr(`${error.stack}\n`)
  await showErrorDocument(state, known, shown, out)
  return known
}

async function showErrorDocument(
  state: RunState,
  error: InspectError,
  shown: (path: string) => string,
  out: Output,
): Promise<void> {
  if (state.format !== 'json' && state.format !== 'ndjson') return
  try {
    await writeJson({ error: errorResult({ shownPath: shown }, error) }, out, {
      int64: 'number',
      indent: state.format === 'json',
    })
  } catch (again) {
    // If the output itself failed, stderr has said so.
    if (!(again instanceof InspectError)) throw again
  }
}

function printError(state: RunState, error: InspectError, shown: (path: string) => string): void {
  state.codes.add(exitCodeOf(error))
  say(state, errorLine(error, shown))
}

/** Writes a line to stderr. On a terminal, a long line is wrapped. */
function say({ process }: RunState, text: string): void {
  const lines = wrapWords(text, widthOf({ columns: process.stderrColumns }), '  ')
  process.stderr(`${lines.join('\n')}\n`)
}

/** `error: file: byte 12, field x: expected …, found …` */
export function errorLine(error: InspectError, shown: (path: string) => string): string {
  const { file, offset, field, space } = error.at
  const place: string[] = []
  if (offset !== undefined) place.push(`byte ${offset}${space === undefined ? '' : ` of the ${space}`}`)
  else if (space !== undefined) place.push(space)
  if (field !== undefined) place.push(`field ${field}`)
  const parts = [file === undefined ? '' : shown(file), place.join(', '), error.message].filter((part) => part !== '')
  return `error: ${escapeControls(parts.join(': '))}`
}

/** Control characters in names and values from files must not reach a terminal. */
function escapeControls(text: string): string {
  return text.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      const unit = character.charCodeAt(i)
      return `\\u${unit.toString(16).padStart(4, '0')}`
    }).join(''),
  )
}
