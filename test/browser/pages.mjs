import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { relativePath } from '../../src/base/paths.ts'
import { fullSizeText, timeRangeText } from '../../src/render/views/wording.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { listen, serveFolder } from '../helpers/http-server.ts'
import { describe, test } from './in-turn.mjs'
import {
  axe,
  cli,
  closing,
  documentOf,
  emptyFolder,
  follow,
  goTo,
  open,
  rowsOf,
  served,
  show,
  shownValue,
  turn,
} from './opened-page.mjs'

/**
 * The pages of `tiledb-inspect page` in a real browser: reports from file://, the served page, and the page alone with a folder or a
 * URL. The tests expect the values of the command line, no message on the console, no request to other places, and no finding of axe.
 * `.ci/run` runs them, and installs what they need: see run.mjs.
 */

const FOLDER = emptyFolder('pages')

/** The views of what the page shows, from its tabs. */
async function viewsOf(page) {
  await page.waitForSelector('[role=tab]')
  return page.$$eval('[role=tab]', (tabs) => tabs.map(({ id }) => id.replace('tab-', '')))
}

/** @param isRead whether axe checks the views, which is slow */
async function everyView(page, isRead = true) {
  for (const view of await viewsOf(page)) {
    await show(page, view)
    if (isRead) assert.deepEqual(await axe(page), [], view)
  }
}

/** The page shows the values that the command line prints. */
async function compare(page, target) {
  await show(page, 'fragments')
  const { fragments } = documentOf('ls', target)
  const rows = await rowsOf(page, 'Fragments')
  assert.deepEqual(
    rows.map(([name]) => name),
    fragments.map(({ name }) => name),
  )
  await show(page, 'findings')
  const { findings } = documentOf('check', target)
  const found = (await rowsOf(page, 'Findings')) ?? []
  assert.deepEqual(
    found.map(([severity, , , code, what, , file]) => [severity, code, file, what]),
    findings.map(({ severity, code, file, message }) => [severity, code, relativePath(file, target), message]),
  )
  await show(page, 'schema')
  const { dimensions } = documentOf('schema', target)
  assert.deepEqual(
    (await rowsOf(page, 'Dimensions')).map(([name]) => name),
    dimensions.map(({ name }) => name),
  )
}

/** An array with damaged data, in which `check` finds several errors. */
function damagedArray() {
  const array = join(FOLDER, 'damaged')
  cpSync('examples/arrays/places', array, { recursive: true })
  const fragment = firstFragment(array)
  for (const name of ['a0.tdb', 'a1.tdb', 'd0.tdb']) {
    const bytes = readFileSync(join(fragment, name))
    bytes[bytes.length >> 1] ^= 0x10
    writeFileSync(join(fragment, name), bytes)
  }
  return array
}

const DAMAGED = damagedArray()

