"""The executor: process 1 of a sandbox, which runs what the harness asks for and kills it again.

The files of this folder are joined in the order of their names and passed as one argument to `python3 -I -S -c`, so
that nothing of it lies in the sandbox to be changed. Python 3.10, standard library only. It speaks frames on its
standard input and output; see frames.ts. Its second argument is a JSON object; see executor-config.ts.
"""

import os
import sys

# Killing "everything" would otherwise kill the user's own session.
if os.getpid() != 1:
    sys.exit("the executor must be process 1 of its own process namespace; it refuses to run here")

import ctypes
import fcntl
import json
import struct

CONFIG = json.loads(sys.argv[1])
WORKSPACE = CONFIG["workspace"]
HOME = CONFIG["home"]
ROOMS = CONFIG["rooms"]
WRITABLE = CONFIG["writable"]
BOUNDS = CONFIG["bounds"]



def clear_command_line():
    """Else every `ps` of a command would show this program: what the kernel shows is this process's own memory."""
    with open("/proc/self/stat", "rb") as file:
        begin, end = [int(field) for field in file.read().rpartition(b")")[2].split()[45:47]]
    title = b"executor"
    if 0 < begin < end - len(title):
        ctypes.memset(begin, 0, end - begin)
        ctypes.memmove(begin, title, len(title))


clear_command_line()

# The channel moves to high, close-on-exec descriptors. What is started never shares an open file with what was started
# before it: locks and owners of an open file stay for as long as anybody has it open.
REQUESTS = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 64)
REPLIES = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 64)
for standard in (0, 1):
    os.close(standard)
    os.open("/dev/null", os.O_RDWR)
os.umask(0o022)


class Refused(Exception):
    """A file operation that cannot be done; the message is for whoever asked for it."""


def read_exactly(length):
    """Bytes from the harness. When it is gone the executor ends, and with process 1 the whole sandbox."""
    data = bytearray()
    while len(data) < length:
        chunk = os.read(REQUESTS, min(length - len(data), 1 << 20))
        if not chunk:
            os._exit(0)
        data += chunk
    return bytes(data)


def read_frame():
    header_length, body_length = struct.unpack(">II", read_exactly(8))
    if header_length + body_length > BOUNDS["frameBytes"]:
        sys.exit("a frame of %d bytes is larger than the bound" % (header_length + body_length))
    header = json.loads(read_exactly(header_length))
    return header, read_exactly(body_length)


def send_frame(header, body=b""):
    text = json.dumps(header, separators=(",", ":")).encode()
    if len(text) + len(body) > BOUNDS["frameBytes"]:
        raise ValueError("a reply of %d bytes" % (len(text) + len(body)))
    data = memoryview(struct.pack(">II", len(text), len(body)) + text + body)
    while data:
        data = data[os.write(REPLIES, data) :]
