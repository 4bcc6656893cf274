#!/usr/bin/env python3
"""Records what TileDB makes of commits, lists and time stamps: visible.py [--write] [--share N] [--seed S]

Changes fixtures: removes commits, adds lists, gives fragments future times or other names, moves folders. Then it asks TileDB-Py, in a new
process, whether the array opens, which fragments FragmentInfo lists, and how many cells a query returns. --write records the answers in
test/check/visible.json, with which the tests compare `ls` and `check`. Without it, the answers are compared with the recorded ones, and the
exit code is 1 if any differs. --share tries one case of N; the seed chooses which. The recording names fragments by letters, in the order of
their time stamps, so that it fits fixtures with other names, too.
"""
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # processes with threads must not fork

import tiledb

from names import FIXTURES, HERE, apart, arguments

RECORDED = HERE.parent / "check" / "visible.json"
UUID = "0123456789abcdef0123456789abcdef"
# Later than now, on any machine and in the tests.
FUTURE = 9999999999999

SPARSE = """1/sparse_2d_row 2/sparse_basic 3/sparse_consolidated 4/sparse_basic 5/sparse_consolidated 7/sparse_basic 8/sparse_basic 9/sparse_basic
10/sparse_consolidated 11/sparse_consolidated 12/sparse_consolidated 13/sparse_consolidated 14/sparse_consolidated 15/sparse_consolidated
16/sparse_consolidated 17/sparse_basic 18/sparse_basic 19/sparse_basic 20/sparse_basic 21/sparse_basic 22/sparse_consolidated""".split()
DENSE = "1/dense_2d_row_row 2/dense_basic 4/dense_basic 5/dense_basic 11/dense_basic 12/dense_basic 15/dense_basic 22/dense_basic".split()
SEVERAL = """22/vacuum_left 22/dense_vacuum_left 22/commits_consolidated 22/commits_ignored 22/duplicates 22/deletes
22/deletes_consolidated 22/fragment_metadata_consolidated 22/evolved_sparse 22/empty_sparse 22/metadata""".split()
# Fixtures for all kinds of lists.
LISTS = "4/sparse_basic 11/sparse_consolidated 12/sparse_consolidated 22/sparse_consolidated 22/dense_basic 22/vacuum_left".split()
# Fixtures whose first fragment gets names of all forms, and other versions in its footer.
NAMED = """2/sparse_basic 3/sparse_basic 4/dense_basic 5/sparse_basic 5/string_dim 6/sparse_basic 8/dense_basic 9/sparse_basic 9/string_dim
10/sparse_basic 11/sparse_basic 12/sparse_basic 15/dense_basic 22/sparse_basic 22/dense_basic""".split()
# Fixtures for all kinds of lines in consolidated commits.
LINES = "12/sparse_consolidated 22/sparse_consolidated 22/duplicates".split()

NAME = re.compile(r"^__(\d+)_(\d+)_([0-9a-zA-Z]{32})(_\d+)?$")
OLD = re.compile(r"^__([0-9a-zA-Z]{32})_(\d+)(_\d+)?$")


def times(name):
    match = NAME.match(name)
    return (int(match[1]), int(match[2])) if match else (int(OLD.match(name)[2]),) * 2


def fragments(root):
    """Paths of the fragment folders, oldest first."""
    below = [path for folder in (root, root / "__fragments") if folder.is_dir() for path in folder.iterdir() if path.is_dir()]
    return sorted((path for path in below if NAME.match(path.name) or OLD.match(path.name)), key=lambda path: (*times(path.name), path.name))


def dated(name, first, last):
    """The name with other times."""
    match = NAME.match(name)
    return f"__{first}_{last}_{match[3]}{match[4] or ''}" if match else f"__{OLD.match(name)[1]}_{last}"


