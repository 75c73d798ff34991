"""How far trials are: by their answers, by the rows that are kept of finished ones, and as a plan reads them."""

from __future__ import annotations

from sqlite3 import Connection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.store import context, dialogue_rows, endings, queries
from independence.store.endings import Endings, FinishedTrial
from independence.store.file import digests
from independence.store.queries import TrialState
from independence.types import Attempt, Condition, Missing, Reply, Usage, Where

from . import rows
from .rows import PLACE


def states(connection: Connection) -> dict[str, TrialState]:
    return {state.key: state for state in queries.states(connection, PLACE)}


def test_a_context_moves_on_with_words_and_private_content_alone() -> None:
    starts = {context.begin("key"), context.begin("key", "one end"), context.begin("key", "another end")}
    assert len(starts) == 3
    assert "key" in starts  # of a dialogue that continues none
    plain = Reply("yes", "content")
    said = [plain, Reply("no", "content"), Reply("yes", "content", thinking="hm"), Missing("no_answer")]
    ends = {context.extend(at, answer) for at in ("here", "there") for answer in said}
    assert len(ends) == 2 * len(said)
    dear = Reply("yes", "tool", "{yes}", reasoning="r", usage=Usage(1), flags=("x",), attempts=(Attempt("ok", 1),))
    assert context.extend("here", dear) == context.extend("here", plain)


@given(st.text(st.characters(codec=None)), st.text())
def test_any_text_has_a_digest(text: str, at: str) -> None:
    assert len(context.extend(at, Reply(text, "content"))) == 64


def test_a_trial_is_open_until_every_turn_is_answered(connection: Connection) -> None:
    rows.trial(connection, "t", turns=2)
    state = states(connection)["t"]
    assert (state.answered, state.turns, state.missing, state.stale, state.at) == (0, 2, None, False, "t")
    assert (state.end, state.settled) == (None, False)
    half = rows.dialogue(connection, "t", "one")
    assert (states(connection)["t"].end, states(connection)["t"].at) == (None, half)
    end = rows.call(connection, "t", 1, half, rows.reply("two", flags=("cleaned",)))
    state = states(connection)["t"]
    assert (state.end, state.settled, state.flags) == (end, True, ("cleaned",))


def test_a_missing_answer_settles_a_trial_without_an_end(connection: Connection) -> None:
    rows.trial(connection, "t", turns=2)
    rows.call(connection, "t", 0, "t", rows.missing("blocked"))
    state = states(connection)["t"]
    assert (state.missing, state.settled, state.end, state.answered) == ("blocked", True, None, 0)


def test_a_replaced_turn_makes_the_later_turns_stale(connection: Connection) -> None:
    rows.trial(connection, "t", turns=3)
    rows.dialogue(connection, "t", "one", "two", "three")
    at = rows.call(connection, "t", 0, "t", rows.reply("one, otherwise"))
    state = states(connection)["t"]
    assert (state.stale, state.answered, state.at, state.end) == (True, 1, at, None)


@pytest.fixture
def family(connection: Connection) -> dict[str, str]:
    """Three trials, each continuing the one before, all answered: where each ends."""
    ends: dict[str, str] = {}
    parent = None
    for key in ("a", "b", "c"):
        rows.trial(connection, key, parent)
        ends[key] = rows.dialogue(connection, key, f"{key} says", parent_after=ends.get(parent or ""))
        parent = key
    return ends


def test_a_parent_answered_again_in_the_same_words_changes_nothing(
    connection: Connection, family: dict[str, str]
) -> None:
    for _ in range(2):
        assert {key: state.end for key, state in states(connection).items()} == family
        rows.dialogue(connection, "a", "a says")


def test_a_replaced_parent_makes_everything_after_it_stale_until_it_is_asked_again(
    connection: Connection, family: dict[str, str]
) -> None:
    new = rows.dialogue(connection, "a", "a says something else")
    found = states(connection)
    assert [found[key].stale for key in "abc"] == [False, True, True]
    assert [found[key].end is None for key in "abc"] == [False, True, True]
    assert [found[key].settled for key in "abc"] == [True, False, False]
    assert found["b"].at == context.begin("b", found["a"].end)
    assert found["c"].at is None
    healed = rows.dialogue(connection, "b", "b says now", parent_after=new)
    found = states(connection)
    assert (found["b"].end, found["b"].stale) == (healed, False)
    assert (found["c"].end, found["c"].stale) == (None, True)


def test_a_parent_without_an_answer_bars_all_its_descendants(connection: Connection, family: dict[str, str]) -> None:
    rows.call(connection, "a", 0, "a", rows.missing())
    found = states(connection)
    assert [found[key].missing for key in "abc"] == ["no_answer", "parent_missing", "parent_missing"]
    assert all(found[key].settled for key in "abc")


def test_a_child_waits_for_its_parent_in_whatever_order_they_were_planned(connection: Connection) -> None:
    rows.trial(connection, "child", "parent", scenario="1 child")
    rows.trial(connection, "parent", scenario="2 parent")
    state = states(connection)["child"]
    assert (state.at, state.stale, state.settled, state.missing) == (None, False, False, None)
    end = rows.dialogue(connection, "parent", "p")
    assert rows.dialogue(connection, "child", "c", parent_after=end) == states(connection)["child"].end


