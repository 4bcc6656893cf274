import type { Space } from '../../anatomy/part.ts'
import { asInspectError, type InspectError } from '../../base/errors.ts'

/** Bytes that are read at once: some 4,000 rows. */
export const PAGE_BYTES = 64 * 1024
const PAGES_KEPT = 64

/** Bytes of a space for a view: what is in sight is read, and kept for a while. */
export class Pages {
  private readonly space: Space
  private readonly pages = new Map<number, Uint8Array>()
  private readonly underWay = new Set<number>()
  error: InspectError | undefined

  constructor(space: Space) {
    this.space = space
  }

  /** The byte, if it was read. */
  at(offset: number): number | undefined {
    const page = Math.floor(offset / PAGE_BYTES)
    return this.pages.get(page)?.[offset - page * PAGE_BYTES]
  }

  /** Reads what is not there between two offsets. @returns whether anything came */
  async load(from: number, to: number): Promise<boolean> {
    const last = Math.min(to, this.space.length) - 1
    const wanted: number[] = []
    for (let page = Math.floor(from / PAGE_BYTES); page * PAGE_BYTES <= last; page++)
      if (!this.pages.has(page) && !this.underWay.has(page)) wanted.push(page)
    if (wanted.length === 0) return false
    await Promise.all(wanted.map((page) => this.read(page)))
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
