#!/usr/bin/env python3
"""Histories that write-sample makes, beside those of TileDB: history.py CLI [--formats 5,16,22] [--count N] [--seed S] [--keep DIR]

Draws lists of steps: writes, deletes, consolidations, vacuums, evolutions, key-value metadata, in sparse arrays with a current domain, too. write-sample runs each list, and so does the TileDB release that
writes its format version, through its C API. Then that release reads both arrays, as of now and as of every step, and their metadata:
all must be the same. Wheels of the releases come from PyPI and stay in build/.
"""
import argparse
import ctypes as C
import json
import pathlib
import shutil
import string
import struct
import subprocess
import sys
import tempfile
import time
from multiprocessing import TimeoutError, get_context
from random import Random

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures")]
import environment  # noqa: E402
import make  # noqa: E402
from libtiledb import READ, Attr, Dim, Library  # noqa: E402
from old_release import read  # noqa: E402

KEY = "0123456789abcdeF0123456789abcdeF"
FILTERS = {"a": ["bit_width_reduction", "zstd"], "s": ["gzip"], "f": ["byteshuffle", "lz4"]}
CONSOLIDATION = {"sm__consolidation__amplification": 1000, "sm__mem__total_budget": 100 << 20, "sm__consolidation__total_buffer_size": 10 << 20}


def drawn_schema(version, draw):
    sparse = draw.random() < 0.75
    kinds = [("INT32", 0, 99, 10), ("INT64", -50, 49, 25), ("UINT8", 0, 60, 7), ("INT16", -20, 30, 12)]
    if not sparse:
        kinds = [("INT32", 0, 11, 4), ("INT32", 0, 8, 3), ("INT64", -4, 5, 5)]
    first = draw.choice(kinds)
    # Domains of several types exist since format 5.
    dims = [first] + [draw.choice(kinds) if version >= 5 and sparse else first for _ in range(draw.randrange(2))]
    cell_orders = ["row-major", "col-major"] + (["hilbert"] if sparse and version >= 7 else [])
    cell_order = draw.choice(cell_orders)
    current = {}
    if sparse and version >= 22 and draw.random() < 0.5:
        current = {"current_domain": {"xyz"[i]: [lo, hi - draw.randrange(5)] for i, (_, lo, hi, _) in enumerate(dims)}}
    return {
        **current,
        "format_version": version,
        "array_type": "sparse" if sparse else "dense",
        "cell_order": cell_order,
        "tile_order": "row-major" if cell_order == "hilbert" else draw.choice(["row-major", "col-major"]),
        "capacity": draw.choice([2, 3, 7, 100]),
        "allows_duplicates": bool(sparse and version >= 5 and draw.random() < 0.3),
        "dimensions": [
            {"name": "xyz"[i], "type": t, "cell_val_num": 1, "domain": [lo, hi], "tile_extent": None if cell_order == "hilbert" else e} for i, (t, lo, hi, e) in enumerate(dims)
        ],
        "attributes": [attribute("a", "INT32"), attribute("s", "STRING_ASCII", var=True)] + ([attribute("f", "FLOAT64", nullable=True)] if version >= 7 else []),
    }


def attribute(name, datatype, var=False, nullable=False):
    names = [{"name": f.upper()} for f in FILTERS.get(name, [])]
    return {"name": name, "type": datatype, "cell_val_num": "var" if var else 1, "nullable": nullable, "filters": {"filters": names}}


def drawn_value(a, draw):
    if a["nullable"] and draw.random() < 0.2:
        return None
    if a["cell_val_num"] == "var":
        return "".join(draw.choice(string.ascii_lowercase) for _ in range(draw.randrange(1, 6)))
    return draw.randrange(-4000, 4000) / 8 if a["type"].startswith("FLOAT") else draw.randrange(-50, 50)


