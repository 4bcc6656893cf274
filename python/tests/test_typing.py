"""mypy and pyright find every wrong key and every wrong argument, and nothing in what is right."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from tiledb_inspect._program import command

TYPING = pathlib.Path(__file__).with_name("typing")
# Both checkers need pyarrow's types, which are a package of their own.
CHECKERS = pytest.mark.skipif("PYRIGHT" not in os.environ, reason="PYRIGHT names pyright's index.js; the newest Python has it")


def marked(name):
    lines = (TYPING / name).read_text().splitlines()
    return {i for i, line in enumerate(lines, 1) if line.endswith("# wrong")}


def of_mypy(tmp_path):
    call = [sys.executable, "-m", "mypy", "--config-file", TYPING / "mypy.ini", "--cache-dir", tmp_path, *TYPING.glob("*.py")]
    said = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)
    assert said.stderr == ""
    return re.findall(r"(\w+\.py):(\d+): error: (.*)", said.stdout)


def of_pyright(tmp_path):
    call = [command()[0], os.environ["PYRIGHT"], "--pythonpath", sys.executable, "--outputjson", "-p", TYPING]
    said = json.loads(subprocess.run(call, capture_output=True, text=True).stdout)
    place = [(one, pathlib.Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in said["generalDiagnostics"]]
    return [(name, line, one["message"]) for one, name, line in place if one["severity"] == "error"]


@CHECKERS
@pytest.mark.parametrize("check", [of_mypy, of_pyright])
def test_what_is_wrong_is_found_and_nothing_else(check, tmp_path):
    found = check(tmp_path)
    assert [one for one in found if one[0] != "wrong.py"] == []
    assert len(marked("wrong.py")) > 25
    assert {int(line) for _, line, _ in found} == marked("wrong.py")


def test_what_is_right_runs():
    pytest.importorskip("pyarrow")
    sys.path.insert(0, str(TYPING))
    import right

    arrays = TYPING.parents[2] / "examples" / "arrays"
    places = str(arrays / "places")
    assert list(right.sizes(places).values()) == [11426]
    assert right.largest(arrays / "places")["state"] == "live"
    assert right.damage(places) == [] and right.many(str(arrays)) == []
    assert "Praha" in right.cells(places)
    assert right.inside(places) == 16 + 5
    assert (right.told_apart(places), right.told_apart(str(arrays))) == (1, 3)
    assert right.batches([places]) == 43
    assert right.steps(places) != [] and right.bytes_of(f"{places}/__17") == "tile"
