"""The command that the wheel installs is the program. It runs in an empty folder, without Node on the PATH."""

import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = ROOT / "examples" / "arrays" / "places"
DAMAGED = ROOT / "examples" / "damaged" / "places"
COMMAND = pathlib.Path(sys.executable).with_name("tiledb-inspect")


@pytest.fixture
def call(tmp_path):
    def called(*args, **options):
        env = {"PATH": "", "HOME": str(tmp_path)}
        return subprocess.run([COMMAND, *args], cwd=tmp_path, env=env, capture_output=True, timeout=60, **options)

    return called


def test_its_version_is_that_of_the_npm_package(call):
    assert call("--version").stdout.decode().strip() == json.loads((ROOT / "package.json").read_text())["version"]


def test_the_manual_page_is_installed():
    with gzip.open(pathlib.Path(sys.prefix) / "share/man/man1/tiledb-inspect.1.gz", "rt", encoding="utf-8") as page:
        text = page.read()
    assert "\n.TH TILEDB" in "\n" + text and "whatif" in text


def test_the_module_runs_as_the_command(tmp_path):
    ran = subprocess.run([sys.executable, "-m", "tiledb_inspect", "ls", PLACES, "--json"], cwd=tmp_path, stdout=subprocess.PIPE)
    assert json.loads(ran.stdout)["fragment_num"] == 1


@pytest.mark.parametrize(
    "args, code",
    [(["check", PLACES], 0), (["check", DAMAGED], 1), (["check", "--nonsense"], 2), (["check", "nowhere"], 3)],
)
def test_exit_codes_pass_through(call, args, code):
    assert call(*args).returncode == code


def test_standard_input_passes_through(call, tmp_path):
    rows = b"".join(b'{"x":%d,"y":%d,"a":%d}\n' % (n, n, n * n) for n in range(5))
    fields = ["--sparse", "--dim", "x:INT32:0..9:10", "--dim", "y:INT32:0..9:10", "--attr", "a:INT64"]
    assert call("write-sample", "array", *fields, "--data", "-", input=rows).returncode == 0
    assert call("read", "array", "--order", "row-major", "--format", "ndjson").stdout == rows


def test_a_closed_pipe_ends_it_quietly(tmp_path):
    with open(tmp_path / "stderr", "wb") as stderr:
        process = subprocess.Popen([COMMAND, "help"], stdout=subprocess.PIPE, stderr=stderr)
        process.stdout.read(10)
        process.stdout.close()
        process.wait(30)
    assert (tmp_path / "stderr").read_bytes() == b""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_reach_the_program(number):
    process = subprocess.Popen([COMMAND, "page", PLACES], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert b"http://" in process.stdout.readline()
    process.send_signal(number)
    assert process.wait(10) in (0, 128 + number, -number)


FILTERS = ["gzip", "zstd", "lz4", "bzip2", "rle", "double-delta", "byteshuffle", "bitshuffle", "md5", "sha256", "zstd,sha256"]


@pytest.mark.parametrize("filters", FILTERS)
def test_every_codec_is_in_the_wheel(call, filters):
    size = ["--cells", "3000", "--attr", "a:INT64", "--dim", "x:INT64:0..99999:100"]
    written = call("write-sample", "array", "--dense", "--filters", filters, *size)
    assert written.returncode == 0, written.stderr
    checked = call("check", "array", "--level", "cells", "--jobs", "2", "--json")
    assert json.loads(checked.stdout)["ok"] is True


def test_encrypted_arrays(call):
    key = "ab" * 32
    assert call("write-sample", "array", "--key", key).returncode == 0
    assert call("check", "array", "--key", key).returncode == 0
    assert call("check", "array", "--key", "cd" * 32).returncode == 3


def test_webp_is_in_the_wheel(call, tmp_path):
    dims = ["--dim", "y:INT32:0..31:32", "--dim", "x:INT32:0..95:96"]
    written = call("write-sample", "array", "--dense", *dims, "--attr", "a:UINT8", "--filters", "webp:lossless=true:format=RGB", "--cells", "3072")
    assert written.returncode == 0, written.stderr
    assert call("check", "array", "--level", "cells").returncode == 0


def test_a_page_is_written(call, tmp_path):
    assert call("page", PLACES, "-o", "places.html").returncode == 0
    assert (tmp_path / "places.html").stat().st_size > 100_000


def test_arrow_files_are_read(call, tmp_path):
    assert call("read", PLACES, "-o", "places.arrow").returncode == 0
    schema = call("schema", PLACES, "--json").stdout
    (tmp_path / "schema.json").write_bytes(schema)
    assert call("write-sample", "again", "--schema", "schema.json", "--data", "places.arrow").returncode == 0
    pick = ["read", "--format", "ndjson", "--order", "row-major"]
    assert call(*pick, "again").stdout == call(*pick, PLACES).stdout != b""
