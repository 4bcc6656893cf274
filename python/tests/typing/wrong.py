"""Every line with the comment `wrong` has a fault that type checkers find. No other line has one. test_typing.py runs them."""

from __future__ import annotations

import tiledb_inspect as ti


def keys(array: str) -> None:
    ti.fragments(array)[0]["cells"]  # wrong
    ti.schema(array)["dimension"]  # wrong
    ti.check(array)["findings"][0]["offsets"]  # wrong
    ti.explain(array)["total"]["time"]  # wrong
    ti.tiles(array)[0]["box"]  # wrong
    ti.document("footer", array)["tile_number"]  # wrong


def values(array: str) -> None:
    ti.schema(array)["capacity"].upper()  # wrong
    ti.check(array)["findings"][0]["severity"] == "fatal"  # wrong
    ti.fragments(array)[0]["state"] == "dead"  # wrong
    ti.fragments(array)[0]["cell_num"] + 1  # wrong
    ti.check(array)["findings"][0]["tile"] + "a"  # wrong


def arguments(array: str) -> None:
    ti.check(array, level="deep")  # wrong
    ti.check(array, levels="cells")  # wrong
    ti.read(array, wher="a > 5")  # wrong
    ti.read(array, order="rows")  # wrong
    ti.read(array, limit="many")  # wrong
    ti.read(array, range=[(1, 2)])  # wrong
    ti.explain(array, fail_on="fatal")  # wrong
    ti.document("feet", array)  # wrong
    ti.document("stats", array, level="cells")  # wrong
    ti.sweep(array, "footer")  # wrong
    ti.sweep(array, "check", names=True)  # wrong
    ti.dataset(array, wher="a > 5")  # wrong
    ti.page(array, size=3)  # wrong


def results(array: str) -> None:
    ti.read(array).to_panda()  # wrong
    ti.read(array, as_dicts=True).num_rows  # wrong
    ti.dataset(array).to_pandas_frame()  # wrong
    ti.scheme(array)  # wrong
    for _, found in ti.sweep(array):
        found["ok"]  # wrong
