import { writeFileSync } from 'node:fs'
import { env } from 'node:process'
import { FINDING_CODES, type FindingCode } from '../../src/check/codes.ts'
import { DAMAGES } from '../../src/damage/damages.ts'
import { EditableArray } from '../../src/damage/editable-array.ts'
import { keyOf, whole } from '../check/damage.ts'
import { mutateArray, mutateBytes } from '../fuzz/mutations.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { filesBelow } from '../helpers/files-below.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { Random } from '../helpers/random.ts'
import { run } from '../helpers/run.ts'

/** An array that is damaged on purpose. */
export interface DamagedArray {
  /** What was damaged, and how. */
  name: string
  array: EditableArray
  key: string | undefined
}

/** Other draws give other arrays of random damage: TEST_DRAW=1 TEST_ALL=1 npm test -- test/contradictions. */
export const DRAW = Number(env.TEST_DRAW ?? 0)

/** The number of damaged arrays: one of each finding code, and others of random damage. */
const ARRAY_NUM = 300

const PLANTED = (Object.keys(FINDING_CODES) as FindingCode[]).filter(
  (code) => !/^(?:GROUP|LAYER|GENOMICSDB)_/.test(code),
)

/** The numbers of the arrays. The planted ones are the same in every draw, so that only draw 0 has them. */
export const ARRAYS = [...Array(ARRAY_NUM).keys()].slice(DRAW === 0 ? 0 : PLANTED.length)

interface Row {
  [name: string]: unknown
}

const rows = (from: number, to: number, row: (i: number) => Row): Row[] =>
  Array.from({ length: to - from }, (_, i) => row(from + i))

const SHA = { filters: [{ name: 'ZSTD' }, { name: 'CHECKSUM_SHA256' }] }
const NUMBERS = { name: 'a', type: 'INT32' }
const WORDS = { name: 's', type: 'STRING_UTF8', cell_val_num: 'var', nullable: true }
const X = { name: 'x', type: 'INT32', domain: [0, 99], tile_extent: 10 }
const WORD_LIST = [null, '', 'oak', 'ash']

const sparse = (i: number): Row => ({ x: i, a: i * 7, s: WORD_LIST[i % 4] })

