import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { type Handler, listenForTests, serveFolder } from '../helpers/http-server.ts'
import { get, parseJson } from '../helpers/json.ts'
import { type Ran, run } from '../helpers/run.ts'
import { answerError, listingPage, serveBuckets } from '../helpers/s3-server.ts'

const server = await serveFolder(FIXTURES, { index: true })
/** Another host: the port differs. */
const elsewhere: string[] = []
const other = await listenForTests(({ url = '' }, response) => {
  elsewhere.push(url)
  response.writeHead(200).end('secret')
})
const s3 = await serveBuckets({ fixtures: FIXTURES }, { pageSize: 1000 })
const ARRAY = '22/sparse_basic'
const odd = await serveBuckets(
  { fixtures: FIXTURES },
  {
    pageSize: 1000,
    marks: ['__labels/../../x', '__labels/..', '__fragments//x', '/x', '../../x', './y'].map(
      (name) => `${ARRAY}/${name}`,
    ),
  },
)
const folder = temporaryFolder()
const [NAME] = fragmentNames(`${FIXTURES}/${ARRAY}`)
const FRAGMENT = `${ARRAY}/__fragments/${NAME}`
const METADATA = `/${FRAGMENT}/__fragment_metadata.tdb`

beforeEach(() => {
  server.reset()
  elsewhere.splice(0)
})

const on = (path: string, fault: Handler): void => {
  server.fault = (request, response, count) => request.path === path && fault(request, response, count)
}
const error = ({ text }: Ran): unknown => get(parseJson(text), 'error')

describe('redirects', () => {
  const footer = (): Promise<Ran> => run(['footer', '--json', `${server.url}/${FRAGMENT}`])
  const to = (location: string): Handler => {
    return (_, response) => !!response.writeHead(302, { location }).end()
  }

  test.each([
    ['another port', () => `${other}/x?token=1`, () => other],
    ['another host', () => 'http://169.254.169.254/latest/meta-data/', () => 'http://169.254.169.254'],
    ['a private host as an IPv6 address', () => 'http://[::ffff:10.0.0.1]/x', () => 'http://\\[::ffff:a00:1\\]'],
    ['another scheme', () => 'file:///etc/passwd', () => 'file://'],
    ['a host without a scheme', () => `//${new URL(other).host}/x`, () => other],
  ])('to %s are refused, and both hosts named', async (_, location, found) => {
    on(METADATA, to(location()))
    const ran = await footer()
    expect(ran.code).toBe(3)
    expect(error(ran)).toMatchObject({
      code: 'IO',
      message: expect.stringMatching(
        new RegExp(`^expected an answer from ${server.url}, found a redirect to ${found()},`),
      ),
    })
    expect(ran.stderr).not.toContain('token')
    expect(elsewhere).toEqual([])
    expect(server.requests.filter(({ path }) => path === METADATA)).toHaveLength(1)
  })

  test('within the host are followed, but not in circles', async () => {
    const right = await footer()
    server.fault = ({ path }, response) =>
      path === METADATA && !!response.writeHead(307, { location: `/moved${path}` }).end()
    const fault = server.fault
    server.fault = (request, response, count) => {
      if (!request.path.startsWith('/moved')) return fault(request, response, count)
      request.path = request.path.slice('/moved'.length)
      return false
    }
    expect((await footer()).text).toBe(right.text)
    on(METADATA, to(METADATA))
    expect(error(await footer())).toMatchObject({
      code: 'IO',
      message: expect.stringContaining('more than 5 redirects'),
    })
  })
})

