"""What the program finds, for Python: documents as dicts, cells as tables, pictures for Jupyter.

Options of the functions are those of the command, with `_` for `-`: `tiledb-inspect read --help` lists them.

- `True` gives an option without a value; `None` and `False` leave it out; a list repeats it: `field=["a", "b"]`.
- `range={"lat": (40, 60), "lon": (None, 0)}`: both ends are included, `None` is an open end, one value is a point. Text, numbers, dates
  and times of the standard library and of numpy can be ends. A list of ranges is their union.
- Times (`as_of`) are milliseconds since 1970, text, or a `datetime`; one without a time zone counts as UTC. Digits below a millisecond
  are cut off, because TileDB's times have none. Ends of ranges keep them, for dimensions with such units.
- `key` goes to the program by its environment, where other users do not see it.

Values in dicts are those of the program's JSON: dates are ISO 8601, NaN and infinities are text, bytes are `{"base64": …}`.
"""

from __future__ import annotations

import html
import json
import os
import subprocess
import tempfile
import uuid
from collections.abc import Generator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _page
from ._program import command
from ._running import InspectError, InspectWarning, call, raise_or_warn, running, warn, with_partial
from ._values import Path, Uri, path_text

if TYPE_CHECKING:
    import pyarrow
    from typing_extensions import Unpack

    from . import types as of
    from ._commands import CheckOptions, DecodeOptions, ExplainOptions, LsOptions, PageOptions, ReadOptions, RtreeOptions, SchemaOptions, TilesOptions

__all__ = ["InspectError", "InspectWarning", "Page", "Report", "Svg", "cells", "check", "explain", "fragments", "group", "map", "page", "read", "report", "run", "schema", "tiles"]


