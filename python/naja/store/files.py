"""The folder of the object store: files that are written whole or not at all, and believed only where nobody else can
have written them and their hash is right."""

from __future__ import annotations

import os
import stat
import time

from .. import _core

MAGIC = b"NAJAOBJ1"
_VERSION = "v1"
_TOUCH_AFTER = 3600.0   # seconds: how exact the time of last use is
_JOURNAL_LIMIT = 64 << 10


def default_folder():
    """NAJA_CACHE_DIR, else `naja` in the user's cache folder."""
    chosen = _core.get_option("CACHE_DIR")
    if chosen:
        return chosen
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "naja")


def size_limit():
    """Bytes that the store may take (NAJA_CACHE_SIZE)."""
    text = _core.get_option("CACHE_SIZE").strip().upper().removesuffix("B").removesuffix("I")
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}.get(text[-1:], 1)
    try:
        return max(0, int(float(text.rstrip("KMGT")) * unit))
    except ValueError:
        return 1 << 30


class Folder:
    """One store. Every method may be called by many processes at once. Reading never raises: what cannot be read is not
    there. Writing raises OSError."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.root = os.path.join(self.path, _VERSION)

    def _trusted(self, info, is_folder):
        kind = stat.S_ISDIR if is_folder else stat.S_ISREG
        return kind(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o022

    def check(self):
        """Whether the folder is there and nobody else can write to it."""
        try:
            return self._trusted(os.lstat(self.root), True)
        except OSError:
            return False

    def make(self):
        os.makedirs(self.path, exist_ok=True)
        try:
            os.mkdir(self.root, 0o700)
        except FileExistsError:
            pass
        if not self.check():
            raise PermissionError(f"{self.root} is not a folder of this user that others cannot write to")

    def _place(self, name):
        return os.path.join(self.root, name[:2], name[2:])

    def read(self, name):
        """The payload of a file, or None; a file that is not to be believed is removed."""
        path = self._place(name)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            info = os.fstat(descriptor)
            if not self._trusted(info, False):
                return None
            data = b""
            while len(data) < info.st_size:
                part = os.read(descriptor, info.st_size - len(data))
                if not part:
                    break
                data += part
            if time.time() - info.st_mtime > _TOUCH_AFTER:
                self._touch(descriptor)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        if data[:8] != MAGIC or data[8:24] != _core.hash128(name.encode() + data[24:]):
            self.remove(name)
            return None
        return data[24:]

    @staticmethod
    def _touch(descriptor):
        try:
            os.utime(descriptor)
        except OSError:
            pass  # a read-only disk

    def remove(self, name):
        try:
            os.unlink(self._place(name))
        except OSError:
            pass

    def write(self, name, payload):
        """Puts a file in place by renaming."""
        data = MAGIC + _core.hash128(name.encode() + payload) + payload
        path = self._place(name)
        temporary = f"{path}.{os.getpid()}.{time.monotonic_ns()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(temporary, flags, 0o600)
        except FileNotFoundError:
            self.make()
            try:
                os.mkdir(os.path.dirname(path), 0o700)
            except FileExistsError:
                pass
            descriptor = os.open(temporary, flags, 0o600)
        try:
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view):]
            finally:
                os.close(descriptor)
            os.rename(temporary, path)
        except OSError:
            try:
                os.unlink(temporary)
            except OSError:
                pass
            raise
        self._account(len(data))

    # ------------------------------------------------------------------ size
    def _journal(self):
        return os.path.join(self.root, "journal")

    def _account(self, size):
        """Notes what was written; once the notes add up to the limit, the least recently used files go. The notes decide
        only when to look."""
        descriptor = os.open(self._journal(), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, size.to_bytes(8, "little"))
            notes = os.pread(descriptor, _JOURNAL_LIMIT + 8, 0)
        finally:
            os.close(descriptor)
        total = sum(int.from_bytes(notes[i:i + 8], "little") for i in range(0, len(notes) - 7, 8))
        if total > size_limit() or len(notes) > _JOURNAL_LIMIT:
            self.evict(size_limit())

    def evict(self, limit):
        """Removes the least recently used files until the rest takes at most nine tenths of the limit. One process at a
        time; the others go on."""
        import fcntl

        lock = os.open(os.path.join(self.root, "lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return
            files = sorted(self._files())
            total = sum(size for _, size, _ in files)
            target = total if total <= limit else limit * 0.9
            now = time.time()
            for used, size, path in files:
                stale = path.endswith(".tmp") and now - used > 600
                if not stale and total <= target:
                    continue
                try:
                    os.unlink(path)
                except OSError:
                    continue
                total -= size
            temporary = os.path.join(self.root, f"journal.{os.getpid()}.tmp")
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            os.write(descriptor, total.to_bytes(8, "little"))
            os.close(descriptor)
            os.rename(temporary, self._journal())
        finally:
            os.close(lock)

    def _files(self):
        """(time of last use, size, path) of every entry."""
        try:
            shards = [e.path for e in os.scandir(self.root) if len(e.name) == 2 and e.is_dir(follow_symlinks=False)]
        except OSError:
            return
        for shard in shards:
            try:
                entries = list(os.scandir(shard))
            except OSError:
                continue
            for entry in entries:
                try:
                    info = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield info.st_mtime, info.st_size, entry.path

    def clear(self):
        """Removes all entries; how many."""
        if not self.check():
            return 0
        removed = 0
        for _, _, path in list(self._files()):
            try:
                os.unlink(path)
                removed += 1
            except OSError:
                pass
        try:
            os.unlink(self._journal())
        except OSError:
            pass
        return removed

    def usage(self):
        """(entries, bytes)."""
        if not self.check():
            return 0, 0
        sizes = [size for _, size, _ in self._files()]
        return len(sizes), sum(sizes)
