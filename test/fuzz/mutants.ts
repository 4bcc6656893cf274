import { InspectError } from '../../src/base/errors.ts'
import { folderOf } from '../../src/base/paths.ts'
import { checkTarget } from '../../src/check/check.ts'
import { newRun } from '../../src/check/run.ts'
import { genericTileHeader } from '../../src/format/generic-tile.ts'
import { decodePrefix } from '../../src/format/io.ts'
import type { InspectArray } from '../../src/objects/array.ts'
import type { Fragment } from '../../src/objects/fragment.ts'
import { openTarget } from '../../src/objects/target.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor, type FixtureFolder, fixtureFolders } from '../helpers/fixtures.ts'
import { Random } from '../helpers/random.ts'
import { run } from '../helpers/run.ts'

export { fixtureFolders, Random }

/** A fixture of which one file has one damage. */
export interface Mutant {
  fixture: string
  /** Path below the fixture's folder. */
  file: string
  kind: 'truncated' | 'flipped'
  /** Length of the truncated file, or offset of the byte with the flipped bit. */
  offset: number
  bit: number
}

/** The region of the damage. `covered`: whether a checksum, an authentication tag or a sum of the codec protects it. */
export interface Region {
  name: string
  covered: boolean
}

/**
 * `found`: check reports something that it does not report for the intact array, or a command fails. `unchanged`: every command
 * prints the same as for the intact array. `silent`: a command prints something else, and nothing reports damage.
 */
export type Verdict = 'found' | 'unchanged' | 'silent'

export interface Judged {
  mutant: Mutant
  region: Region
  verdict: Verdict
  /** If found, the finding, error or command that tells. If silent, the command whose output differs. Otherwise empty. */
  by: string
  /** What must never happen, in words: an error that is no InspectError, or no answer in time. */
  breach: string | undefined
}

/** In files up to EVERY_BYTE bytes every offset is tried; in larger files, PLACES offsets. */
const EVERY_BYTE = 4096
const PLACES = 2000
/** Time limit of a command, in milliseconds. It is generous, because other processes run beside this one. */
const LONGEST = 20_000
/** Filters that detect changed bytes: checksums, authentication tags, and codecs that store a sum. */
const SUMS = new Set(['CHECKSUM_MD5', 'CHECKSUM_SHA256', 'AES_256_GCM', 'GZIP', 'BZIP2'])

const EVERY_FOLDER = fixtureFolders()

/** The fixtures, each of which is read into memory when it is first needed. */
export class Mutants {
  readonly folders: readonly FixtureFolder[]
  private readonly known = new Map<string, Promise<Intact>>()

  constructor(folders: readonly FixtureFolder[] = EVERY_FOLDER) {
    this.folders = folders
  }

  /** A random mutant: first a file of the fixture, then a place in the file, each with the same probability. */
  async pick(random: Random): Promise<Mutant> {
    for (;;) {
      const folder = random.pick(this.folders)
      const { files } = await this.intact(folder.name)
      const own = this.ownFiles(folder, files)
      if (own.length === 0) continue
      const file = random.pick(own)
      const offset = random.below(files.get(`${EDITED}/${file}`)?.length ?? 0)
      const kind = random.below(2) === 0 ? 'truncated' : 'flipped'
      return { fixture: folder.name, file, kind, offset, bit: random.below(8) }
    }
  }

  /** All mutants: every byte of small files, {@link PLACES} bytes of larger files. */
  async *all(random: Random): AsyncGenerator<Mutant> {
    for (const folder of this.folders) {
      const { files } = await this.intact(folder.name)
      for (const file of this.ownFiles(folder, files)) {
        const size = files.get(`${EDITED}/${file}`)?.length ?? 0
        const count = size <= EVERY_BYTE ? size : PLACES
        for (let i = 0; i < count; i++) {
          const offset = count === size ? i : random.below(size)
          const mutant = { fixture: folder.name, file, offset, bit: random.below(8) }
          yield { ...mutant, kind: 'truncated' }
          yield { ...mutant, kind: 'flipped' }
        }
      }
      this.known.delete(folder.name)
    }
  }

