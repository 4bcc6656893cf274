import { type Command, CommanderError } from 'commander'
import { ClosedPipe, usage } from '../base/errors.ts'
import type { Called, CallLimits, InnerCalls } from '../calls/command.ts'
import { addTimesOptions } from '../calls/times.ts'
import { resolvedPath, rootedStorage } from '../storage/rooted.ts'
import { addCommonOptions } from './args.ts'
import { CallParser, WrongCall } from './call-parser.ts'
import { COMMANDS } from './commands.ts'
import { formatNames } from './formats.ts'
import { internalPath, targetsOf } from './paths.ts'
import type { Process } from './process.ts'

/** Commands that write files, serve, or have nothing to do with arrays. */
const REFUSED: ReadonlySet<string> = new Set(['recover', 'write-sample', 'page', 'completion', 'mcp'])

/** Calls from within a command. @param main runs a call */
export async function innerCalls(process: Process, main: (process: Process) => Promise<number>): Promise<InnerCalls> {
  const { answers, noAnswer } = await import('./questions.ts')
  const reading = Object.entries(COMMANDS).filter(([name]) => !REFUSED.has(name))
  const commands = new Map(reading.map(([name, { summary }]) => [name, summary]))
  return {
    commands,
    run: (argv, limits) => innerCall({ process, main, names: [...commands.keys()] }, argv, limits),
    answers: (words) => answers(words) ?? `${noAnswer(words)}\n`,
  }
}

interface Program {
  process: Process
  main(process: Process): Promise<number>
  /** The commands that may run. */
  names: readonly string[]
}

/** Folders of the system with facts about this process, such as its environment. */
const SYSTEM = ['/proc', '/sys']

/** Bytes of output after which a call is ended. */
const MAX_COUNTED = 64 * 1024 * 1024

/** Shortest text that is taken for a secret. */
const SHORTEST_SECRET = 8

/** Variables whose values no output may have. */
const SECRET_VARIABLES = [
  'TILEDB_INSPECT_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'GS_SECRET_ACCESS_KEY',
  'TILEDB_VFS_GCS_SERVICE_ACCOUNT_KEY',
  'AZURE_STORAGE_KEY',
  'AZURE_STORAGE_SAS_TOKEN',
  'TILEDB_VFS_AZURE_STORAGE_ACCOUNT_KEY',
  'TILEDB_VFS_AZURE_STORAGE_SAS_TOKEN',
]

async function innerCall(
  { process, main, names }: Program,
  [name, ...args]: readonly string[],
  { roots, most }: CallLimits,
): Promise<Called> {
  if (!names.includes(name)) throw usage({ expected: names.join(', '), found: JSON.stringify(name) })
  const inside = roots.map((root) => resolvedPath(process.storage, internalPath(root)))
  const lets = (path: string): boolean =>
    inside.length > 0 ? inside.some((root) => isBelow(root, path)) : !SYSTEM.some((root) => isBelow(root, path))
  await refuseForbidden(name, args, inside.length > 0, (target) => {
    if (lets(resolvedPath(process.storage, internalPath(target)))) return
    throw usage({
      expected: roots.length > 0 ? `a target in ${roots.join(', ')}` : `a target outside of ${SYSTEM.join(' and ')}`,
      found: target,
    })
  })
  const [out, err] = [new Kept(most), new Kept(most)]
  const env = { ...process.env, TILEDB_INSPECT_ERRORS: undefined, DEBUG: undefined }
  const code = await main({
    argv: [name, ...args],
    env,
    stdout: { write: (data) => out.write(data), columns: undefined, color: false, isTTY: false },
    stderr: (text) => err.write(text),
    storage: rootedStorage(process.storage, lets),
  })
  const secrets = SECRET_VARIABLES.flatMap((variable) => process.env[variable] ?? [])
  const safe = (text: string): string =>
    secrets.reduce((rest, secret) => (secret.length >= SHORTEST_SECRET ? rest.replaceAll(secret, '…') : rest), text)
  const narrows = await narrowing(name)
  return { code, text: safe(out.text()), errors: safe(err.text()), leftOut: out.leftOut(), narrows }
}

function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`)
}

async function parserOf(name: string): Promise<Command> {
  const { command: module } = await COMMANDS[name].load()
  const command = new CallParser(name).exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} })
  module.configure(command)
  if (module.takesTimes) addTimesOptions(command)
  return addCommonOptions(command, formatNames(module))
}

/** Options that make an output shorter. */
const NARROWS = ['--limit', '--field', '--range', '--where', '--tiles', '--names', '--depth', '--at', '--level']

async function narrowing(name: string): Promise<string[]> {
  const { options } = await parserOf(name)
  return NARROWS.filter((one) => options.some(({ long }) => long === one))
}

/** @throws InspectError USAGE if the call writes a file, names a key, or reads where it may not */
async function refuseForbidden(
  name: string,
  args: readonly string[],
  hasRoots: boolean,
  refuseOutside: (target: string) => void,
): Promise<void> {
  const command = await parserOf(name)
  try {
    command.parse(args, { from: 'user' })
  } catch (error) {
    // The call itself says what is wrong, or shows the help.
    if (error instanceof WrongCall || error instanceof CommanderError) return refuseUnparsed(args)
    throw error
  }
  for (const option of command.options) {
    if (command.getOptionValueSource(option.attributeName()) !== 'cli') continue
    const { long, flags } = option
    if (/^--key/.test(long ?? '')) throw usage(`${long} is not taken here: the server itself has the key`)
    if (/<(?:file|dir)>/.test(flags)) throw usage(`${long} is not taken here: it names a file beside the target`)
    if (long === '--jobs' && hasRoots) throw usage('--jobs is not taken here')
  }
  for (const target of targetsOf(command, command.args)) refuseOutside(target)
}

/** Refuses keys in a call that cannot be parsed: it does nothing, but its message could repeat the key. */
function refuseUnparsed(args: readonly string[]): void {
  if (args.some((arg) => arg.startsWith('--key'))) throw usage('--key is not taken here: the server itself has the key')
}

/** The beginning of an output. */
class Kept {
  private readonly parts: Uint8Array[] = []
  private length = 0
  private total = 0
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** @throws ClosedPipe if there is far too much */
  write(data: string | Uint8Array): void {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data
    this.total += bytes.length
    if (this.length < this.most) {
      // The writer may use its memory again.
      const part = bytes.slice(0, this.most - this.length)
      this.parts.push(part)
      this.length += part.length
    }
    if (this.total > MAX_COUNTED) throw new ClosedPipe()
  }

  /** What was kept: whole lines, if it is cut and has any. */
  text(): string {
    const all = Buffer.concat(this.parts)
    if (this.total === this.length) return all.toString()
    const end = all.lastIndexOf('\n') + 1
    return new TextDecoder().decode(all.subarray(0, end || all.length), { stream: true })
  }

  /** The number of bytes that {@link text} lacks; `isMore` if not all were counted. */
  leftOut(): { bytes: number; isMore: boolean } {
    return { bytes: this.total - Buffer.byteLength(this.text()), isMore: this.total > MAX_COUNTED }
  }
}
