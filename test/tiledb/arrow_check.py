#!/usr/bin/env python3
"""Reads what `decode --format arrow` writes with Arrow's own library: arrow_check.py PATH/OF/bin/tiledb-inspect.js [--only REGEX]

Needs pyarrow, numpy and tiledb. Decodes every fragment of the fixtures as a stream and as a file, raw and with labels. pyarrow checks
the buffers in full, and each cell is compared with `--format ndjson`. TileDB also writes larger arrays here. Arrow's columns are compared
with what was written. The exit code is 1 if anything differs.
"""
import argparse
import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.ipc as ipc
import tiledb

FIXTURES = pathlib.Path(__file__).resolve().parents[1] / "fixtures"
# Errors that are allowed. A stream must say at its start whether a column has nulls or bytes that are not text; later cells may differ.
HONEST = ("--raw writes them", "that can be read in every tile")


class Tool:
    def __init__(self, path):
        self.command = [os.environ.get("NODE", "node"), path]

    def __call__(self, *args, key=None):
        env = dict(os.environ, **({"TILEDB_INSPECT_KEY": key} if key else {}))
        done = subprocess.run([*self.command, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        return done.returncode, done.stdout, done.stderr.decode()


def table(data, file=False):
    source = pa.BufferReader(data)
    read = (ipc.open_file(source) if file else ipc.open_stream(source)).read_all()
    read.validate(full=True)
    return read


def serialized(read):
    """The table as bytes, which are equal even if they contain NaN."""
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, read.schema) as writer:
        writer.write_table(read)
    return sink.getvalue()


def plain(array):
    """Arrow's values as Python values. Times become integers."""
    t = array.type
    if pa.types.is_dictionary(t):
        return plain(array.dictionary_decode())
    if pa.types.is_list(t) or pa.types.is_fixed_size_list(t):
        # Cell by cell, because the child array may have values of other chunks.
        return [None if not cell.is_valid else plain(cell.values) for cell in array]
    if pa.types.is_timestamp(t) or pa.types.is_duration(t):
        return array.cast(pa.int64()).to_pylist()
    if pa.types.is_date32(t):
        return array.cast(pa.int32()).to_pylist()
    return array.to_pylist()


def column(read, name):
    return [v for chunk in read.column(name).chunks for v in plain(chunk)]


def number(v):
    return {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.get(v, v) if isinstance(v, str) else v


def same(t, arrow, shown, stored):
    """Whether a value of Arrow is the one that NDJSON shows. Times, integers and bytes are compared with `--raw`."""
    if pa.types.is_dictionary(t):
        return same(t.value_type, arrow, shown, stored)
    if shown is None or arrow is None:
        return arrow is None and (shown is None or shown == "NaT")
    if pa.types.is_list(t) or pa.types.is_fixed_size_list(t):
        return len(arrow) == len(shown) == len(stored) and all(map(lambda a, b, c: same(t.value_type, a, b, c), arrow, shown, stored))
    if pa.types.is_binary(t):
        return arrow == (base64.b64decode(stored["base64"]) if isinstance(stored, dict) else stored.encode())
    if pa.types.is_float32(t):
        return np.array(arrow, np.float32).tobytes() == np.array(number(shown), np.float32).tobytes() or arrow != arrow and shown == "NaN"
    if pa.types.is_float64(t):
        return np.array(arrow).tobytes() == np.array(float(number(shown))).tobytes() or arrow != arrow and shown == "NaN"
    if pa.types.is_string(t) or pa.types.is_boolean(t):
        return arrow == shown
    return arrow == stored


def times_agree(t, arrow, shown):
    """Whether the date or time, written by numpy in the unit of Arrow's type, is the text that is shown."""
    return arrow is None or str(np.datetime64(arrow, t.unit if pa.types.is_timestamp(t) else "D")) == shown


def rows(tool, fragment, key, *options):
    code, out, err = tool("decode", fragment, "--format", "ndjson", "--quiet", *options, key=key)
    if code not in (0, 1):
        raise RuntimeError("decode %s: %s" % (fragment, err))
    return [json.loads(line) for line in out.decode().splitlines() if not line.startswith('{"error"')]


def check_fragment(tool, fragment, key, scratch, found):
    stored = rows(tool, fragment, key, "--raw")
    cells = 0
    for options in ([], ["--raw"], ["--labels"]):
        shown = rows(tool, fragment, key, *options)
        code, out, err = tool("decode", fragment, "--format", "arrow", *options, key=key)
        place = " ".join([os.path.relpath(fragment, FIXTURES), *options])
        if code != 0:
            if not any(words in err for words in HONEST):
                found.append("%s: exit %d: %s" % (place, code, err))
            elif out:
                table(out)
            continue
        read = table(out)
        file = os.path.join(scratch, "x.arrow")
        tool("decode", fragment, "-o", file, *options, key=key)
        with open(file, "rb") as f:
            if serialized(table(f.read(), file=True)) != serialized(read):
                found.append("%s: the file is not the stream" % place)
        if read.num_rows != len(shown):
            found.append("%s: %d rows, not %d" % (place, read.num_rows, len(shown)))
            continue
        for field in read.schema:
            values = column(read, field.name)
            timed = pa.types.is_timestamp(field.type) or pa.types.is_date32(field.type)
            for i, value in enumerate(values):
                cell = shown[i].get(field.name)
                labelled = pa.types.is_dictionary(field.type)
                if not same(field.type, value, cell, cell if labelled else stored[i].get(field.name)) or timed and not times_agree(field.type, value, cell):
                    found.append("%s: %s of row %d: %.80r, not %.80r" % (place, field.name, i, value, cell))
                    break
            cells += len(values)
    return cells


def fixtures(only):
    for expected in sorted(FIXTURES.glob("*/*.expected.json")):
        folder = expected.with_name(expected.name[: -len(".expected.json")])
        if only and not re.search(only, str(folder)):
            continue
        with open(expected) as f:
            key = json.load(f).get("key")
        for metadata in sorted(folder.rglob("__fragment_metadata.tdb")):
            yield str(metadata.parent), key


def only_fragment(array):
    (metadata,) = pathlib.Path(array).rglob("__fragment_metadata.tdb")
    return str(metadata.parent)


def write_sparse(path, cells):
    random = np.random.default_rng(7)
    domain = tiledb.Domain(tiledb.Dim("x", domain=(0, 10 * cells), tile=1000, dtype=np.int64), tiledb.Dim("k", domain=(None, None), dtype="ascii"))
    filters = tiledb.FilterList([tiledb.ZstdFilter(3)])
    attributes = [
        tiledb.Attr("f", dtype=np.float32, filters=filters),
        tiledb.Attr("t", dtype="datetime64[us]", filters=filters),
        tiledb.Attr("s", dtype="U0", var=True, filters=filters),
        tiledb.Attr("b", dtype=np.bool_),
    ]
    tiledb.Array.create(path, tiledb.ArraySchema(domain, attributes, sparse=True, capacity=977))
    x = random.permutation(10 * cells)[:cells].astype(np.int64)
    words = np.array(["", "oak", "Ærø", "東京", "long " * 20], dtype=object)
    data = {
        "f": random.standard_normal(cells).astype(np.float32),
        "t": random.integers(-(2**50), 2**50, cells).astype("datetime64[us]"),
        "s": words[random.integers(0, len(words), cells)],
        "b": random.integers(0, 2, cells).astype(np.bool_),
    }
    with tiledb.open(path, "w") as a:
        a[x, np.array(["k%d" % (v % 31) for v in x], dtype="S")] = data
    order = np.argsort(x, kind="stable")
    expected = {name: [v.item() if hasattr(v, "item") else v for v in values[order]] for name, values in data.items() if name != "t"}
    expected["t"] = data["t"][order].astype(np.int64).tolist()
    return "x", dict(expected, x=x[order].tolist(), k=["k%d" % (v % 31) for v in x[order]])


def write_dense(path, rows_, columns):
    domain = tiledb.Domain(tiledb.Dim("r", domain=(1, rows_), tile=64, dtype=np.int16), tiledb.Dim("c", domain=(-5, columns - 6), tile=100, dtype=np.int16))
    attributes = [tiledb.Attr("v", dtype=np.float64), tiledb.Attr("u", dtype=np.uint64)]
    tiledb.Array.create(path, tiledb.ArraySchema(domain, attributes, cell_order="col-major", tile_order="row-major"))
    v = np.random.default_rng(8).standard_normal((rows_, columns))
    u = np.arange(rows_ * columns, dtype=np.uint64).reshape(v.shape) * np.uint64(2**40 + 1)
    with tiledb.open(path, "w") as a:
        a[:] = {"v": v, "u": u}
    return "u", {"v": v.ravel().tolist(), "u": u.ravel().tolist(), "r": np.repeat(np.arange(1, rows_ + 1), columns).tolist(), "c": np.tile(np.arange(-5, columns - 5), rows_).tolist()}


def check_written(tool, scratch, found):
    cells = 0
    for name, write in (("sparse", lambda p: write_sparse(p, 100_000)), ("dense", lambda p: write_dense(p, 700, 330))):
        path = os.path.join(scratch, name)
        by, expected = write(path)
        code, out, err = tool("decode", only_fragment(path), "--format", "arrow")
        if code != 0:
            found.append("%s: exit %d: %s" % (name, code, err))
            continue
        read = table(out).sort_by(by)
        if sorted(read.column_names) != sorted(expected):
            found.append("%s: columns %s, not %s" % (name, read.column_names, list(expected)))
            continue
        for field, values in expected.items():
            if column(read, field) != values:
                found.append("%s: %s is not what was written" % (name, field))
        cells += read.num_rows * read.num_columns
    return cells


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("bin")
    ap.add_argument("--only", help="fixtures whose path matches")
    args = ap.parse_args()
    tool, found, fragments, cells = Tool(args.bin), [], 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for fragment, key in fixtures(args.only):
            cells += check_fragment(tool, fragment, key, scratch, found)
            fragments += 1
        cells += check_written(tool, scratch, found)
    for line in found:
        print(line)
    print("%d fragments of fixtures, %d cells, pyarrow %s: %d differences" % (fragments, cells, pa.__version__, len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
