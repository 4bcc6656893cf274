"""What callers give, such as paths, times and ranges, and its text on the command line."""

from __future__ import annotations

import base64
import datetime
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Protocol, Union

if TYPE_CHECKING:
    from .types import Binary


class NumpyScalar(Protocol):
    """A number or date of numpy."""

    @property
    def dtype(self) -> Any: ...

    def item(self) -> Any: ...


Path = Union[str, "os.PathLike[str]"]
Uri = Union[Path, "Binary"]
"""A path or URL. In documents, paths that are not UTF-8 are bytes in base64: they are taken as they come."""

Time = Union[int, str, datetime.date]
"""Milliseconds since 1970, text, or a `datetime`; one without a time zone counts as UTC."""

Times = Union[str, "tuple[Optional[Time], Optional[Time]]"]
"""A span of time. `None` is an open end."""

End = Union[str, float, datetime.date, NumpyScalar]
Range = Union[End, "tuple[Optional[End], Optional[End]]"]
Ranges = Union[str, Sequence[str], Mapping[str, Union[Range, Sequence[Range]]]]
"""`{"lat": (40, 60), "lon": (None, 0)}`: both ends are included, `None` is an open end, one value is a point, a list is a union."""

Cells = Union[str, Sequence[str], Mapping[str, End]]
"""The coordinates of a cell: `{"station": 1, "day": 7}`."""

Values = Union[str, Sequence[str], Mapping[str, Union[str, float, Sequence[str]]]]
"""Values by name, or texts such as `"name=value"`."""

_RANGES = {"range", "cell", "domain"}


def path_text(uri: Uri | int) -> str:
    """The text of a target or another argument.

    Raises:
        TypeError: it is neither a path nor a number.
    """
    if isinstance(uri, int):
        return str(uri)
    if isinstance(uri, Mapping):
        return os.fsdecode(base64.b64decode(uri["base64"]))
    return os.fspath(uri)


def arguments(options: Mapping[str, Any]) -> Iterator[str]:
    """The options as words of a command line. The key is not among them: other users see command lines."""
    for name, value in options.items():
        if value is None or value is False or name == "key":
            continue
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif isinstance(value, Mapping):
            for of, one in value.items():
                for part in one if isinstance(one, list) else [one]:
                    yield f"{option}={of}={_range(part) if name in _RANGES else part}"
        elif name == "between" and isinstance(value, tuple):
            first, last = ("" if end is None else _time(end, "milliseconds") for end in value)
            yield f"{option}={first}..{last}"
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
