import { CONSOLIDATED, WRITTEN_ANEW } from '../../advice/change.ts'
import type { Output } from '../../base/result.ts'
import { shortSize } from '../../base/sizes.ts'
import type { WhatifDocument, WhatifField, WhatifLayout, WhatifTrial } from '../../documents/whatif.ts'
import { type Shows, shownList, writeLine, writeSection, writeTableOrBelow, writeTitle } from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted, countText, fieldName, NOTHING, relativeChangeText, scaledText, typeText } from './wording.ts'

/** Shows the results of other filters and tiles, and then which to choose. */
export async function whatifTable(document: WhatifDocument, out: Output): Promise<void> {
  const { path, sample, fields, layouts, total } = document
  const tried = sample.whole ? 'all' : `parts of ${countText(sample.tiles)}`
  const facts = `tried on ${tried} of ${counted(sample.tile_num, 'tile')}, ${shortSize(sample.bytes)}`
  await writeTitle(path, `${shortSize(total.bytes)}${fields.length > 0 ? `; ${facts}` : ''}`, out)
  if (fields.length > 0) for (const line of COLUMNS_EXPLAINED) await writeLine(line, out, 'dim')
  for (const field of fields) await writeField(field, out)
  if (layouts.length > 0) {
    const cells = Math.max(...layouts.map(({ sample_cell_num }) => sample_cell_num ?? 0))
    const from = cells > 0 ? `, estimated from ${counted(cells, 'cell')}` : ''
    await writeSection(`other tiles and orders, with these filters${from}`, out)
    await writeTableOrBelow(shownList(LAYOUT_COLUMNS, layouts), out)
    if (layouts.some(({ read_cost }) => read_cost)) {
      await writeSection('a read of this range, as TileDB counts it', out)
      // TileDB's dense reader counts no cells.
      const counts = layouts.some(({ read_cost }) => read_cost && read_cost.cells_read > 0)
      await writeTableOrBelow(
        shownList(
          READ_COLUMNS.filter(({ name }) => counts || name !== terminalHeading('cells_read')),
          layouts,
        ),
        out,
      )
    }
    if (layouts.some(({ read_cost }) => read_cost)) await writeLine(FROM_STORAGE, out, 'dim')
    for (const [word, meaning] of MEANINGS)
      if (layouts.some(({ change }) => change.endsWith(word))) await writeLine(`${word}: ${meaning}`, out, 'dim')
  }
  await out.write('\n')
  if (fields.length > 0) await writeLine(totalText(document), out)
  await writeLine(verdict(document), out, 'good')
  const best = rangeVerdict(layouts)
  if (best !== undefined) await writeLine(best, out, 'good')
}

const COLUMNS_EXPLAINED = [
  'read, undo, do: MB/s of unfiltered bytes. read: TileDB reads the field from cached files, estimated',
  'undo: this program undoes the filters; do: it applies them; both measured here',
]

function totalText({ sample, total: { bytes, smallest_bytes, balanced_bytes } }: WhatifDocument): string {
  const size = (of: number): string => `${shortSize(of)}${of === bytes ? '' : ` (${percent(of, bytes)})`}`
  const estimated = sample.whole ? '' : ', estimated'
  return `all fields: now ${shortSize(bytes)}, smallest ${size(smallest_bytes)}, balanced ${size(balanced_bytes)}${estimated}`
}

const FROM_STORAGE = 'from storage: also what opens the array, and what lies between tiles that are read together'

/** Explanations of changes, by the last word of the change. */
const MEANINGS = [
  [CONSOLIDATED, 'by tiledb.consolidate and tiledb.vacuum; sparse, overwritten and deleted cells stay'],
  [WRITTEN_ANEW, 'the cells that readers see, in one fragment of a new array'],
] as const

const LAYOUT_COLUMNS: readonly Shows<WhatifLayout>[] = [
  { name: 'change', cell: ({ change }) => change || '(now)' },
  { name: terminalHeading('fragment_num'), align: 'right', cell: ({ fragment_num }) => countText(fragment_num) },
  { name: terminalHeading('tile_num'), align: 'right', cell: ({ tile_num }) => countText(tile_num) },
  { name: terminalHeading('data_size'), align: 'right', cell: ({ data_size }) => shortSize(data_size) },
  {
    name: terminalHeading('fragment_metadata_size'),
    align: 'right',
    cell: ({ fragment_metadata_size }) => shortSize(fragment_metadata_size),
  },
  { name: terminalHeading('rtree_size'), align: 'right', cell: ({ rtree_size }) => shortSize(rtree_size) },
  {
    name: terminalHeading('statistics_size'),
    align: 'right',
    cell: ({ statistics_size }) => shortSize(statistics_size),
  },
]

