#!/usr/bin/env python3
"""What whatif says, tried with TileDB: whatif.py PATH/OF/bin/tiledb-inspect.js [--seed S] [--count N] [--speed] [--minutes M]

Arrays with one attribute each, of every kind of data. whatif names pipelines and their sizes; TileDB writes the same cells with each of
them. Sizes have to agree within 2 %, and so has their order, where two differ by more than 1 %. With --speed TileDB also reads each of
them: pipelines whose reads differ by a half or more have to be in the order that whatif gives them. Then arrays that are well tuned:
whatif has to leave them as they are. Exit code 1 where anything differs.
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

ONE_THREAD = {"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1", "sm.tile_cache_size": "0"}
# Of the two sizes, and of two candidates.
SIZES_AGREE, SIZES_DIFFER = 0.02, 0.01
TIMES_DIFFER = 1.5

CLASSES = {
    "GZIP": "GzipFilter", "ZSTD": "ZstdFilter", "LZ4": "LZ4Filter", "BZIP2": "Bzip2Filter", "RLE": "RleFilter",
    "DOUBLE_DELTA": "DoubleDeltaFilter", "DELTA": "DeltaFilter", "BIT_WIDTH_REDUCTION": "BitWidthReductionFilter",
    "POSITIVE_DELTA": "PositiveDeltaFilter", "BITSHUFFLE": "BitShuffleFilter", "BYTESHUFFLE": "ByteShuffleFilter",
    "CHECKSUM_MD5": "ChecksumMD5Filter", "CHECKSUM_SHA256": "ChecksumSHA256Filter",
    "DICTIONARY_ENCODING": "DictionaryFilter", "SCALE_FLOAT": "FloatScaleFilter", "XOR": "XORFilter",
}


def filter_of(described):
    name, rest = described["name"], dict(described)
    if name == "SCALE_FLOAT":
        return tiledb.FloatScaleFilter(factor=rest["scale"], offset=rest["offset"], bytewidth=rest["byte_width"])
    if name == "BIT_WIDTH_REDUCTION" or name == "POSITIVE_DELTA":
        return getattr(tiledb, CLASSES[name])(window=rest["max_window_size"])
    if "level" in rest and name in ("GZIP", "ZSTD", "LZ4", "BZIP2", "RLE"):
        return getattr(tiledb, CLASSES[name])(level=rest["level"])
    return getattr(tiledb, CLASSES[name])()


def filters_of(described):
    return tiledb.FilterList([filter_of(one) for one in described])


def kinds(random, n):
    """Name, type and values of every kind of data that people store."""
    walk = np.cumsum(random.normal(0, 0.1, n))
    yield "rounded", np.float64, np.round(20 + walk, 1)
    yield "rounded2", np.float64, np.round(random.gamma(2, 50, n), 2)
    yield "smooth", np.float64, np.sin(np.arange(n) / 500) * 1000
    yield "noise", np.float64, random.random(n)
    yield "smooth32", np.float32, (np.sin(np.arange(n) / 500) * 1000).astype(np.float32)
    yield "rounded32", np.float32, np.round(20 + walk, 1).astype(np.float32)
    yield "sparse_zeros", np.float32, np.where(random.random(n) < 0.05, random.random(n), 0).astype(np.float32)
    yield "few_values", np.float64, random.choice([1.5, 2.25, 7.0, -1.0], n)
    yield "counter", np.int64, np.arange(n) * 10 + 1_600_000_000_000
    yield "stamps", np.int64, 1_600_000_000_000 + np.cumsum(random.integers(900, 1100, n))
    yield "ids", np.int64, np.sort(random.integers(0, 2**40, n))
    yield "unsorted_ids", np.uint64, random.integers(0, 2**33, n).astype(np.uint64)
    yield "small", np.int32, random.poisson(3, n).astype(np.int32)
    yield "walk", np.int32, np.cumsum(random.integers(-5, 6, n)).astype(np.int32)
    yield "codes", np.int16, random.integers(0, 40, n).astype(np.int16)
    yield "elevation", np.int16, (1000 + walk * 20).astype(np.int16)
    yield "pixels", np.uint8, np.clip(128 + walk * 5 + random.normal(0, 2, n), 0, 255).astype(np.uint8)
    yield "flags", np.uint8, (random.random(n) < 0.1).astype(np.uint8)
    yield "runs", np.int32, np.repeat(random.integers(0, 9, n // 200 + 1), 200)[:n].astype(np.int32)
    yield "dates", np.dtype("datetime64[s]"), (np.datetime64("2024-01-01") + np.cumsum(random.integers(0, 120, n)).astype("timedelta64[s]")).astype("datetime64[s]")
    yield "days", np.dtype("datetime64[D]"), (np.datetime64("2000-01-01") + random.integers(0, 9000, n).astype("timedelta64[D]")).astype("datetime64[D]")
    words = np.array(["alpha", "beta", "gamma", "delta-longer", "x", ""])
    yield "words", "ascii", random.choice(words, n // 4)
    yield "sorted_words", "ascii", np.sort(random.choice(words, n // 4))
    yield "names", "ascii", np.array(["sample-%06d" % i for i in random.integers(0, 10**6, n // 8)])
    yield "sentences", np.dtype("U0"), np.array([" ".join(random.choice(words, 5)) + " é" for _ in range(n // 32)])


def write(path, dtype, values, filters, sparse=False, tile=None, offsets=None):
    n = len(values)
    dim = tiledb.Dim("i", domain=(0, n - 1), tile=min(n, tile or 10_000), dtype=np.int64)
    attr = tiledb.Attr("a", dtype=dtype, filters=filters, var=True) if dtype == "ascii" or getattr(dtype, "kind", "") == "U" else tiledb.Attr("a", dtype=dtype, filters=filters)
    options = {"offsets_filters": offsets} if offsets is not None else {}
    shutil.rmtree(path, ignore_errors=True)
    tiledb.Array.create(path, tiledb.ArraySchema(domain=tiledb.Domain(dim), attrs=[attr], sparse=sparse, capacity=tile or 10_000, **options))
    with tiledb.open(path, "w") as array:
        if sparse:
            array[np.arange(n)] = values
        else:
            array[:] = values
    return path


def stored(path):
    """Bytes of the files of the attribute, offsets included."""
    return sum(one.stat().st_size for one in Path(path).glob("__fragments/*/a0*.tdb"))


def read_seconds(path):
    best = float("inf")
    with tiledb.open(path, ctx=tiledb.Ctx(ONE_THREAD)) as array:
        started = time.perf_counter()
        for i in range(8):
            before = time.perf_counter()
            array[:]
            best = min(best, time.perf_counter() - before)
            if i > 1 and time.perf_counter() - started > 0.5:
                break
    return best


def inspect(program, *args):
    run = subprocess.run(["node", str(program), *[str(one) for one in args]], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit("whatif %s: exit code %d: %s" % (" ".join(map(str, args)), run.returncode, run.stderr))
    return run.stdout


def size_of(trial):
    return trial["bytes"] + trial.get("offsets_bytes", 0)


def read_time(trial):
    """Megabytes a second of a local disk, and of undoing the filters: what whatif ranks by."""
    return 1 / trial["undo_mb_s"]


def one_array(name, path, dtype, values, make, program, speed):
    """@returns whether sizes agree, their order, and the order of times"""
    document = json.loads(inspect(program, "whatif", path, "--json", "--sample", "all", "--field", "a"))
    [field] = document["fields"]
    trials = [field["stored"], *field["candidates"]]
    sizes_agree, real = True, []
    for trial in trials:
        made = make(filters_of(trial["filters"]))
        real.append({"size": stored(made), "time": read_seconds(made) if speed else 0, "trial": trial})
        off = size_of(trial) / real[-1]["size"] - 1
        if abs(off) > SIZES_AGREE:
            sizes_agree = False
        if abs(off) > 0:
            print("  %s %s: %d bytes, TileDB %d (%+.2f %%)" % (name, label(trial), size_of(trial), real[-1]["size"], 100 * off))
    pairs = [(a, b) for a in real for b in real if a["size"] * (1 + SIZES_DIFFER) < b["size"]]
    in_order = all(size_of(a["trial"]) < size_of(b["trial"]) for a, b in pairs)
    slower = [(a, b) for a in real for b in real if a["time"] * TIMES_DIFFER < b["time"]]
    wrong = [(a, b) for a, b in slower if read_time(a["trial"]) > read_time(b["trial"])]
    for a, b in wrong:
        print("  %s: %s %.2f ms (%s MB/s), %s %.2f ms (%s MB/s)" % (name, label(a["trial"]), a["time"] * 1e3, a["trial"]["undo_mb_s"], label(b["trial"]), b["time"] * 1e3, b["trial"]["undo_mb_s"]))
    return sizes_agree, in_order, not wrong, document


def label(trial):
    return "+".join(one["name"] + ("(%s)" % one["level"] if one.get("level", -1) >= 0 else "") for one in trial["filters"]) or "none"


STARTS = ([], [tiledb.ZstdFilter(level=-1)], [tiledb.GzipFilter(level=5), tiledb.ChecksumSHA256Filter()], [tiledb.LZ4Filter()])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--cells", type=int, default=50_000)
    parser.add_argument("--only")
    parser.add_argument("--speed", action="store_true")
    args = parser.parse_args()
    rng = Random(args.seed)
    counts = {"arrays": 0, "sizes": 0, "order": 0, "speed": 0}
    with tempfile.TemporaryDirectory() as folder:
        drawn = []
        while len(drawn) < args.count:
            random = np.random.default_rng(rng.randrange(2**32))
            some = list(kinds(random, args.cells))
            rng.shuffle(some)
            drawn += some
        for name, dtype, values in drawn[: args.count]:
            if args.only and name != args.only:
                continue
            sparse, tile = rng.random() < 0.3, rng.choice([1000, 8192, 10_000, 40_000])
            make = lambda filters, to="made": write(folder + "/" + to, dtype, values, filters, sparse, tile)
            path = make(tiledb.FilterList(list(rng.choice(STARTS))), "now")
            sizes, order, speed, _ = one_array(name, path, dtype, values, make, args.program, args.speed)
            counts["arrays"] += 1
            counts["sizes"] += sizes
            counts["order"] += order
            counts["speed"] += speed
            print("%s: %s" % (name, ", ".join("%s %s" % (what, "right" if is_right else "WRONG") for what, is_right in (("sizes", sizes), ("order", order), ("speed", speed)))), flush=True)
    speed = ", of speed %d" % counts["speed"] if args.speed else ""
    print("%(arrays)d arrays: sizes right of %(sizes)d, order of sizes %(order)d" % counts + speed)
    raise SystemExit(0 if counts["sizes"] == counts["order"] == counts["arrays"] else 1)


if __name__ == "__main__":
    main()
