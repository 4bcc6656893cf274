import { tilePart } from '../anatomy/data-file.ts'
import { everyPart, fileSpace, type Part, type Space } from '../anatomy/part.ts'
import type { InspectError } from '../base/errors.ts'
import { parseCell, refuseOutside } from '../calls/cell-option.ts'
import { batchesInBounds, limitToBounds } from '../calls/cells-in-bounds.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { unknownField } from '../calls/option-values.ts'
import type { Outcome } from '../calls/outcome.ts'
import { oneRangeEach } from '../cells/bounds.ts'
import { type CellSelection, FragmentCells } from '../cells/fragment-cells.ts'
import { columnValue } from '../cells/rows.ts'
import { withTileFile } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import type { CellDocument, CellLine, CellLinePlace, CellPosition } from '../documents/cell.ts'
import type { CellValue } from '../documents/common.ts'
import type { InspectArray } from '../objects/array.ts'
import type { FieldFile, Fragment, FragmentInfo } from '../objects/fragment.ts'

/**
 * The result of `at --cell` for an array: the places of the version that a reader has, or else of the newest one, and the fragments
 * with other versions.
 */
export async function arrayCellOutcome(
  cx: CommandContext,
  array: InspectArray,
  cell: readonly string[],
  fields: readonly string[] | undefined,
): Promise<Outcome> {
  const [{ cellHistories }, { openAt }] = await Promise.all([
    import('../read/history.ts'),
    import('../read/opening.ts'),
  ])
  const opened = await openAt(array)
  const { dimensions } = opened.schema.domain
  const bounds = parseCell(dimensions, cell)
  const asked = {
    ranges: oneRangeEach(bounds),
    fields: [],
    most: 1,
    onUnread: (fault: InspectError) => cx.fault(fault),
  }
  const [{ versions }] = [...(await cellHistories(opened, asked)), { versions: [] }]
  // Versions come oldest first.
  const shown = versions.findLast(({ state }) => state === 'current') ?? versions.at(-1)
  if (!shown) {
    refuseOutside(dimensions, bounds, cell, cx.style)
    return foundOutcome(cx, { ...documentHead('cell', cx.shownPath(array.folder.path)), cells: [] })
  }
  const { name, path } = shown.entry
  const isShown = ({ tile, position }: CellPosition): boolean =>
    versions.some(
      (one) => one.entry.name === name && one.state === shown.state && one.tile === tile && one.cell === position,
    )
  const others = new Set(versions.flatMap(({ entry }) => (entry.name === name ? [] : [entry.name])))
  const document = await cellPlaces(cx, array.fragment(path), { cell, fields, isShown })
  return foundOutcome(cx, { ...document, state: shown.state, other_fragments: [...others] })
}

/**
 * The result of `at --cell`: every file and byte range that holds a value of the cell. There are several cells if the array allows
 * duplicates.
 */
export async function cellPlacesOutcome(
  cx: CommandContext,
  fragment: Fragment,
  cell: readonly string[],
  fields: readonly string[] | undefined,
): Promise<Outcome> {
  return foundOutcome(cx, await cellPlaces(cx, fragment, { cell, fields, isShown: () => true }))
}

interface CellAsked {
  cell: readonly string[]
  fields: readonly string[] | undefined
  /** Whether a cell of the fragment with these coordinates is shown. */
  isShown(position: CellPosition): boolean
}

async function cellPlaces(
  cx: CommandContext,
  fragment: Fragment,
  { cell, fields, isShown }: CellAsked,
): Promise<CellDocument> {
  try {
    const info = await fragment.info()
    const wanted = wantedFiles(info, await fragment.fieldFiles(), fields)
    const found: CellLine[] = []
    for await (const { coordinates, ...at } of matches(cx, fragment, info, cell)) {
      if (!isShown(at)) continue
      const places: CellLinePlace[] = []
      for (const file of wanted) places.push(...(await placesOf(cx, fragment, info, file, at)))
      found.push({ ...at, coordinates, places })
    }
    return { ...documentHead('cell', cx.shownPath(fragment.folder.path)), cells: found }
  } finally {
    await fragment.close()
  }
}

