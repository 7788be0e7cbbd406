# SPDX-License-Identifier: GPL-2.0-or-later
"""A terminal in which programs run: what is on its screen, and keys for it.

It knows what a vt100 does for curses: the cursor, erasing, reversed lines, and a
region that scrolls.  Colours and all else that other terminals have are kept as bytes
(raw)."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 20  # seconds, on a machine that is busy


class Screen:
    """The cells of a terminal."""

    def __init__(self, columns, rows):
        self.rest = ""
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.x = self.y = 0
        self.top, self.bottom = 0, rows - 1

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]

    def scroll_back(self):
        del self.cells[self.bottom]
        self.cells.insert(self.top, [" "] * self.columns)

    def scroll(self):
        del self.cells[self.top]
        self.cells.insert(self.bottom, [" "] * self.columns)

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] != "\033":
                self.put(text[at])
                at += 1
                continue
            found = re.compile(
                r"\033(?:\[([0-9;?]*)([@-~])|\][^\a]*\a|[()][0-9A-B]|[=>78DMHc])"
            ).match(text, at)
            if not found:
                self.rest = text[at:]
                return
            if found.group(2):
                self.control(found.group(1), found.group(2))
            elif found.group(0) == "\033M":
                if self.y == self.top:
                    self.scroll_back()
                else:
                    self.y = max(self.y - 1, 0)
            elif found.group(0) == "\033D":
                self.put("\n")
            at = found.end()

    def put(self, character):
        if character == "\r":
            self.x = 0
        elif character == "\n":
            if self.y == self.bottom:
                self.scroll()
            else:
                self.y = min(self.y + 1, self.rows - 1)
        elif character == "\b":
            self.x = max(self.x - 1, 0)
        elif character == "\t":
            self.x = min((self.x // 8 + 1) * 8, self.columns - 1)
        elif character >= " ":
            if self.x == self.columns:
                self.x = 0
                self.put("\n")
            self.cells[self.y][self.x] = character
            self.x += 1

    def control(self, numbers, what):
        given = [int(n) if n.isdigit() else 0 for n in numbers.split(";")]
        count = given[0] or 1
        row = self.cells[self.y]
        x = min(self.x, self.columns - 1)
        if what == "H":
            self.y = min(count, self.rows) - 1
            self.x = min((given + [0])[1] or 1, self.columns) - 1
        elif what == "J":
            begin = 0 if given[0] == 2 else self.y + 1
            for y in range(begin, self.rows):
                self.cells[y] = [" "] * self.columns
            if given[0] != 2:
                row[x:] = [" "] * (self.columns - x)
        elif what == "K":
            if given[0] == 1:
                row[: x + 1] = [" "] * (x + 1)
            else:
                row[x:] = [" "] * (self.columns - x)
        elif what == "A":
            self.y = max(self.y - count, 0)
        elif what == "B":
            self.y = min(self.y + count, self.rows - 1)
        elif what == "C":
            self.x = min(x + count, self.columns - 1)
        elif what == "D":
            self.x = max(x - count, 0)
        elif what == "r":
            self.top = count - 1
            self.bottom = ((given + [0])[1] or self.rows) - 1
            self.x = self.y = 0


class Terminal:
    """A program that runs on a terminal of its own."""

    def __init__(self, command, columns=80, rows=24, **environment):
        self.screen = Screen(columns, rows)
        self.raw = b""
        self.status = None
        self.ours, self.its = pty.openpty()
        self.resize(columns, rows, signal_it=False)
        self.before = termios.tcgetattr(self.its)
        base = {k: v for k, v in os.environ.items()
                if k not in ("COLUMNS", "LINES", "NO_COLOR")}
        base.update(TERM="vt100", LC_ALL="C.UTF-8", PAGER="cat")
        base.update(environment)
        self.process = os.fork()
        if not self.process:
            os.setsid()
            fcntl.ioctl(self.its, termios.TIOCSCTTY, 0)
            for handle in range(3):
                os.dup2(self.its, handle)
            os.execvpe(command[0], command, base)

    def resize(self, columns, rows, signal_it=True):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(columns, rows)
        if signal_it:
            os.kill(self.process, signal.SIGWINCH)

    def look(self, seconds):
        """Takes what the program writes, if it does."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        self.raw += (data := os.read(self.ours, 65536))
        self.pending = getattr(self, "pending", b"") + data
        text = self.pending.decode("utf-8", "ignore")
        whole = len(text.encode())
        left = self.pending[whole:] if len(self.pending) - whole < 4 else b""
        self.pending = left
        self.screen.feed(text)
        return True

    def until(self, holds):
        """Whether something holds before long."""
        end = time.monotonic() + PATIENCE
        while not holds():
            left = end - time.monotonic()
            if left <= 0 or self.ended():
                while self.look(0):
                    pass
                return holds()
            self.look(min(left, 0.1))
        return True

    def wait(self, wanted):
        """Whether a line matches before long."""
        return self.until(lambda: self.shows(wanted))

    def shows(self, wanted):
        return any(re.search(wanted, line) for line in self.screen.lines())

    def keys(self, keys):
        os.write(self.ours, keys.encode())

    def ended(self):
        if self.status is None:
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def finish(self):
        """The program's status, once it has ended, and all that it wrote."""
        end = time.monotonic() + PATIENCE
        while not self.ended() and time.monotonic() < end:
            self.look(0.1)
        while self.look(0):
            pass
        if not self.ended():
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        return self.status

    def is_as_before(self):
        return termios.tcgetattr(self.its) == self.before

    def close(self):
        os.close(self.ours)
        os.close(self.its)


class Tap:
    """Cases, as TAP."""

    def __init__(self):
        self.count = 0
        self.failed = False

    def case(self, name, good, terminal=None):
        self.count += 1
        print(("" if good else "not ") + f"ok {self.count} - {name}")
        if good:
            return
        self.failed = True
        if terminal:
            for line in terminal.screen.lines():
                print("# |" + line.encode("ascii", "backslashreplace").decode())

    def end(self):
        print(f"1..{self.count}")
        sys.exit(self.failed)
