"""Stored dialogues as trials again, so that another judge can grade them. Nothing is asked of a subject."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.config.subjects import LOCAL, SIM, Subject
from independence.engine import plan
from independence.engine.plan import Selection, Trial
from independence.store import queries
from independence.suites.schema import Suite
from independence.types import Where


def trials(connection: sqlite3.Connection, suite: Suite, where: Where) -> list[Trial]:
    """Every finished dialogue under a condition, a stem before what follows it. They carry what judging needs, no more.

    `suite`: by whose texts they are read; for an import, ours.
    """
    assert where.condition is not None
    full = msgspec.structs.replace(suite, variants={**suite.variants, **queries.personas(connection, where)})
    scripts = {d.scenario.id: d for d in plan.dialogues(full, Selection((where.condition,), runs=1))}
    subjects = {
        config_dir: Subject(model_id, SIM if simulated else LOCAL, model_id, display_label=label)
        for config_dir, (label, model_id, simulated) in queries.subjects(connection, where).items()
    }
    states = {state.key: state for state in queries.states(connection, where) if state.end is not None}
    out: dict[str, Trial] = {}

    def trial(key: str) -> Trial:
        if key not in out:
            state = states[key]
            parent = trial(state.parent) if state.parent in states else None
            dialogue = scripts[state.scenario]
            out[key] = Trial(key, subjects[state.config_dir], dialogue, state.run, 0.0, parent)
        return out[key]

    return [trial(key) for key in states]
