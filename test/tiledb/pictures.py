#!/usr/bin/env python3
"""Compares the pictures of the page with numpy on what TileDB reads: pictures.py [--seed S] [--count N]

Writes dense and sparse arrays: rasters with latitudes, rows or nothing in their names, volumes, channels of colours, with cells that were never
written, NaN, null and fragments that overlap. What the page shows first must have the same numbers at the same places, seen from the top left
corner, and the colours of its scale. The exit code is 1 if anything differs.
"""
import argparse
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import environment

environment.enter()

import numpy as np  # noqa: E402
import tiledb  # noqa: E402

# matplotlib's viridis at ten places.
VIRIDIS = "440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725".split()

# Names of the two dimensions of the picture in the order of the schema; which goes across; whether the last coordinate is at the top; and whether
# a step along both is equally long.
PLACES = [
    (("lat", "lon"), 1, True, True),
    (("lon", "lat"), 0, True, True),
    (("y", "x"), 1, True, True),
    (("x", "y"), 0, True, True),
    (("row", "col"), 1, False, True),
    (("a", "b"), 1, False, False),
    (("time", "depth"), 0, False, False),
]


def colour(part):
    at = min(1, max(0, part)) * (len(VIRIDIS) - 1)
    i = min(len(VIRIDIS) - 2, math.floor(at))
    ends = [[int(stop[2 * k : 2 * k + 2], 16) for k in range(3)] for stop in VIRIDIS[i : i + 2]]
    return [a + (b - a) * (at - i) for a, b in zip(*ends)]


def domain(rng, names, sizes):
    dims = []
    dtype = rng.choice(["int32", "int64", "int16"])
    for name, size in zip(names, sizes):
        low = rng.choice([0, 1, 7, 100])
        dims.append(tiledb.Dim(name, domain=(low, low + size + rng.randrange(5)), tile=rng.randrange(1, size + 1), dtype=dtype))
    return tiledb.Domain(*dims)


def values(rng, shape, dtype):
    random = np.random.default_rng(rng.randrange(2**32))
    if np.issubdtype(dtype, np.floating):
        return np.where(random.random(shape) < 0.05, np.nan, random.normal(0, 50, shape)).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(max(info.min, -(2**40)), min(info.max, 2**40), shape).astype(dtype)


