"""What is really on disk in TileDB arrays: the program `tiledb-inspect`, and what it finds as dicts, tables and pictures.

    >>> import tiledb_inspect as ti
    >>> [fragment["cell_num"] for fragment in ti.fragments("examples/arrays/places")]
    [40]

The module with the functions is loaded when one of them is first used, because the command does not need it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._commands import document, documents
    from ._documents import (
        InspectError,
        InspectWarning,
        Page,
        Report,
        Svg,
        cells,
        check,
        explain,
        fragments,
        group,
        map,
        page,
        read,
        report,
        run,
        schema,
        tiles,
    )
    from ._many import Dataset, dataset, sweep

__all__ = [
    "Dataset",
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
    "group",
    "map",
    "page",
    "read",
    "report",
    "run",
    "schema",
    "sweep",
    "tiles",
]

_HOMES = {"document": "_commands", "documents": "_commands", "Dataset": "_many", "dataset": "_many", "sweep": "_many"}
"""The modules of what is not in `_documents`."""


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module("." + _HOMES.get(name, "_documents"), __name__), name)

    def __dir__() -> list[str]:
        return __all__
