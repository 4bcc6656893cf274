import { createHash, type Hash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { InspectError } from '../../src/base/errors.ts'
import type { CellBatch, ColumnData, ColumnType } from '../../src/cells/column.ts'
import { type CellSelection, FragmentCells } from '../../src/cells/fragment-cells.ts'
import { LARGE_TILE } from '../../src/cells/large-tiles.ts'
import { columnValue } from '../../src/cells/rows.ts'
import { Pipeline } from '../../src/filters/pipeline.ts'
import { datatypeSize } from '../../src/format/datatype.ts'
import { localFiles } from '../../src/node/file.ts'
import { openTarget } from '../../src/objects/target.ts'
import type { ByteSource, Storage } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { parseJsonDocuments } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

/** Tiles of 16,384 cells. A cell of one field has 1,120 bytes. Tiles at the border have padding. */
const folder = temporaryFolder()
const SHAPE = ['--dim', 'x:INT32:0..299:128', '--dim', 'y:INT32:0..255:128']
/** Two tiles, of which only the first is a large one. */
const SPARSE_CELLS = 20_500
const FIELDS = ['--attr', 'a:FLOAT64:140', '--attr', 'n:INT32:nullable', '--attr', 's:STRING_UTF8']
const ARRAYS = {
  'dense, row-major': ['--dense', ...SHAPE, '--cells', '30000'],
  'dense, col-major, without filters': [
    '--dense',
    ...SHAPE,
    '--cells',
    '30000',
    '--cell-order',
    'col-major',
    '--filters',
    '',
  ],
  sparse: [
    '--sparse',
    '--dim',
    'x:INT64:0..99999999',
    '--capacity',
    '15200',
    '--cells',
    String(SPARSE_CELLS),
    '--filters',
    'zstd,md5',
  ],
} as const
type Name = keyof typeof ARRAYS
const NAMES = Object.keys(ARRAYS) as Name[]
const TRIED = shortTurn(NAMES, 4)
/** Arrays that have separate tests below. */
const NEEDED: readonly Name[] = ['dense, col-major, without filters', 'sparse']

beforeAll(async () => {
  for (const [i, name] of NAMES.entries()) {
    if (!NEEDED.includes(name) && !TRIED.includes(name)) continue
    const { code, stderr } = await run([
      'write-sample',
      `${folder}/${i}`,
      ...ARRAYS[name],
      ...FIELDS,
      '--fragments',
      '1',
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
})

function fragmentPath(name: Name): string {
  const array = `${folder}/${NAMES.indexOf(name)}`
  return firstFragment(array)
}

async function withCells<T>(
  name: Name,
  selection: CellSelection,
  look: (cells: FragmentCells) => Promise<T>,
): Promise<T> {
  const target = await openTarget(localFiles, fragmentPath(name), contextFor({ key: undefined }))
  if (target.type !== 'fragment') throw new Error('no fragment')
  const cells = await FragmentCells.open(target.fragment, selection)
  try {
    return await look(cells)
  } finally {
    await cells.close()
    await target.fragment.close()
  }
}

/** Digests of what cells of a column are. They do not depend on how the cells are cut into batches. */
interface ColumnDigests {
  data: Hash
  lengths: Hash
  validity: Hash
}

/** Reads the cells of batches. Returns digests of each column. */
class Cells {
  count = 0
  private readonly digests: readonly ColumnDigests[]
  private readonly columns: readonly ColumnType[]

  constructor(columns: readonly ColumnType[]) {
    this.columns = columns
    const md5 = (): Hash => createHash('md5')
    this.digests = columns.map(() => ({ data: md5(), lengths: md5(), validity: md5() }))
  }

  add({ cell_num, rows, columns }: CellBatch): void {
    this.count += rows?.length ?? cell_num
    for (const [c, { type, cell_val_num }] of this.columns.entries()) {
      const column = columns[c]
      if (!column) continue
      const { data, starts, validity } = column
      const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
      const digests = this.digests[c]
      for (const [from, to] of runsOf(rows, cell_num)) {
        digests.data.update(starts ? data.subarray(starts[from], starts[to]) : data.subarray(from * size, to * size))
        if (validity) digests.validity.update(validity.subarray(from, to))
        if (starts)
          digests.lengths.update(
            Float64Array.from({ length: to - from }, (_, i) => starts[from + i + 1] - starts[from + i]),
          )
      }
    }
  }

  result(): unknown {
    return {
      count: this.count,
      digests: this.digests.map((one) => Object.values(one).map((digest: Hash) => digest.digest('hex'))),
    }
  }
}

/** Runs of cells that lie one after another: the rows of a batch, or all of its cells. */
function* runsOf(rows: Uint32Array | undefined, cell_num: number): Generator<[from: number, to: number]> {
  if (!rows) yield [0, cell_num]
  else
    for (let i = 0; i < rows.length; ) {
      const first = i
      do i++
      while (i < rows.length && rows[i] === rows[i - 1] + 1)
      yield [rows[first], rows[i - 1] + 1]
    }
}

const bytesOf = (columns: readonly (ColumnData | undefined)[]): number =>
  Math.max(...columns.map((column) => column?.data.buffer.byteLength ?? 0))

describe.each(TRIED)('large tiles, %s', (name) => {
  test.each([false, true])('parts have the cells of the whole tile; with padding: %j', async (fill) => {
    const whole = await withCells(name, { fill }, async (cells) => {
      const found = new Cells(cells.columns)
      for (let tile = 0; tile < cells.info.tile_num; tile++) found.add(await cells.batch(tile))
      return found
    })
    const parts = await withCells(name, { fill }, async (cells) => {
      const found = new Cells(cells.columns)
      for await (const batch of cells.batches()) found.add(batch)
      return found
    })
    expect(parts.count).toBeGreaterThan(20_000)
    expect(parts.result()).toEqual(whole.result())
  })

  test('no part has more than 4 MiB of a fixed-sized column in memory', async () => {
    const sizes = await withCells(name, { fields: ['a'] }, async (cells) => {
      const found = []
      for await (const { tile, columns } of cells.batches()) if (tile === 0) found.push(bytesOf(columns))
      return found
    })
    expect(sizes.length).toBeGreaterThan(3)
    expect(sizes[0]).toBeLessThanOrEqual(64 * 1024)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4 * 2 ** 20)
  })

  test('a single cell equals that of the whole tile', async () => {
    await withCells(name, {}, async (cells) => {
      const whole = await cells.batch(0)
      const values = cells.columns.map((column) => columnValue(column, { raw: true }))
      for (const cell of [0, 1, 255, 9999]) {
        const { columns } = await cells.cell(0, cell)
        const at = (from: readonly (ColumnData | undefined)[], row: number): unknown[] =>
          values.map((value, i) => value(from[i] as ColumnData, row))
        expect(at(columns, 0)).toEqual(at(whole.columns, cell))
      }
    })
  })

  test('--range gives all of its cells, in order; --limit the first of them', async () => {
    const all = await decoded(name, ['--field', 'n'])
    const wanted = all[Math.floor(all.length * 0.6)].x
    const range = await decoded(name, ['--range', `x=${wanted}`])
    expect(range.length).toBeGreaterThan(0)
    expect(range.map(withoutList)).toEqual(all.filter(({ x }) => x === wanted))
    expect((await decoded(name, ['--limit', '7'])).map(withoutList)).toEqual(all.slice(0, 7))
  })
})

type Row = { x: number; a?: unknown; s?: unknown }

function withoutList({ a, s, ...rest }: Row): object {
  return rest
}

async function decoded(name: Name, options: readonly string[]): Promise<Row[]> {
  const { code, text } = await run(['decode', fragmentPath(name), ...options, '--format', 'ndjson'])
  expect(code).toBe(0)
  return parseJsonDocuments(text) as never
}

/** Called for each read of a file. */
function watched(onRead: (name: string, length: number) => void): Storage {
  return {
    ...localFiles,
    kind: (path) => localFiles.kind(path),
    list: (path) => localFiles.list(path),
    open(path): ByteSource {
      const source = localFiles.open(path)
      return {
        name: source.name,
        size: () => source.size(),
        close: () => source.close(),
        read(offset, length, into) {
          onRead(path.slice(path.lastIndexOf('/') + 1), length)
          return source.read(offset, length, into)
        },
      }
    },
  }
}

describe('few bytes of a large tile are read at once', () => {
  test.each([['decode', '--limit', '3'], ['check'], ['check', '--level', 'cells'], ['verify-checksums', '--deep']])(
    '%s %s %s',
    async (...args) => {
      let most = 0
      let all = 0
      const storage = watched((name, length) => {
        if (name !== 'a0.tdb') return
        most = Math.max(most, length)
        all += length
      })
      const { code } = await run([...args, fragmentPath('dense, col-major, without filters')], { storage })
      expect(code).toBe(0)
      expect(most).toBeLessThanOrEqual(2 ** 20)
      expect(all).toBeGreaterThan(0)
      if (args[0] === 'decode') expect(all).toBeLessThan(LARGE_TILE / 4)
    },
  )
})

describe('at, of a byte in a large tile', () => {
  /** A byte in the midst of the first tile. The length of the file depends on the compressor of the Node release. */
  const middleOf = (file: string): string => String(Math.floor(statSync(file).size * 0.4))

  /** Counts the chunks of data tiles that `work` unfilters. Those of generic tiles are shorter. */
  async function undone<T>(work: () => Promise<T>): Promise<{ chunks: number; result: T }> {
    const original = Pipeline.prototype.undoAt
    let chunks = 0
    Pipeline.prototype.undoAt = function (...args) {
      if (args[1].original_length >= 32_768) chunks++
      return original.apply(this, args)
    }
    try {
      return { result: await work(), chunks }
    } finally {
      Pipeline.prototype.undoAt = original
    }
  }

  test.each(['dense, col-major, without filters', 'sparse'] as const)('%s: few chunks are unfiltered', async (name) => {
    const file = `${fragmentPath(name)}/a0.tdb`
    const { chunks, result } = await undone(() => runJson(['at', file, middleOf(file), '--no-flips']))
    expect(result.code).toBe(0)
    const [{ chain }] = result.documents as unknown as { chain: { name: string }[] }[]
    expect(chain.map(({ name }) => name)).toContain('data')
    // The chunk of the byte, and the first chunk, which tells whether there is content. More if the cell begins in another chunk.
    expect(chunks).toBeGreaterThan(0)
    expect(chunks).toBeLessThanOrEqual(4)
  })

  test('the effect of a flip is tried chunk by chunk', async () => {
    const file = `${fragmentPath('sparse')}/a0.tdb`
    const { documents } = await runJson(['at', file, middleOf(file)])
    const [{ detected_by_bit }] = documents as unknown as { detected_by_bit: string[][] }[]
    // Whether zstd notices it, too, depends on the bytes that the Node release compresses to.
    expect(detected_by_bit.map((names) => names.filter((name) => name !== 'zstd'))).toEqual(
      Array.from({ length: 8 }, () => ['CHECKSUM_MD5']),
    )
  })
})

describe('damage in a large tile', () => {
  const name = 'sparse'
  const damaged = async <T>(place: (size: number) => number, look: () => Promise<T>): Promise<T> => {
    const file = `${fragmentPath(name)}/a0.tdb`
    const bytes = readFileSync(file)
    const at = place(bytes.length)
    bytes[at] ^= 0xff
    writeFileSync(file, bytes)
    try {
      return await look()
    } finally {
      bytes[at] ^= 0xff
      writeFileSync(file, bytes)
    }
  }
  /** A place in a chunk in the middle of the first tile, which has three quarters of the file. */
  const MIDDLE = (size: number): number => Math.floor(size * 0.4)
  /** A place in the number of chunks, which then becomes too large. */
  const COUNT = (): number => 2

  test('check names the chunk once', async () => {
    const { code, documents } = await damaged(MIDDLE, () => runJson(['check', fragmentPath(name)]))
    expect(code).toBe(1)
    const [{ findings }] = documents as unknown as { findings: { code: string; tile: number; chunk: number }[] }[]
    expect(findings.map(({ code, tile }) => ({ code, tile }))).toEqual([{ code: 'CHECKSUM_MISMATCH', tile: 0 }])
    expect(findings[0].chunk).toBeGreaterThan(50)
  })

  test('the cells before it are returned, and the fault of the tile is reported once', async () => {
    const faults: number[] = []
    const onColumnError: CellSelection['onColumnError'] = (_, column, tile) =>
      void faults.push(column.name === 'a' ? tile : -1)
    const given = await damaged(MIDDLE, () =>
      withCells(name, { fields: ['a'], onColumnError }, async (cells) => {
        const found = []
        for await (const { tile, cell_num, columns } of cells.batches())
          found.push({ tile, cell_num, a: columns[1] !== undefined })
        return found
      }),
    )
    expect(faults).toEqual([0])
    expect(given.reduce((sum, { cell_num }) => sum + cell_num, 0)).toBe(SPARSE_CELLS)
    const first = given.filter(({ tile }) => tile === 0).map(({ a }) => a)
    expect(first[0]).toBe(true)
    expect(first.at(-1)).toBe(false)
    expect(first.lastIndexOf(true)).toBeLessThan(first.indexOf(false))
    expect(given.filter(({ tile }) => tile === 1).every(({ a }) => a)).toBe(true)
  })

  test('a reader of whole tiles gets no cell of it', async () => {
    const tiles = await damaged(MIDDLE, () =>
      withCells(name, { fields: ['a'], wholeTiles: true, onColumnError: () => {} }, async (cells) => {
        const found = []
        for await (const { tile } of cells.batches()) found.push(tile)
        return found
      }),
    )
    expect(tiles).toEqual([1])
  })

  test.each([['check'], ['verify-checksums', '--deep']])('%s says that chunks are missing', async (...args) => {
    const { code, text } = await damaged(COUNT, () => run([...args, fragmentPath(name), '--json']))
    expect(code).toBe(1)
    expect(text).toMatch(/a0\.tdb/)
    expect(text).toMatch(/chunk_num|chunks/)
  })

  test('reading cells reports missing chunks like reading the whole tile', async () => {
    const read = (wholeTiles: boolean): Promise<InspectError | undefined> =>
      withCells(name, { fields: ['a'], wholeTiles }, async (cells) => {
        try {
          for await (const _ of cells.batches());
        } catch (error) {
          return error as InspectError
        }
      })
    const [parts, whole] = await damaged(COUNT, async () => [await read(false), await read(true)])
    expect(parts).toMatchObject({ code: 'TRUNCATED' })
    expect({ ...parts?.at, message: parts?.message }).toEqual({ ...whole?.at, message: whole?.message })
  })
})
