#!/usr/bin/env python3
"""Compares histories that write-sample makes with those of TileDB: history.py CLI [--formats 5,16,22] [--count N] [--seed S] [--keep DIR]

Draws lists of steps: writes, deletes, consolidations, vacuums, evolutions and key-value metadata. Some arrays have current domains that grow, or
dimension labels. Some lists change groups. write-sample runs each list. The TileDB release of its format version runs the same list through its
C API. In some lists TileDB, or an older release, does the first steps of both, and write-sample appends the rest. Then the release reads both, as
of now and as of every step: cells, ranges of labels, and metadata must be the same. Wheels of the releases come from PyPI and stay in build/.
"""
import argparse
import ctypes as C
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import namedtuple
from multiprocessing import Pipe, get_context
from random import Random

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures")]
import environment  # noqa: E402
import make  # noqa: E402
from drawn_steps import drawn_group, drawn_steps, ends_of, label_of, schema_after  # noqa: E402
from libtiledb import READ, Attr, Dim, Library  # noqa: E402
from old_release import read  # noqa: E402

KEY = "0123456789abcdeF0123456789abcdeF"
CONSOLIDATION = {"sm__consolidation__amplification": 1000, "sm__mem__total_budget": 100 << 20, "sm__consolidation__total_buffer_size": 10 << 20}

UNWRITTEN = "text that was never written"

# `beside`: what the C API needs in addition for each step. TileDB does the first `given` steps, in the format `first`; the others have the format `version`.
Case = namedtuple("Case", "name version first given steps beside key")


def dims_of(schema):
    return [Dim(d["name"], d["type"], d["domain"], d["tile_extent"]) for d in schema["dimensions"]]


def attr_of(a):
    filters = [f["name"].lower() for f in a["filters"]["filters"]]
    return Attr(a["name"], a["type"], a["cell_val_num"], filters, a["nullable"])


def by_tiledb(lib, root, case, start, stop):
    """Does steps through the C API of the release."""
    secret = {"sm__encryption_type": "AES_256_GCM", "sm__encryption_key": case.key} if case.key and lib.version >= (2, 4, 0) else {}
    for number in range(start, stop):
        step, more = case.steps[number], case.beside[number]
        kind, mode, at = step["step"], step.get("mode"), step.get("time")
        path = os.path.join(root, step["path"]) if "path" in step else root
        found = named(path)
        if kind == "group":
            if not os.path.exists(os.path.join(path, "__tiledb_group.tdb")):
                lib.group(path)
            if step.get("add") or step.get("remove"):
                lib.add_members(path, [(one["uri"], one.get("name")) for one in step.get("add", [])], step.get("remove", []))
        elif kind == "metadata":
            entries = {k: ("INT64" if isinstance(v, int) else "STRING_UTF8", v) for k, v in step["put"].items()}
            lib.put_metadata(path, entries, at, "group" if is_group(case) else "array", drop=step.get("delete", []))
        elif kind == "create":
            create(lib, path, step["schema"], case.key)
        else:
            change(lib, root, schema_after(case.steps[:number]), step, more, case.key, mode, at, secret)
        if at is not None:
            rename(path, found, at)


def create(lib, path, schema, key):
    labels = [(one["dimension_index"], one["name"], one["order"], one["type"]) for one in schema.get("dimension_labels", [])]
    lib.create(path, dims_of(schema), [attr_of(a) for a in schema["attributes"]], sparse=schema["array_type"] == "sparse", cell_order=schema["cell_order"],
               tile_order=schema["tile_order"], capacity=schema["capacity"], dups=schema["allows_duplicates"],
               current_domain=list(schema.get("current_domain", {}).values()), labels=labels, key=key)


