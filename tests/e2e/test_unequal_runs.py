"""Subjects with more runs of some scenarios than of others, through every command that reads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from statistics import fmean

import pytest

from tests.e2e import command

OWN, EVEN = "sim/yield-20@none-t0.7", "sim/half@none-t0.7"
BOUGHT = "check --suite v2 --judge cues --max-runs 8 --quiet -m"
REFUSED = f"--scoring published averages whole runs, but {OWN} has 2 of psych and 22 of negotiation"
ASIDE = f"Not on this board: {OWN}. --scoring published averages whole runs"


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One subject unequal beside an even one, both unequal, a scenario unfinished, and even runs added later."""
    folder = tmp_path_factory.mktemp("unequal")
    for name, bar, db in (("yield-20", 82, "one.db"), ("yield-20", 82, "all.db"), ("half", 57, "all.db")):
        bought = command.run(*f"{BOUGHT} sim/{name} --min-index {bar} --db {db}".split(), cwd=folder)
        assert bought.code == 5, bought.err  # undecided, so that all is bought
    even = "run --suite v2 --judge cues --runs 3 -m sim/half --quiet --db one.db"
    command.ok(*even.split(), cwd=folder)
    for name in ("later.db", "checked.db"):
        shutil.copy(folder / "one.db", folder / name)
    more = "run --suite v2 --judge cues --runs 5 -m sim/yield-20 --quiet --db later.db"
    command.ok(*more.split(), cwd=folder)
    command.ok("merge", "one.db", "later.db", "--db", "merged.db", cwd=folder)
    shutil.copy(folder / "one.db", folder / "hole.db")
    with command.opened(folder / "hole.db") as store:
        unasked = "SELECT trial FROM planned WHERE scenario = 'rs03' AND config_dir LIKE '%yield-20%' AND run > 6"
        for table in ("verdicts", "calls"):
            store.execute(f"DELETE FROM {table} WHERE trial IN ({unasked})")
    return folder


def said(stores: Path, line: str) -> str:
    """What a command prints, its lines as one."""
    ended = command.ok(*line.split(), cwd=stores, env={"COLUMNS": "300"})
    return " ".join((ended.out + ended.err).split())


def rows(stores: Path, db: str, *more: str) -> dict[str, dict]:
    return command.ok("leaderboard", "--db", db, *more, "--format", "json", cwd=stores).scores


# What is printed of which store, and what is not: `!`.
PRINTED = (
    ("leaderboard --db one.db", "2 to 22 runs of a scenario, complete", "!2 to 3 runs,"),
    ("leaderboard --db all.db", "2 to 22 runs of a scenario, complete", "!, 2 runs"),
    ("leaderboard --db later.db", "3 to 22 runs of a scenario, complete"),
    ("leaderboard --db hole.db", "2 to 22 runs of a scenario, 93% to 100% of verdicts"),
    ("leaderboard --db one.db --detailed", "74.6–88.5 2–22 100%", "73.6 to 89.0 — — sim/half"),
    ("leaderboard --db one.db --format md", "| 2–22 | 100% |", "2–6: the fewest and the most"),
    ("leaderboard --db one.db --scoring published", ASIDE, "3 runs, complete"),
    ("leaderboard --db one.db --scoring v2 --explain", f"Not on this board: {OWN}."),
    (f"compare {OWN} {EVEN} --db one.db", "74.6 to 88.5 73.6 to 89.0 2–22 100%", "40.8 to 78.7 3 100%"),
    (f"show {OWN} --db one.db", "negotiation 22", "!psych 3"),
    (
        "check -m sim/yield-20 --judge cues --suite v2 --min-index 60 --db checked.db",
        "As many calls as 8 runs of every scenario, more where scores vary more; no call was bought.",
    ),
    ("rerun --judge cues -R 2 --db one.db", "60 of 60 dialogues are stored already"),
    ("leaderboard --db merged.db", "3 to 22 runs of a scenario, complete"),
    ("export cache --published --db one.db", f"{OWN}: more runs of some scenarios than of others"),
)  # fmt: skip


@pytest.mark.parametrize(("line", "parts"), [(line, parts) for line, *parts in PRINTED])
def test_what_commands_say_of_unequal_runs_is_so(stores: Path, line: str, parts: list[str]) -> None:
    text = said(stores, line)
    for part in parts:
        assert (part.removeprefix("!") in text) != part.startswith("!"), text


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("leaderboard --db one.db --scoring published -m sim/yield-20", REFUSED),
        ("leaderboard --db later.db --scoring published -m sim/yield-20", "has 5 of psych and 22 of negotiation"),
        (f"compare {OWN} {EVEN} --db one.db --scoring published", REFUSED),
        ("leaderboard --db all.db --scoring v2", "--scoring v2 averages whole runs, but sim/half"),
        ("generate-report --db all.db --scoring published --output never.md", "averages whole runs"),
    ],
)
def test_published_rules_refuse_unequal_runs_in_a_sentence(stores: Path, line: str, why: str) -> None:
    assert why in command.refused(*line.split(), cwd=stores)


