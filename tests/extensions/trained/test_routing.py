"""What is bought, exactly as many as asked for, with the probabilities that are stored beside them, and told before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil, floor

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.config.subjects import Subject
from independence.engine import batch_judge, dialogue, plan
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.extensions.trained import OFFLINE, WEIGHTS, routing, weights
from independence.extensions.trained.draws import PastDraws
from independence.extensions.trained.judges import HybridJudge, OfflineJudge
from independence.extensions.trained.protocol import PurchaseRule
from independence.extensions.trained.routing import RoutingCandidate, StoredPurchases
from independence.extensions.trained.views import scenario_digest
from independence.extensions.trained.weights import WeightsInfo
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES
from independence.judge.model import ModelJudge
from independence.judge.protocol import Judge
from independence.store.routes import VerdictRoute
from independence.suites.load import load

USUAL = PurchaseRule(0.2, 0.05)


def fleet(errors: Sequence[float], name: str = "f", scenario: str = "s", known: bool = True) -> list[RoutingCandidate]:
    return [RoutingCandidate(f"{name}{at}", scenario, error, known) for at, error in enumerate(errors)]


def ways(found: Iterable[VerdictRoute]) -> Counter[str]:
    return Counter(route.way for route in found)


def asked(found: dict[str, VerdictRoute]) -> set[str]:
    return {key for key, route in found.items() if route.way != "offline"}


ERRORS = np.random.default_rng(0).exponential(size=400).tolist()
errors = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e3)), max_size=60)
shares = st.integers(0, 20).flatmap(lambda one: st.tuples(st.just(one / 20), st.integers(0, 20 - one)))


@given(errors, shares)
def test_as_many_are_bought_as_the_shares_say_and_probabilities_sum_to_the_draw(
    doubts: list[float], share: tuple[float, int]
) -> None:
    buying = PurchaseRule(share[0], share[1] / 20, 0)
    found = routing.routes(fleet(doubts), buying)
    unsure = round(buying.unsure * len(doubts))
    audit = min(buying.audit * len(doubts), len(doubts) - unsure)
    counts = ways(found.values())
    assert counts["unsure"] == unsure
    assert floor(audit + 1e-6) <= counts["audit"] <= ceil(audit - 1e-6)
    rest = [route.probability for route in found.values() if route.way != "unsure"]
    assert sum(rest) == pytest.approx(audit)
    assert all(0 <= chance <= 1 + 1e-12 for chance in rest)
    assert all(route.probability == 1 for route in found.values() if route.way == "unsure")


def test_the_least_certain_are_bought_and_the_rest_is_drawn_the_rather_the_less_certain_it_is() -> None:
    found = routing.routes(fleet(ERRORS), USUAL)
    assert ways(found.values()) == {"unsure": 80, "audit": 20, "offline": 300}
    unsure = [error for at, error in enumerate(ERRORS) if found[f"f{at}"].way == "unsure"]
    assert sorted(unsure) == sorted(ERRORS)[-80:]
    rest = sorted((error, found[f"f{at}"].probability) for at, error in enumerate(ERRORS))[:-80]
    chances = [chance for _, chance in rest]
    assert chances == sorted(chances)
    assert chances[0] < chances[-1] / 2
    assert chances[0] >= 0.2 * 20 / 320 * (1 - 1e-9)  # all of it can be drawn


def test_a_dialogue_is_drawn_as_often_as_it_is_said_to_be() -> None:
    draws = 3000
    doubts = [9.0, 8.0, 7.0, 5.0, 3.0, 2.0, 1.0, 1.0, 0.5, 0.2, 0.1, 0.0]
    buying, counts = PurchaseRule(0.25, 0.25), np.zeros(12)
    for draw in range(draws):
        found = routing.routes(fleet(doubts, f"{draw}:"), buying)
        counts += [found[f"{draw}:{at}"].way != "offline" for at in range(12)]
    stated = np.array([found[f"{draw}:{at}"].probability for at in range(12)])
    assert counts[:3].tolist() == [draws] * 3
    assert stated[3:].sum() == pytest.approx(3)
    error = np.sqrt(stated * (1 - stated) / draws)
    assert (np.abs(counts / draws - stated) <= 4 * error + 1e-12).all()


def test_neighbours_by_doubt_are_drawn_together_as_often_as_others() -> None:
    draws = 1500
    # Two of ten at an interval of five: a given pair is at that distance in one of nine orders, and then drawn by
    # a fifth of the starts.
    together = 0
    for draw in range(draws):
        found = routing.routes(fleet([1.0] * 10, f"{draw}:"), PurchaseRule(0.0, 0.2))
        together += {f"{draw}:0", f"{draw}:1"} <= asked(found)
    expected = draws / 9 / 5
    assert abs(together - expected) < 4 * np.sqrt(expected)


def test_one_that_is_far_less_certain_than_the_rest_is_always_drawn() -> None:
    doubts = [1e6, *[1.0] * 39]
    for draw in range(20):
        found = routing.routes(fleet(doubts, f"{draw}:"), PurchaseRule(0.0, 0.1))
        assert found[f"{draw}:0"] == VerdictRoute("audit", 1.0)
        assert ways(found.values())["audit"] == 4


def test_the_same_fleet_draws_the_same_in_any_order_and_another_fleet_draws_another() -> None:
    known, strange = fleet(ERRORS), fleet(ERRORS[:100], "g", "t", known=False)
    turned = [*strange, *known][::-1]
    assert routing.routes(turned, USUAL) == routing.routes([*known, *strange], USUAL)
    drawn = {int(key[1:]) for key in asked(routing.routes(known, PurchaseRule(0.0, 0.2)))}
    others = {int(key[1:]) for key in asked(routing.routes(fleet(ERRORS, "h"), PurchaseRule(0.0, 0.2)))}
    assert len(drawn) == len(others) == 80
    assert drawn != others
    assert routing.routes([], USUAL) == {}


def test_ties_are_broken_by_the_keys_and_not_by_the_order() -> None:
    even = fleet([1.0] * 50)
    assert routing.routes(even, PurchaseRule(0.2, 0.0)) == routing.routes(even[::-1], PurchaseRule(0.2, 0.0))


Fleet = Sequence[RoutingCandidate]
STRANGE = [*fleet([1.0] * 50, "a", "one", False), *fleet([2.0] * 200, "b", "two", False)]


@pytest.mark.parametrize(
    ("candidates", "rule", "expected"),
    [
        # Of every strange scenario the least is drawn with even probabilities, or all of a small one.
        (STRANGE, PurchaseRule(0.2, 0.05, 20), {"a": (20 / 50, 20), "b": (50 / 200, 50)}),
        (fleet([1.0] * 7, known=False), PurchaseRule(0.2, 0.05, 20), {"f": (1.0, 7)}),
        # Shares of nothing draw the least of known ones too, and nothing wanted is nothing bought.
        ([*fleet(ERRORS[:50]), *fleet(ERRORS[:30], "g", "t")], PurchaseRule(0, 0, 20),
         {"f": (20 / 50, 20), "g": (20 / 30, 20)}),
        (fleet(ERRORS), PurchaseRule(0, 0, 0), {"f": (0.0, 0)}),
        (fleet(ERRORS, known=False), PurchaseRule(0, 0, 0), {"f": (0.0, 0)}),
        # A known fleet without any doubt is drawn evenly, and everything can be drawn.
        (fleet([0.0] * 40), PurchaseRule(0.0, 0.25), {"f": (0.25, 10)}),
        (fleet(ERRORS), PurchaseRule(0.0, 1.0), {"f": (1.0, 400)}),
    ],
)  # fmt: skip
def test_what_is_drawn_evenly_is_as_much_as_is_wanted_of_each_scenario(
    candidates: Fleet, rule: PurchaseRule, expected: dict[str, tuple[float, int]]
) -> None:
    found = routing.routes(candidates, rule)
    for name, (chance, count) in expected.items():
        own = [route for key, route in found.items() if key.startswith(name)]
        assert {round(route.probability, 12) for route in own} == {round(chance, 12)}
        assert ways(own) == Counter({"audit": count, "offline": len(own) - count}) - Counter()


@pytest.mark.parametrize("unsure", [0.2, 1.0])
def test_without_an_audit_what_is_not_bought_never_could_have_been(unsure: float) -> None:
    found = list(routing.routes(fleet(ERRORS), PurchaseRule(unsure, 0.0)).values())
    assert (
        Counter(found)
        == Counter(
            {VerdictRoute("unsure", 1.0): round(unsure * 400), VerdictRoute("offline", 0.0): round((1 - unsure) * 400)}
        )
        - Counter()
    )


def test_strange_dialogues_do_not_count_among_those_that_shares_are_of() -> None:
    both = [*fleet(ERRORS), *fleet([1e9] * 100, "g", "t", known=False)]
    found = routing.routes(both, USUAL)
    assert {key: route for key, route in found.items() if key.startswith("f")} == routing.routes(fleet(ERRORS), USUAL)


def test_a_strange_dialogue_and_a_newcomer_are_drawn_as_often_as_any_other() -> None:
    draws = 2000
    counts, newcomers = np.zeros(8), 0
    for draw in range(draws):
        found = routing.routes(fleet(ERRORS[:8], f"{draw}:", known=False), PurchaseRule(0, 0, 3))
        counts += [found[f"{draw}:{at}"].way == "audit" for at in range(8)]
        late = routing.routes(
            [RoutingCandidate(f"{draw}", "s", 1.0, trained_on=False)], USUAL, {"s": PastDraws(20, 80)}
        )
        assert [route.probability for route in late.values()] == [0.25]
        newcomers += len(asked(late))
    assert counts.sum() == 3 * draws
    assert np.abs(counts / draws - 3 / 8).max() < 4 * np.sqrt(3 / 8 * 5 / 8 / draws)
    assert abs(newcomers - draws / 4) < 4 * (draws * 0.25 * 0.75) ** 0.5


def test_a_larger_audit_holds_the_smaller_one() -> None:
    strange = fleet([1.0] * 100, known=False)
    audits = [asked(routing.routes(strange, PurchaseRule(0, 0, least))) for least in (0, 5, 20, 60, 100, 200)]
    assert [len(audit) for audit in audits] == [0, 5, 20, 60, 100, 100]
    assert all(smaller <= larger for smaller, larger in pairwise(audits))


def test_a_smaller_audit_gives_up_nothing_that_was_drawn() -> None:
    many = fleet([1.0] * 50)
    large = asked(routing.routes(many, PurchaseRule(0, 0, 20)))
    assert asked(routing.routes(many, PurchaseRule(0, 0, 5), {"s": PastDraws(20, 20)})) == large


V2 = load("v2").suite
SUBJECTS = [Subject(f"sim/{name}", "sim", name) for name in ("half", "firm", "wavering")]
RUNS = 10
EACH = len(SUBJECTS) * RUNS  # dialogues of a scenario
SCENARIOS = [scenario.id for scenario in V2.scenarios if scenario.experiment == "resistance"]

MODEL = ModelJudge("acme/judge", endpoint="openrouter", model="acme/judge")
RULES = CuesJudge(CUES)
ALONE = OfflineJudge(OFFLINE, weights="")


@pytest.fixture(scope="module")
def trials() -> list[Trial]:
    return list(plan.trials(V2, plan.select(V2, (), (), RUNS, ("resistance",)), SUBJECTS))


def hybrid(rule: PurchaseRule, file: str = "", name: str = "hybrid:acme/judge") -> HybridJudge:
    return HybridJudge(name, weights="", file=file).buying(MODEL, rule)


def left(trials: list[Trial], *judges: Judge) -> list[PendingTrial]:
    return [PendingTrial(trial, 1, judges) for trial in trials]


def having(todo: list[PendingTrial], spec: Judge) -> Counter[str]:
    """How many of a scenario's dialogues have a judge."""
    return Counter(item.trial.dialogue.scenario.id for item in todo if spec in item.judges)


