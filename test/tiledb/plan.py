#!/usr/bin/env python3
"""Runs what check --plan prints: plan.py PATH/OF/bin/tiledb-inspect.js [--seed S] [--count N] [--minutes M] [--only REGEX] [--all]

Uses arrays of write-sample --damage, arrays that TileDB releases broke, and fixtures with random damage: a file that is missing, cut short, longer or has a flipped bit, a stray
file, or a fragment with times in microseconds. sh runs the commands of all plans. Then check must not find again what the plans mend, and TileDB
must read the cells of the intact array, except those that the plans call lost. Plans for arrays with a cause of slow reads run one by one. The
commands that undo a plan must restore every byte. The exit code is 1 if anything differs.
"""
import argparse
import collections
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from random import Random

import environment

environment.enter()

import removed  # noqa: E402

NOW = (0, removed.LATER)
# Fixtures of several formats that have everything an array can have. TileDB reads all of them.
BASES = """22/sparse_basic 22/dense_basic 22/duplicates 22/vacuum_left 22/commits_consolidated 22/deletes 22/fragment_metadata_consolidated
22/evolved_sparse 22/metadata 22/enumerations 22/sparse_consolidated 22/dense_consolidated 14/sparse_consolidated 12/sparse_basic 10/sparse_basic
10/dense_basic 7/sparse_basic 5/sparse_basic 5/dense_basic 22/encrypted""".split()
# One code in so many is tried in each run, because each takes two seconds.
SHARE = 10
MENDS = ("mends", "loses")
# Codes that check itself finds, and codes whose plans change what readers see.
FOUND_BY_CHECK = ("FRAGMENT_FUTURE", "FRAGMENT_UNCOMMITTED")
OTHER_CELLS = {"FRAGMENTS_REPEATED", "VALUES_CONSTANT"}


