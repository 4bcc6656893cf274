#!/usr/bin/env python3
"""Runs all tests against real TileDB: run.py [--only write,random,names,visible,conditions,explain,stats,advice,whatif,recover,plan,history,twins,motion,datasets,layers,sweeps,pictures,arrow,s3,spark] [--seed S] [--count N] [--minutes M] [--all]

write   TileDB opens, queries, appends to, consolidates and vacuums what write-sample writes
random  we read random arrays, also merged, that TileDB's newest release and three others write: up to --count of each release (default 40),
        for --minutes in all (default 2)
names   what TileDB does if files are missing or others are added is still as recorded; a quarter of the cases, or --all
visible what TileDB makes of commits, lists and time stamps is still as recorded; a quarter of the cases, or --all
conditions
        --where finds the same cells as conditions of TileDB-Py in random arrays
explain what explain says of random arrays agrees with TileDB's counters
stats   what stats --read counts in random arrays agrees with numpy on what TileDB reads
advice  explain names the planted cause of slow reads; the lines of its advice run, and TileDB's counters are as promised
whatif  TileDB writes cells of some kinds of data, or of all with --all, with the pipelines that whatif names, and the sizes agree; well tuned
        arrays stay as they are; schemas of --emit python are the same
recover TileDB reads what recover makes of arrays with damaged metadata and damaged tiles
plan    the plans of check --plan run for planted and random damage, and are undone; a tenth of the codes, or --all
history histories of writes by write-sample are the same as those of two releases
twins   histories with purge, tests for null and nullable text are the same as those of TileDB-Py, and we read both twins as it does
motion  read, ls and stats --read answer as of one state of an array that TileDB writes, consolidates and vacuums meanwhile
datasets
        members of groups that were drawn, and then moved or copied, are where TileDB reads them, and so is what recover --relocate writes
layers  check says nothing of healthy datasets of libraries on top of TileDB, and names faults in them
sweeps  what hurts arrays that were drawn, and the worst ten of them, are what follows from TileDB-Py's FragmentInfoList
pictures
        the page's pictures of arrays that were drawn have numpy's numbers at their places, and the colours of the scale
arrow   pyarrow reads what decode --format arrow writes of some fixtures, or of all with --all
s3      we read arrays that TileDB writes to a server of moto
spark   the Spark job of examples/ reads an array of 200 fragments; only if Java is installed

Random choices differ in each run, unless --seed is given; those of motion always do. Makes its own virtual environment in build/. The last line has counts. The exit
code is 1 if anything differs.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from random import Random

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / "fixtures")]
import environment  # noqa: E402
import make  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = environment.ROOT


def shown(command, **options):
    """Runs a command, and prints its output. @returns its exit code and its output"""
    lines = []
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, **options)
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    return process.wait(), "".join(lines)


def last(output):
    return (output.strip().splitlines() or ["nothing said"])[-1]


def write(_):
    code, output = shown([environment.python(), "-B", HERE / "write" / "run.py"])
    found = re.search(r"^(\d+) passed, (\d+) failed$", output, re.M)
    return code, "%s samples right, %s wrong" % found.groups() if found else "samples: no count"


def random(args):
    seed = args.seed if args.seed is not None else int(time.time())
    print("seed %d: npm run test:tiledb -- --only random --seed %d draws the same" % (seed, seed), flush=True)
    newest = max(make.RELEASES)
    versions = sorted(Random(seed).sample(sorted(set(make.RELEASES) - {newest}), 3)) + [newest]
    codes, counts = [], []
    for version in versions:
        arrays = environment.WORK / "random" / str(version)
        shutil.rmtree(arrays, ignore_errors=True)
        draw = ["--count", args.count, "--minutes", args.minutes / len(versions), "--seed", seed, "--release", version]
        code, output = shown([environment.python(), "-B", HERE / "random_arrays.py", *draw, "--out", arrays, "--work", environment.WORK])
        if code == 0:
            shutil.rmtree(arrays)
        codes.append(code)
        counts.append(last(output))
    return int(any(codes)), "random: " + "; ".join(counts)


def some(args):
    """Options of the programs that compare with recordings: a quarter of the cases, or all."""
    return [] if args.all else ["--share", 4, *([] if args.seed is None else ["--seed", args.seed])]


def names(args):
    code, output = shown([environment.python(), "-B", HERE / "names.py", *some(args)])
    return code, "names: " + last(output)


def visible(args):
    code, output = shown([environment.python(), "-B", HERE / "visible.py", *some(args)])
    return code, "visible: " + last(output)


def conditions(args):
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "conditions.py", *seed])
    return code, "conditions: " + last(output)


def explain(args):
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "explain.py", *seed])
    return code, "explain: " + last(output)


def stats(args):
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "read_stats.py", built(), *seed])
    return code, "stats: " + last(output)


def advice(args):
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "advice.py", built(), "--minutes", args.minutes, *seed])
    return code, "advice: " + last(output)


def recover(args):
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "recover.py", built(), *seed])
    return code, "recover: " + last(output)


def whatif(args):
    seed = [] if args.seed is None else ["--seed", args.seed]
    size = ["--count", 40, "--speed"] if args.all else ["--count", 4, "--cells", 20_000, "--tuned", 1, "--codes", 8]
    code, output = shown([environment.python(), "-B", HERE / "whatif.py", built(), *size, *seed])
    return code, "whatif: " + last(output)


# Fixtures with every kind of column. All fixtures would take six minutes.
ARROW = r"/22/(dense_basic|duplicates|enumerations|evolved|fill_values|hilbert|string_dim|type_)"


def plan(args):
    options = (["--all"] if args.all else []) + ([] if args.seed is None else ["--seed", args.seed])
    code, output = shown([environment.python(), "-B", HERE / "plan.py", built(), *options])
    return code, last(output)


def history(args):
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "history.py", built(), "--formats", "16,22", "--count", 10, *seed])
    return code, "histories: " + last(output)


def twins(args):
    built()
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "twins.py", *(["--count", 300] if args.all else []), *seed])
    return code, "twins: " + last(output)


def motion(args):
    # Drawn anew each time: what happens between two reads is chance anyway, and no release makes a difference.
    built()
    code, output = shown([environment.python(), "-B", HERE / "motion.py"])
    return code, "motion: " + last(output)


def datasets(args):
    built()
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "datasets.py", *(["--count", 200] if args.all else []), *seed])
    return code, "datasets: " + last(output)


def sweeps(args):
    built()
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "sweeps.py", "--count", 200 if args.all else 60, *seed])
    return code, "sweeps: " + last(output)


def pictures(args):
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "pictures.py", *(["--count", 60] if args.all else []), *seed])
    return code, "pictures: " + last(output)


def layers(args):
    built()
    seed = [] if args.seed is None else ["--seed", args.seed]
    code, output = shown([environment.python(), "-B", HERE / "layers.py", *seed])
    return code, "layers: " + last(output)


def arrow(args):
    some = [] if args.all else ["--only", ARROW]
    code, output = shown([environment.python(), "-B", HERE / "arrow_check.py", built()] + some)
    return code, "Arrow: " + last(output)


def built():
    if not (ROOT / "dist" / "cli" / "main.cjs").exists():
        subprocess.run(["npm", "run", "build"], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return ROOT / "bin" / "tiledb-inspect.js"


def s3(_):
    code, output = shown([environment.python(), "-B", HERE / "s3_check.py", built()])
    return code, "S3: " + last(output)


def spark(_):
    if shutil.which("java") is None:
        return 0, "Spark: skipped, there is no Java"
    python = environment.python()
    # pyspark has no wheel, so it is not in the environment.
    subprocess.run([python, "-m", "pip", "install", "-q", SPARK], check=True)
    code, output = shown([python, "-B", HERE / "spark_check.py", built()])
    return code, "Spark: " + last(output)


SPARK = "pyspark==4.3.0"
# The longest first, as they run two at a time.
PARTS = {
    "write": write, "s3": s3, "stats": stats, "arrow": arrow, "visible": visible, "spark": spark, "names": names, "plan": plan, "advice": advice, "twins": twins,
    "motion": motion, "random": random, "datasets": datasets, "explain": explain, "recover": recover, "conditions": conditions, "whatif": whatif, "sweeps": sweeps,
    "history": history, "layers": layers, "pictures": pictures,
}


# This part uses two processors itself.
ALONE = "write"


def beside(parts, args):
    """Runs parts that use one processor each, two at a time, in new processes. The output of a part is printed when it ends.

    @returns the exit code and the last line of each
    """
    options = ["--count", str(args.count), "--minutes", str(args.minutes)]
    options += ["--seed", str(args.seed)] if args.seed is not None else []
    options += ["--all"] if args.all else []
    # All parts need these, so they are made first.
    environment.python()
    built()

    def run(part):
        command = [sys.executable, "-B", __file__, "--only", part] + options
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
        return done.returncode, done.stdout

    with ThreadPoolExecutor(2) as pool:
        for ended in as_completed([pool.submit(run, part) for part in parts]):
            code, output = ended.result()
            print(output, end="", flush=True)
            yield code, last(output)


def here(parts, args):
    for part in parts:
        print("== %s" % part, flush=True)
        yield PARTS[part](args)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only", default=",".join(PARTS), metavar="PART,PART")
    ap.add_argument("--seed", type=int, help="seed of everything random (default: another each time)")
    ap.add_argument("--count", type=int, default=40)
    ap.add_argument("--minutes", type=float, default=2)
    ap.add_argument("--all", action="store_true", help="all cases of the parts that otherwise try some")
    args = ap.parse_args()
    chosen = args.only.split(",")
    if not set(chosen) <= set(PARTS):
        ap.error("parts are " + ", ".join(PARTS))
    started = time.time()
    others = [part for part in chosen if part != ALONE]
    results = list(here([ALONE] if ALONE in chosen else [], args))
    results += beside(others, args) if len(others) > 1 else here(others, args)
    codes, counts = zip(*results)
    print("%s (%.0f s): %s" % ("; ".join(counts), time.time() - started, "FAILED" if any(codes) else "passed"))
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
