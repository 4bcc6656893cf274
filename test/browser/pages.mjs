import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { listen, serveFolder } from '../helpers/http-server.ts'
import { axe, cli, closing, document, emptyFolder, open, rowsOf, settings, show } from './opened-page.mjs'

/**
 * What `tiledb-inspect page` makes, in a real browser: reports from file://, the served page, and the page alone with a folder or a URL.
 * Nothing on the console, no request to elsewhere, no finding of axe, the same values as on the command line. `.ci/run` runs it, and
 * installs what it needs: see run.mjs.
 */

const FOLDER = emptyFolder('pages')

const VIEWS = [
  'overview',
  'fragments',
  'files',
  'findings',
  'schema',
  'cells',
  'heat',
  'histograms',
  'history',
  'timeline',
  'map',
  'bytes',
]

async function everyView(page) {
  for (const view of VIEWS) {
    await show(page, view)
    assert.deepEqual(await axe(page), [], view)
  }
}

/** What the page shows of an array is what the command line prints. */
async function compare(page, target) {
  await show(page, 'fragments')
  const { fragments } = document('ls', target)
  const rows = await rowsOf(page, 'Fragments')
  assert.deepEqual(
    rows.map(([name]) => name),
    fragments.map(({ name }) => name),
  )
  await show(page, 'findings')
  const { findings } = document('check', target)
  const found = (await rowsOf(page, 'Findings')) ?? []
  assert.deepEqual(
    found.map(([severity, code, file, , , what]) => [severity, code, file, what]),
    findings.map(({ severity, code, file, message }) => [severity, code, file, message]),
  )
  await show(page, 'schema')
  const { dimensions } = document('schema', target)
  assert.deepEqual(
    (await rowsOf(page, 'Dimensions')).map(([name]) => name),
    dimensions.map(({ name }) => name),
  )
}

