# SPDX-License-Identifier: GPL-2.0-or-later
"""xenopreport --serve, asked by all sorts of clients: tests/cli/serve.sh calls it.

    serve-client.py XENOPREPORT MAKE-SESSION FOLDER
"""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zlib

PROGRAM, MAKE, FOLDER = sys.argv[1:]
SESSION = os.path.join(FOLDER, "session")
CASES = []


def write(seconds, close=False):
    """A session of so many seconds, with 10 samples in each."""
    text = ["domain 100 1 passive web", "place a 1 kernel 0x1000 vmlinux vfs_read 0x1000"]
    text += [f"sample {100.5 + second} 1.0 0 kernel a count=10" for second in range(seconds)]
    text += [f"close {100 + seconds}"] if close else []
    with open(SESSION + ".text", "w", encoding="ascii") as file:
        file.write("\n".join(text) + "\n")
    subprocess.run([MAKE, SESSION + ".text", SESSION + ".next/"], check=True)
    os.makedirs(SESSION, exist_ok=True)
    for name in os.listdir(SESSION + ".next"):
        os.rename(os.path.join(SESSION + ".next", name), os.path.join(SESSION, name))
    shutil.rmtree(SESSION + ".next")


class Server:
    """The program, with what it said."""
    def __init__(self, *options):
        self.process = subprocess.Popen([PROGRAM, "--serve", "--session=" + SESSION, *options],
                                        stdout=subprocess.PIPE, text=True)
        self.said = [self.process.stdout.readline().strip() for _ in range(3)]
        self.port = int(self.said[0].split(":")[2].split("/")[0])
        self.token = self.said[0].split("/")[3]
        self.path = "/" + self.token + "/"

    def ask(self, path, method="GET", host=None, body=None, **fields):
        """The answer's status, its fields and its body."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        fields["Host"] = host or f"127.0.0.1:{self.port}"
        link.request(method, path, body=body, headers=fields)
        answer = link.getresponse()
        made = answer.status, dict(answer.getheaders()), answer.read()
        link.close()
        return made

    def status(self, path, *options, **fields):
        return self.ask(path, *options, **fields)[0]

    def samples(self):
        """What the data say of how many samples there are, and their number."""
        status, fields, body = self.ask(self.path + "data")
        assert status == 200, body
        line, packed = body.split(b"\n", 1)
        assert json.loads(line) == {"types": ["time"]}, line
        data = zlib.decompress(packed, -15)
        size = at = shift = 0
        while True:
            byte = data[at]
            size |= (byte & 0x7f) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                break
        info = json.loads(data[at:at + size])
        return info["session"]["read"], info["session"]["state"], fields["ETag"]

    def raw(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def files(self):
        """How many descriptors it has."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def busy(self):
        """Its processor time in ticks, its children's that ended too, and how often it woke."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            times = file.read().rsplit(")", 1)[1].split()[11:15]
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            woken = [line for line in file if line.startswith("voluntary_ctxt")]
        return sum(map(int, times)), int(woken[0].split()[1])

    def end(self, sign=signal.SIGTERM):
        began = time.monotonic()
        self.process.send_signal(sign)
        assert self.process.wait(5) == 0, self.process.returncode
        assert time.monotonic() - began < 2
        assert not self.process.stdout.read()


def case(name):
    def add(run):
        CASES.append((name, run))
        return run
    return add


def processes():
    """Those that have the session on their command line."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                found += [name] if b"--session=" + SESSION.encode() in file.read().split(b"\0") else []
        except OSError:
            pass  # it went meanwhile
    return found


