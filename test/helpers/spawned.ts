import { type ChildProcess, spawn } from 'node:child_process'

const LOADER = ['--import', './test/fuzz/register.mjs', '--no-warnings']
const RUN = `
  import { main } from './src/cli/cli.ts'
  import { localStorage } from './src/node/file.ts'
  process.exitCode = await main({
    argv: process.argv.slice(1), env: {}, stdout: { write() {}, isTTY: false, color: false, columns: undefined },
    stderr() {}, storage: localStorage,
  })`

/** The program in a process of its own, which says nothing, and what its end is: exit code and signal. */
export function spawned(args: readonly string[]): { child: ChildProcess; ended: Promise<unknown[]> } {
  const child = spawn(process.execPath, [...LOADER, '--input-type=module', '-e', RUN, '--', ...args], {
    stdio: 'ignore',
  })
  return { child, ended: new Promise((resolve) => child.on('exit', (...how) => resolve(how))) }
}
