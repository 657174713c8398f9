"""File operations asked for by the harness: write a setup, read lines, write, collect, and empty the writable places."""

import array
import errno

MAX_LINES_FILE_BYTES = 32 << 20
PATH_MAX = 4095
FS_IOC_SETFLAGS = 0x40086602


def system_path(text):
    """Bytes of a path that came as JSON. What no file can be named is refused."""
    try:
        path = os.fsencode(text)
    except UnicodeEncodeError:
        raise Refused("no file can have such a name (it is not well-formed text)")
    if not path or b"\0" in path:
        raise Refused("no file can have such a name (it is empty or holds a NUL)")
    if len(path) > PATH_MAX:
        raise Refused("the path is longer than %d bytes" % PATH_MAX)
    return path


def reason_of(error):
    return os.strerror(error.errno) if error.errno else str(error)


def open_regular(path, flags, mode=0o644):
    """Opens a regular file with the caller's rights; never waits for a pipe, never touches what the kernel invents."""
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, mode)
    except OSError as error:
        # A pipe without a reader, a socket.
        raise Refused("not a regular file" if error.errno in (errno.ENXIO, errno.ENODEV) else reason_of(error))
    status = os.fstat(descriptor)
    problem = None
    if stat.S_ISDIR(status.st_mode):
        problem = "it is a directory"
    elif not stat.S_ISREG(status.st_mode):
        problem = "not a regular file"
    elif status.st_dev in (os.stat("/proc").st_dev, os.stat("/sys").st_dev if os.path.isdir("/sys") else -1):
        # Seen from here /proc/self would be the executor's.
        problem = "files of the kernel can only be read by a command"
    if problem:
        os.close(descriptor)
        raise Refused(problem)
    return descriptor, status


def read_all(descriptor, size):
    chunks = []
    while size > 0:
        chunk = os.read(descriptor, min(size, 1 << 20))
        if not chunk:
            break
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def read_lines(room, path, offset, limit, max_bytes):
    """Whole lines from `offset` (counted from 1), as many as fit; a first line that does not fit is cut."""
    with Unprivileged(room):
        descriptor, status = open_regular(os.path.join(os.fsencode(WORKSPACE), system_path(path)), os.O_RDONLY)
        try:
            if status.st_size > MAX_LINES_FILE_BYTES:
                raise Refused("the file has %d bytes; read a part of it with a command" % status.st_size)
            data = read_all(descriptor, status.st_size)
        except OSError as error:
            raise Refused(reason_of(error))
        finally:
            os.close(descriptor)
    total_lines = data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)
    begin = 0
    for _ in range(min(offset, total_lines + 1) - 1):
        begin = data.find(b"\n", begin) + 1 or len(data)
    end = begin
    count = 0
    while end < len(data) and (limit is None or count < limit):
        after = data.find(b"\n", end) + 1 or len(data)
        if after - begin > max_bytes:
            break
        end = after
        count += 1
    if count == 0 and begin < len(data) and limit != 0:
        end = begin + max_bytes
        count = 1
    header = {"firstLine": offset, "lineCount": count, "totalLines": total_lines, "totalBytes": len(data)}
    return header, data[begin:end]


def make_parents(path):
    """Directories above a path. Not os.makedirs: it recurses, and a path can have 2,000 segments."""
    position = 0
    while (position := path.find(b"/", position + 1)) > 0:
        try:
            os.mkdir(path[:position], 0o755)
        except FileExistsError:
            continue
        except OSError:
            # A read-only file system says so even for a directory that exists.
            if not os.path.isdir(path[:position]):
                raise


def write_all(descriptor, data):
    data = memoryview(data)
    while data:
        data = data[os.write(descriptor, data) :]


def write_file(room, path, body):
    """Writes with the rights of the room's user, through links as a shell would."""
    with Unprivileged(room):
        try:
            target = os.path.normpath(os.path.join(os.fsencode(WORKSPACE), system_path(path)))
            make_parents(target)
            descriptor, _ = open_regular(target, os.O_WRONLY | os.O_CREAT)
            try:
                os.ftruncate(descriptor, 0)
                write_all(descriptor, body)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise Refused(reason_of(error))


