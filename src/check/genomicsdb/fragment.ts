import { InspectError, movedTo, orError } from '../../base/errors.ts'
import { COORDS } from '../../format/genomicsdb/array-schema.ts'
import { BOOK_KEEPING_FILE } from '../../format/genomicsdb/names.ts'
import type { GenomicsdbArray, GenomicsdbFragmentFolder } from '../../genomicsdb/array.ts'
import { type CallField, END } from '../../genomicsdb/call-fields.ts'
import { alternativeNums, FragmentColumns, highestAlleles, type ShownFields } from '../../genomicsdb/calls.ts'
import { type ColumnFile, columnFiles, columnTiles, openColumnFile } from '../../genomicsdb/column-file.ts'
import { type GenomicsdbFragment, openGenomicsdbFragment } from '../../genomicsdb/fragment.ts'
import { type Contig, placeOfColumn } from '../../genomicsdb/maps.ts'
import { int64Numbers, least, most, type TileBox } from '../../genomicsdb/merge.ts'
import { listsOf } from '../../genomicsdb/values.ts'
import { type FindingPlace, finding, fromError, guardedValue, type Item, type Items } from '../finding.ts'
import { type CheckRun, reaches } from '../run.ts'

/** The columns that an interval has; undefined if nothing tells them. */
export type ColumnBounds = readonly [first: number, last: number] | undefined

/** What a check knows of the interval around a fragment. */
export interface Around {
  bounds: ColumnBounds
  /** The fields whose values are looked at; none if vidmap.json cannot be read. */
  fields: ShownFields['fields']
  filterNum: number
  /** By their columns; none if vidmap.json cannot be read. */
  contigs: readonly Contig[]
}

/** The rows that have cells. Undefined if no tile was read. */
export type FilledRows = Set<number> | undefined

/** Checks a fragment that readers read. Returns the rows with cells in it. */
export async function* checkGenomicsdbFragment(
  run: CheckRun,
  array: GenomicsdbArray,
  folder: GenomicsdbFragmentFolder,
  around: Around,
): Items<FilledRows> {
  run.counts.fragment_num++
  run.counts.file_num++
  const file = `${folder.folder.path}/${BOOK_KEEPING_FILE}`
  const fragment = yield* guardedValue('GENOMICSDB_BOOK_KEEPING', { file }, () => openGenomicsdbFragment(array, folder))
  if (!fragment) return undefined
  const columns = reaches(run, 'chunks')
    ? yield* guardedValue('GENOMICSDB_BOOK_KEEPING', { file }, async () => new FragmentColumns(fragment))
    : undefined
  const places = columns && (yield* checkPlaces(run, fragment, columns, around))
  for (const column of columnFiles(fragment)) yield* checkFile(run, fragment, column)
  if (columns && run.level === 'cells') yield* checkValues(fragment, columns, around)
  return places
}

/** Checks that a file has all tiles, and that each can be undone. */
async function* checkFile(run: CheckRun, fragment: GenomicsdbFragment, column: ColumnFile): Items {
  const place = { file: `${fragment.folder.path}/${column.name}`, field: column.field.name }
  run.counts.file_num++
  const tiles = yield* guardedValue('GENOMICSDB_DATA_FILE', place, () => columnTiles(fragment, column))
  const isEmpty = tiles?.file_size === 0 && tiles.unfiltered_sizes.every((size) => size === 0)
  if (!tiles || !reaches(run, 'chunks') || isEmpty) return
  const open = yield* guardedValue('GENOMICSDB_DATA_FILE', place, () => openColumnFile(fragment, column))
  if (!open) return
  try {
    for (let tile = 0; tile < fragment.tile_num; tile++) {
      run.counts.tile_num++
      const bytes = await orError(() => open.read(tile))
      if (!(bytes instanceof InspectError)) continue
      // A finding has the tile beside the field. The error names it in place of one.
      const error = movedTo({ ...bytes.at, field: undefined }, bytes)
      yield fromError(error, 'GENOMICSDB_TILE', { ...place, tile })
      // The tiles after a damaged one may be whole, but say no more of what to do.
      return
    }
  } finally {
    await open.close()
  }
}

