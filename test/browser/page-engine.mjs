import assert from 'node:assert/strict'
import { execSync } from 'node:child_process'
import { cpSync, truncateSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { fragmentNames } from '../helpers/fragments.ts'
import { listen, serveFolder } from '../helpers/http-server.ts'
import { serveBuckets } from '../helpers/s3-server.ts'
import { describe, test } from './in-turn.mjs'
import {
  assertBelow,
  axe,
  cli,
  closing,
  documentOf,
  emptyFolder,
  follow,
  open,
  rowsOf,
  served,
  settings,
  show,
  turn,
  watchPauses,
} from './opened-page.mjs'

/** Long work does not block the page. */

const FOLDER = emptyFolder('page-engine')

const dims = ['x', 'y'].flatMap((name) => ['--dim', `${name}:INT32:0..2999:1000`])

describe('check of a large array', () => {
  const array = join(FOLDER, 'large')
  cli(
    'write-sample',
    array,
    '--dense',
    ...dims,
    '--attr',
    'a:INT64',
    '--attr',
    'b:INT64',
    '--cells',
    '9000000',
    '--quiet',
  )

  /** The longest time in milliseconds during which the page does not respond while it checks. */
  async function longestPause() {
    const url = await served(array)
    const { page, wrong } = await open(url, [url])
    await show(page, 'schema')
    await watchPauses(page)
    await page.evaluate(() => {
      location.hash = '#v=findings&l=cells'
    })
    await page.waitForSelector('main .good', { timeout: 120_000 })
    const longest = await page.evaluate(() => window.longest)
    assert.deepEqual(wrong, [])
    await page.close()
    return longest
  }

  test('does not block the page', async () => {
    // On a quiet machine it is below 100.
    await assertBelow(250, longestPause)
  })

  test('can be stopped, and begun again', async () => {
    const url = await served(array)
    const { page, wrong } = await open(url, [url])
    // Clicks Stop as soon as it exists, because the check takes less than a second.
    await page.evaluate(() => {
      new MutationObserver((_, observer) => {
        const stop = [...document.querySelectorAll('main button')].find(({ textContent }) => textContent === 'Stop')
        if (!stop) return
        observer.disconnect()
        stop.click()
      }).observe(document, { subtree: true, childList: true })
      location.hash = '#v=findings&l=cells'
    })
    await page.waitForSelector('text=Stopped: nothing is known.')
    assert.equal(await page.isVisible('main .good'), false)
    await page.click('text=Check again')
    await page.waitForSelector('main .good', { timeout: 120_000 })
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

/** Records the tasks that the page gives to workers from now on, and the number of workers that it ends before they are done. */
const noteTasks = (page) =>
  page.evaluate(() => {
    const { postMessage, terminate } = Worker.prototype
    Object.assign(window, { tasks: [], ended: 0 })
    Worker.prototype.postMessage = function (message, ...more) {
      const { name, args } = message.task ?? {}
      if (name) window.tasks.push(name === 'document' ? args[0] : name)
      return postMessage.call(this, message, ...more)
    }
    Worker.prototype.terminate = function () {
      window.ended++
      return terminate.call(this)
    }
  })

describe('workers do what may take long', () => {
  const TASKS = [
    [{ v: 'fragments' }, ['ls']],
    [{ v: 'bytes' }, ['stats']],
    [{ v: 'cells' }, ['schema', 'cells']],
    [{ v: 'heat' }, ['pictureSource', 'raster']],
    [{ v: 'histograms' }, ['histograms']],
    [{ v: 'history', c: 'station=1,day=2' }, ['history']],
    [{ v: 'findings' }, ['check']],
  ]

  test('workers make the views, and each document only once', async () => {
    const url = await served('examples/arrays/weather')
    const { page, wrong } = await open(url, [url])
    await page.waitForSelector('main dl')
    // The overview also reads the key-value metadata.
    await page.waitForLoadState('networkidle')
    await noteTasks(page)
    for (const [link, tasks] of [...TASKS, [{ v: 'fragments' }, []], [{ v: 'schema' }, []]]) {
      await page.evaluate(() => {
        window.tasks = []
      })
      await follow(page, link)
      await page.waitForSelector('main table, main .good, main .bad')
      // The view shows no status between two reads.
      await page.waitForFunction((count) => window.tasks.length >= count, tasks.length)
      assert.deepEqual(await page.evaluate(() => window.tasks), tasks, link.v)
    }
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('a task ends with its view', async () => {
    const url = await served('examples/arrays/weather')
    const { page, wrong } = await open(url, [url])
    await page.waitForSelector('main dl')
    await noteTasks(page)
    // The array has more than one page of cells, so the read waits for the request of the next page.
    await follow(page, { v: 'cells' })
    await page.waitForSelector('main table')
    // Unfinished tasks of the overview have ended, too.
    await page.evaluate(() => {
      window.ended = 0
    })
    await follow(page, { v: 'schema' })
    await page.waitForFunction(() => window.ended === 1)
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

test('without workers, check runs in the page', async () => {
  const url = await served('examples/damaged/places')
  const { page, wrong } = await open(url, [url])
  await page.evaluate(() => {
    window.Worker = undefined
  })
  await show(page, 'findings')
  const { findings } = documentOf('check', 'examples/damaged/places')
  assert.ok(findings.length > 0)
  assert.equal((await rowsOf(page, 'Findings')).length, findings.length)
  assert.deepEqual(wrong, [])
  await page.close()
})

describe('a URL that the page cannot read says why, and what to do', () => {
  const empty = pathToFileURL(resolve('dist/page/index.html')).href
  const fragment = fragmentNames('examples/arrays/places')[0]
  const CORS = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'range',
    'access-control-expose-headers': 'content-range, content-length, etag',
  }

  /** A server of the example arrays. @param answer called first; returns whether it has answered the request */
  async function server({ headers = CORS, folder = 'examples/arrays', answer = () => false }) {
    const { url } = await serveFolder(folder, {
      index: true,
      listen: async (listener) => {
        const { url, close } = await listen((request, response) => {
          for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
          if (answer(request, response)) return
          if (request.method === 'OPTIONS') response.writeHead(204).end()
          else listener(request, response)
        })
        closing.push(close)
        return url
      },
    })
    return url
  }

  /** The message of the page about a URL. The browser itself writes to the console if it may not read an answer. */
  async function said(url, view = 'overview') {
    const { page } = await open(`${empty}#u=${encodeURIComponent(url)}&v=${view}`, [new URL(url).origin])
    await page.waitForSelector('main [role=alert], main table, main dl')
    const text = await page.textContent('main')
    const about = await page.textContent('header')
    await page.close()
    return { text, about }
  }

  test('the server does not allow other pages to read', async () => {
    const { text } = await said(`${await server({ headers: {} })}/places`)
    assert.match(text, /forbids this page to read it \(CORS\).*Access-Control-Allow-Origin.*tiledb-inspect page URL/)
  })

  test('the server does not show how much it sends', async () => {
    const { 'access-control-expose-headers': _, ...headers } = CORS
    const { text } = await said(`${await server({ headers })}/places/__fragments/${fragment}`)
    assert.match(text, /Access-Control-Expose-Headers/)
  })

  test('the URL does not exist', async () => {
    const { text } = await said(`${await server({})}/nowhere`)
    assert.match(text, /Not there.*Check the URL/)
    assert.doesNotMatch(text, /CORS/)
  })

  test('the server refuses', async () => {
    const answer = ({ method }, response) => method !== 'OPTIONS' && response.writeHead(403).end()
    for (const target of ['places', `places/__fragments/${fragment}`]) {
      const { text } = await said(`${await server({ answer })}/${target}`)
      assert.match(text, /No permission.*HTTP 403.*give a signed URL/)
      assert.doesNotMatch(text, /CORS/)
    }
  })

  test('the server lists no folders', async () => {
    const answer = ({ method, url }, response) =>
      method !== 'OPTIONS' && url.endsWith('/') && response.writeHead(200, { 'content-type': 'text/plain' }).end('no')
    const { text } = await said(`${await server({ answer })}/places`)
    assert.match(text, /Not listed.*give the URL of a fragment or of a file/)
  })

  test('no server answers', async () => {
    const { url, close } = await listen(() => {})
    close()
    assert.match((await said(`${url}/places`)).text, /no server answers at .*: check the URL and the connection/)
  })

  test('a server that ignores ranges is slow, but can be read', async () => {
    const answer = (request) => {
      delete request.headers.range
      return false
    }
    const array = join(FOLDER, 'ranges')
    cli('write-sample', array, '--dense', ...dims, '--attr', 'a:INT64', '--cells', '1000000', '--quiet')
    const { text, about } = await said(`${await server({ answer, folder: FOLDER })}/ranges`, 'cells')
    assert.match(about, /Slow: the server ignores ranges: whole files are fetched/)
    assert.doesNotMatch(text, /CORS/)
  })
})

describe('bytes of large files', () => {
  const [fragment] = fragmentNames('examples/arrays/places')

  /** An array with a sparse file of a given size, which takes no space on disk. */
  function arrayOf(name, size) {
    const array = join(FOLDER, 'buckets', name)
    cpSync('examples/arrays/places', array, { recursive: true })
    truncateSync(join(array, '__fragments', fragment, 'a1.tdb'), size)
    return array
  }
  const shown = (offset) => `v=files&p=${encodeURIComponent(`__fragments/${fragment}/a1.tdb`)}&o=${offset}`
  const cursor = (page) =>
    page.waitForFunction(() => document.querySelector('.hex .cursor')?.textContent === '00', undefined, { polling: 10 })

  test('2 GB: shown within a second of opening the page', async () => {
    const url = await served(arrayOf('long', 2 * 2 ** 30))
    const { page, wrong } = await open(`${url}#${shown('0x40000000')}`, [url])
    await assertBelow(1000, async (run) => {
      if (run > 0) await page.reload()
      await cursor(page)
      return page.evaluate(() => performance.now())
    })
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('100 GB in a bucket: at most 20 requests', async () => {
    arrayOf('longer', 100 * 2 ** 30)
    const bucket = await serveBuckets(
      { bucket: join(FOLDER, 'buckets') },
      {
        pageSize: 1000,
        listen: async (listener) => {
          const { url, close } = await listen(listener)
          closing.push(close)
          return url
        },
      },
    )
    const url = await served('s3://bucket/longer', {
      AWS_ENDPOINT_URL: bucket.url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    })
    const { page, wrong } = await open(`${url}#${shown('0x1000000000')}`, [url])
    await cursor(page)
    await page.waitForLoadState('networkidle')
    const { requests } = bucket
    assert.ok(requests.length > 0 && requests.length <= 20, `${requests.length} requests`)
    // Only a few pages of the file are read.
    const read = requests.filter(({ key }) => key.endsWith('a1.tdb')).map(({ range }) => range)
    assert.ok(read.length > 0 && read.every((range) => range !== undefined), read.join())
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

describe('targets inside of the target open in the page', () => {
  const cellsOf = ({ cells }) => cells.map((cell) => Object.values(cell).map(String))

  /** Follows a link to a member or fragment. */
  async function follow(page, text, name = text) {
    // By key: of the name of a fragment, only four letters are in sight.
    await page
      .locator('main a')
      .filter({ hasText: new RegExp(`^${text}$`) })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    await page.waitForFunction((end) => document.querySelector('h1').textContent.trim().endsWith(end), `/${name}`)
    await page.waitForSelector('#tab-overview[aria-selected=true]')
    await page.waitForSelector('main dl')
  }

  test('the arrays of a group, and their fragments, and the way back', async () => {
    const group = 'test/fixtures/22/group'
    const file = join(FOLDER, 'group.html')
    cli('page', '-o', file, '--quiet', group)
    const { page, wrong } = await open(`${pathToFileURL(file).href}#v=tree`)
    await follow(page, 'first', 'arr1')
    assert.match(await page.textContent('.call code'), /^tiledb-inspect overview test\/fixtures\/22\/group\/arr1$/)
    await page.click('#tab-fragments')
    await page.waitForSelector('main table')
    const { fragments } = documentOf('ls', `${group}/arr1`)
    assert.deepEqual(
      (await rowsOf(page, 'Fragments')).map(([name]) => name),
      fragments.map(({ name }) => name),
    )
    await follow(page, fragments[0].name)
    await page.click('#tab-cells')
    await page.waitForSelector('main caption:text-is("Cells")')
    const fragment = `${group}/arr1/__fragments/${fragments[0].name}`
    assert.deepEqual(await page.textContent('.call code'), `tiledb-inspect decode ${fragment} --limit 200`)
    assert.deepEqual(await rowsOf(page, 'Cells'), cellsOf(documentOf('decode', fragment)))
    assert.deepEqual(await axe(page), [])
    for (const around of ['/group/arr1', '/group']) {
      await page.click('header a')
      await page.waitForFunction((end) => document.querySelector('h1').textContent.trim().endsWith(end), around)
    }
    assert.deepEqual(wrong, [])
    await page.close()
  })

  test('a target outside does not open', async () => {
    const url = await served('examples/arrays/places')
    const { page, wrong } = await open(`${url}#v=overview&i=${encodeURIComponent('../weather')}`, [url])
    await page.waitForSelector('main dl')
    assert.match(await page.textContent('h1'), /places$/)
    assert.deepEqual(wrong, [])
    await page.close()
  })
})

describe('the call of the map prints its tiles', () => {
  const fixtures = ['sparse_2d_row_row', 'string_dims_2d', 'dense_basic', 'deletes'].map(
    (name) => `test/fixtures/22/${name}`,
  )
  const targets = ['examples/arrays/places', 'examples/arrays/weather', ...fixtures]
  for (const target of turn(targets, 6)) {
    test(`of ${target}`, async () => {
      const file = join(FOLDER, 'map.html')
      cli('page', '-o', file, '--quiet', target)
      const { page, wrong } = await open(`${pathToFileURL(file).href}#v=map`)
      await page.waitForSelector('canvas')
      const same = async () => {
        const shown = await rowsOf(page, 'Tiles in sight')
        const [, ...words] = (await page.textContent('.call code')).split(' ')
        const printed = execSync(
          `${execPath} bin/tiledb-inspect.js ${words.join(' ')} --format ndjson --quiet`,
          settings,
        )
        const lines = printed.trim() === '' ? [] : printed.trim().split('\n').map(JSON.parse)
        const [newest] = documentOf('ls', target).fragments.map(({ name }) => name)
        assert.deepEqual(
          (shown ?? []).map(([fragment, tile]) => `${fragment} ${tile}`).sort(),
          lines.map(({ fragment = newest, tile }) => `${fragment} tile ${tile}`).sort(),
        )
        return lines.length
      }
      await page.waitForFunction(() => /[Tt]iles in sight/.test(document.body.textContent))
      await page.waitForTimeout(400)
      const all = await same()
      assert.ok(all > 0)
      await page.focus('canvas')
      const few = []
      for (const keys of [
        ['+', '+', '+'],
        ['ArrowLeft', 'ArrowUp', 'ArrowUp'],
        ['+', '+'],
      ]) {
        for (const key of keys) await page.keyboard.press(key)
        await page.waitForTimeout(500)
        few.push(await same())
      }
      const times = documentOf('ls', target).fragments.map(({ timestamp_range }) => String(timestamp_range[1]))
      await page.goto(`${pathToFileURL(file).href}#v=map&t=${times[0]}`)
      assert.match(await page.textContent('.call code'), new RegExp(`--as-of ${times[0]}`))
      const { fragments } = documentOf('ls', target, '--as-of', times[0])
      const names = fragments.filter(({ state }) => state === 'live').map(({ name }) => name)
      await page.waitForFunction((count) => document.querySelector('tbody')?.rows.length === count, names.length)
      assert.deepEqual(
        (await rowsOf(page, 'Fragments in the map')).map(([name]) => name),
        names,
      )
      await page.waitForTimeout(400)
      await same()
      assert.deepEqual(wrong, [])
      await page.close()
    })
  }
})
