import { UNSAFE } from '../base/unsafe-text.ts'
import type { CommandModule } from '../calls/command.ts'
import { takesKind } from '../calls/targets.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { openTarget, type TargetKind } from '../objects/target.ts'
import { fieldNames } from '../read/query.ts'
import type { Storage } from '../storage/source.ts'

/** Options whose value begins with the name of a field. */
export const FIELD_OPTIONS: readonly string[] = ['--field', '--field-filters', '--where']
/** Options whose value begins with the name of a dimension. */
export const DIMENSION_OPTIONS: readonly string[] = ['--range', '--cell', '--domain', '--tile-extent', '--dimension']

/** Options whose value is tiles, by their numbers. */
export const TILE_OPTIONS: readonly string[] = ['--tiles']
/** Options whose value is the code of a finding. */
export const CODE_OPTIONS: readonly string[] = ['--ignore']
/** Most tiles that are offered one by one. */
const MAX_TILES = 100

/** Whether a command takes a kind of targets, at least with some options. A word that is no command is a target, which may be any. */
async function mayTake({ commandOf }: Places, word: string | undefined, kind: TargetKind): Promise<boolean> {
  const { takes, takesWith = {} } = (await commandOf(word)) ?? {}
  return takes === undefined || [takes, ...Object.values(takesWith)].some((taken) => takesKind(taken, kind))
}

interface Places {
  storage: Storage
  reading: ReadContext
  /** As in CommandContext (calls/command.ts). */
  internalPath(written: string): string
  /** The command of that name, if there is one. */
  commandOf(name: string | undefined): Promise<CommandModule<never> | undefined>
  /** The words that `help` knows. */
  helpWords(): Promise<readonly string[]>
}

/**
 * The words that complete the last of `words`: fields, dimensions, and paths that the shell does not know. These are abbreviated
 * fragments (`array/__17…`) and the files in them, if the command takes them.
 *
 * @param words the words of a call after the program's name
 * @returns nothing if the shell's own completion is enough, or after an error: a Tab prints no errors
 */
export async function completedWords(places: Places, words: readonly string[]): Promise<string[]> {
  const word = words.at(-1) ?? ''
  try {
    const found = await candidates(places, words.slice(0, -1), word)
    // The shell prints these words, so control characters in them could do harm.
    return found.filter((one) => one.startsWith(word) && one !== word && one.search(UNSAFE) < 0)
  } catch {
    return []
  }
}

async function candidates(places: Places, words: readonly string[], word: string): Promise<readonly string[]> {
  const before = words.at(-1) ?? ''
  const plain = words.filter((one) => !one.startsWith('-'))
  if (FIELD_OPTIONS.includes(before) || (plain[0] === 'tile' && plain.length === 2 && !word.startsWith('-'))) {
    const schema = await schemaOfTarget(places, plain.slice(1))
    return schema ? fieldNames(schema) : []
  }
  if (DIMENSION_OPTIONS.includes(before)) {
    const schema = await schemaOfTarget(places, plain)
    const end = before === '--dimension' ? '' : '='
    return schema?.domain.dimensions.map(({ name }) => name + end) ?? []
  }
  if (plain[0] === 'help') return places.helpWords()
  if (CODE_OPTIONS.includes(before)) return (await import('../calls/ignored-findings.ts')).ignorableCodes()
  if (TILE_OPTIONS.includes(before)) {
    const last = ((await tileNumOf(places, plain)) ?? 0) - 1
    return last < 0 ? [] : [`0..${last}`]
  }
  if (plain[0] === 'tile' && plain.length === 3 && !word.startsWith('-')) {
    const tile_num = (await tileNumOf(places, plain.slice(1, 2))) ?? 0
    return Array.from({ length: Math.min(tile_num, MAX_TILES) }, (_, tile) => String(tile))
  }
  const paths = await pathsInside(places, word)
  return paths && (await mayTake(places, plain[0], paths.kind)) ? paths.words : []
}

/** The schema of the first word that is an array, or something in an array. */
async function schemaOfTarget(places: Places, words: readonly string[]) {
  const target = await firstTarget(places, words)
  if (target?.type === 'fragment') return (await target.fragment.info()).schema
  return target && 'array' in target && target.array ? (await target.array.newestSchema()).schema : undefined
}

/** The number of tiles of the first word that is a fragment. */
async function tileNumOf(places: Places, words: readonly string[]): Promise<number | undefined> {
  const target = await firstTarget(places, words)
  return target?.type === 'fragment' ? (await target.fragment.info()).tile_num : undefined
}

/** The first word that is an array, or something in an array. URLs are skipped, so that a Tab is quick. */
async function firstTarget({ storage, reading, internalPath }: Places, words: readonly string[]) {
  const { completePath } = await import('../objects/fragment-prefix.ts')
  for (const word of words) {
    if (word.includes('://') || !word) continue
    const path = await completePath(storage, internalPath(word), internalPath).catch(() => undefined)
    if (path === undefined || (await storage.kind(internalPath(path))) === undefined) continue
    const target = await openTarget(storage, internalPath(path), reading)
    if (target.type === 'fragment' || ('array' in target && target.array)) return target
  }
  return undefined
}

/** Completes `array/__17` to names of fragments, and `array/__17…/` to the files in one. */
async function pathsInside({ storage, internalPath }: Places, word: string): Promise<PathsInside | undefined> {
  const at = word.lastIndexOf('/')
  if (at < 0 || word.includes('://')) return undefined
  const folder = word.slice(0, at)
  const names = await fragments(storage, internalPath(folder))
  if (names) return { kind: 'fragment', words: names.map((name) => `${folder}/${name}`) }
  const above = folder.lastIndexOf('/')
  const array = internalPath(folder.slice(0, Math.max(0, above)))
  const begin = folder.slice(above + 1)
  const fitting = (await fragments(storage, array))?.filter((name) => name.startsWith(begin)) ?? []
  if (fitting.length !== 1) return undefined
  const files = await storage.list(`${array}/__fragments/${fitting[0]}`)
  return { kind: 'data file', words: files.map(({ name }) => `${folder}/${name}`) }
}

/** Paths of one kind of target. */
interface PathsInside {
  kind: TargetKind
  words: readonly string[]
}

/** The names of an array's fragments; undefined if it has no `__fragments`. */
async function fragments(storage: Storage, array: string): Promise<string[] | undefined> {
  if ((await storage.kind(`${array}/__fragments`)) !== 'folder') return undefined
  return (await storage.list(`${array}/__fragments`)).map(({ name }) => name).sort()
}
