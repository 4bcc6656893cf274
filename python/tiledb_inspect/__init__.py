"""What is really on disk in TileDB arrays: the program `tiledb-inspect`, and what it finds as dicts, tables and pictures.

    >>> import tiledb_inspect as ti
    >>> [fragment["cell_num"] for fragment in ti.fragments("examples/arrays/places")]
    [40]

The module with the functions is loaded when one of them is first used, because the command does not need it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._documents import (
        InspectError,
        InspectWarning,
        Page,
        Report,
        Svg,
        cells,
        check,
        dataset,
        document,
        documents,
        explain,
        fragments,
        map,
        page,
        read,
        report,
        run,
        schema,
        tiles,
    )

__all__ = [
    "InspectError",
    "InspectWarning",
    "Page",
    "Report",
    "Svg",
    "cells",
    "check",
    "dataset",
    "document",
    "documents",
    "explain",
    "fragments",
    "map",
    "page",
    "read",
    "report",
    "run",
    "schema",
    "tiles",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import _documents

        return getattr(_documents, name)

    def __dir__() -> list[str]:
        return __all__
