"""
Reads arrays of many shapes to Arrow, in turn with TileDB-Py on one thread, and prints a table of processor time and peak memory.

    npm run bench -- --zoo PYTHON [--seed N] [--runs N] [--scale N] [--grow]

PYTHON has tiledb, numpy and pandas. A seed draws what a shape leaves open: types, filters, orders, and the ranges that are read. `--scale`
multiplies the cells. `--grow` also reads each shape with eight times the cells, and prints how many times the processor time that takes.
"""

import argparse
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

NUMBERS = ["i1", "u2", "i4", "u4", "i8", "f4", "f8"]
GROWS = 8


def pipelines(tiledb):
    return {
        "none": [],
        "zstd": [tiledb.ZstdFilter(level=3)],
        "shuffled zstd": [tiledb.ByteShuffleFilter(), tiledb.ZstdFilter(level=3)],
        "lz4": [tiledb.LZ4Filter()],
        "bits and lz4": [tiledb.BitShuffleFilter(), tiledb.LZ4Filter()],
        "gzip": [tiledb.GzipFilter(level=6)],
        "delta and zstd": [tiledb.DoubleDeltaFilter(), tiledb.ZstdFilter(level=3)],
    }


class Maker:
    """Writes one array. All that is random comes from the seed of the shape."""

    def __init__(self, folder, name, seed, scale):
        import numpy
        import pandas
        import tiledb

        self.np, self.pandas, self.tiledb, self.scale = numpy, pandas, tiledb, scale
        self.draw = random.Random("%s %s" % (name, seed))
        self.rng = numpy.random.default_rng(self.draw.randrange(2**32))
        self.path = os.path.join(folder, "%s-%d" % (name, scale))
        self.pipeline = self.draw.choice(sorted(pipelines(tiledb)))

    def filters(self, whole_numbers=True):
        name = self.pipeline if whole_numbers or "delta" not in self.pipeline else "zstd"
        return self.tiledb.FilterList(pipelines(self.tiledb)[name])

    def values(self, kind, count):
        """Values that look like measured ones: they rise and fall slowly, and end in noise."""
        np, rng = self.np, self.rng
        if kind == "text":
            words = np.array(["", "a", "grey", "granite", "river bed", "b" * 40, "é"] + ["n%d" % i for i in range(90)], dtype=object)
            return words[rng.integers(0, len(words), count)]
        if kind == "date":
            return (1_600_000_000_000 + np.cumsum(rng.integers(0, 5000, count))).astype("datetime64[ms]")
        wave = np.sin(np.arange(count) / 700) * 50 + 60 + rng.random(count) * 4
        return wave.astype(kind)

    def attribute(self, name, kind, nullable=False):
        dtype = {"text": "U0", "date": "datetime64[ms]"}.get(kind, kind)
        filters = self.filters(kind not in ("text", "f4", "f8"))
        return self.tiledb.Attr(name, dtype=dtype, var=True if kind == "text" else None, nullable=nullable, filters=filters)

    def dense(self, shape, tile, kinds, parts=1, overlap=0.0, cell_order="row-major", tile_order="row-major"):
        tiledb = self.tiledb
        shape = [shape[0] * self.scale] + list(shape[1:])
        tile = [min(extent, size) for extent, size in zip(tile, shape)]
        dims = [tiledb.Dim("d%d" % i, domain=(0, size - 1), tile=t, dtype="i4") for i, (size, t) in enumerate(zip(shape, tile))]
        attrs = [self.attribute("a%d" % i, kind) for i, kind in enumerate(kinds)]
        tiledb.Array.create(self.path, tiledb.ArraySchema(tiledb.Domain(*dims), attrs, cell_order=cell_order, tile_order=tile_order))
        for part in range(parts):
            low, high = shape[0] * part // parts, shape[0] * (part + 1) // parts
            low = max(0, low - int((high - low) * overlap))
            box = [high - low] + shape[1:]
            count = int(self.np.prod(box))
            data = {"a%d" % i: self.values(kind, count).reshape(box) for i, kind in enumerate(kinds)}
            with tiledb.open(self.path, "w", timestamp=part + 1) as array:
                array[(slice(low, high),) + tuple(slice(0, size) for size in shape[1:])] = data if len(kinds) > 1 else data["a0"]
        return shape

    def sparse(self, count, dims, kinds, parts=1, nullable=(), duplicates=True, capacity=10000):
        np, rng, tiledb = self.np, self.rng, self.tiledb
        count *= self.scale
        made, draw = [], []
        for i, kind in enumerate(dims):
            name = "d%d" % i
            if kind == "text":
                made.append(tiledb.Dim(name, domain=(None, None), tile=None, dtype="ascii", filters=self.filters(False)))
                draw.append(lambda n: np.array(["key-%06d" % v for v in rng.integers(0, 10**5, n)], dtype="S"))
            elif kind == "f8":
                made.append(tiledb.Dim(name, domain=(-180.0, 180.0), tile=5.0, dtype="f8", filters=self.filters(False)))
                draw.append(lambda n: rng.random(n) * 360 - 180)
            else:
                made.append(tiledb.Dim(name, domain=(0, 10**8), tile=10**6, dtype="i8", filters=self.filters()))
                draw.append(lambda n: rng.integers(0, 10**8, n))
        attrs = [self.attribute("a%d" % i, kind, i in nullable) for i, kind in enumerate(kinds)]
        schema = tiledb.ArraySchema(tiledb.Domain(*made), attrs, sparse=True, capacity=capacity, allows_duplicates=duplicates)
        tiledb.Array.create(self.path, schema)
        for part in range(parts):
            n = count // parts
            coords = [one(n) for one in draw]
            if not duplicates:
                first = np.unique(np.rec.fromarrays(coords), return_index=True)[1]
                coords = [one[first] for one in coords]
                n = len(first)
            data = {}
            for i, kind in enumerate(kinds):
                data["a%d" % i] = self.values(kind, n)
                if i in nullable:
                    missing = rng.random(n) < 0.2
                    kind = self.pandas.arrays.FloatingArray if kind[0] == "f" else self.pandas.arrays.IntegerArray
                    data["a%d" % i] = kind(data["a%d" % i], missing)
            with tiledb.open(self.path, "w", timestamp=part + 1) as array:
                array[tuple(coords)] = data


