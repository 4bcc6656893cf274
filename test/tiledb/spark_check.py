#!/usr/bin/env python3
"""Runs the Spark job on an array of 200 fragments with planted damage, and on a folder of arrays: spark_check.py PATH/OF/bin/tiledb-inspect.js

Needs tiledb, numpy, pyspark and Java. The job must report the same as one process. The exit code is 1 if it does not.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import tiledb

FRAGMENTS = 200
DAMAGED = 7
ARRAYS = 9


def write(path):
    filters = tiledb.FilterList([tiledb.ZstdFilter(), tiledb.ChecksumSHA256Filter()])
    domain = tiledb.Domain(tiledb.Dim("x", domain=(0, 10**9), tile=1000, dtype=np.int64))
    tiledb.Array.create(path, tiledb.ArraySchema(domain, [tiledb.Attr("a", dtype=np.float64, filters=filters)], sparse=True))
    for i in range(FRAGMENTS):
        with tiledb.open(path, "w", timestamp=i + 1) as array:
            at = np.arange(50) * 7 + i * 1000
            array[at] = np.sqrt(at)
    names = sorted(pathlib.Path(path, "__fragments").iterdir())
    for folder in names[:: FRAGMENTS // DAMAGED]:
        data = bytearray((folder / "a0.tdb").read_bytes())
        data[-1] ^= 1
        (folder / "a0.tdb").write_bytes(data)


def sweep(spark, verify, command, folder, array):
    """Checks many arrays as one job: a line each, as of one process."""
    for i in range(ARRAYS):
        shutil.copytree(array, f"{folder}/day-{i % 3}/a{i}")
    alone = subprocess.run([*command, "check", "--recursive", "--format", "ndjson", folder], stdout=subprocess.PIPE, text=True)
    expected = sorted(alone.stdout.splitlines()[:-1])
    rows = verify.findings(spark, folder, command="check", parts=4).collect()
    found = sorted(row.finding for row in rows if row.finding is not None)
    right = found == expected and len(found) == ARRAYS and {row.part for row in rows} == {f"{i}/4" for i in range(1, 5)}
    print(f"{ARRAYS} arrays: {len(found)} lines by Spark, {len(expected)} by one process: {'the same' if right else 'NOT THE SAME'}")
    return right


def main(cli):
    if shutil.which("java") is None:
        print("skipped: no Java")
        return True
    command = [os.environ.get("NODE", "node"), cli]
    os.environ["TILEDB_INSPECT"] = " ".join(command)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "spark"))
    import verify
    from pyspark.sql import SparkSession
    with tempfile.TemporaryDirectory() as folder:
        array = folder + "/array"
        write(array)
        alone = subprocess.run([*command, "verify-checksums", "--format", "ndjson", array], stdout=subprocess.PIPE, text=True)
        expected = sorted(alone.stdout.splitlines())
        spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()
        rows = verify.findings(spark, array).collect()
        right_sweep = sweep(spark, verify, command, folder + "/many", array)
        spark.stop()
    found = sorted(row.finding for row in rows if row.finding is not None)
    parts = {row.part for row in rows}
    whole = len(parts) > 1 and parts == {f"{i}/{len(parts)}" for i in range(1, len(parts) + 1)}
    right = found == expected and len(found) >= DAMAGED and whole
    print(f"{FRAGMENTS} fragments in {len(parts)} parts, {len(found)} findings by Spark, {len(expected)} by one process: {'the same' if right else 'NOT THE SAME'}")
    if not right:
        print(json.dumps({"spark": found[:3], "one": expected[:3]}, indent=1))
    return right and right_sweep


if __name__ == "__main__":
    sys.exit(0 if main(str(pathlib.Path(sys.argv[1]).resolve())) else 1)