class Base:
    def __init__(self, name):
        self.name = name
        self.root = FIXTURES / name
        self.version = int(name.split("/")[0])
        self.paths = fragments(self.root)
        self.names = {chr(ord("A") + i): path.name for i, path in enumerate(self.paths)}
        self.new = self.version >= 12
        self.inside = "__fragments/" if self.new else ""

    def commit(self, name):
        return f"__commits/{name}.wrt" if self.new else f"{name}.ok"

    def list(self, name, suffix):
        return ("__commits/" if self.new or suffix != "vac" else "") + f"{name}.{suffix}"


def renamed(base, old, new):
    edits = [["mv", base.inside + old, base.inside + new]]
    if (base.root / base.commit(old)).exists():
        edits.append(["mv", base.commit(old), base.commit(new)])
    return edits


def copied(base, old, new, committed=True):
    edits = [["cp", base.inside + old, base.inside + new]]
    if committed and base.version >= 5:
        edits.append(["put", base.commit(new), ""])
    return edits


def common(base):
    """Cases for every fixture."""
    commits = sorted(str(path.relative_to(base.root)) for pattern in ("*.ok", "__commits/*") for path in base.root.glob(pattern))
    stamp = f"_{base.version}" if base.version >= 5 else ""
    gone = f"__7_7_{UUID}{stamp}"
    ahead = f"__{FUTURE}_{FUTURE}_{UUID}{stamp}"
    yield "intact", []
    if commits:
        yield "no commits", [["rm", path] for path in commits]
    for folder in ("__commits", "__fragments", "__schema", "__meta", "__fragment_meta"):
        if (base.root / folder).is_dir():
            yield f"no {folder}", [["rm", folder]]
            if folder == "__fragments":
                yield "neither __commits nor __fragments", [["rm", folder], ["rm", "__commits"]]
    yield "a commit of nothing", [["put", base.commit(gone), ""]]
    yield "a commit of nothing, ahead", [["put", base.commit(ahead), ""]]
    yield "an empty folder", [["mkdir", base.inside + gone]]
    yield "an empty folder, committed", [["mkdir", base.inside + gone], ["put", base.commit(gone), ""]]
    for letter, name in base.names.items():
        path = base.inside + name
        if (base.root / base.commit(name)).exists():
            yield f"{letter} without its commit", [["rm", base.commit(name)]]
        yield f"{letter} gone", [["rm", path]]
        yield f"{letter} gone with its commit", [["rm", path]] + ([["rm", base.commit(name)]] if (base.root / base.commit(name)).exists() else [])
        yield f"{letter} without metadata", [["rm", f"{path}/__fragment_metadata.tdb"]]
        yield f"{letter} ahead", renamed(base, name, dated(name, FUTURE, FUTURE))
        yield f"{letter} from now on", renamed(base, name, dated(name, times(name)[0], FUTURE))
        if letter == "A":
            yield "A twice", copied(base, name, dated(name, 5, 5))
            yield "A twice, uncommitted", copied(base, name, dated(name, 5, 5), False)
            yield "A twice, ahead", copied(base, name, dated(name, FUTURE, FUTURE))
            other = "" if base.new else "__fragments/"
            yield "A in the other folder", [["mv", path, other + name]]
            for mark in (f"__commits/{name}.wrt", f"{name}.ok"):
                if mark != base.commit(name):
                    yield f"A with {mark.split('/')[-1][-3:]} elsewhere", [["put", mark, ""]]
                    yield f"A in the other folder with {mark[-3:]}", [["mv", path, other + name], ["put", mark, ""]]
    if base.names:
        all_ahead = [edit for name in base.names.values() for edit in renamed(base, name, dated(name, FUTURE, FUTURE))]
        yield "all ahead", all_ahead


