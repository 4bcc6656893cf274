#!/usr/bin/env python3
"""Lets TileDB read what recover makes of damaged arrays: recover.py TILEDB_INSPECT [--seed S] [--count N]

metadata  In fixtures of all format versions, the metadata of a fragment is removed, cut, emptied or flipped. After recover, TileDB must read
          the same cells, and FragmentInfo must say the same of every fragment.
tiles     In random arrays that TileDB writes here, some tiles with checksums are damaged. After recover, TileDB must read exactly the cells of
          the other tiles, and the list of lost cells must have all others.

The last line has counts. The exit code is 1 if anything differs.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

import numpy as np
import tiledb

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
METADATA = "__fragment_metadata.tdb"
# Fixtures of every version. Dense fragments are missing if only their metadata knows their box. So are texts before version 10, where TileDB stores wrong ends of boxes.
CASES = """1/sparse_2d_row 2/sparse_basic 3/sparse_basic 4/sparse_basic 5/sparse_basic 6/sparse_basic 7/encrypted 8/sparse_basic 9/sparse_basic 10/sparse_consolidated
11/sparse_basic 12/hilbert_texts 12/encrypted 13/sparse_consolidated 14/sparse_consolidated 15/sparse_consolidated 16/deletes_consolidated
17/sparse_basic 18/sparse_basic 19/sparse_basic 20/sparse_consolidated 21/sparse_basic 22/dense_consolidated 22/evolved_sparse
22/dense_fragment_metadata_consolidated 22/fragment_metadata_consolidated 22/commits_consolidated 22/duplicates 22/string_filters 22/enumerations""".split()
SIDE = 60
EXTENT = 10
CAPACITY = 25


def recover(cli, array, to, *options):
    done = subprocess.run(["node", cli, "recover", array, "--to", to, "--json", *options], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.strip()


def cells(path, key):
    """All cells, in an order that does not depend on the fragments."""
    with tiledb.open(str(path), key=key) as array:
        data, sparse = array[:], array.schema.sparse
    if isinstance(data, np.ndarray):
        data = {"": data}
    if not sparse:
        return {name: repr(column.tolist()) for name, column in data.items()}
    return sorted(zip(*(map(repr, data[name].tolist()) for name in sorted(data))))


def info(path, key):
    config = {"sm.encryption_key": key, "sm.encryption_type": "AES_256_GCM"} if key else {}
    found = tiledb.FragmentInfoList(str(path), include_mbrs=True, ctx=tiledb.Ctx(config))
    return sorted(
        (os.path.basename(one.uri), repr(one.nonempty_domain), one.cell_num, one.timestamp_range, one.version, repr(one.mbrs))
        for one in found
    )


def hurt(rnd, file):
    data = bytearray(file.read_bytes())
    how = rnd.choice(["remove", "cut", "flip", "empty"])
    if how == "remove":
        file.unlink()
    elif how == "cut":
        file.write_bytes(data[: rnd.randrange(len(data))])
    elif how == "empty":
        file.write_bytes(b"")
    else:
        for _ in range(40):
            data[rnd.randrange(len(data))] ^= 1 << rnd.randrange(8)
        file.write_bytes(data)
    return how


def metadata(cli, work, rnd, name):
    source = FIXTURES / name
    if not source.exists():
        return None
    key = json.loads((FIXTURES / (name + ".expected.json")).read_text()).get("key")
    bad, out = work / "bad", work / "out"
    shutil.copytree(source, bad)
    file = rnd.choice(sorted(path for path in bad.rglob(METADATA)))
    how = hurt(rnd, file)
    code, _, said = recover(cli, bad, out, *(["--key", key] if key else []))
    if code != 0:
        return f"{how}: exit code {code}: {said}"
    if cells(source, key) != cells(out, key):
        return f"{how}: other cells"
    if info(source, key) != info(out, key):
        return f"{how}: FragmentInfo differs"
    return True


def places(file):
    """Start and end of each tile of a data file, from the lengths of its chunks."""
    data, at, found = file.read_bytes(), 0, []
    while at < len(data):
        start = at
        (count,) = struct.unpack_from("<Q", data, at)
        at += 8
        for _ in range(count):
            _, filtered, own = struct.unpack_from("<III", data, at)
            at += 12 + filtered + own
        found.append((start, at))
    return found


def tiles(cli, work, rnd):
    """Damages tiles of an array whose order of cells is known without the program."""
    path, out = work / "array", work / "out"
    dense = rnd.random() < 0.5
    guarded = tiledb.FilterList([*rnd.choice([[], [tiledb.ZstdFilter()], [tiledb.GzipFilter()]]), rnd.choice([tiledb.ChecksumMD5Filter(), tiledb.ChecksumSHA256Filter()])])
    size = EXTENT if dense else SIDE
    dims = [tiledb.Dim(name, domain=(0, SIDE - 1), tile=size, dtype=np.int32, filters=guarded) for name in "xy"]
    attrs = [tiledb.Attr("a", np.int64, filters=guarded), tiledb.Attr("s", np.dtype("U"), var=True, filters=guarded)]
    options = {} if dense else {"capacity": CAPACITY}
    tiledb.Array.create(str(path), tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=not dense, offsets_filters=guarded, **options))
    numbers = np.random.default_rng(rnd.randrange(2**32))
    if dense:
        x, y = (values.ravel() for values in np.mgrid[0:SIDE, 0:SIDE])
        tile = (x // EXTENT) * (SIDE // EXTENT) + y // EXTENT
    else:
        at = np.sort(numbers.choice(SIDE * SIDE, rnd.randrange(CAPACITY, 1500), replace=False))
        x, y = at // SIDE, at % SIDE
        tile = np.arange(len(at)) // CAPACITY
    a = numbers.integers(1, 1 << 40, len(x))
    s = np.array(["t" * int(n % 7) + str(n) for n in a], dtype=object)
    with tiledb.open(str(path), "w") as array:
        if dense:
            array[:] = {"a": a.reshape(SIDE, SIDE), "s": s.reshape(SIDE, SIDE)}
        else:
            array[x, y] = {"a": a, "s": s}
    (fragment,) = (path / "__fragments").iterdir()
    harmed = set()
    for _ in range(rnd.randrange(1, 5)):
        file = rnd.choice(sorted(one for one in fragment.iterdir() if one.name != METADATA))
        which = rnd.randrange(tile.max() + 1)
        start, end = places(file)[which]
        data = bytearray(file.read_bytes())
        # After the head of the first chunk, so that only the checksum notices the damage.
        data[rnd.randrange(start + 20, end)] ^= 1 << rnd.randrange(8)
        file.write_bytes(data)
        harmed.add(which)
    if rnd.random() < 0.3 and not dense:
        hurt(rnd, fragment / METADATA)
    lost = np.isin(tile, list(harmed))
    refused, _, _ = recover(cli, path, out)
    if refused != 3 or out.exists():
        return f"without --drop-damaged: exit code {refused}"
    code, found, said = recover(cli, path, out, "--drop-damaged")
    if code != 1:
        return f"exit code {code}: {said}"
    if (found["cell_num"], found["cells_lost"]) != (int((~lost).sum()), int(lost.sum())):
        return f"{found['cell_num']} cells kept and {found['cells_lost']} lost, expected {(~lost).sum()} and {lost.sum()}"
    lines = [json.loads(line) for line in pathlib.Path(f"{out}.lost.ndjson").read_text().splitlines()]
    if sum(line.get("cells", 1) for line in lines) != lost.sum():
        return "the list has a wrong number of lost cells"
    known = {(line["coordinates"]["x"], line["coordinates"]["y"]) for line in lines if "coordinates" in line}
    if not known <= set(zip(x[lost].tolist(), y[lost].tolist())):
        return "the list has cells that are not lost"
    if lost.all():
        return True
    with tiledb.open(str(out)) as array:
        data = array[:]
    if dense:
        fill = np.iinfo(np.int64).min
        same = (data["a"].ravel() == np.where(lost, fill, a)).all() and (data["s"].ravel()[~lost] == s[~lost]).all()
    else:
        got = sorted(zip(data["x"].tolist(), data["y"].tolist(), data["a"].tolist(), data["s"].tolist()))
        same = got == sorted(zip(x[~lost].tolist(), y[~lost].tolist(), a[~lost].tolist(), s[~lost].tolist()))
    return True if same else "TileDB reads other cells than those of the undamaged tiles"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cli")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--count", type=int, default=15)
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    work = [(f"metadata of {name}", lambda path, rnd, name=name: metadata(args.cli, path, rnd, name)) for name in CASES]
    work += [(f"tiles {i}", lambda path, rnd: tiles(args.cli, path, rnd)) for i in range(args.count)]
    right = wrong = 0
    for what, one in work:
        with tempfile.TemporaryDirectory() as folder:
            result = one(pathlib.Path(folder), random.Random(f"{args.seed} {what}"))
        right += result is True
        if result not in (True, None):
            wrong += 1
            print(f"{what}: {result}", flush=True)
    print(f"{right} of {right + wrong} damaged arrays recovered")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
