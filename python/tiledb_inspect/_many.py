"""Many arrays at a time: `sweep` looks at each, `dataset` reads them as one table, in batches."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union, overload

from ._documents import arrow_of, one_document
from ._running import InspectError, error_of, running
from ._values import Uri, path_text

if TYPE_CHECKING:
    import pyarrow
    from typing_extensions import Unpack

    from . import types as of
    from ._commands import CheckOptions, LsOptions, OverviewOptions, ReadOptions, StatsOptions

Targets = Union[Uri, Sequence[Uri]]

_COMMON = ("key", "key_file", "no_sign_request", "memory")
"""Options that a listing needs, too."""

_AT_A_TIME = 200
"""Targets that one run of the program gets. A command line cannot be as long as one likes."""

_COLUMN = "__array"
"""The column of a dataset of several arrays that says which of them a row is from."""


@overload
def sweep(targets: Targets, command: Literal["check"] = ..., **options: Unpack[CheckOptions]) -> Iterator[tuple[str, of.CheckDocument | InspectError]]: ...
@overload
def sweep(targets: Targets, command: Literal["overview"], **options: Unpack[OverviewOptions]) -> Iterator[tuple[str, of.OverviewDocument | InspectError]]: ...
@overload
def sweep(targets: Targets, command: Literal["ls"], **options: Unpack[LsOptions]) -> Iterator[tuple[str, of.ArrayDocument | InspectError]]: ...
@overload
def sweep(targets: Targets, command: Literal["stats"], **options: Unpack[StatsOptions]) -> Iterator[tuple[str, of.StatsDocument | InspectError]]: ...
def sweep(targets: Targets, command: str = "check", **options: Any) -> Iterator[tuple[str, Any]]:
    """Each array of a folder, bucket, prefix or group, at any depth, with what a command says of it, as soon as it is known. Several targets
    are gone through one after another.

        for array, found in ti.sweep("s3://bucket/arrays", level="structure"):
            print(array, found if isinstance(found, ti.InspectError) else found["ok"])

    An array that cannot be looked at gets the InspectError as a value; the others go on. `exclude="tmp"` leaves arrays out.

    Raises:
        InspectError: wrong options, or a target that cannot be listed.
    """
    listing = {name: options[name] for name in _COMMON if name in options}
    exclude = options.pop("exclude", None)
    arrays = [array for target in _each(targets) for array in arrays_of(target, {**listing, "exclude": exclude})]
    for start in range(0, len(arrays), _AT_A_TIME):
        yield from _swept(arrays[start : start + _AT_A_TIME], command, options)


def _swept(arrays: Sequence[str], command: str, options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    with running(command, arrays, {**options, "json": True}) as (out, finish):
        left = iter(arrays)
        for document in _documents_in(out):
            error = None if "kind" in document else error_of(document["error"])
            # Wrong options are wrong for every array.
            if error and error.code == "USAGE":
                raise finish().first()
            yield next(left), error or document
        ended = finish()
        for array in left:
            yield array, ended.crash()


def _documents_in(lines: Iterable[bytes]) -> Iterator[Any]:
    """Documents as they come. The last line of each is a brace alone."""
    text: list[bytes] = []
    for line in lines:
        text.append(line)
        if line == b"}\n":
            yield json.loads(b"".join(text))
            text = []


def _each(targets: Targets) -> list[Uri]:
    if isinstance(targets, (str, Mapping, os.PathLike)):
        return [targets]
    return list(targets)


def arrays_of(target: Uri, options: Mapping[str, Any]) -> list[str]:
    """The arrays in a folder, prefix or group, at any depth; of an array itself."""
    plain = {**options, "exclude": None}
    kind = _kind_of(target, {**plain, "names": True})
    if kind == "empty":
        return []
    if kind not in ("group", "dataset"):
        return [path_text(target)]
    names = {**plain, "names": True, "depth": "all", "recursive": kind == "dataset"}
    # With --names, the program leaves out none.
    found = one_document("ls", [target], {**options, "recursive": True} if options.get("exclude") else names)
    return list(dict.fromkeys(_arrays_in(found["members"])))


def _kind_of(target: Uri, options: Mapping[str, Any]) -> Any:
    try:
        return one_document("ls", [target], options)["kind"]
    except InspectError as error:
        if error.code != "NOT_TILEDB":
            raise
        # It may be a folder in which arrays lie deeper.
        return "dataset"


def _arrays_in(members: Iterable[Any]) -> Iterator[str]:
    for member in members:
        if member["type"] == "array":
            yield path_text(member["resolved"])
        yield from _arrays_in(member.get("members", ()))


def dataset(targets: Targets, **options: Unpack[ReadOptions]) -> Dataset:
    """The cells of an array, or of all arrays in a folder, a group or a list, as one table that is read only when it is asked for, in record
    batches. Takes the options of `read`.

        found = ti.dataset("arrays", field=["name", "population"], where="population > 1000000")
        for batch in found.to_batches(): ...

    Nothing is read before the first call. Of several arrays, a column `__array` has the path of each; their other columns must be the same.
    """
    return Dataset(targets, options)


class Dataset:
    """What `dataset` gives. DuckDB, polars and pandas take it as a stream of Arrow, without a table in memory."""

    def __init__(self, targets: Targets, options: Mapping[str, Any]) -> None:
        self._targets = _each(targets)
        if not self._targets:
            raise ValueError("expected a target, found none")
        self._options = dict(options)
        self._arrays: list[str] | None = None
        self._schema: pyarrow.Schema | None = None

    def __repr__(self) -> str:
        return f"<Dataset of {', '.join(path_text(target) for target in self._targets)}>"

    @property
    def arrays(self) -> list[str]:
        """The paths of its arrays. They are listed once.

        Raises:
            InspectError: NOT_FOUND if there are none, or if a target does not exist.
        """
        if self._arrays is None:
            listing = {name: self._options[name] for name in _COMMON if name in self._options}
            self._arrays = [array for target in self._targets for array in arrays_of(target, listing)]
        if not self._arrays:
            raise InspectError("NOT_FOUND", "expected arrays, found none", path_text(self._targets[0]), exit_code=3)
        return self._arrays

    @property
    def schema(self) -> pyarrow.Schema:
        """The columns, from the first array."""
        found = self._schema
        if found is None:
            parts = arrow_of("read", self.arrays[0], self._options)
            found = self._schema = self._with_column(next(parts))
            parts.close()
        return found

    def to_batches(self) -> Iterator[pyarrow.RecordBatch]:
        """The cells in batches, array after array. Whoever stops early stops the reading.

        Raises:
            InspectError: damage, after the batches that could be read; WRONG_TARGET if an array has other columns than the first.
        """
        for array in self.arrays:
            parts = arrow_of("read", array, self._options)
            found = self._with_column(next(parts))
            first = self._schema = self._schema or found
            if not found.equals(first):
                message = f"expected the columns of {self.arrays[0]} ({_columns(first)}), found {_columns(found)}"
                raise InspectError("WRONG_TARGET", message, array, exit_code=2)
            for batch in parts:
                yield self._named(batch, array, found)

    def reader(self) -> pyarrow.RecordBatchReader:
        """The batches as pyarrow, DuckDB and polars read them."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_batches(self.schema, self.to_batches())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader: Any = self.reader()
        return reader.__arrow_c_stream__(requested_schema)

    def to_table(self) -> pyarrow.Table:
        """All cells as one table."""
        import pyarrow

        return pyarrow.Table.from_batches(list(self.to_batches()), self.schema)

    def head(self, num_rows: int = 10) -> pyarrow.Table:
        """The first cells as a table. No more is read than these take."""
        import pyarrow

        some: list[pyarrow.RecordBatch] = []
        left = num_rows
        for batch in self.to_batches():
            some.append(batch.slice(0, left))
            left -= some[-1].num_rows
            if left <= 0:
                break
        return pyarrow.Table.from_batches(some, self.schema)

    def count_rows(self) -> int:
        """The number of cells. They are read for that."""
        return sum(batch.num_rows for batch in self.to_batches())

    def _with_column(self, schema: Any) -> Any:
        if len(self.arrays) == 1:
            return schema.remove_metadata()
        import pyarrow

        return schema.remove_metadata().insert(0, pyarrow.field(_COLUMN, pyarrow.string()))

    def _named(self, batch: Any, array: str, schema: Any) -> Any:
        import pyarrow

        paths = [] if len(self.arrays) == 1 else [pyarrow.array([array] * batch.num_rows, pyarrow.string())]
        return pyarrow.RecordBatch.from_arrays([*paths, *batch.columns], schema=schema)


def _columns(schema: Any) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)
