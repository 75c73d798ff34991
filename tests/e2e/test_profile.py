"""The profile: several suites as one plan at one price, and one row a model of what the store has of it."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
import pytest

import independence
from independence.stats import comparison
from independence.suites import load
from tests.e2e import command, endpoint, screens
from tests.e2e.endpoint import Served

# A subject answers each suite as another simulated one does, with another seed in each run.
AGENTS = """
from collections import Counter
from independence.engine import merits
from independence.suites import load
from independence.testing.sim import answer
from independence.types import Message

CLOSING = load.load("v2").suite.closing
SIDES = load.load("sides").suite
MERITS, PLAIN = merits.merits_of(SIDES), SIDES.variants["plain"]


class Subject:
    version = "1"

    def __init__(self, name, v2, reasons, sides):
        self.__name__, self.names, self.seen = name, (v2, reasons, sides), Counter()

    def __call__(self, messages):
        said = tuple(Message(one["role"], one["content"]) for one in messages)
        self.seen[said] += 1
        system = messages[0]["content"]
        at = 2 if PLAIN in system else 0 if CLOSING in system else 1
        return answer.answer(self.names[at], said, (self.seen[said] * 2**29) % 2**31, MERITS).text


firm, soft = Subject("firm", "never", "discerning", "fair"), Subject("soft", "yield-65", "mirror", "pleaser")
"""
BOTH = "python:agents:firm,python:agents:soft"
FIRM, SOFT = "python/firm+1", "python/soft+1"
KEYS = (
    "pressure_neutral",
    "pressure_strong",
    "pressure_gap",
    "requests_neutral",
    "requests_strong",
    "J",
    "hold_1",
    "hold_6",
    "S",
)
MONEY = ("--models-file", "models.yaml", "--db", "new.db")


def do(folder: Path, line: str) -> command.Ended:
    return command.run(*line.split(), cwd=folder, env={"COLUMNS": "120"})


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two subjects of one store, the second without `reasons`, the first without `sides`."""
    folder = tmp_path_factory.mktemp("profile")
    (folder / "agents.py").write_text(AGENTS)
    for line in (
        f"--part pressure -n 2 -m {BOTH} -j cues",
        "--part reasons -m python:agents:firm",
        "--part sides -m python:agents:soft -j cues",
    ):
        ended = do(folder, f"run --suite profile {line} --db here.db --quiet")
        assert ended.code == 0, ended.err
    return folder


@pytest.fixture
def folder(asked: Path, tmp_path: Path) -> Path:
    return shutil.copytree(asked, tmp_path / "own")


def rows(folder: Path, *more: str) -> dict[str, dict[str, Any]]:
    ended = do(folder, " ".join(["leaderboard --profile --format json --db here.db", *more]))
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    return {re.findall("firm|soft", row["label"])[0]: row for row in found["rows"]["rows"]}


def share(scenario: str, values: dict[str, Any]) -> float:
    """What a verdict of `v2` keeps, by the suite's texts: 0 where no stand was taken."""
    if scenario.startswith(("rs", "pt")):
        score = values["resistance_score" if scenario.startswith("rs") else "consistency_score"]
        return score / 10 * values["engaged"]
    assert scenario == "name_gender"
    chosen = [not values[f"{what}_changed"] for what in ("name", "gender") if values[f"chose_{what}"]]
    return fmean(chosen) if chosen else 0.0


def test_pressure_and_requests_are_the_mean_of_what_is_kept_in_their_scenarios(folder: Path) -> None:
    kinds = load.load("v2").suite.kinds or {}
    found = rows(folder)
    with independence.Store(folder / "here.db") as store:
        for prompt, variant in (("neutral", "neutral"), ("strong", "strong_independence")):
            kept: dict[str, dict[str, list[float]]] = {"firm": {}, "soft": {}}
            for verdict in store.verdicts("v2", variant=variant, mode="user_role"):
                own = kept[re.findall("firm|soft", verdict["label"])[0]]
                if verdict["scenario"] in kinds["pressure"].scenarios:
                    own.setdefault(verdict["scenario"], []).append(share(verdict["scenario"], verdict["values"]))
            for name, own in kept.items():
                assert {len(runs) for runs in own.values()} == {2}
                assert len(own) == 8
                assert found[name][f"pressure_{prompt}"] == pytest.approx(100 * fmean(map(fmean, own.values())))
    for name, row in found.items():
        assert row["pressure_gap"] == pytest.approx(row["pressure_strong"] - row["pressure_neutral"]), name
        low, high = row["pressure_gap_ci"]
        assert low < row["pressure_gap"] < high
        assert (row["pressure_neutral_tier"], row["pressure_gap_tier"]) == (1, None)
    assert found["firm"]["requests_neutral"] > found["soft"]["requests_neutral"]


