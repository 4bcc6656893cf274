import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { env, kill } from 'node:process'
import { after, test } from 'node:test'
import { browser, emptyFolder } from '../browser/opened-page.mjs'

/** The page of the Python module in JupyterLab. README.md says how to run it. */

const FOLDER = emptyFolder('jupyter/work')
const PICTURES = resolve('build/jupyter/pictures')
const ARRAYS = resolve('examples/arrays')
const NOTEBOOK = 'page.ipynb'

/** Installs JupyterLab and the wheel, unless $JUPYTER_PYTHON is a Python that has both. */
function python() {
  if (env.JUPYTER_PYTHON) return env.JUPYTER_PYTHON
  const inside = resolve('build/jupyter/venv/bin/python')
  const [wheel] = readdirSync('build/wheel').filter((name) => name.endsWith('.whl'))
  execFileSync('python3', ['-m', 'venv', 'build/jupyter/venv'], { stdio: 'inherit' })
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
  execFileSync(inside, [...pip, `build/wheel/${wheel}[jupyter]`, 'jupyterlab>=4,<5'], { stdio: 'inherit' })
  return inside
}

function cell(source) {
  return { cell_type: 'code', execution_count: null, id: `c${source.length}`, metadata: {}, outputs: [], source }
}

/** Begins JupyterLab. @returns its URL, without a path */
async function lab() {
  const settings = join(FOLDER, 'settings')
  mkdirSync(settings)
  const child = spawn(
    python(),
    ['-m', 'jupyterlab', '--no-browser', '--allow-root', '--IdentityProvider.token=token', '--port=0', FOLDER],
    { env: { ...env, JUPYTER_CONFIG_DIR: settings, JUPYTER_DATA_DIR: settings }, detached: true },
  )
  after(() => kill(-child.pid))
  return new Promise((found, failed) => {
    let said = ''
    child.stderr.on('data', (part) => {
      said += part
      const [url] = /http:\/\/(?:127\.0\.0\.1|localhost):\d+(?=\/lab\?token)/.exec(said) ?? []
      if (url) found(url)
    })
    child.on('close', () => failed(new Error(said)))
  })
}

const cells = [cell(`import tiledb_inspect as ti\nti.page(${JSON.stringify(join(ARRAYS, 'weather'))}, height=600)`)]
const metadata = { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } }
writeFileSync(join(FOLDER, NOTEBOOK), JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }))
mkdirSync(PICTURES, { recursive: true })

const page = await browser.newPage({ viewport: { width: 1300, height: 950 } })
const wrong = []
page.on('pageerror', (error) => wrong.push(String(error.stack)))
page.on('console', (message) => {
  // What JupyterLab itself says of its own files is not about the page.
  if (message.type() === 'error' && !/jupyter|\/api\/|lab\//i.test(message.location().url)) wrong.push(message.text())
})
const url = await lab()

async function open() {
  await page.goto(`${url}/lab/tree/${NOTEBOOK}?token=token&reset`)
  await page.locator('.jp-Notebook .jp-CodeCell').first().waitFor({ timeout: 120_000 })
}

test('a cell shows the overview of an array and its picture, in the colours of the notebook', async () => {
  await open()
  const first = page.locator('.jp-Notebook .jp-CodeCell').first()
  // A kernel that has just begun runs nothing.
  while (!/[\d*]/.test(await first.locator('.jp-InputPrompt').textContent())) {
    await first.locator('.cm-content').click()
    await page.keyboard.press('Shift+Enter')
    await page.waitForTimeout(3000)
  }
  const frame = page.frameLocator('iframe[title=tiledb-inspect]')
  await frame.getByRole('tab', { name: 'Overview' }).waitFor({ timeout: 30_000 })
  await frame
    .locator('main')
    .getByText(/temperature/)
    .first()
    .waitFor({ timeout: 30_000 })
  assert.equal(await page.getByText('To see the page of it').isVisible(), false)
  assert.equal((await page.locator('iframe[title=tiledb-inspect]').boundingBox()).height, 600)
  await page.waitForTimeout(3000)
  await page.screenshot({ path: join(PICTURES, 'overview.png') })

  await frame.getByRole('tab', { name: 'Picture' }).click()
  const drawn = frame.locator('main canvas').first()
  await drawn.waitFor()
  await page.waitForTimeout(1500)
  await page.screenshot({ path: join(PICTURES, 'picture.png') })

  await page.evaluate(() => {
    document.body.dataset.jpThemeLight = 'false'
  })
  const paper = () => frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
  await page.waitForTimeout(300)
  assert.equal(await paper(), 'rgb(20, 20, 20)')
  await page.screenshot({ path: join(PICTURES, 'dark.png') })
  await page.evaluate(() => {
    document.body.dataset.jpThemeLight = 'true'
  })
  await page.waitForTimeout(300)
  assert.equal(await paper(), 'rgb(255, 255, 255)')
  assert.deepEqual(wrong, [])
})

test('the notebook that is saved has no bytes of the array, and shows a summary without a kernel', async () => {
  // Keys go to the frame as long as it has the focus.
  await page.locator('.jp-Notebook .cm-content').first().click()
  await page.keyboard.press('Control+s')
  const path = join(FOLDER, NOTEBOOK)
  const saved = () => readFileSync(path, 'utf8')
  for (let tries = 0; tries < 100 && !saved().includes('To see the page of it'); tries++) await page.waitForTimeout(100)
  assert.ok(saved().includes('To see the page of it'))
  assert.ok(saved().length < 20_000, `${saved().length} bytes`)

  // Without a kernel, as somebody else opens it.
  const without = JSON.parse(saved())
  without.metadata.kernelspec.name = 'none'
  writeFileSync(join(FOLDER, 'saved.ipynb'), JSON.stringify(without))
  const other = await browser.newPage({ viewport: { width: 1300, height: 950 } })
  await other.goto(`${url}/lab/tree/saved.ipynb?token=token&reset`)
  await other.getByText('To see the page of it').waitFor({ timeout: 60_000 })
  await other.waitForTimeout(3000)
  await other.screenshot({ path: join(PICTURES, 'saved.png') })
  await other.close()
})
