#!/usr/bin/env python3
"""Lets TileDB read everything that write-sample writes: run.py [--only REGEX] [--share N] [--seed S] [--keep FOLDER] [--list]

Writes the samples of cases.py in one Node process (driver.mjs), and compares schema, non-empty domain, MBRs, cell counts and every
cell of every fragment with what TileDB says. Conditions and aggregates are compared with a full scan. TileDB appends to some samples,
consolidates and vacuums them. --share tries one sample of N; the seed chooses which. The last line has counts.
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
import threading
import time
import traceback
import zlib
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
import environment  # noqa: E402


def examine(sample, operate_too):
    """@returns the differences, the number of conditions, and the number of operations"""
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


def serve():
    """Examines samples. Reads a line of JSON for each from stdin, and answers with a line of JSON."""
    for line in sys.stdin:
        sample, operate_too = json.loads(line)
        try:
            answer = examine(sample, operate_too)
        except Exception as e:
            if os.environ.get("DEBUG"):
                traceback.print_exc()
            answer = ["%s: %s" % (type(e).__name__, e)], 0, 0
        print(ANSWER + json.dumps(answer), flush=True)


ANSWER = "\0"  # first character of answers, because TileDB may print other lines


class Examiner:
    """A process that examines samples. If it crashes, another takes its place.

    TileDB-Py 0.36.1 crashes once in some hundred samples if raw queries and aggregates alternate, also on arrays that TileDB wrote.
    So a sample is tried twice.
    """

    def __init__(self):
        self.process = None

    def ask(self, sample, operate_too):
        if self.process is None:
            command = [sys.executable, "-B", __file__, "--serve"]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None if os.environ.get("DEBUG") else subprocess.DEVNULL, text=True)
        try:
            self.process.stdin.write(json.dumps([sample, operate_too]) + "\n")
            self.process.stdin.flush()
            for line in self.process.stdout:
                if line.startswith(ANSWER):
                    return json.loads(line[len(ANSWER) :])
        except BrokenPipeError:
            pass
        code, self.process = self.process.wait(), None
        return code

    def examine(self, sample, operate_too):
        for attempt in (1, 2):
            answer = self.ask(sample, operate_too)
            if not isinstance(answer, int):
                return answer
            shutil.rmtree(sample["dir"] + ".operated", ignore_errors=True)
        return ["TileDB ended with %d, twice" % answer], 0, 0

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def answers(work, keep):
    """The answer for each sample, in order. Uses as many processes as processors, but at most two."""
    local, examiners = threading.local(), []

    def one(item):
        sample, operate_too = item
        if not hasattr(local, "examiner"):
            local.examiner = Examiner()
            examiners.append(local.examiner)
        try:
            return local.examiner.examine(sample, operate_too)
        finally:
            if not keep:
                shutil.rmtree(sample["dir"], ignore_errors=True)

    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        yield from pool.map(one, work)
    for examiner in examiners:
        examiner.close()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only", default="", metavar="REGEX", help="only samples whose name matches")
    ap.add_argument("--share", type=int, default=1)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--keep", type=pathlib.Path, help="folder in which samples are written and kept (default: a temporary folder)")
    ap.add_argument("--list", action="store_true", help="only print the names and arguments of the samples")
    ap.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = ap.parse_args()
    sys.path[:0] = [str(HERE), str(ROOT / "test" / "fixtures")]
    if args.serve:
        return serve()
    from cases import cases

    # By their names, so that samples of each version and kind are among them.
    chosen = [c for c in cases() if re.search(args.only, c[0]) and zlib.crc32(f"{args.seed} {c[0]}".encode()) % args.share == 0]
    names = [c[0] for c in chosen]
    assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)
    if args.list:
        for name, arguments, _ in chosen:
            print(name, *arguments)
        return 0
    environment.enter()
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
        work = [(sample, options.get("ops", False)) for (_, _, options), sample in zip(chosen, samples)]
        for (name, arguments, _), (differences, tried, done) in zip(chosen, answers(work, bool(args.keep))):
            conditions += tried
            operated += done
            if differences:
                failed += 1
                print("FAILED %s (write-sample %s)" % (name, " ".join(arguments)))
                for d in differences[:5]:
                    print("  " + d, flush=True)
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print("%d conditions and aggregates, %d samples appended to, consolidated and vacuumed, %.0f s" % (conditions, operated, time.time() - started))
    if not args.only:
        import operations
        import schemas

        with tempfile.TemporaryDirectory() as scratch:
            rules, count = schemas.differences(operations.LIBRARY, scratch)
        for d in rules:
            print("FAILED schema " + d)
        print("%d schemas made or refused as by TileDB, %d not" % (count - len(rules), len(rules)))
        failed += bool(rules)
    print("%d passed, %d failed" % (len(samples) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
