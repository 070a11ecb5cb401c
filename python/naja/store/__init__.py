"""Compiled code on disk: files (`files`), what an entry depends on (`reads`), and finding, loading and writing entries
(`entries`). docs/architecture/store.md tells how they work together."""
