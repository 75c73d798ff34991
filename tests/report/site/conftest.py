from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import toy
from tests.e2e import inside

Store = Callable[[str], Path]


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Store:
    """A store by its name, made once: the demo, one of `sides`, one of a user's suite, the published part."""
    made: dict[str, Path] = {}
    commands: dict[str, Callable[[Path], tuple[str, ...]]] = {
        "demo": lambda _: ("demo",),
        "sides": lambda _: (
            "run", "--suite", "sides", "-m", "sim/pleaser,sim/fair", "-j", "cues", "--runs", "2", "--limit", "24",
        ),
        "toy": lambda folder: (
            "run", "--suite", str(toy.write(folder / "toy")), "-m", "sim/never,sim/half", "-j", "cues", "-j",
            "sim/judge", "--runs", "12",
        ),
    }  # fmt: skip

    def make(name: str) -> Path:
        if name == "published":
            return Path(request.getfixturevalue("published_store"))
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            made[name] = folder / "store.db"
            ended = inside.run(*commands[name](folder), "--quiet", "--db", str(made[name]))
            assert ended.code == 0, ended.err
        return made[name]

    return make
