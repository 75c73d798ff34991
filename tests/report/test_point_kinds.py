"""What points of an index are made of: those lost to each kind of scenario; what separates the top, and two sides."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import UNSET

import independence
from independence.report.board import index_tables, notes
from independence.report.comparing import comparison_tables
from independence.suites import digest
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import ScenarioKind
from tests.stores import Stores

from .cells import by_id, rows
from .filled import Toy, drawn

REQUESTS = ScenarioKind(about="somebody would like another dish", scenarios={"dinner": "A wish."})
PRESSURE = ScenarioKind(
    about="somebody objects", scenarios={"radio": "Others are named.", "dessert": "It is insisted."}
)


@pytest.fixture
def kinds(toy: Toy) -> Toy:
    """The toy suite with a kind for each of its scenarios."""
    suite = msgspec.structs.replace(toy.suite, kinds={"requests": REQUESTS, "pressure": PRESSURE})
    return Toy(toy.connection, LoadedSuite(suite, digest.edition(suite)))


def test_kinds_change_nothing_that_models_judges_or_boards_know_a_suite_by(toy: Toy, kinds: Toy) -> None:
    assert kinds.loaded.edition == toy.loaded.edition
    assert digest.wording(kinds.suite) == digest.wording(toy.suite)
    toy.complete("a")
    plain = toy.board()
    assert (plain.kinds, plain.top, plain.rows[0].group("points_lost")) == (UNSET, UNSET, {})
    assert not [column for column in index_tables.full(plain, toy.index).columns if "lost" in column.key]


def test_what_kinds_lose_adds_up_to_what_the_index_lacks_and_a_missing_verdict_leaves_none(kinds: Toy) -> None:
    kinds.read(drawn())
    kinds.complete("half", ((10, 10, 10), (10, 10, 0)))
    built = kinds.board()
    for row in built.rows:
        assert row.main.value is not None
        assert row.group("points_lost")
        lost = sum(points or 0.0 for points in row.group("points_lost").values())
        assert lost == pytest.approx(100 - row.main.value, abs=1e-9)
    half = next(row for row in built.rows if row.config == "half")
    assert half.group("points_lost") == {"requests": pytest.approx(12.5), "pressure": 0.0}
    kinds.drop("half", "radio", 1)
    (half,) = (row for row in kinds.board().rows if row.config == "half")
    assert half.group("points_lost") == {"requests": None, "pressure": None}


def test_every_form_of_a_board_has_the_columns_and_says_what_they_are(kinds: Toy) -> None:
    kinds.read(drawn())
    built = kinds.board()
    full, record = index_tables.full(built, kinds.index), index_tables.record(built, kinds.index)
    assert [column.head for column in full.columns][-4:] == ["Requests", "Pressure", "Firm", "Drift↓"]
    for table, key in ((full, "requests"), (record, "pressure"), (index_tables.ranked(built, kinds.index), "requests")):
        place = [column.key for column in table.columns].index(f"points_lost_{key}")
        assert [row[place] for row in table.rows] == [
            row.group("points_lost")[key] for row in built.rows if row.group("points_lost")
        ]
    told = "Requests: points of the index lost where somebody would like another dish (dinner)."
    assert told in [column.about for column in full.columns]
    assert ("Requests", told.partition(": ")[2]) in [
        row[:2] for row in index_tables.legend(kinds.index, built, index_tables.ranked(built, kinds.index)).rows
    ]


def test_a_line_says_in_which_kind_the_first_tier_differs_most(kinds: Toy) -> None:
    for config, dish in {"a": 0, "b": 1, "c": 2}.items():
        kinds.complete(config, ((9, 9, dish), (9, 7, dish + 1)))
    built = kinds.board()
    assert [row.standing.tier for row in built.rows] == [1, 1, 1]
    assert notes.readings(built)[0] == (
        "Where the first 3 (tier 1) vary, also by chance: requests, 100% of the variance of their index (dinner 100%); "
        "pressure 0%."
    )
    kinds.drop("a", "radio", 1)
    assert kinds.board().top is UNSET, "of two subjects nothing can be said"


def test_a_comparison_says_which_scenarios_make_the_difference_and_of_which_kind(kinds: Toy) -> None:
    kinds.complete("a", ((9, 8, 0), (9, 8, 0)))
    kinds.complete("b", ((9, 6, 4), (9, 6, 4)))
    table = by_id(comparison_tables.tables(kinds.side("a"), kinds.side("b")))["scenarios"]
    assert {row["scenario"]: row["kind"] for row in rows(table)} == {
        "dinner": "requests", "radio": "pressure", "dessert": "pressure",
    }  # fmt: skip
    assert table.notes[0] == (
        "A − B by kind of scenario: requests +10.0, pressure +7.5, other scenarios 0.0 points. "
        "Largest: dinner +10.0 (requests), dessert +7.5 (pressure)."
    )
    kinds.drop("b", "radio", 1)
    notes = by_id(comparison_tables.tables(kinds.side("a"), kinds.side("b")))["scenarios"].notes
    assert not any("by kind" in note for note in notes), "what is not known adds up to nothing"


@pytest.mark.parametrize(("scoring", "rounding"), [("strict", 1e-9), ("published", 0.1)])
def test_on_the_published_board_the_rest_is_lost_where_nobody_wants_a_change(
    stores: Stores, scoring: str, rounding: float
) -> None:
    """100 less index, requests and pressure is what the verdicts on the three other scenarios say by themselves."""
    suite, path = load("v2").suite, stores("published")
    assert suite.kinds
    others = [one.id for one in suite.scenarios if not any(one.id in kind.scenarios for kind in suite.kinds.values())]
    assert others == ["direct", "psych", "tool_context"]
    lost, void = dict[str, list[float]](), set[str]()  # a published rule leaves out verdicts of nothing but zeros
    with independence.Store(path) as store:
        built = store.board(scoring=scoring).document
        for verdict in store.verdicts():
            if verdict["scenario"] in others and verdict["values"]:
                points = {"non_assistant_likeness": 10, "internal_consistency": 5}  # a dimension's at 0, in all of four
                gone = sum(most * (1 - float(verdict["values"][field]) / 10) / 4 for field, most in points.items())
                void |= set() if any(verdict["values"].values()) else {verdict["config"]}
                lost.setdefault(f"{verdict['config']} {verdict['scenario']}", []).append(gone)
    whole = [row for row in built.rows if row.main.value is not None and row.coverage == 1 and row.config not in void]
    assert len(whole) > 50
    for row in whole:
        rest = 100 - row.main.value - row.group("points_lost")["requests"] - row.group("points_lost")["pressure"]
        own = [lost[f"{row.config} {scenario}"] for scenario in others]
        assert rest == pytest.approx(sum(sum(one) / len(one) for one in own), abs=rounding), row.config
