import { cpSync, readdirSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'

const FRAGMENTS = 24
const SOURCE = `${FIXTURES}/22/filter_md5`
const [ORIGINAL] = fragmentNames(SOURCE)
/** Data files of a fragment. */
const FILES = readdirSync(`${SOURCE}/__fragments/${ORIGINAL}`).length - 1

const bucket = temporaryFolder()
/** Long enough that all requests that may be concurrent are. */
const server = await serveBuckets({ bucket }, { pageSize: 1000, delay: 10 })
const env = { AWS_ENDPOINT_URL: server.url, AWS_NO_SIGN_REQUEST: '1' }
const ARRAY = 's3://bucket/array'

beforeAll(() => {
  cpSync(SOURCE, `${bucket}/array`, { recursive: true })
  for (let i = 1; i < FRAGMENTS; i++) {
    const name = ORIGINAL.replace(/^__\d+_\d+_/, `__${1000 + i}_${1000 + i}_`)
    cpSync(`${SOURCE}/__fragments/${ORIGINAL}`, `${bucket}/array/__fragments/${name}`, { recursive: true })
    writeFileSync(`${bucket}/array/__commits/${name}.wrt`, '')
  }
})

beforeEach(() => server.reset())

interface Asked {
  listings: number
  /** Number of reads of metadata files and of data files, by the end of their keys. */
  footers: number
  data: number
  mostAtOnce: number
}

async function asked(args: readonly string[]): Promise<Asked> {
  server.reset()
  const { code, stderr } = await run([...args, '--json', ARRAY], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const keys = server.requests.filter(({ prefix }) => prefix === undefined).map(({ key }) => key)
  const listings = server.requests.flatMap(({ prefix, query }) =>
    prefix === undefined ? [] : [`${prefix} ${query.get('delimiter')} ${query.get('continuation-token')}`],
  )
  // No request that an earlier one has answered.
  expect(new Set(listings).size).toBe(listings.length)
  return {
    listings: listings.length,
    footers: keys.filter((key) => key.endsWith('/__fragment_metadata.tdb')).length,
    data: keys.filter((key) => /\/[ad]\d[^/]*\.tdb$/.test(key)).length,
    mostAtOnce: server.mostAtOnce,
  }
}

describe(`${FRAGMENTS} fragments: up to 16 requests at once, each footer once, no listing twice`, () => {
  test.each([
    [['ls'], 0],
    [['stats'], 0],
    [['check', '--level', 'structure'], 0],
    [['check'], FILES],
    [['check', '--level', 'cells'], FILES],
    [['check', '--shard', '1/1'], FILES],
    [['verify-checksums'], FILES - 1],
    [['verify-checksums', '--jobs', '4'], FILES - 1],
    [['verify-checksums', '--deep'], FILES],
    [['footer'], 0],
    [['tiles'], 0],
    [['decode', '--all-fragments'], FILES],
  ] as const)('%j reads %d data files a fragment', async (args, files) => {
    const { listings, mostAtOnce, ...reads } = await asked(args)
    expect(reads).toEqual({ footers: FRAGMENTS, data: files * FRAGMENTS })
    // An upper limit: the actual number depends on the load of the machine.
    expect(mostAtOnce).toBeGreaterThan(4)
    expect(mostAtOnce).toBeLessThanOrEqual(16)
    expect(listings).toBeLessThanOrEqual(10)
  })
})
