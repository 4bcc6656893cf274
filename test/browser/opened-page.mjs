import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import './seed.mjs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { env, execPath } from 'node:process'
import { after } from 'node:test'
import { environment, HOME, program } from './chromium.mjs'

export { ALL, SEED, turn } from '../helpers/turn.ts'

/** A real browser for the tests of `tiledb-inspect page`, and functions that use its pages. */

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
/** To be called after all tests. */
export const closing = [() => browser.close()]
after(async () => {
  for (const close of closing) await close()
})

export const settings = { encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...env, TILEDB_INSPECT_NOW: NOW } }
export const cli = (...args) => execFileSync(execPath, ['bin/tiledb-inspect.js', ...args], settings)
/** The document that a call prints. The exit code may be 1, which `check` has if it finds damage. */
export function documentOf(...args) {
  try {
    return JSON.parse(cli(...args, '--json', '--quiet'))
  } catch (error) {
    if (error.status !== 1) throw error
    return JSON.parse(error.stdout)
  }
}

/** Follows a link, and waits until its view has loaded everything. */
export async function follow(page, link) {
  await page.evaluate(
    (text) => {
      location.hash = text
    },
    `#${new URLSearchParams(link)}`,
  )
  await page.waitForSelector(`#tab-${link.v}[aria-selected=true]`)
  await page.waitForFunction(() =>
    [...document.querySelectorAll('main [role=status]')].every((one) => !one.textContent.startsWith('Reading')),
  )
}

/** Opens a page. `wrong` has each message on the console, and each request to a URL that does not begin with one of `allowed`. */
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
    // The page makes `blob:` URLs itself, for example for its worker. They are no requests.
    if (![url.replace(/#.*/, ''), 'data:,', 'blob:', ...allowed].some((one) => to.startsWith(one)))
      wrong.push(`request: ${to}`)
  })
  await page.goto(url)
  await page.waitForSelector('h2')
  return { page, wrong }
}

/** Shows a view, and waits until it has loaded everything. */
export async function show(page, view) {
  await page.evaluate((id) => {
    location.hash = `#v=${id}`
  }, view)
  await page.waitForSelector(`[role=tab][aria-selected=true]#tab-${view}`)
  await page.waitForFunction(() => !document.querySelector('main [role=status]')?.textContent?.startsWith('Reading'))
}

/**
 * Measures in `longest` the longest time in milliseconds during which the page does not respond. Chromium's "long tasks" leave out
 * work after a message from a worker or after bytes from a server.
 */
export const watchPauses = (page) =>
  page.evaluate(() => {
    window.longest = 0
    let last = performance.now()
    setInterval(() => {
      const now = performance.now()
      window.longest = Math.max(window.longest, now - last)
      last = now
    }, 5)
  })

/** Findings of axe, which checks whether screen readers can read the page. */
export async function axe(page) {
  // Only the debugger can add a script, because the policy of the page forbids it.
  await page.evaluate(AXE)
  // All links of the page begin with `#`. Axe takes them for "skip" links if a table has scrolled them out of sight.
  const { violations } = await page.evaluate(() => window.axe.run({ rules: { 'skip-link': { enabled: false } } }))
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`)
}

/** Texts of the cells of a table. */
export const rowsOf = (page, caption) =>
  page.evaluate((name) => {
    const table = [...document.querySelectorAll('table')].find(({ caption }) => caption?.textContent === name)
    return table && [...table.tBodies[0].rows].map(({ cells }) => [...cells].map((cell) => cell.textContent))
  }, caption)

/** A short value as a table shows it. */
export function shownValue(value) {
  if (Array.isArray(value)) return `[${value.map(shownValue).join(', ')}]`
  if (value === null) return 'null'
  if (typeof value !== 'object') return Object.is(value, -0) ? '-0.0' : String(value)
  return value.base64 && `0x${Buffer.from(value.base64, 'base64').toString('hex')}`
}

/** Goes to a link, and waits until the view has read everything. */
export async function goTo(page, link) {
  // Shows another view first, so that no content of the last link is left.
  await show(page, 'schema')
  await follow(page, link)
}

/** Serves a target. @returns URL of its page */
export async function served(target, more = {}) {
  const child = spawn(execPath, ['bin/tiledb-inspect.js', 'page', '--json', target], {
    env: { ...settings.env, ...more },
  })
  closing.push(() => child.kill())
  const said = await new Promise((resolve) => {
    let text = ''
    child.stdout.on('data', (part) => {
      text += part
      if (text.includes('}')) resolve(text)
    })
  })
  return JSON.parse(said).url
}

/** Fails unless one of three measurements is below the limit in milliseconds. A busy machine sometimes stops everything. */
export async function assertBelow(limit, measure) {
  const times = []
  while (times.length < 3 && !times.some((one) => one < limit)) times.push(await measure(times.length))
  assert.ok(Math.min(...times) < limit, `${times} ms, expected less than ${limit}`)
}
