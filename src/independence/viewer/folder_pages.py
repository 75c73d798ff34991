"""An exported site, served from its folder: what GitHub Pages would send, on this machine."""

from __future__ import annotations

from pathlib import Path

from independence.errors import UsageError
from independence.viewer.bundle import INDEX
from independence.viewer.cache import PackedDocument, pack


class FolderPages:
    """The files of a folder, and nothing that lies outside of it."""

    def __init__(self, folder: Path) -> None:
        """Raises UsageError for a folder that is no exported site."""
        if not (folder / INDEX).is_file():
            raise UsageError(
                f"{folder}: no exported site ({INDEX} is missing)", "`independence export DIR --site` makes one"
            )
        self._folder = folder.resolve()

    def page(self, path: str) -> PackedDocument:
        """A file of the site. Raises KeyError."""
        try:
            file = (self._folder / path).resolve()
            if not file.is_relative_to(self._folder) or not file.is_file():
                raise KeyError(path)
            return pack(file.read_bytes())
        except (OSError, ValueError) as error:  # a name that no file can have
            raise KeyError(path) from error
