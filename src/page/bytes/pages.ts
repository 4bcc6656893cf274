import type { Space } from '../../anatomy/part.ts'
import { asInspectError, type InspectError } from '../../base/errors.ts'

/** Number of bytes that are read at once: about 4,000 rows. */
const PAGE_BYTES = 64 * 1024
const PAGES_KEPT = 64

/** A cache of the bytes of a space. */
export class SpacePages {
  private readonly space: Space
  private readonly pages = new Map<number, Uint8Array>()
  private readonly underWay = new Set<number>()
  error: InspectError | undefined

  constructor(space: Space) {
    this.space = space
  }

  /** The byte at an offset; undefined if it was not read. */
  at(offset: number): number | undefined {
    const page = Math.floor(offset / PAGE_BYTES)
    return this.pages.get(page)?.[offset - page * PAGE_BYTES]
  }

  /** Reads the missing pages between two offsets. @returns whether any was missing */
  async load(from: number, to: number): Promise<boolean> {
    const last = Math.min(to, this.space.length) - 1
    const missing: number[] = []
    for (let page = Math.floor(from / PAGE_BYTES); page * PAGE_BYTES <= last; page++)
      if (!this.pages.has(page) && !this.underWay.has(page)) missing.push(page)
    if (missing.length === 0) return false
    await Promise.all(missing.map((page) => this.read(page)))
    return true
  }

  private async read(page: number): Promise<void> {
    this.underWay.add(page)
    try {
      const from = page * PAGE_BYTES
      const bytes = await this.space.read(from, Math.min(PAGE_BYTES, this.space.length - from))
      this.pages.set(page, bytes)
      this.error = undefined
      const [oldest] = this.pages.keys()
      if (this.pages.size > PAGES_KEPT) this.pages.delete(oldest)
    } catch (error) {
      this.error = asInspectError(error)
    } finally {
      this.underWay.delete(page)
    }
  }
}
