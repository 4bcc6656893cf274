import { type Command, CommanderError } from 'commander'
import { ClosedPipe, hasCode, usage } from '../base/errors.ts'
import { Memory } from '../base/memory.ts'
import { VERSION } from '../base/version.ts'
import type { CommandModule, InnerCalls } from '../calls/command.ts'
import { parseSize } from '../calls/option-values.ts'
import { addTimesOptions, useTimes } from '../calls/times.ts'
import { readKey } from '../node/key.ts'
import { nodeCodecs } from '../node/node-codecs.ts'
import { pauseForEvents } from '../node/pause.ts'
import { type ReadContext, readContext } from '../objects/read-context.ts'
import type { CommonOptions } from './args.ts'
import { addCommonOptions, chosenFormat, commandAsked, commandFirst, formatAsked, givenOf, helpOption } from './args.ts'
import { CallParser, WrongCall } from './call-parser.ts'
import { CommandAtWork } from './command-at-work.ts'
import { COMMANDS, OTHER } from './commands.ts'
import { type Format, formatNames } from './formats.ts'
import { openDocuments, refuseTerminal } from './output.ts'
import { findPlaces, internalPath, mayBeTarget, outputFile, shownBy } from './paths.ts'
import type { Process } from './process.ts'
import { progressOf } from './progress.ts'
import { outcomesOf } from './refused-target.ts'
import { Report } from './report.ts'
import { type Run, runOrRepeat } from './run.ts'

/** Runs the program. @returns the exit code */
export async function main(process: Process): Promise<number> {
  const argv = await commandFirst(process.argv, (word) => mayBeTarget(process.storage, word))
  const report = new Report(process)
  // An error in the options is printed in the format that the options ask for.
  report.format = formatAsked(process.argv)
  try {
    await runProgram({ ...process, argv }, report)
  } catch (error) {
    // If nobody reads the output any more, the program ends quietly.
    if (!(error instanceof ClosedPipe)) throw error
  }
  return report.exitCode()
}

async function runProgram(process: Process, report: Report): Promise<void> {
  let program: Command | undefined
  try {
    if (process.argv[0] === 'completion' && process.argv[1] === 'words') return await printCompletedWords(process)
    const argv = process.argv[0] === 'help' ? await answerQuestion(process) : process.argv
    if (!argv) return
    program = await buildProgram({ ...process, argv }, report)
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (error instanceof WrongCall) {
      const { usageMessage } = await import('./usage.ts')
      await report.failure(usage(usageMessage(error)), process.stdout)
    } else if (!(error instanceof CommanderError)) await report.failure(error, process.stdout)
    // commander throws this when no command is given.
    else if (error.code === 'commander.help' && program) {
      process.stderr(program.helpInformation())
      report.addExitCode(2)
    }
    // Help and the version end a call in this way, too.
    else if (error.exitCode !== 0) await report.failure(usage(error.message), process.stdout)
  }
}

/** Prints the words that complete a line, one a line. The scripts of `completion` ask for them. */
async function printCompletedWords({ argv, stdout, storage }: Process): Promise<void> {
  const { completedWords } = await import('../commands/completed-words.ts')
  const reading = readContext(nodeCodecs)
  const words = await completedWords({ storage, reading, internalPath, commandOf, helpWords }, argv.slice(2))
  await stdout.write(words.map((word) => `${word}\n`).join(''))
}

async function helpWords(): Promise<readonly string[]> {
  return (await import('./questions.ts')).knownWords()
}

async function commandOf(name: string | undefined): Promise<CommandModule<never> | undefined> {
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? (await COMMANDS[name].load()).command : undefined
}

/**
 * Answers `help <words>` from the list of questions. If no question has the words, the name of another tool's command is
 * called as a command: the error then says what to use instead.
 * @returns the arguments of that call; undefined if the question was answered
 * @throws InspectError USAGE if there is neither an answer nor such a command
 */
