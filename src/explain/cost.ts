import { groupBy } from '../base/group-by.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import {
  checkOffsetCount,
  fieldTileFile,
  fileCellSize,
  type TileRole,
  tileRole,
  tilesCellNum,
} from '../cells/tile-places.ts'
import { useOf } from '../filters/registry.ts'
import { fieldFileRoles } from '../format/field-files.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { OffsetsList } from '../format/metadata-sections.ts'
import { type Fragment, type FragmentInfo, filePipeline, valuesHoldOffsets } from '../objects/fragment.ts'
import { BLOCK_TILES, type TileList, TileLists } from '../objects/tile-lists.ts'
import type { OpenedArray } from '../read/query.ts'
import { Batches, type FileReads } from './batches.ts'
import { RELEASE } from './memory/release.ts'
import type { TileRead } from './plan.ts'
import { addToStep, emptyStep, type StepCost } from './step-cost.ts'

/** What is read of one part of a field: of its values, its offsets or its validity. */
export interface PartCost extends FileReads {
  role: TileRole
  /** Unfiltered bytes as TileDB's counter `read_unfiltered_byte_num` has them: 0 for files without filters. */
  unfiltered_bytes: number
  /** Unfiltered bytes, whether or not the file has filters. */
  cell_bytes: number
  filters: readonly FilterConfig[]
  /** Estimated time to undo the filters on one core. */
  unfilter_seconds: number
}

/** What is read of a field in all fragments. */
interface FieldCost {
  name: string
  /** `num_tiles_read`: a tile counts once, however many parts it has. */
  tiles: number
  /** Cells of these tiles. */
  cells: number
  parts: PartCost[]
}

/** What is read of all fields of a fragment. */
interface FragmentCost {
  tiles: number
  stored_bytes: number
  unfiltered_bytes: number
}

/** What reading tiles costs. */
export interface TileCost {
  step: StepCost
  /** `num_tiles_read` */
  tiles: number
  stored_bytes: number
  /** `read_unfiltered_byte_num` */
  unfiltered_bytes: number
  /** As in {@link PartCost}. */
  unfilter_seconds: number
  /** In the order in which the fields are first read. */
  fields: FieldCost[]
  /** By position in {@link OpenedArray.fragments}. Only fragments that are read have an entry. */
  fragments: Map<number, FragmentCost>
}

/**
 * Computes what reading tiles costs: by field, by fragment, and in operations on files. Reads the lists of tile offsets and of the sizes
 * of var-sized tiles of these fields, but no data. Long lists are read in pages.
 *
 * @param exact whether all of these tiles are read; otherwise the numbers are upper bounds for every choice of them
 * @throws InspectError INCONSISTENT if a list is too short
 * @see ReaderBase::read_tiles, FilteredData
 */
export async function tileCost(opened: OpenedArray, reads: readonly TileRead[], exact = true): Promise<TileCost> {
  const cost: TileCost = {
    step: emptyStep('tiles'),
    tiles: 0,
    stored_bytes: 0,
    unfiltered_bytes: 0,
    unfilter_seconds: 0,
    fields: [],
    fragments: new Map(),
  }
  const fields = new Map<string, FieldCost>()
  const byFragment = groupBy(
    reads.filter(({ tiles }) => tiles.length > 0),
    ({ fragment }) => fragment,
  )
  const measure = ([index, some]: [number, TileRead[]]): Promise<Measured[]> =>
    measureFragment(opened, index, some, exact)
  for await (const measured of inOrder(byFragment, atOnce(opened.array.folder), measure))
    for (const read of measured) addRead(cost, fields, read)
  cost.fields.push(...fields.values())
  // The requests of a call are sent together, but the calls follow one another.
  cost.step.chain = new Set(reads.map(({ call }) => call)).size
  return cost
}

/** The cost of one read, by part of its field. */
interface Measured {
  read: TileRead
  name: string
  cells: number
  parts: PartCost[]
}

function addRead(cost: TileCost, fields: Map<string, FieldCost>, { read, name, cells, parts }: Measured): void {
  const tiles = read.tiles.length
  const field = fields.get(name) ?? { name, tiles: 0, cells: 0, parts: [] }
  fields.set(name, field)
  const fragment = cost.fragments.get(read.fragment) ?? { tiles: 0, stored_bytes: 0, unfiltered_bytes: 0 }
  cost.fragments.set(read.fragment, fragment)
  for (const sum of [cost, field, fragment]) sum.tiles += tiles
  field.cells += cells
  for (const part of parts) {
    for (const sum of [cost, fragment]) {
      sum.stored_bytes += part.stored_bytes
      sum.unfiltered_bytes += part.unfiltered_bytes
    }
    cost.unfilter_seconds += part.unfilter_seconds
    const { reads, bytes, requests } = part
    addToStep(cost.step, { reads, bytes, requests })
    const known = field.parts.find(({ role }) => role === part.role)
    if (known) for (const key of SUMMED) known[key] += part[key]
    else field.parts.push(part)
  }
}

const SUMMED = [
  'ranges',
  'stored_bytes',
  'reads',
  'bytes',
  'requests',
  'unfiltered_bytes',
  'cell_bytes',
  'unfilter_seconds',
] as const

