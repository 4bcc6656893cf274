#!/usr/bin/env python3
"""Verifies or checks the fragments of an array as a Spark job, one fragment a task: verify.py [--command check] ARRAY [OPTION…]

ARRAY is a path that every worker sees, or an s3:// URL. Every worker needs Node and tiledb-inspect; TILEDB_INSPECT names the program
where it is not on the PATH. `findings` gives a DataFrame, to be joined, counted or kept; run as a program it prints it as JSON lines.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys

from pyspark.sql import DataFrame, SparkSession

SCHEMA = "fragment string, exit_code int, finding string"


def run(*args):
    """@returns exit code, output, errors"""
    program = shlex.split(os.environ.get("TILEDB_INSPECT", "tiledb-inspect"))
    done = subprocess.run([*program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def fragments(array):
    """Targets of the fragments that TileDB lists, and of those that wait to be vacuumed."""
    code, out, err = run("ls", "--json", array)
    if not out.startswith("{") or "error" in json.loads(out):
        raise SystemExit(err)
    return [one["path"] for one in json.loads(out)["fragments"] if one["committed"]]


def examine(target, command, options):
    """Rows of one fragment: its findings, and one without a finding where there are none, or where it could not be examined."""
    code, out, err = run(command, "--format", "ndjson", "--quiet", *options, target)
    rows = [(target, code, line) for line in out.splitlines() if '"kind"' not in json.loads(line)]
    if code == 3 and not rows:
        rows.append((target, code, json.dumps({"error": err.strip()})))
    return rows or [(target, code, None)]


def findings(spark: SparkSession, array: str, command="verify-checksums", options=()) -> DataFrame:
    """One row a finding: the fragment, the program's exit code (0 right, 1 damaged, 3 not examined), the finding as JSON."""
    if __name__ != "__main__":
        spark.sparkContext.addPyFile(__file__)
    targets = fragments(array)
    tasks = spark.sparkContext.parallelize(targets, max(1, len(targets)))
    return spark.createDataFrame(tasks.flatMap(lambda target: examine(target, command, options)), SCHEMA)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", choices=["verify-checksums", "check"], default="verify-checksums")
    parser.add_argument("array")
    given, others = parser.parse_known_args()
    found = findings(SparkSession.builder.appName("tiledb-inspect").getOrCreate(), given.array, given.command, others)
    worst = 0
    for row in found.toLocalIterator():
        worst = max(worst, {0: 0, 3: 1}.get(row.exit_code, 2))
        if row.finding is not None:
            print(row.finding)
    sys.exit([0, 3, 1][worst])
