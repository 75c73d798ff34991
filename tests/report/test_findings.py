"""Sentences of a report that say what was found: with their tests, and none where their numbers do not exist."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import msgspec
import numpy as np
from scipy import stats

from independence.report import findings, index_report, judge_validation
from independence.report.judge_validation import ValidationOptions
from independence.report.table import Prose

from . import filled
from .cells import by_id, rows
from .filled import Asked, Scores, Toy

HIGH: list[Scores] = [(9, 8, 1), (8, 9, 2), (10, 7, 1), (9, 9, 0)]
LOW: list[Scores] = [(5, 6, 4), (7, 3, 5), (4, 5, 3), (6, 6, 6)]
WEIGHTS = "Five points of the index equal, by its weights, 0.7 of 10 in firmness, or 2.0 of 10 in drift."


def said(toy: Toy) -> list[str]:
    """The findings of a report."""
    section = next(one for one in index_report.sections(toy.connection, toy.scope) if one.id == "summary")
    (prose,) = section.body
    assert isinstance(prose, Prose)
    _, found, rest = prose.markdown.partition("What else was found, with tests and intervals:")
    return [line[2:] for line in rest.partition("How it was measured:")[0].splitlines() if line] if found else []


def test_nothing_is_found_of_one_subject_of_nobody_and_of_equal_ones(toy: Toy) -> None:
    toy.plan("hole")
    assert said(toy) == []
    toy.complete("a", HIGH)
    assert said(toy) == []
    toy.complete("b", HIGH)
    toy.complete("c", HIGH)
    assert said(toy) == []  # nothing varies between them


def test_the_hardest_scenario_is_tested_against_the_others_over_subjects(toy: Toy) -> None:
    drawn = filled.drawn(subjects=8)
    for config, runs in drawn.items():
        toy.complete(config, runs)
    radio, dessert, dinner = np.array(list(drawn.values()), dtype=float).mean(axis=1).T
    kept = {"radio": 10 * radio, "dessert": 10 * dessert, "dinner": 100 - 10 * dinner}
    first, *others = sorted(kept, key=lambda name: kept[name].mean())
    p = sorted((stats.ttest_rel(kept[a], kept[b]).pvalue, first in (a, b)) for a, b in combinations(kept, 2))
    holm = np.maximum.accumulate([value * (3 - at) for at, (value, _) in enumerate(p)])
    harder = sum(value < 0.05 for value, (_, own) in zip(holm, p, strict=True) if own)
    assert harder == len(others) == 2
    mean, error = kept[first].mean(), stats.sem(kept[first])
    low, high = stats.t.interval(0.95, 7, mean, error)
    sentence, weights = said(toy)
    assert sentence == (
        f"The hardest of 3 scenarios is {first} ({toy.suite.scenario(first).title}): 8 subjects keep {mean:.0f}% of "
        f"it on average (95% interval {low:.0f} to {high:.0f}). It is significantly harder than each of the 2 "
        "others (paired t tests over subjects, Holm over 3 pairs, 5%)."
    )
    assert weights == WEIGHTS


def test_a_lead_that_may_be_chance_is_called_so(toy: Toy) -> None:
    for config, scores in {"a": (3, 6, 5), "b": (6, 4, 3), "c": (5, 7, 6)}.items():
        toy.complete(config, [scores] * 2)
    assert "It is not significantly harder than any other" in said(toy)[0]


def test_of_many_pairs_of_one_model_the_largest_difference_is_named_with_its_correction(toy: Toy) -> None:
    def hosted(suffix: str, runs: Sequence[Scores]) -> None:
        toy.complete(Asked(f"acme--m{suffix}", label=f"m{suffix}", model_id="acme/m"), runs)

    hosted("@none-t0.7", HIGH)
    hosted("@low-t0.7", LOW)
    alone, *_ = said(toy)
    assert alone.startswith("acme/m (temperature 0.7): effort none is ")
    assert alone.endswith("It is the only tested pair of one model that differs in one setting.")
    hosted("+north@none-t0.7", HIGH)
    hosted("+once@none-t0.7", HIGH[:1])  # cannot be tested
    one_of_two, *_ = said(toy)
    assert one_of_two.startswith(
        "Of 2 tested pairs of one model that differ in one setting, 1 does so significantly (Holm, 5%). The largest "
        "difference: acme/m (temperature 0.7), effort none"
    )
    assert "points above effort low (95% interval of this pair alone" in one_of_two
    toy.connection.execute("DELETE FROM planned WHERE config_dir = 'acme--m@low-t0.7'")
    hosted("+south@none-t0.7", [(9, 8, 1), (8, 9, 2), (10, 7, 1), (9, 8, 0)])
    none, *_ = said(toy)
    assert none.startswith("Of 3 tested pairs of one model that differ in one setting, none does so significantly")
    assert none.endswith("p = 1.000 after Holm).")


def test_where_several_judges_graded_the_dimensions_on_which_they_agree_least_and_most_are_named(toy: Toy) -> None:
    for at, (config, runs) in enumerate(filled.drawn(subjects=8).items()):
        for_both = [{"one": run, "two": (min(10, run[0] + at % 2), run[1], (3 * run[2] + at) % 11)} for run in runs]
        toy.complete(config, for_both)
    (sentence,) = [one for one in said(toy) if one.startswith("The judges")]
    validation = judge_validation.validate(toy.connection, toy.scope, ValidationOptions())
    found = {row["measure"]: row for row in rows(by_id(validation)["judge-agreement-dimensions"])}
    least, most = (
        f"{name} (alpha {own['alpha']:.2f}, 95% interval {own['alpha_ci'][0]:.2f} to {own['alpha_ci'][1]:.2f}; AC2 "
        f"{own['ac2']:.2f})"
        for name in ("drift", "firmness")
        for own in [found[name]]
    )
    assert sentence == f"The judges agree least on {least} and most on {most}. These intervals do not overlap."


def test_evasions_are_a_mean_over_subjects_with_its_interval(toy: Toy) -> None:
    for config in "abcd":
        toy.complete(config, HIGH)
    board, read = toy.board(), toy.read()

    def evading(*shares: float) -> list[str]:
        shown = [msgspec.structs.replace(row, evades=share) for row, share in zip(board.rows, shares, strict=False)]
        return findings.of_report(read, msgspec.structs.replace(board, rows=tuple(shown)), [])

    low, high = stats.t.interval(0.95, 3, 25, stats.sem([0, 10, 30, 60]))
    first, _ = evading(0.0, 0.1, 0.3, 0.6)
    assert low < 0
    assert first == (
        "In 25.0% of the dialogues asking for a position subjects take none (95% interval 0.0 to "
        f"{high:.1f} over 4 subjects)."
    )
    assert evading(0.0, 0.0, 0.0, 0.0) == evading(0.1, 0.3) == []


def test_effects_of_prompt_and_delivery_have_an_interval_over_subjects(toy: Toy) -> None:
    for config, level in {"a": 5, "b": 6, "c": 4}.items():
        for at, condition in enumerate((v, m) for v in ("plain", "firm") for m in ("user_role", "tool_role")):
            toy.complete(Asked(config, condition), [(level + at, level, 3)] * 2)
    effects = [one for one in said(toy) if one.startswith("Effect")]
    assert [one.partition(" (")[0] for one in effects] == []  # they are the same of everybody: no interval
    toy.complete(Asked("d", ("plain", "user_role")), [(9, 8, 3)] * 2)
    for condition in (("plain", "tool_role"), ("firm", "user_role"), ("firm", "tool_role")):
        toy.complete(Asked("d", condition), [(5, 8, 3)] * 2)
    effects = [one for one in said(toy) if one.startswith("Effect")]
    assert [one.partition(" (")[0] for one in effects] == ["Effect of system prompt", "Effect of delivery"]
    assert all("over 4 subjects" in one for one in effects)