def open_beneath(path):
    """Opens a file of the workspace without following any link on the way."""
    segments = path.split(b"/")
    if any(segment in (b"", b".", b"..") for segment in segments):
        raise Refused("not a plain path inside the workspace")
    folder = os.open(WORKSPACE, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for segment in segments[:-1]:
            below = os.open(segment, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = below
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        return os.open(segments[-1], flags, dir_fd=folder)
    except OSError as error:
        on_the_way = {errno.ELOOP: "it is, or is behind, a symbolic link", errno.ENOTDIR: "a part of the path is not a directory"}
        raise Refused(on_the_way.get(error.errno) or reason_of(error))
    finally:
        os.close(folder)


def collect_file(path, max_bytes):
    descriptor = open_beneath(system_path(path))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Refused("not a regular file")
        if status.st_size > max_bytes:
            raise Refused("it has %d bytes; the bound is %d" % (status.st_size, max_bytes))
        return stat.S_IMODE(status.st_mode) & 0o777, read_all(descriptor, status.st_size)
    finally:
        os.close(descriptor)


def lay(files, body, owner, made):
    """Writes files of a setup into the workspace, which nothing else can touch meanwhile: no process runs.

    `made` holds the directories that were made already.
    """
    position = 0
    for path, mode, length, is_continued in files:
        target = os.path.join(os.fsencode(WORKSPACE), system_path(path))
        folder = os.path.dirname(target)
        if folder not in made:
            lay_folders(folder, owner, made)
        flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        flags |= os.O_APPEND if is_continued else os.O_CREAT | os.O_EXCL
        descriptor = os.open(target, flags, 0o600)
        try:
            write_all(descriptor, body[position : position + length])
            os.fchown(descriptor, *owner)
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)
        position += length


def lay_folders(folder, owner, made):
    top = len(os.fsencode(WORKSPACE))
    position = top
    while position < len(folder):
        position = folder.find(b"/", position + 1)
        if position < 0:
            position = len(folder)
        part = folder[:position]
        if part not in made:
            made.add(part)
            os.mkdir(part, 0o755)
            os.chown(part, *owner)


def empty(folder):
    """Deletes all below a directory. Iterative, and flat: a nest of any depth is taken apart from the top."""
    folder = os.fsencode(folder)
    token = os.urandom(8).hex().encode()
    moved = 0
    while names := os.listdir(folder):
        for name in names:
            path = folder + b"/" + name
            if not is_folder(path):
                os.unlink(path)
                continue
            for inner in os.listdir(path):
                inner_path = path + b"/" + inner
                if is_folder(inner_path):
                    moved += 1
                    os.rename(inner_path, b"%b/%b.%d" % (folder, token, moved))
                else:
                    os.unlink(inner_path)
            os.rmdir(path)


def is_folder(path):
    return stat.S_ISDIR(os.lstat(path).st_mode)


def restore(folder, mode, owner):
    """Gives a mount point back its owner, mode, times and flags, and takes away extended attributes. Returns faults left."""
    os.chown(folder, *owner)
    for name in attributes_of(folder):
        os.removexattr(folder, name)
    os.chmod(folder, mode)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.ioctl(descriptor, FS_IOC_SETFLAGS, array.array("l", [0]))
    except OSError as error:
        # Older kernels have no such flags on a memory file system: then nobody can have set one.
        if error.errno not in (errno.ENOTTY, errno.EOPNOTSUPP, errno.EINVAL):
            raise
    finally:
        os.close(descriptor)
    os.utime(folder, (0, 0))
    status = os.stat(folder)
    is_as_new = stat.S_IMODE(status.st_mode) == mode and (status.st_uid, status.st_gid) == owner
    return len(attributes_of(folder)) + (0 if is_as_new else 1)


def attributes_of(folder):
    """Extended attributes, access control lists among them."""
    try:
        return os.listxattr(folder)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return []
        raise
