import type { Command } from 'commander'
import { InspectError, usage } from '../base/errors.ts'
import type { Memory } from '../base/memory.ts'
import { absolutePath } from '../node/current-folder.ts'
import { mayBeKey } from '../node/key.ts'
import { FRAGMENTS_FOLDER } from '../objects/commits.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { beginsFragmentName, mayBeFragmentName, openTarget, type Target } from '../objects/target.ts'
import type { OpenPlaces } from '../storage/remote/places.ts'
import { isRemotePath, refuseOtherSchemes, remoteTarget } from '../storage/remote/urls.ts'
import type { Storage } from '../storage/source.ts'
import type { CommonOptions } from './args.ts'
import type { Process } from './process.ts'
import type { Report } from './report.ts'

const FILE_SCHEME = 'file://'

/** Names of standard output. They need their own handling: where stdout is a socket, the system cannot open these files. */
const STDOUT = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']

/** Names of the arguments that are not paths. */
const NO_PATHS = ['field', 'index', 'offset', 'shell']

/**
 * The storage for the arguments, and the arguments as paths: without secrets, and with the full names of fragments. The code
 * for URLs is loaded only if there is a URL.
 */
export async function findPlaces(
  args: string[],
  options: CommonOptions,
  process: Process,
  report: Report,
  memory: Memory,
): Promise<OpenPlaces> {
  for (const arg of args) refuseOtherSchemes(arg)
  const places = args.some((arg) => isRemotePath(arg))
    ? (await import('../storage/remote/places.ts')).openPlaces(process.storage, args, {
        env: process.env,
        signRequests: options.signRequest,
        memory,
        note: (text) => report.note(text),
        show: options.requests ? process.stderr : undefined,
      })
    : { storage: process.storage, anew: () => process.storage, paths: args, done() {} }
  const paths: string[] = []
  for (const path of places.paths) paths.push(await completePath(places.storage, path))
  return { ...places, paths }
}

/** Whether a word is a target: a URL, a fragment's name, a path that exists, or a word with a slash that is not a key. */
export async function mayBeTarget(storage: Storage, word: string): Promise<boolean> {
  if (isRemotePath(word) || mayBeFragmentName(word)) return true
  if ((await storage.kind(absolutePath(word)).catch(() => undefined)) !== undefined) return true
  return word.includes('/') && !mayBeKey(word)
}

/**
 * Completes the abbreviated name of a fragment, and finds a fragment by its name below its array, as `ls` shows it. Of a file:// URL with `%` it chooses the spelling that exists: TileDB does not
 * decode such a path, but other programs write `%20` for a space.
 */
