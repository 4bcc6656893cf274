import { Pipeline } from '../filters/pipeline.ts'
import { genericTileHeader } from '../format/generic-tile.ts'
import { trace } from '../format/io.ts'
import { u64 } from '../format/u32.ts'
import { genericTileType, openGenericTile, type ReadContext, type TilePlace } from './generic-tile.ts'

/** Largest content of a tile that is opened here. It is below every bound for the content of generic tiles. */
const SMALL = 2 ** 16

/** How the header of a generic tile begins that was opened, and what undoes its filters. */
interface Known {
  header: Uint8Array
  /** Offsets of its two sizes, which other headers may have different. */
  persistedAt: number
  sizeAt: number
  pipeline: Pipeline
}

/**
 * Opens small generic tiles without waiting that have the header of one that was opened before: nearly all of an array have.
 */
export class AlikeTiles {
  private readonly cx: ReadContext
  private known: Known | undefined
  private tried = false

  constructor(cx: ReadContext) {
    this.cx = cx
  }

  /** Takes a tile as an example, unless there is one. @throws InspectError those of opening it */
  async learn(bytes: Uint8Array, place: TilePlace): Promise<void> {
    if (this.tried) return
    this.tried = true
    const { header } = await openGenericTile(bytes, this.cx, place)
    if (header.encryption_type !== 'NO_ENCRYPTION') return
    const { root } = trace(bytes, genericTileHeader, 'header')
    const at = (field: string): number => root.children?.find(({ name }) => name === field)?.offset ?? 0
    const pipeline = await Pipeline.load(
      header.filters.filters,
      genericTileType(header, this.cx, place),
      this.cx.codecs,
    )
    const [persistedAt, sizeAt] = [at('persisted_size'), at('tile_size')]
    this.known = { header: bytes.slice(0, root.length), persistedAt, sizeAt, pipeline }
  }

  /** The content of the tile at the start of `bytes`; undefined if it has another header. @throws InspectError for damage */
  contentNow(bytes: Uint8Array): Uint8Array | undefined {
    if (!this.known) return undefined
    const { header, persistedAt, sizeAt, pipeline } = this.known
    if (bytes.length < header.length) return undefined
    for (let i = 0; i < header.length; i++) {
      const isSize = (i >= persistedAt && i < persistedAt + 8) || (i >= sizeAt && i < sizeAt + 8)
      if (!isSize && bytes[i] !== header[i]) return undefined
    }
    const [persisted, size] = [u64(bytes, persistedAt), u64(bytes, sizeAt)]
    if (size > SMALL || persisted > bytes.length - header.length) return undefined
    const stored = bytes.subarray(header.length, header.length + persisted)
    return pipeline.reverseTile(stored, { expectedSize: size }).data
  }
}
