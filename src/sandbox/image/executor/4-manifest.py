"""The manifest: every entry below a directory with its type, mode and SHA-256, and one root hash over all of it.

manifest.ts holds the same encoding for the host; a test holds the two together.
"""

import hashlib
import os
import stat

# In a mode: the entry has extended attributes or an access control list, which no setup gives it.
EXTENDED = 0o10000
ROOT_MODE = 0o755
READ_BUFFER = bytearray(1 << 18)
# What a text takes in the header of a reply: its hash and its length.
TEXT_HEADER_BYTES = 80


def encode_entry(path, entry):
    """Five fields, each ended by NUL, which no path and no link target can hold: the encoding is unambiguous."""
    kind, mode, size, detail = entry
    return b"%b\0%b\0%o\0%d\0%b\0" % (path, kind, mode, size, detail)


def encode_entries(entries):
    """Entries of `{path: (kind, mode, size, detail)}` in the byte order of their paths."""
    return b"".join([encode_entry(path, entries[path]) for path in sorted(entries)])


def mode_of(status, path):
    """Permissions of a file or directory, and whether it has attributes that somebody gave it."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:
        names = []
    return stat.S_IMODE(status.st_mode) | EXTENDED * any(name.startswith(("user.", "system.")) for name in names)


class Walk:
    """One pass over a directory, never through a link, bounded in depth, entries, bytes and length of the paths.

    Iterative and relative to open directories: neither recursion nor the length of a path can break it. Of small files
    that differ from `known`, the texts for which `may_keep` says so are kept in `texts` by their hash.
    """

    def __init__(self, bounds, known, may_keep):
        self.bounds = bounds
        self.known = known
        self.may_keep = may_keep
        self.entries = {}
        self.texts = {}
        self.truncated = None
        self.bytes_left = bounds["snapshotBytes"]
        self.path_bytes_left = bounds["pathBytes"]

    def run(self, root):
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        mode = mode_of(os.fstat(descriptor), root)
        # The root itself is listed only when somebody changed it.
        if mode != ROOT_MODE:
            self.entries[b"."] = (b"d", mode, 0, b"")
        levels = [(descriptor, b"", self.visit(descriptor, b""))]
        try:
            while levels and self.truncated is None:
                descriptor, prefix, folders = levels[-1]
                if not folders:
                    os.close(levels.pop()[0])
                    continue
                name = folders.pop()
                if len(levels) > self.bounds["depth"]:
                    self.truncated = "depth"
                    break
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                child = os.open(name, flags, dir_fd=descriptor)
                levels.append((child, prefix + name + b"/", []))
                levels[-1][2].extend(self.visit(child, prefix + name + b"/"))
        finally:
            for descriptor, _, _ in levels:
                os.close(descriptor)
        return self

    def visit(self, descriptor, prefix):
        """Adds the entries of one directory; returns the names of the directories in it."""
        folders = []
        with os.scandir(descriptor) as listing:
            for item in listing:
                name = os.fsencode(item.name)
                status = item.stat(follow_symlinks=False)
                kind = stat.S_IFMT(status.st_mode)
                mode = mode_of(status, b"/proc/self/fd/%d/%b" % (descriptor, name))
                path = prefix + name
                if kind == stat.S_IFDIR:
                    entry = (b"d", mode, 0, b"")
                    folders.append(name)
                elif kind == stat.S_IFREG:
                    entry = self.read_file(descriptor, name, path, mode, status.st_size)
                elif kind == stat.S_IFLNK:
                    entry = (b"l", 0, 0, os.readlink(name, dir_fd=descriptor))
                else:
                    entry = (b"s", mode, 0, b"")
                self.path_bytes_left -= len(path) + len(entry[3] if entry else b"")
                if len(self.entries) >= self.bounds["entries"]:
                    self.truncated = "entries"
                elif self.path_bytes_left < 0 or entry is None:
                    self.truncated = "bytes"
                if self.truncated:
                    return []
                self.entries[path] = entry
        return folders

    def read_file(self, folder, name, path, mode, size):
        """The entry of a regular file, or None when it is beyond the bound (a sparse file can be of any size)."""
        self.bytes_left -= size
        if self.bytes_left < 0:
            return None
        digest = hashlib.sha256()
        length = 0
        if size:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            try:
                left = size
                while left > 0:
                    length = os.readv(descriptor, [READ_BUFFER])
                    if length == 0:
                        break
                    digest.update(memoryview(READ_BUFFER)[:length])
                    left -= length
            finally:
                os.close(descriptor)
        entry = (b"f", mode, size, digest.hexdigest().encode())
        # Of a file read in one go the buffer still holds all; only what is new is worth a copy.
        if length == size and size <= self.bounds["textFileBytes"] and self.known.get(path) != entry:
            text = bytes(READ_BUFFER[:size])
            if self.may_keep(entry[3], text):
                self.texts[entry[3]] = text
        return entry


def is_text(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class Manifest:
    """What was last sent to the harness, so that only differences follow."""

    def __init__(self, root, bounds):
        self.path = root
        self.bounds = bounds
        self.start_trial()

    def start_trial(self):
        self.entries = {}
        self.sent_texts = set()
        self.text_bytes_left = self.bounds["textTrialBytes"]

    def whole(self):
        """(header, body) of a whole snapshot. The harness has the texts of a setup, so none are sent."""
        walk = Walk(self.bounds, {}, lambda *_: False).run(self.path)
        self.entries = walk.entries
        self.sent_texts.update(entry[3] for entry in walk.entries.values() if entry[0] == b"f")
        body = encode_entries(walk.entries)
        return {"root": hashlib.sha256(body).hexdigest(), "truncated": walk.truncated}, body

    def delta(self):
        """(header, body) of the difference to what was sent last; the body is entries, deleted paths, texts."""
        walk = Walk(self.bounds, self.entries, self.may_keep).run(self.path)
        changed = {path: entry for path, entry in walk.entries.items() if self.entries.get(path) != entry}
        # A walk that stopped early has not seen the rest: nothing is known to be deleted.
        deleted = [] if walk.truncated else sorted(path for path in self.entries if path not in walk.entries)
        changed_bytes = encode_entries(changed)
        deleted_bytes = b"".join([path + b"\0" for path in deleted])
        truncated = walk.truncated
        if len(changed_bytes) + len(deleted_bytes) > self.bounds["deltaBytes"]:
            truncated, changed_bytes, deleted_bytes = "bytes", b"", b""
        elif not truncated:
            self.entries = walk.entries
        elif len(self.entries) <= self.bounds["entries"]:
            self.entries = {**self.entries, **walk.entries}
        texts = sorted(walk.texts.items())
        header = {
            "root": hashlib.sha256(encode_entries(walk.entries)).hexdigest(),
            "truncated": truncated,
            "changed": len(changed_bytes),
            "deleted": len(deleted_bytes),
            "texts": [[sha256.decode(), len(text)] for sha256, text in texts],
        }
        return header, b"".join([changed_bytes, deleted_bytes, *[text for _, text in texts]])

    def may_keep(self, sha256, text):
        cost = len(text) + TEXT_HEADER_BYTES
        if sha256 in self.sent_texts or cost > self.text_bytes_left or not is_text(text):
            return False
        self.sent_texts.add(sha256)
        self.text_bytes_left -= cost
        return True
