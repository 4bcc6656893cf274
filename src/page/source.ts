import { type ReadContext, readContext } from '../objects/read-context.ts'
import type { Storage } from '../storage/source.ts'
import { codecs } from './codecs.ts'
import { yieldToBrowser } from './yield-to-browser.ts'

/** What is needed of a place to read it. */
export interface TargetSource {
  storage: Storage
  /** The target's path in the storage. */
  path: string
  /** The target as the user wrote it. */
  shown: string
  /** When the report was made, in milliseconds since 1970. A report shows what TileDB read then; everything else what it reads now. */
  made?: number
}

/** How files of a place are read: with the page's codecs, and as of the time when a report was made. */
export function readingOf({ made }: TargetSource, key: Uint8Array | undefined): ReadContext {
  const reading = { ...readContext(codecs, key), pause: yieldToBrowser }
  return made === undefined ? reading : { ...reading, now: BigInt(made) }
}

/** A path of the storage as the user would write it. */
export function shownPath({ path: target, shown }: TargetSource, path: string): string {
  if (path === target) return shown
  // The deepest folder around both: what the user wrote names it, if it ends as the target does below that folder.
  let above = target
  while (above !== '' && path !== above && !path.startsWith(`${above}/`))
    above = above.slice(0, Math.max(0, above.lastIndexOf('/')))
  const end = target.slice(above.length)
  if (above === '' || !shown.endsWith(end)) return path
  const start = end === '' ? shown.replace(/\/*$/, '') : shown.slice(0, -end.length) || '.'
  return start + path.slice(above.length)
}
