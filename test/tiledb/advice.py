#!/usr/bin/env python3
"""Tries with TileDB what explain advises: advice.py PATH/OF/bin/tiledb-inspect.js [--seed S] [--count N] [--minutes M]

First it writes arrays that each have one cause of slow reads, and healthy ones. explain must name the cause, and nothing for healthy arrays.
Then it writes random arrays with something to mend, and runs the lines of the advice. What the remedy promised must agree with TileDB's
own counters: tiles and cells within 5 %, bytes within 10 %. The exit code is 1 if anything differs.
"""
import argparse
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from random import Random

import environment

environment.enter()

import numpy as np  # noqa: E402
import tiledb  # noqa: E402

CONFIG = {"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1", "sm.tile_cache_size": "0"}
COUNTERS = {"tiles_read": "num_tiles_read", "cells_read": "cell_num", "unfiltered_bytes": "read_unfiltered_byte_num"}
ALLOWED = {"tiles_read": 0.05, "cells_read": 0.05, "unfiltered_bytes": 0.10}
ZSTD = tiledb.FilterList([tiledb.ZstdFilter(level=3)])
RAW = tiledb.FilterList([])


class Maker:
    """Writes arrays into a folder."""

    def __init__(self, folder, rng):
        self.folder, self.rng = folder, rng
        self.random = np.random.default_rng(rng.randrange(2**32))

    def create(self, name, dims, filters=ZSTD, sparse=True, attr="v", dtype=np.float64, **options):
        path = str(self.folder / name)
        domain = tiledb.Domain(*[tiledb.Dim(d, domain=(0, side - 1), tile=tile, dtype=np.int32) if side else tiledb.Dim(d, domain=(None, None), tile=None, dtype="ascii") for d, side, tile in dims])
        attributes = [tiledb.Attr(attr, dtype=dtype, filters=filters)]
        tiledb.Array.create(path, tiledb.ArraySchema(domain=domain, attrs=attributes, sparse=sparse, **options))
        return path

    def put(self, path, coordinates, values, at=None):
        with tiledb.open(path, "w", timestamp=at) as array:
            array[tuple(coordinates) if len(coordinates) > 1 else coordinates[0]] = values

    def fill(self, path, values, at=None):
        with tiledb.open(path, "w", timestamp=at) as array:
            array[:] = values

    def numbers(self, n):
        return np.round(20 + np.cumsum(self.random.normal(0, 0.1, n)), 1)

    def plane(self, n, side):
        """Cells of a square, each place once."""
        flat = self.random.choice(side * side, size=n, replace=False)
        return [flat // side, flat % side]


def line_of_writes(make, name, writes, cells, **options):
    path = make.create(name, [("t", 10**6, 10**5)], **options)
    for i in range(writes):
        make.put(path, [np.arange(i * cells, (i + 1) * cells)], make.numbers(cells), i + 1)
    return path


def planted(make):
    """Yields each array, and the code that explain must name; None for a healthy array."""
    yield "FRAGMENTS_MANY", line_of_writes(make, "many", 30, 20)
    path = make.create("overlap", [("x", 1000, 1000), ("y", 1000, 1000)], capacity=500)
    for i in range(6):
        make.put(path, make.plane(3000, 1000), make.numbers(3000), i + 1)
    yield "FRAGMENTS_OVERLAP", path
    yield "TILES_SMALL", line_of_writes(make, "small", 1, 20_000, capacity=5)
    path = make.create("shape", [("x", 1000, 1000), ("y", 1000, 1)], sparse=False)
    make.fill(path, make.numbers(10**6).reshape(1000, 1000))
    yield "TILE_SHAPE", path
    path = make.create("large", [("x", 1100, 1100), ("y", 1100, 1100)], sparse=False)
    make.fill(path, make.numbers(1100**2).reshape(1100, 1100))
    yield "TILES_LARGE", path
    for code, name, filters, values in (
        ("NOTHING_COMPRESSED", "raw", [], make.numbers(200_000)),
        ("STORED_LARGER", "rle", [tiledb.RleFilter()], make.random.random(200_000)),
        ("FILTER_ORDER", "order", [tiledb.ZstdFilter(level=3), tiledb.ByteShuffleFilter()], np.arange(200_000) + make.random.random(200_000) / 1024),
        ("FILTERS_SAVE_LITTLE", "idle", [tiledb.Bzip2Filter(level=1)], make.random.random(200_000)),
        ("VALUES_CONSTANT", "constant", [tiledb.ZstdFilter(level=3)], np.full(200_000, 7.0)),
        (None, "compressed", [tiledb.ByteShuffleFilter(), tiledb.ZstdFilter(level=3)], make.numbers(200_000)),
        (None, "noise", [], make.random.random(200_000)),
    ):
        path = make.create(name, [("t", 200_000, 10_000)], sparse=False, filters=tiledb.FilterList(filters))
        make.fill(path, values)
        yield code, path
    path = make.create("repeated", [("t", 10**6, 10**5)], allows_duplicates=True)
    values = make.numbers(2000)
    for at in (1, 2):
        make.put(path, [np.arange(2000)], values, at)
    yield "FRAGMENTS_REPEATED", path
    path = line_of_writes(make, "future", 2, 100)
    make.put(path, [np.arange(500, 600)], make.numbers(100), int(time.time() * 1000) + 10**10)
    yield "FRAGMENT_FUTURE", path
    path = make.create("texts", [("t", 1000, 1000), ("name", None, None)], capacity=500)
    make.put(path, [np.repeat(np.arange(40), 1000), np.tile(np.array(["n%04d" % i for i in range(1000)]), 40)], make.numbers(40_000))
    yield "BOXES_NOT_PRUNING", path
    path = line_of_writes(make, "deleted", 1, 20_000)
    with tiledb.open(path, "d", timestamp=5) as array:
        array.query(cond="t < 15000").submit()
    yield "DELETES_UNPURGED", path
    path = line_of_writes(make, "vacuum", 9, 100)
    tiledb.consolidate(path)
    yield "VACUUM_PENDING", path
    path = line_of_writes(make, "tidy", 9, 100)
    tiledb.consolidate(path)
    tiledb.vacuum(path)
    yield None, path
    yield None, line_of_writes(make, "three", 3, 5000)
    path = make.create("tiled", [("x", 1000, 100), ("y", 1000, 100)], capacity=1000)
    make.put(path, make.plane(100_000, 1000), make.numbers(100_000))
    yield None, path
    path = make.create("hilbert", [("x", 1000, None), ("y", 1000, None)], capacity=1000, cell_order="hilbert")
    make.put(path, make.plane(100_000, 1000), make.numbers(100_000))
    yield None, path


def tiny(make, name):
    """Writes many tiny fragments that overwrite each other, and some deletes. @returns the path, and an upper limit on the coordinates"""
    rng = make.rng
    duplicates = rng.random() < 0.4
    options = {"cell_order": "hilbert"} if rng.random() < 0.2 else {}
    path = make.create(name, [("t", 10**6, None if options else rng.choice([100, 10**5]))], capacity=rng.choice([10, 20, 100]), allows_duplicates=duplicates, filters=rng.choice([ZSTD, RAW]), **options)
    width, cells = rng.choice([(300, 20), (3000, 30), (3000, 200)])
    at = 0
    for _ in range(rng.randint(12, 30)):
        at += 1
        make.put(path, [np.sort(make.random.choice(width, cells, replace=False))], make.numbers(cells), at)
        if rng.random() < 0.08:
            at += 1
            with tiledb.open(path, "d", timestamp=at) as array:
                array.query(cond=rng.choice(["t < %d" % rng.randrange(width // 2), "v < 20"])).submit()
    return path, width


def sizes(path):
    """Bytes of data files and of metadata of all fragments."""
    files = [(file.name == "__fragment_metadata.tdb", file.stat().st_size) for file in Path(path).glob("__fragments/*/*.tdb")]
    data, metadata = (sum(size for is_metadata, size in files if is_metadata == kind) for kind in (False, True))
    return {"data_size": data, "fragment_metadata_size": metadata}


def size_promise(program, path):
    """The sizes that whatif promises for the consolidated array, and those of TileDB, where they differ by more than 10 %."""
    found = subprocess.run(["node", str(program), "whatif", path, "--capacity", "1000", "--json"], capture_output=True, text=True)
    if found.returncode != 0:
        raise SystemExit("whatif %s: %s" % (path, found.stderr))
    promised = {one["change"]: one for one in json.loads(found.stdout)["layouts"]}["consolidated"]
    copy = path + "_consolidated"
    shutil.copytree(path, copy)
    tiledb.consolidate(copy)
    tiledb.vacuum(copy)
    return {key: (promised[key], size) for key, size in sizes(copy).items() if abs(promised[key] - size) > 0.1 * size}


def mendable(make, number):
    """Writes a random array with something to mend. @returns its path, and the ranges of some queries"""
    rng = make.rng
    kind = rng.choice(["many", "tiny", "tiny", "overlap", "order", "capacity", "shape", "large", "dense many"])
    name = "%d_%s" % (number, kind.replace(" ", "_"))
    side = rng.choice([300, 1000])
    if kind == "many":
        path = line_of_writes(make, name, rng.randint(10, 30), rng.choice([20, 300]), capacity=rng.choice([100, 10_000]), allows_duplicates=rng.random() < 0.3)
        return path, [[("t", rng.randrange(2000), rng.randrange(2000, 9000))], []]
    if kind == "tiny":
        path, width = tiny(make, name)
        return path, [[], [("t", 0, rng.randrange(1, width))]]
    if kind in ("overlap", "order", "capacity"):
        order = rng.choice(["row-major", "col-major"])
        capacity = {"overlap": 1000, "order": 500, "capacity": rng.choice([5, 10])}[kind]
        tile = rng.choice([side, side // 2])
        path = make.create(name, [("x", side, tile), ("y", side, tile)], capacity=capacity, cell_order=order, allows_duplicates=rng.random() < 0.3)
        writes = rng.randint(6, 9) if kind == "overlap" else 1
        cells = {"overlap": 8000, "order": min(80_000, side * side // 2), "capacity": 20_000}[kind]
        for i in range(writes):
            make.put(path, make.plane(cells, side), make.numbers(cells), i + 1)
    elif kind == "dense many":
        path = make.create(name, [("t", 20_000, rng.choice([500, 1000]))], sparse=False)
        for i in range(rng.randint(12, 20)):
            with tiledb.open(path, "w", timestamp=i + 1) as array:
                array[i * 200 : (i + 2) * 200] = make.numbers(400)
        return path, [[("t", low, low + 300)] for low in (0, 700, 2000)]
    else:
        side = 1000
        extents = (side, side) if kind == "large" else rng.choice([(side, 1), (2, side // 2), (side // 2, 4)])
        path = make.create(name, [("x", side, extents[0]), ("y", side, extents[1])], sparse=False, dtype=rng.choice([np.float64, np.int64]))
        make.fill(path, make.numbers(side * side).reshape(side, side))
    sides = [max(2, int(side * share)) for share in (0.03, 0.1)]
    low = [rng.randrange(side - max(sides)) for _ in range(2)]
    return path, [[("x", low[0], low[0] + one - 1), ("y", low[1], low[1] + one - 1)] for one in sides]


def explain(program, path, *options):
    found = subprocess.run(["node", str(program), "explain", str(path), "--json", *options], capture_output=True, text=True)
    if found.returncode != 0:
        raise SystemExit("explain %s: %s" % (path, found.stderr))
    return json.loads(found.stdout)


def counted(path, ranges):
    """TileDB's counters of a query."""
    tiledb.stats_enable()
    tiledb.stats_reset()
    with tiledb.open(path, ctx=tiledb.Ctx(CONFIG)) as array:
        dims = [array.schema.domain.dim(i) for i in range(array.schema.domain.ndim)]
        wanted = {name: slice(low, high) for name, low, high in ranges}
        whole = slice(None) if array.schema.sparse else slice(*[int(end) for end in array.nonempty_domain()[0]])
        query = array.query(order="U" if array.schema.sparse else "C", return_incomplete=False)
        query.multi_index[tuple(wanted.get(dim.name, whole) for dim in dims)]
    stats = tiledb.stats_dump(json=True, print_out=False)
    tiledb.stats_disable()
    counters = (stats if isinstance(stats, dict) else json.loads(stats))["counters"]
    return {key: sum(value for name, value in counters.items() if name.startswith("Context.Query.") and name.endswith("." + counter)) for key, counter in COUNTERS.items()}


def carried_out(path, lines):
    """A copy of the array after the lines of advice."""
    copy = path + "_mended"
    for old in (copy, copy + ".new"):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(path, copy)
    exec("\n".join(line.replace(json.dumps(path), json.dumps(copy)).replace(json.dumps(path + ".new"), json.dumps(copy + ".new")) for line in lines), {"tiledb": tiledb, "np": np})
    return copy + ".new" if Path(copy + ".new").exists() else copy


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--count", type=int, default=20, help="number of promises to compare with TileDB")
    parser.add_argument("--minutes", type=float, default=2)
    args = parser.parse_args()
    print("seed %d" % args.seed, flush=True)
    folder = Path(tempfile.mkdtemp(prefix="advice-"))
    make = Maker(folder, Random(args.seed))
    named, wrong, promises, broken = 0, 0, 0, 0
    try:
        for code, path in planted(make):
            codes = [finding["code"] for finding in explain(args.program, path)["findings"]]
            right = code in codes if code else not codes
            named += right
            wrong += not right
            if not right:
                print("%s: expected %s, found %s" % (Path(path).name, code or "nothing", codes), flush=True)
            shutil.rmtree(path)
        end = time.time() + 60 * args.minutes
        number = 0
        while promises < args.count and time.time() < end:
            number += 1
            path, queries = mendable(make, number)
            mended = {}
            if "tiny" in path:
                off = size_promise(args.program, path)
                promises += 1
                broken += bool(off)
                if off:
                    print("%s: (promised by whatif, found): %s" % (Path(path).name, off), flush=True)
            for ranges in queries:
                options = [text for name, low, high in ranges for text in ("--range", "%s=%d..%d" % (name, low, high))]
                # For a sparse array, TileDB-Py asks for this order.
                order = [] if "dense" in path or "shape" in path or "large" in path else ["--order", "unordered"]
                # Without --remedies only the tiles of dense arrays are promised.
                asked = [explain(args.program, path, *exact, *options, *order)["findings"] for exact in (["--remedies"], [])]
                for finding in [*asked[0], *asked[1]]:
                    promised = (finding.get("remedies") or [None])[0]
                    if not promised:
                        continue
                    lines = tuple(finding["advice"])
                    if lines not in mended:
                        mended[lines] = carried_out(path, lines)
                        after = mended[lines] + "_%d" % len(mended)
                        shutil.move(mended[lines], after)
                        mended[lines] = after
                    found = counted(mended[lines], ranges)
                    off = {key: (promised["after"][key], found[key]) for key, share in ALLOWED.items() if abs(promised["after"][key] - found[key]) > share * max(1, found[key])}
                    promises += 1
                    broken += bool(off)
                    if off:
                        print("%s %s, %s: (promised, found): %s" % (Path(path).name, ranges, promised["change"], off), flush=True)
            for old in folder.glob("%d_*" % number):
                shutil.rmtree(old)
    finally:
        shutil.rmtree(folder)
    print("%d of %d causes and healthy arrays right; %d of %d promises kept" % (named, named + wrong, promises - broken, promises))
    raise SystemExit(bool(wrong or broken))


if __name__ == "__main__":
    main()
