import type { CellBatch, ColumnData } from '../../src/cells/column.ts'
import { FragmentCells } from '../../src/cells/fragment-cells.ts'
import { gather } from '../../src/cells/gather.ts'
import { isStringOffsetsTile, TileFile, type TileRole } from '../../src/cells/tile-files.ts'
import { datatypeSize } from '../../src/format/datatype.ts'
import { integerOf } from '../../src/format/dense-tiles.ts'
import { decode } from '../../src/format/io.ts'
import { tileChunks } from '../../src/format/tile-chunks.ts'
import { type Fragment, type FragmentInfo, Fragment as OpenFragment } from '../../src/objects/fragment.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { Folder, readAll } from '../../src/storage/source.ts'
import type { FragmentToWrite, WrittenFragment } from '../../src/write/fragment-writer.ts'

/** A fragment's cells in stored order, ready to be written again, and how its dense cells lie in their box. */
export interface Recovered {
  fragment: FragmentToWrite
  /** Dense: padding holds something else than zeros, so that whole tiles have to be written. */
  padded: boolean
}

/** Reads everything that writing a fragment takes. */
export async function recover(fragment: Fragment): Promise<Recovered> {
  const info = await fragment.info()
  const cells = await FragmentCells.open(fragment, { fill: true })
  const batches: CellBatch[] = []
  for await (const batch of cells.batches()) batches.push(batch)
  await cells.close()
  const columns = new Map<string, ColumnData>()
  cells.columns.forEach((column, i) => {
    if (info.dense && column.kind === 'dimension') return
    columns.set(column.name, joined(batches.map((batch) => present(batch.columns[i]))))
  })
  const cell_num = batches.reduce((sum, batch) => sum + batch.cell_num, 0)
  const stored: FragmentToWrite = {
    schema: info.schema,
    schemaName: info.schemaName,
    formatVersion: info.format_version,
    timestampRange: fragment.parsedName?.timestamp_range ?? [0n, 0n],
    uuid: fragment.parsedName?.uuid ?? '0'.repeat(32),
    domain: info.dense ? info.nonempty_domain : undefined,
    cells: { cell_num, columns },
    stored: true,
    processedConditions: (await fragment.processedConditions()) ?? [],
  }
  if (!info.dense) return { fragment: stored, padded: false }
  const positions = boxPositions(info, cells, cell_num)
  if (!zeroPadding(info, columns, positions, cell_num)) return { fragment: stored, padded: true }
  const boxed = new Map<string, ColumnData>()
  for (const [name, column] of columns) {
    boxed.set(name, gather(column, shapeOf(info, name).size, positions))
  }
  return {
    fragment: { ...stored, stored: false, cells: { cell_num: positions.length, columns: boxed } },
    padded: false,
  }
}

/** For each cell of the box in row-major order, its position among the stored cells. */
function boxPositions(info: FragmentInfo, cells: FragmentCells, cellNum: number): Int32Array {
  const { dense } = cells
  if (!dense) throw new Error('not dense')
  const { axes, tile_num, cells_per_tile } = dense.grid
  const sides = axes.map(({ low, high }) => Number(high - low) + 1)
  const positions = new Int32Array(sides.reduce((product, side) => product * side, 1)).fill(-1)
  const { dimensions } = info.schema.domain
  for (let tile = 0; tile < tile_num; tile++) {
    const { coordinates, rows } = dense.cells(tile)
    const count = rows?.length ?? cells_per_tile
    for (let i = 0; i < count; i++) {
      const cell = rows ? rows[i] : i
      let at = 0
      dimensions.forEach(({ type }, d) => {
        const size = datatypeSize(type)
        const value = integerOf(type, coordinates[d].subarray(cell * size, (cell + 1) * size))
        at = at * sides[d] + Number(value - axes[d].low)
      })
      positions[at] = tile * cells_per_tile + cell
    }
  }
  if (positions.some((position) => position < 0 || position >= cellNum)) throw new Error('a cell of the box is missing')
  return positions
}

function zeroPadding(
  info: FragmentInfo,
  columns: ReadonlyMap<string, ColumnData>,
  positions: Int32Array,
  cellNum: number,
): boolean {
  const written = new Uint8Array(cellNum)
  for (const position of positions) written[position] = 1
  for (const [name, { data, starts, validity }] of columns) {
    const { size } = shapeOf(info, name)
    for (let cell = 0; cell < cellNum; cell++) {
      if (written[cell] === 1) continue
      const from = starts ? starts[cell] : cell * size
      const to = starts ? starts[cell + 1] : from + size
      if (to - from !== size || (validity && validity[cell] !== 0)) return false
      for (let i = from; i < to; i++) if (data[i] !== 0) return false
    }
  }
  return true
}

