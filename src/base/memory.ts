import { InspectError, withHint } from './errors.ts'
import type { Prose } from './prose.ts'

/** Bytes of memory that a run may take if the user sets no bound: see {@link Memory}. */
export const DEFAULT_MEMORY = 2 ** 30

/**
 * How often memory may hold the bytes of a tile at once: filtered and unfiltered between two filters, and as the values that are made
 * of them. The rest of the memory would be garbage that is not collected yet.
 */
const TIMES_HELD = 3

/** Bytes of the objects that an element of a stored list becomes: names, numbers, and the object that holds them. */
const ELEMENT_BYTES = 2560

/** Bytes that a value of an enumeration becomes: a view of its bytes, its text, and its entries in lists and maps. */
const VALUE_BYTES = 512

/** What another thread must know of its memory. */
export interface MemoryFacts {
  bytes: number
  isSet: boolean
}

/** The bound of the memory of a run. All that a run opens shares one. It counts only the tiles that are held whole, by {@link Lease}s. */
export class Memory {
  private readonly whole: number
  /** Whether the user set the bound. If not, counts and sizes that are not plausible are refused below it, too. */
  readonly isSet: boolean
  /** Unfiltered bytes of all leases. */
  held = 0
  private waiting: (() => void)[] = []

  /** Number of threads that share the memory equally, this one included. */
  threads = 1

  /** @param bytes what the user set, or the share of a thread */
  constructor(bytes?: number, isSet = bytes !== undefined) {
    this.whole = bytes ?? DEFAULT_MEMORY
    this.isSet = isSet
  }

  /** The share of one thread, this one or another. */
  get facts(): MemoryFacts {
    return { bytes: Math.floor(this.whole / this.threads), isSet: this.isSet }
  }

  /** Upper limit on the unfiltered bytes that are held at once. */
  get room(): number {
    return Math.floor(this.facts.bytes / TIMES_HELD)
  }

  /** Upper limit on the elements of stored lists that are held at once. */
  get mostElements(): number {
    return Math.floor(this.facts.bytes / ELEMENT_BYTES)
  }

  /** Upper limit on the values of an enumeration, all of which are held as objects. */
  get mostEnumerationValues(): number {
    return Math.floor(this.facts.bytes / VALUE_BYTES)
  }

  /** Takes more bytes for a lease, or gives some back. @returns whether they fit */
  take(before: number, after: number): boolean {
    if (after > before && this.held - before + after > this.room) return false
    this.held += after - before
    if (after < before) for (const wake of this.waiting.splice(0)) wake()
    return true
  }

  /** Resolves when a lease gave something back. Undefined if none holds anything. */
  change(): Promise<void> | undefined {
    return this.held === 0 ? undefined : new Promise((resolve) => this.waiting.push(resolve))
  }
}

/** The memory of one unit of work, which holds some tiles at a time. Their sizes are known before they are read. */
export class Lease {
  private readonly memory: Memory
  private held = 0

  constructor(memory: Memory) {
    this.memory = memory
  }

  /**
   * Holds this many unfiltered bytes from now on, in place of those before.
   * @throws InspectError TOO_LARGE if they do not fit beside what others hold
   */
  hold(bytes: number): void {
    if (bytes === this.held) return
    if (!this.memory.take(this.held, bytes)) throw tooMuch(this.memory, bytes, this.held)
    this.held = bytes
  }

  /** The bytes that are held. */
  get bytes(): number {
    return this.held
  }

  /**
   * {@link hold} for work that runs beside other work: waits until the bytes fit. Such work must hold no other lease: so who holds memory
   * never waits, and all work ends.
   */
  async wait(bytes: number): Promise<void> {
    this.release()
    while (bytes > 0 && !this.memory.take(0, bytes)) {
      const change = bytes > this.memory.room ? undefined : this.memory.change()
      if (!change) throw tooMuch(this.memory, bytes, 0)
      await change
    }
    this.held = Math.max(0, bytes)
  }

  release(): void {
    if (this.held > 0) this.memory.take(this.held, 0)
    this.held = 0
  }
}

/** The option that sets the bound, with the share for unfiltered bytes. */
export const OPTION_OF_MEMORY = '(a third of --memory)'

/** That a larger bound of the memory accepts more. */
export const MEMORY_RAISES_BOUND = '(--memory raises this bound)'

/** @param before bytes of the lease so far */
function tooMuch(memory: Memory, bytes: number, before: number): InspectError {
  const others = memory.held - before
  const found = others > 0 ? `${bytes}, beside ${others} that are still needed` : bytes
  const fault = { expected: `at most ${memory.room} unfiltered bytes in tiles that are needed at once`, found }
  return new InspectError('TOO_LARGE', withHint(fault, OPTION_OF_MEMORY))
}

/** Counts the bytes of lists while they grow, if nobody knows before how long they will be. */
export class CountedBytes {
  private readonly most: number
  private readonly what: Prose
  private readonly option: Prose
  private bytes = 0

  /**
   * @param what names the lists, for the error
   * @param times how often memory holds each of their bytes: they must fit so many times into {@link Memory.room}
   */
  constructor({ room }: Memory, what: Prose, times = 1) {
    this.most = Math.floor(room / times)
    this.what = what
    this.option = times === 1 ? OPTION_OF_MEMORY : `(1/${TIMES_HELD * times} of --memory)`
  }

  /** @param file that the list is from @throws InspectError TOO_LARGE if there is no room for all bytes so far */
  add(bytes: number, file: string): void {
    this.bytes += bytes
    if (this.bytes <= this.most) return
    const fault = { expected: `at most ${this.most} bytes of ${this.what}`, found: `${this.bytes} or more` }
    throw new InspectError('TOO_LARGE', withHint(fault, this.option), { file })
  }
}
