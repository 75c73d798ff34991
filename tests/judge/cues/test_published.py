"""The rule judge against the published verdicts: configurations by their mean score, one number for each experiment."""

from __future__ import annotations

import re
import tarfile
from collections import defaultdict
from pathlib import Path
from statistics import correlation, mean
from typing import Any

import msgspec
import pytest
from benchmarks import rules
from benchmarks.grid import Grid
from scipy.stats import spearmanr

from independence.judge.cues.grading import grade
from independence.report.board import board_data
from independence.suites.schema import Field
from independence.types import Missing, TranscriptTurn

pytestmark = pytest.mark.published
ROOT = Path(__file__).parents[3]
ARCHIVE = "published-v2-part.tar.xz"
HELD = {"held": Field(type="number", about="", range=(0, 10), cue="held")}
FAVOUR = {"stance": Field(type="number", about="", range=(-1, 1), cue="stance")}
SCORED = {"resistance": "resistance_score", "stability": "consistency_score"}


class Record(msgspec.Struct):
    request_messages: list[dict[str, Any]]
    response: str
    judge_scores: dict[str, Any] | None = None


Pairs = dict[str, list[tuple[float, float]]]  # configuration -> (published score, ours)


def scores(folder: Path, every: int) -> dict[str, Pairs]:
    """Of one in `every` published dialogues."""
    found: dict[str, Pairs] = {experiment: defaultdict(list) for experiment in SCORED}
    with tarfile.open(folder / ARCHIVE) as archive:
        files = [
            own for own in archive if own.isfile() and len(parts := own.name.split("/")) > 4 and parts[3] in SCORED
        ]
        for member in files[::every]:
            _, config, _, experiment, *_ = member.name.split("/")
            record = msgspec.json.decode(archive.extractfile(member).read(), type=Record)
            published = (record.judge_scores or {}).get(SCORED[experiment])
            verdict = grade(dialogue(record, experiment), HELD) if published is not None else Missing("unjudged")
            if not isinstance(verdict, Missing):
                found[experiment][config].append((float(published), float(verdict.values["held"])))
    return found


def dialogue(record: Record, experiment: str) -> list[TranscriptTurn]:
    human = [message["content"] for message in record.request_messages if message["role"] == "tool"]
    calls = [call for message in record.request_messages for call in message.get("tool_calls") or []]
    said = [next(iter(msgspec.json.decode(call["function"]["arguments"]).values())) for call in calls[1:]]
    scripted = experiment == "resistance"
    lines = [TranscriptTurn(asked, answer, scripted) for asked, answer in zip(human, said, strict=False)]
    return [*lines, TranscriptTurn(human[-1], record.response, False)]


@pytest.mark.deep
def test_configurations_rank_as_the_published_judge_ranks_them_at_about_its_level(published_data: Path) -> None:
    found = scores(published_data, 1)
    for experiment, least in (("resistance", 0.65), ("stability", 0.8)):
        pairs = found[experiment].values()
        assert len(pairs) > 50
        published, ours = ([mean(score[at] for score in pair) for pair in pairs] for at in (0, 1))
        assert spearmanr(published, ours).statistic >= least
        assert abs(mean(ours - published for pair in pairs for published, ours in pair)) < 0.6


@pytest.mark.deep
@pytest.mark.usefixtures("published_data")
def test_the_guide_says_of_verdicts_that_the_rules_were_fitted_to_what_the_benchmark_measures() -> None:
    (grid,) = rules.measure()
    assert isinstance(grid, Grid)
    for name, *_, found, wrong in quoted("fitted to")[:3]:
        row = next(row for row in grid.rows if row.name == name)
        (found_there, _, wrong_there) = row.cells[-3:]
        assert found_there is not None
        assert wrong_there is not None
        assert (found, wrong) == (f"{found_there.value:.0f}%", f"{wrong_there.value:.0f}%"), name


def test_boards_say_of_the_rules_what_they_find_where_they_were_not_fitted() -> None:
    rows = {name: found for name, *_, found, _ in quoted("not fitted to")}
    told = [rows[name].removesuffix("%") for name in ("resistance", "stability without pt04", "pt04")]
    assert re.findall(r"(\d+)%", board_data.RULES_FIND) == told


def quoted(head: str) -> list[list[str]]:
    """A table of the page about judges, by the head of its first column; names without what explains them."""
    _, _, text = (ROOT / "docs" / "judging.md").read_text("utf-8").partition(f"\n| {head} |")
    rows = [line.split("|")[1:-1] for line in text.partition("\n\n")[0].splitlines()[2:]]
    return [[re.sub(r"`| \(.*\)", "", cell).strip() for cell in cells] for cells in rows]


def test_most_published_answers_about_rent_are_read_and_lean_with_the_published_scores(published_data: Path) -> None:
    """Loosely: those scores are one draw of a judge that splits like answers three ways (r = .20 over 215 of them)."""
    told = (published_data / "rent-1760158358" / "run_scored.jsonl").read_text("utf-8").splitlines()
    pairs = []
    for record in map(msgspec.json.decode, told):
        if record["score"] is not None:
            verdict = grade([TranscriptTurn(record["messages"][-1]["content"], record["response_text"], False)], FAVOUR)
            if not isinstance(verdict, Missing):  # some say for nobody anything
                pairs.append((record["score"], float(verdict.values["stance"])))
    assert len(pairs) > 160
    assert correlation(*zip(*pairs, strict=True)) > 0.1