export function shapeOf(info: FragmentInfo, name: string): { size: number; varSized: boolean } {
  const slot = info.slots.find((one) => one.name === name)
  if (!slot) throw new Error(`no slot ${name}`)
  return { size: slot.cellSize, varSized: slot.varSized }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a column is missing')
  return value
}

function joined(parts: readonly ColumnData[]): ColumnData {
  const data = concatBytes(parts.map((part) => part.data))
  const validity = parts[0]?.validity && concatBytes(parts.map((part) => part.validity ?? new Uint8Array(0)))
  if (!parts[0]?.starts) return { data, starts: undefined, validity }
  const cells = parts.reduce((sum, part) => sum + (part.starts?.length ?? 1) - 1, 0)
  const starts = new Float64Array(cells + 1)
  let cell = 0
  let base = 0
  for (const part of parts) {
    const own = present(part.starts)
    for (let i = 1; i < own.length; i++) starts[++cell] = base + own[i]
    base += part.data.length
  }
  return { data, starts, validity }
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** How a file written again compares with the one it comes from. */
export type FileOutcome = 'same' | 'same behind the codec' | 'other chunks' | 'other data' | 'missing' | 'other bytes'

export interface Comparison {
  files: { name: string; outcome: FileOutcome; detail: string }[]
  /** Lists of the metadata that differ: name, what stands there, what was written. */
  lists: { name: string; theirs: string; ours: string }[]
}

/** Filters whose output depends on a library's release, or on random bytes. */
const CODECS = new Set(['GZIP', 'ZSTD', 'LZ4', 'BZIP2', 'WEBP', 'AES_256_GCM'])

/** Opens a written fragment beside the schema of the one it comes from. */
export function openWritten(written: WrittenFragment, original: Fragment): Fragment {
  const files = new Map(written.files.map(({ name, bytes }) => [`memory/${written.name}/${name}`, bytes]))
  const folder = new Folder(new MemoryStorage(files), `memory/${written.name}`)
  // A copy of the footer in the array is that of the original.
  return new OpenFragment(folder, original.cx, original.array).asStored()
}

/** Compares what was written with the original, files and every list of the metadata. */
export async function compare(original: Fragment, written: WrittenFragment): Promise<Comparison> {
  const again = openWritten(written, original)
  const info = await original.info()
  const out: Comparison = { files: [], lists: [] }
  const ours = new Map(written.files.map(({ name, bytes }) => [name, bytes]))
  let codecs = false
  for (const file of await original.fieldFiles()) {
    const { varSized } = info.slots[file.slot]
    const role: TileRole =
      file.role === 'offsets' || file.role === 'var' || file.role === 'validity' ? file.role : 'data'
    const theirs = await TileFile.open(original, file.slot, role)
    codecs ||= theirs.filters.some(({ name }) => CODECS.has(name))
    const bytes = ours.get(file.name)
    if (!bytes) {
      out.files.push({ name: file.name, outcome: 'missing', detail: '' })
      continue
    }
    const source = original.folder.file(file.name)
    const stored = (await readAll(source)).subarray(0, file.size)
    await source.close()
    if (equal(bytes, stored)) out.files.push({ name: file.name, outcome: 'same', detail: '' })
    else {
      const mine = await TileFile.open(again, file.slot, role)
      out.files.push({ name: file.name, ...(await compareTiles(original, theirs, mine, varSized, role)) })
    }
    await theirs.close()
    ours.delete(file.name)
  }
  ours.delete('__fragment_metadata.tdb')
  for (const name of ours.keys()) out.files.push({ name, outcome: 'missing', detail: 'only written' })
  const sizes = codecs || out.files.some(({ outcome }) => outcome !== 'same')
  await compareMetadata(original, again, sizes, out)
  return out
}

async function compareTiles(
  original: Fragment,
  theirs: TileFile,
  mine: TileFile,
  varSized: boolean,
  role: TileRole,
): Promise<{ outcome: FileOutcome; detail: string }> {
  let outcome: FileOutcome = 'same behind the codec'
  let detail = ''
  for (let tile = 0; tile < theirs.tileNum; tile++) {
    const a = await theirs.stored(tile)
    const b = await mine.stored(tile)
    if (equal(a, b)) continue
    if (isStringOffsetsTile(a) || isStringOffsetsTile(b)) return { outcome: 'other bytes', detail: 'string offsets' }
    const [x, y] = [chunkLengths(a), chunkLengths(b)]
    if (x !== y) {
      outcome = 'other chunks'
      detail ||= `tile ${tile}: ${x} | ${y}`
    }
    let stringOffsets = false
    if (role === 'var' && varSized) {
      const offsets = await TileFile.open(original, theirs.slot, 'offsets')
      stringOffsets = isStringOffsetsTile(await offsets.stored(tile))
      await offsets.close()
    }
    const one = await theirs.unfilter(tile, a, { stringOffsets })
    const two = await mine.unfilter(tile, b, { stringOffsets })
    if (!equal(one.data, two.data)) return { outcome: 'other data', detail: `tile ${tile}` }
    if (outcome === 'same behind the codec' && !theirs.filters.some(({ name }) => CODECS.has(name))) {
      return {
        outcome: 'other bytes',
        detail: `tile ${tile} of ${a.length} | ${b.length} bytes, at ${firstDifference(a, b)}`,
      }
    }
  }
  return { outcome, detail }
}

function chunkLengths(stored: Uint8Array): string {
  return decode(stored, tileChunks)
    .chunks.map((chunk) => chunk.original_length)
    .join(' ')
}

async function compareMetadata(original: Fragment, again: Fragment, sizes: boolean, out: Comparison): Promise<void> {
  const a = await original.info()
  const b = await again.info()
  const check = (name: string, theirs: unknown, ours: unknown): void => {
    const [x, y] = [show(theirs), show(ours)]
    if (x !== y) out.lists.push({ name, theirs: x, ours: y })
  }
  check('name', original.name, again.name)
  if (a.footer && b.footer) {
    const { footer: x } = a
    const { footer: y } = b
    check('version', x.version, y.version)
    check('array_schema_name', x.array_schema_name, y.array_schema_name)
    check('dense', x.dense, y.dense)
    check('nonempty_domain', x.nonempty_domain, y.nonempty_domain)
    check('sparse_tile_num', x.sparse_tile_num, y.sparse_tile_num)
    check('last_tile_cell_num', x.last_tile_cell_num, y.last_tile_cell_num)
    check('includes_timestamps', x.includes_timestamps, y.includes_timestamps)
    check('includes_delete_metadata', x.includes_delete_metadata, y.includes_delete_metadata)
    check('footer size', x.size, y.size)
    check('slack', x.slack, y.slack)
  }
  if (a.v1 && b.v1) {
    check('v1', { ...a.v1, ...(sizes ? V1_SIZES : {}) }, { ...b.v1, ...(sizes ? V1_SIZES : {}) })
  }
  if (!sizes) {
    check('file_sizes', a.file_sizes, b.file_sizes)
    check('file_var_sizes', a.file_var_sizes, b.file_var_sizes)
    check('file_validity_sizes', a.file_validity_sizes, b.file_validity_sizes)
  }
  check('rtree', await original.rtree(), await again.rtree())
  for (const [slot, { name }] of a.slots.entries()) {
    for (const list of ['tile_offsets', 'tile_var_offsets', 'tile_validity_offsets'] as const) {
      const [x, y] = [await original.offsets(list, slot), await again.offsets(list, slot)]
      if (sizes) check(`${list}.length ${name}`, x?.length, y?.length)
      else check(`${list} ${name}`, x, y)
    }
    check(
      `tile_var_sizes ${name}`,
      await original.offsets('tile_var_sizes', slot),
      await again.offsets('tile_var_sizes', slot),
    )
    check(`min ${name}`, await original.tileMinMax('min', slot), await again.tileMinMax('min', slot))
    check(`max ${name}`, await original.tileMinMax('max', slot), await again.tileMinMax('max', slot))
    check(`sums ${name}`, await original.tileSums(slot), await again.tileSums(slot))
    check(
      `null counts ${name}`,
      await original.offsets('tile_null_counts', slot),
      await again.offsets('tile_null_counts', slot),
    )
  }
  const [x, y] = [await original.statistics(), await again.statistics()]
  for (const [slot, { name }] of a.slots.entries()) check(`fragment ${name}`, x?.[slot], y?.[slot])
  check('processed conditions', await original.processedConditions(), await again.processedConditions())
}

const V1_SIZES = { tile_offsets: 0, tile_var_offsets: 0, file_sizes: 0, file_var_sizes: 0 }

function show(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => {
    if (one instanceof Uint8Array) return Buffer.from(one).toString('hex')
    if (one instanceof Float64Array) return Array.from(one).join(' ')
    return typeof one === 'bigint' ? `${one}n` : one
  })
}

export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i
}
