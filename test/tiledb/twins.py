#!/usr/bin/env python3
"""Makes each random history twice and compares the twins: twins.py [--seed S] [--count N] [--only NUMBER] [--keep DIR]

A history is writes, deletes (also tests for null), consolidations (also of a span of time, and with purge), vacuums, evolutions and key-value metadata.
The arrays are dense or sparse, with numbers of every width, dates, text of fixed and of any length, nulls, enumerations and duplicates. write-sample
makes one twin, TileDB-Py the other. Then TileDB-Py and `read` read both, as of now and as of some earlier times: all four see the same cells.
`check` finds nothing in the twin of write-sample, and metadata is the same in both. Some histories end with a step that TileDB cannot digest:
write-sample must refuse it. The exit code is 1 if anything differs.
"""
import argparse
import base64
import collections
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pipe, get_context
from random import Random

import environment

environment.enter()

import numpy as np  # noqa: E402
import tiledb  # noqa: E402
from tiledb.sparse_array import _setitem_impl_sparse  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
INTEGERS = ["INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64"]
DATES = {"DATETIME_DAY": "D", "DATETIME_SEC": "s", "DATETIME_NS": "ns", "DATETIME_MONTH": "M"}
TEXTS = ["CHAR", "STRING_ASCII", "STRING_UTF8"]
LETTERS = {"CHAR": "ab", "STRING_ASCII": "abz~ ", "STRING_UTF8": "abé"}
LABELS = ["oak", "ash", "elm", "yew", "fir"]
WIDTH = 3  # of fixed text
# What check warns of in arrays of TileDB, too: a vacuum of commits leaves delete conditions that their next consolidation does not find.
OF_TILEDB = ["DELETE_CONDITION_FILE"]
FILTERS = {"number": [[], ["ZSTD"], ["GZIP"], ["BYTESHUFFLE", "LZ4"], ["BITSHUFFLE"], ["RLE"], ["BIT_WIDTH_REDUCTION", "ZSTD"]], "text": [[], ["ZSTD"], ["RLE"], ["GZIP"]]}
CONFIG = {"sm.consolidation.amplification": 1000, "sm.mem.total_budget": 100 << 20, "sm.consolidation.total_buffer_size": 10 << 20, "sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1}


def is_text(field):
    return field["type"] in TEXTS


def dtype_of(datatype):
    return np.dtype("datetime64[%s]" % DATES[datatype]) if datatype in DATES else np.dtype("bool" if datatype == "BOOL" else datatype.lower())


# What is drawn


def drawn_dimension(name, sparse, draw):
    datatype = draw.choice(INTEGERS + ["DATETIME_DAY"] + ["STRING_ASCII", "FLOAT64"] * sparse)
    if datatype == "STRING_ASCII":
        return {"name": name, "type": datatype, "cell_val_num": "var", "domain": None, "tile_extent": None}
    low = 0 if datatype.startswith("U") else draw.choice([-3, 0, 1])
    high = low + draw.randint(3, 9 if sparse else 6)
    extent = draw.randint(1, high - low + 1)
    as_written = lambda value: str(np.datetime64(value, "D")) if datatype in DATES else value
    return {"name": name, "type": datatype, "cell_val_num": 1, "domain": [as_written(low), as_written(high)], "ends": [low, high], "tile_extent": extent}


def drawn_attribute(name, draw):
    kind = draw.random()
    datatype = draw.choice(TEXTS) if kind < 0.4 else draw.choice(INTEGERS) if kind < 0.75 else draw.choice([*DATES, "FLOAT32", "FLOAT64", "BOOL"])
    count = WIDTH if datatype == "CHAR" else "var" if datatype in TEXTS else 1
    filters = draw.choice(FILTERS["text" if datatype in TEXTS else "number"])
    if datatype.startswith("FLOAT") or datatype == "BOOL" or datatype == "CHAR":
        filters = [one for one in filters if one != "BIT_WIDTH_REDUCTION"]
    return {"name": name, "type": datatype, "cell_val_num": count, "nullable": draw.random() < 0.5, "filters": {"filters": [{"name": one} for one in filters]}}


def drawn_schema(draw):
    sparse = draw.random() < 0.65
    dimensions = [drawn_dimension("x", sparse, draw)]
    if draw.random() < 0.4:
        dimensions.append(drawn_dimension("y", sparse, draw) if sparse else {**json.loads(json.dumps(dimensions[0])), "name": "y"})
    schema = {
        "array_type": "sparse" if sparse else "dense",
        "cell_order": draw.choice(["row-major", "col-major"]),
        "tile_order": draw.choice(["row-major", "col-major"]),
        "capacity": draw.choice([2, 3, 100, 100]),
        "allows_duplicates": sparse and draw.random() < 0.3,
        "dimensions": dimensions,
        "attributes": [drawn_attribute("abc"[i], draw) for i in range(draw.randint(1, 3))],
    }
    if draw.random() < 0.4:
        ordered, labels = draw.random() < 0.3, draw.sample(LABELS, 3)
        schema["enumerations"] = [{"name": "trees", "type": "STRING_UTF8", "cell_val_num": "var", "ordered": ordered, "values": labels}]
        schema["attributes"].append({"name": "k", "type": draw.choice(["INT8", "UINT16", "INT32"]), "cell_val_num": 1, "nullable": draw.random() < 0.4, "enumeration": "trees", "filters": {"filters": []}})
    return schema


def drawn_value(field, schema, draw):
    datatype = field["type"]
    if field.get("nullable") and draw.random() < 0.3:
        return None
    if field.get("enumeration"):
        return draw.randrange(len(schema["enumerations"][0]["values"]))
    if datatype in TEXTS:
        length = WIDTH if datatype == "CHAR" else draw.choice([0, 1, 1, 2, 9])
        return "".join(draw.choice(LETTERS[datatype]) for _ in range(length))
    if datatype == "BOOL":
        return draw.random() < 0.5
    if datatype.startswith("FLOAT"):
        return draw.choice([0.0, -0.0, 1.5, -2.25, 1e10, float(draw.randint(-9, 9))])
    if datatype in DATES:
        return draw.randint(-400, 20000)
    info = np.iinfo(dtype_of(datatype))
    return draw.choice([0, 1, 2, 3, info.max, info.max - 1, info.min + 1, draw.randint(info.min + 1, info.max)])


def drawn_place(dimension, draw):
    if dimension["type"] == "STRING_ASCII":
        return draw.choice(["a", "b", "ab", "zz", "k1"])
    low, high = dimension["ends"]
    return draw.randint(2 * low, 2 * high) / 2 if dimension["type"] == "FLOAT64" else draw.randint(low, high)


def drawn_cells(schema, known, draw):
    """
    Many cells have a place where there is one already. @param known the places of earlier cells
    @returns cells, and the box that those of a dense array fill
    """
    dimensions = schema["dimensions"]
    if schema["array_type"] == "dense":
        box = [sorted(drawn_place(d, draw) for _ in range(2)) for d in dimensions]
        places = list(itertools.product(*[range(low, high + 1) for low, high in box]))
    else:
        box = None
        one = lambda: draw.choice(known) if known and draw.random() < 0.6 else tuple(drawn_place(d, draw) for d in dimensions)
        places = [one() for _ in range(draw.randint(1, 12))]
        if not schema["allows_duplicates"]:
            places = sorted(set(places))
    names = [d["name"] for d in dimensions]
    cells = [dict(zip(names, place), **{a["name"]: drawn_value(a, schema, draw) for a in schema["attributes"]}) for place in places]
    for a in schema["attributes"]:
        # TileDB-Py does not write text of which every cell is empty.
        if a["cell_val_num"] == "var" and not any(cell[a["name"]] for cell in cells):
            cells[0][a["name"]] = "a"
    return cells, box


def drawn_test(schema, draw):
    """One comparison of a delete condition. @returns its text and its attribute, or None for a dimension"""
    fields = [d for d in schema["dimensions"] if d["type"] in INTEGERS] + schema["attributes"]
    field = draw.choice(fields)
    name = field["name"]
    if is_text(field) and field.get("nullable") and draw.random() < 0.6:
        return "%s %s None" % (name, draw.choice(["==", "!="])), name
    value = drawn_place(field, draw) if "ends" in field else next(v for v in iter(lambda: drawn_value(field, schema, draw), 0.5) if v is not None)
    if field.get("enumeration"):
        enumeration = schema["enumerations"][0]
        return "%s %s %s" % (name, draw.choice(["==", "!="] + ["<", ">="] * enumeration["ordered"]), json.dumps(enumeration["values"][value])), name
    if field["type"] == "BOOL":
        return "%s == %s" % (name, value), name
    return "%s %s %s" % (name, draw.choice(["==", "!=", "<", ">", "<=", ">="]), json.dumps(value, ensure_ascii=False)), name


class History:
    """Steps of write-sample, and beside each the schema before it and what TileDB-Py needs in addition."""

    def __init__(self, number, draw):
        self.number, self.draw, self.now = number, draw, 100
        self.schema = drawn_schema(draw)
        self.steps, self.beside, self.places = [], [], []
        self.compared = set()  # attributes that delete conditions compare
        self.added = 0
        self.refused = False
        self.add({"step": "create", "schema": json.loads(json.dumps(self.schema, default=str))})
        for d in self.steps[0]["schema"]["dimensions"]:
            d.pop("ends", None)
        self.write()
        for _ in range(draw.randint(2, 8)):
            self.any_step()
        if draw.random() < 0.15:
            self.refused_step()

    def add(self, step, box=None):
        if step["step"] not in ("consolidate", "vacuum"):
            # Only cells of arrays with duplicates may have equal times: otherwise it is left to chance which of them is read.
            equal = self.schema["allows_duplicates"] and step["step"] == "write" and self.steps[-1]["step"] == "write"
            self.now += self.draw.randint(0 if equal else 1, 4)
            step["time"] = self.now
        self.steps.append(step)
        self.beside.append((json.loads(json.dumps(self.schema)), box))

    def any_step(self):
        kind, sparse = self.draw.random(), self.schema["array_type"] == "sparse"
        if kind < 0.4:
            self.write()
        elif kind < 0.6 and sparse:
            self.delete()
        elif kind < 0.68:
            self.evolve()
        elif kind < 0.75:
            put = {"k%d" % self.draw.randrange(3): self.draw.choice([self.draw.randrange(1000), "text", 1.5])}
            self.add({"step": "metadata", "put": put, "delete": [] if "k1" in put else ["k1"] * self.draw.randrange(2)})
        else:
            self.consolidate()

    def write(self):
        cells, box = drawn_cells(self.schema, self.places, self.draw)
        self.places += [tuple(cell[d["name"]] for d in self.schema["dimensions"]) for cell in cells]
        self.add({"step": "write", "cells": cells}, box)

    def delete(self):
        tests = [drawn_test(self.schema, self.draw) for _ in range(self.draw.choice([1, 1, 2]))]
        self.compared |= {name for _, name in tests}
        self.add({"step": "delete", "where": self.draw.choice([" and ", " or "]).join(text for text, _ in tests)})

        if self.draw.random() < 0.4:
            # Right after it, a purge must not bring back what the deleted cells had overwritten.
            self.consolidate("fragments", True)

    def consolidate(self, mode=None, purge=False):
        mode = mode or self.draw.choice(["fragments"] * 4 + ["fragment_meta", "commits", "array_meta"])
        step = {"step": "consolidate", "mode": mode}
        # If a consolidated fragment has the cells of one place in two tiles, TileDB 2.30 brings back those of the second tile.
        once = not any(one["step"] == "consolidate" and one["mode"] == "fragments" for one in self.steps)
        safe = once or self.schema["allows_duplicates"] or self.schema["capacity"] == 100
        if mode == "fragments" and self.schema["array_type"] == "sparse" and safe and (purge or self.draw.random() < 0.4):
            step["purge"] = True
        # write-sample refuses dense fragments above older ones, which TileDB leaves as they are.
        if mode == "fragments" and self.schema["array_type"] == "sparse" and self.draw.random() < 0.3:
            step["between"] = sorted(self.draw.randint(100, self.now) for _ in range(2))
        self.add(step)
        if self.draw.random() < 0.5:
            self.add({"step": "vacuum", "mode": mode})

    def evolve(self):
        step, schema = {"step": "evolve"}, self.schema
        droppable = [a["name"] for a in schema["attributes"] if a["name"] not in self.compared]
        kind = self.draw.random()
        if kind < 0.3 and schema.get("enumerations") and any(a.get("enumeration") for a in schema["attributes"]):
            left = [one for one in LABELS if one not in schema["enumerations"][0]["values"]]
            if not left:
                return
            step["extend_enumerations"] = [{"name": "trees", "values": left[:1]}]
        elif kind < 0.5 and droppable and len(schema["attributes"]) > 1:
            step["drop_attributes"] = [self.draw.choice(droppable)]
        else:
            self.added += 1
            step["add_attributes"] = [drawn_attribute("n%d" % self.added, self.draw)]
        self.add(step)
        schema["attributes"] = [a for a in schema["attributes"] if a["name"] not in step.get("drop_attributes", [])] + step.get("add_attributes", [])
        for one in step.get("extend_enumerations", []):
            schema["enumerations"][0]["values"] += one["values"]

    def refused_step(self):
        """A delete condition after which TileDB cannot read the array: a test for null of anything but text."""
        names = [a["name"] for a in self.schema["attributes"] if a["nullable"] and not is_text(a)]
        if names and self.schema["array_type"] == "sparse":
            self.add({"step": "delete", "where": "%s == None" % self.draw.choice(names)})
            self.refused = True


# TileDB-Py makes the twin


def attribute_of(field):
    options = {"name": field["name"], "nullable": field["nullable"], "filters": [FILTER_CLASSES[one["name"]]() for one in field["filters"]["filters"]]}
    if field["type"] == "CHAR":
        return tiledb.Attr(dtype="S%d" % WIDTH, **options)
    if field["type"] in TEXTS:
        return tiledb.Attr(dtype="ascii" if field["type"] == "STRING_ASCII" else np.dtype("U0"), var=True, **options)
    return tiledb.Attr(dtype=dtype_of(field["type"]), enum_label=field.get("enumeration"), **options)


FILTER_CLASSES = {"ZSTD": tiledb.ZstdFilter, "GZIP": tiledb.GzipFilter, "LZ4": tiledb.LZ4Filter, "RLE": tiledb.RleFilter, "BYTESHUFFLE": tiledb.ByteShuffleFilter,
                  "BITSHUFFLE": tiledb.BitShuffleFilter, "BIT_WIDTH_REDUCTION": tiledb.BitWidthReductionFilter}


def dimension_of(d):
    if d["type"] == "STRING_ASCII":
        return tiledb.Dim(d["name"], domain=(None, None), dtype="ascii")
    typed = dtype_of(d["type"])
    extent = np.timedelta64(d["tile_extent"], "D") if d["type"] in DATES else d["tile_extent"]
    return tiledb.Dim(d["name"], domain=tuple(np.array(d["ends"]).astype(typed)), tile=extent, dtype=typed)


def create(path, schema, at):
    enums = [tiledb.Enumeration(e["name"], e["ordered"], e["values"]) for e in schema.get("enumerations", [])]
    tiledb.Array.create(path, tiledb.ArraySchema(
        tiledb.Domain(*map(dimension_of, schema["dimensions"])), attrs=[attribute_of(a) for a in schema["attributes"]], sparse=schema["array_type"] == "sparse",
        cell_order=schema["cell_order"], tile_order=schema["tile_order"], capacity=schema["capacity"], allows_duplicates=schema["allows_duplicates"], enums=enums))
    # TileDB writes the first schema at the present time.
    for file in pathlib.Path(path, "__schema").glob("__*_*_*"):
        file.rename(file.with_name("__%d_%d_%s" % (at, at, file.name.split("_")[4])))


def column_of(field, values):
    if field["type"] == "CHAR":
        return np.array([(v or "").encode() for v in values], dtype="S%d" % WIDTH)
    if field["type"] in TEXTS:
        return np.array(values, dtype=object)
    typed = dtype_of(field["type"])
    plain = [0 if v is None else v for v in values]
    return np.array(plain, dtype=np.int64).view(typed) if field["type"] in DATES else np.array(plain, dtype=typed)


def write(path, schema, step, box):
    with tiledb.open(path, "w", timestamp=step["time"]) as array:
        columns, validity = {}, {}
        for a in schema["attributes"]:
            values = [cell[a["name"]] for cell in step["cells"]]
            columns[a["name"]] = column_of(a, values)
            if a["nullable"]:
                validity[a["name"]] = np.array([v is not None for v in values], dtype=np.uint8)
        dimensions = schema["dimensions"]
        if box is None:
            places = [np.array([cell[d["name"]] for cell in step["cells"]], dtype="S" if d["type"] == "STRING_ASCII" else None) for d in dimensions]
            places = [p if d["type"] == "STRING_ASCII" else p.astype(np.int64).view(dtype_of(d["type"])) if d["type"] in DATES else p.astype(dtype_of(d["type"])) for d, p in zip(dimensions, places)]
            _setitem_impl_sparse(array, tuple(places), columns, validity)
            return
        ranges = tiledb.Subarray(array)
        for i, (d, ends) in enumerate(zip(dimensions, box)):
            ranges.add_dim_range(i, tuple(np.array(ends).astype(dtype_of(d["type"]))))
        array._setitem_impl(ranges, columns, validity)


def change(path, schema, step, box):
    """Does a step by TileDB-Py."""
    kind, at = step["step"], step.get("time")
    if kind == "create":
        create(path, schema, at)
    elif kind == "write":
        write(path, schema, step, box)
    elif kind == "delete":
        with tiledb.open(path, "d", timestamp=at) as array:
            array.query(cond=step["where"]).submit()
    elif kind == "metadata":
        with tiledb.open(path, "w", timestamp=at) as array:
            for key in step["delete"]:
                del array.meta[key]
            array.meta.update(step["put"])
    elif kind == "consolidate":
        settings = {**CONFIG, "sm.consolidation.mode": step["mode"], "sm.consolidation.purge_deleted_cells": str(step.get("purge", False)).lower()}
        tiledb.consolidate(path, config=tiledb.Config(settings), timestamp=tuple(step["between"]) if "between" in step else None)
    elif kind == "vacuum":
        tiledb.vacuum(path, config=tiledb.Config({**CONFIG, "sm.vacuum.mode": step["mode"]}))
    else:
        evolve(path, step, at)


def make(path, history):
    """Does all steps by TileDB-Py. @returns which step it refuses, or None"""
    for step, (schema, box) in zip(history.steps[:-1] if history.refused else history.steps, history.beside):
        try:
            change(path, schema, step, box)
        except tiledb.TileDBError as e:
            return "TileDB refuses %s: %s" % (json.dumps(step)[:200], e)
    return None


def evolve(path, step, at):
    evolution = tiledb.ArraySchemaEvolution()
    for name in step.get("drop_attributes", []):
        evolution.drop_attribute(name)
    for a in step.get("add_attributes", []):
        evolution.add_attribute(attribute_of(a))
    for one in step.get("extend_enumerations", []):
        with tiledb.open(path) as array:
            evolution.extend_enumeration(array.enum(one["name"]).extend(one["values"]))
    evolution.timestamp(at)
    evolution.array_evolve(path)


# What is read


def plain(field, value):
    """A value as both print it: null, an integer, the bits of a float, or bytes of text."""
    if value is None or value is np.ma.masked:
        return None
    if is_text(field):
        raw = value.encode() if isinstance(value, str) else bytes(value)
        return raw.rstrip(b"\0")  # as numpy does
    if field["type"].startswith("FLOAT"):
        value = float(value)
        return "NaN" if math.isnan(value) else value.hex()
    return int(value)


def rows_of(fields, columns):
    return collections.Counter(zip(*[[plain(field, value) for value in column] for field, column in zip(fields, columns)]))


def aggregates(path, at):
    """
    What TileDB takes from statistics where it can: nulls, extremes and sums; or its error. Left out are those that it gets wrong: sums of 64 bits, which
    stop at their limits, and nulls of text without fixed length in dense arrays, for which it looks at the wrong cells.
    """
    wanted = {}
    try:
        with tiledb.open(path, timestamp=at) as array:
            for a in (array.attr(i) for i in range(array.schema.nattr)):
                kinds = ["null_count"] * (a.isnullable and (array.schema.sparse or not a.isvar))
                if not a.isvar and a.dtype.kind in "iuf":
                    kinds += ["min", "max"] + ["sum"] * (a.dtype.itemsize < 8)
                if kinds:
                    wanted[a.name] = kinds
            # Of zeros that are equal, the one counts whose tile a thread has read last.
            return re.sub(r"(?<![\d.])-0\.0(?!\d)", "0.0", str(array.query().agg(wanted)[:])) if wanted else ""
    except tiledb.TileDBError as e:
        return str(e)


def by_tiledb(path, schema, at):
    """What TileDB-Py reads: cells, and metadata; or its error."""
    sparse = schema["array_type"] == "sparse"
    try:
        with tiledb.open(path, timestamp=at) as array:
            read = array.subarray(np.s_[:] if len(schema["dimensions"]) == 1 else np.s_[:, :])
            read = read if isinstance(read, dict) else {array.attr(0).name: read}
            fields = schema["dimensions"] * sparse + schema["attributes"]
            columns = [read[f["name"]].reshape(-1) for f in fields]
            columns = [c.astype(np.int64) if c.dtype.kind == "M" else c for c in columns]
            cells = rows_of(fields, columns) if sparse else list(zip(*[[plain(f, v) for v in c] for f, c in zip(fields, columns)]))
            return cells, dict(array.meta)
    except tiledb.TileDBError as e:
        return "TileDB-Py: " + str(e).replace(path, "ARRAY")


def bits(value):
    """A value of `--raw` as Python has it."""
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    return float(value.split(":")[0]) if isinstance(value, str) else value


def as_read(answer, schema):
    """What `read` printed, in the form of by_tiledb(); or its error."""
    if answer["code"]:
        return "read ends with %d: %s" % (answer["code"], answer["stderr"])
    sparse = schema["array_type"] == "sparse"
    fields = schema["dimensions"] * sparse + schema["attributes"]
    rows = [json.loads(line) for line in answer["text"].splitlines()]
    printed = lambda f, v: plain(f, v if v is None else v.encode() if is_text(f) and isinstance(v, str) else bits(v))
    columns = [[printed(f, row[f["name"]]) for row in rows] for f in fields]
    return collections.Counter(zip(*columns)) if sparse else list(zip(*columns))


def schema_at(history, at):
    """The schema of a time: after all steps up to then. A schema is changed in place as steps are added, so it stands beside the step after."""
    after = [history.beside[i + 1][0] if i + 1 < len(history.steps) else history.schema for i in range(len(history.steps))]
    known = [schema for step, schema in zip(history.steps, after) if at is None or step.get("time", 0) <= at]
    # Consolidations have no time, but change no schema either.
    timed = [schema for step, schema in zip(history.steps, after) if "time" in step and (at is None or step["time"] <= at)]
    return timed[-1] if timed else known[-1]


def times_of(history):
    """Some times of steps, and now."""
    times = sorted({step["time"] for step in history.steps if "time" in step})
    return sorted(history.draw.sample(times, min(3, len(times)))) + [None]


def answers(calls, folder):
    (folder / "calls.json").write_text(json.dumps(calls))
    register = environment.ROOT / "test" / "fuzz" / "register.mjs"
    done = subprocess.run(["node", "--import", str(register), str(HERE / "answers.mjs"), str(folder / "calls.json")], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def guarded(work, *arguments):
    """Runs work in a new process. @returns what it returns, or that TileDB crashed"""
    mine, other = Pipe(False)
    process = get_context("fork").Process(target=lambda: other.send(work(*arguments)))
    process.start()
    other.close()
    try:
        return mine.recv() if mine.poll(20) else "TileDB gives no answer"
    except EOFError:
        return "TileDB crashes"
    finally:
        process.kill()
        process.join()


def difference(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return "%s / %s" % (str(one)[:200], str(other)[:200])
    if isinstance(one, tuple):  # cells and metadata
        return difference(one[0], other[0]) if one[0] != other[0] else "metadata %s / %s" % (one[1], other[1])
    if isinstance(one, collections.Counter):
        return "only the first %s, only the second %s" % (list((one - other).items())[:3], list((other - one).items())[:3])
    return "%d and %d cells; first other ones %s" % (len(one), len(other), next((pair for pair in zip(one, other) if pair[0] != pair[1]), None))


def judged(history, folder, said, theirs):
    """Compares the twins. @returns what differs, or None"""
    mine, twin = str(folder / ("%d.mine" % history.number)), str(folder / ("%d.tiledb" % history.number))
    if history.refused:
        return None if said[0]["code"] == 2 else "write-sample does a step that TileDB cannot digest: %s" % history.steps[-1]["where"]
    if said[0]["code"]:
        return "write-sample ends with %d: %s" % (said[0]["code"], said[0]["stderr"])
    found = [one for one in json.loads(said[1]["text"])["findings"] if one["severity"] != "note" and one["code"] not in OF_TILEDB]
    if found:
        return "check: %s" % found[:3]
    for i, at in enumerate(theirs):
        schema = schema_at(history, at)
        first, second = guarded(by_tiledb, twin, schema, at), guarded(by_tiledb, mine, schema, at)
        if first != second:
            return "as of %s, TileDB reads of its twin and of ours: %s" % (at, difference(first, second))
        # TileDB crashes where some fragments lack an attribute.
        sums = [guarded(aggregates, path, at) for path in (twin, mine)] if at is None else []
        if len(set(sums)) > 1:
            return "aggregates of TileDB in its twin and in ours: %s / %s" % tuple(sums)
        for whose, answer in zip(["ours", "its twin"], said[2 + 2 * i :]):
            ours = as_read(answer, schema)
            if ours != first[0]:
                return "as of %s, TileDB and `read` of %s: %s" % (at, whose, difference(first[0], ours))
    return None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=45)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    ap.add_argument("--only", type=int)
    ap.add_argument("--keep", type=pathlib.Path)
    args = ap.parse_args()
    folder = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="twins-"))
    folder.mkdir(parents=True, exist_ok=True)
    print("seed %d" % args.seed, flush=True)
    numbers = range(args.count) if args.only is None else [args.only]
    try:
        wrong, unjudged = compared([History(n, Random("%d %d" % (args.seed, n))) for n in numbers], folder)
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    right = len(numbers) - wrong - unjudged
    print("%d histories the same in both twins, %d not, %d that only TileDB refuses" % (right, wrong, unjudged))
    return 1 if wrong or unjudged * 5 > len(numbers) else 0


