#!/usr/bin/env python3
"""Runs all tests against real TileDB: run.py [--only write,random,names,visible,conditions,explain,stats,advice,whatif,recover,plan,history,twins,motion,datasets,layers,sweeps,pictures,arrow,s3,spark] [--seed S] [--count N] [--minutes M] [--all | --brief]
                                      run.py --parts

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


def random(args):
    seed = args.seed if args.seed is not None else int(time.time())
    print("seed %d: npm run test:tiledb -- --only random --seed %d draws the same" % (seed, seed), flush=True)
    newest = max(make.RELEASES)
    versions = sorted(Random(seed).sample(sorted(set(make.RELEASES) - {newest}), 3)) + [newest]
    count = args.count if args.count is not None else 5 if args.brief else 40
    codes, counts = [], []
    for version in versions:
        arrays = environment.WORK / "random" / str(version)
        shutil.rmtree(arrays, ignore_errors=True)
        draw = ["--count", count, "--minutes", args.minutes / len(versions), "--seed", seed, "--release", version]
        code, output = shown([environment.python(), "-B", HERE / "random_arrays.py", *draw, "--out", arrays, "--work", environment.WORK])
        if code == 0:
            shutil.rmtree(arrays)
        codes.append(code)
        counts.append(last(output))
    return int(any(codes)), "random: " + "; ".join(counts)


def spark(args):
    if shutil.which("java") is None:
        return 0, "Spark: skipped, there is no Java"
    # pyspark has no wheel, so it is not in the environment.
    subprocess.run([environment.python(), "-m", "pip", "install", "-q", SPARK], check=True)
    return Part("spark_check.py", ["PROGRAM"]).run("Spark", args)


SPARK = "pyspark==4.3.0"


class Part:
    """A program beside this one.

    usual: its arguments. PROGRAM stands for the path of ours.
    brief, all: those that are added with --brief and --all instead of some
    """

    def __init__(self, script, usual=(), *, some=(), brief=None, all=None, seeded=False):
        self.script, self.usual, self.seeded = script, usual, seeded
        self.sizes = {"some": some, "brief": some if brief is None else brief, "all": some if all is None else all}

    def run(self, name, args):
        size = "all" if args.all else "brief" if args.brief else "some"
        seed = ["--seed", args.seed] if self.seeded and args.seed is not None else []
        code, output = shown([environment.python(), "-B", HERE / self.script, *(built() if part == "PROGRAM" else part for part in self.usual), *self.sizes[size], *seed])
        return code, "%s: %s" % (name, last(output))


def built():
    if not (ROOT / "dist" / "cli" / "main.cjs").exists():
        subprocess.run(["npm", "run", "build"], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return ROOT / "bin" / "tiledb-inspect.js"


def counted(script, usual=(), *, some=None, brief, all=None):
    """A part that takes a number of cases."""
    sizes = {"some": some, "brief": brief, "all": some if all is None else all}
    return Part(script, usual, seeded=True, **{size: [] if count is None else ["--count", count] for size, count in sizes.items()})


def share(script, *, some, brief):
    """A part that tries one case of a number."""
    return Part(script, some=["--share", some], brief=["--share", brief], all=[], seeded=True)


# Fixtures with every kind of column. All fixtures would take six minutes. And some of these.
ARROW = r"/22/(dense_basic|duplicates|enumerations|evolved|fill_values|hilbert|string_dim|type_)"
ARROW_BRIEF = r"/22/(duplicates|enumerations|evolved|fill_values|type_.*[1u])"
# The longest first, as they run two at a time.
PARTS = {
    "write": Part("write/run.py", brief=["--share", 4], seeded=True),
    "random": random,
    "s3": Part("s3_check.py", ["PROGRAM"], brief=["--arrays", "consolidated,dense"]),
    "spark": spark,
    "stats": counted("read_stats.py", ["PROGRAM"], brief=10),
    "plan": Part("plan.py", ["PROGRAM"], brief=["--minutes", 0.2], all=["--all"], seeded=True),
    "visible": share("visible.py", some=4, brief=16),
    "names": share("names.py", some=4, brief=16),
    "motion": Part("motion.py", brief=["--seconds", 15]),
    "advice": counted("advice.py", ["PROGRAM", "--minutes", 2], brief=5),
    "twins": counted("twins.py", brief=15, all=300),
    "arrow": Part("arrow_check.py", ["PROGRAM"], some=["--only", ARROW], brief=["--only", ARROW_BRIEF], all=[]),
    "datasets": counted("datasets.py", brief=10, all=200),
    "explain": counted("explain.py", brief=8),
    "recover": counted("recover.py", ["PROGRAM"], brief=6),
    "conditions": counted("conditions.py", brief=8),
    "whatif": Part(
        "whatif.py", ["PROGRAM"], some=["--count", 4, "--cells", 20_000, "--tuned", 1, "--codes", 8], brief=["--count", 2, "--cells", 20_000, "--tuned", 1, "--codes", 8],
        all=["--count", 40, "--speed"], seeded=True,
    ),
    "sweeps": counted("sweeps.py", some=60, brief=20, all=200),
    "history": counted("history.py", ["PROGRAM", "--formats", "16,22"], some=10, brief=4),
    "layers": Part("layers.py", seeded=True),
    "pictures": counted("pictures.py", brief=14, all=60),
}


# This part uses two processors itself.
ALONE = "write"


def beside(parts, args):
    """Runs parts that use one processor each, two at a time, in new processes. The output of a part is printed when it ends.

    @returns the exit code and the last line of each
    """
    options = ["--minutes", str(args.minutes)]
    options += ["--count", str(args.count)] if args.count is not None else []
    options += ["--seed", str(args.seed)] if args.seed is not None else []
    options += ["--all"] if args.all else ["--brief"] if args.brief else []
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
        yield PARTS[part].run(part, args) if isinstance(PARTS[part], Part) else PARTS[part](args)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only", default=",".join(PARTS), metavar="PART,PART")
    ap.add_argument("--seed", type=int, help="seed of everything random (default: another each time)")
    ap.add_argument("--count", type=int, help="random arrays of each release (default: 40, or 5 with --brief)")
    ap.add_argument("--minutes", type=float, default=2, help="draw no new random array after this time (default: %(default)s)")
    ap.add_argument("--parts", action="store_true", help="prints the names of the parts, and runs none")
    size = ap.add_mutually_exclusive_group()
    size.add_argument("--all", action="store_true", help="all cases of the parts that otherwise try some")
    size.add_argument("--brief", action="store_true", help="fewer cases of each part, for .ci/run")
    args = ap.parse_args()
    if args.parts:
        print(" ".join(PARTS))
        return 0
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
