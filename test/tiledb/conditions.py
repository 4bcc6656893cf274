#!/usr/bin/env python3
"""Compares --where with the conditions of TileDB-Py: conditions.py [--seed S] [--count N]

Writes random sparse arrays with attributes of many types, nulls, labels, and attributes that were added later. Draws 40 conditions for each, and
asks TileDB-Py which cells meet them. conditions.mjs asks the parser and evaluator of --where the same. A condition that TileDB-Py refuses, the
parser must refuse, too. The exit code is 1 if anything differs.
"""
import argparse
import json
import keyword
import shutil
import subprocess
import time
from random import Random

import environment

environment.enter()

import numpy as np  # noqa: E402
import tiledb  # noqa: E402

TEXT = ["", "a", "ab", "abc", "b", "é", "zz", "a b", 'quo"te', "don't"]
NUMBERS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 bool datetime64[D] datetime64[ns]".split()
OPS = ["<", "<=", ">", ">=", "==", "!="]


class Field:
    def __init__(self, rng, name):
        self.name, self.rng = name, rng
        self.type = rng.choice(NUMBERS + ["ascii", "utf8", "bytes", "labels", "ordered", "numbered"] * 2)
        self.nullable = rng.random() < 0.4
        self.values = self.pool()

    def pool(self):
        """Python values to draw from."""
        if self.type in ("ascii", "bytes"):
            return [t for t in TEXT if t.isascii()]
        if self.type == "utf8":
            return TEXT
        if self.type in ("labels", "ordered"):
            return ["oak", "ash", "elm", "yew"]
        if self.type == "numbered":
            return [10, 2, -300]
        if self.type == "bool":
            return [True, False]
        if self.type.startswith("float"):
            return [0.0, 1.5, -1.5, 3.25, 1e10, 0.1, float("nan"), float("inf")]
        info = np.iinfo("int64" if self.type.startswith("date") else self.type)
        some = [0, 1, 2, 7, -1, info.min + 1, info.max, info.max - 1, 2**31, 2**53 + 1, 2**53]
        return [v for v in some if info.min <= v <= info.max]

    def enumeration(self):
        if self.type not in ("labels", "ordered", "numbered"):
            return None
        values = np.array(self.values, dtype=np.int32) if self.type == "numbered" else self.values
        return tiledb.Enumeration("of " + self.name, self.type != "labels", values)

    def attribute(self):
        options = {"name": self.name, "nullable": self.nullable}
        if self.enumeration() is not None:
            return tiledb.Attr(dtype=np.int8, enum_label="of " + self.name, **options)
        if self.type == "ascii":
            return tiledb.Attr(dtype="ascii", var=True, **options)
        if self.type == "utf8":
            return tiledb.Attr(dtype=np.dtype("U0"), var=True, **options)
        if self.type == "bytes":
            return tiledb.Attr(dtype=np.dtype("S0"), var=True, **options)
        return tiledb.Attr(dtype=np.dtype(self.type), **options)

    def cells(self, n):
        drawn = [self.rng.choice(self.values) for _ in range(n)]
        if self.enumeration() is not None:
            # Index -1 has no label.
            return np.array([self.rng.choice([-1, *range(len(self.values))]) for _ in range(n)], dtype=np.int8)
        if self.type in ("ascii", "utf8"):
            return np.array(drawn, dtype=object) if any(drawn) else np.array(["a"] * n, dtype=object)
        if self.type == "bytes":
            return np.array([d.encode() for d in drawn], dtype=object)
        if self.type.startswith("date"):
            return np.array(drawn, dtype=np.int64).view(self.type)
        return np.array(drawn, dtype=self.type)

    def literal(self):
        if self.type in ("labels", "ordered"):
            return repr(self.rng.choice([*self.values, "none"]))
        if self.type == "numbered":
            return repr(self.rng.choice([*self.values, 5]))
        finite = [v for v in self.values if not isinstance(v, float) or abs(v) < 1e300 and v == v]
        value = self.rng.choice(finite)
        if isinstance(value, str):
            return self.rng.choice([repr(value), json.dumps(value)])
        return repr(value)

    def spelled(self):
        words = [self.name, "attr(%r)" % self.name]
        return self.rng.choice(words) if self.name.isidentifier() and not keyword.iskeyword(self.name) else words[1]


class Coordinate(Field):
    """The dimension."""

    def __init__(self, rng, n):
        self.name, self.rng, self.type, self.nullable = "d", rng, "int32", False
        self.values = list(range(n))

    def enumeration(self):
        return None

    def spelled(self):
        return self.rng.choice(["d", "dim('d')"])


