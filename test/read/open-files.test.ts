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
  private readonly reading = new Set<ByteSource>()

  override open(path: string): ByteSource {
    const { reading } = this
    const source = super.open(path)
    const counted: ByteSource = {
      name: source.name,
      size: () => source.size(),
      read: (offset, length) => {
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
  const sides = (low: number, high: number) =>
    Array.from({ length: high - low + 1 }, (_, i) => low + i).flatMap((min) =>
      Array.from({ length: high - min + 1 }, (_, i) => ({ min, max: min + i })),
    )
  const cells = (box: { min: number; max: number }[]) => box.reduce((n, { min, max }) => n * (max - min + 1), 1)
  const boxes = sides(1, 3)
    .flatMap((y) => sides(0, 3).map((x) => [y, x]))
    .sort((a, b) => cells(b) - cells(a))
  const whole = opened.fragments.filter(({ info }) => info.tile_num > 1 && isAtStart(info.nonempty_domain))
  const fragments = boxes.map((box, i) => {
    const nonempty_domain = box.map(({ min, max }) => ({
      min: bytesOf('INT32', 1, min),
      max: bytesOf('INT32', 1, max),
    }))
    return { ...whole[i], info: { ...whole[i].info, nonempty_domain } }
  })
  await expectFewFiles(storage, { ...opened, fragments }, {})
})

/** Whether a box begins in the first cell of `dense_basic`. */
function isAtStart(box: NDRange | undefined): boolean {
  return box?.map(({ min }) => integerOf('INT32', min)).join() === '1,0'
}