def dense(rng, path, names, sizes, dtype):
    attr = tiledb.Attr("v", dtype=dtype, nullable=rng.random() < 0.3, filters=[tiledb.ZstdFilter()])
    order = {"cell_order": rng.choice(["row-major", "col-major"]), "tile_order": rng.choice(["row-major", "col-major"])}
    schema = tiledb.ArraySchema(domain(rng, names, sizes), [attr], **order)
    tiledb.Array.create(path, schema)
    for _ in range(rng.randrange(1, 4)):
        # TileDB-Py writes boxes from a start to an end.
        box = []
        for d, size in enumerate(sizes):
            low = int(schema.domain.dim(d).domain[0])
            start = rng.randrange(size // 2)
            box.append(slice(low + start, low + rng.randrange(start + 2, size + 1)))
        shape = [one.stop - one.start for one in box]
        data = values(rng, shape, np.dtype(dtype))
        with tiledb.open(path, "w") as array:
            if attr.isnullable:
                mask = np.random.default_rng(rng.randrange(2**32)).random(shape) < 0.8
                array[tuple(box)] = np.ma.array(data, mask=~mask)
            else:
                array[tuple(box)] = data
    return attr


def fill_of(dtype):
    """TileDB's default fill value of a type. TileDB-Py does not tell that of attributes with nulls."""
    if np.issubdtype(dtype, np.floating):
        return np.nan
    return np.iinfo(dtype).min if np.issubdtype(dtype, np.signedinteger) else np.iinfo(dtype).max


def read_dense(path, attr, others):
    """The cells of the written box, as numbers, `fill` or `null`; of other dimensions the one in the middle."""
    with tiledb.open(path) as array:
        box = array.nonempty_domain()
        at = []
        for d, (low, high) in enumerate(box):
            low, high = int(low), int(high)
            middle = low + (high - low + 1) // 2
            at.append(slice(middle, middle + 1) if d in others else slice(low, high + 1))
        found = array[tuple(at)]
    data = found["v"] if isinstance(found, dict) else found
    fill = fill_of(np.dtype(attr.dtype))
    out = np.empty(data.shape, dtype=object)
    mask = np.ma.getmaskarray(data) if attr.isnullable else np.zeros(data.shape, bool)
    for i in np.ndindex(*data.shape):
        value = data.data[i] if attr.isnullable else data[i]
        if mask[i]:
            out[i] = "null"
        elif value == fill or (value != value and fill != fill):
            out[i] = "fill"
        else:
            out[i] = "null" if value != value else float(value)
    return out


def turned(grid, across, last_on_top):
    """Two dimensions as they are seen: rows from the top."""
    seen = grid if across == 1 else grid.T
    return seen[::-1] if last_on_top else seen


def differences(found, want, ends):
    if [found["rows"], found["columns"]] != list(want.shape):
        return ["%d rows and %d columns, expected %s" % (found["rows"], found["columns"], want.shape)]
    wrong = []
    low, high = ends
    if not np.allclose(found["ends"], ends, rtol=1e-12):
        wrong.append("ends %s, expected %s" % (found["ends"], ends))
    for i, (got, expected) in enumerate(zip(found["seen"], want.reshape(-1))):
        value, pixel = got[:-1], got[-1]
        expected = expected if isinstance(expected, tuple) else (expected,)
        for one, right in zip(value, expected):
            same = one == right or (not isinstance(one, str) and not isinstance(right, str) and math.isclose(one, right, rel_tol=1e-12))
            if not same:
                wrong.append("pixel %d: %s, expected %s" % (i, value, expected))
        if len(expected) == 1 and not isinstance(expected[0], str):
            part = (expected[0] / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0
            parts = [pixel >> 16, (pixel >> 8) & 255, pixel & 255]
            # The scale has 4,096 steps, and colours are rounded.
            if any(abs(a - b) > 1.5 for a, b in zip(parts, colour(part))):
                wrong.append("pixel %d of %s has the colour %s, expected %s" % (i, expected[0], parts, colour(part)))
    return wrong


def ends_of(grid):
    numbers = [one for cell in grid.reshape(-1) for one in (cell if isinstance(cell, tuple) else (cell,)) if not isinstance(one, str)]
    return [min(numbers), max(numbers)] if numbers else [0, 0]


def drawn(rng, folder, count):
    """Draws arrays. Yields the path of each, what it is, and what is seen of it."""
    for n in range(count):
        path = str(folder / ("array%d" % n))
        names, across, last_on_top, _ = place = PLACES[n % len(PLACES)]
        dtype = rng.choice(["int32", "float32", "float64", "uint8", "int64", "uint16"])
        kind = ["plain", "volume", "sparse", "colours", "large"][n % 5 if n < 10 else 0]
        if kind == "volume":
            # Other dimensions of a volume are chosen by their lengths.
            names, across, last_on_top, _ = place = PLACES[n % 5]
            names = names[:1] + ("z",) + names[1:]
            attr = dense(rng, path, names, [rng.randrange(8, 30), rng.randrange(4, 9), rng.randrange(8, 30)], dtype)
            grid = read_dense(path, attr, {1})[:, 0, :]
        elif kind == "sparse":
            grid = sparse(rng, path, names, dtype)
        elif kind == "colours":
            names, across, last_on_top, place = ("y", "x", "channel"), 1, False, (("y", "x"), 1, False, True)
            sizes = [rng.randrange(5, 20), rng.randrange(5, 20)]
            dims = [tiledb.Dim(name, domain=(0, size - 1), tile=size, dtype="uint32") for name, size in zip(names, sizes + [3])]
            tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(*dims), [tiledb.Attr("v", dtype="uint8")]))
            data = np.random.default_rng(rng.randrange(2**32)).integers(0, 255, sizes + [3]).astype("uint8")
            with tiledb.open(path, "w") as array:
                array[:] = data
            grid = np.empty(sizes, dtype=object)
            for i in np.ndindex(*sizes):
                grid[i] = tuple(float(one) for one in data[i])
        elif kind == "large":
            size = 2100
            dims = [tiledb.Dim(name, domain=(0, size - 1), tile=700, dtype="int32") for name in names]
            tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(*dims), [tiledb.Attr("v", dtype="int32")]))
            data = np.random.default_rng(rng.randrange(2**32)).integers(-1000, 1000, (size, size)).astype("int32")
            with tiledb.open(path, "w") as array:
                array[:] = data
            # At most 1,024 pixels along an axis: each is three cells.
            grid = data.reshape(size // 3, 3, size // 3, 3).mean(axis=(1, 3)).astype(object)
        else:
            attr = dense(rng, path, names, [rng.randrange(8, 40), rng.randrange(8, 40)], dtype)
            grid = read_dense(path, attr, set())
        yield path, "%s of %s %s" % (kind, dtype, names), turned(grid, across, last_on_top), place


def sparse(rng, path, names, dtype):
    schema = tiledb.ArraySchema(domain(rng, names, [20, 20]), [tiledb.Attr("v", dtype=dtype)], sparse=True, allows_duplicates=True)
    tiledb.Array.create(path, schema)
    lows = [int(schema.domain.dim(d).domain[0]) for d in range(2)]
    for _ in range(2):
        count = rng.randrange(20, 60)
        random = np.random.default_rng(rng.randrange(2**32))
        places = [low + random.integers(0, 20, count) for low in lows]
        with tiledb.open(path, "w") as array:
            array[places[0], places[1]] = values(rng, count, np.dtype(dtype))
    with tiledb.open(path) as array:
        found = array[:]
        box = [(int(low), int(high)) for low, high in array.nonempty_domain()]
    cells = {}
    for a, b, value in zip(found[names[0]], found[names[1]], found["v"]):
        cells.setdefault((int(a) - box[0][0], int(b) - box[1][0]), []).append(float(value))
    grid = np.full([high - low + 1 for low, high in box], "none", dtype=object)
    for at, inside in cells.items():
        numbers = [one for one in inside if one == one]
        grid[at] = sum(numbers) / len(numbers) if numbers else "null"
    return grid


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int)
    ap.add_argument("--count", type=int, default=14)
    args = ap.parse_args()
    seed = args.seed if args.seed is not None else int(time.time())
    folder = Path(tempfile.mkdtemp(prefix="pictures"))
    cases = list(drawn(Random(seed), folder, args.count))
    command = ["node", "--import", "./test/fuzz/register.mjs", "test/tiledb/pictures.mjs", *[path for path, *_ in cases]]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=environment.ROOT, check=True)
    failed = 0
    for (path, what, want, (_, _, _, is_true)), line in zip(cases, [one for one in done.stdout.splitlines() if one.startswith("{")]):
        found = json.loads(line)
        wrong = differences(found, want, ends_of(want))
        if found["isTrue"] != is_true:
            wrong.append("steps of one length: %s" % found["isTrue"])
        if wrong:
            failed += 1
            print("%s (%s, %s): %d differences, %s" % (path, what, found["names"], len(wrong), "; ".join(wrong[:3])))
    if failed == 0:
        shutil.rmtree(folder)
    print("seed %d: %d pictures, %d differ from numpy" % (seed, len(cases), failed))
    return int(failed > 0 or len(cases) != args.count)


if __name__ == "__main__":
    sys.exit(main())