  async judge(mutant: Mutant): Promise<Judged> {
    const intact = await this.intact(mutant.fixture)
    const path = `${EDITED}/${mutant.file}`
    const region = await intact.region(path, mutant.offset)
    const files = new Map(intact.files)
    files.set(path, mutated(files.get(path) ?? new Uint8Array(0), mutant))
    const start = performance.now()
    const judged = (verdict: Verdict, by: string): Judged => {
      const time = performance.now() - start
      const breach = time > LONGEST ? `${Math.round(time)} ms` : undefined
      return { mutant, region, verdict, by, breach }
    }
    try {
      const storage = new MemoryStorage(files)
      const code = await intact.newCode(storage, path)
      if (code !== undefined) return judged('found', code)
      const before = await intact.answers()
      for (const [i, args] of intact.questions.entries()) {
        const { answer, bug } = await intact.ask(storage, args)
        if (bug !== undefined) return { ...judged('silent', args.join(' ')), breach: bug }
        if (answer.failed && !before[i].failed) return judged('found', args[0])
        if (answer.text !== before[i].text) return judged('silent', args.join(' '))
      }
      return judged('unchanged', '')
    } catch (error) {
      const breach = error instanceof Error ? (error.stack ?? error.message) : String(error)
      return { ...judged('silent', 'check'), breach }
    }
  }

  private intact(name: string): Promise<Intact> {
    let found = this.known.get(name)
    if (!found) {
      const folder = this.folders.find((one) => one.name === name)
      if (!folder) throw new Error(`no fixture ${name}`)
      found = Intact.read(folder)
      this.known.set(name, found)
    }
    return found
  }

  /** The files that are not empty and belong to no other fixture. Members of groups are fixtures of their own. */
  private ownFiles(folder: FixtureFolder, files: ReadonlyMap<string, Uint8Array>): string[] {
    const inner = EVERY_FOLDER.filter(({ name }) => name.startsWith(`${folder.name}/`)).map(
      ({ name }) => `${EDITED}${name.slice(folder.name.length)}/`,
    )
    return [...files]
      .filter(([path, bytes]) => bytes.length > 0 && !inner.some((start) => path.startsWith(start)))
      .map(([path]) => path.slice(EDITED.length + 1))
  }
}

function mutated(bytes: Uint8Array, { kind, offset, bit }: Mutant): Uint8Array {
  if (kind === 'truncated') return bytes.slice(0, offset)
  const out = bytes.slice()
  out[offset] ^= 1 << bit
  return out
}

interface Answer {
  text: string
  failed: boolean
}

/** An intact fixture, and what check and the other commands print for it. */
class Intact {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly questions: readonly (readonly string[])[]
  private readonly folder: FixtureFolder
  private readonly items: ReadonlySet<string>
  private readonly fragments: ReadonlyMap<string, Fragment>
  private answered: Promise<Answer[]> | undefined
  private readonly fragmentItems = new Map<string, Promise<ReadonlySet<string>>>()
  private readonly regions = new Map<string, Promise<(offset: number) => Region>>()

  private constructor(
    folder: FixtureFolder,
    files: ReadonlyMap<string, Uint8Array>,
    items: ReadonlySet<string>,
    fragments: ReadonlyMap<string, Fragment>,
  ) {
    this.folder = folder
    this.files = files
    this.items = items
    this.fragments = fragments
    this.questions = questionsFor(folder.kind, [...fragments.keys()])
  }

  static async read(folder: FixtureFolder): Promise<Intact> {
    const files = filesBelow(folder.path, EDITED)
    const storage = new MemoryStorage(files)
    const target = await openTarget(storage, EDITED, contextFor(folder))
    const fragments = target.type === 'array' ? await fragmentsOf(target.array) : new Map<string, Fragment>()
    return new Intact(folder, files, await collected(itemsOf(storage, folder, EDITED)), fragments)
  }

  /** The code of the first finding that the intact array does not have. Checks the fragment around `path` first, if there is one. */
  async newCode(storage: MemoryStorage, path: string): Promise<string | undefined> {
    const around = folderOf(path)
    try {
      if (this.fragments.size > 1 && this.fragments.has(around)) {
        for await (const item of itemsOf(storage, this.folder, around))
          if (!(await this.itemsOfFragment(around)).has(item)) return item.split(' ')[0]
      }
      for await (const item of itemsOf(storage, this.folder, EDITED))
        if (!this.items.has(item)) return item.split(' ')[0]
      return undefined
    } catch (error) {
      if (error instanceof InspectError) return error.code
      throw error
    }
  }

  private itemsOfFragment(path: string): Promise<ReadonlySet<string>> {
    let found = this.fragmentItems.get(path)
    if (!found) {
      found = collected(itemsOf(new MemoryStorage(this.files), this.folder, path))
      this.fragmentItems.set(path, found)
    }
    return found
  }

