import process from 'node:process'
import { main } from './cli/cli.ts'
import { localStorage } from './node/file.ts'
import { keepHeapLean } from './node/heap-flags.ts'
import { errorWidth, terminalWidth, writeError, writeOut } from './node/stdout.ts'

/** The program's entry: passes the process to {@link main} and sets its exit code. */
export async function run(): Promise<void> {
  keepHeapLean()
  const columns = terminalWidth()
  // If the event loop runs empty before the end, the program has failed.
  process.exitCode = 3
  process.exitCode = await main({
    argv: process.argv.slice(2),
    env: process.env,
    stdout: { write: writeOut, columns, color: false, isTTY: columns !== undefined },
    stderr: writeError,
    stderrColumns: errorWidth(),
    storage: localStorage,
  })
}
