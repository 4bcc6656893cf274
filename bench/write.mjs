/**
 * Times writing 10 million int32 cells with zstd, in pairs with TileDB-Py, which writes the same array, values and level.
 *
 *   node bench/write.mjs [PYTHON]     PYTHON has tiledb and numpy (default: the environment of npm run test:tiledb)
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ms, once, pairs, TOOL } from './measure.mjs'

const CELLS = 10_000_000
const EXTENT = 100_000
const LEVEL = 3
const RUNS = 5

const python = process.argv[2] ?? 'build/tiledb/reader/bin/python'
if (!existsSync(python)) {
  console.error(`no ${python}: npm run test:tiledb makes it, or give a Python that has tiledb and numpy`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'tiledb-inspect-bench-write-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const [sample, values, theirs, script, report] = ['sample', 'values.npy', 'theirs', 'write.py', 'rss'].map((name) =>
  join(folder, name),
)

const options = [
  ...['--dense', '--cells', CELLS, '--fragments', 1, '--dim', `x:INT32:1..${CELLS}:${EXTENT}`],
  ...['--attr', 'a:INT32', '--filters', `zstd:level=${LEVEL}`, '--quiet'],
].map(String)

writeFileSync(
  script,
  `
import resource, sys
import numpy as np, tiledb
values = np.load(sys.argv[1])
dim = tiledb.Dim("x", domain=(1, ${CELLS}), tile=${EXTENT}, dtype="int32")
attr = tiledb.Attr("a", dtype="int32", filters=[tiledb.ZstdFilter(${LEVEL})])
tiledb.Array.create(sys.argv[2], tiledb.ArraySchema(tiledb.Domain(dim), [attr]))
with tiledb.open(sys.argv[2], "w") as array:
    array[:] = values
open(sys.argv[3], "w").write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
`,
)

/** Removes the output of the previous run, then runs. */
const fresh = (path, command, ...args) => ['sh', ['-c', 'rm -rf "$0" && exec "$@"', path, command, ...args]]
const ours = fresh(sample, process.execPath, ...TOOL, 'write-sample', sample, ...options)

once(...ours)
const read = `
import sys
import numpy as np, tiledb
with tiledb.open(sys.argv[1]) as array:
    cells = array[:]
    np.save(sys.argv[2], cells["a"] if isinstance(cells, dict) else cells)
`
const { status, stderr } = spawnSync(python, ['-c', read, sample, values])
if (status !== 0) throw new Error(String(stderr))

const { a, b, ratio } = pairs(ours, fresh(theirs, python, script, values, theirs, report), RUNS)
rmSync(sample, { recursive: true })
const { megabytes } = once(process.execPath, [...TOOL, 'write-sample', sample, ...options], { memory: true })
const theirMegabytes = Number(readFileSync(report, 'utf8')) / 1024
console.log(
  `${CELLS / 1e6} million int32 cells, zstd level ${LEVEL}: write-sample ${ms(a)} and ${megabytes.toFixed(0)} MB at its highest,` +
    ` TileDB-Py ${ms(b)} and ${theirMegabytes.toFixed(0)} MB (values loaded from a file): ratio ${ratio.toFixed(2)}`,
)
