"""What a store is asked for: by names and scopes, and its texts, verdicts, costs and gaps."""

from __future__ import annotations

from sqlite3 import Connection

import msgspec
import pytest

from independence.errors import StoreError
from independence.store import missing, plans, queries, records, scopes
from independence.store.records import EditionRow, FailureRow, VerdictRow
from independence.store.scopes import Names
from independence.suites.load import LoadedSuite
from independence.types import Attempt, Condition, Missing, Usage, Verdict, Where
from tests.report import filled

from . import rows
from .rows import PLACE


def test_an_empty_store_says_how_to_fill_it(connection: Connection) -> None:
    with pytest.raises(StoreError, match="the store is empty: `independence demo`"):
        scopes.find(connection, None, None, None)


def test_the_only_edition_and_the_default_condition_need_not_be_named(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    for condition in (filled.CONDITION, ("plain", "user_role")):
        filled.plan(connection, toy_suite, condition=condition)
    found = scopes.find(connection, None, None, None)
    assert found == filled.scope(toy_suite)
    assert found.condition == ("firm", "tool_role")


def test_the_only_condition_there_is_needs_no_name_and_the_suite_is_as_it_was_stored(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    renamed = LoadedSuite(msgspec.structs.replace(toy_suite.suite, title="As it was"), "0123abcd")
    filled.plan(connection, renamed, condition=("plain", "user_role"))
    found = scopes.find(connection, None, None, None)
    assert (found.condition, found.suite.title) == (("plain", "user_role"), "As it was")
    with pytest.raises(StoreError, match="no trials under firm/user_role; it has plain/user_role"):
        scopes.find(connection, None, "firm", "user_role")


def test_of_several_editions_of_one_suite_the_newest_is_taken_unless_one_is_imported(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    other = LoadedSuite(toy_suite.suite, "0123abcd")
    for loaded in (toy_suite, other):
        filled.plan(connection, loaded)
    connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = '0123abcd'")
    found = scopes.find(connection, None, None, None)
    assert found.edition == toy_suite.edition
    assert "toy@0123abcd" in scopes.newest(connection, found, None)
    assert scopes.newest(connection, found, f"toy@{toy_suite.edition}") == ""
    assert scopes.find(connection, "toy", None, None).edition == toy_suite.edition
    assert scopes.find(connection, "toy@0123abcd", None, None).edition == "0123abcd"
    filled.plan(connection, LoadedSuite(toy_suite.suite, "published"))
    with pytest.raises(StoreError, match=r"name one with --suite: toy@.*, toy@0123abcd"):
        scopes.find(connection, None, None, None)


def test_what_the_store_does_not_hold_is_refused_with_what_it_holds(
    connection: Connection, toy_suite: LoadedSuite
) -> None:
    filled.plan(connection, toy_suite)
    for asked in ("v2", "toy@ffffffff", "to"):
        with pytest.raises(StoreError, match=f"no trials of `{asked}`; it holds toy@{toy_suite.edition}"):
            scopes.find(connection, asked, None, None)


KNOWN = {
    names.config_dir: names
    for names in (
        Names("a--one@low-t0.7", "one@low-t0.7", "a/one"),
        Names("a--one@none-t0.7", "one@none-t0.7", "a/one"),
        Names("a--two+host@none-t0.7", "two+host@none-t0.7", "a/two"),
        Names("lab--half+alpha@none-t0.7", "lab/half+alpha@none-t0.7", "lab/half"),
        Names("sim--half@none-t0.7", "sim/half@none-t0.7", "sim/half"),
    )
}


NAMED = {
    "a--one@low-t0.7": ["a--one@low-t0.7"],
    "one@low-t0.7": ["a--one@low-t0.7"],
    "a/one": ["a--one@low-t0.7", "a--one@none-t0.7"],
    "two+host": ["a--two+host@none-t0.7"],
    "two": ["a--two+host@none-t0.7"],
    "lab/half+alpha": ["lab--half+alpha@none-t0.7"],
    "sim/half@none-t0.7 (simulated)": ["sim--half@none-t0.7"],
    "sim/half (sim)": ["sim--half@none-t0.7"],
}


def test_whatever_a_board_prints_in_full_finds_its_subject() -> None:
    assert {name: scopes.subjects([name], KNOWN, "here") for name in NAMED} == NAMED


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("one", "`one` may be any of 2 subjects here; use a full name: one@low-t0.7, one@none-t0.7"),
        ("half", "may be any of 2 subjects here; use a full name: lab/half\\+alpha@none-t0.7, sim/half@none-t0.7"),
        ("lab/ha…", "no subject `lab/ha…` here; did you mean `lab/half\\+alpha@none-t0.7`"),
        ("one…none-t0.7", "did you mean `one@none-t0.7`"),
        ("alpha", "did you mean `lab/half\\+alpha@none-t0.7`"),
        ("tow+host", "did you mean `two\\+host`"),
        ("zebra", "there is lab/half\\+alpha@none-t0.7, one@low-t0.7"),
    ],
)
def test_a_cut_or_partial_name_is_answered_with_the_full_ones_it_may_mean(name: str, says: str) -> None:
    with pytest.raises(StoreError, match=says):
        scopes.subjects([name], KNOWN, "here")


def test_a_persona_is_found_by_the_name_of_its_file() -> None:
    assert scopes.variant_named("mine", {"mine-8229", "neutral"}) == "mine-8229"
    assert scopes.variant_named("mine", {"mine-8229", "mine-1111"}) == "mine"
    assert scopes.variant_named("mine", {"mine", "mine-1111"}) == "mine"


HERE = PLACE.under(Condition("v", "m"))


def test_a_place_leads_to_its_trial_and_the_shape_it_was_planned_in(connection: Connection) -> None:
    rows.trial(connection, "t2", scenario="x", run=2, shape='{"seed":4}')
    rows.trial(connection, "t1", scenario="x")
    rows.trial(connection, "t3", scenario="x", edition="other")
    assert queries.trial_key(connection, HERE, "a", "x", 2) == "t2"
    with pytest.raises(KeyError):
        queries.trial_key(connection, HERE, "a", "x", 3)
    found = plans.planned_trials(connection, HERE)
    assert [(one.config_dir, one.scenario, one.run, one.shape) for one in found] == [
        ("a", "x", 1, "{}"), ("a", "x", 2, '{"seed":4}'),
    ]  # fmt: skip
    assert all(one.planned_at.startswith("20") for one in found)
    assert plans.planned_trials(connection, PLACE.under(Condition("v", "another mode"))) == []


def test_editions_come_last_used_first_and_only_with_trials(connection: Connection) -> None:
    for name in ("old", "new", "empty"):
        rows.edition(connection, name)
    for name in ("old", "new"):
        rows.trial(connection, f"t {name}", edition=name)
    connection.execute("UPDATE editions SET used_at = '2020' WHERE edition = 'old'")
    assert [(info.edition, info.trials) for info in queries.editions(connection)] == [("new", 1), ("old", 1)]


def test_texts_of_an_edition_come_back(connection: Connection) -> None:
    rows.edition(connection)
    records.add_persona(connection, EditionRow("s", "e", "{}"), "pirate", "Arr.")
    assert queries.document(connection, PLACE) == "{}"
    assert queries.document(connection, Where("s", "other")) is None
    assert queries.personas(connection, PLACE) == {"pirate": "Arr."}
    assert queries.subjects(connection, PLACE) == {"a": ("label a", "acme/m", False)}


def test_verdicts_come_back_typed_and_oldest_first(connection: Connection) -> None:
    rows.trial(connection, "t")
    quoting = Verdict({"a": 3, "b": True, "c": 0.5}, quote="never", quote_found=False)
    rows.verdict(connection, "k2", "t", "at", quoting, "second")
    rows.verdict(connection, "k1", "t", "at", Missing("unreadable_verdict"), "first")
    connection.execute("UPDATE verdicts SET judged_at = '2020' WHERE key = 'k1'")
    (first,), (second,) = (queries.verdicts(connection, PLACE, judge) for judge in ("first", "second"))
    assert [one[:3] for one in queries.judges(connection, PLACE)] == [("first", 0, 1), ("second", 1, 1)]
    assert (first.judge, first.missing, first.fields) == ("first", "unreadable_verdict", {})
    assert (second.judge, second.missing, second.fields) == ("second", None, {"a": 3, "b": True, "c": 0.5})
    assert second.fields["b"] is True
    assert (first.quote_found, second.quote_found is False) == (None, True)
    known = queries.known_verdicts(connection, ["k1", "k2", "k3"])
    assert known == {"k1": "unreadable_verdict", "k2": None}


def test_costs_sum_answers_old_versions_verdicts_and_failures(connection: Connection) -> None:
    rows.trial(connection, "t")
    for usd in (0.1, 0.2):
        rows.call(connection, "t", 0, "t", rows.reply("x", usd=usd))
    rows.verdict(connection, "k", "t", "at", Verdict({"a": 1}, usage=Usage(cost_usd=0.4)))
    records.add_failure(connection, FailureRow("t", "x", "GaveUp", "", (Attempt("503", 1, Usage(cost_usd=0.8)),)))
    assert queries.costs(connection, HERE) == {"a": pytest.approx(1.5)}
    assert queries.costs(connection, PLACE.under(Condition("v", "other"))) == {}


def test_shapes_of_other_editions_come_back_newest_and_without_imports(connection: Connection) -> None:
    for name, shape in (("old", '{"x":1}'), ("older", '{"x":0}'), ("e", '{"x":2}'), (queries.PUBLISHED, '{"x":3}')):
        rows.trial(connection, f"t {name}", edition=name, scenario="one", shape=shape)
    connection.execute("UPDATE planned SET planned_at = '2020' WHERE edition = 'older'")
    assert queries.other_shapes(connection, PLACE, "a") == {"v/m/one/1": '{"x":1}'}
    assert queries.other_shapes(connection, PLACE, "b") == {}


def test_reasons_are_those_given_on_the_dialogue_as_it_is_now(connection: Connection) -> None:
    rows.trial(connection, "t")

    def given(key: str, at: str, reasoning: str, rubric: str = "rubric") -> None:
        verdict = Verdict({"x": 1}, reasoning)
        records.add_verdict(connection, VerdictRow(key, "t", "j", rubric, at, "{}", verdict))

    given("1", rows.dialogue(connection, "t", "old"), "of the old answer")
    assert queries.reasoning(connection, "t", "j", "rubric") == "of the old answer"
    now = rows.dialogue(connection, "t", "new")
    assert queries.reasoning(connection, "t", "j", "rubric") == ""
    given("2", now, "by the published rubric", "published")
    assert queries.reasoning(connection, "t", "j", "rubric") == "by the published rubric"
    given("3", now, "by this one")
    assert queries.reasoning(connection, "t", "j", "rubric") == "by this one"
    assert queries.reasoning(connection, "t", "somebody else", "rubric") == ""


@pytest.mark.parametrize(
    ("details", "sentence"),
    [
        (["no JSON object found"] * 3, "no JSON object found"),
        (["`x` is missing", "`x` is missing", "no JSON object found", ""], "2 times `x` is missing"),
        (["x" * 999], "x" * 200 + "…"),
        (["8192 tokens\n at most"], "8192 tokens at most"),
        ([""], None),
    ],
)
def test_the_sentence_that_most_missing_verdicts_share_is_told(
    connection: Connection, details: list[str], sentence: str | None
) -> None:
    for number, detail in enumerate(details):
        rows.trial(connection, f"t{number}")
        at = rows.dialogue(connection, f"t{number}", "words")
        rows.verdict(connection, f"{number}", f"t{number}", at, Missing("unreadable_verdict", detail))
    assert missing.sentences(connection, PLACE, ["j"]) == ({"unreadable_verdict": sentence} if sentence else {})


def test_sentences_are_of_the_judges_and_trials_asked_for_and_of_answers_as_they_are(connection: Connection) -> None:
    for trial, judge in (("a", "j"), ("b", "k")):
        rows.trial(connection, trial)
        at = rows.dialogue(connection, trial, "words")
        rows.verdict(connection, f"v {trial}", trial, at, Missing("unreadable_verdict", f"of {trial}"), judge)
    rows.verdict(connection, "older", "a", "another history", Missing("unreadable_verdict", "older"))
    rows.verdict(connection, "given", "b", "at", Verdict({"x": 1}))
    rows.trial(connection, "cut")
    rows.call(connection, "cut", 0, "cut", Missing("too_long", "8192 tokens at most"))
    answer = {"too_long": "8192 tokens at most"}
    assert missing.sentences(connection, PLACE, ["j"]) == answer | {"unreadable_verdict": "of a"}
    assert missing.sentences(connection, PLACE, ["j", "k"], ["b"]) == {"unreadable_verdict": "of b"}
