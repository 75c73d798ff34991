"""The published verdicts that ship: their board, and the import that takes them where there is no network."""

from __future__ import annotations

import csv
import io
import json
import lzma
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

import independence
from independence.config import registry
from independence.suites.schema import Suite
from tests.e2e import command
from tests.extensions.published.trees import write_run
from tests.stores import Stores, once

NO_NETWORK = {"https_proxy": "http://127.0.0.1:1"}
HAIKU = "anthropic--claude-haiku-4.5@none-t0.7"


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of `import --published` where there is no network. Only to be read."""

    def make(folder: Path) -> None:
        ended = command.ok("import", "--published", "--db", folder / "store.db", env=NO_NETWORK)
        assert "not fetched: https://github.com/mikhailsal/ai-independence-bench" in ended.err
        assert "the scores that ship with this program (github.com/mikhailsal" in ended.err
        assert "Mikhail Sal, 2026-07-22, MIT licence), without the words" in ended.err
        assert "new in the store: 0 replies, 7210 verdicts" in ended.err

    return once(tmp_path_factory, "store-shipped", make) / "store.db"


def board(*words: str) -> dict[str, dict[str, str]]:
    """Label -> row of a board as CSV."""
    rows = csv.DictReader(io.StringIO(command.ok(*words, "--format", "csv").out))
    return {row.get("label") or row["subject"]: row for row in rows}


def differing(own: dict[str, str], other: dict[str, str], columns: Iterable[tuple[str, str]]) -> list[str]:
    """Columns in which two rows do not say the same."""
    return [one for one, theirs in columns if own[one] != other[theirs]]


def test_the_board_is_printed_without_key_and_store() -> None:
    told = command.ok("published")
    assert "1 gemini-3.1-pro-preview@low-t0.7 " in told.out
    said = " ".join(told.out.split())
    assert "26 of the 78 models with a tier are in tier 1: they do not differ significantly from the leader." in said
    assert "github.com/mikhailsal/ai-independence-bench, Mikhail Sal, 2026-07-22, MIT licence" in said
    whole = json.loads(command.ok("published", "--format", "json", "--detailed").out)["published-board"]["rows"]
    assert [row["rank"] for row in whole] == list(range(1, 109))
    for row in whole:
        assert (row["tier"] is None) or (row["ci"] is not None and row["strict_index"] is not None)
        assert row["runs"] > 1 or row["strict_ci"] is None


def test_models_are_chosen_by_label_or_short_name() -> None:
    rows = json.loads(command.ok("published", "-m", "kimi-k3+moonshot,claude-opus-4.8", "--format", "json").out)
    assert [row["rank"] for row in rows["published-board"]["rows"]] == [32, 60]
    assert "no model `kimi-k9` on the published board" in command.refused("published", "-m", "kimi-k9")


def test_the_registry_that_ships_has_every_ranked_configuration() -> None:
    known = registry.load(Path(registry.PUBLISHED)).subjects
    labels, ranked = {subject.label for subject in known}, set(board("published"))
    older = {label for label in ranked if "/" in label}  # of the layout without settings
    assert len(known) == len(labels) == 130
    assert len(older) == 4
    assert ranked - older <= labels


def test_the_board_is_what_leaderboard_makes_of_the_import(shipped: Path) -> None:
    """Every row to the last digit."""
    own = board("published", "--detailed")
    by_rule = board("leaderboard", "--db", str(shipped), "--scoring", "published")
    strict = board("leaderboard", "--db", str(shipped))
    ends = [(f"ci_{end}", f"index_ci_{end}") for end in ("low", "high")]
    same = [*((name, name) for name in ("rank", "index", "runs")), *ends]
    measures = [(name, name) for name in list(own[next(iter(own))])[-5:]]
    strictly = [("strict_index", "index"), ("tier", "tier"), *((f"strict_{name}", theirs) for name, theirs in ends)]
    wrong = {
        label: found
        for label, row in own.items()
        if (found := differing(row, by_rule[label], [*same, *measures]) + differing(row, strict[label], strictly))
    }
    assert (list(own), wrong) == (list(by_rule), {})
    assert len(strict) == 130
    assert sum(row["tier"] != "" for row in strict.values()) == 78


def test_the_findings_of_the_readme_come_from_all_published_configurations(shipped: Path, tmp_path: Path) -> None:
    readme = " ".join((Path(__file__).parents[3] / "README.md").read_text("utf-8").split())
    ((ranked, first, requests, pressure, pairs),) = re.findall(
        r"of (\d+) models with a \*Tier\*, the (\d+) in tier 1 .* (\d+)% of the variance .* adds (\d+)% .* "
        r"of (\d+) tested pairs",
        readme,
    )
    assert f"{first} of the {ranked} models with a tier are in tier 1" in " ".join(command.ok("published").out.split())
    told = " ".join(command.ok("leaderboard", "--explain", "--db", shipped).out.split())
    vary = f"Where the first {first} (tier 1) vary, also by chance: requests, {requests}% of the variance of their"
    assert f"{vary} index" in told
    assert re.search(rf"other scenarios \d+%; pressure {pressure}%\.", told)
    assert "130 configurations" in readme
    command.ok("generate-report", "-o", tmp_path / "report.md", "--db", shipped)
    report = (tmp_path / "report.md").read_text("utf-8")
    table = report.partition("### Same model, one setting changed")[2].partition("\n\n#")[0]
    holm = re.findall(r"\| [.\d]+ \| ([.\d]+) \|", table)
    assert (len(holm), min(map(float, holm)) > 0.05) == (int(pairs), True)
    assert "no cost stated" in report


def test_dialogues_without_words_say_so_and_are_not_graded(shipped: Path, tmp_path: Path) -> None:
    store = shutil.copy(shipped, tmp_path / "store.db")
    told = command.ok("show", "claude-haiku-4.5", "pt04", "--db", store).out
    assert "the words of this dialogue are not in this store; `independence import --published" in " ".join(
        told.split()
    )
    assert "consistency_score 10" in told
    assert "Request 1" not in told
    for line in (["judge", "-j", "cues"], ["label-sample", tmp_path / "sample.csv"]):
        assert "no finished dialogue fits" in command.refused(*line, "--db", store)
    assert "new in the store: nothing" in command.ok("import", "--published", "--db", store, env=NO_NETWORK).err
    assert "every row is as it was written" in command.run("doctor", "--verify", "--db", store, "--format", "json").out


def test_words_that_come_later_complete_what_is_there(shipped: Path, tmp_path: Path, suite: Suite) -> None:
    store = shutil.copy(shipped, tmp_path / "store.db")
    before = counts(store)
    write_run(tmp_path / "cache", suite, config=HAIKU)
    ended = command.ok("import", tmp_path / "cache", "--models-file", "published", "--db", store)
    assert "new in the store: 26 replies, 15 verdicts" in ended.err
    assert counts(store) == before
    told = command.ok("show", "claude-haiku-4.5", "pt04", "--db", store).out
    assert "My answer to pt04_turn2." in told
    assert told.count("Verdict by") == 1
    again = command.ok("import", "--published", "--db", store, env=NO_NETWORK)
    assert "new in the store: nothing" in again.err
    assert counts(store) == before
    assert "every row is as it was written" in command.run("doctor", "--verify", "--db", store, "--format", "json").out


def counts(store: Path) -> list[int]:
    """Rows of the tables that an import writes."""
    tables = ("subjects", "planned", "trials", "calls", "dialogues", "verdicts")
    with command.opened(store) as connection:
        return [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]


@pytest.mark.published
def test_what_ships_is_what_was_published(published_data: Path) -> None:
    packed = Path(independence.__file__).parent / "extensions/published/verdicts.csv.xz"
    text = lzma.decompress(packed.read_bytes()).decode()
    shipped_rows = list(csv.DictReader(text.splitlines()[1:]))
    with (published_data / "published-verdicts.csv").open(encoding="utf-8", newline="") as file:
        assert [{name: row[name] for name in row if name != "marks"} for row in shipped_rows] == list(
            csv.DictReader(file)
        )
    own = board("published", "--detailed")
    with (published_data / "published-board.csv").open(encoding="utf-8", newline="") as file:
        printed = list(csv.DictReader(file))
    assert list(own) == [row["label"] for row in printed]
    columns = list(own[printed[0]["label"]])
    for row in printed:
        found = own[row["label"]]
        assert (found["rank"], found["runs"]) == (row["rank"], row["runs"])
        given = [found[name] for name in ("index", "ci_low", "ci_high", *columns[-5:])]
        names = (
            "index",
            "ci_low",
            "ci_high",
            "non_assistant_likeness",
            "internal_consistency",
            "drift",
            "resistance",
            "stability",
        )
        assert [value and f"{float(value):.1f}" for value in given] == [row[name] for name in names]


@pytest.mark.published
def test_the_archive_brings_words_and_changes_no_number(
    shipped: Path, stores: Stores, published_data: Path, tmp_path: Path
) -> None:
    """The configurations of the archive by themselves, and over the shipped scores of all."""
    archive = published_data / "published-v2-part.tar.xz"
    store = str(shutil.copy(shipped, tmp_path / "store.db"))
    for scoring in ("strict", "published"):
        ours = board("leaderboard", "--db", store, "--scoring", scoring)
        alone = board("leaderboard", "--db", str(stores("published")), "--scoring", scoring)
        by_config = {row["config"]: row for row in ours.values()}
        same = (
            "index", "index_bounds_low", "index_bounds_high", "runs", "coverage", "non_assistant_likeness",
            "drift_from_initial_name_gender_drift", "resistance_score", "consistency_score",
        )  # fmt: skip
        wrong = {
            row["config"]: found
            for row in alone.values()
            if (found := differing(row, by_config[row["config"]], [(name, name) for name in same]))
        }
        assert wrong == {}
        if scoring == "strict":
            command.ok("import", archive, "--models-file", "published", "--db", store)
            unknown = ("cost_usd", "thinking", "flagged_dialogues")
            after = board("leaderboard", "--db", store)
            columns = [(name, name) for name in after[next(iter(after))] if name not in unknown]
            changed = {label: differing(row, ours[label], columns) for label, row in after.items()}
            assert not any(changed.values()), changed
