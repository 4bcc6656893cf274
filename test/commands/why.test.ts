import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { Memory } from '../../src/base/memory.ts'
import { lastPathPart } from '../../src/base/paths.ts'
import { examined } from '../../src/check/condition.ts'
import type { WhyDocument } from '../../src/documents/why.ts'
import { encodeText } from '../../src/format/text.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { vacuumedBy } from '../../src/objects/vacuum.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/source.ts'
import { Folder } from '../../src/storage/source.ts'
import { storageWithout } from '../../src/storage/without.ts'
import type { Answer, Effect } from '../../src/why/answer.ts'
import { arrayWithout } from '../../src/why/array.ts'
import { CellCounter, type CellDifference } from '../../src/why/cells.ts'
import { arrayView, timesWorthOpening } from '../../src/why/views.ts'
import { type Examine, why } from '../../src/why/why.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { contextFor, FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { openEdited } from '../helpers/open-edited.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

const kept = temporaryFolder()

/** A text for each opening, and how often it repeats: see test/tiledb/removed.py. */
type Said = readonly (readonly [text: string, count: number])[]

/** TileDB-Py ends with a signal at some reads of intact arrays, too. */
const CRASHED = 'x'
/** What could not be opened is opened. */
const OPENS_AGAIN = 'O'

interface Recorded {
  libtiledb: string
  arrays: Readonly<
    Record<
      string,
      {
        views: readonly (readonly [number, number])[]
        paths: Readonly<Record<string, Said>>
        /** What vacuum removes in each mode, and how a read as of now differs then. */
        vacuums: Readonly<Record<string, { gone: readonly string[]; then: string }>>
      }
    >
  >
}

const { libtiledb, arrays }: Recorded = JSON.parse(
  gunzipSync(readFileSync(fileURLToPath(new URL('removed.json.gz', import.meta.url)))).toString(),
)

/** Reads what holds the same, as the command does. */
const EXAMINE: Examine = (array, paths) => examined(array, paths, 'cells')

/** What the effects say of the opening up to a time, in the letters of the recording. */
function letters({ without }: Answer, to: number): string {
  const at = without.filter(
    ({ as_of: [first, last], between }) => !between && first <= to && (last === null || to <= last),
  )
  const of = (outcome: Effect['outcome']): Effect | undefined => at.find((one) => one.outcome === outcome)
  if (of('fails')) return 'o'
  if (of('opens')) return 'O'
  const { cells_lost = 0, cells_added = 0, cells_changed = 0, certainty } = of('cells') ?? {}
  const cells =
    certainty === undefined
      ? ''
      : `c-${cells_lost + cells_changed}+${cells_added + cells_changed}${certainty === 'at most' ? '?' : ''}`
  const { names = [], certainty: all } = of('fields') ?? {}
  const fields = names.length > 0 ? `r${names.join()}${all === 'at most' ? '?' : ''}` : cells
  return `${fields}${of('schema') || of('members') ? 's' : ''}${of('metadata') ? 'm' : ''}${of('enumerations') ? 'e' : ''}${of('labels') ? 'l' : ''}`
}

/** Names of the attributes that some read cannot give. */
function failingIn(said: Said): string[] {
  return said.flatMap(([text]) => (/^r[^e]/.test(text) ? text.slice(1).split(',') : []))
}

/**
 * Whether TileDB does what the letters say.
 * @param attributes names of attributes; reads of dimensions alone are not recorded
 */
function agrees(predicted: string, text: string, attributes: ReadonlySet<string>): boolean {
  if (predicted === text || text === CRASHED) return true
  const isMost = predicted.endsWith('?')
  if (isMost && text === '') return true
  // Where the schema differs, so do the cells; where the members do, so does what they hold.
  if (predicted.endsWith('s')) return /(?:s|sl|e)$/.test(text)
  // TileDB-Py reads the enumeration of an attribute, too.
  if (predicted === 'e') return /^r.*e$/.test(text)
  if (predicted.startsWith('r') && text.startsWith('r')) {
    const fail = predicted.replace('?', '').slice(1).split(',')
    return fail.filter((name) => attributes.has(name)).join() === text.slice(1)
  }
  const [most, found] = [predicted, text].map((one) => /^c-(\d+)\+(\d+)/.exec(one)?.slice(1).map(Number))
  return isMost && most !== undefined && found?.every((count, i) => count <= most[i]) === true
}

