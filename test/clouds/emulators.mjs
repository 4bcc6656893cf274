import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { FIXTURES } from '../helpers/fixtures.ts'
import { listen } from '../helpers/http-server.ts'
import { run } from '../helpers/run.ts'
import { serveBuckets } from '../helpers/s3-server.ts'

/*
 * Commands on arrays in emulators of clouds print what they print for the same arrays on disk, with as many requests as on S3:
 *
 *   node --import ./test/fuzz/register.mjs test/clouds/emulators.mjs azurite PATH/OF/azurite-blob
 *   node --import ./test/fuzz/register.mjs test/clouds/emulators.mjs gcs PATH/OF/gcp-storage-emulator
 *   node --import ./test/fuzz/register.mjs test/clouds/emulators.mjs gcs PATH/OF/fake-gcs-server
 *
 * Azurite is the npm package azurite, the others are the PyPI package gcp-storage-emulator and the Go program
 * github.com/fsouza/fake-gcs-server. The exit code is 1 if anything differs.
 */

const [kind, program, most = '300'] = process.argv.slice(2)
const BUCKET = 'fixtures'
const COMMANDS = [
  ['ls'],
  ['ls', '--names'],
  ['schema', '--all'],
  ['commits'],
  ['footer'],
  ['rtree'],
  ['tiles'],
  ['metadata'],
  ['stats'],
  ['decode', '--all-fragments'],
  ['verify-checksums', '--deep', '--all'],
  ['check', '--level', 'cells', '--all'],
]
const ALL = readdirSync(`${FIXTURES}/22`).filter((name) => statSync(`${FIXTURES}/22/${name}`).isDirectory())
const STEP = Math.max(1, Math.floor(ALL.length / 25))
const ARRAYS = ALL.filter((_, i) => i % STEP === 0).map((name) => `22/${name}`)

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function started(command, args, url) {
  const child = spawn(command, args, { stdio: 'ignore' })
  process.on('exit', () => child.kill())
  for (let i = 0; i < 600; i++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${command} does not answer`)
}

function filesBelow(array) {
  return readdirSync(`${FIXTURES}/${array}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(FIXTURES.length + 1))
}

async function expectOk(answer, what) {
  if (!answer.ok) throw new Error(`${what}: HTTP ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** The account that Azurite has. Its key is published. */
const ACCOUNT = 'devstoreaccount1'
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='
const hmac = (text) => createHmac('sha256', Buffer.from(KEY, 'base64')).update(text).digest('base64')

async function azurite() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/${ACCOUNT}`
  await started(process.execPath, [program, '--blobPort', String(port), '--inMemoryPersistence', '--silent'], url)
  const put = (path, query, headers, body) => {
    const own = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2021-12-02', ...headers }
    const length = body && body.length > 0 ? String(body.length) : ''
    const type = 'application/octet-stream'
    const lines = ['PUT', '', '', length, '', type, '', '', '', '', '', '']
    for (const name of Object.keys(own).sort()) lines.push(`${name}:${own[name]}`)
    lines.push(`/${ACCOUNT}/${ACCOUNT}/${path}`, ...query.map(([name, value]) => `${name}:${value}`))
    const search = query.map(([name, value]) => `?${name}=${value}`).join('')
    const authorization = `SharedKey ${ACCOUNT}:${hmac(lines.join('\n'))}`
    return fetch(`${url}/${path}${search}`, {
      method: 'PUT',
      headers: { ...own, authorization, 'content-type': type },
      body,
    })
  }
  for (const [name, access] of [
    [BUCKET, {}],
    ['open', { 'x-ms-blob-public-access': 'container' }],
  ]) {
    await expectOk(await put(name, [['restype', 'container']], access), name)
    const arrays = name === 'open' ? ARRAYS.slice(0, 2) : ARRAYS
    for (const file of arrays.flatMap(filesBelow))
      await expectOk(
        await put(`${name}/${file}`, [], { 'x-ms-blob-type': 'BlockBlob' }, readFileSync(`${FIXTURES}/${file}`)),
        file,
      )
  }
  const [start, expiry] = [-3600, 86_400].map((s) => `${new Date(Date.now() + s * 1000).toISOString().slice(0, 19)}Z`)
  const signed = [ACCOUNT, 'rl', 'b', 'sco', start, expiry, '', 'https,http', '2020-08-04', ''].join('\n')
  const sas = new URLSearchParams({
    sv: '2020-08-04',
    ss: 'b',
    srt: 'sco',
    sp: 'rl',
    st: start,
    se: expiry,
    spr: 'https,http',
    sig: hmac(signed),
  }).toString()
  const place = { AZURE_BLOB_ENDPOINT: url }
  return [
    [
      'a key',
      `azure://${BUCKET}`,
      ARRAYS,
      { ...place, AZURE_STORAGE_ACCOUNT: ACCOUNT, AZURE_STORAGE_KEY: KEY },
      [KEY, 'SharedKey'],
    ],
    ['a SAS', `azure://${BUCKET}`, ARRAYS.slice(0, 4), { ...place, AZURE_STORAGE_SAS_TOKEN: sas }, ['sig=', sas]],
    ['public', 'azure://open', ARRAYS.slice(0, 2), place, []],
  ]
}

/** The body of an upload: the emulator of the PyPI package takes an empty file in no other form. */
function multipart(json, bytes) {
  const part = (type) => `--boundary\r\nContent-Type: ${type}\r\n\r\n`
  const before = `${part('application/json')}${json}\r\n${part('application/octet-stream')}`
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from('\r\n--boundary--')])
}

