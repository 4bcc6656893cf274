import assert from 'node:assert/strict'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fragmentNames } from '../helpers/fragments.ts'
import { test } from './in-turn.mjs'
import { axe, cli, emptyFolder, follow, open, rowsOf, turn } from './opened-page.mjs'

/** The page by keyboard, with dark colours, and on a narrow screen. Tab reaches each view and control, all are visible, and axe finds nothing. */

const FOLDER = emptyFolder('page-keys')
const ARRAY = 'examples/damaged/places'
const FRAGMENT = `__fragments/${fragmentNames(ARRAY)[0]}`

/** The name, the target and the link of each report. */
const SHOWN = [
  ...['overview', 'fragments', 'timeline', 'map', 'bytes', 'cells', 'heat', 'histograms', 'findings', 'schema'].map(
    (v) => ['weather', 'examples/arrays/weather', { v }],
  ),
  ['weather', 'examples/arrays/weather', { v: 'timeline', t: '1' }],
  ['weather', 'examples/arrays/weather', { v: 'history', c: 'station=1,day=2' }],
  ['damaged', ARRAY, { v: 'overview' }],
  ['damaged', ARRAY, { v: 'findings' }],
  ['damaged', ARRAY, { v: 'cells' }],
  ['damaged', ARRAY, { v: 'files' }],
  ['damaged', ARRAY, { v: 'files', p: `${FRAGMENT}/d0.tdb`, o: '20' }],
  ['damaged', ARRAY, { v: 'files', p: `${FRAGMENT}/a1.tdb`, n: 'tiles[0]', w: 'tile' }],
  ['group', 'test/fixtures/22/group', { v: 'overview' }],
  ['group', 'test/fixtures/22/group', { v: 'tree' }],
]

const made = new Set()
async function opened([name, target, link]) {
  const file = join(FOLDER, `${name}.html`)
  if (!made.has(name)) cli('page', '-o', file, '--quiet', target)
  made.add(name)
  const { page, wrong } = await open(`${pathToFileURL(file).href}#${new URLSearchParams(link)}`)
  await settled(page)
  return { page, wrong }
}

async function settled(page) {
  const isRead = () =>
    [...document.querySelectorAll('main [role=status]')].every((one) => !one.textContent.startsWith('Reading'))
  await page.waitForFunction(isRead)
  await page.waitForTimeout(300)
  await page.waitForFunction(isRead)
}

/** Presses Tab until the focus leaves the page, and marks each element that had it. @returns faults of these elements */
async function tabThrough(page) {
  const wrong = []
  for (let i = 0; i < 500; i++) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => {
      const { activeElement: at } = document
      if (at === document.body || at.dataset.reached) return undefined
      at.dataset.reached = 'yes'
      const { outlineStyle, outlineWidth } = getComputedStyle(at)
      const { left, right, top, bottom, width } = at.getBoundingClientRect()
      const isSeen = width > 0 && right > 0 && left < innerWidth && bottom > 0 && top < innerHeight
      const hasRing = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
      return isSeen && hasRing ? '' : `${isSeen ? 'no ring' : 'out of sight'}: ${at.outerHTML.slice(0, 200)}`
    })
    if (found === undefined) break
    if (found) wrong.push(found)
  }
  return wrong
}

/** Controls that Tab did not reach. In a group of radio buttons or tabs it must reach only one. */
const leftOut = (page) =>
  page.evaluate(() => {
    const controls = 'a[href], button, input, select, textarea, summary, [tabindex], section.scroll'
    return [...document.querySelectorAll(controls)]
      .filter((one) => !one.dataset.reached && !one.disabled && one.tabIndex >= 0 && one.checkVisibility())
      .filter(({ type, checked }) => type !== 'radio' || checked)
      .map((one) => one.outerHTML.slice(0, 200))
  })

for (const shown of turn(SHOWN, 5)) {
  const what = `${JSON.stringify(shown[2])} of ${shown[0]}`
  test(`${what}: Tab reaches all controls, with a ring; axe finds nothing with dark colours and on a narrow screen`, async () => {
    const { page, wrong } = await opened(shown)
    assert.deepEqual(await tabThrough(page), [])
    assert.deepEqual(await leftOut(page), [])
    assert.deepEqual(wrong, [])
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await axe(page), [])
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 320, height: 700 })
    await settled(page)
    assert.deepEqual(await axe(page), [])
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'scrolls sideways')
    await page.close()
  })
}

/** The element with the focus, and whether it is the body, which is where Tab begins anew. */
const focused = (page) =>
  page.evaluate(() => {
    const { activeElement: at } = document
    return { name: at.getAttribute('name'), value: at.value, isLost: at === document.body, tag: at.localName }
  })

