"""An exported site, served from its folder: what GitHub Pages would send, on this machine."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from independence.errors import UsageError
from independence.viewer.bundle import INDEX
from independence.viewer.cache import PackedDocument, pack

_KEPT: Final = 256  # files that stay packed in memory


class FolderPages:
    """The files of a folder, and nothing that lies outside of it."""

    def __init__(self, folder: Path) -> None:
        """Raises UsageError for a folder that is no exported site."""
        if not (folder / INDEX).is_file():
            raise UsageError(
                f"{folder}: no exported site ({INDEX} is missing)", "`independence export DIR --as site` makes one"
            )
        self._folder = folder.resolve()

    def page(self, path: str) -> PackedDocument:
        """A file of the site. Raises KeyError."""
        try:
            file = (self._folder / path).resolve()
            if not file.is_relative_to(self._folder) or not file.is_file():
                raise KeyError(path)
            stat = file.stat()
            return _packed(file, stat.st_mtime_ns, stat.st_size)
        except (OSError, ValueError) as error:  # a name that no file can have
            raise KeyError(path) from error


@lru_cache(_KEPT)
def _packed(file: Path, *_changed: int) -> PackedDocument:  # time and size: a changed file is another one
    return pack(file.read_bytes())
