"""
Long calls on a terminal, which Python makes: Ctrl-C, Ctrl-Z and signals work, the terminal is as before, nothing is left behind,
and the progress line names a total.

    python3 test/terminal/terminal.py 'node bin/tiledb-inspect.js'
"""

import fcntl
import glob
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

CLI = shlex.split(sys.argv[1])
# Seconds in which a call has to end once it is interrupted, and seconds in which it has to draw its progress. The machine may be busy.
MOST = 3.0
DRAWS = 30.0
# Words of every progress line, and of a result.
PROGRESS = re.compile(rb"reading a sample|trying|checking|reading cells|recovering|writing|no findings")
TOTAL = re.compile(rb"trying filters: [\d.]+ \w+ of [\d.]+ \w+ \(\d+ %\), [\d.]+ \w+/s, \d+ \w+ left")
CONTROL = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")
faults = []


def expect(what, is_right, found=""):
    if not is_right:
        faults.append("%s %s" % (what, found))


def below_shell():
    """Goes on in a child, as a shell starts a call. The kernel stops no call without a shell. The parent says when it was stopped, and continues it."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        return
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if os.WIFSIGNALED(status):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
            os.kill(os.getpid(), os.WTERMSIG(status))
        if os.WIFEXITED(status):
            os._exit(os.WEXITSTATUS(status))
        os.write(1, b"<stopped>")
        time.sleep(0.5)
        os.killpg(child, signal.SIGCONT)


class Terminal:
    """A call on a terminal of its own."""

    def __init__(self, args, columns=100, rows=40, shell=False, **env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm-256color", "NO_PAGER": "1", **env})
            os.environ.pop("CI", None)
            # The size is set before the program asks for it.
            time.sleep(0.2)
            if shell:
                below_shell()
            os.execvp(CLI[0], CLI + args)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(self.fd)
        self.output = b""
        self.status = None

    def read(self, seconds, until=lambda: False):
        """Reads what the call writes, until it has ended, `until` holds or the time is over. Returns the seconds that it took."""
        start = time.time()
        while self.status is None and time.time() - start < seconds and not until():
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    self.output += os.read(self.fd, 65536)
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return time.time() - start

    def draw(self, start=0):
        """Reads until the call has drawn its progress, and goes on for a moment. @param start bytes of output before it"""
        self.read(DRAWS, lambda: PROGRESS.search(CONTROL.sub(b"", self.output[start:])))
        self.read(1)

    def expect_ended(self, name, by):
        took = self.read(30)
        expect(name + ": ended late,", took < MOST, "after %.1f s" % took)
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        expect(name + ": ended otherwise,", self.status is not None and os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == by, "%s %s" % (self.status, self.output[-500:]))
        expect(name + ": the terminal's settings have changed", termios.tcgetattr(self.fd)[:4] == self.before[:4])
        expect(name + ": the cursor stays hidden", self.output.count(b"\x1b[?25l") <= self.output.count(b"\x1b[?25h"))

    def text(self):
        return CONTROL.sub(b"", self.output)


def expect_pager(args, is_working, key):
    """If Ctrl-C stops work, the user still reads what was found: a key ends the pager. It gives the terminal back. If all is there, Ctrl-C ends it."""
    pager = Terminal(args, NO_PAGER="", PAGER="less", LESS="")
    pager.read(DRAWS, lambda: b"\x1b[?1049h" in pager.output or b"\x1b[7m" in pager.output or b"\n:" in pager.output)
    pager.read(1)
    os.write(pager.fd, b"\x03")
    pager.read(2)
    expect(args[0] + " in a pager: the first Ctrl-C ends it", (pager.status is None) == is_working, pager.output[-300:])
    if is_working:
        os.write(pager.fd, key)
        pager.read(MOST + 2)
    expect("%s in a pager: %s does not end it" % (args[0], key), pager.status is not None)
    if pager.status is None:
        os.kill(pager.pid, signal.SIGKILL)
        os.waitpid(pager.pid, 0)
    expect(args[0] + " in a pager: the terminal's settings have changed", termios.tcgetattr(pager.fd)[:4] == pager.before[:4])
    expect(args[0] + " in a pager: the cursor stays hidden", pager.output.count(b"\x1b[?25l") <= pager.output.count(b"\x1b[?25h"))


def main():
    folder = tempfile.mkdtemp(prefix="terminal")
    array, out = folder + "/array", folder + "/out"
    os.mkdir(out)
    subprocess.run(CLI + ["write-sample", array, "--cells", "400000", "--capacity", "5000", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    # Each target of a call is read on its own.
    long = ["whatif", array, "--sample", "all"]
    calls = [
        (long, "^C"),
        (long, signal.SIGTERM),
        (long, signal.SIGHUP),
        (["check", "--level", "cells", *[array] * 100], "^C"),
        (["read", *[array] * 100, "--format", "csv", "-o", out + "/cells.csv"], "^C"),
        (["recover", array, "--to", out + "/new"], signal.SIGTERM),
        (["write-sample", out + "/sample", "--cells", "20000000", "--fragments", "100"], "^C"),
    ]
    for args, act in calls:
        call = Terminal(args)
        call.draw()
        name = "%s, %s" % (args[0], act)
        if call.status is not None:
            expect(name + ": ended by itself before", args[0] == "recover", call.output[-300:])
            shutil.rmtree(out)
            os.mkdir(out)
            continue
        if act == "^C":
            os.write(call.fd, b"\x03")
        else:
            os.kill(call.pid, act)
        call.expect_ended(name, signal.SIGINT if act == "^C" else act)
        expect(name + ": left", os.listdir(out) == [], os.listdir(out))
    stopped_calls = [
        long,
        ["check", "--level", "cells", *[array] * 100],
        ["read", *[array] * 100, "--format", "csv", "-o", out + "/cells.csv"],
        ["write-sample", out + "/sample", "--cells", "20000000", "--fragments", "100"],
    ]
    for args in stopped_calls:
        stopped, name = Terminal(args, shell=True), "%s, Ctrl-Z" % args[0]
        stopped.draw()
        os.write(stopped.fd, b"\x1a")
        stopped.read(DRAWS, lambda: b"<stopped>" in stopped.output)
        # The user is in the shell.
        expect(name + ": the terminal's settings have changed", termios.tcgetattr(stopped.fd)[:4] == stopped.before[:4])
        expect(name + ": the cursor is hidden", stopped.output.count(b"\x1b[?25l") <= stopped.output.count(b"\x1b[?25h"))
        stopped.draw(len(stopped.output))
        drawn = stopped.output.split(b"<stopped>")
        expect(name + " does not stop", len(drawn) == 2)
        expect(name + ": no progress after it", PROGRESS.search(drawn[-1]), drawn[-1][-300:])
        if args == long:
            stopped.read(DRAWS, lambda: TOTAL.search(stopped.text()))
            expect("no total in the progress", TOTAL.search(stopped.text()), stopped.text()[-300:])
        os.write(stopped.fd, b"\x03")
        stopped.expect_ended("after " + name, signal.SIGINT)
        expect(name + ": left", os.listdir(out) == [], os.listdir(out))
    fragment = array + "/__fragments/" + sorted(os.listdir(array + "/__fragments"))[0]
    cells = ["decode", fragment, "--format", "csv"]
    dump = ["dump", max(glob.glob(fragment + "/*"), key=os.path.getsize)]
    in_pager = [(cells, True, b"q"), (cells, True, b"\x03"), (dump, False, b""), (["help", "json"], False, b"")]
    for args, is_working, key in in_pager:
        expect_pager(args, is_working, key)
    # A terminal that does not say its size, one that is narrow, and one without colours.
    for columns, env in ((0, {}), (30, {}), (100, {"NO_COLOR": "1"})):
        call = Terminal(long, columns, 40 if columns else 0, **env)
        call.draw()
        os.write(call.fd, b"\x03")
        call.expect_ended("%d columns" % columns, signal.SIGINT)
        expect("%d columns: too much output" % columns, len(call.output) < 50_000, len(call.output))
        expect("%d columns: no progress" % columns, PROGRESS.search(call.text()))
        if columns == 30:
            longest = max(len(part.decode()) for part in re.split(rb"[\r\n]|\x1b\[1G", call.output.replace(b"\x1b[?2026", b"\r\x1b[?2026")) for part in [CONTROL.sub(b"", part)])
            expect("30 columns: a longer line", longest <= 34, longest)
        if env:
            expect("NO_COLOR: colours", not re.search(rb"\x1b\[\d+m", call.output))
    piped = subprocess.run(CLI + ["check", "--level", "cells", *[array] * 4], capture_output=True)
    expect("progress in a pipe", piped.stderr == b"", piped.stderr)
    shutil.rmtree(folder)
    print("\n".join(faults) or "the terminal is as before after %d calls" % (len(calls) + len(stopped_calls) + len(in_pager) + 4))
    sys.exit(bool(faults))


main()
