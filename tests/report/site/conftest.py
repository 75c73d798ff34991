from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import toy
from tests.e2e import inside

Store = Callable[[str], Path]


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Store:
    """A store by its name, made once: the demo, of `sides`, `rent` and a user's suite, the published ones."""
    made: dict[str, Path] = {}
    commands: dict[str, Callable[[Path], tuple[str, ...]]] = {
        "demo": lambda _: ("demo",),
        "sides": lambda _: (
            "run", "--suite", "sides", "-m", "sim/pleaser,sim/fair", "-j", "cues", "--runs", "2", "--limit", "24",
        ),
        "rent": lambda _: ("run", "--suite", "rent", "-m", "sim/pleaser", "-j", "cues", "--runs", "1"),
        "rent, published": lambda _: ("import", str(request.getfixturevalue("published_data") / "rent-1760158358")),
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
            path = folder / "store.db"
            quiet = [] if name == "rent, published" else ["--quiet"]
            ended = inside.run(*commands[name](folder), *quiet, "--db", str(path))
            assert ended.code == 0, ended.err
            made[name] = path  # only now: where a command skips for want of data, the next user skips too
        return made[name]

    return make