def drawn_cells(schema, draw):
    """Cells in row-major order; those of a dense array fill a box. @returns the cells, and the box"""
    dims, attributes = schema["dimensions"], schema["attributes"]
    if schema["array_type"] == "dense":
        box = [sorted(draw.choices(range(d["domain"][0], d["domain"][1] + 1), k=2)) for d in dims]
        places = [[]]
        for lo, hi in box:
            places = [p + [v] for p in places for v in range(lo, hi + 1)]
    else:
        box = None
        ends = [schema.get("current_domain", {}).get(d["name"], d["domain"]) for d in dims]
        places = [[draw.randint(max(lo, hi - 15), hi) for lo, hi in ends] for _ in range(draw.randint(1, 25))]
        if not schema["allows_duplicates"]:
            places = [list(p) for p in sorted({tuple(p) for p in places})]
    names = [d["name"] for d in dims]
    return [dict(zip(names, p), **{a["name"]: drawn_value(a, draw) for a in attributes}) for p in places], box


def drawn_condition(schema, draw):
    """A condition as text, and as the C API takes it."""
    one = lambda: draw.choice([("a", "INT32", draw.choice(["<", ">", "<=", ">=", "==", "!="]), draw.randrange(-50, 50)),
                               ("s", "STRING_ASCII", draw.choice(["<", ">="]), draw.choice("dkrx"))])
    text = lambda c: "%s %s %s" % (c[0], c[2], json.dumps(c[3]))
    first = one()
    if draw.random() < 0.5:
        return text(first), first
    op, second = draw.choice(["and", "or"]), one()
    return "%s %s %s" % (text(first), op, text(second)), (op, first, second)


def drawn_steps(version, draw):
    """Steps as write-sample takes them, and what only the C API needs beside them."""
    schema = drawn_schema(version, draw)
    now = 100
    steps, beside = [{"step": "create", "schema": json.loads(json.dumps(schema)), "time": now}], [None]

    def add(step, more=None, timed=True):
        nonlocal now
        if timed:
            now += draw.randint(1, 5)
            step["time"] = now
        steps.append(step)
        beside.append(more)

    def write():
        cells, box = drawn_cells(schema, draw)
        add({"step": "write", "cells": cells}, box)

    def consolidate():
        mode = draw.choice(["fragments"] * 3 + ["fragment_meta"] * (version >= 5) + ["commits"] * (version >= 12) + ["array_meta"] * (version >= 5))
        add({"step": "consolidate", "mode": mode}, timed=False)
        if version >= 5 and draw.random() < 0.6:
            add({"step": "vacuum", "mode": mode}, timed=False)

    write()
    added = 0
    for _ in range(draw.randint(2, 7)):
        kind = draw.random()
        if kind < 0.45:
            write()
        elif kind < 0.6 and version >= 16 and schema["array_type"] == "sparse":
            where, tree = drawn_condition(schema, draw)
            add({"step": "delete", "where": where}, tree)
        elif kind < 0.7 and version >= (12 if schema["array_type"] == "sparse" else 18):  # older releases wait for ever when they read such dense arrays
            if added and draw.random() < 0.4:
                gone = "b%d" % added
                schema["attributes"] = [a for a in schema["attributes"] if a["name"] != gone]
                added = 0
                add({"step": "evolve", "drop_attributes": [gone]})
            elif not added:
                added = draw.randint(1, 9)
                fresh = attribute("b%d" % added, "INT64")
                schema["attributes"].append(fresh)
                add({"step": "evolve", "add_attributes": [fresh]}, fresh)
        elif kind < 0.78 and version >= 5:
            put = {"k%d" % draw.randrange(3): draw.randrange(1000), "t": draw.choice(["text", "other"])}
            add({"step": "metadata", "put": put, "delete": draw.choice([[], ["k1"] if "k1" not in put else []])})
        elif version >= 5 or schema["array_type"] == "sparse":  # before, empty text between dense fragments is not initialised
            consolidate()
    return steps, beside


def dims_of(schema):
    return [Dim(d["name"], d["type"], d["domain"], d["tile_extent"]) for d in schema["dimensions"]]


def attr_of(a):
    filters = [f["name"].lower() for f in a["filters"]["filters"]]
    return Attr(a["name"], a["type"], a["cell_val_num"], filters, a["nullable"])


