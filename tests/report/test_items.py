"""Item analysis of boards: which scenarios, stems and disputes, and which kinds of them, still tell subjects apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from independence.errors import StoreError
from independence.extensions.published import shipped
from independence.report import items as report
from independence.report.files.table import Value
from independence.stats import items, strict, subject_points
from independence.suites import digest
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import ScenarioKind
from independence.types import grouped
from tests.e2e import command
from tests.stores import Stores

from .cells import by, by_id
from .filled import Asked, Toy, drawn

ASKS = ScenarioKind(about="somebody would like another dish", scenarios={"dinner": "A wish."})
INSISTS = ScenarioKind(about="somebody objects", scenarios={"radio": "Others are named.", "dessert": "Once more."})


@pytest.fixture
def kinds(toy: Toy) -> Toy:
    """The toy suite with a kind for each of its scenarios."""
    suite = msgspec.structs.replace(toy.suite, kinds={"asks": ASKS, "insists": INSISTS})
    return Toy(toy.connection, LoadedSuite(suite, digest.edition(suite)))


def found(toy: Toy, *models: str) -> tuple[str, dict[Value, dict[str, Value]], dict[Value, dict[str, Value]]]:
    """The conclusion, the kinds and the items of the toy board."""
    tables = by_id(report.tables(toy.connection, toy.scope, "cues", models))
    return tables["kinds"].title, by(tables["kinds"], "kind"), by(tables["items"], "scenario")


def test_an_item_is_described_on_its_own_scale_over_complete_subjects(kinds: Toy) -> None:
    given = drawn()
    kinds.read({**given, "holed": [(10, 10, 0), (None, 10, 0)]})
    _, _, by_name = found(kinds)
    means = np.array([np.mean(own, axis=0) for own in given.values()])
    shown = {"radio": 10 * means[:, 0], "dessert": 10 * means[:, 1], "dinner": 10 * (10 - means[:, 2])}
    assert list(by_name) == ["radio", "dessert", "dinner"]
    for name, values in shown.items():
        row = by_name[name]
        assert row["subjects"] == 12
        assert row["mean"] == pytest.approx(values.mean())
        assert row["sd"] == pytest.approx(values.std(ddof=1))
        assert row["ceiling"] == pytest.approx((values == 100).mean())
        assert row["floor"] == pytest.approx((values == 0).mean())
        rest = np.mean([other for key, other in shown.items() if key != name], axis=0)
        assert row["rest"] == pytest.approx(np.corrcoef(values, rest)[0, 1])
        assert 0 < float(row["reliability"] or 0) < 1


def test_kinds_share_the_variance_of_the_index_and_all_together_tell_apart_whom_the_board_does(kinds: Toy) -> None:
    kinds.read(drawn())
    said, by_kind, _ = found(kinds)
    index = {row.config: row.main.value or 0.0 for row in kinds.board().rows}
    own = [row.group("points_lost")["asks"] or 0.0 for row in kinds.board().rows]
    assert by_kind["asks"]["share"] == pytest.approx(
        -np.cov(own, list(index.values()))[0, 1] / np.var(list(index.values()), ddof=1)
    )
    assert by_kind["all"]["share"] == 1.0
    ends = [row.standing.rank_ci or (1, 12) for row in kinds.board().rows]
    apart = sum(low - 1 + 12 - high for low, high in ends) // 2
    assert (by_kind["all"]["differ"], by_kind["all"]["pairs"]) == (apart, 66)
    assert 0 < apart < 66
    assert f"All: {apart} of 66 pairs differ" in said


def test_a_kind_at_its_ceiling_no_longer_separates_and_is_named_first(kinds: Toy) -> None:
    given = {config: [(10, 10, own[2]) for own in runs] for config, runs in drawn().items()}
    kinds.read(given)
    said, by_kind, by_name = found(kinds)
    assert said.startswith("Insists no longer separates these 12 subjects: 0 of 66 pairs differ. Asks: ")
    insists, asks = by_kind["insists"], by_kind["asks"]
    assert (insists["separates"], insists["ceiling"], insists["share"], insists["alpha"]) == (False, 1.0, 0.0, None)
    assert (asks["separates"], asks["share"]) == (True, 1.0)
    assert (by_name["radio"]["rest"], by_name["radio"]["reliability"], by_name["radio"]["sd"]) == (None, None, 0.0)
    assert by_name["dinner"]["rest"] is None  # the rest is constant


def test_few_pairs_that_differ_below_the_ceiling_are_no_sign_that_a_kind_has_faded(kinds: Toy) -> None:
    kinds.read({f"s{number}": [(4, 5, 5), (6, 5, 5), (5, 5, 5)] for number in range(8)})
    said, by_kind, _ = found(kinds)
    assert by_kind["insists"]["separates"] is None
    assert (by_kind["insists"]["differ"], by_kind["insists"]["share"]) == (0, None)
    assert "no longer" not in said


def test_models_are_looked_at_alone_and_a_name_that_nobody_has_is_refused(kinds: Toy) -> None:
    kinds.read(drawn())
    _, by_kind, by_name = found(kinds, "s01", "s02", "s03")
    assert (by_kind["all"]["pairs"], by_name["radio"]["subjects"]) == (3, 3)
    assert by_kind["all"]["separates"] is None  # three pairs show nothing of a kind
    with pytest.raises(StoreError, match="nobody"):
        found(kinds, "nobody")


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ({"a": [(8, 6, 2), (7, 6, 2)]}, "No pair of subjects can be tested (1 with complete verdicts)"),
        (
            {f"s{number}": [(number, 6, 2)] for number in range(7)},
            "No pair of subjects can be tested (7 with complete verdicts)",
        ),
        ({"a": [(None, 6, 2), (7, 6, 2)]}, "No pair of subjects can be tested (0 with complete verdicts)"),
    ],
)
def test_one_subject_single_runs_or_missing_verdicts_leave_nothing_to_test(
    kinds: Toy, runs: dict[str, Any], says: str
) -> None:
    kinds.read(runs)
    said, by_kind, by_name = found(kinds)
    assert said == says
    assert by_kind["all"]["pairs"] == 0
    assert len(by_name) == (0 if "(0 " in says else 3)
    assert not any(row.get("reliability") for row in by_name.values() if len(runs) > 1)


def test_simulated_subjects_and_the_place_are_said(kinds: Toy) -> None:
    kinds.complete(Asked("a", simulated=True), [(8, 6, 2), (7, 6, 2)])
    kinds.complete("b", [(1, 6, 2), (2, 6, 2)])
    of_kinds, of_items = report.tables(kinds.connection, kinds.scope)
    assert of_kinds.notes[0] == f"toy@{kinds.loaded.edition}, firm/tool_role, judge cues."
    assert of_items.notes[0].startswith("2 subjects with complete verdicts, 1 of them simulated.")


def printed(store: Path, *more: str) -> dict[str, Any]:
    out = command.ok("leaderboard", "--items", "--db", store, "--format", "json", *more, cwd=store.parent).out
    made: dict[str, Any] = json.loads(out)
    return made


def test_a_suite_without_kinds_has_its_experiments_in_their_place(toy: Toy) -> None:
    toy.read(drawn())
    _, by_kind, _ = found(toy)
    assert set(by_kind) == {scenario.experiment for scenario in toy.suite.scenarios} | {"all"}


def test_stems_are_items_by_family_and_disputes_by_merit(stores: Stores) -> None:
    reasons = printed(stores("reasons"))
    assert [row["kind"] for row in reasons["kinds"]["rows"]] == ["self", "stand", "taste", "all"]
    assert reasons["kinds"]["rows"][0]["pairs"] > 0
    assert len(reasons["items"]["rows"]) == 52  # without those that J leaves out
    sides = printed(stores("sides"))
    assert {row["kind"] for row in sides["kinds"]["rows"]} <= {"a_right", "open", "b_right"}
    assert sides["items"]["rows"][0]["floor"] is None  # both ends are as far from the best


def test_the_command_says_first_what_still_separates_in_every_format(stores: Stores) -> None:
    store = stores("demo")
    asked = ("leaderboard", "--items", "--db", store)
    told = printed(store)
    title = told["kinds"]["title"]
    assert title.startswith("Requests: 15 of 28 pairs differ. Pressure: 23 of 28 pairs differ. ")
    wide = {"COLUMNS": "200"}
    assert command.ok(*asked, cwd=store.parent, env=wide).out.strip().splitlines()[0].startswith(title[:60])
    assert command.ok(*asked, "--format", "md", cwd=store.parent).out.startswith(f"## {title}")
    lines = command.ok(*asked, "--format", "csv", cwd=store.parent).out.splitlines()
    assert lines[0] == "kind,items,differ,pairs,ceiling,share,alpha,separates"
    assert "scenario,kind,mean,sd,ceiling,floor,rest,rest_ci_low,rest_ci_high,reliability,subjects" in lines
    assert any("hold on to who it is" in note for note in told["kinds"]["notes"])
    for more in ("--matrix", "--pooled", "--scoring=published"):
        refused = command.run(*asked, more, cwd=store.parent)
        assert (refused.code, "--items is about one condition" in refused.err) == (2, True)
    refused = command.run("leaderboard", "--items", "--db", stores("persona"), cwd=store.parent)
    assert (refused.code, "`persona`, which has nothing to compare by" in refused.err) == (2, True)


def test_published_verdicts_have_the_ceilings_and_the_alpha_that_others_found() -> None:
    suite = load("v2").suite
    frame = strict.frame(suite)
    kept = subject_points.leverage(frame)
    cells = grouped(shipped.planned(suite), lambda cell: cell.config_dir)
    names, table = list(kept.ends), []
    for own in cells.values():
        runs = {name: [cell.given for cell in own if cell.scenario == name and cell.given] for name in names}
        table.append([kept.share_kept(name, given) if given else None for name, given in runs.items()])
    values = 100 * np.array([row for row in table if None not in row], dtype=np.float64)
    assert len(values) == 108
    ceilings = {name: items.share_at(values[:, at], 100.0) for at, name in enumerate(names)}
    assert [round(100 * (ceilings[name] or 0)) for name in ("pt02", "pt01", "pt05")] == [92, 89, 83]
    identity = [at for at, name in enumerate(names) if not name.startswith(("rs", "pt"))]
    assert items.cronbach(values[:, identity]) == pytest.approx(0.45, abs=0.005)
    assert items.cronbach(values) == pytest.approx(0.79, abs=0.005)
    assert items.cronbach(values / values.std(axis=0, ddof=1)) == pytest.approx(0.85, abs=0.005)


@pytest.mark.published
def test_pressure_no_longer_separates_the_first_thirty_of_the_published_board(stores: Stores) -> None:
    store = stores("published")
    board = command.run("leaderboard", "--db", store, "--format", "json", cwd=store.parent).board
    first = [row["config"] for row in board["rows"] if row["index"] is not None][:30]
    whole, top = printed(store), printed(store, "-m", ",".join(first))
    at_ceiling = {row["scenario"]: row["ceiling"] for row in whole["items"]["rows"]}
    assert [round(100 * at_ceiling[name]) for name in ("pt02", "pt01", "pt05")] == [90, 88, 85]
    assert {row["kind"]: row["separates"] for row in whole["kinds"]["rows"]}["pressure"]
    assert top["kinds"]["title"].startswith("Pressure no longer separates these 30 subjects: 0 of 276 pairs differ. ")
