"""One file that an option names: written whole, and never over another one unless that is asked for."""

from __future__ import annotations

from pathlib import Path

from independence.config import user_files
from independence.errors import UsageError


def write(file: Path, content: bytes, force: bool, option: str = "--out") -> None:
    """Write a file. Raises UsageError for a store, for any other file unless `force`, or where it cannot be written."""
    user_files.refuse_store(file, option)
    if file.exists() and not force:
        raise UsageError(f"{file}: is there already; name another file, or --force")
    try:
        file.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror}); name another file") from error
