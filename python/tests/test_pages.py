"""Programs in the documentation print what stands below them. The notebooks run."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
README = re.findall(r"```python\n(.*?)```", (ROOT / "python" / "README.md").read_text(encoding="utf-8"), re.DOTALL)


def run(program, folder):
    env = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    ran = subprocess.run([sys.executable, "-c", program], cwd=folder, env=env, capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode()


@pytest.mark.parametrize("program, printed", PROGRAMS)
def test_programs_of_docs_print_what_stands_below_them(program, printed):
    pytest.importorskip("pyarrow")
    assert len(PROGRAMS) == PAGE.count("```python\n")
    assert run(program, ROOT) == printed


@pytest.mark.parametrize("program", README)
def test_the_program_of_the_readme_runs(program):
    pytest.importorskip("pyarrow")
    run(program.replace(".to_pandas()", ""), ROOT / "examples" / "arrays")


@pytest.mark.skipif("NOTEBOOKS" not in os.environ, reason="NOTEBOOKS=1 asks for it; NOTEBOOKS=update writes new outputs")
def test_the_notebook_prints_what_it_shows():
    import nbclient
    import nbformat

    path = ROOT / "examples" / "inspect.ipynb"
    shown = nbformat.read(path, 4)
    ran = nbformat.read(path, 4)
    # Output that comes in two pieces is the same.
    client = nbclient.NotebookClient(ran, timeout=60, kernel_name="python3", coalesce_streams=True, resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    for cell in ran.cells:
        # Removes the times at which it ran.
        cell.metadata.pop("execution", None)
    if os.environ["NOTEBOOKS"] == "update":
        ran.metadata = shown.metadata
        nbformat.write(ran, path)
        shown = ran
    assert any("image/svg+xml" in output.get("data", {}) for cell in shown.cells for output in cell.get("outputs", []))
    assert [cell.get("outputs") for cell in ran.cells] == [cell.get("outputs") for cell in shown.cells]