async function answerQuestion({ argv, stdout }: Process): Promise<readonly string[] | undefined> {
  const words = argv.slice(1).filter((word) => !word.startsWith('-'))
  const [{ answers, noAnswer }, { jqHelp }] = await Promise.all([import('./questions.ts'), import('./jq-programs.ts')])
  const text = jqHelp(words) ?? answers(words)
  if (text !== undefined) {
    await stdout.write(text)
    return undefined
  }
  const { isHinted } = await import('./usage.ts')
  if (isHinted(words[0])) return words.slice(0, 1)
  throw usage(noAnswer(words))
}

const ABOUT = `See what is really on disk in TileDB arrays, fragments and tiles.

A target is an array, group, fragment or file, by its path or URL (s3, gs, azure, https).
Alone, it shows an overview: what it is, whether it is right, what to do next.`

const HELP_END = `
Questions:
  Is it corrupt? Why does it not open?       check
  Which fragments would vacuum remove?       ls
  Why do readers not see a fragment?         ls
  May I delete this file or folder?          why
  What was this cell last Tuesday?           read --as-of TIME --range DIM=VALUE
  Which fragment holds this cell?            history --cell DIM=VALUE,...
  Why is my read slow? What would help?      explain
  What fills the disk? Does compression pay? stats
  Which TileDB version wrote it, reads it?   the target alone
  tiledb-inspect help <word> finds more: help vacuum, help slow, help key

tiledb-inspect <command> -h shows the options of a command in short, --help all
of them, and examples.
Exit codes: 0 all is well, 1 damage or a difference was found,
            2 the call is wrong, 3 not fully examined.`

async function buildProgram(process: Process, report: Report): Promise<Command> {
  const program = new CallParser('tiledb-inspect')
  const quietly = (command: Command): Command =>
    command.exitOverride().configureOutput({
      writeOut: (text) => void process.stdout.write(text),
      writeErr: () => {},
    })
  quietly(program)
    .usage('<target>\n       tiledb-inspect <command> [options] <target>...')
    .description(ABOUT)
    .version(VERSION, '-V, --version')
    .addHelpText('after', HELP_END)
    .commandsGroup(OTHER)
    .helpCommand(
      'help [word]',
      'shows the help of a command; or questions with that word, and the calls that answer them',
    )
  const helpOf = commandAsked(process.argv)
  const wantsHelp = process.argv.some((arg) => arg === '--help' || arg === '-h')
  const isShort = !process.argv.includes('--help')
  for (const [name, { group, summary, load }] of Object.entries(COMMANDS)) {
    const command = quietly(program.command(name)).summary(summary).description(summary).helpGroup(group)
    // Only `completion` needs the options of all commands. Other calls need those of their own command.
    if (name !== helpOf && helpOf !== 'completion') continue
    const module = (await load()).command
    module.configure(command)
    if (module.takesTimes) addTimesOptions(command)
    // Without this, the option --help of a command without options would stand alone, below the options of every command.
    if (command.options.length === 0) command.addHelpOption(helpOption())
    addCommonOptions(command, formatNames(module))
    if (wantsHelp) {
      const { aboutText, endText, onlyOwnOptions, shortEnd } = await import('./help.ts')
      if (isShort) onlyOwnOptions(command).addHelpText('after', shortEnd(module, name))
      else command.description(aboutText(name, module, summary)).addHelpText('after', endText(name, module))
    }
    command.action(() => runCommand(process, report, module, command))
  }
  return program
}