def lists(base):
    """Cases with lists of every kind, of the first fragment and a copy of it."""
    name = base.names["A"]
    first, last = times(name)
    path = base.inside + name
    stamp = f"_{base.version}" if base.version >= 5 else ""
    where = {
        "around": f"__{first}_{last + 5}_{UUID}{stamp}",
        "before": f"__1_1_{UUID}{stamp}",
        "behind": f"__{last + 1}_{last + 9}_{UUID}{stamp}",
        "ahead": f"__{FUTURE}_{FUTURE}_{UUID}{stamp}",
        "from now on": f"__{first}_{FUTURE}_{UUID}{stamp}",
    }
    line = f"/{path}\n"
    for how, listed in where.items():
        vac = ["put", base.list(listed, "vac"), line]
        yield f"list {how}, its fragment gone", [vac]
        yield f"list {how}, its fragment uncommitted", [vac, *copied(base, name, listed, False)]
        yield f"list {how}, its fragment there", [vac, *copied(base, name, listed)]
    around = where["around"]
    yield "list in the other folder", [["put", base.list(around, "vac").split("/")[-1] if base.new else f"__commits/{around}.vac", line]]
    for text in (path, f"file:///old/place/array/{path}", f"s3://bucket/array/{path}", name, f"/{name}", f"/__fragments/{name}", f"{path}/", f"/{path}/",
                 f"/{path}\r", f"/{path} ", f"/other/__fragments/x/{name}", f"/{base.commit(name)}", f"/__fragments/__5_5_{UUID}{stamp}"):
        yield f"list of {text!r}".replace(name, "A"), [["put", base.list(around, "vac"), text + "\n"]]
    yield "list that does not end", [["put", base.list(around, "vac"), f"/{path}"]]
    yield "list with empty line", [["put", base.list(around, "vac"), f"/{path}\n\n"]]
    yield "list that begins with an empty line", [["put", base.list(around, "vac"), f"\n/{path}\n"]]
    yield "empty list", [["put", base.list(around, "vac"), ""]]
    yield "list of itself", [["put", base.list(name, "vac"), line]]
    second = where["behind"]
    yield "two lists in a circle", [*copied(base, name, second), ["put", base.list(second, "vac"), line], ["put", base.list(name, "vac"), f"/{base.inside}{second}\n"]]
    third = f"__{first}_{last + 20}_{'f' * 32}{stamp}"
    chain = [["put", base.list(around, "vac"), line], ["put", base.list(third, "vac"), f"/{base.inside}{around}\n"]]
    yield "chain of lists, the last there", [*copied(base, name, around), *copied(base, name, third), *chain]
    yield "chain of lists, only the last there", [*copied(base, name, third), *chain]
    yield "chain of lists, the last gone", [*copied(base, name, around), *chain]
    yield "chain of lists, the last ahead", [*copied(base, name, around), *chain[:1], *copied(base, name, where["ahead"]), ["put", base.list(where["ahead"], "vac"), f"/{base.inside}{around}\n"]]
    yield "junk.vac", [["put", base.list("junk", "vac"), line]]


def lines(base):
    """Cases with consolidated commits and commits to ignore, of the first fragment."""
    name = base.names["A"]
    path = base.inside + name
    con = f"__commits/__1_99_{UUID}_{base.version}.con"
    ign = f"__commits/__1_99_{UUID}_{base.version}.ign"
    mark = base.commit(name)
    texts = (mark, f"/{mark}", f"{name}.wrt", f"/{name}.wrt", f"{name}.ok", f"/{name}.ok", f"{mark}\r", f"other/{name}.wrt", f"{path}.ok", f"/{path}.ok", name)
    for text in texts:
        only = [["rm", mark], ["put", con, text + "\n"]]
        yield f".con of {text!r}".replace(name, "A"), only
        yield f".con of {text!r} and .wrt".replace(name, "A"), only[1:]
        for other in (text, mark, f"/{mark}", f"{name}.wrt", f"{text} "):
            yield f".con of {text!r}, .ign of {other!r}".replace(name, "A"), [*only, ["put", ign, other + "\n"]]
    yield ".con that does not end", [["rm", mark], ["put", con, mark]]
    yield ".con with empty lines", [["rm", mark], ["put", con, f"\n\n{mark}\n\n"]]
    yield ".con of A twice", [["rm", mark], ["put", con, f"{mark}\n{mark}\n"]]
    yield ".con ahead", [["rm", mark], ["put", f"__commits/{f'__{FUTURE}_{FUTURE}_{UUID}_{base.version}'}.con", mark + "\n"]]
    yield ".con of what is gone", [["put", con, f"__commits/__5_5_{UUID}_{base.version}.wrt\n"]]
    yield ".con of what is gone, ahead", [["put", con, f"__commits/__{FUTURE}_{FUTURE}_{UUID}_{base.version}.wrt\n"]]
    yield ".ign alone", [["put", ign, mark + "\n"]]
    yield ".ign and .con and .wrt", [["put", con, mark + "\n"], ["put", ign, mark + "\n"]]