async function gcs() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const isGo = /fake-gcs-server/.test(program)
  await started(
    program,
    isGo
      ? [
          '-scheme',
          'http',
          '-host',
          '127.0.0.1',
          '-port',
          String(port),
          '-backend',
          'memory',
          '-public-host',
          `127.0.0.1:${port}`,
        ]
      : ['start', '--host', '127.0.0.1', '--port', String(port), '--in-memory'],
    `${url}/storage/v1/b?project=p`,
  )
  // The server of the PyPI package ends connections that the client would use again.
  const post = (path, body, type) =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': type, connection: 'close' }, body })
  await expectOk(await post('/storage/v1/b?project=p', JSON.stringify({ name: BUCKET }), 'application/json'), 'bucket')
  for (const file of ARRAYS.flatMap(filesBelow))
    await expectOk(
      await post(
        `/upload/storage/v1/b/${BUCKET}/o?uploadType=multipart`,
        multipart(JSON.stringify({ name: file }), readFileSync(`${FIXTURES}/${file}`)),
        'multipart/related; boundary=boundary',
      ),
      file,
    )
  const place = { TILEDB_VFS_GCS_ENDPOINT: url }
  const hmacKeys = { ...place, GS_ACCESS_KEY_ID: 'GOOGKEY', GS_SECRET_ACCESS_KEY: 'SECRETOFTESTS' }
  return [
    ['public', `gs://${BUCKET}`, ARRAYS, place, []],
    // The PyPI package has no XML API.
    ...(isGo ? [['HMAC keys', `gs://${BUCKET}`, ARRAYS.slice(0, 4), hmacKeys, ['SECRETOFTESTS', 'Signature']]] : []),
  ]
}

const s3 = await serveBuckets(
  { [BUCKET]: FIXTURES },
  { pageSize: 1000, listen: async (listener) => (await listen(listener)).url },
)
const onS3 = { AWS_ENDPOINT_URL: s3.url, AWS_NO_SIGN_REQUEST: '1' }

async function at(base, args, env, secrets) {
  const [command, target, ...more] = args
  const ran = await run([command, `${base}/${target}`, ...more, '--json', '--requests'], { env })
  const lines = ran.stderr.split('\n')
  return {
    code: ran.code,
    text: ran.text.replaceAll(base, '…'),
    // The emulator of the PyPI package does not know ranges that count from the end.
    errors: lines
      .filter((line) => !/^requests?: /.test(line) && !line.includes('ignores ranges'))
      .join('\n')
      .replaceAll(base, '…'),
    requests: lines.filter((line) => line.startsWith('request: ')).length,
    shown: secrets.filter((secret) => (ran.text + ran.stderr).includes(secret)),
  }
}

let wrong = 0
for (const [name, base, arrays, env, secrets] of await (kind === 'azurite' ? azurite() : gcs())) {
  const counted = { pairs: 0, same: 0, equal: 0, more: 0, requests: 0, onS3: 0 }
  for (const array of arrays) {
    for (const [command, ...more] of COMMANDS) {
      if (counted.pairs >= Number(most)) break
      const args = [command, array, ...more]
      const [local, remote, usual] = [
        await at(FIXTURES, args, {}, []),
        await at(base, args, { ...env, TILEDB_INSPECT_TIMEOUT: '60' }, secrets),
        await at(`s3://${BUCKET}`, args, onS3, []),
      ]
      const isSame = local.code === remote.code && local.text === remote.text && local.errors === remote.errors
      counted.pairs++
      counted.requests += remote.requests
      counted.onS3 += usual.requests
      if (isSame) counted.same++
      if (remote.requests === usual.requests) counted.equal++
      else if (remote.requests > usual.requests) counted.more++
      if (isSame && remote.requests <= usual.requests && remote.shown.length === 0) continue
      wrong++
      console.log('WRONG', args.join(' '), {
        isSame,
        requests: [remote.requests, usual.requests],
        shown: remote.shown.length,
      })
      if (!isSame) console.log(local.code, remote.code, local.errors.slice(0, 300), remote.errors.slice(0, 300))
    }
  }
  console.log(`${kind}, ${name}:`, JSON.stringify(counted))
}
process.exit(wrong === 0 ? 0 : 1)