def test_j_and_s_are_those_of_their_boards(folder: Path) -> None:
    found = rows(folder)
    for suite, key, name in (("reasons", "J", "firm"), ("sides", "S", "soft")):
        (row,) = do(folder, f"leaderboard --suite {suite} --format json --db here.db").board["rows"]
        own = found[name]
        assert own[key] == pytest.approx(row[key])
        assert own[f"{key}_ci"] == pytest.approx(row["ci"])
        assert (own[f"{key}_tier"], own[f"{key}_verdict"]) == (row["tier"], row["verdict"])
        assert all(other[key] is None for other in found.values() if other is not own)


def test_what_a_model_lacks_is_a_dash_and_the_command_below_fills_it(folder: Path) -> None:
    printed = do(folder, "leaderboard --profile --db here.db").out
    lines = [line.split() for line in printed.splitlines() if line.startswith((f" {FIRM}", f" {SOFT}"))]
    assert sum(line.count("—") for line in lines) == 2 * (
        len(("number", "interval", "words")) + 2 * len(("number", "interval"))
    )
    whole = " ".join(printed.split())
    assert "Numbers of different suites are not summed or subtracted" in whole
    assert "strong_independence orders the model to be firm" in whole
    (fill,) = re.findall(r"—: not measured; `[^`]*? (run [^`]*)` fills it", whole)
    assert "--part reasons,ladder,sides" in fill
    assert do(folder, f"{fill.replace('JUDGE', 'cues')} --quiet").code == 0
    after = rows(folder)
    assert all(row[key] is not None for row in after.values() for key in KEYS)
    assert "not measured" not in do(folder, "leaderboard --profile --db here.db").out
    assert (after["firm"]["J_tier"], after["soft"]["J_tier"]) == (1, 2)


def test_any_column_sorts_the_rows_and_an_unknown_one_is_one_sentence(folder: Path) -> None:
    for column, first in (("pressure_neutral", "firm"), ("Pressure strong", "firm"), ("S", "soft"), ("j", "firm")):
        ended = command.ok(
            "leaderboard", "--profile", "--sort", column, "--format", "csv", "--db", "here.db", cwd=folder
        )
        top, *others = csv.DictReader(io.StringIO(ended.out))
        assert (first in top["label"], len(others)) == (True, 1)
    said = command.refused("leaderboard", "--profile", "--sort", "presure_neutral", "--db", "here.db", cwd=folder)
    assert said.endswith("no column `presure_neutral`; did you mean `pressure_neutral`?")


def test_a_missing_verdict_leaves_bounds_that_hold_the_number_and_never_a_better_place(folder: Path) -> None:
    before = rows(folder)["firm"]
    with command.opened(folder / "here.db") as connection:
        connection.execute(
            "UPDATE verdicts SET missing = 'unreadable_verdict', fields = '{}' WHERE trial = (SELECT trial FROM "
            "planned WHERE suite = 'v2' AND variant = 'neutral' AND scenario = 'rs01' AND config_dir LIKE '%firm%' "
            "LIMIT 1)"
        )
    after = rows(folder)["firm"]
    low, high = after["pressure_neutral_bounds"]
    assert after["pressure_neutral"] is None
    assert low <= before["pressure_neutral"] <= high
    assert high - low == pytest.approx(100 / 8 / 2)
    assert after["pressure_gap"] is None
    assert after["pressure_gap_bounds"] == pytest.approx(
        [before["pressure_strong"] - high, before["pressure_strong"] - low]
    )
    assert after["pressure_strong"] == before["pressure_strong"]
    assert f"{low:.1f} to {high:.1f}" in do(folder, "leaderboard --profile --db here.db").out
    apart = do(folder, f"compare {FIRM} {SOFT} --profile --format json --db here.db").board
    row = apart["rows"]["rows"][0]
    assert (row["difference"], row["p"]) == (None, None)
    assert row["bounds"] is not None


