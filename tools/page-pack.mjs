import { promisify } from 'node:util'
import zopfli from '@gfx/zopfli'

/** Mark in the HTML of a page that stands where its scripts go. */
export const SCRIPTS_PLACE = '<!--scripts-->\n'
/** 15 rounds in place of 5, and any number of blocks in place of 15, make 0.05 % less. */
const ROUNDS = { numiterations: 15, blocksplittingmax: 0 }

/** Zopfli makes 3 % less than zlib at its best, and any browser inflates it. It takes seconds, so the build does it. */
export const deflateRaw = promisify((content, done) => zopfli.deflate(Buffer.from(content), ROUNDS, done))
/** The same as a zlib stream. */
export const deflateZlib = promisify((content, done) => zopfli.zlib(Buffer.from(content), ROUNDS, done))

/**
 * Puts a page together, and packs its parts: a line of JSON, and then the deflated HTML and groups of scripts. The line has for each its
 * size in bytes, and the names and characters of the scripts. src/commands/page-html.ts reads it.
 * @param html the page with a mark where its scripts go
 * @param texts scripts by their names
 * @param groups names of scripts that reports need together: together they take less, because one copies what another has said
 */
export async function packedPage(html, texts, groups) {
  const head = []
  const streams = []
  const add = async (text, scripts) => {
    const bytes = await deflateRaw(text)
    head.push({ size: bytes.length, scripts })
    streams.push(bytes)
  }
  await add(html, [])
  for (const names of groups) {
    const scripts = names.map((name) => [name, texts.get(name)])
    await add(
      scripts.map(([, text]) => text).join(''),
      scripts.map(([name, text]) => [name, text.length]),
    )
  }
  const elements = groups.flat().map((name) => ({
    name,
    element: `<script type="text/plain" id="part-${name}">${texts.get(name)}</script>\n`,
  }))
  return { pack: Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...streams]), elements }
}
