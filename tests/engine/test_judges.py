from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from independence.config.options import OfflineOptions
from independence.config.registry import Registry
from independence.engine import connections
from independence.errors import UsageError
from independence.judge import kinds
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES, HYBRID, OFFLINE, WEIGHTS
from independence.judge.model import ModelJudge
from independence.judge.offline import weights
from independence.judge.offline.grading import OfflineJudge
from independence.judge.offline.hybrid import HybridJudge
from independence.judge.offline.weights import WeightsInfo
from independence.judge.protocol import CalibrationLine, Purchase, PurchaseRule, verdict_key
from independence.suites.load import LoadedSuite, load

V2 = load("v2").suite
KNOWN = Registry()
MODEL = ModelJudge("acme/judge", endpoint="openrouter", model="acme/judge")
LINE = CalibrationLine("toy", 1.1, 2.0, 3.0, 4)


def one(name: str, offline: OfflineOptions = connections.USUAL) -> Any:
    (spec,) = connections.specs([name], KNOWN, V2, offline)
    return spec


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Weights for the fields of the toy suite."""
    path = tmp_path / "own.npz"
    rubrics = {"d" * 64: ("firmness", "kept")}
    about = WeightsInfo(suite="toy", edition="00000000", teacher="t", limit=0.2, rubrics=rubrics, line=LINE)
    weights.save(path, about, ())
    return path


def test_a_name_says_which_judge_it_is_and_one_named_twice_is_one() -> None:
    names = ["acme/judge", CUES, OFFLINE, "acme/judge"]
    model, rules, offline = connections.specs(names, KNOWN, V2)
    assert (model, rules) == (MODEL, CuesJudge(CUES))
    assert one("sim/arbiter") == ModelJudge("sim/arbiter", endpoint="sim", model="arbiter")
    shipped = weights.shipped()
    assert (type(offline), offline.name, offline.endpoint, offline.purchase) == (OfflineJudge, OFFLINE, "", None)
    assert (offline.weights, offline.line, offline.file) == (shipped.version, shipped.about.line, "")


def test_a_hybrid_is_offline_and_its_model() -> None:
    spec = one("hybrid:acme/judge", OfflineOptions(unsure_share=0.3, audit_share=0.1))
    assert (type(spec), spec.name) == (HybridJudge, "hybrid:acme/judge")
    assert spec.purchase == Purchase(MODEL, PurchaseRule(0.3, 0.1))
    assert spec.weights == one(OFFLINE).weights
    assert verdict_key("d", "r", spec.purchase.auditor.settings) == verdict_key("d", "r", one("acme/judge").settings)
    assert one("hybrid:acme/judge").purchase.rule == PurchaseRule(0.2, 0.05, 20)
    simulated = one("hybrid:sim/arbiter")
    assert (simulated.endpoint, simulated.model, simulated.purchase.auditor.name) == ("sim", "arbiter", "sim/arbiter")


def test_shares_of_everything_are_no_more_than_that() -> None:
    for unsure in range(0, 101, 3):
        options = OfflineOptions(unsure_share=unsure / 100, audit_share=(100 - unsure) / 100)
        assert one("hybrid:acme/judge", options).purchase is not None


def test_an_audit_is_the_offline_judge_with_a_model_beside_it() -> None:
    for names in (["acme/judge"], [OFFLINE, "acme/judge"], ["acme/judge", "acme/judge"]):
        (spec,) = connections.specs(names, KNOWN, V2, OfflineOptions(audit=7))
        assert (type(spec), spec.name) == (OfflineJudge, OFFLINE)
        assert spec.purchase == Purchase(MODEL, PurchaseRule(0, 0, 7))
        assert spec.settings == one(OFFLINE).settings


AUDIT = OfflineOptions(audit=20)


@pytest.mark.parametrize(
    ("names", "options", "what"),
    [
        (["hybrid:acme/judge"], OfflineOptions(unsure_share=0.8, audit_share=0.3),
         "--unsure-share 0.8 and --audit-share 0.3: .*at most 1"),
        (["hybrid:acme/judge"], OfflineOptions(unsure_share=1.0, audit_share=0.01), "--unsure-share 1 .*at most 1"),
        ([], AUDIT, "from one model"),
        ([OFFLINE], AUDIT, "from one model"),
        (["acme/judge", "acme/other"], AUDIT, "from one model"),
        ([CUES, "acme/judge"], AUDIT, "from one model"),
        ([CUES], AUDIT, "`cues` is no model"),
        (["hybrid:acme/judge"], AUDIT, "`hybrid:acme/judge` is no model"),
        ([f"hybrid:{CUES}"], connections.USUAL, "`cues` is no model"),
        ([f"hybrid:{OFFLINE}"], connections.USUAL, "`offline` is no model"),
        (["hybrid:hybrid:acme/judge"], connections.USUAL, "`hybrid:acme/judge` is no model"),
        (["hybrid:"], connections.USUAL, "write hybrid:MODEL"),
        (["hybrid:judge"], connections.USUAL, "`judge` is no model id"),
        (["hybrid"], connections.USUAL, "write hybrid:MODEL"),
        (["offlin"], connections.USUAL, "`offlin` is no model id"),
        (["offline@0123456789ab"], connections.USUAL, "name their file with --weights"),
        (["cues@1"], connections.USUAL, "judge `cues@1`: an older version; .* grade with `cues`"),
    ],
)  # fmt: skip
def test_what_cannot_judge_is_refused_with_what_can(names: list[str], options: OfflineOptions, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        connections.specs(names, KNOWN, V2, options)


@pytest.mark.parametrize("name", [OFFLINE, "hybrid:acme/judge"])
def test_a_suite_whose_fields_are_unknown_is_refused(name: str, toy_suite: LoadedSuite) -> None:
    with pytest.raises(UsageError, match="none of the fields of suite toy") as caught:
        connections.specs([name], KNOWN, toy_suite.suite)
    assert "train-judge" in str(caught.value)
    assert "--weights" in str(caught.value)


def test_the_same_suite_is_graded_by_weights_of_its_own_that_are_in_the_judges_name(
    own: Path, toy_suite: LoadedSuite
) -> None:
    version = weights.load(own).version
    alone, both = connections.specs([OFFLINE, "hybrid:acme/judge"], KNOWN, toy_suite.suite, OfflineOptions(weights=own))
    assert (alone.name, both.name) == (f"offline@{version}", f"hybrid:acme/judge@{version}")
    assert (kinds.of(alone.name).word, kinds.of(both.name).word) == (OFFLINE, HYBRID)
    assert isinstance(alone, OfflineJudge)
    assert isinstance(both, HybridJudge)
    assert alone.weights == both.weights == version
    assert alone.file == both.file == str(own)
    assert alone.line == LINE
    assert both.purchase is not None
    assert both.purchase.auditor.name == "acme/judge"
    assert msgspec.structs.replace(both, weights="").settings != both.settings


def test_weights_are_found_in_a_suites_folder_and_in_no_file_of_other_words(toy_folder: Path, tmp_path: Path) -> None:
    assert connections.own_weights(str(toy_folder)) is None
    (toy_folder / WEIGHTS).touch()
    assert connections.own_weights(str(toy_folder)) == toy_folder / WEIGHTS
    assert connections.own_weights(str(toy_folder / "suite.yaml")) == toy_folder / WEIGHTS
    assert connections.own_weights("v2") is None
    with pytest.raises(UsageError, match="no suite `v9`"):
        connections.own_weights("v9")
    path = tmp_path / "words.npz"
    path.write_text("no weights")
    with pytest.raises(UsageError, match="no weights of an offline judge"):
        one(OFFLINE, OfflineOptions(weights=path))


def test_what_is_bought_is_said_before_it_is() -> None:
    hybrid = connections.share(one("hybrid:acme/judge", OfflineOptions(unsure_share=0.25, audit_share=0.1)))
    assert all(part in hybrid for part in ("hybrid:acme/judge", "25%", "10%", "from acme/judge", "at least 20"))
    (audit,) = connections.specs(["acme/judge"], KNOWN, V2, OfflineOptions(audit=7))
    assert "7 verdicts per scenario are bought from acme/judge" in connections.share(audit)
    judges = connections.specs(["acme/judge", CUES, OFFLINE], KNOWN, V2)
    assert {connections.share(spec) for spec in judges} == {""}


def test_a_missing_key_says_how_to_grade_without_one() -> None:
    with pytest.raises(UsageError, match="--judge cues"):
        connections.check_judge_key({}, needed=True)
    connections.check_judge_key({}, needed=False)
    connections.check_judge_key({"OPENROUTER_API_KEY": "sk-or-v1-" + "5" * 40}, needed=True)