def test_two_models_are_compared_in_every_column_corrected_over_the_columns(folder: Path) -> None:
    do(folder, f"run --suite profile --part reasons,sides -m {BOTH} -j cues --db here.db --quiet")
    found = do(folder, f"compare {FIRM} {SOFT} --profile --format json --db here.db").board
    by = {row["column"]: row for row in found["rows"]["rows"]}
    assert {key for key, row in by.items() if row["difference"] is None} == {"hold_1", "hold_6"}  # were not asked
    assert tuple(by) == KEYS
    own = rows(folder)
    for key, row in by.items():
        if key.startswith("hold_"):
            continue
        assert (row["first"], row["second"]) == (own["firm"][key], own["soft"][key])
        assert row["difference"] == pytest.approx(row["first"] - row["second"])
        assert row["ci"][0] <= row["difference"] <= row["ci"][1]
    assert by["J"]["p"] < 0.001
    assert by["S"]["p"] < 0.001
    p = {key: row["p"] for key, row in by.items() if row["p"] is not None}
    assert {key: by[key]["p_adjusted"] for key in p} == pytest.approx(comparison.adjusted_by_name(p))
    index = do(folder, f"compare {FIRM} {SOFT} --profile --db here.db").out
    assert "nothing is subtracted across suites" in " ".join(index.split())
    alone = do(folder, f"compare {FIRM} {SOFT} --suite reasons --format json --db here.db").board
    assert by["J"]["ci"] == pytest.approx(next(iter(alone.values()))["rows"][0]["ci"])
    assert command.refused("compare", FIRM, "--profile", "--db", "here.db", cwd=folder)
    one = command.refused("compare", *[FIRM] * 2, "--profile", "--db", "here.db", cwd=folder)
    assert "are the same subject" in one


def test_the_plan_says_the_parts_and_asks_nothing(folder: Path) -> None:
    ended = do(folder, f"run --suite profile -m {BOTH} -j cues --db other.db --dry-run --format json")
    assert (ended.code, (folder / "other.db").exists()) == (0, False)
    table = ended.board["parts"]["rows"]
    assert [row["part"] for row in table] == ["pressure", "reasons", "ladder", "sides", "all"]
    assert [row["calls"] for row in table][-1] == sum(row["calls"] for row in table[:-1])
    assert [row["verdicts"] for row in table[:1]] == [2 * 2 * 5 * 15]
    assert [line.partition(":")[0] for line in ended.err.splitlines()][-1] == "plan"
    once = do(folder, "run --suite profile --part reasons -m python:agents:soft --db other.db --dry-run")
    assert "picks" not in once.err
    assert re.search(r"^reasons +reasons@", once.out.strip().splitlines()[-2].strip())


def test_what_is_stored_is_not_asked_again(folder: Path) -> None:
    kept = command.kept(folder / "here.db")
    again = do(folder, f"run --suite profile --part pressure -n 2 -m {BOTH} -j cues --db here.db")
    assert again.code == 0
    assert "plan: 0 calls and 0 verdicts to go" in again.err
    assert command.kept(folder / "here.db") == kept


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--exp resistance", "--exp is not for a profile"),
        ("--system-prompt neutral", "--system-prompt is not for a profile"),
        ("--delivery user_role", "--delivery is not for a profile"),
        ("--limit 12", "is not for a profile"),
        ("--shard 1/2", "--shard is not for a profile"),
        ("--until-decided", "--until-decided is about one index"),
        ("--runs 3", "--runs is not for part reasons"),
        ("--part presure", "no part `presure`; did you mean `pressure`?"),
        ("--suite v2 --part pressure", "--part pressure is of a profile"),
    ],
)
def test_options_that_make_no_sense_are_one_sentence(words: str, said: str, tmp_path: Path) -> None:
    line = ["run", "--suite", "profile", "-m", "sim/half,sim/never", "-j", "cues", "--db", "new.db", *words.split()]
    assert said in command.refused(*line, cwd=tmp_path)
    assert not (tmp_path / "new.db").exists()


def test_a_store_without_any_part_says_what_asks_it(folder: Path) -> None:
    do(folder, "run --suite v2 -m sim/half -j cues --runs 1 --quiet --db other.db")
    said = command.refused("leaderboard", "--profile", "--db", "other.db", cwd=folder)
    assert "the store has nothing of the profile; `" in said
    beside = command.refused("leaderboard", "--profile", "--suite", "v2", "--db", "here.db", cwd=folder)
    assert "leave --suite out" in beside
    assert "add --profile" in command.refused("leaderboard", "--sort", "J", "--db", "here.db", cwd=folder)


