from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import pytest

from independence.config.subjects import family
from independence.report import judge_agreement, judge_panel
from independence.report.judge_panel import DialogueKey, JudgePanel, Values
from independence.report.study import SubjectInfo
from independence.report.verdict_cells import PlannedVerdict
from independence.stats import strict
from independence.store.scopes import BoardScope
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import Scalar, Where
from tests.report import filled
from tests.report.filled import Toy

GEMINI, CLAUDE, GROK = "google/gemini-3-flash-preview", "anthropic/claude-haiku-4.5", "x-ai/grok-4.5"
MODELS = {
    "a": "google/gemini-2.5-flash", "b": "google/gemma-4-31b-it:free", "c": "local/gemini-copy",
    "d": "qwen/qwen3-coder", "e": "openai/gpt-5.2", "f": "moonshotai/kimi-k3", "g": "z-ai/glm-5", "h": "minimax/m2",
}  # fmt: skip
BIAS = 0.7


def six(suite: Suite) -> Suite:
    """A suite whose index is ten times the mean firmness of six scenarios."""
    assert suite.index is not None
    radio = suite.scenario("radio")
    scenarios = tuple(msgspec.structs.replace(radio, id=f"s{number}") for number in range(6))
    component = msgspec.structs.replace(suite.index.components[0], weight=1.0)
    dimensions = {"firmness": suite.index.dimensions["firmness"]}
    index = msgspec.structs.replace(suite.index, components=(component,), dimensions=dimensions)
    return msgspec.structs.replace(suite, scenarios=scenarios, index=index)


def panel(suite: Suite, models: Mapping[str, str], given: Mapping[str, Mapping[DialogueKey, Values]]) -> JudgePanel:
    """A panel of verdicts, judge -> dialogue -> values. `models`: config_dir -> model id."""
    by_dialogue: dict[DialogueKey, dict[str, Values]] = {}
    planned: dict[str, dict[str, list[PlannedVerdict]]] = {}
    for judge, own in given.items():
        for dialogue, values in own.items():
            by_dialogue.setdefault(dialogue, {})[judge] = values
            config, scenario, run = dialogue
            cell = PlannedVerdict(config, "pressure", scenario, run, dict(values), None, None, ())
            planned.setdefault(judge, {}).setdefault(config, []).append(cell)
    about = {config: SubjectInfo(f"label of {config}", model, False) for config, model in models.items()}
    return JudgePanel(
        BoardScope(suite, Where(suite.suite, "edition", filled.CONDITION)), tuple(given), about, planned, by_dialogue
    )


def simulated(suite: Suite, seed: int) -> JudgePanel:
    """Eight subjects, six scenarios, three runs; the first judge likes its own family `BIAS` better, on 0-10."""
    rng = np.random.default_rng(seed)
    given: dict[str, dict[DialogueKey, dict[str, Scalar]]] = {GEMINI: {}, GROK: {}}
    for config in MODELS:
        own = BIAS if config in "abc" else 0.0
        level = rng.normal(5.5, 1.5) + rng.normal(0, 1, (6, 1)) + rng.normal(0, 0.8, (6, 3))
        shifts = rng.normal(0, 0.2, 2) + np.array([0.5 + own, 0.0])
        for verdicts, shift in zip(given.values(), shifts, strict=True):
            scores = np.clip(np.rint(level + shift + rng.normal(0, 0.7, level.shape)), 0, 10)
            for (scenario, run), score in np.ndenumerate(scores):
                verdicts[DialogueKey(config, f"s{scenario}", run)] = {"firmness": int(score), "kept": True}
    return panel(suite, MODELS, given)


def test_the_interval_of_a_biased_judge_holds_the_planted_bias(toy_suite: LoadedSuite) -> None:
    suite = six(toy_suite.suite)
    held = unbiased = 0
    for seed in range(100):
        table = judge_agreement.favours(simulated(suite, seed))
        keys = [column.key for column in table.columns]
        first, second = (dict(zip(keys, row, strict=True)) for row in table.rows)
        assert (first["family"], first["own"], first["others"]) == ("gemini", 3, 5)
        assert isinstance(first["difference_ci"], tuple)
        low, high = first["difference_ci"]
        held += low <= 10 * BIAS <= high
        unbiased += second["own"] == 0 and second["difference"] is None
    assert 88 <= held <= 100
    assert unbiased == 100


def scored(configs: dict[str, int]) -> dict[DialogueKey, dict[str, Scalar]]:
    return {
        DialogueKey(config, f"s{scenario}", run): {"firmness": firm, "kept": True}
        for config, firm in configs.items()
        for scenario in range(6)
        for run in (1, 2)
    }


def rows(found: JudgePanel) -> dict[object, tuple[object, ...]]:
    """Judge -> own, self bias, others, elsewhere, difference."""
    return {row[0]: (*row[2:6], row[7]) for row in judge_agreement.favours(found).rows}


