import { readFileSync } from 'node:fs'
import { env } from 'node:process'
import { describe, expect, test } from '@jest/globals'
import { checkedFlips } from '../../src/anatomy/flip-check.ts'
import { localFiles } from '../../src/node/file.ts'
import { closeTarget, openTarget } from '../../src/objects/target.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'
import { contextFor, type FixtureFolder, fixtureFolders } from '../helpers/fixtures.ts'
import { get, type Json } from '../helpers/json.ts'
import { Random } from '../helpers/random.ts'
import { runJson } from '../helpers/run.ts'
import { turnOf } from '../helpers/turn.ts'
import { filePaths } from './anatomy.ts'

/**
 * Flips one bit of a byte anywhere in the fixtures. `check --level cells` of the whole array must find what `at` says about the
 * byte. FLIPS sets the number of flips: 10,000 showed no difference with the seed below (2026-11-21).
 */
const FLIPS = Number(env.FLIPS ?? 120)
const SEED = Number(env.SEED ?? 20260)
/** Every n-th flip also runs the command itself, which tries all eight bits. */
const EVERY = FLIPS > 1000 ? 40 : 8
const LARGE = 2 << 20
const PARTS = 12

interface Place {
  folder: FixtureFolder
  path: string
}

/** The outermost arrays and groups, with the paths of all their files. */
const places: Place[] = fixtureFolders()
  .filter(({ name }) => name.split('/').length === 2)
  .flatMap((folder) => filePaths(folder.path).map((path) => ({ folder, path })))
  .filter(({ path }) => readFileSync(path).length > 0)

function keyOption({ key }: FixtureFolder): string[] {
  return key === undefined ? [] : ['--key', key]
}

/** The codes of findings and of errors, by the text of the item. */
function foundBy(document: Json | undefined): Map<string, string> {
  const found = new Map<string, string>()
  for (const item of [get(document, 'findings'), get(document, 'not_examined')].flat())
    if (item !== undefined) found.set(JSON.stringify(item), String(get(item, 'code')))
  return found
}

async function check(folder: FixtureFolder, files: ReadonlyMap<string, Uint8Array>, all: boolean) {
  const args = ['check', folder.path, '--level', 'cells', ...(all ? ['--all'] : []), ...keyOption(folder)]
  const { documents } = await runJson(args, { storage: new MemoryStorage(files) })
  return foundBy(documents[0])
}

const loaded = new Map<string, { files: Map<string, Uint8Array>; before: Map<boolean, Map<string, string>> }>()

async function codesAfter({ folder, path }: Place, offset: number, bit: number, all: boolean): Promise<string[]> {
  let array = loaded.get(folder.path)
  if (!array) {
    const files = new Map(filePaths(folder.path).map((one) => [one, Uint8Array.from(readFileSync(one))]))
    array = { files, before: new Map() }
    loaded.set(folder.path, array)
  }
  const before = array.before.get(all) ?? (await check(folder, array.files, all))
  array.before.set(all, before)
  const bytes = array.files.get(path)
  if (!bytes) throw new Error(`${path} was not read`)
  bytes[offset] ^= 1 << bit
  const after = await check(folder, array.files, all)
  bytes[offset] ^= 1 << bit
  return [...new Set([...after].flatMap(([item, code]) => (before.has(item) ? [] : [code])))].sort()
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String).sort() : []
}

describe(`what check finds of ${FLIPS} flipped bits`, () => {
  for (const part of turnOf(PARTS, env.FLIPS === undefined ? PARTS : 1)) {
    test(`is what at says, part ${part + 1} of ${PARTS}`, async () => {
      const random = new Random(SEED + part)
      let noticed = 0
      for (let i = 0; i < FLIPS / PARTS; i++) {
        const place = random.pick(places)
        const { folder, path } = place
        const offset = random.below(readFileSync(path).length)
        const bit = random.below(8)
        const where = `${path.slice(folder.path.length - folder.name.length)} byte ${offset} bit ${bit}`
        if (i % EVERY === 0) {
          const { documents } = await runJson(['at', path, String(offset), ...keyOption(folder)])
          const [document] = documents
          const names = get(document, 'detected_by_bit')
          const codes = get(document, 'findings_by_bit')
          const said = Array.isArray(names) ? texts(names[bit]) : []
          const tried = get(document, 'detected_in')
          const found = await codesAfter(place, offset, bit, tried === 'array --all')
          noticed += found.length > 0 ? 1 : 0
          if (Array.isArray(codes)) {
            expect([where, texts(codes[bit])]).toEqual([where, found])
            expect([where, said.length > 0]).toEqual([where, found.length > 0])
          } else if (said.length > 0) expect([where, found.length > 0]).toEqual([where, true])
          continue
        }
        const target = await openTarget(localFiles, path, contextFor(folder))
        if (target.type !== 'file') throw new Error(`${path} is a ${target.type}`)
        const flips = await checkedFlips(target, offset, { reading: contextFor(folder), style: { raw: false } }, [bit])
        await closeTarget(target)
        if (!flips) {
          const bytes = filePaths(folder.path).reduce((sum, one) => sum + readFileSync(one).length, 0)
          expect([where, bytes > LARGE]).toEqual([where, true])
          continue
        }
        const found = await codesAfter(place, offset, bit, flips.unused)
        noticed += found.length > 0 ? 1 : 0
        expect([where, texts([...flips.codes[0]])]).toEqual([where, found])
        expect([where, flips.detectors[0].length > 0]).toEqual([where, found.length > 0])
      }
      // Nothing depends on some bits: padding of pipelines, cells of attributes without statistics.
      expect(noticed).toBeGreaterThan(FLIPS / PARTS / 2)
    }, 3_600_000)
  }
})