# Each shape writes an array, and returns what is read of it: fields, ranges by dimension (both ends included), and the order.
def narrow_tiles(m):
    m.dense([2000, 1500], [m.draw.choice([500, 1000]), 4], ["i4", "f8"], parts=12, overlap=0.3)
    return dict(ranges=[None, None])


def slabs(m):
    m.dense([3000, 2000], [100, 100], [m.draw.choice(NUMBERS)], cell_order=m.draw.choice(["row-major", "col-major"]))
    return dict(ranges=[None, [700, 899]])


def picture(m):
    m.dense([3, 1400, 1400], [1, 256, 256], ["u1"], tile_order=m.draw.choice(["row-major", "col-major"]))
    return dict(ranges=[None, None, None])


def columns_first(m):
    m.dense([1200, 2500], [50, 200], ["i4", "f4"], parts=3, cell_order="col-major", tile_order="col-major")
    return dict(ranges=[None, None])


def box_of_volume(m):
    m.dense([150, 200, 200], [16, 16, 16], ["f8"], parts=2)
    return dict(ranges=[[20, 119], [30, 149], [10, 189]])


def long_series(m):
    m.dense([6_000_000], [10_000], ["f8"], parts=m.draw.choice([1, 12]))
    return dict(ranges=[None])


def many_attributes(m):
    m.dense([400, 500], [100, 100], [m.draw.choice(NUMBERS) for _ in range(50)])
    return dict(ranges=[None, None])


def one_of_many(m):
    m.dense([1000, 500], [50, 500], [m.draw.choice(NUMBERS) for _ in range(30)], parts=4)
    return dict(ranges=[None, None], fields=["a7"])


def wide_table(m):
    kinds = [m.draw.choice(NUMBERS + ["text", "date"]) for _ in range(40)]
    m.sparse(60_000, ["i8"], kinds, parts=4)
    return dict(ranges=[None])


def texts_and_dates(m):
    m.sparse(500_000, ["i8"], ["text", "date", "text"], parts=m.draw.choice([1, 5]))
    return dict(ranges=[None])


def with_nulls(m):
    m.sparse(800_000, ["i8"], ["i4", "f8", "i8"], nullable=(0, 1, 2))
    return dict(ranges=[None])


