#!/usr/bin/env python3
"""Draws groups, moves or copies them, and asks TileDB where it reads each member: datasets.py [--count N] [--seed N] [--samples FOLDER]

Members are relative or absolute, lie inside or outside, are named or not, and may be groups. Then the folder is copied, moved, or left. Compared are: the
members of `ls --depth all`, and the place of each; that `check` names each member that is not read from the folder itself, and nothing else; sums and
files; and the group that `recover --relocate --with-members` writes, in which TileDB finds all members inside. The exit code is 1 if anything differs.

With --samples FOLDER, the datasets in a folder are compared instead, such as those that libraries wrote: members with TileDB's, and sums of `ls` and
`stats` with the files.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from random import Random

import environment

environment.enter()

import numpy as np  # noqa: E402
import tiledb  # noqa: E402

CLI = ["node", str(environment.ROOT / "bin" / "tiledb-inspect.js")]


def ask(*args):
    done = subprocess.run([*CLI, *args, "--json"], capture_output=True, text=True)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        return done.returncode, {"failed": done.stdout + done.stderr}


def make_array(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    dim = tiledb.Dim("x", domain=(0, 3), tile=4, dtype=np.int32)
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(dim), attrs=[tiledb.Attr("v", dtype=np.int32)]))
    with tiledb.open(path, "w") as array:
        array[:] = np.full(4, value, dtype=np.int32)


def draw(rng, base, path, depth=0):
    """Makes a group with members."""
    tiledb.Group.create(path)
    for i in range(rng.randint(0 if depth else 1, 4)):
        isGroup = depth < 2 and rng.random() < 0.35
        place = rng.choice(["below", "below", "below", "outside", "up"])
        folder = rng.choice(["m%d" % i, "deep/m%d" % i, "odd name %d" % i, "per%%20cent%d" % i])
        target = os.path.join(path, folder) if place == "below" else os.path.join(base, "beside%d_%d" % (depth, rng.randrange(10**9)))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if isGroup:
            draw(rng, base, target, depth + 1)
        else:
            make_array(target, rng.randrange(10**6))
        relative = place == "up" or (place == "below" and rng.random() < 0.6)
        uri = os.path.relpath(target, path) if relative else target
        with tiledb.Group(path, "w") as group:
            group.add(uri, name=None if rng.random() < 0.2 else "n%d" % i, relative=relative)


def plain(uri):
    return uri[len("file://") :] if uri.startswith("file://") else uri


def listed(path, names=()):
    """The members that TileDB finds: names, place, type."""
    found = []
    with tiledb.Group(path) as group:
        members = [(one.name, plain(one.uri)) for one in group]
    for name, place in members:
        at = (*names, name or os.path.basename(place))
        kind = tiledb.object_type(place)
        found.append((at, os.path.normpath(place) if kind else None, kind))
        if kind == "group":
            found += listed(place, at)
    return found


def shown(lines, names=()):
    """The members of a document."""
    found = []
    for line in lines or []:
        at = (*names, line["name"] or os.path.basename(line["uri"]))
        place = line["resolved"]
        kind = (line.get("found") or line["type"]) if place else None
        found.append((at, os.path.normpath(place) if place else None, kind))
        found += shown(line.get("members"), at)
    return found


def values(path):
    out = {}
    for at, place, kind in listed(path):
        if kind == "array":
            with tiledb.open(place) as array:
                out[at] = int(array[0]["v"])
    return out


def inside(path, root):
    return path is not None and (path == root or path.startswith(root + os.sep))


def try_one(rng, folder):
    """@returns what differs"""
    base = os.path.join(folder, "case")
    shutil.rmtree(base, ignore_errors=True)
    os.makedirs(base)
    original, target = os.path.join(base, "orig"), os.path.join(base, "far", "copy")
    draw(rng, base, original)
    act = rng.choice(["leave", "copy", "move", "move"])
    os.makedirs(os.path.dirname(target))
    if act == "leave":
        target = original
    else:
        (shutil.copytree if act == "copy" else shutil.move)(original, target)
    wrong = []
    truth = sorted(listed(target), key=str)
    code, document = ask("ls", "--depth", "all", target)
    if "members" not in document:
        return act, ["ls: exit %d %s" % (code, document)]
    mine = sorted(shown(document["members"]), key=str)
    if mine != truth:
        wrong.append("members: %s, TileDB: %s" % (mine, truth))
    objects = {place for _, place, kind in truth if kind} | {target}
    size = sum(
        os.path.getsize(os.path.join(at, name))
        for one in objects
        for at, _, files in os.walk(one)
        for name in files
        # Files of a group that lie in the folders of its members, or in none of its own, are not its own.
        if max((other for other in objects if inside(at, other)), key=len) == one and not is_stray(at, one)
    )
    if document["totals"]["size"] != size:
        wrong.append("size: %s, files: %d" % (document["totals"]["size"], size))
    code, document = ask("check", target)
    named = {one["field"] for one in document.get("findings", [])}
    wanted = {"members.%s" % key for key in keys_elsewhere(target, target)}
    if named != wanted:
        wrong.append("check names %s, read from elsewhere are %s" % (sorted(named), sorted(wanted)))
    to = os.path.join(base, "new")
    code, document = ask("recover", "--relocate", "--with-members", target, "--to", to)
    if not os.path.isdir(to):
        return act, [*wrong, "relocate: exit %d %s" % (code, document)]
    after = listed(to)
    for at, place, kind in after:
        if not kind or not inside(place, to):
            wrong.append("relocated %s: %s %s" % (at, place, kind))
    expected = {at for at, _, kind in truth if kind == "array"}
    got = values(to)
    if not expected <= set(got):
        wrong.append("relocated arrays: %s, of %s" % (sorted(got), sorted(expected)))
    if act == "leave" and got != values(target):
        wrong.append("relocated values: %s, of %s" % (got, values(target)))
    if ask("check", to)[0] != 0:
        wrong.append("check of the relocated group fails")
    return act, wrong


def is_stray(at, group):
    """Whether a folder in that of a group is neither its own nor an array's."""
    first = os.path.relpath(at, group).split(os.sep)[0]
    return tiledb.object_type(group) == "group" and first not in (".", "__group", "__meta")


