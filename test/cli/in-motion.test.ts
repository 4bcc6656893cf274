import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { folderOf } from '../../src/base/paths.ts'
import { localFiles } from '../../src/node/file.ts'
import type { Storage } from '../../src/storage/source.ts'
import { apply, ChangingStorage, type Event } from '../helpers/changing-storage.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { quickTrials } from '../helpers/quick-trials.ts'
import { Random } from '../helpers/random.ts'
import { type Ran, run } from '../helpers/run.ts'
import { shortTurn, shortTurnOf, tries } from '../helpers/turn.ts'
import { filesAfter, motionOf } from '../helpers/written-history.ts'

quickTrials()

/*
 * Commands run while a writer writes, deletes, consolidates, evolves and vacuums. A right answer is that of a state, or exit code 3 with
 * CHANGED_WHILE_READ. Nobody may say that the array is damaged.
 */

const folder = temporaryFolder()
const ROOT = '/array'

const SCHEMA = {
  array_type: 'sparse',
  capacity: 3,
  dimensions: [{ name: 'x', type: 'INT32', domain: [0, 99], tile_extent: 10 }],
  attributes: [
    { name: 'a', type: 'INT32', filters: { filters: [{ name: 'CHECKSUM_SHA256' }] } },
    { name: 's', type: 'STRING_ASCII', cell_val_num: 'var' },
  ],
}
const write = (time: number, from: number) => ({
  step: 'write',
  time,
  cells: Array.from({ length: 7 }, (_, i) => ({ x: from + i, a: time, s: `v${i}` })),
})
const metadata = (time: number) => ({ step: 'metadata', time, put: { key: { type: 'INT32', value: time } } })
const both = (mode: string) => [
  { step: 'consolidate', mode },
  { step: 'vacuum', mode },
]

/** Histories of which every step is read. The first steps are done before. */
const HISTORIES: Readonly<Record<string, { before: number; steps: readonly object[] }>> = {
  'writes and a vacuum': {
    before: 4,
    steps: [write(20, 1), write(30, 5), write(40, 9), ...both('fragments'), write(60, 3), write(70, 4)],
  },
  'consolidated while it is read': {
    before: 3,
    steps: [write(20, 1), write(30, 5), ...both('fragments'), write(60, 3)],
  },
  'commits are consolidated, then vacuumed': {
    before: 4,
    steps: [
      write(20, 1),
      write(30, 5),
      { step: 'delete', where: 'a == 20', time: 40 },
      ...both('commits'),
      ...both('fragments'),
    ],
  },
  'fragment metadata and array metadata': {
    before: 5,
    steps: [
      write(20, 1),
      write(30, 5),
      metadata(35),
      metadata(36),
      { step: 'consolidate', mode: 'fragment_meta' },
      write(40, 9),
      ...both('fragment_meta'),
      ...both('array_meta'),
    ],
  },
  'the schema evolves': {
    before: 2,
    steps: [
      write(20, 1),
      { step: 'evolve', time: 30, add_attributes: [{ name: 'b', type: 'INT32' }] },
      { step: 'write', time: 40, cells: [{ x: 1, a: 7, s: 'w', b: 8 }] },
    ],
  },
}

let serial = 0

const after = (steps: readonly object[]): Promise<Map<string, Uint8Array>> => filesAfter(SCHEMA, steps, ROOT)

const COMMANDS: readonly (readonly string[])[] = [
  [ROOT],
  ['ls', ROOT],
  ['ls', '--json', ROOT],
  ['check', ROOT],
  ['check', '--level', 'cells', '--all', '--json', ROOT],
  ['check', '--format', 'sarif', ROOT],
  ['check', '--plan', ROOT],
  ['read', ROOT],
  ['read', '--json', ROOT],
  ['read', '--format', 'csv', ROOT],
  ['read', '--format', 'arrow', ROOT],
  ['stats', ROOT],
  ['stats', '--read', '--json', ROOT],
  ['verify-checksums', '--deep', ROOT],
  ['explain', ROOT],
  ['explain', '--exact', ROOT],
  ['commits', ROOT],
  ['history', '--cell', 'x=5', ROOT],
  ['schema', '--all', ROOT],
  ['metadata', ROOT],
  ['footer', ROOT],
  ['rtree', ROOT],
  ['tiles', ROOT],
  ['why', `${ROOT}/__commits`],
  ['diff', ROOT, ROOT],
  ['diff', '--cells', ROOT, ROOT],
  ['diff', '--read', ROOT, ROOT],
  ['decode', '--all-fragments', ROOT],
  ['whatif', ROOT],
]

