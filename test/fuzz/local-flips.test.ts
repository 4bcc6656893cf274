import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { versionOf } from '../helpers/fixtures.ts'
import { get, items, type Json } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { turnOfFamilies } from '../helpers/turn.ts'
import { FlippedArray, fixtureFolders, Random } from './local-flips.ts'

const SEED = 20_261_122
const FLIPS = 3

/** Dense and sparse arrays of old and new versions, among them encrypted ones. */
const CHOSEN =
  /^((2|5|7|10|14|22)\/dense_basic|(3|9|12|17)\/sparse_consolidated|(3|10|22)\/encrypted|(16|22)\/deletes|22\/evolved_dense)$/

describe('a flipped bit of a local file ends no run: no command fails, the other fragments are examined, and shards find what one run finds', () => {
  const folders = fixtureFolders().filter(({ kind, name }) => kind === 'array' && CHOSEN.test(name))
  const some = turnOfFamilies(folders, 16, versionOf)
  test.each(some.map((folder): [string, typeof folder] => [folder.name, folder]))('%s', async (_, folder) => {
    const random = new Random(SEED)
    const array = new FlippedArray(folder)
    const wrong: string[] = []
    try {
      for (let i = 0; i < FLIPS; i++) wrong.push(...(await array.flip(random)))
    } finally {
      array.close()
    }
    expect(wrong).toEqual([])
  })
})

describe('verify-checksums', () => {
  test.each([
    ['local files', true],
    ['memory', false],
  ])('tells a section that the footer puts behind itself, and verifies the next fragment: %s', async (_, onDisk) => {
    const array = new EditedArray('22/deletes')
    await array.editFooter({ rtree_offset: 2 ** 34 }, array.fragmentPath('__10_'))
    const { code, documents, stderr } = await onTheDiskOrNot(array, onDisk, ['verify-checksums'])
    expect(stderr).not.toMatch(/fault/)
    expect(code).toBe(1)
    expect(get(documents[0], 'fragment_num')).toBe(2)
    expect(items(get(documents[0], 'failures')).map((failure) => get(failure, 'message'))).toEqual([
      expect.stringMatching(/^expected an offset before the footer at \d+, found 17179869184$/),
    ])
  })

  test('finds in shards what it finds in one run where not one tag of a shard fits', async () => {
    const array = new EditedArray('22/encrypted')
    const fragments = [...new Set(array.matching(/__fragment_metadata\.tdb$/))]
    for (const file of array.matching(/\/__fragments\/.*\.tdb$/))
      array.flip(file, Math.min(200, array.get(file).length - 1))
    const options = { storage: array.storage(), env: { TILEDB_INSPECT_KEY: array.key } }
    const failures = async (...shard: string[]): Promise<Json[]> => {
      const { documents } = await runJson(['verify-checksums', EDITED, ...shard], options)
      expect(get(documents[0], 'not_examined')).toEqual([])
      return [...items(get(documents[0], 'failures'))]
    }
    const whole = await failures()
    const shards = Array.from({ length: fragments.length + 1 }, (_, i) => `${i + 1}/${fragments.length + 1}`)
    const parts: Json[] = []
    for (const shard of shards) parts.push(...(await failures('--shard', shard)))
    expect(whole.length).toBeGreaterThan(0)
    expect(parts.map((one) => JSON.stringify(one)).sort()).toEqual(whole.map((one) => JSON.stringify(one)).sort())
  })
})

test('decode --all-fragments goes on behind a fragment that cannot be opened', async () => {
  const array = new EditedArray('22/dense_basic')
  const [first, second] = array.matching(/__fragment_metadata\.tdb$/).map((path) => path.split('/').at(-2))
  array.cut(array.matching(/__fragment_metadata\.tdb$/)[0], 100)
  for (const format of ['json', 'ndjson', 'csv']) {
    const { code, text, stderr } = await run(['decode', '--all-fragments', EDITED, '--format', format], {
      storage: array.storage(),
    })
    expect(code).toBe(1)
    expect(stderr.match(/^error: /gm)).toHaveLength(1)
    expect(stderr).toContain(first)
    expect(text).toContain(second)
  }
})

async function onTheDiskOrNot(
  array: EditedArray,
  onDisk: boolean,
  [command, ...options]: readonly string[],
): ReturnType<typeof runJson> {
  if (!onDisk) return runJson([command, EDITED, ...options], { storage: array.storage() })
  const root = mkdtempSync(join(tmpdir(), 'tiledb-inspect-'))
  try {
    for (const [path, bytes] of array.files) {
      mkdirSync(dirname(root + path), { recursive: true })
      writeFileSync(root + path, bytes)
    }
    return await runJson([command, root + EDITED, ...options])
  } finally {
    rmSync(root, { recursive: true })
  }
}
