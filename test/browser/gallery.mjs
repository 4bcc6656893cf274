import { argv } from 'node:process'
import { browser } from './opened-page.mjs'
import { takeShots } from './shots.mjs'

/**
 * Makes the pictures of docs/gallery.md again, from the arrays in `examples`:
 *
 *     node --import ./test/fuzz/register.mjs test/browser/gallery.mjs [name…]
 *
 * It needs Chromium as the other tests here do: run.mjs says how to install it. `npm run docs:pictures` calls it if it is there.
 */

const [ISLAND, WALNUT, HARBOUR, PLACES] = ['gallery/island', 'gallery/walnut', 'gallery/harbour', 'arrays/places']
const DARK = { colorScheme: 'dark' }

/** Points at a place of the drawing, given as shares of its width and height. */
const pointAt = (across, down) => async (page) => {
  const { x, y, width, height } = await page.locator('canvas').first().boundingBox()
  await page.mouse.move(x + across * width, y + down * height)
  await page.waitForTimeout(300)
}

const tall = (height, more = {}) => ({ viewport: { width: 1280, height }, ...more })

const SHOTS = [
  { name: 'island', target: ISLAND, link: { v: 'heat' }, more: tall(830) },
  {
    name: 'cover',
    target: ISLAND,
    link: { v: 'heat', k: '0', a: 'cover', b: 'fragments' },
    more: tall(850),
    act: pointAt(0.215, 0.6),
  },
  {
    name: 'crater',
    target: ISLAND,
    link: { v: 'heat', k: '0', a: 'elevation', r: '["y=100..189","x=80..199"]', c: 'magma', t: '1712000000000' },
    more: tall(880, DARK),
  },
  { name: 'walnut', target: WALNUT, link: { v: 'heat', c: 'magma' }, more: tall(860) },
  {
    name: 'tissue',
    target: WALNUT,
    link: { v: 'heat', a: 'tissue', d: '0,1', r: '["x=40"]', c: 'cividis' },
    more: tall(820),
  },
  { name: 'harbour', target: HARBOUR, link: { v: 'heat' }, more: tall(960) },
  {
    name: 'storm',
    target: HARBOUR,
    link: { v: 'heat', a: 'level\nwind', r: '["time=2024-10-19T00..2024-10-26T00"]' },
    more: tall(800, DARK),
    act: pointAt(0.55, 0.3),
  },
  { name: 'places', target: PLACES, link: { v: 'heat', a: 'population', g: '1' }, more: tall(860) },
  { name: 'map', target: ISLAND, link: { v: 'map' }, more: tall(860) },
  { name: 'timeline', target: HARBOUR, link: { v: 'timeline' }, more: tall(860, DARK) },
]

await takeShots(SHOTS, { to: 'docs/gallery', targets: 'examples', chosen: argv.slice(2) })
await browser.close()