/** Commands that take long, and that are tried on one history. */
const SLOW = new Set(['whatif', 'why'])
const SLOW_ON = 'consolidated while it is read'

const DAMAGE = /NOT OK|DAMAGED|fault of tiledb-inspect|is lost|readers fail|cut short|damage/i

/** What is wrong with an answer about an array in motion; undefined if it is right. */
function wrongIn({ code, text, stderr }: Ran, [command]: readonly string[]): string | undefined {
  const said = `${text.replace(/"rules":\[.*?\]\}/s, '')}${stderr}`
  if (code !== 0 && code !== 3) return `exit code ${code}: ${stderr}`
  // The rules of SARIF say what a code means at its worst.
  const damage = DAMAGE.exec(command === 'read' || command === 'decode' ? stderr : said)
  if (damage) return `${damage[0]}: ${said}`
  if (code === 3 && !said.includes('the array was changed while it was read')) return `exit code 3: ${stderr}`
  return undefined
}

const ANSWERS: readonly (readonly string[])[] = [
  ['read', '--json', ROOT],
  ['stats', '--read', '--json', ROOT],
  ['ls', '--json', ROOT],
]

/** The part of an answer that a state has, too. */
function answerOf([command]: readonly string[], { text }: Ran): string {
  const { fragments, ...document } = JSON.parse(text)
  if (command === 'read') return JSON.stringify([...document.cells].map((cell) => JSON.stringify(cell)).sort())
  if (command === 'stats') return JSON.stringify(document.cell_num ?? document.cells ?? document)
  return JSON.stringify(fragments.filter((one: { visible: boolean }) => one.visible))
}

/** A call, and the history that happens meanwhile. */
type Case = readonly [name: string, args: readonly string[]]

const NAMES = Object.keys(HISTORIES)

/** Every call with some of the histories: the gate tries all, another run one in `share`. Each call begins with another history. */
function casesOf(calls: readonly (readonly string[])[], share: number): Case[] {
  return calls.flatMap((args, i) => {
    const from = i % NAMES.length
    const names = SLOW.has(args[0]) ? [SLOW_ON] : [...NAMES.slice(from), ...NAMES.slice(0, from)]
    return shortTurn(names, share).map((name): Case => [name, args])
  })
}

function callsWith(name: string, cases: readonly Case[]): (readonly [call: string, args: readonly string[]])[] {
  return cases.filter(([history]) => history === name).map(([, args]) => [args.join(' '), args])
}

const TRIED = casesOf(COMMANDS, 5)
const ANSWERED = casesOf(ANSWERS, 2)

