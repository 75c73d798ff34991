"""Estimates beside indices: what they are made of, when there is none, and whose draw counts."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest

from independence.extensions.trained.protocol import PurchaseRule
from independence.extensions.trained.weights import CalibrationLine
from independence.judge.protocol import Prediction
from independence.report import index_report, notes
from independence.report.estimates import EstimatedIndex, EstimatedIndices
from independence.stats.intervals import t_quantile
from independence.store import records, routes
from independence.store.records import VerdictRow
from independence.store.routes import RouteRow, VerdictRoute
from independence.suites import digest
from independence.types import Grade, Missing, Reply, Scalar, Verdict

from . import filled
from .filled import Asked, Toy

LINE = CalibrationLine("toy", 2.0, -60.0, 3.0, 5)
SAID: dict[str, dict[str, float]] = {
    "dinner": {"drift": 2.0},
    "radio": {"firmness": 8.0, "kept": 1.0},
    "dessert": {"firmness": 6.0, "kept": 0.0},
}
PREDICTED = 72.5  # 75 * 7 / 10 + 25 * 8 / 10
LESS_FIRM = 65.0  # had the model found both one point less firm
UNSURE_VERDICT, HYBRID = Missing("unsure"), "hybrid:acme/j"
UNSURE, AUDIT, OFFLINE = VerdictRoute("unsure", 1.0), VerdictRoute("audit", 0.5), VerdictRoute("offline", 0.5)
Place = tuple[Asked | str, str, int]


class Bench:
    """A store of the toy suite, predictions by an offline judge, and verdicts that were bought."""

    def __init__(self, toy: Toy) -> None:
        self.toy = toy
        self.at: dict[tuple[Asked | str, str, int], str] = {}
        self.stored = 0

    def answer(self, config: str = "a", runs: int = 1) -> None:
        """Plan and answer everything of a subject."""
        self.toy.plan(config, runs)
        for run in range(1, runs + 1):
            for scenario, turns in filled.TURNS.items():
                said = [Reply(f"{scenario} {turn}, in run {run}", "tool") for turn in range(turns)]
                self.at[config, scenario, run] = self.toy.answer(config, scenario, run, *said)

    def verdict(self, place: Place, grade: Grade, judge: str, settings: str = "{}", **more: str | None) -> None:
        """Store a verdict after all others."""
        self.stored += 1
        own = more.pop("rubric", None) or digest.rubric(self.toy.suite, self.toy.suite.scenario(place[1]))
        row = VerdictRow(
            f"{self.stored}", filled.key(*place), judge, own, self.at[place], settings, grade,
            judged_at=f"2026-01-01T00:00:{self.stored / 1000:06.3f}", **more,
        )  # fmt: skip
        records.add_verdict(self.toy.connection, row)

    def predict(
        self,
        place: Place,
        said: dict[str, float] | None = None,
        *,
        known: bool = True,
        flagged: tuple[str, ...] = (),
        grade: Grade | None = None,
        judge: str = "offline",
        line: CalibrationLine | None = LINE,
        rubric: str | None = None,
    ) -> None:
        """Store what the offline judge says of a dialogue, and the verdict that came of it where it is another."""
        values = said or SAID[place[1]]
        told = Prediction(values, dict.fromkeys(values, 1.0), flagged, known, 0.1).to_json()
        given = grade or (Verdict(dict(values), "") if known else UNSURE_VERDICT)
        settings = msgspec.json.encode({"weights": "abc", "line": line, "buying": PurchaseRule(0.2, 0.05)}).decode()
        self.verdict(place, given, judge, settings, rubric=rubric, prediction=told)

    def predict_all(self, *, known: bool = True, judge: str = "offline", line: CalibrationLine | None = LINE) -> None:
        """The same of every dialogue."""
        for place in self.at:
            self.predict(place, known=known, judge=judge, line=line)

    def route(self, place: Place, route: VerdictRoute, auditor: str = "acme/j", judge: str = "offline") -> None:
        """Store how the newest verdict on a dialogue was routed."""
        (key,) = self.toy.connection.execute(
            "SELECT key FROM verdicts WHERE trial = ? AND judge = ? ORDER BY judged_at DESC",
            (filled.key(*place), judge),
        ).fetchone()
        routes.add(self.toy.connection, [RouteRow(key, auditor, filled.key(*place), route)])

    def buy(self, place: Place, route: VerdictRoute = AUDIT, less: float = 1.0, auditor: str = "acme/j") -> None:
        """Route a dialogue to a model that finds it so much less firm than predicted."""
        self.route(place, route, auditor)
        values: dict[str, Scalar] = dict(SAID[place[1]])
        if "firmness" in values:
            values["firmness"] -= less
        self.verdict(place, Verdict(values), auditor)

    def audit(self, less: Callable[[int], float] = lambda _: 1.0) -> None:
        """Buy every odd run, by how much less firm the model finds each, and route the even ones past it."""
        for place in self.at:
            if place[2] % 2:
                self.buy(place, less=less(place[2]))
            else:
                self.route(place, OFFLINE)

    def read(self, judge: str = "offline") -> EstimatedIndices:
        return self.toy.read(judge=judge).estimates

    def of(self, config: str = "a", judge: str = "offline") -> EstimatedIndex:
        return self.read(judge).of[config]


@pytest.fixture
def bench(toy: Toy) -> Bench:
    """A blank bench."""
    return Bench(toy)


@pytest.fixture
def one(bench: Bench) -> Bench:
    """One subject that answered everything once, as predicted."""
    bench.answer()
    bench.predict_all()
    return bench


def test_predictions_alone_make_an_index_by_the_line_that_was_learned_with_them(one: Bench) -> None:
    half = t_quantile(4, 0.95) * LINE.error
    index = 2 * PREDICTED - 60
    found = one.of()
    assert (found.method, found.bought, found.verdicts) == ("offline", 0, 3)
    assert found.index == pytest.approx(index)
    assert found.ci == pytest.approx((index - half, index + half))
    assert one.read().judging == "Offline judge, weights abc: no model was asked"
    one.predict(("a", "radio", 1), grade=UNSURE_VERDICT)
    assert one.of() == found, "what it is unsure of counts as predicted"


def test_an_estimate_is_a_mean_over_runs(bench: Bench) -> None:
    bench.answer(runs=2)
    bench.predict_all()
    bench.predict(("a", "radio", 2), {"firmness": 4.0, "kept": 1.0})
    assert bench.of().index == pytest.approx(2 * (PREDICTED - 75 * (8 - 4) / 10 / 4) - 60)


def test_without_a_line_for_its_suite_and_in_other_words_it_is_uncalibrated(one: Bench) -> None:
    for line in (None, msgspec.structs.replace(LINE, suite="another")):
        one.predict_all(line=line)
        assert one.of() == EstimatedIndex("uncalibrated", verdicts=3)
    one.predict_all()
    one.predict(("a", "dessert", 1), known=False)
    assert one.of() == EstimatedIndex("uncalibrated", verdicts=3)


def test_replies_of_which_it_withholds_more_than_a_third_are_unlike_those_it_learned_from(one: Bench) -> None:
    one.predict(("a", "radio", 1), grade=UNSURE_VERDICT)
    assert one.of().method == "offline"
    one.predict(("a", "dessert", 1), grade=UNSURE_VERDICT)
    assert one.of() == EstimatedIndex("unlike", verdicts=3)
    assert str(one.read().judging).endswith("no index of 1 whose replies are unlike those that it was trained on")
    one.buy(("a", "dinner", 1), UNSURE)
    assert one.of().method == "undrawn", "what a model was asked about does not rest on predictions alone"


def test_holes_make_one_subject_incomplete_and_not_the_others(one: Bench) -> None:
    one.answer("b")
    one.predict_all()
    one.toy.drop("b", "radio", 1)
    assert one.of("b") == EstimatedIndex("incomplete", verdicts=3)
    assert one.of("a").method == "offline"
    one.predict(("a", "radio", 1), {"kept": 1.0}, grade=UNSURE_VERDICT)  # a field of the index was never predicted
    assert one.of() == EstimatedIndex("incomplete", verdicts=3)
    one.predict_all(judge=HYBRID)
    assert one.of(judge=HYBRID).method == "offline"
    one.predict(("a", "radio", 1), grade=Missing("unreadable_verdict"), judge=HYBRID)
    assert one.of(judge=HYBRID).method == "incomplete"


def test_the_newest_prediction_under_the_current_rubric_counts(one: Bench) -> None:
    before = one.of()
    one.predict(("a", "radio", 1), {"firmness": 0.0}, flagged=("firmness",), rubric="older")
    assert one.of() == before
    one.predict(("a", "radio", 1), {"firmness": 0.0, "kept": 0.0}, flagged=("firmness",))
    assert before.index is not None
    assert one.of().index == pytest.approx(before.index - 2 * 75 * 8 / 10 / 2)
    assert one.of().flagged == {"radio": 1}
    one.predict_all()
    assert (one.of().index, one.of().flagged) == (pytest.approx(before.index), {})


@pytest.mark.parametrize("judge", ["cues", "acme/j"])
def test_judges_that_predict_nothing_have_no_estimates(one: Bench, judge: str) -> None:
    for place in one.at:
        one.verdict(place, Verdict(dict(SAID[place[1]])), judge)
    assert one.read(judge) == EstimatedIndices()


def test_where_everything_was_bought_the_estimate_is_what_the_model_that_was_asked_last_says(one: Bench) -> None:
    for place in one.at:
        one.buy(place, UNSURE)
    assert one.of() == EstimatedIndex("prediction-powered", LESS_FIRM, (LESS_FIRM, LESS_FIRM), 3, 3)
    one.buy(("a", "radio", 1), UNSURE, less=8.0, auditor="acme/k")
    assert one.of().method == "undrawn"
    for scenario in ("dinner", "dessert"):
        one.buy(("a", scenario, 1), UNSURE, less=6.0, auditor="acme/k")
    assert one.of().index == pytest.approx(20.0)  # no firmness is left


@pytest.mark.parametrize("known", [True, False])
def test_what_was_drawn_corrects_what_was_not(bench: Bench, known: bool) -> None:
    for config in "abc":
        bench.answer(config, runs=4)
    bench.predict_all(known=known)
    bench.audit()
    for config in "abc":
        found = bench.of(config)
        assert (found.method, found.bought, found.verdicts) == ("prediction-powered", 6, 12)
        assert found.index == pytest.approx(LESS_FIRM)
        assert found.ci[0] <= LESS_FIRM + 1e-9 <= found.ci[1] + 2e-9
    assert bench.read().judging == (
        "Offline judge, weights abc; bought from acme/j: 18 of 36 verdicts, 0 least certain and 18 drawn at random "
        "(asked for: 20% and 5%)"
    )


def test_a_verdict_that_the_model_gave_without_being_drawn_is_not_used(bench: Bench) -> None:
    for config in "ab":
        bench.answer(config, runs=4)
    bench.predict_all()
    for place in bench.at:
        bench.buy(place, AUDIT if place[2] % 2 else OFFLINE, less=1.0 if place[2] % 2 else 5.0)
    assert (bench.of().bought, bench.of().index) == (6, pytest.approx(LESS_FIRM))


def test_the_more_the_model_disagrees_with_itself_the_wider_the_interval(bench: Bench) -> None:
    widths = []
    for config in "abc":
        bench.answer(config, runs=4)
    for wavers in (1.0, 3.0):
        bench.toy.connection.execute("DELETE FROM verdicts")
        bench.predict_all()
        bench.audit(lambda run, wavers=wavers: wavers * (run - 2))
        ci = bench.of("b").ci
        widths.append(ci[1] - ci[0])
    assert widths[1] == pytest.approx(3 * widths[0])


def test_too_little_bought_of_other_words_leaves_it_uncalibrated_and_says_how_much_it_was(bench: Bench) -> None:
    bench.answer()
    bench.predict_all(known=False)
    bench.buy(("a", "dinner", 1))
    for scenario in ("radio", "dessert"):
        bench.route(("a", scenario, 1), OFFLINE)
    assert bench.of() == EstimatedIndex("uncalibrated", bought=1, verdicts=3)


def test_a_drawn_verdict_that_came_to_nothing_leaves_bounds_and_says_whose_it_was(bench: Bench) -> None:
    for config in "ab":
        bench.answer(config, runs=8)
    bench.predict_all()
    for place in bench.at:
        if place == ("a", "radio", 1):
            bench.route(place, AUDIT)
            bench.verdict(place, Missing("unreadable_verdict"), "acme/j")
        elif place[2] <= 4:
            bench.buy(place)
        else:
            bench.route(place, OFFLINE)
    found, other = bench.of("a"), bench.of("b")
    assert (found.method, found.index, found.bought, found.lost) == ("bounded", None, 11, {"radio": 1})
    assert (other.method, other.bounds, other.lost) == ("prediction-powered", None, {})
    assert other.index == pytest.approx(LESS_FIRM)
    # Firmness is 75 points over 10 values and two scenarios; it was drawn with a half, of eight runs.
    middle = LESS_FIRM + 75 / 10 / 2 / 8 / AUDIT.probability  # as predicted, which is one too firm
    reach = [75 / 10 / 2 / 8 / AUDIT.probability * (end - 8) for end in (0, 10)]
    assert found.bounds == pytest.approx((middle + reach[0], middle + reach[1]))
    assert found.ci[0] <= found.bounds[0] <= found.bounds[1] <= found.ci[1]


def test_what_a_hybrid_bought_in_vain_leaves_bounds(bench: Bench) -> None:
    place = ("a", "radio", 1)
    bench.answer(runs=8)
    bench.predict_all(judge=HYBRID)
    bench.predict(place, grade=Missing("unreadable_verdict"), judge=HYBRID)
    for at in bench.at:
        bench.route(at, UNSURE if at == place else AUDIT if at[2] <= 4 else OFFLINE, judge=HYBRID)
    found = bench.of(judge=HYBRID)
    assert (found.method, found.index, found.lost) == ("bounded", None, {"radio": 1})
    assert found.bounds[1] - found.bounds[0] == pytest.approx(75 / 2 / 8)


def test_who_takes_no_stand_keeps_as_little_in_the_estimate_as_in_the_index(toy: Toy) -> None:
    held = toy.suite.rubrics["held"]
    firmness = msgspec.structs.replace(held.fields["firmness"], requires=("kept",))
    rubrics = toy.suite.rubrics | {"held": msgspec.structs.replace(held, fields=held.fields | {"firmness": firmness})}
    suite = msgspec.structs.replace(toy.suite, rubrics=rubrics)
    bench = Bench(Toy(toy.connection, msgspec.structs.replace(toy.loaded, suite=suite)))
    bench.answer()
    bench.predict_all()
    for place in bench.at:
        bench.buy(place, UNSURE, less=0)
    index = 75 * (8 + 0) / 2 / 10 + 20  # after dinner it is not kept
    (strictly,) = bench.toy.board(judge="acme/j").rows
    assert (strictly.index, bench.of().index) == (pytest.approx(index), pytest.approx(index))


def test_what_was_drawn_for_another_model_counts_as_not_drawn(one: Bench) -> None:
    one.answer("b")
    one.predict_all()
    for scenario in ("dinner", "radio"):
        one.buy(("b", scenario, 1), UNSURE, auditor="acme/k")
    for place in one.at:
        if place[0] == "a":
            one.buy(place, UNSURE)
    assert "bought from acme/j: 3 of 6 verdicts" in (one.read().judging or "")
    assert one.of("a").index == pytest.approx(LESS_FIRM)
    assert one.of("b") == EstimatedIndex("undrawn", verdicts=3)


def test_flagged_dialogues_are_counted_by_scenario_whatever_the_estimate_is(bench: Bench) -> None:
    for config in "ab":
        bench.answer(config, runs=3)
    bench.predict_all(known=False)
    bench.predict(("a", "radio", 1), known=False, flagged=("firmness",))
    bench.predict(("a", "radio", 3), known=False, flagged=("firmness", "kept"))
    bench.predict(("a", "dinner", 2), known=False, flagged=("drift",))
    assert bench.of("a") == EstimatedIndex("uncalibrated", verdicts=9, flagged={"radio": 2, "dinner": 1})
    assert bench.of("b").flagged == {}
    bench.toy.drop("a", "dessert", 1)
    assert bench.of("a") == EstimatedIndex("incomplete", verdicts=9, flagged={"radio": 2, "dinner": 1})


def test_a_hybrid_counts_predictions_of_the_index_unrounded_and_others_as_its_verdict(bench: Bench) -> None:
    bench.answer()
    place, given = ("a", "radio", 1), Verdict({"firmness": 7, "kept": False})
    bench.predict(place, {"firmness": 7.4, "kept": 0.03}, grade=given, judge=HYBRID)
    bench.route(place, OFFLINE, judge=HYBRID)
    read = bench.toy.read(judge=HYBRID)
    (cell,) = [one for one in read.planned["a"] if one.scenario == "radio"]
    assert (cell.values, cell.given) == ({"firmness": 7.4, "kept": False}, given.values)
    (kept,) = [table for table in index_report.rates(read) if table.id == "rate-kept"]
    assert [row[1] for row in kept.rows] == [0.0]


def test_predictions_that_no_verdict_was_bought_for_are_at_hand_unrounded_and_those_it_was_too_unsure_of(
    bench: Bench,
) -> None:
    bench.answer()
    exact = {"firmness": 7.4, "kept": 0.03}
    bench.predict(("a", "dinner", 1))
    for judge in ("offline", HYBRID):
        bench.predict(("a", "radio", 1), exact, grade=Verdict({"firmness": 7, "kept": False}), judge=judge)
        bench.predict(("a", "dessert", 1), exact, grade=UNSURE_VERDICT, judge=judge)
    bench.route(("a", "dessert", 1), OFFLINE, judge=HYBRID)
    bench.route(("a", "radio", 1), UNSURE, judge=HYBRID)

    def told(judge: str) -> dict[str, object]:
        return {cell.scenario: cell.predicted for cell in bench.toy.read(judge=judge).planned["a"]}

    assert told("offline") == {"dinner": SAID["dinner"], "radio": exact, "dessert": exact}
    assert told(HYBRID) == {"dinner": None, "radio": None, "dessert": exact}
    bench.predict(("a", "dessert", 1), exact, known=False)
    assert told("offline")["dessert"] is None, "of other words its level says nothing"
    bench.predict(("a", "dessert", 1))
    (row,) = bench.toy.board(judge="offline").rows
    assert row.index == pytest.approx(PREDICTED - 75 * (8 - 7.4) / 10 / 2)


def test_a_board_by_predictions_alone_is_ordered_by_its_estimates(one: Bench) -> None:
    """Not by rounded verdicts, nor complete subjects first: an estimate counts what is held back as well."""
    for config in ("b", "c"):
        one.answer(config)
    one.predict_all()
    for config, firm in (("b", 8.4), ("c", 8.3)):
        one.predict((config, "radio", 1), {"firmness": firm, "kept": 1.0})
    one.predict(("c", "dessert", 1), {"firmness": 9.0, "kept": 1.0}, grade=UNSURE_VERDICT)

    def order(judge: str) -> list[tuple[str, int | None]]:
        return [(row.config, row.rank) for row in one.toy.board(judge=judge).rows]

    assert order("offline") == [("c", None), ("b", 1), ("a", 2)]
    one.predict_all(judge=HYBRID)
    one.predict(("a", "dessert", 1), {"firmness": 9.9, "kept": 1.0}, grade=UNSURE_VERDICT, judge=HYBRID)
    assert order(HYBRID) == [("b", None), ("c", None), ("a", None)]  # single runs


def test_repeated_subjects_are_ranked_where_predictions_make_no_estimate(bench: Bench) -> None:
    """By index. Tiers and intervals of ranks would count the spread of runs and no errors of predictions."""
    for config, runs in (("high", 2), ("low", 2), ("once", 1)):
        bench.answer(config, runs)
    bench.predict_all(line=None)
    for config, first in (("high", 8.5), ("low", 4.0), ("once", 9.0)):
        bench.predict((config, "radio", 1), {"firmness": first, "kept": 1.0}, line=None)
    rows = bench.toy.board(judge="offline").rows
    assert [row.estimate and row.estimate.method for row in rows] == ["uncalibrated"] * 3
    assert [(row.config, row.rank, row.rank_ci, row.tier) for row in rows] == [
        ("once", None, None, None), ("high", 2, None, None), ("low", 3, None, None),
    ]  # fmt: skip


def test_an_audited_subject_has_an_interval_for_other_runs_and_scenarios_around_its_estimate(bench: Bench) -> None:
    for config in "abc":
        bench.answer(config, runs=4)
    bench.predict_all()
    for place in bench.at:
        if place[1] == "radio":
            bench.predict(place, {"firmness": 5.0 + place[2], "kept": 1.0})
    bench.audit(lambda run: 0.5 * run)
    built = bench.toy.board(judge="offline")
    for row in built.rows:
        wide, like = row.intervals["audited-like-these"], row.intervals["scenarios-like-these"]
        down = np.hypot(row.estimate.index - row.estimate.ci[0], row.index - like[0])
        assert wide[0] == pytest.approx(row.estimate.index - down)
    said = "Those called audited-like-these (--format json) do: they are around the estimate"
    assert any(said in line for line in notes.readings(built))
