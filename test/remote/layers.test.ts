import { cpSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type SampleName, sampleArray } from '../../src/damage/samples.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'
import { dataset, type GroupSpec, writeFiles } from '../layers/parts.ts'
import { climate, field, image, line, store } from '../layers/specs.ts'

/*
 * What the words of a layer cost: the key-value metadata of what is shown, each file once. A target of no layer costs its own.
 */

const BLOOD = fileURLToPath(new URL('../../examples/arrays/blood', import.meta.url))
const bucket = temporaryFolder()
const silent = temporaryFolder()
const server = await serveBuckets({ bucket, silent }, { pageSize: 1000 })
const env = { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET' }

const SAMPLES: readonly SampleName[] = ['vcf', 'vectorIndex', 'image']
const SPECS: Readonly<Record<string, GroupSpec>> = { small: image(), climate: climate(), store: store() }
const LAYERED = ['blood', ...SAMPLES, ...Object.keys(SPECS)]

/** A copy in which nothing says anything. */
function silenced(name: string): void {
  cpSync(`${bucket}/${name}`, `${silent}/${name}`, { recursive: true })
  for (const path of readdirSync(`${silent}/${name}`, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('__meta')) rmSync(`${silent}/${name}/${path}`, { recursive: true })
}

beforeAll(async () => {
  cpSync(BLOOD, `${bucket}/blood`, { recursive: true })
  for (const name of SAMPLES) writeFiles(await sampleArray(name, EDITED, writingCodecs), `${bucket}/${name}`)
  for (const [name, spec] of Object.entries(SPECS)) writeFiles(await dataset(spec), `${bucket}/${name}`)
  const other = { ...field, keys: { anything: 'x' } }
  const members = { deep: { members: { t: other } }, t: other, lat: { ...line('rows'), keys: { anything: 'x' } } }
  writeFiles(await dataset({ members, keys: { title: 'made' } }), `${bucket}/other`)
  for (const name of LAYERED) silenced(name)
})

/** The requests of a command. */
async function requestsOf(args: readonly string[], target: string, at = 'bucket'): Promise<string[]> {
  server.reset()
  await run([...args, `s3://${at}/${target}`], { env })
  return server.requests.map(({ key, prefix, range }) => (prefix === undefined ? `${key} ${range}` : `list ${prefix}`))
}

const isMeta = (request: string): boolean => request.includes('/__meta/')
const ways = [['ls'], ['ls', '--depth', 'all'], []]

describe.each(LAYERED)('%s', (name) => {
  test.each(ways)('%s', async (...args) => {
    const all = await requestsOf(args, name)
    const own = all.filter(isMeta)
    // Nothing is read twice.
    expect(own).toEqual([...new Set(own)])
    // A group that says nothing is asked whether its members are those of an old VCF dataset.
    const others = (await requestsOf(args, name, 'silent')).filter((one) => !isMeta(one))
    const without = all.filter((one) => !isMeta(one))
    expect(without.filter((one) => !others.includes(one))).toEqual([])
    expect(without.length).toBeLessThanOrEqual(others.length)
  })
})

test.each(ways)('%s of a group of no layer reads its own metadata, once', async (...args) => {
  const own = (await requestsOf(args, 'other')).filter(isMeta)
  expect(own.filter((one) => !one.startsWith('other/__meta') && !one.startsWith('list other/__meta'))).toEqual([])
  expect(own).toEqual([...new Set(own)])
})
