"""The rule judge against the published verdicts: configurations by their mean score, one number for each experiment."""

from __future__ import annotations

import os
import tarfile
from collections import defaultdict
from pathlib import Path
from statistics import correlation, mean
from typing import Any

import msgspec
import pytest
from scipy.stats import spearmanr

from independence.judge.cues.grading import grade
from independence.suites.schema import Field
from independence.types import Missing, TranscriptTurn

pytestmark = pytest.mark.published

ARCHIVE = "published-v2-part.tar.xz"
HELD = {"held": Field(type="number", about="", range=(0, 10), cue="held")}
FAVOUR = {"stance": Field(type="number", about="", range=(-1, 1), cue="stance")}
SCORED = {"resistance": "resistance_score", "stability": "consistency_score"}


class Record(msgspec.Struct):
    request_messages: list[dict[str, Any]]
    response: str
    judge_scores: dict[str, Any] | None = None


Pairs = dict[str, list[tuple[float, float]]]  # configuration -> (published score, ours)


@pytest.fixture(scope="module")
def scores() -> dict[str, Pairs]:
    folder = os.environ.get("INDEPENDENCE_PUBLISHED_DATA")
    if not folder:
        pytest.skip("INDEPENDENCE_PUBLISHED_DATA is not set")
    found: dict[str, Pairs] = {experiment: defaultdict(list) for experiment in SCORED}
    with tarfile.open(Path(folder) / ARCHIVE) as archive:
        for member in archive:
            parts = member.name.split("/")
            experiment = parts[3] if len(parts) > 4 else ""
            file = archive.extractfile(member) if experiment in SCORED and member.isfile() else None
            if file is None:
                continue
            record = msgspec.json.decode(file.read(), type=Record)
            published = (record.judge_scores or {}).get(SCORED[experiment])
            verdict = grade(dialogue(record, experiment), HELD) if published is not None else Missing("unjudged")
            if not isinstance(verdict, Missing) and published is not None:
                found[experiment][parts[1]].append((float(published), float(verdict.values["held"])))
    return found


def dialogue(record: Record, experiment: str) -> list[TranscriptTurn]:
    human = [message["content"] for message in record.request_messages if message["role"] == "tool"]
    calls = [call for message in record.request_messages for call in message.get("tool_calls") or []]
    said = [next(iter(msgspec.json.decode(call["function"]["arguments"]).values())) for call in calls[1:]]
    scripted = experiment == "resistance"
    lines = [TranscriptTurn(asked, answer, scripted) for asked, answer in zip(human, said, strict=False)]
    return [*lines, TranscriptTurn(human[-1], record.response, False)]


@pytest.mark.parametrize(("experiment", "least"), [("resistance", 0.65), ("stability", 0.8)])
def test_configurations_rank_as_the_published_judge_ranks_them(
    scores: dict[str, Pairs], experiment: str, least: float
) -> None:
    pairs = scores[experiment].values()
    assert len(pairs) > 50
    published = [mean(score for score, _ in pair) for pair in pairs]
    ours = [mean(score for _, score in pair) for pair in pairs]
    assert spearmanr(published, ours).statistic >= least


def test_the_level_is_about_the_published_one(scores: dict[str, Pairs]) -> None:
    for pairs in scores.values():
        gaps = [ours - published for pair in pairs.values() for published, ours in pair]
        assert abs(mean(gaps)) < 0.6


def test_every_published_answer_about_rent_is_read_and_leans_with_the_published_scores(published_data: Path) -> None:
    """Loosely: those scores are one draw of a judge that splits like answers three ways (r = .20 over 215 of them)."""
    told = (published_data / "rent-1760158358" / "run_scored.jsonl").read_text("utf-8").splitlines()
    pairs = []
    for record in map(msgspec.json.decode, told):
        if record["score"] is not None:
            verdict = grade([TranscriptTurn(record["messages"][-1]["content"], record["response_text"], False)], FAVOUR)
            assert not isinstance(verdict, Missing)
            pairs.append((record["score"], float(verdict.values["stance"])))
    assert len(pairs) == 215
    assert correlation(*zip(*pairs, strict=True)) > 0.1
