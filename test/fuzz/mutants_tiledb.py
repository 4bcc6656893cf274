"""What TileDB does with the mutants that `npm run mutants -- --list FILE` judged: `mutants_tiledb.py FILE COUNT`.

Each is read by TileDB-Py in a process of its own, with bounds of time and memory: schema, metadata and every cell. It fails
(an exception), crashes, hangs, reads what it reads of the intact array (same), or something else without a word (wrong).
"""
import collections, hashlib, json, os, pathlib, pickle, random, resource, select, shutil, signal, sys, tempfile

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # processes with threads must not fork

import numpy as np
import tiledb

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures"
SECONDS = 20
BYTES = 6 << 30
NEWEST = 22


def column(values):
    if values.dtype == object:
        return [v if isinstance(v, (bytes, str)) else None if v is None else np.asarray(v).tobytes() for v in values.flat]
    return values.tobytes()


def read(uri, key):
    config = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key} if key else {}
    config |= {"sm.compute_concurrency_level": "4", "sm.io_concurrency_level": "4"}
    with tiledb.open(uri, ctx=tiledb.Ctx(config)) as array:
        schema = array.schema
        out = [str(schema), sorted(dict(array.meta).items(), key=lambda item: item[0]).__repr__(), repr(array.nonempty_domain())]
        if array.nonempty_domain() is not None:
            cells = array[:] if schema.sparse else array[tuple(slice(lo, hi + 1) for lo, hi in dense_box(array))]
            columns = cells.items() if isinstance(cells, dict) else [("", cells)]
            for name, values in columns:
                mask = b""
                if isinstance(values, np.ma.MaskedArray):
                    # What stands below a null is nobody's value.
                    mask = np.ma.getmaskarray(values).tobytes()
                    values = values.filled(b"" if values.dtype == object else np.zeros((), values.dtype)[()])
                out.append((name, column(np.asarray(values)), mask))
        return hashlib.sha256(pickle.dumps(out)).hexdigest()


def dense_box(array):
    return [(lo, hi) for lo, hi in array.nonempty_domain()]


def apart(uri, key):
    """What reading says, in a process of its own."""
    into, out = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            said = "ok " + read(uri, key)
        except BaseException as error:
            said = f"error {type(error).__name__}: {error}"
        os.write(out, said.encode()[:4000])
        os._exit(0)
    os.close(out)
    # The end of the process closes its end of the pipe.
    if not select.select([into], [], [], SECONDS)[0]:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(into)
        return "hangs"
    said = os.read(into, 4000).decode(errors="replace")
    os.close(into)
    _, status = os.waitpid(child, 0)
    return said or f"crash, signal {os.WTERMSIG(status)}"


def key_of(fixture):
    expected = FIXTURES / ("/".join(fixture.split("/")[:2]) + ".expected.json")
    return json.loads(expected.read_text()).get("key") if expected.exists() else None


def main(below):
    path, count = sys.argv[1], int(sys.argv[2])
    judged = [json.loads(line) for line in open(path)]
    judged = [
        one
        for one in judged
        if int(one["mutant"]["fixture"].split("/")[0]) <= NEWEST and not (FIXTURES / one["mutant"]["fixture"] / "__tiledb_group.tdb").exists()
    ]
    random.Random(1).shuffle(judged)
    intact, counts, both = {}, collections.Counter(), collections.Counter()
    for one in judged[:count]:
        mutant, region = one["mutant"], one["region"]["name"]
        key = key_of(mutant["fixture"])
        # One name for all: what is printed of an array may hold its path.
        uri = f"{below}/array"
        shutil.rmtree(uri, ignore_errors=True)
        shutil.copytree(FIXTURES / mutant["fixture"], uri)
        if mutant["fixture"] not in intact:
            intact[mutant["fixture"]] = apart(uri, key)
        file = pathlib.Path(uri) / mutant["file"]
        data = bytearray(file.read_bytes())
        if mutant["kind"] == "truncated":
            del data[mutant["offset"] :]
        else:
            data[mutant["offset"]] ^= 1 << mutant["bit"]
        file.write_bytes(data)
        said = apart(uri, key)
        if said == "hangs":
            said = apart(uri, key)
        before = intact[mutant["fixture"]]
        if not before.startswith("ok"):
            verdict = "unreadable intact"
        elif said == before:
            verdict = "same"
        elif said.startswith("ok"):
            verdict = "wrong"
        else:
            verdict = "fails" if said.startswith("error") else said.split(",")[0]
        counts[region, mutant["kind"], verdict] += 1
        both[one["verdict"], verdict] += 1
        print(json.dumps({**mutant, "region": region, "check": one["verdict"], "tiledb": verdict, "said": said[:300]}), flush=True)
    for row, number in sorted(counts.items()):
        print(*row, number, sep="\t")
    print("check / TileDB:")
    for row, number in sorted(both.items()):
        print(*row, number, sep="\t")


with tempfile.TemporaryDirectory() as folder:
    main(folder)
