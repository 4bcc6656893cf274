import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, open, rowsOf, served } from './opened-page.mjs'

/** The page of a group. */

const GROUP = 'test/fixtures/22/group'

test('the files of a group have their roles, though a server lists no sizes', async () => {
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