const READ_COLUMNS: readonly Shows<WhatifLayout>[] = [
  { name: 'change', cell: ({ change }) => change || '(now)' },
  {
    name: terminalHeading('tiles_read'),
    align: 'right',
    cell: ({ read_cost: read }) => (read ? countText(read.tiles_read) : NOTHING),
  },
  {
    name: terminalHeading('cells_read'),
    align: 'right',
    cell: ({ read_cost: read }) => (read ? countText(read.cells_read) : NOTHING),
  },
  {
    name: terminalHeading('stored_bytes'),
    align: 'right',
    cell: ({ read_cost: read }) => (read ? shortSize(read.stored_bytes) : NOTHING),
  },
  {
    name: terminalHeading('unfiltered_bytes'),
    align: 'right',
    cell: ({ read_cost: read }) => (read ? shortSize(read.unfiltered_bytes) : NOTHING),
  },
  {
    name: 'from storage',
    align: 'right',
    cell: ({ read_cost: read }) => (read ? shortSize(read.vfs_bytes) : NOTHING),
  },
  { name: 'reads', align: 'right', cell: ({ read_cost: read }) => (read ? countText(read.reads) : NOTHING) },
]

async function writeField(field: WhatifField, out: Output): Promise<void> {
  const { stored, candidates, refused } = field
  const of = field.name === null ? `${field.role} of all fields` : `${fieldName(field.name)}: ${typeText(field)}`
  await writeSection(`${of}, ${field.whole ? 'all tiles' : 'estimated'}`, out)
  const trials = [stored, ...candidates]
  const words = new PipelineWords(trials)
  const rows = trials.map((trial, i) => ({ ...trial, words: `${words.of(trial)}${i === 0 ? ' (now)' : ''}` }))
  await writeTableOrBelow(shownList(COLUMNS, rows), out)
  for (const line of [lossText(candidates), roundedText(trials), ...narrowTexts(stored, candidates)])
    if (line !== undefined) await writeLine(line, out, 'dim')
  for (const { filters, reason } of refused) await writeLine(`refused: ${words.of({ filters })}: ${reason}`, out, 'bad')
  const { smallest, fastest, balanced } = field
  for (const [name, index] of Object.entries({ smallest, fastest, balanced })) {
    const best = index === null ? undefined : candidates[index]
    await writeLine(`${name.padEnd(9)} ${best ? `${words.of(best)}: ${effect(best, stored)}` : LEAVE[name]}`, out)
  }
}

/** What the balanced filters must save (whatif/whatif.ts). */
const WORTH_ITS_TIME = 'at least 5 % and 4 KiB without much slower reading or writing'

const LEAVE: Readonly<Record<string, string>> = {
  smallest: 'as it is',
  fastest: 'as it is',
  balanced: `leave it: none saves ${WORTH_ITS_TIME}`,
}

/** Returns `-1.1 MiB (-14 %), filtering takes 28 times as long`. The times are those of filters alone, not of reads or writes. */
function effect(best: WhatifTrial, stored: WhatifTrial): string {
  const [now, then] = [sizeOf(stored), sizeOf(best)]
  const parts = [`${then < now ? '-' : '+'}${shortSize(Math.abs(then - now))} (${percent(then, now)})`]
  for (const [what, key] of [
    ['undoing filters', 'read_mb_s'],
    ['filtering', 'do_mb_s'],
  ] as const) {
    const times = stored[key] / best[key]
    if (times >= NOTABLE) parts.push(`${what} takes ${digits(times)} times as long`)
    else if (times <= 1 / NOTABLE) parts.push(`${what} takes 1/${digits(1 / times)} of the time`)
  }
  if (stored.checksummed && !best.checksummed) parts.push('WITHOUT ITS CHECKSUM')
  return parts.join(', ')
}

/** Least ratio of two times that is reported. */
const NOTABLE = 1.25

function digits(times: number): string {
  return times.toFixed(times < 9.95 ? 1 : 0)
}

function percent(part: number, whole: number): string {
  return whole === 0 ? NOTHING : relativeChangeText(part, whole, Math.abs(part / whole - 1) < 0.1 ? 1 : 0)
}

type Row = WhatifTrial & { words: string }

const COLUMNS: readonly Shows<Row>[] = [
  { name: 'filters', cell: ({ words }) => words },
  { name: 'bytes', align: 'right', cell: (row) => shortSize(sizeOf(row)) },
  { name: 'ratio', align: 'right', cell: ({ ratio }) => ratio?.toFixed(2) ?? NOTHING },
  { name: terminalHeading('read_mb_s'), align: 'right', cell: ({ read_mb_s }) => String(read_mb_s) },
  { name: terminalHeading('undo_mb_s'), align: 'right', cell: ({ undo_mb_s }) => String(undo_mb_s) },
  { name: terminalHeading('do_mb_s'), align: 'right', cell: ({ do_mb_s }) => String(do_mb_s) },
  { name: 'lossless', cell: losslessText },
]

type Filters = Pick<WhatifTrial, 'filters'>

