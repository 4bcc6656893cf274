import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { rtreeSize } from '../../src/objects/metadata-sections.ts'
import { openAt } from '../../src/read/opening.ts'
import { Folder, type Storage } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()
const METADATA = '__fragment_metadata.tdb'

/** Numbers of fragments: eight times as many. */
const [FEW, MANY] = [16, 128]
/** Eight times the work may take at most this many times the calls. */
const MAX_TIMES = 10
/** Calls of each fragment: its folder, its metadata, and its three data files. */
const OF_FRAGMENT = 24
/** The first fragments are read in the usual way, and the others as them. */
const MAX_WAITED = 12

beforeAll(async () => {
  for (const count of [FEW, MANY]) {
    const size = ['--fragments', `${count}`, '--cells', `${count * 20}`, '--capacity', '100']
    const dims = ['--dim', 'x:INT64:0..999:100', '--attr', 'a:FLOAT64', '--attr', 'b:INT32']
    const { code } = await run(['write-sample', join(folder, `f${count}`), ...size, ...dims])
    expect(code).toBe(0)
  }
})

/** What a command asks of its storage. */
interface Calls {
  all: number
  /** Reads of metadata files that it waits for. */
  waited: number
  /** Questions what there is at a path. */
  kinds: number
  /** How often files of each kind were opened, and folders of fragments listed. */
  opened: Opened
}

interface Opened {
  metadata: number
  data: number
  folder: number
  schema: number
}

/** Runs a command on an array of `count` fragments, and counts what it asks of its storage. @param args the array is `{}`, or comes second */
async function calls(args: readonly string[], count: number): Promise<Calls> {
  let all = 0
  let waited = 0
  let kinds = 0
  const opened: Opened = { metadata: 0, data: 0, folder: 0, schema: 0 }
  const array = join(folder, `f${count}`)
  const open = (path: string): void => {
    if (!path.startsWith(`${array}/`)) return
    if (path.endsWith(METADATA)) opened.metadata++
    else if (path.endsWith('.tdb')) opened.data++
    else if (/\/__schema\/__[^/]*$/.test(path)) opened.schema++
    else if (/\/__fragments\/[^/]*$/.test(path)) opened.folder++
  }
  const counted = <A extends unknown[], R>(call: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => {
      all++
      return call(...args)
    }
  }
  const { kind, list, listSized, readEnd, fileSize } = localFiles
  const storage: Storage = {
    ...localFiles,
    kind: counted((path) => {
      kinds++
      return kind(path)
    }),
    list: counted((path) => {
      open(path)
      return list(path)
    }),
    ...(listSized && {
      listSized: counted((path, known) => {
        open(path)
        return listSized(path, known)
      }),
    }),
    ...(readEnd && {
      readEnd: counted((path, into) => {
        open(path)
        return readEnd(path, into)
      }),
    }),
    ...(fileSize && { fileSize: counted(fileSize) }),
    open(path) {
      const source = localFiles.open(path)
      let isOpen = false
      return {
        name: source.name,
        size: counted(() => source.size()),
        read: counted((offset, length, into) => {
          if (path.endsWith(METADATA)) waited++
          if (!isOpen) open(path)
          isOpen = true
          return source.read(offset, length, into)
        }),
        close() {
          isOpen = false
          return source.close()
        },
      }
    },
  }
  const [name, ...rest] = args.map((arg) => arg.replace('{}', array))
  const named = args.some((arg) => arg.includes('{}')) ? [name, ...rest] : [name, array, ...rest]
  const { code, stderr } = await run(named, { storage })
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  return { all, waited, kinds, opened }
}

