"""The page in a notebook: a frame whose questions go through the kernel to the program, which has the bytes. No port is opened.

The page asks the notebook, which asks the kernel by messages of its widget, which asks `tiledb-inspect page --stdio`: src/node/page-stdio.ts
has the form of questions and answers, and refuses what is outside of the target.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

Question = Mapping[str, Any]
"""`id`, `path`, `range`."""
Answered = Callable[[dict[str, Any], bytes], None]
"""Called with the head of an answer (`id`, `status`, `headers`, `error`) and its bytes. Not in the thread that asked."""

IDLE = 600.0
"""Seconds without a question after which the program ends. It begins again with the next question."""


class Answers:
    """Asks the program. It runs while it is asked, and ends with the kernel at the latest, because its input ends then."""

    def __init__(self, args: Sequence[str], env: Mapping[str, str]) -> None:
        self._args = args
        self._env = env
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: dict[str, Answered] = {}
        self._timer: threading.Timer | None = None

    def ask(self, question: Question, answered: Answered) -> None:
        line = json.dumps(question, ensure_ascii=True).encode() + b"\n"
        with self._lock:
            if self._process is None:
                self._process = self._begin()
            self._waiting[question["id"]] = answered
            self._restart_timer()
            try:
                stdin = self._process.stdin
                assert stdin is not None
                stdin.write(line)
                stdin.flush()
            except OSError:
                # It has ended: the thread that reads its answers says why.
                pass

    def end(self, if_idle: bool = False) -> None:
        """Ends the program. @param if_idle only if nobody waits for an answer"""
        with self._lock:
            process = self._process
            if process is None or (if_idle and self._waiting):
                return
            self._process = None
            if self._timer is not None:
                self._timer.cancel()
        assert process.stdin is not None
        try:
            process.stdin.close()
        except OSError:
            pass

    def _begin(self) -> subprocess.Popen[bytes]:
        errors = tempfile.TemporaryFile()
        # In a session of its own, because who interrupts a cell interrupts all processes of the kernel's.
        process = subprocess.Popen(
            self._args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=self._env, start_new_session=True
        )
        threading.Thread(target=self._take, args=(process, errors), daemon=True).start()
        return process

    def _restart_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(IDLE, self.end, [True])
        self._timer.daemon = True
        self._timer.start()

    def _take(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        """Gives each answer to who asked. At the program's end, the others get its last words."""
        out = process.stdout
        assert out is not None
        with out, errors:
            for line in out:
                head = json.loads(line)
                body = out.read(head.pop("length"))
                with self._lock:
                    answered = self._waiting.pop(head["id"], None)
                if answered is not None:
                    answered(head, body)
            process.wait()
            errors.seek(0)
            said = _words(errors.read().decode(errors="replace")) or f"the program ended with {process.returncode}"
        with self._lock:
            if self._process is not process:
                # It was told to end, and perhaps another runs now, which has the questions.
                return
            self._process = None
            left, self._waiting = self._waiting, {}
        for name, answered in left.items():
            answered({"id": name, "status": 500, "headers": {}, "error": said}, b"")


def _words(stderr: str) -> str:
    """The messages in what the program wrote to stderr."""
    words = []
    for line in stderr.splitlines():
        try:
            error = json.loads(line)["error"]
            words.append(": ".join(filter(None, (error.get("file"), error["message"]))))
        except (ValueError, KeyError, TypeError):
            words.append(line)
    return "\n".join(words)


def asked(content: Any) -> Question | None:
    """A message of the page as a question. What else a page may send is none."""
    if not isinstance(content, dict) or not isinstance(content.get("id"), str) or not isinstance(content.get("path"), str):
        return None
    range_ = content.get("range")
    return {"id": content["id"], "path": content["path"], "range": range_ if isinstance(range_, str) else None}


def widget(answers: Answers, height: int, summary: str) -> Any:
    """The widget of anywidget that shows the page. @param summary names the output that it hides

    Raises:
        ImportError: anywidget is not installed.
    """
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise ImportError(
            "a page in a notebook needs anywidget: pip install 'tiledb-inspect[jupyter]'; report() does without"
        ) from error

    class PageWidget(anywidget.AnyWidget):
        _esm = _script()
        height = traitlets.Int().tag(sync=True)
        summary = traitlets.Unicode().tag(sync=True)

        def __repr__(self) -> str:
            return "a page, which needs a kernel: run this cell"

    shown = PageWidget(height=height, summary=summary)

    def received(_: object, content: Any, __: object) -> None:
        question = asked(content)
        if question is not None:
            answers.ask(question, lambda head, body: shown.send(head, [body]))
        elif isinstance(content, dict) and content.get("ends") == "page":
            answers.end(if_idle=True)

    shown.on_msg(received)
    return shown


def _script() -> str:
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "program", "dist", "page", "widget.js"), encoding="utf-8") as file:
        return file.read()