/** Histories whose arrays are damaged at random. */
const HISTORIES: Readonly<Record<string, readonly object[]>> = {
  'sparse, consolidated, not vacuumed': [
    { step: 'create', schema: { array_type: 'sparse', capacity: 4, dimensions: [X], attributes: [NUMBERS, WORDS] } },
    { step: 'write', cells: rows(0, 10, sparse) },
    { step: 'write', cells: rows(5, 15, sparse) },
    { step: 'delete', where: 'a < 20' },
    { step: 'consolidate' },
    { step: 'write', cells: rows(20, 25, sparse) },
    { step: 'metadata', put: { title: 'trees', n: 1 } },
  ],
  'sparse with checksums, vacuumed, evolved': [
    {
      step: 'create',
      schema: {
        array_type: 'sparse',
        capacity: 4,
        dimensions: [X],
        attributes: [
          { ...NUMBERS, filters: SHA },
          { ...WORDS, filters: SHA },
          { name: 'k', type: 'INT8', enumeration: 'trees' },
        ],
        coords_filters: SHA,
        offsets_filters: SHA,
        validity_filters: SHA,
        enumerations: [{ name: 'trees', type: 'STRING_UTF8', cell_val_num: 'var', values: ['oak', 'ash', 'elm'] }],
      },
    },
    { step: 'write', cells: rows(0, 10, (i) => ({ ...sparse(i), k: i % 3 })) },
    { step: 'write', cells: rows(30, 36, (i) => ({ ...sparse(i), k: i % 3 })) },
    { step: 'consolidate' },
    { step: 'vacuum' },
    { step: 'evolve', add_attributes: [{ name: 'b', type: 'FLOAT64' }] },
    { step: 'write', cells: rows(8, 20, (i) => ({ ...sparse(i), k: i % 3, b: i / 2 })) },
    { step: 'delete', where: 'x == 9' },
  ],
  'sparse with duplicates, commits and footers consolidated': [
    {
      step: 'create',
      schema: {
        array_type: 'sparse',
        capacity: 3,
        allows_duplicates: true,
        dimensions: [X, { ...X, name: 'y' }],
        attributes: [NUMBERS],
      },
    },
    { step: 'write', cells: rows(0, 8, (i) => ({ x: i, y: i % 3, a: i })) },
    { step: 'write', cells: rows(4, 12, (i) => ({ x: i, y: i % 3, a: -i })) },
    { step: 'consolidate', mode: 'commits' },
    { step: 'consolidate', mode: 'fragment_meta' },
    { step: 'write', cells: rows(0, 3, (i) => ({ x: i, y: i, a: i })) },
  ],
  'of format 9, consolidated, not vacuumed': [
    {
      step: 'create',
      schema: {
        array_type: 'sparse',
        format_version: 9,
        capacity: 4,
        dimensions: [X],
        attributes: [NUMBERS, { ...WORDS, type: 'STRING_ASCII' }],
      },
    },
    { step: 'write', cells: rows(0, 10, sparse) },
    { step: 'write', cells: rows(5, 15, sparse) },
    { step: 'consolidate' },
    { step: 'consolidate', mode: 'fragment_meta' },
    { step: 'write', cells: rows(20, 25, sparse) },
    { step: 'metadata', put: { title: 'trees' } },
    { step: 'metadata', put: { title: 'oaks', n: 1 } },
  ],
  'with enumerations and labels of the newest schema alone': [
    {
      step: 'create',
      schema: {
        array_type: 'sparse',
        capacity: 5,
        dimensions: [X],
        attributes: [{ name: 'k', type: 'INT8', enumeration: 'trees' }],
        enumerations: [{ name: 'trees', type: 'STRING_UTF8', cell_val_num: 'var', values: ['oak', 'ash', 'elm'] }],
      },
    },
    { step: 'write', cells: rows(0, 10, (i) => ({ x: i, k: i % 3 })) },
    { step: 'evolve', extend_enumerations: [{ name: 'trees', values: ['fir'] }] },
    { step: 'write', cells: rows(5, 15, (i) => ({ x: i, k: i % 4 })) },
    { step: 'delete', where: 'k == "ash"' },
    { step: 'delete', where: 'x > 12' },
    { step: 'consolidate', mode: 'commits' },
    { step: 'vacuum', mode: 'commits' },
    { step: 'write', cells: rows(20, 25, (i) => ({ x: i, k: i % 4 })) },
    { step: 'consolidate', mode: 'fragment_meta' },
  ],
  'dense, consolidated, not vacuumed': [
    {
      step: 'create',
      schema: {
        array_type: 'dense',
        dimensions: [{ ...X, domain: [0, 19], tile_extent: 4 }],
        attributes: [{ ...NUMBERS, filters: SHA }, WORDS],
      },
    },
    { step: 'write', cells: rows(0, 12, sparse) },
    { step: 'write', cells: rows(6, 18, sparse) },
    { step: 'consolidate' },
  ],
  'dense, two writes': [
    {
      step: 'create',
      schema: {
        array_type: 'dense',
        dimensions: [
          { ...X, domain: [0, 5], tile_extent: 4 },
          { ...X, name: 'y', domain: [0, 5], tile_extent: 3 },
        ],
        attributes: [
          { ...NUMBERS, nullable: true },
          { name: 'f', type: 'FLOAT32' },
        ],
      },
    },
    { step: 'write', cells: rows(0, 36, (i) => ({ x: Math.floor(i / 6), y: i % 6, a: i % 5 || null, f: i / 4 })) },
    { step: 'write', cells: rows(0, 6, (i) => ({ x: 2, y: i, a: i, f: -i })) },
  ],
}

const made = new Map<string, ReadonlyMap<string, Uint8Array>>()

type Keyed = EditableArray & { readonly key: string | undefined }

class MadeArray extends EditableArray {
  readonly key = undefined

  constructor(files: ReadonlyMap<string, Uint8Array>) {
    super(EDITED, files, () => contextFor({ key: undefined }))
  }
}

