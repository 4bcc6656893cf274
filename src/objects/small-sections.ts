import { InspectError } from '../base/errors.ts'
import { Slab } from '../base/slab.ts'
import { Pipeline, type TileReadOptions } from '../filters/pipeline.ts'
import type { FooterLayout } from '../format/footer-layout.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { type Describe, decode, encode } from '../format/io.ts'
import { type SectionContents, type SectionName, sectionContent, sectionKey } from '../format/metadata-sections.ts'
import type { RTree } from '../format/rtree.ts'
import { chunkCount } from '../format/tile-chunks.ts'
import { u64 } from '../format/u32.ts'
import { type Folder, TAIL_BYTES } from '../storage/source.ts'
import { genericTileType, mostElements, oddCompressor } from './generic-tile.ts'
import type { LaidOutInfo } from './laid-out-info.ts'
import { endSync } from './metadata-file.ts'
import type { ReadContext } from './read-context.ts'

/** Places of the sizes in the header of a generic tile, in bytes. */
const PERSISTED_SIZE = 4
const TILE_SIZE = 12
const AFTER_SIZES = 20

/** Upper limit on the bytes of a stored R-tree that is kept: that of a tile or two. */
const MAX_KEPT = 256

/** What reading a tile needs, from one with the same header. */
interface Known {
  header: Uint8Array
  pipeline: Pipeline
}

/** A stored section. Sizes are in bytes. */
interface StoredSection {
  /** Its chunks. */
  chunks: Uint8Array
  /** With the header. */
  size: number
  unfiltered_size: number
}

/**
 * Reads sections of fragments' metadata synchronously: those in files that one read fetches, whose generic tiles have the header of one that
 * was read in the usual way, but for the sizes. A read of 66,000 fragments takes a tenth of the time and memory so. Whatever is unusual, or
 * damaged, is left to the usual way, which says what is wrong.
 */
export class SmallSections {
  private readonly cx: ReadContext
  private readonly slab = new Slab()
  private readonly options: TileReadOptions = {}
  private readonly descriptions = new Map<FooterLayout, Map<SectionName, Describe<unknown>>>()
  private known: Known | undefined

  constructor(cx: ReadContext) {
    this.cx = cx
  }

  /** Whether {@link learn} was called. */
  get isReady(): boolean {
    return this.known !== undefined
  }

  /** Prepares for tiles like one that was opened. */
  async learn(header: GenericTileHeader): Promise<void> {
    // The usual way notes what TileDB refuses of a tile.
    if (oddCompressor(header)) return
    const pipeline = await Pipeline.load(header.filters.filters, genericTileType(header, this.cx, {}), this.cx.codecs)
    this.known = { header: encode(header, genericTileHeader), pipeline }
  }

  /** The content of a section; undefined if it has to be read in the usual way. @param folder the fragment's */
  read<Name extends SectionName>(
    folder: Folder,
    info: LaidOutInfo,
    name: Name,
    slot = 0,
  ): SectionContents[Name] | undefined {
    const { known } = this
    const key = known && sectionKey(name)
    const offset = key && info.layout.sizeIn(info.bytes, key, slot)
    const stored = offset === undefined ? undefined : this.stored(folder, info, offset)
    if (!known || !stored || chunkCount(stored.chunks) !== 1) return undefined
    try {
      this.options.expectedSize = stored.unfiltered_size
      if (name === 'rtree') info.rtreeBytes = stored.unfiltered_size
      const { data } = known.pipeline.reverseTile(stored.chunks, this.options)
      // Without filters it is a part of the bytes that are overwritten later.
      const payload = data.buffer === stored.chunks.buffer ? data.slice() : data
      return decode(payload, this.description(info, name), {
        mostElements: mostElements(stored.chunks.length, this.cx),
      })
    } catch (error) {
      if (error instanceof InspectError) return undefined
      throw error
    }
  }

  /** {@link read} of the R-tree, for callers that keep it: it takes little more than the bytes of its boxes. */
  rtree(folder: Folder, info: LaidOutInfo): RTree | undefined {
    const tree = this.read(folder, info, 'rtree')
    info.rtreeStored = undefined
    for (const level of tree?.levels ?? []) level.bytes = this.slab.copy(level.bytes)
    return tree
  }

  /** Keeps the stored R-tree of a fragment whose footer was read just now, if it is small: then its file is not opened again for it. */
  keepRTree(folder: Folder, info: LaidOutInfo): void {
    const offset = info.rtreeOffset
    const length = info.sectionEnd(offset) - offset
    const bytes = length > 0 && length <= MAX_KEPT ? endBytes(folder, offset, length) : undefined
    if (bytes) info.rtreeStored = this.slab.copy(bytes)
  }

  /** A stored section; undefined if its header is another one, or it is cut. The next call for another fragment overwrites it. */
  stored(folder: Folder, info: LaidOutInfo, offset: number, next = info.sectionEnd(offset)): StoredSection | undefined {
    const { known } = this
    if (!known || info.layout.common.optional_sections?.length) return undefined
    const { rtreeStored } = info
    const bytes = rtreeStored && offset === info.rtreeOffset ? rtreeStored : endBytes(folder, offset, next - offset)
    return bytes && sectionIn(bytes, known.header)
  }

  private description<Name extends SectionName>(
    { layout, format_version, schema, slots }: LaidOutInfo,
    name: Name,
  ): Describe<SectionContents[Name]> {
    const ofLayout = this.descriptions.get(layout) ?? new Map<SectionName, Describe<unknown>>()
    this.descriptions.set(layout, ofLayout)
    const content = (): unknown => sectionContent(name, format_version, schema, slots)
    const found = ofLayout.get(name) ?? (content() as Describe<unknown>)
    ofLayout.set(name, found)
    return found as Describe<SectionContents[Name]>
  }
}

/** Bytes of the end of a metadata file, as far as it has them; undefined if they begin before it. */
function endBytes(folder: Folder, offset: number, length: number): Uint8Array | undefined {
  const { bytes, size } = endSync(folder) ?? {}
  if (!bytes || size === undefined || offset < size - bytes.length) return undefined
  const at = offset - (size - bytes.length)
  return bytes.subarray(at, Math.min(bytes.length, at + length))
}

/** The section that begins with a header, whatever its sizes are. */
function sectionIn(section: Uint8Array, header: Uint8Array): StoredSection | undefined {
  if (section.length < header.length) return undefined
  for (let i = 0; i < header.length; i++)
    if (section[i] !== header[i] && (i < PERSISTED_SIZE || i >= AFTER_SIZES)) return undefined
  const [persisted, unfiltered_size] = [u64(section, PERSISTED_SIZE), u64(section, TILE_SIZE)]
  const size = header.length + persisted
  if (size > section.length || unfiltered_size > TAIL_BYTES) return undefined
  return { chunks: section.subarray(header.length, size), size, unfiltered_size }
}