describe(`held against what libtiledb ${libtiledb} reads without a file or folder`, () => {
  test.each(Object.keys(arrays))('%s', async (name) => {
    const { views, paths, vacuums } = arrays[name]
    const array = new EditedArray(name)
    const attributes = new Set(Object.values(paths).flatMap(failingIn))
    const wrong: string[] = []
    for (const [path, said] of shortTurn(Object.entries(paths), 10)) {
      const answer = await why(array.storage(), `${EDITED}/${path}`, contextFor({ key: array.key }), EXAMINE)
      if (answer.delete === 'yes' && said.some(([text]) => !['', OPENS_AGAIN, CRASHED].includes(text)))
        wrong.push(`${path}: yes, but TileDB ${JSON.stringify(said)}`)
      const [call, mode = 'fragments'] = answer.how?.split(' ') ?? []
      if (call === 'vacuum') {
        const { gone = [], then } = vacuums[mode] ?? {}
        if (!gone.includes(path) || then !== '') wrong.push(`${path}: ${answer.how}, which leaves it, or ${then}`)
      }
      // Labels and members are arrays of their own, which were not opened by themselves.
      if (answer.root !== EDITED) continue
      const texts = said.flatMap(([text, count]) => Array<string>(count).fill(text))
      for (const [i, [from, to]] of views.entries()) {
        const predicted = letters(answer, to)
        if (from === 0 && !agrees(predicted, texts[i], attributes))
          wrong.push(`${path} ..${to}: ${predicted}, TileDB ${texts[i]}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

const REMOVED = `${FIXTURES}/removed`

/** What may not be deleted, of all files and folders of an edited array. */
async function verdicts(name: string, edit: (array: EditedArray) => void): Promise<Map<string, string>> {
  const array = new EditedArray(name)
  edit(array)
  const found = new Map<string, string>()
  for (const file of array.files.keys())
    found.set(
      file.slice(EDITED.length + 1),
      (await why(array.storage(), file, contextFor({ key: array.key }), EXAMINE)).delete,
    )
  return found
}

function fileOf(array: EditedArray, pattern: RegExp): string {
  const found = [...array.files.keys()].find((file) => pattern.test(file))
  if (found === undefined) throw new Error(`no file ${pattern}`)
  return found.slice(EDITED.length + 1)
}

/** The two times in the name of a file, each with `__` or `_` before it removed. */
function timesOf(path: string): [first: string, last: string] {
  const [, first, last] = /(__\d+)_(\d+)_[^/]*$/.exec(path) ?? []
  return [first, last]
}

describe('of a damaged array', () => {
  test('that does not open, nothing may be deleted', async () => {
    const found = await verdicts('22/sparse_basic', (array) =>
      array.files.delete(`${EDITED}/${fileOf(array, /__schema\//)}`),
    )
    expect(new Set(found.values())).toEqual(new Set(['no']))
  })

  test('but the commit of a fragment that is gone, without which it opens', async () => {
    const found = await verdicts('22/sparse_basic', (array) => {
      const fragment = fileOf(array, /__10_10_.*\.wrt$/).slice('__commits/'.length, -'.wrt'.length)
      for (const file of [...array.files.keys()])
        if (file.startsWith(`${EDITED}/__fragments/${fragment}/`)) array.files.delete(file)
    })
    const [commit, answer] = [...found].find(([file]) => /__commits\/__10_10_/.test(file)) ?? []
    expect([commit?.endsWith('.wrt'), answer]).toEqual([true, 'yes'])
  })

  test('data of a fragment whose metadata is damaged stay', async () => {
    const found = await verdicts('22/sparse_basic', (array) => {
      const file = fileOf(array, /__10_10_.*__fragment_metadata\.tdb$/)
      array.files.set(`${EDITED}/${file}`, new Uint8Array(200))
    })
    expect([...found].filter(([, answer]) => answer !== 'no')).toEqual([])
  })

  test('metadata that cannot be read stay', async () => {
    const found = await verdicts('22/metadata', (array) => {
      for (const file of array.files.keys()) if (/__meta\/__/.test(file)) array.files.set(file, new Uint8Array(60))
    })
    expect([...found].filter(([file, answer]) => file.startsWith('__meta') && answer !== 'no')).toEqual([])
  })
})

describe('the command', () => {
  test('names what needs an array, up to the topmost group', async () => {
    const { documents } = await runJson(['why', `${REMOVED}/group/inner/deep`])
    const [{ needed_by, delete: answer, how }] = documents as [{ needed_by: unknown; delete: string; how: unknown }]
    expect([answer, how]).toEqual(['no', null])
    expect(needed_by).toEqual([
      {
        path: `${REMOVED}/group/inner`,
        what: 'the group of which it is a member (deep)',
        needed_by: [{ path: `${REMOVED}/group`, what: 'the group of which it is a member (inner)', needed_by: [] }],
      },
    ])
  })

  test('takes files that are no part of an array for what they are', async () => {
    const { text, code } = await run(['why', `${REMOVED}/left_behind_whole/README.md`])
    expect(code).toBe(0)
    expect(text.split('\n')[1]).toBe('is           no part of the array: TileDB does not read it')
    expect(text).toContain(`delete it?   yes: rm '${REMOVED}/left_behind_whole/README.md'`)
    // A shell knows no URL.
    const path = resolve(REMOVED, 'left_behind_whole/README.md')
    expect((await run(['why', `file://${path}`])).text).toContain(`delete it?   yes: rm '${path}'`)
  })

  test.each(['constructor', 'toString'])('takes a folder or a file for none of TileDB by the name %s', async (name) => {
    const array = new EditedArray('22/sparse_basic')
    const asked = await run(['why', `${EDITED}/${name}`], { storage: array.storage() })
    expect(asked.stderr).toBe(`error: ${EDITED}/${name}: no such file or folder\n`)
    array.files.set(`${EDITED}/${name}/a`, new Uint8Array(1))
    const { text } = await run(['why', `${EDITED}/${name}`], { storage: array.storage() })
    expect(text).toContain('is           no part of the array: TileDB does not read it\n')
  })

  test.each([
    ['t', 'the times of all cells: when each was written'],
    ['dt', 'the times of all cells: when each was deleted'],
    ['dci', 'the numbers of all cells: which condition deleted each'],
  ])('says what a consolidated fragment keeps of each cell: %s.tdb', async (file, what) => {
    const array = new EditedArray('removed/deleted')
    const path = array.matching(new RegExp(`/${file}\\.tdb$`))[0]
    const { text } = await run(['why', path], { storage: array.storage() })
    expect(text).toContain(`is           ${what}\n`)
  })

  test('knows the list of the metadata of a group that consolidation replaced', async () => {
    const group = new EditedArray('removed/group')
    const [first, second] = [...group.files.keys()].filter((path) => path.includes('/__meta/')).sort()
    const path = `${EDITED}/__meta/${timesOf(first)[0]}_${timesOf(second)[1]}_${'a'.repeat(32)}.vac`
    const bytes = group.files.get(second)
    if (!bytes) throw new Error('no metadata')
    group.files.set(path.slice(0, -'.vac'.length), bytes)
    group.files.set(path, encodeText(`${first}\n${second}\n`))
    const { text } = await run(['why', path], { storage: group.storage() })
    expect(text).toContain('is           the list of metadata files that a consolidated one replaced: it hides them\n')
    const { text: of } = await run(['why', second], { storage: group.storage() })
    expect(of).toMatch(/is {11}key-value metadata: (?:sets|deletes) "/)
  })

  test('says of an array as a whole that nothing around it names it', async () => {
    const { text } = await run(['why', `${REMOVED}/deleted`])
    expect(text).toContain('needed by    no array or group in the folders around it\n')
  })

  test.each([
    ['deleted', 'Consolidation may crash without it'],
    ['purged', 'Without it, cells that are written later with a time before 25 would not be deleted'],
  ])('says why a delete condition stays of which reads show nothing: %s', async (name, reason) => {
    const array = new EditedArray(`removed/${name}`)
    const { text } = await run(['why', array.find(/__25_25_.*\.del$/)], { storage: array.storage() })
    expect(text).toContain(`delete it?   NO. ${reason}`)
    expect(text).toContain('who notices  no reader, but others who work with it\n')
    expect(text).not.toContain('more work')
    expect(text).not.toContain('for what it shows')
  })

  test.each([
    ['dense_consolidated', [10, 19]],
    ['consolidated', null],
  ])('says which earlier reads are empty after a vacuum: %s', async (name, empties) => {
    const array = new EditedArray(`removed/${name}`)
    const path = array.find(/\.vac$/)
    const { documents } = await runJson(['why', path], { storage: array.storage() })
    expect(documents).toMatchObject([{ delete: 'tiledb', empties }])
    const { text } = await run(['why', path], { storage: array.storage() })
    expect(text.includes('stays the same; reads as of 10 to 19 become empty\n')).toBe(empties !== null)
  })

  test('says what a vacuum of the list takes with it: metadata at earlier times', async () => {
    const array = new EditedArray('removed/metadata')
    const path = array.find(/__meta\/.*\.vac$/)
    const { documents } = await runJson(['why', path], { storage: array.storage() })
    expect(documents).toMatchObject([{ delete: 'yes', empties: null, changes_metadata: [10, 29] }])
  })

  // Measured: TileDB 2.30 vacuums such fragments, and says in an .ign file that the line of the list is void.
  test('knows that a vacuum takes a fragment away although a list of commits names it', async () => {
    const array = new EditedArray('removed/dense_consolidated')
    const commits = [...array.files.keys()]
      .filter((path) => path.endsWith('.wrt'))
      .map((path) => `__commits/${lastPathPart(path)}`)
    array.files.set(
      `${EDITED}/__commits/__10_20_${'a'.repeat(32)}_22.con`,
      encodeText(commits.map((line) => `${line}\n`).join('')),
    )
    const { documents } = await runJson(['why', array.find(/__fragments\/__10_10_.*__fragment_metadata\.tdb$/)], {
      storage: array.storage(),
    })
    expect(documents).toMatchObject([{ delete: 'tiledb', empties: [10, 19] }])
  })

  // Measured: TileDB 2.30 leaves such a folder, and removes the .vac file.
  test('knows that a vacuum leaves a fragment without a commit, though a .vac file names it', async () => {
    const array = new EditedArray('removed/dense_consolidated')
    array.files.delete(array.find(/__commits\/__10_10_.*\.wrt$/))
    const { gone } = await vacuumedBy(await openEdited(array), 'fragments')
    expect(gone.filter((path) => path.includes('__10_10_'))).toEqual([])
    expect(gone.filter((path) => path.endsWith('.vac'))).toHaveLength(1)
    const path = array.find(/__fragments\/__10_10_.*__fragment_metadata\.tdb$/)
    const { documents } = await runJson(['why', path], { storage: array.storage() })
    expect(documents).toMatchObject([{ delete: 'yes' }])
  })

  // Measured: TileDB 2.30 reads the fragment as of now, and a vacuum removes it.
  test('knows that a vacuum takes a fragment that is read, if a .vac file dated ahead names it', async () => {
    const array = new EditedArray('removed/dense_consolidated')
    const commit = array.find(/__commits\/__10_20_.*\.wrt$/)
    const name = lastPathPart(commit).replace(/\.wrt$/, '')
    const ahead = `__commits/__4102444800000_4102444800001_${'a'.repeat(32)}_22.vac`
    array.files.set(`${EDITED}/${ahead}`, encodeText(`__fragments/${name}\n`))
    const opened = await openEdited(array)
    expect(await opened.fragments()).toContainEqual(expect.objectContaining({ name, isRead: true }))
    const { gone } = await vacuumedBy(opened, 'fragments')
    expect(gone).toEqual(expect.arrayContaining([`__fragments/${name}`, `__commits/${name}.wrt`, ahead]))
    const { documents } = await runJson(['why', array.find(/__fragments\/__10_20_.*__fragment_metadata\.tdb$/)], {
      storage: array.storage(),
    })
    expect(documents).not.toMatchObject([{ delete: 'tiledb' }])
  })

  test('names a path that was meant, and tells what lies in no array', async () => {
    const missing = await run(['why', `${REMOVED}/left_behind/__schem`])
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('did you mean "__schema"')])
    const elsewhere = await run(['why', `${FIXTURES}/../helpers`])
    expect([elsewhere.code, elsewhere.stderr]).toEqual([
      3,
      expect.stringContaining('expected a part of an array or group'),
    ])
  })
})

describe('where cells are not compared', () => {
  /** The bound and the count of the cells that differ without a path, at each time. */
  async function bounds(
    name: string,
    gone: RegExp | string,
    memory = new Memory(),
  ): Promise<[bound: CellDifference, counted: CellDifference][]> {
    const edited = new EditedArray(name)
    const array = new InspectArray(new Folder(edited.storage(), EDITED), { ...contextFor({ key: edited.key }), memory })
    const less = arrayWithout(array, [typeof gone === 'string' ? gone : fileOf(edited, gone)])
    const found: [CellDifference, CellDifference][] = []
    for (const { 1: to } of (await timesWorthOpening(array, [])).until) {
      const [before, after] = [await arrayView(array, [0n, to]), await arrayView(less, [0n, to])]
      const both = [0, 100_000].map((most) => new CellCounter(array, less, most).difference(before, after))
      found.push((await Promise.all(both)) as [CellDifference, CellDifference])
    }
    return found
  }

  test.each(['dense_consolidated'])('a dense array without its vacuum list shows the same: %s', async (name) => {
    const found = await bounds(`removed/${name}`, /\.vac$/)
    expect(found.length).toBeGreaterThan(3)
    for (const [bound, counted] of found) {
      expect(bound).toEqual({ cells_lost: 0, cells_added: 0, cells_changed: 0, certainty: 'exact' })
      expect(counted).toEqual(bound)
    }
  })

  test('cells that memory has no room for are not counted', async () => {
    const [least, usual] = [
      await bounds('removed/dense_covered', '__commits', new Memory(15_000)),
      await bounds('removed/dense_covered', '__commits'),
    ]
    expect(usual.some(([bound, counted]) => counted.certainty === 'exact' && bound.certainty === 'at most')).toBe(true)
    for (const [bound, counted] of least.slice(1)) expect(counted).toEqual(bound)
  })

  test('no more cells differ than a dense array has', async () => {
    const found = await bounds('removed/dense_covered', '__commits')
    const cells = 24
    for (const [bound, counted] of found) {
      expect(bound.cells_changed).toBeGreaterThanOrEqual(counted.cells_changed)
      expect(bound.cells_changed).toBeLessThanOrEqual(cells)
    }
  })
})

test('counts what a reader sees now first, and bounds the rest where counting all would take long', async () => {
  const array = `${kept}/many`
  const options = '--dim x:INT64:0..9999 --attr a:INT32 --cells 60 --fragments 30 --quiet'
  await run(['write-sample', array, ...options.split(' ')])
  const { documents } = await runJson(['why', '--quick', `${array}/__commits`])
  const [{ without }] = documents as unknown as readonly WhyDocument[]
  const counted = without.filter(({ outcome }) => outcome === 'cells').map(({ certainty }) => certainty)
  expect(counted.at(-1)).toBe('exact')
  expect(counted).toContain('at most')
})

test('an object store has no empty folders: without the last file, a folder is gone, too', async () => {
  const storage = new MemoryStorage(
    new Map([
      ['/a/b/c', new Uint8Array(1)],
      ['/a/d', new Uint8Array(1)],
    ]),
  )
  const remote: Storage = {
    kind: (path) => storage.kind(path),
    list: (path) => storage.list(path),
    open: (path) => storage.open(path),
    isRemote: () => true,
  }
  for (const [one, left] of [
    [remote, ['d']],
    [storage, ['b', 'd']],
  ] as const)
    expect((await storageWithout(one, ['/a/b/c']).list('/a')).map(({ name }) => name)).toEqual(left)
})

describe('a path where nothing is', () => {
  const without = async (path: string): Promise<string> => {
    const array = new EditedArray('22/sparse_basic')
    array.remove(path)
    return (await run(['why', path], { storage: array.storage() })).stderr.replaceAll(`${EDITED}/`, '')
  }
  const array = new EditedArray('22/sparse_basic')
  const data = array.find(/\/a0\.tdb$/)
  const schema = array.find(/__schema\/__/)
  const commit = array.find(/\.wrt$/)
  const fragment = array.fragmentPath().slice(EDITED.length + 1)

  test.each([
    [data, /; by its name it would be a data file of a fragment of \S+.*; (\S+)\/__fragment_metadata\.tdb needs it\n$/],
    [schema, /; by its name it would be an array schema of \S+.*; (\S+) needs it\n$/],
    [commit, /; by its name it would be the commit of a fragment of \S+.*; (\S+) needs it\n$/],
  ])('%s', async (path, said) => {
    const [, needs] = said.exec(await without(path)) ?? []
    expect(needs).toBe(fragment)
  })

  test.each([
    ['__fragments/__5_5_0123456789abcdef0123456789abcdef_22', 'a fragment of 5; nothing needs it'],
    [
      '__commits/__5_6_0123456789abcdef0123456789abcdef_22.vac',
      'a list of fragments that consolidation replaced of 5; nothing needs it',
    ],
  ])('%s, which nothing needs', async (path, said) => {
    const { code, stderr } = await run(['why', `${EDITED}/${path}`], { storage: array.storage() })
    expect(code).toBe(3)
    expect(stderr).toContain(`no such file or folder`)
    expect(stderr).toContain(`by its name it would be ${said}\n`)
  })

  test('of no form that TileDB gives: only what was meant', async () => {
    const { stderr } = await run(['why', `${EDITED}/__schemas`], { storage: array.storage() })
    expect(stderr).toBe(`error: ${EDITED}/__schemas: no such file or folder; did you mean "__schema"?\n`)
  })
})

describe('nothing is called safe to delete while what holds the same is not whole', () => {
  /** The array of which a fragment was consolidated, with one change. */
  async function said(change: (array: EditedArray) => Promise<void> | void, ...options: string[]): Promise<string[]> {
    const array = new EditedArray('22/vacuum_left')
    await change(array)
    const whole = array.find(/__fragments\/__10_30_[^/]*\/a0\.tdb$/)
    const paths = [...array.files.keys()].filter((path) => /__fragments\/[^/]*\/a0|\.vac$/.test(path) && path !== whole)
    const answers: string[] = []
    for (const path of paths) {
      const { text } = await run(['why', ...options, path], { storage: array.storage() })
      answers.push(/^delete it\? +(.*)$/m.exec(text)?.[1].replaceAll(/__\d+_\d+_[0-9a-f]{32}_\d+/g, 'F') ?? text)
    }
    return answers
  }
  const cut = (array: EditedArray): void => array.cut(array.find(/__fragments\/__10_30_[^/]*\/a0\.tdb$/), 10)

  test('the consolidated fragment is whole: vacuum', async () => {
    for (const answer of await said(() => {})) expect(answer).toMatch(/tiledb\.vacuum/)
  })

  test('it is damaged: keep the fragments that it replaced', async () => {
    for (const answer of await said(cut))
      expect(answer).toMatch(
        /^NO\. F, which holds the same instead, is damaged \(FILE_SHORT.*\): check --level cells --plan goes back/,
      )
  })

  test('its cells were changed, and every filter fits: keep them, too', async () => {
    const change = async (array: EditedArray): Promise<void> => {
      const folder = array.find(/__fragments\/__10_30_[^/]*\/a0\.tdb$/).replace(/\/a0\.tdb$/, '')
      const { slots } = await (await array.fragment(folder)).info()
      const { name = '' } = slots.find(({ kind }) => kind === 'attribute') ?? {}
      const flip = (bytes: Uint8Array): void => {
        bytes[0] ^= 0x40
      }
      await array.editTile(name, 'data', 0, flip, folder)
    }
    for (const answer of await said(change))
      expect(answer).toMatch(
        /^NO\. F, which holds the same instead, may be changed \(TILE_.*\): check --level cells --plan goes back/,
      )
  })

  test('it was not read: keep them, too', async () => {
    for (const answer of await said(() => {}, '--quick'))
      expect(answer).toBe('NO. F, which holds the same instead, was not read (--quick): it may be damaged.')
  })
})

test('nothing of a fragment that a vacuum file hides may be deleted if no other one has its cells', async () => {
  const array = new EditedArray('22/single_cell')
  const [, name = ''] = /__fragments\/(__[^/]*)\//.exec(array.find(/a0\.tdb$/)) ?? []
  // It hides the fragment as of every time.
  array.add(`__commits/__10_10_${'0'.repeat(32)}_22.vac`, encodeText(`/__fragments/${name}\n`))
  const paths = [
    `__fragments/${name}`,
    `__fragments/${name}/a0.tdb`,
    `__commits/${name}.wrt`,
    '__fragments',
    '__commits',
  ]
  for (const path of paths) {
    const { documents } = await runJson(['why', `${EDITED}/${path}`], { storage: array.storage() })
    expect([path, documents]).toMatchObject([path, [{ delete: 'no', how: null }]])
  }
})

test('nothing of a fragment that consolidated commits named before they were cut off may be deleted', async () => {
  const array = new EditedArray('22/commits_consolidated')
  const ask = async (path: string) => (await runJson(['why', path], { storage: array.storage() })).documents
  const file = array.find(/__fragments\/__30_30_.*\/a0\.tdb$/)
  const list = array.find(/\.con$/)
  array.cut(list, array.get(list).lastIndexOf(10, -2) + 1)
  for (const path of [file.slice(0, file.lastIndexOf('/')), file])
    expect(await ask(path)).toMatchObject([
      { delete: 'no', how: null, reason: expect.stringContaining('a list of commits that was cut off') },
    ])
  // Of other times than the list: a write that failed.
  array.remove(array.find(/__40_40_.*\.wrt$/))
  expect(await ask(array.find(/__40_40_.*\/a0\.tdb$/))).toMatchObject([{ delete: 'yes' }])
})

test('what is no part of an array may be deleted, even if the array cannot be opened', async () => {
  const array = new EditedArray('22/sparse_basic')
  array.remove(array.find(/__fragment_metadata\.tdb$/))
  array.add('notes.txt', encodeText('notes'))
  const { documents } = await runJson(['why', `${EDITED}/notes.txt`], { storage: array.storage() })
  expect(documents).toMatchObject([{ delete: 'yes', needed_by: [], noticed_by: ['nobody'] }])
})

test.each([
  ['FRAGMENT_NAME_INVALID', /^__fragments\/mine$/],
  ['FRAGMENT_NAME_INVALID', /^__fragments\/mine\/a\d\.tdb$/],
  ['COMMIT_WRONG_FOLDER', /\.ok$/],
] as const)('what check --plan gives its name or place back is kept: %s %s', async (code, name) => {
  const array = `${kept}/${code}-${String(name).length}`
  await run(['write-sample', array, '--damage', code])
  const path = readdirSync(array, { recursive: true, encoding: 'utf8' }).find((one) => name.test(one))
  const [document] = (await runJson(['why', `${array}/${path}`])).documents
  expect(document).toMatchObject({ delete: 'no', how: null })
})
