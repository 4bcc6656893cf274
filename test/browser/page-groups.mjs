import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from './in-turn.mjs'
import { axe, cli, emptyFolder, follow, open, rowsOf, served } from './opened-page.mjs'

/** The page of a group. */

const GROUP = 'test/fixtures/22/group'
const FOLDER = emptyFolder('page-groups')

const shows = (page, end) =>
  page.waitForFunction(
    (text) => document.querySelector('h1').textContent.trim().endsWith(text) && document.querySelector('main dl'),
    end,
  )

test('the files of a served group have their roles, although the server lists no sizes', async () => {
  const url = await served(GROUP)
  const { page, wrong } = await open(`${url}#v=files`, [url])
  await follow(page, { v: 'files' })
  await page.waitForSelector('main table')
  const rows = await rowsOf(page, await page.textContent('main caption'))
  const roles = new Map(rows.map(([name, role, , , , around]) => [around === '-' ? name : around, role]))
  assert.deepEqual(Object.fromEntries(roles), {
    '__tiledb_group.tdb': 'group marker',
    __group: 'group details',
    __meta: 'group metadata',
  })
  assert.deepEqual(wrong, [])
  await page.close()
})

test('a group in a group opens by keyboard, with as many steps back; main then has the focus and a ring', async () => {
  const file = join(FOLDER, 'group.html')
  cli('page', '-o', file, '--quiet', 'test/fixtures/groups/old')
  const { page, wrong } = await open(pathToFileURL(file).href)
  const ring = () =>
    page.waitForFunction(() => {
      const { id } = document.activeElement
      return id === 'main' && getComputedStyle(document.activeElement).outlineStyle === 'solid'
    })
  for (const [name, end] of [
    ['sub', '/old/sub'],
    ['b', '/old/sub/b'],
  ]) {
    // The list of members has a link to each, and so has the table of all that is in the group.
    await page.getByRole('list').getByRole('link', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
    await shows(page, end)
    await ring()
  }
  for (const end of ['/old/sub', '/old']) {
    assert.match(await page.textContent('header a'), new RegExp(`Back to .*${end}$`))
    await page.focus('header a')
    await page.keyboard.press('Enter')
    await shows(page, end)
  }
  await ring()
  assert.deepEqual(await axe(page), [])
  assert.deepEqual(wrong, [])
  await page.close()
})

test('Findings says to which member a damaged fragment belongs', async () => {
  const group = join(FOLDER, 'damaged')
  cpSync(GROUP, group, { recursive: true })
  rmSync(join(group, 'arr1'), { recursive: true })
  cpSync('examples/damaged/places', join(group, 'arr1'), { recursive: true })
  const file = join(FOLDER, 'damaged.html')
  cli('page', '-o', file, '--quiet', group)
  const { page, wrong } = await open(`${pathToFileURL(file).href}#v=findings`)
  await page.waitForSelector('.loss')
  assert.match(await page.textContent('.loss'), /^The fragment written .* to arr1, __/)
  assert.deepEqual(wrong, [])
  await page.close()
})
