#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A receiver of profiles, which answers as a test says.

receiver.py FOLDER [CERTIFICATE KEY]

Listens at a free port of this machine, which it writes to FOLDER/port.  What it
answers is in the file FOLDER/answers, a word a request, the last one for all
that follow: a status, a status with headers (429;Retry-After=1), or

  reset   hangs up without an answer
  cut     hangs up within the answer
  never   does not answer before somebody ends it
  long    200 and a body without end
  nonsense  bytes that are not HTTP

Each request is a line of FOLDER/log: the answer, the path and headers; its
body, if it was taken, is FOLDER/body.N, from 1 on.  A body in JSON is looked
through: the profile of series S is FOLDER/body.N.S, its labels are
FOLDER/labels.N.S.
"""
import base64
import gzip
import http.server
import json
import os
import socket
import ssl
import struct
import sys
import threading

folder = sys.argv[1]
lock = threading.Lock()
requests = 0
taken = 0


def path_of(name):
    return os.path.join(folder, name)


def write(name, data):
    """Whole, or not at all: somebody waits for it."""
    with open(path_of(name + ".new"), "wb") as file:
        file.write(data)
    os.rename(path_of(name + ".new"), path_of(name))


def next_answer():
    global requests
    with open(path_of("answers"), encoding="utf-8") as file:
        words = file.read().split()
    word = words[min(requests, len(words) - 1)]
    requests += 1
    return word


def keep(body, encoding):
    global taken
    taken += 1
    if encoding == "gzip":
        body = gzip.decompress(body)
    if body[:1] == b"{":
        for number, series in enumerate(json.loads(body)["series"]):
            labels = series["labels"]
            if isinstance(labels, dict):
                labels = labels["labels"]
            (sample,) = series["samples"]
            write(f"labels.{taken}.{number}",
                  "".join(f"{label['name']}={label['value']}\n"
                          for label in labels).encode())
            write(f"body.{taken}.{number}",
                  base64.b64decode(sample["rawProfile"], validate=True))
    write(f"body.{taken}", body)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def log(self, word):
        headers = "|".join(f"{name}: {value}"
                           for name, value in self.headers.items())
        with open(path_of("log"), "a", encoding="utf-8") as file:
            file.write(f"{word} {self.path} {headers}\n")

    def hang_up(self):
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            word = next_answer()
            if word == "200" or word == "long":
                keep(body, self.headers.get("Content-Encoding"))
            self.log(word)
        try:
            self.answer(word)
        except OSError:
            self.close_connection = True

    def answer(self, word):
        if word == "reset":
            self.hang_up()
        elif word == "never":
            threading.Event().wait()
        elif word == "nonsense":
            self.wfile.write(b"\x00\x01\x02 no HTTP\r\n\r\n")
            self.close_connection = True
        elif word == "cut":
            self.wfile.write(b"HTTP/1.1 20")
            self.wfile.flush()
            self.hang_up()
        elif word == "long":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                self.wfile.write(b"x" * 65536)
        else:
            status, *headers = word.split(";")
            self.send_response(int(status))
            for header in headers:
                self.send_header(*header.split("=", 1))
            self.send_header("Content-Length", "0")
            self.end_headers()


def main():
    http.server.ThreadingHTTPServer.daemon_threads = True
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    write("port", str(server.server_address[1]).encode())
    server.serve_forever()


main()
