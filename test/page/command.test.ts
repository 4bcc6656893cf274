import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { ReportHead } from '../../src/calls/page-data.ts'
import { servedPage } from '../../src/commands/page-html.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

/** The command `page`, which puts data into the page that the build made. */
const folder = temporaryFolder()
const ARRAY = `${FIXTURES}/22/sparse_basic`

interface Report {
  page: string
  head: ReportHead
  content: Buffer
  /** The bytes after the program. */
  rest: Buffer
}

/** The bytes of all elements of a class in a page. Each element is decoded by itself, as the page does. */
function bytesIn(page: string, name: string): Buffer {
  const found = [...page.matchAll(new RegExp(`<script type="application/octet-stream" ${name}>([^<]*)</script>`, 'g'))]
  return found.length === 0
    ? Buffer.alloc(0)
    : gunzipSync(Buffer.concat(found.map(([, text]) => Buffer.from(text, 'base64'))))
}

async function reportOf(target: string, ...options: string[]): Promise<Report & { stderr: string }> {
  const file = `${folder}/report.html`
  const { code, stderr } = await run(['page', '-o', file, ...options, target])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
  const page = readFileSync(file, 'utf8')
  const bytes = bytesIn(page, 'id="data"')
  const length = bytes.readUInt32LE(0)
  const head = JSON.parse(String(bytes.subarray(4, 4 + length))) as ReportHead
  return { page, head, content: bytes.subarray(4 + length), rest: bytesIn(page, 'class="rest"'), stderr }
}

