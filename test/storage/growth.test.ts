import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import type { Storage } from '../../src/storage/source.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()
const METADATA = '__fragment_metadata.tdb'

/** Numbers of fragments: eight times as many. */
const [FEW, MANY] = [24, 192]
/** Eight times the work may take at most this many times the calls. */
const MOST_TIMES = 10
/** Calls of each fragment: its folder, its metadata, and its three data files. */
const OF_FRAGMENT = 24
/** The first fragments are read in the usual way, and the others as them. */
const MOST_WAITED = 12

beforeAll(async () => {
  for (const count of [FEW, MANY]) {
    const size = ['--fragments', `${count}`, '--cells', `${count * 20}`, '--capacity', '100']
    const dims = ['--dim', 'x:INT64:0..999:100', '--attr', 'a:FLOAT64', '--attr', 'b:INT32']
    const { code } = await run(['write-sample', join(folder, `f${count}`), ...size, ...dims])
    expect(code).toBe(0)
  }
})

/** Runs a command on an array of `count` fragments, and counts what it asks of its storage. */
async function calls([name, ...args]: readonly string[], count: number): Promise<{ all: number; waited: number }> {
  let all = 0
  let waited = 0
  const counted = <A extends unknown[], R>(call: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      all++
      return call(...args)
    }
  }
  const { kind, list, readEnd, fileSize } = localFiles
  const storage: Storage = {
    ...localFiles,
    kind: counted(kind),
    list: counted(list),
    ...(readEnd && { readEnd: counted(readEnd) }),
    ...(fileSize && { fileSize: counted(fileSize) }),
    open(path) {
      const source = localFiles.open(path)
      return {
        name: source.name,
        size: counted(() => source.size()),
        read: counted((offset, length, into) => {
          if (path.endsWith(METADATA)) waited++
          return source.read(offset, length, into)
        }),
        close: () => source.close(),
      }
    },
  }
  const { code, stderr } = await run([name, join(folder, `f${count}`), ...args], { storage })
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  return { all, waited }
}

describe('eight times as many fragments', () => {
  test.each<[readonly string[], number]>([
    [['ls', '--json'], OF_FRAGMENT],
    [['stats', '--json'], OF_FRAGMENT],
    [['read', '--limit', '3'], OF_FRAGMENT],
    [['read', '--range', 'x=490..510'], OF_FRAGMENT],
    [['explain', '--range', 'x=490..510'], OF_FRAGMENT],
  ])('%j asks at most ten times as much, and waits for the metadata of few', async (command, most) => {
    const [few, many] = [await calls(command, FEW), await calls(command, MANY)]
    expect(many.all / few.all).toBeLessThanOrEqual(MOST_TIMES)
    expect(many.all).toBeLessThan(most * MANY)
    expect(many.waited).toBeLessThan(MOST_WAITED)
  })

  test.each([[['why', '--quick']], [['check']]])('%j asks at most ten times as much', async (command) => {
    const [few, many] = [await calls(command, FEW), await calls(command, MANY)]
    expect(many.all / few.all).toBeLessThanOrEqual(MOST_TIMES)
  })
})