async function runCommand(
  process: Process,
  report: Report,
  module: CommandModule<never>,
  command: Command,
): Promise<void> {
  const options = command.opts<CommonOptions>()
  const { output } = options
  options.output = outputFile(output)
  options.toStdout = output !== undefined && options.output === undefined
  report.quiet = options.quiet ?? false
  report.format = chosenFormat(options, module)
  const args = command.processedArgs.flat().filter((arg) => arg !== undefined)
  // Only the target is checked: other arguments, such as a field's name, may be empty.
  if ([command.processedArgs[0]].flat().includes('')) throw usage({ expected: 'a path', found: 'an empty argument' })
  const bytes = options.memory === undefined ? undefined : parseSize('--memory', options.memory)
  const memory = new Memory(bytes)
  const { storage, anew, paths, done } = await findPlaces(args, options, process, report, memory)
  const { metered, line } = await progressOf(process, options)
  if (report.format === 'arrow' || report.format === 'parquet')
    checkTable(report.format, module, process, { paths, options })
  const key = await readKey(options, process.env.TILEDB_INSPECT_KEY)
  const several = paths.length > 1 && command.registeredArguments[0].variadic
  const isEach = several && !module.together
  const shownPath = shownBy(paths)
  const inner = async (): Promise<InnerCalls> =>
    (await import('./inner-call.ts')).innerCalls(innerProcess(process, options, key), main)
  const newReading = (): ReadContext => ({ ...readContext(nodeCodecs, key, memory), pause: pauseForEvents })
  const setting = { module, command, options, paths, isEach, report, shownPath, metered, line, newReading, inner }
  const atWork = new CommandAtWork(setting, storage)
  const { cx } = atWork
  if (module.takesTimes) useTimes(cx, options)
  if (options.output !== undefined) await cx.refuseReadPlace(options.output, '--output')
  const documents = await openDocuments({ process, report, options, several, memory })
  // Errors so far named the paths that the user wrote. Errors from here on name the paths that are read.
  report.shownPath = shownPath
  const given = (): string[] => givenOf(command)
  let ended = false
  line?.start()
  try {
    for (const targets of isEach ? paths.map((path) => [path]) : [paths]) {
      const before = documents.count
      atWork.goTo(targets[0])
      const open = (isRepeated: boolean): Run => {
        const run = atWork.begin(isRepeated ? anew() : storage)
        documents.beginRun(() => run.changed())
        return run
      }
      const work = async (): Promise<void> => {
        const call = { name: command.name(), args: targets, options, given }
        const outcomes = outcomesOf(cx, call, module.run(cx, targets, options as never))
        await atWork.finish(outcomes, (outcome) => documents.add(outcome))
        const { fault, note } = atWork.reported
        if (documents.count === before) await documents.addEmpty(targets[0], fault, note)
      }
      try {
        await runOrRepeat(open, work, () => documents.endRun())
      } catch (error) {
        // Wrong options end the run: see `orFailure`. Other errors leave the next target to be tried.
        if (error instanceof ClosedPipe || hasCode(error, 'USAGE')) throw error
        await documents.addFailure(error)
      }
    }
    ended = true
  } finally {
    done()
    line?.end()
    await documents.close(ended)
  }
}

/** What calls from within a command run in: with its key, and without a signature if it has none. */
function innerProcess(process: Process, { signRequest }: CommonOptions, key: Uint8Array | undefined): Process {
  const TILEDB_INSPECT_KEY = key && Buffer.from(key).toString('hex')
  const unsigned = signRequest
    ? {}
    : { AWS_NO_SIGN_REQUEST: 'true', GS_NO_SIGN_REQUEST: 'true', AZURE_NO_SIGN_REQUEST: 'true' }
  return { ...process, env: { ...process.env, TILEDB_INSPECT_KEY, ...unsigned } }
}

/** Refuses what a format of bytes cannot hold: cells of several targets, as their columns differ. */
function checkTable(
  format: Format,
  { gives, ownOutput }: CommandModule<never>,
  process: Process,
  { paths, options }: { paths: readonly string[]; options: CommonOptions },
): void {
  if (paths.length > 1 && gives === 'cells')
    throw usage(`--format ${format} writes one table: expected one target, found ${paths.length} targets`)
  if (!ownOutput?.(options as never)) refuseTerminal(process, options)
}
