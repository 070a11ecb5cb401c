"""The cache of compiled code on disk: where it is, what it takes, how to empty it. `python -m naja cache` has the same."""

from __future__ import annotations


def path():
    """The folder of the cache: NAJA_CACHE_DIR, else `naja` in the user's cache folder."""
    from .store.entries import folder

    return folder().path


def info():
    """A dict of the folder's `path`, its `entries` (files), their `bytes` and the `limit`."""
    from .store.entries import folder
    from .store.files import size_limit

    entries, size = folder().usage()
    return {"path": folder().path, "entries": entries, "bytes": size, "limit": size_limit()}


def clear():
    """Removes all entries; returns how many. Code that is loaded goes on running."""
    from .store.entries import folder

    return folder().clear()


def main(command):
    """`python -m naja cache info|clear|path`."""
    if command == "path":
        print(path())
    elif command == "clear":
        print(f"{clear()} files removed from {path()}")
    else:
        found = info()
        print(f"folder   {found['path']}\nentries  {found['entries']}\n"
              f"size     {found['bytes'] / 2**20:.1f} MB of at most {found['limit'] / 2**20:.0f} MB")
    return 0
