import type { ColumnType } from '../cells/column.ts'

/** Most files of fragments that stay open at once. */
const MOST_FILES = 128

/** Keeps few files open: closes the fragment that was used longest ago when another one is used. */
export class OpenFiles {
  private readonly most: number
  private readonly sources = new Set<{ close(): Promise<void> }>()

  /** @param columns of each fragment */
  constructor(columns: readonly ColumnType[]) {
    const fileNum = ({ cell_val_num, nullable }: ColumnType): number =>
      1 + Number(cell_val_num === 'var') + Number(nullable)
    // One more has the metadata.
    this.most = Math.max(1, Math.floor(MOST_FILES / columns.reduce((sum, column) => sum + fileNum(column), 1)))
  }

  /** Called before a fragment is read. */
  async use(source: { close(): Promise<void> }): Promise<void> {
    this.sources.delete(source)
    this.sources.add(source)
    const [oldest] = this.sources
    if (this.sources.size <= this.most) return
    this.sources.delete(oldest)
    await oldest.close()
  }
}
