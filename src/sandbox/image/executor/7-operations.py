"""What the harness can ask for, and the loop that answers. One request at a time; each has exactly one reply."""

import traceback


def memory_file(data):
    descriptor = os.memfd_create("calls", os.MFD_CLOEXEC)
    write_all(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class Executor:
    """Every public method is an operation: it takes header and body of a request and gives those of the reply."""

    def __init__(self):
        self.room = "agent"
        self.manifest = Manifest(WORKSPACE, BOUNDS)
        self.laid_folders = set()
        self.proof = {}

    def reset(self, header, body):
        """Kills everything, empties every writable place and writes the first files. The last part carries the proof."""
        processes_left = kill_everything()
        leftovers = close_unknown_descriptors()
        self.room = header["room"]
        set_read_only(WORKSPACE, False)
        for place in WRITABLE:
            if os.path.isdir(place["path"]):
                empty(place["path"])
                leftovers += restore(place["path"], place["mode"], self.owner_of(place))
                leftovers += len(os.listdir(place["path"]))
        renew_namespaces()
        open_sockets()
        self.manifest.start_trial()
        self.laid_folders = set()
        self.proof = {"processesLeft": processes_left, "leftovers": leftovers}
        return self.lay(header, body)

    def owner_of(self, place):
        user = ROOMS[self.room]
        belongs_to_user = self.room in place["ownedIn"]
        return (user["uid"], user["gid"]) if belongs_to_user and user["setUser"] else (0, 0)

    def lay(self, header, body):
        workspace = next(place for place in WRITABLE if place["path"] == WORKSPACE)
        lay(header["files"], body, self.owner_of(workspace), self.laid_folders)
        if not header["isLast"]:
            return {}, b""
        set_read_only(WORKSPACE, self.room not in workspace["ownedIn"])
        snapshot, entries = self.manifest.whole()
        return {"proof": self.proof, "snapshot": snapshot}, entries

    def exec(self, header, body):
        begin = time.monotonic()
        close_unknown_descriptors()
        captures = [Capture(header["keepBytes"]), Capture(header["keepBytes"])]
        writers = [capture.write_end for capture in captures]
        command = start(ROOMS[self.room], [CONFIG["shell"], "-c", body], [None, *writers])
        for writer in writers:
            os.close(writer)
        reports, stub_reports = Reports(MAX_REPORTS), Reports(MAX_STUB_REPORTS)
        limit = BOUNDS["outputBytes"]
        stopped, left = run_to_end(command, captures, header["timeoutMs"] / 1000, limit, self.room, reports, stub_reports)
        answer = {
            "exitCode": command.exit_code,
            "stopped": stopped,
            "durationMs": (time.monotonic() - begin) * 1000,
            "streams": [[len(capture.head), len(capture.tail), capture.total] for capture in captures],
            "reports": [{**report, "uid": uid_in_room(report["uid"], self.room)} for report in reports],
            "stubReports": stub_reports,
            "droppedReports": reports.dropped + stub_reports.dropped,
            "processesLeft": left,
            "delta": None,
        }
        parts = [part for capture in captures for part in (capture.head, capture.tail)]
        if header["snapshot"] and stopped != "cancelled":
            answer["delta"], entries = self.manifest.delta()
            parts.append(entries)
        return answer, b"".join(parts)

    def evaluate(self, header, body):
        """Runs the evaluator. The first complete frame on its descriptor 3 counts, then everything is killed."""
        close_unknown_descriptors()
        result = ResultPipe(BOUNDS["resultBytes"])
        if header["language"] == "javascript":
            calls = memory_file(body)
            argv = [CONFIG["node"], "-e", CONFIG["javascriptEvaluator"], WORKSPACE]
        else:
            calls = memory_file(repr(json.loads(body)).encode("utf-8", "surrogatepass"))
            flags = ["-I", "-S", "-B", "-X", "pycache_prefix=/nonexistent"]
            argv = [CONFIG["python"], *flags, "-c", CONFIG["evaluator"], WORKSPACE]
        command = start(ROOMS[self.room], argv, [calls, None, None, result.write_end])
        os.close(result.write_end)
        os.close(calls)
        none = Reports(0)
        stopped, left = run_to_end(command, [result], header["timeoutMs"] / 1000, result.keep, self.room, none, none, result)
        kind = {"complete": "values", "incomplete": "no-frame"}.get(result.state, result.state)
        if kind == "no-frame" and stopped == "timeout":
            kind = "timeout"
        return {"kind": kind, "processesLeft": left}, bytes(result.head[4:]) if kind == "values" else b""

    def read_lines(self, header, body):
        return read_lines(self.room, header["path"], header["offset"], header["limit"], header["maxBytes"])

    def write_file(self, header, body):
        write_file(self.room, header["path"], body)
        delta, entries = self.manifest.delta()
        return {"delta": delta}, entries

    def freeze(self, header, body):
        processes_left = kill_everything()
        snapshot, entries = self.manifest.whole()
        return {"snapshot": snapshot, "processesLeft": processes_left}, entries

    def collect(self, header, body):
        """As many files as one reply holds; the harness asks again for those from `next` on."""
        files, refused, parts = [], [], []
        bytes_left = header["maxTotalBytes"]
        used = 0
        for index, path in enumerate(header["paths"]):
            try:
                mode, data = collect_file(path, header["maxFileBytes"])
                if len(data) > bytes_left:
                    raise Refused("with it the files would be larger than the bound for all of them")
            except Refused as refusal:
                refused.append([path, str(refusal)])
                continue
            if used and used + len(data) > BOUNDS["replyBytes"]:
                return {"files": files, "refused": refused, "next": index}, b"".join(parts)
            files.append([path, mode, len(data)])
            parts.append(data)
            used += len(data)
            bytes_left -= len(data)
        return {"files": files, "refused": refused, "next": None}, b"".join(parts)


OPERATIONS = {"reset", "lay", "exec", "evaluate", "read_lines", "write_file", "freeze", "collect"}


def open_sockets():
    """In a directory that nobody else can change."""
    folder = os.path.dirname(os.path.dirname(CONFIG["witness"]))
    set_read_only(folder, False)
    WITNESS_SOCKET.open()
    STUB_SOCKET.open()
    set_read_only(folder, True)


def serve():
    executor = Executor()
    while True:
        header, body = read_frame()
        operation = header["operation"]
        if operation == "cancel":
            # It came too late: the reply is on its way already.
            continue
        if operation not in OPERATIONS:
            sys.exit("unknown operation %r" % operation)
        try:
            reply, reply_body = getattr(executor, operation)(header, body)
        except Refused as refusal:
            reply, reply_body = {"refused": str(refusal)}, b""
        except Exception:
            reply, reply_body = {"fault": traceback.format_exc()[-4000:]}, b""
        send_frame(reply, reply_body)
        reap()
        exit_statuses.clear()


signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
give_up_for_good()
open_sockets()
try_enclosure()
survivors = places_that_would_survive()
send_frame(
    {
        "ready": 1,
        "python": "%d.%d.%d" % sys.version_info[:3],
        "shell": os.access(CONFIG["shell"], os.X_OK),
        "limits": limits_in_force(),
        "survivors": survivors,
    }
)
serve()