@pytest.fixture(scope="module")
def knowing(trials: list[Trial], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of weights that were learned from these very texts, but for one scenario's."""
    rubrics = {}
    for trial in trials:
        if trial.dialogue.scenario.id != "rs01":
            lines = dialogue.transcript_turns(trial, dialogue.blank_progress(trial, trial.dialogue.generated))
            fields = V2.rubrics[trial.dialogue.scenario.rubric].fields
            rubrics[scenario_digest(lines)] = tuple(sorted(fields))
    path = tmp_path_factory.mktemp("weights") / WEIGHTS
    weights.save(path, WeightsInfo(suite="v2", edition="e", teacher="t", limit=0.2, rubrics=rubrics), ())
    return str(path)


NOTHING = StoredPurchases({}, ())


def expected(todo: Sequence[PendingTrial]) -> list[PendingTrial]:
    buyers = {judge for item in todo for judge in item.judges if judge.auditor is not None}
    forecasts = {judge: routing.forecast(judge, todo, V2, NOTHING) for judge in buyers}
    return batch_judge.with_forecasts(todo, forecasts)


def test_of_texts_that_no_judge_knows_each_leaves_the_least_of_each_scenario_or_its_shares(trials: list[Trial]) -> None:
    rules = {
        PurchaseRule(0.2, 0.05, 20): 20, PurchaseRule(0.5, 0.3, 20): round(0.8 * EACH), PurchaseRule(0, 0, 3): 3,
    }  # fmt: skip
    judges = [(hybrid(rule, name=f"{rule}"), count) for rule, count in rules.items()]
    judges.append((ALONE.buying(MODEL, PurchaseRule(0, 0, 5)), 5))  # an audit
    together = expected(left(trials, *(spec for spec, _ in judges)))
    for spec, count in judges:
        assert having(expected(left(trials, spec)), spec) == dict.fromkeys(SCENARIOS, count)
        assert having(together, spec) == dict.fromkeys(SCENARIOS, count)


def test_of_texts_that_it_knows_the_shares_of_the_whole_fleet_are_left(trials: list[Trial], knowing: str) -> None:
    spec = hybrid(PurchaseRule(0.2, 0.05, 20), knowing)
    found = having(expected(left(trials, spec)), spec)
    fleet = EACH * (len(SCENARIOS) - 1)
    assert found.pop("rs01") == 20
    assert found.total() == round(0.2 * fleet) + round(0.05 * fleet)


def test_judges_that_buy_nothing_and_dialogues_stay_as_they_are(trials: list[Trial]) -> None:
    spec, before = hybrid(PurchaseRule(0, 0, 1)), left(trials, RULES, ALONE, MODEL)
    assert expected([]) == []
    assert expected(before) == before
    mixed = expected(left(trials, RULES, spec, ALONE, MODEL))
    for item, was in zip(mixed, before, strict=True):
        assert (item.trial.key, item.calls) == (was.trial.key, was.calls)
        assert tuple(judge for judge in item.judges if judge != spec) == was.judges
    assert sum(not item.judges for item in expected(left(trials, spec))) == len(trials) - len(SCENARIOS)


def test_only_dialogues_that_still_lack_a_verdict_count_among_what_it_buys_of(trials: list[Trial]) -> None:
    spec = hybrid(PurchaseRule(0, 0, 20))
    todo = [msgspec.structs.replace(item, judges=(spec,) if item.trial.run == 1 else ()) for item in left(trials)]
    assert having(expected(todo), spec) == dict.fromkeys(SCENARIOS, len(SUBJECTS))


SELF = "hybrid:acme/judge will buy "


@pytest.mark.parametrize(
    ("subjects", "known", "said"),
    [
        (1, False, "50 of 50 verdicts (100%): it saves nothing over -j acme/judge, and no interval of an estimate"),
        (3, False, "100 of 150 verdicts (67%): it does not know these words, so an estimate will come, but no index"),
        (1, True, "10 of 40 verdicts (25%), too few of them at random, so no estimate and no interval will come"),
        (3, True, "30 of 120 verdicts (25%)"),
    ],
)
def test_a_hybrid_says_what_share_it_will_buy_and_where_no_interval_comes(
    trials: list[Trial], knowing: str, subjects: int, known: bool, said: str
) -> None:
    ids = [subject.config_dir for subject in SUBJECTS[:subjects]]
    own = [trial for trial in trials if trial.subject.config_dir in ids]
    some = [one for one in own if one.dialogue.scenario.id != "rs01"] if known else own
    spec = hybrid(PurchaseRule(0.2, 0.05, 20), knowing if known else "")
    told = routing.forecast(spec, left(some, spec), V2, NOTHING).sentence
    assert told.startswith(f"{SELF}{said}")
    assert known or "interval" in told


def test_of_a_newcomer_as_much_is_forecast_as_of_those_before_it(trials: list[Trial]) -> None:
    own = [trial for trial in trials if trial.subject.config_dir == SUBJECTS[0].config_dir]
    spec = hybrid(PurchaseRule(0.2, 0.05, 20))
    before = {own[0].dialogue.condition: dict.fromkeys(SCENARIOS, PastDraws(10, 40))}
    told = routing.forecast(spec, left(own, spec), V2, NOTHING._replace(past=before)).sentence
    assert told.startswith(f"{SELF}11 of 50 verdicts (22%)")  # a quarter of each scenario, more or less


def test_an_audit_says_nothing_of_shares(trials: list[Trial]) -> None:
    audit = ALONE.buying(MODEL, PurchaseRule(0, 0, 5))
    assert routing.forecast(audit, left(trials, audit), V2, NOTHING).sentence == ""