def named(base):
    """Cases with other names and versions of the first fragment."""
    version = base.version if base.version >= 5 else 4
    of_version = [
        "10_10_{0}_{v}", "_10_10_{0}_{v}", "___10_10_{0}_{v}", "__10_10_abc_{v}", "__10_10_{0}ab_{v}", "__+10_+10_{0}_{v}", "__ 10_ 10_{0}_{v}",
        "__-10_-10_{0}_{v}", "__010_0010_{0}_{v}", "__10_10_{0}_0{v}", "__10_10_{0}_{v}x", "__10_10_{0}_x{v}", "__10_10_{0}_{v}_x", "__10_10_{0}_{v}_7",
        "__10_10_{0}_{v}.x", "__10_10_{0}_{v}.5.x", "__10_10_{0}_{v}.", "__10x_10_{0}_{v}", "__x_10_{0}_{v}", "__10_x_{0}_{v}", "__10_10_a_b_{v}",
        "a_b_c_d_e_{v}", "__99999999999999999999_99999999999999999999_{0}_{v}", "__10_10_a b_{v}", "__10_10_a.b_{v}", "__10_10_{0}.b_{v}", "__10_{0}_{v}",
    ]  # fmt: skip
    others = ["__10_10_{0}", "__10_10_abc", "__{0}_10", "__{0}_10_5", "__abc_10", "a_b", "_", "__", "ab", "x_{0}", "__10_10_" + UUID.upper()]
    versions = [f"__10_10_{{0}}_{one}" for one in (0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 21, 22, 99, 2**32)]
    for form in [*of_version, *others, *versions]:
        yield f"A as {form}", renamed(base, base.names["A"], form.replace("{0}", UUID).replace("{v}", str(version)))
    if base.version >= 12:
        name = f"10_10_{UUID}_{version}"
        yield "A under another name, uncommitted", [["mv", base.inside + base.names["A"], base.inside + name], ["rm", base.commit(base.names["A"])]]
    mark = base.commit(base.names["A"])
    if (base.root / mark).exists():
        yield "commit of A is a folder", [["rm", mark], ["mkdir", mark]]
        yield "A is a file", [["rm", base.inside + base.names["A"]], ["put", base.inside + base.names["A"], ""]]
        for suffix in ("wrt", "ok", "vac", "con", "ign", "del", "upd", "meta"):
            for folder in ("__commits/", "", "__fragment_meta/"):
                yield f"{folder}….{suffix} is a folder", [["mkdir", f"{folder}__7_7_{UUID}_{version}.{suffix}"]]
    if base.version < 3:
        return
    path = f"{base.inside}{base.names['A']}/__fragment_metadata.tdb"
    metadata = (base.root / path).read_bytes()
    at = 0
    number = lambda offset, size: int.from_bytes(metadata[at + offset : at + offset + size], "little")  # noqa: E731
    # The footer comes after the generic tiles, whose cells have one byte.
    while number(21, 8) == 1:
        at += 34 + number(30, 4) + number(4, 8)
    assert number(0, 4) == base.version
    # Releases after 2.30 know more versions.
    for other in range(23):
        yield f"footer of A of version {other}", [["u32", path, at, other]]


