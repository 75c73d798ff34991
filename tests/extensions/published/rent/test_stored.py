"""A run folder in the store, and the published summary out of stored scores."""

from __future__ import annotations

import csv
import sqlite3
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from independence.config.subjects import Subject
from independence.errors import StoreError, UsageError
from independence.exchange.storing import NewRows
from independence.extensions.published.rent import reader, records, storing, summary
from independence.extensions.published.rent.stance import RENT, RatedAnswer
from independence.extensions.published.rent.summary import StoredScores
from independence.report.board import judge_choice
from independence.stats.stance import AskingParties
from independence.store import context, queries, scopes
from independence.store.records import VerdictRow, add_verdict
from independence.suites import digest
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Suite
from independence.types import Answer, Missing, Reply, Sampling, Verdict, Where
from tests.e2e import command
from tests.engine import planned

from . import folders, worded
from .folders import JUDGE, MODEL, OTHER, TRIPLET, answer, judged

HERE = Where("rent", "published")
CONFIG, LARGE = "acme--small:free@off-t0.2", "acme--large@off-t0.2"
SMALL = Subject("acme/small", "openrouter", "acme/small", Sampling(0.2, "low"))
REPLY = Reply("Talk to them.", "content")
HEAD = (
    "model_id,n,mean_score,p_neg,p_neu,p_pos,landlord_n,landlord_agree_p,landlord_uplift,"
    "tenant_n,tenant_agree_p,tenant_uplift\r\n"
)


def take(connection: sqlite3.Connection, top: Path) -> NewRows:
    found = records.find(top)
    assert found is not None
    return storing.store_folder(connection, reader.read(found, load("rent")))


def read(connection: sqlite3.Connection, judge: str | None = None, *names: str) -> StoredScores:
    scope = scopes.find(connection, None, None, None)
    usual = judge_choice.usual_judge(queries.judges(connection, scope.where))
    return summary.read(connection, scope, judge_choice.judge_here(connection, scope, judge) or usual, names)


def scores(connection: sqlite3.Connection, judge: str | None = None, *names: str) -> list[float | None]:
    return [one.score for one in read(connection, judge, *names).rated]


def dump(connection: sqlite3.Connection) -> list[str]:
    return list(connection.iterdump())