describe('eight times as many fragments', () => {
  test.each<[readonly string[], number]>([
    [['ls', '--json'], OF_FRAGMENT],
    [['stats', '--json'], OF_FRAGMENT],
    [['read', '--limit', '3'], OF_FRAGMENT],
    [['read', '--range', 'x=490..510'], OF_FRAGMENT],
    [['explain', '--range', 'x=490..510'], OF_FRAGMENT],
    // The ranges hold all boxes, so that only the sizes of the R-trees are read.
    [['explain', '--range', 'x=0..999'], OF_FRAGMENT],
  ])('%j asks at most ten times as much, and waits for the metadata of few', async (command, most) => {
    const [few, many] = [await calls(command, FEW), await calls(command, MANY)]
    expect(many.all / few.all).toBeLessThanOrEqual(MAX_TIMES)
    expect(many.all).toBeLessThan(most * MANY)
    expect(many.waited).toBeLessThan(MAX_WAITED)
  })

  test.each([[['why', '--quick']], [['check']]])('%j asks at most ten times as much', async (command) => {
    const [few, many] = [await calls(command, FEW), await calls(command, MANY)]
    expect(many.all / few.all).toBeLessThanOrEqual(MAX_TIMES)
  })
})

/**
 * How often each command opens the files of a fragment, which has one of metadata and three of data, and lists its folder. On a slow disk each
 * opening is a wait. Schemas are opened at most this often in all, however many fragments there are.
 */
const OPENED: readonly (readonly [args: readonly string[], metadata: number, data: number, folder: number])[] = [
  [['{}'], 1, 0, 1],
  [['ls', '--json'], 1, 0, 1],
  [['stats', '--json'], 1, 0, 1],
  [['stats', '--read'], 1, 3, 0],
  [['read', '--format', 'ndjson'], 1, 3, 0],
  [['read', '--limit', '3'], 1, 3, 0],
  [['decode', '--all-fragments', '--format', 'ndjson'], 1, 3, 0],
  [['history', '--cell', 'x=5'], 1, 0, 0],
  [['footer', '--json'], 1, 0, 0],
  [['rtree', '--json'], 1, 0, 0],
  [['explain'], 1, 0, 0],
  [['explain', '--exact'], 1, 1, 0],
  // Reads the array without each of its commits.
  [['why', '{}/__commits'], 1, 3, 0],
  [['why', '--quick'], 1, 0, 0],
  [['diff', '{}', '{}'], 1, 0, 1],
  [['check', '--level', 'structure'], 1, 0, 1],
  [['check'], 1, 3, 1],
  [['check', '--level', 'cells'], 1, 3, 1],
  [['verify-checksums'], 1, 0, 1],
  [['verify-checksums', '--deep'], 1, 3, 0],
  // Reads a sample, then all cells for each other layout.
  [['whatif'], 1, 3, 0],
  // Checks them, then copies them.
  [['recover', '{}', '--to', '{}.new'], 1, 3, 1],
]
const MAX_SCHEMAS = 2

test.each(OPENED)(
  '%j opens each file of a fragment as often as the table says',
  async (args, metadata, data, inside) => {
    const { opened } = await calls(args, FEW)
    const each = ({ schema: _, ...files }: Opened): object =>
      Object.fromEntries(Object.entries(files).map(([kind, times]) => [kind, Math.round(times / FEW)]))
    expect(each(opened)).toEqual({ metadata, data, folder: inside })
    expect(opened.schema).toBeLessThanOrEqual(MAX_SCHEMAS)
  },
)

test('the size of an R-tree that was read is known, and others are read synchronously', async () => {
  let ends = 0
  let opened = 0
  const storage: Storage = {
    ...localFiles,
    readEnd(path, into) {
      ends++
      return localFiles.readEnd?.(path, into)
    },
    open(path) {
      if (path.endsWith(METADATA)) opened++
      return localFiles.open(path)
    },
  }
  const array = new InspectArray(new Folder(storage, join(folder, `f${FEW}`)), contextFor({ key: undefined }))
  const { fragments } = await openAt(array)
  await rtreeSize(fragments[2].fragment)
  opened = 0
  ends = 0
  const [one, other] = fragments.slice(-2)
  const size = await rtreeSize(one.fragment)
  expect([ends, opened]).toEqual([1, 0])
  one.fragment.rtreeSync()
  // The end of another file is kept from here on.
  await rtreeSize(other.fragment)
  ends = 0
  expect(await rtreeSize(one.fragment)).toBe(size)
  expect(ends).toBe(0)
})

test('verify-checksums looks for the array around the first fragment only', async () => {
  expect((await calls(['verify-checksums'], FEW)).kinds).toBeLessThan(FEW)
})