def wait_until(true, what, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@case("it prints one address with a token of 128 bits, and how to get there by ssh")
def _(server):
    assert server.said[0] == f"http://127.0.0.1:{server.port}/{server.token}/"
    assert len(server.token) == 32 and int(server.token, 16) >= 0
    assert f"ssh -N -L {server.port}:127.0.0.1:{server.port} " in server.said[1], server.said
    other = Server()
    assert other.token != server.token and other.port != server.port
    other.end()


@case("nothing listens but on 127.0.0.1")
def _(server):
    found = []
    for name in ("tcp", "tcp6"):
        if os.path.exists("/proc/net/" + name):
            with open("/proc/net/" + name, encoding="ascii") as file:
                found += [line.split()[1] for line in list(file)[1:] if line.split()[3] == "0A"]
    mine = [one for one in found if int(one.split(":")[1], 16) == server.port]
    assert mine == [f"0100007F:{server.port:04X}"], mine


@case("with the token there are the page and its data")
def _(server):
    status, fields, body = server.ask(server.path)
    assert status == 200 and b"<title>" in body and server.token.encode() not in body
    policy = fields["Content-Security-Policy"]
    assert "connect-src 'self'" in policy and "frame-ancestors 'none'" in policy
    assert policy.replace("; frame-ancestors 'none'", "").encode() in body
    for name, value in (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                        ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer")):
        assert fields[name] == value, name
    assert server.samples()[:2] == (20, "open")
    status, fields, body = server.ask(server.path + "data", "HEAD")
    assert status == 200 and int(fields["Content-Length"]) > 100 and not body


@case("without the token, or with another, there is nothing")
def _(server):
    for path in ("/", "/data", "/favicon.ico", "/" + server.token, "/" + "0" * 32 + "/", "/" + "0" * 32 + "/data"):
        status, _, body = server.ask(path)
        assert status == 403 and body == b"Forbidden", (path, status)
    assert server.status(server.path + "else") == 404


@case("nor by another name, or for a page of another origin")
def _(server):
    assert server.status(server.path, host="evil.example") == 421
    assert server.status(server.path, host="localhost:1") == 200
    assert server.status(server.path, Origin="http://evil.example") == 403
    assert server.status(server.path, Sec_Fetch_Site="cross-site") == 403
    assert server.status(server.path, Sec_Fetch_Site="same-site") == 403
    assert server.status(server.path, Origin=f"http://127.0.0.1:{server.port}") == 200


@case("nothing can be sent")
def _(server):
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        status, fields, _ = server.ask(server.path, method, body=b"x" * 100000)
        assert status == 405 and fields["Allow"] == "GET, HEAD"


@case("what is too long, or no request, is refused")
def _(server):
    assert server.status(server.path, Cookie="x" * 20000) == 431
    assert server.status(server.path + "x" * 2000) == 431
    link = server.raw()
    link.sendall(b"\x16\x03\x01\x00\x00\r\n\r\n")
    assert link.recv(100).startswith(b"HTTP/1.1 400")
    link.close()


@case("who is slow delays nobody, and is cut; who hangs up leaves nothing")
def _(server):
    before = server.files()
    slow = [server.raw() for _ in range(5)]
    for link in slow:
        link.sendall(b"GET /")
    began = time.monotonic()
    assert server.status(server.path) == 200
    assert time.monotonic() - began < 2
    for link in slow:
        assert link.recv(100) == b""
    assert 2 < time.monotonic() - began < 15
    for link in slow:
        link.close()
    quick = [server.raw() for _ in range(40)]
    for link in quick:
        link.sendall(b"GET " + server.path.encode() + b"data HTTP/1.1\r\nHost: localhost\r\n\r\n")
        link.close()
    wait_until(lambda: server.files() <= before, "descriptors are left")
    assert server.status(server.path) == 200


@case("who reads nothing does not stop the others")
def _(server):
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    link.connect(("127.0.0.1", server.port))
    link.sendall(b"GET " + server.path.encode() + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert server.status(server.path) == 200
    link.close()


@case("what has not grown is not sent, and not read, again")
def _(server):
    number = server.samples()[2]
    status, fields, body = server.ask(server.path + "data", If_None_Match=number)
    assert status == 304 and not body and fields["ETag"] == number
    time.sleep(1.1)
    assert server.status(server.path + "data", If_None_Match=number) == 304
    assert server.samples()[2] == number


@case("two clients see it grow, by one reading")
def _(server):
    number = server.samples()[2]
    write(3)
    wait_until(lambda: server.samples()[0] == 30, "it does not grow")
    assert server.samples() == server.samples()
    assert server.samples()[2] != number
    status, _, _ = server.ask(server.path + "data", If_None_Match=number)
    assert status == 200


@case("it is read once a second at most, however often somebody asks")
def _(server):
    first, began = int(server.samples()[2].strip('"')), time.monotonic()
    asked = 0
    while time.monotonic() - began < 3:
        write(4 + asked % 3)
        server.samples()
        asked += 1
    readings = int(server.samples()[2].strip('"')) - first
    assert 1 <= readings <= time.monotonic() - began + 1 and readings < asked, (readings, asked)


@case("when nobody asks it does nothing, though the session grows")
def _(server):
    server.samples()
    time.sleep(1.2)
    before = server.busy()
    for seconds in range(3):
        write(10 + seconds)
        time.sleep(0.4)
    used, woken = (now - then for now, then in zip(server.busy(), before))
    assert used == 0 and woken == 0, (used, woken)


@case("another type, and one that it does not have")
def _(server):
    status, _, body = server.ask(server.path + "data?type=time")
    assert status == 200 and body.startswith(b'{')
    status, _, body = server.ask(server.path + "data?type=cycles")
    assert status == 503 and b"has no samples of cycles" in body, body


@case("a session that goes away, and comes back")
def _(server):
    os.rename(SESSION, SESSION + ".away")
    wait_until(lambda: server.status(server.path + "data") == 503, "it is still there")
    assert b"does not exist" in server.ask(server.path + "data")[2]
    os.rename(SESSION + ".away", SESSION)
    wait_until(lambda: server.status(server.path + "data") == 200, "it is not there again")


@case("a session that ended is served, and says so")
def _(server):
    write(13, close=True)
    wait_until(lambda: server.samples()[:2] == (130, "closed"), "it has not ended")


@case("it ends at SIGTERM, with no process left")
def _(server):
    link = server.raw()
    link.sendall(b"GET /")
    server.end()
    try:
        assert link.recv(100) == b""
    except ConnectionResetError:
        pass
    assert not processes(), processes()


@case("and at Ctrl-C; a port that is asked for is free again at once")
def _(server):
    again = Server("--filter=domain=web")
    again.end(signal.SIGINT)
    other = Server()
    other.end(signal.SIGINT)


def fails(words, *options):
    made = subprocess.run([PROGRAM, "--session=" + SESSION, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=20, check=False)
    assert made.returncode and words in made.stderr and not made.stdout, made


@case("what is wrong is said before anything is served")
def _(server):
    fails("give a port", "--serve=0")
    fails("give a port", "--serve=65536")
    fails("give a port", "--serve=http")
    fails("does not exist", "--serve", "--session=" + FOLDER + "/none")
    fails("nobody", "--serve", "--filter=domain=nobody")
    fails("cannot be combined", "--serve", "--html=" + FOLDER + "/x.html")
    fails("cannot be combined", "--serve", "--live")
    fails("cannot be combined", "--serve", "--diff")
    fails("cannot be combined", "--serve", "--anonymize")
    fails("again and again", "--serve", "--merge=1:" + FOLDER + "/x")
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    fails("cannot be used", f"--serve={taken.getsockname()[1]}")
    taken.close()


def main():
    failed = 0
    write(2)
    server = Server()
    print(f"1..{len(CASES)}")
    for number, (name, run) in enumerate(CASES, 1):
        try:
            run(server)
            print(f"ok {number} - {name}", flush=True)
        except (AssertionError, OSError, ValueError, http.client.HTTPException, subprocess.SubprocessError) as error:
            failed += 1
            print(f"not ok {number} - {name}\n# {type(error).__name__}: {error} (line {error.__traceback__.tb_lineno})", flush=True)
            trace = error.__traceback__
            while trace:
                print(f"# line {trace.tb_lineno}", flush=True)
                trace = trace.tb_next
    server.process.kill()
    sys.exit(failed > 0)


main()
