#!/usr/bin/env python3
"""Compares what we read of random arrays with what TileDB reads of them. A real TileDB release writes them:

    random_arrays.py [BIN] [--count N] [--minutes M] [--seed S] [--release X] [--out FOLDER]

Draws dimensions, attributes, pipelines, orders, writes, deletes, evolutions and consolidations at random. An array is drawn again if the release
refuses it, crashes, or cannot read it back (`--verbose` says why). The same seed draws the same array, but TileDB names its files differently.

compare.mjs compares the JSON of every command: schemas, fragments, footers, R-trees, tiles, cells, commits, metadata and checksums. `check --level
cells` must find no error and no warning. Merged reads with random orders, ranges, attributes and times are compared, too. BIN is
`bin/tiledb-inspect.js`, which is started for each command. Without it, the sources run in one process. The exit code is 1 if anything differs.

If an array differs, TileDB reads it twice more, each time with other bytes in uninitialised memory. If its answer then changes, TileDB lost cells
when it wrote the array. Such an array is left out, and counted with those that TileDB cannot read.

--out keeps the arrays: `<out>/r<seed>_<index>/`, beside it `r<seed>_<index>.expected.json` in the form of the fixtures
(test/fixtures/README.md), and the queries in `r<seed>_<index>.reads.json`. Needs Linux on x86-64, pip, node and this repository's node_modules.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from multiprocessing import get_context

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "fixtures"))

import make  # noqa: E402
from cases import KEY, limits  # noqa: E402
from libtiledb import DATATYPES, FILTERS, LAYOUTS, WRITE, Attr, Dim, Library, code, encode  # noqa: E402
import ctypes as C  # noqa: E402

INTS = ["INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64"]
FLOATS = ["FLOAT32", "FLOAT64"]
DATES = [t for t in DATATYPES if t.startswith("DATETIME_")]
TIMES = [t for t in DATATYPES if t.startswith("TIME_")]
WIDE = {"STRING_UTF16": 2, "STRING_UCS2": 2, "STRING_UTF32": 4, "STRING_UCS4": 4}
TEXTS = ["CHAR", "STRING_ASCII", "STRING_UTF8", "BLOB", "ANY", "GEOM_WKB", "GEOM_WKT", *WIDE]
NAMES = ["a", "b", "x", "y", "t", "dt", "dci", "a0", "a1", "d0", "a0_var", "A", "B", "", "__x", "two words", "50%", "%41", "ü", "u\u0308", "東京", "🌲", "a,b", "a=b", 'q"q', "it's", "a.b", "x\ty",
         "constructor", "toString", "length", "0", "1", "-1", "null", "path", "kind", "NaN", "cells", "a..b", "<b>", "a:b", "#", "~", "[0]", "long " * 30]
WORDS = ["", "a", "b", "oak", "oak ", "oaks", "yew", "Ærø", "東京", "🌲", "naïve", "x" * 17, "yz" * 150, "\x00", "a\x00b", "\x7f", "line\nbreak", '"quoted"', "a,b"]
PLAIN_WORDS = [w for w in WORDS if w.isascii()]
WINDOWS = [1, 2, 3, 4, 7, 8, 16, 100, 256, 1024, 5000, 70000, 1 << 20, (1 << 31) - 1]
STAMP = 10
ATTEMPTS = 40


class Refused(Exception):
    """The release refuses everything that was drawn."""


class Writer(Library):
    """The driver of the fixtures, which can also store values in null cells, and write in several pieces."""

    validity = {}

    def knows(self, kind, number):
        """Whether this release knows a datatype or filter."""
        name = C.c_char_p()
        fn = getattr(self.c, "tiledb_%s_to_str" % kind, None)
        return fn is None or (fn(C.c_int(number), C.byref(name)) == 0 and bool(name.value))

    def set_buffers(self, query, name, data, offsets=None, validity=None):
        super().set_buffers(query, name, data, offsets, None if validity is None else self.validity.get(name, validity))

    def write_pieces(self, uri, fields, columns, cuts, timestamp, key, subarray):
        """Writes in global order, with one submit for each piece."""
        array = self.open(uri, WRITE, timestamp, key)
        query = self.new("query_alloc", array, C.c_int(WRITE))
        self("query_set_layout", query, C.c_int(LAYOUTS["global"]))
        if subarray and self.has("query_set_subarray_t"):
            sub = self.new("subarray_alloc", array)
            self("subarray_set_subarray", sub, self.buffer(subarray))
            self("query_set_subarray_t", query, sub)
        elif subarray:
            self("query_set_subarray", query, self.buffer(subarray))
        for first, last in zip(cuts, cuts[1:]):
            for f in fields:
                raw = [encode(f.datatype, c) for c in columns[f.name][first:last]]
                starts = [0]
                for r in raw:
                    starts.append(starts[-1] + len(r))
                offsets = struct.pack("<%dQ" % len(raw), *starts[:-1]) if f.var else None
                valid = self.validity[f.name][first:last] if f.nullable else None
                super().set_buffers(query, f.name, b"".join(raw), offsets, valid)
            self("query_submit", query)
        self("query_finalize", query)
        self("array_close", array)
        self.keep.clear()


# Values ------------------------------------------------------------------------------------------------------------------------


def span(datatype):
    """The least and the greatest value that can be stored."""
    if datatype == "BOOL":
        return 0, 1
    return limits(datatype if datatype in INTS else "INT64")


def numbers(rng, datatype, n, pattern):
    if datatype in FLOATS:
        return floats(rng, datatype, n, pattern)
    lo, hi = span(datatype)
    inside = lambda x: max(lo, min(hi, x))
    start = rng.choice([0, 5, lo, hi, lo + 100, hi - 100, rng.randint(lo, hi)])
    if pattern == "constant":
        return [inside(start)] * n
    if pattern == "ascending":
        step = rng.choice([0, 1, 3, 50, 1000])
        out, at = [], inside(rng.choice([0, 5, lo, start - step * n]))
        for _ in range(n):
            out.append(at)
            at = inside(at + rng.randint(0, step))
        return out
    if pattern == "runs":
        some = [inside(start), rng.randint(lo, hi), inside(7)]
        return repeated(rng, n, lambda: rng.choice(some))
    if pattern == "extremes":
        return [rng.choice([lo, hi, inside(0), inside(-1), inside(lo + 1)]) for _ in range(n)]
    if pattern == "steps":
        step = rng.choice([-1000, -3, 2, 60000, hi // 3])
        return [lo + (start - lo + i * step) % (hi - lo + 1) for i in range(n)]
    if pattern == "wild":
        return [rng.randint(lo, hi) for _ in range(n)]
    width = rng.choice([1, 2, 126, 127, 128, 254, 255, 256, 32766, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32])
    return [inside(start + rng.randint(0, width) - (width if start > hi - width else 0)) for _ in range(n)]


def floats(rng, datatype, n, pattern):
    if pattern == "constant":
        return [rng.choice([0.0, -0.0, 1.5, float("nan"), float("inf"), -2.25])] * n
    if pattern == "ascending":
        return [i * 0.25 - 3 for i in range(n)]
    if pattern == "runs":
        return repeated(rng, n, lambda: rng.choice([0.0, 1.25, float("nan"), -7.0]))
    if pattern == "extremes":
        return [rng.choice([float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1.401298464324817e-45, 3.4028234663852886e38, -1.1754943508222875e-38, 1.0]) for _ in range(n)]
    if pattern == "wild":  # any bits, also unusual NaNs
        width = 4 if datatype == "FLOAT32" else 8
        return [rng.getrandbits(8 * width).to_bytes(width, "little") for _ in range(n)]
    return [rng.choice([0.25 * rng.randint(-400, 400), rng.uniform(-1e6, 1e6)]) for _ in range(n)]


def repeated(rng, n, draw):
    out, longest = [], rng.choice([2, 6, 40, 70000])
    while len(out) < n:
        out += [draw()] * rng.randint(1, longest)
    return out[:n]


def pieces_of_text(rng, datatype, n, pattern, fixed=None):
    """Text or bytes, of the same length if fixed-sized."""
    def one(word):
        if datatype in WIDE:
            word = word.encode("utf-16-le" if WIDE[datatype] == 2 else "utf-32-le")
        elif datatype in ("CHAR", "BLOB", "ANY", "GEOM_WKB") and rng.random() < 0.5:
            word = bytes(rng.getrandbits(8) for _ in range(rng.randint(0, 9)))
        else:
            word = word.encode()
        if fixed is not None:
            size = fixed * WIDE.get(datatype, 1)
            word = (word * size + bytes(size))[:size]
        return word

    words = PLAIN_WORDS if datatype == "STRING_ASCII" and rng.random() < 0.8 else WORDS
    if pattern == "constant":
        return [one(rng.choice(words))] * n
    if pattern == "runs":
        some = [one(w) for w in rng.sample(words, 4)]
        return repeated(rng, n, lambda: rng.choice(some))
    if pattern == "extremes" and fixed is None:
        return [b""] * n if rng.random() < 0.5 else [rng.choice([b"", one("z" * 40)]) for _ in range(n)]
    if pattern == "wild" and fixed is None:
        unit = WIDE.get(datatype, 1)
        return [rng.getrandbits(8 * unit * k + 8).to_bytes(unit * k + 1, "little")[1:] for k in (rng.randint(0, 30) for _ in range(n))]
    if pattern == "ascending":
        return [one("key%05d" % i) for i in range(n)]
    return [one(rng.choice(words)) for _ in range(n)]


def cells(rng, a, n, pattern):
    """n cells of an attribute."""
    if a.enum_size:
        return [rng.randrange(a.enum_size) for _ in range(n)]
    if a.datatype in TEXTS:
        out = pieces_of_text(rng, a.datatype, n, pattern, None if a.var else a.cells)
    elif a.cells == 1:
        return numbers(rng, a.datatype, n, pattern)
    else:
        lengths = [a.cells] * n if not a.var else [rng.choice([0, 0, 1, 2, 3, 9]) for _ in range(n)] if rng.random() < 0.9 else [0] * n
        flat = iter(numbers(rng, a.datatype, sum(lengths), pattern))
        out = [b"".join(encode(a.datatype, next(flat)) for _ in range(k)) for k in lengths]
    if a.long and a.var:
        unit = WIDE.get(a.datatype, struct.calcsize("<" + (code(a.datatype) or "B")))
        for _ in range(rng.randint(1, 3)):
            size = rng.choice([33000, 60000, 65535, 65536, 65537, 70000, 98305, 131072, 140000, 200000]) // unit * unit
            if a.datatype == "BOOL":
                out[rng.randrange(n)] = bytes(rng.getrandbits(1) for _ in range(size))
            else:
                out[rng.randrange(n)] = bytes([rng.randint(97, 122)]) * size if rng.random() < 0.5 else (b"%06d--" % rng.randrange(10**6) * (size // 8 + 1))[:size]
    return out


def validity(rng, n):
    kind = rng.choice(["all", "none", "some", "some", "runs", "one"])
    if kind == "some":
        return bytes(rng.random() < 0.6 for _ in range(n))
    if kind == "runs":
        return bytes(repeated(rng, n, lambda: rng.random() < 0.5))
    out = bytearray(n if kind == "none" else b"\x01" * n)
    if kind == "one":
        out[rng.randrange(n)] = 0
    return bytes(out)


# Filters -----------------------------------------------------------------------------------------------------------------------


def one_filter(rng, lib, v, datatype):
    kinds = ["none", "gzip", "zstd", "lz4", "rle", "bzip2", "bitshuffle", "byteshuffle", "md5", "sha256"]
    if datatype in TEXTS:
        kinds += ["dictionary"] * 4 + ["rle"] * 3
    else:
        kinds += ["double_delta", "delta", "bit_width_reduction", "positive_delta", "xor"] * 2
    if datatype in FLOATS:
        kinds += ["float_scale"] * 4
    name = rng.choice([k for k in kinds if lib.knows("filter_type", FILTERS[k])])
    options = {}
    if rng.random() < 0.6:
        if name == "gzip":
            options = {"level": rng.choice([-1, 0, 1, 5, 9])}
        elif name == "zstd":
            options = {"level": rng.choice([-5, 1, 3, 9, 15, 22])}
        elif name == "bzip2":
            options = {"level": rng.randint(1, 9)}
        elif name in ("bit_width_reduction", "positive_delta"):
            options = {name.replace("_reduction", "") + "_max_window": rng.choice(WINDOWS)}
        elif name in ("double_delta", "delta") and v >= (20 if name == "double_delta" else 19):
            options = {"reinterpret": DATATYPES.index(rng.choice(INTS + ["DATETIME_NS", "CHAR", "BOOL", "BLOB", "TIME_SEC"]))}
    if name == "float_scale":
        options = {"bytewidth": rng.choice([1, 2, 4, 8]), "factor": rng.choice([0.25, 0.01, 1.0, 3.0, -2.0, 1e-3, 1e10]), "offset": rng.choice([0.0, 1.5, -100.0, 1e9])}
    return (name, options) if options else name


def pipeline(rng, lib, v, datatype):
    return [one_filter(rng, lib, v, datatype) for _ in range(rng.choices(range(6), [2, 5, 5, 3, 2, 1])[0])]


def filter_names(filters):
    return [f if isinstance(f, str) else f[0] for f in filters]


# Arrays ------------------------------------------------------------------------------------------------------------------------


class Draw:
    """One random array. It is drawn step by step, and the release tries each step on a scratch array."""

    def __init__(self, lib, v, rng, scratch):
        self.lib, self.v, self.rng, self.scratch, self.tried = lib, v, rng, scratch, 0
        self.sparse = rng.random() < 0.6
        self.size = rng.choices(["small", "medium", "large"], [6, 3, 1])[0]
        self.key = KEY if v >= 3 and rng.random() < 0.08 else None
        self.dups = self.sparse and v >= 5 and rng.random() < 0.25
        self.options, self.attrs, self.steps, self.enums = {}, [], [], []
        self.base = STAMP
        self.draw_domain()
        self.draw_attributes()
        self.draw_steps()
        self.settle()

    def accepted(self, attrs, steps=()):
        """Whether TileDB accepts the schema and the steps."""
        self.tried += 1
        uri = os.path.join(self.scratch, str(self.tried))
        try:
            self.build(uri, attrs, steps)
            return True
        except (RuntimeError, struct.error) as e:
            self.why = str(e)
            return False
        finally:
            shutil.rmtree(uri, ignore_errors=True)

    def first_accepted(self, draw, times=30):
        for _ in range(times):
            out = draw()
            if out is not None:
                return out
        raise Refused("nothing accepted: " + getattr(self, "why", ""))

    def name(self, used, usual):
        while True:
            out = self.rng.choice(NAMES) if self.rng.random() < 0.3 else usual + str(len(used))
            if out not in used and not (self.v < 9 and out.lower() in {u.lower() for u in used}):
                return out

    # dimensions

    def draw_domain(self):
        rng, v = self.rng, self.v
        n = rng.choices([1, 2, 3, 4], [4, 4, 2, 1])[0]
        hilbert = self.sparse and v >= 9 and rng.random() < 0.2
        self.orders = ("hilbert" if hilbert else rng.choice(["row-major", "row-major", "col-major"]), rng.choice(["row-major", "col-major"]))
        self.capacity = rng.choice([1, 2, 3, 7, 8, 100]) if self.size == "small" else rng.choice([10, 100, 1000, 100000])
        kinds = [t for t in INTS * 2 + DATES + TIMES if self.lib.knows("datatype", DATATYPES.index(t))]
        self.budget = {"small": 150, "medium": 3000, "large": 40000}[self.size]

        def draw():
            same = rng.choice(kinds)
            self.dims, used, left = [], set(), self.budget
            for i in range(n):
                name = self.name(used, "d")
                used.add(name)
                if self.sparse:
                    kind = same if v < 5 else rng.choice(kinds + FLOATS * 6 + ["STRING_ASCII"] * 12)
                    self.dims.append(self.sparse_dim(name, kind, hilbert))
                else:
                    self.dims.append(self.dense_dim(name, same, max(1, left), n - i))
                    left //= max(1, self.dims[-1].cover)
            return True if self.accepted([Attr("probe!", "INT32")]) else None

        self.first_accepted(draw)

    def sparse_dim(self, name, kind, hilbert):
        rng = self.rng
        none = hilbert or rng.random() < 0.15
        if kind == "STRING_ASCII":
            out = Dim(name, kind)
            out.pool = [w.encode() for w in rng.choice([PLAIN_WORDS, ["k%d" % i for i in range(60)], ["pre" * 5 + "%x" % (7919 * i) for i in range(80)], ["", "a", "aa", "aaa", "ab", "b" * 300]]) if "\x00" not in w]
            return out
        if kind in FLOATS:
            lo, hi = rng.choice([(0.0, 1.0), (-1.0, 1.0), (-180.0, 180.0), (-1e30, 1e30), (1e-30, 1e-29), (-3.4028234663852886e38, 3.4028234663852886e38)])
            out = Dim(name, kind, (lo, hi), None if none else (hi - lo) / rng.choice([1, 3, 8, 10, 1000]))
            exact = lambda x: struct.unpack("<f", struct.pack("<f", x))[0] if kind == "FLOAT32" else x
            lo, hi = exact(lo), exact(hi)
            out.pool = [lo, hi] + [min(hi, max(lo, exact(lo + (hi / 1e3 - lo / 1e3) * 1e3 * rng.random()))) for _ in range(200)]
            return out
        least, most = span(kind)
        width = rng.choice([1, 5, 100, 1000, most - least])
        lo = rng.choice([least, 0, 1, -50, most - width, rng.randint(least, most)])
        lo = max(least, min(most, lo))
        hi = min(most, lo + width)
        tile = None if none else rng.choice([1, 2, 3, 10, 64, 1000, max(1, width // 3), width + 1])
        if tile:
            tile = max(1, min(tile, most, hi - lo + 1))
            hi = min(hi, most - tile)  # the last tile must end within the range of the type
            lo = min(lo, hi)
        out = Dim(name, kind, (lo, hi), tile)
        out.pool = [lo, hi] + [rng.randint(lo, hi) for _ in range(200)]
        return out

    def dense_dim(self, name, kind, room, left):
        """A dimension of a dense array. `window` is the part that is written, `cover` the number of cells in its tiles."""
        rng = self.rng
        least, most = span(kind)
        size = max(1, min(int(room ** (1 / left) * rng.choice([0.5, 1, 1, 2])) or 1, room, (most - least) // 3))
        tile = max(1, min(rng.choice([1, 2, 3, 4, 7, size // 2, size, size + 2]), (most - least) // 4))
        start = rng.choice([least, 0, 1, -3, most - 2 * size - 2 * tile, rng.randint(least, most - 2 * size - 2 * tile)])
        start = max(least, min(start, most - 2 * size - 2 * tile))
        lo = rng.choice([start, start, max(least, start - rng.choice([1, 5, 1000, 10**6])), least])
        hi = start + size - 1
        hi = rng.choice([hi, hi, min(most - tile, hi + rng.choice([1, 9, 10**6])), most - tile])
        out = Dim(name, kind, (lo, max(hi, start + size - 1)), min(tile, max(hi, start + size - 1) - lo + 1))
        out.window = (start, start + size - 1)
        out.cover = ((out.window[1] - lo) // out.tile - (start - lo) // out.tile + 1) * out.tile
        return out

    # attributes

    def draw_attributes(self):
        rng, v = self.rng, self.v
        kinds = [t for t in INTS + FLOATS * 2 + TEXTS + ["STRING_ASCII", "STRING_UTF8"] * 3 + DATES + TIMES + ["BOOL"] if self.lib.knows("datatype", DATATYPES.index(t))]
        used = {d.name for d in self.dims}
        few = 3 if self.size == "large" else 6
        for _ in range(rng.choice([0, 1, 2]) if self.sparse and rng.random() < 0.05 else rng.randint(1, few)):
            def draw():
                kind = rng.choice(kinds)
                many = "var" if kind == "ANY" else rng.choices([1, rng.randint(2, 5), "var"], [1, 1, 4] if kind in TEXTS else [5, 1, 1])[0]
                a = Attr(self.name(used, "a"), kind, many, nullable=v >= 8 and kind != "ANY" and rng.random() < 0.3)
                a.enum_size, a.long, a.added = 0, rng.random() < 0.08, False
                if v >= 20 and kind in INTS and many == 1 and rng.random() < 0.3:
                    self.add_enumeration(a)
                if v >= 6 and rng.random() < 0.2 and kind != "ANY":
                    a.fill = self.fill_value(a)
                return a if self.accepted([a]) else None
            a = self.first_accepted(draw)
            for _ in range(30):
                a.filters = pipeline(rng, self.lib, v, a.datatype)
                a.chunk = rng.choice([1, 8, 64, 1000, 1 << 20]) if rng.random() < 0.15 else None
                if self.accepted([a]):
                    break
                a.filters, a.chunk = [], None
            used.add(a.name)
            self.attrs.append(a)

    def add_enumeration(self, a):
        rng = self.rng
        kind = rng.choice(["STRING_ASCII", "STRING_UTF8", "INT64", "UINT8", "FLOAT64", "INT32", "DATETIME_DAY", "BOOL", "FLOAT32"])
        if kind.startswith("STRING"):
            values = rng.sample(PLAIN_WORDS if kind == "STRING_ASCII" else WORDS, rng.randint(1, 6))
        else:
            values = sorted(set(numbers(rng, kind, rng.randint(1, 9), "small" if kind not in FLOATS else "ascending")))
        a.enum, a.enum_size = rng.choice(["e", "Enum %", "ü", "constructor"]) + str(len(self.enums)), len(values)
        self.enums.append((a.enum, kind, values, rng.random() < 0.5))

    def fill_value(self, a):
        rng = self.rng
        if a.datatype in TEXTS:
            many = a.cells if not a.var else rng.randint(1, 5)
            return ("?!abcde"[:many]).encode({2: "utf-16-le", 4: "utf-32-le"}.get(WIDE.get(a.datatype), "utf-8"))
        few = numbers(rng, a.datatype, a.cells if not a.var else rng.randint(1, 3), rng.choice(["small", "extremes"]))
        return few[0] if a.cells == 1 else few

    # steps

    def draw_steps(self):
        rng, v = self.rng, self.v
        present = [a.name for a in self.attrs]
        self.stamp = self.base
        self.seen = set()
        for a in self.attrs:
            a.pattern = rng.choice(["constant", "ascending", "runs", "extremes", "steps", "wild", "small", "small", None])
            if "positive_delta" in filter_names(a.filters) and a.datatype not in TEXTS + FLOATS:
                a.pattern = rng.choice(["ascending", "ascending", "constant"])
        writes = rng.choices([1, 2, 3, 5], [6, 3, 2, 1])[0] if self.size != "large" else 1
        self.evolved = v >= 10 and len(self.attrs) > 1 and rng.random() < 0.1
        if self.evolved:
            self.base = None  # schemas always have the present time
            late = rng.choice(self.attrs[1:])
            late.added = not late.enum
            present = [a.name for a in self.attrs if not a.added]
        if self.enums:
            self.base = None
        self.first_attributes = list(present)
        for i in range(writes):
            self.tick()
            self.draw_write(present)
            if v >= 16 and self.sparse and rng.random() < 0.15 and not self.key:
                self.draw_delete(present)
            if v >= 4 and rng.random() < 0.2 and (not self.key or self.lib.version >= (2, 4, 0)):
                self.draw_metadata()
            if self.evolved and i == 0:
                self.steps.append(("evolve", [a for a in self.attrs if a.added], []))
                present = [a.name for a in self.attrs]
                if len(present) > 2 and rng.random() < 0.5:
                    gone = rng.choice([a for a in self.attrs if not a.added]).name
                    self.steps.append(("evolve", [], [gone]))
                    present.remove(gone)
        if v >= 3 and rng.random() < (0.35 if writes > 1 else 0.1):
            self.draw_consolidation()
            if rng.random() < 0.3:
                self.tick()
                self.draw_write(present)

    def tick(self):
        self.stamp += self.rng.randint(1, 3)

    def draw_write(self, present):
        (self.sparse_write if self.sparse else self.dense_write)(present)

    def columns(self, present, n):
        columns, valid = {}, {}
        for a in self.attrs:
            if a.name in present:
                pattern = a.pattern or self.rng.choice(["constant", "ascending", "runs", "extremes", "steps", "wild", "small"])
                columns[a.name] = cells(self.rng, a, n, pattern)
                if a.nullable:
                    valid[a.name] = validity(self.rng, n)
        return columns, valid

    def dense_write(self, present):
        rng = self.rng
        whole = not self.steps or rng.random() < 0.3 or self.size == "large"
        layout = rng.choice(["row-major"] * 4 + ["col-major"] + ["global"] * 2)
        area = []
        for d in self.dims:
            lo, hi = d.window
            if not whole:
                lo = rng.randint(lo, hi)
                hi = rng.randint(lo, hi)
            if layout == "global":
                lo, hi = ((x - d.domain[0]) // d.tile for x in (lo, hi))
                lo, hi = d.domain[0] + lo * d.tile, d.domain[0] + hi * d.tile + d.tile - 1
                if hi > d.domain[1]:
                    layout = "row-major"
                    hi = d.domain[1]
            area.append((lo, hi))
        n = 1
        for lo, hi in area:
            n *= hi - lo + 1
        if n > 4 * self.budget:
            raise Refused("too many cells")
        columns, valid = self.columns(present, n)
        cuts = [0, n]
        if layout == "global" and rng.random() < 0.5 and n > 1:
            cuts = sorted({0, n, *(rng.randint(1, n - 1) for _ in range(rng.randint(1, 3)))})
        self.steps.append(("write", dict(names=list(present), columns=columns, valid=valid, area=area, layout=layout, cuts=cuts, stamp=self.stamp)))

    def sparse_write(self, present):
        rng = self.rng
        n = {"small": rng.randint(1, 60), "medium": rng.choice([100, 256, 700, 2500]), "large": rng.choice([9000, 20000, 33000])}[self.size]
        found = set()
        for d in self.dims:
            if self.size != "small" and d.datatype in INTS + DATES + TIMES:
                d.pool = d.pool[:2] + [rng.randint(*d.domain) for _ in range(n)]
            elif self.size != "small" and d.datatype == "STRING_ASCII":
                d.pool = d.pool[:2] + [b"n%d" % i for i in range(rng.choice([30, n]))]
        rows = []
        for _ in range(3 * n):
            row = tuple(rng.choice(d.pool) for d in self.dims)
            if row not in found or (self.dups and rng.random() < 0.5):
                found.add(row)
                rows.append(row)
            if len(rows) == n:
                break
        if self.seen and rng.random() < 0.5:  # cells of an earlier write again
            old = [r for r in rng.sample(sorted(self.seen), min(3, len(self.seen))) if r not in found]
            rows += old
        self.seen |= set(rows)
        layout, cuts = "unordered", [0, len(rows)]
        if self.orders[0] != "hilbert" and all(d.datatype not in FLOATS for d in self.dims) and self.v >= 5 and rng.random() < 0.2:
            layout = "global"
            rows.sort(key=self.global_order)
            if rng.random() < 0.6 and len(rows) > 1:
                cuts = sorted({0, len(rows), *(rng.randint(1, len(rows) - 1) for _ in range(rng.randint(1, 3)))})
        columns, valid = self.columns(present, len(rows))
        columns.update({d.name: [r[i] for r in rows] for i, d in enumerate(self.dims)})
        self.steps.append(("write", dict(names=list(present), columns=columns, valid=valid, area=None, layout=layout, cuts=cuts, stamp=self.stamp)))

    def global_order(self, row):
        tiles = [(x - d.domain[0]) // d.tile if d.tile else 0 for d, x in zip(self.dims, row)]
        turn = lambda order, x: x[::-1] if order == "col-major" else x
        return turn(self.orders[1], tiles), turn(self.orders[0], list(row))

    def draw_delete(self, present):
        rng = self.rng
        fields = [a for a in self.attrs if a.name in present and not a.enum and (a.cells == 1 or a.datatype in ("STRING_ASCII", "STRING_UTF8")) and a.datatype not in WIDE] + [d for d in self.dims]

        def leaf():
            f = rng.choice(fields)
            if f.nullable and rng.random() < 0.3:
                return (f.name, f.datatype, rng.choice(["==", "!="]), None)
            pool = f.pool if isinstance(f, Dim) else self.steps[-1][1]["columns"][f.name] if self.steps[-1][0] == "write" else [0]
            return (f.name, f.datatype, rng.choice(["<", "<=", ">", ">=", "==", "!="]), rng.choice(pool))

        tree = leaf() if rng.random() < 0.6 else (rng.choice(["and", "or"]), leaf(), leaf())
        self.tick()
        self.steps.append(("delete", tree, self.stamp))

    def draw_metadata(self):
        rng = self.rng
        entries = {}
        for _ in range(rng.randint(1, 6)):
            kind = rng.choice([t for t in INTS + FLOATS + ["CHAR", "STRING_ASCII", "STRING_UTF8", "BLOB"] if self.lib.knows("datatype", DATATYPES.index(t))])  # types that TileDB-Py can read
            if kind in TEXTS:
                value = rng.choice(WORDS).encode() if rng.random() < 0.8 else b"z" * 70000
            else:
                value = numbers(rng, kind, rng.choice([1, 1, 2, 7]), rng.choice(["small", "extremes"]))
            entries[rng.choice(NAMES + ["__proto__", "k" * 300, " "]) or "key"] = (kind, value)
        drop = [k for s in self.steps if s[0] == "metadata" for k in s[1] if rng.random() < 0.3 and k not in entries]
        self.tick()
        self.steps.append(("metadata", entries, drop, self.stamp))

    def draw_consolidation(self):
        rng = self.rng
        modes = ["fragments"] * 5 + (["fragment_meta"] if self.v >= 5 else []) + (["commits"] * 2 if self.v >= 13 else [])
        mode = rng.choice(modes)
        settings = {} if mode == "fragments" else {"sm__consolidation__mode": mode}
        if mode == "fragments" and rng.random() < 0.3 and self.base:
            settings.update(sm__consolidation__timestamp_start=rng.randint(0, self.base + 2), sm__consolidation__timestamp_end=rng.randint(self.base + 2, self.stamp + 2))
        if mode == "fragments" and rng.random() < 0.2:
            settings.update(sm__consolidation__purge_deleted_cells="true")
        self.steps.append(("consolidate", settings))
        if rng.random() < 0.5:
            self.steps.append(("vacuum", {} if mode == "fragments" else {"sm__vacuum__mode": mode}))

    # filters, which only a write can try

    def settle(self):
        """Draws or drops pipelines until everything can be written."""
        rng, lib, v = self.rng, self.lib, self.v
        if not self.accepted([Attr("probe!", "INT32")] if not self.sparse else [], self.only([])):
            raise Refused("plain array: " + self.why)
        for a in self.attrs:
            for last in (False,) * 6 + (True,):
                if self.accepted([a], self.only([a.name])):
                    break
                if last:
                    raise Refused("attribute %s %s: %s" % (a.datatype, a.filters, self.why))
                a.filters = pipeline(rng, lib, v, a.datatype)
            else:
                a.filters = []
        light = self.attrs[:1] if not self.sparse else []
        for which, kind in (("offsets_filters", "UINT64"), ("validity_filters", "UINT8"), ("coords_filters", "INT32")):
            if rng.random() < 0.35 or (which == "validity_filters" and v < 7):
                continue
            users = light if which == "coords_filters" else [a for a in self.attrs if (a.nullable if which == "validity_filters" else a.var)] or light
            for _ in range(8):
                self.options[which] = pipeline(rng, lib, v, kind)
                if self.accepted(users, self.only([a.name for a in users])):
                    break
                del self.options[which]
        for d in self.dims if v >= 5 else []:
            for _ in range(8):
                d.filters = pipeline(rng, lib, v, d.datatype) if rng.random() < 0.6 else None
                if d.filters is None or self.accepted(light, self.only([a.name for a in light])):
                    break
                d.filters = None

    def only(self, names):
        """The steps, without what concerns other attributes."""
        mine = lambda tree: mine(tree[1]) and mine(tree[2]) if tree[0] in ("and", "or") and len(tree) == 3 else tree[0] in names + [d.name for d in self.dims]
        out = []
        for s in self.steps:
            if s[0] == "write":
                out.append(("write", dict(s[1], names=[n for n in s[1]["names"] if n in names])))
            elif s[0] == "evolve":
                add = [a for a in s[1] if a.name in names]
                drop = [n for n in s[2] if n in names]
                if add or drop:
                    out.append(("evolve", add, drop))
            elif s[0] != "delete" or mine(s[1]):
                out.append(s)
        return out

    # writing

    def build(self, uri, attrs, steps):
        lib = self.lib
        old = lib.version < (2, 4, 0)
        secret = {"sm__encryption_type": "AES_256_GCM", "sm__encryption_key": self.key} if self.key and not old else {}
        if secret:
            lib.use({k.replace("__", "."): v for k, v in secret.items()})
        used = {a.enum for a in attrs}
        options = dict(self.options)
        if self.v < 7:
            options.pop("validity_filters", None)
        first = [a for a in attrs if not getattr(a, "added", False) or not steps] or attrs
        if not any(s[0] == "evolve" for s in steps):
            first = attrs
        lib.create(uri, self.dims, first, sparse=self.sparse, cell_order=self.orders[0], tile_order=self.orders[1], capacity=self.capacity, dups=self.dups,
                   enums=[e for e in self.enums if e[0] in used], key=self.key, **options)
        by = {a.name: a for a in attrs}
        start = self.base or int(time.time() * 1000) + 2
        at = lambda stamp: stamp - STAMP + start
        for s in steps:
            if s[0] == "write":
                w = s[1]
                if not w["names"] and not self.sparse and "probe!" not in by:
                    continue  # the probe has no attribute of this write
                fields = [by[n] for n in w["names"]] if w["names"] or self.sparse else attrs
                columns = w["columns"] if w["names"] or self.sparse else {"probe!": [1] * w["cuts"][-1]}
                lib.validity = w["valid"]
                if w["layout"] == "global" and lib.version >= (2, 0, 0):
                    area = b"".join(encode(d.datatype, list(r)) for d, r in zip(self.dims, w["area"])) if w["area"] else None
                    lib.write_pieces(uri, fields + (self.dims if self.sparse else []), columns, w["cuts"], at(w["stamp"]), self.key, area)
                else:
                    lib.write(uri, self.dims, fields, columns, subarray=w["area"], timestamp=at(w["stamp"]), key=self.key, layout=w["layout"])
            elif s[0] == "delete":
                lib.delete(uri, s[1], at(s[2]))
            elif s[0] == "metadata":
                lib.put_metadata(uri, s[1], timestamp=at(s[3]), drop=s[2])
            elif s[0] == "evolve":
                start = int(time.time() * 1000) + 2
                lib.evolve(uri, add=s[1], drop=s[2], timestamp=start)
            elif s[0] == "consolidate":
                lib.consolidate(uri, key=self.key, **s[1], **secret)
            elif s[0] == "vacuum":
                lib.vacuum(uri, **s[1], **secret)
        if steps and start != STAMP and self.base is None:
            time.sleep(0.03)  # so that no time is in the future

    def tags(self):
        out = {"sparse" if self.sparse else "dense", self.size, self.orders[0], "%dd" % len(self.dims)} | {s[0] for s in self.steps if s[0] != "write"}
        out |= {n for a in self.attrs for n in filter_names(a.filters)} | {d.datatype for d in self.dims} | {a.datatype for a in self.attrs}
        return sorted(out | ({"encrypted"} if self.key else set()) | ({"dups"} if self.dups else set()))

    def room(self):
        """Bytes that a read needs for the longest column of all writes."""
        totals, most = {}, 64
        for s in self.steps:
            for f in self.attrs + self.dims if s[0] == "write" else ():
                sizes = [len(encode(f.datatype, c)) for c in s[1]["columns"].get(f.name, ())]
                totals[f.name] = totals.get(f.name, 0) + max(sum(sizes), 8 * len(sizes))
                most = max([most] if f.var else [most, *sizes])
        box = 1
        for d in self.dims if not self.sparse else ():
            box *= d.window[1] - d.window[0] + 1 + 2 * d.tile
        return max(totals.values()) + box * most + (1 << 16)


def write_one(path, release, version, seed, folder, case):
    """Draws and writes an array. To be called in a new process, because releases may crash."""
    lib = Writer(path)
    with tempfile.TemporaryDirectory() as scratch:
        draw = Draw(lib, version, random.Random(seed), scratch)
        draw.build(os.path.join(folder, case), draw.attrs, draw.steps)
        facts = {"case": case, "tags": draw.tags(), "key": draw.key, "libtiledb": "%d.%d.%d" % lib.version, "release": release, "room": draw.room(), "domains": {d.name: [d.domain, d.tile] for d in draw.dims}}
    with open(os.path.join(folder, case + ".drawn.json"), "w") as f:
        json.dump(facts, f)


def read_one(folder, facts):
    import expected
    expected.ROOM, expected.LONG = min(facts["room"], 1 << 28), 1 << 60
    with open(os.path.join(folder, facts["case"] + ".facts.json"), "w") as f:
        json.dump(facts, f)
    try:
        expected.main([folder])
    except SystemExit as e:  # it always ends with this
        if e.code:
            raise
    path = os.path.join(folder, facts["case"] + ".expected.json")
    with open(path) as f:
        said = json.load(f)
    for s in [said["schema"]] + [s["schema"] for s in said.get("schemas", {}).values()]:
        for d in s["dims"]:
            if d["domain"] is None and not d["var"]:  # TileDB-Py cannot read the domain of every type, so the written one is used
                d["domain"], d["tile"] = facts["domains"][d["name"]]
        for a in s["attrs"]:
            if a["type"] in ("BLOB", "GEOM_WKB", "GEOM_WKT"):  # TileDB-Py shows zeros for any fill value of these types
                a["fill"] = None
    with open(path, "w") as f:
        json.dump(said, f, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


# Number of merged reads of an array.
READS = 6


def ask_one(folder, facts):
    import reads
    import tiledb
    library = next((pathlib.Path(tiledb.__file__).parents[1] / "tiledb.libs").glob("libtiledb-*"))
    case = facts["case"]
    with open(os.path.join(folder, case + ".expected.json")) as f:
        said = json.load(f)
    dims = said["schema"]["dims"]
    # Scaled coordinates lose digits: in a fragment they may then repeat, or be out of order.
    if any(one["name"] == "float_scale" for d in dims for one in d["filters"]):
        return
    queries, _ = reads.asked(reads.reader(library, facts["key"]), os.path.join(folder, case), random.Random(case), READS, said["format_version"] < max(make.RELEASES))
    with open(os.path.join(folder, case + ".reads.json"), "w") as f:
        json.dump(queries, f)


def guarded(fn, args, out):
    try:
        fn(*args)
    except SystemExit as e:
        if e.code:
            out.send(str(e.code))
    except BaseException as e:
        out.send("%s: %s" % (type(e).__name__, e) if isinstance(e, (Refused, RuntimeError)) else traceback.format_exc())
    out.close()
    os._exit(0)


def apart(fn, *args, timeout=240):
    """Runs fn in a new process. @returns what went wrong, or None"""
    here, there = get_context("fork").Pipe(False)
    p = get_context("fork").Process(target=guarded, args=(fn, args, there))
    p.start()
    there.close()
    said = None
    if here.poll(timeout):
        try:
            said = here.recv()
        except EOFError:
            pass
        p.join(10)
    if p.is_alive():
        p.kill()
        p.join()
        return "took too long"
    return said or ("crashed: signal %d" % -p.exitcode if p.exitcode else None)


def reading(requests):
    """Serves a process that has loaded TileDB-Py. Each array is read in a fork of it."""
    import expected  # noqa: F401
    while True:
        folder, facts = requests.recv()
        said = apart(read_one, folder, facts)
        requests.send(said or apart(ask_one, folder, facts))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("bin", nargs="?", help="the program to compare (default: the sources, in one process)")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=10)
    ap.add_argument("--minutes", type=float, help="draw no new array after this time")
    ap.add_argument("--first", type=int, default=0, help="index of the first array (to make a certain one again)")
    ap.add_argument("--out", type=pathlib.Path, help="keep the arrays there")
    ap.add_argument("--no-compare", action="store_true", help="only write them")
    ap.add_argument("--release", default=make.NEWEST, help="TileDB-Py release, or a format version (default: %s)" % make.NEWEST)
    ap.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "random-arrays", help="where wheels and the virtual environment are kept")
    ap.add_argument("--unread", type=pathlib.Path, help="folder for arrays that TileDB wrote but cannot read")
    ap.add_argument("--verbose", action="store_true")
    args = ap.parse_args()
    work = args.work.resolve()
    if not reader_here():
        python = make.reader(work)
        os.execv(python, [str(python), "-B", *sys.argv])
    if args.out:
        sys.exit(run(args, work))
    with tempfile.TemporaryDirectory(prefix="random-arrays-") as scratch:
        args.out = pathlib.Path(scratch)
        code = run(args, work)
    sys.exit(code)


def reader_here():
    """Whether this Python has the TileDB-Py that reads. Asks in a new process, because TileDB-Py must not be loaded beside the library of the release."""
    check = "import sys, importlib.metadata as m; sys.exit(m.version('tiledb') != %r)" % make.NEWEST
    return subprocess.run([sys.executable, "-c", check], stderr=subprocess.DEVNULL).returncode == 0


def compare(paths, program):
    """@returns the differences of each array that differs"""
    with tempfile.NamedTemporaryFile("w", suffix=".list") as f:
        f.writelines(p + "\n" for p in paths)
        f.flush()
        program = [os.path.abspath(program)] if program else []
        done = subprocess.run([os.environ.get("NODE", "node"), str(HERE / "compare.mjs"), f.name, *program], stdout=subprocess.PIPE, cwd=ROOT)
    lines = done.stdout.decode().splitlines()
    if done.returncode not in (0, 1) or not lines:
        sys.exit("compare.mjs failed")
    return {line["path"]: line["differences"] for line in map(json.loads, lines[:-1])}


def read_elsewhere(folder, facts, byte):
    """read_one() with this byte in uninitialised memory."""
    perturb = -6  # M_PERTURB of glibc
    C.CDLL(None).mallopt(perturb, byte)
    read_one(folder, facts)


def lost(out, facts):
    """Whether TileDB has lost cells of an array: its answer changes, or it fails, with other bytes in uninitialised memory."""
    case = facts["case"]
    first = json.loads((out / (case + ".expected.json")).read_text())
    for byte in (85, 170):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(out / case, os.path.join(folder, case))
            said = apart(read_elsewhere, folder, facts, byte)
            path = os.path.join(folder, case + ".expected.json")
            if said or not os.path.exists(path):
                return True
            with open(path) as f:
                if json.load(f) != first:
                    return True
    return False


def run(args, work):
    """@returns the exit code"""
    version = next((v for v, r in make.RELEASES.items() if args.release in (str(v), r[0])), None) or sys.exit("unknown release " + args.release)
    release, tag, _ = make.RELEASES[version]
    path = make.library(release, tag, work)
    ours, theirs = get_context("fork").Pipe()
    server = get_context("fork").Process(target=reading, args=(theirs,), daemon=False)
    server.start()
    args.out.mkdir(parents=True, exist_ok=True)
    folder, unread, made = str(args.out.resolve()), 0, {}
    until = None if args.minutes is None else time.time() + 60 * args.minutes
    for i in range(args.first, args.first + args.count):
        if until is not None and time.time() > until:
            break
        case = "r%d_%d" % (args.seed, i)
        for attempt in range(ATTEMPTS):
            # If a release hangs, the others still need time.
            said = apart(write_one, path, release, version, "%d/%d/%d/%d" % (version, args.seed, i, attempt), folder, case, timeout=240 if until is None else 30)
            drawn = os.path.join(folder, case + ".drawn.json")
            if said is None:
                with open(drawn) as f:
                    facts = json.load(f)
                os.remove(drawn)
                make.prune(args.out / case)
                ours.send((folder, facts))
                said = ours.recv()
                if said is None and os.path.exists(os.path.join(folder, case + ".expected.json")):
                    made[os.path.join(folder, case)] = facts
                    break
                said, unread = "TileDB cannot read it (draw %d): %s" % (attempt, said), unread + 1
                if args.unread:
                    kept = args.unread / ("%s_%d" % (case, attempt))
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    shutil.rmtree(kept, ignore_errors=True)
                    shutil.copytree(args.out / case, kept)
                    with open(str(kept) + ".why.json", "w") as f:
                        json.dump(dict(facts, why=said), f)
            if args.verbose:
                print(case, attempt, re.sub(r"\s+", " ", said)[-400:], flush=True)
            shutil.rmtree(args.out / case, ignore_errors=True)
            for end in (".facts.json", ".expected.json", ".reads.json"):
                (args.out / (case + end)).unlink(missing_ok=True)
        else:
            print(case, "gave up")
    server.terminate()
    found = {} if args.no_compare else compare(list(made), args.bin)
    left_out = [path for path in found if lost(args.out.resolve(), made[path])]
    for path in left_out:
        print("left out: TileDB reads other cells each time:", os.path.basename(path))
    differing = {path: lines for path, lines in found.items() if path not in left_out}
    for path, lines in differing.items():
        print(path, *("    " + line[:600] for line in lines[:20]), sep="\n")
    print(
        "%d arrays of format %d, seed %d from %d on: %s; %d more could be written but not read"
        % (len(made), version, args.seed, args.first, "not compared" if args.no_compare else "%d differ" % len(differing), unread + len(left_out))
    )
    return 1 if differing else 0


if __name__ == "__main__":
    main()
