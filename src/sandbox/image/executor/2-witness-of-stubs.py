"""Reports of stubs. A stub starts a small program that asks here to be noted; what is noted is what the kernel says.

The program that asks must be a child of an interpreter whose command line ends in the script and its arguments. So the
words of a message are never believed, only compared with /proc while the asking process waits for its answer.

A script that is replaced reports once, as it starts. One that keeps its work says that its end will follow ("?"), and
reports once more with its exit status: only what came to an end has done its work.
"""

import hashlib
import re

MAX_STUB_REPORTS = 64
MAX_CONNECTIONS = 64
MAX_COMMAND_LINE = 256 << 10
# Words before the script; each is looked at while everybody waits.
MAX_OPTIONS = 64
MAX_SCRIPT_BYTES = 4 << 20
SHELL = re.compile(r"(?:ba|da|z|k|a)?sh|busybox")
PYTHON = re.compile(r"python[0-9.]*")
NODE = re.compile(r"node|nodejs|bun|deno")

# Options after which an interpreter does not run the file that is named behind them, and options with a value.
CODE_OPTIONS = {SHELL: r"-[A-Za-z]*[cs]", PYTHON: r"-[A-Za-z]*c", NODE: r"-[ep]+$|--(?:eval|print)"}
VALUED_OPTIONS = {SHELL: r"[-+][A-Za-z]*[oO]$|--(?:rcfile|init-file)$", PYTHON: r"-[WX]$", NODE: r"-r$|--(?:require|import)$"}

RUN_FIRST = {b"BASH_ENV", b"LD_PRELOAD", b"LD_AUDIT", b"NODE_OPTIONS"}

# Written beside the socket, where only the executor can write.
REPORTER = b"""\
import os
import socket
import sys

with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as calls:
    calls.settimeout(5)
    calls.connect(os.path.join(os.path.dirname(sys.argv[0]), "calls"))
    calls.send(b"\\0".join(os.fsencode(word) for word in sys.argv[1:4]))
    calls.recv(1)
"""


class StubSocket:
    def __init__(self, folder):
        self.folder = folder
        self.listener = None
        self.open_connections = {}

    def open(self):
        """A new socket, so that nothing asked before is still queued."""
        if self.listener:
            self.listener.close()
        kinds = socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
        self.listener = socket.socket(socket.AF_UNIX, kinds)
        path = os.path.join(self.folder, "calls")
        if os.path.lexists(path):
            os.unlink(path)
        self.listener.bind(path)
        os.chmod(path, 0o622)
        self.listener.listen(16)
        with open(os.path.join(self.folder, "log"), "wb") as file:
            file.write(REPORTER)

    def fileno(self):
        return self.listener.fileno()

    def accept(self):
        """Descriptor of a new connection, or null when there is none or there are too many."""
        try:
            connection, _ = self.listener.accept()
        except OSError:
            return None
        if len(self.open_connections) >= MAX_CONNECTIONS:
            connection.close()
            return None
        connection.setblocking(False)
        self.open_connections[connection.fileno()] = connection
        return connection.fileno()

    def answer(self, descriptor, room, reports):
        """Notes the call of a connection that has sent its message, and lets its sender go on."""
        connection = self.open_connections.pop(descriptor)
        with connection:
            try:
                # A plain receive takes no descriptors: the kernel closes what was sent along.
                message = connection.recv(8_192)
                pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
                note(stub_report(pid, uid, message, room), reports)
                connection.send(b"1")
            except Exception:
                # Whatever a command makes of it (a number of 5,000 digits, a file that vanishes), it costs the report only.
                reports.dropped += 1

    def close_connections(self, reports):
        """Also those that were not accepted yet: what was sent on them, files for example, would stay in the queue."""
        while self.open_connections or self.accept() is not None:
            reports.dropped += len(self.open_connections)
            for connection in self.open_connections.values():
                connection.close()
            self.open_connections.clear()


def note(report, reports):
    """Adds a report that something begins, or the exit status to the report of what has ended."""
    if report is None or report.get("status") is None:
        reports.add(report)
        return
    same = [one for one in reports if all(one[key] == report[key] for key in ("process", "path", "args"))]
    if same and same[-1].get("status", 0) is None:
        same[-1]["status"] = report["status"]