def text_ranges(m):
    m.sparse(600_000, ["text", "i8"], ["f8"], parts=3)
    return dict(ranges=[["key-02", "key-06"], None])


def points(m):
    m.sparse(1_500_000, ["f8", "f8"], ["f4", "i2" if m.draw.random() < 0.5 else "u1"], parts=m.draw.choice([1, 8]), capacity=m.draw.choice([2000, 50_000]))
    return dict(ranges=[None, None])


def merged_points(m):
    m.sparse(600_000, ["i8", "i8"], ["f8"], parts=10, duplicates=False)
    return dict(ranges=[None, None], order="row-major")


SHAPES = [
    narrow_tiles, slabs, picture, columns_first, box_of_volume, long_series, many_attributes, one_of_many, wide_table, texts_and_dates,
    with_nulls, text_ranges, points, merged_points,
]

READ = """
import json, sys, tiledb
path, asked = sys.argv[1], json.loads(sys.argv[2])
one = tiledb.Ctx({"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"})
with tiledb.open(path, ctx=one) as array:
    options = {"attrs": asked["fields"]} if asked.get("fields") else {}
    if array.schema.sparse:
        options["order"] = {"row-major": "C"}.get(asked.get("order"), "U")
    ranges = tuple(slice(None) if r is None else slice(r[0], r[1]) for r in asked["ranges"])
    array.query(**options).multi_index[ranges] if array.schema.sparse else array.query(**options)[
        tuple(slice(None) if r is None else slice(r[0], r[1] + 1) for r in asked["ranges"])]
"""


def run(argv):
    """Runs a command. @returns its processor time in seconds, and its peak memory in MB"""
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        raise SystemExit("%s: %s" % (shlex.join(argv)[:300], errors[-300:]))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def ours(cli, path, asked):
    argv = cli + ["read", path, "--format", "arrow"]
    for field in asked.get("fields", []):
        argv += ["--field", field]
    for i, one in enumerate(asked["ranges"]):
        if one is not None:
            argv += ["--range", "d%d=%s..%s" % (i, one[0], one[1])]
    return argv + (["--order", asked["order"]] if asked.get("order") else [])


def made(folder, shape, seed, scale):
    """Makes the array of a shape in a process of its own, so that its memory is given back. @returns its path, its filters and the read"""
    argv = [sys.executable, __file__, "--make", json.dumps([folder, shape.__name__, seed, scale])]
    return json.loads(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", default="node bin/tiledb-inspect.js")
    parser.add_argument("--seed", default=str(int(time.time()) % 1000))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--grow", action="store_true")
    parser.add_argument("--make", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        folder, name, seed, scale = json.loads(options.make)
        maker = Maker(folder, name, seed, scale)
        asked = globals()[name](maker)
        print(json.dumps([maker.path, maker.pipeline, asked]))
        return
    cli = shlex.split(options.cli)
    print("Seed %s: processor time of whole processes; MB at their highest\n" % options.seed)
    print("| shape | filters | ours | TileDB-Py | ratio | MB, ours | MB, TileDB-Py |%s" % (" 8 times the cells |" if options.grow else ""))
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |%s" % (" ---: |" if options.grow else ""))
    ratios = []
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            path, filters, asked = made(folder, shape, options.seed, options.scale)
            a, b = ours(cli, path, asked), [sys.executable, "-c", READ, path, json.dumps(asked)]
            run(a), run(b)
            pairs = [(run(a), run(b)) for _ in range(options.runs)]
            ratio = statistics.median(x[0] / y[0] for x, y in pairs)
            ratios.append(ratio)
            mine, other = (statistics.median(pair[side][0] for pair in pairs) for side in (0, 1))
            highest = [max(pair[side][1] for pair in pairs) for side in (0, 1)]
            line = "| %s | %s | %.2f s | %.2f s | %.2f | %.0f | %.0f |" % (shape.__name__.replace("_", " "), filters, mine, other, ratio, *highest)
            if options.grow:
                larger = ours(cli, *made(folder, shape, options.seed, options.scale * GROWS)[::2])
                line += " %.1f times |" % (statistics.median(run(larger)[0] for _ in range(options.runs)) / mine)
            print(line, flush=True)
    print("\n%d reads: median %.2f, worst %.2f, above 1: %d" % (len(ratios), statistics.median(ratios), max(ratios), sum(r > 1 for r in ratios)))


main()
