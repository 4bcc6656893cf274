import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { env, execPath } from 'node:process'
import { after } from 'node:test'
import { environment, HOME, program } from './chromium.mjs'

/** A real browser for the tests of what `tiledb-inspect page` makes, and what they ask of its pages. */

const require = createRequire(`${HOME}/`)
const { chromium } = require('playwright-core')
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

export const NOW = '1900000000000'

/** An empty folder for the files of a test. */
export function emptyFolder(name) {
  const folder = resolve('build', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

export const browser = await chromium.launch({
  executablePath: program,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  env: environment,
})
/** Called behind all tests. */
export const closing = [() => browser.close()]
after(async () => {
  for (const close of closing) await close()
})

export const settings = { encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...env, TILEDB_INSPECT_NOW: NOW } }
export const cli = (...args) => execFileSync(execPath, ['bin/tiledb-inspect.js', ...args], settings)
/** The document; `check` exits with 1 where it finds damage. */
export function document(...args) {
  try {
    return JSON.parse(cli(...args, '--json', '--quiet'))
  } catch (error) {
    if (error.status !== 1) throw error
    return JSON.parse(error.stdout)
  }
}

/** A page that fails the test for any message, and for requests that begin with none of `allowed`. */
export async function open(url, allowed = []) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 } })
  const wrong = []
  page.on('console', (message) => wrong.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => wrong.push(String(error.stack)))
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`)
    dialog.dismiss()
  })
  page.on('request', (request) => {
    const to = request.url()
    if (![url.replace(/#.*/, ''), 'data:,', ...allowed].some((one) => to.startsWith(one))) wrong.push(`request: ${to}`)
  })
  await page.goto(url)
  await page.waitForSelector('h2')
  return { page, wrong }
}

/** Shows a view, and waits until it has what it shows. */
export async function show(page, view) {
  await page.evaluate((id) => {
    location.hash = `#v=${id}`
  }, view)
  await page.waitForSelector(`[role=tab][aria-selected=true]#tab-${view}`)
  await page.waitForFunction(() => !document.querySelector('main [role=status]')?.textContent?.startsWith('Reading'))
}

/** Findings of axe, which reads the page as a screen reader does. */
export async function axe(page) {
  // Added by the test's own door: the page's policy allows no other script.
  await page.evaluate(AXE)
  const { violations } = await page.evaluate(() => window.axe.run())
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`)
}

/** Texts of the cells of a table. */
export const rowsOf = (page, caption) =>
  page.evaluate((name) => {
    const table = [...document.querySelectorAll('table')].find(({ caption }) => caption?.textContent === name)
    return table && [...table.tBodies[0].rows].map(({ cells }) => [...cells].map((cell) => cell.textContent))
  }, caption)