describe('a page in place of a file is not damage', () => {
  const page = (type: string, body: string): Handler => {
    return ({ method }, response) => {
      response.writeHead(200, { 'content-type': type, 'content-length': body.length })
      return !!response.end(method === 'HEAD' ? '' : body)
    }
  }
  const login = page('text/html; charset=utf-8', '<!doctype html><title>Sign in</title>')

  test.each([
    ['footer', METADATA],
    ['decode', `/${FRAGMENT}/a0.tdb`],
    ['check', `/${FRAGMENT}/a0.tdb`],
    ['verify-checksums --deep', METADATA],
    ['stats', METADATA],
    ['check', METADATA],
  ])('%s with a login page for %s: exit code 3, with the content type', async (command, path) => {
    on(path, login)
    const ran = await run([...command.split(' '), '--json', `${server.url}/${FRAGMENT}`])
    expect(ran.code).toBe(3)
    expect(ran.text + ran.stderr).toContain('found a page in their place (Content-Type text/html; charset=utf-8)')
  })

  test('with ranges, and as JSON', async () => {
    for (const [type, body] of [
      ['text/html', `<html>${'x'.repeat(100)}`],
      ['application/json', '{"error": "unauthorized"}'],
    ]) {
      on(METADATA, (_, response) => {
        const range = `bytes 0-${body.length - 1}/${body.length}`
        return !!response.writeHead(206, { 'content-type': type, 'content-range': range }).end(body)
      })
      const ran = await run(['footer', '--json', `${server.url}/${FRAGMENT}`])
      expect({ code: ran.code, error: error(ran) }).toMatchObject({ code: 3, error: { code: 'IO' } })
    }
  })

  test('a server that sends all files as HTML is read', async () => {
    const right = await run(['check', '--json', '--level', 'cells', `${server.url}/${FRAGMENT}`])
    server.fault = (_, response) => {
      response.setHeader('content-type', 'text/html')
      const { writeHead } = response
      response.writeHead = ((status: number, { 'content-type': __, ...headers }: Record<string, string> = {}) =>
        writeHead.call(response, status, headers)) as typeof writeHead
      return false
    }
    const ran = await run(['check', '--json', '--level', 'cells', `${server.url}/${FRAGMENT}`])
    expect(ran).toEqual(right)
  })
})

test('an index page with tags that nothing closes is read at once', async () => {
  on(`/${ARRAY}/`, (_, response) => {
    return !!response.writeHead(200, { 'content-type': 'text/html' }).end('<a '.repeat(1_000_000))
  })
  expect(await run(['ls', `${server.url}/${ARRAY}`])).toMatchObject({ code: 3 })
})

test('a slow body is given up when too few bytes arrive in the time, whatever its length', async () => {
  const env = { TILEDB_INSPECT_TIMEOUT: '0.3', TILEDB_INSPECT_ATTEMPTS: '1' }
  const timers: ReturnType<typeof setInterval>[] = []
  on(`/${ARRAY}/`, ({ method }, response) => {
    if (method === 'HEAD') return false
    response.writeHead(200, { 'content-type': 'text/html' })
    timers.push(setInterval(() => response.write('x'), 20))
    return true
  })
  const started = performance.now()
  const ran = await run(['ls', '--json', `${server.url}/${ARRAY}`], { env })
  for (const timer of timers) clearInterval(timer)
  expect(error(ran)).toMatchObject({
    code: 'IO',
    message: 'expected an answer, found less than 4096 bytes a second for 0.3 seconds',
  })
  expect(performance.now() - started).toBeLessThan(20_000)
})

test('a port to which HTTP clients do not connect is named in the error, after one try', async () => {
  const ran = await run([
    'ls',
    '--json',
    'http://127.0.0.1:6000/array/__fragments/__1_1_00000000000000000000000000000000_22',
  ])
  expect(ran.code).toBe(3)
  expect(error(ran)).toMatchObject({ code: 'IO', message: expect.stringMatching(/do not connect to \(6000\)$/) })
})

