"""Starting commands and killing them. A command and all it started are dead before its reply is sent."""

import gc
import resource
import select
import signal
import time

F_SETPIPE_SZ = 1031
PIPE_BYTES = 1 << 18
KILL_DEADLINE = 5.0
# How long the streams of a command that ended may stay open, for `> >(tee log)` and the like.
DRAIN_GRACE = 0.05

exit_statuses = {}


def reap():
    """Collects the exit status of every child that ended; orphans become children of process 1."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        exit_statuses[pid] = status


def other_processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def kill_everything():
    """Kills all processes but this one until none is left, at most five seconds. Returns how many are left."""
    deadline = time.monotonic() + KILL_DEADLINE
    rounds = 0
    while True:
        rounds += 1
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        reap()
        left = other_processes()
        if not left or time.monotonic() > deadline:
            return len(left)
        time.sleep(0.0005 if rounds < 20 else 0.005)


class Unprivileged:
    """Does file operations with the rights of a room's user, so that the kernel decides what is allowed."""

    def __init__(self, room):
        self.room = ROOMS[room]

    def __enter__(self):
        if has_one_user():
            set_capabilities(False)
            return
        os.setegid(self.room["gid"])
        os.seteuid(self.room["uid"])

    def __exit__(self, *_):
        if has_one_user():
            set_capabilities(True)
            return
        os.seteuid(0)
        os.setegid(0)


def give_up_for_good():
    """What no command ever needs, given up once by the executor: every command inherits it."""
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    deny_system_calls()
    drop_bounding_set()
    # Groups of process 1 would also stay with it when it does file operations as somebody else.
    if not has_one_user():
        os.setgroups([])
    if ROOMS["agent"]["namespaces"] == "ipc":
        mask_kernel()
    # Python ignores these two; a command has to find them as everywhere. Caught signals are reset by exec.
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    # What is loaded now stays: a forked child then touches, and so copies, fewer pages.
    gc.freeze()


def become(room):
    """Gives up every right, in a child that is about to run a command."""
    for name, limit in CONFIG["resourceLimits"].items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (limit, limit))
    try:
        # When memory runs out the kernel has to choose the command, not the executor.
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        os.write(descriptor, b"1000")
    except OSError:
        pass
    if room["namespaces"] == "ipc":
        # Shared memory and message queues outlive their processes, but not their namespace.
        checked("unshare", libc.unshare(CLONE_NEWIPC))
    if room["namespaces"] == "own":
        # A new user namespace has a full one.
        drop_bounding_set()
    if WRITING_RULES is not None:
        checked("rules", libc.syscall(SYS_LANDLOCK_RESTRICT_SELF, WRITING_RULES, 0))
    if room["setUser"]:
        os.setresgid(room["gid"], room["gid"], room["gid"])
        os.setresuid(room["uid"], room["uid"], room["uid"])


class Command:
    """A command that was started. Its descriptor `ended` becomes readable when it has ended."""

    def __init__(self, pid, status_end=None):
        self.pid = pid
        self.status_end = status_end
        self.ended = os.pidfd_open(pid) if status_end is None else status_end
        if status_end is not None:
            os.set_blocking(status_end, False)

    def close(self):
        """To be called when everything is killed. Keeps the exit status: negative is the number of the signal."""
        reported = b""
        try:
            if self.status_end is not None:
                reported = os.read(self.status_end, 4)
        except BlockingIOError:
            pass
        os.close(self.ended)
        # Without a report the command was killed together with the first process of its namespaces.
        status = struct.unpack("i", reported)[0] if len(reported) == 4 else exit_statuses.get(self.pid)
        exit_statuses.clear()
        self.exit_code = None if status is None else os.waitstatus_to_exitcode(status)


def start(room, argv, streams):
    """Starts a command in the workspace; `streams` are its descriptors 0, 1, 2…, null for /dev/null. Returns a Command.

    What happens between fork and exec is on the way of every call: it is kept short.
    """

    def run():
        try:
            os.setsid()
            os.chdir(WORKSPACE)
            for stream in streams:
                if stream is not None and room["setUser"]:
                    # Else the command could not open its own streams again, as /dev/stdout.
                    os.fchown(stream, room["uid"], room["gid"])
            become(room)
            for number, stream in enumerate(streams):
                os.dup2(os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC) if stream is None else stream, number)
            os.execvpe(argv[0], argv, CONFIG["environment"])
        except BaseException as error:
            os.write(2, ("%s cannot be started: %s\n" % (argv[0], error)).encode("utf-8", "replace"))
        finally:
            os._exit(127)

    if room["namespaces"] == "own":
        return Command(*start_enclosed(room, run))
    pid = os.fork()
    if pid == 0:
        run()
    return Command(pid)


