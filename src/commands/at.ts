import { openAnatomy } from '../anatomy/files.ts'
import { cellsFault, type Detectors, faultIn, fileDetectors, tileDetectors, UNNOTICED } from '../anatomy/flip.ts'
import { type CheckedFlips, checkedFlips } from '../anatomy/flip-check.ts'
import type { CellRange, Part } from '../anatomy/part.ts'
import { exitCodeOf, faultOf, unlessFault, usage } from '../base/errors.ts'
import { lookAtByte, parseOffset } from '../calls/byte-place.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { fileTarget, TAKES_FILE } from '../calls/file-target.ts'
import { collect, onlyWith } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { ONE_FRAGMENT, type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { FragmentCells } from '../cells/fragment-cells.ts'
import { columnValue } from '../cells/rows.ts'
import type { AtCells, AtDocument, AtTriedOn } from '../documents/at.ts'
import type { CellValue } from '../documents/common.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { FieldFile, Fragment } from '../objects/fragment.ts'
import type { Target } from '../objects/target.ts'

interface AtOptions {
  cell?: string[]
  field?: string[]
  /** Whether `--no-flips` is missing. */
  flips: boolean
}

/** What `--cell` takes. Of an array it shows the version that a reader has. */
const CELL_TARGETS = { ...ONE_FRAGMENT, array: '' } as const satisfies Takes

export const command: CommandModule<AtOptions> = {
  about: 'If the bytes are not compressed, it names the exact cell.',
  examples: [
    ['what a byte of a data file is, and what would notice a flip', 'at places/__1714/d0.tdb 0x64'],
    ["a byte of a fragment's metadata", 'at places/__1714/__fragment_metadata.tdb 6000'],
    ['the other way round: where the value of a cell is', 'at weather/__1714 --cell station=1,day=7 --field rain_mm'],
  ],

  takes: TAKES_FILE,
  takesWith: { '--cell': CELL_TARGETS },

  configure(command) {
    command
      .argument('<file>', `${targetsHelp(TAKES_FILE)}; with --cell ${targetsHelp(CELL_TARGETS)}`)
      .argument('[offset]', 'byte, counted from 0; 0x… is hexadecimal')
      .option('--cell <NAME=V,…>', 'show where this cell is: a value for each dimension', collect)
      .option('--field <name>', 'with --cell: only this attribute or dimension (repeatable)', collect)
      .option('--no-flips', 'do not try what would notice a flip, which takes most of the time')
    onlyWith(command, 'cell', 'field')
  },

  async *run(cx, [path, offset], options) {
    if (options.cell) {
      if (offset !== undefined) throw usage('at expects an offset or --cell, found both')
      const target = await targetFor(cx, 'at --cell', CELL_TARGETS, await cx.open(path))
      const { arrayCellOutcome, cellPlacesOutcome } = await import('./cell-places.ts')
      if (target.type === 'array') yield await arrayCellOutcome(cx, target.array, options.cell, options.field)
      else yield await cellPlacesOutcome(cx, target.fragment, options.cell, options.field)
      return
    }
    const at = parseOffset(offset)
    const target = await fileTarget(cx, path, 'at')
    try {
      yield await byteOutcome(cx, target, at, options.flips)
    } finally {
      await target.fragment?.close()
    }
  },
}

/** Largest number of unfiltered bytes of a generic tile for which flips are tried. More takes minutes: each bit is one read. */
const MAX_TRIED = 16 * 2 ** 20

async function byteOutcome(
  cx: CommandContext,
  target: Target & { type: 'file' },
  offset: number,
  tryFlips: boolean,
): Promise<Outcome> {
  const { root, close } = await openAnatomy(target, cx)
  try {
    const { chain, cells: range, facts } = await lookAtByte(cx, root, offset, root.space.file)
    const dataFile = await findDataFile(target)
    const unfolded = Math.max(0, ...chain.map(({ claimedSize }) => claimedSize ?? 0))
    const isTooLarge = tryFlips && unfolded > MAX_TRIED
    let flips = tryFlips ? flipsResult() : {}
    if (tryFlips && !isTooLarge) flips = await flipsAt(cx, target, dataFile, chain, offset)
    const document: AtDocument = {
      ...documentHead('at', cx.shownPath(target.path)),
      ...facts,
      cells: range && dataFile && target.fragment ? await cellsResult(cx, dataFile, range, target.fragment) : undefined,
      ...flips,
      ...(isTooLarge && { not_tried: `the tile unfolds to ${unfolded} bytes, more than ${MAX_TRIED}` }),
    }
    return {
      kind: 'document',
      document,
      table: async (out) => (await import('../render/views/at.ts')).atTable(document, out),
    }
  } finally {
    await close()
  }
}

/** The target as a data file; undefined if it is another file, or if the metadata cannot be read. */
async function findDataFile({ fragment, name }: Target & { type: 'file' }): Promise<FieldFile | undefined> {
  const files = await fragment?.fieldFiles().catch(unlessFault)
  return files?.find((file) => file.name === name)
}

/** The keys about flips; null for what is unknown. */
function flipsResult(detectors?: Detectors, where?: AtTriedOn, checked?: CheckedFlips): Partial<AtDocument> {
  return {
    detected_by: detectors ? [...new Set(detectors.flat())] : null,
    detected_by_bit: detectors ?? null,
    findings_by_bit: checked?.codes ?? null,
    cell_findings: checked?.ofCells ?? null,
    detected_in: where ?? null,
  }
}

/** Finds out what would notice a flipped bit. */
async function flipsAt(
  cx: CommandContext,
  target: Target & { type: 'file' },
  file: FieldFile | undefined,
  chain: readonly Part[],
  offset: number,
): Promise<Partial<AtDocument>> {
  const checked = await checkedFlips(target, offset, cx)
  const tile = chain.find(({ type }) => type === 'tile')
  if (!checked?.detectors.every((names) => names.length > 0)) {
    // If nothing notices a flip, the place may be unreadable already.
    const ofCells = file && tile && target.fragment && (await cellsFault(target.fragment, file, Number(tile.name)))
    const fault = ofCells ?? (await faultIn(tile ?? chain[1] ?? chain[0]))
    if (fault) {
      const what = tile ? 'tile' : 'part of the file'
      const isDamage = exitCodeOf(fault) === 1
      return { ...flipsResult(), ...(isDamage && { not_tried: `this ${what} is damaged already: ${fault.message}` }) }
    }
  }
  if (checked) return flipsResult(checked.detectors, checked.unused ? 'array --all' : 'array', checked)
  if (chain.at(-1)?.type === 'gap' || (file && !tile)) return flipsResult(UNNOTICED, 'file')
  const path = `${target.folder.path}/${target.name}`
  if (file && tile) return flipsResult(await tileDetectors(cx, path, file, Number(tile.name), offset), 'tile')
  return flipsResult(await fileDetectors(cx, path, offset, chain[1]), 'file')
}

/** The cells that depend on a byte, with coordinates and value if it is only one cell. */
async function cellsResult(
  cx: CommandContext,
  file: FieldFile,
  range: CellRange,
  fragment: Fragment,
): Promise<AtCells> {
  const slot = (await fragment.info()).slots[file.slot]
  const field = slot.kind === 'coords' ? undefined : slot.name
  return { ...range, field, ...(range.from === range.to && (await cellResult(cx, fragment, slot, range))) }
}

/** The coordinates of one cell, and its value of a field. Empty if damage makes the cell unreadable. */
async function cellResult(
  cx: CommandContext,
  fragment: Fragment,
  { name, kind }: Slot,
  { tile, from }: CellRange,
): Promise<Pick<AtCells, 'coordinates' | 'value' | 'padding'>> {
  const fields = kind === 'dimension' || kind === 'coords' ? [] : [name]
  const cells = await FragmentCells.open(fragment, { fields, onColumnError: () => {} })
  try {
    const { columns, rows } = await cells.cell(tile, from)
    const coordinates: Record<string, CellValue> = Object.create(null)
    let value: CellValue | undefined
    for (const [i, column] of cells.columns.entries()) {
      const data = columns[i]
      if (!data) return {}
      const shown = columnValue(column, cx.style)(data, 0)
      if (column.kind === 'dimension') coordinates[column.name] = shown
      else value = shown
    }
    return { coordinates, value, padding: rows?.length === 0 || undefined }
  } catch (error) {
    faultOf(error)
    return {}
  } finally {
    await cells.close()
  }
}
