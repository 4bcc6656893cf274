import process from 'node:process'
import { main } from './cli/cli.ts'
import { programArguments } from './node/arguments.ts'
import { localFiles } from './node/file.ts'
import { keepHeapLean } from './node/heap-flags.ts'
import {
  beforeOutput,
  errorWidth,
  outputComes,
  terminalWidth,
  writeError,
  writeOut,
  writeTerminal,
} from './node/stdout.ts'

/** The program's entry: passes the process to {@link main} and sets its exit code. */
export async function run(): Promise<void> {
  keepHeapLean()
  const columns = terminalWidth()
  // If the event loop runs empty before the end, the program has failed.
  process.exitCode = 3
  const argv = programArguments()
  const pager = columns ? await pagerOf(argv, columns) : undefined
  const write = columns === undefined ? writeOut : writeTerminal
  const exitCode = await main({
    argv,
    env: process.env,
    stdout: {
      write: pager ? (data) => pager.write(data) : write,
      columns,
      color: false,
      isTTY: columns !== undefined,
    },
    stderr: pager ? (text) => pager.writeError(text) : writeError,
    stderrColumns: errorWidth(),
    beforeOutput,
    storage: localFiles,
  })
  await pager?.end()
  process.exitCode = exitCode
}

/** The pager for output that is longer than the terminal; undefined if the user wants none. */
async function pagerOf(argv: readonly string[], columns: number) {
  const { PagedOutput, pagerCommand } = await import('./node/pager.ts')
  const command = pagerCommand(argv, process.env)
  const { rows } = process.stdout
  return command && rows
    ? new PagedOutput({ command, rows, columns }, writeTerminal, writeError, outputComes)
    : undefined
}
