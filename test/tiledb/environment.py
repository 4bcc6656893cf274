"""The virtual environment of these tests. It has pinned packages from PyPI, and stays in build/tiledb/ for the next run."""
import os
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
# random_arrays.py also keeps its own environment and the wheels of releases here.
WORK = ROOT / "build" / "tiledb"
FOLDER = WORK / "reader"
PACKAGES = ["tiledb==0.36.1", "numpy==2.4.6", "pandas==2.3.3", "pyarrow==26.0.1", "moto[server]==5.2.5"]


def python():
    """The interpreter of the environment. Makes the environment if it is missing or has other packages."""
    found = FOLDER / "bin" / "python"
    stamp = FOLDER / "packages.txt"
    if not stamp.exists() or stamp.read_text().split() != PACKAGES:
        print("making a virtual environment with " + ", ".join(PACKAGES), flush=True)
        venv.create(FOLDER, with_pip=True, clear=True)
        subprocess.run([found, "-m", "pip", "install", "-q", "--only-binary=:all:"] + PACKAGES, check=True)
        stamp.write_text("\n".join(PACKAGES) + "\n")
    return found


def enter():
    """Starts this program again in the environment, unless it already runs there."""
    if pathlib.Path(sys.prefix).resolve() != FOLDER.resolve():
        sys.stdout.flush()
        interpreter = str(python())
        os.execv(interpreter, [interpreter, "-B"] + sys.argv)


if __name__ == "__main__":
    python()
