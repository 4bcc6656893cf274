"""The page in a notebook asks through the kernel. A browser shows it in test/jupyter."""

import base64
import json
import pathlib
import queue
import signal
import subprocess
import sys
import time
from urllib.parse import quote

import pytest

import tiledb_inspect as ti
from tiledb_inspect import _page

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACES = ROOT / "examples" / "arrays" / "places"
FOLDER = "/places/__schema"


def asking(page):
    """A function that asks as the page does, and waits for the answer."""
    answers = queue.Queue()

    def ask(path, range=None, name="frame 1"):
        page._answers.ask({"id": name, "path": path, "range": range}, lambda *answer: answers.put(answer))
        return answers.get(timeout=60)

    return ask


def of(what, path):
    return f"{what}?{quote(json.dumps(path), safe='')}"


@pytest.fixture
def page():
    with_program = ti.page(PLACES)
    yield with_program
    with_program.close()


def test_the_page_and_what_it_asks_for(page):
    ask = asking(page)
    head, html = ask("")
    assert head["status"] == 200 and html.startswith(b"<!doctype html>") and b"connect-src 'none'" in html
    listed, entries = ask(of("list", FOLDER))
    [name] = [one["name"] for one in json.loads(entries)["entries"]]
    assert listed == {"id": "frame 1", "status": 200, "headers": {"content-type": "application/json"}}
    whole = (PLACES / "__schema" / name).read_bytes()
    head, part = ask(of("file", f"{FOLDER}/{name}"), "bytes=3-9")
    assert (head["status"], part) == (206, whole[3:10])
    assert head["headers"]["content-range"] == f"bytes 3-9/{len(whole)}"


@pytest.mark.parametrize("path", ["/places/../weather", "/weather", "/places//__schema", "", "/", "/etc/passwd", "/places/./__schema"])
def test_nothing_outside_of_the_target_is_read(page, path):
    for what in ("list", "file"):
        head, body = asking(page)(of(what, path))
        assert (head["status"], body) == (403, b"")


def test_links_that_lead_out_are_not_followed(tmp_path):
    array = tmp_path / "array"
    assert ti.run(["write-sample", str(array), "--cells", "10"]).returncode == 0
    (tmp_path / "secret").write_text("no")
    (array / "out").symlink_to(tmp_path)
    page = ti.page(array)
    head, body = asking(page)(of("file", "/array/out/secret"), "bytes=0-1")
    page.close()
    assert (head["status"], body) == (403, b"")


def test_what_is_no_question_is_not_asked():
    for content in (None, 7, {}, {"id": 1, "path": ""}, {"id": "a"}, {"path": "list"}, {"ends": "page"}):
        assert _page.asked(content) is None
    assert _page.asked({"id": "a", "path": "", "range": 7, "more": 1}) == {"id": "a", "path": "", "range": None}


def test_many_questions_at_once_get_their_own_answers(page):
    answers = queue.Queue()
    names = [f"frame {number}" for number in range(50)]
    for name in names:
        page._answers.ask({"id": name, "path": of("list", FOLDER)}, lambda head, _: answers.put(head["id"]))
    assert sorted(answers.get(timeout=60) for _ in names) == sorted(names)


def test_a_page_that_was_closed_reads_again(page):
    ask = asking(page)
    process = lambda: page._answers._process
    first = ask("") and process()
    page.close()
    assert process() is None and first.wait(30) == 0
    assert ask("")[0]["status"] == 200 and process() is not first


def test_why_the_program_ended_is_told(tmp_path):
    array = tmp_path / "array"
    assert ti.run(["write-sample", str(array), "--cells", "10"]).returncode == 0
    page = ti.page(array)
    array.rename(tmp_path / "moved")
    head, _ = asking(page)("")
    assert head["status"] == 500 and "no such file or folder" in head["error"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_program_ends_with_the_kernel():
    code = f"""if True:
        import os, signal, time, tiledb_inspect as ti
        page = ti.page({str(PLACES)!r})
        page._answers.ask({{"id": "a", "path": ""}}, lambda *_: (print(page._answers._process.pid, flush=True), os.kill(os.getpid(), signal.SIGKILL)))
        time.sleep(60)
    """
    ran = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=120)
    assert ran.returncode == -signal.SIGKILL
    process = pathlib.Path("/proc", ran.stdout.decode().strip())
    until = time.monotonic() + 60
    while process.exists() and "(zombie)" not in (process / "status").read_text():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_key_reaches_the_page_and_no_argument(tmp_path):
    key = bytes(range(32))
    assert ti.run(["write-sample", str(tmp_path / "array"), "--key", key.hex(), "--cells", "10"]).returncode == 0
    page = ti.page(tmp_path / "array", key=key)
    assert not any(key.hex() in word for word in page._answers._args)
    head, html = asking(page)("")
    page.close()
    [_, data] = html.decode().split('id="data">', 1)
    assert json.loads(base64.b64decode(data.split("<", 1)[0]))["key"] == key.hex()
    assert key.hex() not in json.dumps(page._bundle)


def test_a_saved_notebook_has_the_overview(page):
    text = ti.run(["overview", str(PLACES), "--quiet"]).stdout.decode()
    assert page._bundle["text/plain"].startswith(text) and "run this cell" in page._bundle["text/plain"]
    assert "<pre>" in page._bundle["text/html"] and page._name in page._bundle["text/html"]


def test_showing_it_needs_anywidget(page, monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'tiledb-inspect\[jupyter\]'"):
        page.widget


def test_the_widget_hands_questions_and_answers_on(page):
    pytest.importorskip("anywidget")
    sent = queue.Queue()
    widget = page.widget
    widget.send = lambda content, buffers: sent.put((content, buffers))
    assert (widget.height, widget.summary) == (720, page._name) and "showFrame" not in repr(widget)
    widget._handle_custom_msg({"id": "a 1", "path": of("list", FOLDER)}, [])
    content, [body] = sent.get(timeout=60)
    assert (content["id"], content["status"], json.loads(body)["kind"]) == ("a 1", 200, "folder")
    widget._handle_custom_msg({"ends": "page"}, [])
    assert page._answers._process is None


def test_a_page_is_a_report_if_it_is_saved(page, tmp_path):
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    assert page.html.startswith("<!doctype html>")
