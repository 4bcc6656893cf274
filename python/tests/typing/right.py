"""Calls that type checkers let pass. test_typing.py runs them."""

from __future__ import annotations

import datetime
import pathlib

import tiledb_inspect as ti
from tiledb_inspect.types import ArrayFragment, CheckFinding


def sizes(array: str) -> dict[str, int]:
    return {fragment["name"]: fragment["size"] for fragment in ti.fragments(array)}


def largest(array: pathlib.Path) -> ArrayFragment:
    return max(ti.fragments(array, as_of=datetime.datetime(2024, 5, 2)), key=lambda fragment: fragment["cell_num"] or 0)


def damage(array: str) -> list[CheckFinding]:
    found = ti.check(array, level="cells", jobs=2, key=bytes(32))
    return [finding for finding in found["findings"] if finding["severity"] == "error" and finding.get("tile", 0) > 3]


def cells(array: str) -> list[str]:
    table = ti.read(array, range={"lat": (40, 60), "lon": [(None, 0.5), 7]}, where="population > 1000000", field=["name"])
    rows = ti.read(array, as_dicts=True, order="row-major", between=(None, 1714557600000))
    return table.column_names + [str(row["name"]) for row in rows]


def inside(array: str) -> int:
    [fragment] = ti.fragments(array)
    # A path of a document is a target, also where it is not UTF-8.
    return ti.cells(fragment["path"], tiles="0..1").num_rows + len(ti.tiles(fragment["path"]))


def told_apart(target: str) -> int:
    found = ti.document("ls", target)
    if found["kind"] == "array":
        return len(found["fragments"])
    if found["kind"] == "group" or found["kind"] == "dataset":
        return len(found["members"])
    return 0


def many(folder: str) -> list[str]:
    damaged = []
    for array, found in ti.sweep(folder, level="structure"):
        if isinstance(found, ti.InspectError):
            damaged.append(found.code)
        elif not found["ok"]:
            damaged.append(array)
    return damaged


def batches(arrays: list[str]) -> int:
    return sum(batch.num_rows for batch in ti.dataset(arrays, field="name").to_batches()) + ti.dataset(arrays).head(3).num_rows


def steps(array: str) -> list[str]:
    return [step["name"] for step in ti.explain(array, range={"lat": (40, 60)}, exact=True)["steps"]]


def bytes_of(fragment: str) -> str:
    return ti.document("tile", fragment, "lat", 0)["kind"]
