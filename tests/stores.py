"""Stores and other folders that many tests read: made once for all processes that run the tests."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from independence.suites import persona_suite
from tests import toy
from tests.e2e import command

# What each store holds, as the command line that makes it. `{toy}`: the toy suite; `{persona}`: an example;
# `{data}`: the published data.
COMMANDS: Final[Mapping[str, str]] = MappingProxyType({
    "demo": "demo --seed 0 --suite v2 --quiet",
    "sides": "run --suite sides -m sim/pleaser,sim/fair -j cues --runs 2 --limit 48 --quiet",
    "rent": "run --suite rent -m sim/pleaser -j cues --runs 1 --quiet",
    "reasons": "demo --suite reasons --quiet",
    "persona": "run --suite {persona} -m sim/persona-drops-money,sim/persona-folds-third,sim/persona-stubborn "
    "--system-prompt name_and_role,{persona} -j sim/judge --trust-judge --runs 1 --quiet",
    "toy": "run --suite {toy} -m sim/never,sim/half -j cues -j sim/judge --runs 12 --quiet",
    "published": "import {data}/published-v2-part.tar.xz --models-file {data}/published-v2-part.models.yaml",
    "rent, published": "import {data}/rent-1760158358",
})  # fmt: skip


WIDTH: Final = {"COLUMNS": "120"}  # of what the command prints
PERSONA: Final = persona_suite.HOME / "examples" / "eino.md"


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` fills, once for all processes that run the tests."""
    base = factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / name
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process whose attempt failed
            folder.mkdir()
            make(folder)
            (folder / "made").touch()
    return folder


class Stores:
    """The stores of `COMMANDS` by name."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory

    def __call__(self, name: str) -> Path:
        """The file of a store, only to be read. Skips where it needs published data and there is none."""
        data = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
        if "{data}" in COMMANDS[name] and not data:
            pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")

        def make(folder: Path) -> None:
            words = COMMANDS[name].split()
            line = [
                word.format(toy=toy.write(folder / "toy") if word == "{toy}" else "", data=data, persona=PERSONA)
                for word in words
            ]
            printed = command.ok(*line, "--db", folder / "store.db", cwd=folder, env=WIDTH).out
            (folder / "printed").write_text(printed, "utf-8")
            with command.opened(folder / "store.db") as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

        return once(self._factory, f"store-{name.replace(', ', '-')}", make) / "store.db"

    def copy(self, name: str, folder: Path) -> Path:
        """A store of one's own, `store.db` below a folder."""
        return Path(shutil.copy(self(name), folder / "store.db"))
