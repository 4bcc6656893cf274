#!/usr/bin/env python3
"""Reads samples of each format version with the TileDB release that wrote that version: old_release.py [--formats 5,6,7,8,9]

The newest release tells whether a sample can be read today. This test tells whether its own release could read it. Wheels of the releases come
from PyPI and stay in build/. Their libtiledb is called through ctypes, so no old Python is needed. Every cell is compared.
"""
import argparse
import base64
import ctypes as C
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
from multiprocessing import get_context

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures")]
import environment  # noqa: E402
import make  # noqa: E402
from libtiledb import LAYOUTS, READ, Library, code, encode  # noqa: E402

KEY = "0123456789abcdeF0123456789abcdeF"
ROOM = 1 << 20
COMMON = ["--cells", "200", "--capacity", "40", "--fragments", "1"]
WIDTHS = {"STRING_UTF16": 2, "STRING_UCS2": 2, "STRING_UTF32": 4, "STRING_UCS4": 4}


def samples(version):
    """(name, arguments, key)"""
    out = [("sparse", [], None), ("dense", ["--dense"], None), ("sparse_key", [], KEY), ("dense_key", ["--dense"], KEY),
           ("col_major", ["--tile-order", "col-major", "--cell-order", "col-major", "--dim", "x:INT16:-50..49:7", "--dim", "y:INT16:0..99:9"], None),
           ("dense_col_major", ["--dense", "--cell-order", "col-major", "--dim", "x:UINT8:1..20:5", "--dim", "y:UINT8:1..10:4", "--attr", "a:INT64", "--attr", "s:STRING_ASCII"], None),
           ("dates", ["--dim", "d:DATETIME_DAY:2020-01-01..2024-12-31:30"], None), ("floats", ["--dim", "f:FLOAT64:-1..1:0.25"], None)]
    checksums = ["md5", "sha256"] if version >= 4 else []
    for filters in ["", "gzip", "zstd:level=9", "lz4", "bzip2", "rle", "double-delta", "bit-width-reduction", "positive-delta", "bitshuffle,lz4", "byteshuffle,zstd"] + checksums:
        name = "filter_" + filters.split(":")[0].replace(",", "_")
        out.append((name, ["--filters", filters, "--attr", "a:INT64", "--attr", "b:UINT16", "--attr", "c:INT32:var", "--attr", "d:FLOAT32:3", "--attr", "s:STRING_ASCII"], None))
    if version >= 5:
        out.append(("duplicates", ["--duplicates"], None))
    if version >= 7:  # releases 2.0 and 2.1 do not find the cells of their own arrays with a text and a number dimension
        out.append(("text_dimension", ["--dim", "s:STRING_ASCII", "--dim", "i:INT64:0..1000:10"], None))
    if version >= 7:
        out += [("nulls", ["--attr", "a:INT32?", "--attr", "s:STRING_UTF8?", "--attr", "v:INT16:var?"], None), ("hilbert", ["--cell-order", "hilbert"], None)]
    if version >= 13:
        out.append(("dictionary", ["--attr", "s:STRING_ASCII", "--filters", "dictionary,zstd"], None))
    return [(name, ["--format-version", str(version)] + COMMON + arguments, key) for name, arguments, key in out]


def opened(lib, path, key):
    """A library whose context has the key, if the release takes keys of arrays from the configuration."""
    if not key or lib.version < (2, 4, 0):
        return lib
    return Library(lib.c._name, {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key})


