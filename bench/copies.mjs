/**
 * Prints how fast boxes of cells are copied, as ratios to one copy of as many bytes by `TypedArray.set` in the same
 * process, by processor time:
 *
 *     node bench/copies.mjs
 *
 * A box of rows is copied from a tile into a larger window, as a dense read does. Then it is turned, from columns to rows.
 * Source and target have 8 MB each. The garbage that a copy leaves is that of the heap and of buffers.
 */
import { register } from 'node:module'
import { median } from './measure.mjs'

register('../test/fuzz/typescript-loader.mjs', import.meta.url)
const { copyBox } = await import('../src/cells/copy-box.ts')

const BYTES = 8 * 2 ** 20
const source = new Uint8Array(BYTES).map((_, i) => i * 7)
const target = new Uint8Array(2 * BYTES)

/** Seconds of processor time that a copy takes: it runs for at least 30 ms. */
function seconds(copy) {
  const start = process.cpuUsage()
  for (let runs = 1; ; runs++) {
    copy()
    const { user, system } = process.cpuUsage(start)
    if (user + system >= 30_000) return (user + system) / 1e6 / runs
  }
}

/** Bytes of garbage that a copy makes, once it is compiled. */
function garbage(copy) {
  const used = () => process.memoryUsage().heapUsed
  const before = used()
  copy()
  return used() - before
}

/** Each copy: its name, its cells, and the strides of source and target along its two axes. */
const COPIES = []
for (const run of [4, 16, 64, 256, 1024, 8192])
  for (const size of [1, 4, 8]) {
    const cells = run / size
    if (cells < 1) continue
    const rows = BYTES / run
    COPIES.push([`runs of ${run} bytes, cells of ${size}`, [rows, cells], [cells, 1], [2 * cells, 1], size])
  }
for (const size of [1, 2, 4, 8, 16]) {
  const side = Math.floor(Math.sqrt(BYTES / size))
  COPIES.push([`columns to rows, cells of ${size}`, [side, side], [1, side], [side, 1], size])
}

console.log('| copy | MB/s | ratio to set | bytes of garbage |\n| --- | ---: | ---: | ---: |')
for (const [name, lengths, from, to, size] of COPIES) {
  const bytes = lengths[0] * lengths[1] * size
  const box = { lengths, from: { at: 0, strides: from }, to: { at: 0, strides: to }, size }
  const copy = () => copyBox(source, target, box)
  const whole = source.subarray(0, bytes)
  seconds(copy)
  const pairs = [0, 1, 2, 3, 4].map(() => [seconds(copy), seconds(() => target.set(whole))])
  const ratio = median(pairs.map(([a, b]) => b / a))
  const mbs = bytes / median(pairs.map(([a]) => a)) / 1e6
  console.log(`| ${name} | ${mbs.toFixed(0)} | ${ratio.toFixed(2)} | ${garbage(copy)} |`)
}
