/**
 * Times merged reads as whole processes, in pairs with TileDB-Py on one thread: two whole arrays of ten overlapping fragments to Arrow,
 * and one point of an array of 1,000 fragments.
 *
 *   node bench/read.mjs [PYTHON]     PYTHON has tiledb, numpy, pandas and pyarrow (default: the environment of npm run test:tiledb)
 */
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ms, once, pairs, scratch, TOOL } from './measure.mjs'

const RUNS = 5

const python = process.argv[2] ?? 'build/tiledb/reader/bin/python'
if (!existsSync(python)) {
  console.error(
    `no ${python}: npm run test:tiledb makes it, or give a Python that has tiledb, numpy, pandas and pyarrow`,
  )
  process.exit(2)
}

const MAKE = `
import sys
import numpy as np, tiledb
folder = sys.argv[1]
rng = np.random.default_rng(7)
filters = tiledb.FilterList([tiledb.ZstdFilter(3)])

def make(name, size, extent, kind, attrs, sparse):
    dims = [tiledb.Dim(d, domain=(0, size - 1), tile=extent, dtype=kind, filters=filters if sparse else None) for d in "xy"]
    attrs = [tiledb.Attr(a, dtype=t, filters=filters) for a, t in attrs]
    tiledb.Array.create(folder + "/" + name, tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=sparse, capacity=10000))
    return folder + "/" + name

def sparse(name, extent, fragments, cells, attrs):
    path = make(name, 100000, extent, np.int64, attrs, True)
    for f in range(fragments):
        places = np.unique(rng.integers(0, 10**10, cells))
        values = {a: rng.integers(0, 1000, len(places)).astype(t) for a, t in attrs}
        with tiledb.open(path, "w", timestamp=f + 1) as array:
            array[places // 100000, places % 100000] = values

sparse("sparse", 1000, 10, 1000000, [("a", "f8"), ("b", "i8")])
sparse("many", 1000, 1000, 500, [("a", "f8")])
path = make("dense", 4000, 500, np.int32, [("a", "f8"), ("b", "i4")], False)
for f in range(10):
    with tiledb.open(path, "w", timestamp=f + 1) as array:
        array[f * 200:f * 200 + 2000, f * 100:f * 100 + 2000] = {
            "a": rng.random((2000, 2000)).round(3), "b": rng.integers(0, 999, (2000, 2000)).astype("i4")}
`
const READ = `
import sys
import tiledb
one = tiledb.Ctx({"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1", "py.init_buffer_bytes": str(2**28)})
with tiledb.open(sys.argv[1], ctx=one) as array:
    if len(sys.argv) > 2:
        array.multi_index[500, 777]
    else:
        array.query(return_arrow=True).df[:]
`

const [make, read] = [join(scratch, 'make.py'), join(scratch, 'read.py')]
writeFileSync(make, MAKE)
writeFileSync(read, READ)
const { status, stderr } = spawnSync(python, [make, scratch])
if (status !== 0) throw new Error(String(stderr))

const CASES = [
  ['sparse, 10 million cells in ten fragments, to Arrow', 'sparse', ['--format', 'arrow'], []],
  ['dense, 16 million cells, ten fragments, to Arrow', 'dense', ['--format', 'arrow'], []],
  ['a point of 1,000 fragments', 'many', ['--range', 'x=500', '--range', 'y=777', '--format', 'ndjson'], ['point']],
]
for (const [what, name, options, point] of CASES) {
  const array = join(scratch, name)
  const ours = [process.execPath, [...TOOL, 'read', array, ...options]]
  const { a, b, ratio } = pairs(ours, [python, [read, array, ...point]], RUNS)
  const { megabytes } = once(...ours, { memory: true })
  console.log(`${what}: ${ms(a)}, TileDB-Py ${ms(b)}, ratio ${ratio.toFixed(2)}; ${megabytes.toFixed(0)} MB`)
}
