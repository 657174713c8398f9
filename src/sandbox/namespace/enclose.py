"""Opens the namespaces of a sandbox, builds the file system that is seen in them, and starts the executor there.

Started as `python3 -I -S -c … PLAN EXECUTOR…`: PLAN is a JSON object (see layout.ts), EXECUTOR the command of process 1.
Standard input and output belong to the executor. On descriptor 3 it writes one line of JSON: the executor's process id,
or the step that the kernel refused. Needs nothing but Python's standard library and Linux 5.14.
"""

import ctypes
import errno
import json
import os
import py_compile
import signal
import socket
import struct
import sys

CLONE_NEWCGROUP, CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x2000000, 0x20000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 2, 4, 8, 0x4000, 1 << 18
MNT_DETACH = 2
PR_SET_PDEATHSIG = 1
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
OPEN_TREE_CLONE, MOVE_MOUNT_FROM_EMPTY_PATH = 1, 4
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2
# The numbers of these system calls are the same on every architecture.
SYS_OPEN_TREE, SYS_MOVE_MOUNT, SYS_MOUNT_SETATTR = 428, 429, 442

# That of this one is not. Also the processors for which the executor has its filter of system calls.
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(os.uname().machine)
STAGING = "/tmp"
STATUS = 3

libc = ctypes.CDLL(None, use_errno=True)
PLAN = json.loads(sys.argv[1])


class Refused(Exception):
    def __init__(self, step, number):
        super().__init__("%s: %s" % (step, os.strerror(number)))
        self.report = {"step": step, "errno": errno.errorcode.get(number, str(number))}


def check(step, result):
    if result < 0:
        raise Refused(step, ctypes.get_errno())
    return result


def say(report):
    os.write(STATUS, (json.dumps(report) + "\n").encode())


def write_kernel(path, text):
    with open(path, "w") as file:
        file.write(text)


def mount(kind, target, flags, options=""):
    check("mount %s on %s" % (kind, target), libc.mount(kind.encode(), target.encode(), kind.encode(), flags, options.encode()))


def set_attributes(step, descriptor, path, attributes, flags):
    wanted = struct.pack("QQQQ", attributes, 0, 0, 0)
    check(step, libc.syscall(SYS_MOUNT_SETATTR, descriptor, path, flags, wanted, len(wanted)))


def clone_tree(source):
    """A read-only copy of a part of the host's file system, not yet mounted anywhere."""
    step = "bind %s" % source
    descriptor = check(step, libc.syscall(SYS_OPEN_TREE, AT_FDCWD, os.fsencode(source), OPEN_TREE_CLONE | os.O_CLOEXEC | AT_RECURSIVE))
    set_attributes(step, descriptor, b"", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, AT_EMPTY_PATH | AT_RECURSIVE)
    return descriptor


def clone_device(source):
    return check("bind %s" % source, libc.syscall(SYS_OPEN_TREE, AT_FDCWD, os.fsencode(source), OPEN_TREE_CLONE | os.O_CLOEXEC))


def clone_all():
    trees = [(clone_tree(source), source, target) for source, target in PLAN["binds"]]
    return trees + [(clone_device("/dev/" + name), "/dev/" + name, "/dev/" + name) for name in PLAN["devices"]]


def attach(descriptor, source, target):
    """Mounts a copy below the current directory, making the place for it."""
    place = target.lstrip("/")
    if os.path.isdir("/proc/self/fd/%d" % descriptor):
        os.makedirs(place, 0o755, exist_ok=True)
    elif not os.path.lexists(place):
        os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
        open(place, "w").close()
    result = libc.syscall(SYS_MOVE_MOUNT, descriptor, b"", AT_FDCWD, os.fsencode(place), MOVE_MOUNT_FROM_EMPTY_PATH)
    check("bind %s on %s" % (source, target), result)
    os.close(descriptor)


def mount_temporary(place):
    target = place["path"].lstrip("/")
    os.makedirs(target, 0o755, exist_ok=True)
    flags = MS_NOSUID | MS_NODEV | (0 if place["mayExecute"] else MS_NOEXEC)
    mount("tmpfs", target, flags, "size=%d,nr_inodes=%d,mode=%o" % (place["bytes"], place["files"], place["mode"]))


