from __future__ import annotations

from sqlite3 import Connection

import pytest

from independence.config.subjects import Subject
from independence.engine.plan import Selection
from independence.engine.replicates import KnownNoise, NoiseSource, ReplicateBudget, spread_calls
from independence.stats.allocation import RunNoise
from independence.suites.load import LoadedSuite
from independence.types import Condition

EQUAL = {"dinner": 1.0, "radio": 1.0, "dessert": 1.0}
CONDITION = Condition("firm", "tool_role")


def noise(dinner: float, radio: float, dessert: float, df: int = 400) -> RunNoise:
    return RunNoise({"dinner": dinner, "radio": radio, "dessert": dessert}, dict.fromkeys(EQUAL, df))


def test_a_subject_is_planned_by_what_others_showed_whatever_its_own_runs_were() -> None:
    other = noise(9, 1, 1)
    plans = [
        KnownNoise(None, EQUAL, {"own": own, "other": other}, {}).variance("own")
        for own in (noise(1, 1, 1), noise(0, 0, 100), noise(0, 0, 0))
    ]
    assert plans[0] == plans[1] == plans[2] == KnownNoise(None, EQUAL, {"other": other}, {}).variance("own")
    variance, source = plans[0]
    assert source == "the noise of other subjects' runs"
    assert variance["dinner"] == pytest.approx(9, rel=0.02)


def test_a_subject_alone_is_planned_by_imports_else_by_what_ships_else_alike() -> None:
    own, shipped = {"own": noise(1, 9, 1)}, {"dinner": 5.0, "radio": 1.0, "dessert": 1.0}
    _, source = KnownNoise(shipped, EQUAL, own, {"own": noise(1, 1, 9)}).variance("own")
    assert source == "the noise of imported runs"
    assert KnownNoise(shipped, EQUAL, own, {}).variance("own") == (shipped, "the noise the suite ships")
    assert KnownNoise(None, EQUAL, own, {}).variance("own")[0] == EQUAL
    still = {"own": noise(1, 9, 1), "other": noise(0, 0, 0)}
    assert KnownNoise(shipped, EQUAL, still, {}).variance("own")[0] == shipped


def test_each_subject_is_told_of_its_own_plan(connection: Connection, toy_suite: LoadedSuite) -> None:
    suite, edition = toy_suite.suite.suite, toy_suite.edition
    loud, quiet = (Subject(f"any/{name}", "any", name) for name in ("loud", "quiet"))
    stored = {loud.config_dir: noise(1, 1, 9), quiet.config_dir: noise(1, 9, 1)}
    row = (suite, edition, *CONDITION, loud.config_dir, "radio", 1, "pressure", "key", "", 1, None)
    connection.execute(f"INSERT INTO planned VALUES ({', '.join('?' * len(row))})", row)
    source = NoiseSource(connection, toy_suite.suite, edition, None, lambda *_: stored)
    made, told = spread_calls(source, Selection((CONDITION,), 2), [loud, quiet], ReplicateBudget(40, 1))
    own, other = (made.replicates[one.config_dir, CONDITION] for one in (loud, quiet))
    assert own["radio"] > other["radio"]  # by what the other one showed
    assert other["dessert"] > own["dessert"]
    assert [line.split(":")[0] for line in told] == [loud.label, quiet.label]