describe('a report', () => {
  test('has every byte of the array, and says what was given, not where it is', async () => {
    const { head, content } = await reportOf(ARRAY)
    const paths = readdirSync(ARRAY, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(ARRAY.length + 1))
      .sort()
    expect(head.files.map(({ path }) => path).sort()).toEqual(paths)
    const read = head.files.map(({ path }) => readFileSync(`${ARRAY}/${path}`))
    expect(Buffer.concat(read).equals(content)).toBe(true)
    expect(head).toMatchObject({ kind: 'report', top: '/sparse_basic', path: '/sparse_basic', shown: ARRAY })
    expect(head.documents).toEqual({})
  })

  test('of a large array has what the first picture needs before its program, and the rest behind it', async () => {
    const array = `${folder}/large`
    const cells = ['--dim', 'x:INT64:0..99999999:100', '--attr', 'a:INT64', '--capacity', '2', '--cells', '60000']
    expect((await run(['write-sample', array, '--sparse', ...cells, '--quiet'])).code).toBe(0)
    const { page, head, content, rest } = await reportOf(array)
    expect(page.indexOf('id="data"')).toBeLessThan(page.indexOf('use strict'))
    expect(page.indexOf('class="rest"')).toBeGreaterThan(page.indexOf('use strict'))
    let [at, later] = [0, 0]
    for (const { path, size, first = size } of head.files) {
      const bytes = readFileSync(`${array}/${path}`)
      expect(bytes.length).toBe(size)
      expect(content.subarray(at, at + first).equals(bytes.subarray(size - first))).toBe(true)
      if (first < size) expect(rest.subarray(later, later + size).equals(bytes)).toBe(true)
      at += first
      later += first < size ? size : 0
      expect([path, first]).toEqual([
        path,
        /__schema|commits/.test(path) ? size : /\/__[^/]*\.tdb$/.test(path) ? 2 ** 16 : 0,
      ])
    }
    expect([at, later]).toEqual([content.length, rest.length])
    // The page draws between two elements, so there must be several.
    const elements = [...page.matchAll(/class="rest">([^<]*)</g)].map(([, text]) => text.length)
    expect(elements.length).toBeGreaterThan(1)
    expect(Math.max(...elements)).toBeLessThanOrEqual(2 ** 18)
  })

  test('of a fragment has the array around it, without which it cannot be read', async () => {
    const [name] = fragmentNames(ARRAY)
    const { head } = await reportOf(`${ARRAY}/__fragments/${name}`)
    expect(head).toMatchObject({ top: '/sparse_basic', path: `/sparse_basic/__fragments/${name}` })
    expect(head.files.some(({ path }) => path.startsWith('__schema/'))).toBe(true)
  })

  test('of a file outside of an array has no other file', async () => {
    const place = `${folder}/lone`
    mkdirSync(place)
    cpSync(`${firstFragment(ARRAY)}/a0.tdb`, `${place}/a0.tdb`)
    writeFileSync(`${place}/diary.txt`, 'secret')
    const { head } = await reportOf(`${place}/a0.tdb`)
    expect(head.files.map(({ path }) => path)).toEqual(['a0.tdb'])
  })

  test('allows its own program alone, and no connection', async () => {
    const { page } = await reportOf(ARRAY)
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
    expect(policy).toMatch(
      /^default-src 'none'; script-src (?:'sha256-[\w+/=]{44}' )+'wasm-unsafe-eval'; style-src 'sha256-/,
    )
    expect(policy).toContain("connect-src 'none'")
    expect(policy).not.toContain("'unsafe-inline'")
  })

  test('of limited size has metadata first, says what it lacks, and holds what check found', async () => {
    const { head, content, stderr } = await reportOf(ARRAY, '--max-size', '8K')
    const [kept, left] = [false, true].map((out) => head.files.filter(({ isLeftOut }) => (isLeftOut ?? false) === out))
    expect(left.length).toBeGreaterThan(0)
    expect(content.length).toBe(kept.reduce((sum, { size }) => sum + size, 0))
    expect(content.length).toBeLessThanOrEqual(8192)
    expect(kept.some(({ path }) => path.startsWith('__schema/'))).toBe(true)
    const are = left.length === 1 ? 'is' : 'are'
    expect(stderr).toContain(`note: ${left.length} of ${head.files.length} files ${are} left out of the report`)
    expect(Object.values(head.documents)).toEqual([expect.objectContaining({ kind: 'check', ok: true, findings: [] })])
  })

  test('has no more than memory has room for', async () => {
    const { content, stderr } = await reportOf(ARRAY, '--memory', '48K')
    expect(content.length).toBeLessThanOrEqual(8192)
    expect(stderr).toContain('a larger --memory takes more')
  })

  test('has the code of rare filters only if the array has them', async () => {
    expect((await reportOf(ARRAY)).head.wasm).toEqual({})
    const { head } = await reportOf(`${FIXTURES}/22/filter_bzip2`)
    expect(Object.keys(head.wasm)).toEqual(['bzip2-wasm/bzip2-1.0.8/bzip2.wasm'])
  })
})

describe('the program of a page comes in scripts', () => {
  const scripts = (page: string): string[] =>
    [
      ...Array.from(page.matchAll(/id="part-([\w-]+)"/g), ([, name = '']) => name),
      ...Array.from(page.matchAll(/data-scripts="([^"]*)"/g), ([, words = '']) =>
        words.split(' ').filter((_, i) => i % 2 === 0),
      ).flat(),
    ].sort()

  test('of which a report lacks what no part of its array needs', async () => {
    const { page } = await reportOf(ARRAY)
    expect(scripts(page)).toEqual(expect.arrayContaining(['commands', 'main', 'worker']))
    expect(scripts(page)).not.toContain('layers')
    expect(scripts((await reportOf('examples/arrays/blood')).page)).toContain('layers')
    expect(page).toContain('zstddec.wasm"')
  })

  test('in a report at most 450 KB, whatever it needs', async () => {
    const { page } = await reportOf('examples/arrays/blood')
    const [, data = ''] = /id="data">([^<]*)</.exec(page) ?? []
    expect(page.length - data.length).toBeLessThanOrEqual(450_000)
  })

  test('and a served page begins with at most 300 KB; its server has the rest', async () => {
    const { page, files } = await servedPage('')
    expect(gzipSync(page).length).toBeLessThanOrEqual(300_000)
    expect(scripts(page)).toEqual(['main', 'worker'])
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['part-layers.js', 'part-commands.js', 'zstddec.wasm', 'bzip2.wasm']),
    )
    // The policy of the page has the digest of each.
    for (const [name, bytes] of files)
      if (name.endsWith('.js'))
        expect(page).toContain(`'sha256-${createHash('sha256').update(bytes()).digest('base64')}'`)
  })
})

