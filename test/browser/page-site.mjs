import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { listen } from '../helpers/http-server.ts'
import { test } from './in-turn.mjs'
import { axe, browser, closing } from './opened-page.mjs'

/** The documentation as a site: its search, both colours, and narrow windows. */

const SITE = resolve('build/site')
execFileSync(execPath, ['tools/site/build.mjs'])

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}
const { url, close } = await listen(({ url: asked }, response) => {
  const path = join(SITE, decodeURI(asked.split(/[?#]/, 1)[0]))
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path
  if (!existsSync(file)) response.writeHead(404).end()
  else response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(readFileSync(file))
})
closing.push(close)

async function opened(path, viewport) {
  const page = await browser.newPage({ viewport })
  const wrong = []
  page.on('console', (message) => wrong.push(message.text()))
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on(
    'response',
    (response) => response.status() >= 400 && !response.url().endsWith('/favicon.ico') && wrong.push(response.url()),
  )
  await page.goto(`${url}/${path}`)
  return { page, wrong: () => wrong.filter((text) => !/favicon|404/.test(text)) }
}

for (const colorScheme of ['light', 'dark']) {
  test(`pages of the site, ${colorScheme}: axe finds nothing, no script fails, nothing is wider than the window`, async () => {
    for (const path of ['index.html', 'docs/commands.html', 'docs/faq.html', 'docs/layers/soma.html']) {
      for (const width of [390, 1400]) {
        const { page, wrong } = await opened(path, { width, height: 800 })
        await page.emulateMedia({ colorScheme })
        if (width === 1400) assert.deepEqual(await axe(page), [], path)
        assert.deepEqual(wrong(), [], path)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        assert.ok(wide <= 0, `${path} is ${wide} pixels wider than a window of ${width}`)
        await page.close()
      }
    }
  })
}

test('the search finds a heading by keyboard alone, from a page in a folder', async () => {
  const { page, wrong } = await opened('docs/layers/soma.html', { width: 1000, height: 800 })
  await page.keyboard.press('/')
  await page.keyboard.type('uncommited', { delay: 5 })
  await page.waitForSelector('#found a')
  await page.keyboard.press('ArrowDown')
  const text = await page.evaluate(() => document.activeElement.textContent)
  assert.notEqual(text.trim(), '')
  await Promise.all([page.waitForURL((to) => !to.href.includes('soma.html')), page.keyboard.press('Enter')])
  assert.match(await page.textContent('main'), /uncommitted/)
  assert.deepEqual(wrong(), [])
})

test('the chosen colours stay on the next page', async () => {
  const { page } = await opened('index.html', { width: 1000, height: 800 })
  await page.selectOption('.theme select', 'dark')
  await page.goto(`${url}/docs/faq.html`)
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 20, 20)')
  assert.equal(await page.inputValue('.theme select'), 'dark')
})
