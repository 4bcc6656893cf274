import { expect, test } from '@jest/globals'
import { integerOf } from '../../src/format/dense-tiles.ts'
import type { NDRange } from '../../src/format/range.ts'
import { bytesOf } from '../../src/format/value.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray, ReadQuery } from '../../src/read/query.ts'
import { defaultOrder, readMerged } from '../../src/read/read.ts'
import { loadWhere } from '../../src/read/where.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { type ByteSource, Folder } from '../../src/storage/source.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'

/** Counts the files that are open at once: from the first read on. */
class CountingStorage extends MemoryStorage {
  most = 0
  /** How often a file was opened. */
  openings = 0
  private readonly reading = new Set<ByteSource>()

  override open(path: string): ByteSource {
    const { reading } = this
    const source = super.open(path)
    const counted: ByteSource = {
      name: source.name,
      size: () => source.size(),
      read: (offset, length) => {
        if (!reading.has(counted)) this.openings++
        reading.add(counted)
        this.most = Math.max(this.most, reading.size)
        return source.read(offset, length)
      },
      close: async () => {
        reading.delete(counted)
      },
    }
    return counted
  }

  get left(): number {
    return this.reading.size
  }
}

/** An array with copies of its fragments, of later times. */
function withCopies(array: string, copies: number): CountingStorage {
  const files = filesBelow(`${FIXTURES}/${array}`, 'array')
  for (const [path, bytes] of [...files]) {
    const found = /^(.*\/__)(\d+)_(\d+)_([\da-f]{32}_\d+)(\/.*|\.wrt)$/.exec(path)
    if (!found) continue
    const [, before, first, last, name, after] = found
    for (let copy = 1; copy <= copies; copy++)
      files.set(`${before}${Number(first) + copy}_${Number(last) + copy}_${name}${after}`, bytes)
  }
  return new CountingStorage(files)
}

function openAll(storage: CountingStorage): Promise<OpenedArray> {
  return openAt(new InspectArray(new Folder(storage, 'array'), contextFor({ key: undefined })))
}

async function expectFewFiles(storage: CountingStorage, opened: OpenedArray, query: Partial<ReadQuery>): Promise<void> {
  let cells = 0
  const all = { order: defaultOrder(opened), ranges: new Map(), ...query }
  for await (const { rows, cell_num } of readMerged(opened, all)) cells += rows?.length ?? cell_num
  expect(cells).toBeGreaterThan(0)
  expect(storage.most).toBeLessThanOrEqual(150)
  expect(storage.left).toBe(0)
}

const READS: [name: string, array: string, query: Partial<ReadQuery>, where: string | undefined][] = [
  ['a sparse array', '22/sparse_basic', {}, undefined],
  ['slices of a sparse array', '22/sparse_basic', { order: 'row-major' }, undefined],
  ['a sparse array with duplicates and a condition', '22/duplicates', {}, 'a >= 10'],
  ['an array with deletes', '22/deletes', {}, undefined],
]

test.each(READS)('a read of %s opens few files at once, and closes them all', async (_, array, query, where) => {
  const storage = withCopies(array, 200)
  const opened = await openAll(storage)
  expect(opened.fragments.length).toBeGreaterThan(200)
  const condition = where === undefined ? undefined : await loadWhere(where, opened.schema, opened.array)
  await expectFewFiles(storage, opened, { ...query, where: condition })
})

test('a read of a dense array opens few files at once, and closes them all', async () => {
  const storage = withCopies('22/dense_basic', 60)
  const opened = await openAll(storage)
  // Boxes in the first tile of the array, none of which hides one before it.
  const cells = (box: { min: number; max: number }[]) => box.reduce((n, { min, max }) => n * (max - min + 1), 1)
  const boxes = sides(1, 3)
    .flatMap((y) => sides(0, 3).map((x) => [y, x]))
    .sort((a, b) => cells(b) - cells(a))
  await expectFewFiles(storage, { ...opened, fragments: inBoxes(opened, boxes) }, {})
})

test('a dense read opens each fragment once for a window, if not all can be open together', async () => {
  const storage = withCopies('22/dense_basic', 60)
  const opened = await openAll(storage)
  // Boxes in two tiles along y, none of which hides one before it in either.
  const boxes = sides(0, 3)
    .sort((a, b) => b.max - b.min - (a.max - a.min))
    .flatMap((x) => [0, 1, 2].map((inside) => [{ min: 1 + inside, max: 7 - inside }, x]))
  const fragments = inBoxes(opened, boxes)
  const before = storage.openings
  await expectFewFiles(storage, { ...opened, fragments }, {})
  // Two attributes are var-sized, and two have validity. The metadata is one more file.
  const files = opened.schema.attributes.length + 5
  expect(files * fragments.length).toBeGreaterThan(128)
  expect(storage.openings - before).toBeLessThanOrEqual(files * fragments.length)
})

interface Side {
  min: number
  max: number
}

/** All intervals between two numbers. */
function sides(low: number, high: number): Side[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i).flatMap((min) =>
    Array.from({ length: high - min + 1 }, (_, i) => ({ min, max: min + i })),
  )
}

/** Fragments of `dense_basic` that begin in its first cell, as if their cells were in some boxes. */
function inBoxes({ fragments }: OpenedArray, boxes: readonly Side[][]): OpenedArray['fragments'] {
  const whole = fragments.filter(({ info }) => info.tile_num > 1 && isAtStart(info.nonempty_domain))
  return boxes.map((box, i) => {
    const nonempty_domain = box.map(({ min, max }) => ({
      min: bytesOf('INT32', 1, min),
      max: bytesOf('INT32', 1, max),
    }))
    return { ...whole[i], info: { ...whole[i].info, nonempty_domain } }
  })
}

/** Whether a box begins in the first cell of `dense_basic`. */
function isAtStart(box: NDRange | undefined): boolean {
  return box?.map(({ min }) => integerOf('INT32', min)).join() === '1,0'
}
