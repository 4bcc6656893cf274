#!/usr/bin/env python3
"""Records what TileDB reads, at every time, of an array that lacks one file or folder: removed.py [--write] [--only REGEX]

Removes every file and folder of many arrays, one at a time. TileDB-Py opens the rest in a new process, between every two time stamps in its
names, and reads schema, metadata, enumerations and all cells. If no read differs from the intact array, both are then written, consolidated
and vacuumed. --write records the answers in test/commands/removed.json.gz, with which the tests compare `why`. Without it, the answers are
compared with the recorded ones, and the exit code is 1 if any differs.

For each array, `views` has the times, and `paths` has for each path a list with one text for each view:

""             no difference
o              the array does not open
r              the fields whose names follow cannot be read
c-LOST+ADDED   so many cells of the intact array are missing, and so many others are there
s, m, e, l     another schema, other metadata, enumerations that cannot be read or differ, other labels
x              a signal ended the process

The text after those of the views is `w` if the write fails or leads to other cells. `vacuums` has for each mode what a vacuum removes (`gone`),
and how a read as of now then differs.
"""
import collections
import gzip
import hashlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import sys
import tempfile

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # processes with threads must not fork

import numpy as np
import tiledb

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
RECORDED = HERE.parent / "commands" / "removed.json.gz"
SECONDS = 60
MAX_VIEWS = 24
LATER = 9999999999999

BASES = """1/sparse_2d_row 1/dense_2d_row_row 2/sparse_basic 2/dense_basic 3/sparse_consolidated 3/dense_basic 4/sparse_basic 4/dense_basic 5/sparse_basic
5/sparse_consolidated 5/dense_basic 5/string_dim 6/sparse_basic 7/sparse_basic 7/encrypted 8/sparse_basic 9/sparse_basic 9/dense_basic 10/sparse_consolidated
10/dense_basic 11/sparse_basic 11/sparse_consolidated 12/sparse_basic 12/sparse_consolidated 13/sparse_consolidated 14/sparse_consolidated
15/dense_basic 15/sparse_consolidated 16/sparse_consolidated 17/sparse_basic 18/sparse_basic 19/sparse_basic 20/sparse_basic 21/sparse_basic
22/commits_consolidated 22/commits_ignored 22/deletes 22/deletes_consolidated 22/deletes_purged 22/dense_basic 22/dense_consolidated
22/dense_fragment_metadata_consolidated 22/dense_vacuum_left 22/dimension_labels 22/duplicates 22/empty_dense 22/empty_sparse 22/encrypted
22/enumerations 22/evolved_dense 22/evolved_sparse 22/fragment_metadata_consolidated 22/group 22/metadata 22/sparse_consolidated 22/vacuum_left""".split()
MADE = FIXTURES / "removed"

STAMPED = re.compile(r"__(\d+)_(\d+)_[0-9a-f]{32}")
OLD = re.compile(r"__[0-9a-f]{32}_(\d+)(?:_(\d+))?")


def bases():
    names = [*BASES, *sorted(f"removed/{path.name}" for path in MADE.iterdir() if path.is_dir())]
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    return [name for name in names if re.search(only, name)]


def removed(root):
    """Paths of all files and folders, also those in members of groups and in label arrays."""
    for path in sorted(root.rglob("*")):
        yield str(path.relative_to(root))


def stamps(root):
    found = set()
    for path in root.rglob("*"):
        match = STAMPED.match(path.name) or OLD.match(path.name)
        if match and path.parent.name != "__enumerations":
            found |= {int(one) for one in match.groups() if one}
    return sorted(found)


def views(root):
    """Pairs of times: up to each time stamp, up to just before it, between every two, and from each on."""
    at = stamps(root)
    ends = sorted({*at, *(one - 1 for one in at)})
    found = [(0, LATER), *((0, one) for one in ends)]
    found += [(first, LATER) for first in at[1:]]
    found += [(first, last) for first in at[1:] for last in at if first <= last]
    if len(found) > MAX_VIEWS:
        step = len(found) / MAX_VIEWS
        found = [found[int(i * step)] for i in range(MAX_VIEWS)]
    return list(dict.fromkeys(found))


def short(value):
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]


