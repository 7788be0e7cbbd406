# SPDX-License-Identifier: GPL-2.0-or-later
"""xenopreport --browse on a terminal: each key, sizes, colours, hostile names, and its
end.  Figures are those of the report that `y` names.

  browse-keys.py XENOPREPORT SESSION HOSTILE-SESSION SESSION-WITH-A-VERDICT LONG-SESSION"""
import importlib.util
import os
import re
import shlex
import signal
import subprocess
import sys
import time

spec = importlib.util.spec_from_file_location(
    "terminal", os.path.join(os.path.dirname(__file__), "browse-terminal.py"))
kit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kit)

program, session, hostile, verdict, long = sys.argv[1:6]
tap = kit.Tap()


def browse(*options, size=(80, 24), path=session, **environment):
    return kit.Terminal([program, f"--session={path}", "--browse", *options],
                        *size, **environment)


def report(*options):
    done = subprocess.run([program, f"--session={session}", *options], check=False,
                          stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout.decode()


def figures(lines):
    """What stands in the columns of a tree, and the names, without marks and lines."""
    rows = []
    for line in lines:
        if re.match(r" *\d+\.\d\d%| {20,}\w+ +\S", line):
            plain = re.sub(r"[▸▾├└│]|\(\d+ more\)|\(\d+ branch.*", " ", line[:200])
            rows.append(" ".join(plain.split()))
    return [row for row in rows if row]


def quit_well(terminal, name, keys="q"):
    terminal.keys(keys)
    status = terminal.finish()
    tap.case(name, status == 0 and terminal.is_as_before(), terminal)
    terminal.close()


def step(terminal, name, keys, wanted):
    terminal.keys(keys)
    tap.case(name, terminal.wait(wanted), terminal)


def first_screen():
    begun = time.monotonic()
    terminal = browse()
    tap.case("it opens with the tree", terminal.wait("q quit") and
             terminal.wait(r"copy_to_guest_ll$"), terminal)
    took = time.monotonic() - begun
    tap.case(f"in {took:.2f} s, less than 2 on any machine", took < 2)
    tap.case("the verdict is on top",
             re.match("session .*closed", terminal.screen.lines()[0]), terminal)
    tap.case("domains have a bar", terminal.shows(r"36\.15%  █+▒+░ .*web server \(1\)"),
             terminal)
    tap.case("idle time is folded", terminal.shows(r"▸ idle  \(1 more\)"), terminal)
    tap.case("the last lines have the selection and keys",
             terminal.shows("--callgraph  all of the session") and
             terminal.shows(r"\? help  q quit"), terminal)
    return terminal


def moves(terminal):
    step(terminal, "Down and Up", "jj\033OBk", r" 3/21$")
    step(terminal, "Enter folds", "\r", r"▸ main \[webd\]  \(\d+ more\)")
    step(terminal, "Enter unfolds", "\r", r"copy_to_guest_ll$")
    step(terminal, "Space folds", " ", r"▸ main \[webd\]")
    step(terminal, "Right unfolds", "\033OC", r"▾ main \[webd\]")
    step(terminal, "Left folds", "\033OD", r"▸ main \[webd\]")
    step(terminal, "Left again leads to what it is part of", "h", r" 2/\d+$")
    step(terminal, "E folds all", "E", r"▸ web server \(1\)  \(\d+ more\)")
    step(terminal, "e unfolds all", "e", r"▾ vfs_read")
    step(terminal, "End", "G", r" (\d+)/\1$")
    step(terminal, "Home", "g", r" 1/\d+$")
    step(terminal, "^F is a screen down", "\x06", r" 1[0-9]/\d+$")
    step(terminal, "^B is a screen up", "\x02", r" 1/\d+$")


def selections(terminal):
    step(terminal, "/ finds what is folded", "/WALK_\x7f\x7fK_T\r", 'no line has "WALK_T"')
    step(terminal, "/ without capitals finds any", "/walk_t\r", "walk_tree")
    step(terminal, "n finds it again", "n", "walk_tree")
    step(terminal, "Escape leaves a search", "/abc\033", "--callgraph  all")
    step(terminal, "d and Enter choose a domain", "dgjj\r", "--callgraph  domain=1")
    tap.case("with a mark", terminal.wait(r"\* web server"), terminal)
    step(terminal, "m chooses a mode", "m", "domain=1 mode=xen")
    step(terminal, "and the next one", "m", "domain=1 mode=kernel")
    tap.case("figures are those of the report",
             same_figures(terminal, "--callgraph", "--filter=domain=1,mode=kernel"),
             terminal)
    step(terminal, "t shows when it was busy", "t", r"^\*=+\]$")
    step(terminal, "of which arrows choose a part", "\033OA\033OA\t\033OD\033OD",
         r"^ {20}\[=+\*$")
    tap.case("with its time", terminal.wait(r"time START..END: 2\.5\.\.9\.7\d+_"), terminal)
    step(terminal, "Enter takes it", "\r", r"mode=kernel time=2\.5\.\.9\.7")
    step(terminal, "u forgets it", "u", "mode=kernel  ")
    step(terminal, "t takes a time that is typed", "t0..5\r", r"mode=kernel time=0\.\.5")
    tap.case("figures are those of the report of that time",
             same_figures(terminal, "--callgraph",
                          "--filter=domain=1,mode=kernel,time=0..5"), terminal)
    step(terminal, "a time that is none is said", "tabc\r", '"abc" is not a valid time')
    step(terminal, "y has the command", "y", "^--filter=time=0..5 --callgraph$|"
         "--filter=time=0..5 .*--callgraph|--filter=mode=kernel")
    before = len(terminal.raw)
    step(terminal, "y again copies it", "y", "asked to copy")
    tap.case("by OSC 52", b"\033]52;c;" in terminal.raw[before:])
    step(terminal, "q leaves the page", "q", "--callgraph  domain=1")
    step(terminal, "u goes back", "u", "--callgraph  domain=1 mode=kernel  ")
    step(terminal, "Backspace, too", "\x7f", "--callgraph  domain=1 mode=xen")
    step(terminal, "to the first one", "uu", "--callgraph  all of the session")
    step(terminal, "and no further", "u", "what was shown first")


def same_figures(terminal, *options):
    terminal.keys("zge")
    wanted = figures(report(*options, "--width=80").splitlines())

    def same():
        got = figures(terminal.screen.lines()[1:-2])
        return got and got == wanted[:22]

    good = terminal.until(same)
    terminal.keys("z")
    return good


def same_lines(terminal, *options):
    """Whether a text is what the report prints, as far as there is room."""
    wanted = [line.rstrip() for line in report(*options, "--width=80").splitlines()]
    rows = terminal.screen.rows - 2
    return terminal.until(
        lambda: terminal.screen.lines()[:rows] == (wanted + [""] * rows)[:rows])


def forms(terminal):
    step(terminal, "c shows callers", "/^__read\rc", "--symbol=__read")
    tap.case("from the function on", terminal.wait("__read: who calls it"), terminal)
    wanted = figures(report("--symbol=__read", "--width=80")
                     .split("who calls it")[1].split("percent")[0].splitlines())
    tap.case("with the figures of the report",
             terminal.until(lambda: figures(terminal.screen.lines()[7:-2]) == wanted),
             terminal)
    step(terminal, "C shows callers of all", "C", "function, and who calls it")
    step(terminal, "w shows why Xen ran", "w", "percent  of xen .* why, for whom")
    tap.case("as the report does", same_lines(terminal, "--why"), terminal)
    step(terminal, "in which / finds a line", "/larger mtu\r", r" \d+/\d+$")
    step(terminal, "f shows functions", "f", "total    self  samples")
    tap.case("as the report does", same_lines(terminal, "--children"), terminal)
    step(terminal, "d leads from there to the domains", "d", "--callgraph")
    step(terminal, "a of no function says so", "\tga", "no function is chosen")
    step(terminal, "a shows instructions", "/^copy_to\ra", "--annotate=copy_to_guest_ll")
    step(terminal, "as its report does", "", r"^itself +13\.34% of all pCPU time")
    step(terminal, "? has a page of keys", "?", "unfold or fold a line")
    step(terminal, "which Escape leaves", "\033", "--annotate=")
    step(terminal, "q leaves a text", "q", "--callgraph")
    step(terminal, "Tab leads to the domains", "\t", r" \d/5$")


def sizes():
    for size in ((40, 10), (80, 24), (300, 60)):
        terminal = browse(size=size)
        tap.case(f"{size[0]} columns and {size[1]} lines", terminal.wait("q quit") and
                 terminal.wait("web s"), terminal)
        quit_well(terminal, "and it ends well")
    terminal = browse(size=(39, 9))
    tap.case("less says so", terminal.wait("--browse needs 40 columns"), terminal)
    terminal.resize(100, 30)
    tap.case("and it grows", terminal.wait("q quit  Enter fold .*u back"), terminal)
    terminal.resize(20, 5)
    tap.case("and shrinks", terminal.wait("^--browse needs"), terminal)
    quit_well(terminal, "and it ends well")


def colours():
    terminal = browse(TERM="xterm-256color")
    tap.case("colours of the terminal",
             terminal.until(lambda: b"\033[36m" in terminal.raw), terminal)
    quit_well(terminal, "it leaves the other screen")
    tap.case("which is gone", b"\033[?1049l" in terminal.raw)
    for name, options, more in (("NO_COLOR", (), {"NO_COLOR": "1"}),
                                ("--color=never", ("--color=never",), {})):
        terminal = browse(*options, TERM="xterm-256color", **more)
        terminal.until(lambda: b"q quit" in terminal.raw)
        quit_well(terminal, f"{name}: it ends well")
        tap.case("without colours", b"web server" in terminal.raw and
                 not re.search(rb"\033\[(\d+;)*3[0-8]m", terminal.raw))


def elsewhere():
    tap.case("a pipe gets the tree", report("--browse") == report("--callgraph") != "")
    terminal = browse(TERM="dumb")
    tap.case("so does a dumb terminal",
             terminal.finish() == 0 and b"who calls it" not in terminal.raw and
             b"function, and what it calls" in terminal.raw and
             b"q quit" not in terminal.raw)
    terminal = browse(TERM="no-such-terminal")
    tap.case("an unknown one is refused", terminal.finish() != 0 and
             b"set TERM to" in terminal.raw.replace(b"\r\n", b" "))


def verdicts():
    terminal = browse(path=verdict)
    tap.case("a verdict is on top", terminal.wait("q quit") and
             terminal.wait("^verdict 1 waits"), terminal)
    tap.case("as far as there is room", terminal.wait(r"^ +\(\d+ more: v shows them\)$"),
             terminal)
    step(terminal, "v shows all of it", "v", "^        4 db")
    step(terminal, "q leaves it", "q", "function, and what it calls")
    quit_well(terminal, "and it ends well")


def hostile_names():
    terminal = browse(path=hostile)
    tap.case("hostile names are spelled out", terminal.wait(r"q quit") and
             terminal.wait(r"\\x1b"), terminal)
    for keys in ("e", "G", "c", "y", "yq", "u", "d", "j\r", "w", "f", "u", "/x\r"):
        terminal.keys(keys)
    tap.case("wherever they stand", terminal.wait("find|q quit") and
             b"\033]0;" not in terminal.raw and b"\033[2J\033[31m" not in terminal.raw,
             terminal)
    quit_well(terminal, "and it ends well", "qqqq")


def row_of_cursor(terminal):
    """What the tree's row is called that the cursor is on, of those on top."""
    lines = terminal.screen.lines()
    title = next(i for i, line in enumerate(lines) if line.endswith("what it calls"))
    at = next(re.search(r" (\d+)/\d+$", line) for line in reversed(lines)
              if re.search(r" \d+/\d+$", line))
    name = re.search(r"[▸▾] (.*?)(  \(|$)", lines[title + int(at.group(1))])
    return name and name.group(1)


def grows():
    """A long session is read while its beginning is shown; more of it comes later."""
    with open(os.path.join(long, "DATA.0000"), "rb") as file:
        data = file.read()
    path = long + "-grows"
    os.mkdir(path, 0o700)
    grown = os.path.join(path, "DATA.0000")
    part = len(data) * 7 // 10
    with open(grown, "wb") as file:
        file.write(data[:part])
    terminal = browse(path=path, size=(100, 40))
    tap.case("a session is read to its end while its beginning is shown",
             terminal.wait("not closed"), terminal)
    step(terminal, "E folds a domain", "gE", r"▸ .*\(\d+\)  \(\d+ more\)")
    folded = row_of_cursor(terminal)
    step(terminal, "Down leads to the next one", "j", r" 2/\d+$")
    chosen = row_of_cursor(terminal)
    step(terminal, "p keeps what is shown", "p", r"paused  2/\d+$")
    with open(grown, "ab") as file:
        file.write(data[part:])
    step(terminal, "p follows the session again", "p", "long-grows, closed")
    tap.case("what was folded is, by name",
             terminal.shows(rf"▸ {re.escape(folded)}  \("), terminal)
    tap.case("and the cursor is where it was", row_of_cursor(terminal) == chosen,
             terminal)
    step(terminal, "of a closed one p says so", "p", "does not grow")
    quit_well(terminal, "q ends it")


def man_page():
    """The keys in xenopreport(1) are those of the table."""
    root = os.path.join(os.path.dirname(__file__), "../..")
    with open(os.path.join(root, "report/browse/key-table.def"), encoding="utf-8") as table:
        rows = re.findall(r'BROWSE_KEY\(\w+, [^"]*"([^"]*)",\s*(?:NULL|"[^"]*"),\s*'
                          r'"([^"]*)"\)', table.read())
    with open(os.path.join(root, "man/xenopreport.1"), encoding="utf-8") as page:
        text = page.read().replace("\\-", "-").replace("\\(ha", "^")
    for keys, what in rows:
        if f"{keys:<11}  {what}\n" not in text:
            print(f"# xenopreport(1) lacks: {keys:<11}  {what}")
    tap.case("xenopreport(1) has each key",
             len(rows) > 20 and all(f"{k:<11}  {w}\n" in text for k, w in rows))


def ends():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        terminal = browse()
        terminal.wait("q quit")
        os.kill(terminal.process, number)
        tap.case(f"{number.name} ends it, and the terminal is as before",
                 terminal.finish() is not None and terminal.is_as_before(), terminal)
        terminal.close()
    terminal = browse()
    terminal.wait("q quit")
    terminal.keys("\x03")
    tap.case("so does ^C", terminal.finish() is not None and terminal.is_as_before())


terminal = first_screen()
moves(terminal)
selections(terminal)
forms(terminal)
quit_well(terminal, "q ends it, and the terminal is as before")
sizes()
colours()
elsewhere()
verdicts()
hostile_names()
grows()
ends()
man_page()
tap.end()
