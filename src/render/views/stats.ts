import type { Output, Result } from '../../base/result.ts'
import { type Bar, histogram } from '../histogram.ts'
import { type Column, heading, keyValues, type Pair, table } from '../table.ts'
import { formatCount, shortSize } from '../units.ts'
import { amount, type Document, type Fields, fieldList, fields, list, text } from './narrow.ts'
import { fits, limitOf, line, ROWS, section, tableOrBelow, title } from './parts.ts'
import {
  counted,
  countText,
  fieldName,
  filtersText,
  NOTHING,
  ratioText,
  releasesText,
  shortSizeText,
  sizeText,
} from './wording.ts'

/** Sections shown unless all are asked for: there are some fifty. */
const SECTIONS = 12
/** What fills the disk, largest first. */
export async function statsTable(document: Document, full: boolean, out: Output): Promise<void> {
  const what =
    document.target === 'array'
      ? `${text(document.array_type)} array, ${counted(amount(document.fragment_num), 'fragment')}`
      : 'fragment'
  await title(document.path, `${what}, ${sizeText(document.size)}`, out)
  await keyValues(facts(document), out)
  const files = fieldList(document.fields)
  if (files.length > 0) {
    await section('fields, largest first', out)
    await tableOrBelow(fieldRows(files, limitOf(full, ROWS, out)), out)
    await section('by filters', out)
    await tableOrBelow(filterRows(fieldList(document.filters)), out)
  }
  await sectionTable(document, full, out)
  await tileHistograms(document, out)
  for (const { severity, message } of fieldList(document.findings))
    await line(`${text(severity)}: ${text(message)}`, out, severity === 'error' ? 'bad' : 'dim')
}

function facts(document: Document): Pair[] {
  const metadata = fields(document.metadata)
  const { cell_num, cells_in_domain, hidden_fragment_num, hidden_size, other_size } = document
  const whole = cells_in_domain === cell_num ? '' : ` (${countText(cell_num)} stored, in whole tiles)`
  const pairs: Pair[] = [
    ['format version', Array.from(list(document.format_versions), releasesText).join(', ') || NOTHING],
    ['cells', countText(cells_in_domain) + whole],
    ['tiles', countText(document.tile_num)],
    ['data', `${sizeText(document.data_size)}, unfiltered ${sizeText(document.unfiltered_size)}${ratioNote(document)}`],
    [
      'metadata',
      `${sizeText(metadata.size)}, about ${shortSizeText(metadata.memory_size)} in TileDB's memory once all is loaded`,
    ],
  ]
  if (amount(hidden_fragment_num) > 0) {
    pairs.push([
      'hidden',
      `${counted(amount(hidden_fragment_num), 'fragment')} that TileDB does not read, ${sizeText(hidden_size)}, ${document.hidden_counted === true ? 'counted here' : 'not counted here'}`,
    ])
  }
  if (other_size !== undefined)
    pairs.push(['beside fragments', `${sizeText(other_size)} of schemas, commits, key-value metadata`])
  return pairs
}

function ratioNote({ unfiltered_size, data_size }: Document): string {
  return amount(data_size) === 0 ? '' : `, ratio ${ratioText(unfiltered_size, data_size)}`
}

interface Rows {
  columns: Column[]
  rows: string[][]
  names?: string[]
  limit?: number | undefined
}

function fieldRows(stats: readonly Fields[], limit: number | undefined): Rows {
  const rows: string[][] = []
  const names: string[] = []
  for (const field of stats) {
    const files = fieldList(field.files)
    for (const [i, file] of files.entries()) {
      const tile = fields(file.tile_size)
      names.push(`${fieldName(field.name)} ${text(file.role)}`)
      rows.push([
        i === 0 ? fieldName(field.name) : '',
        text(file.role),
        shortSizeText(file.size),
        percentText(file.share),
        shortSizeText(file.unfiltered_size),
        ratioText(file.unfiltered_size, file.size),
        meanText(tile.mean),
        Array.from(list(file.filters), filtersText).join(' | '),
      ])
    }
  }
  return {
    columns: [
      { name: 'field', role: 'field' },
      { name: 'file' },
      { name: 'size', align: 'right' },
      { name: 'share', align: 'right' },
      { name: 'unfiltered', align: 'right' },
      { name: 'ratio', align: 'right' },
      { name: 'a tile', align: 'right' },
      { name: 'filters' },
    ],
    rows,
    names,
    limit,
  }
}

