#!/usr/bin/env python3
"""Compares what explain says with TileDB's own counters: explain.py [--seed S] [--count N]

Writes random arrays: sparse and dense, with fragments that overlap, with and without duplicates, in Hilbert order, with dates and strings as
dimensions, nulls, var-sized values, deletes and consolidations. Draws eight queries for each, and counts what TileDB reads for them.
explain.mjs plans the same queries. The exit code is 1 if a number differs.
"""
import argparse
import json
import multiprocessing
import shutil
import subprocess
import time
from random import Random

import environment

environment.enter()

import numpy as np  # noqa: E402
import tiledb  # noqa: E402

# No cache. Buffers hold every result.
CONFIG = {"sm.io_concurrency_level": "1", "sm.tile_cache_size": "0"}
COUNTERS = {"tiles_read": "num_tiles_read", "cells_read": "cell_num", "unfiltered_bytes": "read_unfiltered_byte_num", "cells_found": "result_num"}
TYPES = ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]
DATES = ["datetime64[D]", "datetime64[ms]"]
WORDS = ["", "a", "ab", "b", "ba", "mm", "z", "zz"]
SIDE = 60  # positions of a dimension that cells are drawn from


class Dimension:
    def __init__(self, rng, name, dense):
        self.name, self.rng = name, rng
        self.type = rng.choice(TYPES + ([] if dense else [*DATES, "float32", "float64", "ascii"]))
        self.low = 0 if dense or self.type[0] == "u" else rng.choice([-20, 0, 5])

    def dim(self):
        if self.type == "ascii":
            return tiledb.Dim(self.name, domain=(None, None), tile=None, dtype="ascii")
        high = self.low + SIDE - 1
        return tiledb.Dim(self.name, domain=(self.value(self.low), self.value(high)), tile=self.rng.choice([3, 7, 10, 20]), dtype=self.type)

    def value(self, number):
        if self.type == "ascii":
            return WORDS[int(number) % len(WORDS)]
        return np.datetime64(int(number), self.type[11:-1]) if self.type in DATES else np.dtype(self.type).type(number)

    def drawn(self, n):
        numbers = [self.low + self.rng.randrange(SIDE) for _ in range(n)]
        if self.type.startswith("float"):
            numbers = [number + self.rng.choice([0, 0.25, 0.5]) if number < self.low + SIDE - 1 else number for number in numbers]
        cells = [self.value(number) for number in numbers]
        return np.array(cells, dtype="O" if self.type == "ascii" else self.type)

    def range(self):
        """Draws the two ends of a range, for TileDB and for the program."""
        # TileDB-Py drops a range of texts that is the whole non-empty domain.
        drawn = (lambda: self.rng.choice(WORDS[1:-1])) if self.type == "ascii" else (lambda: self.value(self.low + self.rng.randrange(SIDE)))
        ends = sorted(drawn() for _ in range(2))
        if self.rng.random() < 0.3:
            ends[1] = ends[0]
        if self.type == "ascii":
            return ends, [json.dumps(end) for end in ends]
        return ends, [str(int(end.view("int64")) if self.type in DATES else end) for end in ends]


class Attribute:
    def __init__(self, rng, name, nullable):
        self.name, self.rng, self.nullable = name, rng, nullable
        self.type = rng.choice(["int8", "int32", "float64", "ascii"])

    def attr(self):
        return tiledb.Attr(self.name, dtype=self.type, var=self.type == "ascii" or None, nullable=self.nullable, filters=filters(self.rng))

    def cells(self, n):
        if self.type == "ascii":
            cells = [self.rng.choice(WORDS[1:]) * self.rng.randint(1, 4) for _ in range(n)]
            return np.array(cells, dtype="O")
        return np.array([self.rng.randrange(100) for _ in range(n)], dtype=self.type)

    def nulls(self, n):
        return np.array([self.rng.random() < 0.7 for _ in range(n)], dtype=np.uint8)


def filters(rng):
    some = [tiledb.ZstdFilter(level=1), tiledb.GzipFilter(level=1), tiledb.ChecksumSHA256Filter(), tiledb.LZ4Filter()]
    return tiledb.FilterList(rng.sample(some, rng.choice([0, 1, 1, 2])))


