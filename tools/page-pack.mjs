import { promisify } from 'node:util'
import { compress, init } from '@bokuweb/zstd-wasm'
import zopfli from '@gfx/zopfli'

/** 15 rounds in place of 5, and any number of blocks in place of 15, make 0.05 % less. */
const ROUNDS = { numiterations: 15, blocksplittingmax: 0 }
/** The highest level of zstd. The build takes the time; readers are as fast as at any level. */
const ZSTD_LEVEL = 22

/** Zopfli makes 3 % less than zlib at its best, and any browser inflates it. It takes seconds, so the build does it. */
export const deflateRaw = promisify((content, done) => zopfli.deflate(Buffer.from(content), ROUNDS, done))
/** The same as a zlib stream. */
export const deflateZlib = promisify((content, done) => zopfli.zlib(Buffer.from(content), ROUNDS, done))

/**
 * Packs the parts of a page: a line of JSON, then the deflated HTML, and then groups of scripts as zstd frames. The line has the size
 * of each in bytes. For a group it also has its bytes undone, and the names and characters of its scripts. src/commands/page-html.ts
 * reads it.
 *
 * Measured 2026-11 on the 895,000 bytes that all reports have, in two groups: zopfli 312,000, zstd 287,000, brotli, which no browser
 * undoes for a script, 274,000. The decoder of zstd has 24,000, and most reports need it anyway.
 * @param html the page with a mark where its scripts go
 * @param texts scripts by their names
 * @param groups names of scripts that reports need together: together they take less, because one copies what another has said
 */
export async function pagePack(html, texts, groups) {
  await init()
  const page = await deflateRaw(html)
  const packed = groups.map((names) => {
    const scripts = names.map((name) => [name, texts.get(name).length])
    const text = Buffer.from(names.map((name) => texts.get(name)).join(''))
    const bytes = compress(text, ZSTD_LEVEL)
    return { head: { size: bytes.length, undone: text.length, scripts }, bytes }
  })
  const head = [{ size: page.length }, ...packed.map((group) => group.head)]
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), page, ...packed.map(({ bytes }) => bytes)])
}