async function completePath(storage: Storage, written: string): Promise<string> {
  let path = written
  if (written.startsWith(FILE_SCHEME) && written.includes('%')) {
    path = localPath(written)
    if ((await storage.kind(path)) === undefined) path = decodePath(path)
  }
  const parts = path.split('/')
  const isInPlace = (part: string, i: number): boolean => parts[i - 1] === FRAGMENTS_FOLDER && !beginsFragmentName(part)
  if (!parts.some((part, i) => mayBeFragmentName(part) && !isInPlace(part, i))) return path
  // Such a server shows no names, and would be asked for nothing.
  if (!parts.some(beginsFragmentName) && storage.mayNotList?.(internalPath(path))) return path
  return (await import('../objects/fragment-prefix.ts')).completePath(storage, path, internalPath)
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The path of a file:// URL; any other path unchanged. @throws InspectError USAGE for a file on another host */
function localPath(written: string): string {
  if (!written.startsWith(FILE_SCHEME)) return written
  const [, host, path] = /^([^/]*)(\/.*)?$/s.exec(written.slice(FILE_SCHEME.length)) ?? []
  if (path !== undefined && (host === '' || host === 'localhost')) return path
  throw usage({ expected: 'file:///path', found: JSON.stringify(written) })
}

/** The path by which the storage knows what the user wrote: absolute, or the path of a URL. */
export function internalPath(written: string): string {
  return isRemotePath(written) ? remoteTarget(written).path : absolutePath(localPath(written))
}

/**
 * A function that turns a path of the storage back into what the user would write.
 * @param args the paths that the user wrote; they stay as they are
 */
export function shownBy(args: readonly string[]): (path: string) => string {
  let internal: string[] | undefined
  return (path) => {
    if (args.includes(path)) return path
    internal ??= args.map((one) => internalPath(one))
    for (const [i, written] of args.entries()) {
      const full = internal[i]
      if (path === full) return written
      if (path.startsWith(`${full}/`)) return written.replace(/\/*$/, '') + path.slice(full.length)
      if (full.startsWith(`${path}/`) && written.endsWith(full.slice(path.length)))
        return written.slice(0, written.length - (full.length - path.length)) || '.'
    }
    // The path lies beside the targets, such as the schema of a fragment's array. Beside relative targets it is relative, too.
    if (args.some((one) => one.startsWith('/'))) return path
    const here = internalPath('')
    return path.startsWith(`${here}/`) ? path.slice(here.length + 1) : path
  }
}

/** Opens a target by the path that the user wrote. If there is none, the error names what was most likely meant. */
export async function openPath(storage: Storage, written: string, reading: ReadContext): Promise<Target> {
  const path = internalPath(written)
  try {
    return await openTarget(storage, path, reading)
  } catch (error) {
    if (!(error instanceof InspectError) || error.code !== 'NOT_FOUND' || error.at.file !== path) throw error
    if (mayBeKey(path.slice(path.lastIndexOf('/') + 1)))
      throw new InspectError('NOT_FOUND', {
        expected: 'a path',
        found: 'none of that name, which may be a key: --key takes one',
      })
    throw await (await import('../objects/fragment-prefix.ts')).withSuggestion(storage, path, error)
  }
}

/** The file on this machine that `--output` names; undefined for stdout. @throws InspectError USAGE */
export function outputFile(output: string | undefined): string | undefined {
  if (output === undefined || STDOUT.includes(output)) return undefined
  if (output === '') throw usage('--output expects a file, found an empty argument')
  refuseUrl('--output', output)
  return localPath(output)
}

/** @throws InspectError USAGE for a URL of another machine */
function refuseUrl(option: string, path: string): void {
  refuseOtherSchemes(path)
  if (isRemotePath(path)) throw usage(`${option} expects a path of this machine, found a URL`)
}

/**
 * Refuses to write to a place that the same call reads.
 * @param args the arguments of the command
 * @param path the file or folder to write
 * @param option the option that names `path`; the name of the command if an argument names it
 * @throws InspectError USAGE if the call reads `path`, or if it is a URL
 */
export async function refuseReadPlace(
  command: Command,
  args: readonly string[],
  path: string,
  option: string,
): Promise<void> {
  refuseUrl(option, path)
  if (path.startsWith(FILE_SCHEME))
    throw usage(`${option} expects a path without ${FILE_SCHEME}, found ${JSON.stringify(path)}`)
  const { refuseReadPlaces } = await import('../node/read-places.ts')
  const others = [...(option === command.name() ? [] : targetsOf(command, args)), ...namedFiles(command, option)]
  const local = others.filter((one) => !isRemotePath(one)).map(internalPath)
  refuseReadPlaces(path, option, local, shownBy(args))
}

/** The arguments that are paths. */
export function targetsOf({ registeredArguments }: Command, args: readonly string[]): string[] {
  return args.filter((_, i) => !NO_PATHS.includes((registeredArguments[i] ?? registeredArguments.at(-1)).name()))
}

/** The files that the options name, except for the file of `option`. */
function namedFiles(command: Command, option: string): string[] {
  const values = command.opts<Record<string, unknown>>()
  return command.options
    .filter(({ flags, long }) => flags.includes('<file>') && long !== option)
    .flatMap((other) => values[other.attributeName()])
    .filter((value): value is string => typeof value === 'string' && value !== '-')
}