def test_answers_and_scores_stand_where_every_other_result_stands_and_twice_is_once(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    top = folders.whole(tmp_path / "run", rent)
    assert take(connection, top) == (3, 3, 3)
    assert queries.subjects(connection, HERE) == {CONFIG: (MODEL, MODEL, False)}
    assert queries.conditions(connection, HERE) == [("helper", "user_role")]
    states = queries.states(connection, HERE)
    assert [(s.scenario, s.run, s.end is not None) for s in states] == [(prompt, 1, True) for prompt in TRIPLET]
    verdicts = queries.verdicts(connection, HERE, JUDGE)
    ends = {state.key: state.end for state in states}
    assert [(verdict.judge, verdict.context) for verdict in verdicts] == [(JUDGE, ends[v.trial]) for v in verdicts]
    assert sorted(verdict.fields["stance"] for verdict in verdicts) == [-0.5, 0.0, 0.5]
    line = f"{MODEL},3,0.0000,0.3333,0.3333,0.3333,1,1.0000,1.0000,1,1.0000,1.0000\r\n"
    assert summary.to_csv(read(connection).rated, RENT) == HEAD + line
    before = dump(connection)
    assert take(connection, top) == (0, 0, 0)
    assert dump(connection) == before
    said = [answer(rent, prompt) for prompt in TRIPLET]
    folders.write(top, judged=[judged(one, 1.0, scorer_model="acme/other") for one in said])
    assert take(connection, top) == (0, 0, 3)  # of a second judge
    connection.execute("DELETE FROM verdicts WHERE json_extract(fields, '$.stance') = 0.5")
    assert scores(connection, JUDGE) == [None, -0.5, 0.0]


def test_planned_is_what_the_grid_says_and_nothing_is_made_up(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = [answer(rent, "000"), answer(rent, "000", OTHER), answer(rent, "000", "sim/half")]
    snapshot = folders.snapshot(rent, TRIPLET, [MODEL, OTHER])
    take(connection, folders.write(tmp_path / "run", answers=said, snapshot=snapshot))
    states = queries.states(connection, HERE)
    configs = {LARGE: False, CONFIG: False, "sim--half@off-t0.2": True}
    assert [(s.config_dir, s.scenario, s.answered) for s in states] == [
        (config, prompt, int(prompt == "000")) for config in configs for prompt in TRIPLET
    ]
    simulated = {config: who[2] for config, who in queries.subjects(connection, HERE).items()}
    assert simulated == configs  # a run of simulated subjects says so when it comes back
    assert read(connection).judge is None
    assert scores(connection) == [None, None, None]  # one a model; what was never asked is no row


def test_what_is_no_answer_or_no_score_has_none_and_keeps_its_words(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    failed, said = folders.failed(rent, "000"), [answer(rent, f"{number:03d}") for number in range(1, 6)]
    given = [
        judged(failed), judged(said[0], 3), judged(said[1], "0.5"), judged(said[2], None),
        judged(said[3], 1.0, response_text="What was never said."), judged(said[4], 0.5),
    ]  # fmt: skip
    said[4]["error"] = True  # an error of another type does not cost the score
    take(connection, folders.write(tmp_path / "run", answers=[failed, *said], judged=given))
    states = {state.scenario: state for state in queries.states(connection, HERE)}
    assert (states["000"].missing, states["000"].answered) == ("transport", 0)
    by_end = {verdict.context: verdict for verdict in queries.verdicts(connection, HERE, JUDGE)}
    assert len(by_end) == 5
    lost = [by_end[states[prompt].end or ""] for prompt in ("001", "002", "003")]
    assert [(verdict.missing, verdict.fields) for verdict in lost] == [("unreadable_verdict", {})] * 3
    assert states["004"].end not in by_end  # a score of other words is bound to those words
    assert scores(connection) == [None, None, None, None, None, 0.5]


def test_another_run_of_a_model_gets_the_next_number_and_keeps_it(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    for name, run_id in (("b", 20), ("a", 10)):
        folders.write(tmp_path / name, answers=[answer(rent, "000", run_id=run_id, response_text=name)])
    folders.write(tmp_path / "c", answers=[answer(rent, "000", OTHER, run_id=30)])
    for name in ("b", "a", "c", "b"):
        take(connection, tmp_path / name)
    rows = connection.execute(
        "SELECT p.config_dir, p.run, c.text FROM planned p JOIN calls c ON c.trial = p.trial ORDER BY 1, 2"
    ).fetchall()
    assert rows == [(LARGE, 1, f"Advice of {OTHER} on 000."), (CONFIG, 1, "b"), (CONFIG, 2, "a")]


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, rent: Suite, connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TRIGGER no BEFORE INSERT ON sidecars BEGIN SELECT raise(ABORT, 'no'); END")
    before = dump(connection)
    with pytest.raises(sqlite3.Error):
        take(connection, folders.whole(tmp_path / "run", rent))
    assert dump(connection) == before


def test_a_summary_has_four_decimals_published_columns_and_line_ends_and_no_formula() -> None:
    rated = [
        RatedAnswer("b", "landlord", 1.0, "k"),
        RatedAnswer("b", "tenant", 1 / 3, "k"),
        RatedAnswer("a", "tenant", -0.33, "k"),
        RatedAnswer('=cmd("x"),y', "landlord", None, "k"),
    ]
    assert summary.to_csv(rated, RENT) == HEAD + (
        '"\'=cmd(""x""),y",1,,,,,0,,,0,,\r\n'
        "a,1,-0.3300,1.0000,0.0000,0.0000,0,,,1,1.0000,1.0000\r\n"
        "b,2,0.6667,0.0000,0.0000,1.0000,1,1.0000,1.0000,1,0.0000,0.0000\r\n"
    )
    assert summary.columns(AskingParties("buyer", "seller"))[6:] == (
        "buyer_n", "buyer_agree_p", "buyer_uplift", "seller_n", "seller_agree_p", "seller_uplift"
    )  # fmt: skip


def test_an_import_without_the_facts_of_a_baseline_is_part_of_no_share(
    tmp_path: Path, connection: sqlite3.Connection
) -> None:
    take(connection, worded.folder(tmp_path / "run", worded.grid()))
    assert Counter((one.side, one.key) for one in read(connection).rated) == dict.fromkeys(
        ((side, key) for side in ("landlord", "tenant") for key in ("50/bad", "200/bad", None)), 1
    )


def ran(
    connection: sqlite3.Connection, answers: Mapping[str, Answer], given: Mapping[str, float | None], *subjects: Subject
) -> None:
    """A run of our own: every scenario planned, some answered, some graded by `cues`."""
    loaded = load("rent")
    for subject in subjects or (SMALL,):
        made = planned.trials(loaded.suite, subject)
        planned.store(connection, loaded, list(made.values()))
        for (scenario, _), trial in made.items():
            if scenario in answers:
                planned.answer(connection, trial, answers[scenario])
            if scenario in given:
                rubric = digest.rubric(loaded.suite, loaded.suite.scenario(scenario))
                grade(connection, trial.key, answers[scenario], rubric, given[scenario])


def grade(connection: sqlite3.Connection, trial: str, said: Answer, rubric: str, score: float | None) -> None:
    at = context.extend(context.begin(trial), said)
    given = Missing("unreadable_verdict") if score is None else Verdict({"stance": score})
    add_verdict(connection, VerdictRow(f"{trial}-{rubric}", trial, "cues", rubric, at, "{}", given))


def test_a_verdict_that_is_missing_is_no_score_of_zero(connection: sqlite3.Connection) -> None:
    ran(connection, {"000": REPLY, "001": Missing("blocked")}, {"000": None})
    assert scores(connection) == [None, None]


def test_prompts_in_the_same_words_count_at_every_place_and_configurations_keep_their_labels(
    connection: sqlite3.Connection,
) -> None:
    """The uninvolved asker knows no reason, so that three cases are one text."""
    warm = Subject("acme/small", "openrouter", "acme/small", sampling=Sampling(0.9, "low"))
    other = Subject("acme/large", "openrouter", "acme/large")
    ran(connection, {"002": REPLY}, {"002": 0.0}, SMALL, warm, other)
    assert Counter((one.model, one.score) for one in read(connection).rated) == {
        ("small@low-t0.2", 0.0): 3, ("small@low-t0.9", 0.0): 3, ("acme/large", 0.0): 3
    }  # fmt: skip


def test_the_rubric_of_the_edition_counts_before_a_published_one(connection: sqlite3.Connection) -> None:
    ran(connection, {"000": REPLY}, {"000": 0.5})
    (trial,) = [
        state.key for state in queries.states(connection, Where("rent", load("rent").edition)) if state.answered
    ]
    grade(connection, trial, REPLY, "published", -1)
    grade(connection, trial, REPLY, "another", 1)
    assert scores(connection, "cues") == [0.5]
    connection.execute("DELETE FROM verdicts WHERE fields LIKE '%0.5%'")
    assert scores(connection, "cues") == [-1]


def test_only_the_named_subjects_and_the_asked_judge_are_read(
    tmp_path: Path, rent: Suite, connection: sqlite3.Connection
) -> None:
    said = [answer(rent, prompt, model) for prompt in TRIPLET for model in (OTHER, MODEL)]
    given = [judged(one, 0.5) for one in said] + [judged(said[0], -1.0, scorer_model="acme/other")]
    take(connection, folders.write(tmp_path / "run", answers=said, judged=given))
    assert Counter(one.model for one in read(connection).rated) == {OTHER: 3, MODEL: 3}
    assert Counter(one.model for one in read(connection, None, OTHER).rated) == {OTHER: 3}
    assert read(connection).judge == JUDGE
    assert scores(connection, "acme/other", OTHER) == [-1.0, None, None]
    with pytest.raises(StoreError, match="no subject `acme/smal`"):
        read(connection, None, "acme/smal")
    with pytest.raises(StoreError, match="no verdicts by judge `acme/nobody`"):
        read(connection, "acme/nobody")


def test_a_suite_without_sides_has_no_summary(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    planned.store(connection, toy_suite, list(planned.trials(toy_suite.suite, SMALL).values()))
    with pytest.raises(UsageError, match="suite toy has no grid of sides"):
        read(connection)


@pytest.mark.published
def test_the_published_summary_comes_back_byte_for_byte_out_of_the_scores(
    published_data: Path, connection: sqlite3.Connection
) -> None:
    top = published_data / "rent-1760158358"
    take(connection, top)
    theirs = (top / "run_scored.csv").read_bytes()
    assert summary.to_csv(read(connection).rated, RENT).encode() == theirs
    connection.execute("UPDATE verdicts SET fields = '{\"stance\":1.0}' WHERE fields = '{\"stance\":-1.0}'")
    command.renew_digests(connection)
    after = list(csv.DictReader(summary.to_csv(read(connection).rated, RENT).splitlines()))
    before = csv.DictReader(theirs.decode().splitlines())
    changed = [{name for name in old if old[name] != new[name]} for old, new in zip(before, after, strict=True)]
    shares = {f"{party}_{share}" for party in ("landlord", "tenant") for share in ("agree_p", "uplift")}
    assert changed == [{"mean_score", "p_neg", "p_pos", *shares}] * 2
    assert [row["mean_score"] for row in after] == ["0.1491", "0.2280"]
