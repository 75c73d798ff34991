"""The store is deleted, moved, replaced or overwritten while a run writes to it: nothing that was answered is lost."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e import command, endpoint, suites

ENV = {"LOOP_KEY": endpoint.KEY}
RUN = (
    "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/never,loop/half", "-j",
    "loop/judge:misquoting", "-pt", "20", "--format", "json", "--db",
)  # fmt: skip
RUNS, CALLS = 12, 2 * 12 * (5 + 3 * 2)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another store, at rest."""
    folder = tmp_path_factory.mktemp("other")
    suites.write(folder / "harbour", suites.harbour())
    command.ok("run", "--suite", "harbour", "-m", "sim/half", "-j", "cues", "--db", "other.db", cwd=folder)
    return folder / "other.db"


def deleted(db: Path, _other: Path) -> None:
    for name in (db.name, f"{db.name}-wal", f"{db.name}-shm"):
        db.with_name(name).unlink()


def deleted_with_its_folder(db: Path, _other: Path) -> None:
    while db.parent.exists():  # a file may be made in it meanwhile
        shutil.rmtree(db.parent, ignore_errors=True)


def moved(db: Path, _other: Path) -> None:
    db.rename(db.with_name("elsewhere.db"))


def replaced(db: Path, other: Path) -> None:
    """As `mv` and programs that keep folders alike do it."""
    shutil.copy(other, db.with_name("new.db")).replace(db)


def overwritten(db: Path, other: Path) -> None:
    """As `cp` does it: in the same file."""
    shutil.copyfile(other, db)


def restored(db: Path, _other: Path) -> None:
    """By an older copy of the same store."""
    shutil.copyfile(db.with_name("before.db"), db)


@pytest.mark.parametrize("happens", [deleted, deleted_with_its_folder, moved, replaced, overwritten, restored])
def test_asking_stops_and_all_that_was_answered_is_in_a_copy_that_goes_on(
    tmp_path: Path, other: Path, happens: Callable[[Path, Path], None]
):
    suites.write(tmp_path / "harbour", harbour())
    folder, temporary = tmp_path / "stores", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    db = folder / "here.db"
    saved = (temporary if happens is deleted_with_its_folder else folder) / "here.db.recovered"
    env = ENV | {"TMPDIR": str(temporary)}
    with endpoint.serving(tmp_path, "--latency", "0.1") as served:
        endpoint.models_file(tmp_path, served.base_url, 20)
        before = 0
        if happens is restored:
            command.ok(*RUN, db, "--runs", "2", cwd=tmp_path, env=env)
            shutil.copy(db, folder / "before.db")
            before = len(served.requests())
        process = command.start(*RUN, db, "--runs", str(RUNS), cwd=tmp_path, env=env)
        endpoint.until(lambda: len(served.requests()) - before >= CALLS // 4, "requests came")
        in_place = happens in (overwritten, restored)  # a write in the middle of the copying is not what is tested
        process.send_signal(signal.SIGSTOP if in_place else signal.SIGCONT)
        happens(db, other)
        process.send_signal(signal.SIGCONT)
        ended = command.finish(process)
        since = len(served.settled()) - before
        assert ended.code == 3, ended.err
        assert str(saved) in command.one_sentence(ended)
        assert since < CALLS - 50  # it did not buy to the end
        assert attempts(saved) == since
        assert command.ask(saved, "PRAGMA integrity_check") == [("ok",)]
        # Costs are added up in another order.
        cost = sum(request.cost_usd for request in served.log.everything()[-since:])
        assert command.ask(saved, "SELECT total(spent_usd) FROM sessions")[0][0] >= cost - 1e-9
        stands = {replaced: other, overwritten: other, restored: folder / "before.db"}.get(happens)
        if stands is not None:
            assert db.read_bytes() == stands.read_bytes()
            assert command.run("leaderboard", "--db", db, cwd=tmp_path).code == 0
            assert db.read_bytes() == stands.read_bytes()
        if happens is moved:  # all of it is where it was moved to, too
            assert attempts(folder / "elsewhere.db") >= CALLS // 8
            assert command.run("leaderboard", "--db", folder / "elsewhere.db", cwd=tmp_path).code == 0
        again = command.ok(*RUN, saved, "--runs", str(RUNS), cwd=tmp_path, env=env)
        assert all(row["coverage"] == 1 for row in again.board["rows"])
        assert sum(served.asked().values()) - len(served.asked()) == before


def harbour() -> suites.Document:
    """With a judge that needs two attempts for each verdict."""
    document = suites.harbour()
    document["rubrics"]["course"]["quote"] = "The passage that decides."
    return document


def attempts(db: Path) -> int:
    """Requests that were answered, by what is stored."""
    settled = " UNION ALL ".join(f"SELECT json_array_length(attempts) FROM {name}" for name in ("calls", "verdicts"))
    return sum(count for (count,) in command.ask(db, f"{settled} UNION ALL SELECT 1 FROM attempts WHERE answer <> ''"))