test('--static writes the files of a page for a web server, with a policy that has each script', async () => {
  const site = `${folder}/site`
  const { code, text } = await run(['page', '--static', site, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(text).files).toEqual(expect.arrayContaining(['index.html', 'part-commands.js', 'zstddec.wasm']))
  expect(readdirSync(site).sort()).toEqual([...JSON.parse(text).files].sort())
  const index = readFileSync(`${site}/index.html`, 'utf8')
  expect(index).toContain('connect-src http: https:')
  for (const name of readdirSync(site).filter((one) => one.endsWith('.js'))) {
    const digest = createHash('sha256')
      .update(readFileSync(`${site}/${name}`, 'utf8'))
      .digest('base64')
    expect(index).toContain(`'sha256-${digest}'`)
  }
  // Nothing is overwritten, and nothing else can be asked at once.
  expect((await run(['page', '--static', site])).code).toBe(2)
  expect((await run(['page', '--static', `${folder}/other`, ARRAY])).stderr).toContain('expects no target')
})

test('without a target it is the page that the build made', async () => {
  const { code, text } = await run(['page', '-o', `${folder}/empty.html`])
  expect([code, text]).toEqual([0, ''])
  expect(readFileSync(`${folder}/empty.html`, 'utf8')).toBe(readFileSync('dist/page/index.html', 'utf8'))
})

test.each([
  [['page'], 'page expects a target, or -o FILE'],
  [['page', '--max-size', '1G', ARRAY], '--max-size expects at most 256M'],
  [['page', '--max-size', 'much', ARRAY], '--max-size expects bytes'],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await run(args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('-o - is a report on stdout', async () => {
  const file = `${folder}/same.html`
  expect((await run(['page', '-o', file, ARRAY])).code).toBe(0)
  const { code, text } = await run(['page', '-o', '-', ARRAY])
  expect([code, text]).toEqual([0, readFileSync(file, 'utf8')])
  expect((await run(['page', '-o', '-', '--open', ARRAY])).code).toBe(2)
})

test('a target that is not there is no page', async () => {
  expect((await run(['page', '-o', `${folder}/none.html`, `${folder}/none`])).code).toBe(3)
  expect(readdirSync(folder)).not.toContain('none.html')
})

test('served, it says where, has the bytes, follows no link out of the array, and ends with Ctrl-C', async () => {
  const array = `${folder}/linked`
  cpSync(ARRAY, array, { recursive: true })
  writeFileSync(`${folder}/outside`, 'secret')
  symlinkSync(`${folder}/outside`, `${array}/link`)
  const child = spawn(execPath, ['bin/tiledb-inspect.js', 'page', '--json', array], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.on('exit', (...how) => resolve(how)))
  try {
    const said = await new Promise<string>((resolve) => {
      let text = ''
      child.stdout.on('data', (part) => {
        text += part
        if (text.includes('}')) resolve(text)
      })
    })
    const { url } = JSON.parse(said) as { url: string }
    const get = (what: string, path: string) => fetch(`${url}${what}?${encodeURIComponent(JSON.stringify(path))}`)
    expect(await (await fetch(url)).text()).toContain("connect-src 'self'")
    expect((await get('list', '/linked/__schema')).status).toBe(200)
    expect((await get('file', '/linked/link')).status).toBe(403)
  } finally {
    child.kill('SIGINT')
  }
  expect(await ended).toEqual([0, null])
})
