"""Checks the reports of `check`: SARIF with Microsoft's validator and its rules for code scanning, JUnit XML with the XML Schema that
pytest uses for its own tests. The step of action.yml runs on planted damage. reports.py CLI"""
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "reports"
SARIF = "@microsoft/sarif-multitool-linux@5.7.0"
PYTEST = "pytest==8.4.2"
DAMAGES = ["FILE_SHORT", "CHECKSUM_MISMATCH", "COMMIT_DANGLING", "RTREE_CONTAINMENT", "ARRAY_UNKNOWN_ENTRY"]
CLI = [str(pathlib.Path(part).resolve()) if (ROOT / part).exists() else part for part in sys.argv[1].split()]
failures = []


def expect(what, holds, found=""):
    print(("ok      " if holds else "FAILED  ") + what, flush=True)
    if not holds:
        failures.append(what)
        print(found)


def cli(folder, *args):
    return subprocess.run(CLI + list(args), cwd=folder, capture_output=True, text=True)


def validator():
    place = WORK / "sarif"
    subprocess.run(["npm", "install", "--no-save", "--ignore-scripts", "--prefix", place, SARIF], check=True, stdout=subprocess.DEVNULL)
    tool = place / "node_modules" / "@microsoft" / "sarif-multitool-linux" / "Sarif.Multitool"
    tool.chmod(0o755)
    return tool


def junit_schema():
    """Gets the schema from the source distribution of pytest."""
    place = WORK / "junit"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "lxml==6.1.3"], check=True)
    if not list(place.glob("pytest-*.tar.gz")):
        pip = [python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", PYTEST, "-d", place]
        subprocess.run(pip, check=True)
    with tarfile.open(next(place.glob("pytest-*.tar.gz"))) as packed:
        member = next(name for name in packed.getnames() if name.endswith("/junit-10.xsd"))
        (place / "junit.xsd").write_bytes(packed.extractfile(member).read())
    return python, place / "junit.xsd"


def step_of_action():
    """The script of action.yml's step."""
    text = (ROOT / "action.yml").read_text()
    lines = text[text.index("      run: |\n") :].splitlines()[1:]
    assert all(line == "" or line.startswith(" " * 8) for line in lines)
    return "\n".join(line[8:] for line in lines)


def check_action(folder):
    (folder / "program").write_text("#!/bin/sh\nexec " + " ".join(CLI) + ' "$@"\n')
    (folder / "program").chmod(0o755)
    defaults = dict(re.findall(r"^  ([a-z-]+):\n    description: .*\n    default: (.*)$", (ROOT / "action.yml").read_text(), re.M))

    def action(**inputs):
        given = {**defaults, **{name.replace("_", "-"): value for name, value in inputs.items()}}
        env = {"INPUT_" + name.upper().replace("-", "_"): value.strip('"') for name, value in given.items()}
        env = {**env, "PATH": os.environ["PATH"], "TILEDB_INSPECT": str(folder / "program")}
        return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step_of_action()], cwd=folder, env=env, capture_output=True, text=True)

    damaged = action(paths="dam*\nwhole array\n")
    expect("action: damage fails the step", damaged.returncode == 1, damaged)
    lines = damaged.stdout.splitlines()
    files = [re.match(r"::(error|warning|notice) file=(.*),title=", line) for line in lines]
    expect("action: every annotation names a file of the repository", len(files) >= 4 and all(files), damaged.stdout)
    names = [one[2].replace("%3A", ":").replace("%2C", ",").replace("%25", "%") for one in files]
    # A dangling commit is an existing file, too.
    expect("action: these files exist", all((folder / name).exists() for name in names), names)
    whole = action(paths="whole array")
    expect("action: a whole array passes", (whole.returncode, whole.stdout) == (0, ""), whole)
    missing = action(paths="none*")
    expect("action: a missing path fails the step", missing.returncode == 3 and "NOT_FOUND" in missing.stdout, missing)
    nothing = action(paths="\n")
    expect("action: no path is wrong usage", nothing.returncode == 2, nothing)
    report = action(paths="dam*", format="sarif", output="action.sarif")
    expect("action: a report goes into a file", report.returncode == 1 and (folder / "action.sarif").exists(), report)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for code in DAMAGES:
        cli(folder, "write-sample", "damaged #" + code, "--damage", code)
    cli(folder, "write-sample", "whole array")
    targets = sorted(path.name for path in folder.iterdir()) + ["missing"]

    tool = validator()
    for what, some in [("damage", targets), ("a whole array", ["whole array"]), ("nothing", ["missing"])]:
        cli(folder, "check", *some, "--fail-on", "note", "-o", "report.sarif")
        rules = ["--rule-kind", "Sarif;Gh;Ghas", "--level", "Error;Warning;Note", "--rich-return-code"]
        ran = subprocess.run([tool, "validate", "report.sarif", *rules], cwd=folder, capture_output=True, text=True,
                             env={"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})  # fmt: skip
        # SARIF2005 requires a home page, which the project does not have.
        wrong = [line for line in ran.stdout.splitlines() if re.search(r": (error|warning) (?!SARIF2005)", line)]
        expect("SARIF of " + what, "Done. 1 files scanned." in ran.stdout and not wrong, ran)

    python, schema = junit_schema()
    validate = "import sys; from lxml import etree; etree.XMLSchema(etree.parse(sys.argv[1])).assertValid(etree.parse(sys.argv[2]))"
    for what, some in [("damage", targets), ("a whole array", ["whole array"])]:
        cli(folder, "check", *some, "--fail-on", "warning", "-o", "report.xml")
        ran = subprocess.run([python, "-c", validate, schema, "report.xml"], cwd=folder, capture_output=True, text=True)
        expect("JUnit XML of " + what, ran.returncode == 0, ran)

    check_action(folder)

print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