describe.each(NAMES)('%s', (name) => {
  const motion = motionOf(SCHEMA, HISTORIES[name], ROOT)

  test.each(callsWith(name, TRIED))('%s', async (_, args) => {
    const { files, events } = await motion()
    const still = new ChangingStorage(files, [], () => 0)
    expect(await run(args, { storage: still })).toMatchObject({ code: 0 })
    const [command] = args
    const random = new Random(Number(process.env.TEST_SEED ?? 1) + args.join(' ').length)
    const most = SLOW.has(command) ? tries(1, 2, 200) : tries(2, 6, 200)
    for (let i = 0; i < most; i++) {
      const [first, burst] = [random.below(still.calls), 1 + random.below(events.length)]
      const storage = new ChangingStorage(files, events, (call) => (call < first ? 0 : burst))
      const ran = await run(args, { storage })
      expect({ first, burst, wrong: wrongIn(ran, args) }).toEqual({ first, burst, wrong: undefined })
    }
  })

  test.each(callsWith(name, ANSWERED))('%s answers as of one state', async (_, args) => {
    const { files, events } = await motion()
    const states = new Set<string>()
    const at = new Map(files)
    for (const event of [undefined, ...events]) {
      if (event) apply(at, event)
      const ran = await run(args, { storage: new ChangingStorage(at, [], () => 0) })
      if (ran.code === 0) states.add(answerOf(args, ran))
    }
    const random = new Random(Number(process.env.TEST_SEED ?? 1))
    let answered = 0
    for (let i = 0; i < tries(6, 30, 300); i++) {
      const [first, burst] = [random.below(30), 1 + random.below(events.length)]
      const ran = await run(args, { storage: new ChangingStorage(files, events, (call) => (call < first ? 0 : burst)) })
      if (ran.code !== 0) continue
      answered++
      const found = answerOf(args, ran)
      expect({ first, burst, isState: states.has(found), found }).toEqual({ first, burst, isState: true, found })
    }
    expect(answered).toBeGreaterThan(0)
  })
})

/** A storage in which some events happen right after a folder was listed for the first time. */
function changedBehind(folder: string, files: ReadonlyMap<string, Uint8Array>, events: readonly Event[]): Storage {
  let isListed = false
  const storage = new ChangingStorage(files, events, () => (isListed ? events.length : 0))
  const list = storage.list.bind(storage)
  storage.list = async (path) => {
    const entries = await list(path)
    isListed ||= path === folder
    return entries
  }
  return storage
}

describe('what happens between the listing of the commits and that of the fragments', () => {
  const steps = [write(20, 1), write(30, 5), ...both('fragments'), write(60, 3)]
  const motion = motionOf(SCHEMA, { before: 2, steps }, ROOT)

  const calls = COMMANDS.filter(([command]) => !SLOW.has(command)).map((args) => [args.join(' '), args] as const)

  test.each(shortTurn(calls, 4))('%s does not answer without what a vacuum removes', async (_, args) => {
    const { files, events } = await motion()
    const after = new Map(files)
    for (const event of events) apply(after, event)
    const { code, text } = await run(args, { storage: new ChangingStorage(after, [], () => 0) })
    const ran = await run(args, { storage: changedBehind(`${ROOT}/__commits`, files, events) })
    expect({ code: ran.code, text: ran.text }).toEqual({ code, text })
  })

  test.each(ANSWERS)('%s answers as of one state, whatever it is', async (...args) => {
    const { files, events } = await motion()
    const at = new Map(files)
    const states = new Set<string>()
    for (const event of [undefined, ...events]) {
      if (event) apply(at, event)
      const ran = await run(args, { storage: new ChangingStorage(at, [], () => 0) })
      if (ran.code === 0) states.add(answerOf(args, ran))
    }
    for (const folder of [`${ROOT}/__commits`, `${ROOT}/__fragments`])
      for (const last of shortTurnOf(events.length, 4)) {
        const count = last + 1
        const ran = await run(args, { storage: changedBehind(folder, files, events.slice(0, count)) })
        const isRight = ran.code === 3 || (ran.code === 0 && states.has(answerOf(args, ran)))
        expect({ folder, count, isRight, ...ran }).toMatchObject({ isRight: true })
      }
  })
})

