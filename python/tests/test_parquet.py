"""Parquet has what Arrow has: pyarrow reads the table that it reads from a Parquet file of its own, made from our Arrow, and DuckDB, too."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "test" / "fixtures" / "22"
ARRAYS = ["enumerations", "evolved_sparse", "sparse_multi", "empty_sparse"]
CALLS = [
    # All datatypes, fixed-sized and var-sized, with nulls and at the ends of their ranges.
    *[("decode", place, "--all-fragments", "--raw") for place in sorted(FIXTURES.glob("type_*")) if place.is_dir()],
    *[("decode", place, "--all-fragments") for place in sorted(FIXTURES.glob("type_*")) if place.is_dir() and place.name != "type_datetimes"],
    *[("read", FIXTURES / name) for name in ARRAYS if (FIXTURES / name).is_dir()],
    ("read", FIXTURES / "enumerations", "--labels"),
    ("read", FIXTURES / "sparse_basic", "--limit", "0"),
    ("read", ROOT / "examples" / "arrays" / "places"),
]


def program(*args):
    ran = subprocess.run([sys.executable, "-m", "tiledb_inspect", *map(str, args)], capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout


def values(array):
    """The values without names of types: floats as their bits, and nulls apart from what stands below them."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_dictionary(kind):
        return values(array.dictionary_decode())
    nulls, known = array.is_null().to_pylist(), array.drop_null()
    if pa.types.is_list(kind):
        return nulls, known.value_lengths().to_pylist(), values(known.flatten())
    if pa.types.is_fixed_size_list(kind):
        return nulls, kind.list_size, values(known.flatten())
    if pa.types.is_float32(kind):
        known = known.view(pa.int32())
    if pa.types.is_float64(kind):
        known = known.view(pa.int64())
    return nulls, known.to_pylist() if not pa.types.is_timestamp(kind) and not pa.types.is_duration(kind) else known.cast(pa.int64()).to_pylist()


def column(table, place):
    import pyarrow as pa

    chunks = [chunk.dictionary_decode() if pa.types.is_dictionary(chunk.type) else chunk for chunk in table.column(place).chunks]
    return values(pa.concat_arrays(chunks)) if chunks else []


def assert_bounds(place, other):
    """Bounds and nulls of each row group are those that pyarrow writes, and none where a NaN is."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def bounds(chunk, values):
        # As stored: Python has no nanoseconds.
        known = chunk.statistics
        if known is None:
            return None
        has_nan = pa.types.is_floating(values.type) and any(one != one for one in values.to_pylist() if one is not None)
        return known.null_count, (known.min_raw, known.max_raw) if known.has_min_max and not has_nan else None, has_nan and known.has_min_max

    ours = pq.ParquetFile(place)
    for group in range(ours.num_row_groups):
        table = ours.read_row_group(group)
        pq.write_table(table, other)
        theirs = pq.ParquetFile(other)
        chunks = range(ours.metadata.num_columns)
        leaves = {}
        for name in table.column_names:
            values = table.column(name).combine_chunks()
            while pa.types.is_list(values.type) or pa.types.is_fixed_size_list(values.type):
                values = values.flatten()
            leaves[name] = values
        for chunk in chunks:
            mine, other_one = (one.row_group(group if one is ours.metadata else 0).column(chunk) for one in (ours.metadata, theirs.metadata))
            values = leaves[mine.path_in_schema.split(".")[0]]
            found, wanted = bounds(mine, values), bounds(other_one, values)
            if found is None:
                assert table.num_rows == 0
                continue
            assert (mine.path_in_schema, found[:2]) == (mine.path_in_schema, wanted[:2])
            assert not found[2], "a column with a NaN has no bounds"


@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join([call[0], call[1].name, *call[2:]]))
def test_parquet_is_what_pyarrow_makes_of_our_arrow(call, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.ipc.open_stream(program(*call, "--format", "arrow")).read_all()
    ours, theirs = tmp_path / "ours.parquet", tmp_path / "theirs.parquet"
    ours.write_bytes(program(*call, "--format", "parquet"))
    pq.write_table(arrow, theirs)
    found, wanted = pq.read_table(ours), pq.read_table(theirs)
    found.validate(full=True)
    assert found.num_rows == arrow.num_rows
    assert found.schema.equals(wanted.schema, check_metadata=True)
    assert_bounds(ours, tmp_path / "group.parquet")
    for place in range(wanted.num_columns):
        assert (wanted.column_names[place], column(found, place)) == (wanted.column_names[place], column(wanted, place))
    asked = [duckdb.connect().execute("FROM read_parquet('%s')" % path) for path in (ours, theirs)]
    assert [str(one[1]) for one in asked[0].description] == [str(one[1]) for one in asked[1].description]
    assert repr(asked[0].fetchall()) == repr(asked[1].fetchall())
