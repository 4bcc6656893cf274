import { unlessFault } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import { sum } from '../base/sum.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { firstCandidates, pipelineRefusal, secondCandidates, withoutCompressor } from './candidates.ts'
import type { FilterSample } from './sample.ts'
import { fileSeconds, NEAR } from './tiledb-speed.ts'
import { type Trial, type TrialContext, timeTrials, tryFilters } from './trial.ts'

/** The results of all pipelines for one field, or for the offsets or the validity of all fields. */
export interface FieldTrials {
  sample: FilterSample
  /** Unfiltered bytes of the sample. */
  unfiltered_bytes: number
  /** Bytes of the sample on disk now. */
  stored_bytes: number
  /** The pipeline that the array has. */
  now: Trial
  /** The other pipelines, the smallest result first. */
  candidates: readonly Trial[]
  /** Pipelines that TileDB refuses for these values, or that refuse these values, and why. */
  refused: readonly { filters: readonly FilterConfig[]; reason: Prose }[]
  best: Best
}

/** The best pipelines that keep every bit, and the checksum unless the user left it out. Undefined where the present one is best. */
export interface Best {
  size: Trial | undefined
  reading: Trial | undefined
  balanced: Trial | undefined
}

/**
 * Tries pipelines on a sample.
 * @param asked pipelines to try; undefined for those that suit the values
 */
export async function tryField(
  sample: FilterSample,
  asked: readonly (readonly FilterConfig[])[] | undefined,
  cx: TrialContext,
): Promise<FieldTrials> {
  const refused: { filters: readonly FilterConfig[]; reason: Prose }[] = []
  const tried: Trial[] = []
  let [attempts, expected] = [0, 1]
  const attempt = async (filters: readonly FilterConfig[]): Promise<void> => {
    if (tried.some((trial) => sameFilters(trial.filters, filters))) return
    const reason = pipelineRefusal(sample, filters)
    if (reason !== undefined) refused.push({ filters, reason })
    else {
      const trial = await tryFilters(sample, filters, cx).catch((error: unknown) => {
        unlessFault(error)
        refused.push({ filters, reason: error instanceof Error ? error.message : String(error) })
      })
      if (trial) tried.push(trial)
    }
    cx.onTried?.(Math.min(1, ++attempts / expected))
    await cx.pause?.()
  }
  const stored = sum(sample.parts, (part) => part.stored_bytes)
  const offsets = sum(sample.parts, (part) => part.offsets_bytes)
  if (asked) {
    expected = asked.length
    for (const filters of asked) await attempt(filters)
  } else {
    const first = firstCandidates(sample)
    // About as many follow.
    expected = 2 * first.length
    for (const filters of first) await attempt(filters)
    const best = [...tried].sort(bySize).find((one) => one.changed === 0 && withoutCompressor(one.filters))
    const rearranged = best && withoutCompressor(best.filters)
    if (rearranged) for (const filters of secondCandidates(sample, rearranged)) await attempt(filters)
    refused.length = 0
  }
  const ours = await tryFilters(sample, sample.pipeline.filters, cx)
  const part_bytes = sample.parts.map((part) => part.stored_bytes)
  const now = { ...ours, bytes: stored, part_bytes, offsets_bytes: offsets }
  await timeTrials(sample, [...tried, now], cx)
  const candidates = tried.filter(({ filters }) => !sameFilters(filters, sample.pipeline.filters)).sort(bySize)
  const unfiltered_bytes = sum(sample.parts, ({ data }) => data.length)
  // A user who names filters without a checksum wants none.
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

export function trialSize({ bytes, offsets_bytes }: Trial): number {
  return bytes + offsets_bytes
}

function bySize(a: Trial, b: Trial): number {
  return trialSize(a) - trialSize(b)
}

function sameFilters(a: readonly FilterConfig[], b: readonly FilterConfig[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Estimated seconds that TileDB needs to read the sample, if its files are in the system's cache. */
export function readSeconds(trial: Trial): number {
  return fileSeconds(trialSize(trial)) + trial.tiledb_seconds
}

/** Smallest fraction of the bytes that a balanced pipeline must save, … */
const WORTH = 0.05
/** … and the fewest bytes of all files. */
const WORTH_BYTES = 4096
/** How many times as long a balanced pipeline may take to read … */
const SLOWER_READS = 1.25
/** … and to write. */
const SLOWER_WRITES = 2
/** MB/s of writing that are always fast enough: next to no filters at all, every pipeline is slow. */
const FAST_WRITES = 50

/**
 * Chooses the best pipelines by measured sizes and times, because rules of thumb mislead.
 *
 * @param safe pipelines that lose nothing
 * @param scale size of all files, as a multiple of the sample
 */
function bestOf(now: Trial, safe: readonly Trial[], scale: number): Best {
  const time = readSeconds
  const least = (of: (one: Trial) => number, among: readonly Trial[]): Trial | undefined => {
    const [first] = [...among].sort((a, b) => of(a) - of(b))
    return first && of(first) < of(now) ? first : undefined
  }
  // Times this close cannot be told apart. Among these, the present pipeline wins, then the one with the fewest filters.
  const fastest = Math.min(...[now, ...safe].map(time))
  const isSlower = (one: Trial): boolean => time(one) > fastest * (1 + NEAR)
  const [reading] = safe
    .filter((one) => !isSlower(one))
    .sort((a, b) => a.filters.length - b.filters.length || time(a) - time(b))
  const cheap = safe.filter(
    (one) =>
      trialSize(one) <= (1 - WORTH) * trialSize(now) &&
      scale * (trialSize(now) - trialSize(one)) >= WORTH_BYTES &&
      time(one) <= SLOWER_READS * time(now) &&
      one.do_mb_s >= Math.min(now.do_mb_s / SLOWER_WRITES, FAST_WRITES),
  )
  return {
    size: least(trialSize, safe),
    reading: isSlower(now) ? reading : undefined,
    balanced: least(trialSize, cheap),
  }
}
