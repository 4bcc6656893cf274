"""Lets TileDB do more with a sample than read it: conditions, aggregates, appending, consolidating, vacuuming."""
import base64
import glob
import json
import os
import shutil
import statistics
import sys

import numpy as np
import tiledb

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fixtures"))
import expected  # noqa: E402
import libtiledb  # noqa: E402

LIBRARY = glob.glob(os.path.join(os.path.dirname(tiledb.__file__), "..", "tiledb.libs", "libtiledb-*"))[0]
NUMBERS = {"INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64", "FLOAT32", "FLOAT64"}
loaded = {}


def library(key):
    """The C API, with the key in its context."""
    if key not in loaded:
        settings = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key} if key else {}
        loaded[key] = libtiledb.Library(LIBRARY, settings)
        if key:  # since 2.4 the configuration has the keys of arrays
            plain = loaded[key].config
            loaded[key].config = lambda more: plain(dict(settings, **more))
    return loaded[key]


def whole(path, said, key):
    """Every cell that TileDB shows of the array."""
    s = said["schema"]
    if s["array_type"] == "sparse":
        return expected.cells_of(path, s, key)
    ranges = []
    for d in range(len(s["dims"])):
        ends = [f["nonempty_domain"][d] for f in said["fragments"]]
        ranges.append([min(e[0] for e in ends), max(e[1] for e in ends)])
    return expected.cells_of(path, s, key, ranges=ranges)


def rows(cells):
    columns = dict(cells["coords"], **cells["attrs"])
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def comparable(all_rows):
    return sorted(json.dumps(r, sort_keys=True) for r in all_rows)


def conditions(path, said, key, out):
    """Compares query conditions and aggregates with a full scan. TileDB takes aggregates from the statistics of tiles."""
    s = said["schema"]
    if not said["fragments"] or any(d["type"].startswith("TIME_") for d in s["dims"]):  # TileDB-Py cannot open these
        return 0
    done = 0
    ctx = expected.context(key)
    cells = whole(path, said, key)
    for a in s["attrs"]:
        if a["type"] not in NUMBERS or a["cell_val_num"] != 1 or a["name"] == "" or a["enumeration"]:
            continue
        column = cells["attrs"][a["name"]]
        values = [v for v in column if v is not None]
        if not values:
            continue
        with tiledb.open(path, ctx=ctx) as array:
            if a["name"].isidentifier() and s["array_type"] == "sparse":
                for op, keep in ((">=", lambda v, m: v >= m), ("<", lambda v, m: v < m), ("==", lambda v, m: v == m)):
                    middle = statistics.median_low(values)
                    found = array.query(cond="%s %s %r" % (a["name"], op, middle), attrs=[a["name"]])[:][a["name"]]
                    want = sorted(v for v in values if keep(v, middle))
                    got = sorted(np.ma.compressed(found).tolist() if np.ma.isMaskedArray(found) else found.tolist())
                    if got != want:
                        out.append("condition %s %s %r: %d cells, full scan %d" % (a["name"], op, middle, len(got), len(want)))
                    done += 1
            names = ["min", "max", "sum"] + (["null_count"] if a["nullable"] else [])
            try:
                box = tuple(slice(None) for _ in s["dims"])
                if s["array_type"] == "dense":
                    continue  # TileDB also counts cells outside of the fragments
                got = array.query(attrs=[a["name"]]).agg({a["name"]: names})[box if len(box) > 1 else box[0]]
            except (tiledb.TileDBError, TypeError, ValueError, NotImplementedError):
                continue
            got = got.get(a["name"], got) if isinstance(got.get(a["name"], None), dict) else got
            total = float(np.sum(np.array(values, "f8"))) if a["type"].startswith("FLOAT") else sum(values)
            want = {"min": min(values), "max": max(values), "sum": total, "null_count": len(column) - len(values)}
            for n in names:
                if got[n] != want[n] and not (n == "sum" and abs(got[n] - want[n]) < 1e-6 * max(1, abs(want[n]))):
                    out.append("aggregate %s of %s: %r, full scan %r" % (n, a["name"], got[n], want[n]))
            done += 1
    return done


def plain(v):
    return base64.b64decode(v["b64"]) if isinstance(v, dict) else v


def append(path, said, key):
    """Writes some cells of the first fragment again, with the values of others. @returns the rows that were written"""
    s = said["schema"]
    lib = library(key)
    dims = [libtiledb.Dim(d["name"], d["type"]) for d in s["dims"]]
    attrs = [libtiledb.Attr(a["name"], a["type"], a["cell_val_num"], nullable=a["nullable"]) for a in s["attrs"]]
    first = said["fragments"][0]
    cells = rows(first["cells"])
    if s["array_type"] == "sparse":
        names = [d["name"] for d in s["dims"]]
        chosen, seen = [], set()
        for r in cells:
            where = json.dumps([r[n] for n in names])
            if where not in seen:
                chosen.append(r)
            seen.add(where)
        chosen = chosen[:5]
        written = [dict(cells[-1 - i % len(cells)], **{n: r[n] for n in names}) for i, r in enumerate(chosen)]
        columns = {n: [plain(r[n]) for r in written] for n in written[0]}
        lib.write(path, dims, attrs, columns)
        return written
    box = [list(r) for r in first["nonempty_domain"]]
    written = list(reversed(cells))
    columns = {n: [plain(r[n]) for r in written] for n in written[0]}
    lib.write(path, dims, attrs, columns, subarray=box)
    return written


def possible(s):
    """Whether TileDB can consolidate. POSITIVE_DELTA refuses falling values, which merged fragments may have."""
    return not any(f["name"].lower() == "positive_delta" for a in s["attrs"] for f in a["filters"])


def operate(path, said, key, out):
    """Appends to a copy, consolidates and vacuums it. Reads must stay right."""
    s = said["schema"]
    if not said["fragments"]:
        return 0
    copy = path + ".operated"
    shutil.copytree(path, copy)
    try:
        before = whole(copy, said, key)
        written = append(copy, said, key)
        after = whole(copy, said, key)
        if s["array_type"] == "sparse":
            names = [d["name"] for d in s["dims"]]
            at = lambda r: json.dumps([r[n] for n in names])
            new = {at(r) for r in written}
            kept = rows(before) if s["allows_duplicates"] else [r for r in rows(before) if at(r) not in new]
            if comparable(kept + written) != comparable(rows(after)):
                out.append("cells after appending are not the old ones and the new ones")
        else:
            alone = expected.cells_of(copy, s, key, ranges=said["fragments"][0]["nonempty_domain"])
            if rows(alone) != written:
                out.append("cells after writing over the first fragment are not what was written")
        ctx = expected.context(key)
        tiledb.consolidate(copy, ctx=ctx)
        if comparable(rows(whole(copy, said, key))) != comparable(rows(after)):
            out.append("cells changed by consolidating")
        tiledb.vacuum(copy, ctx=ctx)
        if comparable(rows(whole(copy, said, key))) != comparable(rows(after)):
            out.append("cells changed by vacuuming")
        if len(expected.fragment_info(copy, key)) != 1:
            out.append("fragments are left after consolidating and vacuuming")
    finally:
        shutil.rmtree(copy)
    return 1
