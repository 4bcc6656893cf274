import { firstOf, InspectError } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { parseFragmentName } from '../format/timestamped-name.ts'
import type { Storage } from '../source/source.ts'
import { beginsFragmentName } from './target.ts'

/** Where an array's fragments are since format version 5. */
const FRAGMENTS_FOLDER = '__fragments'

/**
 * The path with the beginnings of fragments' names in it written out: `places/__17` is
 * `places/__fragments/__1714557600000_…_22`. Unchanged where something stands at the path already, or nothing fits.
 *
 * @param absolute the path for reading, for each spelling of it
 * @throws InspectError USAGE where several fragments' names begin so
 */
export async function writtenOut(storage: Storage, path: string, absolute: (path: string) => string): Promise<string> {
  if ((await storage.kind(absolute(path))) !== undefined) return path
  const done: string[] = []
  for (const part of path.split('/')) {
    const folder = done.join('/')
    const found = beginsFragmentName(part) ? await fragmentsAt(storage, folder, part, absolute) : []
    if (found.length > 1) {
      throw new InspectError(
        'USAGE',
        `expected the name of one fragment, found ${JSON.stringify(part)}, which begins those of ${firstOf(found.map(lastPathPart))}`,
      )
    }
    done.push(found[0] ?? part)
  }
  return done.join('/')
}

/** Fragments whose names begin so: those in the folder, or in the array that it is. Relative to the folder. */
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
      if (kind === 'folder' && name === beginning) return []
      if (kind === 'folder' && name.startsWith(beginning) && parseFragmentName(name)) found.push(inside + name)
    }
  }
  return found
}

/** The error for a path where nothing stands, with the name there that was most likely meant. */
export async function notFound(storage: Storage, path: string, error: InspectError): Promise<InspectError> {
  const slash = path.lastIndexOf('/')
  const parent = path.slice(0, Math.max(slash, 1))
  if ((await storage.kind(parent)) !== 'folder') return error
  const names = (await storage.list(parent)).map(({ name }) => name)
  // A link that leads nowhere is there by its name.
  const wanted = path.slice(slash + 1)
  const near = didYouMean(
    wanted,
    names.filter((name) => name !== wanted),
  )
  return near === '' ? error : new InspectError(error.code, error.message + near, error.at, { cause: error })
}
