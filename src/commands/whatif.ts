import { usage } from '../base/errors.ts'
import type { WhatifDocument, WhatifField, WhatifTrial } from '../documents/whatif.ts'
import { portableCodecs } from '../node/node-codecs.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedFragment } from '../read/query.ts'
import { ratioOf } from '../store/file-sizes.ts'
import type { Target } from '../store/target.ts'
import { type Sampled, takeSample } from '../whatif/sample.ts'
import type { Trial, TrialContext } from '../whatif/trial.ts'
import { type Best, type FieldTrials, tryField } from '../whatif/whatif.ts'
import { parseFilters } from '../write/filter-options.ts'
import { type CommandContext, type CommandModule, collect, documentHead, wrongTarget } from './command.ts'
import { unknownField } from './fields.ts'
import { parseWhole } from './numbers.ts'
import { addTimesOptions, type TimesOptions, useTimes } from './times.ts'
import { filterResult } from './values.ts'

interface WhatifOptions extends TimesOptions {
  field?: string[]
  filters?: string[]
  sample?: string
  seed?: string
}

/** Unfiltered bytes that are tried of each field, if the user does not say. */
const SAMPLE_BYTES = 1024 * 1024

export const command: CommandModule<WhatifOptions> = {
  about:
    'Takes tiles spread over all fragments, filters them as TileDB would, undoes that and compares every bit. Without --filters it tries what suits the values. Nothing is written.',
  examples: [
    ['which filters would make it smaller, or faster to read', 'whatif weather'],
    ['one field with filters of your choice', 'whatif weather --field rain_mm --filters bitshuffle,lz4'],
    ['on all tiles, so that sizes are exact', 'whatif places --sample all'],
    ['for a script', 'whatif weather --json'],
  ],

  configure(command) {
    command
      .argument('<target>', 'array or fragment')
      .option('--field <name>', 'only this field (repeatable)', collect)
      .option('--filters <list>', 'try these, as in zstd:level=9 or byteshuffle,lz4 (repeatable); empty: none', collect)
      .option('--sample <bytes>', 'unfiltered bytes to try of each field (1048576); all: every tile')
      .option('--seed <text>', 'another choice of tiles (1)')
    addTimesOptions(command)
  },

  async *run(cx, [path], options) {
    useTimes(cx, options)
    const asked = options.filters?.map((text) => parseFilters(text, '--filters'))
    const target = await cx.open(path)
    const fragments = await fragmentsOf(cx, target)
    const { seed = '1', field: fields } = options
    checkFields(fragments, fields)
    const progress = await cx.progress('trying filters')
    const trials: FieldTrials[] = []
    let sampled: Sampled
    try {
      sampled = await takeSample(fragments, { seed, bytes: sampleBytes(options.sample), fields })
      for (const [i, sample] of sampled.samples.entries()) {
        // Filters that the user chose are for values.
        if (asked && sample.field === null) continue
        trials.push(await tryField(sample, asked, trialContext(cx)))
        progress.update(i + 1, sampled.samples.length)
      }
    } finally {
      progress.stop()
    }
    const document: WhatifDocument = {
      ...documentHead('whatif', cx.shownPath(path)),
      sample: {
        tiles: sampled.tiles,
        tile_num: sampled.tile_num,
        bytes: trials.reduce((sum, { unfiltered_bytes }) => sum + unfiltered_bytes, 0),
        seed,
        whole: trials.every(({ sample }) => sample.whole),
      },
      fields: trials.map(fieldResult).sort((a, b) => b.stored.bytes - a.stored.bytes),
      total: {
        bytes: sampled.file_bytes,
        smallest_bytes: totalWith(sampled, trials, 'size'),
        fastest_bytes: totalWith(sampled, trials, 'reading'),
        balanced_bytes: totalWith(sampled, trials, 'balanced'),
      },
    }
    yield {
      document,
      table: async (out) => (await import('../render/views/whatif.ts')).whatifTable(document, out),
    }
  },
}

