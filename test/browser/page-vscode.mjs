import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { test } from './in-turn.mjs'
import { browser, cli, emptyFolder } from './opened-page.mjs'

/**
 * The extension of VS Code: its own code in Node, with a stand-in for the module `vscode`, and its webviews in Chromium, with a
 * stand-in for what VS Code gives to them.
 */

const FOLDER = emptyFolder('page-vscode')
execFileSync(execPath, ['vscode/build.mjs'], { stdio: 'inherit' })
const PLACES = resolve('examples/arrays/places')
const [FRAGMENT] = JSON.parse(cli('ls', PLACES, '--json')).fragments
const FILE = join(FRAGMENT.path, 'a0.tdb')

/** What the extension registered, and the panels that it opened. */
const registered = { commands: {} }
const panels = []
const vscode = {
  ViewColumn: { Active: -1 },
  commands: { registerCommand: (name, run) => (registered.commands[name] = run) },
  window: {
    registerCustomEditorProvider: (_view, provider) => (registered.editor = provider),
    createWebviewPanel: (_view, title) => newPanel(title),
    showOpenDialog: async () => undefined,
  },
}

function newPanel(title) {
  const listeners = []
  const panel = {
    title,
    active: true,
    sent: [],
    onSent: () => {},
    htmls: [],
    webview: {
      options: {},
      set html(html) {
        panel.htmls.push(html)
      },
      onDidReceiveMessage: (take) => listeners.push(take),
      postMessage: (message) => panel.onSent(message),
    },
    onDidDispose: (take) => (panel.dispose = take),
    receive: (message) => Promise.all(listeners.map((take) => take(message))),
    /** The answer to a question of the webview. */
    ask: (question) =>
      new Promise((answered) => {
        panel.onSent = ({ answer }) => answered(answer)
        panel.receive(question)
      }),
  }
  panels.push(panel)
  return panel
}

const require = createRequire(import.meta.url)
const Module = require('node:module')
const load = Module._load
Module._load = (name, ...more) => (name === 'vscode' ? vscode : load(name, ...more))
require(resolve('vscode/out/extension.cjs')).activate({
  extensionUri: { fsPath: resolve('vscode') },
  subscriptions: [],
})
after(() => {
  for (const panel of panels) panel.dispose?.()
})

const uri = (path) => ({ scheme: 'file', fsPath: path, path })
async function edited(path) {
  const panel = newPanel(path)
  await registered.editor.resolveCustomEditor(registered.editor.openCustomDocument(uri(path)), panel)
  return shown(panel)
}
/** The panel, when it has its first HTML. */
async function shown(panel, count = 1) {
  while (panel.htmls.length < count) await new Promise((resolve) => setTimeout(resolve, 20))
  return panel
}

/** Opens the HTML of a panel in Chromium, in a frame as in VS Code. */
async function inChromium(panel, theme = 'vscode-light') {
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } })
  const wrong = []
  page.on('console', (message) => wrong.push(message.text()))
  page.on('pageerror', (error) => wrong.push(String(error.stack)))
  page.on('request', (request) => {
    if (!/^(?:file|blob|data|about):/.test(request.url())) wrong.push(request.url())
  })
  await page.exposeFunction('toHost', (message) => panel.receive(message))
  panel.onSent = ({ answer: { bytes, ...answer } }) =>
    page.evaluate(
      ([answer, base64]) => {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        postMessage({ answer: { ...answer, bytes } })
      },
      [answer, Buffer.from(bytes ?? []).toString('base64')],
    )
  await page.addInitScript((name) => {
    window.acquireVsCodeApi = () => ({ postMessage: (message) => window.toHost(message) })
    if (window === top) addEventListener('DOMContentLoaded', () => document.body.classList.add(name))
  }, theme)
  const file = join(FOLDER, `${panels.indexOf(panel)}.html`)
  writeFileSync(file, panel.htmls.at(-1))
  await page.goto(pathToFileURL(file).href)
  return { page, wrong, frame: page.frameLocator('iframe') }
}

test('a .tdb file shows the bytes of the file in the page of its array, under a strict policy', async () => {
  const panel = await edited(FILE)
  assert.deepEqual(panel.webview.options, { enableScripts: true, localResourceRoots: [] })
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(panel.htmls[0])
  assert.match(policy, /default-src 'none'.*connect-src 'none'/)
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|https?:/)
  const { page, wrong, frame } = await inChromium(panel)
  await frame.locator('#tab-files[aria-selected=true]').waitFor()
  await frame.getByText('a0.tdb').first().waitFor()
  await page.waitForTimeout(500)
  await page.screenshot({ path: join(FOLDER, 'file.png') })
  await frame.getByRole('tab', { name: 'Cells' }).click()
  await frame.getByText('Buenos Aires').first().waitFor()
  await frame.getByRole('tab', { name: 'Picture' }).click()
  await frame.locator('main canvas').first().waitFor()
  await page.waitForTimeout(500)
  await page.screenshot({ path: join(FOLDER, 'picture.png') })
  assert.deepEqual(wrong, [])
  await page.close()
})