def leaf(rng, fields):
    field = rng.choice(fields)
    name, drawn = field.spelled(), rng.random()
    if drawn < 0.1:
        return "%s %s None" % (name, rng.choice(["==", "!="]))
    # TileDB-Py refuses dim() before a list, and lists of small integers.
    if drawn < 0.35 and not name.startswith("dim") and field.type not in ("int8", "uint8", "int16", "uint16", "bool"):
        members = sorted({field.literal() for _ in range(rng.randint(1, 3))})
        # TileDB refuses a set that has only the empty text. TileDB-Py refuses signs in a set.
        if members not in (["''"], ['""'], ["''", '""'], ['""', "''"]) and not any(m[0] == "-" for m in members):
            return "%s %s [%s]" % (name, rng.choice(["in", "not in"]), ", ".join(members))
    if drawn < 0.45 and field.type not in ("bool", "labels"):
        return "%s <= %s < %s" % (field.literal(), name, field.literal())
    return comparison(rng, field)


def comparison(rng, field):
    """A comparison. TileDB-Py 0.36 accepts `not` only before these: before joined conditions it fails, before lists it crashes."""
    # Labels without an order are compared only rarely by order, because TileDB-Py refuses that.
    name, op, value = field.spelled(), rng.choice(OPS if field.type != "labels" or rng.random() < 0.1 else OPS[4:]), field.literal()
    if rng.random() < 0.1:
        return " ".join(reversed_sides(name, op, value))
    # TileDB-Py refuses val() on the left, and a sign in it.
    return "%s %s %s" % (name, op, "val(%s)" % value if rng.random() < 0.1 and value[0] != "-" else value)


def reversed_sides(name, op, value):
    return value, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op), name


def condition(rng, fields, depth=0):
    drawn = rng.random()
    if depth == 3 or drawn < 0.4:
        return leaf(rng, fields)
    if drawn < 0.5:
        return "not " + comparison(rng, rng.choice(fields))
    parts = [condition(rng, fields, depth + 1) for _ in range(rng.randint(2, 3))]
    sign = rng.choice([" and ", " or ", " & ", " | "])
    if sign in (" & ", " | ") or rng.random() < 0.7:
        parts = ["(%s)" % part for part in parts]
    return sign.join(parts)


def write(uri, fields, first, n):
    with tiledb.open(uri, "w") as array:
        values = {f.name: f.cells(n) for f in fields}
        nulls = {f.name: np.array([f.rng.random() < 0.7 for _ in range(n)], dtype=np.uint8) for f in fields if f.nullable}
        tiledb.sparse_array._setitem_impl_sparse(array, (np.arange(first, first + n, dtype=np.int32),), values, nulls)


def drawn_array(rng, uri):
    """Writes an array. @returns its fields"""
    shutil.rmtree(uri, ignore_errors=True)
    fields = [Field(rng, name) for name in rng.sample(["a", "b", "größe", "with space", "x.y", "n1", "None"], rng.randint(2, 5))]
    domain = tiledb.Domain(tiledb.Dim("d", domain=(0, 1000), tile=100, dtype=np.int32))
    enumerations = [f.enumeration() for f in fields if f.enumeration() is not None]
    attributes = [f.attribute() for f in fields]
    tiledb.Array.create(str(uri), tiledb.ArraySchema(domain, attributes, sparse=True, capacity=rng.choice([5, 100]), enums=enumerations))
    n = rng.randint(1, 40)
    write(str(uri), fields, 0, n)
    if rng.random() < 0.4:
        later = Field(rng, "later")
        evolution = tiledb.ArraySchemaEvolution()
        if later.enumeration() is not None:
            evolution.add_enumeration(later.enumeration())
        evolution.add_attribute(later.attribute())
        evolution.array_evolve(str(uri))
        fields.append(later)
        more = rng.randint(1, 20)
        write(str(uri), fields, n, more)
        n += more
    return fields + [Coordinate(rng, n)]


def asked(uri, text):
    """The coordinates of the cells that meet a condition, or the message if TileDB refuses it."""
    try:
        with tiledb.open(str(uri)) as array:
            return sorted(array.query(cond=text, attrs=[], dims=["d"])[:]["d"].tolist())
    except (tiledb.TileDBError, AttributeError, OverflowError, TypeError, ValueError) as error:
        return str(error)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    ap.add_argument("--count", type=int, default=20, help="number of arrays")
    args = ap.parse_args()
    print("seed %d" % args.seed, flush=True)
    folder = environment.WORK / "conditions"
    folder.mkdir(parents=True, exist_ok=True)
    asks = []
    for i in range(args.count):
        rng = Random("%d %d" % (args.seed, i))
        uri = folder / str(i)
        fields = drawn_array(rng, uri)
        texts = [condition(rng, fields) for _ in range(40)]
        asks.append({"uri": str(uri), "conditions": [{"text": text, "want": asked(uri, text)} for text in texts]})
    listed = folder / "asks.json"
    listed.write_text(json.dumps(asks))
    loader = environment.ROOT / "test" / "fuzz" / "register.mjs"
    program = environment.ROOT / "test" / "tiledb" / "conditions.mjs"
    return subprocess.run(["node", "--import", loader, program, listed], cwd=environment.ROOT).returncode


if __name__ == "__main__":
    raise SystemExit(main())