describe('a report', () => {
  const FIXTURES = 'test/fixtures'
  const targets = [
    'examples/arrays/places',
    'examples/arrays/weather',
    DAMAGED,
    ...['dense_basic', 'deletes', 'filter_zstd', 'filter_lz4', 'filter_bzip2', 'filter_webp'].map(
      (name) => `${FIXTURES}/22/${name}`,
    ),
    `${FIXTURES}/1/${readdirSync(`${FIXTURES}/1`).find((name) => !name.includes('.'))}`,
  ]
  const read = turn(targets, 8)
  for (const target of targets) {
    test(`${target.replace(`${FOLDER}/`, '')} shows what the command line prints, and sends nothing to anybody`, async () => {
      const file = join(FOLDER, 'report.html')
      cli('page', '-o', file, target)
      const { page, wrong } = await open(pathToFileURL(file).href)
      await compare(page, target)
      await everyView(page, read.includes(target))
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }

  test('of a damaged array has findings', () => {
    assert.ok(documentOf('check', DAMAGED).findings.length >= 3)
  })

  test('without the bytes of data shows the findings of the whole array', async () => {
    const file = join(FOLDER, 'small.html')
    cli('page', '-o', file, '--max-size', '9K', '--quiet', DAMAGED)
    const { page, wrong } = await open(pathToFileURL(file).href)
    await compare(page, DAMAGED)
    assert.match(await page.textContent('header'), /files are not in this report/)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of an encrypted array asks for the key', async () => {
    const { key } = JSON.parse(readFileSync(`${FIXTURES}/22/encrypted.expected.json`, 'utf8'))
    const file = join(FOLDER, 'encrypted.html')
    cli('page', '-o', file, '--quiet', `${FIXTURES}/22/encrypted`)
    const { page, wrong } = await open(pathToFileURL(file).href)
    await page.evaluate(() => {
      location.hash = '#v=schema'
    })
    await page.waitForSelector('input[name=key]')
    await page.fill('input[name=key]', key)
    await page.keyboard.press('Enter')
    await page.waitForSelector('table')
    assert.ok((await rowsOf(page, 'Dimensions')).length > 0)
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

test('Findings also says what makes reads slow; the overview says how far it looked', async () => {
  const array = join(FOLDER, 'slow')
  const cells = ['--fragments', '12', '--cells', '12']
  cli('write-sample', array, '--dim', 'x:INT64:1..1000:1000', '--attr', 'a:INT32', ...cells, '--quiet')
  const { message } = documentOf('overview', array).findings[0]
  const file = join(FOLDER, 'slow.html')
  cli('page', '-o', file, array)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await show(page, 'overview')
  await page.waitForSelector('text=as far as names and footers tell')
  assert.ok((await page.textContent('main')).includes(message))
  await show(page, 'findings')
  await page.waitForSelector('#slow')
  const said = await page.textContent('main')
  assert.ok(said.includes(message))
  assert.match(said, /Not checked: cells; uncommitted fragments and unused enumerations\./)
  assert.deepEqual(wrong, [])
  await page.close()
})

test('the overview of a dense array has the numbers of written cells and of all cells', async () => {
  const array = 'examples/arrays/weather'
  const file = join(FOLDER, 'written.html')
  cli('page', '-o', file, array)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await show(page, 'overview')
  const { cell_num, certainty, whole_cell_num } = documentOf('overview', array)
  const [written, all] = [cell_num, whole_cell_num].map((count) => count.toLocaleString('en'))
  const how = certainty === 'exact' ? '' : `${certainty} `
  assert.ok((await page.textContent('.facts')).includes(`${how}${written} written, of ${all}`))
  assert.deepEqual(wrong, [])
  await page.close()
})

test('names and cells that would be markup are text', async () => {
  const names = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(2)>',
    '"\'&amp;',
    '\u202egnp.exe',
    'x'.repeat(50_000),
  ]
  const array = join(FOLDER, '<b>hostile')
  const attributes = names.flatMap((name) => ['--attr', `${name}:STRING_UTF8`])
  cli('write-sample', array, '--dim', '<i>d</i>:INT64:1..100:10', ...attributes, '--quiet')
  const file = join(FOLDER, 'hostile.html')
  cli('page', '-o', file, array)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await everyView(page)
  await show(page, 'schema')
  const shown = (await rowsOf(page, 'Attributes')).map(([name]) => name)
  assert.deepEqual(shown.slice(0, 3), names.slice(0, 3))
  assert.match(shown[3], /^\\u\{?202e\}?gnp\.exe$/)
  assert.ok(shown[4].length < 3000)
  assert.equal(await page.evaluate(() => document.querySelectorAll('main script, main img, main b, main i').length), 0)
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways')
  assert.deepEqual(wrong, [])
  await page.close()
})

test('files, members, labels and links that would be markup are text', async () => {
  const evil = '</script><img src=x onerror=alert(3)>'.replaceAll('/', '\u2215')
  const root = join(FOLDER, `${evil}\u202e`)
  const steps = join(FOLDER, 'hostile-steps.json')
  const cells = [{ d: 1, k: evil }]
  writeFileSync(steps, JSON.stringify({ steps: [{ step: 'group', add: [{ uri: 'one', name: evil, type: 'array' }] }] }))
  const dims = ['--dim', 'd:INT64:1..100:10', '--attr', 'k:UINT8:enum=kinds', '--enum', `kinds:STRING_UTF8=${evil}`]
  const data = join(FOLDER, 'hostile-labels.ndjson')
  writeFileSync(data, cells.map((cell) => `${JSON.stringify(cell)}\n`).join(''))
  cli('write-sample', root, '--steps', steps, '--quiet')
  cli('write-sample', join(root, 'one'), ...dims, '--labels', '--data', data, '--quiet')
  const fragments = join(root, 'one/__fragments')
  writeFileSync(join(fragments, readdirSync(fragments)[0], `${evil}.tdb`), 'x'.repeat(100))
  for (const [target, links] of [
    [root, [{ v: 'overview' }, { v: 'tree' }, { v: 'findings' }, { v: 'files' }]],
    [
      join(root, 'one'),
      [
        { v: 'cells', x: 'l' },
        { v: 'histograms', x: 'l' },
        { v: 'files' },
        { v: 'findings' },
        { v: 'schema' },
        { v: 'cells', w: `k == '${evil}'`, r: `["${evil}=1"]` },
        { v: 'history', c: evil },
        { v: 'files', p: evil, n: evil, o: evil },
        { v: 'map', c: evil, d: evil, b: evil },
        { v: 'timeline', t: evil, x: evil },
        { v: 'heat', a: evil, d: evil, r: evil },
        { v: evil },
      ],
    ],
  ]) {
    const file = join(FOLDER, 'hostile-more.html')
    cli('page', '-o', file, '--quiet', target)
    for (const link of links) {
      const { page, wrong } = await open(`${pathToFileURL(file).href}#${new URLSearchParams(link)}`)
      await page.waitForTimeout(300)
      await page.waitForFunction(() => !/^Reading/.test(document.querySelector('main [role=status]')?.textContent))
      assert.deepEqual(wrong, [], JSON.stringify(link))
      assert.equal(await page.evaluate(() => document.querySelectorAll('main script, main img, h1 img').length), 0)
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'scrolls sideways')
      assert.ok(
        await page.evaluate(() => !document.body.textContent.includes('\u202e')),
        'text that reverses its direction',
      )
      await page.close()
    }
  }
})

test('the overview gives no verdict before the data are read, and then the verdict of Findings', async () => {
  for (const [array, verdict] of [
    [DAMAGED, /^3 errors found: see Findings\.$/],
    ['examples/arrays/weather', /^No error: every tile was read\.$/],
  ]) {
    const url = await served(array)
    const { page, wrong } = await open(url, [url])
    const [{ name }] = documentOf('ls', array).fragments
    const says = async (pattern, link) => {
      await follow(page, { v: 'overview', ...link })
      await page.waitForFunction(
        (text) => new RegExp(text).test(document.querySelector('main > p')?.textContent),
        pattern.source,
      )
    }
    await says(/^Nothing is wrong, as far as names and footers tell; data not read\. Findings reads every tile\.$/)
    assert.equal(await page.isVisible('main > p .good'), false)
    await show(page, 'findings')
    await says(verdict)
    const isDamaged = array === DAMAGED
    await show(page, 'fragments')
    assert.equal((await rowsOf(page, 'Fragments'))[0][1].endsWith(' damaged'), isDamaged)
    await show(page, 'timeline')
    assert.equal((await rowsOf(page, 'Fragments in time'))[0][1].endsWith(', damaged'), isDamaged)
    await says(verdict, { i: `__fragments/${name}` })
    assert.deepEqual(wrong, [])
    await page.close()
  }
})

describe('cells', () => {
  const FIXTURES = 'test/fixtures/22'

  test('of an enumeration are its values, with the index on hover, also in their history', async () => {
    const array = `${FIXTURES}/enumerations`
    const file = join(FOLDER, 'cells-enumerations.html')
    cli('page', '-o', file, '--quiet', array)
    const { page, wrong } = await open(pathToFileURL(file).href)
    const { cells } = documentOf('read', array, '--limit', '200', '--labels')
    const { attributes, dimensions } = documentOf('schema', array)
    for (const link of [{}, { x: 'l' }]) {
      await goTo(page, { v: 'cells', ...link })
      assert.deepEqual(
        (await rowsOf(page, 'Cells')).map((row) => row.slice(0, -1)),
        cells.map((cell) => Object.values(cell).map(shownValue)),
      )
    }
    await goTo(page, { v: 'history', c: dimensions.map(({ name }) => `${name}=${cells[0][name]}`).join(',') })
    const titles = await page.$$eval('main td span[title]', (items) =>
      items.map(({ title, textContent }) => [title, textContent]),
    )
    const { name } = attributes.find(({ enumeration }) => enumeration !== null)
    const [stored] = documentOf('read', array, '--limit', '1').cells
    assert.ok(titles.some(([title, text]) => title === `index ${stored[name]}` && text === shownValue(cells[0][name])))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  for (const name of ['sparse_basic', 'dense_basic', 'string_dims_2d', 'type_nullable', 'deletes', 'evolved_dense']) {
    test(`of ${name} are those of read`, async () => {
      const array = `${FIXTURES}/${name}`
      const file = join(FOLDER, `cells-${name}.html`)
      cli('page', '-o', file, '--quiet', array)
      const { page, wrong } = await open(pathToFileURL(file).href)
      for (const [link, ...options] of [
        [{}],
        [{ x: 'p' }, '--provenance'],
        [{ o: 'row-major' }, '--order', 'row-major'],
      ]) {
        await goTo(page, { v: 'cells', ...link })
        const { cells } = documentOf('read', array, '--limit', '200', ...options)
        const rows = await rowsOf(page, 'Cells')
        assert.deepEqual(
          rows.map((row) => row.slice(0, -1)),
          cells.map((cell) => Object.values(cell).map(shownValue)),
        )
      }
      // With fill values of every type.
      await show(page, 'schema')
      assert.equal((await rowsOf(page, 'Attributes')).length, documentOf('schema', array).attributes.length)
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }

  test('are chosen by a form, come page by page, and lead to their versions', async () => {
    const array = join(FOLDER, 'pages')
    cli('write-sample', array, '--dim', 'x:INT64:0..99999:100', '--attr', 'a:INT32', '--cells', '1000', '--quiet')
    const later = join(FOLDER, 'later.ndjson')
    for (const a of [5, 6]) {
      writeFileSync(later, `${JSON.stringify({ x: 77_777, a })}\n`)
      cli('write-sample', array, '--append', '--data', later, '--quiet')
    }
    const file = join(FOLDER, 'pages.html')
    cli('page', '-o', file, array)
    const { page, wrong } = await open(pathToFileURL(file).href)
    await goTo(page, { v: 'cells', o: 'row-major' })
    const all = documentOf('read', array, '--order', 'row-major').cells.map((cell) =>
      Object.values(cell).map(shownValue),
    )
    const shown = async () => (await rowsOf(page, 'Cells')).map((row) => row.slice(0, -1))
    for (const from of [0, 200, 400]) {
      assert.deepEqual(await shown(), all.slice(from, from + 200))
      await page.click('text=Next 200')
      await page.waitForSelector(`text=Cells ${from + 201} to`)
    }
    await page.click('text=Back')
    await page.waitForSelector('text=Cells 401 to')
    assert.deepEqual(await shown(), all.slice(400, 600))

    await page.fill('input[name=r0]', '0..50000')
    await page.fill('input[name=w]', 'a > 0')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Cells 1 to')
    const options = ['--range', 'x=0..50000', '--where', 'a > 0', '--order', 'row-major', '--limit', '200']
    assert.deepEqual(
      await shown(),
      documentOf('read', array, ...options).cells.map((cell) => Object.values(cell).map(shownValue)),
    )
    const call = await page.textContent('.call code')
    assert.match(call, /^tiledb-inspect read .* --range x=0\.\.50000 --where 'a > 0' --order row-major --limit 200$/)

    await goTo(page, { v: 'cells', w: 'nonsense >' })
    assert.match(await page.textContent('[role=alert]'), /^Not understood condition "nonsense >": expected/)
    await goTo(page, { v: 'history', c: 'x=77777' })
    const { versions } = documentOf('history', array, '--cell', 'x=77777')
    assert.ok(versions.length >= 2)
    assert.deepEqual(
      (await rowsOf(page, 'Versions, oldest first')).map(([, state, , a, fragment]) => [state, a, fragment]),
      versions.map(({ state, values, fragment }) => [state, String(values.a), fragment]),
    )
    assert.deepEqual(await axe(page), [])
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of damaged tiles are left out only on request', async () => {
    const file = join(FOLDER, 'cells-damaged.html')
    cli('page', '-o', file, DAMAGED)
    const { page, wrong } = await open(pathToFileURL(file).href)
    await goTo(page, { v: 'cells' })
    assert.match(await page.textContent('main [role=alert]'), /\.tdb/)
    assert.match(await page.textContent('main [role=status]'), /Stopped at damage\.$/)
    const [{ name, timestamp_range }] = documentOf('ls', DAMAGED).fragments
    const words = `The fragment written ${timeRangeText(timestamp_range, false)}, ${name}, has lost:`
    const found = documentOf('check', DAMAGED).findings
    const [{ tile }] = found
    const assertLoss = async () => {
      await page.waitForSelector('.loss li')
      assert.ok((await page.textContent('.loss')).startsWith(words))
      const items = await page.locator('.loss li').allTextContents()
      assert.match(items[0], new RegExp(`^lat of 8 cells \\(tile ${tile} of 5, lat .*, lon .*\\)$`))
      assert.match(items.at(-1), /^where 8 cells were: without lat, nothing tells where/)
    }
    await assertLoss()
    await page.click('main button:text("Go on after damage")')
    await page.waitForSelector(`text=${found.length} damaged parts left out: tiles that hold 8 cells.`)
    assert.match(await page.textContent('main [role=status]'), /, the last that can be read in full\.$/)
    assert.equal(await page.isChecked('input[value=k]'), true)
    await assertLoss()
    assert.match(await page.textContent('main [role=alert]'), /\.tdb/)
    // A cell of that tile.
    const { cells } = documentOf('read', 'examples/arrays/places', '--provenance')
    const { lat, lon } = cells.find(({ __tile }) => __tile === tile)
    await goTo(page, { v: 'history', c: `lat=${lat},lon=${lon}` })
    await assertLoss()
    assert.equal(await page.getAttribute('main p > a', 'href'), '#v=findings')
    // Damage of one attribute does not hide the versions of the others.
    await page.click('main summary')
    await page.uncheck('input[name=f][value="0"]')
    await page.click('main button[type=submit]')
    const [, ...others] = documentOf('schema', DAMAGED).attributes.map(({ name }) => `--field ${name}`)
    await page.waitForSelector(`.call >> text=${others.join(' ')}`)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of a dense array come with a note about fill values', async () => {
    const url = await served('examples/arrays/weather')
    const { page, wrong } = await open(url, [url])
    await goTo(page, { v: 'cells', w: 'temperature > 10' })
    const words = 'Cells that were never written, or do not meet the condition, hold fill values.'
    assert.ok((await page.textContent('main [role=status]')).endsWith(`. ${words}`))
    await goTo(page, { v: 'cells' })
    assert.match(await page.textContent('main [role=status]'), /\. Cells that were never written hold fill values\.$/)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('as of a time are those of that time', async () => {
    const array = `${FIXTURES}/deletes`
    const times = documentOf('ls', array).fragments.map(({ timestamp_range }) => String(timestamp_range[1]))
    const file = join(FOLDER, 'cells-then.html')
    cli('page', '-o', file, array)
    const { page, wrong } = await open(pathToFileURL(file).href)
    const texts = new Set()
    for (const t of [times[0], times.at(-1)]) {
      await goTo(page, { v: 'cells', t })
      const options = ['--as-of', t, '--limit', '200']
      const cells = documentOf('read', array, ...options).cells.map((cell) => Object.values(cell).map(shownValue))
      assert.deepEqual(
        (await rowsOf(page, 'Cells')).map((row) => row.slice(0, -1)),
        cells,
      )
      texts.add(JSON.stringify(cells))
    }
    assert.equal(texts.size, 2)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('that are long or hostile are shown as text, and cut', async () => {
    const texts = ['<script>alert(1)</script>', '<img src=x onerror=alert(2)>', '\u202egnp.exe', 'x'.repeat(3_000_000)]
    const data = join(FOLDER, 'hostile.ndjson')
    writeFileSync(data, texts.map((a, d) => `${JSON.stringify({ d: d + 1, a })}\n`).join(''))
    const array = join(FOLDER, 'hostile-cells')
    cli('write-sample', array, '--dim', 'd:INT64:1..100:10', '--attr', 'a:STRING_UTF8', '--data', data, '--quiet')
    const file = join(FOLDER, 'hostile-cells.html')
    cli('page', '-o', file, array)
    const { page, wrong } = await open(pathToFileURL(file).href)
    for (const [link, caption, column] of [
      [{ v: 'cells', o: 'row-major' }, 'Cells', 1],
      [{ v: 'history', c: 'd=3' }, 'Versions, oldest first', 3],
    ]) {
      await goTo(page, link)
      const shown = (await rowsOf(page, caption)).map((row) => row[column])
      if (link.v === 'history') assert.match(shown[0], /^\\u\{?202e\}?gnp\.exe$/)
      else {
        assert.deepEqual(shown.slice(0, 2), texts.slice(0, 2))
        assert.equal(shown[3], `${'x'.repeat(300)} … 2,999,700 more characters`)
      }
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'scrolls sideways')
    }
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

test('histograms count the cells that read returns, and say how many these are', async () => {
  const array = 'examples/arrays/places'
  const file = join(FOLDER, 'histograms.html')
  cli('page', '-o', file, array)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await goTo(page, { v: 'histograms' })
  const { cells } = documentOf('read', array)
  for (const name of ['lat', 'population']) {
    const rows = await rowsOf(page, name)
    for (const [label, count] of rows) {
      const [from, to] = label.split(name === 'lat' ? ' to below ' : ' to ').map(Number)
      const inside = cells.filter((cell) => {
        const value = cell[name]
        return value !== null && value >= from && (name === 'lat' ? value < to : value <= to)
      })
      assert.equal(Number(count), inside.length, `${name} ${label}`)
    }
    const nulls = cells.filter((cell) => cell[name] === null).length
    assert.equal(rows.reduce((sum, [, count]) => sum + Number(count), 0) + nulls, cells.length)
  }
  // A bin without cells has no bar at all.
  const bars = await page.$$eval('.histograms tbody tr', (rows) =>
    rows.map(({ cells }) => [Number(cells[1].textContent), cells[2].querySelector('.bar')?.offsetWidth ?? 0]),
  )
  assert.ok(bars.some(([count]) => count === 0))
  for (const [count, width] of bars) assert.equal(width > 0, count > 0, `${count} cells, ${width} px`)
  assert.deepEqual(new Set((await rowsOf(page, 'name')).map(([, count]) => count)), new Set(['1']))
  assert.match(await page.textContent('main'), /Of 40 cells\./)
  await goTo(page, { v: 'histograms', n: '7', r: '["lat=0..90"]' })
  await page.waitForSelector('text=Of the first 7 cells; there may be more.')
  assert.match(await page.textContent('.call code'), /read .* --range lat=0\.\.90 --limit 7$/)
  await goTo(page, { v: 'histograms', x: 'k' })
  assert.deepEqual(await axe(page), [])
  assert.deepEqual(wrong, [])
  await page.close()
})

test('a cell may be typed without names; the focus stays in the form, or on the button of the next page', async () => {
  const array = 'examples/arrays/weather'
  const file = join(FOLDER, 'typed.html')
  cli('page', '-o', file, array)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await goTo(page, { v: 'history' })
  // There is no call without a cell.
  assert.equal(await page.locator('.call').count(), 0)
  await page.fill('input[name=c]', '1, 2')
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=Versions, oldest first')
  assert.equal(await page.inputValue('input[name=c]'), 'station=1,day=2')
  await page.fill('input[name=c]', '2 3')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('input[name=c]').value === 'station=2,day=3')
  assert.equal(await page.evaluate(() => document.activeElement.name), 'c')
  await page.fill('input[name=c]', '1')
  await page.keyboard.press('Enter')
  await page.waitForSelector('main [role=alert]')
  assert.doesNotMatch(await page.textContent('main [role=alert]'), /--cell/)
  await goTo(page, { v: 'cells' })
  await page.focus('text=Next 200')
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=Cells 201 to')
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Next 200')
  assert.deepEqual(wrong, [])
  await page.close()
})

test('the timeline has a step for a delete', async () => {
  const array = 'test/fixtures/22/deletes'
  const times = documentOf('commits', array).commits.flatMap(({ kind, timestamp_range }) =>
    kind === 'delete' ? [timestamp_range[0]] : [],
  )
  const ends = documentOf('ls', array).fragments.map(({ timestamp_range }) => timestamp_range[1])
  assert.ok(times.length > 0)
  const file = join(FOLDER, 'deletes.html')
  cli('page', '-o', file, array)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await show(page, 'timeline')
  await page.waitForSelector('#travel')
  assert.equal(Number(await page.getAttribute('#travel', 'max')), new Set([...times, ...ends]).size)
  const [{ condition, file: stored }] = documentOf('commits', array).commits.filter(({ kind }) => kind === 'delete')
  await page.waitForSelector(`td .text:text-is(${JSON.stringify(condition)})`)
  assert.deepEqual((await rowsOf(page, 'Deletes in time'))[0].slice(0, 4), [
    `${condition} (what it deleted)`,
    timeRangeText([times[0], times[0]], false),
    'applied by reads',
    stored,
  ])
  await page.click(`a[href$="t=${times[0]}"]`)
  await page.waitForSelector('text=As of now')
  await show(page, 'overview')
  await page.waitForSelector('text=deletes not counted')
  await page.waitForSelector(`dd li:has-text(${JSON.stringify(condition)})`)
  assert.deepEqual(wrong, [])
  await page.close()
})

test('the timeline takes any time, as text or in milliseconds, and says what is not a time', async () => {
  const file = join(FOLDER, 'times.html')
  cli('page', '-o', file, 'test/fixtures/22/deletes')
  const { page, wrong } = await open(`${pathToFileURL(file).href}#v=timeline`)
  for (const [typed, t] of [
    ['2024-05-01T10:00:00.005Z', '1714557600005'],
    ['7', '7'],
  ]) {
    await page.fill('input[name=time]', typed)
    await page.keyboard.press('Enter')
    await page.waitForFunction((time) => new URLSearchParams(location.hash.slice(1)).get('t') === time, t)
  }
  await page.fill('input[name=time]', 'yesterday')
  await page.keyboard.press('Enter')
  assert.match(await page.textContent('main [role=alert]'), /^expected milliseconds since 1970.*"yesterday"$/)
  assert.deepEqual(wrong, [])
  await page.close()
})

test('Files, Fragments and Bytes say what waits for a vacuum, and its bytes', async () => {
  const array = 'test/fixtures/22/dense_vacuum_left'
  const onDisk = readdirSync(array, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const replaced = documentOf('ls', array).fragments.filter(({ state }) => state === 'to-vacuum')
  assert.ok(replaced.length > 0)
  const goes = onDisk.filter((path) => path.endsWith('.vac') || replaced.some(({ name }) => path.includes(name)))
  const bytesOf = (paths) => paths.reduce((sum, path) => sum + statSync(path).size, 0)
  const file = join(FOLDER, 'vacuum.html')
  cli('page', '-o', file, array)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await show(page, 'files')
  await page.waitForSelector(
    `text=to-vacuum: a vacuum of fragments deletes ${goes.length} files, ${fullSizeText(bytesOf(goes))}. It removes the old fragments; reads as of a time before the newest of them lose their cells.`,
  )
  const rows = await rowsOf(page, await page.textContent('caption'))
  const marked = rows.flatMap(([name, , , , state, folder]) =>
    state === 'to-vacuum' ? [resolve(array, folder, name)] : [],
  )
  assert.deepEqual(marked.sort(), goes.map((path) => resolve(path)).sort())
  await show(page, 'fragments')
  await page.waitForSelector(`text=to-vacuum (${replaced.length}): not read by TileDB now, only as of earlier times`)
  const all = fullSizeText(bytesOf(onDisk))
  for (const way of ['field', 'role', 'filters', 'fragment']) {
    await follow(page, { v: 'bytes', w: way })
    await page.waitForSelector(
      way === 'fragment'
        ? `text=Together ${all}.`
        : `text=Left out: ${replaced.length} fragments that TileDB does not read, ${fullSizeText(replaced.reduce((sum, { size }) => sum + size, 0))}; with them ${all}.`,
    )
  }
  assert.deepEqual(wrong, [])
  await page.close()
})

test('by keyboard: arrow keys change the view, and the link keeps it', async () => {
  const file = join(FOLDER, 'keys.html')
  cli('page', '-o', file, 'examples/arrays/places')
  const { page } = await open(pathToFileURL(file).href)
  await page.waitForSelector('[role=tab]')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-overview')
  await page.keyboard.press('ArrowRight')
  await page.waitForSelector('#tab-fragments[aria-selected=true]')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-fragments')
  const { page: other } = await open(page.url())
  await other.waitForSelector('#tab-fragments[aria-selected=true]')
  await page.goBack()
  await page.waitForSelector('#tab-overview[aria-selected=true]')
  await page.focus('#tab-overview')
  for (const [key, tab] of [
    ['End', 'tab-search'],
    ['Home', 'tab-overview'],
  ]) {
    await page.keyboard.press(key)
    await page.waitForSelector(`#${tab}[aria-selected=true]`)
    assert.equal(await page.evaluate(() => document.activeElement.id), tab)
  }
  await page.close()
  await other.close()
})

test('on a narrow screen only tables scroll sideways', async () => {
  const file = join(FOLDER, 'narrow.html')
  cli('page', '-o', file, 'examples/arrays/weather')
  const { page } = await open(pathToFileURL(file).href)
  await page.setViewportSize({ width: 320, height: 600 })
  for (const view of await viewsOf(page)) {
    await show(page, view)
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320), view)
  }
  await page.close()
})

test('on a narrow screen, long names over columns of numbers break between their words', async () => {
  const array = join(FOLDER, 'long-names')
  const name = 'longitude_of_the_centre_of_the_cell'
  const attributes = ['aVeryLongNameOfAnAttributeOfFlags', 'sea surface temperature anomaly'].flatMap((one) => [
    '--attr',
    `${one}:UINT8`,
  ])
  cli('write-sample', array, '--dim', `${name}:INT32:0..99:10`, '--dim', 'b:INT32:0..99:10', ...attributes, '--quiet')
  const file = join(FOLDER, 'long-names.html')
  cli('page', '-o', file, array)
  const { page } = await open(pathToFileURL(file).href)
  await page.setViewportSize({ width: 420, height: 900 })
  await show(page, 'cells')
  await page.waitForSelector('th .text')
  const lines = await page.$$eval('th .text', (names) =>
    names.map((one) => {
      const range = document.createRange()
      const line = (node, i) => {
        range.setStart(node, i)
        range.setEnd(node, i + 1)
        return range.getBoundingClientRect().top
      }
      const letters = [...one.childNodes].flatMap((node) => [...(node.data ?? '')].map((a, i) => [a, line(node, i)]))
      return letters.map(([letter, top], i) => (i > 0 && top > letters[i - 1][1] ? `\n${letter}` : letter)).join('')
    }),
  )
  assert.equal(lines.find((one) => one.startsWith('longitude'))?.replaceAll('\n', ''), name)
  assert.ok(lines.some((one) => one.includes('\n')))
  for (const one of lines) assert.doesNotMatch(one, /[a-z]\n[a-z]/)
  await show(page, 'heat')
  await page.waitForSelector('canvas')
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 420))
  await page.close()
})

test('on a narrow screen, a table of six fragments shows the newest without scrolling', async () => {
  const array = join(FOLDER, 'six')
  cli('write-sample', array, ...'--dim x:INT32:0..99:10 --attr a:INT32 --fragments 6 --quiet'.split(' '))
  const file = join(FOLDER, 'six.html')
  cli('page', '-o', file, array)
  const { page } = await open(pathToFileURL(file).href)
  await page.setViewportSize({ width: 390, height: 240 })
  await show(page, 'timeline')
  await page.waitForSelector('.scroll')
  const { clientHeight, scrollHeight } = await page.evaluate(() => {
    const { clientHeight, scrollHeight } = document.querySelector('.scroll')
    return { clientHeight, scrollHeight }
  })
  assert.ok(scrollHeight > 240, `${scrollHeight}`)
  assert.equal(clientHeight, scrollHeight)
  await page.close()
})

test('a served page reads only from its own server', async () => {
  const url = await served(DAMAGED)
  const { page, wrong } = await open(url, [url])
  await compare(page, DAMAGED)
  await everyView(page)
  assert.deepEqual(wrong, [])
  await page.close()
})

test('a search by "/" finds fields, fragments, files and metadata, and its link keeps the words', async () => {
  const file = join(FOLDER, 'search.html')
  cli('page', '-o', file, 'examples/arrays/weather')
  const { page, wrong } = await open(pathToFileURL(file).href)
  await page.waitForSelector('[role=tab]')
  const [{ name, path }] = documentOf('ls', 'examples/arrays/weather').fragments
  for (const [words, kind, found, shown] of [
    ['temp', 'attribute', 'temperature', '#tab-schema'],
    ['fragment live', 'fragment', name, '#tab-overview'],
    ['zurich', 'metadata', 'stations', '#tab-files'],
    ['a0.tdb', 'file', 'a0.tdb', '#tab-files'],
  ]) {
    await page.focus('[role=tab][aria-selected=true]')
    await page.keyboard.press('/')
    await page.waitForFunction(() => document.activeElement.type === 'search')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(words)
    await page.waitForFunction(
      ([kind, found]) =>
        [...document.querySelectorAll('tbody tr')].some(
          ({ cells }) => cells[0].textContent === kind && cells[1].textContent === found,
        ),
      [kind, found],
    )
    const { page: other } = await open(page.url())
    await other.waitForSelector('tbody tr')
    assert.deepEqual(await rowsOf(other, 'Found'), await rowsOf(page, 'Found'))
    assert.deepEqual(await axe(other), [])
    await other.click(`tbody tr:has(td:first-child:text-is("${kind}")) a`)
    await other.waitForSelector(`${shown}[aria-selected=true]`)
    await other.close()
  }
  assert.ok(path.endsWith(name))
  assert.deepEqual(wrong, [])
  await page.close()
})

test('names of fragments are short in sight and whole for copies; errors are counted on the tab', async () => {
  const file = join(FOLDER, 'short-names.html')
  cli('page', '-o', file, DAMAGED)
  const { page } = await open(pathToFileURL(file).href)
  await show(page, 'fragments')
  const { fragments } = documentOf('ls', DAMAGED)
  assert.deepEqual(
    (await rowsOf(page, 'Fragments')).map(([name]) => name),
    fragments.map(({ name }) => name),
  )
  const widthOf = () => page.$eval('tbody td:first-child', ({ firstChild }) => firstChild.getBoundingClientRect().width)
  const short = await widthOf()
  await page.check('text=whole names')
  await page.waitForSelector('.whole-names')
  assert.ok((await widthOf()) > 5 * short)
  await page.uncheck('text=whole names')
  await page.waitForFunction(() => !document.querySelector('.whole-names'))
  const fragment = fragments[0].name
  for (const link of [
    { v: 'timeline' },
    { v: 'map' },
    { v: 'bytes', w: 'fragment' },
    { v: 'files' },
    { v: 'findings' },
    { v: 'search', q: fragment },
  ]) {
    await goTo(page, link)
    await page.waitForFunction((name) => document.querySelector('main').textContent.includes(name), fragment)
    // The widest text with the name, outside of the call below the view.
    const widths = await page.$$eval(
      'main :is(table, .loss) bdi',
      (all, name) => all.flatMap((one) => (one.textContent.includes(name) ? [one.getBoundingClientRect().width] : [])),
      fragment,
    )
    assert.ok(widths.length > 0 && Math.max(...widths) < 480, `${link.v}: ${widths}`)
  }
  await show(page, 'findings')
  await page.waitForSelector('#tab-findings .badge')
  const errors = documentOf('check', DAMAGED).findings.filter(({ severity }) => severity === 'error').length
  await show(page, 'overview')
  assert.equal((await page.textContent('#tab-findings .badge')).trim(), String(errors))
  await page.close()
})

test('colours are dark, light, or those of the system', async () => {
  const file = join(FOLDER, 'colours.html')
  cli('page', '-o', file, 'examples/arrays/weather')
  const { page } = await open(pathToFileURL(file).href)
  const [light, dark] = ['rgb(255, 255, 255)', 'rgb(20, 20, 20)']
  for (const [colorScheme, chosen, wanted] of [
    ['light', 'system', light],
    ['dark', 'system', dark],
    ['dark', 'light', light],
    ['light', 'dark', dark],
  ]) {
    await page.emulateMedia({ colorScheme })
    await page.selectOption('.theme select', chosen)
    await page.waitForFunction((colour) => getComputedStyle(document.body).backgroundColor === colour, wanted)
  }
  await page.close()
})

describe('the page alone', () => {
  test('as files of a web server opens a URL, and loads views as they are opened', async () => {
    const site = join(FOLDER, 'site')
    cli('page', '--static', site)
    cpSync('examples/arrays/places', join(site, 'places'), { recursive: true })
    const { url } = await serveFolder(site, {
      index: true,
      listen: async (listener) => {
        const { url, close } = await listen((request, response) => {
          if (!request.url.endsWith('.html')) return listener(request, response)
          response.writeHead(200, { 'content-type': 'text/html' }).end(readFileSync(join(site, 'index.html')))
        })
        closing.push(close)
        return url
      },
    })
    const { page, wrong } = await open(`${url}/index.html#u=${encodeURIComponent(`${url}/places`)}`, [url])
    await show(page, 'map')
    await show(page, 'schema')
    assert.equal((await rowsOf(page, 'Dimensions')).length, 2)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  const empty = pathToFileURL(resolve('dist/page/index.html')).href

  test('opens a chosen folder', async () => {
    const { page, wrong } = await open(empty)
    assert.deepEqual(await axe(page), [])
    await page.setInputFiles('input[type=file]', 'examples/arrays/places')
    await page.waitForSelector('[role=tab]')
    assert.deepEqual((await page.textContent('h1')).trim(), 'tiledb-inspect places')
    await everyView(page)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('opens a URL, which stays in its link', async () => {
    const server = await serveFolder('examples/arrays', {
      index: true,
      listen: async (listener) => {
        const { url, close } = await listen((request, response) => {
          const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'range' }
          for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
          response.setHeader('access-control-expose-headers', 'content-range, content-length, etag')
          if (request.method === 'OPTIONS') response.writeHead(204).end()
          else listener(request, response)
        })
        closing.push(close)
        return url
      },
    })
    const { page, wrong } = await open(empty, [server.url])
    await page.fill('input[name=url]', `${server.url}/places`)
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=tab]')
    await show(page, 'overview')
    const { page: other } = await open(`${empty}#u=${encodeURIComponent(`${server.url}/places`)}&v=schema`, [
      server.url,
    ])
    await other.waitForSelector('table')
    assert.equal((await rowsOf(other, 'Dimensions')).length, 2)
    assert.deepEqual(wrong, [])
    await page.close()
    await other.close()
  })
})

describe('files', () => {
  const fragment = `__fragments/${fragmentNames(DAMAGED)[0]}`
  const chosen = (page) =>
    page.evaluate(() => document.querySelector('[role=treeitem][aria-selected=true]')?.textContent)

  /** Opens a file of a target's report. */
  async function openFile(target, file, more = '') {
    const report = join(FOLDER, 'files.html')
    cli('page', '-o', report, target)
    const opened = await open(`${pathToFileURL(report).href}#v=files&p=${encodeURIComponent(file)}${more}`)
    await opened.page.waitForSelector('[role=treeitem][aria-selected=true]')
    return opened
  }

  /** The names of all nodes of the tree with their depths. Scrolling shows them one after the other. */
  function treeOf(page) {
    return page.evaluate(async () => {
      const tree = document.querySelector('[role=tree]')
      const rows = new Map()
      for (tree.scrollTop = 0; ; tree.scrollTop += 200) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        for (const row of document.querySelectorAll('[role=treeitem]'))
          rows.set(Number(row.parentElement.style.top.replace('px', '')) + row.parentElement.parentElement.offsetTop, [
            Number(row.ariaLevel),
            row.querySelector('.text').textContent,
          ])
        if (tree.scrollTop + tree.clientHeight >= tree.scrollHeight - 1) break
      }
      return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row)
    })
  }

  test('the list has all files, with their roles and fields', async () => {
    const file = join(FOLDER, 'list.html')
    cli('page', '-o', file, DAMAGED)
    const { page, wrong } = await open(`${pathToFileURL(file).href}#v=files`)
    await page.waitForSelector('table')
    const rows = await rowsOf(page, await page.textContent('caption'))
    const { files } = documentOf('ls', join(DAMAGED, fragment))
    assert.deepEqual(
      rows.filter(([, , , , , folder]) => folder === fragment).map(([name, role]) => [name, role]),
      files.map(({ name, role }) => [name, role]),
    )
    assert.ok(rows.some(([, role]) => role === 'array schema'))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('the tree has the fields that dump prints; damaged bytes are marked', async () => {
    const { page, wrong } = await openFile(DAMAGED, `${fragment}/d0.tdb`)
    await page.focus('[role=tree]')
    await page.keyboard.press('Home')
    await page.keyboard.press('*')
    await page.waitForTimeout(500)
    const shown = await treeOf(page)
    const expected = []
    const add = ({ name, label, children = [] }, level) => {
      const own = /^\d+$/.test(name) ? `[${name}]` : name
      expected.push([level, label === undefined || label === name ? own : `${own} ${label}`])
      for (const child of children) add(child, level + 1)
    }
    add(documentOf('dump', join(DAMAGED, fragment, 'd0.tdb')), 1)
    // Values without names are nodes in the tree; `dump` prints them as one list.
    const names = new Set(shown.map((row) => row.join(' ')))
    assert.deepEqual(
      expected.filter((row) => !names.has(row.join(' '))),
      [],
    )
    assert.ok(shown.length >= expected.length)
    const wrongAt = documentOf('check', DAMAGED).findings.find(({ file }) => file.endsWith('d0.tdb')).offset
    await page.fill('input[name=offset]', `0x${wrongAt.toString(16)}`)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.hex .damaged')
    assert.ok(await page.evaluate(() => document.querySelectorAll('[role=tree] .damaged').length > 0))
    assert.deepEqual(await axe(page), [])
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('a finding names the damaged field, and leads to its byte', async () => {
    const report = join(FOLDER, 'findings.html')
    cli('page', '-o', report, DAMAGED)
    const { page, wrong } = await open(`${pathToFileURL(report).href}#v=findings`)
    await page.waitForSelector('#lost')
    const names = { a0: 'name', a1: 'population', d0: 'lat' }
    const damaged = documentOf('check', DAMAGED).findings.map(({ file }) => names[file.match(/(\w+)\.tdb$/)[1]])
    assert.deepEqual(
      (await rowsOf(page, 'Findings')).map(([, field]) => field),
      damaged,
    )
    // The sentences have the same numbers of cells as the plan of the command line.
    const said = await page.textContent('.loss')
    const { plans } = documentOf('check', '--plan', DAMAGED)
    for (const lost of plans.flatMap((plan) => plan.lost)) assert.ok(said.includes(lost), `${said} lacks ${lost}`)
    assert.deepEqual(await page.$$eval('.loss li a', (links) => links.map((link) => link.textContent)), [
      ...new Set(damaged),
    ])
    const offset = await page.textContent('td.number a')
    const expected = documentOf('check', DAMAGED).findings.map(({ offset }) => offset)
    assert.deepEqual(
      await page.$$eval('td.number a', (links) => links.map((link) => Number(link.textContent))),
      expected,
    )
    await page.click('td.number a')
    await page.waitForFunction((at) => document.querySelector('.hex .cursor')?.dataset.at === at, offset)
    await page.waitForSelector('.hex .damaged')
    await page.goBack()
    await page.click('.loss li a')
    await page.waitForFunction((at) => document.querySelector('.hex .cursor')?.dataset.at === at, offset)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('by keyboard: bytes lead to fields, fields to bytes, and the link keeps both', async () => {
    const { page } = await openFile('examples/arrays/places', `${fragment}/a1.tdb`, '&o=8')
    assert.match(await chosen(page), /original_length/)
    await page.focus('.hex section')
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction(() => /byte 24:/.test(document.querySelector('[role=status].sr').textContent))
    await page.keyboard.press('Home')
    await page.waitForFunction(() => /byte 16:/.test(document.querySelector('[role=status].sr').textContent))
    const left = (at) =>
      page.evaluate((one) => document.querySelector(`.hex [data-at="${one}"]`).getBoundingClientRect().left, at)
    assert.ok(Math.abs((await left(17)) - (await left(33))) < 1, 'the chosen byte moves its neighbours')
    const [first] = documentOf(
      'at',
      '--no-flips',
      join('examples/arrays/places', fragment, 'a1.tdb'),
      '16',
    ).chain.slice(-1)
    assert.match(await chosen(page), new RegExp(first.name))
    await page.focus('[role=tree]')
    await page.keyboard.press('End')
    await page.waitForTimeout(600)
    const text = await chosen(page)
    const { page: other } = await open(page.url())
    await other.waitForFunction((wanted) => {
      return document.querySelector('[role=treeitem][aria-selected=true]')?.textContent === wanted
    }, text)
    await page.close()
    await other.close()
  })

  test('a file that still changes the link does not bring back a user who has left it', async () => {
    const { page, wrong } = await openFile('examples/arrays/places', `${fragment}/a1.tdb`, '&o=8')
    await page.evaluate(() => {
      const original = setTimeout
      window.setTimeout = (work, pause) => {
        if (pause !== 300) return original(work, pause)
        window.late = work
      }
    })
    await page.focus('.hex section')
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction(() => window.late)
    await page.evaluate(() => {
      location.hash = '#v=schema'
      window.late()
    })
    await page.waitForSelector('#tab-schema[aria-selected=true]')
    assert.match(page.url(), /#v=schema$/)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('content below filters opens, and leads back', async () => {
    const { page, wrong } = await openFile('examples/arrays/places', `${fragment}/a1.tdb`, '&n=tiles%5B0%5D.content')
    await page.waitForSelector('nav[aria-label="Where the bytes come from"]')
    assert.deepEqual(await axe(page), [])
    await page.click('nav[aria-label="Where the bytes come from"] button')
    await page.waitForSelector('nav[aria-label="Where the bytes come from"]', { state: 'detached' })
    assert.match(await chosen(page), /tile 0/)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('the tile view has the chunks and stages that tile prints, and the cells', async () => {
    const { page, wrong } = await openFile('examples/arrays/places', `${fragment}/d0.tdb`, '&n=tiles%5B1%5D')
    await page.click('summary')
    const { chunks } = documentOf('tile', join('examples/arrays/places', fragment), 'd0.tdb', '1')
    await page.waitForSelector('details table')
    const stages = await rowsOf(page, 'Stages of chunk 0')
    const [{ stages: expected, filtered_length, metadata_length }] = chunks
    const count = (number) => number.toLocaleString('en')
    assert.deepEqual(
      stages.map(([name, size]) => [name, size]),
      [
        ['stored', count(filtered_length + metadata_length)],
        ...expected.map(({ filter, output_length }) => [`${filter} undone`, count(output_length)]),
      ],
    )
    assert.equal((await rowsOf(page, 'Chunks')).length, chunks.length)
    const decoded = documentOf('decode', '--tiles', '1', join('examples/arrays/places', fragment))
    const cells = await rowsOf(page, 'Cells of chunk 0')
    assert.deepEqual(
      cells.map(([, , value]) => Number(value)),
      decoded.cells.map(({ lat }) => lat),
    )
    assert.equal(await page.isVisible('details > p.bad'), false)
    assert.deepEqual(await axe(page), [])
    assert.match(page.url(), /w=tile/)
    assert.deepEqual(wrong, [])
    await page.close()

    // Data with a wrong checksum is shown with a warning.
    const damaged = await openFile(DAMAGED, `${fragment}/a1.tdb`, '&n=tiles%5B2%5D&w=tile')
    await damaged.page.waitForSelector(
      'details > p.bad:has-text("so values may be wrong") ~ .table-box caption:has-text("Cells of chunk")',
    )
    assert.deepEqual(damaged.wrong, [])
    await damaged.page.close()
  })

  test('the search finds text, bytes and fields, and goes there', async () => {
    const { page, wrong } = await openFile('examples/arrays/places', `${fragment}/__fragment_metadata.tdb`)
    const found = '[role=status].found-num'
    const search = async (kind, text, told) => {
      await page.selectOption('select[name=kind]', kind)
      await page.fill('input[name=wanted]', text)
      await page.keyboard.press('Enter')
      await page.waitForFunction(
        ([at, wanted]) => new RegExp(wanted).test(document.querySelector(at).textContent),
        [found, told],
      )
    }
    const bytes = readFileSync(join('examples/arrays/places', fragment, '__fragment_metadata.tdb'))
    const name = Buffer.from('__schema')
    const places = (wanted) => {
      let number = 0
      for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) number++
      return number
    }
    await search('hex', '78 01', `^${places(Buffer.from([0x78, 1]))} found in`)
    await page.waitForSelector('.hex .found')
    await search('text', String(name), `^${places(name)} found in ${bytes.length.toLocaleString('en')} of`)
    await search('field', 'footer.file_sizes', '^[1-9][0-9]* found in [0-9,]+ fields$')
    await page.waitForSelector('[role=treeitem][aria-selected=true]:has-text("file_sizes")')
    assert.deepEqual(await axe(page), [])
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('a search in a file of 100 GB can be stopped', async () => {
    const array = join(FOLDER, 'longer')
    cpSync('examples/arrays/places', array, { recursive: true })
    truncateSync(join(array, fragment, 'a1.tdb'), 100 * 2 ** 30)
    const url = await served(array)
    const { page, wrong } = await open(`${url}#v=files&p=${encodeURIComponent(`${fragment}/a1.tdb`)}`, [url])
    await page.waitForSelector('input[name=wanted]')
    await page.fill('input[name=wanted]', 'nowhere')
    await page.keyboard.press('Enter')
    await page.click('button:text-is("Stop")')
    await page.waitForSelector('button:text-is("Stop")', { state: 'detached' })
    assert.match(await page.textContent('[role=status].found-num'), /stopped$/)
    await page.waitForLoadState('networkidle')
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('hex has fewer columns on a narrow screen, and none is cut', async () => {
    const { page } = await openFile('examples/arrays/places', `${fragment}/a1.tdb`)
    await page.setViewportSize({ width: 390, height: 700 })
    await page.waitForFunction(
      () => document.querySelectorAll('.hex .row')[1]?.querySelector('[data-at]')?.dataset.at === '8',
    )
    assert.ok(await page.locator('.hex .virtual').evaluate((box) => box.scrollWidth <= box.clientWidth))
    await page.close()
  })

  test('says what would notice a flip, as at does', async () => {
    const { page, wrong } = await openFile('examples/arrays/places', `${fragment}/a1.tdb`, '&o=20')
    await page.click('text=What would notice a flip here?')
    const section = 'section[aria-label="What would notice a flip"]'
    await page.waitForSelector(`${section} dd`)
    const { detected_by } = documentOf('at', join('examples/arrays/places', fragment, 'a1.tdb'), '20')
    assert.ok(detected_by.length > 0)
    assert.ok((await page.textContent(section)).includes(detected_by.join(', ')))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('a file of 2 GB needs only few requests', async () => {
    const array = join(FOLDER, 'long')
    cpSync('examples/arrays/places', array, { recursive: true })
    truncateSync(join(array, fragment, 'a1.tdb'), 2 * 2 ** 30)
    const url = await served(array)
    const { page, wrong } = await open(url, [url])
    await show(page, 'schema')
    await page.waitForLoadState('networkidle')
    const asked = []
    page.on('request', (request) => asked.push(request.url()))
    await page.evaluate((p) => {
      location.hash = `#v=files&p=${encodeURIComponent(p)}&o=0x40000000`
    }, `${fragment}/a1.tdb`)
    await page.waitForFunction(() => document.querySelector('.hex .cursor')?.textContent === '00')
    await page.waitForLoadState('networkidle')
    assert.ok(asked.length > 0 && asked.length <= 20, `${asked.length} requests`)
    assert.deepEqual(wrong, [])
    await page.close()
  })
})
