#!/usr/bin/env python3
"""Tries with TileDB what whatif says: whatif.py PATH/OF/bin/tiledb-inspect.js [--seed S] [--count N] [--cells N] [--tuned N] [--codes N] [--speed]

Writes arrays with one attribute each, of every kind of data. whatif names pipelines and their sizes, and TileDB writes the same cells with each
pipeline. The sizes and their order must be the same. With --speed TileDB also reads each array. If its times clearly differ for two pipelines,
whatif must not give them the other order by more than its spread, and the pipeline that whatif calls fastest must be within 10 % of the fastest.
Well tuned arrays should stay as they are. Cells with another capacity or order must have the sizes that whatif says. The TileDB-Py code of
schemas must make the same schemas. The exit code is 1 if sizes, their order, layouts or code differ. Times and well tuned arrays are only counted.
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
# Sizes of an array count as right up to the first ratio, but each size that differs is listed, and makes the exit code 1. The sizes of two
# candidates must be in order from the second ratio on.
SIZES_AGREE, SIZES_DIFFER = 0.02, 0.01
FAULTS = []
# Smaller differences between times do not count: the ratio of TileDB's times, and the spread of whatif's, as docs/commands.md says.
TIMES_DIFFER, TIMES_SPREAD = 1.1, 0.25
PAIRS = {"told by TileDB": 0, "by whatif": 0, "wrong": 0}

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
    if name in ("BIT_WIDTH_REDUCTION", "POSITIVE_DELTA"):
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
    """Bytes of the files of the attribute, with offsets."""
    return sum(one.stat().st_size for one in Path(path).glob("__fragments/*/a0*.tdb"))


def read_times(paths, rounds=7):
    """Measures processor time, because other programs may run. Each round reads every array so often that it takes 20 ms.

    @returns for each array the least seconds of one read, and the third least, which shows the spread
    """
    arrays = [tiledb.open(path, ctx=tiledb.Ctx(ONE_THREAD)) for path in paths]
    times = [[] for _ in arrays]
    reads = 1
    for number in range(rounds):
        for array, own in zip(arrays, times):
            before = time.process_time()
            for _ in range(reads):
                array[:]
            own.append((time.process_time() - before) / reads)
        if number == 0:
            # The first round only finds out how often.
            reads = max(1, round(0.02 / min(own[0] for own in times)))
            times = [[] for _ in arrays]
    for array in arrays:
        array.close()
    return [(sorted(own)[0], sorted(own)[2]) for own in times]


def inspect(program, *args):
    run = subprocess.run(["node", str(program), *[str(one) for one in args]], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit("whatif %s: exit code %d: %s" % (" ".join(map(str, args)), run.returncode, run.stderr))
    return run.stdout


def size_of(trial):
    return trial["bytes"] + trial.get("offsets_bytes", 0)


def read_time(trial):
    return 1 / trial["read_mb_s"]


def one_array(name, path, make, program, speed):
    """@returns whether sizes agree, their order, and what read_orders says"""
    document = json.loads(inspect(program, "whatif", path, "--json", "--sample", "all", "--field", "a"))
    [field] = document["fields"]
    trials = [field["stored"], *field["candidates"]]
    sizes_agree, real = True, []
    for number, trial in enumerate(trials):
        made = make(filters_of(trial["filters"]), "made%d" % number)
        real.append({"size": stored(made), "trial": trial, "path": made})
        off = size_of(trial) / real[-1]["size"] - 1
        if abs(off) > SIZES_AGREE:
            sizes_agree = False
        if off != 0:
            FAULTS.append("%s %s: %d bytes, TileDB %d (%+.2f %%)" % (name, label(trial), size_of(trial), real[-1]["size"], 100 * off))
    pairs = [(a, b) for a in real for b in real if a["size"] * (1 + SIZES_DIFFER) < b["size"]]
    in_order = all(size_of(a["trial"]) < size_of(b["trial"]) for a, b in pairs)
    times = read_orders(name, field, real) if speed else None
    for one in real:
        shutil.rmtree(one["path"])
    return sizes_agree, in_order, times


def read_orders(name, field, real):
    """Counts the pairs of pipelines. @returns whether whatif has no pair in the wrong order, and whether what it calls fastest is"""
    for one, (least, third) in zip(real, read_times([one["path"] for one in real])):
        one.update(least=least, third=third, said=read_time(one["trial"]))
    in_order = True
    for a in real:
        for b in real:
            # Only pairs whose times clearly differ count.
            if b["least"] <= max(a["third"], a["least"] * TIMES_DIFFER):
                continue
            PAIRS["told by TileDB"] += 1
            PAIRS["by whatif"] += b["said"] > a["said"] * (1 + TIMES_SPREAD)
            if a["said"] > b["said"] * (1 + TIMES_SPREAD):
                PAIRS["wrong"] += 1
                in_order = False
                print("  %s: %s %.2f ms (%s MB/s), %s %.2f ms (%s MB/s)" % (name, label(a["trial"]), a["least"] * 1e3, a["trial"]["read_mb_s"], label(b["trial"]), b["least"] * 1e3, b["trial"]["read_mb_s"]))
    # whatif never recommends a pipeline that loses bits.
    exact = [one for one in real if one["trial"]["lossless"] and (one["trial"]["checksummed"] or not field["stored"]["checksummed"])]
    best = min(exact, key=lambda one: one["least"])
    said = real[0 if field["fastest"] is None else 1 + field["fastest"]]
    is_fastest = said["least"] <= max(best["third"], 1.1 * best["least"])
    if not is_fastest:
        print("  %s: fastest %s %.2f ms (%s MB/s), of TileDB %s %.2f to %.2f ms (%s MB/s)" % (name, label(said["trial"]), said["least"] * 1e3, said["trial"]["read_mb_s"], label(best["trial"]), best["least"] * 1e3, best["third"] * 1e3, best["trial"]["read_mb_s"]))
    return in_order, is_fastest


def label(trial):
    return "+".join(one["name"] + ("(%s)" % one["level"] if one.get("level", -1) >= 0 else "") for one in trial["filters"]) or "none"


def write_seconds(make, filters):
    """Processor seconds of the faster of two writes, and the path."""
    best = float("inf")
    for _ in range(2):
        before = time.process_time()
        path = make(filters, "timed")
        best = min(best, time.process_time() - before)
    return best, path


# Ten kinds of data: floats, sorted numbers, times, dates, few different words, names, sentences, pixels, codes, and noise.
TUNED = ("rounded", "ids", "stamps", "dates", "words", "names", "sentences", "pixels", "codes", "noise")
FAST_WRITES = 50e6


def tuned(make, program, unfiltered):
    """Finds a pipeline that no other beats, by the rules of whatif but with TileDB's sizes and times. @returns whether whatif keeps it, and what it says of it"""
    filters, known = [dict(name="ZSTD", level=3)], {}
    for _ in range(5):
        path = make(filters_of(filters), "tuned")
        [field] = json.loads(inspect(program, "whatif", path, "--json", "--sample", "all", "--field", "a"))["fields"]
        for trial in [field["stored"], *field["candidates"]]:
            if label(trial) not in known and trial["lossless"]:
                seconds, made = write_seconds(lambda new, to: make(new, to + str(len(known))), filters_of(trial["filters"]))
                known[label(trial)] = {"size": stored(made), "write": seconds, "filters": trial["filters"], "path": made}
        for one, (least, _) in zip(known.values(), read_times([one["path"] for one in known.values()], 6)):
            one["read"] = min(least, one.get("read", least))
        now = known[label(field["stored"])]
        better = [
            one for one in known.values()
            if one["size"] <= min(0.95 * now["size"], now["size"] - 4096) and one["read"] <= 1.25 * now["read"]
            and (one["write"] <= 2 * now["write"] or unfiltered / one["write"] >= FAST_WRITES)
        ]  # fmt: skip
        if not better:
            return field["balanced"] is None, field
        filters = min(better, key=lambda one: one["size"])["filters"]
    return True, field