/** An array with damage in its data, of which `check` finds more than one. */
function damagedArray() {
  const array = join(FOLDER, 'damaged')
  cpSync('examples/arrays/places', array, { recursive: true })
  const fragment = join(array, '__fragments', readdirSync(join(array, '__fragments'))[0])
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
  for (const target of targets) {
    test(`${target.replace(`${FOLDER}/`, '')} shows what the command line prints, and says nothing to anybody`, async () => {
      const file = join(FOLDER, 'report.html')
      cli('page', '-o', file, target)
      const { page, wrong } = await open(pathToFileURL(file).href)
      await compare(page, target)
      await everyView(page)
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }

  test('of a damaged array has findings', () => {
    assert.ok(document('check', DAMAGED).findings.length >= 3)
  })

  test('without the bytes of data shows the findings of the whole', async () => {
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

/** A short value as a table shows it. */
function shownValue(value) {
  if (Array.isArray(value)) return `[${value.map(shownValue).join(', ')}]`
  if (value === null) return 'null'
  if (typeof value !== 'object') return Object.is(value, -0) ? '-0.0' : String(value)
  return value.base64 && `0x${Buffer.from(value.base64, 'base64').toString('hex')}`
}

/** Goes to a link, and waits until what it asks for was read. */
async function goTo(page, link) {
  // Another view first, so that nothing of the last link is taken for this one's.
  await show(page, 'schema')
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

describe('cells', () => {
  const FIXTURES = 'test/fixtures/22'

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
        const { cells } = document('read', array, '--limit', '200', ...options)
        const rows = await rowsOf(page, 'Cells')
        assert.deepEqual(
          rows.map((row) => row.slice(0, -1)),
          cells.map((cell) => Object.values(cell).map(shownValue)),
        )
      }
      // With fill values of every type.
      await show(page, 'schema')
      assert.equal((await rowsOf(page, 'Attributes')).length, document('schema', array).attributes.length)
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
    const all = document('read', array, '--order', 'row-major').cells.map((cell) => Object.values(cell).map(shownValue))
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
      document('read', array, ...options).cells.map((cell) => Object.values(cell).map(shownValue)),
    )
    const call = await page.textContent('.call code')
    assert.match(call, /^tiledb-inspect read .* --range x=0\.\.50000 --where 'a > 0' --order row-major --limit 200$/)

    await goTo(page, { v: 'cells', w: 'nonsense >' })
    assert.match(await page.textContent('[role=alert]'), /USAGE/)
    await goTo(page, { v: 'history', c: 'x=77777' })
    const { versions } = document('history', array, '--cell', 'x=77777')
    assert.ok(versions.length >= 2)
    assert.deepEqual(
      (await rowsOf(page, 'Versions, oldest first')).map(([, state, , a, fragment]) => [state, a, fragment]),
      versions.map(({ state, values, fragment }) => [state, String(values.a), fragment]),
    )
    assert.deepEqual(await axe(page), [])
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of damaged tiles are left out only if that is asked for', async () => {
    const file = join(FOLDER, 'cells-damaged.html')
    cli('page', '-o', file, DAMAGED)
    const { page, wrong } = await open(pathToFileURL(file).href)
    await goTo(page, { v: 'cells' })
    assert.match(await page.textContent('main [role=alert]'), /\.tdb/)
    await goTo(page, { v: 'cells', x: 'k' })
    assert.match(await page.textContent('main [role=alert]'), /\.tdb/)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('as of a time are those of then', async () => {
    const array = `${FIXTURES}/deletes`
    const times = document('ls', array).fragments.map(({ timestamp_range }) => String(timestamp_range[1]))
    const file = join(FOLDER, 'cells-then.html')
    cli('page', '-o', file, array)
    const { page, wrong } = await open(pathToFileURL(file).href)
    const texts = new Set()
    for (const t of [times[0], times.at(-1)]) {
      await goTo(page, { v: 'cells', t })
      const options = ['--as-of', t, '--limit', '200']
      const cells = document('read', array, ...options).cells.map((cell) => Object.values(cell).map(shownValue))
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

  test('that are long or hostile are text, and cut', async () => {
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

test('histograms count the cells that read gives, and say of how many', async () => {
  const array = 'examples/arrays/places'
  const file = join(FOLDER, 'histograms.html')
  cli('page', '-o', file, array)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await goTo(page, { v: 'histograms' })
  const { cells } = document('read', array)
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

describe('a heat map', () => {
  /** Shows the heat map of an array, and what its table says, by the coordinates. */
  async function pictureOf(page, link) {
    await goTo(page, { v: 'heat', ...link })
    await page.waitForFunction(() => /^#v=heat&.*r=/.test(location.hash))
    await page.waitForFunction(() => !document.querySelector('main').textContent.includes('Reading'))
    const rows = (await rowsOf(page, 'Points')) ?? []
    return new Map(rows.map(([down, right, value]) => [`${down} ${right}`, value]))
  }

  async function pageOf(array) {
    const file = join(FOLDER, 'heat.html')
    cli('page', '-o', file, '--quiet', array)
    return open(pathToFileURL(file).href)
  }

  test('of a dense array has each cell, by keyboard too, and leads to its versions', async () => {
    const array = 'examples/arrays/weather'
    const { page, wrong } = await pageOf(array)
    const { cells } = document('read', array, '--range', 'day=1..60', '--field', 'temperature')
    const shown = await pictureOf(page, { r: '["day=1..60"]' })
    assert.deepEqual(
      shown,
      new Map(cells.map(({ station, day, temperature }) => [`${station} ${day}`, shownValue(temperature)])),
    )
    assert.match(
      await page.textContent('.call code'),
      /--range station=0\.\.5 --range day=1\.\.60 --field temperature$/,
    )
    const drawn = await page.evaluate(() => {
      const canvas = document.querySelector('canvas')
      const { width, height } = canvas
      const { data } = canvas.getContext('2d').getImageData(0, 0, width, height)
      return { width, height, lightness: Array.from({ length: data.length / 4 }, (_, i) => data[4 * i + 1]) }
    })
    assert.deepEqual([drawn.width, drawn.height], [60, 6])
    // The scale's green rises with the value.
    const sorted = cells.map(({ temperature }, i) => [temperature, drawn.lightness[i]]).sort(([a], [b]) => a - b)
    for (let i = 1; i < sorted.length; i++) assert.ok(sorted[i][1] >= sorted[i - 1][1], String(sorted[i]))
    assert.deepEqual(await axe(page), [])
    await page.focus('canvas')
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    const { temperature } = cells.find(({ station, day }) => station === 1 && day === 2)
    assert.ok((await page.textContent('.at')).startsWith(`station 1, day 2: ${shownValue(temperature)}`))
    await page.keyboard.press('Enter')
    await page.waitForSelector('table')
    assert.match(page.url(), /#v=history&c=station%3D1%2Cday%3D2/)
    await pictureOf(page, { d: '1,0' })
    assert.deepEqual(
      await page.evaluate(() => [document.querySelector('canvas').width, document.querySelector('canvas').height]),
      [6, 121],
    )
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of a slice of three dimensions, and of every order, has the cells of the slice', async () => {
    for (const order of ['row_row', 'col_col']) {
      const array = `test/fixtures/22/dense_3d_${order}`
      const { dimensions, attributes } = document('schema', array)
      const { page, wrong } = await pageOf(array)
      const field = attributes.find(({ type, cell_val_num }) => cell_val_num === 1 && /INT|FLOAT/.test(type)).name
      const [a, b, c] = dimensions.map(({ name }) => name)
      const fixed = document('read', array).cells[0][b]
      const shown = await pictureOf(page, { d: '2,0', a: field, r: JSON.stringify([`${b}=${fixed}`]) })
      const { cells } = document('read', array, '--range', `${b}=${fixed}`)
      assert.ok(cells.length > 1)
      for (const cell of cells) {
        const found = shown.get(`${cell[c]} ${cell[a]}`)
        assert.equal(found?.replace(' (fill value)', ''), shownValue(cell[field]))
      }
      assert.equal(shown.size, cells.length)
      assert.deepEqual(wrong, [])
      await page.close()
    }
  })

  test('of many cells is a sample, then means, and says so', async () => {
    const array = join(FOLDER, 'large')
    const dimensions = ['x', 'y'].flatMap((name) => ['--dim', `${name}:INT64:0..1199:100`])
    cli('write-sample', array, '--dense', ...dimensions, '--attr', 'a:INT32', '--cells', '1440000', '--quiet')
    const { page, wrong } = await pageOf(array)
    const sample = await pictureOf(page, {})
    assert.match(await page.textContent('main'), /A sample: 160,000 cells are read/)
    const rows = document('read', array, '--range', 'x=0', '--range', 'y=0..29').cells
    for (let y = 0; y < 30; y += 3) assert.equal(sample.get(`0..2 ${y}..${y + 2}`), shownValue(rows[y].a))
    const swapped = await pictureOf(page, { d: '1,0' })
    const turned = [...sample].map(([place, value]) => [place.split(' ').reverse().join(' '), value])
    const both = turned.filter(([place]) => swapped.has(place))
    assert.ok(both.length >= 4)
    for (const [place, value] of both) assert.equal(swapped.get(place), value)
    await pictureOf(page, {})
    await page.click('text=Read all cells')
    await page.waitForSelector('text=1,440,000 cells; a point is the mean', { timeout: 60_000 })
    const [[, , mean]] = await rowsOf(page, 'Points')
    const { cells } = document('read', array, '--range', 'x=0..2', '--range', 'y=0..2')
    const expected = cells.reduce((sum, { a }) => sum + a, 0) / cells.length
    assert.equal(mean, `${Number(expected.toPrecision(6))}, mean of 9`)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of a sparse array has its points', async () => {
    const array = 'examples/arrays/places'
    const { page, wrong } = await pageOf(array)
    const { cells } = document('read', array)
    const shown = await pictureOf(page, {})
    assert.ok(shown.size > 30 && shown.size <= cells.length)
    const counts = await pictureOf(page, { a: '#' })
    assert.equal(
      [...counts.values()].reduce((sum, count) => sum + Number(count), 0),
      cells.length,
    )
    assert.deepEqual(await axe(page), [])
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('has fill values apart', async () => {
    const array = 'test/fixtures/22/fill_values'
    const { page, wrong } = await pageOf(array)
    const shown = await pictureOf(page, { a: 'a', r: '["y=1..8","x=1..8"]' })
    const { cells } = document('read', array, '--range', 'y=1..8', '--range', 'x=1..8', '--field', 'a')
    assert.equal(cells.length, 64)
    assert.deepEqual(
      [...shown.values()],
      cells.map(({ a }) => (a === -42 ? '-42 (fill value)' : String(a))),
    )
    assert.match(await page.textContent('.legend'), /fill value, or never written/)
    const grey = await page.evaluate(() => [
      ...document.querySelector('canvas').getContext('2d').getImageData(0, 0, 1, 1).data,
    ])
    assert.deepEqual(grey, [0xb8, 0xb8, 0xb8, 255])
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of a damaged array says what could not be read', async () => {
    const array = join(FOLDER, 'damaged-dense')
    cpSync('examples/arrays/weather', array, { recursive: true })
    for (const name of readdirSync(join(array, '__fragments'))) {
      const path = join(array, '__fragments', name, 'a0.tdb')
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1] ^= 0x10
      writeFileSync(path, bytes)
    }
    const { page, wrong } = await pageOf(array)
    await pictureOf(page, { a: 'temperature' })
    assert.match(await page.textContent('main [role=alert]'), /a0\.tdb/)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of text dimensions there is none', async () => {
    const { page, wrong } = await pageOf('test/fixtures/22/string_dims_2d')
    await goTo(page, { v: 'heat' })
    await page.waitForSelector('text=A picture needs two dimensions')
    assert.deepEqual(wrong, [])
    await page.close()
  })
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
  await page.close()
  await other.close()
})

test('on a narrow screen nothing scrolls sideways but tables', async () => {
  const file = join(FOLDER, 'narrow.html')
  cli('page', '-o', file, 'examples/arrays/weather')
  const { page } = await open(pathToFileURL(file).href)
  await page.setViewportSize({ width: 320, height: 600 })
  for (const view of VIEWS) {
    await show(page, view)
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320), view)
  }
  await page.close()
})

/** Serves a target, and gives the URL of its page. */
async function served(target) {
  const child = spawn(execPath, ['bin/tiledb-inspect.js', 'page', '--json', target], { env: settings.env })
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

test('served, it reads from its own server alone', async () => {
  const url = await served(DAMAGED)
  const { page, wrong } = await open(url, [url])
  await compare(page, DAMAGED)
  await everyView(page)
  assert.deepEqual(wrong, [])
  await page.close()
})

describe('the page alone', () => {
  const empty = pathToFileURL(resolve('dist/page/index.html')).href

  test('opens a folder that is chosen', async () => {
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
  const fragment = `__fragments/${readdirSync(join(DAMAGED, '__fragments'))[0]}`
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

  /** The names of all nodes of the tree with their depths, as scrolling shows them. */
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

  test('the list has the files that are there, with their roles and fields', async () => {
    const file = join(FOLDER, 'list.html')
    cli('page', '-o', file, DAMAGED)
    const { page, wrong } = await open(`${pathToFileURL(file).href}#v=files`)
    await page.waitForSelector('table')
    const rows = await rowsOf(page, await page.textContent('caption'))
    const { files } = document('ls', join(DAMAGED, fragment))
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
    add(document('dump', join(DAMAGED, fragment, 'd0.tdb')), 1)
    // Values without names are nodes here; dump has them as one list.
    const names = new Set(shown.map((row) => row.join(' ')))
    assert.deepEqual(
      expected.filter((row) => !names.has(row.join(' '))),
      [],
    )
    assert.ok(shown.length >= expected.length)
    const wrongAt = document('check', DAMAGED).findings.find(({ file }) => file.endsWith('d0.tdb')).offset
    await page.fill('input[name=offset]', `0x${wrongAt.toString(16)}`)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.hex .damaged')
    assert.ok(await page.evaluate(() => document.querySelectorAll('[role=tree] .damaged').length > 0))
    assert.deepEqual(await axe(page), [])
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('a finding leads to its byte', async () => {
    const report = join(FOLDER, 'findings.html')
    cli('page', '-o', report, DAMAGED)
    const { page, wrong } = await open(`${pathToFileURL(report).href}#v=findings`)
    await page.waitForSelector('td.number a')
    const offset = await page.textContent('td.number a')
    await page.click('td.number a')
    await page.waitForFunction((at) => document.querySelector('.hex .cursor')?.dataset.at === at, offset)
    await page.waitForSelector('.hex .damaged')
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
    const [first] = document('at', '--no-flips', join('examples/arrays/places', fragment, 'a1.tdb'), '16').chain.slice(
      -1,
    )
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
    const { chunks } = document('tile', join('examples/arrays/places', fragment), 'd0.tdb', '1')
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
    const decoded = document('decode', '--tiles', '1', join('examples/arrays/places', fragment))
    const cells = await rowsOf(page, 'Cells of chunk 0')
    assert.deepEqual(
      cells.map(([, , value]) => Number(value)),
      decoded.cells.map(({ lat }) => lat),
    )
    assert.deepEqual(await axe(page), [])
    assert.match(page.url(), /w=tile/)
    assert.deepEqual(wrong, [])
    await page.close()
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
    assert.match(await chosen(page), /file_sizes/)
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

  test('what would notice a flip is what at prints', async () => {
    const { page, wrong } = await openFile('examples/arrays/places', `${fragment}/a1.tdb`, '&o=20')
    await page.click('text=What would notice a flip here?')
    const section = 'section[aria-label="What would notice a flip"]'
    await page.waitForSelector(`${section} dd`)
    const { detected_by } = document('at', join('examples/arrays/places', fragment, 'a1.tdb'), '20')
    assert.ok(detected_by.length > 0)
    assert.ok((await page.textContent(section)).includes(detected_by.join(', ')))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('a file of 2 GB is there within a second, and few requests read what is shown', async () => {
    const array = join(FOLDER, 'long')
    cpSync('examples/arrays/places', array, { recursive: true })
    truncateSync(join(array, fragment, 'a1.tdb'), 2 * 2 ** 30)
    const url = await served(array)
    const { page, wrong } = await open(url, [url])
    await show(page, 'schema')
    await page.waitForLoadState('networkidle')
    const asked = []
    page.on('request', (request) => asked.push(request.url()))
    const began = Date.now()
    await page.evaluate((p) => {
      location.hash = `#v=files&p=${encodeURIComponent(p)}&o=0x40000000`
    }, `${fragment}/a1.tdb`)
    await page.waitForFunction(() => document.querySelector('.hex .cursor')?.textContent === '00')
    const took = Date.now() - began
    await page.waitForLoadState('networkidle')
    assert.ok(asked.length > 0 && asked.length <= 20, `${asked.length} requests`)
    assert.ok(took < 2000, `${took} ms`)
    assert.deepEqual(wrong, [])
    await page.close()
  })
})
