import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { onDiskAndOn } from '../helpers/both.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, parseJson } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'

const ARRAYS = ['22/sparse_basic', '22/enumerations', '22/metadata', '22/deletes', '3/sparse_basic', '22/empty_sparse']
const GROUP = '22/group'
const FOLDERS = [
  '__meta',
  '__schema',
  '__fragments',
  '__commits',
  '__fragment_meta',
  '__labels',
  '__schema/__enumerations',
]

/** An array with a mark for every folder: its own, and empty ones that only an object store has. */
function marksOf(array: string): string[] {
  const inside = readdirSync(`${FIXTURES}/${array}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(FIXTURES.length + 1))
  const all = [
    array,
    ...inside,
    ...(array.startsWith('22') && array !== GROUP ? FOLDERS.map((name) => `${array}/${name}`) : []),
  ]
  return [...new Set(all.map((folder) => `${folder}/`))]
}

const marks = [...ARRAYS, GROUP].flatMap(marksOf).concat('22/', 'only/')
const server = await serveBuckets({ fixtures: FIXTURES }, { pageSize: 7, marks })
const env = { AWS_ENDPOINT_URL: server.url, AWS_NO_SIGN_REQUEST: '1' }

describe('objects that mark folders are ignored', () => {
  test.each(ARRAYS)('%s', async (array) => {
    for (const args of [
      ['ls'],
      ['schema', '--all'],
      ['commits'],
      ['metadata'],
      ['stats'],
      ['verify-checksums', '--deep', '--all'],
      ['check', '--level', 'cells', '--all'],
      ['decode', '--all-fragments'],
    ]) {
      const { local, remote } = await onDiskAndOn('s3://fixtures', args, array, { env })
      expect({ args, remote }).toEqual({ args, remote: local })
    }
  })

  test.each([['ls'], ['metadata'], ['check'], ['verify-checksums']])('%s of a group', async (command) => {
    const { local, remote } = await onDiskAndOn('s3://fixtures', [command], GROUP, { env })
    expect(remote).toEqual(local)
  })

  test('a folder with nothing but a mark exists, but is no array', async () => {
    const { code, text } = await run(['ls', '--json', 's3://fixtures/only'], { env })
    expect({ code, error: parseJson(text) }).toMatchObject({ code: 3, error: { error: { code: 'NOT_TILEDB' } } })
  })
})

/**
 * Hadoop's file systems mark folders by empty objects beside them. Copies on a disk have these as files. TileDB 2.30 opens the
 * arrays with a mark in these places.
 */
describe('_$folder$ marks', () => {
  const array = `${temporaryFolder()}/array`
  cpSync(`${FIXTURES}/22/enumerations`, array, { recursive: true })
  const [fragment] = fragmentNames(array)
  const findings = async (): Promise<unknown> => {
    const { text } = await run(['check', '--json', '--level', 'structure', array])
    return get(parseJson(text), 'findings')
  }

  test('marks that TileDB ignores are no findings', async () => {
    for (const name of ['__meta', '__fragments', '__schema', '__commits', `__fragments/${fragment}`, '__commits/x'])
      writeFileSync(`${array}/${name}_$folder$`, '')
    expect(await findings()).toEqual([])
  })

  test('marks in folders of which TileDB reads every file are findings', async () => {
    writeFileSync(`${array}/__schema/__enumerations_$folder$`, '')
    expect(await findings()).toMatchObject([{ severity: 'error', code: 'SCHEMA_NAME_INVALID' }])
  })
})