class Capture:
    """Reads a pipe to its end and keeps only the first and the last bytes."""

    buffer = bytearray(PIPE_BYTES)

    def __init__(self, keep):
        self.keep = keep
        self.head = bytearray()
        self.tail = bytearray()
        self.total = 0
        self.is_open = True
        self.read_end, self.write_end = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.read_end, False)
        try:
            fcntl.fcntl(self.read_end, F_SETPIPE_SZ, PIPE_BYTES)
        except OSError:
            pass

    def read(self):
        """One read; false when there is nothing more for now."""
        try:
            length = os.readv(self.read_end, [self.buffer])
        except BlockingIOError:
            return False
        if length == 0:
            self.is_open = False
            return False
        self.total += length
        chunk = memoryview(self.buffer)[:length]
        room = self.keep - len(self.head)
        if room > 0:
            self.head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self.tail += chunk[-self.keep :]
            del self.tail[: -self.keep]
        return True

    def close(self):
        os.close(self.read_end)


class ResultPipe(Capture):
    """Reads one frame `u32be length | bytes`: whatever is written first."""

    def __init__(self, max_bytes):
        super().__init__(max_bytes + 4)

    @property
    def state(self):
        if self.total < 4:
            return "incomplete"
        announced = struct.unpack(">I", self.head[:4])[0]
        if announced + 4 > self.keep:
            return "too-big"
        if self.total < announced + 4:
            return "incomplete"
        return "complete" if self.total == announced + 4 else "extra-bytes"


def run_to_end(command, captures, timeout, output_limit, room, reports, stub_reports, result=None):
    """Waits until a command ends or must end, kills everything, and says why it was stopped (null: it ended by itself).

    Any frame that comes meanwhile means "cancel". Returns (stopped, processes left).
    """
    deadline = time.monotonic() + timeout
    pipes = {capture.read_end: capture for capture in captures}
    poll = select.poll()
    for descriptor in (command.ended, REQUESTS, WITNESS_SOCKET.fileno(), STUB_SOCKET.fileno(), *pipes):
        poll.register(descriptor, select.POLLIN)
    stopped = None
    has_ended = False
    while stopped is None:
        left = deadline - time.monotonic()
        if has_ended and (left <= 0 or not pipes):
            break
        if left <= 0:
            stopped = "timeout"
            break
        for descriptor, _ in poll.poll(left * 1000):
            if descriptor == REQUESTS:
                stopped = "cancelled"
            elif descriptor == command.ended:
                poll.unregister(command.ended)
                has_ended = True
                deadline = time.monotonic() + DRAIN_GRACE
            elif descriptor == WITNESS_SOCKET.fileno():
                WITNESS_SOCKET.drain(reports)
            elif descriptor == STUB_SOCKET.fileno():
                if (connection := STUB_SOCKET.accept()) is not None:
                    poll.register(connection, select.POLLIN)
            elif descriptor in STUB_SOCKET.open_connections:
                poll.unregister(descriptor)
                STUB_SOCKET.answer(descriptor, room, stub_reports)
            else:
                capture = pipes[descriptor]
                capture.read()
                if not capture.is_open:
                    poll.unregister(descriptor)
                    del pipes[descriptor]
                elif capture is result:
                    if result.state != "incomplete":
                        stopped = "result"
                elif capture.total > output_limit:
                    stopped = "output"
    left = kill_everything()
    command.close()
    STUB_SOCKET.close_connections(stub_reports)
    # Nothing can write any more: what is still in the pipes is the rest.
    for capture in captures:
        while capture.is_open and capture.total <= output_limit and capture.read():
            pass
        capture.close()
    WITNESS_SOCKET.drain(reports)
    if stopped == "cancelled":
        read_frame()
    return stopped, left
