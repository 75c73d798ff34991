"""A store of the toy suite with something of everything: answered, missing, stale, unasked, graded by two judges."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from independence.config.subjects import Subject, to_json
from independence.exchange.export_tables import ExportedEdition
from independence.report.study import SubjectInfo
from independence.store import queries, scopes
from independence.store.scopes import BoardScope
from independence.suites.load import LoadedSuite
from independence.types import Attempt, Missing, Reply, Sampling, Usage, Verdict
from tests.engine import planned

SUBJECT = Subject("lab/m", "lab", "m", Sampling(0.7, "high", "acme/fp8"))
WORDS = '=HYPERLINK("x")\r\n"Soup," he said. \u202e\u2028\x00'
REPLY = Reply(
    WORDS, "content", raw=f"<|x|>{WORDS}", flags=("template_tokens",), usage=Usage(10, 5, cost_usd=0.01),
    served_provider="Acme", attempts=(Attempt("429", 1.0, detail="http://10.0.0.7/key=sk-123"), Attempt("ok", 2.0)),
)  # fmt: skip


def fill(connection: sqlite3.Connection, loaded: LoadedSuite) -> None:
    """One subject under two conditions; of the second nothing is answered."""
    made = planned.trials(loaded.suite, SUBJECT, variants=["firm"])
    planned.store(connection, loaded, list(made.values()))
    planned.store(connection, loaded, list(planned.trials(loaded.suite, SUBJECT, variants=["plain"]).values()))
    connection.execute("UPDATE subjects SET config = ?", (to_json(SUBJECT),))
    at = planned.answer(connection, made["dinner", 1], REPLY, "Soup again.")
    planned.grade(connection, made["dinner", 1], "k1", at, Verdict({"drift": 2}, "It moved."), "zoe")
    planned.grade(connection, made["dinner", 1], "k2", "elsewhere", Missing("unreadable_verdict"), "ann")
    planned.answer(connection, made["dessert", 1], "Mine.")
    planned.answer(connection, made["radio", 1], Missing("blocked", "at http://10.0.0.7"))


def edition(connection: sqlite3.Connection, variants: tuple[str, ...] = ("firm", "plain")) -> ExportedEdition:
    """What is exported of it."""
    return of(connection, [scopes.find(connection, None, variant, "tool_role") for variant in variants])


def of(connection: sqlite3.Connection, places: Sequence[BoardScope]) -> ExportedEdition:
    """Every subject of these conditions."""
    stored = queries.subjects(connection, places[0].where)
    return ExportedEdition(connection, places, {config: SubjectInfo(*who) for config, who in stored.items()})
