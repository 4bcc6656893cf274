import './helpers/realm.ts'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { createContext, Script } from 'node:vm'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from './helpers/fixtures.ts'
import { filesBelow } from './helpers/folders.ts'
import { get, items, parseJson } from './helpers/json.ts'
import { run } from './helpers/run.ts'

/** What a page has, as far as the bundle needs it: no `process`, no `require`, no `Buffer`. */
const PAGE = {
  TextDecoder,
  TextEncoder,
  URL,
  atob,
  btoa,
  console,
  crypto,
  performance,
  setTimeout,
  clearTimeout,
}

/** A wasm file of a package, as an application's own reader gives it. */
function wasm(specifier: string): ArrayBuffer {
  const file = readFileSync(fileURLToPath(new URL(`../node_modules/${specifier}`, import.meta.url)))
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.length)
}

/** Runs inside the page: opens an array from memory, gives its first fragment's footer and cells as JSON. */
const SCRIPT = `
  const bytesOf = (text) => Uint8Array.from(atob(text), (ch) => ch.charCodeAt(0))
  const { InspectArray, FragmentCells, MemoryStorage, Folder, batchRows, columnValue, portable, readContext } = inspect
  WebAssembly.instantiateStreaming = undefined
  globalThis.ImageData = class {
    constructor(data, width, height) {
      Object.assign(this, { data, width, height })
    }
  }
  const codecs = portable(async (specifier) => new Uint8Array(readWasm(specifier)))
  const exact = (_, value) => (typeof value === 'bigint' ? Number(value) : value)
  async function open(files, key) {
    const storage = new MemoryStorage(new Map(files.map(([path, text]) => [path, bytesOf(text)])))
    const array = new InspectArray(new Folder(storage, '/array'), readContext(codecs, key && bytesOf(key)))
    const [{ path }] = await array.fragments()
    const fragment = array.fragment(path)
    const { footer } = await fragment.info()
    const cells = await FragmentCells.open(fragment)
    const values = cells.columns.map((column) => columnValue(column, { raw: false }))
    const shown = cells.columns.map((_, i) => i)
    const rows = []
    for await (const batch of cells.batches()) for (const row of batchRows(batch, cells.columns, values, shown)) rows.push(row)
    return JSON.stringify({ version: footer.version, tiles: footer.sparse_tile_num, rows }, exact)
  }
`

const bundled = spawnSync(execPath, [fileURLToPath(new URL('./helpers/bundle-browser.mjs', import.meta.url))], {
  encoding: 'utf8',
  maxBuffer: 64 * 2 ** 20,
})
const bundle = parseJson(bundled.stdout)
const code = String(get(bundle, 'code'))
const texts = (key: string): string[] => items(get(bundle, key)).map(String)

describe('the format core, the filters and the memory source, bundled for a browser', () => {
  test('import no module of Node', () => {
    expect(bundled.stderr).toBe('')
    expect(texts('imported')).toEqual([])
    expect(
      texts('modules').filter(
        (id) => id.includes('/src/commands/') || id.includes('/src/node/') || id.includes('/src/threads/'),
      ),
    ).toEqual([])
    expect(code).not.toMatch(/\b(?:from|import)\s*\(?\s*['"]node:/)
    const missing = items(get(bundle, 'warnings')).filter((warning) => get(warning, 'code') === 'UNRESOLVED_IMPORT')
    // One package asks for two modules where it finds itself in Node, and only there.
    const elsewhere = missing.filter(
      (warning) => !String(get(warning, 'message')).includes('zstd-codec/lib/zstd-codec-binding'),
    )
    expect(elsewhere).toEqual([])
  })

  test('name no global of Node', () => {
    const sources = texts('modules').filter((id) => id.includes('/src/'))
    expect(sources.length).toBeGreaterThan(40)
    const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g
    const nodeGlobals = /(?<![.\w])(?:process\.\w|require\(["']|Buffer\.|__dirname)/
    const named = sources.filter((id) => nodeGlobals.test(readFileSync(id, 'utf8').replace(comments, '')))
    expect(named).toEqual([])
  })

  const noFile = (): never => {
    throw new Error('no wasm file here')
  }

  test.each<[string, (specifier: string) => ArrayBuffer]>([
    ['sparse_basic', wasm],
    ['filter_gzip', wasm],
    ['filter_zstd', wasm],
    ['filter_zstd', noFile],
    ['filter_lz4', wasm],
    ['filter_sha256', wasm],
    ['filter_md5', wasm],
    ['filter_double_delta', wasm],
    ['filter_bzip2', wasm],
    ['filter_webp', wasm],
    ['encrypted', wasm],
  ])('read footer and cells of %s in a context that has nothing of Node', async (name, readWasm) => {
    const files = [...filesBelow(`${FIXTURES}/22/${name}`, '/array')].map(([path, bytes]) => [
      path,
      Buffer.from(bytes).toString('base64'),
    ])
    const key = name === 'encrypted' ? await keyOf(name) : undefined
    const context = createContext({ ...PAGE, readWasm })
    new Script(code).runInContext(context)
    new Script(SCRIPT).runInContext(context)
    const result: unknown = await new Script(
      `open(${JSON.stringify(files)}, ${JSON.stringify(key?.base64)})`,
    ).runInContext(context)
    const read = parseJson(String(result))
    const [fragment] = [...filesBelow(`${FIXTURES}/22/${name}`, '').keys()].filter((path) =>
      path.startsWith('/__fragments/'),
    )
    const path = `${FIXTURES}/22/${name}${fragment.split('/').slice(0, 3).join('/')}`
    const env = key ? { TILEDB_INSPECT_KEY: key.text } : {}
    const ran = await run(['decode', '--format', 'ndjson', path], { env })
    const rows = ran.text
      .split('\n')
      .slice(0, -1)
      .map((line) => parseJson(line))
    expect(get(read, 'version')).toBe(22)
    expect(items(get(read, 'rows')).length).toBe(rows.length)
    expect(rounded(get(read, 'rows'))).toEqual(rounded(rows))
  })
})

async function keyOf(name: string): Promise<{ text: string; base64: string }> {
  const text = String(get(parseJson(readFileSync(`${FIXTURES}/22/${name}.expected.json`, 'utf8')), 'key'))
  return { text, base64: Buffer.from(text).toString('base64') }
}

/** The page's JSON has no exact integers and no special floats: both sides as `JSON.stringify` leaves them. */
function rounded(value: unknown): unknown {
  const text = JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'bigint') return Number(one)
    return one === 'NaN' || one === 'Infinity' || one === '-Infinity' ? null : one
  })
  return JSON.parse(text)
}
