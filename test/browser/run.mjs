import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { env, execPath } from 'node:process'
import { json } from 'node:stream/consumers'
import { build } from 'esbuild'
import { fragmentNames } from '../helpers/fragments.ts'
import { listen, serveFolder } from '../helpers/http-server.ts'
import { describe, test } from './in-turn.mjs'
import { browser, closing } from './opened-page.mjs'

/**
 * The library in a real browser. A page, bundled by esbuild, reads arrays by URL and from folders. The tests compare its cells with the
 * output of the command line. `.ci/run` runs them:
 *
 *     npm install --no-save --prefix build/chromium @sparticuz/chromium@147.0.0 playwright-core@1.65.1 axe-core@4.14.1
 *     node --import ./test/fuzz/register.mjs --test test/browser/run.mjs test/browser/pages.mjs
 */

const WWW = resolve('build/browser')
const FIXTURES = 'test/fixtures/22'
const NAMES = ['sparse_basic', 'dense_basic', 'filter_none', 'filter_webp', 'filter_bzip2', 'encrypted']
NAMES.push(...['gzip', 'zstd', 'lz4', 'sha256', 'md5', 'double_delta'].map((name) => `filter_${name}`))
/** Arrays of several fragments, delete conditions and schemas. */
const MERGED = ['deletes', 'evolved_sparse', 'sparse_2d_row_row', 'evolved_dense']
/** Number of cells of a large array. A read of whole files would be noticed. */
const CELLS = 400_000

function cli(args, more = {}) {
  return execFileSync(execPath, ['bin/tiledb-inspect.js', ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...env, TILEDB_INSPECT_NOW: '1900000000000', ...more },
  })
}

const linesOf = (text) => text.trimEnd().split('\n').map(JSON.parse)

rmSync(WWW, { recursive: true, force: true })
mkdirSync(join(WWW, 'arrays'), { recursive: true })
for (const name of [...NAMES, ...MERGED]) cpSync(join(FIXTURES, name), join(WWW, 'arrays', name), { recursive: true })
const LARGE = join(WWW, 'arrays/large')
cli(['write-sample', LARGE, '--dense', '--cells', String(CELLS), '--filters', 'gzip', '--seed', '1', '--quiet'])

/** The page of docs/library.md that draws a heat map. */
const [, HEAT_MAP_PAGE, HEAT_MAP] = /^```html\n(.*?)^```.*?^```js page\n(.*?)^```/ms.exec(
  readFileSync('docs/library.md', 'utf8'),
)
writeFileSync(join(WWW, 'heat-map.js'), HEAT_MAP)
cpSync('examples/arrays/weather', join(WWW, 'arrays/weather'), { recursive: true })

const { outputFiles } = await build({
  entryPoints: { page: 'test/browser/page.js', 'heat-map': join(WWW, 'heat-map.js') },
  bundle: true,
  splitting: true,
  format: 'esm',
  minify: true,
  outdir: join(WWW, 'scripts'),
  write: false,
})
const SCRIPTS = new Map(outputFiles.map(({ path, contents }) => [path.slice(WWW.length), contents]))

const server = await serveFolder(WWW, {
  index: true,
  listen: async (listener) => {
    const { url, close } = await listen(listener)
    closing.push(close)
    return url
  },
})
const PAGES = new Map([
  ['/page', '<!doctype html><meta charset="utf-8"><script type="module" src="/scripts/page.js"></script>'],
  [
    '/scripts/heat-map.html',
    `${HEAT_MAP_PAGE}<script type="module">
       await import('./heat-map.js')
       const canvas = document.querySelector('canvas')
       const { width, height } = canvas
       const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
       await fetch('/done', { method: 'POST', body: JSON.stringify({ result: { width, height, pixels: [...data] } }) })
     </script>`,
  ],
])

/** Time limit of a page in milliseconds. */
const LONGEST = 120_000