/** Makes `SCALE_FLOAT(0.01), ZSTD(9), SHA256`. This is shorter than in other views, as there are many pipelines. */
class PipelineWords {
  /** Whether integers of SCALE_FLOAT have several widths. The narrower ones have room for fewer values, and take fewer bytes. */
  private readonly showsWidth: boolean

  constructor(trials: readonly Filters[]) {
    this.showsWidth = new Set(trials.map(widthOf).filter((width) => width !== undefined)).size > 1
  }

  of({ filters }: Filters): string {
    const words = filters.map(({ name, level, scale, byte_width }) => {
      const option = scale ?? (level !== undefined && level >= 0 ? level : undefined)
      const width = this.showsWidth && byte_width !== undefined ? `, ${counted(byte_width, 'byte')}` : ''
      return name.replace('CHECKSUM_', '') + (option === undefined ? '' : `(${option}${width})`)
    })
    return words.join(', ') || 'none'
  }
}

/** Bytes of the integers of SCALE_FLOAT; undefined without this filter. */
function widthOf({ filters }: Filters): number | undefined {
  return filters.find(({ byte_width }) => byte_width !== undefined)?.byte_width
}

/** Texts about candidates that have room for fewer values than the current filters: later writes may lose values by them. */
function narrowTexts(stored: Filters, candidates: readonly Filters[]): string[] {
  const now = widthOf(stored)
  const texts = candidates.map((one) => {
    const [width, text] = [widthOf(one), scaledText(one)]
    if (width === undefined || (now !== undefined && width >= now)) return undefined
    return text && (now === undefined ? text : `with ${counted(width, 'byte')} ${text}`)
  })
  return [...new Set(texts)].filter((text) => text !== undefined)
}

function losslessText({ lossless, changed_share }: WhatifTrial): string {
  return lossless ? 'yes' : `no: ${(100 * changed_share).toPrecision(2)} %`
}

/** Returns a text about the values that filters change; undefined if all candidates are lossless. */
function lossText(candidates: readonly WhatifTrial[]): string | undefined {
  const lossy = candidates.filter(({ lossless }) => !lossless)
  if (lossy.length === 0) return undefined
  const most = Math.max(...lossy.map(({ deviation }) => deviation))
  return `not lossless: part of the values that change; ${most === 0 ? '-0 becomes 0' : `by at most ${most.toPrecision(2)}`}`
}

/** Returns a text about filters that round values, but find these rounded already; undefined if there are none. */
function roundedText(trials: readonly WhatifTrial[]): string | undefined {
  const rounds = trials.some(({ lossless, filters }) => lossless && filters.some(({ scale }) => scale !== undefined))
  return rounds
    ? 'lossless means the values as they are stored: SCALE_FLOAT rounded them when they were written, and rounds later writes'
    : undefined
}

function sizeOf({ bytes, offsets_bytes = 0 }: WhatifTrial): number {
  return bytes + offsets_bytes
}

function verdict({ fields, layouts }: WhatifDocument): string {
  const worth = fields
    .filter(({ balanced }) => balanced !== null)
    .map(({ name, role }) => (name === null ? role : fieldName(name)))
  const [now, ...others] = layouts
  const size = ({ data_size, fragment_metadata_size }: WhatifLayout): number => data_size + fragment_metadata_size
  const saving = others.sort((a, b) => size(a) - size(b)).filter((one) => size(one) <= (1 - WORTH) * size(now))
  // The smallest layout, and consolidation, which needs no new array.
  const best = saving.filter((one, i) => i === 0 || one.change === CONSOLIDATED)
  const parts = [
    ...(worth.length > 0 ? [`other filters for ${worth.join(', ')}: --best balanced --emit schema`] : []),
    ...best.map((one) => `${one.change}: ${percent(size(one), size(now))} of all bytes`),
  ]
  if (parts.length > 0) return `worth a change: ${parts.join('; ')}`
  if (fields.length + layouts.length === 0) return 'nothing to try: no cells, or none that their filters take'
  const nothing = [
    ...(fields.length > 0 ? [`no filters save ${WORTH_ITS_TIME}`] : []),
    ...(layouts.length > 0 ? ['no other tiles or order save 5 % of all bytes'] : []),
  ]
  return `leave it: ${nothing.join('; ')}`
}

/** Returns the layout with which a read of the range takes the fewest bytes from storage; undefined without a range. */
function rangeVerdict(layouts: readonly WhatifLayout[]): string | undefined {
  const reads = layouts.flatMap(({ change, read_cost }) => (read_cost ? { change, bytes: read_cost.vfs_bytes } : []))
  const [now, ...others] = reads
  const [best] = others.sort((a, b) => a.bytes - b.bytes)
  if (!best) return undefined
  if (best.bytes > (1 - WORTH) * now.bytes) return 'this range: nothing reads 5 % less from storage'
  return `this range: ${best.change} reads least from storage, ${percent(best.bytes, now.bytes)}`
}

/** Least share of the bytes that a change must save to be worth it. */
const WORTH = 0.05
