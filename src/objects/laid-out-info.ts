import { InspectError } from '../base/errors.ts'
import { Slab } from '../base/slab.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { denseTileGrid } from '../format/dense-tiles.ts'
import { FooterLayout, type KeptFooter } from '../format/footer-layout.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { type SectionPlace, sectionPlaces } from '../format/metadata-sections.ts'
import type { NDRange } from '../format/range.ts'
import type { Folder } from '../storage/source.ts'
import type { FragmentInfo } from './fragment.ts'

/** Where a footer lies: in the metadata file of a fragment's folder. */
export interface StoredFooterPlace {
  folder: Folder
  /** Offset of the footer in the file, in bytes. */
  offset: number
}

/** Bytes of footers that an array's fragments keep as they are. Packing a footer takes a tenth of the time of listing a fragment. */
const MAX_PLAIN_BYTES = 2 ** 20

/** Where the footers of an array are kept. */
class FooterStore {
  private readonly slab = new Slab()
  private plainBytes = 0

  /** Copies a footer: the first as they are, later ones packed. */
  keep(layout: FooterLayout, footer: Uint8Array): KeptFooter {
    this.plainBytes += footer.length
    return this.plainBytes > MAX_PLAIN_BYTES ? layout.packed(footer, this.slab) : this.slab.copy(footer)
  }
}

/**
 * A fragment's metadata from a footer of a known layout. A read holds one for each fragment, so it is little more than the footer, which is
 * packed if there are many. Fields are decoded on demand.
 */
export class LaidOutInfo implements FragmentInfo {
  readonly tile_num: number
  readonly cells_per_tile: number
  readonly last_tile_cell_num: number
  readonly v1 = undefined
  readonly layout: FooterLayout
  /** Unfiltered bytes of the R-tree, once it was read: `explain` reads the boxes of all fragments, then sums up what they take. */
  rtreeBytes: number | undefined
  /** The stored R-tree, if it was read with the footer and is wanted: {@link SmallSections.keepRTree}. */
  rtreeStored: Uint8Array | undefined
  private readonly kept: KeptFooter
  private readonly folder: Folder
  private readonly offset: number

  /**
   * @param footer its bytes may be overwritten later
   * @param store where it is kept
   */
  constructor(layout: FooterLayout, footer: Uint8Array, store: FooterStore, { folder, offset }: StoredFooterPlace) {
    const { common, schema } = layout
    const grid = common.dense ? denseTileGrid(schema, layout.domain(footer)) : undefined
    this.tile_num = grid?.tile_num ?? layout.size(footer, 'sparse_tile_num')
    this.cells_per_tile = grid?.cells_per_tile ?? Number(schema.capacity)
    this.last_tile_cell_num = grid?.cells_per_tile ?? layout.size(footer, 'last_tile_cell_num')
    this.layout = layout
    this.rtreeBytes = undefined
    this.rtreeStored = undefined
    this.kept = store.keep(layout, footer)
    this.folder = folder
    this.offset = offset
  }

  /** The footer, as long as {@link FooterLayout.unpacked} says. */
  get bytes(): Uint8Array {
    return this.layout.unpacked(this.kept)
  }

  get format_version(): number {
    return this.layout.common.version
  }
  get schemaName(): string {
    return this.layout.common.array_schema_name ?? ''
  }
  get schema(): ArraySchema {
    return this.layout.schema
  }
  get dense(): boolean {
    return this.layout.common.dense
  }
  get slots(): readonly Slot[] {
    return this.layout.slots
  }
  get nonempty_domain(): NDRange {
    return this.layout.domainOf(this.kept)
  }
  get null_nonempty_domain(): boolean {
    return this.layout.common.null_nonempty_domain
  }
  get file_sizes(): Float64Array {
    return this.layout.sizes(this.bytes, 'file_sizes')
  }
  get file_var_sizes(): Float64Array {
    return this.layout.sizes(this.bytes, 'file_var_sizes')
  }
  get file_validity_sizes(): Float64Array {
    return this.layout.sizes(this.bytes, 'file_validity_sizes')
  }
  get footer_span(): FragmentInfo['footer_span'] {
    return { offset: this.offset, size: this.layout.length }
  }
  get footer_slack(): number {
    return this.layout.common.slack.length
  }
  get footer(): FragmentInfo['footer'] {
    const { offset, folder, layout, kept } = this
    const place = { file: `${folder.path}/${FRAGMENT_METADATA_FILE}`, offset }
    return { ...layout.decoded(kept, place), offset, size: layout.length }
  }

  /** Where the R-tree begins in the file, in bytes, without decoding the footer. */
  get rtreeOffset(): number {
    return this.layout.size(this.bytes, 'rtree_offset')
  }

  /** {@link sectionPlaces}, without decoding the footer if it has no optional sections. */
  get sectionPlaces(): SectionPlace[] {
    const { layout, bytes } = this
    if (!layout.common.optional_sections?.length) return layout.sectionPlaces(bytes)
    return sectionPlaces(layout.decoded(this.kept, {}), layout.slots)
  }

  /** {@link FooterLayout.sectionEnd} within the sections before this footer. */
  sectionEnd(offset: number): number {
    return this.layout.sectionEnd(this.bytes, offset, this.offset)
  }
}

/** Upper limit on the kept layouts. An array has one for each of its schemas and versions. */
const MAX_LAYOUTS = 8

/** The layouts of an array's footers. Only footers since version 10 count, which say their length. */
export class FooterLayouts {
  private readonly layouts: FooterLayout[] = []
  /** Schema of the last footer that was fully decoded. A layout is made only for the second footer of a schema. */
  private last: ArraySchema | undefined
  private readonly store = new FooterStore()

  /** Makes the layout of a footer, if another footer may need it. @param schema the schema of the footer */
  learn(footer: Uint8Array, schema: ArraySchema): void {
    if (this.last === schema && this.layouts.length < MAX_LAYOUTS) this.layouts.push(new FooterLayout(footer, schema))
    this.last = schema
  }

  /** The metadata in a footer; undefined if no known layout fits, or the footer is damaged. Copies the footer. */
  info(footer: Uint8Array, place: StoredFooterPlace): FragmentInfo | undefined {
    const layout = this.layouts.find((one) => one.fits(footer))
    if (!layout) return undefined
    try {
      return new LaidOutInfo(layout, footer, this.store, place)
    } catch (error) {
      if (error instanceof InspectError) return undefined
      throw error
    }
  }
}
