import assert from 'node:assert/strict'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { colourAt } from '../../src/page/palette.ts'
import { dataset, writeFiles } from '../layers/parts.ts'
import { test } from './in-turn.mjs'
import { axe, cli, emptyFolder, open, rowsOf, served, show } from './opened-page.mjs'

/** Datasets of layers in the page: small pictures, links to members, and what is loaded for them. */

const FOLDER = emptyFolder('page-layers')

/** A dataset of CF with a field by latitude and longitude: 10 times the row, and the column. Latitudes rise. */
async function climate() {
  const line = (name, values, units) => ({
    options: {
      dense: true,
      dim: [`${name}:INT32:0..${values.length - 1}:${values.length}`],
      attr: [`${name}_:FLOAT64`],
    },
    cells: values.map((value, i) => `${JSON.stringify({ [name]: i, [`${name}_`]: value })}\n`).join(''),
    keys: { [`__tiledb_attr.${name}_.units`]: units },
  })
  const places = [0, 1, 2].flatMap((lat) => [0, 1, 2, 3].map((lon) => ({ lat, lon, t: 10 * lat + lon })))
  const folder = join(FOLDER, 'climate')
  const made = await dataset({
    members: {
      lat: line('lat', [-10, 0, 10], 'degrees_north'),
      lon: line('lon', [1, 2, 3, 4], 'degrees_east'),
      t: {
        options: { dense: true, dim: ['lat:INT32:0..2:3', 'lon:INT32:0..3:4'], attr: ['t:FLOAT32'] },
        cells: places.map((one) => `${JSON.stringify(one)}\n`).join(''),
        keys: { '__tiledb_attr.t.units': 'K' },
      },
    },
    keys: { Conventions: 'CF-1.8' },
  })
  writeFiles(made, folder)
  return folder
}

/** The pixels of the first picture, row after row from the top, as numbers of three bytes. */
const pixelsOf = (page) =>
  page.$eval('.small-picture canvas', (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    return Array.from(
      { length: data.length / 4 },
      (_, i) => (data[4 * i] << 16) | (data[4 * i + 1] << 8) | data[4 * i + 2],
    )
  })

test('a field by latitude and longitude has the north at the top, and opens by keyboard', async () => {
  const file = join(FOLDER, 'climate.html')
  cli('page', '-o', file, '--quiet', await climate())
  const { page, wrong } = await open(pathToFileURL(file).href)
  await page.waitForSelector('.small-picture canvas')
  const values = [20, 21, 22, 23, 10, 11, 12, 13, 0, 1, 2, 3]
  assert.deepEqual(
    await pixelsOf(page),
    values.map((value) => colourAt(value / 23)),
  )
  assert.match(await page.textContent('.small-picture'), /lat from 2 at the top to 0/)
  assert.deepEqual(await axe(page), [])
  await page.focus('.small-picture a')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('h1').textContent.trim().endsWith('/climate/t'))
  assert.deepEqual(wrong, [])
  await page.close()
})

test('an embedding has a colour for each category, and the members are links', async () => {
  const file = join(FOLDER, 'blood.html')
  cli('page', '-o', file, '--quiet', 'examples/arrays/blood')
  const { page, wrong } = await open(pathToFileURL(file).href)
  await page.waitForSelector('.small-picture canvas')
  assert.match(await page.textContent('.small-picture'), /ms\/RNA\/obsm\/X_pca/)
  const names = await page.$$eval('.small-picture .legend li', (items) => items.map((one) => one.textContent.trim()))
  const cells = JSON.parse(cli('read', 'examples/arrays/blood/obs', '--labels', '--json')).cells
  assert.deepEqual(names, [...new Set(cells.map((one) => one.cell_type))].sort())
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 420, height: 900 })
  assert.deepEqual(await axe(page), [])
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways')
  await page.getByRole('table').getByRole('link', { name: 'X_pca' }).click()
  await page.waitForFunction(() => document.querySelector('h1').textContent.trim().endsWith('/obsm/X_pca'))
  assert.deepEqual(wrong, [])
  await page.close()
})

test('a served page loads layers only for a dataset of one, and views when they are opened', async () => {
  const scripts = async (target, view) => {
    const url = await served(target)
    const names = []
    const opened = await open(`${url}#v=overview`, [url])
    opened.page.on('request', (request) => names.push(request.url()))
    await opened.page.reload()
    await opened.page.waitForSelector('main .facts')
    await opened.page.waitForFunction(() =>
      [...document.querySelectorAll('main [role=status]')].every((one) => !one.textContent.startsWith('Reading')),
    )
    const atFirst = names.splice(0).flatMap((one) => /part-[\w-]+(?=\.js)/.exec(one)?.[0] ?? [])
    await show(opened.page, view)
    const later = names.flatMap((one) => /part-[\w-]+(?=\.js)/.exec(one)?.[0] ?? [])
    assert.deepEqual(opened.wrong, [])
    await opened.page.close()
    return { atFirst, later }
  }
  const array = await scripts('examples/arrays/weather', 'map')
  assert.ok(!array.atFirst.includes('part-layers') && !array.atFirst.includes('part-map'), String(array.atFirst))
  assert.ok(array.later.includes('part-map'), String(array.later))
  const soma = await scripts('examples/arrays/blood', 'tree')
  assert.ok(soma.atFirst.includes('part-layers'), String(soma.atFirst))
})

test('what a layer finds wrong stands on the overview', async () => {
  const folder = join(FOLDER, 'wrong')
  const level = {
    options: { dense: true, dim: ['Y:UINT16:0..3:4', 'X:UINT16:0..3:4'], attr: ['a:UINT8'], cells: '16' },
  }
  writeFiles(
    await dataset({ members: { 'l_0.tdb': level }, keys: { dataset_type: 'bioimg', fmt_version: '2' } }),
    folder,
  )
  const file = join(FOLDER, 'wrong.html')
  cli('page', '-o', file, '--quiet', folder)
  const { page, wrong } = await open(pathToFileURL(file).href)
  await page.waitForSelector('#of-layer')
  assert.match(await page.textContent('section[aria-labelledby=of-layer]'), /the key valid/)
  assert.ok((await rowsOf(page, 'All that is in it')).length === 1)
  assert.deepEqual(wrong, [])
  await page.close()
})
