import process from 'node:process'
import { main } from './cli.ts'

/** The program's entry: lends the process to {@link main} and takes its exit code. */
export async function run(): Promise<void> {
  const { stdout, stderr } = process
  // A reader that closes the pipe early (`| head`) ends the program quietly.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0)
    throw error
  })
  process.exitCode = await main({
    argv: process.argv.slice(2),
    env: process.env,
    stdout: {
      write: (text) => (stdout.write(text) ? undefined : new Promise((resolve) => stdout.once('drain', resolve))),
      columns: stdout.isTTY ? stdout.columns : undefined,
      color: false,
      isTTY: stdout.isTTY ?? false,
    },
    stderr: (text) => void stderr.write(text),
    stderrIsTTY: stderr.isTTY ?? false,
  })
}