def change(lib, path, schema, step, more, key, mode, at, secret):
    """Does a step on an existing array."""
    sparse = schema["array_type"] == "sparse"
    kind = step["step"]
    if kind == "write" and "path" in step:
        # Labels are written through their array. `more` is the label.
        dims, cells = dims_of(schema), step["cells"]
        dim, columns = dims[more["dimension_index"]], {more["name"]: [cell["label"] for cell in cells]}
        places = [cell["index"] for cell in cells]
        box = [[places[0], places[-1]] if one is dim else one.domain for one in dims]
        lib.write(path, [dim] if sparse else dims, [], {**columns, dim.name: places}, None if sparse else box, at, key, labels=[(more["name"], more["type"])])
    elif kind == "write":
        names = ([d["name"] for d in schema["dimensions"]] if sparse else []) + [a["name"] for a in schema["attributes"]]
        columns = {n: [cell[n] for cell in step["cells"]] for n in names}
        lib.write(path, dims_of(schema), [attr_of(a) for a in schema["attributes"]], columns, subarray=more, timestamp=at, key=key)
    elif kind == "delete":
        lib.delete(path, more, at)
    elif kind == "consolidate":
        lib.consolidate(path, key, sm__consolidation__mode=mode, **CONSOLIDATION, **secret)
    elif kind == "vacuum":
        lib.vacuum(path, sm__vacuum__mode=mode, **secret)
    elif "format_version" in step:
        lib.upgrade(path)
    else:
        box = step.get("current_domain")
        added = [attr_of(a) for a in step.get("add_attributes", [])]
        lib.evolve(path, added, step.get("drop_attributes", []), at, dims_of(schema), box and list(box.values()))


def named(path):
    """Files and folders with a time in their name."""
    inside = ["", "__schema", "__fragments", "__commits", "__meta", "__group"] + ["__labels/l%d/__schema" % i for i in range(2)]
    return {file for folder in inside for file in pathlib.Path(path, folder).glob("__*_*")}


def rename(path, before, at):
    """Gives what a step made the time of the step, if the release gave it the present time."""
    for file in named(path) - before:
        parts = file.name.split("_")
        if len(parts) == 4 and len(parts[2]) == 32:  # TileDB 1.6
            file.rename(file.with_name("__%s_%d" % (parts[2], at)))
        elif len(parts) > 4 and int(parts[2]) != at:
            file.rename(file.with_name("_".join(["", "", str(at), str(at)] + parts[4:])))


def is_group(case):
    return case.steps[0]["step"] == "group"


def ours(cli, path, case):
    """Does the steps after the given ones by write-sample, and checks the array. @returns what is wrong, or None"""
    (path.parent / (path.name + ".json")).write_text(json.dumps({"steps": case.steps[case.given:]}))
    append = ["--append"] if case.given else []
    return ran(cli, case.key, "write-sample", path, "--steps", str(path) + ".json", *append) or checked(cli, path, case.key)


def checked(cli, path, key):
    return ran(cli, key, "check", path, "--level", "cells", "--fail-on", "warning")


def ran(cli, key, *call):
    """What tiledb-inspect prints if it fails; None if it succeeds."""
    done = subprocess.run(["node", cli, *call, "--quiet", *(["--key", key] if key else [])], capture_output=True, text=True)
    return done.stderr + done.stdout if done.returncode else None


def metadata(lib, handle, kind):
    """Key-value metadata of an open array or group."""
    count, found = C.c_uint64(), {}
    lib(kind + "_get_metadata_num", handle, C.byref(count))
    for i in range(count.value):
        key, length, datatype, number, value = C.c_char_p(), C.c_uint32(), C.c_int(), C.c_uint32(), C.c_void_p()
        lib(kind + "_get_metadata_from_index", handle, C.c_uint64(i), C.byref(key), C.byref(length), C.byref(datatype), C.byref(number), C.byref(value))
        found[C.string_at(key, length.value)] = (datatype.value, number.value, C.string_at(value, number.value * (8 if datatype.value == 1 else 1)) if value else b"")
    lib(kind + "_close", handle)
    return found


def view(lib, path, case, at):
    """What the release reads at a time: by the name of each read its rows, sorted if they have no order, or its error."""
    if is_group(case):
        return {"group": said(lambda: group(lib, path, at), path)}
    schema = schema_after(case.steps, at)
    sorts = schema["array_type"] == "sparse"
    read_all = lambda root, shape, label=None: written(read(lib, root, shape, ends_of(shape), case.key, at, label)[0], shape)
    reads = {"cells": said(lambda: read_all(path, schema), path, sorts)}
    for number, label in enumerate(schema.get("dimension_labels", [])):
        dim = schema["dimensions"][label["dimension_index"]]
        own = {"array_type": "dense", "dimensions": [{**dim, "name": "index"}], "attributes": [{"name": "label", "type": label["type"], "nullable": False, "cell_val_num": "var" if label["type"].startswith("STRING") else 1}]}
        reads["label %d" % number] = said(lambda: read_all("%s/__labels/l%d" % (path, number), own), path)
        lo, hi = dim["domain"]
        for part in ((lo, hi), (lo + 2, lo + 5)):
            ends = sorted(label_of(label, place, 1) for place in part)
            reads["range %s of label %d" % (ends, number)] = said(lambda: read_all(path, schema, (label, ends)), path, sorts)
    if case.version >= 5 and not case.key:
        reads["metadata"] = said(lambda: metadata(lib, lib.open(path, READ, at), "array"), path)
    return reads