test('the focus stays in a form after Enter, and where a button was that its click takes away', async () => {
  const { page, wrong } = await opened(['weather', 'examples/arrays/weather', { v: 'cells' }])
  for (const v of ['cells', 'histograms']) {
    await follow(page, { v, n: '7' })
    await page.selectOption('select[name=o]', 'col-major')
    await page.fill('input[name=w]', 'temperature > 3')
    await page.press('input[name=w]', 'Enter')
    await page.waitForFunction(() => /^(?=.*w=temperature)(?=.*o=col-major)(?=.*n=7)/.test(location.hash))
    await settled(page)
    assert.deepEqual(await focused(page), { name: 'w', value: 'temperature > 3', isLost: false, tag: 'input' })
    // The fields have what the link has, also after the way back.
    await page.goBack()
    await page.waitForFunction(() => !/w=/.test(location.hash))
    await settled(page)
    assert.deepEqual(
      await page.$$eval('form [name=w], form [name=o], form [name=n]', (all) => all.map(({ value }) => value)),
      ['', '', '7'],
    )
  }
  await follow(page, { v: 'history', c: 'station=1,day=2' })
  await page.click('main summary')
  await page.uncheck('input[name=f] >> nth=0')
  await page.press('input[name=f] >> nth=0', 'Enter')
  await page.waitForFunction(() => /f=/.test(location.hash))
  await settled(page)
  assert.equal((await focused(page)).name, 'f')
  assert.ok(!(await page.isChecked('input[name=f] >> nth=0')))
  await follow(page, { v: 'cells', t: '1' })
  await page.press('button:text-is("As of now")', 'Enter')
  await page.waitForFunction(() => !/t=/.test(location.hash))
  await settled(page)
  assert.equal((await focused(page)).tag, 'main')
  await page.close()

  const other = await opened(['damaged', ARRAY, { v: 'cells' }])
  for (const v of ['cells', 'histograms']) {
    await follow(other.page, { v })
    await other.page.press('button:text-is("Go on after damage")', 'Enter')
    await other.page.waitForFunction(() => /x=k/.test(location.hash))
    await settled(other.page)
    // The place where damage is told: Tab goes on from there, not from the beginning of the view.
    assert.ok(await other.page.evaluate(() => document.activeElement.querySelector(':scope > p.bad')))
    assert.equal((await focused(other.page)).tag, 'div')
  }
  assert.deepEqual([...wrong, ...other.wrong], [])
  await other.page.close()
})

test('a date without a time in the ranges of Cells leads to the cells of the day', async () => {
  const { page, wrong } = await opened([
    'harbour',
    'examples/gallery/harbour',
    { v: 'cells', r: '["time=2024-02-03"]', f: '["level"]' },
  ])
  assert.equal((await rowsOf(page, 'Cells')).length, 1)
  assert.match(
    await page.textContent('main'),
    /A date without a time is one instant: time=2024-02-03\.\.2024-02-03T23 is the day\./,
  )
  await page.press('main a:has-text("2024-02-03T23")', 'Enter')
  await page.waitForSelector('text=Cells 1 to 24, the last')
  assert.ok(!(await focused(page)).isLost)
  assert.doesNotMatch(await page.textContent('main'), /one instant/)
  assert.match(await page.textContent('.call code'), /--field level/)
  assert.deepEqual(wrong, [])
  await page.close()
})

test('a text that no name has leads to cells with it', async () => {
  const { page, wrong } = await opened(['places', 'examples/arrays/places', { v: 'search', q: 'Lhasa' }])
  await page.waitForSelector('text=The search does not look into cells.')
  const to = (words) => page.getAttribute(`main a:has(:text-is('${words}'))`, 'href')
  assert.equal(await to('Cells with name == "Lhasa"'), '#v=cells&w=name+%3D%3D+%22Lhasa%22')
  assert.equal(await page.getAttribute('main a:text-is("History")', 'href'), '#v=history')
  assert.deepEqual(await axe(page), [])
  await page.click('main li a >> nth=0')
  await page.waitForSelector('#tab-cells[aria-selected=true]')
  await settled(page)
  assert.match(await page.textContent('main [role=status]'), /^(?:Cells 1|No cell)/)
  await follow(page, { v: 'search', q: '12345' })
  await page.waitForSelector('main li')
  const links = await page.$$eval('main li', (all) => all.map((one) => one.textContent))
  assert.ok(links.includes('Cells with lat=12345') && links.some((one) => one.endsWith('== 12345')), links.join('\n'))
  assert.deepEqual(wrong, [])
  await page.close()
})