def keys_elsewhere(path, root):
    """Keys of the members that are not read from below the root, at any depth."""
    with tiledb.Group(path) as group:
        members = [(one.name, plain(one.uri), group.is_relative(one.name) if one.name else None) for one in group]
    for name, place, _ in members:
        place = os.path.normpath(place)
        kind = tiledb.object_type(place)
        if not kind or not inside(place, root):
            yield name or stored_uri(path, place)
        if kind == "group":
            yield from keys_elsewhere(place, root)


def stored_uri(path, place):
    """A member without a name is known by its URI, as it is stored."""
    _, document = ask("ls", path)
    for line in document["members"]:
        where = line["resolved"] or plain(line["uri"])
        if not line["name"] and os.path.normpath(where if os.path.isabs(where) else os.path.join(path, where)) == place:
            return line["uri"]
    return place


def walked(path):
    """The members of a group without a list, which only TileDB's walk finds."""
    found = []
    tiledb.walk(path, lambda uri, kind: found.append((plain(uri), kind)))
    return sorted((os.path.normpath(place), kind) for place, kind in found)


def try_sample(path):
    """@returns what differs. All files of the dataset have to lie in its folder"""
    wrong = []
    kind = tiledb.object_type(path)
    depth = ["--depth", "all"] if kind != "array" else []
    code, document = ask("ls", path, *depth, *([] if kind else ["--recursive"]))
    if "failed" in document or "error" in document:
        return ["ls: exit %d %s" % (code, document)]
    if kind == "group" and os.path.isdir(os.path.join(path, "__group")):
        truth, mine = sorted(listed(path), key=str), sorted(shown(document["members"]), key=str)
    elif kind != "array":
        truth, mine = walked(path), sorted((place, kind) for _, place, kind in shown(document["members"]))
        # The walk passes through plain folders, and what is listed in a group below it.
        truth = [one for one in truth if one[0] != path]
    else:
        truth, mine = [], []
    if mine != truth:
        wrong.append("members: %s, TileDB: %s" % (mine, truth))
    files = [os.path.join(at, name) for at, _, names in os.walk(path) for name in names]
    size = sum(os.path.getsize(file) for file in files)
    if kind != "array" and [document["totals"][key] for key in ("size", "file_num")] != [size, len(files)]:
        wrong.append("ls: %s, files: %d with %d bytes" % (document["totals"], len(files), size))
    code, document = ask("stats", path)
    # Of an array, stats has no sum with the schemas and commits.
    if kind != "array" and document.get("size") != size:
        wrong.append("stats: exit %d, %s, files: %d bytes" % (code, document.get("size"), size))
    return wrong


def samples(folder):
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    wrong = 0
    for path in filter(os.path.isdir, paths):
        differences = try_sample(os.path.realpath(path))
        for one in differences:
            print("%s: %s" % (path, one), flush=True)
        wrong += bool(differences)
    print("%d of %d datasets right" % (len(paths) - wrong, len(paths)))
    return int(wrong > 0)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=25)
    ap.add_argument("--seed", type=int)
    ap.add_argument("--samples", metavar="FOLDER")
    args = ap.parse_args()
    if args.samples is not None:
        return samples(args.samples)
    seed = args.seed if args.seed is not None else int(time.time())
    print("seed %d" % seed, flush=True)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="datasets") as folder:
        folder = os.path.realpath(folder)
        for i in range(args.count):
            act, differences = try_one(Random("%d %d" % (seed, i)), folder)
            for one in differences:
                print("%d (%s): %s" % (i, act, one), flush=True)
            wrong += bool(differences)
    print("%d of %d groups right" % (args.count - wrong, args.count))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