class Work:
    """A folder as a user would have it. The name of the array needs quotes."""

    def __init__(self, program, folder, key=None):
        self.folder = pathlib.Path(folder)
        self.array = self.folder / "it's an array"
        shims = self.folder / "bin"
        shims.mkdir()
        for name, command in ("tiledb-inspect", f'node "{program}"'), ("python3", f'"{sys.executable}"'):
            (shims / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
            (shims / name).chmod(0o755)
        self.key = key
        if key:
            # Printed calls have `--key-file KEY`: a user puts the name of a file there.
            (self.folder / "KEY").write_text(key)
        self.env = os.environ | {"PATH": f"{shims}:{os.environ['PATH']}"} | ({"TILEDB_INSPECT_KEY": key} if key else {})

    def sh(self, command):
        return subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.env, capture_output=True, text=True)

    def says(self, *args):
        done = subprocess.run([self.folder / "bin" / "tiledb-inspect", *args, self.array.name, "--json"], cwd=self.folder, env=self.env, capture_output=True, text=True)
        if not done.stdout:
            raise ValueError(done.stderr[:300])
        return json.loads(done.stdout)

    def check(self):
        return self.says("check", "--level", "cells", "--all")

    def plan(self):
        return self.says("check", "--level", "cells", "--all", "--plan")

    def read(self, box):
        group = removed.is_group(self.array)
        return removed.read_all(self.array, self.key, [NOW], [box], group)[0]

    def box(self):
        if removed.is_group(self.array):
            return None
        said, _ = removed.apart(lambda: iter(removed.boxes(self.array, self.key, [NOW])))
        return tuple(tuple(one) for one in said[0]) if said and isinstance(said[0], list) else None

    def digest(self):
        return {str(path.relative_to(self.array)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for path in sorted(self.array.rglob("*"))}


def run_plans(work, plans):
    """@returns commands that failed"""
    failed = []
    for plan in plans:
        for step in [*plan["keep"], *plan["steps"]]:
            if "command" not in step:
                continue
            done = work.sh(step["command"])
            # recover ends with 1 if cells are lost, and check if other findings are left.
            if done.returncode != 0 and not ("tiledb-inspect" in step["command"] and done.returncode == 1):
                failed.append(f"{step['command']}: {done.returncode} {done.stderr.strip()[:200]}")
    return failed


def go_back(work, plans):
    for plan in reversed(plans):
        for step in plan["back"]:
            if "command" in step:
                work.sh(step["command"])


def codes_of(findings):
    return collections.Counter(one["code"] for one in findings if one["severity"] != "note")


def tried(work, intact=None):
    """Runs the plans, checks the result, and undoes them. @returns what is wrong, and the plans"""
    wrong = []
    before = work.digest()
    found = work.check()["findings"]
    plan = work.plan()
    plans = plan["plans"]
    if sum(one["finding_num"] for one in plans) != len(found):
        wrong.append(f"{len(found)} findings, {sum(one['finding_num'] for one in plans)} in plans")
    if work.digest() != before:
        wrong.append("planning changed the array")
    wrong += run_plans(work, plans)
    mended = {finding["code"] for one in plans if one["outcome"] in MENDS for finding in one["findings"]}
    left = {finding["code"] for one in plans if one["outcome"] not in MENDS for finding in one["findings"]}
    after = work.check()
    still = {one["code"] for one in after["findings"]}
    if still & (mended - left):
        wrong.append("check still finds " + ", ".join(sorted(still & (mended - left))))
    new = {one["code"] for one in after["findings"] if one["severity"] == "error"} - {one["code"] for one in found}
    if new:
        wrong.append("check finds new errors: " + ", ".join(sorted(new)))
    now = None
    if all(one["outcome"] in MENDS for one in plans if one["severity"] != "note"):
        now = work.read(work.box() if intact is None else intact[0])
        if now is None or "opens" in now or now.get("fails") or now.get("why"):
            wrong.append(f"TileDB: {'a signal' if now is None else now.get('opens') or now.get('why')}")
        elif plans and intact is not None and intact[1] is not None:
            a, b = collections.Counter(intact[1]["cells"]), collections.Counter(now["cells"])
            more, fewer = (b - a).total(), (a - b).total()
            loses = any(one["outcome"] == "loses" for one in plans)
            # The user decides whether a fragment without its commit is read: `instead` says how.
            # The random damage gave a fragment a time in microseconds that it did not have, so its plan may change the cells.
            loses = loses or any(one["instead"] or finding["code"] == "FRAGMENT_FUTURE" for one in plans for finding in one["findings"])
            if more and not loses:
                wrong.append(f"{more} cells that the intact array does not have")
            if fewer and not loses:
                wrong.append(f"{fewer} cells are gone, and no plan says so")
    go_back(work, plans)
    if work.digest() != before:
        wrong.append("the way back does not restore all bytes")
    return wrong, plans


def of_codes(program, only, share, turn):
    listed = json.loads(subprocess.run(["node", program, "write-sample", "--damage", "list", "--json"], capture_output=True, text=True, check=True).stdout)
    for i, code in enumerate(one["damage"] for one in listed["kinds"] if re.search(only, one["damage"])):
        if i % share != turn % share:
            continue
        with tempfile.TemporaryDirectory() as folder:
            work = Work(program, folder)
            subprocess.run(["node", program, "write-sample", work.array, "--damage", code], check=True, capture_output=True)
            wrong, plans = tried(work)
            outcomes = {one["outcome"] for one in plans if any(finding["code"] == code for finding in one["findings"])}
            if not outcomes:
                wrong.append("no plan")
            yield code, wrong, outcomes


def with_causes(folder, rng):
    """To be called in a new process. A process that used TileDB must not fork, because its threads would be missing in the child."""
    import advice

    return advice.planted(advice.Maker(pathlib.Path(folder), rng))


def of_advice(program, rng, only, share, turn):
    """Tries steps against slow reads. They must remove the cause and keep the cells, unless their code is in OTHER_CELLS, and the way back must restore every byte."""
    with tempfile.TemporaryDirectory() as arrays:
        made, _ = removed.apart(lambda: with_causes(arrays, rng))
        for i, (code, path) in enumerate(made):
            if code is None or code in FOUND_BY_CHECK or not re.search(only, code) or i % share != turn % share:
                continue
            with tempfile.TemporaryDirectory() as folder:
                work = Work(program, folder)
                shutil.copytree(path, work.array)
                box = work.box()
                before, cells = work.digest(), work.read(box)["cells"]
                plans = work.plan()["advice"]
                wrong = [] if any(one["code"] == code for plan in plans for one in plan["findings"]) else ["no plan"]
                for plan in plans:
                    codes = {one["code"] for one in plan["findings"]}
                    wrong += run_plans(work, [plan])
                    if plan["outcome"] != "leave":
                        still = codes & {one["code"] for other in work.plan()["advice"] for one in other["findings"]}
                        wrong += [f"check still finds {', '.join(still)}"] if still else []
                        wrong += [f"{', '.join(codes)}: TileDB reads other cells"] if not codes & OTHER_CELLS and work.read(box)["cells"] != cells else []
                    go_back(work, [plan])
                    wrong += [f"{', '.join(codes)}: the way back does not restore all bytes"] if work.digest() != before else []
                    for left in work.folder.glob(f"{work.array.name}.*"):
                        shutil.rmtree(left)
                yield f"advice {code}", wrong, {plan["outcome"] for plan in plans}


def fragments_of(array):
    return sorted({path.parent for path in array.rglob("__fragment_metadata.tdb") if "__labels" not in str(path)})


def damage(array, rng):
    """Damages something. @returns what, as text"""
    fragments = fragments_of(array)
    files = sorted(path for path in array.rglob("*") if path.is_file() and "__schema" not in str(path) and "__labels" not in str(path))
    data = [path for path in files if path.parent in fragments]
    metadata = [path for path in data if path.name == "__fragment_metadata.tdb"]
    kind = rng.choice(["gone", "cut", "flip", "longer", "stray", "microseconds", "metadata gone", "metadata cut", "metadata flip", "commit gone", "fragment gone", "data flip", "data cut"] if fragments else ["gone", "cut", "flip", "longer", "stray"])
    if kind == "stray":
        path = rng.choice([array, *fragments, *[one for one in (array / "__commits", array / "__meta") if one.exists()]]) / "stray.txt"
        path.write_text("x")
    elif kind == "microseconds":
        path = rng.choice(fragments)
        name = re.sub(r"^__\d+_\d+_", "__1700000000000000_1700000000000000_", path.name)
        for commit in array.rglob(path.name + ".*"):
            commit.rename(commit.with_name(commit.name.replace(path.name, name)))
        path.rename(path.with_name(name))
    elif kind == "fragment gone":
        path = rng.choice(fragments)
        shutil.rmtree(path)
    else:
        commits = [one for one in files if one.suffix in (".wrt", ".ok")]
        some = metadata if kind.startswith("metadata") else commits if kind.startswith("commit") and commits else [one for one in data if one not in metadata] if kind.startswith("data") else files
        path = rng.choice(some)
        content = path.read_bytes()
        if kind.endswith("gone") or not content:
            path.unlink()
        elif kind.endswith("cut"):
            path.write_bytes(content[: rng.randrange(len(content))])
        elif kind.endswith("longer"):
            path.write_bytes(content + b"\1\2\3")
        else:
            at = rng.randrange(len(content))
            path.write_bytes(content[:at] + bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :])
    return f"{kind} {path.relative_to(array)}"


