"""Routes beside verdicts: which were bought, from whom, with what probability, and what came of it."""

from __future__ import annotations

import sqlite3

import pytest

from independence.store import deletion, records, routes
from independence.store.deletion import DeletionScope, EditionSubject
from independence.store.records import VerdictRow
from independence.store.routes import RoutedVerdict, RouteRow, VerdictRoute
from independence.types import Attempt, Condition, Grade, Missing, Usage, Verdict, Where

from . import rows

CONDITION = Condition("v", "m")
RUBRIC = "rubric"
PREDICTION = '{"values": {"x": 1.5}}'
OFFLINE, UNSURE, AUDIT = VerdictRoute("offline", 0.05), VerdictRoute("unsure", 1.0), VerdictRoute("audit", 0.05)


def verdict(
    connection: sqlite3.Connection,
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


def offline(connection: sqlite3.Connection, trial: str, at: str, when: str = "2026-01-01") -> str:
    return verdict(connection, trial, at, Verdict({"x": 2}), "offline", when=when, settings='{"w": 1}')


def routed(connection: sqlite3.Connection, judge: str = "offline") -> list[RoutedVerdict]:
    return routes.routed(connection, rows.PLACE.under(CONDITION), judge, hybrid=judge.startswith("hybrid:"))


@pytest.fixture
def held(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Subject a with dialogues one, two and three, each read by the offline judge."""
    rows.edition(connection)
    for name in ("one", "two", "three"):
        rows.trial(connection, name)
        offline(connection, name, rows.dialogue(connection, name, "said"), f"2026-01-0{len(name)}")
    return connection


def key_and_end(connection: sqlite3.Connection, trial: str) -> tuple[str, str]:
    found = connection.execute("SELECT key, context FROM verdicts WHERE trial = ? AND judge = 'offline'", (trial,))
    key, at = found.fetchone()
    return str(key), str(at)


def route(connection: sqlite3.Connection, trial: str, route: VerdictRoute, auditor: str = "acme/j") -> None:
    routes.add(connection, [RouteRow(key_and_end(connection, trial)[0], auditor, trial, route)])


def test_a_route_comes_back_as_it_was_stored(connection: sqlite3.Connection) -> None:
    routes.add(connection, [RouteRow("a", "j", "t", AUDIT), RouteRow("b", "j", "t", OFFLINE)])
    assert routes.known(connection, ["a", "b", "c"], "j") == {"a": AUDIT, "b": OFFLINE}


def test_each_auditor_has_routes_of_its_own(connection: sqlite3.Connection) -> None:
    routes.add(connection, [RouteRow("a", "j", "t", AUDIT), RouteRow("a", "k", "t", UNSURE)])
    assert routes.known(connection, ["a"], "j") == {"a": AUDIT}
    assert routes.known(connection, ["a"], "k") == {"a": UNSURE}
    assert routes.known(connection, ["a"], "l") == {}


def test_a_known_route_is_replaced(connection: sqlite3.Connection) -> None:
    larger = VerdictRoute("audit", 0.5)
    for one in (OFFLINE, larger):
        routes.add(connection, [RouteRow("a", "j", "t", one)])
    assert routes.known(connection, ["a"], "j") == {"a": larger}
    assert connection.execute("SELECT count(*) FROM routes").fetchone()[0] == 1


def test_forgotten_routes_are_gone_with_every_auditor_and_others_stay(connection: sqlite3.Connection) -> None:
    routes.add(connection, [RouteRow(key, auditor, "t", AUDIT) for key in "abc" for auditor in "jk"])
    routes.forget(connection, ["a", "c", "unknown"])
    assert connection.execute("SELECT verdict, auditor FROM routes ORDER BY 2").fetchall() == [("b", "j"), ("b", "k")]


def test_a_given_verdict_is_told_without_what_it_cost(connection: sqlite3.Connection) -> None:
    usage = Usage(10, 5, cost_usd=0.5)
    bought = Verdict({"x": 3, "y": True, "z": 0.25}, "because", "raw", usage, (Attempt("ok", 1.0, usage),))
    key = verdict(connection, "t", "at", bought, "acme/j")
    (found,) = routes.stored_keys(connection, [key, "never stored"]).values()
    assert found == Verdict({"x": 3, "y": True, "z": 0.25}, "because")
    assert isinstance(found, Verdict)
    assert found.values["y"] is True
    assert found.usage.cost_usd == 0


@pytest.mark.parametrize("there", [True, False, None])
def test_whether_a_quotation_is_there_is_read_as_it_was_stored(
    connection: sqlite3.Connection, there: bool | None
) -> None:
    key = verdict(connection, "t", "at", Verdict({"x": 3}, "because", quote="I keep it", quote_found=there), "acme/j")
    (found,) = routes.stored_keys(connection, [key]).values()
    assert isinstance(found, Verdict)
    assert found.quote_found is there


def test_a_given_verdict_that_came_to_nothing_says_why(connection: sqlite3.Connection) -> None:
    nothing = Missing("unreadable_verdict", "no JSON", "raw", (Attempt("ok", 1.0, Usage(cost_usd=0.5)),))
    key = verdict(connection, "t", "at", nothing, "acme/j")
    assert routes.stored_keys(connection, [key]) == {key: Missing("unreadable_verdict", "no JSON")}


def test_a_verdict_that_nothing_was_ever_drawn_for_has_no_route(held: sqlite3.Connection) -> None:
    found = routed(held)
    assert {(one.auditor, one.route, one.bought) for one in found} == {(None, None, None)}
    key = key_and_end(held, "one")[0]
    assert RoutedVerdict(key, "a", "one", 1, "rubric", '{"w": 1}', PREDICTION, None, "", None, None, False) in found


def test_verdicts_come_the_oldest_first(held: sqlite3.Connection) -> None:
    offline(held, "three", key_and_end(held, "three")[1], "2026-01-09")
    offline(held, "three", key_and_end(held, "three")[1], "2026-01-01")
    names = [one.scenario for one in routed(held)]
    assert (names[0], sorted(names[1:3]), names[3:]) == ("three", ["one", "two"], ["three", "three"])


def test_a_bought_verdict_stands_beside_the_prediction(held: sqlite3.Connection) -> None:
    for trial, own in (("one", UNSURE), ("two", AUDIT)):
        route(held, trial, own)
        verdict(held, trial, key_and_end(held, trial)[1], Verdict({"x": 7, "y": False}), "acme/j")
    found = {one.scenario: one for one in routed(held)}
    assert (found["one"].auditor, found["one"].route, found["one"].bought) == ("acme/j", UNSURE, {"x": 7, "y": False})
    assert (found["two"].route, found["two"].bought) == (AUDIT, {"x": 7, "y": False})
    assert (found["three"].route, found["three"].bought) == (None, None)


def test_what_the_model_graded_anyhow_is_not_bought(held: sqlite3.Connection) -> None:
    route(held, "one", OFFLINE)
    for trial in ("one", "two"):
        verdict(held, trial, key_and_end(held, trial)[1], Verdict({"x": 7}), "acme/j")
    found = {one.scenario: one for one in routed(held)}
    assert (found["one"].route, found["one"].bought) == (OFFLINE, None)
    assert (found["two"].route, found["two"].bought) == (None, None)


def test_what_was_drawn_and_came_to_nothing_is_not_bought_but_keeps_its_route(held: sqlite3.Connection) -> None:
    route(held, "one", AUDIT)
    route(held, "two", AUDIT)
    verdict(held, "one", key_and_end(held, "one")[1], Missing("unreadable_verdict"), "acme/j")
    found = {one.scenario: one for one in routed(held)}
    assert (found["one"].auditor, found["one"].route, found["one"].bought) == ("acme/j", AUDIT, None)
    assert (found["two"].auditor, found["two"].route, found["two"].bought) == ("acme/j", AUDIT, None)
    assert (found["one"].answered, found["two"].answered) == (True, False)


def test_what_was_bought_for_a_hybrid_is_its_own_verdict(held: sqlite3.Connection) -> None:
    for name, own in (("one", UNSURE), ("two", OFFLINE)):
        at = key_and_end(held, name)[1]
        key = verdict(held, name, at, Verdict({"x": 4}), "hybrid:acme/j")
        routes.add(held, [RouteRow(key, "acme/j", name, own)])
    found = {one.scenario: one.bought for one in routed(held, "hybrid:acme/j")}
    assert found == {"one": {"x": 4}, "two": None}


def test_past_draws_are_counted_by_scenario(held: sqlite3.Connection) -> None:
    route(held, "one", AUDIT)
    route(held, "two", OFFLINE)
    where = rows.PLACE.under(CONDITION)
    assert routes.past(held, where, "offline") == {"one": (1, 1), "two": (0, 1)}
    assert routes.past(held, where, "hybrid:acme/j") == {}


def test_a_verdict_of_another_dialogue_rubric_or_judge_is_not_the_one_that_was_bought(held: sqlite3.Connection) -> None:
    route(held, "one", AUDIT)
    at = key_and_end(held, "one")[1]
    verdict(held, "one", "another context", Verdict({"x": 1}), "acme/j")
    verdict(held, "one", at, Verdict({"x": 2}), "acme/j", rubric="another rubric")
    verdict(held, "one", at, Verdict({"x": 3}), "acme/k")
    assert [one.bought for one in routed(held) if one.scenario == "one"] == [None]


def test_two_auditors_are_two_rows(held: sqlite3.Connection) -> None:
    for auditor, own, said in (("acme/j", AUDIT, 7), ("acme/k", UNSURE, 8)):
        route(held, "one", own, auditor)
        verdict(held, "one", key_and_end(held, "one")[1], Verdict({"x": said}), auditor)
    found = {one.auditor: (one.route, one.bought) for one in routed(held) if one.scenario == "one"}
    assert found == {"acme/j": (AUDIT, {"x": 7}), "acme/k": (UNSURE, {"x": 8})}
    assert len(routed(held)) == 4


def test_only_the_judge_and_the_place_that_are_asked_for_are_read(held: sqlite3.Connection) -> None:
    verdict(held, "one", key_and_end(held, "one")[1], Verdict({"x": 1}), "hybrid:acme/j")
    assert [one.scenario for one in routed(held, "hybrid:acme/j")] == ["one"]
    for suite, edition, mode in (("t", "e", "m"), ("s", "f", "m"), ("s", "e", "other")):
        assert routes.routed(held, Where(suite, edition, Condition("v", mode)), "offline", hybrid=False) == []


def test_a_deleted_verdict_takes_its_route_with_it_and_others_stay(held: sqlite3.Connection) -> None:
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


def test_routes_go_with_their_dialogue(held: sqlite3.Connection) -> None:
    rows.edition(held, config_dir="b")
    rows.trial(held, "b one", scenario="one", config_dir="b")
    kept = offline(held, "b one", rows.dialogue(held, "b one", "said"))
    routes.add(held, [RouteRow(kept, "acme/j", "b one", AUDIT)])
    route(held, "one", AUDIT)
    scope = DeletionScope("dialogues", frozenset([EditionSubject("s", "e", "a")]))
    deletion.delete(held, scope, deletion.find(held, scope))
    assert held.execute("SELECT verdict FROM routes").fetchall() == [(kept,)]
