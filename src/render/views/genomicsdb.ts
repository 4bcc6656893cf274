import type { Output } from '../../base/result.ts'
import type { GenomicsdbFooterDocument, GenomicsdbFooterField } from '../../documents/genomicsdb-footer.ts'
import type { GenomicsdbBox, GenomicsdbRtreeDocument } from '../../documents/genomicsdb-rtree.ts'
import type {
  GenomicsdbDimensionDescription,
  GenomicsdbFieldDescription,
  GenomicsdbSchemaDocument,
} from '../../documents/genomicsdb-schema.ts'
import type { GenomicsdbTileDocument } from '../../documents/genomicsdb-tile.ts'
import { timeText } from '../../format/timestamped-name.ts'
import { writeHeading, writeKeyValues } from '../table.ts'
import {
  limitOf,
  ROWS,
  type Shows,
  shownList,
  writeLine,
  writeLongTable,
  writeSection,
  writeTableOrBelow,
  writeTitle,
} from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import {
  counted,
  countText,
  domainText,
  fieldName,
  fullSizeText,
  NOTHING,
  rangeText,
  ratioText,
  typeText,
  valuesText,
} from './wording.ts'

/** Shows the schema of an array of GenomicsDB. */
export async function genomicsdbSchemaTable(document: GenomicsdbSchemaDocument, out: Output): Promise<void> {
  const { dimensions, fields, name, workspace } = document
  await writeHeading(`schema of ${document.path}`, out)
  await writeKeyValues(
    [
      ['format version', `${document.format_version} (GenomicsDB)`],
      ['name', name],
      !!workspace && ['workspace', workspace],
      ['array type', document.array_type],
      ['tile order', document.tile_order],
      ['cell order', document.cell_order],
      ['capacity', `${counted(document.capacity, 'cell')} a tile`],
    ],
    out,
  )
  await writeSection(counted(dimensions.length, 'dimension'), out)
  await writeTableOrBelow(shownList(DIMENSIONS, dimensions), out)
  await writeSection(`${counted(fields.length - 1, 'attribute')}, and the coordinates`, out)
  await writeTableOrBelow(shownList(FIELDS, fields), out)
}

const DIMENSIONS: readonly Shows<GenomicsdbDimensionDescription>[] = [
  { name: 'dimension', role: 'field', cell: ({ name }) => fieldName(name) },
  { name: 'type', cell: ({ type }) => type },
  { name: 'domain', whole: true, cell: ({ domain }) => rangeText(domain) },
  {
    name: terminalHeading('tile_extent'),
    align: 'right',
    cell: ({ tile_extent }) => (tile_extent === null ? NOTHING : String(tile_extent)),
  },
]

const FIELDS: readonly Shows<GenomicsdbFieldDescription>[] = [
  { name: 'field', role: 'field', cell: ({ name }) => fieldName(name) },
  { name: 'type', cell: typeText },
  { name: 'compression', cell: ({ compression, level }) => compressionText(compression, level) },
  {
    name: 'of offsets',
    cell: ({ offsets_compression, offsets_level }) =>
      offsets_compression === undefined ? NOTHING : compressionText(offsets_compression, offsets_level),
  },
]

function compressionText(compression: string, level: number | undefined): string {
  if (compression === 'NONE') return 'none'
  return level === undefined || level < 0 ? compression : `${compression}, level ${level}`
}

/** Shows the book-keeping of a fragment. @param names names of the dimensions */
export async function genomicsdbFooterTable(
  document: GenomicsdbFooterDocument,
  names: readonly string[],
  out: Output,
): Promise<void> {
  const { fields, timestamp, extra_size, marked } = document
  await writeHeading(document.path, out)
  await writeKeyValues(
    [
      ['marked', marked ? 'yes' : 'no: GenomicsDB does not read the fragment'],
      timestamp !== undefined && ['time', timeText(timestamp)],
      ['size', fullSizeText(document.size)],
      [terminalHeading('content_size'), fullSizeText(document.content_size)],
      extra_size !== undefined && [terminalHeading('extra_size'), `${fullSizeText(extra_size)}, after the gzip stream`],
      ['domain', domainText(names, document.domain)],
      [terminalHeading('tile_num'), countText(document.tile_num)],
      [terminalHeading('cell_num'), countText(document.cell_num)],
      ['cells of the last tile', countText(document.last_tile_cell_num)],
    ],
    out,
  )
  await writeSection('fields: bytes of their files, and lengths of their lists', out)
  await writeTableOrBelow(shownList(FOOTER_FIELDS, fields), out)
}

const FOOTER_FIELDS: readonly Shows<GenomicsdbFooterField>[] = [
  { name: 'field', role: 'field', cell: ({ name }) => fieldName(name) },
  { name: 'file', align: 'right', cell: ({ file_size }) => countText(file_size) },
  { name: 'var file', align: 'right', cell: ({ file_var_size }) => countText(file_var_size) },
  { name: 'tile offsets', align: 'right', cell: ({ tile_offset_num }) => countText(tile_offset_num) },
  { name: 'var offsets', align: 'right', cell: ({ tile_var_offset_num }) => countText(tile_var_offset_num) },
  { name: 'var sizes', align: 'right', cell: ({ tile_var_size_num }) => countText(tile_var_size_num) },
]

/** Shows the boxes of the tiles. @param names names of the dimensions @param count number of tiles in the document */
export async function genomicsdbRtreeTable(
  document: GenomicsdbRtreeDocument,
  names: readonly string[],
  count: number,
  out: Output,
): Promise<void> {
  const { path, mbr_num, tiles } = document
  await writeTitle(path, `${counted(mbr_num, 'box', 'boxes')} in a list`, out)
  if (count < mbr_num) await writeLine(`the range touches ${countText(count)} of ${counted(mbr_num, 'tile')}`, out)
  if (count === 0) return
  const columns: Shows<GenomicsdbBox>[] = [
    { name: 'tile', align: 'right', cell: ({ tile }) => countText(tile) },
    { name: terminalHeading('cell_num'), align: 'right', cell: ({ cell_num }) => countText(cell_num) },
    { name: 'box', whole: true, cell: ({ mbr }) => domainText(names, mbr) },
    { name: 'first cell', cell: ({ first_cell }) => valuesText(first_cell) },
    { name: 'last cell', cell: ({ last_cell }) => valuesText(last_cell) },
  ]
  function* rows(): Generator<string[]> {
    let row = 0
    for (const tile of tiles) {
      yield columns.map(({ cell }) => cell(tile, row))
      row++
    }
  }
  await writeLongTable({ columns, rows: rows() }, limitOf(ROWS, out), count, out)
}

/** Shows a tile. */
export async function genomicsdbTileTable(document: GenomicsdbTileDocument, out: Output): Promise<void> {
  const { size, unfiltered_size, extra_size, error } = document
  const tile = `tile ${countText(document.tile)} of ${countText(document.tile_num)}`
  await writeTitle(document.path, `${fieldName(document.field)}, ${tile}`, out)
  await writeKeyValues(
    [
      ['file', `${document.file} (${document.role})`],
      ['cells', countText(document.cell_num)],
      ['compression', document.compression],
      ['offset', countText(document.offset)],
      ['size', fullSizeText(size)],
      ['unfiltered', `${fullSizeText(unfiltered_size)}, ratio ${ratioText(unfiltered_size, size)}`],
      extra_size !== undefined && [terminalHeading('extra_size'), `${fullSizeText(extra_size)}, after the zlib stream`],
    ],
    out,
  )
  if (error) await writeLine(error.message, out, 'bad')
}
