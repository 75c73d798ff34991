from __future__ import annotations

import sqlite3

import pytest

from independence.store import context, queries, records
from independence.store.queries import TrialState
from independence.store.records import EditionRow, FailureRow
from independence.types import Attempt, Condition, Missing, Usage, Verdict, Where

from . import rows
from .rows import PLACE


def states(connection: sqlite3.Connection) -> dict[str, TrialState]:
    return {state.key: state for state in queries.states(connection, PLACE)}


def test_a_planned_trial_without_an_answer_is_open(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "t", turns=2)
    (state,) = queries.states(connection, PLACE)
    assert (state.answered, state.turns, state.missing, state.stale, state.at) == (0, 2, None, False, "t")
    assert (state.end, state.settled) == (None, False)


def test_a_trial_is_done_when_every_turn_is_answered(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "t", turns=2)
    half = rows.dialogue(connection, "t", "one")
    assert states(connection)["t"].end is None
    assert states(connection)["t"].at == half
    end = rows.call(connection, "t", 1, half, rows.reply("two", flags=("cleaned",)))
    state = states(connection)["t"]
    assert (state.end, state.settled, state.flags) == (end, True, ("cleaned",))


def test_a_missing_answer_settles_a_trial_without_an_end(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "t", turns=2)
    rows.call(connection, "t", 0, "t", rows.missing("blocked"))
    state = states(connection)["t"]
    assert (state.missing, state.settled, state.end, state.answered) == ("blocked", True, None, 0)


def test_calls_come_in_turn_order_in_their_current_version(connection: sqlite3.Connection) -> None:
    rows.call(connection, "t", 1, "x", rows.reply("second"))
    rows.call(connection, "t", 0, "t", rows.reply("old"))
    rows.call(connection, "t", 0, "t", rows.reply("first", thinking="hm"))
    calls = queries.calls_of(connection, "t")
    assert [(call.turn, call.text, call.thinking) for call in calls] == [(0, "first", "hm"), (1, "second", "")]


def family(connection: sqlite3.Connection) -> dict[str, str]:
    """Three trials, each continuing the one before, all answered; returns where each ends."""
    ends: dict[str, str] = {}
    parent = None
    for key in ("a", "b", "c"):
        rows.trial(connection, key, parent)
        ends[key] = rows.dialogue(connection, key, f"{key} says", parent_after=ends.get(parent or ""))
        parent = key
    return ends


def test_a_chain_of_three_knows_its_ends(connection: sqlite3.Connection) -> None:
    ends = family(connection)
    assert {key: state.end for key, state in states(connection).items()} == ends


def test_a_replaced_parent_makes_everything_after_it_stale(connection: sqlite3.Connection) -> None:
    family(connection)
    rows.dialogue(connection, "a", "a says something else")
    found = states(connection)
    assert [found[key].stale for key in "abc"] == [False, True, True]
    assert [found[key].end is None for key in "abc"] == [False, True, True]
    assert [found[key].settled for key in "abc"] == [True, False, False]
    assert found["b"].at == context.begin("b", found["a"].end)
    assert found["c"].at is None


def test_a_parent_answered_again_in_the_same_words_changes_nothing(connection: sqlite3.Connection) -> None:
    ends = family(connection)
    rows.dialogue(connection, "a", "a says")
    assert {key: state.end for key, state in states(connection).items()} == ends


def test_a_stale_answer_asked_again_heals_one_link_at_a_time(connection: sqlite3.Connection) -> None:
    family(connection)
    new = rows.dialogue(connection, "a", "a says something else")
    healed = rows.dialogue(connection, "b", "b says now", parent_after=new)
    found = states(connection)
    assert (found["b"].end, found["b"].stale) == (healed, False)
    assert (found["c"].end, found["c"].stale) == (None, True)


def test_a_replaced_turn_makes_the_later_turns_stale(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "t", turns=3)
    rows.dialogue(connection, "t", "one", "two", "three")
    at = rows.call(connection, "t", 0, "t", rows.reply("one, otherwise"))
    state = states(connection)["t"]
    assert (state.stale, state.answered, state.at, state.end) == (True, 1, at, None)


def test_a_parent_without_an_answer_bars_all_its_descendants(connection: sqlite3.Connection) -> None:
    family(connection)
    rows.call(connection, "a", 0, "a", rows.missing())
    found = states(connection)
    assert [found[key].missing for key in "abc"] == ["no_answer", "parent_missing", "parent_missing"]
    assert all(found[key].settled for key in "abc")


def test_an_unfinished_parent_leaves_its_child_waiting(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "a")
    rows.trial(connection, "b", "a")
    state = states(connection)["b"]
    assert (state.at, state.stale, state.settled, state.missing) == (None, False, False, None)


