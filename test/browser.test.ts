import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { createContext, Script } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from './helpers/fixtures.ts'
import { filesBelow } from './helpers/folders.ts'
import { serveFolder } from './helpers/http-server.ts'
import { get, items, type Json, parseJson } from './helpers/json.ts'
import { run } from './helpers/run.ts'

const server = await serveFolder(`${FIXTURES}/22`, { index: true })

/** The globals of a page that the bundles need: no `process`, no `require`, no `Buffer`. */
const PAGE = {
  AbortController,
  Blob,
  DecompressionStream,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  atob,
  btoa,
  console,
  crypto,
  fetch: pageFetch,
  performance,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
}

/** `fetch` of a page, which hides the target of a redirect. */
async function pageFetch(url: string, options: RequestInit): Promise<unknown> {
  const response = await fetch(url, options)
  if (options.redirect !== 'manual' || response.status < 300 || response.status > 399) return response
  await response.body?.cancel()
  return { type: 'opaqueredirect', status: 0, headers: new Headers(), url, body: null }
}

/** A script of the page: opens an array, and returns its first fragment's footer and cells as JSON. */
const SCRIPT = `
  const bytesOf = (text) => Uint8Array.from(atob(text), (ch) => ch.charCodeAt(0))
  WebAssembly.instantiateStreaming = undefined
  globalThis.ImageData = class {
    constructor(data, width, height) {
      Object.assign(this, { data, width, height })
    }
  }
  const exact = (_, value) => (typeof value === 'bigint' ? Number(value) : value)
  const memory = (files) => new inspect.MemoryStorage(new Map(files.map(([path, text]) => [path, bytesOf(text)])))
  async function read(path, { files, key }) {
    const array = await inspect.openArray(path, {
      storage: files && memory(files),
      key,
    })
    const [entry] = await array.fragments()
    const fragment = array.fragment(entry.path)
    const { footer } = await fragment.info()
    const rows = []
    for await (const row of inspect.readCells(fragment)) rows.push(row)
    return JSON.stringify({ version: footer.version, tiles: footer.sparse_tile_num, rows }, exact)
  }
  async function arrow(path, files) {
    const array = await inspect.openArray(path, { storage: memory(files) })
    const [entry] = await array.fragments()
    const pieces = []
    await inspect.writeArrowStream(await inspect.openCells(array.fragment(entry.path)), (piece) => void pieces.push(...piece))
    return btoa(pieces.map((byte) => String.fromCharCode(byte)).join(''))
  }
  async function refused(path) {
    return inspect.openArray(path).then(() => undefined, ({ code, message }) => code + ': ' + message)
  }
`