/** Measures the reads of a fragment, grouped by slot so that no list is read twice. */
async function measureFragment(
  opened: OpenedArray,
  index: number,
  reads: TileRead[],
  exact: boolean,
): Promise<Measured[]> {
  const { fragment, info } = opened.fragments[index]
  const measured: Measured[] = []
  try {
    for (const [slot, some] of groupBy(reads, (read) => read.slot)) {
      const { name } = info.slots[slot]
      const lists = new SlotLists(fragment, info, slot)
      for (const read of some) {
        const parts: PartCost[] = []
        for (const role of rolesRead(opened, info, read))
          parts.push(await measurePart(opened, lists, role, read, exact))
        measured.push({ read, name, cells: tilesCellNum(info, read.tiles), parts })
      }
      lists.release()
    }
  } finally {
    fragment.forget()
    await fragment.close()
  }
  return measured
}

/** Which files of a field are read. The validity is read only if the field is nullable both in the fragment and in the array. */
function rolesRead({ schema }: OpenedArray, info: FragmentInfo, { slot, validityOnly }: TileRead): TileRole[] {
  const { name, kind } = info.slots[slot]
  const nullable = kind !== 'attribute' || schema.attributes.find((one) => one.name === name)?.nullable !== false
  return fieldFileRoles(info.slots[slot])
    .map((role) => tileRole({ role }))
    .filter((role) => (role === 'validity' ? nullable : !validityOnly))
}

async function measurePart(
  { array, schema }: OpenedArray,
  lists: SlotLists,
  role: TileRole,
  { tiles, slot }: TileRead,
  exact: boolean,
): Promise<PartCost> {
  const { info } = lists
  const { size } = fieldTileFile(info, slot, role)
  const batches = new Batches(exact)
  // A whole file that is small enough is one read: the offsets of its tiles do not matter.
  if (
    tiles.length === info.tile_num &&
    size <= (exact ? RELEASE.settings['vfs.max_batch_size'] : RELEASE.settings['vfs.min_batch_size'])
  )
    batches.add(0, size)
  else await lists.eachPlace(role, tiles, size, (start, end) => batches.add(start, end))
  batches.finish()
  const cell_bytes =
    role === 'var' ? await lists.varBytes(tiles) : tilesCellNum(info, tiles) * fileCellSize(info, slot, role)
  const filters = filePipeline(info, { slot, role }, array.cx.encrypted)
  const isCounted = filters.length > 0 && !(role === 'offsets' && valuesHoldOffsets(info, slot, schema.version))
  const { ranges, stored_bytes, reads, bytes, requests } = batches
  return {
    role,
    ranges,
    stored_bytes,
    reads,
    bytes,
    requests,
    unfiltered_bytes: isCounted ? cell_bytes : 0,
    cell_bytes,
    filters,
    unfilter_seconds: unfilterSeconds(filters, cell_bytes),
  }
}

/** Estimated seconds to undo a filter pipeline on one core. @param bytes unfiltered */
export function unfilterSeconds(filters: readonly FilterConfig[], bytes: number): number {
  return filters.reduce((seconds, { name }) => seconds + bytes / (useOf(name).rate * 1e6), 0)
}

/** The lists of one slot of a fragment. Each is read once, when it is first needed. */
class SlotLists {
  readonly info: FragmentInfo
  private readonly fragment: Fragment
  private readonly slot: number
  private readonly known = new Map<string, TileList<Float64Array>>()

  constructor(fragment: Fragment, info: FragmentInfo, slot: number) {
    this.fragment = fragment
    this.info = info
    this.slot = slot
  }

  private async list(name: OffsetsList): Promise<TileList<Float64Array>> {
    const known = this.known.get(name)
    if (known) return known
    const { fragment, info, slot } = this
    const list = (await new TileLists(fragment).offsets(name, slot)) as TileList<Float64Array>
    checkOffsetCount(fragment, info, `${name}.${info.slots[slot].name}`, list?.count ?? 0)
    this.known.set(name, list)
    return list
  }

  /** Visits the place of each tile in the file of a role. @param tiles rising @param size bytes of the file */
  async eachPlace(
    role: TileRole,
    tiles: Uint32Array,
    size: number,
    visit: (start: number, end: number) => void,
  ): Promise<void> {
    const { tile_num } = this.info
    const list = await this.list(fieldTileFile(this.info, this.slot, role).offsetsList)
    for (let at = 0; at < tiles.length; ) {
      const { first, entries } = await list.block(tiles[at], Math.min(tiles[at] + BLOCK_TILES, tile_num))
      const to = first + entries.length
      for (; at < tiles.length && tiles[at] < to; at++) {
        const tile = tiles[at]
        if (tile + 1 === to && to < tile_num) break
        visit(entries[tile - first], tile + 1 < tile_num ? entries[tile + 1 - first] : size)
      }
    }
  }

  /** Unfiltered bytes of the var-sized values of tiles. @param tiles rising */
  async varBytes(tiles: Uint32Array): Promise<number> {
    const list = await this.list('tile_var_sizes')
    let bytes = 0
    for (let at = 0; at < tiles.length; ) {
      const { first, entries } = await list.block(tiles[at], Math.min(tiles[at] + BLOCK_TILES, this.info.tile_num))
      for (; at < tiles.length && tiles[at] < first + entries.length; at++) bytes += entries[tiles[at] - first]
    }
    return bytes
  }

  release(): void {
    for (const list of this.known.values()) list.release()
    this.known.clear()
  }
}