def test_the_order_of_planning_does_not_matter(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "child", "parent", scenario="1 child")
    rows.trial(connection, "parent", scenario="2 parent")
    end = rows.dialogue(connection, "parent", "p")
    assert rows.dialogue(connection, "child", "c", parent_after=end) == states(connection)["child"].end


def test_editions_that_ask_the_same_share_the_trial(connection: sqlite3.Connection) -> None:
    for name in ("e", "f"):
        rows.edition(connection, name)
        rows.trial(connection, "t", edition=name)
    end = rows.dialogue(connection, "t", "said once")
    assert [queries.states(connection, Where("s", name))[0].end for name in ("e", "f")] == [end, end]
    assert connection.execute("SELECT count(*) FROM calls").fetchone()[0] == 1


def test_two_places_of_one_edition_may_hold_one_trial(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "t", scenario="one")
    rows.trial(connection, "t", scenario="other")
    end = rows.dialogue(connection, "t", "said once")
    found = queries.states(connection, PLACE)
    assert [(state.scenario, state.end) for state in found] == [("one", end), ("other", end)]


def test_states_may_be_asked_for_one_condition(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "t")
    assert len(queries.states(connection, PLACE.under(Condition("v", "m")))) == 1
    assert queries.states(connection, PLACE.under(Condition("v", "other"))) == []
    assert queries.conditions(connection, PLACE) == [("v", "m")]


def test_editions_come_last_used_first_and_only_with_trials(connection: sqlite3.Connection) -> None:
    for name in ("old", "new", "empty"):
        rows.edition(connection, name)
    for name in ("old", "new"):
        rows.trial(connection, f"t {name}", edition=name)
    connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = 'old'")
    assert [(info.edition, info.trials) for info in queries.editions(connection)] == [("new", 1), ("old", 1)]


def test_texts_of_an_edition_come_back(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    records.add_persona(connection, EditionRow("s", "e", "{}"), "pirate", "Arr.")
    assert queries.document(connection, PLACE) == "{}"
    assert queries.document(connection, Where("s", "other")) is None
    assert queries.personas(connection, PLACE) == {"pirate": "Arr."}
    assert queries.subjects(connection, PLACE) == {"a": ("label a", "acme/m", False)}


def test_verdicts_come_back_typed_and_oldest_first(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "t")
    quoting = Verdict({"a": 3, "b": True, "c": 0.5}, quote="never", quote_found=False)
    rows.verdict(connection, "k2", "t", "at", quoting, "second")
    rows.verdict(connection, "k1", "t", "at", Missing("unreadable_verdict"), "first")
    connection.execute("UPDATE verdicts SET judged_at = '2020' WHERE key = 'k1'")
    (first,), (second,) = (queries.verdicts(connection, PLACE, judge) for judge in ("first", "second"))
    assert queries.judges(connection, PLACE) == [("first", 0), ("second", 1)]
    assert (first.judge, first.missing, first.fields) == ("first", "unreadable_verdict", {})
    assert (second.judge, second.missing, second.fields) == ("second", None, {"a": 3, "b": True, "c": 0.5})
    assert second.fields["b"] is True
    assert (first.quote_found, second.quote_found is False) == (None, True)
    known = queries.known_verdicts(connection, ["k1", "k2", "k3"])
    assert known == {"k1": "unreadable_verdict", "k2": None}


def test_costs_sum_answers_old_versions_verdicts_and_failures(connection: sqlite3.Connection) -> None:
    rows.trial(connection, "t")
    for usd in (0.1, 0.2):
        rows.call(connection, "t", 0, "t", rows.reply("x", usd=usd))
    rows.verdict(connection, "k", "t", "at", Verdict({"a": 1}, usage=Usage(cost_usd=0.4)))
    records.add_failure(connection, FailureRow("t", "x", "GaveUp", "", (Attempt("503", 1, Usage(cost_usd=0.8)),)))
    assert queries.costs(connection, PLACE.under(Condition("v", "m"))) == {"a": pytest.approx(1.5)}
    assert queries.costs(connection, PLACE.under(Condition("v", "other"))) == {}


def test_shapes_of_other_editions_come_back_newest_and_without_imports(connection: sqlite3.Connection) -> None:
    for name, shape in (("old", '{"x":1}'), ("older", '{"x":0}'), ("e", '{"x":2}'), (queries.PUBLISHED, '{"x":3}')):
        rows.trial(connection, f"t {name}", edition=name, scenario="one", shape=shape)
    connection.execute("UPDATE planned SET planned_at = '2020' WHERE edition = 'older'")
    assert queries.other_shapes(connection, PLACE, "a") == {"v/m/one/1": '{"x":1}'}
    assert queries.other_shapes(connection, PLACE, "b") == {}
