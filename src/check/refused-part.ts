import type { RefusedPart } from '../filters/filter.ts'
import type { VariantOf } from './codes.ts'
import { type Finding, finding, type Place } from './finding.ts'

const VARIANTS = {
  'stream cut short': 'cutShort',
  'delta of nothing': 'deltaOfNothing',
  'part of nothing': 'partOfNothing',
} as const satisfies Readonly<Record<RefusedPart, VariantOf<'CHUNK_UNREADABLE'>>>

/** The finding for a chunk that TileDB wrote and cannot read, though nothing of it is lost. */
export function refusedPart(place: Place, part: RefusedPart): Finding {
  return onceInFile(finding('CHUNK_UNREADABLE', place, 'what TileDB can read', `a ${part}`, VARIANTS[part]))
}

/** The finding, to be reported only once for its file. */
export function onceInFile(item: Finding): Finding {
  return { ...item, once: item.file }
}
