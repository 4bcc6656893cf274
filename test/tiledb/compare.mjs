/**
 * Holds what the program says of arrays against what TileDB said of them, as the golden tests do, and expects no error and no
 * warning of `check --level cells`: `node compare.mjs LIST [BIN]`.
 *
 * LIST is a file with the path of an array on each line; `<path>.expected.json` beside each says what is expected (test/fixtures/README.md).
 * With BIN (`bin/tiledb-inspect.js`) that program is started for every command; without it the sources run in this process.
 * Prints one line of JSON for each array that differs, then how many were compared; exit code 1 where any differs.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Of this process: several may run at once. */
const built = `${root}build/compare-${process.pid}`
const [list, bin] = process.argv.slice(2)

/** Stands for `main` in test/helpers/run.ts: the same, by a process of its own. */
const STARTED = '\0started-main'
globalThis.startMain = ({ argv, env, stdout, stderr }) => {
  const done = spawnSync(process.execPath, [bin, ...argv], {
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 30,
  })
  if (done.error) throw done.error
  stdout.write(done.stdout)
  stderr(done.stderr.toString())
  return done.status
}
const started = {
  name: 'started',
  resolveId: (id, from) =>
    bin && id.endsWith('src/cli/cli.ts') && from?.endsWith('helpers/run.ts') ? STARTED : undefined,
  load: (id) => (id === STARTED ? 'export const main = globalThis.startMain' : undefined),
}

const bundle = await rolldown({
  cwd: root,
  input: { compare: 'test/golden/compare.ts', health: 'test/golden/health.ts' },
  plugins: [started],
  external: (id) => id.startsWith('node:') || !/^[./\0]/.test(id),
  platform: 'node',
})
await bundle.write({
  dir: built,
  format: 'esm',
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
})
process.on('exit', () => rmSync(built, { recursive: true, force: true }))
const { compareCase } = await import(pathToFileURL(`${built}/compare.mjs`).href)
const { accusations } = await import(pathToFileURL(`${built}/health.mjs`).href)

const cases = readFileSync(list, 'utf8').split('\n').filter(Boolean)
let differing = 0
for (const path of cases) {
  const differences = [...(await compareCase(path)), ...(await accusations(path))]
  if (differences.length === 0) continue
  differing++
  console.log(JSON.stringify({ path, differences }))
}
console.log(JSON.stringify({ compared: cases.length, differing }))
process.exitCode = differing > 0 ? 1 : 0