/** An entry of the library, bundled into one script. */
function bundleOf(entry: string): { code: string; imported: string[]; modules: string[]; warnings: Json[] } {
  const [bundler, input] = ['./helpers/bundle-browser.mjs', `../src/${entry}.ts`].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const { stdout, stderr } = spawnSync(execPath, [bundler, input], { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
  expect(stderr).toBe('')
  const bundle = parseJson(stdout)
  const texts = (key: string): string[] => items(get(bundle, key)).map(String)
  const warnings = items(get(bundle, 'warnings'))
  return { code: String(get(bundle, 'code')), imported: texts('imported'), modules: texts('modules'), warnings }
}

const BUNDLES = new Map(['browser', 'format'].map((entry) => [entry, bundleOf(entry)]))

function bundled(entry: string): ReturnType<typeof bundleOf> {
  const bundle = BUNDLES.get(entry)
  if (!bundle) throw new Error(`expected a bundle of ${entry}, found none`)
  return bundle
}

/** Runs the bundle of an entry and then a script in a context without Node. @returns the value of the last expression */
async function inPage(entry: string, script: string): Promise<unknown> {
  const context = createContext({ ...PAGE })
  new Script(bundled(entry).code).runInContext(context)
  return new Script(script).runInContext(context)
}

describe.each(['browser', 'format'])('the entry %s, bundled for a page', (entry) => {
  const { code, imported, modules, warnings } = bundled(entry)

  test('imports no module of Node', () => {
    expect(imported).toEqual([])
    expect(modules.filter((id) => /\/src\/(?:cli|commands|node|threads)\//.test(id))).toEqual([])
    expect(code).not.toMatch(/\b(?:from|import|require)\s*\(?\s*['"]node:/)
    expect(warnings.filter((warning) => get(warning, 'code') === 'UNRESOLVED_IMPORT')).toEqual([])
  })

  test('names no global of Node', () => {
    const sources = modules.filter((id) => id.includes('/src/'))
    expect(sources.length).toBeGreaterThan(40)
    const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g
    const nodeGlobals = /(?<![.\w])(?:process\.\w|require\(["']|Buffer\.|__dirname)/
    const named = sources.filter((id) => nodeGlobals.test(readFileSync(id, 'utf8').replace(comments, '')))
    expect(named).toEqual([])
  })
})

describe('the library in a page', () => {
  test.each([
    'sparse_basic',
    'filter_gzip',
    'filter_zstd',
    'filter_lz4',
    'filter_sha256',
    'filter_md5',
    'filter_double_delta',
    'filter_bzip2',
    'filter_webp',
    'encrypted',
  ])('read footer and cells of %s in a context that has nothing of Node', async (name) => {
    const files = [...filesBelow(`${FIXTURES}/22/${name}`, '/array')].map(([path, bytes]) => [
      path,
      Buffer.from(bytes).toString('base64'),
    ])
    const key = name === 'encrypted' ? keyOf(name) : undefined
    const script = `${SCRIPT}; read('/array', ${JSON.stringify({ files, key })})`
    const read = parseJson(String(await inPage('browser', script)))
    const [fragment] = [...filesBelow(`${FIXTURES}/22/${name}`, '').keys()].filter((path) =>
      path.startsWith('/__fragments/'),
    )
    const path = `${FIXTURES}/22/${name}${fragment.split('/').slice(0, 3).join('/')}`
    const env = key ? { TILEDB_INSPECT_KEY: key } : {}
    const ran = await run(['decode', '--format', 'ndjson', path], { env })
    const rows = ran.text
      .split('\n')
      .slice(0, -1)
      .map((line) => parseJson(line))
    expect(get(read, 'version')).toBe(22)
    expect(items(get(read, 'rows')).length).toBe(rows.length)
    expect(rounded(get(read, 'rows'))).toEqual(rounded(rows))
  })

  test.each(['type_text', 'sparse_basic'])('%s: Arrow equals that of the command line', async (name) => {
    const files = [...filesBelow(`${FIXTURES}/22/${name}`, '/array')]
    const [fragment] = files.flatMap(([path]) => /^\/array(\/__fragments\/[^/]+)/.exec(path)?.[1] ?? [])
    const packed = files.map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])
    const stream = String(await inPage('browser', `${SCRIPT}; arrow('/array', ${JSON.stringify(packed)})`))
    const { stdout } = await run(['decode', '--format', 'arrow', `${FIXTURES}/22/${name}${fragment}`])
    expect(Buffer.from(stream, 'base64').equals(stdout)).toBe(true)
  })

  test('reads by ranges with fetch, and follows redirects like the browser', async () => {
    const read = parseJson(String(await inPage('browser', `${SCRIPT}; read('${server.url}/sparse_basic', {})`)))
    expect(get(read, 'version')).toBe(22)
    expect(items(get(read, 'rows')).length).toBeGreaterThan(0)
    const ranges = server.requests.filter(({ path, range }) => path.endsWith('.tdb') && range?.startsWith('bytes='))
    expect(ranges.length).toBeGreaterThan(0)
    // The folder's name without `/` is redirected to the name with `/`.
    expect(server.requests.filter(({ path }) => path === '/sparse_basic/').length).toBeGreaterThan(0)
  })

  test.each([
    ['/local/array', 'USAGE: expected a URL with http or https, or a storage, found neither'],
    ['s3://bucket/array', 'USAGE: expected a URL with http or https, or a storage, found neither'],
  ])('refuses %s', async (path, said) => {
    expect(await inPage('browser', `${SCRIPT}; refused('${path}')`)).toBe(said)
  })
})

test('the structures of the format are read, explained and written in a page', async () => {
  const files = filesBelow(`${FIXTURES}/22/sparse_basic`, '')
  const schema = [...files].find(([path]) => path.startsWith('/__schema/__'))?.[1] ?? new Uint8Array(0)
  const script = `
    const { decodePrefix, encode, genericTileHeader, trace } = inspect
    const bytes = Uint8Array.from(atob('${Buffer.from(schema).toString('base64')}'), (ch) => ch.charCodeAt(0))
    const { value, length } = decodePrefix(bytes, genericTileHeader)
    const { root } = trace(bytes.subarray(0, length), genericTileHeader, 'header')
    const same = encode(value, genericTileHeader).every((byte, i) => byte === bytes[i])
    JSON.stringify([length + value.persisted_size === bytes.length, same, root.children.map(({ name }) => name)])
  `
  expect(parseJson(String(await inPage('format', script)))).toEqual([
    true,
    true,
    [
      'format_version',
      'persisted_size',
      'tile_size',
      'datatype',
      'cell_size',
      'encryption_type',
      'filter_pipeline_length',
      'filters',
    ],
  ])
})

function keyOf(name: string): string {
  return String(get(parseJson(readFileSync(`${FIXTURES}/22/${name}.expected.json`, 'utf8')), 'key'))
}

/** A value as `JSON.stringify` leaves it: the page's JSON has no exact integers and no special floats. */
function rounded(value: unknown): unknown {
  const text = JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return Number(one)
    return one === 'NaN' || one === 'Infinity' || one === '-Infinity' ? null : one
  })
  return JSON.parse(text)
}
