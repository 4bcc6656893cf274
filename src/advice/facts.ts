import { unlessFault } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { comparable } from '../cells/bounds.ts'
import { compareBytes } from '../filters/bytes.ts'
import type { Domain } from '../format/array-schema.ts'
import type { FileRole } from '../format/field-files.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { NDRange, RangeType } from '../format/range.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { unfilteredFileSize, unfilteredSizeByFooter } from '../objects/file-sizes.ts'
import { type Fragment, type FragmentInfo, filePipeline, slotHasFiles, storedCellNum } from '../objects/fragment.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { withLater } from './consolidation.ts'

/** The ends of a box as numbers, by dimension. */
export type Box = readonly (readonly [low: number, high: number])[]

/** Facts from the footer of a fragment. */
export interface FragmentFacts {
  fragment: Fragment
  info: FragmentInfo
  cell_num: number
  /** Bytes of its data files. */
  stored_bytes: number
  /** Bytes of the sections of its metadata. */
  sections_bytes: number
  /** Number of its data files. */
  file_num: number
  /** Its non-empty domain; empty without cells. */
  box: Box
  /** Whether consolidated fragment metadata has its footer: an opening then does not read it. */
  hasCopy: boolean
}

/** The data files of one field and role in all examined fragments. */
export interface FileFacts {
  field: string
  role: FileRole
  stored_bytes: number
  unfiltered_bytes: number
  tile_num: number
  /** The filters in the largest fragment. */
  filters: readonly FilterConfig[]
  /** The largest fragment with such a file, and the slot of the field there. */
  fragment: FragmentFacts
  slot: number
}

/** Facts about an array, from footers and other metadata. */
export interface AdviceFacts {
  opened: OpenedArray
  path: string
  fragments: readonly FragmentFacts[]
  cell_num: number
  stored_bytes: number
  /** The largest fragments, whose other metadata was read. */
  examined: readonly FragmentFacts[]
  /** Ratio between all stored bytes and those of {@link examined}. */
  scale: number
  /** The data files of the examined fragments. */
  files: readonly FileFacts[]
  /** Unfiltered bytes of all fields, estimated from the examined fragments. */
  unfiltered_bytes: number
}

/** Upper limits on what is examined: bytes of metadata sections, and number of fragments. */
const MAX_SECTIONS = 4 * 1024 * 1024
const MAX_EXAMINED = 16

const SUMMED = ['stored_bytes', 'unfiltered_bytes', 'tile_num'] as const

/**
 * Collects facts from the footers of all fragments, and from other metadata of the largest fragments.
 * @param footersOnly whether to use only the footers, and read nothing; `files` then lacks the var-sized fields
 */
export async function arrayFacts(asked: OpenedArray, footersOnly = false): Promise<AdviceFacts> {
  const entries = await asked.array.fragments()
  const opened = await withLater(asked, entries)
  const { dimensions } = opened.schema.domain
  const boxes = boxesOf(dimensions, opened.fragments.length, (i) => opened.fragments[i].info.nonempty_domain ?? [])
  const copied = new Set(entries.flatMap((one) => (one.has_consolidated_metadata ? [one.name] : [])))
  const fragments = opened.fragments.map((one, i) => factsOf(one, boxes[i], copied.has(one.fragment.name)))
  const stored_bytes = sum(fragments, (one) => one.stored_bytes)
  let room = MAX_SECTIONS
  const examined: FragmentFacts[] = []
  const files = new Map<string, FileFacts>()
  for (const one of [...fragments].sort((a, b) => b.stored_bytes - a.stored_bytes)) {
    if ((!footersOnly && one.sections_bytes > room) || examined.length >= MAX_EXAMINED) break
    room -= one.sections_bytes
    const own = await filesOf(one, footersOnly).catch(unlessFault)
    if (!own) continue
    examined.push(one)
    for (const file of own) {
      const name = `${file.role} ${file.field}`
      const known = files.get(name)
      if (known) for (const key of SUMMED) known[key] += file[key]
      else files.set(name, file)
    }
  }
  const examined_bytes = sum(examined, (one) => one.stored_bytes)
  const scale = stored_bytes / Math.max(1, examined_bytes)
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

function factsOf({ fragment, info }: OpenedFragment, box: Box, hasCopy: boolean): FragmentFacts {
  let stored_bytes = 0
  let file_num = 0
  const lists = [info.file_sizes, info.file_var_sizes, info.file_validity_sizes]
  for (const [slot, one] of info.slots.entries()) {
    if (!slotHasFiles(info, one)) continue
    for (const sizes of lists) {
      if (!sizes?.[slot]) continue
      stored_bytes += sizes[slot]
      file_num++
    }
  }
  return {
    fragment,
    info,
    cell_num: storedCellNum(info),
    stored_bytes,
    sections_bytes: info.footer_span?.offset ?? 0,
    file_num,
    box,
    hasCopy,
  }
}

/** The data files of a fragment. Reads the sizes of var-sized tiles; with `footersOnly` it leaves these files out. */
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
        tile_num: info.tile_num,
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

/** The boxes of the tiles of sparse fragments. Leaves out R-trees that cannot be read. */
export async function tileBoxes({ dimensions }: Domain, fragments: readonly FragmentFacts[]): Promise<Box[]> {
  const boxes: NDRange[] = []
  for (const { fragment, info } of fragments) {
    const leaves = await fragment.rtree().then(leafLevel, unlessFault)
    fragment.forget()
    for (let tile = 0; leaves && tile < Math.min(leaves.mbr_num, info.tile_num); tile++)
      boxes.push(mbrAt(leaves, tile, dimensions))
  }
  return boxesOf(dimensions, boxes.length, (i) => boxes[i])
}

/**
 * Converts boxes to numbers: texts to their positions among all texts, 64-bit integers rounded. A fragment without cells has an empty box,
 * and so has one whose schema has another number of dimensions.
 * @param found returns a box, whose bytes are not kept
 */
function boxesOf(dimensions: readonly RangeType[], count: number, found: (i: number) => NDRange): Box[] {
  const boxAt = (i: number): NDRange => {
    const box = found(i)
    return box.length === dimensions.length ? box : []
  }
  const numbers = dimensions.map(({ type, cell_val_num }, d): ((bytes: Uint8Array) => number) => {
    if (cell_val_num !== 'var') return (bytes) => Number(comparable(type, bytes))
    const texts = Array.from({ length: count }, (_, i) => boxAt(i)).flatMap((box) =>
      box.length > 0 ? [box[d].min, box[d].max] : [],
    )
    texts.sort(compareBytes)
    const positions = new Map<string, number>()
    for (const text of texts) positions.set(text.join(' '), positions.get(text.join(' ')) ?? positions.size)
    return (bytes) => positions.get(bytes.join(' ')) ?? 0
  })
  return Array.from({ length: count }, (_, i) => boxAt(i).map(({ min, max }, d) => [numbers[d](min), numbers[d](max)]))
}

/**
 * Estimates the requests to an object store for a read of a whole fragment: three for a footer that stands alone, one for all other
 * metadata, which TileDB reads ahead, and one for each data file.
 */
export function requestsOf({ file_num, hasCopy }: FragmentFacts): number {
  return (hasCopy ? 0 : FOOTER_REQUESTS) + 1 + file_num
}

/** Number of requests for a footer that is not in consolidated metadata: the size of the file, the length of the footer, the footer. */
export const FOOTER_REQUESTS = 3