def stub_report(pid, uid, message, room):
    """What the kernel says about the process that started the sender, or null when it is not an interpreter of a script."""
    script, count, end = (message.split(b"\0", 2) + [b"", b""])[:3]
    if end not in (b"", b"?") and not (end.isdigit() and len(end) <= 3):
        return None
    parent = parent_of(pid)
    with open("/proc/%d/cmdline" % parent, "rb") as file:
        words = file.read(MAX_COMMAND_LINE + 1)
    if len(words) > MAX_COMMAND_LINE or not re.fullmatch(rb"[0-9]{1,6}", count) or not script or parent == 1:
        return None
    words = words.split(b"\0")[:-1]
    named = len(words) - int(count) - 1
    if not 1 <= named <= MAX_OPTIONS:
        return None
    # With the rights of the room's user: process 1 may not look into the processes of another one.
    with Unprivileged(room):
        executable = os.readlink("/proc/%d/exe" % parent)
        if can_be_made_by_commands(executable) or runs_other_code_first(parent):
            return None
        interpreter = os.path.basename(executable)
        folder = os.readlink(b"/proc/%d/cwd" % parent)
        path = resolved(os.path.join(folder, script))
        is_module = named >= 2 and words[named - 1] == b"-m" and PYTHON.fullmatch(interpreter)
        if not is_module and resolved(os.path.join(folder, words[named])) != path:
            return None
        if not runs_a_file(interpreter, [os.fsdecode(word) for word in words[1 : named - 1 if is_module else named]]):
            return None
        digest = digest_of(path)
    prefix = os.fsencode(os.path.realpath(WORKSPACE)) + b"/"
    if not path.startswith(prefix):
        return None
    text = lambda data: data.decode("utf-8", "backslashreplace")
    return {
        "path": text(path[len(prefix) :]),
        "sha256": digest,
        "args": [text(word) for word in words[named + 1 :]],
        "interpreter": interpreter,
        "cwd": text(folder),
        "pid": pid,
        "uid": uid_in_room(uid, room),
        "process": parent,
        # Without it nothing is said about an end.
        **({} if end == b"" else {"status": None if end == b"?" else int(end)}),
    }


def runs_other_code_first(pid):
    """Has a process a variable that makes an interpreter run something before its script, which may end there?"""
    with open("/proc/%d/environ" % pid, "rb") as file:
        names = {entry.partition(b"=")[0] for entry in file.read(MAX_COMMAND_LINE).split(b"\0")}
    return bool(names & RUN_FIRST)


def can_be_made_by_commands(path):
    """Is the file of a program in a place where a command could have put it? Then its name says nothing about it."""
    return any(path.startswith(place["path"] + "/") for place in WRITABLE)


def parent_of(pid):
    with open("/proc/%d/stat" % pid, "rb") as file:
        # The name of a process may hold anything, also spaces and brackets.
        return int(file.read().rpartition(b")")[2].split()[1])


def runs_a_file(interpreter, options):
    """Is the word after these options the file that the interpreter runs?"""
    kind = next((kind for kind in (SHELL, PYTHON, NODE) if kind.fullmatch(interpreter)), None)
    if kind is None:
        return False
    is_value = False
    for option in options:
        if is_value:
            is_value = False
        elif option[:1] not in ("-", "+") or option == "-" or re.match(CODE_OPTIONS[kind], option):
            return False
        else:
            is_value = bool(re.match(VALUED_OPTIONS[kind], option))
    return not is_value


def resolved(path):
    """A path without links. The kernel follows them: unlike Python's realpath it is bounded in time and depth."""
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        return os.readlink(b"/proc/self/fd/%d" % descriptor)
    finally:
        os.close(descriptor)


def digest_of(path):
    descriptor, status = open_regular(path, os.O_RDONLY)
    try:
        return hashlib.sha256(read_all(descriptor, min(status.st_size, MAX_SCRIPT_BYTES))).hexdigest()
    finally:
        os.close(descriptor)


STUB_SOCKET = StubSocket(os.path.dirname(CONFIG["witness"]))
