import { unlessFault } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { comparable } from '../cells/bounds.ts'
import { compareBytes } from '../filters/bytes.ts'
import type { Domain } from '../format/array-schema.ts'
import type { FileRole } from '../format/field-files.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { NDRange, RangeType } from '../format/range.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { unfilteredFileSize, unfilteredSizeByFooter } from '../store/file-sizes.ts'
import { type Fragment, type FragmentInfo, filePipeline, slotHasFiles, storedCellNum } from '../store/fragment.ts'

/** The ends of a box as numbers, by dimension. */
export type Box = readonly (readonly [low: number, high: number])[]

/** What the footer of a fragment tells. */
export interface FragmentFacts {
  fragment: Fragment
  info: FragmentInfo
  cell_num: number
  /** Bytes of its data files. */
  stored_bytes: number
  /** Bytes of the sections of its metadata. */
  sections_bytes: number
  /** Number of its data files. */
  files: number
  /** Its non-empty domain. */
  box: Box
}

/** A kind of data file in the fragments that were looked into, of one field. */
export interface FileFacts {
  field: string
  role: FileRole
  stored_bytes: number
  unfiltered_bytes: number
  /** Number of tiles. */
  tiles: number
  /** As the largest fragment has them. */
  filters: readonly FilterConfig[]
  /** The largest fragment with such a file, and the slot of the field there. */
  fragment: FragmentFacts
  slot: number
}

export interface ArrayFacts {
  opened: OpenedArray
  path: string
  fragments: readonly FragmentFacts[]
  cell_num: number
  stored_bytes: number
  /** The largest fragments, whose metadata was looked into. */
  examined: readonly FragmentFacts[]
  /** All stored bytes over those of {@link examined}. */
  scale: number
  /** Of the fragments that were looked into. */
  files: readonly FileFacts[]
  /** Bytes of all fields before filtering, estimated from those that were looked into. */
  unfiltered_bytes: number
}

/** Most bytes of metadata sections to read, and most fragments to look into. */
const MOST_SECTIONS = 4 * 1024 * 1024
const MOST_EXAMINED = 16

const SUMMED = ['stored_bytes', 'unfiltered_bytes', 'tiles'] as const

/**
 * Facts from the footers of all fragments, and from the metadata of the largest.
 * @param footersOnly reads nothing: fields of var-sized values are then left out of `files`
 */
export async function arrayFacts(opened: OpenedArray, footersOnly = false): Promise<ArrayFacts> {
  const { dimensions } = opened.schema.domain
  const boxes = boxesOf(
    dimensions,
    opened.fragments.map(({ info }) => info.nonempty_domain ?? []),
  )
  const fragments = opened.fragments.map((one, i) => factsOf(one, boxes[i]))
  const stored_bytes = sum(fragments, (one) => one.stored_bytes)
  let room = MOST_SECTIONS
  const examined: FragmentFacts[] = []
  const files = new Map<string, FileFacts>()
  for (const one of [...fragments].sort((a, b) => b.stored_bytes - a.stored_bytes)) {
    if ((!footersOnly && one.sections_bytes > room) || examined.length >= MOST_EXAMINED) break
    room -= one.sections_bytes
    const own = await filesOf(one, footersOnly).catch(unlessFault)
    if (!own) continue
    examined.push(one)
    for (const file of own) {
      const key = `${file.role} ${file.field}`
      const known = files.get(key)
      if (known) for (const sum of SUMMED) known[sum] += file[sum]
      else files.set(key, file)
    }
  }
  const scale =
    stored_bytes /
    Math.max(
      1,
      sum(examined, (one) => one.stored_bytes),
    )
  return {
    opened,
    path: opened.array.folder.path,
    fragments,
    cell_num: sum(fragments, ({ cell_num }) => cell_num),
    stored_bytes,
    examined,
    scale,
    files: [...files.values()],
    unfiltered_bytes: scale * sum([...files.values()], (file) => file.unfiltered_bytes),
  }
}

function factsOf({ fragment, info }: OpenedFragment, box: Box): FragmentFacts {
  let stored_bytes = 0
  let files = 0
  for (const [slot, one] of info.slots.entries()) {
    if (!slotHasFiles(info, one)) continue
    for (const sizes of [info.file_sizes, info.file_var_sizes, info.file_validity_sizes]) {
      if (!sizes?.[slot]) continue
      stored_bytes += sizes[slot]
      files++
    }
  }
  return {
    fragment,
    info,
    cell_num: storedCellNum(info),
    stored_bytes,
    sections_bytes: info.footer?.offset ?? 0,
    files,
    box,
  }
}

/** The data files of a fragment. Reads the sizes of var-sized tiles, or leaves out files that have some. */
async function filesOf(facts: FragmentFacts, footersOnly: boolean): Promise<FileFacts[]> {
  const { fragment, info } = facts
  const files: FileFacts[] = []
  try {
    for (const file of await fragment.fieldFiles()) {
      const { slot, role, size } = file
      const unfiltered = footersOnly ? unfilteredSizeByFooter(info, file) : await unfilteredFileSize(fragment, file)
      if (unfiltered === undefined) continue
      files.push({
        field: info.slots[slot].name,
        role,
        stored_bytes: size,
        unfiltered_bytes: unfiltered,
        tiles: info.tile_num,
        filters: filePipeline(info, file, false),
        fragment: facts,
        slot,
      })
    }
  } finally {
    fragment.forget()
  }
  return files
}

/** The boxes of the tiles of sparse fragments. Those that cannot be read are left out. */
export async function tileBoxes({ dimensions }: Domain, fragments: readonly FragmentFacts[]): Promise<Box[]> {
  const boxes: NDRange[] = []
  for (const { fragment, info } of fragments) {
    const leaves = await fragment.rtree().then(leafLevel, unlessFault)
    fragment.forget()
    for (let tile = 0; leaves && tile < Math.min(leaves.mbr_num, info.tile_num); tile++)
      boxes.push(mbrAt(leaves, tile, dimensions))
  }
  return boxesOf(dimensions, boxes)
}

/** Boxes as numbers: texts as their places among all, 64-bit integers rounded. A fragment without cells has an empty box. */
function boxesOf(dimensions: readonly RangeType[], boxes: readonly NDRange[]): Box[] {
  const numbers = dimensions.map(({ type, cell_val_num }, d): ((bytes: Uint8Array) => number) => {
    if (cell_val_num !== 'var') return (bytes) => Number(comparable(type, bytes))
    const texts = boxes.flatMap((box) => (box.length > 0 ? [box[d].min, box[d].max] : []))
    texts.sort(compareBytes)
    const places = new Map<string, number>()
    for (const text of texts) places.set(text.join(' '), places.get(text.join(' ')) ?? places.size)
    return (bytes) => places.get(bytes.join(' ')) ?? 0
  })
  return boxes.map((box) => box.map(({ min, max }, d) => [numbers[d](min), numbers[d](max)]))
}

/**
 * About how many requests to an object store a read of a whole fragment makes: the size of its metadata file, that of the footer and the
 * footer, then all other metadata, which TileDB reads ahead, and each data file.
 */
export function requestsOf({ files }: FragmentFacts): number {
  return FOOTER_REQUESTS + 1 + files
}

/** Requests for a footer that is not in consolidated metadata. */
export const FOOTER_REQUESTS = 3
