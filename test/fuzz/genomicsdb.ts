import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { InspectError } from '../../src/base/errors.ts'
import { GENOMICSDB_COMMANDS } from '../../src/cli/genomicsdb-commands.ts'
import { genomicsdbSchemaOf } from '../../src/format/genomicsdb/array-schema.ts'
import { bookKeeping } from '../../src/format/genomicsdb/book-keeping.ts'
import { BOOK_KEEPING_FILE } from '../../src/format/genomicsdb/names.ts'
import { decode } from '../../src/format/io.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { packedFiles, WORKSPACES } from '../helpers/genomicsdb.ts'
import type { Random } from '../helpers/random.ts'
import { type Ran, run } from '../helpers/run.ts'
import { type Specimen, specimen } from '../helpers/specimen.ts'
import { brokenLaw } from './commands.ts'
import { type Bounds, type Broken, broken } from './fuzzer.ts'
import { mutateBytes } from './mutations.ts'

const ROOT = '/genomicsdb'
const SCHEMA = '/__array_schema.tdb'

/** The files of each workspace, by path. They are unpacked when they are needed first. */
const unpacked = new Map<string, ReadonlyMap<string, Uint8Array>>()

function filesOf(name: string): ReadonlyMap<string, Uint8Array> {
  const known = unpacked.get(name)
  if (known) return known
  const files = new Map<string, Uint8Array>()
  for (const [path, content] of packedFiles(name))
    if (path.startsWith('ws/')) files.set(`${ROOT}${path.slice(2)}`, new Uint8Array(content))
  unpacked.set(name, files)
  return files
}

/** Mutates an array of GenomicsDB and runs a command on it, or mutates one of its structures and reads it. */
export async function fuzzGenomicsdb(random: Random, bounds: Bounds): Promise<Broken | undefined> {
  const name = random.pick(WORKSPACES)
  const all = filesOf(name)
  const arrays = [...all.keys()].filter((path) => path.endsWith(SCHEMA)).map((path) => path.slice(0, -SCHEMA.length))
  const array = random.pick(arrays)
  const files = new Map([...all].filter(([path]) => path.startsWith(`${array}/`)))
  return random.below(2) === 0 ? fuzzStructure(random, files, array) : fuzzCommand(random, bounds, files, array)
}

function fuzzStructure(random: Random, files: ReadonlyMap<string, Uint8Array>, array: string): Broken | undefined {
  const stored = files.get(array + SCHEMA) ?? new Uint8Array(0)
  const head = { version: 0, where: array }
  const found: [Uint8Array, Specimen][] = [
    [stored, specimen({ structure: 'schema', ...head }, stored, genomicsdbSchemaOf(stored))],
  ]
  const describe = bookKeeping(decode(stored, genomicsdbSchemaOf(stored)))
  for (const [path, bytes] of files) {
    if (!path.endsWith(BOOK_KEEPING_FILE)) continue
    const content = new Uint8Array(gunzipSync(bytes))
    found.push([content, specimen({ structure: 'book-keeping', ...head }, content, describe)])
  }
  const [bytes, one] = random.pick(found)
  const mutant = mutateBytes(random, bytes, random.pick(found)[0])
  try {
    one.read(mutant)
  } catch (error) {
    if (!(error instanceof InspectError)) return broken(error, `${one.structure} of ${array}`)
  }
  return undefined
}

async function fuzzCommand(
  random: Random,
  bounds: Bounds,
  files: Map<string, Uint8Array>,
  array: string,
): Promise<Broken | undefined> {
  const done: string[] = []
  for (let left = 1 + random.below(3); left > 0; left--) done.push(mutateFile(random, files))
  if (files.size === 0) return undefined
  const args = commandFor(random, array, [...files.keys()])
  const what = `${args.join(' ')}: ${done.join(', ')}`
  const start = performance.now()
  const before = process.memoryUsage().rss
  let ran: Ran
  try {
    ran = await run(args, { storage: new MemoryStorage(files) })
  } catch (error) {
    return broken(error, what)
  }
  const used = { time: performance.now() - start, memory: process.memoryUsage().rss - before }
  const law = brokenLaw(ran, used, bounds)
  return law === undefined ? undefined : { law, what }
}

/** Mutates a file, or what it holds compressed; or removes it. */
function mutateFile(random: Random, files: Map<string, Uint8Array>): string {
  const paths = [...files.keys()]
  const important = paths.filter((path) => path.endsWith(SCHEMA) || path.endsWith(BOOK_KEEPING_FILE))
  const path = random.pick(random.below(2) === 0 && important.length > 0 ? important : paths)
  const bytes = files.get(path) ?? new Uint8Array(0)
  if (random.below(12) === 0) {
    files.delete(path)
    return `no ${path}`
  }
  if (random.below(4) > 0) {
    const inside = mutatedInside(random, path, bytes)
    if (inside) {
      files.set(path, inside)
      return `content of ${path}`
    }
  }
  files.set(path, mutateBytes(random, bytes, files.get(random.pick(paths)) ?? bytes))
  return `bytes of ${path}`
}

/** The file with other content in its one compressed stream; undefined if it is not such a file. */
function mutatedInside(random: Random, path: string, bytes: Uint8Array): Uint8Array | undefined {
  const isBook = path.endsWith(BOOK_KEEPING_FILE)
  try {
    const content = new Uint8Array(isBook ? gunzipSync(bytes) : inflateSync(bytes))
    const mutant = mutateBytes(random, content, bytes)
    return new Uint8Array(isBook ? gzipSync(mutant) : deflateSync(mutant))
  } catch {
    return undefined
  }
}

const FORMATS = [[], ['--json'], ['--format', 'csv'], ['--format', 'ndjson']]
/** Commands on a whole workspace, of which there is nothing here. */
const OF_FRAGMENTS = Object.keys(GENOMICSDB_COMMANDS).filter((name) => GENOMICSDB_COMMANDS[name].takes.includes('file'))

function commandFor(random: Random, array: string, paths: readonly string[]): string[] {
  const file = random.pick(paths)
  const folders = [...new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/'))))]
  const target = random.pick([array, random.pick(folders), file])
  const name = random.pick(OF_FRAGMENTS)
  const extra: Record<string, () => string[]> = {
    tile: () => [target, random.pick(['REF', 'END', '__coords', 'GT']), String(random.below(3))],
    at: () => [target, String(random.below(300)), '--no-flips'],
    decode: () => [...random.pick([[], ['--keep-going'], ['--range', 'position=0..5000']]), target],
    schema: () => [...random.pick([[], ['--hex']]), target],
    footer: () => [...random.pick([[], ['--hex']]), target],
    dump: () => ['--full', target],
  }
  return [name, ...(extra[name]?.() ?? [target]), ...random.pick(FORMATS)]
}
