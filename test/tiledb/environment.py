"""The virtual environment that these tests run in: pinned packages from PyPI, kept in build/tiledb/ for the next time."""
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Where random_arrays.py looks for its own environment and for wheels of releases, too.
WORK = ROOT / "build" / "tiledb"
FOLDER = WORK / "reader"
PACKAGES = ["tiledb==0.36.1", "numpy==2.4.6", "pandas==2.3.3", "pyarrow==26.0.1", "moto[server]==5.2.5"]


def python():
    """Its interpreter; the environment is made where it is missing or holds other packages."""
    found = FOLDER / "bin" / "python"
    stamp = FOLDER / "packages.txt"
    if not stamp.exists() or stamp.read_text().split() != PACKAGES:
        print("making a virtual environment with " + ", ".join(PACKAGES), flush=True)
        venv.create(FOLDER, with_pip=True, clear=True)
        subprocess.run([found, "-m", "pip", "install", "-q", "--only-binary=:all:"] + PACKAGES, check=True)
        stamp.write_text("\n".join(PACKAGES) + "\n")
    return found


def enter():
    """Goes on in the environment, where it is not there already."""
    if pathlib.Path(sys.prefix).resolve() != FOLDER.resolve():
        sys.stdout.flush()
        interpreter = str(python())
        os.execv(interpreter, [interpreter, "-B"] + sys.argv)
