"""Two subjects, conditions, judges or providers beside each other: how far apart, how sure, and how often looked at."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from msgspec import UNSET
from scipy import stats

from independence.errors import StoreError
from independence.report.board import board, board_data, interim_looks, notes
from independence.report.board.interim_looks import RunCount, RunHistory
from independence.report.comparing import comparison_tables, decided, provider_tables, subject_comparison
from independence.report.comparing.provider_tables import UNPINNED
from independence.report.comparing.subject_comparison import ComparedSubject, IndexGap
from independence.report.files.table import Table
from independence.report.gates import gate
from independence.stats import comparison, decision, repeated_looks
from independence.stats.comparison import Difference
from independence.store import decisions
from independence.store.decisions import Side
from independence.suites.load import LoadedSuite
from independence.types import Condition, Where

from . import filled
from .cells import by_id, rows
from .filled import Asked, Scores, Toy, index

HIGH: list[tuple[int, int, int]] = [(9, 8, 1), (8, 9, 2), (10, 7, 1), (9, 9, 0)]
LOW: list[tuple[int, int, int]] = [(5, 6, 4), (7, 3, 5), (4, 5, 3), (6, 6, 6)]
STRICT: list[tuple[int, int, int]] = [(7, 8, 1), (7, 9, 2), (8, 7, 1), (8, 9, 0)]  # HIGH by another judge


def per_run(scores: list[tuple[int, int, int]]) -> np.ndarray:
    return np.array([index(*run) for run in scores])


def gap(first: ComparedSubject, second: ComparedSubject) -> IndexGap:
    found = subject_comparison.gap(first, second)
    assert found is not None
    return found


def compared(toy: Toy, first: str = "a", second: str = "b") -> list[Table]:
    return comparison_tables.tables(toy.side(first), toy.side(second))


# The difference of two indices


def test_two_subjects_differ_by_their_indices_with_both_run_variances(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW)
    first, second = toy.side("a"), toy.side("b")
    found, back = gap(first, second), gap(second, first)
    assert found.these.points == -back.these.points == pytest.approx(per_run(HIGH).mean() - per_run(LOW).mean())
    assert found.these.se == pytest.approx(
        np.hypot(first.study.same_scenarios["a"].se, second.study.same_scenarios["b"].se)
    )
    assert found.like_these.se >= found.these.se
    assert back.these.p == found.these.p


def test_the_variances_of_the_difference_are_moderated_by_the_whole_place(toy: Toy) -> None:
    for config in "ab":
        toy.complete(config, [(9, 8, 1)] * 4)
    alone = gap(toy.side("a"), toy.side("b"))
    toy.complete("restless", [(2, 9, 5), (9, 1, 1), (5, 5, 9), (9, 9, 0)])
    assert 0 < alone.these.se < gap(toy.side("a"), toy.side("b")).these.se


def test_one_subject_under_two_conditions_is_two_independent_sides(toy: Toy) -> None:
    plain = ("plain", "tool_role")
    toy.complete("a", HIGH)
    toy.complete(Asked("a", plain), LOW)
    first, second = toy.side("a"), toy.side("a", condition=plain)
    assert not subject_comparison.same_replies(first, second)
    assert gap(first, second).these == comparison.difference(
        first.study.same_scenarios["a"], second.study.same_scenarios["a"]
    )
    assert comparison_tables.side_labels(first, second) == ("Condition", "firm/tool_role", "plain/tool_role")


def test_two_judges_on_the_same_replies_are_paired_by_dialogue(toy: Toy) -> None:
    """Only `radio` is graded differently, so the test is the paired t test of its runs."""
    toy.complete("a", HIGH)
    toy.complete("a", STRICT, judge="strict")
    first, second = toy.side("a"), toy.side("a", "strict")
    assert subject_comparison.same_replies(first, second)
    assert comparison_tables.side_labels(first, second) == ("Judge", "cues", "strict")
    found, reference = gap(first, second).these, stats.ttest_rel(per_run(HIGH), per_run(STRICT))
    assert found.points == pytest.approx((per_run(HIGH) - per_run(STRICT)).mean())
    assert (found.df, found.p) == (pytest.approx(3), pytest.approx(reference.pvalue))
    assert found.se < comparison.difference(first.study.same_scenarios["a"], second.study.same_scenarios["a"]).se / 2
    scenarios = {item.scenario: item.gap for item in subject_comparison.items(first, second)}
    paired = stats.ttest_rel([run[0] for run in HIGH], [run[0] for run in STRICT])
    assert scenarios["radio"].p == pytest.approx(paired.pvalue)
    assert scenarios["dessert"].interval() is None


def test_a_judge_that_always_gives_as_much_less_leaves_no_spread(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("a", [(radio - 3, dessert, drift) for radio, dessert, drift in HIGH], judge="strict")
    found = gap(toy.side("a"), toy.side("a", "strict"))
    assert found.these.points == pytest.approx(100 * 0.75 * 3 / 2 / 10)
    assert found.these.interval() is None
    always = float(np.array([0.7, 0.7, 0.7]).std())
    assert always > 0, "an error of computing, which is no spread"
    assert subject_comparison.solid(Difference(0.7, always, 2)).interval() is None
    assert subject_comparison.solid(Difference(0.7, 0.01, 2)).interval() is not None


def test_there_is_no_gap_without_every_verdict_or_a_second_run_and_bounds_say_what_could_be(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("holed", [(None, 6, 2), (8, 6, 2)])
    toy.complete("once", [(9, 8, 1)])
    toy.complete("a", [(9, 8, 1), (8, 9, 2), (10, None, 1), (9, 9, 0)], judge="strict")
    first, holed = toy.side("a"), toy.side("holed")
    for other in (holed, toy.side("once"), toy.side("a", "strict")):
        assert subject_comparison.gap(first, other) is None
    assert holed.index is None
    assert holed.bounds == (pytest.approx(index(4, 6, 2)), pytest.approx(index(9, 6, 2)))
    tables = compared(toy, "a", "holed")
    assert [table.id for table in tables] == ["sides", "bounds", "scenarios", "dimensions"]
    assert any("1 of 6 verdicts missing (1 unreadable_verdict)" in note for note in tables[0].notes)
    (row,) = rows(by_id(tables)["bounds"])
    low, high = holed.bounds
    assert first.index is not None
    assert row["bounds"] == (pytest.approx(first.index - high), pytest.approx(first.index - low))
    _, sided = rows(by_id(tables)["sides"])
    assert (sided["index"], sided["these_scenarios"], sided["bounds"]) == (None, None, holed.bounds)
    firmness, drift = rows(by_id(tables)["dimensions"])
    assert (firmness["second"], firmness["difference"], drift["second"]) == (None, None, 2)


def test_editions_are_never_compared(toy: Toy) -> None:
    toy.complete("a", HIGH)
    reworded = LoadedSuite(msgspec.structs.replace(toy.suite, closing="Be brief."), "0badc0de")
    filled.complete(toy.connection, reworded, "b", LOW)
    with pytest.raises(StoreError, match=r"toy@.* and toy@0badc0de"):
        subject_comparison.gap(toy.side("a"), filled.side(toy.connection, reworded, "b"))
    with pytest.raises(StoreError, match=r"it is in toy@0badc0de, and editions are never compared"):
        subject_comparison.find(toy.connection, toy.read(), "b")


def test_a_subject_is_found_by_directory_label_or_id(toy: Toy) -> None:
    for tag in ("north", "south"):
        toy.complete(Asked(f"acme--m+{tag}@none-t0.7", label=f"m+{tag}", model_id="acme/m"), HIGH)
    toy.complete(Asked("acme--n@none-t0.7", label="n", model_id="acme/n"), HIGH)
    toy.complete(Asked("acme--o@none-t0.7", ("plain", "tool_role"), "o", "acme/o"), HIGH)
    read = toy.read()
    for name in ("acme--m+north@none-t0.7", "m+north"):
        assert subject_comparison.find(toy.connection, read, name) == "acme--m+north@none-t0.7"
    assert subject_comparison.find(toy.connection, read, "acme/n") == "acme--n@none-t0.7"
    for name, says in (
        ("acme/m", r"may be any of 2 subjects .* m\+north, m\+south"),
        ("m+nort", r"no subject .* did you mean `m\+north`"),
        ("zzz", r"no subject `zzz`"),
        ("o", r"`o` has no trials .* under another condition"),
    ):
        with pytest.raises(StoreError, match=says):
            subject_comparison.find(toy.connection, read, name)


# Tables of a comparison


@pytest.mark.parametrize(
    ("found", "margin", "says"),
    [
        (Difference(5, 1, 20), 2, "A is higher"),
        (Difference(-5, 1, 20), 2, "B is higher"),
        (Difference(1, 0.2, 20), 2, "A is higher, by less than 2 points"),
        (Difference(0.1, 0.5, 20), 2, "equivalent within 2 points"),
        (Difference(0, 0.1, 20), 1, "equivalent within 1 point"),
        (Difference(0.5, 1.7, 20), 2, "undecided: the difference could be -3.0 to +4.0"),
        (Difference(0.5, 1.7, 20), 10, "equivalent within 10 points"),
        (Difference(0.0, 0.9, 20), 2, "undecided: the difference could be -1.9 to +1.9"),  # in 48% of such cases
        (Difference(0, 0, 1), 2, "no test is possible: nothing varies between runs"),
    ],
)
def test_a_difference_is_said_in_words(found: Difference, margin: float, says: str) -> None:
    assert comparison_tables.outcome(found, margin) == says


def test_what_holds_for_one_test_alone_is_not_called_certain_among_many() -> None:
    assert comparison_tables.outcome(Difference(5, 2, 20), 2.0) == "A is higher"
    assert "not significant after correction" in comparison_tables.outcome(Difference(5, 2, 20), 2.0, p=0.2)


def test_one_run_gives_a_difference_without_a_test(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW[:1])
    tables = compared(toy)
    for row in rows(by_id(tables)["difference"]):
        assert isinstance(row["difference"], float)
        assert (row["ci"], row["p"], row["p_equivalent"]) == (None, None, None)
        assert "a single run" in str(row["outcome"])
    found = subject_comparison.items(toy.side("a"), toy.side("b"))
    assert [(item.gap, item.points is None) for item in found] == [(None, False)] * 3


# Scenario by scenario


def test_scenarios_come_in_the_suites_order_and_add_up_to_the_difference(toy: Toy) -> None:
    mild = [(10, 9, 0), (9, 10, 1), (10, 10, 1), (10, 9, 0)]
    for config, runs in (("a", HIGH), ("b", LOW)):
        toy.complete(config, runs)
        toy.complete(config, mild, judge="mild")
    first = toy.side("a")
    for second in (toy.side("b"), toy.side("a", "mild")):
        found = subject_comparison.items(first, second)
        assert [item.scenario for item in found] == ["dinner", "radio", "dessert"]
        assert sum(item.points for item in found if item.points) == pytest.approx(gap(first, second).these.points)
    shares = {item.scenario: (item.first, item.second) for item in subject_comparison.items(first, toy.side("b"))}
    assert shares["radio"] == (pytest.approx(0.9), pytest.approx(0.55))
    assert shares["dinner"] == (pytest.approx(0.9), pytest.approx(0.55))  # drift: least is best


def test_without_a_fleet_a_scenario_has_the_error_of_welch_s_test(toy: Toy) -> None:
    """A subject under two conditions, alone in each: nothing moderates."""

    def own_error(runs: list[tuple[int, int, int]]) -> float:
        """Squared error of the index: what radio, dessert and drift add in points of it."""
        points = np.array(runs) * [75 / 10 / 2, 75 / 10 / 2, 25 / 10]
        return float((points.var(axis=0, ddof=1) / len(points)).sum())

    other = [(radio, 5, 5) for radio, _, _ in LOW]
    toy.complete("a", HIGH)
    toy.complete("a", other, judge="other")
    second = toy.side("a", "other").study
    elsewhere = msgspec.structs.replace(second, scope=second.scope.under(Condition("firm", "user_role")))
    items = subject_comparison.items(toy.side("a"), ComparedSubject(elsewhere, "a"))
    (radio,) = (item for item in items if item.scenario == "radio")
    welch = stats.ttest_ind([run[0] for run in HIGH], [run[0] for run in LOW], equal_var=False)
    assert (radio.gap.points / radio.gap.se, radio.gap.df) == pytest.approx((welch.statistic, welch.df))
    assert welch.pvalue < radio.gap.p < 2 * welch.pvalue, "nearer to the end of the scale than to its middle"
    assert sum(item.gap.se**2 for item in items if item.gap) == pytest.approx(own_error(HIGH) + own_error(other))


def test_an_incomplete_side_still_has_the_scenarios_that_are_whole(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("holed", [(5, None, 4), (7, 3, 5), (4, 5, 3), (6, 6, 6)])
    found = {item.scenario: item for item in subject_comparison.items(toy.side("a"), toy.side("holed"))}
    hole, radio = found["dessert"], found["radio"]
    assert (hole.second, hole.points, hole.gap, hole.first is None) == (None, None, None, False)
    assert radio.points == pytest.approx(100 * 0.75 / 2 / 10 * (9 - 5.5))
    assert radio.gap.p < 0.05


# Looks: what was planned later could have been compared before


def planned(toy: Toy, config: str, *days: str) -> None:
    """When each run of a subject was planned."""
    for run, day in enumerate(days, start=1):
        toy.connection.execute(
            "UPDATE planned SET planned_at = ? WHERE config_dir = ? AND run = ?", (f"2026-01-0{day}", config, run)
        )


def test_runs_planned_together_are_one_look(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW[:3])
    planned(toy, "a", *"1124")
    planned(toy, "b", *"113")
    counts = interim_looks.run_counts(toy.connection, toy.scope.where)
    assert [count.fewest for count in counts["a"].counts] == [2, 3, 4]
    assert [count.fewest for count in counts["b"].counts] == [2, 3]
    found = interim_looks.of(counts["a"], counts["b"])
    assert found.runs == (2, 2, 3, 3)
    assert found.information == pytest.approx((2, 2.4, 3, 24 / 7))
    assert found.level == repeated_looks.level(found.information) < 0.01
    toy.connection.execute("DELETE FROM planned WHERE config_dir = 'a' AND scenario = 'radio' AND run = 4")
    last = interim_looks.run_counts(toy.connection, toy.scope.where)["a"].counts[-1]
    assert (last.fewest, last.worth) == (3, pytest.approx(4 - 2 / 7))  # answers and a verdict each: 3, 2 and 2 calls


def test_a_decision_spends_its_own_error_where_it_was_planned_before_the_first_look(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW)
    toy.complete("c", LOW)
    for config in "abc":
        planned(toy, config, *"1123")
    both = decisions.between([Side(config, filled.CONDITION) for config in "ba"], 5.0, 4)
    for day, before in (("2026-01-01", True), ("2026-01-02", False)):
        toy.connection.execute("DELETE FROM decisions")
        decisions.add(toy.connection, toy.scope.where, both)
        toy.connection.execute("UPDATE decisions SET planned_at = ?", (day,))
        counts = interim_looks.run_counts(toy.connection, toy.scope.where)
        found, other = (interim_looks.of(counts["a"], counts[second]) for second in "bc")
        usual = repeated_looks.level(found.information)
        own = decision.level(found.information, 4)
        assert (found.level, other.level) == (own if before else usual, usual)
        assert found.note.startswith("Look 3 of a decision") is before
        assert own > usual


def test_a_comparison_without_a_test_was_no_look(toy: Toy) -> None:
    toy.complete("a", HIGH[:3])
    planned(toy, "a", *"123")
    other = RunHistory((RunCount("", 3, 3.0),))
    few, many = (interim_looks.run_counts(toy.connection, toy.scope.where, least)["a"] for least in (2, 1))
    assert interim_looks.of(few, other).runs == (2, 3)
    assert interim_looks.of(many, other).runs == (1, 2, 3)  # of many scenarios one run each is tested
    once = interim_looks.of(RunHistory(few.counts[:1]), other)
    assert (once.runs, once.level, once.note) == ((2,), repeated_looks.FIRST, "")
    nobody = interim_looks.of(interim_looks.NEVER, few)
    assert (nobody, nobody.level) == (interim_looks.Looks((), ()), repeated_looks.FIRST)


def test_a_later_look_needs_a_smaller_p_and_says_so_on_tables_and_boards(toy: Toy) -> None:
    toy.complete("a", ((9, 8, 1), (7, 9, 2), (9, 6, 1)))
    toy.complete("b", ((8, 6, 3), (6, 7, 2), (7, 6, 4)))
    where, found = toy.scope.where, []
    for day, later in (("1", False), ("2", True)):
        for config in "ab":
            planned(toy, config, "1", "1", day)
        tables = compared(toy)
        found.append(rows(by_id(tables)["difference"])[0])
        beside = tables[1].notes
        assert any(note.startswith("Look 2: ") for note in beside) is later
        assert any("equivalent within ±2 points is not tested: with so few runs" in note for note in beside)
        counts = interim_looks.run_counts(toy.connection, where)
        pairs, level = (
            interim_looks.at_all_pairs([counts["a"], counts["b"]]),
            interim_looks.of(counts["a"], counts["b"]).level,
        )
        assert pairs == (
            1 + later,
            pytest.approx(np.array([[1, 0.05 / level], [0.05 / level, 1]]) if later else np.ones((2, 2))),
        )
        built = toy.board()
        assert built.looks == (2 if later else UNSET)
        assert any("could be compared 2 times" in line for line in notes.readings(built)) is later
    first, again = found
    assert (first["difference"], first["p"]) == (again["difference"], again["p"])
    assert again["ci"][0] < first["ci"][0] < first["ci"][1] < again["ci"][1]


def test_imports_came_at_once_and_before_all_others(toy: Toy) -> None:
    published = LoadedSuite(toy.suite, "published")
    filled.complete(toy.connection, published, "a", HIGH[:3])
    planned(toy, "a", *"123")
    found = interim_looks.run_counts(toy.connection, Where("toy", "published", filled.CONDITION))
    assert found == {"a": RunHistory((RunCount("", 3, 3.0),))}
    measured_here = RunHistory((RunCount("2026-01-02", 2, 2.0), RunCount("2026-01-03", 5, 5.0)))
    assert interim_looks.of(found["a"], measured_here).runs == (2, 3)
    assert interim_looks.at_all_pairs([found["a"], measured_here]).most == 2


# Providers of one model


def hosted(toy: Toy, suffix: str, runs: list[Scores], slug: str = "m") -> None:
    toy.complete(Asked(f"acme--{slug}{suffix}", label=f"{slug}{suffix}", model_id=f"acme/{slug}"), runs)


def test_a_directory_name_says_provider_effort_and_temperature() -> None:
    for config, model_id, expected in (
        ("a--b@none-t0.7", "a/b", (None, "none", "0.7")),
        ("a--b+fire-int4@low-t1.0", "a/b", ("fire-int4", "low", "1.0")),
        ("a--b+@none-t0.7", "a/b+", (None, "none", "0.7")),  # a model id that ends in a plus
        ("a--b:free+host@none-t0.7", "a/b:free", ("host", "none", "0.7")),
        ("a--b", "a/b", None),
        ("a--b:free@none-t0.7", "a/b", None),
    ):
        found = provider_tables.host(config, model_id)
        assert (found and (found.tag, found.settings["effort"], found.settings["temperature"])) == expected, config


def test_only_subjects_that_differ_in_one_setting_alone_are_compared(toy: Toy) -> None:
    hosted(toy, "@none-t0.7", LOW)
    hosted(toy, "@low-t0.7", LOW, "other")
    assert provider_tables.tables(toy.read()) == []
    hosted(toy, "+north@none-t0.7", HIGH)
    hosted(toy, "+south@low-t1.0", HIGH)
    hosted(toy, "+north@low-t0.7", HIGH)
    read = toy.read()
    tables = provider_tables.tables(read, margin=3.0)
    found = rows(by_id(tables)["providers"])
    assert [(row["first"], row["second"], row["model"]) for row in found] == [
        ("effort low", "effort none", "acme/m (on north, temperature 0.7)"),
        ("north", UNPINNED, "acme/m (effort none, temperature 0.7)"),
    ]
    equal, row = found
    assert (equal["difference"], equal["p_holm"]) == (0, 1)
    assert row["outcome"] == "north is higher"
    apart = gap(ComparedSubject(read, "acme--m+north@none-t0.7"), ComparedSubject(read, "acme--m@none-t0.7")).these
    assert (row["difference"], row["ci"], row["p"]) == (apart.points, apart.interval(), apart.p)
    assert (row["p_equivalent"], row["p_holm"]) == (None, 2 * row["p"]), "a test would miss most who are equal"
    wide = rows(by_id(provider_tables.tables(read, margin=60.0))["providers"])[1]
    assert wide["p_equivalent"] == apart.equivalent(60.0)
    refused = {(row["first"], row["second"]): row["differs"] for row in rows(by_id(tables)["providers-not-comparable"])}
    assert refused["m+north@low-t0.7", "m@none-t0.7"] == "effort: low and none"
    assert refused["m+north@none-t0.7", "m+south@low-t1.0"] == "effort: none and low; temperature: 0.7 and 1.0"
    assert ("m+north@low-t0.7", "m+north@none-t0.7") not in refused  # one host: no question of providers


def test_p_values_of_providers_allow_for_the_number_of_pairs_and_earlier_looks(toy: Toy) -> None:
    hosted(toy, "@none-t0.7", LOW)
    hosted(toy, "+north@none-t0.7", HIGH)
    (once,) = rows(by_id(provider_tables.tables(toy.read()))["providers"])
    toy.connection.execute("UPDATE planned SET planned_at = '2026-01-02' WHERE run > 2")
    read = toy.read()
    (table,) = provider_tables.tables(read)
    (again,) = rows(table)
    allowance = interim_looks.of(*read.run_counts.values()).allowance
    assert allowance > 5
    assert again["p"] == once["p"] == once["p_holm"]
    assert again["p_holm"] == pytest.approx(min(1.0, again["p"] * allowance))
    assert again["ci"][0] < once["ci"][0] < once["ci"][1] < again["ci"][1]
    assert any("could be compared 2 times" in note for note in table.notes)
    toy.connection.execute("UPDATE planned SET planned_at = ?", (filled.MOMENT,))
    hosted(toy, "+south@none-t0.7", [(8, 7, 2), (6, 8, 4), (9, 6, 2), (7, 7, 3)])
    found = rows(by_id(provider_tables.tables(toy.read()))["providers"])
    p, holm = (sorted(row[key] for row in found) for key in ("p", "p_holm"))
    assert (len(found), holm[0]) == (3, pytest.approx(3 * p[0]))


def test_an_incomplete_host_is_listed_and_not_compared_and_one_run_not_tested(toy: Toy) -> None:
    hosted(toy, "@none-t0.7", LOW)
    hosted(toy, "+north@none-t0.7", [(9, None, 1), (9, 9, 1)])
    hosted(toy, "@low-t0.7", LOW[:1])
    hosted(toy, "+north@low-t0.7", HIGH[:1])
    found = {row["model"]: row for row in rows(by_id(provider_tables.tables(toy.read()))["providers"])}
    row = found["acme/m (effort none, temperature 0.7)"]
    assert (row["difference"], row["ci"], row["p"], row["p_holm"], row["p_equivalent"]) == (None,) * 5
    assert str(row["outcome"]).startswith("not compared: north is incomplete, 1 of 6 verdicts missing")
    row = found["acme/m (effort low, temperature 0.7)"]
    assert (row["difference"], row["p"], row["p_holm"]) == (pytest.approx(index(*HIGH[0]) - index(*LOW[0])), None, None)


# Stages: runs that were added later beside those before


def test_later_runs_that_differ_from_those_before_are_said_on_board_decision_and_gate(toy: Toy) -> None:
    high, low = (9, 8, 1), (3, 2, 7)
    toy.complete("a", [high, (8, 9, 2), high, low, (2, 3, 8), low])
    toy.complete("b", [high, (8, 9, 2), high, high, (8, 9, 2), (9, 9, 1)])
    for config in "ab":
        planned(toy, config, *"111222")
    plan = decisions.between([Side(config, filled.CONDITION) for config in "ab"], 5.0, 6)
    state = decided.read(toy.connection, toy.scope.suite, toy.scope.where, plan, "cues")
    built = board.board(toy.connection, toy.scope)
    data = board_data.read(toy.connection, toy.scope, "cues")
    lower = filled.index(2.67, 2.33, 7.33) - filled.index(8.67, 8.33, 1.33)
    assert data.changed.keys() == {"a"}
    assert data.changed["a"].since.startswith("2026-01-02")
    assert data.changed["a"].points == pytest.approx(lower, abs=0.5)
    said = data.changes()
    assert "label of a by -6" in said
    assert "from 2026-01-02 on (all that were added, Holm, 5%)" in said
    assert said in notes.readings(built)
    assert built.changed == said == state.changed
    assert decided.conclusion(state, 5.0)[1].endswith(said)
    gated = gate.read(toy.connection, toy.scope, "cues", "a"), gate.read(toy.connection, toy.scope, "cues", "b")
    assert [one and one.changed for one in gated] == [said, ""]
    planned(toy, "a", *"111111")  # at once, so that nobody knows when
    assert board_data.read(toy.connection, toy.scope, "cues").changes() == ""