def by_tiledb(lib, path, steps, beside, key):
    """Does the steps by the release's C API."""
    schema = json.loads(json.dumps(steps[0]["schema"]))
    sparse = schema["array_type"] == "sparse"
    lib.create(path, dims_of(schema), [attr_of(a) for a in schema["attributes"]], sparse=sparse, cell_order=schema["cell_order"], tile_order=schema["tile_order"],
               capacity=schema["capacity"], dups=schema["allows_duplicates"], current_domain=list(schema.get("current_domain", {}).values()), key=key)
    for file in pathlib.Path(path, "__schema").glob("__*_*_*"):  # created now, whatever the time of the step
        file.rename(file.with_name("__%d_%d_%s" % (steps[0]["time"], steps[0]["time"], file.name.split("_")[-1])))
    secret = {"sm__encryption_type": "AES_256_GCM", "sm__encryption_key": key} if key and lib.version >= (2, 4, 0) else {}
    for step, more in zip(steps[1:], beside[1:]):
        kind, mode, at = step["step"], step.get("mode"), step.get("time")
        if kind == "write":
            names = ([d["name"] for d in schema["dimensions"]] if sparse else []) + [a["name"] for a in schema["attributes"]]
            columns = {n: [cell[n] for cell in step["cells"]] for n in names}
            lib.write(path, dims_of(schema), [attr_of(a) for a in schema["attributes"]], columns, subarray=more, timestamp=at, key=key)
        elif kind == "delete":
            lib.delete(path, more, at)
        elif kind == "consolidate":
            lib.consolidate(path, key, sm__consolidation__mode=mode, **CONSOLIDATION, **secret)
        elif kind == "vacuum":
            lib.vacuum(path, sm__vacuum__mode=mode, **secret)
        elif kind == "evolve":
            gone = step.get("drop_attributes", [])
            schema["attributes"] = [a for a in schema["attributes"] if a["name"] not in gone] + ([more] if more else [])
            lib.evolve(path, [attr_of(more)] if more else [], gone, at)
        elif kind == "metadata":
            lib.put_metadata(path, {k: ("INT64" if isinstance(v, int) else "STRING_UTF8", v) for k, v in step["put"].items()}, at, drop=step["delete"])


def ours(cli, path, steps, key):
    """Does the steps by write-sample, and checks the array. @returns what is wrong, or None"""
    (path.parent / (path.name + ".json")).write_text(json.dumps({"steps": steps}))
    secret = ["--key", key] if key else []
    for call in (["write-sample", path, "--steps", str(path) + ".json"], ["check", path, "--level", "cells", "--fail-on", "warning"]):
        ran = subprocess.run(["node", cli, *call, "--quiet", *secret], capture_output=True, text=True)
        if ran.returncode:
            return ran.stderr + ran.stdout
    return None


def metadata(lib, path):
    array = lib.open(path, READ)
    count, found = C.c_uint64(), {}
    lib("array_get_metadata_num", array, C.byref(count))
    for i in range(count.value):
        key, length, kind, number, value = C.c_char_p(), C.c_uint32(), C.c_int(), C.c_uint32(), C.c_void_p()
        lib("array_get_metadata_from_index", array, C.c_uint64(i), C.byref(key), C.byref(length), C.byref(kind), C.byref(number), C.byref(value))
        found[C.string_at(key, length.value)] = (kind.value, number.value, C.string_at(value, number.value * (8 if kind.value == 1 else 1)) if value else b"")
    lib("array_close", array)
    return found


def view(lib, path, steps, at, key):
    """What the release reads at a time: rows in an order of their own, or its error."""
    schema = json.loads(json.dumps(steps[0]["schema"]))
    for step in steps:
        if step["step"] == "evolve" and (at is None or step["time"] <= at):
            schema["attributes"] = [a for a in schema["attributes"] if a["name"] not in step.get("drop_attributes", [])] + step.get("add_attributes", [])
    try:
        rows, _ = read(lib, path, schema, [d["domain"] for d in schema["dimensions"]], key, at)
    except RuntimeError as e:
        return str(e).replace(path, "ARRAY")
    return sorted(rows, key=lambda row: [b"" if v is None else b"." + v for v in row]) if schema["array_type"] == "sparse" else rows