describe('S3', () => {
  const env = { AWS_ENDPOINT_URL: s3.url, AWS_NO_SIGN_REQUEST: '1' }

  test.each([['check'], ['verify-checksums'], ['stats'], ['ls'], ['decode --all-fragments']])(
    '%s: what goes between listing and reading is not damage',
    async (command) => {
      s3.reset()
      s3.fault = ({ key }, response) =>
        key.includes(NAME) && key.endsWith('.tdb') && answerError(response, 404, 'NoSuchKey')
      const ran = await run([...command.split(' '), '--json', `s3://fixtures/${ARRAY}`], { env })
      expect({ code: ran.code, text: ran.text + ran.stderr }).toEqual({
        code: 3,
        text: expect.stringContaining('it is gone (HTTP 404)'),
      })
    },
  )

  test('an empty answer without a length, for a file whose listing says more, is not damage', async () => {
    s3.reset()
    s3.fault = ({ key }, response) =>
      key.endsWith('a0.tdb') && !!response.writeHead(200, { 'transfer-encoding': 'chunked' }).end()
    const ran = await run(['check', `s3://fixtures/${ARRAY}`], { env })
    expect({ code: ran.code, text: ran.text + ran.stderr }).toEqual({
      code: 3,
      text: expect.stringMatching(/expected the file as it was \(\d+ bytes\), found it changed \(0 bytes\)/),
    })
  })

  test.each([
    ['a name outside of the folder', '<Contents><Key>elsewhere</Key><Size>1</Size></Contents>', 3, /outside of it/],
    ['tags that nothing closes', '<Contents>'.repeat(500_000), 3, /no such file/],
  ])('a listing with %s', async (_, content, code, message) => {
    s3.reset()
    s3.fault = ({ prefix }, response) => {
      if (prefix === undefined) return false
      return !!response.writeHead(200).end(`<ListBucketResult>${content}</ListBucketResult>`)
    }
    expect(await run(['ls', `s3://fixtures/${ARRAY}`], { env })).toMatchObject({
      code,
      stderr: expect.stringMatching(message),
    })
  })

  test('a listing with ever new names ends, and the option that raises the bound is named', async () => {
    s3.reset()
    let pages = 0
    s3.fault = ({ prefix }, response) => {
      if (!prefix?.endsWith('/__fragments/')) return false
      pages++
      const names = Array.from({ length: 1000 }, (_, i) => ({ name: `${prefix}${pages}_${i}`, size: 1 }))
      return !!response.writeHead(200).end(listingPage(names, 0, 1000, `token ${pages}`))
    }
    const ran = await run(['ls', `s3://fixtures/${ARRAY}`, '--memory', '12M'], { env })
    expect(ran).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /at most 4194304 bytes of names in a listing \(a third of --memory\), found \d+ or more/,
      ),
    })
    expect(pages).toBeLessThan(20)
  })

  test('keys with `..` and without a name do not lead out of the folder that recover writes', async () => {
    const inside = `${folder}/deep/in/it`
    mkdirSync(inside, { recursive: true })
    const target = `s3://fixtures/${ARRAY}`
    for (const args of [
      ['recover', target, '--to', `${inside}/new`],
      ['stats', target],
      ['check', target],
    ])
      expect(await run(args, { env: { ...env, AWS_ENDPOINT_URL: odd.url } })).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(folder, { recursive: true }).filter((path) => /(?:^|\/)[xy]$/.test(String(path)))).toEqual([])
    expect(readdirSync(inside)).toEqual(['new'])
  })

  test('recover does not write a name with which a listing leads out of the folder', async () => {
    s3.reset()
    const array = '22/dimension_labels'
    const key = `${array}/__labels/new/../../../y`
    s3.fault = ({ prefix }, response) => {
      if (!prefix?.endsWith('/__labels/')) return false
      return !!response.writeHead(200).end(listingPage([{ name: key, size: 0 }], 0, 10))
    }
    const inside = `${folder}/alone`
    mkdirSync(inside)
    const ran = await run(['recover', `s3://fixtures/${array}`, '--to', `${inside}/new`], { env })
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('found one that leads out of it') })
    expect(readdirSync(inside)).toEqual([])
  })

  test('schemes may be in capital letters', async () => {
    s3.reset()
    const right = await run(['ls', '--json', `s3://fixtures/${ARRAY}`], { env })
    expect(await run(['ls', '--json', `S3://fixtures/${ARRAY}`], { env })).toEqual(right)
    const url = `${server.url}/${ARRAY}`
    expect(await run(['ls', '--json', url.replace('http', 'HTTP')])).toEqual(await run(['ls', '--json', url]))
  })

  test.each([
    ['a profile', 'profile mine', { AWS_PROFILE: 'mine' }, 'endpoint_url = URL\nregion = eu-central-3'],
    ['the default profile', 'default', {}, 'region=eu-central-3 # there\nendpoint_url=URL'],
    [
      'a service',
      'profile mine',
      { AWS_PROFILE: 'mine' },
      'services = s\nregion = eu-central-3\nendpoint_url = http://127.0.0.1:1\n[services s]\ns3 =\n  endpoint_url = URL',
    ],
  ])('region and endpoint_url of %s', async (_, section, profile, lines) => {
    s3.reset()
    const file = `${folder}/config`
    writeFileSync(file, `[profile other]\nregion = us-west-9\n\n[${section}]\n${lines.replace('URL', s3.url)}\n`)
    const keys = { AWS_ACCESS_KEY_ID: 'ACCESSKEY', AWS_SECRET_ACCESS_KEY: 'x' }
    const signed = Object.keys(profile).length === 0
    const given = { ...profile, AWS_CONFIG_FILE: file, ...(signed ? keys : { AWS_NO_SIGN_REQUEST: '1' }) }
    const ran = await run(['ls', '--names', '--json', `s3://fixtures/${ARRAY}`], { env: given })
    expect(ran.code).toBe(0)
    expect(s3.requests.length).toBeGreaterThan(0)
    if (signed) expect(s3.requests[0].authorization).toContain('/eu-central-3/s3/')
  })
})
