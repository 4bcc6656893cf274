import { InspectError } from '../base/errors.ts'
import type { Memory } from '../base/memory.ts'

/** Number of ids of a page, which has a bit for each. */
const PAGE_IDS = 2 ** 16
const PAGE_BYTES = PAGE_IDS / 8

/** Share of the memory of a run that one set may take. */
const SHARE = 1 / 8

/** A set of whole numbers from 0 to 2^53 - 1, as bits. Memory holds only those pages of 65,536 numbers of which one is in the set. */
export class IdSet {
  /** Number of ids. */
  size = 0
  private readonly pages = new Map<number, Uint8Array>()
  private readonly mostPages: number
  /** The page that was looked at last: most ids come in runs. */
  private lastNumber = -1
  private lastPage: Uint8Array | undefined

  constructor(memory: Memory) {
    this.mostPages = Math.max(1, Math.floor((memory.facts.bytes * SHARE) / PAGE_BYTES))
  }

  /**
   * @returns whether the id is new
   * @throws InspectError TOO_LARGE if the ids lie too far apart for the memory
   */
  add(id: number): boolean {
    const page = this.pageOf(id) ?? this.newPage(Math.floor(id / PAGE_IDS))
    const at = (id % PAGE_IDS) >>> 3
    const bit = 1 << (id % 8)
    const byte = page[at] ?? 0
    if (byte & bit) return false
    page[at] = byte | bit
    this.size++
    return true
  }

  /**
   * Adds all ids of a run, both ends included. Those that the set cannot hold are left out: negative ones, and those beyond 2^53 - 1.
   * @throws InspectError TOO_LARGE if the run is too long for the memory
   */
  addRun(first: number, last: number): void {
    const end = Math.min(last, Number.MAX_SAFE_INTEGER)
    const begin = Math.max(first, 0)
    // Known before the first id: nobody waits until the memory is full.
    if ((end - begin) / PAGE_IDS > this.mostPages) throw this.tooFarApart()
    for (let id = begin; id <= end; id++) this.add(id)
  }

  has(id: number): boolean {
    const page = this.pageOf(id)
    return page !== undefined && ((page[(id % PAGE_IDS) >>> 3] ?? 0) & (1 << (id % 8))) !== 0
  }

  /** The ids, from the lowest to the highest. */
  *[Symbol.iterator](): Generator<number> {
    for (const [number, page] of [...this.pages].sort(([a], [b]) => a - b))
      for (const [at, byte] of page.entries()) if (byte !== 0) yield* idsOf(byte, number * PAGE_IDS + at * 8)
  }

  private pageOf(id: number): Uint8Array | undefined {
    const number = Math.floor(id / PAGE_IDS)
    if (number !== this.lastNumber) {
      this.lastNumber = number
      this.lastPage = this.pages.get(number)
    }
    return this.lastPage
  }

  private newPage(number: number): Uint8Array {
    if (this.pages.size >= this.mostPages) throw this.tooFarApart()
    const page = new Uint8Array(PAGE_BYTES)
    this.pages.set(number, page)
    this.lastNumber = number
    this.lastPage = page
    return page
  }

  private tooFarApart(): InspectError {
    const found = `ids so far apart that they take more than ${this.mostPages * PAGE_BYTES} bytes`
    return new InspectError('TOO_LARGE', { expected: 'ids that fit into a share of the memory', found })
  }
}

/** The ids in a byte of a page. @param first id of its lowest bit */
function* idsOf(byte: number, first: number): Generator<number> {
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) yield first + bit
}
