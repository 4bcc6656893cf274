import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from './in-turn.mjs'
import { browser, cli, emptyFolder } from './opened-page.mjs'

/** A report in a frame, as the Python module shows it in Jupyter. */

const FOLDER = emptyFolder('page-frame')
const SHOWN = `
import sys
sys.path.insert(0, 'python')
import tiledb_inspect
print(tiledb_inspect.Report(open(sys.argv[1], encoding='utf-8').read())._repr_html_())
`

test('in the frame of a notebook, links lead to the views of the page, and it reads cells', async () => {
  const file = join(FOLDER, 'report.html')
  cli('page', '-o', file, '--quiet', 'examples/arrays/places')
  const env = { ...process.env, PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' }
  const frame = execFileSync('python3', ['-c', SHOWN, file], { encoding: 'utf8', env, maxBuffer: 2 ** 26 })
  const notebook = join(FOLDER, 'notebook.html')
  writeFileSync(notebook, `<!doctype html><meta charset="utf-8"><title>A notebook</title>${frame}`)

  const page = await browser.newPage()
  const wrong = []
  page.on('console', (message) => wrong.push(message.text()))
  page.on('pageerror', (error) => wrong.push(String(error.stack)))
  await page.goto(pathToFileURL(notebook).href)
  const inside = page.frameLocator('iframe')
  await inside.getByRole('tab', { name: 'Cells' }).click()
  await inside.getByText('Buenos Aires').first().waitFor()
  await inside.getByText('versions').first().click()
  await inside.locator('h2', { hasText: 'History' }).waitFor()
  assert.deepEqual(wrong, [])
  await page.close()
})
