import { NO_BYTES } from '../../base/bytes.ts'
import { rising } from '../../base/rising.ts'
import { finding, type Items } from '../../check/finding.ts'
import { decodeText } from '../../format/text.ts'
import { openNow } from '../columns.ts'
import { guardedJoin, opensWhole, returned } from '../joins.ts'
import { namesText } from '../names-text.ts'
import type { DatasetPart } from '../part.ts'
import { findingPlace } from '../place.ts'
import { anchorGapOf, DATA_FIELDS, NAMED_SINCE, numbersByName, partsOf, type VcfParts, versionOf } from './dataset.ts'
import { type HeaderNames, listedBy, samplesOf } from './headers.ts'
import { NameRoom } from './name-room.ts'
import { fragmentKeysOf } from './stats.ts'
import {
  type CountedRecords,
  isSurveyable,
  type NumberedSurvey,
  type RecordPlace,
  Survey,
  surveyNumbered,
} from './survey.ts'

/*
 * Whether headers, data and statistics have the same samples and contigs, and whether the records of data fit together.
 */

/** Checks the cells of a dataset. */
export async function* checkCells(top: DatasetPart): Items {
  const parts = partsOf(top)
  const { data, headers, stats } = parts
  if (headers && !(yield* opensWhole(headers))) return
  const listed = yield* guardedJoin(headers ?? top, () => returned(listedBy(parts)))
  const survey = data && (yield* guardedJoin(data, () => returned(surveyOf(parts))))
  if (data && survey) {
    if (survey instanceof Survey) yield* checkSurvey(data, survey, listed)
    else yield* guardedJoin(data, () => checkNumbered(data, survey))
  }
  if (!listed) return
  const used = survey instanceof Survey ? new Set(usedSamples(survey)) : undefined
  if (headers && used && (yield* opensWhole(data))) yield* checkUnused(headers, listed, used)
  for (const [name, part] of stats) {
    const isOfCells = name === 'sample_stats'
    if (isOfCells && !(yield* opensWhole(part))) continue
    yield* guardedJoin(part, () =>
      isOfCells ? checkSampleStats(part, listed, used) : checkKeySamples(part, listed, used),
    )
  }
}

/** Reads what the cells of `data` are. Undefined if the version is not known, or the fields are not those of the version. */
export async function surveyOf(parts: VcfParts): Promise<Survey | NumberedSurvey | undefined> {
  const { data } = parts
  const version = await versionOf(parts)
  const layout = version === undefined ? undefined : DATA_FIELDS[version]
  if (!data?.array || !layout || version === undefined) return undefined
  const opened = await openNow(data.array)
  if (!isSurveyable(opened, version, layout)) return undefined
  if (version < NAMED_SINCE) return surveyNumbered(opened, layout)
  return new Survey(await anchorGapOf(data), NameRoom.in(data)).read(opened)
}

/** Names of the samples that have records. */
function usedSamples(survey: Survey): string[] {
  return survey.samples.all().filter((_, number) => survey.ofSamples[number])
}

async function* checkSurvey(data: DatasetPart, survey: Survey, listed: HeaderNames | undefined): Items {
  if (listed) {
    yield* checkListed(data, 'sample', survey.samples.all(), new Set(listed.samples))
    // Headers without contigs tell nothing.
    if (listed.contigs.size > 0)
      yield* checkListed(data, 'contig', survey.contigs.all(), new Set(listed.contigs.keys()))
    yield* checkLengths(data, survey, listed)
  }
  if (survey.repeated.size > 0) {
    const samples = [...survey.repeated].map(([number, count]) => ({ name: survey.samples.text(number), count }))
    samples.sort((a, b) => b.count - a.count || rising(a.name, b.name))
    const most = namesText(samples.map(({ name, count }) => `${name} (${recordsText(count)})`))
    const found = `records that are there again, of ${most}`
    yield finding('LAYER_CELLS_AGAIN', findingPlace(data, 'sample'), 'each record of a sample once', found, 'alike')
  }
  if (survey.backward.count > 0)
    yield finding(
      'LAYER_COUNT',
      findingPlace(data, 'end_pos'),
      'an end that is not before the start',
      countedText(survey.backward),
    )
  if (survey.unanchored.count > 0) {
    const expected = `an anchor every ${await anchorGapOf(data)} positions of a long record`
    yield finding(
      'LAYER_COUNT',
      findingPlace(data),
      expected,
      `too few of ${countedText(survey.unanchored)}`,
      'repeats',
    )
  }
  if (survey.orphans.count > 0)
    yield finding(
      'LAYER_COUNT',
      findingPlace(data),
      'a record for each anchor',
      `none for ${countedText(survey.orphans)}`,
    )
}

