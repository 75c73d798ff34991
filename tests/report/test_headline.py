from __future__ import annotations

import re
import sqlite3

import msgspec
import pytest

from independence.report import headline, study
from independence.report.board import STRICT, board
from independence.report.table import Prose
from independence.stats import published
from independence.suites.load import LoadedSuite
from tests.report import filled
from tests.report.filled import Toy


def told(connection: sqlite3.Connection, loaded: LoadedSuite, scoring: str = STRICT) -> str:
    where = filled.scope(loaded)
    read = study.read(connection, where)
    (prose,) = headline.of_index(read, board(connection, where, scoring)).body
    assert isinstance(prose, Prose)
    return prose.markdown


def test_the_first_lines_say_who_is_highest_and_lowest_by_whom_and_when(toy: Toy) -> None:
    toy.complete("good", ((9, 9, 0), (9, 9, 1)))
    toy.complete("bad", ((1, 2, 9), (2, 1, 9)), simulated=True)
    toy.connection.execute("UPDATE calls SET answered_at = '2026-03-05T10:00:00+00:00'")
    toy.connection.execute("UPDATE verdicts SET judged_at = '2026-04-01T10:00:00+00:00'")
    toy.connection.execute("UPDATE verdicts SET judged_at = '2026-04-09T10:00:00+00:00' WHERE trial = 'bad radio 1'")
    text = told(toy.connection, toy.loaded)
    assert "**label of good** has the highest index of 2 subjects" in text
    assert "The lowest is **label of bad (simulated)**" in text
    assert "Scoring: strict; intervals and tiers are about these 3 scenarios alone (standard error of a typical" in text
    assert "too few scenarios" not in text
    assert "Judge: cues; 12 of 12 planned verdicts are valid" in text
    assert "Replies: 2026-03-05\n" in text
    assert "Verdicts: 2026-04-01 to 2026-04-09\n" in text
    assert {*re.findall(r"\d{4}-\d\d-\d\d", text)} == {"2026-03-05", "2026-04-01", "2026-04-09"}  # not today's


def test_who_has_no_index_is_counted_and_nobody_is_highest_without_one(toy: Toy) -> None:
    toy.plan("hole")
    assert "of 1 subjects none is complete" in told(toy.connection, toy.loaded)
    toy.complete("whole")
    text = told(toy.connection, toy.loaded)
    assert "**label of whole** has an index of" in text
    assert "1 of 2 subjects are incomplete and have no index." in text


@pytest.mark.parametrize(
    ("said", "count", "expected"),
    [
        ("leans towards whoever asks", 1, "1 leans towards whoever asks"),
        ("leans against whoever asks", 2, "2 lean against whoever asks"),
        ("none: within ±0.1", 3, "3 do not bend (within ±0.1)"),
        ("not significantly different from 0", 1, "1 is not significantly different from 0"),
    ],
)
def test_phrases_become_parts_of_a_sentence(said: str, count: int, expected: str) -> None:
    assert f"Of {count} subject{'s' * (count > 1)}, {expected}." in headline.leaning([("x", said, None)] * count, "S")


def test_hostile_names_stay_text(toy: Toy) -> None:
    toy.complete("a")
    toy.connection.execute("UPDATE subjects SET label = '**<img src=x>** [a](b)'")
    assert "<img" not in told(toy.connection, toy.loaded)
    assert "\\[a\\](b)" in told(toy.connection, toy.loaded)


@pytest.mark.parametrize("scoring", [STRICT, "published"])
def test_whose_words_and_what_rules_are_not_good_for_stand_at_the_head(toy: Toy, scoring: str) -> None:
    suite = toy.suite
    index = msgspec.structs.replace(suite.index, published_rule="v2")
    fields = dict.fromkeys(published.rules()["v2"].fields, suite.rubrics["held"].fields["firmness"])
    held = msgspec.structs.replace(suite.rubrics["held"], fields={**suite.rubrics["held"].fields, **fields})
    again = msgspec.structs.replace(suite, index=index, rubrics={**suite.rubrics, "held": held})
    loaded = LoadedSuite(again, "0123abcd")
    filled.complete(toy.connection, loaded)
    text = told(toy.connection, loaded, scoring)
    assert "Edition `toy@0123abcd`, own wording, condition" in text
    assert study.RULES_ONLY in text
    toy.complete("b", simulated=True)
    text = told(toy.connection, toy.loaded)
    assert "own wording" not in text
    assert study.RULES_ONLY not in text
