import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { env, execPath } from 'node:process'
import { pathToFileURL } from 'node:url'
import { browser } from './opened-page.mjs'

/** Pictures of the page for the documentation. */

/** Quality of lossy WebP, from 0 to 1. Letters stay sharp. */
const QUALITY = 0.45
const VIEWPORT = { width: 1280, height: 800 }

/** Converts a picture to WebP in the browser. */
async function webp(png, width, height) {
  const page = await browser.newPage()
  const data = await page.evaluate(
    async ([base64, width, height, quality]) => {
      const image = new Image()
      image.src = `data:image/png;base64,${base64}`
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', quality)
    },
    [png.toString('base64'), width, height, QUALITY],
  )
  await page.close()
  return Buffer.from(data.slice(data.indexOf(',') + 1), 'base64')
}

/**
 * Takes pictures of the page, and writes each as `NAME.webp`.
 * @param shots each with its name, the target, the link, options of the browser (`more`), the element at the top (`above`), what is
 *   done before (`act`)
 * @param to folder of the pictures
 * @param targets folder in which the targets lie, as the pictures show their paths
 * @param chosen names of the pictures to take; empty for all
 */
export async function takeShots(shots, { to, targets, chosen }) {
  mkdirSync(to, { recursive: true })
  const report = resolve('build/shot.html')
  const options = { cwd: targets, env: { ...env, TILEDB_INSPECT_NOW: String(Date.UTC(2025, 3, 2, 9)) } }
  for (const { name, target, link, more, above, act } of shots) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    execFileSync(execPath, [resolve('bin/tiledb-inspect.js'), 'page', '-o', report, target, '--quiet'], options)
    const page = await browser.newPage({ viewport: VIEWPORT, ...more })
    await page.goto(`${pathToFileURL(report).href}#${new URLSearchParams(link)}`)
    await page.waitForSelector('h2')
    // Waits until all boxes and counts are drawn.
    await page.waitForTimeout(2000)
    await page.waitForFunction(() => !document.querySelector('main').textContent.includes('Reading'))
    if (above) await page.evaluate((one) => document.querySelector(one).scrollIntoView(), above)
    await act?.(page)
    const { width, height } = page.viewportSize()
    const png = await page.screenshot()
    writeFileSync(join(to, `${name}.webp`), await webp(png, width, height))
    if (env.PNG) writeFileSync(join(env.PNG, `${name}.png`), png)
    await page.close()
  }
  rmSync(report, { force: true })
}
