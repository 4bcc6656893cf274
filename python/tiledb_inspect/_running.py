"""Runs the program, and turns its errors into exceptions."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Callable, NamedTuple

from ._program import command
from ._values import Uri, arguments, path_text

if TYPE_CHECKING:
    from .types import ErrorInfo


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
        partial: what the program gave before, in the form of the result: documents, rows or a table. None if that is nothing.
    """

    partial: Any = None

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
    """What could not be read and was left out, as `keep_going=True` asks for; or what is wrong beside a whole result."""


class Ended(NamedTuple):
    """The end of the program."""

    code: int
    errors: list[InspectError]
    text: str
    """What it said besides."""

    def crash(self) -> InspectError:
        """The error of a program that gave none."""
        return InspectError("CRASH", self.text or f"the program ended with {self.code} and gave no reason", exit_code=self.code)

    def first(self) -> InspectError:
        return self.errors[0] if self.errors else self.crash()


def call(name: str, targets: Sequence[Uri | int], options: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment with which the program runs."""
    args = [*command(), name, "--quiet", *arguments(options), "--", *(path_text(target) for target in targets)]
    env = {**os.environ, "TILEDB_INSPECT_ERRORS": "json"}
    key = options.get("key")
    if key is not None:
        env["TILEDB_INSPECT_KEY"] = key.hex() if isinstance(key, bytes) else key
    return args, env


@contextmanager
def running(name: str, targets: Sequence[Uri | int], options: Mapping[str, Any]) -> Iterator[tuple[IO[bytes], Callable[[], Ended]]]:
    """Runs the program. Gives its output, and a function that waits for its end."""
    args, env = call(name, targets, options)
    with tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=env)
        assert process.stdout is not None
        out = process.stdout

        def finish() -> Ended:
            # The program cannot end while its output is not read.
            while not out.closed and out.read(65536):
                pass
            code = process.wait()
            stderr.seek(0)
            return _ended(stderr.read().decode(errors="replace"), code)

        try:
            yield out, finish
        finally:
            out.close()
            process.kill()
            process.wait()


def raise_or_warn(ended: Ended, options: Mapping[str, Any], partial: Any = None) -> None:
    """To be called after rows or tables: they are whole only if the program says so."""
    if ended.code != 0 and not ended.errors:
        raise with_partial(ended.crash(), partial)
    for error in ended.errors:
        if not options.get("keep_going"):
            raise with_partial(error, partial)
        warn(str(error))


def with_partial(error: InspectError, partial: Any) -> InspectError:
    error.partial = partial
    return error


def warn(text: str) -> None:
    """Warns at the line that called this package."""
    depth = 1
    while sys._getframe(depth).f_globals.get("__package__") == __package__:
        depth += 1
    warnings.warn(text, InspectWarning, stacklevel=depth + 1)


def _ended(text: str, code: int) -> Ended:
    lines = text.splitlines()
    found = [_error(json.loads(line)["error"], code) for line in lines if line.startswith('{"error":')]
    more = "\n".join(line for line in lines if not line.startswith('{"error":')).strip()
    # Other codes are those of a program that was killed, or has failed itself.
    if not found and code not in (0, 1, 2, 3):
        found = [InspectError("CRASH", more or f"the program ended with {code}", exit_code=code)]
    return Ended(code, found, more)


def _error(info: ErrorInfo, code: int) -> InspectError:
    file = info.get("file")
    if isinstance(file, dict):
        file = os.fsdecode(base64.b64decode(file["base64"]))
    return InspectError(info["code"], info["message"], file, info.get("offset"), info.get("field"), code)


def error_of(info: ErrorInfo) -> InspectError:
    """The error that a document has in place of its target. Its exit code is that of its kind."""
    return _error(info, 1)
