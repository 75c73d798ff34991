"""Command lines that cannot be carried out, and whether each was refused as it has to be."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.e2e import command


def wrong(folder: Path, cases: Mapping[str, str | Sequence[str]], begin: str = "") -> dict[str, str]:
    """Each line of `cases` that was not refused as it has to be, and how it ended instead.

    A line is written as in a shell, so `NAME=VALUE` may stand before it; `begin` comes before what follows. It has to
    end with exit code 2, with one short sentence that holds all words of the case, and without a change in the folder.
    """
    before, found = _files(folder), {}
    for line, says in cases.items():
        words = shlex.split(line)
        settings = [word for word in words if re.match(r"[A-Z_]+=", word)]
        env = dict(setting.split("=", 1) for setting in settings)
        ended = command.run(*shlex.split(begin), *words[len(settings) :], cwd=folder, env=env)
        sentences = [said for said in ended.err.splitlines() if said.startswith("Error: ")]
        missing = [phrase for phrase in ([says] if isinstance(says, str) else says) if phrase not in str(sentences)]
        secret = any(word in ended.err for word in ("SECRET", "Traceback"))
        if (ended.code, ended.out, len(sentences), missing, secret) != (2, "", 1, [], False):
            found[line] = f"exit {ended.code}, lacks {missing}: {ended.out}{ended.err}"
        elif len(sentences[0]) >= 500:
            found[line] = f"{len(sentences[0])} characters: {sentences[0]}"
        elif (after := _files(folder)) != before:
            found[line] = f"other files: {after.keys() ^ before.keys()}"
            before = after
    return found


def _files(folder: Path) -> dict[str, bytes]:
    """What is below a folder; of a store only that it is there, since reading may write beside it and tidy it up."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and path.suffix != ".db" else b""
        for path in folder.rglob("*")
        if not path.name.endswith(("-wal", "-shm"))
    }