test('a folder shows the overview, in the colours of the editor', async () => {
  registered.commands['tiledb-inspect.folder'](uri(PLACES))
  const panel = await shown(panels.at(-1))
  assert.equal(panel.title, 'places')
  const { page, wrong, frame } = await inChromium(panel, 'vscode-dark')
  await frame.locator('#tab-overview[aria-selected=true]').waitFor()
  await frame.getByText('population').first().waitFor()
  const paper = () => frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
  assert.equal(await paper(), 'rgb(20, 20, 20)')
  await page.screenshot({ path: join(FOLDER, 'dark.png') })
  await page.evaluate(() => {
    document.body.className = 'vscode-high-contrast-light vscode-high-contrast'
  })
  await page.waitForTimeout(200)
  assert.equal(await paper(), 'rgb(255, 255, 255)')
  assert.deepEqual(wrong, [])
  await page.close()
})

test('where no workers are allowed, as in outputs of notebooks of VS Code, it reads without them', async () => {
  const panel = await edited(FILE)
  const policy = [
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'",
    'img-src https: http: data:; font-src https:; connect-src https:; child-src https: data:',
  ].join('; ')
  panel.htmls.push(panel.htmls[0].replace(/(?<=Content-Security-Policy" content=")[^"]*/, policy))
  const { page, wrong, frame } = await inChromium(panel)
  await frame.getByRole('tab', { name: 'Cells' }).click()
  await frame.getByText('Buenos Aires').first().waitFor()
  // The browser says that it refused a worker.
  assert.deepEqual(
    wrong.filter((text) => !/worker/i.test(text)),
    [],
  )
  await page.close()
})

test('messages read nothing outside of the array, and what is no question is not answered', async () => {
  const secret = join(FOLDER, 'secret')
  writeFileSync(secret, 'no')
  const array = join(FOLDER, 'array')
  cli('write-sample', array, '--cells', '10', '--quiet')
  symlinkSync(FOLDER, join(array, 'out'))
  const panel = await edited(join(array, '__schema', 'any.tdb'))
  const of = (what, path) => `${what}?${encodeURIComponent(JSON.stringify(path))}`
  const listed = await panel.ask({ id: 'a', path: of('list', '/array') })
  assert.equal(listed.status, 200)
  assert.ok(JSON.parse(new TextDecoder().decode(listed.bytes)).entries.some(({ name }) => name === '__schema'))
  for (const path of ['/array/../secret', '/secret', secret, '/array/out/secret'])
    for (const what of ['list', 'file']) {
      const { status, bytes } = await panel.ask({ id: 'a', path: of(what, path) })
      assert.deepEqual([status, bytes?.length], [403, 0], path)
    }
  panel.onSent = () => assert.fail('answered')
  for (const message of [null, 7, {}, { id: 1, path: '' }, { id: 'a' }]) await panel.receive(message)
})

test('a page is read again from disk, and says in words why it cannot be', async () => {
  const array = join(FOLDER, 'moving')
  cli('write-sample', array, '--cells', '10', '--quiet')
  registered.commands['tiledb-inspect.folder'](uri(array))
  const panel = await shown(panels.at(-1))
  for (const other of panels) other.active = other === panel
  registered.commands['tiledb-inspect.reload']()
  await shown(panel, 2)
  assert.notEqual(panel.htmls[1], panel.htmls[0])
  renameSync(array, `${array}-away`)
  registered.commands['tiledb-inspect.reload']()
  await shown(panel, 3)
  assert.match(panel.htmls[2], /role="alert">[^<]*no such file or folder/)
  assert.ok(!panel.htmls[2].includes('<script'))
})

test('a file of no array is shown by itself; one that is on no disk is refused in words', async () => {
  const alone = join(FOLDER, 'alone')
  mkdirSync(alone)
  assert.ok(existsSync(FILE))
  const file = join(alone, 'x.tdb')
  writeFileSync(file, 'some bytes')
  const panel = await edited(file)
  assert.match(panel.htmls[0], /<script|role="alert"/)
  const other = newPanel('remote')
  registered.editor.resolveCustomEditor({ uri: { scheme: 'vscode-vfs', path: '/a.tdb' } }, other)
  assert.match(other.htmls[0], /expected a file on a disk, found one of the scheme vscode-vfs/)
})
