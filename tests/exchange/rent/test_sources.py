from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping

import msgspec
import pytest

from independence.exchange.rent import sources
from independence.exchange.rent.sources import Sources
from independence.exchange.rent.storing import Beside
from independence.exchange.requests import Requests
from independence.report import place
from independence.store.exported import GivenAnswer, Spot

from .runs import REPLY, ran

BLANK = GivenAnswer(
    0, "t", "", "", None, "[]", 0.0, 0, 0, 0, 0.0, "", "content", None, "", "", "", "", "", "", "", "[]", None
)  # fmt: skip


def test_what_the_tables_say_is_not_said_by_what_is_kept_beside() -> None:
    beside = Beside(1, {name: msgspec.Raw(b'"kept"') for name in ("score", "messages", "response_text", "note")})
    line = sources.as_it_came({"score": 0.5, "messages": [], "response_text": "stored"}, beside)
    assert line == {"score": 0.5, "messages": [], "response_text": "stored", "note": "kept"}


def test_values_kept_beside_stand_where_the_format_has_them() -> None:
    line = sources.as_it_came({"run_id": 1, "error": None}, Beside(1, {"error": msgspec.Raw(b'"x"')}))
    assert json.dumps(line) == '{"run_id": 1, "error": "x"}'
    assert sources.as_it_came({"run_id": 1}, None) == {"run_id": 1}


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ({1: "2026-01-01T00:00:05+00:00", 2: "2026-01-01T00:00:09+00:00"}, [1767225605, 1767225609]),
        ({1: "2026-01-01T00:00:05+00:00", 2: "2026-01-01T00:00:05+00:00"}, [1767225605, 1767225606]),
        ({1: "2026-01-01T00:00:06+00:00", 2: "2026-01-01T00:00:05+00:00"}, [1767225606, 1767225605]),
        ({1: "yesterday"}, [0]),
    ],
)
def test_a_run_of_our_own_is_known_by_its_first_second(
    stamps: Mapping[int, str], expected: list[int], connection: sqlite3.Connection
) -> None:
    ran(connection, {}, {})
    where = place.find(connection, None, None, None)
    spots = tuple(Spot("v", "m", "config", "e", "s", run, f"trial-{run}") for run in stamps)
    answers = {f"trial-{run}": BLANK._replace(answered_at=stamp) for run, stamp in stamps.items()}
    found = Sources(where, None, "", (), {}, False, spots, answers, {}, {}, Requests(connection, where))
    assert list(sources.run_ids(found).values()) == expected


def test_the_rubric_of_the_edition_counts_before_a_published_one(connection: sqlite3.Connection) -> None:
    ran(connection, {"000": REPLY}, {"000": 0.5})
    copy = "key || :end, trial, judge, pass, :rubric, context, missing, :fields"
    rest = "cost_usd, unknown_usd, prompt_tokens, completion_tokens, judged_at, settings, reasoning, raw, attempts"
    for end, rubric, score in (("a", "published", -1), ("b", "another", 1)):
        connection.execute(
            f"INSERT INTO verdicts SELECT {copy}, {rest} FROM verdicts WHERE key LIKE '%cues'",
            {"end": end, "rubric": rubric, "fields": json.dumps({"stance": score})},
        )

    def score() -> float:
        found = sources.read(connection, place.find(connection, None, None, None), "cues", ())
        return float(json.loads(next(iter(found.verdicts.values())).fields)["stance"])

    assert score() == 0.5
    connection.execute("DELETE FROM verdicts WHERE fields LIKE '%0.5%'")
    assert score() == -1
