import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv, execPath } from 'node:process'
import { concat } from '../src/base/bytes.ts'
import { u32Bytes, u64Bytes } from '../src/damage/bytes.ts'
import { EditableArray } from '../src/damage/editable-array.ts'
import { Pipeline, type TileType } from '../src/filters/pipeline.ts'
import { nodeCodecs } from '../src/node/node-codecs.ts'
import { readContext } from '../src/objects/read-context.ts'
import { defaultFilter } from '../src/write/filter-options.ts'
import { filesBelow } from './helpers/files-below.ts'

/**
 * Writes arrays of some kilobytes whose tiles hold hundreds of megabytes or gigabytes: `test/bombs.ts FOLDER [NAME...]`. Nothing in
 * them is wrong but their size.
 */

const MB = 2 ** 20
/** Unfiltered bytes of a tile that just fits into the default memory, and of one that does not. */
const FITS = 320 * MB
const LARGE = 400 * MB

type Name = Parameters<typeof defaultFilter>[0]
const filtersOf = (names: readonly Name[]) => ({ max_chunk_size: 65536, filters: names.map(defaultFilter) })

async function tileOf(
  type: Partial<TileType>,
  names: readonly Name[],
  data: Uint8Array,
  times: number,
  offsets?: Float64Array,
) {
  const tile = { datatype: 'INT32', cellSize: 4, formatVersion: 22, ...type } as TileType
  const pipeline = await Pipeline.load(names.map(defaultFilter), tile, nodeCodecs)
  const one = pipeline.forwardTile(data, [data.length], { offsets }).subarray(8)
  return concat([Uint8Array.from(u64Bytes(times)), ...Array.from({ length: times }, () => one)])
}

async function edited(tool: string, folder: string, name: string, attr: string): Promise<EditableArray> {
  const path = join(folder, name)
  execFileSync(
    execPath,
    [
      tool,
      'write-sample',
      path,
      '--dim',
      'x:INT32:0..2000000000:10',
      '--attr',
      attr,
      '--cells',
      '10',
      '--capacity',
      '10',
      '--fragments',
      '1',
      '--duplicates',
    ],
    { stdio: 'ignore' },
  )
  return new EditableArray('/array', filesBelow(path, '/array'), () => readContext(nodeCodecs))
}

function save(array: EditableArray, path: string): void {
  for (const [file, content] of array.files) {
    const to = path + file.slice('/array'.length)
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, content)
  }
}

/** All cells are 0. @param length unfiltered bytes of a chunk @param times number of equal chunks in the tile */
async function fixed(tool: string, folder: string, name: string, names: readonly Name[], length: number, times = 1) {
  const array = await edited(tool, folder, name, 'a:INT32')
  const cells = (length * times) / 4
  const stored = await tileOf({}, names, new Uint8Array(length), times)
  await array.editSchema((schema) => {
    schema.capacity = BigInt(cells)
    schema.domain.dimensions[0].filters = filtersOf(names)
    schema.attributes[0].filters = filtersOf(names)
  })
  for (const file of array.matching(/\/[ad]0\.tdb$/)) array.files.set(file, stored)
  await array.editFooter((footer) => {
    footer.last_tile_cell_num = BigInt(cells)
    footer.file_sizes = footer.file_sizes.map((size) => (size > 0 ? stored.length : 0))
  })
  save(array, join(folder, name))
}

/** A dense tile of one byte a cell, all 0, whose last cell nobody wrote: positions of cells would take four times the memory of the cells. */
async function padded(tool: string, folder: string, name: string, cells: number) {
  const path = join(folder, name)
  const options = '--dense --dim x:INT32:0..9:10 --attr a:UINT8 --cells 10 --fragments 1'
  execFileSync(execPath, [tool, 'write-sample', path, ...options.split(' ')], { stdio: 'ignore' })
  const array = new EditableArray('/array', filesBelow(path, '/array'), () => readContext(nodeCodecs))
  const type = { datatype: 'UINT8', cellSize: 1 } as const
  const stored = await tileOf(type, ['ZSTD'], new Uint8Array(MB), cells / MB)
  const range = (last: number) => ({ min: u32Bytes(0), max: u32Bytes(last) })
  await array.editSchema((schema) => {
    const [dimension] = schema.domain.dimensions
    Object.assign(dimension, { domain: concat([u32Bytes(0), u32Bytes(cells - 1)]), tile_extent: u32Bytes(cells) })
    schema.attributes[0].filters = filtersOf(['ZSTD'])
  })
  array.files.set(array.find(/\/a0\.tdb$/), stored)
  await array.editFooter((footer) => {
    footer.nonempty_domain = [range(cells - 2)]
    footer.file_sizes = footer.file_sizes.map((size) => (size > 0 ? stored.length : 0))
  })
  save(array, path)
}

