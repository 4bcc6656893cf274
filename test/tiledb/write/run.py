#!/usr/bin/env python3
"""Everything that write-sample writes, read by TileDB itself: run.py [--only REGEX] [--keep FOLDER] [--list]

Makes its own virtual environment with a pinned TileDB-Py, writes the samples of cases.py in one Node process (driver.mjs), and
compares schema, non-empty domain, MBRs, cell counts and every cell of every fragment with what TileDB says. Conditions and
aggregates are held against a full scan; TileDB appends to, consolidates and vacuums some of them. The last line counts.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TILEDB = "0.36.1"
VENV = ROOT / "build" / "venv"
INSIDE = "TILEDB_WRITE_TEST_INSIDE"


def into_venv():
    """Goes on in the virtual environment, which is made where it is missing or older."""
    python = VENV / "bin" / "python"
    stamp = VENV / ("tiledb-" + TILEDB)
    if not stamp.exists():
        venv.create(VENV, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--only-binary=:all:", "tiledb==" + TILEDB], check=True)
        stamp.touch()
    sys.exit(subprocess.run([python, "-B", __file__] + sys.argv[1:], env=dict(os.environ, **{INSIDE: "1"})).returncode)


def examine(sample, operate_too):
    """@returns the differences, and how many conditions and operations were tried"""
    import compare
    import expected
    import operations

    out = compare.Differences()
    with open(sample["dir"] + ".ours.json") as f:
        ours = json.load(f)
    if ours["code"] != 0:
        out.append("not written: %s" % ours["stderr"].strip())
        return out, 0, 0
    with tempfile.TemporaryDirectory(dir=os.path.dirname(sample["dir"])) as scratch:
        said = expected.array(sample["dir"], {"key": sample["key"]}, scratch)
    compare.schema(ours["schema"], said["schema"], out)
    listed = {f["name"]: f for f in ours["ls"]["fragments"]}
    out.check("fragments", sorted(listed), sorted(f["name"] for f in said["fragments"]))
    for f in said["fragments"]:
        compare.fragment(ours["fragments"][f["name"]], listed[f["name"]], f, said["schema"], out)
        if not f["listed"]:
            out.append("TileDB does not list " + f["name"])
    conditions = operations.conditions(sample["dir"], said, sample["key"], out)
    operated = operations.operate(sample["dir"], said, sample["key"], out) if operate_too and operations.possible(said["schema"]) else 0
    return out, conditions, operated


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only", default="", metavar="REGEX", help="only samples whose name matches")
    ap.add_argument("--keep", type=pathlib.Path, help="where samples are written and left (default: a folder that is thrown away)")
    ap.add_argument("--list", action="store_true", help="print the samples' names and arguments, write nothing")
    args = ap.parse_args()
    sys.path[:0] = [str(HERE), str(ROOT / "test" / "fixtures")]
    from cases import cases

    chosen = [c for c in cases() if re.search(args.only, c[0])]
    names = [c[0] for c in chosen]
    assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)
    if args.list:
        for name, arguments, _ in chosen:
            print(name, *arguments)
        return 0
    if os.environ.get(INSIDE) != "1":
        into_venv()
    started = time.time()
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    folder = args.keep.resolve() if args.keep else pathlib.Path(tempfile.mkdtemp(prefix="write-sample-", dir=memory))
    folder.mkdir(exist_ok=True)
    failed = conditions = operated = 0
    try:
        samples = [{"dir": str(folder / name), "args": arguments, "key": options.get("key")} for name, arguments, options in chosen]
        (folder / "cases.json").write_text(json.dumps(samples))
        subprocess.run(["node", HERE / "driver.mjs", folder / "cases.json"], check=True, cwd=ROOT)
        print("%d samples written and shown in %.0f s" % (len(samples), time.time() - started), flush=True)
        for (name, arguments, options), sample in zip(chosen, samples):
            try:
                differences, tried, done = examine(sample, options.get("ops", False))
                conditions += tried
                operated += done
            except Exception as e:
                if os.environ.get("DEBUG"):
                    raise
                differences = ["%s: %s" % (type(e).__name__, e)]
            if differences:
                failed += 1
                print("FAILED %s (write-sample %s)" % (name, " ".join(arguments)))
                for d in differences[:5]:
                    print("  " + d, flush=True)
            if not args.keep:
                shutil.rmtree(sample["dir"], ignore_errors=True)
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print("%d conditions and aggregates, %d samples appended to, consolidated and vacuumed, %.0f s" % (conditions, operated, time.time() - started))
    print("%d passed, %d failed" % (len(samples) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
