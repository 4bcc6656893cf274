import { Random } from '../helpers/random.ts'
import { fuzzCommand } from './commands.ts'
import { fuzzFilters } from './filters.ts'
import { fuzzPages } from './pages.ts'
import { fuzzSample } from './samples.ts'
import { fuzzStructure } from './structures.ts'
import { fuzzText, fuzzValue } from './values.ts'

export interface Bounds {
  /** Of one command, milliseconds. */
  time: number
  /** Bytes that the process grows by. */
  memory: number
}

/** A law that was broken, and by what. */
export interface Broken {
  law: string
  what: string
}

/** For what was thrown and should not have been. */
export function broken(error: unknown, what: string): Broken {
  const stack = error instanceof Error ? error.stack?.split('\n').slice(0, 3).join(' ') : undefined
  return { law: stack ?? String(error), what }
}

/** The same, and how to do it again. */
export interface Breach extends Broken {
  entry: Entry
  seed: number
}

/** A way in, and its turns of {@link TURNS}: whole commands take a thousand times as long as one structure. */
const ENTRIES = {
  structure: [400, async (random) => fuzzStructure(random)],
  filters: [180, fuzzFilters],
  pages: [10, fuzzPages],
  value: [20, async (random) => fuzzValue(random)],
  text: [20, async (random) => fuzzText(random)],
  command: [8, fuzzCommand],
  sample: [2, fuzzSample],
} as const satisfies Record<string, [number, (random: Random, bounds: Bounds) => Promise<Broken | undefined>]>

export type Entry = keyof typeof ENTRIES

const TURNS = Object.entries(ENTRIES).flatMap(([entry, [turns]]) => Array<Entry>(turns).fill(entry as Entry))

/**
 * One case. The same seed is the same case.
 *
 * Laws: nothing but InspectError comes out of the program; it ends with a code of its contract and says why when that
 * is not 0; it keeps to bounds of time and memory; the same input gives the same answer; what can be read is written back as it was,
 * what was written is read as it was; the fast ways and the plain ones do the same.
 *
 * @param only the entry, instead of one by the seed
 */
export async function fuzzOnce(seed: number, bounds: Bounds, only?: Entry): Promise<Breach | undefined> {
  const random = new Random(seed)
  const entry = only ?? random.pick(TURNS)
  const broken = await ENTRIES[entry][1](random, bounds)
  return broken && { ...broken, entry, seed }
}
