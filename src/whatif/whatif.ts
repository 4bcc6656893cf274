import { unlessFault } from '../base/errors.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { firstCandidates, refusalOf, secondCandidates, withoutCompressor } from './candidates.ts'
import type { Sample } from './sample.ts'
import { fileSeconds, NEAR } from './tiledb-speed.ts'
import { type Trial, type TrialContext, timeTrials, tryFilters } from './trial.ts'

/** What pipelines make of one field, or of the offsets or validity of all. */
export interface FieldTrials {
  sample: Sample
  /** Unfiltered bytes of the sample, and its bytes on disk now. */
  unfiltered_bytes: number
  stored_bytes: number
  now: Trial
  /** The smallest first. */
  candidates: readonly Trial[]
  /** Pipelines that TileDB does not take for these values, or that do not take these values, and why. */
  refused: readonly { filters: readonly FilterConfig[]; reason: string }[]
  best: Best
}

/** The best that keeps every bit, and the checksum unless the user left it out; undefined where it is what is there now. */
export interface Best {
  size: Trial | undefined
  reading: Trial | undefined
  balanced: Trial | undefined
}

/**
 * Tries pipelines on a sample.
 * @param asked undefined for those that suit the values
 */
export async function tryField(
  sample: Sample,
  asked: readonly (readonly FilterConfig[])[] | undefined,
  cx: TrialContext,
): Promise<FieldTrials> {
  const refused: { filters: readonly FilterConfig[]; reason: string }[] = []
  const tried: Trial[] = []
  const attempt = async (filters: readonly FilterConfig[]): Promise<void> => {
    if (tried.some((trial) => sameFilters(trial.filters, filters))) return
    const reason = refusalOf(sample, filters)
    if (reason !== undefined) refused.push({ filters, reason })
    else {
      const trial = await tryFilters(sample, filters, cx).catch((error: unknown) => {
        unlessFault(error)
        refused.push({ filters, reason: error instanceof Error ? error.message : String(error) })
      })
      if (trial) tried.push(trial)
    }
    // Signals get a chance to be handled.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  const stored = sample.parts.reduce((sum, part) => sum + part.stored_bytes, 0)
  const offsets = sample.parts.reduce((sum, part) => sum + part.offsets_bytes, 0)
  if (asked) for (const filters of asked) await attempt(filters)
  else {
    for (const filters of firstCandidates(sample)) await attempt(filters)
    const best = [...tried].sort(bySize).find((one) => one.changed === 0 && withoutCompressor(one.filters))
    const rearranged = best && withoutCompressor(best.filters)
    if (rearranged) for (const filters of secondCandidates(sample, rearranged)) await attempt(filters)
    refused.length = 0
  }
  const ours = await tryFilters(sample, sample.pipeline.filters, cx)
  const now = { ...ours, bytes: stored, offsets_bytes: offsets }
  await timeTrials(sample, [...tried, now], cx)
  const candidates = tried.filter(({ filters }) => !sameFilters(filters, sample.pipeline.filters)).sort(bySize)
  const unfiltered_bytes = sample.parts.reduce((sum, { data }) => sum + data.length, 0)
  // Who names filters without a checksum wants none.
  const safe = candidates.filter(
    ({ changed, checksummed }) => changed === 0 && (checksummed || asked || !now.checksummed),
  )
  return {
    sample,
    unfiltered_bytes,
    stored_bytes: stored,
    now,
    candidates,
    refused,
    best: bestOf(now, safe, (sample.file_bytes + sample.file_offsets_bytes) / (stored + offsets)),
  }
}

export function sizeOf({ bytes, offsets_bytes }: Trial): number {
  return bytes + offsets_bytes
}

function bySize(a: Trial, b: Trial): number {
  return sizeOf(a) - sizeOf(b)
}

function sameFilters(a: readonly FilterConfig[], b: readonly FilterConfig[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Estimated seconds of TileDB to read the sample, if its files are in the cache of the system. */
export function readSeconds(trial: Trial): number {
  return fileSeconds(sizeOf(trial)) + trial.tiledb_seconds
}

/** A smaller one is worth it from this part of the bytes on, and so many… */
const WORTH = 0.05
const WORTH_BYTES = 4096
/** …if reading takes at most so many times as long, and writing. */
const SLOWER_READS = 1.25
const SLOWER_WRITES = 2
/** So many MB/s are fast enough, whatever they are now: without filters nothing else is as fast. */
const FAST_WRITES = 50

/**
 * Rules of thumb mislead, so all of it is measured.
 *
 * @param safe those that lose nothing
 * @param scale how many times the sample all of it is
 */
function bestOf(now: Trial, safe: readonly Trial[], scale: number): Best {
  const time = readSeconds
  const least = (of: (one: Trial) => number, among: readonly Trial[]): Trial | undefined => {
    const [first] = [...among].sort((a, b) => of(a) - of(b))
    return first && of(first) < of(now) ? first : undefined
  }
  // Of those that are not told apart, the one with the fewest filters: what is there now, if it is among them.
  const fastest = Math.min(...[now, ...safe].map(time))
  const told = (one: Trial): boolean => time(one) > fastest * (1 + NEAR)
  const [reading] = safe
    .filter((one) => !told(one))
    .sort((a, b) => a.filters.length - b.filters.length || time(a) - time(b))
  const cheap = safe.filter(
    (one) =>
      sizeOf(one) <= (1 - WORTH) * sizeOf(now) &&
      scale * (sizeOf(now) - sizeOf(one)) >= WORTH_BYTES &&
      time(one) <= SLOWER_READS * time(now) &&
      one.do_mb_s >= Math.min(now.do_mb_s / SLOWER_WRITES, FAST_WRITES),
  )
  return { size: least(sizeOf, safe), reading: told(now) ? reading : undefined, balanced: least(sizeOf, cheap) }
}