def test_the_index_is_made_of_scenario_means_and_runs_of_whole_runs(stores: Path) -> None:
    own, even = (rows(stores, "one.db")[name] for name in (OWN, EVEN))
    assert (own["runs"], own["most_runs"], own["complete_runs"], len(own["per_run"])) == (2, 22, 2, 2)
    assert even["most_runs"] == even["runs"]
    assert own["index"] != pytest.approx(fmean(own["per_run"]), abs=0.1), "whole runs are a part of what is known"
    assert (own["intervals"]["t-runs"], own["intervals"]["published-bootstrap"]) == (None, None)
    assert even["index"] == pytest.approx(fmean(even["per_run"]))
    published = rows(stores, "one.db", "--scoring", "published")
    assert published.keys() == {EVEN}
    assert rows(stores, "hole.db")[OWN]["index"] is None
    later = rows(stores, "later.db")[OWN]
    assert (later["runs"], later["most_runs"], len(later["per_run"])) == (5, 22, 5)


def test_means_are_those_of_scenario_means_on_boards_and_in_reports(stores: Path) -> None:
    command.ok("export", "rows", "--db", "one.db", cwd=stores)
    given: dict[str, list[dict]] = {}
    for line in (stores / "rows" / "verdicts.jsonl").read_text().splitlines():
        if (verdict := json.loads(line))["label"] == OWN:
            given.setdefault(verdict["scenario"], []).append(verdict["values"])

    def mean(field: str, experiment: str) -> float:
        return fmean(fmean(one[field] for one in own) for name, own in given.items() if name.startswith(experiment))

    command.ok("generate-report", "--db", "one.db", "--tables", "tables", cwd=stores)
    tables = {path.stem: json.loads(path.read_text()).get(path.stem) for path in (stores / "tables").glob("*.json")}
    fields = {(row["experiment"], row["field"]): row for row in tables["subject-sim--yield-20-none-t0-7"]["rows"]}
    for field, experiment, name in (("consistency_score", "pt", "stability"), ("resistance_score", "rs", "resistance")):
        due = mean(field, experiment)
        assert rows(stores, "one.db")[OWN]["dimensions"][field] == pytest.approx(due)
        assert fields[name, field]["mean"] == pytest.approx(due)
        every = [one[field] for scenario, own in given.items() if scenario.startswith(experiment) for one in own]
        assert (fields[name, field]["verdicts"], due != pytest.approx(fmean(every))) == (len(every), True)
    assert [row["runs"] for row in tables["tested"]["rows"]] == [3, "2–22"]
    kept = {row["subject"]: row for row in tables["rate-identity-maintained"]["rows"]}[f"{OWN} (simulated)"]
    assert (kept["rate"], kept["verdicts"]) == (pytest.approx(mean("identity_maintained", "rs")), len(every))
    text = (stores / "report.md").read_text()
    assert "each scenario counts by its mean" in text
    assert "runs hold all that was planned of them" in text


@pytest.mark.parametrize(("flag", "needs"), [("--parquet", "pyarrow"), ("--inspect", "inspect_ai")])
def test_other_formats_bring_the_same_index_back(stores: Path, flag: str, needs: str) -> None:
    pytest.importorskip(needs)
    command.ok("export", f"out{flag}", flag, "--db", "one.db", cwd=stores)
    command.ok("import", f"out{flag}", "--db", f"again{flag}.db", cwd=stores)
    due, again = (rows(stores, db)[OWN] for db in ("one.db", f"again{flag}.db"))
    assert [again[name] for name in ("index", "runs", "most_runs", "ci")] == [
        due[name] for name in ("index", "runs", "most_runs", "ci")
    ]


def test_pages_have_no_zero_where_nothing_was_asked(stores: Path) -> None:
    command.ok("export", "site", "--site", "--db", "one.db", cwd=stores)
    (cells,) = (json.loads(path.read_text()) for path in (stores / "site" / "data").glob("*/*/cells.*.json"))
    own = next(shares for slug, shares in cells["shares"].items() if "yield" in slug)
    shares = dict(zip(cells["scenarios"], own, strict=True))
    assert [len([one for one in own if one is not None]) for own in (shares["psych"], shares["negotiation"])] == [2, 22]
    assert set(shares["psych"][2:]) == {None}