def of_fixtures(program, rng, count, seconds):
    intact = {}
    started = time.time()
    for _ in range(count):
        if time.time() - started > seconds:
            return
        base = rng.choice(BASES)
        source = removed.FIXTURES / base
        expected = removed.FIXTURES / (base + ".expected.json")
        key = json.loads(expected.read_text()).get("key") if expected.exists() else None
        with tempfile.TemporaryDirectory() as folder:
            work = Work(program, folder, key)
            shutil.copytree(source, work.array)
            if base not in intact:
                box = work.box()
                intact[base] = (box, work.read(box))
            what = damage(work.array, rng)
            try:
                wrong, plans = tried(work, intact[base])
            except ValueError as error:
                wrong, plans = [f"no plan: {error}"], []
            yield f"{base}: {what}", wrong, {one["outcome"] for one in plans}


# Arrays that releases wrote so, and what TileDB reads of them when all is mended: the number of cells.
BROKEN = {"7_consolidated_without_cells": 2, "18_empty_chunk_gzip": 4, "22_empty_chunk_double_delta": 4, "22_empty_chunk_bitshuffle_md5": 4, "18_bits_lost_double_delta": None, "19_one_filter_type": None}


def of_releases(program, only):
    """Tries the plans for arrays that a release itself broke."""
    for name, cells in BROKEN.items():
        if not re.search(only, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            work = Work(program, folder)
            shutil.copytree(removed.FIXTURES / "unreadable" / name, work.array)
            wrong, plans = tried(work)
            if cells is not None:
                run_plans(work, plans)
                read = work.read(work.box())
                if not read or len(read.get("cells", [])) != cells:
                    wrong.append(f"TileDB does not read {cells} cells: {read}")
                go_back(work, plans)
            yield name, wrong, {one["outcome"] for one in plans}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    ap.add_argument("--seed", type=int, default=None)
    ap.add_argument("--count", type=int, default=5)
    ap.add_argument("--minutes", type=float, default=0.5)
    ap.add_argument("--only", default="", help="only codes that match; '-' tries none")
    ap.add_argument("--all", action="store_true", help="every code (default: one in %d, chosen by the seed)" % SHARE)
    args = ap.parse_args()
    seed = args.seed if args.seed is not None else int(time.time())
    print(f"seed {seed}", flush=True)
    counts = collections.Counter()
    failed = 0
    share = 1 if args.all else SHARE
    codes = itertools.chain(of_codes(args.program, args.only, share, seed), of_releases(args.program, args.only), of_advice(args.program, Random(seed), args.only, -(-share // 3), seed))
    for name, wrong, outcomes in itertools.chain(codes, of_fixtures(args.program, Random(seed), args.count, args.minutes * 60)):
        counts["nothing" if not outcomes else "mended" if outcomes <= {"mends"} else "with loss" if "loses" in outcomes else "left or from a copy"] += 1
        failed += bool(wrong)
        for one in wrong:
            print(f"{name}: {one}", flush=True)
    print("plans: %s; %d wrong" % (", ".join(f"{count} {what}" for what, count in counts.items()), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