def layouts(program, folder, random):
    """Compares the bytes of another capacity and another order with those of TileDB. @returns how many agree, and how many there are"""
    n, right, count = 20_000, 0, 0
    flat = random.choice(1000 * 1000, size=n, replace=False)
    cells = (flat // 1000, flat % 1000)
    values = np.round(random.normal(20, 5, n), 1)

    def make(name, capacity=1000, order="row-major"):
        dims = [tiledb.Dim(d, domain=(0, 999), tile=100, dtype=np.int32, filters=tiledb.FilterList([tiledb.GzipFilter()])) for d in "xy"]
        schema = tiledb.ArraySchema(domain=tiledb.Domain(*dims), attrs=[tiledb.Attr("v", dtype=np.float64, filters=tiledb.FilterList([tiledb.GzipFilter()]))], sparse=True, capacity=capacity, cell_order=order)
        path = folder + "/" + name
        shutil.rmtree(path, ignore_errors=True)
        tiledb.Array.create(path, schema)
        with tiledb.open(path, "w") as array:
            array[cells] = values
        return path

    path = make("plane")
    for options, changed in ((["--capacity", 100], {"capacity": 100}), (["--capacity", 5000], {"capacity": 5000}), (["--cell-order", "hilbert"], {"order": "hilbert"})):
        after = json.loads(inspect(program, "whatif", path, "--json", *options))["layouts"][1]
        made = make("changed", **changed)
        files = list(Path(made).glob("__fragments/*/*.tdb"))
        metadata = sum(one.stat().st_size for one in files if one.name == "__fragment_metadata.tdb")
        data = sum(one.stat().st_size for one in files) - metadata
        agree = abs(after["data_size"] / data - 1) <= SIZES_AGREE and abs(after["fragment_metadata_size"] / metadata - 1) <= SIZES_AGREE
        if not agree:
            print("  layout %s: %d and %d bytes, TileDB %d and %d" % (options, after["data_size"], after["fragment_metadata_size"], data, metadata))
        right += agree
        count += 1
    return right, count


def codes(program, folder, rng, most):
    """Runs the TileDB-Py code of fixtures. @returns how many schemas are the same, or differ only as comments of the code say, and how many there are"""
    right, count = 0, 0
    arrays = [one for one in sorted((environment.ROOT / "test" / "fixtures" / "22").iterdir()) if (one / "__schema").is_dir() and one.name not in KEYED]
    for array in rng.sample(arrays, min(most, len(arrays))):
        lines = inspect(program, "whatif", array, "--emit", "python").rstrip().split("\n")
        made = folder + "/emitted"
        shutil.rmtree(made, ignore_errors=True)
        lines[-1] = "tiledb.Array.create(%r, schema)" % made
        count += 1
        try:
            exec("\n".join(lines), {})
        except Exception as error:  # noqa: BLE001
            print("  code of %s: %s" % (array.name, error))
            continue
        same = schema_of(program, array) == schema_of(program, made)
        if same or any(line.startswith("# Not carried over") for line in lines):
            right += 1
        else:
            print("  code of %s makes another schema" % array.name)
    return right, count


KEYED = ("encrypted",)


def schema_of(program, path):
    document = json.loads(inspect(program, "schema", path, "--json", "--raw"))
    coords = document.pop("coords_filters")
    for key in ("path", "name", "format_version"):
        document.pop(key)
    for dimension in document["dimensions"]:
        dimension["filters"] = dimension["filters"] if dimension["filters"]["filters"] else coords
    document["enumerations"].sort(key=lambda one: one["name"])
    return document


STARTS = ([], [tiledb.ZstdFilter(level=-1)], [tiledb.GzipFilter(level=5), tiledb.ChecksumSHA256Filter()], [tiledb.LZ4Filter()])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--cells", type=int, default=50_000)
    parser.add_argument("--tuned", type=int, default=10)
    parser.add_argument("--codes", type=int, default=1000)
    parser.add_argument("--only")
    parser.add_argument("--speed", action="store_true")
    args = parser.parse_args()
    rng = Random(args.seed)
    counts = {"arrays": 0, "sizes": 0, "order": 0, "speed": 0, "fastest": 0}
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
            sizes, order, times = one_array(name, path, make, args.program, args.speed)
            found = {"sizes": sizes, "order": order, **(dict(zip(("speed", "fastest"), times)) if times else {})}
            counts["arrays"] += 1
            for what, is_right in found.items():
                counts[what] += is_right
            print("%s: %s" % (name, ", ".join("%s %s" % (what, "right" if is_right else "WRONG") for what, is_right in found.items())), flush=True)
        random = np.random.default_rng(args.seed)
        left = 0
        wanted = [] if args.only else TUNED[: args.tuned]
        for name, dtype, values in [one for one in kinds(random, args.cells) if one[0] in wanted]:
            make = lambda filters, to: write(folder + "/" + to, dtype, values, filters)
            leaves, field = tuned(make, args.program, sum(map(len, values)) if values.dtype.kind in "U" else values.nbytes)
            left += leaves
            best = "leave it" if field["balanced"] is None else label(field["candidates"][field["balanced"]])
            print("tuned %s: %s: %s" % (name, label(field["stored"]), best), flush=True)
        planes, of_planes = layouts(args.program, folder, random)
        emitted, of_emitted = codes(args.program, folder, rng, args.codes)
    for fault in FAULTS:
        print("size of " + fault)
    speed = ", order of reading %d, fastest %d (%s)" % (counts["speed"], counts["fastest"], ", ".join("%d pairs %s" % (count, what) for what, count in PAIRS.items())) if args.speed else ""
    print("%(arrays)d arrays: sizes right of %(sizes)d, order of sizes %(order)d" % counts + speed + "; tuned left as they are: %d of %d; layouts %d of %d; code of schemas %d of %d" % (left, len(wanted), planes, of_planes, emitted, of_emitted))
    raise SystemExit(0 if not FAULTS and counts["order"] == counts["arrays"] and (planes, emitted) == (of_planes, of_emitted) else 1)


if __name__ == "__main__":
    main()
