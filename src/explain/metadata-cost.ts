import { element } from '../base/element.ts'
import { groupBy } from '../base/group-by.ts'
import { lastNotAfter } from '../base/last-not-after.ts'
import { behindFooterError, fragmentSectionPlaces } from '../objects/metadata-sections.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { RELEASE } from './memory/release.ts'
import type { MetadataRead } from './plan.ts'
import { addToStep, emptyStep, GENERIC_TILE_READS, type StepCost } from './step-cost.ts'

/** The place of a section in the metadata file, in bytes. */
interface StoredSection {
  offset: number
  size: number
}

/** Bytes of most generic tile headers. */
const HEADER_BYTES = 64

/** What reading sections of the fragments' metadata costs. TileDB reads each section once, those of a fragment one after another. */
export async function metadataCost({ fragments }: OpenedArray, wanted: readonly MetadataRead[]): Promise<StepCost> {
  const step = emptyStep('fragment metadata')
  for (const [index, reads] of groupBy(wanted, ({ fragment }) => fragment)) {
    const sections = storedSections(fragments[index], reads)
    for (const { size } of sections) addToStep(step, { reads: GENERIC_TILE_READS, bytes: size })
    addToStep(step, { requests: requestsOf(sections) })
  }
  return step
}

/**
 * Finds sections without reading them: each ends where the next section or the footer begins. (Only version 15 has one more tile there,
 * the statistics of the fragment, which no reader of cells loads.) Versions 1 and 2 have no sections: all of their metadata is read
 * when the array is opened. Other versions may also lack sections that a reader asks for.
 * @returns each section once, in the order of the file
 * @throws InspectError BAD_VALUE for a section behind the footer, on which the read fails
 */
function storedSections({ fragment, info }: OpenedFragment, wanted: readonly MetadataRead[]): StoredSection[] {
  const { footer_span } = info
  if (!footer_span) return []
  const places = fragmentSectionPlaces(info)
  const starts = Float64Array.from(places, ({ offset }) => offset).sort()
  const slotsOf = new Map<string, Set<number | undefined>>()
  for (const { section, slot } of wanted) slotsOf.set(section, (slotsOf.get(section) ?? new Set()).add(slot))
  const sections: StoredSection[] = []
  for (const place of places) {
    const { name, slot, offset } = place
    if (!slotsOf.get(name)?.has(slot)) continue
    if (offset >= footer_span.offset) throw behindFooterError(place, footer_span.offset, fragment.metadataSource().name)
    const next = lastNotAfter(starts.length, (i) => element(starts, i), offset) + 1
    sections.push({ offset, size: (starts[next] ?? footer_span.offset) - offset })
  }
  return sections.sort((a, b) => a.offset - b.offset)
}

/**
 * Number of requests to an object store for sections of a fragment. For each file TileDB keeps the bytes that it last read ahead.
 * @param sections in the order of the file
 * @see VFS::read_impl
 */
function requestsOf(sections: readonly StoredSection[]): number {
  let requests = 0
  /** End of the bytes that are kept. */
  let kept = 0
  for (const { offset, size } of sections) {
    // The header is read first, and the bytes after it are read ahead.
    if (kept === 0 || offset + HEADER_BYTES > kept) {
      requests++
      kept = offset + RELEASE.settings['vfs.read_ahead_size']
    }
    if (offset + size <= kept) continue
    requests++
    if (size < RELEASE.settings['vfs.read_ahead_size'])
      kept = offset + HEADER_BYTES + RELEASE.settings['vfs.read_ahead_size']
  }
  return requests
}