def written(rows, schema):
    """@throws RuntimeError if the release returns uninitialised memory as text of a dense array, or a single cell twice"""
    if schema["array_type"] == "dense":
        for i, attribute in enumerate(schema["attributes"]):
            if attribute["type"].startswith("STRING") and any(not re.fullmatch(rb"[a-z0-9]{0,8}|\0", row[i]) for row in rows):
                raise RuntimeError(UNWRITTEN)
    elif not schema["allows_duplicates"] and len({row[-len(schema["dimensions"]) :] for row in rows}) < len(rows):
        raise RuntimeError("a cell twice")
    return rows


def said(reading, path, sorts=False):
    try:
        rows = reading()
    except RuntimeError as e:
        return str(e).replace(path, "ROOT")
    return sorted(rows, key=lambda row: [b"" if v is None else b"." + v for v in row]) if sorts else rows


def group(lib, path, at):
    """Members and metadata of a group."""
    handle = lib.new("group_alloc", path)
    if at is not None:
        lib("group_set_config", handle, lib.config({"sm.group.timestamp_end": at}))
    lib("group_open", handle, C.c_int(READ))
    count, members = C.c_uint64(), []
    lib("group_get_member_count", handle, C.byref(count))
    for i in range(count.value):
        kind = C.c_int()
        if lib.has("group_get_member_by_index_v2"):
            uri, name = C.c_void_p(), C.c_void_p()
            lib("group_get_member_by_index_v2", handle, C.c_uint64(i), C.byref(uri), C.byref(kind), C.byref(name))
            uri, name = text_of(lib, uri), text_of(lib, name)
        else:
            uri, name = C.c_char_p(), C.c_char_p()
            lib("group_get_member_by_index", handle, C.c_uint64(i), C.byref(uri), C.byref(kind), C.byref(name))
            uri, name = uri.value, name.value
        members.append((uri.decode().replace(path, "ROOT"), kind.value, name))
    return sorted(members, key=str) + sorted(metadata(lib, handle, "group").items())


def text_of(lib, string):
    if not string:
        return None
    data, size = C.c_void_p(), C.c_size_t()
    lib.c.tiledb_string_view(string, C.byref(data), C.byref(size))
    return C.string_at(data, size.value)


def library(version, key):
    release, python, _ = make.RELEASES[version]
    path = str(make.library(release, python, environment.WORK))
    lib = Library(path)
    return Library(path, {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key}) if key and lib.version >= (2, 4, 0) else lib


def prepared(case, folder, names):
    """Does the given steps by TileDB, for each array. @returns why it failed or None, and whether that is a fault of TileDB"""
    lib = library(case.first, case.key)
    try:
        for name in names:
            by_tiledb(lib, str(folder / name), case, 0, case.given)
    except RuntimeError as e:
        return "TileDB refuses: %s" % e, True
    return None, False


def made(case, folder, name, start=0):
    """Does the steps from `start` on by TileDB. @returns why it failed or None, and whether that is a fault of TileDB"""
    try:
        by_tiledb(library(case.version, case.key), str(folder / name), case, start, len(case.steps))
    except RuntimeError as e:
        return "TileDB refuses: %s" % e, True
    return None, False


def views(case, folder, name):
    """What the release reads as of each step and as of now: [(time, reads by name)]."""
    lib = library(case.version, case.key)
    # Releases before 2.0 cannot write at another time than now.
    times = sorted({step["time"] for step in case.steps if "time" in step}) if lib.version >= (2, 0, 0) else []
    return [(at, view(lib, str(folder / name), case, at)) for at in [*times, None]], False


def compared(case, folder):
    """@returns what is wrong with the array of write-sample or None, and whether that is a fault of TileDB"""
    theirs, refused = guarded(views, case, folder, case.name + ".tiledb")
    if refused:
        return theirs, True
    for _ in range(3):  # some crash by chance
        mine, refused = guarded(views, case, folder, case.name)
        if not refused:
            break
    if refused:
        return "read by TileDB: %s" % mine, False
    wrong = difference(mine, theirs)
    if not wrong:
        return None, False
    # Some releases lose cells when they consolidate.
    whole, name = unconsolidated(case), case.name + ".whole"
    if whole != case and guarded(prepared, whole, folder, [name]) == guarded(made, whole, folder, name, whole.given) == (None, False):
        kept, refused = guarded(views, whole, folder, name)
        if not refused and difference(theirs[-1:], kept[-1:]) and not difference(mine[-1:], kept[-1:]):
            return "TileDB loses cells in consolidation: " + wrong, True
    return wrong, False


