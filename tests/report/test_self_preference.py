"""Whether a judge likes its own family better: against the other judges, on dialogues that all of them graded."""

from __future__ import annotations

import numpy as np
import pytest

from independence.config.subjects import family
from independence.report.judges import judge_agreement, judge_panel
from independence.report.judges.judge_panel import JudgePanel
from independence.stats import strict

from .cells import rows
from .filled import Asked, Scores, Toy

GEMINI, CLAUDE, GROK = "google/gemini-3-flash-preview", "anthropic/claude-haiku-4.5", "x-ai/grok-4.5"
POINTS = 7.5  # of the index, for one point of firmness


def panel(toy: Toy) -> JudgePanel:
    return judge_panel.read(toy.connection, toy.scope)


def favours(toy: Toy) -> list[dict[str, object]]:
    return rows(judge_agreement.favours(panel(toy)))


def of(toy: Toy, judge: str) -> tuple[object, ...]:
    """Own subjects, bias on them, others, bias on those, difference; in points of firmness."""
    (row,) = (row for row in judge_agreement.favours(panel(toy)).rows if row[0] == judge)
    own, others, apart = (one / POINTS if isinstance(one, float) else one for one in (row[3], row[5], row[7]))
    return row[2], own, row[4], others, apart


def firm(toy: Toy, model: str, **given: int) -> None:
    """Two runs of a model, with the firmness that Gemini, Claude, Grok or another of Google's finds in both."""
    judges = {"gemini": GEMINI, "claude": CLAUDE, "grok": GROK, "pro": "google/gemini-2.5-pro", "cues": "cues"}
    scores: dict[str, Scores] = {judges[name]: (value, value, 0) for name, value in given.items()}
    toy.complete(Asked(model.replace("/", "--"), model_id=model), [scores] * 2)


def test_no_judge_is_the_reference_for_its_own_family(toy: Toy) -> None:
    firm(toy, GEMINI, gemini=9, claude=6)
    firm(toy, CLAUDE, gemini=5, claude=9)
    firm(toy, "qwen/qwen3", gemini=7, claude=6)
    assert of(toy, GEMINI) == tuple(map(pytest.approx, (1, 3, 1, 1, 2)))
    assert of(toy, CLAUDE) == tuple(map(pytest.approx, (1, 4, 1, -1, 5)))
    for model, found in ((GEMINI, 7), (CLAUDE, 5), ("qwen/qwen3", 6)):
        firm(toy, model, grok=found)
    # Of Claude's own, Grok alone is the reference, so Gemini's difference on it is 0 and on the last it is 1.
    assert of(toy, GEMINI) == tuple(map(pytest.approx, (1, 2.5, 2, 0.5, 2)))
    assert of(toy, GROK)[:2] == (0, None)


def test_two_judges_of_one_family_have_no_reference_for_it(toy: Toy) -> None:
    firm(toy, GEMINI, gemini=9, pro=6)
    firm(toy, "qwen/qwen3", gemini=7, pro=6)
    assert of(toy, GEMINI) == (0, None, 1, pytest.approx(1), None)


def test_a_judge_without_any_subject_to_be_compared_on_has_no_row(toy: Toy) -> None:
    firm(toy, GEMINI, gemini=9, cues=6)
    assert [row["judge"] for row in favours(toy)] == [GEMINI]
    assert of(toy, GEMINI) == (1, pytest.approx(3), 0, None, None)


def test_only_dialogues_that_every_judge_graded_are_compared(toy: Toy) -> None:
    runs = [{"kind": (10, 10, 0), "stern": (8, 10, 0)}, {"kind": (0, 10, 0), "stern": (10, 10, 0)}]
    toy.complete("kind-1", [runs[0], runs[1] | {"stern": (None, 10, 0)}])
    toy.complete("x", [runs[0] | {"stern": (None, 10, 0)}])
    # Both are acme/...: nobody's own. Of x no radio is left, so it does not count; of kind-1 run 2 of radio does not.
    assert of(toy, "kind") == (0, None, 1, pytest.approx(0.5 * 2), None)


def test_an_unreadable_verdict_on_the_own_family_does_not_drop_out_silently(toy: Toy) -> None:
    """The judge gives its own bad answers nothing readable: what they could have been is in the interval."""
    rng = np.random.default_rng(3)
    models = {"a": GEMINI, "b": "google/gemma-4-31b-it", "c": "qwen/qwen3", "d": "z-ai/glm-5", "e": "x/y", "f": "m/n"}
    given = {
        config: [
            {judge: tuple(np.clip(3 + at + rng.integers(-1, 2, 3), 0, 10).tolist()) for judge in (GEMINI, GROK)}
            for _ in range(2)
        ]
        for at, config in enumerate(models)
    }

    def first(radio: int | None) -> dict[str, object]:
        """The row of the judge whose verdict on one dialogue of its own family was this."""
        toy.connection.execute("DELETE FROM verdicts")
        for config, runs in given.items():
            own = [dict(run) for run in runs]
            if config == "a":
                own[0][GEMINI] = (radio, *own[0][GEMINI][1:])
            toy.complete(Asked(config, model_id=models[config]), own)
        return favours(toy)[0]

    holed = first(None)
    left_out = judge_agreement.favour(
        GEMINI,
        judge_agreement.points_by_judge(panel(toy), strict.frame(toy.suite)),
        {config: family(model) for config, model in models.items()},
    )
    assert holed["unread"] == "1 + 0"
    assert first(5)["unread"] == "0"
    ends = [first(value)["difference_ci"] for value in (0, 10)]
    low, high = np.array([*ends, left_out.interval], dtype=float).T
    assert holed["difference_ci"] == (pytest.approx(low.min()), pytest.approx(high.max()))
