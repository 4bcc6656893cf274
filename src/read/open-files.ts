import type { ColumnType } from '../cells/column.ts'

/** Upper limit on the files of fragments that are open together. */
const MAX_FILES = 128

/** Limits the open files: closes the least recently used fragment when another one is used. */
export class OpenFiles {
  private readonly most: number
  private readonly sources = new Set<{ close(): Promise<void> }>()

  /** @param columns the columns that are read of each fragment */
  constructor(columns: readonly ColumnType[]) {
    const fileNum = ({ cell_val_num, nullable }: ColumnType): number =>
      1 + Number(cell_val_num === 'var') + Number(nullable)
    // One more file has the metadata.
    this.most = Math.max(1, Math.floor(MAX_FILES / columns.reduce((sum, column) => sum + fileNum(column), 1)))
  }

  /** Whether so many fragments can be open together. */
  hasRoomFor(count: number): boolean {
    return count <= this.most
  }

  /** Called each time before a fragment is read. */
  async use(source: { close(): Promise<void> }): Promise<void> {
    this.sources.delete(source)
    this.sources.add(source)
    const [oldest] = this.sources
    if (this.sources.size <= this.most) return
    this.sources.delete(oldest)
    await oldest.close()
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    for (const source of this.sources) await source.close()
    this.sources.clear()
  }
}
