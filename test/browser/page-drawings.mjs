import assert from 'node:assert/strict'
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { formatCount } from '../../src/render/units.ts'
import { timeRangeText } from '../../src/render/views/wording.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { describe, test } from './in-turn.mjs'
import {
  ALL,
  assertBelow,
  axe,
  cli,
  documentOf,
  emptyFolder,
  follow,
  open,
  rowsOf,
  show,
  turn,
} from './opened-page.mjs'

/** The drawings of a page: their tables have what the command line prints, keys do what the mouse does, and drawing is fast. */

const FOLDER = emptyFolder('page-drawings')
const FIXTURES = 'test/fixtures'
/** Where the timeline begins to draw, and how much of its width it does not draw in: pixels. */
const TIMELINE = { left: 130, margins: 142 }
/** Longest time between two pictures, in milliseconds: 30 pictures a second. */
const SMOOTH = 34

/** Opens the report of a target. */
async function report(target, view, ...options) {
  const file = join(FOLDER, 'report.html')
  cli('page', '-o', file, '--quiet', ...options, target)
  return open(`${pathToFileURL(file).href}#v=${view}`)
}

/** An array with fragments at the times 1 to `count`. Their files are links to the same files. */
function ofManyFragments(count) {
  const array = join(FOLDER, 'many')
  rmSync(array, { recursive: true, force: true })
  const from = `${FIXTURES}/22/sparse_basic`
  for (const folder of ['__schema', '__commits', '__fragments'])
    cpSync(join(from, folder), join(array, folder), { recursive: true })
  const [first] = fragmentNames(array)
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

/** Milliseconds between two pictures during `goOn`: the median, because a busy machine sometimes stops everything. */
async function usualPause(page, goOn) {
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

/** Names and states of the fragments in the timeline's table, without what follows a comma. */
async function timelineRows(page) {
  const rows = await rowsOf(page, 'Fragments in time')
  return rows.map(([name, state]) => [name, state.replace(/,.*/, '')])
}

/** Waits until the table of tiles below a map has a number of rows. */
const tilesShown = (page, count, options) =>
  page.waitForFunction((num) => document.querySelectorAll('tbody')[1]?.rows.length === num, count, options)

describe('the timeline', () => {
  const targets = [
    'examples/arrays/places',
    'examples/damaged/failed_write',
    ...['dense_vacuum_left', 'commits_ignored', 'dense_basic', 'hilbert_strings'].map(
      (name) => `${FIXTURES}/22/${name}`,
    ),
    `${FIXTURES}/1/${readdirSync(`${FIXTURES}/1`).find((name) => !name.includes('.'))}`,
  ]
  for (const target of turn(targets, 6)) {
    test(`of ${target} has the fragments that ls prints`, async () => {
      const { page, wrong } = await report(target, 'timeline')
      await show(page, 'timeline')
      const { fragments } = documentOf('ls', target)
      const rows = await rowsOf(page, 'Fragments in time')
      assert.deepEqual(
        await timelineRows(page),
        fragments.map(({ name, state }) => [name, state]),
      )
      for (const [i, { timestamp_range: range }] of fragments.entries()) {
        const day = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: 'UTC' }).format(range[1])
        if (/T/.test(rows[i][3])) assert.equal(rows[i][3], `${day} ${timeRangeText([range[1], range[1]], false)}`)
      }
      const text = await page.textContent('main')
      const meanings = cli('ls', target).match(/^(?:live, consolidated|[a-z-]+) \(\d+\): .*$/gm) ?? []
      for (const meaning of meanings) assert.ok(text.includes(meaning), meaning)
      assert.deepEqual(await axe(page), [])
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }

  test('keys and links choose a time: all views show the array as of then, and a link leads back to now', async () => {
    const target = `${FIXTURES}/22/dense_vacuum_left`
    const { page, wrong } = await report(target, 'timeline')
    await show(page, 'timeline')
    await page.focus('#travel')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.waitForFunction(() => location.hash.includes('t=10'))
    await settled(page)
    await page.waitForFunction(() => document.querySelector('tbody')?.textContent?.includes('future'))
    const { fragments } = documentOf('ls', '--as-of', '10', target)
    assert.deepEqual(
      await timelineRows(page),
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

  test('has key-value metadata with its times, and says what is later than the chosen time', async () => {
    const array = join(FOLDER, 'metadata')
    const steps = [
      { step: 'write', cells: [{ x: 1, a: 1 }], time: 10 },
      { step: 'metadata', put: { owner: 'one', unit: 'm' }, time: 20 },
      { step: 'metadata', put: { owner: 'two' }, delete: ['unit', 'never'], time: 30 },
    ]
    writeFileSync(join(FOLDER, 'metadata.json'), JSON.stringify({ steps }))
    const how = ['--dim', 'x:INT32:0..9:10', '--attr', 'a:INT32', '--cells', '0', '--quiet']
    cli('write-sample', array, ...how, '--steps', join(FOLDER, 'metadata.json'))
    const { page, wrong } = await report(array, 'timeline')
    const stateOf = ({ deleted, current }) => (deleted ? 'deleted' : current ? 'current' : 'past')
    const all = documentOf('metadata', '--all', array).versions.filter(({ key }) => key !== 'never')
    const table = async (caption, t) => {
      await show(page, 'schema')
      await follow(page, { v: caption.endsWith('in time') ? 'timeline' : 'overview', ...(t && { t }) })
      return (await rowsOf(page, caption)).map(([key, written, state, value]) => [key, written, state, value])
    }
    const row = (one, state) => [
      one.key,
      String(one.timestamp_range[0]),
      state,
      one.deleted ? '-' : JSON.stringify(one.value),
    ]
    assert.equal(all.length, 4)
    assert.deepEqual(
      await table('Key-value metadata in time'),
      all.map((one) => row(one, stateOf(one))),
    )
    const then = new Map(documentOf('metadata', '--all', '--as-of', '20', array).versions.map((one) => [one.file, one]))
    assert.deepEqual(
      await table('Key-value metadata in time', '20'),
      all.map((one) => row(one, then.has(one.file) ? 'current' : 'later')),
    )
    assert.match(
      await page.textContent('main'),
      /2 changes of metadata are dated later than that time, so readers do not see them then/,
    )
    assert.deepEqual(await axe(page), [])
    // The overview shows what a reader gets.
    assert.deepEqual(
      await table('Key-value metadata'),
      all.filter(({ current, deleted }) => current && !deleted).map((one) => row(one, 'current')),
    )
    assert.match(await page.textContent('main'), /3 other changes of metadata: see Timeline/)
    await table('Key-value metadata', '20')
    assert.match(await page.textContent('main'), /2 changes of metadata are dated later than that time/)
    assert.deepEqual(await axe(page), [])
    // A click on a mark of the last lane chooses its time.
    await follow(page, { v: 'timeline', x: 'order' })
    const { width, height } = await page.locator('canvas').boundingBox()
    await page
      .locator('canvas')
      .click({ position: { x: TIMELINE.left + (width - TIMELINE.margins) / 2, y: height - 18 } })
    await page.waitForFunction(() => location.hash.includes('t=20'))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('has the conditions of its deletes in what it saves, and counts what each deleted', async () => {
    const array = join(FOLDER, 'deletes')
    const times = Array.from({ length: 12 }, (_, i) => `2025-03-02T${String(i).padStart(2, '0')}:00:00`)
    const steps = [
      { step: 'write', cells: Array.from({ length: 100 }, (_, x) => ({ x, a: x })), time: '2025-03-01' },
      ...times.map((time, i) => ({ step: 'delete', where: `a < ${(i + 1) * (i + 2)}`, time })),
    ]
    const file = join(FOLDER, 'deletes.json')
    writeFileSync(file, JSON.stringify({ steps }))
    const what = '--dim x:INT32:0..99:10 --attr a:INT32 --sparse --cells 0 --quiet --steps'.split(' ')
    cli('write-sample', array, ...what, file)
    const { page, wrong } = await report(array, 'timeline')
    // The button is clicked before the conditions are read. They are read for the file.
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('.of-table button:text-is("CSV")')])
    const [, ...lines] = readFileSync(await saved.path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.deepEqual(
      lines.map((line) => line.split(',')[0]),
      times.map((_, i) => `a < ${(i + 1) * (i + 2)}`),
    )
    // The third deleted those from 6 to 11. Those below were deleted before.
    await page.click('a:text-is("what it deleted") >> nth=2')
    await page.waitForFunction(() => /Of \d+ cells/.test(document.querySelector('main').textContent))
    assert.match(await page.textContent('main [role=status]'), /^Of 6 cells\./)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of 10,000 fragments does not stutter', async () => {
    const { page, wrong } = await report(ofManyFragments(10_000), 'timeline', '--max-size', '200M')
    await page.waitForSelector('canvas', { timeout: 60_000 })
    assert.equal((await rowsOf(page, 'Fragments in time')).length, 500)
    const { x, y, width } = await page.locator('canvas').boundingBox()
    await assertBelow(SMOOTH, () =>
      usualPause(page, async () => {
        for (let i = 0; i < 60; i++) await page.mouse.move(x + TIMELINE.left + ((width - 150) * i) / 60, y + 30)
      }),
    )
    await page.locator('canvas').click({ position: { x: width / 2, y: 28 } })
    await page.waitForFunction(() => /t=17/.test(location.hash))
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

/** The boxes of the tiles of the first listed fragment, as the command line prints them. */
function boxesOf(target) {
  const [{ path }] = documentOf('ls', target).fragments
  const { dense, tiles } = documentOf('tiles', path)
  return tiles.map(({ tile, cell_num, mbr, tile_domain }) => [tile, cell_num, dense ? tile_domain : mbr])
}

/** The texts with digits that a map draws after a key. */
async function marksOf(page, key) {
  await page.evaluate(() => {
    window.texts = []
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
      window.texts.push(text)
      fillText.call(this, text, ...more)
    }
  })
  await page.press('canvas', key)
  await page.waitForFunction(() => window.texts.length > 0)
  return page.evaluate(() => window.texts.filter((text) => /\d/.test(text)))
}

describe('the map', () => {
  const targets = [
    'examples/arrays/places',
    'examples/arrays/weather',
    ...[
      'rtree_levels',
      'dense_basic',
      'dense_3d_row_col',
      'datetime_dims',
      'string_dims_2d',
      'string_dim',
      'float64_full_domain_2d',
    ].map((name) => `${FIXTURES}/22/${name}`),
    `${FIXTURES}/1/${readdirSync(`${FIXTURES}/1`).find((name) => !name.includes('.'))}`,
  ]
  for (const target of turn(targets, 6)) {
    test(`of ${target} has the tiles that tiles prints`, async () => {
      const { page, wrong } = await report(target, 'map')
      await page.waitForSelector('canvas')
      const printed = boxesOf(target)
      const caption = printed.length < 200 ? 'Tiles in sight' : 'The first 200 tiles in sight'
      await page.waitForFunction((name) => document.body.textContent.includes(name), caption)
      const [first] = documentOf('ls', target).fragments
      await page.waitForFunction((name) => {
        const table = [...document.querySelectorAll('table')].find(({ caption }) =>
          /tiles in sight/i.test(caption.textContent),
        )
        return table?.tBodies[0].textContent.includes(name)
      }, first.name)
      const rows = (await rowsOf(page, caption)).filter(([name]) => name === first.name)
      assert.deepEqual(
        rows.map(([, tile, cells]) => [tile, cells.replaceAll(',', '')]),
        printed.slice(0, rows.length).map(([tile, cells]) => [`tile ${tile}`, String(cells)]),
      )
      for (const [i, [, , , box]] of rows.entries()) {
        for (const [low] of printed[i][2])
          if (typeof low === 'number' && Number.isInteger(low)) assert.ok(box.includes(` ${low}`), `${box} of ${low}`)
      }
      assert.deepEqual(
        (await rowsOf(page, 'Fragments in the map')).map(([name]) => name),
        documentOf('ls', target)
          .fragments.filter(({ state }) => state === 'live')
          .map(({ name }) => name),
      )
      assert.deepEqual(await axe(page), [])
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }

  test('zooms and moves by keys, keeps what is seen in its link, and leads to the bytes of a tile', async () => {
    const { page, wrong } = await report('examples/arrays/places', 'map')
    await tilesShown(page, 5)
    await page.focus('canvas')
    for (const key of ['+', '+', '+', '+', 'ArrowLeft', 'ArrowUp']) await page.keyboard.press(key)
    await page.waitForFunction(() => /b=/.test(location.hash))
    await page.waitForFunction(() => document.querySelectorAll('tbody')[1]?.rows.length < 5)
    const few = await rowsOf(page, 'Tiles in sight')
    const { page: other } = await open(page.url())
    await tilesShown(other, few.length)
    assert.deepEqual(await rowsOf(other, 'Tiles in sight'), few)
    await other.close()
    await page.keyboard.press('0')
    await tilesShown(page, 5)
    await page.click('a:text-is("tile 2")')
    await page.waitForSelector('#tab-files[aria-selected=true]')
    // Where the tile is, the view writes into the link as soon as it knows.
    await page.waitForFunction(() => /&n=tiles\[2\]&o=148$/.test(decodeURIComponent(location.hash)))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('where boxes overlap, a second click names the next box; the axes end with the domain', async () => {
    const array = join(FOLDER, 'overlapping')
    const size = '--dim x:INT32:0..9:10 --dim y:INT32:0..9:10 --attr a:INT32 --dense --cells 100'.split(' ')
    cli('write-sample', array, ...size, '--fragments', '2', '--quiet')
    const { page, wrong } = await report(array, 'map')
    await tilesShown(page, 2)
    const names = documentOf('ls', array).fragments.map(({ name }) => name)
    for (const [i, name] of [names[1], names[0], names[1]].entries()) {
      await page.click('canvas', { position: { x: 300, y: 200 } })
      const text = await page.textContent('.under')
      assert.ok(text.startsWith(name), `${text}: ${name}`)
      assert.match(text, new RegExp(`Box ${(i % 2) + 1} of 2 that lie here`))
    }
    await page.click('canvas', { position: { x: 400, y: 200 } })
    assert.match(await page.textContent('.under'), /Box 1 of 2/)
    for (const key of ['-', '0']) assert.deepEqual([...new Set(await marksOf(page, key))].sort(), ['0', '9'])
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('the axes are marked where the boxes begin and end, not where the margin around them does', async () => {
    const array = 'examples/arrays/places'
    const { page, wrong } = await report(array, 'map')
    await page.waitForFunction(() => document.querySelectorAll('tbody')[1]?.rows.length > 0)
    const ends = documentOf('overview', array).nonempty_domain.flat().map(String)
    assert.deepEqual([...new Set(await marksOf(page, '-'))].sort(), ends.sort())
    assert.deepEqual(wrong, [])
    await page.close()
  })

  /** Fewer tiles than the page can handle, because writing them would take a minute. */
  const tileNum = ALL ? 1_250_000 : 312_500

  test(`of ${tileNum} tiles moves without a stutter`, async () => {
    const array = join(FOLDER, 'tiles')
    const dims = ['--dim', 'x:INT32:0..9999999:100', '--dim', 'y:INT32:0..9999999:100']
    const how = '--sparse --attr a:INT8 --capacity 1 --quiet'.split(' ')
    cli('write-sample', array, ...how, ...dims, '--cells', String(tileNum))
    const { page, wrong } = await report(array, 'map', '--max-size', '256M')
    // The first drawing needs only footers. The browser still reads the rest of the report.
    await assertBelow(2000, async (run) => {
      if (run > 0) await page.reload({ waitUntil: 'commit' })
      await page.waitForSelector('canvas')
      return page.evaluate(() => performance.now())
    })
    await page.waitForFunction(() => /tiles in sight/.test(document.body.textContent), undefined, { timeout: 120_000 })
    await tilesShown(page, 200, { timeout: 120_000 })
    for (let i = 0; i < 8; i++) await page.click('button:text-is("Nearer")')
    // One move for each picture, while the button is down.
    await assertBelow(SMOOTH, () =>
      page.evaluate(async () => {
        const canvas = document.querySelector('canvas')
        canvas.setPointerCapture = () => {}
        const send = (type, step) =>
          canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: 300 + 3 * step, clientY: 400 + step }))
        const picture = () => new Promise(requestAnimationFrame)
        send('pointerdown', 0)
        const times = [await picture()]
        for (let i = 1; i <= 60; i++) {
          send('pointermove', i)
          times.push(await picture())
        }
        send('pointerup', 60)
        return (times[60] - times[0]) / 60
      }),
    )
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

describe('the bytes', () => {
  const targets = ['examples/arrays/weather', 'examples/damaged/places', `${FIXTURES}/22/deletes`]
  for (const target of targets) {
    test(`of ${target} are those that stats prints`, async () => {
      const { page, wrong } = await report(target, 'bytes')
      await page.waitForSelector('canvas')
      const { fields, roles, filters, fragment_metadata, other_size, size, data_size } = documentOf('stats', target)
      const numbers = async () => (await rowsOf(page, 'Bytes')).map((row) => bytesIn(row[2]))
      // Bytes that belong to no field, as in fragments that cannot be read, have a row of their own.
      const rest = [fragment_metadata.size, other_size, size - data_size - fragment_metadata.size].filter(
        (one) => one > 0,
      )
      const falling = (sizes) => [...sizes, ...rest].sort((a, b) => b - a)
      assert.ok((await page.textContent('.under')).includes(`${formatCount(other_size)} bytes`))
      assert.deepEqual(await numbers(), falling(fields.flatMap(({ files }) => files.map(({ size }) => size))))
      assert.equal(await page.textContent('th[aria-sort=descending]'), 'size')
      assert.deepEqual(await axe(page), [])
      for (const [way, sums] of Object.entries({ role: roles, filters })) {
        await page.check(`input[name=way] >> nth=${['field', 'role', 'filters'].indexOf(way)}`)
        await page.waitForFunction(
          (count) => document.querySelector('tbody').rows.length === count,
          sums.length + rest.length,
        )
        assert.deepEqual(await numbers(), falling(sums.map(({ size }) => size)))
      }
      await page.check('input[name=way] >> nth=3')
      const { fragments } = documentOf('ls', target)
      await page.waitForFunction(
        (name) => document.querySelector('tbody').textContent.includes(name),
        fragments[0].name,
      )
      assert.deepEqual(
        await numbers(),
        [...fragments.map(({ size }) => size), other_size].sort((a, b) => b - a),
      )
      assert.match(await page.textContent('.call code'), /^tiledb-inspect ls /)
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }

  test('are shown although advice cannot try compressors, which a page does not have', async () => {
    const write = (array, how) => cli('write-sample', array, '--dense', '--quiet', ...how.split(' '))
    const raw = join(FOLDER, 'raw')
    write(raw, '--dim x:INT64:1..200000:50000 --attr a:INT64 --cells 200000')
    const shuffledLast = join(FOLDER, 'shuffled-last')
    const filters = ['a', 'b'].map((name) => `--field-filters ${name}=lz4,byteshuffle`).join(' ')
    write(shuffledLast, `--dim x:INT64:1..9000:9000 --attr a:INT64 --attr b:FLOAT64 ${filters} --cells 9000`)
    for (const array of [raw, shuffledLast]) {
      const { page, wrong } = await report(array, 'bytes')
      await page.waitForSelector('main table')
      assert.ok((await rowsOf(page, 'Bytes')).length > 0)
      assert.deepEqual(wrong, [])
      await page.close()
    }
  })
})

/** `5.4 KiB (5,559 bytes)` or `339 bytes` as a number. */
function bytesIn(text) {
  return Number(/([\d,]+) bytes?/.exec(text)[1].replaceAll(',', ''))
}

test('a table finds rows by any of their words, and gives them as CSV and JSON', async () => {
  const array = ofManyFragments(30)
  const { page, wrong } = await report(array, 'fragments')
  const names = documentOf('ls', array).fragments.map(({ name }) => name)
  await page.waitForSelector('input[type=search]')
  const words = names[7].slice(0, 40)
  await page.fill('input[type=search]', words)
  const shown = (await rowsOf(page, 'Fragments')).map(([name]) => name)
  assert.deepEqual(
    shown,
    names.filter((name) => name.includes(words)),
  )
  const saved = async (button) => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.click(`.of-table button:text-is("${button}")`),
    ])
    return readFileSync(await file.path(), 'utf8')
  }
  const [titles, ...lines] = (await saved('CSV')).trim().split('\r\n')
  assert.match(titles, /^fragment,state,/)
  assert.deepEqual(
    lines.map((line) => line.split(',')[0]),
    shown,
  )
  assert.deepEqual(
    JSON.parse(await saved('JSON')).map(({ fragment }) => fragment),
    shown,
  )
  assert.deepEqual(await axe(page), [])
  assert.deepEqual(wrong, [])
  await page.close()
})

describe('the members of a group', () => {
  for (const target of ['22/group', 'groups/old', 'groups/invalid', 'groups/other'].map(
    (name) => `${FIXTURES}/${name}`,
  )) {
    test(`of ${target} are those that ls prints`, async () => {
      const { page, wrong } = await report(target, 'tree')
      const flat = (members) =>
        members.flatMap(({ name, uri, type, found, state, members: below }) => [
          [name ?? uri, found ?? type, state],
          ...flat(below ?? []),
        ])
      const printed = flat(documentOf('ls', '--depth', 'all', target).members)
      assert.ok(printed.length > 0)
      await page.waitForSelector('.members')
      const shown = await page.evaluate(() =>
        [...document.querySelectorAll('.members > li')].map((item) => {
          const text = item.querySelector('summary') ?? item
          return [text.querySelector('strong').textContent, text.textContent]
        }),
      )
      assert.deepEqual(
        shown.map(([name]) => name),
        printed.map(([name]) => name),
      )
      for (const [i, [, type, state]] of printed.entries()) {
        assert.ok(shown[i][1].includes(type), `${shown[i][1]}: ${type}`)
        assert.ok(state === 'present' || shown[i][1].includes(state), `${shown[i][1]}: ${state}`)
      }
      assert.match(await page.textContent('.call code'), /^tiledb-inspect ls .* --depth all$/)
      assert.deepEqual(await axe(page), [])
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }
})
