#!/usr/bin/env python3
"""Arrays of every kind of data with the pipelines that whatif tries, and how long TileDB reads each: for bench/whatif-speed.mjs.

whatif_speed.py FOLDER [CELLS]: writes the arrays there, and prints a line of JSON for each, with the least seconds of reads in rounds over all of
its kind.
"""
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test" / "tiledb"))

import whatif  # noqa: E402
from whatif import np, tiledb  # noqa: E402

folder, cells = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400_000
os.makedirs(folder, exist_ok=True)
for name, dtype, values in whatif.kinds(np.random.default_rng(5), cells):
    write = lambda number, filters: whatif.write("%s/%s_%s" % (folder, name, number), dtype, values, filters, tile=50_000)
    path = write(0, tiledb.FilterList([]))
    [field] = json.loads(whatif.inspect(ROOT / "bin" / "tiledb-inspect.js", "whatif", path, "--json", "--sample", 65_536, "--field", "a"))["fields"]
    trials = [field["stored"], *field["candidates"]]
    paths = [path, *(write(i + 1, whatif.filters_of(one["filters"])) for i, one in enumerate(trials[1:]))]
    for made, trial, (least, third) in zip(paths, trials, whatif.read_times(paths, 12)):
        print(json.dumps({"kind": name, "label": whatif.label(trial), "path": made, "least": least, "third": third}), flush=True)