def apply(edits, root):
    for kind, path, *rest in edits:
        at = root / path
        if kind == "rm":
            shutil.rmtree(at) if at.is_dir() else at.unlink()
            continue
        to = root / rest[0] if kind in ("mv", "cp") else at
        to.parent.mkdir(parents=True, exist_ok=True)
        if kind == "mv":
            at.rename(to)
        elif kind == "cp":
            shutil.copytree(at, to)
        elif kind == "mkdir":
            at.mkdir(parents=True)
        elif kind == "u32":
            data = bytearray(at.read_bytes())
            data[rest[0] : rest[0] + 4] = rest[1].to_bytes(4, "little")
            at.write_bytes(data)
        else:
            at.write_text(rest[0], newline="")


def read(uri, key):
    config = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": key} if key else {}
    ctx = tiledb.Ctx(config | {"sm.compute_concurrency_level": "4", "sm.io_concurrency_level": "4"})
    listed = tiledb.FragmentInfoList(uri, ctx=ctx)
    said = {"listed": [one.uri.split("/array/")[-1] for one in listed], "cell_num": sum(one.cell_num for one in listed)}
    with tiledb.open(uri, ctx=ctx) as array:
        said["empty"] = array.nonempty_domain() is None
        if array.schema.sparse:
            cells = array.query(dims=[array.schema.domain.dim(0).name], attrs=[])[:]
            said["cells"] = len(next(iter(cells.values())))
        elif not said["empty"]:
            array[tuple(slice(lo, hi + 1) for lo, hi in array.nonempty_domain())]
    return json.dumps(said)


def main(below, wanted):
    found = {}
    uri = f"{below}/array"
    for name in dict.fromkeys([*SPARSE, *DENSE, *SEVERAL, *LISTS, *NAMED]):
        base = Base(name)
        key = json.loads((FIXTURES / (name + ".expected.json")).read_text()).get("key")
        cases = found[name] = {}
        tried = [*common(base), *(lists(base) if name in LISTS else []), *(lines(base) if name in LINES else []), *(named(base) if name in NAMED else [])]
        for case, edits in tried:
            if case in cases or (case != "intact" and not wanted(name, case)):
                continue
            shutil.rmtree(uri, ignore_errors=True)
            shutil.copytree(base.root, uri)
            apply(edits, pathlib.Path(uri))
            said = apart(uri, key, read)
            answer = json.loads(said[3:]) if said.startswith("ok ") else None
            if case == "intact" and answer is None:
                sys.exit(f"{name}: {said}")
            cases[case] = {"edits": edits, "tiledb": answer}
    return found


def short(text, base):
    """Names fragments by their letters."""
    for letter, name in Base(base).names.items():
        text = text.replace(name, "{" + letter + "}")
        match = NAME.match(name)
        if match:
            text = re.sub(rf"__(\d+)_(\d+)_{match[3]}{match[4] or ''}", rf"{{{letter}@\1_\2}}", text)
        else:
            text = re.sub(rf"__{OLD.match(name)[1]}_(\d+)", rf"{{{letter}@\1}}", text)
    return text.replace(UUID, "{0}").replace(str(FUTURE), "{F}")


if __name__ == "__main__":
    args = arguments(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        made = main(folder, args.tried)
    version = "%d.%d.%d" % tiledb.libtiledb.version()
    print(f"libtiledb {version}: {sum(map(len, made.values()))} cases, {sum(one['tiledb'] is None for cases in made.values() for one in cases.values())} do not open")
    lines = [
        ",\n".join(f"  {json.dumps(case)}: {short(json.dumps(one, separators=(',', ':')), name)}" for case, one in cases.items())
        for name, cases in made.items()
    ]
    text = f'{{\n "libtiledb": "{version}",\n "fixtures": {{\n' + ",\n".join(f' "{name}": {{\n{body}\n }}' for name, body in zip(made, lines)) + "\n}}\n"
    if args.write:
        RECORDED.write_text(text)
    else:
        before = {line.rstrip(",") for line in RECORDED.read_text().splitlines()}
        differs = [line for line in text.splitlines() if line.rstrip(",") not in before]
        print("\n".join(["not as recorded:", *differs] if differs else ["as recorded"]))
        sys.exit(1 if differs else 0)
