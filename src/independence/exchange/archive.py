"""The files of a result set, from a folder or from a tar archive that is read as a stream and never unpacked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple, cast

from independence.errors import UsageError
from independence.exchange.layout import names_configuration

LARGEST = 16 * 1024 * 1024  # bytes; published files end at 28 KB, so what is larger is not one of them
_OPENERS: dict[bytes, Callable[[Path], IO[bytes]]] = {
    b"\x1f\x8b": cast("Callable[[Path], IO[bytes]]", gzip.open),
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
_DAMAGE = (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, OSError)


class ResultFile(NamedTuple):
    """One regular file: its path in parts and its bytes, or None where it is larger than `LARGEST`."""

    parts: tuple[str, ...]
    content: bytes | None


def files(path: Path) -> Iterator[ResultFile]:
    """Every file of a result set: a cache folder, a folder that contains `cache/`, one configuration, or a tar.

    A tar is known to be whole only once the iterator is exhausted; store nothing before that.
    Raises UsageError where the path cannot be read, is no result set, or is a damaged archive.
    """
    if path.is_dir():
        return _folder(path)
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    return _archive(path)


def _folder(path: Path) -> Iterator[ResultFile]:
    for top in _configurations(path):
        for folder, below, names in os.walk(top):
            below.sort()
            for name in sorted(names):
                file = Path(folder, name)
                yield ResultFile((top.name, *file.relative_to(top).parts), _content(file))


def _configurations(path: Path) -> list[Path]:
    for base in (path, path / "cache"):
        found = [child for child in base.iterdir() if names_configuration(child.name)] if base.is_dir() else []
        if found:
            return sorted(child for child in found if child.is_dir())
    if names_configuration(path.resolve().name):
        return [path.resolve()]
    raise nothing_found(path)


def nothing_found(path: Path) -> UsageError:
    """The complaint about a path without a single configuration."""
    return UsageError(
        f"{path}: no configuration directory found; a result set has folders named like `vendor--model@low-t0.7`, "
        "an older one like `vendor--model`"
    )


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes() if file.stat().st_size <= LARGEST else None
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error


def _archive(path: Path) -> Iterator[ResultFile]:
    try:
        with _decompressed(path) as stream:
            watched = _LastBlock(stream)
            with tarfile.open(fileobj=watched, mode="r:") as tar:  # type: ignore[call-overload]
                for member in tar:
                    if member.isfile():
                        yield ResultFile(PurePosixPath(member.name).parts, _extracted(tar, member))
            # tarfile takes a cut or broken header in the middle for the end; only a block of zeros is one.
            if watched.last != bytes(tarfile.BLOCKSIZE):
                raise tarfile.ReadError("it ends before its end mark")
            while watched.read(1 << 20):  # the rest holds the checksums
                pass
    except _DAMAGE as error:
        raise UsageError(f"{path}: not a tar archive, or a damaged one ({error}); nothing was imported") from error


def _extracted(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes | None:
    source = tar.extractfile(member) if member.size <= LARGEST else None
    return source.read() if source else None


def _decompressed(path: Path) -> IO[bytes]:
    with path.open("rb") as source:
        head = source.read(6)
    for magic, opened in _OPENERS.items():
        if head.startswith(magic):
            return opened(path)
    return path.open("rb")


class _LastBlock:
    """A stream that remembers the block it gave last."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.last = b""

    def read(self, size: int = -1) -> bytes:
        self.last = self.stream.read(size)
        return self.last

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self.stream.seek(offset, whence)

    def tell(self) -> int:
        return self.stream.tell()
