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

import datetime
import html
import json
import os
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Literal, Union, overload

from . import _page
from ._program import command

if TYPE_CHECKING:
    import pyarrow

Uri = Union[str, "os.PathLike[str]"]
Document = dict[str, Any]


class InspectError(Exception):
    """What is wrong with a file, or with a call.

    Attributes:
        code: what is wrong, as a word that is never renamed, such as `CHECKSUM`, `TRUNCATED`, `NOT_FOUND`, `USAGE`; `CRASH` if the
            program gave no reason.
        message: what was expected and what was found.
        file: path or URL, or None.
        offset: bytes from the start of the file, or None.
        field: what was being read, with dots for what is inside, or None.
        exit_code: that of the program: 1 damage, 2 wrong usage, 3 not examined.
    """

    def __init__(
        self,
        code: str,
        message: str,
        file: str | None = None,
        offset: int | None = None,
        field: str | None = None,
        exit_code: int = 1,
    ) -> None:
        super().__init__(code, message, file, offset, field, exit_code)
        self.code = code
        self.message = message
        self.file = file
        self.offset = offset
        self.field = field
        self.exit_code = exit_code

    def __str__(self) -> str:
        place = [] if self.offset is None else [f"byte {self.offset}"]
        place += [] if self.field is None else [f"field {self.field}"]
        return ": ".join(part for part in (self.file, ", ".join(place), self.message) if part)


class InspectWarning(UserWarning):
    """What could not be read and was left out, as `keep_going=True` asks for."""