def compared(histories, folder):
    calls, ours = [], []
    for history in histories:
        mine, twin, steps = (str(folder / ("%d.%s" % (history.number, kind))) for kind in ("mine", "tiledb", "steps.json"))
        pathlib.Path(steps).write_text(json.dumps({"steps": history.steps}, indent=1))
        why = guarded(make, twin, history)
        times = [] if history.refused else times_of(history)
        dense = history.schema["array_type"] == "dense"
        # Without a range, `read` prints only the box of what was written.
        box = [word for d in history.steps[0]["schema"]["dimensions"] for word in ["--range", "%s=%s..%s" % (d["name"], *d["domain"])]] if dense else []
        first = len(calls)
        calls.append(["write-sample", mine, "--steps", steps, "--quiet"])
        calls.append(["check", mine, "--level", "cells", "--json", "--quiet"])
        for at, path in itertools.product(times, [mine, twin]):
            calls.append(["read", path, "--raw", "--format", "ndjson", "--quiet", *box] + ([] if at is None else ["--as-of", str(at)]))
        ours.append((why, times, first, len(calls)))
    said, wrong, unjudged = answers(calls, folder), 0, 0
    for history, (why, times, first, last) in zip(histories, ours):
        if why:
            if said[first]["code"] == 2:
                continue  # write-sample refuses it, too
            unjudged += 1
            print("  %d: %s" % (history.number, why[:300]))
            continue
        why = judged(history, folder, said[first:last], times)
        if why:
            wrong += 1
            print("  %d: %s" % (history.number, why[:600]))
    return wrong, unjudged


if __name__ == "__main__":
    sys.exit(main())