def build(trees):
    """Puts the new root together in a memory file system over STAGING and makes it the root."""
    check("make mounts private", libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
    if trees is None:
        trees = clone_all()
    mount("tmpfs", STAGING, MS_NOSUID | MS_NODEV, "size=8m,nr_inodes=8192,mode=755")
    os.chdir(STAGING)
    for tree in [tree for tree in trees if not tree[2].startswith("/dev/")]:
        attach(*tree)
    for place in PLAN["temporary"]:
        mount_temporary(place)
    for tree in [tree for tree in trees if tree[2].startswith("/dev/")]:
        attach(*tree)
    # No /dev/mqueue: every command has a new namespace for message queues.
    os.makedirs("dev/pts", 0o755, exist_ok=True)
    mount("devpts", "dev/pts", MS_NOSUID | MS_NOEXEC, "newinstance,mode=0620,ptmxmode=0666")
    for path, target in PLAN["links"]:
        os.makedirs(os.path.dirname(path.lstrip("/")) or ".", 0o755, exist_ok=True)
        os.symlink(target, path.lstrip("/"))
    for path, mode, text in PLAN["files"]:
        place = path.lstrip("/")
        os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)
        if place.endswith(".py"):
            unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
            py_compile.compile(place, dfile=path, doraise=True, invalidation_mode=unchecked)
        os.chmod(place, mode)
    os.makedirs("proc", 0o755)
    # While the host's /proc can still be seen: the kernel shows a new one only to those who see one already.
    mount("proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    check("pivot_root", libc.syscall(SYS_PIVOT_ROOT, b".", b"."))
    check("detach the host", libc.umount2(b".", MNT_DETACH))
    os.chdir("/")
    for path in PLAN["readOnly"]:
        set_attributes("make %s read-only" % path, AT_FDCWD, path.encode(), MOUNT_ATTR_RDONLY, 0)


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def map_ids(pid):
    """Root inside is an ordinary user outside, as are the two users of the rooms: three ids that nobody has."""
    for name in ("uid_map", "gid_map"):
        write_kernel("/proc/%d/%s" % (pid, name), "".join("%d %d 1\n" % tuple(pair) for pair in PLAN["ids"]))


def enter_user_namespace(flags):
    user, group = os.geteuid(), os.getegid()
    if PLAN["ids"] is None:
        check("unshare", libc.unshare(flags))
        write_kernel("/proc/self/setgroups", "deny")
        write_kernel("/proc/self/uid_map", "0 %d 1\n" % user)
        write_kernel("/proc/self/gid_map", "0 %d 1\n" % group)
        return
    parent = os.getpid()
    begin_read, begin_write = os.pipe()
    mapper = os.fork()
    if mapper == 0:
        # A process outside: the kernel takes a map of several ids only from one that has the right to these ids.
        os.close(begin_write)
        os._exit(1) if os.read(begin_read, 1) != b"1" else map_ids(parent)
        os._exit(0)
    check("unshare", libc.unshare(flags))
    os.write(begin_write, b"1")
    os.close(begin_write)
    os.close(begin_read)
    if os.waitpid(mapper, 0)[1] != 0:
        raise Refused("map users", errno.EPERM)
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)


def become_executor(trees):
    die_with_parent()
    build(trees)
    socket.sethostname(PLAN["hostname"])
    # An ordinary user's sandbox needs namespaces for its commands; they get this setting then.
    if PLAN["ids"] is not None:
        write_kernel("/proc/sys/user/max_user_namespaces", "0")
    os.set_inheritable(STATUS, False)
    os.execve(sys.argv[2], sys.argv[2:], {"LANG": "C.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin"})


def main():
    die_with_parent()
    if SYS_PIVOT_ROOT is None:
        raise Refused("a processor of kind %s" % os.uname().machine, errno.ENOSYS)
    # The harness may have open what its libraries did not mark as its own.
    os.closerange(STATUS + 1, os.sysconf("SC_OPEN_MAX"))
    os.umask(0o022)
    # Root copies what it needs while it still has its rights: later it is nobody, and a home is closed to nobody.
    trees = None
    if PLAN["ids"] is not None:
        check("unshare", libc.unshare(CLONE_NEWNS))
        check("make mounts private", libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
        trees = clone_all()
    enter_user_namespace(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
    die_with_parent()
    executor = os.fork()
    if executor == 0:
        become_executor(trees)
    for descriptor in (0, 1):
        os.close(descriptor)
    say({"pid": executor})
    os._exit(os.waitstatus_to_exitcode(os.waitpid(executor, 0)[1]) & 0xFF)


try:
    main()
except Refused as refused:
    say(refused.report)
    os._exit(1)
except OSError as error:
    say({"step": str(error.filename or "start"), "errno": errno.errorcode.get(error.errno, str(error.errno))})
    os._exit(1)
