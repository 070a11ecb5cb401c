"""The version, once: pyproject.toml and CMake read it from here."""

__version__ = "0.1.0"
version_info = tuple(map(int, __version__.split(".")))