def run(args: Sequence[str], *, input: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs the program as the command line does, and gives its `returncode`, `stdout` and `stderr`. Raises nothing for its errors."""
    return subprocess.run([*command(), *args], capture_output=True, input=input or b"")


def documents(name: str, *targets: Uri, **options: Any) -> list[Document]:
    """The documents that a command prints with `--json`, one a target or fragment. `document` is for one.

    A document may say that something is damaged (`errors`, `findings`, `not_examined`): that raises nothing.

    Raises:
        InspectError: there is no document, or only the beginning of one.
    """
    with _running(name, targets, {**options, "json": True}) as (out, finish):
        text = out.read().decode()
        errors = finish()
    found: list[Document] = []
    at = 0
    while at < len(text):
        one, at = json.JSONDecoder().raw_decode(text, at)
        found.append(one)
        at += len(text) - at - len(text[at:].lstrip())
    if not found or any("error" in one for one in found):
        raise _first(errors)
    return found


def document(name: str, target: Uri, **options: Any) -> Document:
    """The document that a command prints with `--json`: `document("footer", "places/__fragments/__17…")`. `schemas/` of the project says
    what its keys mean.

    Raises:
        InspectError: there is no document.
        ValueError: there are several, such as the footers of all fragments of an array.
    """
    found = documents(name, target, **options)
    if len(found) > 1:
        raise ValueError(f"expected one document of {name} {os.fspath(target)}, found {len(found)}: documents() gives them")
    return found[0]


def schema(uri: Uri, **options: Any) -> Document:
    """The schema of an array, or of a fragment: `dimensions`, `attributes`, `enumerations` and how they are stored."""
    return document("schema", uri, **options)


def dataset(uri: Uri, **options: Any) -> Document:
    """A group, or a folder of arrays, with all that is in it: `members` (each with its own `members`), `totals`, and `layer`, which is what the
    layer above TileDB says of it, such as SOMA. `dataset(uri, depth=1)` leaves out what the members contain.

    Raises:
        InspectError: it is no group and no folder of arrays.
    """
    found = document("ls", uri, **{"depth": "all", **options})
    if "members" not in found:
        raise InspectError("WRONG_TARGET", "expected a group or a folder of arrays, which has members", os.fspath(uri), exit_code=2)
    return found


def fragments(uri: Uri, **options: Any) -> list[Document]:
    """Every fragment folder of an array, committed or not, in the order of their time stamps: `name`, `state`, `cell_num`, `tile_num`,
    `size`, `timestamp_range`, `nonempty_domain`, … `pandas.DataFrame(fragments(uri))` is a table of them."""
    found = document("ls", uri, **options)
    if "fragments" not in found:
        raise InspectError("WRONG_TARGET", "expected an array, which has fragments", os.fspath(uri), exit_code=2)
    fragments: list[Document] = found["fragments"]
    return fragments


def tiles(uri: Uri, **options: Any) -> list[Document]:
    """The tiles of a fragment, or of every fragment of an array: `tile`, `cell_num`, `mbr`, and for each of `fields` its offset, stored
    and unfiltered size, minimum, maximum, sum and null count.

    Raises:
        InspectError: some of it cannot be read.
    """
    return _rows("tiles", uri, options)


@overload
def read(uri: Uri, *, as_dicts: Literal[False] = ..., **options: Any) -> pyarrow.Table: ...
@overload
def read(uri: Uri, *, as_dicts: Literal[True], **options: Any) -> list[Document]: ...
def read(uri: Uri, *, as_dicts: bool = False, **options: Any) -> pyarrow.Table | list[Document]:
    """The cells of an array as TileDB returns them, all fragments merged: `read(uri, range={"lat": (40, 60)}, where="population > 5e6")`.

    The table comes as a stream of Arrow, so reading takes no more memory than the table itself; `.to_pandas()` and `polars.from_arrow` convert it.

    Raises:
        InspectError: damage. With `keep_going=True` what cannot be read is left out, and an InspectWarning says what.
        ImportError: pyarrow is not installed. `as_dicts=True` does without: one dict per cell.
    """
    return _rows("read", uri, options) if as_dicts else _table("read", uri, options)


@overload
def cells(uri: Uri, *, as_dicts: Literal[False] = ..., **options: Any) -> pyarrow.Table: ...
@overload
def cells(uri: Uri, *, as_dicts: Literal[True], **options: Any) -> list[Document]: ...
def cells(uri: Uri, *, as_dicts: bool = False, **options: Any) -> pyarrow.Table | list[Document]:
    """The cells of one fragment as they are stored, in stored order: `cells(fragment, field="population", tiles="0..3")`.
    With `all_fragments=True` those of every fragment of an array, with a column `__fragment`. Otherwise as `read`."""
    return _rows("decode", uri, options) if as_dicts else _table("decode", uri, options)


def check(uri: Uri, **options: Any) -> Document:
    """Compares the metadata with the stored bytes: `ok`, `findings` (`severity`, `code`, `file`, `offset`, `message`), `not_examined`.
    `level="structure"` reads no tiles, `"chunks"` undoes every filter, `"cells"` looks at every cell. Damage raises nothing."""
    return document("check", uri, **options)


def explain(uri: Uri, **options: Any) -> Document:
    """What a read would do and cost, and what makes it slow: `steps`, `fragments`, `total`, `findings`. Takes the options of `read`."""
    return document("explain", uri, **options)


class Svg:
    """A picture, which Jupyter shows. `text` is its SVG."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"<Svg of {len(self.text):,} characters>"

    def _repr_svg_(self) -> str:
        return self.text

    def save(self, path: Uri) -> None:
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

    def save(self, path: Uri) -> None:
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
        self._answers = _page.Answers(*_call("page", [uri], {**program, "stdio": True}))
        self._bundle = self._summary()

    def __repr__(self) -> str:
        return f"<Page of {os.fspath(self._uri)}>"

    @cached_property
    def widget(self) -> Any:
        return _page.widget(self._answers, self._height, self._name)

    @cached_property
    def html(self) -> str:
        return report(self._uri, **self._options).html

    def save(self, path: Uri) -> None:
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
        with _running("overview", [self._uri], {**options, "color": "never"}) as (out, finish):
            text = out.read().decode()
            errors = finish()
        if not text:
            raise _first(errors)
        note = "To see the page of it, run this cell."
        return {
            "text/plain": f"{text}\n{note}",
            "text/html": f'<div data-tiledb-inspect="{self._name}"><pre>{html.escape(text)}</pre><p>{note}</p></div>',
        }


def map(uri: Uri, **options: Any) -> Svg:
    """The boxes of the tiles of a fragment, or of all visible fragments of an array; `dimension=["lon", "lat"]` are those across and up."""
    return Svg(_made("rtree", uri, "svg", "map.svg", options))


def page(uri: Uri, *, height: int = 720, **options: Any) -> Page:
    """All views of a target, as a page in JupyterLab, Jupyter Notebook, VS Code and Colab. `height` is in pixels; the lower edge can be
    dragged. It reads what it shows, when it shows it, and nothing outside of the target (of a fragment or file: of its array).

    Showing it needs anywidget: `pip install 'tiledb-inspect[jupyter]'`. A notebook that was saved shows a summary as text.

    Raises:
        InspectError: there is nothing that it could show.
        ImportError: anywidget is not installed. This is raised when the page is shown.
    """
    return Page(uri, height, options)


def report(uri: Uri, **options: Any) -> Report:
    """The page of a target with its bytes in it, to be kept or passed on. `max_size="100K"` bounds the bytes that it holds."""
    return Report(_made("page", uri, "output", "page.html", options))


def _write(path: Uri, text: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _made(name: str, uri: Uri, option: str, file: str, options: Mapping[str, Any]) -> str:
    """What a command writes into a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, file)
        with _running(name, [uri], {**options, option: path}) as (out, finish):
            out.read()
            errors = finish()
        if not os.path.exists(path):
            raise _first(errors)
        with open(path, encoding="utf-8", newline="") as made:
            return made.read()


def _rows(name: str, uri: Uri, options: Mapping[str, Any]) -> list[Document]:
    with _running(name, [uri], {**options, "format": "ndjson"}) as (out, finish):
        rows = [json.loads(line) for line in out]
        _raise_or_warn(finish(), options)
    return rows


def _table(name: str, uri: Uri, options: Mapping[str, Any]) -> pyarrow.Table:
    try:
        import pyarrow.ipc
    except ImportError as error:
        raise ImportError("a table needs pyarrow: pip install 'tiledb-inspect[arrow]'; as_dicts=True does without") from error
    table = None
    with _running(name, [uri], {**options, "format": "arrow"}) as (out, finish):
        try:
            with pyarrow.ipc.open_stream(out) as stream:
                table = stream.read_all()
        except (pyarrow.ArrowInvalid, OSError) as error:
            # If the program finds a fault, it ends the stream early and says why.
            _raise_or_warn(finish(), {})
            raise InspectError("CRASH", str(error)) from error
        _raise_or_warn(finish(), options)
    return table


def _first(errors: list[InspectError]) -> InspectError:
    return errors[0] if errors else InspectError("CRASH", "expected a document, found none")


def _raise_or_warn(errors: list[InspectError], options: Mapping[str, Any]) -> None:
    for error in errors:
        if not options.get("keep_going"):
            raise error
        warnings.warn(str(error), InspectWarning, stacklevel=4)


def _call(name: str, targets: Sequence[Uri], options: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment with which the program runs."""
    args = [*command(), name, "--quiet", *_arguments(options), "--", *(os.fspath(target) for target in targets)]
    env = {**os.environ, "TILEDB_INSPECT_ERRORS": "json"}
    key = options.get("key")
    if key is not None:
        env["TILEDB_INSPECT_KEY"] = key.hex() if isinstance(key, bytes) else key
    return args, env


@contextmanager
def _running(name: str, targets: Sequence[Uri], options: Mapping[str, Any]) -> Iterator[tuple[IO[bytes], Any]]:
    """Runs the program. Gives its output, and a function that waits for its end and returns its errors."""
    args, env = _call(name, targets, options)
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=env)
        assert process.stdout is not None
        out = process.stdout

        def finish() -> list[InspectError]:
            # The program cannot end while its output is not read.
            while not out.closed and out.read(65536):
                pass
            code = process.wait()
            stderr.seek(0)
            return _errors(stderr.read().decode(errors="replace"), code)

        try:
            yield out, finish
        finally:
            out.close()
            process.kill()
            process.wait()


def _errors(text: str, exit_code: int) -> list[InspectError]:
    lines = text.splitlines()
    found = [json.loads(line)["error"] for line in lines if line.startswith('{"error":')]
    if not found and exit_code not in (0, 1, 3):
        found = [{"code": "CRASH", "message": text.strip() or f"the program ended with {exit_code}"}]
    return [InspectError(**one, exit_code=exit_code) for one in found]


def _arguments(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if value is None or value is False or name == "key":
            continue
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif isinstance(value, Mapping):
            for of, one in value.items():
                for part in one if isinstance(one, list) else [one]:
                    yield f"{option}={of}={_range(part) if name == 'range' else part}"
        else:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                yield f"{option}={_time(one, 'milliseconds')}"


def _range(value: Any) -> str:
    if not isinstance(value, tuple):
        return _bound(value)
    low, high = ("" if end is None else _bound(end) for end in value)
    return f"{low}..{high}"


def _bound(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(float(value)) if isinstance(value, float) else _time(value)


def _time(value: Any, unit: str = "auto") -> str:
    """The text of a value. A datetime is given in UTC, and what is below `unit` is cut off."""
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec=unit)
    return str(value)
