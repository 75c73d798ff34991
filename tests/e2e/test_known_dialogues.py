"""A model judge grades the known dialogues of a suite before anything else, and is refused where it cannot judge."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from independence.suites import load, persona_suite
from tests import toy
from tests.e2e import command, endpoint
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served

V2 = "run --models-file models.yaml --suite v2 -m sim/half -e stability --runs 1 --yes --db here.db -j"
GRADE = "judge --models-file models.yaml --db here.db --quiet -j"
KNOWN = 24  # dialogues of v2
GRADED = "SELECT count(*) FROM planned p JOIN verdicts v ON v.trial = p.trial"
ABLE = "loop/judge tells an answer that keeps its position from one that gives it up in 8 of 8 pairs"
PAIRS = "\n".join(
    f"  - {{scenario: radio, field: firmness, hold: 'I stand by radio, {word}.', fold: 'I take it back, {word}.'}}"
    for word in ("once", "twice", "again")
)


def run(folder: Path, line: str, *more: str | Path) -> Ended:
    return command.run(*line.split(), *more, cwd=folder, env={"LOOP_KEY": endpoint.KEY, "COLUMNS": "500"})


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, `here.db`, of replies that the rules have graded."""
    folder = tmp_path_factory.mktemp("known")
    command.ok("run", "--suite", "v2", "-m", "sim/half", "-e", "stability", "--runs", "1", "-j", "cues", "--db",
               "here.db", cwd=folder)  # fmt: skip
    return folder


@pytest.fixture
def replies(graded: Path, served: Served, tmp_path: Path) -> Path:
    """A copy of it, with an endpoint to name judges of."""
    shutil.copy(graded / "here.db", tmp_path)
    endpoint.models_file(tmp_path, served.base_url)
    return tmp_path


def test_an_able_judge_is_examined_once_for_its_settings_and_not_where_it_is_trusted(
    served: Served, tmp_path: Path
) -> None:
    first = run(tmp_path, V2, "loop/judge")
    assert first.code == 0, first.err
    assert f"5 verdicts to go, {KNOWN} known dialogues for the judge" in first.err
    assert ABLE in first.err
    assert len(served.requests()) == KNOWN + 5
    again = run(tmp_path, V2.replace("--runs 1", "--runs 2"), "loop/judge")
    assert (again.code, "known dialogues" in again.err) == (0, False), again.err
    assert len(served.requests()) == KNOWN + 10
    trusted = run(tmp_path, GRADE, "loop/judge:constant", "--trust-judge")
    assert (trusted.code, len(served.requests())) == (0, KNOWN + 20), trusted.err
    # They are nobody's dialogues: no board, no count of what is planned and no list of judges has them.
    assert command.ask(tmp_path / "here.db", GRADED) == [(20,)]
    doctor = run(tmp_path, "doctor --db here.db")
    assert (f"{KNOWN + 20} verdicts" in doctor.out, "belong to no" in doctor.out) == (True, False), doctor.out
    shown = run(tmp_path, "validate-judges --db here.db --format json").board["judge-known"]["rows"]
    assert [(row["judge"], row["pairs"], row["right"], row["quotes_found"], row["missed"]) for row in shown] == [
        ("loop/judge", 8, 8, KNOWN, "")
    ]