def read(lib, path, schema, domain, key, timestamp=None, label=None):
    """Rows of an array as the release reads them: for each row a list of bytes by field. @param label a dimension label and its range, instead of the domain"""
    lib = opened(lib, path, key)
    array = lib.open(path, READ, timestamp, key)
    query = lib.new("query_alloc", array, C.c_int(READ))
    dense = schema["array_type"] == "dense"
    lib("query_set_layout", query, C.c_int(LAYOUTS["row-major" if dense else "unordered" if lib.version >= (2, 0, 0) else "global"]))
    dims = schema["dimensions"]
    if label:
        lib("query_set_subarray_t", query, label_range(lib, array, *label))
    elif dense:
        raw = lib.buffer(b"".join(encode(d["type"], list(r)) for d, r in zip(dims, domain)))
        if lib.has("query_set_subarray_t"):
            subarray = lib.new("subarray_alloc", array)
            lib("subarray_set_subarray", subarray, raw)
            lib("query_set_subarray_t", query, subarray)
        else:
            lib("query_set_subarray", query, raw)
    fields = [(a["name"], a["type"], a["cell_val_num"], a["nullable"]) for a in schema["attributes"]]
    zipped = not dense and lib.version < (2, 0, 0)
    if zipped:
        fields.append(("__coords", dims[0]["type"], len(dims), False))
    elif not dense:
        fields += [(d["name"], d["type"], d["cell_val_num"], False) for d in dims]
    buffers = {}
    for name, _, count, nullable in fields:
        parts = [Part(lib) if wanted else None for wanted in (True, count == "var", nullable)]
        buffers[name] = parts
        set_buffers(lib, query, name, *parts)
    lib("query_submit", query)
    status = C.c_int()
    lib("query_get_status", query, C.byref(status))
    if status.value != 1:
        raise RuntimeError("query is not complete: %d" % status.value)
    columns = {}
    for name, datatype, count, nullable in fields:
        data, offsets, validity = (part and part.bytes() for part in buffers[name])
        if count == "var":
            starts = list(struct.unpack("<%dQ" % (len(offsets) // 8), offsets)) + [len(data)]
            cells = [data[a:b] for a, b in zip(starts, starts[1:])]
        else:
            step = count * (struct.calcsize("<" + code(datatype)) if code(datatype) else WIDTHS.get(datatype, 1))
            cells = [data[i : i + step] for i in range(0, len(data), step)]
        columns[name] = [None if nullable and not validity[i] else cell for i, cell in enumerate(cells)]
    if zipped:
        size = struct.calcsize("<" + code(dims[0]["type"]))
        for i, d in enumerate(dims):
            columns[d["name"]] = [cell[i * size : (i + 1) * size] for cell in columns["__coords"]]
    lib("array_close", array)
    lib.keep.clear()
    names = [a["name"] for a in schema["attributes"]] + ([] if dense else [d["name"] for d in dims])
    return list(zip(*[columns[n] for n in names])), names


def label_range(lib, array, label, ends):
    """A subarray with a range of a dimension label."""
    subarray = lib.new("subarray_alloc", array)
    lo, hi = [encode(label["type"], one) for one in ends]
    if label["type"].startswith("STRING"):
        lib("subarray_add_label_range_var", subarray, label["name"], lib.buffer(lo), C.c_uint64(len(lo)), lib.buffer(hi), C.c_uint64(len(hi)))
    else:
        lib("subarray_add_label_range", subarray, label["name"], lib.buffer(lo), lib.buffer(hi), None)
    return subarray


class Part:
    """A buffer that a query fills."""

    def __init__(self, lib):
        self.room, self.size = C.create_string_buffer(ROOM), C.c_uint64(ROOM)
        lib.keep += [self.room, self.size]

    def pair(self):
        return self.room, C.byref(self.size)

    def bytes(self):
        return self.room.raw[: self.size.value]


def set_buffers(lib, query, name, data, offsets, validity):
    if lib.has("query_set_data_buffer"):
        for kind, part in (("data", data), ("offsets", offsets), ("validity", validity)):
            if part:
                lib("query_set_%s_buffer" % kind, query, name, *part.pair())
        return
    parts = (offsets.pair() if offsets else ()) + data.pair() + (validity.pair() if validity else ())
    lib("query_set_buffer" + ("_var" if offsets else "") + ("_nullable" if validity else ""), query, name, *parts)


def stored(datatype, value):
    """A value of decode --raw as bytes."""
    if value is None:
        return None
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    values = value if isinstance(value, list) else [value]
    return struct.pack("<%d%s" % (len(values), code(datatype)), *[float(v) if isinstance(v, str) else v for v in values])


def compared(version, work):
    """[(sample, what is wrong or None)] of one format version. To be called in a new process."""
    tag_release, python, _ = make.RELEASES[version]
    lib = Library(str(make.library(tag_release, python, environment.WORK)))
    out = []
    for path, key in work:
        with open(path + ".ours.json") as f:
            ours = json.load(f)
        name = pathlib.Path(path).name
        if ours["code"] != 0:
            out.append((name, ours["stderr"]))
            continue
        schema, (fragment,) = ours["schema"], ours["fragments"].values()
        types = {f["name"]: f["type"] for f in schema["attributes"] + schema["dimensions"]}
        try:
            theirs, names = read(lib, path, schema, ours["ls"]["fragments"][0]["nonempty_domain"], key)
        except Exception as e:
            out.append((name, "%s: %s" % (type(e).__name__, e)))
            continue
        mine = [tuple(stored(types[n], cell[n]) for n in names) for cell in fragment["cells"]]
        order = lambda row: [b"" if v is None else b"." + v for v in row]
        same = sorted(mine, key=order) == sorted(theirs, key=order)
        out.append((name, None if same else "%d cells, %d read: they differ" % (len(mine), len(theirs))))
    return ".".join(map(str, lib.version)), out


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--formats", default=",".join(str(v) for v in make.RELEASES if v >= 3))
    args = ap.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="old-release-"))
    right = wrong = 0
    try:
        versions = [int(v) for v in args.formats.split(",")]
        work = {v: [(str(folder / ("v%d_%s" % (v, name))), arguments, key) for name, arguments, key in samples(v)] for v in versions}
        cases = [{"dir": path, "args": arguments, "key": key} for one in work.values() for path, arguments, key in one]
        (folder / "cases.json").write_text(json.dumps(cases))
        subprocess.run(["node", HERE / "write" / "driver.mjs", folder / "cases.json"], check=True, cwd=environment.ROOT)
        for version in versions:
            with get_context("fork").Pool(1) as pool:
                release, found = pool.apply(compared, (version, [(path, key) for path, _, key in work[version]]))
            failed = [(name, why) for name, why in found if why]
            right += len(found) - len(failed)
            wrong += len(failed)
            print("format %d, TileDB %s: %d samples right, %d wrong" % (version, release, len(found) - len(failed), len(failed)), flush=True)
            for name, why in failed:
                print("  %s: %s" % (name, why[:300]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed" % (right, wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
