"""What really holds in this sandbox, as seen from inside: an engine may have ignored what it was asked for."""

# Kinds of file systems that keep nothing a command wrote.
KERNEL_FILE_SYSTEMS = {"proc", "sysfs", "devpts", "cgroup", "cgroup2", "mqueue"}
SANDBOX_OWN_PLACES = {"/dev", "/run"}
KERNEL_PLACES = ("/sys/", "/proc/")
CONTROL_GROUP_FILES = {
    "memory_bytes": ["memory/memory.limit_in_bytes", "memory.max"],
    "memory_and_swap_bytes": ["memory/memory.memsw.limit_in_bytes"],
    "processes": ["pids/pids.max", "pids.max"],
}
# What version 1 of control groups shows where no limit is set.
UNLIMITED = 1 << 60


def read_number(path):
    try:
        with open(path) as file:
            number = int(file.read())
    except (OSError, ValueError):
        return None
    return number if 0 < number < UNLIMITED else None


def processors():
    """Limit of processor time as a number of processors, or None."""
    root = "/sys/fs/cgroup/"
    quota, period = read_number(root + "cpu/cpu.cfs_quota_us"), read_number(root + "cpu/cpu.cfs_period_us")
    try:
        with open(root + "cpu.max") as file:
            quota, period = [int(part) for part in file.read().split()]
    except (OSError, ValueError):
        pass
    return quota / period if quota and period else None


def limits_in_force():
    limits = {"uid": ROOMS["agent"]["uid"], "processors": processors()}
    for name, files in CONTROL_GROUP_FILES.items():
        limits[name] = next((n for n in (read_number("/sys/fs/cgroup/" + file) for file in files) if n), None)
    for place in WRITABLE:
        if os.path.ismount(place["path"]):
            status = os.statvfs(place["path"])
            limits["bytes " + place["path"]] = status.f_blocks * status.f_frsize
            limits["files " + place["path"]] = status.f_files
    with open("/proc/self/status") as file:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    limits["seccomp"] = fields.get("Seccomp") == "2"
    limits["landlock"] = WRITING_RULES is not None
    limits["network"] = [name for _, name in socket.if_nameindex()] != ["lo"]
    limits["readonly_root"] = bool(os.statvfs("/").f_flag & os.ST_RDONLY)
    return {name: value for name, value in limits.items() if value is not None}


def places_that_would_survive():
    """Writable mounts that a reset does not empty, for example a VOLUME of the image."""
    known = {place["path"] for place in WRITABLE} | SANDBOX_OWN_PLACES
    found = []
    with open("/proc/self/mountinfo") as file:
        for line in file:
            before, after = line.rstrip("\n").split(" - ", 1)
            path, options = before.split(" ")[4:6]
            if after.split(" ")[0] in KERNEL_FILE_SYSTEMS or path in known or path.startswith(KERNEL_PLACES):
                continue
            if "rw" not in options.split(","):
                continue
            if os.path.isdir(path) and not os.statvfs(path).f_flag & os.ST_RDONLY:
                found.append(path)
    return found