/** Checks coordinates and ends, tile by tile. What cannot be read is told by {@link checkFile}. */
async function* checkPlaces(
  run: CheckRun,
  fragment: GenomicsdbFragment,
  columns: FragmentColumns,
  { bounds, contigs }: Around,
): Items<FilledRows> {
  const rows = new Set<number>()
  const book = `${fragment.folder.path}/${BOOK_KEEPING_FILE}`
  const coords = `${fragment.folder.path}/${COORDS}.tdb`
  const { fields } = fragment.array
  const numbers = { coords: fields.length - 1, end: fields.findIndex(({ name }) => name === END) }
  const last = { column: -1, row: -1 }
  let isBeyond = false
  try {
    const ends = int64Numbers(fragment.book.bounding_coords, 4 * fragment.tile_num, 0, 1, 'bounding_coords')
    for (const [tile, box] of columns.tiles.entries()) {
      run.counts.cell_num += box.cell_num
      const place = { file: coords, field: COORDS, tile }
      const cells = yield* coordinates(columns, tile, numbers.coords, place)
      if (!cells) return rows
      for (const row of cells.rows) rows.add(row)
      const falling = fallingCell(cells, last)
      if (falling) {
        const expected = 'cells that rise by column and row'
        yield finding('GENOMICSDB_CELL_ORDER', { ...place, cell: falling.cell }, expected, falling.found)
        return rows
      }
      yield* checkBox(box, { tile, cells }, ends.subarray(4 * tile, 4 * tile + 4), book)
      const cellEnds = numbers.end < 0 ? undefined : yield* endsOf(columns, tile, numbers.end)
      if (!cellEnds) continue
      const wrong = bounds && outside(bounds, cells.columns, cellEnds, place)
      if (wrong) {
        yield wrong
        return rows
      }
      const beyond: Item | undefined = isBeyond ? undefined : beyondContig(contigs, cells.columns, cellEnds, place)
      if (beyond) yield beyond
      isBeyond ||= beyond !== undefined
    }
  } catch (error) {
    yield fromError(error, 'GENOMICSDB_BOOK_KEEPING', { file: book })
  } finally {
    await columns.close()
  }
  return rows
}

/** The coordinates of the cells of a tile. */
interface CellCoordinates {
  rows: Float64Array
  columns: Float64Array
}

/** The coordinates of a tile; undefined if they cannot be read. A coordinate of 2^53 or more is a finding. */
async function* coordinates(
  columns: FragmentColumns,
  tile: number,
  field: number,
  place: TilePlace,
): Items<CellCoordinates | undefined> {
  const read = await orError(() => columns.column(tile, field))
  if (read instanceof InspectError) return undefined
  const { cell_num = 0 } = columns.tiles[tile] ?? {}
  return yield* guardedValue('GENOMICSDB_INTERVAL', place, async () => ({
    rows: int64Numbers(read.data, cell_num, 0, 2, COORDS),
    columns: int64Numbers(read.data, cell_num, 1, 2, COORDS),
  }))
}

/** The same for the ends of the calls of a tile. */
async function* endsOf(columns: FragmentColumns, tile: number, field: number): Items<Float64Array | undefined> {
  const read = await orError(() => columns.column(tile, field))
  if (read instanceof InspectError) return undefined
  const { cell_num = 0 } = columns.tiles[tile] ?? {}
  const place = { file: `${columns.path}/${END}.tdb`, field: END, tile }
  return yield* guardedValue('GENOMICSDB_INTERVAL', place, async () => int64Numbers(read.data, cell_num, 0, 1, END))
}

/** The first cell that does not come after the one before it. @param last the last cell so far */
function fallingCell(
  { rows, columns }: CellCoordinates,
  last: { column: number; row: number },
): { cell: number; found: string } | undefined {
  for (const [cell, row] of rows.entries()) {
    const column = columns[cell] ?? 0
    if (column < last.column || (column === last.column && row <= last.row))
      return { cell, found: `column ${column}, row ${row} after column ${last.column}, row ${last.row}` }
    last.column = column
    last.row = row
  }
  return undefined
}

type TilePlace = FindingPlace & { tile: number }

/** The first call of a tile that is not of the interval. */
function outside(
  bounds: readonly [first: number, last: number],
  columns: Float64Array,
  ends: Float64Array,
  place: TilePlace,
): Item | undefined {
  const cell = columns.findIndex((column, i) => !touches(column, ends[i] ?? 0, bounds))
  if (cell < 0) return undefined
  const expected = `calls that touch the columns ${bounds[0]} to ${bounds[1]} of the interval`
  return finding('GENOMICSDB_INTERVAL', { ...place, cell }, expected, `a call from ${columns[cell]} to ${ends[cell]}`)
}

/** The first call of a tile that ends after its contig. */
function beyondContig(
  contigs: readonly Contig[],
  columns: Float64Array,
  ends: Float64Array,
  place: TilePlace,
): Item | undefined {
  // Cells rise by their columns, so most have the contig of the cell before.
  let contig: Contig | undefined
  for (const [cell, column] of columns.entries()) {
    if (!contig || column >= contig.offset + contig.length) contig = placeOfColumn(contigs, column)?.contig
    const end = ends[cell] ?? 0
    if (!contig || end < contig.offset + contig.length) continue
    const last = contig.offset + contig.length - 1
    const expected = `calls of ${contig.name} that end at column ${last} or before, as it does`
    return finding('GENOMICSDB_INTERVAL', { ...place, cell }, expected, `a call from ${column} to ${end}`, 'contig')
  }
  return undefined
}