def unconsolidated(case):
    """The case without consolidations and vacuums."""
    kept = [i for i, step in enumerate(case.steps) if step["step"] not in ("consolidate", "vacuum")]
    return case._replace(steps=[case.steps[i] for i in kept], beside=[case.beside[i] for i in kept], given=sum(i < case.given for i in kept))


def difference(mine, theirs):
    """The first difference between what the release reads of both arrays, or None."""
    for (at, ours), (_, other) in zip(mine, theirs):
        for what in ours:
            if isinstance(other[what], str) and (not isinstance(ours[what], str) or UNWRITTEN in (ours[what], other[what])):
                continue  # the release cannot read its own array
            if ours[what] != other[what]:
                return "%s as of %s: by write-sample %s, by TileDB %s" % (what, at, short(ours[what], other[what]), short(other[what], ours[what]))
    return None


def guarded(work, *arguments):
    """Runs work in a new process, because releases cannot share one. If an old one crashes or hangs, nothing is compared."""
    mine, other = Pipe(False)
    process = get_context("fork").Process(target=answered, args=(other, work, arguments))
    process.start()
    other.close()
    try:
        return mine.recv() if mine.poll(20) else ("no answer within 20 seconds", True)
    except EOFError:
        return "TileDB crashes", True
    finally:
        process.kill()
        process.join()


def answered(pipe, work, arguments):
    try:
        pipe.send(work(*arguments))
    except Exception:
        pipe.send((traceback.format_exc(), False))


def judged(cli, case, folder):
    """@returns what is wrong with a case or None, and whether that is a fault of TileDB"""
    why, theirs = guarded(prepared, case, folder, [case.name, case.name + ".tiledb"]) if case.given else (None, False)
    if why:
        return why, theirs
    why = checked(cli, folder / case.name, case.key) if case.given else None
    if why:
        return "TileDB writes an array that is damaged: " + why, True
    why = ours(cli, folder / case.name, case)
    if why:
        return why, False
    why, theirs = guarded(made, case, folder, case.name + ".tiledb", case.given)
    return (why, theirs) if why else compared(case, folder)


def short(rows, others):
    if not isinstance(rows, list):
        return str(rows)
    return "%d rows, only here %s" % (len(rows), [r for r in rows if not isinstance(others, list) or r not in others][:3])


def drawn_case(version, name, draw):
    if version >= 12 and draw.random() < 0.15:
        steps, beside, given = drawn_group(version, draw)
        return Case(name, version, version, given, steps, beside, None)
    first = draw.choice([v for v in make.RELEASES if 3 <= v < version]) if version >= 5 and draw.random() < 0.3 else version
    steps, beside, given = drawn_steps(version, first, draw)
    # TileDB evolves encrypted arrays to schemas that are not encrypted.
    evolves = any(step["step"] == "evolve" and "format_version" not in step for step in steps)
    return Case(name, version, first, given, steps, beside, KEY if draw.random() < 0.2 and first >= 10 and not evolves else None)


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
    every = []
    try:
        for version in [int(v) for v in args.formats.split(",")]:
            found = []
            for i in range(args.count):
                case = drawn_case(version, "v%d_%d" % (version, i), Random("%d %d %d" % (args.seed, version, i)))
                found.append((case, *judged(args.cli, case, folder)))
            print("format %d: %s" % (version, counts(found)), flush=True)
            for case, why, theirs in found:
                if why:
                    print("  %s%s: %s" % (case.name, ", %d steps of format %d before" % (case.given, case.first) if case.given else "", why[: 200 if theirs else 400]))
            every += found
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(counts(every))
    return 1 if any(why and not theirs for _, why, theirs in every) or all(why for _, why, _ in every) else 0


def counts(found):
    right, refused = sum(why is None for _, why, _ in found), sum(theirs for *_, theirs in found)
    return "%d histories read the same, %d not, %d not judged" % (right, len(found) - right - refused, refused)


if __name__ == "__main__":
    sys.exit(main())
