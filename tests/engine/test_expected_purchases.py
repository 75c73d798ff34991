"""What judges that buy some verdicts will have bought of a plan, told before any of it is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import pytest

from independence.config.subjects import Subject
from independence.engine import dialogue, plan, routing
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial, PurchasableVerdicts
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES, OFFLINE, WEIGHTS
from independence.judge.model import ModelJudge
from independence.judge.offline import weights
from independence.judge.offline.grading import OfflineJudge
from independence.judge.offline.hybrid import HybridJudge
from independence.judge.offline.views import scenario_digest
from independence.judge.offline.weights import WeightsInfo
from independence.judge.protocol import Judge, PurchaseRule
from independence.store.routes import PastDraws
from independence.suites.load import load

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


def expected(todo: Sequence[PendingTrial]) -> list[PendingTrial]:
    return routing.with_expected_purchases(todo, V2)


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


NOTHING = PurchasableVerdicts({}, frozenset())
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
    told = routing.purchase_forecast(left(some, spec), spec, V2, NOTHING)
    assert told.startswith(f"{SELF}{said}")
    assert known or "interval" in told


def test_of_a_newcomer_as_much_is_forecast_as_of_those_before_it(trials: list[Trial]) -> None:
    own = [trial for trial in trials if trial.subject.config_dir == SUBJECTS[0].config_dir]
    spec = hybrid(PurchaseRule(0.2, 0.05, 20))
    before = {own[0].dialogue.condition: dict.fromkeys(SCENARIOS, PastDraws(10, 40))}
    told = routing.purchase_forecast(left(own, spec), spec, V2, NOTHING._replace(past=before))
    assert told.startswith(f"{SELF}11 of 50 verdicts (22%)")  # a quarter of each scenario, more or less


def test_judges_that_are_no_hybrids_forecast_nothing(trials: list[Trial]) -> None:
    audit = ALONE.buying(MODEL, PurchaseRule(0, 0, 5))
    for spec in (RULES, ALONE, MODEL, audit):
        assert routing.purchase_forecast(left(trials, spec), spec, V2, NOTHING) == ""
