import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The program as built starts ten times as fast as its sources. */
const PROGRAM = existsSync(`${ROOT}dist/cli`) ? [`${ROOT}bin/tiledb-inspect.js`] : fromSources()

function fromSources(): string[] {
  const run = `
    import { main } from './src/cli/cli.ts'
    import { localFiles } from './src/node/file.ts'
    process.exitCode = await main({
      argv: process.argv.slice(1), env: {}, stdout: { write() {}, isTTY: false, color: false, columns: undefined },
      stderr() {}, storage: localFiles,
    })`
  return ['--import', './test/fuzz/register.mjs', '--no-warnings', '--input-type=module', '-e', run, '--']
}

/** The program in a process of its own, which says nothing, and what its end is: exit code and signal. */
export function spawned(args: readonly string[]): { child: ChildProcess; ended: Promise<unknown[]> } {
  const child = spawn(process.execPath, [...PROGRAM, ...args], { cwd: ROOT, env: {}, stdio: 'ignore' })
  return { child, ended: new Promise((resolve) => child.on('exit', (...how) => resolve(how))) }
}
