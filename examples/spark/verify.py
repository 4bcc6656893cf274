#!/usr/bin/env python3
"""Verifies or checks an array, or all arrays below a folder, as one Spark job: verify.py [--command check] [--parts N] TARGET [OPTION…]

The fragments of an array are split by bytes into parts, a task each, which run all at once: twice as many as the cluster has cores, and no
more than there are fragments. Of a folder or prefix, a part has every n-th array (check), or its share of the fragments of each array
(verify-checksums). TARGET is a path that every worker sees, or an s3://, gs:// or azure:// URL. Every worker needs Node and tiledb-inspect;
TILEDB_INSPECT names the program where it is not on the PATH, and is handed on with the variables of clouds (SETTINGS).

Exit code: 0 right, 1 damaged, 3 not all examined, 2 set up wrongly (no program, no permission, no such array): then nothing was verified.
`findings` gives a DataFrame, to be joined, counted or kept; run as a program it prints it as JSON lines. With check of a folder a line is an
array, with its findings and the number of them.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys

from pyspark.sql import DataFrame, SparkSession

SCHEMA = "part string, exit_code int, finding string"
SET_UP_WRONGLY = 2


class SetUpError(Exception):
    """Nothing can be said of the array: the program, the permission or the array is not there."""


def run(environment, *args):
    """@returns exit code, output, errors. @throws SetUpError where the program cannot be run"""
    program = shlex.split(environment.get("TILEDB_INSPECT", "tiledb-inspect"))
    try:
        done = subprocess.run([*program, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    except OSError as error:
        raise SetUpError(f"cannot run {program[0]}: {error.strerror}; TILEDB_INSPECT names the program") from error
    if done.returncode in (126, 127):
        raise SetUpError(f"cannot run {program[0]}: {done.stderr.strip()}")
    return done.returncode, done.stdout, done.stderr


def try_target(target, environment):
    """Lists names: whether the program runs, may read, and finds something. @returns the number of fragments or members, and options for a folder"""
    error = ""
    for options in ([], ["--recursive"]):
        code, out, err = run(environment, "ls", "--names", "--json", *options, target)
        found = json.loads(out) if out.startswith("{") else {}
        if code in (0, 1) and found.get("kind") == "array":
            return len(found["fragments"]), options
        if code in (0, 1) and found.get("kind") == "dataset" and options and found["members"]:
            return len(found["members"]), options
        error = error or err.strip()
    raise SetUpError(error or f"expected an array, or a folder with arrays, found {target}")


def examine(part, target, command, options, environment):
    """Rows of one part: its findings, and one without a finding where there are none, or where it could not be examined."""
    try:
        # A worker may lack what the driver has.
        _, recursive = try_target(target, environment)
        code, out, err = run(environment, command, "--format", "ndjson", "--quiet", "--shard", part, *recursive, *options, target)
    except SetUpError as error:
        return [(part, SET_UP_WRONGLY, json.dumps({"error": str(error)}))]
    rows = [(part, code, line) for line in out.splitlines() if json.loads(line).get("kind") in (None, "member")]
    if code not in (0, 1):
        rows.append((part, code, json.dumps({"error": err.strip()})))
    return rows or [(part, code, None)]


# How the names of the variables begin that the program reads of clouds. Executors get them.
SETTINGS = ("AWS_", "AZURE_", "GS_", "GOOGLE_", "GCE_", "CLOUDSDK_", "STORAGE_EMULATOR_", "CLOUD_STORAGE_", "TILEDB_")


def findings(spark: SparkSession, target: str, command="verify-checksums", options=(), parts=None) -> DataFrame:
    """One row a finding: the part, the program's exit code (0 right, 1 damaged, 2 set up wrongly, 3 not all examined), the finding as JSON."""
    context = spark.sparkContext
    if __name__ != "__main__":
        context.addPyFile(__file__)
    environment = {name: value for name, value in os.environ.items() if name.startswith(SETTINGS)}
    parts_at_most, _ = try_target(target, environment)
    count = parts or max(1, min(parts_at_most, 2 * context.defaultParallelism))
    shards = [f"{i}/{count}" for i in range(1, count + 1)]
    tasks = context.parallelize(shards, count)
    return spark.createDataFrame(tasks.flatMap(lambda part: examine(part, target, command, options, environment)), SCHEMA)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", choices=["verify-checksums", "check"], default="verify-checksums")
    parser.add_argument("--parts", type=int)
    parser.add_argument("target")
    given, others = parser.parse_known_args()
    spark = SparkSession.builder.appName("tiledb-inspect").getOrCreate()
    try:
        found = findings(spark, given.target, given.command, others, given.parts).persist()
    except SetUpError as error:
        print(f"set up wrongly: {error}", file=sys.stderr)
        return SET_UP_WRONGLY
    # All parts at once; going through the rows would run them one after the other.
    found.count()
    codes = set()
    for row in found.toLocalIterator():
        codes.add(row.exit_code)
        if row.finding is None:
            continue
        if row.exit_code == SET_UP_WRONGLY:
            print(f"set up wrongly on a worker, part {row.part}: {json.loads(row.finding)['error']}", file=sys.stderr)
        else:
            print(row.finding)
    return next((code for code in (SET_UP_WRONGLY, 1, 3) if code in codes), 3 if codes - {0} else 0)


if __name__ == "__main__":
    sys.exit(main())
