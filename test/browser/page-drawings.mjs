import assert from 'node:assert/strict'
import { cpSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { axe, cli, document, emptyFolder, open, rowsOf, show } from './opened-page.mjs'

/** The drawings of a page: their tables say what the command line prints, keys do what the mouse does, and nothing stutters. */

const FOLDER = emptyFolder('page-drawings')
const FIXTURES = 'test/fixtures'

/** The report of a target, opened. */
async function report(target, view, ...options) {
  const file = join(FOLDER, 'report.html')
  cli('page', '-o', file, '--quiet', ...options, target)
  return open(`${pathToFileURL(file).href}#v=${view}`)
}

/** An array with fragments of its own at times 1 to `count`: their files are links. */
function ofManyFragments(count) {
  const array = join(FOLDER, 'many')
  const from = `${FIXTURES}/22/sparse_basic`
  for (const folder of ['__schema', '__commits', '__fragments'])
    cpSync(join(from, folder), join(array, folder), { recursive: true })
  const [first] = readdirSync(join(array, '__fragments'))
  const original = join(array, '__fragments', first)
  const files = readdirSync(original)
  for (let i = 1; i <= count; i++) {
    const time = 1_700_000_000_000 + i * 60_000
    const name = `__${time}_${time}_${i.toString(16).padStart(32, '0')}_22`
    mkdirSync(join(array, '__fragments', name))
    for (const file of files) linkSync(join(original, file), join(array, '__fragments', name, file))
    writeFileSync(join(array, '__commits', `${name}.wrt`), '')
  }
  return array
}

/** Milliseconds between two pictures while something goes on: the median, as a busy machine stops everything now and then. */
async function pause(page, goOn) {
  await page.evaluate(() => {
    window.pictures = []
    const tick = (now) => {
      window.pictures.push(now)
      if (!window.isOver) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await goOn()
  return page.evaluate(() => {
    window.isOver = true
    const pauses = window.pictures.slice(1).map((time, i) => time - window.pictures[i])
    return pauses.sort((a, b) => a - b)[pauses.length >> 1]
  })
}

const settled = (page) =>
  page.waitForFunction(() => !document.querySelector('main [role=status]')?.textContent?.startsWith('Reading'))

describe('the timeline', () => {
  const targets = [
    'examples/arrays/places',
    'examples/damaged/failed_write',
    ...['dense_vacuum_left', 'commits_ignored', 'dense_basic', 'hilbert_strings'].map(
      (name) => `${FIXTURES}/22/${name}`,
    ),
    `${FIXTURES}/1/${readdirSync(`${FIXTURES}/1`).find((name) => !name.includes('.'))}`,
  ]
  for (const target of targets) {
    test(`of ${target} has the fragments that ls prints`, async () => {
      const { page, wrong } = await report(target, 'timeline')
      await show(page, 'timeline')
      const { fragments } = document('ls', target)
      const rows = await rowsOf(page, 'Fragments in time')
      assert.deepEqual(
        rows.map(([name, state]) => [name, state.replace(/,.*/, '')]),
        fragments.map(({ name, state }) => [name, state]),
      )
      assert.deepEqual(await axe(page), [])
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }

  test('travels by keys and links: all views show the array as of then, and there is a way back', async () => {
    const target = `${FIXTURES}/22/dense_vacuum_left`
    const { page, wrong } = await report(target, 'timeline')
    await show(page, 'timeline')
    await page.focus('#travel')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(() => location.hash.includes('t=10'))
    await settled(page)
    await page.waitForFunction(() => document.querySelector('tbody')?.textContent?.includes('future'))
    const { fragments } = document('ls', '--as-of', '10', target)
    assert.deepEqual(
      (await rowsOf(page, 'Fragments in time')).map(([name, state]) => [name, state.replace(/,.*/, '')]),
      fragments.map(({ name, state }) => [name, state]),
    )
    assert.match(await page.textContent('.call code'), /^tiledb-inspect ls .*dense_vacuum_left --as-of 10$/)
    await page.click('#tab-fragments')
    await page.waitForFunction(() => document.querySelector('caption')?.textContent === 'Fragments')
    assert.deepEqual(
      (await rowsOf(page, 'Fragments')).map(([name, state]) => [name, state]),
      fragments.map(({ name, state }) => [name, state]),
    )
    await page.click('text=As of now')
    await page.waitForFunction(() => !location.hash.includes('t='))
    await show(page, 'timeline')
    await page.click(`a[aria-label="as of then: ${fragments.at(-1).name}"]`)
    await page.waitForFunction(() => location.hash.includes('t=20'))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of 10,000 fragments does not stutter', async () => {
    const { page, wrong } = await report(ofManyFragments(10_000), 'timeline', '--max-size', '200M')
    await page.waitForSelector('canvas', { timeout: 60_000 })
    assert.equal((await rowsOf(page, 'Fragments in time')).length, 500)
    const { x, y, width } = await page.locator('canvas').boundingBox()
    const between = await pause(page, async () => {
      for (let i = 0; i < 60; i++) await page.mouse.move(x + 130 + ((width - 150) * i) / 60, y + 30)
    })
    assert.ok(between <= 34, `${between} ms between pictures`)
    await page.locator('canvas').click({ position: { x: width / 2, y: 28 } })
    await page.waitForFunction(() => /t=17/.test(location.hash))
    assert.deepEqual(wrong, [])
    await page.close()
  })
})
