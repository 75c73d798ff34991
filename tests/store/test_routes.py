"""Routes beside verdicts: which were bought, from whom, with what probability, and what came of it."""

from __future__ import annotations

from sqlite3 import Connection

import pytest

from independence.extensions.trained import draws
from independence.extensions.trained.draws import RoutedVerdict
from independence.store import deletion, records, routes
from independence.store.deletion import DeletionScope, EditionSubject
from independence.store.records import VerdictRow
from independence.store.routes import RouteRow, VerdictRoute
from independence.types import Attempt, Condition, Grade, Missing, Usage, Verdict, Where

from . import rows

CONDITION = Condition("v", "m")
RUBRIC = "rubric"
PREDICTION = '{"values": {"x": 1.5}}'
OFFLINE, UNSURE, AUDIT = VerdictRoute("offline", 0.05), VerdictRoute("unsure", 1.0), VerdictRoute("audit", 0.05)


def verdict(
    connection: Connection,
    trial: str,
    at: str,
    grade: Grade,
    judge: str,
    *,
    rubric: str = RUBRIC,
    when: str = "2026-01-01",
    settings: str = "{}",
) -> str:
    """Store a verdict; returns its key."""
    key = f"{judge} {trial} {at} {rubric} {when}"
    told = PREDICTION if judge.startswith(("offline", "hybrid:")) else None
    row = VerdictRow(key, trial, judge, rubric, at, settings, grade, judged_at=when, prediction=told)
    records.add_verdict(connection, row)
    return key


def offline(connection: Connection, trial: str, at: str, when: str = "2026-01-01") -> str:
    return verdict(connection, trial, at, Verdict({"x": 2}), "offline", when=when, settings='{"w": 1}')


def routed(connection: Connection, judge: str = "offline") -> list[RoutedVerdict]:
    return draws.routed(connection, rows.PLACE.under(CONDITION), judge, hybrid=judge.startswith("hybrid:"))


@pytest.fixture
def held(connection: Connection) -> Connection:
    """Subject a with dialogues one, two and three, each read by the offline judge."""
    rows.edition(connection)
    for name in ("one", "two", "three"):
        rows.trial(connection, name)
        offline(connection, name, rows.dialogue(connection, name, "said"), f"2026-01-0{len(name)}")
    return connection


def key_and_end(connection: Connection, trial: str) -> tuple[str, str]:
    found = connection.execute("SELECT key, context FROM verdicts WHERE trial = ? AND judge = 'offline'", (trial,))
    key, at = found.fetchone()
    return str(key), str(at)


def route(connection: Connection, trial: str, route: VerdictRoute, auditor: str = "acme/j") -> None:
    routes.add(connection, [RouteRow(key_and_end(connection, trial)[0], auditor, trial, route)])


def test_each_auditor_has_routes_of_its_own_and_a_known_one_is_replaced(connection: Connection) -> None:
    larger = VerdictRoute("audit", 0.5)
    for key, auditor, way in (("a", "j", AUDIT), ("b", "j", OFFLINE), ("a", "k", UNSURE), ("a", "j", larger)):
        routes.add(connection, [RouteRow(key, auditor, "t", way)])
    for auditor, known in (("j", {"a": larger, "b": OFFLINE}), ("k", {"a": UNSURE}), ("l", {})):
        assert draws.known(connection, ["a", "b", "c"], auditor) == known
    assert connection.execute("SELECT count(*) FROM routes").fetchone()[0] == 3


def test_forgotten_routes_are_gone_with_every_auditor_and_others_stay(connection: Connection) -> None:
    routes.add(connection, [RouteRow(key, auditor, "t", AUDIT) for key in "abc" for auditor in "jk"])
    routes.forget(connection, ["a", "c", "unknown"])
    assert connection.execute("SELECT verdict, auditor FROM routes ORDER BY 2").fetchall() == [("b", "j"), ("b", "k")]


@pytest.mark.parametrize("there", [True, False, None])
def test_a_given_verdict_is_told_without_what_it_cost_and_whether_its_quotation_is_there(
    connection: Connection, there: bool | None
) -> None:
    usage = Usage(10, 5, cost_usd=0.5)
    values = {"x": 3, "y": True, "z": 0.25}
    bought = Verdict(values, "because", "raw", usage, (Attempt("ok", 1.0, usage),), "I keep it", there)
    key = verdict(connection, "t", "at", bought, "acme/j")
    nothing = verdict(connection, "u", "at", Missing("unreadable_verdict", "no JSON", "raw", bought.attempts), "acme/j")
    found = routes.stored_keys(connection, [key, nothing, "never stored"])
    assert found[nothing] == Missing("unreadable_verdict", "no JSON")
    assert isinstance(found[key], Verdict)
    assert found.keys() == {key, nothing}
    assert found[key] == Verdict(values, "because", quote="I keep it", quote_found=there)
    assert found[key].values["y"] is True


def test_a_verdict_that_nothing_was_ever_drawn_for_has_no_route(held: Connection) -> None:
    found = routed(held)
    assert {(one.auditor, one.route, one.bought) for one in found} == {(None, None, None)}
    key = key_and_end(held, "one")[0]
    assert RoutedVerdict(key, "a", "one", 1, "rubric", '{"w": 1}', PREDICTION, None, "", None, None, False) in found


def test_verdicts_come_the_oldest_first(held: Connection) -> None:
    offline(held, "three", key_and_end(held, "three")[1], "2026-01-09")
    offline(held, "three", key_and_end(held, "three")[1], "2026-01-01")
    names = [one.scenario for one in routed(held)]
    assert (names[0], sorted(names[1:3]), names[3:]) == ("three", ["one", "two"], ["three", "three"])


