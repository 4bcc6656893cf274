import { expect } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { InspectError } from '../../src/base/errors.ts'
import type { Codecs } from '../../src/filters/codecs/codecs.ts'
import type { Filter, FilterContext, FilteredBytes, FilterParts } from '../../src/filters/filter.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { nodeCodecs, portableCodecs } from '../../src/node/node-codecs.ts'

/** Helpers for the tests of filters. */

export const BACKENDS: readonly [name: string, codecs: Codecs][] = [
  ['portable', portableCodecs],
  ['node', nodeCodecs],
]

export function contextOf(more: Partial<FilterContext> = {}): FilterContext {
  return { datatype: 'UINT8', cellSize: 1, formatVersion: 22, limit: 1 << 26, stringOffsets: false, ...more }
}

/** Returns a source of numbers that are the same in every run: the upper bits of a linear congruential generator. */
export function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Returns bytes without a pattern. */
export function noise(length: number, seed = 1): Uint8Array {
  const next = numbers(seed)
  const out = new Uint8Array(length)
  for (let i = 0; i < length; i++) out[i] = next(256)
  return out
}

/** Returns bytes that compress well: runs and short repeats. */
export function plainText(length: number, seed = 1): Uint8Array {
  const next = numbers(seed)
  const out = new Uint8Array(length)
  for (let at = 0; at < length; ) {
    const run = 1 + next(20)
    out.fill(next(4) + 97, at, at + run)
    at += run
  }
  return out
}

export function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Returns filtered parts as they are stored. */
export function stored(parts: FilterParts): FilteredBytes {
  return { metadata: concat(parts.metadata), data: concat(parts.data) }
}

/** Returns the error that `work` throws. It must be an InspectError. */
export function refusal(work: () => unknown): InspectError {
  try {
    work()
  } catch (error) {
    if (error instanceof InspectError) return error
    throw error
  }
  throw new Error('expected an InspectError, found success')
}

/**
 * Lists of awkward parts: empty, one byte, odd lengths, several, with and without metadata of earlier filters.
 */
export const PART_LISTS: readonly FilterParts[] = [
  { metadata: [], data: [new Uint8Array(0)] },
  { metadata: [], data: [Uint8Array.of(7)] },
  { metadata: [], data: [noise(4097)] },
  { metadata: [], data: [plainText(65_536)] },
  { metadata: [noise(9)], data: [plainText(333)] },
  { metadata: [noise(8), new Uint8Array(0), plainText(101)], data: [plainText(1000), noise(13), new Uint8Array(0)] },
]

/**
 * Damages the output of `filter` in many ways, and reads it back. Only InspectError may be thrown, and soon.
 * @returns the number of damaged chunks that were refused
 */
export function damage(
  filter: Filter,
  config: FilterConfig,
  cx: FilterContext,
  parts: FilterParts,
  rounds: number,
): number {
  const { metadata, data } = stored(filter.forward(parts, config, cx))
  const next = numbers(20_261_121)
  let refused = 0
  const read = (bytes: FilteredBytes): void => {
    try {
      filter.reverse(bytes, config, cx)
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      refused++
    }
  }
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    const changed = data.slice()
    for (let i = 0; i <= next(3) && changed.length > 0; i++) changed[next(changed.length)] = next(256)
    const counts = metadata.slice()
    counts[next(counts.length)] = next(2) ? 255 : next(256)
    read({ metadata, data: changed })
    read({ metadata: counts, data })
    read({ metadata, data: data.subarray(0, next(data.length + 1)) })
    read({ metadata: metadata.subarray(0, next(metadata.length + 1)), data })
    read({ metadata, data: noise(data.length, round) })
    read({ metadata: noise(next(60), round), data: noise(next(60), round) })
  }
  // These are thousands of small chunks. If one of them hangs or fills the memory, this fails.
  expect(performance.now() - started).toBeLessThan(20_000)
  return refused
}
