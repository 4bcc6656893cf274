#!/usr/bin/env python3
"""Compares what stats --read counts with numpy on what TileDB reads: read_stats.py PATH/OF/bin/tiledb-inspect.js [--seed S] [--count N]

Writes random arrays: sparse with and without duplicates, or dense and partly written, with several fragments that overlap, some consolidated,
with delete conditions, nulls, enumerations and text. Queries each as a whole, in a range, and at an earlier time. The exit code is 1 if anything differs.
"""
import argparse
import base64
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from random import Random

import environment

environment.enter()

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import numpy as np  # noqa: E402
import pyarrow  # noqa: E402
import read_stats as model  # noqa: E402
import tiledb  # noqa: E402

LABELS = ["oak", "ash", "elm", "yew", "fir"]


def attributes(rng, sparse):
    out = [tiledb.Attr("a", dtype=rng.choice(["int8", "uint16", "int32", "int64", "uint64"]))]
    out.append(tiledb.Attr("f", dtype=rng.choice(["float32", "float64"])))
    if sparse:
        out.append(tiledb.Attr("n", dtype="int32", nullable=True))
        out.append(tiledb.Attr("s", dtype="ascii", var=True))
        out.append(tiledb.Attr("e", dtype="int8", enum_label="trees"))
    return out


def cells(rng, attrs, n):
    random = np.random.default_rng(rng.randrange(2**32))
    data = {}
    for attr in attrs:
        if attr.name == "a":
            info = np.iinfo(attr.dtype)
            data["a"] = random.integers(max(info.min, -(2**40)), min(info.max, 2**40), n, endpoint=True).astype(attr.dtype)
        elif attr.name == "f":
            data["f"] = np.where(random.random(n) < 0.1, np.nan, random.normal(0, 100, n)).astype(attr.dtype)
        elif attr.name == "n":
            values = random.integers(-100, 100, n)
            data["n"] = pyarrow.array([None if random.random() < 0.3 else int(v) for v in values], pyarrow.int32())
        elif attr.name == "s":
            data["s"] = np.array(["".join(rng.choice("abc") for _ in range(rng.randrange(1, 5))) for _ in range(n)], dtype=object)
        else:
            data["e"] = random.integers(0, 3, n).astype("int8")
    return data