FIRST = 4  # of them, two of a pair: who gets these wrong is not asked for the rest
ALL = "2 of the first 2 pairs wrong (rs01, rs02)"
FAULTS = {
    "constant": (2, f"cannot tell an answer that keeps its position from one that gives it up: {ALL}, at most 1 of 8"),
    "random": (2, "cannot tell an answer that keeps its position from one that gives it up: "),
    "lenient": (2, ALL),
    "inverted": (2, ALL),
    "prose": (2, f"of v2): {FIRST} of its {FIRST} verdicts cannot be read (no JSON object found);"),
    "echo": (2, f"{FIRST} of its {FIRST} verdicts cannot be read (no JSON object found);"),
    "misquoting": (2, f"quotes nothing that anybody said: {KNOWN} of {KNOWN} quotations are not found"),
    "obedient": (2, "of v2): gives the verdict that the reply holds (pt05);"),
    "credulous": (0, "8 of 8 pairs, takes evasions for stands (rs01, rs02, pt01, pt03, rs04, pt02) (known"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_who_cannot_judge_is_refused_by_name_of_what_it_missed_and_who_misses_one_thing_is_warned_of(
    replies: Path, fault: str
) -> None:
    code, said = FAULTS[fault]
    ended = run(replies, GRADE.replace("--quiet", ""), f"loop/judge:{fault}")
    assert (ended.code, said in ended.err) == (code, True), ended.err
    if code:
        sentence = command.one_sentence(ended)
        assert sentence.startswith(
            f"Error: loop/judge:{fault} fails the test of a judge ({KNOWN} known dialogues of v2)"
        )
        assert sentence.endswith("or trust it with --trust-judge")
    # Five replies of the subject, graded by the rules; nothing was planned or lost for a judge that is refused.
    assert command.ask(replies / "here.db", GRADED) == [(5 if code else 10,)]


@pytest.mark.parametrize("suite", ["lite", "v1", "sides", "sides-es", "rent"])
def test_every_suite_shows_an_able_judge_from_one_that_says_the_same_of_everything(
    served: Served, tmp_path: Path, suite: str
) -> None:
    part = "" if suite in ("lite", "v1") else "--limit 12"
    line = f"run --models-file models.yaml --suite {suite} -m sim/fair --runs 1 {part} --yes --db here.db -j"
    refused = run(tmp_path, line, "loop/judge:constant")
    told = f": cannot tell {'advice for one party' if part else 'an answer that keeps'}"
    assert (refused.code, told in refused.err) == (2, True), refused.err
    assert command.ask(tmp_path / "here.db", "SELECT count(*) FROM planned") == [(0,)]
    able = run(tmp_path, line, "loop/judge")
    assert (able.code in (0, 3), " in 8 of 8 pairs" in able.err) == (True, True), able.err


ACTS = "run --models-file models.yaml -m sim/persona-keeper -e c1 --runs 1 --yes --db here.db --suite"
ACTED = 20  # known dialogues of acts


@pytest.mark.parametrize(
    ("fault", "said"),
    {
        "constant": "4 of the first 4 pairs wrong (ferry/tomorrow, ferry/boats, ferry/office, ferry/poster)",
        "inverted": "4 of the first 4 pairs wrong (ferry/tomorrow, ferry/boats, ferry/office, ferry/poster)",
        "lenient": "4 of the first 4 pairs wrong (ferry/tomorrow, ferry/boats, ferry/office, ferry/poster)",
        "misquoting": "(`k1` rests on a quotation that is in no answer)",
        "obedient": "gives the verdict that the reply holds (ferry/seals)",
        "credulous": "11 of 11 pairs, takes evasions for stands (ferry/evening, ferry/evening-boat) (known",
    }.items(),
)
def test_a_judge_of_what_a_persona_does_has_to_see_what_was_done(
    served: Served, tmp_path: Path, fault: str, said: str
) -> None:
    suite = persona_suite.HOME / "examples" / "oluchi.md"
    ended = run(tmp_path, ACTS, suite, "-j", f"loop/judge:{fault}")
    assert (ended.code, said in ended.err) == (0 if fault == "credulous" else 2, True), ended.err


def test_an_able_judge_grades_what_our_own_character_does_once_for_all_persona_files(
    served: Served, tmp_path: Path
) -> None:
    for name, count in (("oluchi", ACTED + 6), ("eino", 6)):
        ended = run(tmp_path, ACTS, persona_suite.HOME / "examples" / f"{name}.md", "-j", "loop/judge")
        assert (ended.code, " in 11 of 11 pairs (known dialogues of persona-" in ended.err) == (0, True), ended.err
        assert f" verdicts to go, {count} known dialogues for the judge" in ended.err


def test_a_cost_cap_ends_it_and_the_same_command_goes_on_where_it_ended(served: Served, tmp_path: Path) -> None:
    stopped = run(tmp_path, V2, "loop/judge", "--max-cost", "0.012", "-pt", "1")
    assert (stopped.code, "the cost cap of $0.0120 is reached" in stopped.err) == (4, True), stopped.err
    asked = len(served.requests())
    assert 0 < asked < KNOWN
    assert command.ask(tmp_path / "here.db", "SELECT (SELECT count(*) FROM planned), count(*) FROM verdicts") == [
        (0, asked)
    ]
    ended = run(tmp_path, V2, "loop/judge")
    assert (ended.code, ABLE in ended.err) == (0, True), ended.err
    assert f"{KNOWN - asked} known dialogues for the judge" in ended.err
    assert len(served.requests()) == KNOWN + 5


def test_a_judge_that_cannot_be_asked_all_of_it_grades_nothing_yet_and_the_replies_are_kept(tmp_path: Path) -> None:
    with endpoint.serving(tmp_path, "--faults", f"daily@judge+{endpoint.PROBED_JUDGE + 4}") as served:
        endpoint.models_file(tmp_path, served.base_url)
        ended = run(tmp_path, V2, "loop/judge", "-pt", "1")
    assert (ended.code, "the same command asks again" in ended.err) == (3, True), ended.err
    assert command.ask(tmp_path / "here.db", f"SELECT count(*), ({GRADED}) FROM planned") == [(5, 0)]
    with endpoint.serving(tmp_path, name="later") as served:
        endpoint.models_file(tmp_path, served.base_url)
        assert run(tmp_path, V2, "loop/judge").code == 0
        assert len(served.requests()) == KNOWN - 3 + 5


def test_a_suite_of_ones_own_may_have_some_and_without_them_is_graded_with_a_line_about_it(
    served: Served, tmp_path: Path
) -> None:
    own = toy.write(tmp_path / "toy")
    line = "run --models-file models.yaml --suite toy -m sim/half --runs 1 --yes --db here.db -j"
    ended = run(tmp_path, line, "loop/judge:constant")
    without = "suite toy has no known dialogues: nothing shows whether loop/judge:constant can judge it"
    assert (ended.code, without in ended.err) == (0, True), ended.err
    (own / "known.yaml").write_text(f"pairs:\n{PAIRS}\n", encoding="utf-8")
    assert load.load(str(own)).edition in ended.out  # they are no part of it
    refused = run(tmp_path, line, "loop/judge:lenient")
    told = "from one that gives it up: 2 of the first 2 pairs wrong (radio, radio), at most 0 of 3 may be"
    assert told in refused.err
    # Once they are in the store, whoever grades stored replies is examined too.
    assert run(tmp_path, line, "loop/judge:inverted", "--trust-judge").code == 0
    assert command.one_sentence(run(tmp_path, GRADE, "loop/judge:echo")).startswith(
        "Error: loop/judge:echo fails the test of a judge (6 known dialogues of toy)"
    )


def test_a_half_finished_judge_is_no_default_of_an_export_and_none_is_one_in_silence(replies: Path) -> None:
    run(replies, GRADE, "loop/judge")
    db = replies / "here.db"
    half = "DELETE FROM verdicts WHERE judge = '{}' AND trial IN (SELECT trial FROM planned WHERE scenario IN ({}))"
    with command.opened(db) as connection:
        connection.execute(half.format("loop/judge", "'pt01', 'pt02'"))
    whole = run(replies, "export whole --format csv --db here.db")
    assert "judge of this export: cues; --judge takes another of cues, loop/judge" in whole.err
    with command.opened(db) as connection:
        connection.execute(half.format("cues", "'pt03', 'pt04'"))
    part = run(replies, "export part --format csv --db here.db")
    said = "No judge graded everything: shown is loop/judge, which graded 3 of 5 dialogues; --judge takes another."
    assert said in part.err
    assert said in run(replies, "leaderboard --db here.db").out
    assert said not in run(replies, "leaderboard --db here.db -j cues").out
