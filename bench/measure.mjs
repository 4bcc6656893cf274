import { spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Measures whole processes: wall time, processor time and peak memory of each run. */

/** A temporary folder, removed at the end. */
export const scratch = mkdtempSync(join(tmpdir(), 'tiledb-inspect-bench-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

/** Makes a child process that runs Node report its resource use when it ends. Of other programs only the wall time is known. */
const REPORT = `data:text/javascript,import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(process.env.BENCH_REPORT,JSON.stringify(process.resourceUsage())))`

export const TOOL = ['bin/tiledb-inspect.js']

/**
 * Runs a command once, and ignores its output.
 * @param ends the exit codes with which it may end
 * @returns wall time in seconds, and the peak memory in MB if it runs Node
 */
export function once(command, args, { memory = false, ends = [0] } = {}) {
  const report = join(scratch, 'report.json')
  const out = openSync('/dev/null', 'w')
  const env = { ...process.env, BENCH_REPORT: report }
  const full = memory ? ['--import', REPORT, ...args] : args
  const start = process.hrtime.bigint()
  const { status, stderr } = spawnSync(command, full, { stdio: ['ignore', out, 'pipe'], env })
  const seconds = Number(process.hrtime.bigint() - start) / 1e9
  if (!ends.includes(status)) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return {
    seconds,
    status,
    stderr: String(stderr),
    megabytes: memory ? JSON.parse(readFileSync(report, 'utf8')).maxRSS / 1024 : undefined,
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** Runs two commands in turn, A B A B…, and takes the ratio of each pair. So a machine that becomes slower does not matter. */
export function pairs(a, b, runs = 15) {
  once(...a)
  once(...b)
  const seconds = { a: [], b: [], ratio: [], difference: [] }
  for (let i = 0; i < runs; i++) {
    const one = once(...a).seconds
    const two = once(...b).seconds
    seconds.a.push(one)
    seconds.b.push(two)
    seconds.ratio.push(one / two)
    seconds.difference.push(one - two)
  }
  return Object.fromEntries(Object.entries(seconds).map(([key, values]) => [key, median(values)]))
}

export const ms = (seconds) => `${(seconds * 1000).toFixed(0)} ms`
