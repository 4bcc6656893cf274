"""The module returns what real TileDB wrote to the arrays of examples/, and said of them."""

import datetime
import html
import json
import pathlib
import subprocess
import sys

import pytest

import tiledb_inspect as ti

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = ROOT / "examples" / "arrays" / "places"
WEATHER = ROOT / "examples" / "arrays" / "weather"
DAMAGED = ROOT / "examples" / "damaged" / "places"
EXPECTED = json.loads((ROOT / "examples" / "arrays" / "places.expected.json").read_text())
WRITTEN = 1714557600000

try:
    import pyarrow
except ImportError:
    pyarrow = None

needs_pyarrow = pytest.mark.skipif(pyarrow is None, reason="pyarrow is not installed")


def fragment_of(array):
    return ti.fragments(array)[0]["path"]


def test_fragments_are_those_that_tiledb_lists():
    [found], [expected] = ti.fragments(PLACES), EXPECTED["fragments"]
    assert found["cell_num"] == expected["cell_num"]
    assert found["timestamp_range"] == [WRITTEN, WRITTEN]
    assert found["state"] == "live"


def test_a_fragment_has_no_fragments():
    with pytest.raises(ti.InspectError, match="expected an array") as caught:
        ti.fragments(fragment_of(PLACES))
    assert caught.value.code == "WRONG_TARGET"


def test_a_group(tmp_path):
    ti.run(["write-sample", str(tmp_path / "experiment"), "--damage", "LAYER_VERSION"])
    found = ti.group(tmp_path / "experiment")
    assert found["layer"]["type"] == "SOMAExperiment" and not found["layer"]["version_known"]
    assert [one["layer_type"] for one in found["members"]] == ["SOMADataFrame", "SOMACollection"]
    assert found["members"][1]["members"][0]["name"] == "RNA" and found["totals"]["array_num"] == 3
    with pytest.raises(ti.InspectError):
        ti.group(PLACES)


def test_schema():
    found = ti.schema(PLACES)
    assert [dimension["name"] for dimension in found["dimensions"]] == ["lat", "lon"]
    assert found["capacity"] == EXPECTED["schema"]["capacity"]


def test_tiles_of_a_fragment_and_of_an_array():
    of_fragment, of_array = ti.tiles(fragment_of(PLACES)), ti.tiles(PLACES)
    assert sum(tile["cell_num"] for tile in of_fragment) == 40
    assert [tile["mbr"] for tile in of_array] == [tile["mbr"] for tile in of_fragment]
    assert len(ti.tiles(PLACES, range={"lat": (-35, -30)})) < len(of_array) == 5


@needs_pyarrow
def test_read_gives_a_table():
    table = ti.read(PLACES, field=["name", "population"])
    assert table.column_names == ["lat", "lon", "name", "population"]
    assert (table.num_rows, table["population"].type) == (40, pyarrow.uint32())
    assert "São Paulo" in table["name"].to_pylist()


@needs_pyarrow
def test_cells_gives_a_table_of_a_fragment():
    assert ti.cells(fragment_of(PLACES), tiles="0..1").num_rows == 16
    assert "__fragment" in ti.cells(PLACES, all_fragments=True).column_names


@needs_pyarrow
def test_a_table_has_the_cells_of_the_dicts():
    table = ti.read(WEATHER, field="temperature", order="row-major")
    rows = ti.read(WEATHER, field="temperature", order="row-major", as_dicts=True)
    assert [row["station"] for row in rows] == table["station"].to_pylist()
    # NDJSON has the fewest digits that give the same FLOAT32.
    assert [row["temperature"] for row in rows] == pytest.approx(table["temperature"].to_pylist(), rel=1e-6)


def test_without_pyarrow_dicts_are_still_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.ipc", None)
    with pytest.raises(ImportError, match="as_dicts"):
        ti.read(PLACES)
    assert len(ti.read(PLACES, as_dicts=True)) == 40
    assert len(ti.cells(fragment_of(PLACES), limit=3, as_dicts=True)) == 3


def names(**options):
    return sorted(row["name"] for row in ti.read(PLACES, as_dicts=True, **options))


def test_ranges():
    everywhere = ti.read(PLACES, as_dicts=True)

    def where(test):
        return sorted(row["name"] for row in everywhere if test(row["lat"], row["lon"]))

    assert names(range={"lat": (40, 60)}) == where(lambda lat, lon: 40 <= lat <= 60)
    assert names(range={"lat": (None, 0), "lon": (0, None)}) == where(lambda lat, lon: lat <= 0 <= lon)
    assert names(range={"lat": [(-40, -20), (60, 70)]}) == where(lambda lat, lon: -40 <= lat <= -20 or 60 <= lat <= 70)
    assert names(range={"lat": -34.6}) == ["Buenos Aires"]


