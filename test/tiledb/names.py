#!/usr/bin/env python3
"""Records what TileDB does if files of an array are missing, or other files are added: names.py [--write] [--share N] [--seed S]

Removes every file and folder of some fixtures, one at a time, and adds files of many names to each of their folders, one at a time.
TileDB-Py reads each result in a new process. It `fails`, it reads the same as of the intact array (`same`), or it reads other cells or
metadata (`differs`). --write records the verdicts in test/check/names.json, with which the tests compare `check`. Without it, the verdicts
are compared with the recorded ones, and the exit code is 1 if any differs. --share tries one case of N; the seed chooses which.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import sys
import tempfile
import time
import zlib

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # processes with threads must not fork

import numpy as np
import tiledb

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
RECORDED = HERE.parent / "check" / "names.json"
SECONDS = 20
UUID = "0123456789abcdef0123456789abcdef"

BASES = """2/sparse_basic 4/sparse_basic 5/sparse_basic 7/encrypted 9/dense_basic 10/sparse_consolidated 11/sparse_basic
12/sparse_basic 15/dense_basic 18/sparse_basic 22/commits_consolidated 22/commits_ignored 22/deletes 22/deletes_consolidated
22/dense_basic 22/dense_vacuum_left 22/empty_sparse 22/encrypted 22/enumerations 22/evolved_sparse
22/fragment_metadata_consolidated 22/group 22/metadata 22/vacuum_left""".split()

# Files are added to these.
WIDENED = "4/sparse_basic 10/sparse_consolidated 12/sparse_basic 22/deletes 22/encrypted 22/enumerations 22/group 22/vacuum_left".split()

FOLDERS = ["", "__schema", "__schema/__enumerations", "__meta", "__commits", "__fragments", "__fragment_meta", "__labels", "other"]
OF_GROUPS = ["", "__group", "__meta"]
NAMES = [".DS_Store", "README.md", "my_notes", "x.tmp", "sub/x", "sub_x/x", "__meta"]
SUFFIXES = [".wrt", ".ok", ".vac", ".con", ".ign", ".del", ".upd", ".meta"]


def added(base, version):
    """Paths and contents of the files that are added."""
    group = (FIXTURES / base / "__tiledb_group.tdb").exists()
    old = int(version) < 12
    stamped = ["__5_5_" + UUID, "__9_5_" + UUID, f"__5_5_{UUID}.tmp", f"__5_5_{UUID}_{version}", f"__9_5_{UUID}_{version}"]
    suffixed = [stem + suffix for stem in ("junk", "ju_nk", f"__5_5_{UUID}_{version}", f"__9_5_{UUID}_{version}") for suffix in SUFFIXES]
    for folder in OF_GROUPS if group else ["", "__schema", "__meta", "__commits", "__fragment_meta"] if old else FOLDERS:
        # Names of commits have a meaning only in folders that hold commits.
        for name in NAMES + stamped + (suffixed if folder in ("", "__commits", "__fragment_meta") else []):
            path = f"{folder}/{name}".lstrip("/")
            if name == "__meta" and folder in ("", "__labels"):
                continue
            yield path, "" if name == "__meta" or name.endswith((".wrt", ".ok", ".con")) else "x\n"


def removed(root):
    """Paths of all files and folders, without those in members of groups."""
    members = [path.parent for path in root.rglob("*/__schema") if path.parent != root]
    for path in sorted(root.rglob("*")):
        if not any(member in path.parents for member in members):
            yield str(path.relative_to(root))


def read(uri, key):
    config = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key} if key else {}
    ctx = tiledb.Ctx(config | {"sm.compute_concurrency_level": "4", "sm.io_concurrency_level": "4"})
    if tiledb.object_type(uri, ctx=ctx) == "group" or pathlib.Path(uri, "__group").exists():
        with tiledb.Group(uri, ctx=ctx) as group:
            return repr(sorted((str(one.name), one.uri.split("/array/")[-1]) for one in group)) + repr(sorted(dict(group.meta).items()))
    with tiledb.open(uri, ctx=ctx) as array:
        schema = array.schema
        out = [str(schema), repr(sorted(dict(array.meta).items())), repr(array.nonempty_domain())]
        for i in range(schema.nattr):
            if schema.attr(i).enum_label:
                out.append(repr(array.enum(schema.attr(i).enum_label).values()))
        if array.nonempty_domain() is not None:
            box = tuple(slice(lo, hi + 1) for lo, hi in array.nonempty_domain()) if not schema.sparse else slice(None)
            cells = array[box]
            for name, values in (cells if isinstance(cells, dict) else {"": cells}).items():
                if isinstance(values, np.ma.MaskedArray):
                    out.append(np.ma.getmaskarray(values).tobytes())
                    values = values.filled(b"" if values.dtype == object else np.zeros((), values.dtype)[()])
                out.append((name, repr([one.tobytes() if hasattr(one, "tobytes") else one for one in np.asarray(values).flat])))
        return hashlib.sha256(repr(out).encode()).hexdigest()


def apart(uri, key, reading=read):
    """What reading returns in a new process."""
    into, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            said = "ok " + reading(uri, key)
        except BaseException as error:
            said = f"error {type(error).__name__}: {error}"
        os.write(out, said.encode()[:4000])
        os._exit(0)
    os.close(out)
    # The pipe can be read when the process has written or ended.
    if not select.select([into], [], [], SECONDS)[0]:
        os.kill(child, signal.SIGKILL)
    said = os.read(into, 4000).decode(errors="replace")
    os.close(into)
    os.waitpid(child, 0)
    return said


def arguments(doc):
    """Arguments of this program and of visible.py. `tried` tells whether a case is in the share."""
    ap = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--write", action="store_true")
    ap.add_argument("--share", type=int, default=1)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    args = ap.parse_args()
    if args.write and args.share > 1:
        ap.error("--write records all cases: expected no --share")
    if args.share > 1:
        print(f"one case of {args.share}, seed {args.seed}")
    args.tried = lambda *case: zlib.crc32(repr((args.seed, *case)).encode()) % args.share == 0
    return args


def main(below, tried):
    found = {}
    uri = f"{below}/array"
    for base in BASES:
        expected = json.loads((FIXTURES / (base + ".expected.json")).read_text())
        key = expected.get("key")
        version = base.split("/")[0]

        def verdict(change):
            shutil.rmtree(uri, ignore_errors=True)
            shutil.copytree(FIXTURES / base, uri)
            change(pathlib.Path(uri))
            said = apart(uri, key)
            return "same" if said == intact else "differs" if said.startswith("ok") else "fails"

        def add(path, text):
            def change(root):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)

            return change

        def remove(path):
            return lambda root: shutil.rmtree(root / path) if (root / path).is_dir() else (root / path).unlink()

        intact = ""
        shutil.rmtree(uri, ignore_errors=True)
        shutil.copytree(FIXTURES / base, uri)
        intact = apart(uri, key)
        assert intact.startswith("ok"), (base, intact)
        found[base] = {"removed": {path: verdict(remove(path)) for path in removed(FIXTURES / base) if tried(base, path)}}
        if base in WIDENED:
            found[base]["added"] = {path: [text, verdict(add(path, text))] for path, text in added(base, version) if tried(base, path)}
    return found


if __name__ == "__main__":
    args = arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        made = main(folder, args.tried)
    counts = {}
    for changes in made.values():
        for kind, verdicts in changes.items():
            for one in verdicts.values():
                row = kind, one[1] if kind == "added" else one
                counts[row] = counts.get(row, 0) + 1
    print("libtiledb %d.%d.%d:" % tiledb.libtiledb.version(), ", ".join("%s, %s: %d" % (*row, count) for row, count in sorted(counts.items())))
    if args.write:
        text = json.dumps({"libtiledb": "%d.%d.%d" % tiledb.libtiledb.version(), "fixtures": made}, indent=1)
        # One line for each verdict.
        text = re.sub(r"\[\s+(\".*?\"),\s+(\"\w+\")\s+\]", r"[\1, \2]", text)
        RECORDED.write_text(text + "\n")
    else:
        recorded = json.loads(RECORDED.read_text())["fixtures"]
        same = args.share > 1 or recorded.keys() == made.keys()
        for base in BASES:
            for kind, verdicts in made[base].items():
                before = recorded.get(base, {}).get(kind, {})
                same &= args.share > 1 or before.keys() == verdicts.keys()
                for path, one in verdicts.items():
                    if before.get(path) != one:
                        print("not as recorded:", base, kind, path, one)
                        same = False
        sys.exit(0 if same else 1)
