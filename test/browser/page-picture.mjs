import assert from 'node:assert/strict'
import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { namedRoles } from '../../src/page/picture/chosen.ts'
import { pictureFacts } from '../../src/page/raster.ts'
import { openAt } from '../../src/read/opening.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { describe, test } from './in-turn.mjs'
import { axe, browser, cli, documentOf, emptyFolder, goTo, open, rowsOf, served, shownValue } from './opened-page.mjs'

/** Pictures of cells and lines. The numbers behind the pixels are those of the command line; the pixels have the colours of the scale. */

const FOLDER = emptyFolder('page-picture')

/** The text of the file that a button saves. */
async function savedText(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(`button:text-is("${button}")`)])
  return readFileSync(await file.path(), 'utf8')
}

/** Turns the wheel at a point. @returns whether the page scrolled */
async function wheelAt(page, x, y) {
  await page.evaluate(() => scrollTo(0, 0))
  await page.mouse.move(x, y)
  await page.mouse.wheel(0, 60)
  await page.waitForTimeout(400)
  return page.evaluate(() => scrollY > 0)
}

describe('a picture', () => {
  /** Shows the picture of an array. @returns the values of its table by their coordinates */
  async function pictureOf(page, link) {
    await goTo(page, { v: 'heat', ...link })
    await page.waitForSelector('main canvas')
    await page.waitForFunction(() => !document.querySelector('main').textContent.includes('Reading'))
    const rows = (await rowsOf(page, 'Points')) ?? []
    return new Map(rows.map(([down, right, value]) => [`${down} ${right}`, value]))
  }

  async function pageOf(array) {
    const file = join(FOLDER, 'picture.html')
    cli('page', '-o', file, '--quiet', array)
    return open(pathToFileURL(file).href)
  }

  test('of a dense array has each cell, by keyboard too, and leads to its versions', async () => {
    const array = 'examples/arrays/weather'
    const { page, wrong } = await pageOf(array)
    const { cells } = documentOf('read', array, '--range', 'day=1..60', '--field', 'temperature')
    const shown = await pictureOf(page, { r: '["day=1..60"]' })
    assert.deepEqual(
      shown,
      new Map(cells.map(({ station, day, temperature }) => [`${station} ${day}`, shownValue(temperature)])),
    )
    assert.match(await page.textContent('.call code'), /weather --range day=1\.\.60 --field temperature$/)
    assert.deepEqual(await axe(page), [])
    const sorted = [...cells].sort((one, other) => one.temperature - other.temperature)
    const [least, greatest] = [sorted[0], sorted.at(-1)].map(
      ({ station, day, temperature }) => `${shownValue(temperature)} at station ${station}, day ${day}`,
    )
    assert.equal(await page.textContent('figure > p'), `least ${least}; greatest ${greatest}`)
    await page.focus('canvas')
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    const { temperature } = cells.find(({ station, day }) => station === 1 && day === 2)
    assert.ok(
      (await page.textContent('figcaption [aria-live]')).startsWith(`station 1, day 2: ${shownValue(temperature)}`),
    )
    await page.keyboard.press('Enter')
    await page.waitForSelector('table')
    assert.match(page.url(), /#v=history&c=station%3D1%2Cday%3D2/)
    await pictureOf(page, { d: '1,0' })
    assert.match(await page.getAttribute('canvas', 'aria-label'), /^station goes across, day goes up/)
    const place = await page.textContent('figure > p button >> nth=1')
    await page.click('figure > p button >> nth=1')
    assert.ok((await page.textContent('figcaption [aria-live]')).startsWith(`${place}: `))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('keeps its point after a click, so that the mouse reaches the link below; Shift takes the point far', async () => {
    const { page, wrong } = await pageOf('examples/arrays/weather')
    await pictureOf(page, { r: '["day=1..60"]' })
    const pointed = () => page.textContent('figcaption [aria-live]')
    const { x, y, width, height } = await page.locator('canvas').boundingBox()
    const middle = [x + width / 2, y + height / 2]
    await page.mouse.move(...middle)
    const before = await pointed()
    await page.mouse.move(middle[0] + width / 4, middle[1], { steps: 5 })
    assert.notEqual(await pointed(), before)
    await page.mouse.click(...middle)
    const link = page.locator('a:text-is("versions of this cell")')
    const to = await link.boundingBox()
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 20 })
    assert.equal(await pointed(), before)
    await page.mouse.move(...middle)
    await page.mouse.move(middle[0] + width / 4, middle[1], { steps: 5 })
    assert.notEqual(await pointed(), before)

    await pictureOf(page, { r: '["day=1..60"]' })
    await page.focus('canvas')
    for (const key of ['ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key)
    assert.match(await pointed(), /^station 0, day 11: /)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('takes the wheel and the mouse only where cells are drawn; beside them the page scrolls', async () => {
    const { page, wrong } = await pageOf('examples/arrays/weather')
    // Six stations across in true proportions are a thin strip at the left.
    await pictureOf(page, { d: '1,0', e: '1' })
    const link = () => page.evaluate(() => location.hash)
    const before = await link()
    const { x, y, width, height } = await page.locator('canvas').boundingBox()
    assert.ok(await wheelAt(page, x + width * 0.7, y + height / 2))
    assert.equal(await link(), before)
    assert.match(await page.textContent('figcaption [aria-live]'), /^Point at the picture/)
    await page.evaluate(() => scrollTo(0, 0))
    await page.mouse.click(x + width * 0.7, y + height / 2)
    assert.match(await page.textContent('figcaption [aria-live]'), /^Point at the picture/)
    assert.ok(!(await wheelAt(page, x + 42, y + height / 2)))
    assert.match(await page.textContent('figcaption [aria-live]'), /^day \d+, station \d: /)
    await pictureOf(page, {})
    assert.ok(!(await wheelAt(page, x + width / 2, y + height / 2)))
    await page.waitForFunction((old) => location.hash !== old, before)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of a slice of three dimensions has the cells of the slice, in every order', async () => {
    for (const order of ['row_row', 'col_col']) {
      const array = `test/fixtures/22/dense_3d_${order}`
      const { dimensions, attributes } = documentOf('schema', array)
      const { page, wrong } = await pageOf(array)
      const field = attributes.find(({ type, cell_val_num }) => cell_val_num === 1 && /INT|FLOAT/.test(type)).name
      const [a, b, c] = dimensions.map(({ name }) => name)
      const fixed = documentOf('read', array).cells[0][b]
      const shown = await pictureOf(page, { d: '2,0', a: field, r: JSON.stringify([`${b}=${fixed}`]) })
      const { cells } = documentOf('read', array, '--range', `${b}=${fixed}`)
      assert.ok(cells.length > 1)
      for (const cell of cells) {
        const found = shown.get(`${cell[c]} ${cell[a]}`)
        assert.equal(found, shownValue(cell[field]))
      }
      assert.equal(shown.size, cells.length)
      assert.deepEqual(wrong, [])
      await page.close()
    }
  })

  test('of many cells is first a preview by statistics, then shows means if the reader asks, and says so', async () => {
    const array = join(FOLDER, 'large')
    const dimensions = ['x', 'y'].flatMap((name) => ['--dim', `${name}:INT64:0..4199:300`])
    cli('write-sample', array, '--dense', ...dimensions, '--attr', 'a:UINT8', '--cells', '17640000', '--quiet')
    const { page, wrong } = await pageOf(array)
    await pictureOf(page, {})
    assert.match(await page.textContent('main'), /A preview, by the statistics of tiles: no cell was read\./)
    await page.click('text=Read all 17,640,000 cells')
    await page.waitForSelector('text=17,640,000 cells; each of', { timeout: 120_000 })
    const [, ...lines] = (await savedText(page, 'CSV')).trim().split('\r\n')
    const means = new Map(lines.map((line) => line.split(',')).map(([y, x, value]) => [`${x} ${y}`, Number(value)]))
    for (const [x, y] of [
      [0, 0],
      [2095, 1000],
      [4195, 4195],
    ]) {
      const [down, right] = [x, y].map((at) => [5 * Math.floor(at / 5), Math.min(4199, 5 * Math.floor(at / 5) + 4)])
      const ranges = [`x=${down.join('..')}`, `y=${right.join('..')}`].flatMap((range) => ['--range', range])
      const { cells } = documentOf('read', array, ...ranges)
      // The fill value is no value.
      const known = cells.filter(({ a }) => a !== 255)
      const mean = known.reduce((sum, { a }) => sum + a, 0) / known.length
      assert.ok(Math.abs(means.get(`${down.join('..')} ${right.join('..')}`) - mean) < 1e-9)
    }
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of fragments that overlap, where statistics do not tell, is a sample of many cells', async () => {
    const array = join(FOLDER, 'overlapping')
    const dimensions = ['x', 'y'].flatMap((name) => ['--dim', `${name}:INT64:0..4199:300`])
    const steps = join(FOLDER, 'overlapping.json')
    writeFileSync(steps, JSON.stringify({ steps: [{ step: 'write', cells: [{ x: 5, y: 5, a: 1 }] }] }))
    const written = ['--attr', 'a:UINT8', '--cells', '17640000', '--steps', steps]
    cli('write-sample', array, '--dense', ...dimensions, ...written, '--quiet')
    const { page, wrong } = await pageOf(array)
    await page.evaluate(() => {
      window.answers = 0
      const { postMessage } = Worker.prototype
      Worker.prototype.postMessage = function (message, ...more) {
        if (message.answer) window.answers++
        return postMessage.call(this, message, ...more)
      }
    })
    await pictureOf(page, {})
    // The worker asks the page only once for each tile.
    const answers = await page.evaluate(() => window.answers)
    assert.ok(answers < 1500, `${answers} reads`)
    assert.match(await page.textContent('main'), /A sample: [\d,]+ cells were read/)
    const lines = (await savedText(page, 'CSV')).trim().split('\r\n').slice(1, 200)
    const [up, across, value] = lines[20].split(',')
    const [y, x] = [up, across].map((range) => range.split('..')[0])
    const { cells } = documentOf('read', array, '--range', `x=${x}`, '--range', `y=${y}`)
    assert.equal(Number(value), cells[0].a)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of a sparse array has its points', async () => {
    const array = 'examples/arrays/places'
    const { page, wrong } = await pageOf(array)
    const { cells } = documentOf('read', array)
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

  test('shows fill values apart', async () => {
    const array = join(FOLDER, 'with-hole')
    const cells = (from) => Array.from({ length: 4 }, (_, i) => ({ y: from + (i >> 1), x: i & 1, a: from + i }))
    const steps = join(FOLDER, 'with-hole.json')
    writeFileSync(steps, JSON.stringify({ steps: [0, 4].map((from) => ({ step: 'write', cells: cells(from) })) }))
    const dimensions = ['--dim', 'y:INT32:0..5:2', '--dim', 'x:INT32:0..1:2']
    cli(
      'write-sample',
      array,
      '--dense',
      ...dimensions,
      '--attr',
      'a:INT32',
      '--cells',
      '0',
      '--steps',
      steps,
      '--quiet',
    )
    const { page, wrong } = await pageOf(array)
    const shown = await pictureOf(page, { a: 'a' })
    const values = documentOf('read', array).cells.map(({ a }) => (a === -(2 ** 31) ? 'fill value' : String(a)))
    assert.equal(values.filter((value) => value === 'fill value').length, 4)
    assert.deepEqual([...shown.values()], values)
    assert.match(await page.textContent('figcaption'), /fill value, or never written/)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of a damaged array leaves damaged cells out, and says which', async () => {
    const array = join(FOLDER, 'damaged-dense')
    cpSync('examples/arrays/weather', array, { recursive: true })
    for (const name of fragmentNames(array)) {
      const path = join(array, '__fragments', name, 'a0.tdb')
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1] ^= 0x10
      writeFileSync(path, bytes)
    }
    const { page, wrong } = await pageOf(array)
    await pictureOf(page, { a: 'temperature' })
    await page.waitForFunction(() => /x=k/.test(location.hash))
    const shown = await pictureOf(page, { a: 'temperature', x: 'k' })
    assert.match(await page.textContent('main [role=alert]'), /a0\.tdb/)
    assert.match(await page.textContent('main p.bad'), /^\d+ damaged parts? left out: tiles that hold \d+ cells\.$/)
    await page.waitForSelector('.swatch.unread')
    const { cells } = documentOf('read', array, '--keep-going', '--field', 'temperature')
    assert.ok(cells.length > 0)
    const whole = documentOf('read', 'examples/arrays/weather', '--field', 'temperature').cells.length
    assert.ok(cells.length < whole)
    const read = new Map(cells.map(({ station, day, temperature }) => [`${station} ${day}`, shownValue(temperature)]))
    // A table shows 500 rows at first.
    assert.equal(shown.size, Math.min(500, read.size))
    for (const [place, value] of shown) assert.equal(value, read.get(place), place)
    assert.match(await page.textContent('main'), new RegExp(`Each point is one of ${read.size} cells`))
    assert.match(await page.textContent('.call code'), /--keep-going/)

    const unopened = join(FOLDER, 'unopened')
    cpSync('examples/arrays/weather', unopened, { recursive: true })
    const [first] = fragmentNames(unopened)
    truncateSync(join(unopened, '__fragments', first, '__fragment_metadata.tdb'), 100)
    const other = await pageOf(unopened)
    await goTo(other.page, { v: 'heat' })
    await other.page.waitForSelector('main p.bad')
    assert.match(await other.page.textContent('main p.bad'), /^1 damaged part left out\.$/)
    assert.ok((await other.page.textContent('main [role=alert]')).includes(first))
    assert.deepEqual(other.wrong, [])
    await other.page.close()

    await goTo(page, { v: 'histograms' })
    assert.match(await page.textContent('main [role=status]'), /^Stopped at damage, after \d+ cells?: “go on after/)
    await goTo(page, { v: 'histograms', x: 'k' })
    assert.match(await page.textContent('main [role=status]'), /^Of \d+ cells that can be read\. .*fill values\.$/)
    // A field lacks only cells that are damaged in it.
    const notes = await page.$$eval('.histograms > div', (all) =>
      all.map((one) => [one.querySelector('caption').textContent, one.querySelector('.note').textContent]),
    )
    const total = Number((await page.textContent('main [role=status]')).match(/\d+/)[0])
    for (const [name, note] of notes) {
      const own = name === 'temperature' ? cells.length : total
      assert.ok(
        note.startsWith(`${own} cells${own < total ? `; ${total - own} more could not be read` : ''}`),
        `${name}: ${note}`,
      )
    }
    assert.ok(total > cells.length)
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('keeps all in sight at another time, when more was written', async () => {
    const array = join(FOLDER, 'growing')
    const steps = join(FOLDER, 'growing.json')
    const corner = (at, time) => ({ step: 'write', cells: [{ y: at, x: at, a: at }], time })
    writeFileSync(steps, JSON.stringify({ steps: [corner(10, '2025-03-01'), corner(40, '2025-03-02')] }))
    const dims = ['y', 'x'].flatMap((name) => ['--dim', `${name}:INT32:0..99:10`])
    cli('write-sample', array, '--sparse', ...dims, '--attr', 'a:INT32', '--cells', '0', '--quiet', '--steps', steps)
    const { page, wrong } = await pageOf(array)
    await pictureOf(page, { t: '2025-03-01T12:00:00' })
    await page.waitForFunction(() =>
      /^1 cells?;|^1 cell/.test(document.querySelector('main p[role=status]').textContent),
    )
    const then = await page.evaluate(() => location.hash)
    assert.ok(!then.includes('r='), then)
    await page.evaluate(
      (hash) => {
        location.hash = hash
      },
      then.replace(/&t=[^&]*/, ''),
    )
    await page.waitForFunction(() => /^2 cells/.test(document.querySelector('main p[role=status]').textContent))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of one dimension has the least and the greatest of each step, a peak that is seen, and one form of its line', async () => {
    const array = join(FOLDER, 'line')
    const cells = Array.from({ length: 4000 }, (_, t) => {
      const value = Number((5 + 4 * Math.sin(t / 40) + (t % 7) / 10).toFixed(2))
      const peak = t === 2001 ? 100 : value
      return { t, a: t >= 3600 && t < 3660 ? null : peak }
    })
    const data = join(FOLDER, 'line.ndjson')
    writeFileSync(data, cells.map((cell) => JSON.stringify(cell)).join('\n'))
    const fields = ['--dim', 't:INT64:0..3999:500', '--attr', 'a:FLOAT64:nullable']
    cli('write-sample', array, '--dense', ...fields, '--data', data, '--quiet')
    const { page, wrong } = await pageOf(array)
    await page.evaluate(() => {
      window.dots = 0
      const { fillRect } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillRect = function (x, y, width, height) {
        if (width === 3 && height === 3) window.dots++
        fillRect.call(this, x, y, width, height)
      }
    })
    await pictureOf(page, {})
    await page.waitForSelector('text=a line is their mean')
    // After the nulls, 85 steps are left: alone they would have room for dots.
    assert.equal(await page.evaluate(() => window.dots), 0)

    const known = cells.filter(({ a }) => a !== null)
    const least = known.reduce((one, other) => (other.a < one.a ? other : one))
    const step = (t) => `t ${4 * Math.floor(t / 4)}..${4 * Math.floor(t / 4) + 3}`
    const places = `least ${least.a} at ${step(least.t)}; greatest 100 at ${step(2001)}`
    assert.equal(await page.textContent('figure > p'), `a: ${places}`)
    await page.click('figure > p button >> nth=1')
    assert.match(await page.textContent('figcaption [aria-live]'), /^t 2000\.\.2003: .* to 100, 4 cells\)/)

    const titles = await page.$$eval('th', (all) => all.map((one) => one.textContent))
    assert.deepEqual(titles, ['t', 'a mean', 'a least', 'a greatest', 'a cells'])
    await page.click('th button:text-is("a least")')
    const [highest] = await rowsOf(page, 'Points')
    const leastOf = (from) => Math.min(...known.filter(({ t }) => t >= from && t < from + 4).map(({ a }) => a))
    assert.equal(
      Number(highest[2]),
      Math.max(...[...cells.keys()].filter((t) => t % 4 === 0 && cells[t].a !== null).map(leastOf)),
    )
    await page.click('th button:text-is("a greatest")')
    const [first] = await rowsOf(page, 'Points')
    assert.deepEqual([first[0], first[3], first[4]], ['2000..2003', '100', '4'])
    const arrow = (way) =>
      page.evaluate((way) => getComputedStyle(document.querySelector(`th[aria-sort=${way}]`), '::after').content, way)
    assert.match(await arrow('descending'), /▼/)
    await page.click('th button:text-is("a greatest")')
    assert.match(await arrow('ascending'), /▲/)

    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      await page.mouse.move(0, 0)
      await page.reload()
      await page.waitForSelector('text=a line is their mean')
      await page.waitForTimeout(300)
      /** The strongest contrast to the paper in a row of pixels that only the peak crosses. */
      const contrast = await page.evaluate(() => {
        const canvas = document.querySelector('figure canvas')
        const luminance = (parts) => {
          const [r, g, b] = parts.map((part) =>
            part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
          )
          return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        }
        const paper = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)
        const ratio = canvas.width / canvas.clientWidth
        const left = 110 * ratio
        const { data } = canvas.getContext('2d').getImageData(left, 60 * ratio, canvas.width - left - 30, 1)
        let most = 1
        for (let at = 0; at < data.length; at += 4) {
          const share = data[at + 3] / 255
          const [a, b] = [data.slice(at, at + 3), paper].map((one) => [...one])
          const mixed = luminance(a.map((part, i) => part * share + b[i] * (1 - share)))
          const beside = luminance(paper)
          most = Math.max(most, mixed / beside, beside / mixed)
        }
        return most
      })
      assert.ok(contrast >= 2.9, `${colorScheme}: ${contrast}`)
      assert.deepEqual(await axe(page), [])
    }
    const { x, y, height } = await page.locator('figure canvas').boundingBox()
    assert.ok(await wheelAt(page, x + 20, y + height / 2))
    assert.ok(!(await wheelAt(page, x + 400, y + height / 2)))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('of an attribute without a name is drawn, and the link rests', async () => {
    for (const dimensions of [['d:INT32:0..9:5'], ['y:INT32:0..3:2', 'x:INT32:0..3:2']]) {
      const array = join(FOLDER, `no-name-${dimensions.length}`)
      const dims = dimensions.flatMap((one) => ['--dim', one])
      cli('write-sample', array, '--dense', ...dims, '--attr', ':INT32', '--quiet')
      const { page, wrong } = await pageOf(array)
      await pictureOf(page, {})
      const changes = await page.evaluate(async () => {
        let count = 0
        addEventListener('hashchange', () => count++)
        await new Promise((resolve) => setTimeout(resolve, 300))
        return count
      })
      assert.equal(changes, 0)
      assert.ok((await rowsOf(page, 'Points')).length > 3)
      assert.deepEqual(wrong, [])
      await page.close()
    }
  })

  test('of a served array is made by one worker', async () => {
    const url = await served('examples/arrays/weather')
    const page = await browser.newPage()
    await page.addInitScript(() => {
      const OneWorker = window.Worker
      window.workers = 0
      window.Worker = class extends OneWorker {
        constructor(program) {
          super(program)
          window.workers++
        }
      }
    })
    await page.goto(`${url}#v=heat`)
    await page.waitForSelector('text=Each point is one of 726 cells.')
    assert.equal(await page.evaluate(() => window.workers), 1)
    await page.close()
  })

  test('of the last slice stays until the next one is read', async () => {
    const { page, wrong } = await open(`${await served('examples/gallery/walnut')}#v=heat`)
    await page.waitForSelector('text=Each point is one of')
    await page.evaluate(() => {
      window.shown = document.querySelector('figure canvas')
    })
    await page.focus('input[type=range]')
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight')
    await page.waitForFunction(() => /z=27/.test(document.querySelector('.call code').textContent))
    await page.waitForSelector('text=Each point is one of')
    assert.ok(await page.evaluate(() => window.shown.isConnected && !document.querySelector('.old')))
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('does not exist for text dimensions', async () => {
    const { page, wrong } = await pageOf('test/fixtures/22/string_dims_2d')
    await goTo(page, { v: 'heat' })
    await page.waitForSelector('text=A picture needs a dimension of numbers or dates')
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

test('the overview of an array has a small picture, which leads to the large one; nothing if there is nothing to show', async () => {
  const { page, wrong } = await open(await served('examples/arrays/weather'))
  await page.waitForSelector('.small-picture canvas')
  const shown = await page.getAttribute('.small-picture canvas', 'aria-label')
  assert.match(shown, /^temperature: day from 1 at the left to 121; station from 0 at the top to 5; dark to light: /)
  // Six stations on 121 days would be a thin line.
  const { width, height } = await (await page.$('.small-picture canvas')).boundingBox()
  assert.deepEqual([width, height], [240, 120])
  assert.deepEqual(await axe(page), [])
  await page.focus('.small-picture a')
  await page.keyboard.press('Enter')
  await page.waitForSelector('text=Each point is one of 726 cells.')
  await page.close()
  const line = await open(await served('examples/gallery/harbour'))
  await line.page.waitForSelector('.small-picture canvas')
  const label = await line.page.getAttribute('.small-picture canvas', 'aria-label')
  assert.match(label, /^level: time from 2024-01-01T00 at the left to 2024-12-31T23; values from /)
  await line.page.close()
  // What is wrong counts more than how the cells look that are left.
  for (const array of ['test/fixtures/22/string_dims_2d', 'examples/damaged/places']) {
    const none = await open(await served(array))
    await none.page.waitForSelector('text=What to do next')
    await none.page.waitForLoadState('networkidle')
    assert.equal(await none.page.$('.small-picture'), null)
    assert.deepEqual(none.wrong, [])
    await none.page.close()
  }
  assert.deepEqual([...wrong, ...line.wrong], [])
})

test('y and x of an array in red, green and blue are rows and columns, in the map as in the picture', async () => {
  const rolesOf = async (path) => {
    const array = new InspectArray(new Folder(localFiles, path), contextFor({ key: undefined }))
    return namedRoles(pictureFacts(await openAt(array)))
  }
  assert.deepEqual(await rolesOf('examples/gallery/island'), ['row', 'column'])
  assert.deepEqual(await rolesOf('examples/gallery/walnut'), [undefined, 'y', 'x'])
})
