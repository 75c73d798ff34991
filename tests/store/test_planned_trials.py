from __future__ import annotations

import sqlite3

from independence.store import plans
from independence.types import Condition, Where

from . import rows


def test_trials_stand_at_their_places_with_the_shape_they_were_planned_in(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    rows.trial(connection, "t2", scenario="x", run=2, shape='{"seed":4}')
    rows.trial(connection, "t1", scenario="x", run=1)
    rows.trial(connection, "t3", scenario="x", edition="other")
    found = plans.planned_trials(connection, Where("s", "e", Condition("v", "m")))
    assert [(one.config_dir, one.scenario, one.run, one.shape) for one in found] == [
        ("a", "x", 1, "{}"),
        ("a", "x", 2, '{"seed":4}'),
    ]
    assert all(one.planned_at.startswith("20") for one in found)
    assert plans.planned_trials(connection, Where("s", "e", Condition("v", "another mode"))) == []