function filterRows(stats: readonly Fields[]): Rows {
  return {
    columns: [
      { name: 'filters' },
      { name: 'files', align: 'right' },
      { name: 'size', align: 'right' },
      { name: 'unfiltered', align: 'right' },
      { name: 'ratio', align: 'right' },
    ],
    rows: stats.map((one) => [
      filtersText(one.filters),
      countText(one.file_num),
      shortSizeText(one.size),
      shortSizeText(one.unfiltered_size),
      ratioText(one.unfiltered_size, one.size),
    ]),
  }
}

function percentText(share: Result | undefined): string {
  return typeof share === 'number' ? `${(share * 100).toFixed(1)}%` : NOTHING
}

function meanText(mean: Result | undefined): string {
  return typeof mean === 'number' ? shortSize(Math.round(mean)) : NOTHING
}

/** Where the metadata file has what, and what it takes in memory: largest first, all of a fragment in the file's order. */
async function sectionTable(document: Document, full: boolean, out: Output): Promise<void> {
  const sections = fieldList(document.sections)
  if (sections.length === 0) return
  const placed = sections.every(({ offset }) => offset !== undefined)
  const inOrder = placed && full
  const ordered = inOrder ? sections.toSorted((a, b) => amount(a.offset) - amount(b.offset)) : sections
  await section(`sections of __fragment_metadata.tdb, ${inOrder ? 'in its order' : 'largest first'}`, out)
  const rows: Rows = {
    columns: [
      { name: 'section' },
      { name: 'field', role: 'field' },
      { name: 'size', align: 'right' },
      { name: 'unfiltered', align: 'right' },
      { name: 'in memory', align: 'right' },
      { name: 'offset', align: 'right' },
    ],
    rows: ordered.map((one) => [
      text(one.name),
      one.field === null ? NOTHING : fieldName(one.field),
      shortSizeText(one.size),
      shortSizeText(one.unfiltered_size),
      shortSizeText(one.memory_size),
      countText(one.offset),
    ]),
  }
  const roomy = placed && fits(rows.columns, rows.rows, out)
  const columns = roomy ? rows.columns : rows.columns.slice(0, -1)
  await table({ columns, rows: rows.rows, limit: limitOf(full, SECTIONS, out) }, out)
  const { footer_size } = fields(document.metadata)
  if (amount(footer_size) > 0) {
    await line(
      `and ${amount(document.fragment_num) > 1 ? 'footers' : 'a footer'} of ${sizeText(footer_size)}`,
      out,
      'dim',
    )
  }
}

async function tileHistograms(document: Document, out: Output): Promise<void> {
  const sizes = fields(document.tile_size)
  if (sizes.histogram !== undefined) {
    await section(
      `stored size of the ${counted(amount(sizes.tile_num), 'tile')} of all files: ${spread(sizes, shortSize)}`,
      out,
    )
    await histogram(bars(sizes.histogram, shortSize), out)
  }
  const cells = fields(document.cells_per_tile)
  if (cells.histogram !== undefined) {
    await section(`cells a tile: ${spread(cells, formatCount)}`, out)
    await histogram(bars(cells.histogram, formatCount), out)
  }
}

/** `12 B to 1.2 KiB, 400 B on average` */
function spread({ min, max, mean }: Fields, format: (value: number) => string): string {
  const average = `${format(Math.round(amount(mean)))} on average`
  return min === max ? `all ${format(amount(min))}` : `${format(amount(min))} to ${format(amount(max))}, ${average}`
}

function bars(buckets: Result | undefined, format: (value: number) => string): Bar[] {
  return fieldList(buckets).map(({ from, to, tile_num }) => ({
    label: from === to ? format(amount(from)) : `${format(amount(from))}..${format(amount(to))}`,
    count: amount(tile_num),
    text: counted(amount(tile_num), 'tile'),
  }))
}

/** One thing of which two targets have different amounts. */
interface Compared {
  what: string
  a: number
  b: number
  /** Of files. */
  filters?: string | undefined
}