/** Opens a page, of which nothing is in the cache. @returns its answer, and the requests that it made */
async function open(address) {
  server.reset()
  const context = await browser.newContext()
  const page = await context.newPage()
  const done = new Promise((resolve) => {
    server.fault = ({ method, path }, response) => {
      const send = (type, body) => response.writeHead(200, { 'content-type': type }).end(body)
      if (method === 'POST') {
        json(response.req).then(resolve)
        response.end()
      } else if (SCRIPTS.has(path)) send('text/javascript', SCRIPTS.get(path))
      else if (PAGES.has(path)) send('text/html', PAGES.get(path))
      else if (path === '/favicon.ico') response.writeHead(404).end()
      else return false
      return true
    }
  })
  const late = AbortSignal.timeout(LONGEST)
  const tooLate = new Promise((_, reject) => late.addEventListener('abort', () => reject(late.reason)))
  await page.goto(`${server.url}${address}`)
  const { result, error } = await Promise.race([done, tooLate])
  await context.close()
  assert.equal(error, undefined)
  const { requests } = server
  const scripts = requests.map(({ path }) => /^\/scripts\/(\w[\w.]*?)-/.exec(path)?.[1]).filter((one) => one)
  return { result, requests, scripts: new Set(scripts) }
}

const ask = (name, args) => open(`/page#${encodeURIComponent(JSON.stringify([name, args]))}`)

/** Rows of the command line as the page sends them: special floats are null. */
function asInPage(rows) {
  return JSON.parse(
    JSON.stringify(rows, (_, value) => (['NaN', 'Infinity', '-Infinity'].includes(value) ? null : value)),
  )
}

/** The cells of all fragments of an array, as the command line prints them. */
function printed(name, key) {
  const args = ['decode', '--format', 'ndjson', '--quiet', '--all-fragments', join(WWW, 'arrays', name)]
  return asInPage(linesOf(cli(args, key && { TILEDB_INSPECT_KEY: key }))).map(({ __fragment, ...row }) => row)
}

/** Scripts that a page loads only for a certain filter. */
const CODECS = {
  GZIP: ['gzip'],
  ZSTD: ['zstd', 'zstd.wasm'],
  LZ4: ['lz4'],
  BZIP2: ['bzip2', 'bzip2.wasm'],
  WEBP: ['webp', 'webp.wasm'],
  CHECKSUM_SHA256: ['sha2'],
  CHECKSUM_MD5: ['legacy'],
  AES_256_GCM: ['aes'],
}

/** Scripts for the filters of an array's data files, and for GZIP, which its metadata uses. */
function codecsOf(name, key) {
  const found = new Set(CODECS.GZIP)
  const inArray = key ? ['AES_256_GCM'] : []
  const fragments = fragmentNames(join(WWW, 'arrays', name))
  for (const fragment of fragments) {
    const path = join(WWW, 'arrays', name, '__fragments', fragment)
    const { files } = JSON.parse(cli(['ls', '--json', '--quiet', path], key && { TILEDB_INSPECT_KEY: key }))
    for (const { filters = [] } of files) inArray.push(...(filters ?? []).map((filter) => filter.name))
  }
  for (const filter of inArray) for (const script of CODECS[filter] ?? []) found.add(script)
  return [...found].sort()
}

/** Paths of the files of an array, from its own name on. */
function pathsBelow(name) {
  const all = readdirSync(join(WWW, 'arrays', name), { recursive: true }).map((path) => `${name}/${path}`)
  return all.filter((path) => statSync(join(WWW, 'arrays', path)).isFile())
}

const ALL_CODECS = Object.values(CODECS).flat()

describe('an array by its URL', () => {
  for (const name of NAMES) {
    test(`${name}: its cells are those of the command line, and only its codecs are loaded`, async () => {
      const expected = `${FIXTURES}/${name}.expected.json`
      const key = name === 'encrypted' ? JSON.parse(readFileSync(expected, 'utf8')).key : undefined
      const { result, scripts } = await ask('cells', { url: `/arrays/${name}`, key })
      const rows = printed(name, key)
      assert.ok(rows.length > 0)
      assert.deepEqual(result, rows)
      assert.deepEqual(ALL_CODECS.filter((one) => scripts.has(one)).sort(), codecsOf(name, key))
    })
  }

  for (const name of MERGED) {
    test(`${name}: all fragments merged are what read prints`, async () => {
      const { result } = await ask('read', { url: `/arrays/${name}` })
      const rows = asInPage(linesOf(cli(['read', '--format', 'ndjson', '--quiet', join(WWW, 'arrays', name)])))
      assert.ok(rows.length > 0)
      assert.deepEqual(result, rows)
    })
  }

  test('the bytes of two tiles of a field are fetched, and no others of the data', async () => {
    const [fragment] = fragmentNames(LARGE)
    const path = join(LARGE, '__fragments', fragment)
    const fields = linesOf(cli(['tiles', '--format', 'ndjson', '--field', 'id', path])).map(({ fields }) => fields[0])
    const tiles = { from: 3, to: 4 }
    const { result, requests } = await ask('tiles', { url: '/arrays/large', field: 'id', tiles })
    const cells = linesOf(cli(['decode', '--format', 'ndjson', '--field', 'id', '--tiles', '3..4', path]))
    assert.deepEqual(result, cells)

    const files = requests.filter((request) => request.path.endsWith('.tdb') && request.method === 'GET')
    const data = files.filter((request) => !request.path.endsWith('/__fragment_metadata.tdb'))
    const from = fields[3].offset
    const wanted = `bytes=${from}-${from + fields[3].size + fields[4].size - 1}`
    assert.deepEqual(
      data.map(({ path, range }) => [path, range]),
      [[`/arrays/large/__fragments/${fragment}/a0.tdb`, wanted]],
    )
    // Reads of the metadata file: its end with the footer, and the list of offsets. The other fragment's metadata is not read.
    assert.ok(files.length - data.length <= 3, `${files.length - data.length} requests for metadata`)
    assert.ok(files.every(({ path, range }) => range && path.includes(fragment)))
    assert.ok(requests.filter(({ path }) => path.startsWith('/arrays/')).length <= 16, `${requests.length} requests`)
  })
})