class Drawn:
    """A random array."""

    def __init__(self, rng, uri):
        self.rng, self.uri = rng, uri
        self.dense = rng.random() < 0.35
        self.dims = [Dimension(rng, "d%d" % i, self.dense) for i in range(rng.choice([1, 2, 2, 3] if not self.dense else [1, 2, 2]))]
        if self.dense:  # all dimensions have the same type
            for d in self.dims:
                d.type = self.dims[0].type
        self.attrs = [Attribute(rng, "a%d" % i, not self.dense and rng.random() < 0.3) for i in range(rng.randint(1, 3))]
        self.duplicates = not self.dense and rng.random() < 0.5
        self.times = []
        shutil.rmtree(uri, ignore_errors=True)
        orders = {"cell_order": rng.choice(["row-major", "col-major"] + ([] if self.dense else ["hilbert"])), "tile_order": rng.choice(["row-major", "col-major"])}
        sparse = {} if self.dense else {"sparse": True, "allows_duplicates": self.duplicates, "capacity": rng.choice([2, 5, 16, 100])}
        if orders["cell_order"] == "hilbert":
            del orders["tile_order"]
        schema = tiledb.ArraySchema(tiledb.Domain(*(d.dim() for d in self.dims)), [a.attr() for a in self.attrs], coords_filters=filters(rng), offsets_filters=filters(rng), **orders, **sparse)
        tiledb.Array.create(uri, schema)

    def write(self):
        for _ in range(self.rng.randint(1, 5)):
            self.times.append((self.times or [0])[-1] + self.rng.choice([1, 10]))
            (self.write_dense if self.dense else self.write_sparse)(self.times[-1])
        if self.rng.random() < 0.2 and not self.dense:
            self.times.append(self.times[-1] + 1)
            with tiledb.open(self.uri, "d", timestamp=self.times[-1]) as array:
                number = next((a for a in self.attrs if a.type in ("int8", "int32", "float64")), None)
                if number:
                    array.query(cond="%s > %d" % (number.name, self.rng.randrange(100))).submit()
        if self.rng.random() < 0.3:
            tiledb.consolidate(self.uri)
            if self.rng.random() < 0.5:
                tiledb.vacuum(self.uri)

    def values(self, n):
        values = {a.name: a.cells(n) for a in self.attrs}
        return values, {a.name: a.nulls(n) for a in self.attrs if a.nullable}

    def write_sparse(self, time):
        n = self.rng.choice([1, 10, 60, 200])
        columns = [d.drawn(n) for d in self.dims]
        if not self.duplicates:
            _, first = np.unique(np.array([str(cell) for cell in zip(*columns)]), return_index=True)
            columns = [column[np.sort(first)] for column in columns]
            n = len(first)
        values, nulls = self.values(n)
        with tiledb.open(self.uri, "w", timestamp=time) as array:
            tiledb.sparse_array._setitem_impl_sparse(array, tuple(columns), values, nulls)

    def write_dense(self, time):
        # TileDB-Py refuses a shape with a side of one cell.
        box = [sorted(self.rng.sample(range(SIDE), 2)) for _ in self.dims]
        shape = [high - low + 1 for low, high in box]
        values, _ = self.values(int(np.prod(shape)))
        with tiledb.open(self.uri, "w", timestamp=time) as array:
            array[tuple(slice(d.low + low, d.low + high + 1) for d, (low, high) in zip(self.dims, box))] = {
                name: cells.reshape(shape) for name, cells in values.items()
            }

    def query(self):
        """Draws a query, for TileDB and for the program."""
        rng = self.rng
        order = rng.choice(["C", "F"] if self.dense else ["U", "U", "G", "C", "F"])
        ranges, spelled = [], []
        for d in self.dims:
            # TileDB 2.30 forgets some ranges of texts if one lies inside another.
            drawn = [d.range() for _ in range(rng.choice([0, 1, 1, 1, 1 if d.type == "ascii" else 2]) or int(self.dense))]
            ranges.append([tuple(ends) for ends, _ in drawn])
            spelled += ["%s=%s..%s" % (d.name, *words) for _, words in drawn]
        # For ordered reads TileDB-Py asks for estimated sizes. That loads the var sizes of all fields.
        every = order in "CF"
        fields = [a.name for a in (self.attrs if every else rng.sample(self.attrs, rng.randint(1, len(self.attrs))))]
        time = rng.choice([None, None, *self.times])
        return order, ranges, fields, time, spelled, rng.choice([1, 1, 2, 5, 16])


def counted(uri, order, ranges, fields, dims, time, threads):
    """TileDB's counters of one query, opening included; None if TileDB refuses it."""
    tiledb.stats_enable()
    tiledb.stats_reset()
    config = {**CONFIG, "sm.compute_concurrency_level": str(threads)}
    try:
        with tiledb.open(uri, ctx=tiledb.Ctx(config), timestamp=time) as array:
            query = array.query(attrs=fields, dims=dims, order=order, return_incomplete=False)
            query.multi_index[tuple([slice(*ends) for ends in own] if own else slice(None) for own in ranges)]
        counters = json.loads(tiledb.stats_dump(json=True, print_out=False))["counters"]
    except tiledb.TileDBError:
        return None
    finally:
        tiledb.stats_disable()
    total = {ours: sum(v for k, v in counters.items() if k.startswith("Context.Query.") and k.endswith("." + name)) for ours, name in COUNTERS.items()}
    return total | {"vfs_bytes": counters.get("Context.VFS.read_byte_num", 0), "reads": counters.get("Context.VFS.read_ops_num", 0)}


ORDERS = {"U": "unordered", "G": "global", "C": "row-major", "F": "col-major"}


def ask(seed, uri, made):
    drawn = Drawn(Random(seed), uri)
    drawn.write()
    queries = []
    for _ in range(8):
        order, ranges, fields, at, spelled, threads = drawn.query()
        want = counted(uri, order, ranges, fields, [d.name for d in drawn.dims], at, threads)
        queries.append({"order": ORDERS[order], "ranges": spelled, "fields": fields, "time": at, "threads": threads, "want": want})
    made.write_text(json.dumps({"uri": uri, "queries": queries}))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    ap.add_argument("--count", type=int, default=24, help="number of arrays")
    args = ap.parse_args()
    print("seed %d" % args.seed, flush=True)
    folder = environment.WORK / "explain"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    asks = []
    for i in range(args.count):
        # TileDB-Py may crash. The array is then left out.
        made = folder / ("%d.json" % i)
        process = multiprocessing.get_context("fork").Process(target=ask, args=("%d/%d" % (args.seed, i), str(folder / str(i)), made))
        process.start()
        process.join()
        if process.exitcode == 0:
            asks.append(json.loads(made.read_text()))
        else:
            print("array %d: TileDB-Py ended with %d" % (i, process.exitcode), flush=True)
    if 2 * len(asks) < args.count:
        raise SystemExit("TileDB-Py crashed for most arrays")
    (folder / "asks.json").write_text(json.dumps(asks))
    here = environment.ROOT / "test"
    command = ["node", "--import", here / "fuzz" / "register.mjs", here / "tiledb" / "explain.mjs", folder / "asks.json"]
    raise SystemExit(subprocess.run([str(part) for part in command], cwd=environment.ROOT).returncode)


if __name__ == "__main__":
    main()
