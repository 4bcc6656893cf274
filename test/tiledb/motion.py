#!/usr/bin/env python3
"""Asks for the cells of an array while TileDB changes it: motion.py [--seconds S] [--seed N]

A second process writes, deletes, consolidates and vacuums, and logs what cells and fragments there are after each step. Beside it, `read`, `ls` and
`stats --read` run, one after the other, at full speed and slowed down. Each answer must be that of one logged state: the cells, their number and sum, and the fragments that readers see.
Or the exit code is 3, and the error says that the array was changed. The exit code of this script is 1 if any answer is another.
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

CLI = str(environment.ROOT / "bin" / "tiledb-inspect.js")
# In turns: as fast as it goes, and with pauses in which the writer gets further.
NODES = [["node"], ["node", "--require", str(environment.ROOT / "test" / "tiledb" / "slow_files.cjs")]]
COMMANDS = [["read", "--format", "ndjson"], ["ls", "--json"], ["stats", "--read", "--json"]]


def visible(path):
    """Names of the fragments that readers see."""
    return sorted(one.uri.rstrip("/").rsplit("/", 1)[-1] for one in tiledb.FragmentInfoList(path))


def create(path):
    dim = tiledb.Dim("x", domain=(0, 9999), tile=100, dtype=np.int64)
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(dim), sparse=True, capacity=50, attrs=[tiledb.Attr("a", dtype=np.int64)]))


def writer(path, log, seed):
    """Changes the array until its parent is gone or has made the file `stop`. Logs the state after each step."""
    rng, now, cells, parent = Random(seed), 1000, {}, os.getppid()

    def logged():
        log.write(json.dumps({"cells": sorted(cells.items()), "fragments": visible(path)}) + "\n")
        log.flush()

    logged()
    while os.getppid() == parent and not os.path.exists(path + ".stop"):
        time.sleep(rng.random() / 20)
        for _ in range(rng.randint(1, 5)):
            now += 1
            xs = sorted({rng.randrange(2000) for _ in range(50)})
            with tiledb.open(path, "w", timestamp=now) as array:
                array[np.array(xs)] = {"a": np.full(len(xs), now)}
            cells.update({x: now for x in xs})
            logged()
        if rng.random() < 0.3:
            now += 1
            with tiledb.open(path, "d", timestamp=now) as array:
                array.query(cond="a < %d" % (now - 20)).submit()
            cells = {x: a for x, a in cells.items() if a >= now - 20}
            logged()
        mode = rng.choice(["fragments", "fragments", "commits", "fragment_meta"])
        conf = tiledb.Config({"sm.consolidation.mode": mode, "sm.vacuum.mode": mode, "sm.consolidation.steps": 1})
        try:
            tiledb.consolidate(path, config=conf)
            logged()
            tiledb.vacuum(path, config=conf)
        except tiledb.TileDBError:
            # TileDB 2.30 cannot consolidate commits again once a delete among them was vacuumed.
            pass
        logged()


def answered(command, ran):
    """The part of an answer that a state has, too."""
    if command == "read":
        rows = [json.loads(line) for line in ran.stdout.splitlines()]
        return sorted([row["x"], row["a"]] for row in rows)
    document = json.loads(ran.stdout)
    if command == "ls":
        return sorted(one["name"] for one in document["fragments"] if one["visible"])
    a = next(one for one in document["fields"] if one["name"] == "a")
    return [document["cell_num"], int(a["sum"] or 0)]


def states(log):
    """The answers that are right, by command."""
    right = {"read": [], "ls": [], "stats": []}
    before = None
    for line in open(log):
        state = json.loads(line)
        cells = [list(one) for one in state["cells"]]
        right["read"].append(cells)
        right["stats"].append([len(cells), sum(a for _, a in cells)])
        right["ls"].append(state["fragments"])
        # A consolidated fragment is committed before a list hides those that it replaces.
        if before is not None:
            right["ls"].append(sorted({*before, *state["fragments"]}))
        before = state["fragments"]
    return right


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seconds", type=float, default=40)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    ap.add_argument("--writer", metavar="PATH")
    args = ap.parse_args()
    if args.writer:
        with open(args.writer + ".log", "w") as log:
            writer(args.writer, log, args.seed)
        return 0
    print("seed %d" % args.seed, flush=True)
    folder = tempfile.mkdtemp()
    path = folder + "/array"
    create(path)
    process = subprocess.Popen([sys.executable, "-B", __file__, "--writer", path, "--seed", str(args.seed)])
    answers, changed, wrong, calls = [], 0, [], 0
    try:
        while not os.path.exists(path + ".log"):
            time.sleep(0.05)
        end = time.time() + args.seconds
        while time.time() < end:
            command, node = COMMANDS[calls % len(COMMANDS)], NODES[calls // len(COMMANDS) % len(NODES)]
            calls += 1
            ran = subprocess.run([*node, CLI, command[0], path, *command[1:]], capture_output=True, text=True)
            if ran.returncode == 0:
                answers.append((command[0], answered(command[0], ran)))
            elif ran.returncode == 3 and "the array was changed while it was read" in ran.stderr:
                changed += 1
            else:
                wrong.append("%s: exit %d: %s" % (command[0], ran.returncode, ran.stderr.strip()[:300]))
    finally:
        open(path + ".stop", "w").close()
        status = process.wait()
    right = states(path + ".log")
    for command, answer in answers:
        if answer not in right[command]:
            wrong.append("%s answers as of no state: %s" % (command, str(answer)[:300]))
    shutil.rmtree(folder)
    for one in wrong:
        print(one)
    if status != 0:
        print("the writer ended with %d" % status)
    print("%d states, %d answers of one state, %d times changed while it was read, %d wrong" % (len(right["read"]), calls - changed - len(wrong), changed, len(wrong)))
    return int(bool(wrong) or status != 0 or not answers)


if __name__ == "__main__":
    sys.exit(main())
