"""Writes exported files into a folder, and overwrites no file that an export did not write unless that is asked for.

`export.json` lists the files that exports wrote, with their digests, so that the next export knows them. All files are
written into a folder beside their places and then moved; what a killed export had not moved yet, the next one moves.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import socket
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import msgspec

from independence import __version__
from independence.config import documents, user_files
from independence.errors import DiskFull, UsageError
from independence.store import leases

MANIFEST = "export.json"
_STAGED = ".export@"  # and the process, as `leases` names it
_PROGRAM = "ai-independence-bench"
_LISTED = 5  # files that are named
_BUFFERED = 2**20  # bytes: tables come line by line
_LONGEST = 240  # bytes of a name: nearly every file system allows 255, and a draft's is a little longer


def distinct_names(wanted: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Key -> the name of its file or folder: the two parts that are wanted, joined.

    Where that is too long for a name, or some file systems would take it for another's (case, forms of accents), the
    first part is cut and followed by digits of the key's digest.
    """
    whole = {key: f"{stem}{end}" for key, (stem, end) in wanted.items()}
    alike = Counter(map(_folded, whole.values()))
    for key, (stem, end) in wanted.items():
        if alike[_folded(whole[key])] > 1 or len(whole[key].encode()) > _LONGEST:
            own = f"-{hashlib.sha256(key.encode()).hexdigest()[:8]}{end}"
            whole[key] = stem.encode()[: _LONGEST - len(own.encode())].decode(errors="ignore") + own
    return whole


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The files that exports wrote, and what the last one was about."""

    program: str = _PROGRAM
    version: str = __version__
    suite: str = ""
    edition: str = ""
    conditions: tuple[str, ...] = ()
    judge: str | None = None  # where the files are about one judge's verdicts
    files: dict[str, str] = {}  # name -> SHA-256


def write(
    folder: Path,
    files: Mapping[str, Iterable[bytes]],
    about: Manifest,
    force: bool = False,
    replaced: tuple[str, ...] = (),
) -> None:
    """Write files (name -> content in parts) and the manifest; other files of earlier exports stay, except those whose
    names begin with one of `replaced` and that nobody has changed.

    Every file is whole or not there, and a killed export is repeated by the same call. Raises UsageError for a file
    that no export wrote, unless `force`, for a store, and for a folder that cannot be written; DiskFull.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _finish(folder)
        known = _earlier(folder / MANIFEST)
        for name in (*files, MANIFEST):
            user_files.refuse_store(folder / name, "the export's file")
        if not force:
            _check(folder, [*files, MANIFEST], known)
        staged = folder / f"{_STAGED}{socket.gethostname()}@{os.getpid()}@"
        try:
            written = {name: _put(staged / name, parts) for name, parts in files.items()}
            whole = msgspec.structs.replace(about, files={**(known.files if known else {}), **written})
            _put_manifest(staged, whole)
            _move(staged, folder)
            if gone := _removed(folder, whole.files, written, replaced):
                left = {name: digest for name, digest in whole.files.items() if name not in gone}
                _put_manifest(staged, msgspec.structs.replace(whole, files=left))
                _move(staged, folder)
        finally:
            shutil.rmtree(staged, ignore_errors=True)
    except OSError as error:
        what = f"{folder}: cannot be written ({error.strerror})"
        if error.errno in user_files.FULL:
            raise DiskFull(what, "free space and run the command again") from error
        odd = error.errno == errno.EINVAL
        fix = "name one on a disk that allows signs such as `:` in names of files" if odd else "name another folder"
        raise UsageError(what, fix) from error


def _finish(folder: Path) -> None:
    """Move what a killed export had written whole, and remove what it had not."""
    for staged in folder.glob(f"{_STAGED}*"):
        if not leases.alive(staged.name.removeprefix(_STAGED).replace("@", ":")):
            if (staged / MANIFEST).is_file():
                _move(staged, folder)
            shutil.rmtree(staged)


def _move(staged: Path, folder: Path) -> None:
    """Every file to its place, the manifest last: until then all of them are known by the one in `staged`."""
    files = [file.relative_to(staged) for file in staged.rglob("*") if file.is_file()]
    for file in sorted(files, key=lambda one: one == Path(MANIFEST)):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (staged / file).replace(folder / file)


def _removed(folder: Path, before: Mapping[str, str], written: Collection[str], replaced: tuple[str, ...]) -> set[str]:
    """Remove what earlier exports wrote and this one replaces; their names."""
    gone = set[str]()
    for name, digest in before.items():
        if name.startswith(replaced) and name not in written and _digest(folder / name) in (digest, None):
            (folder / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # others lie in it
                (folder / name).parent.rmdir()
            gone.add(name)
    return gone


def _put_manifest(staged: Path, manifest: Manifest) -> None:
    """Whole or not there: where it is, all that it lists has been written."""
    draft = staged / f"{MANIFEST}.draft"
    _put(draft, [msgspec.json.format(documents.encode(manifest), indent=2), b"\n"])
    draft.replace(staged / MANIFEST)


def _check(folder: Path, names: Iterable[str], known: Manifest | None) -> None:
    """Raises UsageError for files that no export wrote, or that were changed since."""
    own = {**known.files, MANIFEST: _digest(folder / MANIFEST)} if known else {}
    there = [name for name in names if os.path.lexists(folder / name)]
    foreign = [name for name in there if name not in own or _digest(folder / name) != own[name]]
    if foreign:
        more = f" and {len(foreign) - _LISTED:,} more" if len(foreign) > _LISTED else ""
        raise UsageError(
            f"{folder}: {', '.join(foreign[:_LISTED])}{more} would be written over, and no export wrote it or it was "
            "changed since",
            "name another folder, or --force",
        )


def _earlier(file: Path) -> Manifest | None:
    """The manifest of an earlier export; None where there is none of this program's."""
    try:
        found = documents.json_of(user_files.read_bytes(file), file, Manifest)
    except UsageError:
        return None
    return found if found.program == _PROGRAM else None


def _put(file: Path, parts: Iterable[bytes]) -> str:
    """Write a file. Returns its digest."""
    digest = hashlib.sha256()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb", buffering=_BUFFERED) as out:
        for part in parts:
            digest.update(part)
            out.write(part)
    return digest.hexdigest()


def _digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
