"""Many arrays: sweep looks at each, dataset reads them as one table. Errors keep what came before them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import tiledb_inspect as ti
from tiledb_inspect import _running

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARRAYS = ROOT / "examples" / "arrays"
PLACES, WEATHER, BLOOD = (ARRAYS / name for name in ("places", "weather", "blood"))
DAMAGED = ROOT / "examples" / "damaged" / "places"

pyarrow = pytest.importorskip("pyarrow")


def damaged_fragment():
    return ti.fragments(DAMAGED)[0]["path"]


def test_a_sweep_finds_arrays_of_folders_and_groups_at_any_depth():
    found = dict(ti.sweep(ARRAYS, level="structure"))
    inside = [pathlib.Path(array).relative_to(ARRAYS).as_posix() for array in found]
    assert inside[-2:] == ["places", "weather"] and {"blood/obs", "blood/ms/RNA/var", "blood/ms/RNA/X/data"} < set(inside)
    assert {document["level"] for document in found.values()} == {"structure"} and all(one["ok"] for one in found.values())
    assert list(dict(ti.sweep(BLOOD, "overview"))) == list(found)[:-2]
    assert [array for array, _ in ti.sweep([PLACES, WEATHER], "ls")] == [str(PLACES), str(WEATHER)]
    assert len(list(ti.sweep(ARRAYS, exclude="blood"))) == 2


def test_a_sweep_goes_on_after_an_array_that_cannot_be_read(tmp_path):
    for name in "abc":
        shutil.copytree(PLACES, tmp_path / name)
    [schema] = (tmp_path / "b" / "__schema").glob("__*")
    schema.write_bytes(b"x")
    found = {pathlib.Path(array).name: one for array, one in ti.sweep(tmp_path, "stats")}
    assert isinstance(found["b"], ti.InspectError) and found["b"].code == "TRUNCATED" and found["b"].exit_code == 1
    assert found["a"]["kind"] == found["c"]["kind"] == "stats"
    with pytest.raises(ti.InspectError, match="level"):
        list(ti.sweep(tmp_path, level="deep"))
    with pytest.raises(ti.InspectError, match="no such"):
        list(ti.sweep(tmp_path / "nowhere"))


def test_a_dataset_of_an_array_has_the_cells_of_read():
    found = ti.dataset(PLACES, field="name", range={"lat": (40, 60)}, order="row-major")
    table = ti.read(PLACES, field="name", range={"lat": (40, 60)}, order="row-major")
    assert found.schema.names == ["lat", "lon", "name"] and found.to_table().equals(table)
    assert found.count_rows() == table.num_rows > 3
    assert found.head(2).to_pylist() == table.slice(0, 2).to_pylist()
    assert pyarrow.table(found).equals(table)


def test_a_dataset_of_a_folder_names_the_array_of_each_row(tmp_path):
    for name in "ab":
        shutil.copytree(PLACES, tmp_path / name)
    found = ti.dataset(tmp_path, field="name", where="population > 15000000")
    table = found.to_table()
    assert table.column_names == ["__array", "lat", "lon", "name"]
    count = ti.read(PLACES, where="population > 15000000").num_rows
    assert [pathlib.Path(one).name for one in table["__array"].to_pylist()] == ["a"] * count + ["b"] * count
    with pytest.raises(ti.InspectError, match="expected the columns of") as caught:
        ti.dataset([PLACES, WEATHER]).to_table()
    assert (caught.value.code, caught.value.file) == ("WRONG_TARGET", str(WEATHER))


def test_a_dataset_comes_in_batches_and_may_be_left_early(tmp_path):
    assert ti.run(["write-sample", str(tmp_path / "array"), "--cells", "200000"]).returncode == 0
    found = ti.dataset(tmp_path / "array")
    batches = found.to_batches()
    first = next(batches)
    assert 0 < first.num_rows < 200_000
    batches.close()
    assert found.count_rows() == ti.read(tmp_path / "array").num_rows > 100_000
    # Nothing is looked at before it is asked for.
    ti.dataset("nowhere")
    with pytest.raises(ti.InspectError, match="no such"):
        ti.dataset("nowhere").schema


def test_errors_keep_what_came_before_them():
    with pytest.raises(ti.InspectError) as caught:
        ti.documents("schema", PLACES, "nowhere", WEATHER)
    assert (caught.value.code, [one["kind"] for one in caught.value.partial]) == ("NOT_FOUND", ["schema", "schema"])
    with pytest.raises(ti.InspectError) as caught:
        ti.cells(damaged_fragment(), field="population", as_dicts=True)
    # The damaged file is that of lat. The file that says which values are null is lost, not the values.
    assert caught.value.code == "CHECKSUM" and caught.value.partial[0] == {"lon": -58.38, "population": 3121000}
    with pytest.raises(ti.InspectError) as caught:
        ti.cells(damaged_fragment(), field="population")
    assert caught.value.code == "CHECKSUM" and "lon" in caught.value.partial.column_names
    with pytest.raises(ti.InspectError) as caught:
        ti.document("read", DAMAGED)
    [document] = caught.value.partial
    assert document["kind"] == "read" and document["error"]["code"] == caught.value.code == "CHECKSUM"
    with pytest.raises(ti.InspectError) as caught:
        ti.schema("nowhere")
    assert caught.value.partial is None


@pytest.fixture
def instead(monkeypatch):
    """Runs a program in place of the real one."""

    def replace(code):
        monkeypatch.setattr(_running, "command", lambda: [sys.executable, "-c", code])

    return replace


@pytest.mark.parametrize(
    "code, exit_code, message",
    [
        ('print(\'{"x":1}\'); raise SystemExit(1)', 1, "gave no reason"),
        ('import sys; print(\'{"x":1}\'); sys.stderr.write("out of memory"); sys.exit(3)', 3, "out of memory"),
        ('import os; os.kill(os.getpid(), 9)', -9, "ended with -9"),
        ('print(\'{"x":1}\\n{"x":\', end="", flush=True); import os; os.kill(os.getpid(), 9)', -9, "ended with -9"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_program_that_fails_without_an_error_is_one(instead, code, exit_code, message):
    instead(code)
    for ask in (lambda: ti.read(PLACES, as_dicts=True), lambda: ti.tiles(PLACES), lambda: ti.read(PLACES), lambda: ti.schema(PLACES)):
        with pytest.raises(ti.InspectError, match=message) as caught:
            ask()
        assert (caught.value.code, caught.value.exit_code) == ("CRASH", exit_code)
    with pytest.raises(ti.InspectError, match=message):
        list(ti.sweep(PLACES))


def test_documents_that_are_cut_off_are_an_error(instead):
    instead('print(\'{"kind":"schema"}\\n{"kind":\')')
    with pytest.raises(ti.InspectError) as caught:
        ti.documents("schema", PLACES)
    assert caught.value.code == "CRASH" and caught.value.partial == [{"kind": "schema"}]


def test_what_is_wrong_beside_a_document_is_a_warning():
    with pytest.warns(ti.InspectWarning, match="a1_validity.tdb") as warned:
        assert len(ti.fragments(DAMAGED)) == 1
    # The warning names the line that called the module.
    assert warned[0].filename == __file__


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such names")
def test_paths_that_are_not_utf_8(tmp_path):
    array = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")
    shutil.copytree(PLACES, array)
    [fragment] = ti.fragments(array)
    assert "base64" in fragment["path"]
    assert ti.cells(fragment["path"], limit=3).num_rows == 3
    assert [name for name, _ in ti.sweep(tmp_path, "ls")] == [array]
    (pathlib.Path(os.fsdecode(fragment_folder(array))) / "d0.tdb").write_bytes(b"x")
    with pytest.raises(ti.InspectError) as caught:
        ti.cells(fragment["path"])
    assert caught.value.file.startswith(array) and array in str(caught.value)


def fragment_folder(array):
    [folder] = os.listdir(os.fsencode(array) + b"/__fragments")
    return os.fsencode(array) + b"/__fragments/" + folder


def test_coordinates_and_spans_as_values():
    history = ti.document("history", WEATHER, cell={"station": 1, "day": 7})
    assert history["kind"] == "history"
    assert ti.read(PLACES, between=(1714557600000, None)).num_rows == 40
    assert ti.read(PLACES, between=(None, 1714557599999)).num_rows == 0


def test_types_are_those_of_the_schemas():
    from tiledb_inspect import types

    schema = json.loads((ROOT / "schemas" / "check.json").read_text())
    assert set(types.CheckDocument.__annotations__) == set(schema["properties"])
    if sys.version_info >= (3, 11):
        assert set(types.CheckDocument.__required_keys__) == set(schema["required"])
    code = "import sys, tiledb_inspect as ti; ti.run; print('tiledb_inspect.types' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, env=env).stdout.split() == [b"False"]
