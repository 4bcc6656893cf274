import { badValue } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { type SectionPlace, sectionPlaces } from '../format/metadata-sections.ts'
import type { OpenedArray } from '../read/query.ts'
import type { Fragment } from '../store/fragment.ts'
import { Window } from '../store/paged-tile.ts'
import type { MetadataRead } from './plan.ts'
import {
  addToStep,
  emptyStep,
  GENERIC_TILE_READS,
  type GenericTileSizes,
  genericTileSizes,
  READ_AHEAD_BYTES,
  type StepCost,
} from './step-cost.ts'

/** A section of a fragment's metadata, and its bytes. */
export interface SectionSizes extends SectionPlace, GenericTileSizes {}

/** Bytes of the file that are read for the headers of sections that lie close together. */
const WINDOW = 2 ** 16

/**
 * Sections of a fragment's metadata in the order of the file, each once. Only their headers are read. Versions 1 and 2 have none: all of
 * their metadata is read when the array is opened. A version may lack sections that a reader asks for.
 *
 * @throws InspectError BAD_VALUE if a section does not begin before the footer
 */
export async function sectionSizes(
  fragment: Fragment,
  wanted: readonly Pick<MetadataRead, 'section' | 'slot'>[],
): Promise<SectionSizes[]> {
  const { footer, slots } = await fragment.info()
  if (!footer) return []
  const keys = new Set(wanted.map(({ section, slot }) => keyOf(section, slot)))
  const places = sectionPlaces(footer, slots).filter(({ name, slot }) => keys.has(keyOf(name, slot)))
  const source = fragment.metadataSource()
  const window = new Window({ read: (at, length) => source.read(at, length), end: footer.offset, window: WINDOW })
  const sections: SectionSizes[] = []
  try {
    for (const place of places.sort((a, b) => a.offset - b.offset)) {
      const at = { file: source.name, offset: place.offset }
      if (place.offset >= footer.offset)
        throw badValue(`expected a section before the footer at ${footer.offset}`, { ...at, field: place.name })
      sections.push({ ...place, ...genericTileSizes(await window.header(place.offset), at) })
    }
  } finally {
    await fragment.close()
  }
  return sections
}

function keyOf(section: string, slot: number | undefined): string {
  return `${section} ${slot ?? ''}`
}

/** What reading sections of the fragments' metadata takes. TileDB reads each once, those of a fragment one after another. */
export async function metadataCost(opened: OpenedArray, wanted: readonly MetadataRead[]): Promise<StepCost> {
  const step = emptyStep('fragment metadata')
  const byFragment = groupBy(wanted, ({ fragment }) => fragment)
  const read = async ([fragment, reads]: [number, MetadataRead[]]): Promise<SectionSizes[]> =>
    sectionSizes(opened.fragments[fragment].fragment, reads)
  for await (const sections of inOrder(byFragment, atOnce(opened.array.folder), read)) {
    const requests = requestsOf(sections)
    for (const { stored, unfiltered } of sections)
      addToStep(step, { reads: GENERIC_TILE_READS, bytes: stored, unfiltered_bytes: unfiltered })
    addToStep(step, { requests })
  }
  return step
}

/**
 * Requests to an object store for sections of a fragment, in the order of the file. Of each file TileDB keeps what it last read ahead.
 * @see VFS::read_impl
 */
function requestsOf(sections: readonly SectionSizes[]): number {
  let requests = 0
  let kept = 0
  for (const { offset, stored } of sections) {
    // The header is read first, and with it what follows.
    if (kept === 0 || offset + HEADER_BYTES > kept) {
      requests++
      kept = offset + READ_AHEAD_BYTES
    }
    if (offset + stored <= kept) continue
    requests++
    if (stored < READ_AHEAD_BYTES) kept = offset + HEADER_BYTES + READ_AHEAD_BYTES
  }
  return requests
}

/** Bytes of most headers of generic tiles. */
const HEADER_BYTES = 64