def buy(held: Connection, trial: str, score: int | None, auditor: str = "acme/j", at: str = "") -> None:
    """A verdict of a model on a dialogue, or one that came to nothing."""
    grade = Missing("unreadable_verdict") if score is None else Verdict({"x": score})
    verdict(held, trial, at or key_and_end(held, trial)[1], grade, auditor)


@pytest.mark.parametrize(
    ("way", "score", "bought"),
    [
        (UNSURE, 7, {"x": 7}),
        (AUDIT, 7, {"x": 7}),
        (AUDIT, None, None),  # it came to nothing
        (OFFLINE, 7, None),  # the model graded it anyhow
        (None, 7, None),
    ],
)
def test_what_was_drawn_and_graded_is_bought(
    held: Connection, way: VerdictRoute | None, score: int | None, bought: dict[str, int] | None
) -> None:
    if way:
        route(held, "one", way)
    route(held, "two", AUDIT)
    buy(held, "one", score)
    found = {one.scenario: one for one in routed(held)}
    auditor = "acme/j" if way else None
    assert (found["one"].auditor, found["one"].route, found["one"].bought) == (auditor, way, bought)
    assert (found["two"].auditor, found["two"].route, found["two"].bought) == ("acme/j", AUDIT, None)
    assert (found["three"].auditor, found["three"].route, found["three"].bought) == (None, None, None)
    assert (found["one"].answered, found["two"].answered) == (way in {UNSURE, AUDIT}, False)


def test_what_was_bought_for_a_hybrid_is_its_own_verdict(held: Connection) -> None:
    for name, own in (("one", UNSURE), ("two", OFFLINE)):
        at = key_and_end(held, name)[1]
        key = verdict(held, name, at, Verdict({"x": 4}), "hybrid:acme/j")
        routes.add(held, [RouteRow(key, "acme/j", name, own)])
    found = {one.scenario: one.bought for one in routed(held, "hybrid:acme/j")}
    assert found == {"one": {"x": 4}, "two": None}


def test_past_draws_are_counted_by_scenario(held: Connection) -> None:
    route(held, "one", AUDIT)
    route(held, "two", OFFLINE)
    where = rows.PLACE.under(CONDITION)
    assert draws.past(held, where, "offline") == {"one": (1, 1), "two": (0, 1)}
    assert draws.past(held, where, "hybrid:acme/j") == {}


def test_a_verdict_of_another_dialogue_rubric_or_judge_is_not_the_one_that_was_bought(held: Connection) -> None:
    route(held, "one", AUDIT)
    buy(held, "one", 1, at="another context")
    buy(held, "one", 3, "acme/k")
    at = key_and_end(held, "one")[1]
    verdict(held, "one", at, Verdict({"x": 2}), "acme/j", rubric="another rubric")
    assert [one.bought for one in routed(held) if one.scenario == "one"] == [None]


def test_two_auditors_are_two_rows(held: Connection) -> None:
    for auditor, own, score in (("acme/j", AUDIT, 7), ("acme/k", UNSURE, 8)):
        route(held, "one", own, auditor)
        buy(held, "one", score, auditor)
    found = {one.auditor: (one.route, one.bought) for one in routed(held) if one.scenario == "one"}
    assert found == {"acme/j": (AUDIT, {"x": 7}), "acme/k": (UNSURE, {"x": 8})}
    assert len(routed(held)) == 4


def test_only_the_judge_and_the_place_that_are_asked_for_are_read(held: Connection) -> None:
    verdict(held, "one", key_and_end(held, "one")[1], Verdict({"x": 1}), "hybrid:acme/j")
    assert [one.scenario for one in routed(held, "hybrid:acme/j")] == ["one"]
    for suite, edition, mode in (("t", "e", "m"), ("s", "f", "m"), ("s", "e", "other")):
        assert draws.routed(held, Where(suite, edition, Condition("v", mode)), "offline", hybrid=False) == []


def test_a_deleted_verdict_takes_its_route_with_it_and_others_stay(held: Connection) -> None:
    for name in ("one", "two"):
        route(held, name, AUDIT)
    verdict(held, "one", key_and_end(held, "one")[1], Verdict({"x": 7}), "acme/j")
    at = key_and_end(held, "two")[1]
    hybrid = verdict(held, "two", at, Verdict({"x": 1}), "hybrid:acme/j")
    routes.add(held, [RouteRow(hybrid, "acme/j", "two", UNSURE)])
    scope = DeletionScope("verdicts", frozenset([EditionSubject("s", "e", "a")]), judge="offline")
    deletion.delete(held, scope, deletion.find(held, scope))
    assert held.execute("SELECT verdict FROM routes").fetchall() == [(hybrid,)]
    assert held.execute("SELECT DISTINCT judge FROM verdicts ORDER BY 1").fetchall() == [
        ("acme/j",), ("hybrid:acme/j",),
    ]  # fmt: skip


def test_routes_go_with_their_dialogue(held: Connection) -> None:
    rows.edition(held, config_dir="b")
    rows.trial(held, "b one", scenario="one", config_dir="b")
    kept = offline(held, "b one", rows.dialogue(held, "b one", "said"))
    routes.add(held, [RouteRow(kept, "acme/j", "b one", AUDIT)])
    route(held, "one", AUDIT)
    scope = DeletionScope("dialogues", frozenset([EditionSubject("s", "e", "a")]))
    deletion.delete(held, scope, deletion.find(held, scope))
    assert held.execute("SELECT verdict FROM routes").fetchall() == [(kept,)]
