import { COMMANDS } from '../../src/cli/commands.ts'
import { formatNames } from '../../src/cli/formats.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { fixtureFolders } from '../helpers/fixtures.ts'
import { quickTrials } from '../helpers/quick-trials.ts'
import type { Random } from '../helpers/random.ts'
import { type Ran, run } from '../helpers/run.ts'
import { type Bounds, type Broken, broken } from './fuzzer.ts'
import { mutateArray } from './mutations.ts'

quickTrials()

const FIXTURES = fixtureFolders()
/** One in this many cases runs its command twice. */
const AGAIN = 16

/** Applies one to three mutations to a fixture, and runs one command on it. */
export async function fuzzCommand(random: Random, bounds: Bounds): Promise<Broken | undefined> {
  const folder = random.pick(FIXTURES)
  const array = new EditedArray(folder.name)
  const done: string[] = []
  for (let left = 1 + random.below(3); left > 0; left--) done.push(await mutateArray(random, array))
  // A mutation removed the only file.
  if (array.files.size === 0) return undefined
  const args = commandFor(random, array)
  const what = `${args.join(' ')} on ${folder.name}: ${done.join(', ')}`
  const options = { env: { TILEDB_INSPECT_KEY: array.key }, storage: array.storage() }
  const start = performance.now()
  const before = process.memoryUsage().rss
  let ran: Ran
  try {
    ran = await run(args, options)
  } catch (error) {
    return broken(error, what)
  }
  const time = performance.now() - start
  const memory = process.memoryUsage().rss - before
  const law = brokenLaw(ran, { time, memory }, bounds)
  if (law !== undefined) return { law, what }
  if (random.below(AGAIN) === 0) {
    const again = await run(args, options)
    if (again.code !== ran.code || again.text !== ran.text || again.stderr !== ran.stderr)
      return { law: 'another answer', what }
  }
  return undefined
}

/** A reason for exit codes 2 and 3: an error, or what check lists as not examined. */
const WORDS = /^error: |not examined/im

/** The law that a run broke; undefined if it broke none. @param bounds most of the time and memory that it took */
export function brokenLaw({ code, text, stderr }: Ran, { time, memory }: Bounds, bounds: Bounds): string | undefined {
  const fault = /this is a fault of tiledb-inspect \(([^)]*)/.exec(stderr + text)
  if (fault) return `not an InspectError: ${fault[1]}`
  if (stderr.includes('\n    at ')) return 'a stack trace'
  if (![0, 1, 2, 3].includes(code)) return `exit code ${code}`
  if ((code === 2 || code === 3) && !WORDS.test(stderr) && !WORDS.test(text)) return `exit code ${code} without a word`
  if (time > bounds.time) return `${Math.round(time)} ms`
  if (memory > bounds.memory) return `${Math.round(memory / 2 ** 20)} MiB`
  return undefined
}

/**
 * Commands that need more than an array, write, serve, or read cells for longer than the bounds here allow. A command that is neither
 * here nor below, such as a new one, is run on the array.
 */
const ELSEWHERE = new Set(
  'overview read history explain whatif why recover diff page write-sample mcp completion'.split(' '),
)

const FORMATS = [[], ...formatNames({}).map((name) => ['--format', name])]

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
  const named = new Set(commands.map(([name]) => name))
  for (const name of Object.keys(COMMANDS)) if (!named.has(name) && !ELSEWHERE.has(name)) commands.push([name, EDITED])
  return [...random.pick(commands), ...random.pick(FORMATS)]
}