def context(key):
    config = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key} if key else {}
    return tiledb.Ctx(config | {"sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"})


def text_of(value):
    return value.tobytes().hex() if hasattr(value, "tobytes") else repr(value)


def columns_of(cells):
    out = []
    for name, values in sorted((cells if isinstance(cells, dict) else {"": cells}).items()):
        mask = np.ma.getmaskarray(values).flatten() if isinstance(values, np.ma.MaskedArray) else None
        if mask is not None:
            values = values.filled(b"" if values.dtype == object else np.zeros((), values.dtype)[()])
        flat = np.asarray(values).flatten() if not hasattr(values, "to_pylist") else values.to_pylist()
        out.append([("null" if mask is not None and mask[i] else text_of(value)) for i, value in enumerate(flat)])
    return out


def cells_of(array, box, attrs=None):
    """A short text for each cell: in the order of the box if the array is dense, else sorted."""
    sparse = array.schema.sparse
    where = slice(None) if sparse else tuple(slice(lo, hi + 1) for lo, hi in box)
    query = array.query(attrs=attrs) if attrs else array
    rows = [short(row) for row in zip(*columns_of(query[where]))]
    return sorted(rows) if sparse else rows


def read_array(uri, key, between, box):
    ctx = context(key)
    try:
        array = tiledb.open(uri, ctx=ctx, timestamp=between)
    except tiledb.TileDBError as error:
        return {"opens": str(error)[:200]}
    with array:
        said = {}
        schema = array.schema
        said["schema"] = short(re.sub(r"0x[0-9a-f]+", "", str(schema)))
        try:
            said["meta"] = short(sorted((k, repr(v)) for k, v in dict(array.meta).items()))
        except tiledb.TileDBError as error:
            said["meta"] = "fails"
        enums = []
        for i in range(schema.nattr):
            if schema.attr(i).enum_label:
                try:
                    enums.append(repr(array.enum(schema.attr(i).enum_label).values()))
                except tiledb.TileDBError as error:
                    enums.append("fails")
        said["enums"] = short(enums)
        if schema.sparse:
            said["cells"] = [] if array.nonempty_domain() is None else None
        else:
            said["cells"] = [] if box is None else None
        if said["cells"] is None:
            said["cells"], said["fails"] = [], []
            try:
                said["cells"] = cells_of(array, box)
            except tiledb.TileDBError as error:
                said["why"] = str(error)[:200]
                for i in range(schema.nattr):
                    name = schema.attr(i).name
                    try:
                        cells_of(array, box, [name])
                    except tiledb.TileDBError:
                        said["fails"].append(name)
    labels = []
    for path in sorted(pathlib.Path(uri).glob("__labels/*")):
        if path.is_dir():
            try:
                with tiledb.open(str(path), ctx=ctx, timestamp=between) as one:
                    labels.append(short(cells_of(one, one.nonempty_domain())) if one.nonempty_domain() else "")
            except tiledb.TileDBError:
                labels.append("fails")
    said["labels"] = labels
    return said


def read_group(uri, key, between):
    ctx = context(key)
    config = tiledb.Config(ctx.config().dict() | {"sm.group.timestamp_start": str(between[0]), "sm.group.timestamp_end": str(between[1])})
    try:
        group = tiledb.Group(uri, config=config, ctx=ctx)
    except tiledb.TileDBError as error:
        return {"opens": str(error)[:200]}
    with group:
        members = sorted((str(one.name), one.uri, str(one.type)) for one in group)
        meta = short(sorted((k, repr(v)) for k, v in dict(group.meta).items()))
    inside = []
    for _, below, kind in members:
        path = below.removeprefix("file://")
        said = read_array(path, key, between, None) if kind.endswith("Array'>") else read_group(path, key, between)
        inside.append("fails" if "opens" in said or said.get("fails") else short(said))
    shown = [(name, below.split("/array/")[-1], kind) for name, below, kind in members]
    return {"schema": short(shown), "meta": meta, "enums": "", "cells": [], "labels": inside}


def is_group(root):
    return (root / "__tiledb_group.tdb").exists() or (root / "__group").exists()