  answers(): Promise<Answer[]> {
    this.answered ??= (async () => {
      const storage = new MemoryStorage(this.files)
      const out: Answer[] = []
      for (const args of this.questions) out.push((await this.ask(storage, args)).answer)
      return out
    })()
    return this.answered
  }

  async ask(storage: MemoryStorage, args: readonly string[]): Promise<{ answer: Answer; bug: string | undefined }> {
    const { code, text, stderr } = await run(args, { storage, env: { TILEDB_INSPECT_KEY: this.folder.key } })
    const bug = /this is a fault of tiledb-inspect \([^)]*/.exec(stderr + text)?.[0]
    // File sizes are those on disk, whether the file is damaged or not.
    return { answer: { text: text.replace(/"(?:total_)?size":\s*\d+/g, ''), failed: code !== 0 }, bug }
  }

  async region(path: string, offset: number): Promise<Region> {
    let found = this.regions.get(path)
    if (!found) {
      found = this.regionsOf(path)
      this.regions.set(path, found)
    }
    return (await found)(offset)
  }

  private async regionsOf(path: string): Promise<(offset: number) => Region> {
    const bytes = this.files.get(path) ?? new Uint8Array(0)
    const folder = folderOf(path)
    const name = path.slice(folder.length + 1)
    const fragment = this.fragments.get(folder)
    if (!fragment) {
      // Lists of names, such as consolidated commits.
      if (/\.(?:vac|con|ign)$/.test(name)) return () => ({ name: 'list of names', covered: false })
      return genericTileRegions(bytes, 0)
    }
    if (name !== '__fragment_metadata.tdb') {
      const ls = await run(['ls', folder, '--json'], {
        storage: new MemoryStorage(this.files),
        env: { TILEDB_INSPECT_KEY: this.folder.key },
      })
      const { files } = JSON.parse(ls.text) as { files: { name: string; filters?: { name: string }[] }[] }
      const filters = files.find((file) => file.name === name)?.filters ?? []
      const covered = filters.some((filter) => SUMS.has(filter.name))
      return () => ({ name: covered ? 'data, under a sum' : 'data, no sum', covered })
    }
    const { footer } = await fragment.info()
    const starts = await fragment.metadataOffsets()
    const sections = starts.map((start) => genericTileRegions(bytes, start))
    return (offset) => {
      if (footer && offset >= footer.offset) return { name: 'footer', covered: false }
      const index = starts.findLastIndex((start) => start <= offset)
      return index < 0 ? { name: 'gap', covered: false } : sections[index](offset)
    }
  }
}

function genericTileRegions(bytes: Uint8Array, start: number): (offset: number) => Region {
  const { value, length } = decodePrefix(bytes.subarray(start), genericTileHeader)
  const sum = value.filters.filters.some(({ name }) => SUMS.has(name))
  return (offset) =>
    offset < start + length
      ? { name: 'header of a generic tile', covered: false }
      : { name: sum ? 'generic tile, under a sum' : 'generic tile, no sum', covered: sum }
}

async function fragmentsOf(array: InspectArray): Promise<Map<string, Fragment>> {
  const out = new Map<string, Fragment>()
  for (const { path } of await array.fragments()) {
    const fragment = array.fragment(path)
    out.set(fragment.folder.path, fragment)
  }
  return out
}

async function collected(items: AsyncIterable<string>): Promise<ReadonlySet<string>> {
  const all = new Set<string>()
  for await (const item of items) all.add(item)
  return all
}

async function* itemsOf(storage: MemoryStorage, folder: FixtureFolder, path: string): AsyncGenerator<string> {
  for await (const item of checkTarget(newRun('cells', true), await openTarget(storage, path, contextFor(folder)))) {
    if ('notExamined' in item) yield `${item.notExamined.code} ${item.notExamined.message}`
    else yield [item.code, item.file, item.field, item.tile, item.chunk, item.expected, item.found].join(' ')
  }
}

function questionsFor(kind: FixtureFolder['kind'], fragments: readonly string[]): string[][] {
  const json = '--json'
  if (kind === 'group')
    return [
      ['ls', EDITED, json],
      ['metadata', EDITED, json],
    ]
  return [
    ['schema', '--all', EDITED, json],
    ['ls', EDITED, json],
    ['commits', EDITED, json],
    ['metadata', EDITED, json],
    ...fragments.flatMap((fragment) => [
      ['footer', fragment, json],
      ['rtree', fragment, json],
      ['metadata', fragment, json],
      ['decode', fragment, json, '--raw'],
    ]),
  ]
}
