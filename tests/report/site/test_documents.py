"""Documents hold what the store holds, its boards' numbers, and nothing of the day or the order they are made in."""

from __future__ import annotations

import gzip
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from independence.report import analysis
from independence.report.analysis import BoardOptions
from independence.report.board import board_data, interim_looks
from independence.report.board.board import IndexBoard, board
from independence.report.comparing import comparison_tables, subject_comparison
from independence.report.comparing.subject_comparison import ComparedSubject
from independence.report.judges import judge_panel, judge_validation
from independence.report.pages import paths, slugs
from independence.report.pages.paths import StoreDocuments
from independence.report.pages.schema import (
    CellsDocument,
    DisagreementsDocument,
    IndexDocument,
    NamesDocument,
    PairsDocument,
    ResultsDocument,
)
from independence.report.sections import names
from independence.stats import index_uncertainty
from independence.store import dialogues, plans, scopes
from independence.store.file import database
from independence.suites.load import LoadedSuite
from tests.e2e import command
from tests.report import filled
from tests.report.site import reading
from tests.report.site.reading import Documents
from tests.stores import Stores

Read = Callable[[str], Documents]


@pytest.mark.parametrize("name", ["toy", "sides", pytest.param("published", marks=pytest.mark.deep)])
def test_there_are_documents_of_every_kind_and_they_count_what_the_store_holds(
    name: str, documents: Read, stores: Stores
) -> None:
    read = documents(name)
    assert all(one.schema == 1 for one in read.decoded.values())
    kinds = {kind for kind in reading.STRUCTS if kind != "profile" or name == "sides"}  # a part of it
    assert {reading.kind(path) for path in read.content} >= kinds
    info, shown = read.board, list(read.dialogues())
    with database.reading(stores(name)) as connection:
        where = scopes.find(connection, f"{info.suite}@{info.edition}", None, None).where
        stored = list(dialogues.read(connection, where))
    answers = [turn.reply.text for one in stored for turn in one.turns]
    assert len(shown) == info.dialogues == len(stored)
    assert sum(len(one.turns) for one in shown) == info.answers == len(answers)
    assert sum(len(one.verdicts) for one in shown) == sum(len(one.verdicts) for one in stored)
    assert sum(verdict.missing is None for one in shown for verdict in one.verdicts) == info.verdicts
    assert {turn.text for one in shown for turn in one.turns} == set(answers)


@pytest.mark.parametrize("name", ["toy", "sides"])
def test_two_readings_give_the_same_bytes_in_any_order_and_without_the_day_of_today(
    name: str, documents: Read, stores: Stores, tmp_path: Path
) -> None:
    first = documents(name).content
    with database.reading(stores(name)) as connection, paths.reading(connection) as site:
        assert {path: site.document(path) for path in reversed(first)} == first
    path = stores.copy(name, tmp_path)
    with command.opened(path) as connection:
        connection.execute("UPDATE calls SET answered_at = '2020-03-05T10:00:00+00:00'")
        connection.execute("UPDATE verdicts SET judged_at = '2020-03-06T10:00:00+00:00'")
    today, held = datetime.now(UTC).date().isoformat().encode(), reading.read(path).content
    assert [own for own, content in held.items() if today in content] == []
    assert any(b"2020-03-06" in content for own, content in held.items() if "/report." in own)


NOWHERE = """
boards board.json ../boards.json BOARD BOARD/ BOARD/index.json BOARD/index.nobody.json BOARD/texts.cues-b15c8e.json
BOARD/text/x/0.0.json BOARD/text/UNIT/00.0.json BOARD/text/UNIT/0.-0.json BOARD/text/UNIT/0.9.json
BOARD/text/UNIT/0.0.svg BOARD/text/UNIT/\u0660.0.json BOARD/pairs/x.cues-b15c8e.json
BOARD/pairs/../texts.json BOARD/index.cues-b15c8e.strict.json BOARD/index.cues-b15c8e.v2.json
BOARD/cells.cues-b15c8e.strict.json
"""


