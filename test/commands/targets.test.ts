import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Takes, takesKind, targetsHelp, wantedBy } from '../../src/calls/targets.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { localFiles } from '../../src/node/file.ts'
import { nodeCodecs } from '../../src/node/node-codecs.ts'
import { readContext } from '../../src/objects/read-context.ts'
import { kindOf, openTarget, type TargetKind } from '../../src/objects/target.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get } from '../helpers/json.ts'
import { quickTrials } from '../helpers/quick-trials.ts'
import { run, runJson } from '../helpers/run.ts'

quickTrials()

/**
 * The table of targets against what happens: every command gets a target of each kind. It takes the target, or says what it
 * takes.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PLACES = `${ROOT}examples/arrays/places`
const META = `${ROOT}test/fixtures/22/fragment_metadata_consolidated`
const FRAGMENT = fragmentNames(PLACES)[0]
const IN_ARRAY = `${PLACES}/__fragments/${FRAGMENT}`
const DELETES = `${ROOT}test/fixtures/22/deletes/__commits`
const folder = mkdtempSync(`${tmpdir()}/targets-`)
const only = (path: string): string => `${path}/${readdirSync(path).filter((name) => !name.startsWith('__enum'))[0]}`

/** Targets of each kind. */
const TARGETS: Readonly<Record<TargetKind, readonly string[]>> = {
  array: [PLACES],
  group: [`${ROOT}test/fixtures/22/group`],
  folder: [`${ROOT}examples/arrays`],
  fragment: [IN_ARRAY],
  'lone fragment': [`${folder}/${FRAGMENT}`],
  'fragment metadata': [`${IN_ARRAY}/__fragment_metadata.tdb`],
  'data file': [`${IN_ARRAY}/d0.tdb`],
  'schema file': [only(`${PLACES}/__schema`)],
  'consolidated fragment metadata': [only(`${META}/__fragment_meta`)],
  'lone file': [`${folder}/schema`],
  'other file': [
    only(`${ROOT}examples/arrays/weather/__meta`),
    `${DELETES}/${readdirSync(DELETES).find((name) => name.endsWith('.del'))}`,
  ],
}

let made = 0

type Arguments = (target: string) => readonly string[]

/** The arguments of a call with a target, where they are more than the words of the call and the target. */
const ARGUMENTS: Readonly<Record<string, Arguments>> = {
  overview: (target) => [target],
  'ls --depth': (target) => ['ls', '--depth', '2', target],
  'ls --range': (target) => ['ls', '--range', 'lat=0..50', target],
  read: (target) => ['read', '--limit', '1', target],
  history: (target) => ['history', '--range', 'lat=50..51', target],
  decode: (target) => ['decode', '--limit', '1', target],
  'decode --all-fragments': (target) => ['decode', '--all-fragments', '--limit', '1', target],
  whatif: (target) => ['whatif', '--sample', '1000', '--filters', 'zstd', target],
  recover: (target) => ['recover', target, '--to', `${folder}/${made++}`],
  'recover --relocate': (target) => ['recover', '--relocate', target, '--to', `${folder}/${made++}`],
  diff: (target) => ['diff', target, target],
  'diff --read': (target) => ['diff', '--read', target, target],
  'diff --files': (target) => ['diff', '--files', target, target],
  'rtree --svg': (target) => ['rtree', target, '--svg', `${folder}/${made++}.svg`],
  tile: (target) => ['tile', target, 'lat'],
  dump: (target) => ['dump', '--depth', '1', target],
  at: (target) => ['at', target, '0', '--no-flips'],
  'at --cell': (target) => ['at', target, '--cell', 'lat=-34.6,lon=-58.38'],
  page: (target) => ['page', target, '-o', `${folder}/${made++}.html`],
}

/** The arguments of a call with a target: of each command, and with each option that changes what it takes. */
function argumentsOf(call: string): Arguments {
  return Object.hasOwn(ARGUMENTS, call) ? ARGUMENTS[call] : (target) => [...call.split(' '), target]
}

/** Commands whose arguments are no targets, or any paths. */
const NO_TARGETS = ['why', 'write-sample', 'mcp', 'completion']

beforeAll(() => {
  cpSync(IN_ARRAY, `${folder}/${FRAGMENT}`, { recursive: true })
  cpSync(only(`${PLACES}/__schema`), `${folder}/schema`)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What each command takes, with each option that changes it. */
const TAKEN = new Map<string, Takes>()
for (const [name, { load }] of Object.entries(COMMANDS)) {
  const { takes, takesWith = {} } = (await load()).command
  if (takes) TAKEN.set(name, takes)
  for (const [option, taken] of Object.entries(takesWith)) TAKEN.set(`${name} ${option}`, taken)
}
const kinds = Object.entries(TARGETS) as [TargetKind, readonly string[]][]

test.each(kinds)('the targets of this test are what they should be: %s', async (kind, targets) => {
  for (const target of targets) {
    expect(existsSync(target)).toBe(true)
    expect(kindOf(await openTarget(localFiles, target, readContext(nodeCodecs, undefined, undefined)))).toBe(kind)
  }
})

test.each(kinds)('some command takes: %s', (kind) => {
  expect([...TAKEN.values()].some((taken) => takesKind(taken, kind))).toBe(true)
})

test('every command says what it takes', () => {
  expect(Object.keys(COMMANDS).filter((name) => !TAKEN.has(name))).toEqual(NO_TARGETS)
  expect(Object.keys(ARGUMENTS).filter((call) => !TAKEN.has(call))).toEqual([])
})

describe.each([...TAKEN])('%s', (call, taken) => {
  test.each(kinds)('of: %s', async (kind, targets) => {
    for (const target of targets) {
      const { code, documents, stderr } = await runJson(argumentsOf(call)(target))
      const errors = documents.flatMap((document) => get(document, 'error') ?? [])
      const wrong = errors.filter((error) => get(error, 'code') === 'WRONG_TARGET')
      if (takesKind(taken, kind)) {
        expect({ wrong, stderr }).toEqual({ wrong: [], stderr: expect.not.stringContaining(' expects ') })
        // A fragment without its array has no schema, which is another error.
        if (kind !== 'lone fragment') expect({ code, stderr }).toEqual({ code: 0, stderr })
        // A command that takes a kind, and passes over it, prints this document.
        expect(documents.map((document) => get(document, 'kind'))).not.toContain('empty')
      } else {
        const one = kind === 'array' && wantedBy(taken) === 'a fragment' ? 'one fragment' : wantedBy(taken)
        expect({ code, wrong: wrong.length, stderr }).toEqual({ code: 2, wrong: 1, stderr })
        expect(get(wrong[0], 'message')).toMatch(new RegExp(`^${call} expects ${one}, found an? `))
      }
    }
  })

  test('its help says what it takes', async () => {
    const { text } = await run([call.split(' ')[0], '--help'])
    // Options that change what a command takes say so in their own text.
    if (!call.includes(' ')) expect(text.replace(/\s+/g, ' ')).toContain(targetsHelp(taken))
  })
})

test.each(Object.keys(COMMANDS))('completion offers what %s takes', async (command) => {
  const offered = async (word: string): Promise<boolean> =>
    (await run(['completion', 'words', command, word])).text !== ''
  const calls = [...TAKEN].filter(([call]) => call.split(' ')[0] === command)
  const mayTake = (kind: TargetKind): boolean => calls.length === 0 || calls.some(([, taken]) => takesKind(taken, kind))
  expect(await offered(`${PLACES}/__1`)).toBe(mayTake('fragment'))
  expect(await offered(`${PLACES}/__17/d`)).toBe(mayTake('data file'))
})