def boxes(root, key, times):
    """For each pair of times, the box in which a dense array is read: always that of the intact array."""
    found = []
    for between in times:
        try:
            with tiledb.open(str(root), ctx=context(key), timestamp=between) as array:
                box = None if array.schema.sparse else array.nonempty_domain()
                found.append(box and tuple((lo, hi) for lo, hi in box))
        except tiledb.TileDBError:
            found.append(None)
    return found


def apart(work):
    """Runs work in a new process. @returns its results, and whether it came to its end"""
    into, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(out, "w") as file:
            try:
                for one in work():
                    file.write(json.dumps(one) + "\n")
                    file.flush()
            except BaseException as error:
                file.write(json.dumps({"opens": f"{type(error).__name__}: {error}"}) + "\n")
        os._exit(0)
    os.close(out)
    said = b""
    while True:
        if not select.select([into], [], [], SECONDS)[0]:
            os.kill(child, signal.SIGKILL)
        piece = os.read(into, 65536)
        if not piece:
            break
        said += piece
    os.close(into)
    _, status = os.waitpid(child, 0)
    return [json.loads(one) for one in said.decode().splitlines()], status == 0


def read_all(root, key, times, boxes_of, group):
    """What TileDB reads at each time. Some reads crash now and then, so they are tried again; None if a read always crashes."""
    said = []
    crashes = 0
    while len(said) < len(times):
        def work(begin=len(said)):
            for between, box in list(zip(times, boxes_of))[begin:]:
                yield read_group(str(root), key, between) if group else read_array(str(root), key, between, box)

        more, whole = apart(work)
        said += more
        if len(said) < len(times):
            crashes = 0 if more else crashes + 1
            if crashes > 8:
                said.append(None)
                crashes = 0
    return said[: len(times)]


def difference(intact, now):
    """The text for a view: see the top of this file."""
    if now is None:
        return "x"
    if intact is None or "opens" in intact:
        return "" if "opens" in now else "O"
    if "opens" in now:
        return "o"
    out = ""
    if now.get("fails"):
        # Coordinates are read with every attribute, so these texts cover them.
        out += "r" + ",".join(now["fails"])
    elif now.get("why"):
        out += "r"
    else:
        a, b = collections.Counter(intact["cells"]), collections.Counter(now["cells"])
        if len(intact["cells"]) == len(now["cells"]) and intact["cells"] != now["cells"] and a == b:
            a, b = collections.Counter(enumerate(intact["cells"])), collections.Counter(enumerate(now["cells"]))
        if a != b:
            out += f"c-{(a - b).total()}+{(b - a).total()}"
    for letter, name in ("s", "schema"), ("m", "meta"), ("e", "enums"), ("l", "labels"):
        if intact[name] != now[name]:
            out += letter
    return out


def write_on(root, key):
    """Writes the cells again, consolidates and vacuums everything, and reads."""
    ctx = context(key)
    uri = str(root)
    if is_group(root):
        with tiledb.Group(uri, "w", ctx=ctx) as group:
            group.meta["written later"] = 1
        yield read_group(uri, key, (0, LATER))
        return
    with tiledb.open(uri, ctx=ctx) as array:
        schema = array.schema
        box = array.nonempty_domain()
        cells = array[:] if schema.sparse else None
    if schema.sparse and box is not None:
        coordinates = [cells[schema.domain.dim(d).name] for d in range(schema.domain.ndim)]
        values = {}
        for i in range(schema.nattr):
            name = schema.attr(i).name
            values[name if name in cells else ""] = cells[name if name in cells else ""]
        if len(coordinates[0]) > 0:
            with tiledb.open(uri, "w", ctx=ctx) as array:
                array[tuple(coordinates)] = values
    with tiledb.open(uri, "w", ctx=ctx) as array:
        array.meta["written later"] = 1
    failed = []
    for mode in "fragment_meta", "commits", "array_meta", "fragments":
        config = tiledb.Config(ctx.config().dict() | {"sm.consolidation.mode": mode, "sm.vacuum.mode": mode})
        for name, call in ("consolidate", tiledb.consolidate), ("vacuum", tiledb.vacuum):
            try:
                call(uri, config=config, ctx=ctx)
            except tiledb.TileDBError:
                failed.append(name + " " + mode)
    said = read_array(uri, key, (0, LATER), box)
    # In some intact arrays TileDB cannot do all of it, either.
    yield said | {"labels": [*said.get("labels", []), *failed]}