def run(args: Sequence[str], *, input: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs the program as the command line does, and gives its `returncode`, `stdout` and `stderr`. Raises nothing for its errors."""
    return subprocess.run([*command(), *args], capture_output=True, input=input or b"")


def all_documents(name: str, targets: Sequence[Uri | int], options: Mapping[str, Any]) -> list[Any]:
    """What `documents` gives."""
    with running(name, targets, {**options, "json": True}) as (out, finish):
        text = out.read().decode()
        ended = finish()
    found, is_whole = _parsed(text)
    # An error in place of a document has no kind.
    kept = [one for one in found if "kind" in one]
    if not is_whole or len(kept) < len(found) or not kept or any("error" in one for one in kept):
        raise with_partial(ended.first(), kept or None)
    for error in ended.errors:
        warn(str(error))
    return kept


def _parsed(text: str) -> tuple[list[Any], bool]:
    """The JSON documents of a text, and whether the last one is whole."""
    found: list[Any] = []
    at = 0
    try:
        while at < len(text):
            one, at = json.JSONDecoder().raw_decode(text, at)
            found.append(one)
            at += len(text) - at - len(text[at:].lstrip())
    except ValueError:
        return found, False
    return found, True


def one_document(name: str, targets: Sequence[Uri | int], options: Mapping[str, Any]) -> Any:
    """What `document` gives."""
    found = all_documents(name, targets, options)
    if len(found) > 1:
        raise ValueError(f"expected one document of {name} {path_text(targets[0])}, found {len(found)}: documents() gives them")
    return found[0]


def _of_kind(kinds: Sequence[str], expected: str, call: tuple[str, Uri], options: Mapping[str, Any]) -> Any:
    """A document of one of these kinds.

    Raises:
        InspectError: WRONG_TARGET if it has another kind, as that of GenomicsDB has: `document` gives it.
    """
    name, uri = call
    found = one_document(name, [uri], options)
    if found["kind"] not in kinds:
        message = f'expected {expected}, found a document of the kind {found["kind"]}: document("{name}", …) gives it'
        raise with_partial(InspectError("WRONG_TARGET", message, path_text(uri), exit_code=2), found)
    return found


def schema(uri: Uri, **options: Unpack[SchemaOptions]) -> of.SchemaDocument:
    """The schema of an array, or of a fragment: `dimensions`, `attributes`, `enumerations` and how they are stored."""
    found: of.SchemaDocument = _of_kind(["schema"], "an array, which has a schema", ("schema", uri), options)
    return found


def group(uri: Uri, **options: Unpack[LsOptions]) -> of.GroupDocument | of.DatasetDocument:
    """A group, or a folder of arrays, with all that is in it: `members` (each with its own `members`), `totals`, and `layer`, which is what the
    layer above TileDB says of it, such as SOMA. `group(uri, depth=1)` leaves out what the members contain.

    Raises:
        InspectError: it is no group and no folder of arrays.
    """
    given: LsOptions = {"depth": "all", **options}
    expected = "a group or a folder of arrays, which has members"
    found: of.GroupDocument | of.DatasetDocument = _of_kind(["group", "dataset"], expected, ("ls", uri), given)
    return found


def fragments(uri: Uri, **options: Unpack[LsOptions]) -> list[of.ArrayFragment]:
    """Every fragment folder of an array, committed or not, in the order of their time stamps: `name`, `state`, `cell_num`, `tile_num`,
    `size`, `timestamp_range`, `nonempty_domain`, … `pandas.DataFrame(fragments(uri))` is a table of them."""
    found = _of_kind(["array"], "an array, which has fragments", ("ls", uri), options)
    listed: list[of.ArrayFragment] = found["fragments"]
    return listed


def tiles(uri: Uri, **options: Unpack[TilesOptions]) -> list[of.TilesLine]:
    """The tiles of a fragment, or of every fragment of an array: `tile`, `cell_num`, `mbr`, and for each of `fields` its offset, stored
    and unfiltered size, minimum, maximum, sum and null count.

    Raises:
        InspectError: some of it cannot be read.
    """
    return _rows("tiles", uri, options)


@overload
def read(uri: Uri, *, as_dicts: Literal[False] = ..., **options: Unpack[ReadOptions]) -> pyarrow.Table: ...
@overload
def read(uri: Uri, *, as_dicts: Literal[True], **options: Unpack[ReadOptions]) -> list[of.CellsLine]: ...
def read(uri: Uri, *, as_dicts: bool = False, **options: Unpack[ReadOptions]) -> pyarrow.Table | list[of.CellsLine]:
    """The cells of an array as TileDB returns them, all fragments merged: `read(uri, range={"lat": (40, 60)}, where="population > 5e6")`.

    The table comes as a stream of Arrow, so reading takes no more memory than the table itself; `.to_pandas()` and `polars.from_arrow` convert it.
    `dataset` gives the same in batches.

    Raises:
        InspectError: damage. With `keep_going=True` what cannot be read is left out, and an InspectWarning says what.
        ImportError: pyarrow is not installed. `as_dicts=True` does without: one dict per cell.
    """
    return _rows("read", uri, options) if as_dicts else _table("read", uri, options)


@overload
def cells(uri: Uri, *, as_dicts: Literal[False] = ..., **options: Unpack[DecodeOptions]) -> pyarrow.Table: ...
@overload
def cells(uri: Uri, *, as_dicts: Literal[True], **options: Unpack[DecodeOptions]) -> list[of.CellsLine]: ...
def cells(uri: Uri, *, as_dicts: bool = False, **options: Unpack[DecodeOptions]) -> pyarrow.Table | list[of.CellsLine]:
    """The cells of one fragment as they are stored, in stored order: `cells(fragment, field="population", tiles="0..3")`.
    With `all_fragments=True` those of every fragment of an array, with a column `__fragment`. Otherwise as `read`."""
    return _rows("decode", uri, options) if as_dicts else _table("decode", uri, options)


def check(uri: Uri, **options: Unpack[CheckOptions]) -> of.CheckDocument:
    """Compares the metadata with the stored bytes: `ok`, `findings` (`severity`, `code`, `file`, `offset`, `message`), `not_examined`.
    `level="structure"` reads no tiles, `"chunks"` undoes every filter, `"cells"` looks at every cell. Damage raises nothing."""
    found: of.CheckDocument = _of_kind(["check"], "one check", ("check", uri), options)
    return found


def explain(uri: Uri, **options: Unpack[ExplainOptions]) -> of.ExplainDocument:
    """What a read would do and cost, and what makes it slow: `steps`, `fragments`, `total`, `findings`. Takes the options of `read`."""
    found: of.ExplainDocument = one_document("explain", [uri], options)
    return found


class Svg:
    """A picture, which Jupyter shows. `text` is its SVG."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"<Svg of {len(self.text):,} characters>"

    def _repr_svg_(self) -> str:
        return self.text

    def save(self, path: Path) -> None:
        """Writes the picture into a file."""
        _write(path, self.text)


class Report:
    """A page with the bytes that it shows, which Jupyter shows in a frame. `html` is all of it, without links to anything outside."""

    def __init__(self, html: str) -> None:
        self.html = html

    def __repr__(self) -> str:
        return f"<Report of {len(self.html):,} characters>"

    def _repr_html_(self) -> str:
        # The sandbox gives the page its own origin, so it sees nothing of the notebook.
        # Without a base, its links would lead into the notebook.
        inside = html.escape(self.html.replace("<head>", '<head><base href="about:srcdoc">', 1))
        return f'<iframe sandbox="allow-scripts allow-downloads" width="100%" height="720" srcdoc="{inside}"></iframe>'

    def save(self, path: Path) -> None:
        """Writes the page into a file, which any browser opens."""
        _write(path, self.html)


class Page:
    """A page of all views, which Jupyter and VS Code show. It reads through the kernel, and only what it shows.

    Attributes:
        widget: the widget of anywidget, to be shown among other widgets.
        html: the page as a report, with the bytes in it, as `report` makes it.
    """

    def __init__(self, uri: Uri, height: int, options: Mapping[str, Any]) -> None:
        self._uri = uri
        self._height = height
        self._options = options
        self._name = f"page-{uuid.uuid4().hex}"
        program = {name: value for name, value in options.items() if name != "max_size"}
        self._answers = _page.Answers(*call("page", [uri], {**program, "stdio": True}))
        self._bundle = self._summary()

    def __repr__(self) -> str:
        return f"<Page of {path_text(self._uri)}>"

    @cached_property
    def widget(self) -> Any:
        return _page.widget(self._answers, self._height, self._name)

    @cached_property
    def html(self) -> str:
        return report(self._uri, **self._options).html

    def save(self, path: Path) -> None:
        """Writes the page as a report into a file, which any browser opens."""
        _write(path, self.html)

    def close(self) -> None:
        """Ends the program that reads for the page. It begins again if the page asks for more."""
        self._answers.end()

    def _ipython_display_(self) -> None:
        import IPython.display

        display: Any = IPython.display.display
        shown = self.widget
        display(self._bundle, raw=True)
        display(shown)

    def _summary(self) -> dict[str, str]:
        """What a notebook shows that was saved, where no kernel runs. The page hides it."""
        options = {name: self._options[name] for name in ("key", "no_sign_request") if name in self._options}
        with running("overview", [self._uri], {**options, "color": "never"}) as (out, finish):
            text = out.read().decode()
            ended = finish()
        if not text:
            raise ended.first()
        note = "To see the page of it, run this cell."
        return {
            "text/plain": f"{text}\n{note}",
            "text/html": f'<div data-tiledb-inspect="{self._name}"><pre>{html.escape(text)}</pre><p>{note}</p></div>',
        }


def map(uri: Uri, **options: Unpack[RtreeOptions]) -> Svg:
    """The boxes of the tiles of a fragment, or of all visible fragments of an array; `dimension=["lon", "lat"]` are those across and up."""
    return Svg(_made("rtree", uri, "svg", "map.svg", options))


def page(uri: Uri, *, height: int = 720, **options: Unpack[PageOptions]) -> Page:
    """All views of a target, as a page in JupyterLab, Jupyter Notebook, VS Code and Colab. `height` is in pixels; the lower edge can be
    dragged. It reads what it shows, when it shows it, and nothing outside of the target (of a fragment or file: of its array).

    Showing it needs anywidget: `pip install 'tiledb-inspect[jupyter]'`. A notebook that was saved shows a summary as text.

    Raises:
        InspectError: there is nothing that it could show.
        ImportError: anywidget is not installed. This is raised when the page is shown.
    """
    return Page(uri, height, options)


def report(uri: Uri, **options: Unpack[PageOptions]) -> Report:
    """The page of a target with its bytes in it, to be kept or passed on. `max_size="100K"` bounds the bytes that it holds."""
    return Report(_made("page", uri, "output", "page.html", options))


def _write(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _made(name: str, uri: Uri, option: str, file: str, options: Mapping[str, Any]) -> str:
    """What a command writes into a file. What is wrong beside that is a warning."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, file)
        with running(name, [uri], {**options, option: path}) as (out, finish):
            out.read()
            ended = finish()
        if not os.path.exists(path):
            raise ended.first()
        for error in ended.errors:
            warn(str(error))
        with open(path, encoding="utf-8", newline="") as made:
            return made.read()


def _rows(name: str, uri: Uri, options: Mapping[str, Any]) -> list[Any]:
    rows: list[Any] = []
    with running(name, [uri], {**options, "format": "ndjson"}) as (out, finish):
        for line in out:
            # The last line may be cut, and an error may stand in its place: the program says why.
            if line.endswith(b"\n") and not line.startswith(b'{"error":{'):
                rows.append(json.loads(line))
        raise_or_warn(finish(), options, rows)
    return rows


def arrow_of(name: str, uri: Uri, options: Mapping[str, Any]) -> Generator[Any, None, None]:
    """The schema of the cells, and then their record batches, as they come.

    Raises:
        InspectError: after the batches that could be read.
        ImportError: pyarrow is not installed.
    """
    try:
        import pyarrow.ipc
    except ImportError as error:
        raise ImportError("a table needs pyarrow: pip install 'tiledb-inspect[arrow]'; as_dicts=True does without") from error
    with running(name, [uri], {**options, "format": "arrow"}) as (out, finish):
        try:
            source: Any = out
            with pyarrow.ipc.open_stream(source) as stream:
                yield stream.schema
                yield from stream
        except (pyarrow.ArrowInvalid, OSError) as error:
            # If the program finds a fault, it ends the stream early and says why.
            raise_or_warn(finish(), {})
            raise InspectError("CRASH", str(error)) from error
        raise_or_warn(finish(), options)


def _table(name: str, uri: Uri, options: Mapping[str, Any]) -> pyarrow.Table:
    parts = arrow_of(name, uri, options)
    schema = next(parts)
    import pyarrow

    batches: list[Any] = []
    try:
        batches.extend(parts)
    except InspectError as error:
        # A list keeps what came before the error.
        raise with_partial(error, pyarrow.Table.from_batches(batches, schema))
    return pyarrow.Table.from_batches(batches, schema)