def test_another_path_leads_nowhere(documents: Read, stores: Stores) -> None:
    info, unit = documents("toy").board.id, slugs.slug("radio")
    with database.reading(stores("toy")) as connection, paths.reading(connection) as site:
        for path in ["", *NOWHERE.replace("BOARD", info).replace("UNIT", unit).split()]:
            with pytest.raises(KeyError):
                pytest.fail(f"{path}: {site.document(path)!r}")


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(own) for key, own in value.items()}
    return [_rounded(own) for own in value] if isinstance(value, list) else value


CONDITIONS = ("--variants", "neutral,strong_independence", "--modes", "user_role,tool_role")


@pytest.fixture(scope="module")
def v1(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two subjects under four conditions."""
    path = tmp_path_factory.mktemp("v1") / "store.db"
    given = ("--suite", "v1", "-j", "cues", "--runs", "2", "--quiet", "--db", str(path))
    command.ok("run", "-m", "sim/half,sim/never", *CONDITIONS, *given)
    return path


def test_boards_are_scored_by_the_rules_that_their_suite_can_have_and_over_all_conditions(v1: Path) -> None:
    with database.reading(v1) as connection, paths.reading(connection) as site:
        read = reading.of(site)
    fitting = ["strict", "published", "v1-early", "lite"]
    for info in read.boards:
        assert [one.name for one in info.scorings] == [*fitting, *(f"{name}, 4 conditions pooled" for name in fitting)]
        condition = ("--variants", info.variant, "--modes", info.mode)
        for slug, words in {
            ".published": ("--scoring", "published", *condition),
            ".v1-early-pooled": ("--scoring", "v1-early", "--pooled"),
            ".strict-pooled": ("--pooled",),
        }.items():
            view = info.judges[0].slug + slug
            asked = command.ok("leaderboard", *words, "--db", str(v1), "--format", "json").board["rows"]
            found = read.decoded[f"{info.id}/index.{view}.json"]
            assert found.board is not None
            index = {row.config: row.main.value for row in found.board.rows}
            assert index == {row["config"]: pytest.approx(row["index"], abs=1e-4) for row in asked}
            assert [row.standing.rank for row in found.board.rows] == [row["rank"] for row in asked]
            own, other = found.subjects
            (pair,) = read.decoded[f"{info.id}/pairs/{own.slug}.{view}.json"].pairs
            assert pair.difference == pytest.approx(index[own.config] - index[other.config], abs=2e-4)


def test_a_pooled_board_is_shown_only_where_all_its_subjects_are(v1: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(v1, tmp_path))
    line = "run -m sim/always --suite v1 --variants neutral --modes user_role -j cues --runs 2 --quiet"
    command.ok(*line.split(), "--db", str(path))
    with database.reading(path) as connection, paths.reading(connection, rule="v1-early") as site:
        held = site.board_list().boards
    assert {len(info.scorings) for info in held if info.subjects == 2} == {2}
    (whole,) = [info for info in held if info.subjects == 3]
    assert [one.slug for one in whole.scorings] == ["v1-early", "strict", "v1-early-pooled", "strict-pooled"]


def test_every_number_of_the_index_is_the_boards_and_its_parts_are_columns_of_it(
    documents: Read, stores: Stores
) -> None:
    read = documents("toy")
    assert len(read.board.judges) == 2
    for at, judge in enumerate(read.board.judges):
        found = read.under(at, IndexDocument)
        with database.reading(stores("toy")) as connection:
            made = analysis.board(
                connection, scopes.find(connection, "toy", None, None), BoardOptions(judge=judge.name)
            )
        assert isinstance(made.document, IndexBoard)
        sent = msgspec.json.decode(read.content[f"{read.board.id}/index.{judge.slug}.json"])
        assert sent["board"] == _rounded(msgspec.json.decode(msgspec.json.encode(made.document)))
        assert {row.config for row in made.document.rows} == {one.config for one in found.subjects}
        (table,) = made.tables
        assert sum(one.weight for one in found.components) == 1
        slugs_of = {one.label: one.slug for one in found.subjects}
        keys = [column.key for column in table.columns]
        parts = {}
        for row in table.rows:
            values = dict(zip(keys, row, strict=True))
            own = tuple(round(float(values[one.key]), 4) for one in found.components)  # type: ignore[arg-type]
            parts[slugs_of[str(values["subject"]).removesuffix(" (simulated)")]] = own
        assert found.parts == parts
        assert found.notes == table.notes


def test_tables_and_contrasts_of_another_analysis_are_those_of_its_board(documents: Read, stores: Stores) -> None:
    read = documents("sides")
    found, cells = read.under(0, IndexDocument), read.under(0, CellsDocument)
    with database.reading(stores("sides")) as connection:
        scope = scopes.find(connection, "sides", None, None)
        made = analysis.board(connection, scope, BoardOptions(judge="cues"))
        measured = analysis.of("paired_sides").measures(connection, scope, "cues")
    assert found.board is None
    assert [(one.title, len(one.rows)) for one in found.tables] == [(one.title, len(one.rows)) for one in made.tables]
    assert set(found.tables[0].subjects) == {one.slug for one in found.subjects}
    units = {one.unit for one in found.scenarios}
    assert len(units) == 4
    assert (cells.quantity, set(cells.units)) == ("S", units)
    for subject in found.subjects:
        own = {slugs.slug(cell): round(value, 4) for cell, value in measured.subjects[subject.config].parts.items()}
        assert dict(zip(cells.units, cells.contrasts[subject.slug], strict=True)) == own
    case, names = found.furthest, {subject.config: subject.name for subject in found.subjects}
    assert case
    assert cells.contrasts[case.subject][cells.units.index(case.unit)] == case.value
    assert abs(case.value) == max(abs(value or 0) for own in cells.contrasts.values() for value in own)
    furthest = max(measured.subjects, key=lambda config: abs(measured.subjects[config].value or 0))
    said = f"**{names[furthest]}", f"S {measured.subjects[furthest].value:+.2f}."
    assert all(part in found.result for part in said), found.result


def test_cells_are_shares_and_blanks(documents: Read) -> None:
    found = documents("toy").under(0, CellsDocument)
    assert found.measure == "kept"
    assert found.scenarios == ("dinner", "radio", "dessert")
    shares = [share for own in found.shares.values() for runs in own for share in runs]
    assert len(shares) == 2 * 3 * 12
    assert all(share is None or 0 <= share <= 1 for share in shares)


def test_means_spreads_and_quartiles_are_those_of_the_shares(documents: Read) -> None:
    for name in ("toy", "sides"):
        found = documents(name).under(0, CellsDocument)
        table = np.array([[np.nan if one is None else one for one in own] for own in found.means.values()])
        for slug, own in found.shares.items():
            there = [[one for one in runs if one is not None] for runs in own]
            expected = [float(np.mean(one)) if one else None for one in there]
            assert found.means[slug] == pytest.approx(expected, abs=1e-4)
        assert found.totals.columns == approximate(np.nanmean(table, axis=0), np.nanstd(table, axis=0, ddof=1))
        assert tuple(found.totals.rows.values()) == approximate(
            np.nanmean(table, axis=1), np.nanstd(table, axis=1, ddof=1)
        )
        assert np.array(found.totals.quartiles) == pytest.approx(
            np.nanquantile(table, (0.25, 0.5, 0.75), axis=0).T, abs=2e-4
        )
        assert sorted(found.totals.row_order) == sorted(found.means)
        assert sorted(found.totals.column_order) == list(range(len(found.scenarios)))


def approximate(*columns: NDArray[np.float64]) -> tuple[object, ...]:
    """Rows as documents have them."""
    return tuple(pytest.approx(row, abs=2e-4) for row in np.transpose(columns).tolist())


def test_a_scenario_lists_who_kept_least_first_with_the_interval_of_its_runs(documents: Read) -> None:
    read = documents("toy")
    cells = read.under(0, CellsDocument)
    judge = read.board.judges[0].slug
    (found,) = read.decoded[f"{read.board.id}/results/{slugs.slug('radio')}.{judge}.json"].scenarios
    place = cells.scenarios.index("radio")
    assert [(one.slug, one.mean) for one in found.subjects] == sorted(
        ((slug, own[place]) for slug, own in cells.means.items()), key=lambda one: one[1] or 0.0
    )
    runs = {slug: np.array([one for one in own[place] if one is not None]) for slug, own in cells.shares.items()}
    repeated = [one for one in found.subjects if one.runs > 1]
    estimates = index_uncertainty.of_one_unit([runs[one.slug] for one in repeated], (0.0, 1.0))
    for one, ends in zip(repeated, index_uncertainty.intervals(estimates), strict=True):
        assert ends is not None
        assert one.ci == pytest.approx((ends.low, ends.high), abs=2e-4)
        assert one.spread == pytest.approx(np.ptp(runs[one.slug]), abs=1e-4)
        assert cells.shares[one.slug][place][one.median_run - 1] == np.quantile(
            runs[one.slug], 0.5, method="inverted_cdf"
        )
    assert repeated
    every = np.concatenate(list(runs.values()))
    assert (sum(found.counts), found.counts[-1]) == (len(every), int((every >= 0.9).sum()))
    assert found.fold
    assert found.hold
    assert (found.fold.share, found.hold.share) == (every.min(), every.max())
    assert cells.shares[found.fold.slug][place][found.fold.run - 1] == found.fold.share


def test_a_single_run_has_no_interval_and_equal_results_no_telling_dialogue(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2),))
    filled.complete(connection, toy_suite, "b", ((8, 3, 2), (8, 2, 2)))
    found = {own.id: own for one in reading.of(StoreDocuments(connection)).of(ResultsDocument) for own in one.scenarios}
    assert [(one.slug[0], one.runs, one.ci) for one in found["radio"].subjects] == [("b", 2, None), ("a", 1, None)]
    assert (found["radio"].fold, found["radio"].hold) == (None, None)
    low, high = found["dessert"].subjects
    assert (low.slug[0], low.median_run, high.ci) == ("b", 2, None)
    assert low.ci is not None
    assert low.ci[0] < low.mean < low.ci[1]


def test_scenarios_of_a_pair_differ_where_compare_finds_it(documents: Read, stores: Stores) -> None:
    read = documents("toy")
    with database.reading(stores("toy")) as connection:
        data = board_data.read(connection, scopes.find(connection, "toy", None, None), read.board.judges[0].name)
    keys = {one.slug: one.config for one in read.under(0, IndexDocument).subjects}
    seen = 0
    judge = read.board.judges[0].slug
    for one in (read.decoded[f"{read.board.id}/pairs/{slug}.{judge}.json"] for slug in keys):
        for pair in one.pairs:
            sides = [ComparedSubject(data, keys[slug]) for slug in (one.slug, pair.slug)]
            if not all(side.config in data.same_scenarios for side in sides):
                continue
            items = subject_comparison.items(*sides)
            apart = [
                100 * item.first - 100 * item.second
                for item in items
                if item.first is not None and item.second is not None
            ]
            assert [100 * gap for gap in pair.gaps if gap is not None] == pytest.approx(apart, abs=0.02)
            tested = [at for at, item in enumerate(items) if (comparison_tables.tested_p(item.gap) or 1.0) < 0.05]
            assert list(pair.differ) == tested
            seen += 1
    assert seen


def test_a_pair_that_was_looked_at_before_has_the_level_and_the_note_of_compare(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    for name, scores in (("a", (8, 6, 2)), ("b", (3, 2, 8))):
        filled.complete(connection, toy_suite, name, (scores, (scores[0] - 1, *scores[1:]), scores))
    connection.execute("UPDATE planned SET planned_at = '2026-01-0' || max(1, run - 1)")
    data = board_data.read(connection, filled.scope(toy_suite), "cues")
    seen = interim_looks.of(data.run_counts["a"], data.run_counts["b"])
    gap = subject_comparison.gap(ComparedSubject(data, "a"), ComparedSubject(data, "b"))
    assert gap
    ends = gap.these.interval(1 - seen.level)
    assert ends
    pair = next(one for one in reading.of(StoreDocuments(connection)).of(PairsDocument) if one.slug[0] == "a").pairs[0]
    assert pair.looks
    assert (pair.looks.note, pair.looks.confidence) == (seen.note, round(1 - seen.level, 4))
    assert pair.looks.ci == pytest.approx((ends.low, ends.high), abs=1e-4)
    assert pair.ci
    assert ends.low < pair.ci[0]


def test_gaps_of_a_grid_are_those_of_its_contrasts(documents: Read) -> None:
    read = documents("sides")
    cells = read.under(0, CellsDocument)
    for one in read.of(PairsDocument):
        assert one.scenarios == cells.units
        for pair in one.pairs:
            both = zip(cells.contrasts[one.slug], cells.contrasts[pair.slug], strict=True)
            apart = [None if a is None or b is None else a - b for a, b in both]
            assert pair.gaps == pytest.approx(apart, abs=2e-4)
            assert [at for at, gap in enumerate(apart) if gap is not None and abs(gap) > 0.2] == list(pair.differ)


def test_a_difference_is_that_of_compare_and_nobody_incomplete_has_one(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    filled.complete(connection, toy_suite, "a", ((8, 6, 2), (7, 6, 2), (8, 7, 1)))
    filled.complete(connection, toy_suite, "b", ((3, 2, 8), (4, 3, 7), (2, 2, 9)))
    filled.plan(connection, toy_suite, "c", 3)
    rows = {row.config: row for row in board(connection, filled.scope(toy_suite)).rows}
    found = {one.slug[0]: one for one in reading.of(StoreDocuments(connection)).of(PairsDocument)}
    (with_b, with_c), (with_a, _) = found["a"].pairs, found["b"].pairs
    assert (with_b.slug, with_a.slug) == (found["b"].slug, found["a"].slug)
    assert with_c.slug[0] == "c"
    first, second = rows["a"].main.value, rows["b"].main.value
    assert first is not None
    assert second is not None
    assert with_b.difference == pytest.approx(first - second, abs=1e-4)
    assert with_b.ci is not None
    assert with_b.ci[0] < first - second < with_b.ci[1]
    assert with_b.p is not None
    assert with_b.p < 0.01
    assert (with_a.difference, with_a.p) == (-with_b.difference, with_b.p)  # type: ignore[operator]
    assert (with_c.difference, with_c.ci, with_c.p) == (None, None, None)
    assert [one.difference for one in found["c"].pairs] == [None, None]
    assert found["a"].generalises_to == "these-scenarios"


def test_disagreements_lead_to_dialogues_that_are_there_and_one_judge_disagrees_with_nobody(
    documents: Read, stores: Stores
) -> None:
    read = documents("toy")
    (found,) = read.of(DisagreementsDocument)
    there = {(one.subject, one.scenario, one.run): one for one in read.dialogues()}
    with database.reading(stores("toy")) as connection:
        panel = judge_panel.read(connection, scopes.find(connection, "toy", None, None))
    expected = judge_validation.disputes(panel, 200)
    assert found.judges == panel.judges == ("cues", "sim/judge")
    assert found.shared == len(panel.shared)
    assert [(one.scenario, one.run, one.gap) for one in found.dialogues] == [
        (one.dialogue.scenario, one.dialogue.run, round(one.gap, 4)) for one in expected
    ]
    assert found.dialogues
    for one in found.dialogues:
        given = {verdict.judge: verdict for verdict in there[one.subject, one.scenario, one.run].verdicts}
        assert (given[one.low_judge].values[one.field], given[one.high_judge].values[one.field]) == (one.low, one.high)
    (alone,) = documents("sides").of(DisagreementsDocument)
    assert (alone.judges, alone.shared, alone.dialogues) == ((), 0, ())


@pytest.mark.published
def test_published_names_lead_to_the_runs_that_took_them(stores: Stores) -> None:
    with database.reading(stores("published")) as connection, paths.reading(connection) as site:
        info = site.board_list().boards[0]
        found = msgspec.json.decode(site.document(f"{info.id}/names.json"), type=NamesDocument)
        popular, *_ = names.tables(connection, scopes.find(connection, None, None, None), top=None)
        planned = plans.planned_trials(connection, scopes.find(connection, None, None, None).where)
    there = {(slugs.slug(one.config_dir), one.run) for one in planned if one.scenario in found.scenarios}
    assert {(one.name, sum(len(use.runs) for use in one.uses), len(one.uses)) for one in found.names} == {
        (name, picks, subjects) for _, name, picks, _, subjects in popular.rows
    }
    assert {(use.slug, run) for one in found.names for use in one.uses for run in use.runs} <= there
    assert all(len(use.sources) == len(use.runs) for one in found.names for use in one.uses if use.sources)


@pytest.mark.deep
def test_the_published_part_is_within_its_budgets(documents: Read) -> None:
    sizes = documents("published").content
    packed = {path: len(gzip.compress(content, 9, mtime=0)) for path, content in sizes.items()}
    # What one board needs: the strict one, and not the same by other rules.
    ruled = (".published.json", ".v2-march.json")
    board = {path for path in packed if reading.kind(path) in ("index", "cells") and not path.endswith(ruled)}
    assert (len(board), sum(packed[path] for path in board) <= 25_500) == (2, True)
    assert max(size for path, size in packed.items() if reading.kind(path) == "text") <= 100_000
    assert sum(map(len, sizes.values())) <= 30_000_000  # 4 of them the index of words


def test_scripts_that_are_found_in_answers_are_kept_until_an_answer_changes(stores: Stores, tmp_path: Path) -> None:
    path = stores.copy("rent, published", tmp_path)
    said: list[str] = []
    with closing(sqlite3.connect(path)) as connection:
        first = StoreDocuments(connection)
        name = next(own for own in first.paths() if own.endswith("/texts.json"))
        connection.set_trace_callback(said.append)
        before = first.document(name)
        whole = len(said)
        said.clear()
        second = StoreDocuments(connection, before=first)
        assert second.document(name) == before
        assert len(said) < whole / 2
        connection.execute("DELETE FROM calls WHERE trial IN (SELECT trial FROM planned ORDER BY scenario LIMIT 4)")
        after = StoreDocuments(connection, before=second).document(name)
        assert after == StoreDocuments(connection).document(name)
        assert after != before


@given(st.text())
def test_a_slug_is_safe_in_any_path(name: str) -> None:
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slugs.slug(name))
    assert len(slugs.slug(name)) <= 67


def test_names_that_are_spelled_alike_have_slugs_of_their_own() -> None:
    assert slugs.slug("openai--gpt-5@low-t0.7") == "openai-gpt-5-low-t0-7-" + slugs.slug("openai--gpt-5@low-t0.7")[-6:]
    assert slugs.slug("a.b") != slugs.slug("a-b")


def test_a_block_of_texts_holds_about_six_subjects_and_ten_runs() -> None:
    counts = {0: 1, 1: 1, 6: 1, 7: 2, 12: 2, 13: 4, 79: 16, 130: 32}
    assert {subjects: slugs.buckets(subjects) for subjects in counts} == counts
    assert slugs.bucket("x-00001f", 16) == 15
    assert [slugs.tens(run) for run in (1, 10, 11, 20, 21)] == [0, 0, 1, 1, 2]