def main(below):
    found = {}
    root = pathlib.Path(below, "array")

    def fresh(base):
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(FIXTURES / base, root)

    for base in bases():
        expected = FIXTURES / (base + ".expected.json")
        key = json.loads(expected.read_text()).get("key") if expected.exists() else None
        fresh(base)
        group = is_group(root)
        times = views(root)
        into, whole = apart(lambda: iter([boxes(root, key, times)] if not group else [[None] * len(times)]))
        box = into[0]
        box = [None if one is None else tuple(map(tuple, one)) for one in box]
        intact = read_all(root, key, times, box, group)
        fresh(base)
        after, wrote = apart(lambda: write_on(root, key))
        wrote = wrote and after and "opens" not in after[0]
        if not wrote:
            print(base, "the intact array cannot be written:", after)
        paths = {}
        for path in removed(FIXTURES / base):
            fresh(base)
            shutil.rmtree(root / path) if (root / path).is_dir() else (root / path).unlink()
            said = [difference(a, b) for a, b in zip(intact, read_all(root, key, times, box, group))]
            if wrote and not any(said):
                fresh(base)
                shutil.rmtree(root / path) if (root / path).is_dir() else (root / path).unlink()
                then, whole = apart(lambda: write_on(root, key))
                worse = not whole or not then or difference(after[0], then[0])
                said.append("w" if worse else "")
                if worse:
                    print(base, path, "then it cannot be written:", then[:1] if not then or "opens" in then[0] else difference(after[0], then[0]))
            paths[path] = said
        found[base] = {"views": times, "paths": paths, "vacuums": vacuums(root, base, fresh, key, intact[0], box[0])}
        print(base, len(paths), "removed,", len(times), "views", flush=True)
    return found


def vacuums(root, base, fresh, key, intact, box):
    """For each mode: what `tiledb.vacuum` removes, and how a read as of now then differs."""
    if is_group(root):
        return {}
    fresh(base)
    before = set(removed(root))
    found = {}
    for mode in "fragments", "commits", "array_meta", "fragment_meta":
        fresh(base)

        def work():
            tiledb.vacuum(str(root), config=tiledb.Config(context(key).config().dict() | {"sm.vacuum.mode": mode}), ctx=context(key))
            yield read_array(str(root), key, (0, LATER), box)

        said, whole = apart(work)
        found[mode] = {"gone": sorted(before - set(removed(root))), "then": difference(intact, said[0] if said else None)}
    return found


def compact(said):
    """Pairs of a text and how often it repeats."""
    out = []
    for one in said:
        if out and out[-1][0] == one:
            out[-1][1] += 1
        else:
            out.append([one, 1])
    return out


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        made = main(folder)
    print("libtiledb %d.%d.%d:" % tiledb.libtiledb.version(), sum(len(one["paths"]) for one in made.values()), "removed,",
          sum(len(one["paths"]) * len(one["views"]) for one in made.values()), "reads")
    for one in made.values():
        one["paths"] = {path: compact(said) for path, said in one["paths"].items()}
    recording = {"libtiledb": "%d.%d.%d" % tiledb.libtiledb.version(), "arrays": made}
    if "--write" in sys.argv:
        if "--only" in sys.argv and RECORDED.exists():
            recording["arrays"] = json.loads(gzip.decompress(RECORDED.read_bytes()))["arrays"] | made
        RECORDED.write_bytes(gzip.compress(json.dumps(recording, separators=(",", ":")).encode(), mtime=0))
    else:
        recorded = json.loads(gzip.decompress(RECORDED.read_bytes()))["arrays"]
        made = json.loads(json.dumps(made))
        wrong = [f"{base} {path}" for base, one in made.items() for path, said in one["paths"].items() if recorded.get(base, {}).get("paths", {}).get(path) != said]
        wrong += [f"{base} vacuums" for base, one in made.items() if recorded.get(base, {}).get("vacuums") != one["vacuums"]]
        for one in wrong:
            print("not as recorded:", one)
        sys.exit(1 if wrong else 0)