/** The array of a history, in memory. @param folder where it is written first */
async function arrayOf(history: string, folder: string): Promise<MadeArray> {
  let files = made.get(history)
  if (!files) {
    const path = `${folder}/made${made.size}`
    const steps = HISTORIES[history].map((step, i) =>
      /consolidate|vacuum/.test(JSON.stringify(step)) ? step : { ...step, time: 10 + i },
    )
    writeFileSync(`${path}.json`, JSON.stringify({ steps }))
    const { code, stderr } = await run(['write-sample', path, '--steps', `${path}.json`, '--quiet'])
    if (code !== 0) throw new Error(`${history}: ${stderr}`)
    files = filesBelow(path, EDITED)
    made.set(history, files)
  }
  return new MadeArray(files)
}

/** Files beside the cells: few bytes on which all depends. */
const BOOK_KEEPING = /\/__(?:schema|commits|fragment_meta|meta)\/|\/__fragments\/[^/]+$|\.(?:ok|vac|meta)$/

/** Damages an array as disks and people do. @returns what was done */
export async function damagedAtRandom(random: Random, array: Keyed): Promise<string> {
  const paths = [...array.files.keys()].sort()
  const books = paths.filter((one) => BOOK_KEEPING.test(one))
  const path = random.pick(books.length > 0 && random.below(2) === 0 ? books : paths)
  const name = path.slice(EDITED.length + 1)
  const bytes = array.get(path)
  switch (random.below(10)) {
    case 0:
      array.remove(path)
      return `removed ${name}`
    case 1: {
      const length = random.below(bytes.length + 1)
      array.cut(path, length)
      return `cut ${name} to ${length} bytes`
    }
    case 2: {
      const other = random.pick(paths)
      array.files.set(path, array.get(other))
      array.files.set(other, bytes)
      return `swapped ${name} and ${other.slice(EDITED.length + 1)}`
    }
    case 3: {
      const around = /^.*\/__fragments\/[^/]*\//.exec(path)?.[0]
      if (around === undefined) break
      for (const one of paths) if (one.startsWith(around)) array.remove(one)
      return `removed the fragment of ${name}`
    }
    case 4:
    case 5:
    case 6: {
      if (bytes.length === 0) break
      const [at, bit] = [random.below(bytes.length), random.below(8)]
      array.patch(path, at, [bytes[at] ^ (1 << bit)])
      return `flipped bit ${bit} of byte ${at} of ${name}`
    }
    default:
      return await mutateArray(random, array)
  }
  array.files.set(path, mutateBytes(random, bytes, array.get(random.pick(paths))))
  return `bytes of ${name}`
}

/** A damaged array by its number, from 0 to {@link ARRAY_NUM} - 1. @param folder where arrays are written first */
export async function damagedArray(number: number, folder: string): Promise<DamagedArray> {
  const code = PLANTED[number]
  if (code !== undefined) {
    const array = await whole(code)
    await DAMAGES[code].plant(array)
    return { name: `${number}: ${code}, ${DAMAGES[code].name}`, array, key: keyOf(array) }
  }
  const random = new Random(number + DRAW * ARRAY_NUM)
  if (random.below(5) === 0) return plantedAndDamaged(number, random)
  const history = random.pick(Object.keys(HISTORIES))
  const array = await arrayOf(history, folder)
  const done = [await damagedAtRandom(random, array)]
  if (random.below(4) === 0) done.push(await damagedAtRandom(random, array))
  return { name: `${number} of draw ${DRAW}: ${history}; ${done.join('; ')}`, array, key: undefined }
}

/** An array with the damage of a finding code, and another at random. */
async function plantedAndDamaged(number: number, random: Random): Promise<DamagedArray> {
  const code = random.pick(PLANTED)
  const array = await whole(code)
  await DAMAGES[code].plant(array)
  const key = keyOf(array)
  const done = await damagedAtRandom(random, Object.assign(array, { key }))
  return { name: `${number} of draw ${DRAW}: ${code}, ${DAMAGES[code].name}; ${done}`, array, key }
}
