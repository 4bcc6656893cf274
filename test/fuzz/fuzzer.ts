import { Random } from '../helpers/random.ts'
import { fuzzCommand } from './commands.ts'
import { fuzzFilters } from './filters.ts'
import { fuzzGenomicsdb } from './genomicsdb.ts'
import { fuzzPages } from './pages.ts'
import { fuzzSample } from './samples.ts'
import { fuzzStructure } from './structures.ts'
import { fuzzText, fuzzValue } from './values.ts'

export interface Bounds {
  /** Longest time of one command, in milliseconds. */
  time: number
  /** Most bytes by which one command may make the process grow. */
  memory: number
}

/** A law that was broken, and the case that broke it. */
export interface Broken {
  law: string
  what: string
}

/** The breach for an error that should not have been thrown. */
export function broken(error: unknown, what: string): Broken {
  const stack = error instanceof Error ? error.stack?.split('\n').slice(0, 3).join(' ') : undefined
  return { law: stack ?? String(error), what }
}

/** A broken law with what is needed to run the case again. */
export interface Breach extends Broken {
  entry: Entry
  seed: number
}

/** What a case can test, and how often it is chosen. A whole command takes a thousand times as long as one structure. */
const ENTRIES = {
  structure: [400, async (random) => fuzzStructure(random)],
  filters: [180, fuzzFilters],
  pages: [10, fuzzPages],
  value: [20, async (random) => fuzzValue(random)],
  text: [20, async (random) => fuzzText(random)],
  command: [8, fuzzCommand],
  genomicsdb: [20, fuzzGenomicsdb],
  sample: [2, fuzzSample],
} as const satisfies Record<string, [number, (random: Random, bounds: Bounds) => Promise<Broken | undefined>]>

export type Entry = keyof typeof ENTRIES

const TURNS = Object.entries(ENTRIES).flatMap(([entry, [turns]]) => Array<Entry>(turns).fill(entry as Entry))

/**
 * Runs one case. The same seed gives the same case. These laws must hold:
 *
 * - The program throws nothing but InspectError.
 * - It ends with one of its exit codes, and prints a reason if that is 2 or 3.
 * - It keeps to the bounds of time and memory.
 * - The same input gives the same answer.
 * - What can be read is written back with the same bytes, and what was written is read back as the same value.
 * - The fast code and the plain code give the same result.
 *
 * @param only the entry; chosen by the seed if undefined
 */
export async function fuzzOnce(seed: number, bounds: Bounds, only?: Entry): Promise<Breach | undefined> {
  const random = new Random(seed)
  const entry = only ?? random.pick(TURNS)
  const broken = await ENTRIES[entry][1](random, bounds)
  return broken && { ...broken, entry, seed }
}
