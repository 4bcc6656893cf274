import { firstOf, InspectError, longer, usage } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { lastPathPart } from '../base/paths.ts'
import { parseFragmentName } from '../format/timestamped-name.ts'
import type { Storage } from '../storage/source.ts'
import { FRAGMENTS_FOLDER } from './commits.ts'
import { mayBeFragmentName } from './target.ts'

/**
 * Completes a fragment's name, or its beginning, in a path: `places/__17` becomes
 * `places/__fragments/__1714557600000_…_22`. Returns the path unchanged if it exists, or if no fragment matches.
 *
 * @param absolute turns a path as the user wrote it into a path of the storage
 * @throws InspectError USAGE if several fragments match
 */
export async function completePath(
  storage: Storage,
  path: string,
  absolute: (path: string) => string,
): Promise<string> {
  if ((await storage.kind(absolute(path))) !== undefined) return path
  const done: string[] = []
  for (const part of path.split('/')) {
    const folder = done.join('/')
    const found = mayBeFragmentName(part) ? await fragmentsAt(storage, folder, part, absolute) : []
    if (found.length > 1) {
      throw usage({
        expected: 'the name of one fragment',
        found: `${JSON.stringify(part)}, which begins those of ${firstOf(found.map(lastPathPart))}`,
      })
    }
    done.push(found[0] ?? part)
  }
  return done.join('/')
}

/** Paths, relative to the folder, of the fragments in it or in its `__fragments` whose names start with `beginning`. */
async function fragmentsAt(
  storage: Storage,
  folder: string,
  beginning: string,
  absolute: (path: string) => string,
): Promise<string[]> {
  const found: string[] = []
  for (const inside of ['', `${FRAGMENTS_FOLDER}/`]) {
    const at = absolute(`${folder === '' ? '.' : folder}/${inside}`)
    if ((await storage.kind(at)) !== 'folder') continue
    for (const { name, kind } of await storage.list(at)) {
      // The name is whole: nothing else is meant, even if others begin with it.
      if (kind === 'folder' && name === beginning) return inside === '' ? [] : [inside + name]
      if (kind === 'folder' && name.startsWith(beginning) && parseFragmentName(name)) found.push(inside + name)
    }
  }
  return found
}

/** The error for a path that does not exist. It suggests the existing name that the user most likely meant. */
export async function withSuggestion(storage: Storage, path: string, error: InspectError): Promise<InspectError> {
  const slash = path.lastIndexOf('/')
  const parent = path.slice(0, Math.max(slash, 1))
  if ((await storage.kind(parent)) !== 'folder') return error
  const names = (await storage.list(parent)).map(({ name }) => name)
  // A broken link is listed under the wanted name itself.
  const wanted = path.slice(slash + 1)
  const near = didYouMean(
    wanted,
    names.filter((name) => name !== wanted),
  )
  return near === '' ? error : new InspectError(error.code, longer(error.fault, near), error.at, { cause: error })
}
