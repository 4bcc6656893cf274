import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import { Folder, type Storage } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { type Ran, run } from '../helpers/run.ts'
import { ALL } from '../helpers/turn.ts'

const folder = temporaryFolder()

/** Without {@link Storage.readEnd}, every fragment is read in the usual way. */
const { readEnd: _, ...WAITING } = localFiles

async function sample(name: string, options: readonly string[]): Promise<string> {
  const path = join(folder, name)
  const size = ['--fragments', '24', '--cells', '480', '--capacity', '100']
  const { code, stderr } = await run(['write-sample', path, ...size, ...options])
  expect([code, stderr.split('\n').filter((line) => line.startsWith('error'))]).toEqual([0, []])
  return path
}

function reads(path: string, range: readonly string[], storage?: Storage): Promise<Ran> {
  const ranges = range.flatMap((one) => ['--range', one])
  return run(['read', path, ...ranges, '--provenance', '--format', 'ndjson'], storage ? { storage } : {})
}

/** Files of coordinates that were read without waiting. */
function counting(): { storage: Storage; count: () => number } {
  let count = 0
  const readEnd: Storage['readEnd'] = (path, into) => {
    if (/\/d\d\.tdb$/.test(path)) count++
    return localFiles.readEnd?.(path, into)
  }
  return { storage: { ...localFiles, readEnd }, count: () => count }
}

/** Places of a file that are damaged, one at a time. */
const PLACES = ALL ? 50 : 16

const INTEGERS = ['--dim', 'x:INT64:0..999:100', '--dim', 'y:UINT64:0..999:100', '--attr', 'a:INT32']

describe('fragments of one tile that have no cell in the ranges', () => {
  test.each<[string, readonly string[], readonly (readonly string[])[]]>([
    ['integers', INTEGERS, [['x=500', 'y=777'], ['x=480..520'], ['x=0..300', 'x=700..710', 'y=900..950'], ['y=3']]],
    ['filters', [...INTEGERS, '--coords-filters', 'double-delta,zstd'], [['x=500', 'y=777'], ['x=480..520']]],
    ['plain', [...INTEGERS, '--coords-filters', ''], [['x=500', 'y=777'], ['x=480..520']]],
    ['hilbert', [...INTEGERS, '--cell-order', 'hilbert'], [['x=480..520', 'y=0..300']]],
    ['duplicates', [...INTEGERS, '--duplicates'], [['x=480..520', 'y=0..300']]],
    ['version 12', [...INTEGERS, '--format-version', '12'], [['x=480..520', 'y=0..300'], ['y=5']]],
    [
      'floats',
      ['--dim', 'x:FLOAT64:-9..9:1', '--dim', 'y:INT16:0..99:10', '--attr', 'a:INT32'],
      [['x=1..1.5'], ['y=7']],
    ],
  ])('%s: the cells are the same as when all are read', async (name, options, ranges) => {
    const path = await sample(name, options)
    let found = 0
    let quick = 0
    for (const range of ranges) {
      const { storage, count } = counting()
      const { text, code } = await reads(path, range, storage)
      expect([code, text]).toEqual([0, (await reads(path, range, WAITING)).text])
      found += text.length
      quick += count()
    }
    expect(quick).toBeGreaterThan(20)
    expect(found).toBeGreaterThan(0)
  })

  test('damage in the deciding dimension gives the same errors; other damage changes nothing', async () => {
    const path = await sample('damaged', INTEGERS)
    const fragments = fragmentNames(path)
    const ask = async (storage?: Storage): Promise<unknown[]> => {
      const { code, text, stderr } = await reads(path, ['x=500'], storage)
      return [code, text, stderr]
    }
    const whole = await ask()
    const failed: string[] = []
    for (const file of ['__fragment_metadata.tdb', 'd0.tdb', 'd1.tdb']) {
      const damaged = join(path, '__fragments', fragments[20], file)
      const bytes = readFileSync(damaged)
      const expectSame = async (changed: Uint8Array, at: number): Promise<void> => {
        writeFileSync(damaged, changed)
        const [quick, waiting] = [await ask(), await ask(WAITING)]
        if (quick[0] !== 0) failed.push(file)
        if (file === 'd0.tdb') expect([at, ...quick]).toEqual([at, ...waiting])
        // R-tree and tile offsets are not read, nor is the other dimension.
        else expect([waiting, whole].map((one) => [file, at, ...one])).toContainEqual([file, at, ...quick])
      }
      for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / PLACES)) {
        const changed = Buffer.from(bytes)
        changed[at] ^= 0x55
        await expectSame(changed, at)
      }
      await expectSame(bytes.subarray(0, -1), bytes.length)
      writeFileSync(damaged, bytes)
    }
    expect(failed.filter((file) => file === 'd0.tdb').length).toBeGreaterThan(5)
    expect(failed).toContain('__fragment_metadata.tdb')
    expect(failed).not.toContain('d1.tdb')
  })

  test('only the footer and the deciding dimension are read', async () => {
    const read: string[] = []
    const metadata = new Map<string, number>()
    const readEnd: Storage['readEnd'] = (path, into) => {
      read.push(basename(path))
      if (path.endsWith('__fragment_metadata.tdb')) metadata.set(path, (metadata.get(path) ?? 0) + 1)
      return localFiles.readEnd?.(path, into)
    }
    const path = await sample('needed', INTEGERS)
    expect((await reads(path, ['x=500', 'y=777'], { ...localFiles, readEnd })).code).toBe(0)
    const times = (name: string): number => read.filter((one) => one === name).length
    expect(times('d0.tdb')).toBeGreaterThan(10)
    expect(times('d1.tdb')).toBeLessThan(times('d0.tdb') / 2)
    expect(metadata.size).toBeLessThan(25)
    // Only of the few fragments that may have a cell in the ranges, the R-tree is read, too.
    expect([...metadata.values()].filter((one) => one > 1).length).toBeLessThan(3)
  })
})

test.each([
  [true, 1],
  [false, 2],
])('with all boxes wanted: %p, most metadata files are opened %d times for footer and boxes', async (boxes, times) => {
  const path = await sample(`boxes-${boxes}`, INTEGERS)
  const opened = new Map<string, number>()
  const readEnd: Storage['readEnd'] = (file, into) => {
    opened.set(file, (opened.get(file) ?? 0) + 1)
    return localFiles.readEnd?.(file, into)
  }
  const array = new InspectArray(new Folder({ ...localFiles, readEnd }, path), contextFor({ key: undefined }))
  const found = await openAt(array, { boxes })
  const trees = []
  for (const { fragment } of found.fragments) trees.push(await fragment.rtree())
  // The first ones are read in the usual way: they tell the layout of the others.
  expect([...opened.values()].filter((count) => count === times).length).toBeGreaterThan(20)
  const plain = new InspectArray(new Folder(WAITING, path), contextFor({ key: undefined }))
  const expected = await Promise.all(
    found.fragments.map(({ fragment }) => plain.fragment(fragment.folder.path.slice(path.length + 1)).rtree()),
  )
  expect(trees).toEqual(expected)
})
