import { InspectError } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { denseTileGrid } from '../format/dense-tiles.ts'
import { FooterLayout } from '../format/footer-layout.ts'
import { fragmentFooter } from '../format/fragment-footer.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { decode } from '../format/io.ts'
import type { NDRange } from '../format/range.ts'
import type { FragmentInfo } from './fragment.ts'
import type { TilePlace } from './generic-tile.ts'

type SizesName = 'file_sizes' | 'file_var_sizes' | 'file_validity_sizes'

/** A fragment's metadata from a footer of a known layout. Fields that few callers use are decoded on demand. */
export class LaidOutInfo implements FragmentInfo {
  readonly format_version: number
  readonly schemaName: string
  readonly schema: ArraySchema
  readonly dense: boolean
  readonly tile_num: number
  readonly cells_per_tile: number
  readonly last_tile_cell_num: number
  readonly slots: readonly Slot[]
  readonly v1 = undefined
  readonly layout: FooterLayout
  readonly bytes: Uint8Array
  readonly place: TilePlace
  private readFooter: FragmentInfo['footer']
  private readonly lists: { [name in SizesName]?: Float64Array } = {}

  constructor(layout: FooterLayout, bytes: Uint8Array, place: TilePlace) {
    const { common, schema } = layout
    this.layout = layout
    this.bytes = bytes
    this.place = place
    this.format_version = common.version
    this.schemaName = common.array_schema_name ?? ''
    this.schema = schema
    this.dense = common.dense
    this.slots = layout.slots
    const grid = common.dense ? denseTileGrid(schema, layout.domain(bytes)) : undefined
    this.tile_num = grid?.tile_num ?? layout.size(bytes, 'sparse_tile_num')
    this.cells_per_tile = grid?.cells_per_tile ?? Number(schema.capacity)
    this.last_tile_cell_num = grid?.cells_per_tile ?? layout.size(bytes, 'last_tile_cell_num')
  }

  get nonempty_domain(): NDRange {
    return this.layout.domain(this.bytes)
  }
  get file_sizes(): Float64Array {
    return this.sizes('file_sizes')
  }
  get file_var_sizes(): Float64Array {
    return this.sizes('file_var_sizes')
  }
  get file_validity_sizes(): Float64Array {
    return this.sizes('file_validity_sizes')
  }
  get footer(): FragmentInfo['footer'] {
    const { bytes, place, schema } = this
    this.readFooter ??= { ...decode(bytes, fragmentFooter(schema), place), offset: place.offset, size: bytes.length }
    return this.readFooter
  }

  private sizes(name: SizesName): Float64Array {
    this.lists[name] ??= this.layout.sizes(this.bytes, name)
    return this.lists[name]
  }
}

/** Upper limit on the kept layouts. An array has one for each of its schemas and versions. */
const MOST_LAYOUTS = 8

/** The layouts of an array's footers. Only footers since version 10 count, which say their length. */
export class FooterLayouts {
  private readonly layouts: FooterLayout[] = []
  /** Schema of the last footer that was fully decoded. A layout is made only for the second footer of a schema. */
  private last: ArraySchema | undefined

  /** Makes the layout of a footer, if another footer may need it. @param schema the schema of the footer */
  learn(footer: Uint8Array, schema: ArraySchema): void {
    if (this.last === schema && this.layouts.length < MOST_LAYOUTS) this.layouts.push(new FooterLayout(footer, schema))
    this.last = schema
  }

  /** The metadata in a footer; undefined if no known layout fits, or the footer is damaged. Copies the footer. */
  info(footer: Uint8Array, place: TilePlace): FragmentInfo | undefined {
    const layout = this.layouts.find((one) => one.fits(footer))
    if (!layout) return undefined
    try {
      return new LaidOutInfo(layout, footer.slice(), place)
    } catch (error) {
      if (error instanceof InspectError) return undefined
      throw error
    }
  }
}