def test_editions_and_places_that_ask_the_same_share_the_trial(connection: Connection) -> None:
    for edition, scenario in (("e", "one"), ("e", "other"), ("f", "one")):
        rows.edition(connection, edition)
        rows.trial(connection, "t", edition=edition, scenario=scenario)
    end = rows.dialogue(connection, "t", "said once")
    found = [(state.scenario, state.end) for name in "ef" for state in queries.states(connection, Where("s", name))]
    assert found == [("one", end), ("other", end), ("one", end)]
    assert connection.execute("SELECT count(*) FROM calls").fetchone()[0] == 1


def test_states_may_be_asked_for_one_condition(connection: Connection) -> None:
    rows.trial(connection, "t")
    assert len(queries.states(connection, PLACE.under(Condition("v", "m")))) == 1
    assert queries.states(connection, PLACE.under(Condition("v", "other"))) == []
    assert queries.conditions(connection, PLACE) == [("v", "m")]


def finished(connection: Connection) -> list[str]:
    """Trials whose row says that all is answered; every row is what the calls make."""
    assert list(dialogue_rows.differing(connection)) == []
    assert list(digests.damage(connection)) == []
    found = connection.execute(
        "SELECT key FROM dialogues JOIN trials ON key = trial WHERE answered = turns AND NOT broken ORDER BY key"
    )
    return [key for (key,) in found]


@pytest.fixture
def dialogues(connection: Connection) -> Connection:
    """One of twelve turns, one that continues it, one that is not finished, one with a mark and a replaced answer."""
    rows.edition(connection)
    planned = (("long", None, 12), ("more", "long", 1), ("half", None, 2), ("marked", None, 2), ("once", None, 1))
    for key, parent, turns in planned:
        rows.trial(connection, key, parent, turns)
    end = rows.dialogue(connection, "long", *(f"answer {turn}" for turn in range(12)))
    rows.dialogue(connection, "more", "so", parent_after=end)
    rows.dialogue(connection, "half", "one")
    rows.call(connection, "once", 0, "once", rows.reply("yes", thinking="hm", flags=("cleaned",)))
    first = rows.dialogue(connection, "marked", "first")
    for text, flags in (("second", ()), ("b", ("cleaned",))):
        rows.call(connection, "marked", 1, first, rows.reply(text, flags=flags))
    return connection


def test_a_dialogue_is_finished_with_the_last_answer(dialogues: Connection) -> None:
    assert finished(dialogues) == ["long", "marked", "more", "once"]
    marked = states(dialogues)["marked"]
    assert marked.flags == ("cleaned",)


def test_a_dialogue_is_open_again_with_a_change_and_what_continues_it_is_stale(dialogues: Connection) -> None:
    before = context.begin("long")
    for turn in range(11):
        before = context.extend(before, rows.reply(f"answer {turn}"))
    rows.call(dialogues, "long", 11, before, rows.reply("another end"))
    assert finished(dialogues) == ["long", "marked", "more", "once"]
    assert states(dialogues)["more"].stale
    rows.call(dialogues, "long", 3, "elsewhere", rows.reply("other"))
    dialogues.execute("DELETE FROM calls WHERE trial = 'marked' AND turn = 1")
    dialogue_rows.write(dialogues, ["marked"])
    assert finished(dialogues) == ["more", "once"]
    assert states(dialogues)["more"].stale


KEYS = frozenset({"done", "half", "open", "gone", "after done", "after half", "after gone", "elsewhere"})


@pytest.fixture
def plan(connection: Connection) -> Connection:
    """Finished, begun, unanswered and given up, three that continue one of those, and many that nobody asks for."""
    for number in range(20):
        rows.trial(connection, f"other {number}", scenario="other", run=number)
        rows.dialogue(connection, f"other {number}", "so")
    for key, turns in (("done", 2), ("half", 2), ("open", 1), ("gone", 1)):
        rows.trial(connection, key, turns=turns)
    for key in ("done", "half", "gone"):
        rows.trial(connection, f"after {key}", key)
    end = rows.dialogue(connection, "done", "one", "two")
    rows.dialogue(connection, "after done", "three", parent_after=end)
    rows.dialogue(connection, "half", "one")
    rows.call(connection, "gone", 0, "gone", rows.missing("blocked"))
    return connection


def read(connection: Connection, *wanted: str) -> Endings:
    return endings.read(connection, PLACE, frozenset(wanted) or KEYS)


def test_a_plan_reads_ends_of_what_is_finished_and_states_of_the_rest(plan: Connection) -> None:
    found = states(plan)
    finished, unfinished = read(plan)
    assert {key: finished[key] for key in KEYS & finished.keys()} == {
        key: FinishedTrial(found[key].end or "", turns) for key, turns in (("done", 2), ("after done", 1))
    }
    assert dict(unfinished) == {key: found[key] for key in ("half", "gone", "after half", "after gone")}
    assert (unfinished["after gone"].missing, unfinished["half"].answered) == ("parent_missing", 1)
    finished, unfinished = read(plan, "done", "half", "after gone", "elsewhere")  # few of many, and what they continue
    assert (set(finished), set(unfinished)) == ({"done"}, {"half", "after gone", "gone"})
    assert endings.read(plan, PLACE.under(Condition("v", "m")), KEYS) == read(plan)
    assert endings.read(plan, PLACE.under(Condition("v", "other")), KEYS) == Endings({}, {})


def test_what_was_said_on_another_history_is_stale_and_finishes_nothing(plan: Connection) -> None:
    rows.dialogue(plan, "done", "one", "otherwise")
    rows.call(plan, "open", 0, "another history", rows.reply("yes"))
    finished, unfinished = read(plan)
    assert "done" in finished
    assert "open" not in finished
    assert unfinished["after done"].stale
    assert unfinished["open"].stale
