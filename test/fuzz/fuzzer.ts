import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { fixtureFolders } from '../helpers/fixtures.ts'
import { Random } from '../helpers/random.ts'
import { type Ran, run } from '../helpers/run.ts'
import { fuzzFilter } from './filters.ts'
import { mutateArray } from './mutations.ts'

export interface Bounds {
  /** Of one command, milliseconds. */
  time: number
  /** Resident bytes of the process. */
  memory: number
}

/** A law that was broken: what was done, and how to do it again. */
export interface Breach {
  law: string
  seed: number
  fixture: string
  done: string[]
  args: readonly string[]
}

const FIXTURES = fixtureFolders()
/** Every how many cases the answer is asked for twice. */
const AGAIN = 16
/** Every how many cases it is one filter's turn, fed directly. */
const FILTER = 5

/**
 * One case: a fixture, one to three mutations, one command; or one filter and bytes of all kinds. The same seed is the same case.
 *
 * Laws: nothing but InspectError comes out of the program; it ends with a code of its contract and says why when that
 * is not 0; it keeps to bounds of time and memory; the same input gives the same answer.
 */
export async function fuzzOnce(seed: number, bounds: Bounds): Promise<Breach | undefined> {
  const random = new Random(seed)
  if (seed % FILTER === 0) {
    const law = await fuzzFilter(random)
    return law === undefined ? undefined : { law, seed, fixture: '-', done: [], args: [] }
  }
  const folder = random.pick(FIXTURES)
  const array = new EditedArray(folder.name)
  const done: string[] = []
  for (let left = 1 + random.below(3); left > 0; left--) done.push(await mutateArray(random, array))
  // Nothing is left of an array of one file that was removed.
  if (array.files.size === 0) return undefined
  const args = commandFor(random, array)
  const breach = (law: string): Breach => ({ law, seed, fixture: folder.name, done, args })
  const options = { env: { TILEDB_INSPECT_KEY: array.key }, storage: array.storage() }
  const start = performance.now()
  let ran: Ran
  try {
    ran = await run(args, options)
  } catch (error) {
    return breach(`threw ${error instanceof Error ? error.stack?.split('\n').slice(0, 3).join(' ') : String(error)}`)
  }
  const time = performance.now() - start
  const law = brokenLaw(ran, time, bounds)
  if (law !== undefined) return breach(law)
  if (seed % AGAIN === 1) {
    const again = await run(args, options)
    if (again.code !== ran.code || again.text !== ran.text || again.stderr !== ran.stderr)
      return breach('another answer')
  }
  return undefined
}

function brokenLaw({ code, text, stderr }: Ran, time: number, bounds: Bounds): string | undefined {
  const fault = /this is a fault of tiledb-inspect \(([^)]*)/.exec(stderr + text)
  if (fault) return `not an InspectError: ${fault[1]}`
  if (stderr.includes('\n    at ')) return 'a stack trace'
  if (![0, 1, 2, 3].includes(code)) return `exit code ${code}`
  if ((code === 2 || code === 3) && !stderr.includes('error: ')) return `exit code ${code} without a word`
  if (time > bounds.time) return `${Math.round(time)} ms`
  const memory = process.memoryUsage().rss
  if (memory > bounds.memory) return `${Math.round(memory / 2 ** 20)} MiB`
  return undefined
}

const FORMATS = [[], ['--json'], ['--format', 'ndjson'], ['--format', 'csv']]

function commandFor(random: Random, array: EditedArray): string[] {
  const paths = [...array.files.keys()]
  const metadata = paths.filter((path) => path.endsWith('/__fragment_metadata.tdb'))
  const fragment = metadata.length > 0 ? random.pick(metadata).replace(/\/[^/]*$/, '') : EDITED
  const file = random.pick(paths)
  const last = file.slice(file.lastIndexOf('/') + 1)
  const commands = [
    ['ls', EDITED],
    ['ls', fragment],
    ['schema', '--all', EDITED],
    ['footer', EDITED],
    ['rtree', EDITED],
    ['metadata', fragment],
    ['metadata', EDITED],
    ['commits', EDITED],
    ['tiles', fragment],
    ['stats', EDITED],
    ['dump', file],
    ['at', file, String(random.below(array.get(file).length + 1))],
    ['footer', '--hex', fragment],
    ['tile', fragment, last, String(random.below(3))],
    ['tile', fragment, last, '--offset', String(random.below(200))],
    ['decode', fragment, '--limit', '100000'],
    ['decode', fragment, '--keep-going', '--labels', '--limit', '100000'],
    ['verify-checksums', EDITED],
    ['verify-checksums', '--deep', EDITED],
    ['check', '--level', 'cells', '--all', EDITED],
    ['check', '--level', 'cells', fragment],
    ['check', EDITED],
  ]
  return [...random.pick(commands), ...random.pick(FORMATS)]
}