/** Node's zlib makes other bytes than the plain one of TileDB, but undoes them as fast as any. */
function trialContext({ reading: { codecs, key } }: CommandContext): TrialContext {
  const gzip = async () => {
    const { compress } = await portableCodecs.gzip()
    return { ...(await codecs.gzip()), compress }
  }
  return { codecs: { ...codecs, gzip }, key }
}

async function fragmentsOf(cx: CommandContext, target: Target): Promise<readonly OpenedFragment[]> {
  if (target.type === 'array') return (await openAt(target.array)).fragments
  if (target.type !== 'fragment') throw await wrongTarget(cx, 'whatif', target, 'an array or a fragment')
  const { fragment } = target
  return [{ fragment, info: await fragment.info(), time: 0n }]
}

function checkFields(fragments: readonly OpenedFragment[], names: readonly string[] | undefined): void {
  const known = new Set(
    fragments.flatMap(({ info: { slots } }) =>
      slots.flatMap(({ name, kind }) => (kind === 'attribute' || kind === 'dimension' ? name : [])),
    ),
  )
  const unknown = names?.find((name) => !known.has(name))
  if (unknown !== undefined) throw unknownField('--field', unknown, [...known])
}

/** @throws InspectError USAGE */
function sampleBytes(text: string | undefined): number | undefined {
  if (text === 'all') return undefined
  const bytes = parseWhole('--sample', text) ?? SAMPLE_BYTES
  if (bytes === 0) throw usage('--sample expects a number of bytes above 0, or all; found 0')
  return bytes
}

function fieldResult({ sample, now, candidates, refused, best, unfiltered_bytes }: FieldTrials): WhatifField {
  const isText = sample.file_offsets_bytes > 0
  const trialResult = (trial: Trial): WhatifTrial => {
    const bytes = Math.round(scaled(sample, now, trial, 'bytes'))
    return {
      filters: trial.filters.map(filterResult),
      bytes,
      offsets_bytes: isText ? Math.round(scaled(sample, now, trial, 'offsets_bytes')) : undefined,
      ratio: trial.bytes === 0 ? null : ratioOf(unfiltered_bytes, trial.bytes),
      undo_mb_s: speed(trial.undo_mb_s),
      do_mb_s: speed(trial.do_mb_s),
      checksummed: trial.checksummed,
      exact: trial.changed === 0,
      changed: trial.changed,
      deviation: trial.deviation,
    }
  }
  const indexOf = (trial: Trial | undefined): number | null => (trial ? candidates.indexOf(trial) : null)
  return {
    name: sample.field,
    role: sample.role,
    type: sample.type,
    cell_val_num: sample.cell_val_num,
    whole: sample.whole,
    stored: trialResult(now),
    candidates: candidates.map(trialResult),
    refused: refused.map(({ filters, reason }) => ({ filters: filters.map(filterResult), reason })),
    smallest: indexOf(best.size),
    fastest: indexOf(best.reading),
    balanced: indexOf(best.balanced),
  }
}

/** Bytes of the whole array: as many times those of the sample as its files are larger than the sample is now. */
function scaled(sample: FieldTrials['sample'], now: Trial, trial: Trial, key: 'bytes' | 'offsets_bytes'): number {
  const all = key === 'bytes' ? sample.file_bytes : sample.file_offsets_bytes
  return sample.whole || now[key] === 0 ? trial[key] : (all * trial[key]) / now[key]
}

function totalWith({ file_bytes }: Sampled, trials: readonly FieldTrials[], by: keyof Best): number {
  return trials.reduce((bytes, { sample, now, best: { [by]: best } }) => {
    if (!best) return bytes
    const change = (key: 'bytes' | 'offsets_bytes'): number =>
      scaled(sample, now, best, key) - scaled(sample, now, now, key)
    return bytes + Math.round(change('bytes') + change('offsets_bytes'))
  }, file_bytes)
}

function speed(mb_s: number): number {
  return mb_s < 10 ? Math.round(mb_s * 10) / 10 : Math.round(mb_s)
}