def make(rng, uri):
    sparse, ndim = rng.random() < 0.7, rng.choice([1, 2])
    side = 30 if ndim == 1 else 8
    dims = [tiledb.Dim("xy"[d], domain=(0, side - 1), tile=4 if ndim == 2 else 7, dtype="int32") for d in range(ndim)]
    attrs = attributes(rng, sparse)
    options = {"allows_duplicates": rng.random() < 0.5, "capacity": rng.choice([3, 10]), "cell_order": rng.choice(["row-major", "hilbert"])} if sparse else {}
    options["enums"] = [tiledb.Enumeration("trees", False, LABELS)] if sparse else None
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(*dims), attrs=attrs, sparse=sparse, **options))
    for at in range(10, 10 + 10 * rng.randrange(1, 5), 10):
        if sparse:
            n = rng.randrange(1, 25)
            places = [rng.randrange(side**ndim) for _ in range(n)]
            if not options["allows_duplicates"]:
                places = sorted(set(places))
            n = len(places)
            coords = [[p // side**d % side for p in places] for d in range(ndim)]
            with tiledb.open(uri, "w", timestamp=at) as array:
                array[tuple(coords) if ndim > 1 else coords[0]] = cells(rng, attrs, n)
            if rng.random() < 0.4:
                with tiledb.open(uri, "d", timestamp=at + 5) as array:
                    array.query(cond=rng.choice(["a < 0", "n > 20", "s == 'ab' or a > 100", "x < 2", "e == 'oak'"])).submit()
        else:
            box = []
            for _ in range(ndim):
                low = rng.randrange(side)
                box.append((low, rng.randrange(low, side)))
            shape = [high - low + 1 for low, high in box]
            data = {name: values.reshape(shape) for name, values in cells(rng, attrs, int(np.prod(shape))).items()}
            with tiledb.open(uri, "w", timestamp=at) as array:
                array[tuple(slice(low, high + 1) for low, high in box)] = data
    if rng.random() < 0.3:
        tiledb.consolidate(uri)


def counted_labels(uri, query):
    """Number of cells by the value of the enumeration, which TileDB-Py returns instead of the index."""
    with tiledb.open(uri, timestamp=(query["from"], query["to"])) as array:
        subarray = tuple(slice(*r) if r else slice(None) for r in query["ranges"] or [None] * array.schema.domain.ndim)
        values = array.query(attrs=["e"]).multi_index[subarray]["e"]
    return dict(collections.Counter(str(one) for one in values))


def removed(uri, query):
    """By the time of each delete: how many fewer cells a read returns at that time than just before."""
    def cells(to):
        with tiledb.open(uri, timestamp=(query["from"], to)) as array:
            subarray = tuple(slice(*r) if r else slice(None) for r in query["ranges"] or [None] * array.schema.domain.ndim)
            return len(array.query(attrs=["a"]).multi_index[subarray]["a"])

    names = [path.stem for path in pathlib.Path(uri, "__commits").glob("*.del")]
    times = [int(name.split("_")[2]) for name in names]
    return {at: cells(at - 1) - cells(at) for at in times if query["from"] <= at <= query["to"]}


def still_held(program, uri):
    """Runs the advice that purges deleted cells. @returns what is wrong then; None if there is no such advice"""
    whole = {"from": 0, "to": 2**62, "ranges": None}
    lines = ours(program, uri, {**whole, "to": int(time.time() * 1000)}, [])["advice"]
    if not lines:
        return None
    with tiledb.open(uri) as array:
        before = len(array[:]["a"])
    new, isnew = uri + ".new", any(".new" in line for line in lines)
    shutil.rmtree(new, ignore_errors=True)
    exec("\n".join(lines), {"tiledb": tiledb, "np": np})
    mended = new if isnew else uri
    with tiledb.open(mended) as array:
        after = len(array[:]["a"])
    left = [cells for cells in removed(mended, whole).values() if cells]
    return "%d cells before, %d after; deletes still take %s" % (before, after, left) if before != after or left else ""


def ours(program, uri, query, names):
    command = ["node", str(program), "stats", "--read", "--json", "--raw", uri, "--between", "%d..%d" % (query["from"], query["to"])]
    for name, pair in zip(names, query["ranges"] or []):
        command += ["--range", "%s=%d..%d" % (name, *pair)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": done.stderr}
    return json.loads(done.stdout)


def text_of(value):
    if isinstance(value, str):
        return value.encode().hex()
    if isinstance(value, dict):
        return base64.b64decode(value["base64"]).hex()
    return str(value)


def faults(found, wanted, labels):
    if "error" in found:
        yield found["error"]
        return
    pairs = {"cells": found["cell_num"], "hidden": found["overwritten_cell_num"]}
    if "wanted" in wanted:
        pairs["wanted"] = found["dense_cells"]["wanted_cell_num"]
        if found["dense_cells"]["unwritten_cell_num"] != wanted["wanted"] - wanted["cells"]:
            yield "unwritten"
    if "coordinates" in wanted:
        pairs.update(coordinates=found["duplicates"]["coordinate_num"], repeated=found["duplicates"]["cell_num"])
    if wanted.get("deletes"):
        pairs["deletes"] = {one["file"].split("/")[1][: -len(".del")]: one["cell_num"] for one in found["deletes"]}
    for one in found["deletes"]:
        if "removed" in wanted and wanted["removed"].get(one["time"]) != one["removed_cell_num"]:
            yield "removed at %s: expected %s, found %s" % (one["time"], wanted["removed"].get(one["time"]), one["removed_cell_num"])
    for key, own in pairs.items():
        if key in wanted and wanted[key] != own:
            yield "%s: expected %s, found %s" % (key, wanted[key], own)
    fields = {field["name"]: field for field in found["fields"]}
    for name, want in wanted["fields"].items():
        field = fields[name]
        if field["null_count"] != want["nulls"] or field.get("nan_cell_num", 0) != want.get("nans", 0):
            yield name + ": nulls or NaN"
        for key in ("min", "max"):
            if key not in want:
                continue
            own = field[key]
            same = np.float32(own) == np.float32(float(want[key])) if "nans" in want else text_of(own) == want[key]
            if not same:
                yield "%s: %s: expected %s, found %s" % (name, key, want[key], own)
        if "sum" in want and field["sum"] is not None:
            own = field["sum"]
            if abs(own - float(want["sum"])) > 1e-6 * max(1, abs(own)) if "nans" in want else str(own) != want["sum"]:
                yield "%s: sum: expected %s, found %s" % (name, want["sum"], own)
    if labels is not None:
        used = {bytes.fromhex(text_of(one["value"])).decode(): one["cell_num"] for one in fields["e"]["enumeration_use"]["used"]}
        if used != labels:
            yield "labels: expected %s, found %s" % (labels, used)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program", type=pathlib.Path)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    ap.add_argument("--count", type=int, default=30)
    args = ap.parse_args()
    print("seed %d" % args.seed, flush=True)
    asked = wrong = purged = 0
    with tempfile.TemporaryDirectory() as folder:
        for n in range(args.count):
            rng = Random(args.seed * 1000 + n)
            uri = str(pathlib.Path(folder) / "array")
            shutil.rmtree(uri, ignore_errors=True)
            make(rng, uri)
            for query in model.queries(uri):
                with tempfile.TemporaryDirectory() as scratch:
                    wanted = model.answer(uri, query, scratch)
                with tiledb.open(uri) as array:
                    names = [array.schema.domain.dim(d).name for d in range(array.schema.domain.ndim)]
                    labels = counted_labels(uri, query) if array.schema.sparse else None
                if labels is not None:
                    wanted["removed"] = removed(uri, query)
                found = list(faults(ours(args.program, uri, query, names), wanted, labels))
                asked += 1
                wrong += bool(found)
                for fault in found:
                    print("array %d, %s: %s" % (n, query, fault), flush=True)
            if list(pathlib.Path(uri, "__commits").glob("*.del")):
                fault = still_held(args.program, uri)
                purged += fault is not None
                wrong += bool(fault)
                if fault:
                    print("array %d: %s" % (n, fault), flush=True)
    print("%d queries and %d purges, %d differ" % (asked, purged, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
