import { concat } from '../../src/base/bytes.ts'
import { main } from '../../src/cli/cli.ts'
import { localFiles } from '../../src/node/file.ts'
import type { Storage } from '../../src/storage/source.ts'
import { type Json, parseJsonDocuments } from './json.ts'

/** What one run of the command line left behind. */
export interface Ran {
  code: number
  /** Exactly the bytes written to stdout. */
  stdout: Uint8Array
  /** The same as text. */
  text: string
  stderr: string
}

export interface RunOptions {
  env?: Readonly<Record<string, string | undefined>>
  /** Width of the terminal that stdout pretends to be; a pipe without it. */
  columns?: number
  /** Where paths lead; the local file system without it. */
  storage?: Storage
}

/** Runs the program in this process, as `tiledb-inspect …args`. Without options, stdout is a pipe and no variable is set. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const parts: Uint8Array[] = []
  let stderr = ''
  const code = await main({
    argv: args,
    env: options.env ?? {},
    stdout: {
      write: (chunk) => {
        parts.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk.slice())
      },
      columns: options.columns,
      color: false,
      isTTY: options.columns !== undefined,
    },
    stderr: (text) => {
      stderr += text
    },
    stderrColumns: options.columns,
    storage: options.storage ?? localFiles,
  })
  const stdout = concat(parts)
  return { code, stdout, text: new TextDecoder().decode(stdout), stderr }
}

/** {@link run} with `--json`: the documents on stdout, numbers exact. */
export async function runJson(args: readonly string[], options: RunOptions = {}): Promise<Ran & { documents: Json[] }> {
  const ran = await run([...args, '--json'], options)
  return { ...ran, documents: parseJsonDocuments(ran.text) }
}
