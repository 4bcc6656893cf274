import { mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { folderOf } from '../../src/base/paths.ts'
import { apply, ChangingStorage, type Event } from '../helpers/changing-storage.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { Random } from '../helpers/random.ts'
import { type Ran, run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'
import { shortTurn, tries } from '../helpers/turn.ts'
import { motionOf } from '../helpers/written-history.ts'

/*
 * A listing of many names comes in pages, between which a writer works. What a command says must be of one state that there was, or it
 * ends with 3 and CHANGED_WHILE_READ.
 */

const bucket = temporaryFolder()
const PAGE = 4
const server = await serveBuckets({ bucket }, { pageSize: PAGE })
const env = { AWS_ENDPOINT_URL: server.url, AWS_NO_SIGN_REQUEST: '1' }
const ROOT = '/array'
const ARRAY = 's3://bucket/array'

const SCHEMA = {
  array_type: 'sparse',
  capacity: 3,
  dimensions: [{ name: 'x', type: 'INT32', domain: [0, 999], tile_extent: 10 }],
  attributes: [{ name: 'a', type: 'INT32' }],
}
const write = (time: number) => ({
  step: 'write',
  time,
  cells: [
    { x: time, a: time },
    { x: time + 1, a: time },
  ],
})
const both = (mode: string) => [
  { step: 'consolidate', mode },
  { step: 'vacuum', mode },
]
/** Eleven fragments, and with their commits three pages. */
const WRITES = Array.from({ length: 11 }, (_, i) => write(20 + 10 * i))

const HISTORIES = {
  'consolidated and vacuumed': { before: 11, steps: [...WRITES, ...both('fragments'), write(200), write(210)] },
  'commits consolidated and vacuumed, then fragments': {
    before: 11,
    steps: [...WRITES, ...both('commits'), write(200), ...both('fragments')],
  },
}

beforeEach(() => server.reset())

function happen({ path, bytes }: Event): void {
  const file = bucket + path
  if (!bytes) {
    rmSync(file, { force: true })
    // There are no empty folders.
    for (let at = folderOf(file); at !== bucket && readdirSync(at).length === 0; at = folderOf(at)) rmdirSync(at)
    return
  }
  mkdirSync(folderOf(file), { recursive: true })
  writeFileSync(file, bytes)
}

/** Puts files into the bucket, in place of those that are there. */
function put(files: ReadonlyMap<string, Uint8Array>): void {
  rmSync(bucket + ROOT, { recursive: true, force: true })
  for (const [path, bytes] of files) happen({ path, bytes })
}

const COMMANDS: readonly (readonly string[])[] = [
  ['ls', '--json'],
  ['ls', '--names', '--json'],
  ['read', '--json'],
  ['stats', '--read', '--json'],
  ['decode', '--all-fragments', '--json'],
]

/** The part of an answer that is the same on a disk. */
function answered([command, option]: readonly string[], { text }: Ran): string {
  if (command === 'decode' || option === '--names') {
    const names = [...text.matchAll(/__\d+_\d+_[0-9a-f]{32}_\d+/g)].map(([name]) => name)
    return JSON.stringify([...new Set(names)].sort())
  }
  const { fragments, cells, cell_num, fields } = JSON.parse(text)
  if (command === 'read') return JSON.stringify(cells.map((one: object) => JSON.stringify(one)).sort())
  if (command === 'stats') return JSON.stringify([cell_num, fields.map(({ sum }: { sum: unknown }) => sum)])
  return JSON.stringify(
    fragments.filter((one: { visible: boolean }) => one.visible).map(({ name }: { name: string }) => name),
  )
}

describe.each(Object.entries(HISTORIES).map(([name, history], i) => [name, history, i] as const))(
  '%s',
  (_, history, i) => {
    const motion = motionOf(SCHEMA, history, ROOT, true)

    // The gate tries every command with both histories, another run with one of them.
    const calls = COMMANDS.filter((_, c) =>
      shortTurn(
        [0, 1].map((h) => (h + c) % 2),
        2,
      ).includes(i),
    )

    test.each(calls)('%s %s answers as of one state, or says that the array was changed', async (...args) => {
      const { files, events } = await motion()
      const states = new Set<string>()
      const at = new Map(files)
      for (const event of [undefined, ...events]) {
        if (event) apply(at, event)
        const ran = await run([args[0], ROOT, ...args.slice(1)], { storage: new ChangingStorage(at, [], () => 0) })
        if (ran.code === 0) states.add(answered(args, ran))
      }
      put(files)
      server.reset()
      expect(await run([args[0], ARRAY, ...args.slice(1)], { env })).toMatchObject({ code: 0 })
      const listings = server.requests.filter(({ prefix }) => prefix !== undefined).length
      let answers = 0
      // At least one try gives an answer.
      for (let i = 0; i < tries(4, 12, 200) || (answers === 0 && i < 12); i++) {
        const random = new Random(Number(process.env.TEST_SEED ?? 1) + i)
        const [first, burst] = [1 + random.below(listings), 1 + random.below(events.length)]
        put(files)
        server.reset()
        let [listed, done] = [0, 0]
        server.fault = ({ prefix }) => {
          if (prefix !== undefined && ++listed > first)
            for (const end = Math.min(done + burst, events.length); done < end; done++) happen(events[done])
          return false
        }
        const ran = await run([args[0], ARRAY, ...args.slice(1)], { env })
        const was = { first, burst, code: ran.code, stderr: ran.stderr }
        if (ran.code === 3)
          expect({ ...was, text: ran.text }).toMatchObject({ text: expect.stringContaining('CHANGED_WHILE_READ') })
        else {
          expect(was).toMatchObject({ code: 0 })
          const found = answered(args, ran)
          expect({ ...was, found, isState: states.has(found) }).toMatchObject({ isState: true })
          answers++
        }
      }
      expect(answers).toBeGreaterThan(0)
    })
  },
)

describe('how often a folder is listed', () => {
  const motion = motionOf(SCHEMA, HISTORIES['consolidated and vacuumed'], ROOT, true)
  const COMMITS = 'array/__commits/'
  const pages = (): number => server.requests.filter(({ prefix }) => prefix === COMMITS).length
  /** Lists the array while `work` is done before each page of the commits. */
  const ls = async (work: (page: number) => void): Promise<Ran> => {
    put((await motion()).files)
    server.fault = ({ prefix }, _, count) => {
      if (prefix === COMMITS) work(count)
      return false
    }
    return run(['ls', '--json', ARRAY], { env })
  }
  const commit = (page: number): Event => ({
    path: `${ROOT}/__commits/__${page}_${page}_${'0'.repeat(32)}_22.wrt`,
    bytes: new Uint8Array(0),
  })

  test('once, if all names are on one page', async () => {
    const few = await motionOf(SCHEMA, { before: 3, steps: WRITES.slice(0, 3) }, ROOT, true)()
    put(few.files)
    expect(await run(['ls', '--json', ARRAY], { env })).toMatchObject({ code: 0 })
    expect(pages()).toBe(1)
  })

  test('all pages but the last once more, if nothing changes', async () => {
    expect(await ls(() => {})).toMatchObject({ code: 0 })
    expect(pages()).toBe(3 + 2)
  })

  test('until two listings agree', async () => {
    const { events } = await motion()
    // After the first page, all is consolidated, and a vacuum has removed the commits, but not yet the fragments.
    const half = events.filter(({ path, bytes }) => bytes !== undefined || path.includes('/__commits/'))
    const ran = await ls((page) => {
      if (page === 2) half.forEach(happen)
    })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const live = JSON.parse(ran.text).fragments.filter((one: { visible: boolean }) => one.visible)
    expect(live.map(({ name }: { name: string }) => name.replace(/_[0-9a-f]{32}_.*/, ''))).toEqual([
      '__20_120',
      '__200_200',
      '__210_210',
    ])
  })

  test('at most four times, and as often after all is opened afresh', async () => {
    const ran = await ls((page) => happen(commit(page)))
    expect(ran).toMatchObject({ code: 3, text: expect.stringContaining('CHANGED_WHILE_READ') })
    expect(ran.stderr).not.toMatch(/damage/i)
    expect(pages()).toBeGreaterThan(2 * 4 * 3)
  })
})
