"""Boards of advice from the command line: what a run ends in, every format, what is refused, reports."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from independence.testing.sim.panel import ADVISERS
from tests.e2e import command
from tests.e2e.command import Ended

NARROW = {"COLUMNS": "80"}


def ran(db: Path, suite: str, limit: int, *more: str) -> Ended:
    """A sample of a suite's cells, asked of one adviser that bends and one that does not."""
    asked = ("run", "--suite", suite, "-m", "sim/pleaser,sim/fair", "-j", "cues", "--runs", "1", "--limit", str(limit))
    return command.run(*asked, "--db", str(db), "--quiet", *more, env=NARROW)


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    db = tmp_path_factory.mktemp("sides") / "store.db"
    return db, ran(db, "sides", 90)


@pytest.fixture(scope="module")
def rent(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    db = tmp_path_factory.mktemp("rent") / "store.db"
    return db, ran(db, "rent", 36)


def board(db: Path, *more: str) -> Ended:
    ended = command.run("leaderboard", "--db", str(db), *more, env=NARROW)
    assert ended.code == 0, ended.err
    return ended


def test_a_run_of_sides_ends_in_a_table_and_a_plot_of_eighty_columns(sides: tuple[Path, Ended]) -> None:
    _, ended = sides
    assert ended.code == 0, ended.err
    assert max(map(len, ended.out.splitlines())) <= 80
    table, _, plot = ended.out.partition("S, 95 % interval")
    assert re.search(r"sim/pleaser +\+0\.\d\d  \+0\.\d\d to \+0\.\d\d", table)
    for name, said in (("sim/fair", "none: within ±0.1"), ("sim/pleaser", "leans towards whoever asks")):
        assert re.search(rf"{name} .*●.*{said}", plot), plot
    assert "simulated" in table


def test_every_format_shows_the_same_sides(sides: tuple[Path, Ended]) -> None:
    db, _ = sides
    document = board(db, "--format", "json").board
    rows = {row["label"].split("@")[0]: row for row in document["rows"]}
    assert (document["analysis"], document["judge"], document["correction"]) == ("paired_sides", "cues", "holm")
    for row in rows.values():
        assert {"label", "config", "coverage", "simulated", "harmful", "asymmetry", "equivalent", "pairs"} <= set(row)
        assert all(set(row[name]) >= {"est", "ci", "n_cells"} for name in ("S", "B", "merit_slope"))
    assert rows["sim/fair"]["equivalent"] is True
    assert {row["commits"] for row in rows.values()} == {1.0}
    planted = ADVISERS["pleaser"].sycophancy
    assert rows["sim/pleaser"]["S"]["est"] == pytest.approx(planted, abs=0.1)
    lines = list(csv.DictReader(io.StringIO(board(db, "--format", "csv").out)))
    assert [float(line["S"]) for line in lines] == [row["S"]["est"] for row in document["rows"]]
    assert [float(line["commits"]) for line in lines] == [1.0, 1.0]
    markdown = board(db, "--format", "md").out
    assert markdown.count("(simulated)") == 2
    assert "p, adjusted" in markdown
    assert "| Commits |" in markdown


def test_details_say_what_stands_behind_the_numbers(sides: tuple[Path, Ended]) -> None:
    detailed = board(sides[0], "--detailed").out
    for title in (
        "Harm and asymmetry",
        "Pairs",
        "Stance by merit",
        "Who wants a change",
        "Effect of the phrasing: voice",
        "Effect of the phrasing: position",
        "Effect of the phrasing",
        "Effect of each factor",
        "Tests of S",
    ):
        assert title in detailed


def test_who_never_takes_a_side_comes_last_and_is_undecided(tmp_path: Path) -> None:
    db = tmp_path / "store.db"
    asked = ("run", "--suite", "sides", "-m", "sim/abstainer,sim/fair,sim/pleaser", "-j", "cues", "-j", "sim/judge")
    ended = command.run(*asked, "--runs", "1", "--limit", "60", "--db", str(db), "--quiet")
    assert ended.code == 0, ended.err
    for judge in ("cues", "sim/judge"):
        rows = board(db, "--judge", judge, "--format", "json").board["rows"]
        assert [row["label"].split("@")[0] for row in rows] == ["sim/fair", "sim/pleaser", "sim/abstainer"]
        assert (rows[-1]["commits"], rows[-1]["verdict"]) == (0.0, "undecided: takes a side in 0 %")


def test_a_run_of_rent_ends_in_the_contrast_beside_the_published_columns(rent: tuple[Path, Ended]) -> None:
    _, ended = rent
    assert ended.code == 0, ended.err
    assert max(map(len, ended.out.splitlines())) <= 80
    assert ended.out.index("Paired contrast") < ended.out.index("Published columns")
    assert "oppose" in ended.out
    assert re.search(r"sim/pleaser .*●.*leans towards whoever asks", ended.out)


def test_rent_in_json_and_csv_keeps_the_published_names(rent: tuple[Path, Ended]) -> None:
    db, _ = rent
    rows = {row["label"].split("@")[0]: row for row in board(db, "--format", "json").board["rows"]}
    pleaser = rows["sim/pleaser"]
    assert list(pleaser["published"])[:6] == ["model_id", "n", "mean_score", "p_neg", "p_neu", "p_pos"]
    assert {"landlord_uplift", "tenant_uplift"} <= set(pleaser["published"])
    assert pleaser["contrast"]["n_cells"] == 12
    assert pleaser["S"]["est"] == pleaser["contrast"]["est"] / 2
    lines = {line["model_id"]: line for line in csv.DictReader(io.StringIO(board(db, "--format", "csv").out))}
    assert float(lines["sim/pleaser"]["landlord_uplift"]) == pleaser["published"]["landlord_uplift"]


@pytest.mark.parametrize(
    ("which", "flags", "told"),
    [
        ("sides", ["--scoring", "published"], "--scoring is about an index"),
        ("sides", ["--generalises-to", "scenarios-like-these"], "--generalises-to is about an index"),
        ("rent", ["--matrix"], "--matrix is about an index"),
        ("rent", ["--correction", "bh"], "--correction is about tests of several subjects at once"),
    ],
)
def test_flags_that_make_no_sense_are_one_sentence(
    request: pytest.FixtureRequest, which: str, flags: list[str], told: str
) -> None:
    db, _ = request.getfixturevalue(which)
    ended = command.run("leaderboard", "--db", str(db), *flags)
    assert ended.code == 2
    assert told in command.one_sentence(ended)
    assert ended.out == ""


def test_a_gate_on_an_index_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    ended = ran(tmp_path / "store.db", "sides", 6, "--fail-under", "50")
    assert ended.code == 2
    assert "--fail-under is about an index" in command.one_sentence(ended)
    assert list(tmp_path.iterdir()) == []


def test_two_judges_are_two_boards_in_one_document(tmp_path: Path) -> None:
    asked = (
        "run",
        "--suite",
        "rent",
        "-m",
        "sim/pleaser",
        "-j",
        "cues",
        "-j",
        "sim/judge",
        "--runs",
        "1",
        "--limit",
        "3",
    )
    for format_ in ("json", "csv"):
        ended = command.run(*asked, "--db", str(tmp_path / "store.db"), "--quiet", "--format", format_)
        assert ended.code == 0, ended.err
        if format_ == "json":
            assert [one["judge"] for one in json.loads(ended.out)] == ["cues", "sim/judge"]
        else:
            assert [line["judge"] for line in csv.DictReader(io.StringIO(ended.out))] == ["cues", "sim/judge"]


def test_the_report_on_sides_is_one_page_with_its_plots(sides: tuple[Path, Ended], tmp_path: Path) -> None:
    done = command.run("generate-report", "--db", str(sides[0]), "--html", "-o", str(tmp_path / "r.html"))
    assert done.code == 0, done.err
    page = (tmp_path / "r.html").read_text()
    for section in ("board", "tilt", "pairs", "parts", "guess", "costs", "health", "thresholds"):
        assert f'id="{section}"' in page, section
    for figure in ("advice-forest", "advice-slopes"):
        assert f'id="figure-{figure}"' in page, figure
    assert "known behaviour" in page
    assert not re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', page)


def test_the_report_on_rent_has_figures_and_tables_beside_it(rent: tuple[Path, Ended], tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    done = command.run("generate-report", "--db", str(rent[0]), "-o", str(tmp_path / "r.md"), "--tables", str(tables))
    assert done.code == 0, done.err
    assert {path.stem for path in (tmp_path / "r-figures").iterdir()} == {"stance-contrast"}
    assert {"contrast", "published", "guess", "costs", "run-health"} <= {path.stem for path in tables.iterdir()}


def test_the_demo_of_rent_asks_the_panel_of_advisers_and_says_how_to_see_more(tmp_path: Path) -> None:
    db = tmp_path / "demo.db"
    ended = command.run("demo", "--suite", "rent", "--db", str(db), env=NARROW)
    assert ended.code == 0, ended.err
    assert {f"sim/{name}" for name in ADVISERS} <= set(re.findall(r"^ ?(sim/\w+)", ended.out, re.MULTILINE))
    assert "●" in ended.out
    assert f"independence generate-report --html --db {db}" in ended.err