/** Whether a call touches an interval. The cell at the end of a long call has its begin in place of the end. */
function touches(column: number, end: number, [first, last]: readonly [number, number]): boolean {
  return Math.min(column, end) <= last && Math.max(column, end) >= first
}

/** Compares the box and the ends of a tile with its cells. */
function* checkBox(
  box: TileBox,
  { tile, cells }: { tile: number; cells: CellCoordinates },
  ends: Float64Array,
  file: string,
) {
  const { rows: cellRows, columns: cellColumns } = cells
  const last = cellRows.length - 1
  if (last < 0) return
  const found = [least(cellRows), most(cellRows), cellColumns[0], cellColumns[last]]
  const stored = [...box.rows, ...box.columns]
  if (found.join() !== stored.join())
    yield finding(
      'GENOMICSDB_BOOK_KEEPING',
      { file, field: 'mbrs', tile },
      `rows and columns ${found.join(', ')} of the cells`,
      stored.join(', '),
      'boxes',
    )
  const ofCells = [cellRows[0], cellColumns[0], cellRows[last], cellColumns[last]]
  if (ofCells.join() !== [...ends].join())
    yield finding(
      'GENOMICSDB_BOOK_KEEPING',
      { file, field: 'bounding_coords', tile },
      `the first and last cell ${ofCells.join(', ')}`,
      [...ends].join(', '),
      'boxes',
    )
}

/** Looks at the values that are made of parts: nested lists, and places of filters. */
async function* checkValues(
  fragment: GenomicsdbFragment,
  columns: FragmentColumns,
  { fields, filterNum }: Around,
): Items {
  const alleles = fields.find(({ form }) => form === 'alleles')
  /** -1 stands for PASS. */
  const isPlaceOfFilter = (one: number): boolean => one >= -1 && one < filterNum
  try {
    for (const field of fields) {
      const { form, stored, index } = field
      if (form === 'genotype') yield* checkAlleles(fragment, columns, field, alleles)
      if (form !== 'nested' && form !== 'filters') continue
      const place = { file: `${fragment.folder.path}/${stored.name}_var.tdb`, field: stored.name }
      const lists = listsOf(form === 'nested' ? field : { ...field, form: 'numbers' })
      for (let tile = 0; tile < fragment.tile_num && lists; tile++) {
        const data = await orError(() => columns.column(tile, index))
        if (data instanceof InspectError) break
        for (let cell = 0; cell + 1 < (data.starts?.length ?? 0); cell++) {
          if (data.starts?.[cell] === data.starts?.[cell + 1]) continue
          try {
            const list = lists(data, cell)
            const wrong =
              form === 'filters' ? list?.find((one) => typeof one === 'number' && !isPlaceOfFilter(one)) : undefined
            if (wrong !== undefined)
              yield finding(
                'GENOMICSDB_VALUE',
                { ...place, tile, cell },
                `a place below ${filterNum} in the fields of vidmap.json`,
                Number(wrong),
              )
          } catch (error) {
            yield fromError(error, 'GENOMICSDB_VALUE', { ...place, tile, cell })
          }
        }
      }
    }
  } finally {
    await columns.close()
  }
}

/** Looks for genotypes of alleles that a call does not have: the first of each tile. */
async function* checkAlleles(
  fragment: GenomicsdbFragment,
  columns: FragmentColumns,
  { stored, index, hasPhases }: CallField,
  alleles: CallField | undefined,
): Items {
  if (!alleles) return
  const file = `${fragment.folder.path}/${stored.name}_var.tdb`
  for (let tile = 0; tile < fragment.tile_num; tile++) {
    const [genotypes, alternatives] = [
      await orError(() => columns.column(tile, index)),
      await orError(() => columns.column(tile, alleles.index)),
    ]
    if (genotypes instanceof InspectError || alternatives instanceof InspectError) return
    const { cell_num = 0 } = columns.tiles[tile] ?? {}
    const lasts = alternativeNums(alternatives, cell_num)
    const highest = highestAlleles(genotypes, cell_num, hasPhases)
    const cell = highest.findIndex((allele = 0, i) => allele > (lasts[i] ?? 0))
    if (cell < 0) continue
    const last = lasts[cell] ?? 0
    const expected = `alleles of 0 to ${last}, as ALT has ${last}`
    yield finding('GENOMICSDB_VALUE', { file, field: stored.name, tile, cell }, expected, highest[cell] ?? 0)
  }
}
