import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { unpackWorkspace } from '../helpers/genomicsdb.ts'
import { listen } from '../helpers/http-server.ts'
import { test } from './in-turn.mjs'
import { axe, cli, closing, documentOf, emptyFolder, open, rowsOf, served } from './opened-page.mjs'

/** The page of a workspace of GenomicsDB. */

const FOLDER = emptyFolder('page-genomicsdb')
const WHOLE = unpackWorkspace('303', FOLDER)

const shown = async (page) => {
  await page.waitForSelector('main table')
  await page.waitForSelector('main dl.facts')
}
/** The facts of the page, by name. */
const factsOf = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('main dl.facts > div')].map((one) => [
        one.querySelector('dt').textContent,
        one.querySelector('dd').textContent,
      ]),
    ),
  )
const numbers = (row) => row.map((text) => text.replaceAll(',', ''))

test('shows what the commands print, and opens an interval; a report has the same without its data', async () => {
  const { intervals } = documentOf('ls', WHOLE)
  const overview = documentOf('overview', WHOLE)
  const file = join(FOLDER, 'report.html')
  cli('page', '-o', file, '--quiet', WHOLE)
  const url = await served(WHOLE)
  for (const address of [url, pathToFileURL(file).href]) {
    const { page, wrong } = await open(address, [url])
    await shown(page)
    assert.equal(await page.textContent('h2'), 'Workspace')
    assert.match(
      await page.textContent('main p'),
      /^Nothing is wrong, as far as maps and book-keeping tell; data not read\./,
    )
    const facts = await factsOf(page)
    assert.match(facts.Import, /^complete/)
    assert.equal(facts.Samples, `${overview.sample_num}: ${overview.samples.join(', ')}`)
    assert.equal(facts.Calls, `${overview.call_num} calls with ${overview.field_num} fields`)
    assert.match(facts.Size, new RegExp(`\\(${overview.size.toLocaleString('en-US')} bytes\\)`))
    assert.deepEqual(
      (await rowsOf(page, 'Intervals')).map((row) => numbers(row.slice(0, 5))),
      intervals.map(({ name, fragment_num, batch_num, cell_num, tile_num }) =>
        [name, fragment_num, batch_num, cell_num, tile_num].map(String),
      ),
    )
    assert.deepEqual(await axe(page), [])
    await page.click(`main td a >> nth=0`)
    await page.waitForSelector('caption:text("Fragments")')
    await shown(page)
    const { fragments } = documentOf('ls', join(WHOLE, intervals[0].name))
    assert.deepEqual(
      (await rowsOf(page, 'Fragments')).map(([name, state, , cells]) => [name, state, numbers([cells])[0]]),
      fragments.map(({ name, state, cell_num }) => [name, state, String(cell_num)]),
    )
    assert.equal((await factsOf(page)).Samples, facts.Samples)
    assert.match(await page.textContent('.call code'), /^tiledb-inspect overview .*\$/)
    assert.deepEqual(await axe(page), [])
    assert.deepEqual(wrong, [])
    await page.close()
  }
})

test('of a damaged workspace has its findings, and shows as unknown what cannot be read', async () => {
  const damaged = unpackWorkspace('301', join(FOLDER, 'damaged'))
  const [{ name }] = documentOf('ls', damaged).intervals
  const [fragment] = documentOf('ls', join(damaged, name)).fragments
  writeFileSync(join(damaged, name, fragment.name, '__book_keeping.tdb.gz'), 'no gzip stream')
  rmSync(join(damaged, 'callset.json'))
  const url = await served(damaged)
  const { page, wrong } = await open(url, [url])
  await shown(page)
  const found = documentOf('overview', damaged)
  assert.match(await page.textContent('main p .bad'), new RegExp(`^${found.finding_num.error} errors`))
  const items = await page.locator('main section li').allTextContents()
  assert.ok(items.some((text) => text.includes('callset.json')))
  assert.ok(items.some((text) => text.includes('__book_keeping.tdb.gz')))
  const facts = await factsOf(page)
  assert.equal(facts.Samples, 'unknown')
  assert.match(facts.Calls, /^an unknown number of calls/)
  assert.match(facts.Cells, /^unknown/)
  assert.match(facts.Import, /callset\.json is missing/)
  const rows = await rowsOf(page, 'Intervals')
  assert.deepEqual([rows[0][3], rows[0].at(-1)], ['-', 'unreadable'])
  assert.deepEqual(await axe(page), [])
  assert.deepEqual(wrong, [])
  await page.close()
})

test('opens in the page without a target that a server has', async () => {
  const site = join(FOLDER, 'site')
  cli('page', '--static', site)
  const { url, close } = await listen(({ url: asked }, response) => {
    response.writeHead(200, { 'content-type': asked.endsWith('.js') ? 'text/javascript' : 'text/html' })
    response.end(readFileSync(join(site, basename(asked) || 'index.html')))
  })
  closing.push(close)
  const { page, wrong } = await open(`${url}/`)
  await page.setInputFiles('input[type=file]', WHOLE)
  await shown(page)
  assert.equal(await page.textContent('h2'), 'Workspace')
  assert.equal((await rowsOf(page, 'Intervals')).length, documentOf('ls', WHOLE).intervals.length)
  assert.deepEqual(wrong, [])
  await page.close()
})

test('opens in the page without a target that is one file', async () => {
  const { page, wrong } = await open(pathToFileURL(resolve('dist/page/index.html')).href)
  await page.setInputFiles('input[type=file]', WHOLE)
  await shown(page)
  assert.equal(await page.textContent('h2'), 'Workspace')
  assert.equal((await rowsOf(page, 'Intervals')).length, documentOf('ls', WHOLE).intervals.length)
  assert.deepEqual(wrong, [])
  await page.close()
})
