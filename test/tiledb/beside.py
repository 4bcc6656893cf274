#!/usr/bin/env python3
"""Runs a program from outside of this project, which draws random arrays with TileDB releases and compares them with the command line.

beside.py PROGRAM [--minutes M] [--seed S] [--formats 3,22] [--turn N] [--count N] [--cli COMMAND]

Each seed chooses two releases. With --turn, only one of them writes arrays, for half of the minutes. This fails if a document differs from TileDB's own answer, if an error is found in a healthy array, if PROGRAM
fails, if PROGRAM writes no array, or if it does not ask about each. Complaints about cells do not count for arrays whose cells TileDB itself
has lost. They are listed instead. TileDB has lost cells if

- it cannot read the array,
- it reads other cells than were written,
- it reads other cells if memory held other bytes before,
- no cell has the minimum or maximum that it stored (a consolidation reads what an earlier write lost).
"""
import argparse
import collections
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import time
from random import Random

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / "fixtures")]
import environment  # noqa: E402
import make  # noqa: E402

CELLS = {"check", "decode", "dump", "tiles", "verify", "written"}  # checks that undo the filters of data files


def loaded(path):
    """Loads the program as a module. Every NaN then equals every other: TileDB gives values, but `--raw` prints bits."""
    spec = importlib.util.spec_from_file_location("beside_program", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    norm = program.compare.norm
    program.compare.norm = lambda value: "NaN" if isinstance(value, str) and value.startswith("NaN:0x") else norm(value)
    return program


def hunt(program, library, reader, out, args, minutes):
    """Runs the program, and returns its figures. Its output is dropped, because it counts arrays that are left out here."""
    shutil.rmtree(out, ignore_errors=True)
    words = ["hunt", library, out, "--reader", reader, "--seed", args.seed, "--count", args.count, "--minutes", minutes, "--cli", args.cli]
    sys.argv = [str(word) for word in [args.program, *words]]
    with contextlib.redirect_stdout(io.StringIO()):
        program.main()
    return json.loads((out / "_figures.json").read_text())


def cells_of(folder, name):
    """What TileDB read of an array: {array or member: {fragment: (its description, its cells)}}; None if it read nothing."""
    path = folder / (name + ".expected.json")
    if not path.exists():
        return None
    said = json.loads(path.read_text())
    arrays = said["arrays"] if said.get("object") == "group" else {"": said}
    return {a: {f["name"]: [f.get(key) for key in ("cells", "cells_as_of", "cell_timestamps", "unreadable")] for f in array["fragments"]} for a, array in arrays.items()}


def asked_again(program, reader, out, name, byte):
    """The same as cells_of(), from a new process in which uninitialised memory holds another byte."""
    folder = out / ("again_%d" % byte)
    folder.mkdir(exist_ok=True)
    link = folder / name
    if not link.exists():
        link.symlink_to(out / name)
    case = {key: value for key, value in program.man_of(out)["cases"][name].items() if key != "expected"}
    program.save(folder, {**program.man_of(out), "cases": {name: case}})
    subprocess.run([sys.executable, "-B", program.__file__, "expect", reader, folder], env={**os.environ, "MALLOC_PERTURB_": str(byte)}, check=True)
    return cells_of(folder, name)


def as_written(program, out, name):
    """Compares what TileDB read with what was given to the writer. @returns what differs; None if nothing does, '' if they cannot be compared"""
    case = out / (name + ".case")
    said = json.loads((out / (name + ".expected.json")).read_text())
    if not case.exists() or "fragments" not in said:
        return ""
    fragments = {f["name"]: f for f in said["fragments"]}
    if any(f.get("cells") is None or f.get("cells_note") or f.get("unreadable") for f in fragments.values()):
        return ""

    def rows(args, _):
        fragment = fragments[pathlib.Path(args[-1]).name]
        schema = program.compare.schema_of(said, fragment)
        types = {field["name"]: field["type"] for field in schema["dims"] + schema["attrs"]}
        columns = {**fragment["cells"]["coords"], **fragment["cells"]["attrs"]}
        columns = {name: [program.as_printed(types[name] + " list", cell) for cell in cells] for name, cells in columns.items()}
        if fragment["dense"]:
            ranges = [range(int(low), int(high) + 1) for low, high in fragment["nonempty_domain"]]
            columns.update(zip([d["name"] for d in schema["dims"]], zip(*program.itertools.product(*ranges))))
        cells = [dict(zip(columns, cell)) for cell in zip(*columns.values())]
        return 0, "\n".join(map(json.dumps, cells)).encode(), ""

    paths = [pathlib.Path(folder) for _, folder in program.expect.fragment_dirs(str(out / name))]
    entry = program.man_of(out)["cases"][name]
    return program.check_written(rows, out / name, paths, pickle.loads(case.read_bytes()), entry.get("dropped") or {}, entry["key"])


def misses_its_extremes(args, out, name):
    """Whether TileDB stored the minimum or maximum of an integer field, but reads no such cell; so for each error of `check`."""
    said = json.loads((out / (name + ".expected.json")).read_text())
    if "fragments" not in said:
        return False
    fragments = {f["name"]: f for f in said["fragments"]}
    run = subprocess.run([*args.cli.split(), "check", "--level", "cells", "--json", str(out / name)], capture_output=True)
    errors = [f for f in json.loads(run.stdout)["findings"] if f["severity"] == "error"] if run.returncode == 1 else []

    def missing(finding):
        stored = re.search(r", (-?\d+) in the metadata", finding.get("found", ""))
        fragment = fragments.get(pathlib.Path(finding["file"]).parent.name)
        if finding["code"] != "TILE_MIN_MAX" or not stored or not fragment or not fragment.get("cells"):
            return False
        field = finding["field"].split(".", 1)[1]
        cells = fragment["cells"]["attrs"].get(field, [])
        if not cells or not all(isinstance(cell, int) for cell in cells):
            return False
        return int(stored.group(1)) not in cells

    return bool(errors) and all(map(missing, errors))


def lost(program, reader, out, name, unread, args):
    """Why complaints about the cells of an array do not count; None if they do."""
    said = cells_of(out, name)
    if name in unread or said is None:
        return "TileDB cannot read it"
    if as_written(program, out, name):
        return "TileDB reads other cells than were written"
    if any(asked_again(program, reader, out, name, byte) != said for byte in (85, 170)):
        return "TileDB reads other cells each time"
    if misses_its_extremes(args, out, name):
        return "TileDB reads no cell with the extremes that it stored"
    return None


def judged(program, reader, out, figures, args):
    """@returns the complaints that count, one a line, and the arrays that are left out, by reason"""
    lines, reasons = [], collections.defaultdict(list)
    unread = {name for name, _ in figures["unreadable"]}
    of_cells = {name for check, name, _ in figures["failures"] if check in CELLS}
    for name in sorted(of_cells):
        reason = lost(program, reader, out, name, unread, args)
        if reason:
            reasons[reason].append(name)
    left_out = {name for names in reasons.values() for name in names}
    lines += ["%s %s: %s" % (check, name, said[:300]) for check, name, said in figures["failures"] if not (check in CELLS and name in left_out)]
    asked = sum(figures[kind].get("check", 0) for kind in ("good", "bad"))
    if not figures["written"]:
        lines.append("no array was written")
    elif asked < figures["written"]:
        lines.append("%d arrays were written, but only %d were examined" % (figures["written"], asked))
    return lines, reasons


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program", type=pathlib.Path)
    ap.add_argument("--minutes", type=float, default=2)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    ap.add_argument("--formats", help="format versions whose releases are used (default: two at random)")
    ap.add_argument("--turn", type=int, help="uses one release: even numbers the first, odd ones the second")
    ap.add_argument("--count", type=int, default=1000, help="upper limit on the arrays of each release")
    ap.add_argument("--cli", default="node %s" % (environment.ROOT / "bin" / "tiledb-inspect.js"))
    args = ap.parse_args()
    library = lambda version: make.library(*make.RELEASES[version][:2], environment.WORK)
    versions = list(map(int, args.formats.split(","))) if args.formats else Random(args.seed).sample(sorted(make.RELEASES), 2)
    minutes = args.minutes / len(versions)
    if args.turn is not None:
        versions = [versions[args.turn % len(versions)]]
    program, reader, failed = loaded(args.program.resolve()), library(max(make.RELEASES)), 0
    for version in versions:
        out = environment.WORK / "beside" / str(version)
        # The other half of the time is for what comes after the drawing.
        figures = hunt(program, library(version), reader, out, args, minutes / 2)
        lines, reasons = judged(program, reader, out, figures, args)
        print("format %d, seed %d: %d arrays, %d complaints" % (version, args.seed, figures["written"], len(lines)), *lines, sep="\n  ")
        for reason, names in reasons.items():
            print("  left out: cells of %d arrays: %s: %s" % (len(names), reason, ", ".join(names)))
        sys.stdout.flush()
        failed += len(lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