/** Two documents side by side, what differs most in bytes first. */
export async function comparisonTable(a: Document, b: Document, full: boolean, out: Output): Promise<void> {
  await heading('a and b compared', out)
  await keyValues(
    [
      ['a', a.path],
      ['b', b.path],
    ],
    out,
  )
  await section('in all', out)
  await comparedTable(
    [
      { what: 'fragments', a: amount(a.fragment_num), b: amount(b.fragment_num) },
      { what: 'cells', a: amount(a.cells_in_domain), b: amount(b.cells_in_domain) },
      { what: 'cells stored', a: amount(a.cell_num), b: amount(b.cell_num) },
      { what: 'tiles', a: amount(a.tile_num), b: amount(b.tile_num) },
    ],
    formatCount,
    undefined,
    out,
  )
  await out.write('\n')
  await comparedTable(
    [
      { what: 'size', a: amount(a.size), b: amount(b.size) },
      { what: 'data', a: amount(a.data_size), b: amount(b.data_size) },
      { what: 'data, unfiltered', a: amount(a.unfiltered_size), b: amount(b.unfiltered_size) },
      { what: 'metadata', a: amount(fields(a.metadata).size), b: amount(fields(b.metadata).size) },
    ],
    shortSize,
    undefined,
    out,
  )
  const parts = comparedParts(a, b)
  const differing = parts.filter((one) => one.a !== one.b).sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a))
  await section(
    differing.length === 0 ? 'no file or section differs in size' : 'what differs most in bytes on disk first',
    out,
  )
  if (differing.length > 0) await comparedTable(differing, shortSize, limitOf(full, ROWS, out), out)
  const same = parts.length - differing.length
  if (same > 0) await line(`${counted(same, 'file or section', 'files and sections')} of the same size`, out, 'dim')
}

async function comparedTable(
  rows: readonly Compared[],
  format: (value: number) => string,
  limit: number | undefined,
  out: Output,
): Promise<void> {
  const filtered = rows.some(({ filters }) => filters !== undefined)
  await tableOrBelow(
    {
      columns: [
        { name: 'what', role: 'field' },
        { name: 'a', align: 'right' },
        { name: 'b', align: 'right' },
        { name: 'b - a', align: 'right' },
        { name: 'b / a', align: 'right' },
        ...(filtered ? [{ name: 'filters' }] : []),
      ],
      rows: rows.map(({ what, a, b, filters = '' }) => [
        what,
        format(a),
        format(b),
        a === b ? '0' : `${b > a ? '+' : '-'}${format(Math.abs(b - a))}`,
        a === 0 ? NOTHING : (b / a).toFixed(2),
        ...(filtered ? [filters] : []),
      ]),
      limit,
    },
    out,
  )
}

/** Stored bytes of every file of every field, and of every section of the metadata. */
function comparedParts(a: Document, b: Document): Compared[] {
  const [left, right] = [parts(a), parts(b)]
  const names = new Set([...left.keys(), ...right.keys()])
  return Array.from(names, (name) => {
    const [one, other] = [left.get(name), right.get(name)]
    return { what: name, a: one?.size ?? 0, b: other?.size ?? 0, filters: bothFilters(one?.filters, other?.filters) }
  })
}

/** `ZSTD` where both have these filters or only one is there, `ZSTD -> GZIP` where they differ. */
function bothFilters(a: string | undefined, b: string | undefined): string | undefined {
  return a !== undefined && b !== undefined && a !== b ? `${a} -> ${b}` : (a ?? b)
}

function parts(document: Document): Map<string, { size: number; filters: string | undefined }> {
  const sizes = new Map<string, { size: number; filters: string | undefined }>()
  for (const field of fieldList(document.fields)) {
    for (const file of fieldList(field.files)) {
      const filters = Array.from(list(file.filters), filtersText).join(' | ')
      sizes.set(`${fieldName(field.name)} ${text(file.role)}`, { size: amount(file.size), filters })
    }
  }
  for (const one of fieldList(document.sections)) {
    const field = one.field === null ? '' : ` of ${fieldName(one.field)}`
    sizes.set(`metadata: ${text(one.name)}${field}`, { size: amount(one.size), filters: undefined })
  }
  return sizes
}
