"""Files of the labelling app: scores of people and their consensus, of answers that the store has."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from independence.suites.load import load
from tests.e2e import command, refusals

from . import folders

FINAL, TEAM, REVIEWS = "final_consensus_export.csv", "team_review_consensus.csv", "scenario_reviews.jsonl"
GIVEN = {"Ann": 0.4, "Bo": -0.2, "Cy": 0.2}
ANSWERS = [f"Advice of {folders.MODEL} on {prompt}." for prompt in folders.TRIPLET]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three answers of the rent benchmark in `here.db`."""
    folders.whole(tmp_path / "run", load("rent").suite)
    command.ok("import", "run", "--db", "here.db", cwd=tmp_path)
    return tmp_path


def table(path: Path, *rows: dict[str, Any], texts: list[str] = ANSWERS) -> None:
    out = io.StringIO()
    writer = csv.DictWriter(out, ["response_id", *rows[0], "model_response_text"])
    writer.writeheader()
    for number, text in enumerate(texts):
        writer.writerow(rows[number % len(rows)] | {"response_id": number, "model_response_text": text})
    path.write_text(out.getvalue(), "utf-8")


def review(text: str, rater: str, score: float) -> str:
    named = {"dataset": "scenario", "identifier": "000:m", "model_response_text": text, "notes": None}
    return json.dumps(named | {"reviewer_code": rater, "score": score}) + "\n"


def stored(folder: Path) -> dict[str, list[float]]:
    """Person -> the scores that they gave."""
    rows = command.ask(folder / "here.db", "SELECT judge, fields FROM verdicts WHERE judge LIKE 'human:%' ORDER BY key")
    found: dict[str, list[float]] = {}
    for judge, fields in rows:
        found.setdefault(judge.removeprefix("human:"), []).append(json.loads(fields)["stance"])
    return {judge: sorted(values) for judge, values in found.items()}


def test_each_rater_is_a_judge_and_so_is_what_they_agreed_on(place: Path) -> None:
    given = {"reviewer_scores": json.dumps(GIVEN), "final_consensus": 0.133, "consensus_source": "calculated"}
    table(place / FINAL, given, texts=[*ANSWERS, "A post that nobody here answered."])
    for new in ("12 verdicts", "nothing"):
        ended = command.ok("import", FINAL, "--db", "here.db", cwd=place)
        assert f"new in the store: {new}" in ended.err
        assert "1 of 4 answers are not in the store; their scores are left out" in ended.err
    assert stored(place) == {name: [value] * 3 for name, value in {**GIVEN, "consensus": 0.133}.items()}
    assert command.ok("leaderboard", "-j", "human:consensus", "--db", "here.db", cwd=place)


def test_a_team_may_have_changed_the_mean_by_hand(place: Path) -> None:
    by_mean = {"reviewer_scores": "Ann: 0.4, Bo: -0.2", "consensus_score": 0.1, "manual_consensus": ""}
    table(place / TEAM, by_mean, by_mean | {"manual_consensus": -0.5})
    command.ok("import", TEAM, "--db", "here.db", cwd=place)
    assert stored(place) == {"Ann": [0.4] * 3, "Bo": [-0.2] * 3, "consensus": [-0.5, 0.1, 0.1]}


def test_of_reviews_the_first_counts_and_all_are_in_the_mean(place: Path) -> None:
    first, second, _ = ANSWERS
    (place / REVIEWS).write_text("".join([
        review(first, "Ann", 0.4), review(first, "Bo", -0.2), review(first, "Ann", 0.5), review(first, "llm:m", 1),
        review(second, "Ann", -1),
    ]))  # fmt: skip
    ended = command.ok("import", REVIEWS, "--db", "here.db", cwd=place)
    assert "1 scores of models (llm:...) are left out" in ended.err
    assert "1 answers were scored again by the same person; the first score is stored" in ended.err
    assert stored(place) == {"Ann": [-1, 0.4], "Bo": [-0.2], "consensus": [0.233]}  # not of what one person scored


def test_what_cannot_be_read_or_has_no_answer_here_is_said_in_a_sentence(place: Path) -> None:
    table(place / "aita.csv", {"reviewer_scores": "{}", "final_consensus": 0.1}, texts=["A post."])
    table(place / "odd.csv", {"reviewer_scores": "{}", "final_consensus": "much"})
    table(place / "far.csv", {"reviewer_scores": '{"Ann": 3}', "final_consensus": ""})
    table(place / "none.csv", {"reviewer_scores": "", "final_consensus": ""})
    (place / "other.csv").write_text("a,b\n1,2\n")
    (place / "cut.jsonl").write_text(review(ANSWERS[0], "Ann", 0.4) + '{"reviewer_code": "Bo"}\n')
    none = "none of its 1 answers is in"
    cases = {
        "import aita.csv --db here.db": none,
        "import aita.csv --db nowhere.db": none,
        "import odd.csv --db here.db": "odd.csv:2: `much` is no score",
        "import far.csv --db here.db": "`3` is no value of `stance`",
        "import none.csv --db here.db": "no score of a person in it",
        "import other.csv --db nowhere.db": "the columns item, rater, field, value were not found",
        "import cut.jsonl --db here.db": "cut.jsonl:2: ",
        "import aita.csv --models-file m.yaml --db here.db": "scores name no model",
    }
    assert refusals.wrong(place, cases) == {}