function foundOutcome(cx: CommandContext, document: CellDocument): Outcome {
  if (document.cells.length === 0) cx.foundWrong()
  return {
    kind: 'rows',
    document,
    rows: document.cells,
    columns: () => ['tile', 'position', 'coordinates', 'places'],
    table: async (out) => (await import('../render/views/at.ts')).cellPlacesTable(document, out),
  }
}

/** The data files of the fields that `--field` names. @throws InspectError USAGE if the fragment does not store a field */
function wantedFiles(
  info: FragmentInfo,
  files: readonly FieldFile[],
  fields: readonly string[] | undefined,
): FieldFile[] {
  const { dimensions } = info.schema.domain
  const names = [...new Set(files.map(({ slot }) => info.slots[slot].name))].filter((name) => name !== '__coords')
  const known = info.format_version < 5 && !info.dense ? [...names, ...dimensions.map(({ name }) => name)] : names
  const unknown = fields?.find((field) => !known.includes(field))
  if (unknown !== undefined) throw unknownField('--field', unknown, known)
  return files.filter(({ slot }) => {
    const { name, kind } = info.slots[slot]
    if (fields === undefined) return true
    return kind === 'coords' ? dimensions.some((dimension) => fields.includes(dimension.name)) : fields.includes(name)
  })
}

/** The cells of the fragment at the coordinates of `--cell`. Tiles that cannot hold them are skipped. */
async function* matches(
  cx: CommandContext,
  fragment: Fragment,
  info: FragmentInfo,
  texts: readonly string[],
): AsyncGenerator<{ tile: number; position: number; coordinates: Record<string, CellValue> }> {
  const { dimensions } = info.schema.domain
  const bounds = parseCell(dimensions, texts)
  const selection: CellSelection = { fields: [] }
  const cells = await FragmentCells.open(fragment, selection)
  try {
    await limitToBounds(selection, fragment, cells, bounds)
    const values = cells.columns.map((column) => columnValue(column, cx.style))
    let found = false
    for await (const { tile, first = 0, rows, columns } of batchesInBounds(cells, bounds)) {
      for (const row of rows) {
        const coordinates: Record<string, CellValue> = Object.create(null)
        cells.columns.forEach((column, i) => {
          const data = columns[i]
          if (data) coordinates[column.name] = values[i](data, row)
        })
        found = true
        yield { tile, position: first + row, coordinates }
      }
    }
    // Not before the search: damage may have put the cell outside.
    if (!found) refuseOutside(dimensions, bounds, texts, cx.style)
  } finally {
    await cells.close()
  }
}

function placesOf(
  cx: CommandContext,
  fragment: Fragment,
  info: FragmentInfo,
  { slot, name: file, role }: FieldFile,
  { tile, position }: { tile: number; position: number },
): Promise<CellLinePlace[]> {
  return withTileFile(fragment, slot, tileRole({ role }), async (tiles) => {
    const space = await fileSpace(tiles.source, cx)
    const parts: Part[] = []
    for await (const part of everyPart(tilePart(tiles, space, tile))) parts.push(part)
    const head = { file, field: info.slots[slot].name, role, tile, position }
    return parts.flatMap((run) => runPlaces(run, space, parts, head))
  })
}

/** The places of a cell in a run of values; empty if the run does not hold the cell. */
function runPlaces(
  run: Part,
  space: Space,
  parts: readonly Part[],
  head: Pick<CellLinePlace, 'file' | 'field' | 'role' | 'tile' | 'position'>,
): CellLinePlace[] {
  const { elements } = run
  const index = elements?.cells ? head.position - elements.cells.first : -1
  if (!elements || index < 0 || index >= elements.count) return []
  const offset = elements.start(index)
  const length = elements.start(index + 1) - offset
  const field = run.name === 'data' || run.name === 'content' ? head.field : run.name
  const value = elements.value(index)
  if (run.space === space) return [{ ...head, field, offset, length, cell_only: true, value }]
  const content = { space: run.space.name, content_offset: offset, content_length: length, value }
  const end = offset + Math.max(1, length)
  return parts
    .filter(({ becomes }) => becomes !== undefined && becomes.to > offset && becomes.from < end)
    .map((chunk) => ({ ...head, field, offset: chunk.offset, length: chunk.length, cell_only: false, ...content }))
}
