"""What no command may do, wherever the sandbox runs: decided once by process 1, inherited by all it starts."""

import ctypes

PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
BPF_LOAD, BPF_EQUAL, BPF_AT_LEAST, BPF_RETURN = 0x20, 0x15, 0x35, 0x06
SECCOMP_ALLOW, SECCOMP_ERROR = 0x7FFF0000, 0x00050000

# What differs by processor: the name the kernel's audit has for it, and the numbers of system calls.
PROCESSORS = {
    "x86_64": {
        "audit": 0xC000003E, "socket": 41,
        "add_key": 248, "request_key": 249, "keyctl": 250, "perf_event_open": 298, "bpf": 321, "userfaultfd": 323,
    },
    "aarch64": {
        "audit": 0xC00000B7, "socket": 198,
        "add_key": 217, "request_key": 218, "keyctl": 219, "perf_event_open": 241, "bpf": 280, "userfaultfd": 282,
    },
}  # fmt: skip
# Key rings belong to a user and outlive processes: a trial could leave a note for the next. The rest is never needed,
# and has been a way out of namespaces before.
DENIED = ("add_key", "request_key", "keyctl", "perf_event_open", "bpf", "userfaultfd")
IO_URING = (425, 426, 427)
X32 = 0x40000000
# Address families from here on talk to hardware, the hypervisor or the kernel; those of networks come before.
FIRST_DENIED_FAMILY = socket.AF_PACKET

SYS_LANDLOCK_CREATE_RULESET, SYS_LANDLOCK_ADD_RULE, SYS_LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_CREATE_RULESET_VERSION, LANDLOCK_RULE_PATH_BENEATH = 1, 1
LANDLOCK_WRITE_FILE, LANDLOCK_REFER = 1 << 1, 1 << 13

libc = ctypes.CDLL(None, use_errno=True)


def checked(step, result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (step, os.strerror(number)))
    return result


def deny_system_calls():
    """A filter for this process and all it starts: what is DENIED fails as if it were not permitted."""
    processor = PROCESSORS.get(os.uname().machine)
    if processor is None:
        return
    numbers = [processor[name] for name in DENIED] + list(IO_URING)
    # (code, where to go on when true, when false, operand): the last two instructions allow and deny.
    program = [(BPF_LOAD, 0, 0, 4), (BPF_EQUAL, 0, len(numbers) + 6, processor["audit"]), (BPF_LOAD, 0, 0, 0)]
    program.append((BPF_AT_LEAST, len(numbers) + 4, 0, X32))
    program += [(BPF_EQUAL, len(numbers) + 3 - index, 0, number) for index, number in enumerate(numbers)]
    program += [(BPF_EQUAL, 0, 2, processor["socket"]), (BPF_LOAD, 0, 0, 16), (BPF_AT_LEAST, 1, 0, FIRST_DENIED_FAMILY)]
    program += [(BPF_RETURN, 0, 0, SECCOMP_ALLOW), (BPF_RETURN, 0, 0, SECCOMP_ERROR | errno.EPERM)]
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    checked("system call filter", libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, header, 0, 0))


def drop_bounding_set():
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            return


def writing_rules():
    """Rules (Landlock) by which files can be written only below the writable places and /dev; null on older kernels.

    Above all, a command cannot write to /proc: by its oom_score_adj it would offer process 1 to the kernel in its place.
    """
    if libc.syscall(SYS_LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_CREATE_RULESET_VERSION) < 2:
        return None
    rights = LANDLOCK_WRITE_FILE | LANDLOCK_REFER
    ruleset = checked("rules", libc.syscall(SYS_LANDLOCK_CREATE_RULESET, struct.pack("Q", rights), 8, 0))
    for path in ["/dev", *[place["path"] for place in WRITABLE if os.path.isdir(place["path"])]]:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights, descriptor)
        checked("rule", libc.syscall(SYS_LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0))
        os.close(descriptor)
    return ruleset


def close_unknown_descriptors():
    """Closes what process 1 has no reason to hold, and returns how many of it are left.

    What a command makes process 1 hold would outlive the trial: a file that was deleted, a port, a directory.
    """
    known = {0, 1, 2, REQUESTS, REPLIES, WRITING_RULES, WITNESS_SOCKET.fileno(), STUB_SOCKET.fileno()}
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) not in known:
                os.close(int(name))
        except OSError:
            pass  # that of the listing itself, which is closed already
    return len(set(map(int, os.listdir("/proc/self/fd"))) - known) - 1


WRITING_RULES = writing_rules()