describe('a fragment without a commit may be half written, or half removed: a state, not a fault', () => {
  const half = (async () => {
    const files = await after([write(20, 1), write(30, 5)])
    for (const path of files.keys()) if (/__commits\/__30_/.test(path)) files.delete(path)
    return files
  })()
  const CHANGES: readonly (readonly [string, (files: Map<string, Uint8Array>, metadata: string) => void])[] = [
    ['its metadata is missing', (files, metadata) => files.delete(metadata)],
    ['its metadata is empty', (files, metadata) => files.set(metadata, new Uint8Array(0))],
    [
      'its metadata is cut',
      (files, metadata) => files.set(metadata, (files.get(metadata) ?? new Uint8Array(0)).slice(0, 500)),
    ],
    ['a data file is missing', (files, metadata) => files.delete(metadata.replace(/[^/]*$/, 'a0.tdb'))],
  ]

  test.each(CHANGES)('%s', async (_, change) => {
    const files = new Map(await half)
    change(files, [...files.keys()].find((path) => /__30_.*__fragment_metadata.tdb$/.test(path)) ?? '')
    const storage = new ChangingStorage(files, [], () => 0)
    for (const args of shortTurn(COMMANDS, 4).filter(([command]) => !SLOW.has(command))) {
      const ran = await run(args, { storage })
      // These ask for the cells of every fragment, in whatever state.
      if (args[0] !== 'decode' && args[1] !== '--cells') expect({ args, ...ran }).toMatchObject({ args, code: 0 })
    }
    // Whoever names it is told so, and is not told of damage.
    const metadata = [...(await half).keys()].find((path) => /__30_.*__fragment_metadata.tdb$/.test(path)) ?? ''
    for (const command of ['verify-checksums', 'ls', 'footer', 'rtree', 'tiles']) {
      const { code, text, stderr } = await run([command, folderOf(metadata)], { storage })
      const said = `${text}${stderr}`
      expect({ command, code, said }).toMatchObject({ said: expect.not.stringMatching(DAMAGE) })
      expect([0, 3]).toContain(code)
      if (code === 3) expect(stderr).toContain('half written or half removed')
    }
    if (!files.has(metadata)) {
      const named = folderOf(metadata)
      const calls = [['metadata'], ['decode'], ['stats'], ['tile', 'a', '0'], ['whatif'], ['dump'], ['at', '0']]
      for (const [command, ...rest] of calls) {
        const { code, stderr } = await run([command, named, ...rest], { storage })
        expect([command, code, stderr]).toEqual([command, 3, expect.stringContaining('half written or half removed')])
      }
    }
    expect(await run(['check', folderOf(metadata)], { storage })).toMatchObject({ code: 0 })
    const { text } = await run(['ls', '--json', ROOT], { storage })
    const [committed, uncommitted] = JSON.parse(text).fragments
    expect(committed).toMatchObject({ state: 'live' })
    expect(uncommitted).toMatchObject({ state: 'uncommitted' })
    expect(uncommitted).not.toHaveProperty('damaged_files')
    expect(text).not.toMatch(DAMAGE)
  })
})

test('recover finds a change before it reads the fragments that are left', async () => {
  const files = await after([write(20, 1), write(30, 5), write(40, 9), { step: 'consolidate' }])
  const made = (): string => {
    const array = `${folder}/recovered-${serial++}`
    for (const [path, bytes] of files) {
      const file = array + path.slice(ROOT.length)
      mkdirSync(file.slice(0, file.lastIndexOf('/')), { recursive: true })
      writeFileSync(file, bytes)
    }
    return array
  }
  /** Recovers an array. `work` is done when the fragments are listed. @returns how often data files were opened */
  const opened = async (work: (array: string) => void): Promise<number> => {
    const array = made()
    let count = 0
    const storage: Storage = {
      ...localFiles,
      async list(path) {
        const entries = await localFiles.list(path)
        if (path === `${array}/__fragments`) work(array)
        return entries
      },
      open(path) {
        if (path.startsWith(array) && path.endsWith('/a0.tdb')) count++
        return localFiles.open(path)
      },
    }
    const { code, stderr } = await run(['recover', array, '--to', `${array}.new`], { storage })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return count
  }
  const still = await opened(() => {})
  const list = [...files.keys()].find((path) => path.endsWith('.vac')) ?? ''
  expect(await opened((array) => rmSync(array + list.slice(ROOT.length), { force: true }))).toBe(still)
})

test('a fragment that is lost while nobody writes is damage', async () => {
  const files = await after([write(20, 1), write(30, 5)])
  for (const path of files.keys()) if (/__fragments\/__30_/.test(path)) files.delete(path)
  const storage = new ChangingStorage(files, [], () => 0)
  for (const args of [
    ['check', ROOT],
    ['read', ROOT],
  ])
    expect(await run(args, { storage })).toMatchObject({ code: 1 })
})