def test_with_two_judges_the_other_ones_family_does_not_count(toy_suite: LoadedSuite) -> None:
    models = {"a": GEMINI, "b": CLAUDE, "c": "qwen/qwen3"}
    given = {GEMINI: scored({"a": 9, "b": 5, "c": 7}), CLAUDE: scored({"a": 6, "b": 9, "c": 6})}
    found = rows(panel(six(toy_suite.suite), models, given))
    assert found[GEMINI] == tuple(map(pytest.approx, (1, 30, 1, 10, 20)))
    assert found[CLAUDE] == tuple(map(pytest.approx, (1, 40, 1, -10, 50)))


def test_with_three_judges_none_is_the_reference_for_its_own_family(toy_suite: LoadedSuite) -> None:
    models = {"a": GEMINI, "b": CLAUDE, "c": "qwen/qwen3"}
    given = {
        GEMINI: scored({"a": 9, "b": 5, "c": 7}),
        CLAUDE: scored({"a": 6, "b": 10, "c": 6}),
        GROK: scored({"a": 7, "b": 5, "c": 6}),
    }
    found = rows(panel(six(toy_suite.suite), models, given))
    # b is Claude's own: Grok alone is the reference there, so Gemini's difference on it is 0 and on c it is 10.
    assert found[GEMINI] == tuple(map(pytest.approx, (1, 25, 2, 5, 20)))
    assert found[GROK][0] == 0
    assert found[GROK][1] is None


def test_two_judges_of_one_family_have_no_reference_for_it(toy_suite: LoadedSuite) -> None:
    models = {"a": GEMINI, "c": "qwen/qwen3"}
    given = {GEMINI: scored({"a": 9, "c": 7}), "google/gemini-2.5-pro": scored({"a": 6, "c": 6})}
    found = rows(panel(six(toy_suite.suite), models, given))
    assert found[GEMINI] == (0, None, 1, pytest.approx(10), None)


def test_a_judge_without_any_subject_to_be_compared_on_has_no_row(toy_suite: LoadedSuite) -> None:
    given = {GEMINI: scored({"a": 9}), "cues": scored({"a": 6})}
    found = rows(panel(six(toy_suite.suite), {"a": GEMINI}, given))
    assert found == {GEMINI: (1, pytest.approx(30), 0, None, None)}


def test_only_dialogues_that_every_judge_graded_are_compared(toy: Toy) -> None:
    runs = [{"kind": (10, 10, 0), "stern": (8, 10, 0)}, {"kind": (0, 10, 0), "stern": (10, 10, 0)}]
    toy.complete("kind-1", [runs[0], runs[1] | {"stern": (None, 10, 0)}])
    toy.complete("x", [runs[0] | {"stern": (None, 10, 0)}])
    read = judge_panel.read(toy.connection, toy.scope)
    (kind, _) = judge_agreement.favours(read).rows
    # Both are acme/...: nobody's own. Of x no radio is left, so it does not count; of kind-1 run 2 of radio does not.
    assert kind[2:6] == (0, None, 1, pytest.approx(0.75 * 100 * 0.2 / 2))


def test_an_unreadable_verdict_on_the_own_family_does_not_drop_out_silently(toy_suite: LoadedSuite) -> None:
    """The judge gives its own bad answers nothing readable: what they could have been is in the interval."""
    rng = np.random.default_rng(3)
    models = {"a": GEMINI, "b": "google/gemma-4-31b-it", "c": "qwen/qwen3", "d": "z-ai/glm-5", "e": "x/y", "f": "m/n"}
    level = {config: 3 + place for place, config in enumerate(models)}
    given: dict[str, dict[DialogueKey, dict[str, Scalar]]] = {GEMINI: {}, GROK: {}}
    for verdicts in given.values():
        for dialogue in scored(level):
            firm = int(np.clip(level[dialogue.config_dir] + rng.integers(-1, 2), 0, 10))
            verdicts[dialogue] = {"firmness": firm, "kept": True}
    whole = panel(six(toy_suite.suite), models, given)
    lost = DialogueKey("a", "s0", 1)
    (cell,) = [one for one in whole.planned[GEMINI]["a"] if (one.scenario, one.run) == ("s0", 1)]
    planned = {judge: dict(own) for judge, own in whole.planned.items()}
    planned[GEMINI]["a"] = [
        one._replace(values=None, missing="unreadable_verdict") if one is cell else one for one in planned[GEMINI]["a"]
    ]
    left = dict(whole.given) | {lost: {GROK: given[GROK][lost]}}
    holed = whole._replace(planned=planned, given=left)

    def first(found: JudgePanel) -> dict[str, object]:
        table = judge_agreement.favours(found)
        return dict(zip([column.key for column in table.columns], table.rows[0], strict=True))

    assert first(whole)["unread"] == "0"
    assert first(holed)["unread"] == "1 + 0"
    ends = []
    for value in (0, 10):
        filled_in = {**given, GEMINI: {**given[GEMINI], lost: {"firmness": value, "kept": True}}}
        ends.append(first(panel(six(toy_suite.suite), models, filled_in))["difference_ci"])
    left_out = judge_agreement.favour(
        GEMINI,
        judge_agreement.points_by_judge(holed, strict.frame(holed.scope.suite)),
        {config: family(model) for config, model in models.items()},
    )
    low, high = np.array([*ends, left_out.interval], dtype=float).T
    assert first(holed)["difference_ci"] == (pytest.approx(low.min()), pytest.approx(high.max()))