/** Finds samples or contigs of `data` that the headers do not have. */
async function* checkListed(data: DatasetPart, field: string, names: readonly string[], listed: Set<string>): Items {
  const strangers = names.filter((name) => !listed.has(name))
  if (strangers.length === 0) return
  const expected = `${field}s that the headers have`
  yield finding('LAYER_ID_UNKNOWN', findingPlace(data, field), expected, namesText(strangers), 'unlisted')
}

/** Finds contigs with records beyond their end. VCF allows one position after the last one: it stands for the telomere. */
async function* checkLengths(data: DatasetPart, { contigs, ofContigs }: Survey, listed: HeaderNames): Items {
  for (const [number, { last }] of ofContigs.entries()) {
    const name = contigs.text(number)
    const length = listed.contigs.get(name)
    if (length != null && last > length)
      yield finding(
        'LAYER_COUNT',
        findingPlace(data, 'start_pos'),
        `records within the ${length} positions of ${name}, as the headers say`,
        `one at ${last}`,
      )
  }
}

async function* checkNumbered(data: DatasetPart, { ofSamples }: NumberedSurvey): Items {
  const known = new Set((await numbersByName(data, 'sample_ids')).values())
  const strangers = [...ofSamples.keys()].filter((number) => !known.has(number)).sort((a, b) => a - b)
  if (strangers.length > 0)
    yield finding(
      'LAYER_ID_UNKNOWN',
      findingPlace(data, 'sample'),
      'numbers of samples that sample_ids has',
      namesText(strangers.map(String)),
      'unlisted',
    )
}

/** Finds samples of the headers that have no record. */
async function* checkUnused(headers: DatasetPart, { samples }: HeaderNames, used: ReadonlySet<string>): Items {
  const unused = samples.filter((name) => !used.has(name))
  if (unused.length > 0)
    yield finding(
      'LAYER_ID_UNUSED',
      findingPlace(headers, 'sample'),
      'records of each sample in data',
      `none of ${namesText(unused)}`,
      'listed',
    )
}

/** Compares the samples of sample_stats with those of the headers. */
async function* checkSampleStats(
  part: DatasetPart,
  { samples }: HeaderNames,
  used: ReadonlySet<string> | undefined,
): Items {
  const counted = new Set(await samplesOf(part))
  const place = findingPlace(part, 'sample')
  const listed = new Set(samples)
  const gone = [...counted].filter((name) => !listed.has(name))
  if (gone.length > 0) yield finding('LAYER_STALE', place, 'samples that the headers have', namesText(gone))
  yield* checkCounted(part, samples, counted, used)
}

/** Compares the samples in the keys of an array of statistics with those of the headers. Older arrays have no such keys. */
async function* checkKeySamples(
  part: DatasetPart,
  { samples }: HeaderNames,
  used: ReadonlySet<string> | undefined,
): Items {
  const keys = await fragmentKeysOf(part)
  const room = NameRoom.in(part)
  const counted = keys.flatMap((key) => room.split(decodeText(key.samples ?? NO_BYTES)))
  if (keys.length > 0) yield* checkCounted(part, samples, new Set(counted), used)
}

/** Finds samples without statistics. @param counted samples with statistics @param used samples with records, if known */
async function* checkCounted(
  part: DatasetPart,
  samples: readonly string[],
  counted: ReadonlySet<string>,
  used: ReadonlySet<string> | undefined,
): Items {
  // A sample without records has nothing to count.
  const missing = samples.filter((name) => !counted.has(name) && used?.has(name) !== false)
  if (missing.length > 0)
    yield finding(
      'LAYER_COUNT',
      findingPlace(part, 'sample'),
      `statistics of all ${samples.length} samples`,
      `none of ${namesText(missing)}`,
    )
}

function countedText({ count, first }: CountedRecords): string {
  const places = first.map(placeText).join('; ')
  return count > first.length ? `${places} and ${count - first.length} more` : places
}

function placeText({ contig, sample, start, end }: RecordPlace): string {
  return `${contig} ${start} to ${end} of ${sample}`
}

function recordsText(count: number): string {
  return count === 1 ? '1 record' : `${count} records`
}
