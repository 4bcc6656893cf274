import { sum } from '../base/sum.ts'
import { FILTER_USES, type FilterUse, hasChecksum, type TriedValues } from '../filters/registry.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig, FilterType } from '../format/filter-pipeline.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { defaultFilter, refusal, writingRefusal } from '../write/filter-options.ts'
import type { FilterSample } from './sample.ts'

/** The pipelines to try if the user names none: those that users of TileDB choose for such values. */

const USES = Object.entries(FILTER_USES) as [FilterType, FilterUse][]

/** The compressor of the first round, in which ways to rearrange values are compared. */
const FIRST: FilterConfig = { ...defaultFilter('ZSTD'), level: 3 }
/** The compressors of the second round, which has only the best way. */
const OTHERS: readonly FilterConfig[] = USES.flatMap(([name, use]) =>
  use.does === 'compress' ? use.levels.map((level) => ({ ...defaultFilter(name), level })) : [],
)

/** Pairs of filters that are worth a trial together. */
const PAIRS: Readonly<Partial<Record<TriedValues, readonly [FilterType, FilterType]>>> = {
  integers: ['DELTA', 'BITSHUFFLE'],
  offsets: ['POSITIVE_DELTA', 'BIT_WIDTH_REDUCTION'],
  floats: ['XOR', 'BITSHUFFLE'],
}

/** Filters and pairs of filters that rearrange such values. */
function waysFor(values: TriedValues): (readonly FilterType[])[] {
  const single = USES.flatMap(([name, use]) => (use.does !== 'compress' && use.tried.includes(values) ? [[name]] : []))
  return [...single, ...(PAIRS[values] ? [PAIRS[values]] : [])]
}

/** The pipelines of the first round: no filters, and each way to rearrange the values before the same compressor. */
export function firstCandidates(sample: FilterSample): FilterConfig[][] {
  const { type, role } = sample
  const names = rearrangements(sample)
  const scaled = scalesOf(sample)
  const pipelines: FilterConfig[][] = [
    [],
    [FIRST],
    ...names.map((some) => [...some.map(defaultFilter), FIRST]),
    ...scaled.flatMap((one) => [
      [one, FIRST],
      [one, defaultFilter('DOUBLE_DELTA'), FIRST],
      [one, defaultFilter('BITSHUFFLE'), FIRST],
    ]),
  ]
  // These filters shrink values without a compressor after them.
  if (role === 'validity' || datatypeSize(type) > 1 || isText(sample)) pipelines.push([defaultFilter('RLE')])
  if (isText(sample)) pipelines.push([defaultFilter('DICTIONARY_ENCODING')])
  return valid(sample, pipelines)
}

/** The pipelines of the second round. @param best the best pipeline of the first round, without its compressor */
export function secondCandidates(sample: FilterSample, best: readonly FilterConfig[]): FilterConfig[][] {
  return valid(
    sample,
    OTHERS.map((compressor) => [...best, compressor]),
  )
}

/** A pipeline of {@link firstCandidates} without {@link FIRST}; undefined if it has no such compressor. */
export function withoutCompressor(filters: readonly FilterConfig[]): FilterConfig[] | undefined {
  const at = filters.findIndex(({ name, level }) => name === FIRST.name && level === FIRST.level)
  return at < 0 ? undefined : filters.slice(0, at)
}

function isText({ role, type }: Pick<FilterSample, 'role' | 'type'>): boolean {
  return role === 'var' && (type === 'STRING_ASCII' || type === 'STRING_UTF8')
}

function rearrangements(sample: FilterSample): (readonly FilterType[])[] {
  const { role, type } = sample
  if (isText(sample)) return waysFor('texts')
  if (role === 'offsets') return [...waysFor('integers'), ...waysFor('offsets')]
  if (role === 'validity') return waysFor('bytes')
  const kind = datatypeKind(type)
  if (kind === 'float') return waysFor('floats')
  if (kind === 'text' || kind === 'bytes') return []
  return waysFor(datatypeSize(type) > 1 ? 'integers' : 'bytes')
}

/** The pipelines that TileDB can write and read back for such a field, each with the checksums that the field has now. */
function valid(sample: FilterSample, pipelines: readonly FilterConfig[][]): FilterConfig[][] {
  const checksums = sample.pipeline.filters.filter((filter) => hasChecksum([filter]))
  return pipelines
    .map((filters) => [...filters, ...checksums])
    .filter((filters) => pipelineRefusal(sample, filters) === undefined)
}

/** Why TileDB refuses a pipeline for such values; undefined if it accepts it. */
export function pipelineRefusal(
  { type, role, cell_val_num }: Pick<FilterSample, 'type' | 'role' | 'cell_val_num'>,
  filters: readonly FilterConfig[],
): string | undefined {
  const field = {
    type,
    cell_val_num,
    formatVersion: NEWEST_STABLE,
    anyType: role === 'offsets' || role === 'validity',
    counts: role === 'offsets' || role === 'validity' ? role : undefined,
  }
  return refusal(filters, field) ?? writingRefusal(filters, field)
}

/** Limit on the decimal places of values. */
const MAX_PLACES = 6
/** Approximate number of values that are examined for decimal places. */
const EXAMINED = 10_000
/** Largest relative distance from a decimal number at which a value counts as decimal. */
const NEAR: Readonly<Partial<Record<Datatype, number>>> = { FLOAT32: 2 ** -22, FLOAT64: 2 ** -50 }

/** SCALE_FLOAT with the scale that makes the values integers, if they all have few decimal places. Empty otherwise. */
function scalesOf({ type, role, parts }: FilterSample): FilterConfig[] {
  const near = NEAR[type]
  if (near === undefined || role === 'var') return []
  let places = 0
  let most = 0
  const all = sum(parts, ({ data }) => data.length) / datatypeSize(type)
  const step = Math.max(1, Math.floor(all / EXAMINED))
  for (const { data } of parts) {
    const copy = data.slice().buffer
    const values = type === 'FLOAT32' ? new Float32Array(copy) : new Float64Array(copy)
    for (let i = 0; i < values.length; i++) {
      most = Math.max(most, Math.abs(values[i]))
      // NaN and infinities cannot be scaled. Comparisons with NaN are false.
      if (!(most < Number.POSITIVE_INFINITY) || Number.isNaN(values[i])) return []
      if (i % step !== 0) continue
      while (!isWhole(values[i] * 10 ** places, near)) if (++places > MAX_PLACES) return []
    }
  }
  const byte_width = [1, 2, 4, 8].find((width) => most * 10 ** places < 2 ** (8 * width - 1) - 1)
  return byte_width === undefined || byte_width > datatypeSize(type)
    ? []
    : [{ name: 'SCALE_FLOAT', scale: 10 ** -places, offset: 0, byte_width }]
}

function isWhole(value: number, near: number): boolean {
  return Math.abs(value - Math.round(value)) <= near * Math.abs(value)
}