describe('a read by its URL', () => {
  test('of a range of a field fetches the tiles that the range touches, and no others', async () => {
    const options = { fields: ['id'], ranges: { row: [1, 10], col: [1, 10] } }
    const { dimensions } = JSON.parse(cli(['schema', '--json', LARGE]))
    assert.deepEqual(
      dimensions.map(({ name }) => name),
      Object.keys(options.ranges),
    )
    const { result, requests } = await ask('read', { url: '/arrays/large', options })
    const ranges = Object.keys(options.ranges).flatMap((name) => ['--range', `${name}=1..10`])
    const rows = linesOf(cli(['read', '--format', 'ndjson', '--field', 'id', ...ranges, LARGE]))
    assert.equal(rows.length, 100)
    assert.deepEqual(result, asInPage(rows))
    const data = requests.filter(({ path }) => /\/a\d+\w*\.tdb$/.test(path))
    const [fragment] = fragmentNames(LARGE)
    const args = ['tiles', '--format', 'ndjson', '--field', 'id', join(LARGE, '__fragments', fragment)]
    const [{ fields }] = linesOf(cli(args))
    assert.deepEqual(
      data.map(({ path, range }) => [path, range]),
      [[`/arrays/large/__fragments/${fragment}/a0.tdb`, `bytes=0-${fields[0].size - 1}`]],
    )
  })
})

describe('an array in a folder', () => {
  test('given as a list of files: only the needed bytes are read', async () => {
    const args = { name: 'large', paths: pathsBelow('large'), field: 'id', tiles: { from: 0, to: 0 } }
    const { result } = await ask('files', args)
    const [fragment] = fragmentNames(LARGE)
    const path = join(LARGE, '__fragments', fragment)
    const cells = linesOf(cli(['decode', '--format', 'ndjson', '--field', 'id', '--tiles', '0', path]))
    assert.deepEqual(result.rows, cells)
    assert.ok(result.size > 4_000_000)
    assert.ok(result.read < 60_000, `${result.read} bytes of files were read`)
  })

  test('given as a handle: its cells are those of the command line', async () => {
    const { result } = await ask('handle', { name: 'sparse_basic', paths: pathsBelow('sparse_basic') })
    assert.deepEqual(result, printed('sparse_basic'))
  })
})

test('the page of docs/library.md draws a heat map', async () => {
  assert.ok(HEAT_MAP.trimEnd().split('\n').length <= 40)
  const { result } = await open('/scripts/heat-map.html?array=/arrays/weather&field=temperature')
  const cells = printed('weather')
  assert.deepEqual([result.width, result.height], [121, 6])
  const [low, high] = [Math.min, Math.max].map((end) => end(...cells.map(({ temperature }) => temperature)))
  for (const { station, day, temperature } of cells) {
    const at = (station * result.width + day - 1) * 4
    const [red, green, blue, alpha] = result.pixels.slice(at, at + 4)
    const heat = (255 * (temperature - low)) / (high - low)
    assert.ok(Math.abs(red - heat) < 1 && red + blue === 255 && green === 0 && alpha === 255, `${station}, ${day}`)
  }
})