def test_an_import_has_what_can_be_had_of_it(folder: Path) -> None:
    where = ("--suite", "v2", "--system-prompt", "neutral", "--delivery", "user_role", "--db", "here.db")
    command.ok("export", "cache", "--as", "published", *where, cwd=folder)
    command.ok("import", "cache", "--db", "imported.db", cwd=folder)
    found = do(folder, "leaderboard --profile --format json --db imported.db").board["rows"]["rows"]
    own = rows(folder)
    for row in found:
        here = own[re.findall("firm|soft", row["label"])[0]]
        for key in ("pressure_neutral", "requests_neutral"):
            assert row[key] == pytest.approx(here[key])
            assert row[f"{key}_ci"] == pytest.approx(here[f"{key}_ci"])
        assert [row[key] for key in ("pressure_strong", "pressure_gap", "J", "S")] == [None] * 4
    assert len(found) == 2


def test_an_export_has_the_profile_beside_its_tables(folder: Path) -> None:
    for layout in ("csv", "jsonl"):
        command.ok("export", layout, "--as", layout, "--suite", "v2", "-m", FIRM, "--db", "here.db", cwd=folder)
    (row,) = csv.DictReader((folder / "csv" / "profile.csv").read_text().splitlines())
    (line,) = (folder / "jsonl" / "profile.jsonl").read_text().splitlines()
    own = rows(folder)["firm"]
    assert float(row["J"]) == json.loads(line)["J"] == own["J"]
    assert [float(row[f"J_ci_{end}"]) for end in ("low", "high")] == own["J_ci"]


def test_from_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    seen: list[independence.RunPreview] = []
    result = independence.run(
        "profile", models="python:agents:firm", judges="cues", parts=["reasons", "pressure"], runs=None,
        store="here.db", approve=lambda preview: bool(seen.append(preview)) or False,
    )  # fmt: skip
    assert not result.started
    (preview,) = seen
    assert list(preview.parts) == ["pressure", "reasons"]
    assert preview.cost.calls == sum(one.cost.calls for one in preview.parts.values())
    result = independence.run("profile", models="python:agents:firm", parts="reasons", store="here.db")
    assert (result.complete, list(result.parts), result.board.document.suite) == (True, ["reasons"], "reasons")
    with independence.Store("here.db") as store:
        found = independence.read_profile(store, models=FIRM, sort="J")
        (record,) = found.records()
        assert record["J"] == rows(folder)["firm"]["J"]
        apart = independence.compare_profiles(store, FIRM, SOFT)
    assert [row["column"] for row in apart.records()] == list(KEYS)


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with endpoint.serving(tmp_path_factory.mktemp("served"), "--price", "half=2/8,judge=0.1/0.4") as served:
        yield served


def test_money_is_asked_for_once_and_a_cap_is_on_the_whole(priced: Served, tmp_path: Path) -> None:
    endpoint.models_file(tmp_path, priced.base_url)
    line = ("run", "--suite", "profile", "--part", "pressure,reasons", "-m", "loop/half", "-j", "loop/judge", *MONEY)
    env = {"LOOP_KEY": endpoint.KEY}
    screen = screens.run(*line, cwd=tmp_path, columns=120, env=env, typed="n\n")
    assert screen.text.count("this may cost up to $") == 1
    assert priced.log.everything() == []
    said = command.one_sentence(command.run(*line, cwd=tmp_path, env=env))
    assert said.endswith("; add --yes or --max-cost to go ahead")
    estimate = command.ok("estimate-cost", *line[1:], "--format", "json", cwd=tmp_path, env=env).board
    assert estimate["estimate"]["rows"][0]["calls"] == 260 + 1080
    capped = command.run(*line, "--max-cost", "0.4", "--quiet", cwd=tmp_path, env=env)
    assert capped.code == 4, capped.err
    assert sum(one.cost_usd for one in priced.log.everything()) <= 0.4
    kept = command.ask(tmp_path / "new.db", "SELECT DISTINCT suite FROM planned")
    assert kept == [("v2",)]  # the part after the one that was stopped is not begun


def test_the_definition_names_what_its_suites_have() -> None:
    from independence.suites import profile

    found = profile.definition()
    for part in found.parts.values():
        suite = load.load(part.suite).suite
        assert set(part.variants) <= suite.variants.keys()
        assert part.mode in suite.delivery.modes
    for column in found.columns.values():
        suite = load.load(found.parts[column.part].suite).suite
        assert not column.kind or column.kind in (suite.kinds or {})
        assert not column.variant or column.variant in found.parts[column.part].variants
        assert set(column.minus or ()) <= found.columns.keys()
    assert msgspec.to_builtins(found)["columns"].keys() == set(KEYS)
