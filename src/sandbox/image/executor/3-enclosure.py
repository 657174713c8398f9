"""What an executor needs when it has no second user to run commands as: namespaces of their own for each command.

Inside them a command is the room's user; outside it is the executor's own user, which it cannot see or reach. Nothing
has to be mounted for it but /proc: all else is as the executor sees it, and what must not be changed is read-only.
"""

import signal

CLONE_NEWNS, CLONE_NEWIPC = 0x20000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND = 1, 2, 4, 8, 0x1000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
# What engines hide in containers: it is about the machine, not about the sandbox.
MASKED = ("acpi", "asound", "kcore", "keys", "latency_stats", "timer_list", "timer_stats", "sched_debug", "scsi")
MOUNT_ATTR_RDONLY = 1
AT_FDCWD = -100
SYS_CLONE3, SYS_MOUNT_SETATTR = 435, 442
PR_SET_DUMPABLE, PR_SET_NAME = 4, 15
CAPABILITY_VERSION = 0x20080522

def has_one_user():
    return not ROOMS["agent"]["setUser"]


def uid_in_room(uid, room):
    """The user a report comes from, as the room calls it."""
    return ROOMS[room]["uid"] if has_one_user() and uid == 0 else uid


def set_read_only(path, is_read_only):
    """Only with one user: between two, the owner of a file decides."""
    if not has_one_user():
        return
    wanted = struct.pack("QQQQ", MOUNT_ATTR_RDONLY * is_read_only, MOUNT_ATTR_RDONLY * (not is_read_only), 0, 0)
    checked("remount " + path, libc.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, os.fsencode(path), 0, wanted, len(wanted)))


def set_capabilities(are_effective):
    """Drops the capabilities that would let file operations pass every permission, or takes them up again."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()
    checked("capget", libc.capget(header, sets))
    for part in (0, 3):
        sets[part] = sets[part + 1] if are_effective else 0
    checked("capset", libc.capset(header, sets))


def write_setting(path, text):
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text)
    finally:
        os.close(descriptor)


def mask_kernel():
    for name in MASKED:
        path = b"/proc/" + name.encode()
        if os.path.isdir(path):
            checked("mask", libc.mount(b"none", path, b"tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, b"size=4k"))
        elif os.path.exists(path):
            checked("mask", libc.mount(b"/dev/null", path, None, MS_BIND, None))


def renew_namespaces():
    """A new network, and process ids from the first again: counters of the trial before would tell something of it.

    Only where process 1 may make namespaces; in a container it may not.
    """
    if ROOMS["agent"]["namespaces"] == "none":
        return
    checked("unshare", libc.unshare(CLONE_NEWNET))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))
    # Else a port that a command used would stay taken for a minute.
    write_setting("/proc/sys/net/ipv4/tcp_max_tw_buckets", b"0")
    if os.path.exists("/proc/sys/kernel/ns_last_pid"):
        write_setting("/proc/sys/kernel/ns_last_pid", b"1")


def clone_into_namespaces():
    """Like fork, but the child is process 1 of new namespaces."""
    flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC
    arguments = (ctypes.c_uint64 * 8)(flags, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    return checked("clone3", libc.syscall(SYS_CLONE3, arguments, ctypes.sizeof(arguments)))


def furnish(room):
    """Makes new namespaces a place for commands: one user, its own /proc, and no further namespaces."""
    write_setting("/proc/self/setgroups", b"deny")
    write_setting("/proc/self/uid_map", b"%d 0 1" % room["uid"])
    write_setting("/proc/self/gid_map", b"%d 0 1" % room["gid"])
    write_setting("/proc/sys/user/max_user_namespaces", b"0")
    checked("mount /proc", libc.mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None))
    mask_kernel()
    libc.prctl(PR_SET_NAME, b"init", 0, 0, 0)
    # Signals that process 1 does not handle cannot reach it from within.
    for handled in (signal.SIGTERM, signal.SIGINT):
        signal.signal(handled, signal.SIG_DFL)
    # Nothing that runs beside it may look into it. A command gets this back when it is executed.
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def start_enclosed(room, run):
    """Starts `run`, which never returns, as the second process of new namespaces.

    Returns the id of the first, and a descriptor from which the wait status of the second can be read when it ended.
    """
    status_end, report_end = os.pipe2(os.O_CLOEXEC)
    pid = clone_into_namespaces()
    if pid:
        os.close(report_end)
        return pid, status_end
    try:
        furnish(room)
        command = os.fork()
        if command == 0:
            run()
        # The streams are at their end when the command and what it started are, not when this process is.
        os.closerange(0, report_end)
        os.closerange(report_end + 1, 4096)
        while True:
            ended, status = os.wait()
            if ended == command:
                os.write(report_end, struct.pack("i", status))
    except ChildProcessError:
        os._exit(0)
    except BaseException as error:
        os.write(2, ("namespaces of a command: %s\n" % error).encode("utf-8", "replace"))
    finally:
        os._exit(126)


def try_enclosure():
    """Ends the executor when the kernel does not give a command its namespaces: better now than at the first call."""
    if not has_one_user():
        return
    pid, status_end = start_enclosed(ROOMS["agent"], lambda: os._exit(0))
    is_possible = len(os.read(status_end, 4)) == 4
    os.close(status_end)
    os.waitpid(pid, 0)
    if not is_possible:
        sys.exit("the kernel gives no namespaces for a command inside those of the sandbox")