/** Equal strings whose filter keeps the offsets. */
async function text(tool: string, folder: string, name: string, names: readonly Name[], cells: number, size: number) {
  const array = await edited(tool, folder, name, 's:STRING_ASCII:var')
  const offsets = Float64Array.from({ length: cells }, (_, i) => i * size)
  const data = new Uint8Array(cells * size).fill(97)
  const inside = names[0] === 'RLE' || names[0] === 'DICTIONARY_ENCODING'
  const type = { datatype: 'STRING_ASCII', cellSize: 1, stringOffsets: inside } as const
  const stored = await tileOf(type, names, data, 1, inside ? offsets : undefined)
  const x = await tileOf({}, ['RLE'], new Uint8Array(4 * cells), 1)
  const starts = inside
    ? Uint8Array.from(u64Bytes(0))
    : await tileOf(
        { datatype: 'UINT64', cellSize: 8 },
        ['DOUBLE_DELTA'],
        new Uint8Array(BigUint64Array.from(offsets, BigInt).buffer),
        1,
      )
  await array.editSchema((schema) => {
    schema.capacity = BigInt(cells)
    schema.domain.dimensions[0].filters = filtersOf(['RLE'])
    schema.attributes[0].filters = filtersOf(names)
    schema.offsets_filters = filtersOf(['DOUBLE_DELTA'])
  })
  array.files.set(array.find(/\/d0\.tdb$/), x)
  array.files.set(array.find(/\/a0\.tdb$/), starts)
  array.files.set(array.find(/\/a0_var\.tdb$/), stored)
  const slot = (await (await array.fragment()).info()).slots.findIndex((one) => one.varSized)
  await array.editSection('tile_var_sizes', slot, { values: Float64Array.of(data.length) }, undefined, (footer) => {
    footer.last_tile_cell_num = BigInt(cells)
    footer.file_sizes = footer.file_sizes.map((before, i) => (i === slot ? starts.length : before > 0 ? x.length : 0))
    footer.file_var_sizes = footer.file_var_sizes.map((_, i) => (i === slot ? stored.length : 0))
  })
  save(array, join(folder, name))
}

const tool = new URL('../bin/tiledb-inspect.js', import.meta.url).pathname
const [, , folder, ...wanted] = argv
const BOMBS: Readonly<Record<string, (name: string) => Promise<void>>> = {
  rle: (name) => fixed(tool, folder, name, ['RLE'], FITS),
  'rle-large': (name) => fixed(tool, folder, name, ['RLE'], LARGE),
  'rle-many': (name) => fixed(tool, folder, name, ['RLE'], 64 * MB, 50),
  gzip: (name) => fixed(tool, folder, name, ['GZIP', 'GZIP'], FITS),
  'gzip-gzip-gzip': (name) => fixed(tool, folder, name, ['GZIP', 'GZIP', 'GZIP'], FITS),
  zstd: (name) => fixed(tool, folder, name, ['ZSTD'], FITS),
  'zstd-many': (name) => fixed(tool, folder, name, ['ZSTD'], 300 * MB, 10),
  lz4: (name) => fixed(tool, folder, name, ['LZ4', 'ZSTD'], FITS),
  bzip2: (name) => fixed(tool, folder, name, ['BZIP2'], FITS),
  delta: (name) => fixed(tool, folder, name, ['DOUBLE_DELTA'], FITS),
  stages: (name) =>
    fixed(
      tool,
      folder,
      name,
      ['BYTESHUFFLE', 'BITSHUFFLE', 'POSITIVE_DELTA', 'BIT_WIDTH_REDUCTION', 'RLE', 'ZSTD'],
      160 * MB,
    ),
  padded: (name) => padded(tool, folder, name, 24 * MB),
  'many-64k': (name) => fixed(tool, folder, name, ['ZSTD'], 65536, 12_000),
  'text-rle': (name) => text(tool, folder, name, ['RLE'], 1_000_000, 300),
  'text-rle-cells': (name) => text(tool, folder, name, ['RLE'], 20_000_000, 1),
  'text-dictionary': (name) => text(tool, folder, name, ['DICTIONARY_ENCODING', 'ZSTD'], 1_000_000, 300),
  'text-zstd': (name) => text(tool, folder, name, ['ZSTD'], 1_000_000, 300),
}
for (const name of wanted.length > 0 ? wanted : Object.keys(BOMBS)) await BOMBS[name](name)
