import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from '@jest/globals'
import { main } from '../../src/cli/cli.ts'
import { localFiles } from '../../src/node/file.ts'
import { ProgressLine, type Work } from '../../src/render/progress.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'

/* Work that may take long says how much there is to do. */

const folder = temporaryFolder()
const ARRAY = `${folder}/array`
const SCHEMA = {
  array_type: 'sparse',
  capacity: 100,
  dimensions: [{ name: 'x', type: 'INT32', domain: [0, 9999], tile_extent: 100 }],
  attributes: [{ name: 'a', type: 'INT32' }],
}
const write = (from: number) => ({
  step: 'write',
  cells: Array.from({ length: 1000 }, (_, i) => ({ x: from + i, a: i })),
})

interface Told extends Work {
  /** What was said to be done, in the order in which it was said. */
  done: number[]
}

/** Runs a command on a terminal. @returns the work whose progress it shows, in the order in which it begins */
async function workOf(...args: string[]): Promise<Told[]> {
  const found: Told[] = []
  const { begin } = ProgressLine.prototype
  ProgressLine.prototype.begin = function (work) {
    const told = { ...work, done: [] as number[] }
    found.push(told)
    const progress = begin.call(this, work)
    return {
      update(done, total) {
        told.done.push(done)
        progress.update(done, total)
      },
      stop: progress.stop,
    }
  }
  try {
    const code = await main({
      argv: args,
      env: {},
      stdout: { write() {}, columns: undefined, color: false, isTTY: false },
      stderr() {},
      stderrColumns: 100,
      beforeOutput() {},
      storage: localFiles,
    })
    expect(code).toBe(0)
    return found
  } finally {
    ProgressLine.prototype.begin = begin
  }
}

async function totalOf({ total }: Work): Promise<number | undefined> {
  return typeof total === 'function' ? total() : total
}

let steps: Told[]
beforeAll(async () => {
  writeFileSync(
    `${folder}/steps.json`,
    JSON.stringify([{ step: 'create', schema: SCHEMA }, write(0), write(500), { step: 'consolidate' }]),
  )
  steps = await workOf('write-sample', ARRAY, '--steps', `${folder}/steps.json`)
})

const sizeOf = (path: string): number => statSync(`${ARRAY}/${path}`).size

test('write-sample: all steps, and within a step how much of it is done', () => {
  expect(steps).toMatchObject([{ what: 'writing', unit: 'steps', total: 4 }])
  const [{ done }] = steps
  expect(done.at(-1)).toBe(4)
  expect(done).toEqual(done.toSorted((a, b) => a - b))
  // A consolidation reads two fragments of 10 tiles, and writes one of 20.
  expect(done.filter((one) => one > 3 && one < 3.5).length).toBeGreaterThan(1)
  expect(done.filter((one) => one > 3.5 && one < 4).length).toBeGreaterThan(10)
  expect(done.filter((one) => one > 1 && one < 2)).toHaveLength(10)
})

test.each(['--sparse', '--dense'])('write-sample %s: cells count while they are made, too', async (type) => {
  const [work, ...more] = await workOf(
    'write-sample',
    `${folder}/cells${type}`,
    type,
    '--cells',
    '400',
    '--fragments',
    '1',
  )
  expect([work, more]).toMatchObject([{ what: 'writing', unit: 'cells', total: 400 }, []])
  const { done } = work
  expect(done).toEqual(done.toSorted((a, b) => a - b))
  // Nothing is written before all cells of a fragment are made.
  expect(done.filter((one) => one < 200).length).toBeGreaterThan(0)
  expect(done.at(-1)).toBe(400)
})

test('write-sample of an array that steps go on with: its cells', async () => {
  writeFileSync(`${folder}/more.json`, JSON.stringify([{ step: 'consolidate' }]))
  const args = [
    'write-sample',
    `${folder}/more`,
    '--cells',
    '300',
    '--fragments',
    '2',
    '--steps',
    `${folder}/more.json`,
  ]
  const work = await workOf(...args)
  expect(work).toMatchObject([
    { what: 'writing', unit: 'cells', total: 300 },
    { what: 'writing', unit: 'steps', total: 1 },
  ])
  expect(work[0].done.at(-1)).toBe(300)
})

test('dump: the bytes that it shows', async () => {
  const [name] = fragmentNames(ARRAY)
  const file = `__fragments/${name}/a0.tdb`
  const [all] = await workOf('dump', '--json', `${ARRAY}/${file}`)
  expect(all.unit).toBeUndefined()
  expect(await totalOf(all)).toBe(sizeOf(file))
  const [some] = await workOf('dump', '--at', '10..49', `${ARRAY}/${file}`)
  expect(await totalOf(some)).toBe(40)
})

test('why: the bytes of what it examines in place of a fragment', async () => {
  const names = fragmentNames(ARRAY)
  const whole = names.find((name) => /^__(\d+)_(?!\1_)/.test(name)) ?? ''
  const other = names.find((name) => name !== whole) ?? ''
  const [work] = await workOf('why', `${ARRAY}/__fragments/${other}`)
  expect(work.unit).toBeUndefined()
  const files = readdirSync(`${ARRAY}/__fragments/${whole}`)
  expect(await totalOf(work)).toBe(files.reduce((sum, file) => sum + sizeOf(`__fragments/${whole}/${file}`), 0))
})

test.each([['the overview'], ['ls', 'ls'], ['stats', 'stats']])('%s of a group: its members', async (_, ...command) => {
  const [first] = await workOf(...command, 'examples/arrays/blood')
  expect(first).toMatchObject({ what: 'going through members', unit: 'members', done: [0, 1] })
  expect(await totalOf(first)).toBe(2)
})
