import type { Command } from 'commander'
import { InspectError, usage } from '../base/errors.ts'
import { absolutePath } from '../node/current-folder.ts'
import { mayBeKey } from '../node/key.ts'
import type { OpenPlaces } from '../source/remote/places.ts'
import { isRemotePath, refuseOtherSchemes, remoteTarget } from '../source/remote/urls.ts'
import type { Storage } from '../source/source.ts'
import type { ReadContext } from '../store/generic-tile.ts'
import { beginsFragmentName, openTarget, type Target } from '../store/target.ts'
import type { CommonOptions } from './args.ts'
import type { Process } from './process.ts'
import type { Report } from './report.ts'

const FILE_SCHEME = 'file://'

/** Other names of standard output. If it is a socket, the system cannot open it by these names. */
const STDOUT = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']

/** Arguments that are not paths. */
const NO_PATHS = ['field', 'index', 'offset', 'shell']

/**
 * Where the arguments lead: the paths without secrets, and with the full names of fragments. The code for URLs is loaded only
 * if there is a URL.
 */
export async function findPlaces(
  args: string[],
  options: CommonOptions,
  process: Process,
  report: Report,
): Promise<OpenPlaces> {
  for (const arg of args) refuseOtherSchemes(arg)
  const places = args.some((arg) => isRemotePath(arg))
    ? (await import('../source/remote/places.ts')).openPlaces(process.storage, args, {
        env: process.env,
        signRequests: options.signRequest,
        note: (text) => report.note(text),
        show: options.requests ? process.stderr : undefined,
      })
    : { storage: process.storage, given: args, done() {} }
  const given: string[] = []
  for (const path of places.given) given.push(await completePath(places.storage, path))
  return { ...places, given }
}

/** Whether a word that is no command is meant as a target: no command has a slash, and all others must exist. */
export async function mayBeTarget(storage: Storage, word: string): Promise<boolean> {
  if (isRemotePath(word) || beginsFragmentName(word)) return true
  if ((await storage.kind(absolutePath(word)).catch(() => undefined)) !== undefined) return true
  return word.includes('/') && !mayBeKey(word)
}

/**
 * TileDB takes the path of a file:// URL as it is; other programs write `%20` for a space. The spelling that exists is used.
 * An abbreviated name of a fragment is completed.
 */
async function completePath(storage: Storage, given: string): Promise<string> {
  let path = given
  if (given.startsWith(FILE_SCHEME) && given.includes('%')) {
    path = localPath(given)
    if ((await storage.kind(path)) === undefined) path = decoded(path)
  }
  if (!path.split('/').some(beginsFragmentName)) return path
  return (await import('../store/fragment-prefix.ts')).completePath(storage, path, internalPath)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The path of a file:// URL; any other path unchanged. @throws InspectError USAGE for a file on another host */
function localPath(given: string): string {
  if (!given.startsWith(FILE_SCHEME)) return given
  const [, host, path] = /^([^/]*)(\/.*)?$/s.exec(given.slice(FILE_SCHEME.length)) ?? []
  if (path !== undefined && (host === '' || host === 'localhost')) return path
  throw usage(`expected file:///path, found ${JSON.stringify(given)}`)
}

/** The path by which something is read: absolute, or that of a URL. */
export function internalPath(given: string): string {
  return isRemotePath(given) ? remoteTarget(given).path : absolutePath(localPath(given))
}

/** Turns paths by which something is read back into what the user wrote. What the user wrote stays as it is. */
export function shownBy(given: readonly string[]): (path: string) => string {
  let known: string[] | undefined
  return (path) => {
    if (given.includes(path)) return path
    known ??= given.map((one) => internalPath(one))
    for (const [i, one] of given.entries()) {
      const full = known[i]
      if (path === full) return one
      if (path.startsWith(`${full}/`)) return one.replace(/\/*$/, '') + path.slice(full.length)
      if (full.startsWith(`${path}/`) && one.endsWith(full.slice(path.length)))
        return one.slice(0, one.length - (full.length - path.length)) || '.'
    }
    // For files beside a target that was given relative to the current folder, such as the schema of its array.
    if (given.some((one) => one.startsWith('/'))) return path
    const here = internalPath('')
    return path.startsWith(`${here}/`) ? path.slice(here.length + 1) : path
  }
}

/** Opens a target by the path that the user gave. If there is none, the error names what was most likely meant. */
export async function openGiven(storage: Storage, given: string, reading: ReadContext): Promise<Target> {
  const path = internalPath(given)
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

/** The file on this machine that `--output` names; undefined for stdout. @throws InspectError USAGE */
export function outputFile(given: string | undefined): string | undefined {
  if (given === undefined || STDOUT.includes(given)) return undefined
  if (given === '') throw usage('--output expects a file, found an empty argument')
  refuseUrl('--output', given)
  return localPath(given)
}

/** @throws InspectError USAGE for a URL of another machine */
function refuseUrl(option: string, path: string): void {
  refuseOtherSchemes(path)
  if (isRemotePath(path)) throw usage(`${option} expects a path of this machine, found a URL`)
}

/**
 * @param given the arguments of the command
 * @param option that names `path`, or the command itself if its argument does
 * @throws InspectError USAGE if `path` is written and also read, or if it is a URL
 */
export async function refuseReadPlace(
  command: Command,
  given: readonly string[],
  path: string,
  option: string,
): Promise<void> {
  refuseUrl(option, path)
  if (path.startsWith(FILE_SCHEME))
    throw usage(`${option} expects a path without ${FILE_SCHEME}, found ${JSON.stringify(path)}`)
  const { refuseReadPlaces } = await import('../node/read-places.ts')
  const others = [...(option === command.name() ? [] : targets(command, given)), ...namedFiles(command, option)]
  const local = others.filter((one) => !isRemotePath(one)).map(internalPath)
  refuseReadPlaces(path, option, local, shownBy(given))
}

function targets({ registeredArguments }: Command, given: readonly string[]): string[] {
  return given.filter((_, i) => !NO_PATHS.includes((registeredArguments[i] ?? registeredArguments.at(-1)).name()))
}

/** Files that options name, except for `option`. */
function namedFiles(command: Command, option: string): string[] {
  const values = command.opts<Record<string, unknown>>()
  return command.options
    .filter(({ flags, long }) => flags.includes('<file>') && long !== option)
    .flatMap((other) => values[other.attributeName()])
    .filter((value): value is string => typeof value === 'string' && value !== '-')
}
