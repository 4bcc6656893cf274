#!/usr/bin/env python3
"""A program beside the project that draws random arrays of TileDB releases of its own, on the built command line: beside.py PROGRAM [--minutes M] [--seed S]

Two releases, others with each seed. Fails where a document differs from TileDB's own answer or a healthy array is accused; arrays that TileDB itself
cannot read are left out, and so is what only the writing release has lost.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time
from random import Random

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / "fixtures")]
import environment  # noqa: E402
import make  # noqa: E402


def failures(out):
    """Lines of what counts in a hunt's figures, and how many arrays there were."""
    figures = json.loads((out / "_figures.json").read_text())
    unread = {name for name, _ in figures["unreadable"]}
    lines = ["%s %s: %s" % (check, name, said[:300]) for check, name, said in figures["failures"] if name not in unread and check != "written"]
    return lines, figures["written"]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program", type=pathlib.Path)
    ap.add_argument("--minutes", type=float, default=2)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    args = ap.parse_args()
    newest = max(make.RELEASES)
    library = lambda version: make.library(*make.RELEASES[version][:2], environment.WORK)
    failed = []
    for version in Random(args.seed).sample(sorted(make.RELEASES), 2):
        out = environment.WORK / "beside" / str(version)
        shutil.rmtree(out, ignore_errors=True)
        hunt = ["hunt", library(version), out, "--reader", library(newest), "--seed", args.seed, "--count", 1000, "--minutes", args.minutes / 4, "--cli", "node %s" % (environment.ROOT / "bin" / "tiledb-inspect.js")]
        subprocess.run([sys.executable, "-B", args.program, *map(str, hunt)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        lines, written = failures(out)
        print("format %d, seed %d: %d arrays, %d complaints" % (version, args.seed, written, len(lines)), *lines, sep="\n  ", flush=True)
        failed += lines
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