def test_conditions_and_limits():
    assert names(where="population > 15000000") == sorted(
        row["name"] for row in ti.read(PLACES, as_dicts=True) if (row["population"] or 0) > 15_000_000
    ) != []
    assert len(names(limit=4)) == 4


@pytest.mark.parametrize(
    "time",
    [
        WRITTEN,
        "2024-05-01T10:00:00Z",
        datetime.datetime(2024, 5, 1, 10),
        datetime.datetime(2024, 5, 1, 10, 0, 0, 123456),
        datetime.datetime(2024, 5, 1, 12, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
        datetime.datetime(2024, 5, 1, 12, 0, 0, 999, tzinfo=datetime.timezone(datetime.timedelta(hours=2))),
    ],
)
def test_times(time):
    assert len(names(as_of=time)) == 40


def test_before_it_was_written_nothing_is_there():
    assert names(as_of=WRITTEN - 1) == names(as_of=datetime.datetime(2024, 5, 1, 9, 59)) == []
    # Microseconds are cut off, not rounded.
    assert names(as_of=datetime.datetime(2024, 5, 1, 9, 59, 59, 999999)) == []


@pytest.mark.parametrize(
    "dimension, low, high",
    [
        ("STRING_ASCII", "b", "c..d"),
        ("DATETIME_DAY:1970-01-01..2030-01-01:100", datetime.date(1980, 1, 1), "2020-01-01"),
        (
            "DATETIME_US:1970-01-01..2030-01-01:100000",
            datetime.datetime(1980, 1, 1, 12, 30, 0, 123456),
            datetime.datetime(2020, 1, 1, 0, 0, 0, 999999),
        ),
        ("DATETIME_MS:1970-01-01..2030-01-01:100000", datetime.datetime(1980, 1, 1, 12, 30), datetime.datetime(2020, 1, 1)),
    ],
)
def test_ends_of_ranges_of_other_types(tmp_path, dimension, low, high):
    array = tmp_path / "array"
    ran = ti.run(["write-sample", str(array), "--sparse", "--dim", f"x:{dimension}", "--attr", "a:INT32", "--cells", "50"])
    assert ran.returncode == 0, ran.stderr
    every = {row["x"] for row in ti.read(array, as_dicts=True)}
    inside = {row["x"] for row in ti.read(array, range={"x": (low, high)}, as_dicts=True)}
    first, last = (end if isinstance(end, str) else end.isoformat() for end in (low, high))
    assert inside == {x for x in every if first <= x <= last}


def test_check_of_an_intact_and_of_a_damaged_array():
    assert ti.check(PLACES)["ok"] is True
    found = ti.check(DAMAGED, level="structure")
    assert found["ok"] is False
    assert {finding["code"] for finding in found["findings"]} == {"FILE_MISSING", "FILE_SHORT"}


def test_explain():
    found = ti.explain(PLACES, range={"lat": (40, 60)}, exact=True)
    assert found["total"]["cells_found"] == len(names(range={"lat": (40, 60)}))
    assert [fragment["passed_over_by"] for fragment in ti.explain(PLACES, range={"lat": 89})["fragments"]] == ["domain"]


def test_any_command_gives_its_document():
    assert ti.document("footer", fragment_of(PLACES))["sparse_tile_num"] == 5
    assert [one["kind"] for one in ti.documents("schema", PLACES, WEATHER)] == ["schema", "schema"]
    with pytest.raises(ValueError, match="found 2"):
        ti.document("footer", two_fragments())


def two_fragments():
    return next(path for path in (ROOT / "test" / "fixtures").glob("*/*") if len(list(path.glob("__fragments/*"))) == 2)


def test_an_error_says_what_and_where():
    with pytest.raises(ti.InspectError) as caught:
        ti.read(DAMAGED, as_dicts=True)
    error = caught.value
    assert (error.code, error.offset, error.exit_code) == ("CHECKSUM", 20, 1)
    assert error.file.endswith("d0.tdb") and "SHA256" in error.field
    assert str(error).startswith(f"{error.file}: byte 20, field {error.field}: expected ")


@needs_pyarrow
def test_tables_raise_the_same_errors():
    for read in (ti.read, lambda uri: ti.cells(fragment_of(uri))):
        with pytest.raises(ti.InspectError) as caught:
            read(DAMAGED)
        assert (caught.value.code, caught.value.offset) == ("CHECKSUM", 20)


@needs_pyarrow
def test_keep_going_warns_of_what_it_leaves_out():
    asked = {"field": "name", "keep_going": True}
    with pytest.warns(ti.InspectWarning, match="d0.tdb: byte 20"):
        table = ti.cells(fragment_of(DAMAGED), **asked)
    with pytest.warns(ti.InspectWarning, match="d0.tdb: byte 20"):
        assert ti.cells(fragment_of(DAMAGED), as_dicts=True, **asked) == table.to_pylist()
    # Of 40 cells, the 8 of one tile are damaged.
    assert table.num_rows == 32


@pytest.mark.parametrize("ask", [ti.schema, ti.fragments, ti.tiles, ti.check, ti.explain, ti.map, ti.page, ti.report])
def test_a_missing_target(ask):
    with pytest.raises(ti.InspectError, match="no such file or folder") as caught:
        ask("nowhere")
    assert (caught.value.code, caught.value.file, caught.value.exit_code) == ("NOT_FOUND", "nowhere", 3)


def test_wrong_options_and_wrong_values():
    for options in ({"nonsense": 1}, {"limit": "many"}, {"range": {"height": 3}}):
        with pytest.raises(ti.InspectError) as caught:
            ti.read(PLACES, as_dicts=True, **options)
        assert (caught.value.code, caught.value.exit_code) == ("USAGE", 2)


def test_a_misspelt_keyword_gets_a_suggestion():
    with pytest.raises(ti.InspectError, match="'--wher'; did you mean --where"):
        ti.read(PLACES, as_dicts=True, wher="population > 10000000")


def test_a_key_is_not_an_argument_of_the_program(tmp_path):
    key = bytes(range(32))
    ran = ti.run(["write-sample", str(tmp_path / "array"), "--key", key.hex(), "--cells", "10"])
    assert ran.returncode == 0, ran.stderr
    assert ti.check(tmp_path / "array", key=key)["ok"] is True
    with pytest.raises(ti.InspectError):
        ti.schema(tmp_path / "array")


def test_large_integers_keep_all_digits(tmp_path):
    row = b'{"x":1,"a":9223372036854775807}\n'
    fields = ["--sparse", "--dim", "x:INT32:0..9:10", "--attr", "a:INT64", "--data", "-"]
    assert ti.run(["write-sample", str(tmp_path / "array"), *fields], input=row).returncode == 0
    assert ti.read(tmp_path / "array", as_dicts=True) == [{"x": 1, "a": 2**63 - 1}]


def test_names_that_look_like_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ti.run(["write-sample", "--", "-array"]).returncode == 0
    assert ti.check("-array")["ok"] is True


def test_pictures(tmp_path):
    picture = ti.map(PLACES, dimension=["lon", "lat"])
    assert picture._repr_svg_().startswith("<svg ") and picture.text.count("<title>") == 5
    picture.save(tmp_path / "map.svg")
    assert (tmp_path / "map.svg").read_text() == picture.text


def test_reports(tmp_path):
    page = ti.report(PLACES)
    shown = page._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts') and page.html[:200] not in shown
    # Without a base, links in the page would lead into the notebook. It must come before the policy, which forbids it.
    inside = html.unescape(shown)
    assert 0 < inside.index('<head><base href="about:srcdoc">') < inside.index("Content-Security-Policy")
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html


@needs_pyarrow
def test_a_stream_that_is_no_arrow_is_an_error_and_does_not_hang(tmp_path, monkeypatch):
    # The cells fill more than a pipe.
    assert ti.run(["write-sample", str(tmp_path / "array"), "--cells", "30000"]).returncode == 0
    def refuse(stream):
        raise pyarrow.ArrowInvalid("no such type")

    monkeypatch.setattr(pyarrow.ipc, "open_stream", refuse)
    with pytest.raises(ti.InspectError, match="no such type"):
        ti.read(tmp_path / "array")


def test_the_command_loads_no_module_that_it_does_not_need():
    code = "import sys, tiledb_inspect._program; print('json' in sys.modules or 'subprocess' in sys.modules)"
    assert subprocess.run([sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"], capture_output=True).stdout == b"False\n"


def test_dir_lists_the_names():
    assert set(dir(ti)) >= {"read", "cells", "fragments", "InspectError"}
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        ti.nonsense
