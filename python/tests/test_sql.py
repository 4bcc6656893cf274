"""The questions of docs/sql.md have the answers that stand below them."""

import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
CALLS = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1).splitlines()
QUESTIONS = re.findall(r"^## ([^\n]*)\n.*?```sql\n(.*?)\n```\n\n```text\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    duckdb = pytest.importorskip("duckdb")
    folder = tmp_path_factory.mktemp("sql")
    (folder / "examples").symlink_to(ROOT / "examples")
    for call in CALLS:
        command, *args = shlex.split(call)
        assert command == "tiledb-inspect"
        ran = subprocess.run([sys.executable, "-m", "tiledb_inspect", *args], cwd=folder, capture_output=True)
        assert ran.returncode == 0, ran.stderr.decode()
    connection = duckdb.connect()
    connection.execute("SET file_search_path = '%s'" % folder)
    return connection


def listed(found):
    lines = [[column[0] for column in found.description], *found.fetchall()]
    return "".join("|".join("" if value is None else str(value) for value in line) + "\n" for line in lines)


def test_every_question_of_the_page_is_asked():
    assert len(QUESTIONS) == PAGE.count("```sql\n") == 10
    assert all("\n" not in sql for _, sql, _ in QUESTIONS)


@pytest.mark.parametrize("sql, answer", [pytest.param(sql, answer, id=question) for question, sql, answer in QUESTIONS])
def test_the_answer_is_the_one_that_stands_below(database, sql, answer):
    assert listed(database.execute(sql)) == answer