def of_format(version, cases, folder):
    """[(name, what is wrong or None)] of the cases of one format version, in a process of its own."""
    release, python, _ = make.RELEASES[version]
    settings = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY}
    path = str(make.library(release, python, environment.WORK))
    plain, keyed = Library(path), Library(path, settings) if Library(path).version >= (2, 4, 0) else Library(path)
    out = []
    for name, steps, beside, key in cases:
        lib = keyed if key else plain
        ours, theirs = str(folder / name), str(folder / (name + ".tiledb"))
        try:
            by_tiledb(lib, theirs, steps, beside, key)
        except RuntimeError as e:
            out.append((name, "TileDB refuses: %s" % e, True))
            continue
        wrong = None
        # Releases before 2.0 write at the present time only.
        times = sorted({step["time"] for step in steps if "time" in step}) if lib.version >= (2, 0, 0) else []
        for at in [*times, None]:
            mine, other = view(lib, ours, steps, at, key), view(lib, theirs, steps, at, key)
            if isinstance(other, str) and not isinstance(mine, str) or nonsense(other):
                continue  # releases that cannot read their own array
            if mine != other and wrong is None:
                wrong = "as of %s: %s, by TileDB %s" % (at, short(mine, other), short(other, mine))
        if wrong is None and version >= 5 and not key and metadata(lib, ours) != metadata(lib, theirs):
            wrong = "metadata: %s, by TileDB %s" % (metadata(lib, ours), metadata(lib, theirs))
        out.append((name, wrong, False))
    return out


def nonsense(rows):
    """Some releases read text of dense arrays from memory that is not theirs: longer than any that was drawn."""
    return not isinstance(rows, str) and any(len(cell or b"") > 8 for row in rows for cell in row)


def guarded(version, case, folder):
    """Old releases may wait for ever: then nothing is compared."""
    with get_context("fork").Pool(1) as pool:
        try:
            return pool.apply_async(of_format, (version, [case], folder)).get(20)
        except TimeoutError:
            return [(case[0], "no answer within 20 seconds", True)]


def short(rows, others):
    if isinstance(rows, str):
        return rows
    return "%d rows, alone %s" % (len(rows), [r for r in rows if isinstance(others, str) or r not in others][:3])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("cli", nargs="?", default=environment.ROOT / "bin" / "tiledb-inspect.js")
    ap.add_argument("--formats", default="22")
    ap.add_argument("--count", type=int, default=20)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    ap.add_argument("--keep", type=pathlib.Path)
    args = ap.parse_args()
    folder = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="history-"))
    folder.mkdir(exist_ok=True)
    print("seed %d" % args.seed, flush=True)
    right = wrong = refused = 0
    try:
        for version in [int(v) for v in args.formats.split(",")]:
            cases = []
            for i in range(args.count):
                draw = Random("%d %d %d" % (args.seed, version, i))
                name, key = "v%d_%d" % (version, i), KEY if draw.random() < 0.15 and version >= 10 else None
                steps, beside = drawn_steps(version, draw)
                cases.append((name, steps, beside, key))
            failures = {name: why for name, steps, _, key in cases for why in [ours(args.cli, folder / name, steps, key)] if why}
            found = [one for case in cases if case[0] not in failures for one in guarded(version, case, folder)]
            found += [(name, why, False) for name, why in failures.items()]
            refused += sum(theirs for _, _, theirs in found)
            failed = [(name, why) for name, why, theirs in found if why and not theirs]
            right += sum(why is None for _, why, _ in found)
            wrong += len(failed)
            print("format %d: %d histories read the same, %d not, %d refused by TileDB" % (version, sum(w is None for _, w, _ in found), len(failed), sum(t for *_, t in found)), flush=True)
            for name, why in failed:
                print("  %s: %s" % (name, why[:400]))
            for name, why, theirs in found:
                if theirs:
                    print("  %s: %s" % (name, why[:200]))
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print("%d histories read the same, %d not, %d refused by TileDB" % (right, wrong, refused))
    return 1 if wrong or right == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
