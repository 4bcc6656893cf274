import { cpSync, existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { filesBelow, temporaryFolder } from '../helpers/folders.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'
import { shortTurn, shortTurnOf } from '../helpers/turn.ts'

const folder = temporaryFolder()
const METADATA = '__fragment_metadata.tdb'
const indexed = await serveFolder(folder, { index: true })
const s3 = await serveBuckets({ bucket: folder }, { pageSize: 3 })
const PLACES = {
  HTTP: [indexed.url, {}],
  S3: ['s3://bucket', { AWS_ENDPOINT_URL: s3.url, AWS_NO_SIGN_REQUEST: '1' }],
} as const

/** Each file with its bytes. */
function content(path: string): [string, string][] {
  return [...filesBelow(path, '')].map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])
}

/** Of each damage: what is done to the metadata of the first fragment, and the options that mend it. */
const DAMAGES: Readonly<Record<string, { harm(fragment: string): void; options: readonly string[]; code: number }>> = {
  'metadata gone': { harm: (fragment) => rmSync(`${fragment}/${METADATA}`), options: [], code: 0 },
  'metadata cut': { harm: (fragment) => truncateSync(`${fragment}/${METADATA}`, 40), options: [], code: 0 },
  'data cut': {
    harm(fragment) {
      const file = `${fragment}/${['a0.tdb', 'a.tdb', 'd0.tdb'].find((name) => existsSync(`${fragment}/${name}`))}`
      truncateSync(file, readFileSync(file).length - 5)
    },
    options: ['--drop-damaged'],
    code: 1,
  },
}

const ARRAYS = ['duplicates', 'dense_fragment_metadata_consolidated', 'commits_consolidated'].map(
  (name) => `22/${name}`,
)
ARRAYS.push('5/sparse_basic')
const DAMAGED = ARRAYS.flatMap((fixture) => Object.keys(DAMAGES).map((how) => [fixture, how]))

describe.each(Object.entries(PLACES))('from %s', (place, [url, env]) => {
  test.each(shortTurn(DAMAGED, 8))('%s, %s: the result is the same as from files', async (fixture, how) => {
    const { harm, options, code } = DAMAGES[how]
    const name = `${place} ${fixture} ${how}`.replaceAll(/\W+/g, '_')
    const path = `${folder}/${name}`
    cpSync(`${FIXTURES}/${fixture}`, path, { recursive: true })
    const [metadata] = [...filesBelow(path, '').keys()].filter((file) => file.endsWith(METADATA)).sort()
    harm(`${path}${metadata.slice(0, -METADATA.length - 1)}`)
    const call = (from: string, to: string) => run(['recover', from, '--to', to, ...options, '--json'], { env })
    const local = await call(path, `${path}.local`)
    const remote = await call(`${url}/${name}`, `${path}.remote`)
    expect([local.code, remote.code, remote.stderr]).toEqual([code, code, local.stderr])
    expect(content(`${path}.remote`)).toEqual(content(`${path}.local`))
    expect(remote.text.replaceAll(`${url}/`, `${folder}/`).replaceAll('.remote', '.local')).toBe(local.text)
    if (code === 1)
      expect(readFileSync(`${path}.remote.lost.ndjson`, 'utf8')).toBe(readFileSync(`${path}.local.lost.ndjson`, 'utf8'))
  })

  test('one fragment, and one whose folder has lost its name', async () => {
    const path = `${folder}/${place}one`
    cpSync(`${FIXTURES}/22/rtree_levels`, path, { recursive: true })
    const [metadata] = [...filesBelow(path, '').keys()].filter((file) => file.endsWith(METADATA))
    const fragment = metadata.slice(1, -METADATA.length - 1)
    const whole = content(`${path}/${fragment}`)
    rmSync(`${path}${metadata}`)
    const one = await run(['recover', `${url}/${place}one/${fragment}`, '--to', `${path}.new`], { env })
    expect([one.code, one.stderr]).toEqual([0, ''])
    expect(content(`${path}.new`)).toEqual(whole)
    cpSync(`${path}/${fragment}`, `${path}/__fragments/lost`, { recursive: true })
    rmSync(`${path}/${fragment}`, { recursive: true })
    const lost = await run(['recover', `${url}/${place}one/__fragments/lost`, '--to', `${path}.2`], { env })
    expect([lost.code, lost.stderr]).toEqual([0, ''])
    expect(lost.text).toContain(fragment)
    expect(content(`${path}.2`)).toEqual(whole)
  })
})

/**
 * Recovers an array while one request fails, which takes turns: one in `share` of those for wanted files. Either nothing is written,
 * or all that is written if none fails.
 */
async function failing(array: string, wanted: RegExp, share: number): Promise<{ requests: number; codes: number[] }> {
  const env = { TILEDB_INSPECT_ATTEMPTS: '1', TILEDB_INSPECT_TIMEOUT: '1' }
  const recovered = async (failed: number | undefined) => {
    let asked = 0
    indexed.fault = ({ path }, response) => {
      if (!wanted.test(path) || asked++ !== failed) return false
      response.writeHead(500).end()
      return true
    }
    const to = `${folder}/${array}.${failed}`
    const { code } = await run(['recover', `${indexed.url}/${array}`, '--to', to, '--drop-damaged'], { env })
    expect(existsSync(to)).toBe(code === 0)
    return { code, asked, files: code === 0 ? content(to) : undefined }
  }
  const whole = await recovered(undefined)
  expect(whole.code).toBe(0)
  const codes: number[] = []
  for (const failed of shortTurnOf(whole.asked, share)) {
    const { code, files } = await recovered(failed)
    if (files) expect(files).toEqual(whole.files)
    codes.push(code)
  }
  indexed.reset()
  return { requests: whole.asked, codes }
}

test('a failed request is not damage: whichever it is, nothing is dropped', async () => {
  const path = `${folder}/fails`
  // Files larger than what is read at once.
  await run(['write-sample', path, '--cells', '20000', '--capacity', '2000', '--filters', 'none'])
  const [metadata] = [...filesBelow(path, '').keys()].filter((file) => file.endsWith(METADATA))
  rmSync(`${path}${metadata}`)
  const { requests, codes } = await failing('fails', /__fragments\/.*\.tdb$/, 4)
  expect(requests).toBeGreaterThan(19)
  expect(codes.filter((code) => code !== 0 && code !== 3)).toEqual([])
  expect(codes).toContain(3)
})

test.each(['22/deletes', '22/metadata', '22/enumerations'])(
  '%s: nor of the files around the fragments',
  async (fixture) => {
    const name = fixture.replace('/', '_')
    cpSync(`${FIXTURES}/${fixture}`, `${folder}/${name}`, { recursive: true })
    const { requests, codes } = await failing(name, /__(schema|meta|commits)\/./, 1)
    expect(requests).toBeGreaterThan(1)
    expect(codes).toContain(3)
  },
)
