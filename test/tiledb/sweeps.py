#!/usr/bin/env python3
"""Draws many arrays, and computes from TileDB-Py's FragmentInfoList what hurts each: sweeps.py [--count N] [--seed N]

Compared are all measures but `small-tiles`, whose bytes TileDB does not tell: for each array in its line, and the worst ten of a sweep in their order. An
array with small tiles is one whose tiles take 20 bytes and more for each file, beside 32 KiB. The exit code is 1 if anything differs.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from random import Random

import environment

environment.enter()

import numpy as np  # noqa: E402
import tiledb  # noqa: E402

CLI = ["node", str(environment.ROOT / "bin" / "tiledb-inspect.js")]
MiB = 1 << 20


def size_below(path):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, files in os.walk(path) for name in files)


def draw(rng, path):
    """Makes an array with some writes, perhaps consolidated, without commits, damaged, or padded."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    sparse = rng.random() < 0.5
    length = 10**6 if rng.random() < 0.15 else 1000
    tile = length if rng.random() < 0.5 else max(10, length // 10)
    dim = tiledb.Dim("x", domain=(0, length - 1), tile=tile, dtype=np.int32)
    attrs = [tiledb.Attr(name, dtype=rng.choice([np.int8, np.int32, np.float64])) for name in "ab"[: rng.randint(1, 2)]]
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(dim), attrs=attrs, sparse=sparse, capacity=100))
    writes = rng.choice([0, 1, 1, 2, 3, 9, 10, 11, 14, 25])
    for i in range(writes):
        low = rng.randrange(length - 50)
        with tiledb.open(path, "w", timestamp=i + 1) as array:
            values = {attr.name: np.arange(50).astype(attr.dtype) for attr in attrs}
            if sparse:
                array[np.arange(low, low + 50)] = values
            else:
                array[low : low + 50] = values
    consolidated = writes > 1 and rng.random() < 0.3
    if consolidated:
        tiledb.consolidate(path, config=tiledb.Config({"sm.consolidation.amplification": "100000"}))
    fragments = sorted(os.listdir(path + "/__fragments")) if os.path.isdir(path + "/__fragments") else []
    # Without its commit, a consolidated fragment is lost, but its .vac file still hides the others: that is damage.
    if len(fragments) > 1 and not consolidated and rng.random() < 0.2:
        for name in rng.sample(fragments, rng.randint(1, len(fragments) - 1)):
            commit = "%s/__commits/%s.wrt" % (path, name)
            if os.path.exists(commit):
                os.remove(commit)
    elif len(fragments) == 1 and rng.random() < 0.1:
        os.remove("%s/__fragments/%s/a0.tdb" % (path, fragments[0]))
        return True
    return False


def expected(path, damaged):
    """What hurts an array: measure, value, multiple of the limit."""
    infos = tiledb.FragmentInfoList(path)
    schema = tiledb.ArraySchema.load(path)
    names = set(os.listdir(path + "/__fragments")) if os.path.isdir(path + "/__fragments") else set()
    read = {os.path.basename(info.uri) for info in infos}
    waiting = {os.path.basename(uri.rstrip("/")) for uri in infos.to_vacuum}
    found = {}
    if damaged:
        found["damage"] = (1, 1)
    lost = len(names - read - waiting)
    if lost:
        found["uncommitted"] = (lost, lost)
    if waiting:
        size = sum(size_below("%s/__fragments/%s" % (path, name)) for name in waiting)
        # A vacuum removes its own files, too.
        commits = path + "/__commits"
        size += sum(os.path.getsize("%s/%s" % (commits, name)) for name in os.listdir(commits) if name.endswith(".vac"))
        many, large = len(waiting) / 8, size / MiB
        found["vacuum"] = (len(waiting), many) if many >= large else (size, large)
    if len(infos) > 0:
        found["fragments"] = (len(infos), len(infos) / 10)
    if not schema.sparse and len(infos) > 0:
        stored = padding = 0
        extent = int(schema.domain.dim(0).tile)
        for info in infos:
            (low, high), = info.nonempty_domain
            cells = (high // extent - low // extent + 1) * extent
            stored += cells
            padding += cells - (high - low + 1)
        per_cell = sum(schema.attr(i).dtype.itemsize for i in range(schema.nattr))
        # Each tile of data begins with the number of its chunks; before filtering it has none.
        if 2 * padding >= stored:
            found["padding"] = (padding * per_cell, padding * per_cell / MiB)
    return {measure: value for measure, value in found.items() if value[1] >= 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = Random(given.seed)
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        root = folder + "/root"
        truth = {}
        for i in range(given.count):
            name = "a%03d" % i if rng.random() < 0.5 else "run-%d/a%03d" % (rng.randrange(5), i)
            damaged = draw(rng, "%s/%s" % (root, name))
            truth[name] = expected("%s/%s" % (root, name), damaged)
        done = subprocess.run([*CLI, "ls", "--recursive", "--format", "ndjson", root], capture_output=True, text=True)
        *lines, summary = [json.loads(line) for line in done.stdout.splitlines()]
        small = set()
        for line in lines:
            mine = {one["measure"]: (one["value"], one["times"]) for one in line.get("hurts", [])}
            if mine.pop("small-tiles", None):
                small.add(line["name"])
            theirs = truth[line["name"]]
            if {k: v[0] for k, v in mine.items()} != {k: v[0] for k, v in theirs.items()}:
                wrong.append("%s: %s, TileDB: %s" % (line["name"], mine, theirs))
        if sorted(line["name"] for line in lines) != sorted(truth):
            wrong.append("members: %d of %d" % (len(lines), len(truth)))
        ranked = []
        for line in lines:
            if truth[line["name"]] and line["name"] not in small:
                measure, (value, times) = max(truth[line["name"]].items(), key=lambda one: (one[0] == "damage", one[1][1]))
                ranked.append(((measure != "damage", -times), value))
        # Equal ones may stand in any order.
        ten = [(key[0], round(-key[1], 6), value) for key, value in sorted(ranked)[:10]]
        mine = [(one["measure"] != "damage", round(one["times"], 6), one["value"]) for one in summary["worst"] if one["name"] not in small]
        if sorted(ten) != sorted(mine):
            wrong.append("worst: %s, TileDB: %s" % (mine, ten))
        measures = sorted({measure for one in truth.values() for measure in one})
    for one in wrong[:20]:
        print(one)
    print("%d arrays, %d hurt by %s: %d differences" % (given.count, len(ranked), ", ".join(measures), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
