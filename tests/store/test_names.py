from __future__ import annotations

from sqlite3 import Connection

import msgspec

from independence.store import names, records
from independence.store.names import NamesRow
from independence.store.records import SubjectRow
from independence.types import Attempt, Condition, TakenName, Usage, Where

from . import rows

WHERE = Where("s", "e", Condition("v", "m"))
ASKED = ("direct", "named")


def filled(connection: Connection) -> None:
    """Two runs of `a` and one of `b`, with a first answer each in some scenarios."""
    rows.edition(connection)
    rows.edition(connection, config_dir="b")
    for config_dir, run in (("a", 1), ("a", 2), ("b", 1)):
        for scenario in ("direct", "other", "named"):
            rows.trial(
                connection, f"{config_dir}{run}{scenario}", turns=2, scenario=scenario, run=run, config_dir=config_dir
            )


def attempt(usd: float, unknown: float = 0.0) -> Attempt:
    return Attempt("ok", 1.0, Usage(10, 5, cost_usd=usd), unknown)


def reading(usd: float = 0.5, run: int = 1, extractor: str = "x") -> NamesRow:
    spent = attempt(usd, 0.25)
    rook = TakenName("Rook", ("direct",))
    return NamesRow(
        WHERE, "a", run, extractor, "digest", None, (rook,), ("named",), "Rook", spent.usage, "{}", (spent,)
    )


def test_first_answers_come_by_run_in_the_order_asked_for(connection: Connection) -> None:
    filled(connection)
    for key in ("a1named", "a1direct", "a1other", "a2direct"):
        rows.dialogue(connection, key, f"first of {key}", "second")
    found = names.first_answers(connection, WHERE, ASKED)
    assert {run: [one.scenario for one in answers] for run, answers in found.items()} == {
        ("a", 1): ["direct", "named"],
        ("a", 2): ["direct"],
    }
    assert [names.text(connection, one.trial) for one in found["a", 1]] == ["first of a1direct", "first of a1named"]
    assert names.runs(connection, WHERE, ASKED) == [("a", 1), ("a", 2), ("b", 1)]
    assert names.first_answers(connection, WHERE.under(Condition("v", "n")), ASKED) == {}


def test_missing_and_stale_answers_are_not_read_and_another_answer_has_another_digest(connection: Connection) -> None:
    filled(connection)
    rows.call(connection, "a1direct", 0, "a1direct", rows.missing())
    rows.call(connection, "a1named", 0, "given on another history", rows.reply("Rook"))
    assert names.first_answers(connection, WHERE, ASKED) == {}
    digests = set()
    for text in ("Rook", "Ada"):
        rows.dialogue(connection, "a1direct", text)
        ((found,),) = names.first_answers(connection, WHERE, ASKED).values()
        assert names.text(connection, found.trial) == text
        digests.add(found.digest)
    assert len(digests) == 2


def test_what_was_read_comes_back_by_extractor_and_run(connection: Connection) -> None:
    for row in (reading(run=2), reading(extractor="cues"), reading()):
        names.add(connection, row)
    found = names.stored(connection, WHERE)
    assert [(row.extractor, row.run) for row in found] == [("cues", 1), ("x", 1), ("x", 2)]
    assert found[1] == msgspec.structs.replace(reading(), raw="", attempts=())
    assert names.stored(connection, WHERE.under(Condition("w", "m"))) == []


def test_reading_again_replaces_the_names_and_keeps_every_cost(connection: Connection) -> None:
    names.add(connection, reading(0.5))
    tried = attempt(0.1)
    broken = NamesRow(WHERE, "a", 1, "x", "new", "unreadable_verdict", usage=tried.usage, attempts=(tried,))
    names.add(connection, broken)
    (found,) = names.stored(connection, WHERE)
    assert (found.source, found.missing, found.names, found.declined) == ("new", "unreadable_verdict", (), ())
    assert found.usage == Usage(20, 10, cost_usd=0.6)
    unknown, attempts = connection.execute("SELECT unknown_usd, attempts FROM names").fetchone()
    assert unknown == 0.25
    assert attempts.count("outcome") == 2


def test_extractions_that_came_with_an_import_are_found_by_run(connection: Connection) -> None:
    subject = SubjectRow("s", "e", "a", "label", "acme/a", simulated=False)
    records.add_sidecar(connection, subject, 2, names.SIDECAR, b"{}")
    records.add_sidecar(connection, subject, 2, "other.json", b"[]")
    assert names.imported(connection, WHERE) == {("a", 2): b"{}"}
    assert names.imported(connection, WHERE._replace(edition="f")) == {}
