import type { RefusedPart } from '../filters/filter.ts'
import type { VariantOf } from './codes.ts'
import { type Finding, type FindingPlace, finding } from './finding.ts'

const PARTS = {
  'stream cut short': { variant: 'cutShort', found: 'an empty chunk whose GZIP stream ends early' },
  'delta of nothing': { variant: 'deltaOfNothing', found: 'an empty chunk under DELTA or DOUBLE_DELTA' },
  'part of nothing': { variant: 'partOfNothing', found: 'an empty chunk in the form that TileDB writes' },
} as const satisfies Readonly<Record<RefusedPart, { variant: VariantOf<'CHUNK_UNREADABLE'>; found: string }>>

/** The finding for a chunk that TileDB wrote and cannot read, though nothing of it is lost. */
export function refusedPart(place: FindingPlace, part: RefusedPart): Finding {
  const { variant, found } = PARTS[part]
  return onceInFile(finding('CHUNK_UNREADABLE', place, 'a chunk that TileDB can read', found, variant))
}

/** The finding, to be reported only once for its file. */
export function onceInFile(item: Finding): Finding {
  return { ...item, once: item.file }
}
