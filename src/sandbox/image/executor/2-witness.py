"""The witness: a datagram socket to which the pytest plugin reports. The kernel says who sent each message."""

import socket

SCM_CREDENTIALS = 2
MAX_REPORTS = 256
# More than the kernel queues for one socket (net.unix.max_dgram_qlen, usually 10 or 512).
MAX_DRAINED = 1_024
MAX_REPORT_BYTES = 16_384
MAX_ARGUMENT_BYTES = 2_000
# What all reports of a command may take in the reply: a character can become six there.
MAX_ENCODED_BYTES = 1_500_000


class Reports(list):
    """Reports of one command to one socket, at most so many and so long. What is not a report or too much is counted."""

    def __init__(self, most):
        super().__init__()
        self.most = most
        self.bytes_left = MAX_ENCODED_BYTES
        self.dropped = 0

    def add(self, report):
        size = len(json.dumps(report))
        if report is None or len(self) >= self.most or size > self.bytes_left:
            self.dropped += 1
            return
        self.bytes_left -= size
        self.append(report)


class Witness:
    def __init__(self, path):
        self.path = path
        self.socket = None

    def open(self):
        """A new socket, so that nothing sent before is still queued."""
        if self.socket:
            self.socket.close()
        folder = os.path.dirname(self.path)
        os.makedirs(folder, 0o755, exist_ok=True)
        os.chmod(folder, 0o755)
        kinds = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
        self.socket = socket.socket(socket.AF_UNIX, kinds)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        if os.path.lexists(self.path):
            os.unlink(self.path)
        self.socket.bind(self.path)
        os.chmod(self.path, 0o622)

    def fileno(self):
        return self.socket.fileno()

    def drain(self, reports):
        """Moves what is queued into `reports`: the text as it came, and who sent it.

        Bounded, because senders that never stop must not keep the executor from its deadlines. There is room for the
        credentials alone: descriptors that were sent along are closed by the kernel, which then sets MSG_CTRUNC.
        """
        for _ in range(MAX_DRAINED):
            try:
                data, ancillary, flags, _ = self.socket.recvmsg(MAX_REPORT_BYTES, socket.CMSG_LEN(12))
            except BlockingIOError:
                return
            sender = next((struct.unpack("3i", item) for _, kind, item in ancillary if kind == SCM_CREDENTIALS), None)
            if sender is None or flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC) or len(reports) >= reports.most:
                reports.dropped += 1
                continue
            pid, uid, _ = sender
            text = data.decode("utf-8", "replace")
            reports.add({"pid": pid, "uid": uid, "argv": arguments_of(pid), "text": text})


def arguments_of(pid):
    """The command line of a process, or null when it is gone already."""
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return file.read(MAX_ARGUMENT_BYTES).decode("utf-8", "replace").split("\0")[:-1]
    except OSError:
        return None


WITNESS_SOCKET = Witness(CONFIG["witness"])
