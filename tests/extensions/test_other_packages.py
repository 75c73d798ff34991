"""What `docs/extending.md` shows, installed as a package of somebody else and used by the real command."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from pathlib import Path

import click
import pytest

from independence.api.formats import Exporter, Importer
from independence.config import plugins
from independence.errors import UsageError
from independence.judge.kinds import JudgeKind
from independence.report.estimates import Estimator
from independence.report.scoring import Scoring
from tests import plugin
from tests.e2e import command, suites

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text("utf-8")
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
SHAPES = {
    plugins.IMPORTERS: Importer,
    plugins.EXPORTERS: Exporter,
    plugins.SCORING: Scoring,
    plugins.COMMANDS: click.Command,
    plugins.JUDGES: JudgeKind,
    plugins.ESTIMATES: Estimator,
}


def fenced(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def extended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store, for commands that find the package of the page."""
    (declared,) = fenced("toml")
    groups = tomllib.loads(declared)["project"]["entry-points"]
    lines = {
        group.partition(".")[2]: "\n".join(f"{name} = {value}" for name, value in own.items())
        for group, own in groups.items()
    }
    monkeypatch.syspath_prepend(
        plugin.install(tmp_path / "packages", "acme_extras", "\n".join(fenced("python")), **lines)
    )
    suites.write(tmp_path / "harbour", suites.harbour())
    run = ("run", "--suite", "harbour", "--runs", "2", "-j", "cues", "-m", "sim/half,sim/always", "--db", "here.db")
    command.ok(*run, cwd=tmp_path)
    return tmp_path


def test_the_package_of_the_page_imports_exports_scores_and_commands(extended: Path) -> None:
    def ok(*words: str) -> command.Ended:
        return command.ok(*words, "--db", "here.db", cwd=extended)

    assert re.fullmatch(r"harbour@[0-9a-f]{8}: \d+\n", ok("editions").out)
    assert "written: sim--always" in ok("export", "out", "--transcripts").err
    texts = sorted((extended / "out").glob("*.txt"))
    assert len(texts) == 2
    assert ", run 2\n" in texts[0].read_text("utf-8")
    strict = {row["label"]: row for row in ok("leaderboard", "--format", "json").board["rows"]}
    board = ok("leaderboard", "--scoring", "worst-run", "--format", "json").board
    assert board["scoring"] == "worst-run"
    assert {row["label"]: row["index"] for row in board["rows"]} == {
        label: min(row["per_run"]) for label, row in strict.items()
    }
    ok("label-sample", "labels.csv", "--size", "1")
    labels = list(csv.DictReader(io.StringIO((extended / "labels.csv").read_text("utf-8"))))
    scores = [f"{one['item']};{one['field']};{'true' if 'true' in one['scale'] else 1}" for one in labels]
    (extended / "Kim.survey").write_text("\n".join(scores), "utf-8")
    assert "human:Kim: 1 verdicts" in ok("import", "Kim.survey").err
    assert "nothing" in ok("import", "Kim.survey").err
    said = command.refused("import", "packages", "--db", "here.db", cwd=extended)
    assert "`vendor--model@low-t0.7`), answers of a survey (.survey), scores as .csv or .json, or a data set" in said


def test_names_that_nobody_declares_are_refused_and_help_needs_no_package(extended: Path) -> None:
    said = command.refused("leaderboard", "--scoring", "best-run", "--db", "here.db", cwd=extended)
    assert "no scoring rule `best-run`; there are strict, published, v1-early, v1, lite, v2-march, v2" in said
    assert "No such option '--transcript'" in command.run("export", "out", "--transcript", cwd=extended).err
    assert "--transcripts" not in command.ok("export", "--help", cwd=extended).out
    both = command.refused("export", "out", "--transcripts", "--parquet", "--db", "here.db", cwd=extended)
    assert "--parquet and --transcripts are layouts" in both


def test_an_object_of_another_kind_or_that_cannot_be_loaded_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "SURVEY = 'a text'"
    monkeypatch.syspath_prepend(
        plugin.install(tmp_path, "broken_extras", source, exporters="a = broken_extras:SURVEY\nb = broken_extras:OTHER")
    )
    for name, words in (("a", "is no Exporter"), ("b", "cannot be loaded")):
        with pytest.raises(UsageError, match=f"exporter `{name}`: broken_extras:.* {words}"):
            plugins.find(plugins.EXPORTERS, name, Exporter)


def test_our_own_extensions_are_declared_as_others_are_and_hold_what_they_say() -> None:
    assert {group: own for group, own in DECLARED.items() if group.startswith("independence.")} == plugins.OURS
    for group, shape in SHAPES.items():
        for name in plugins.ours(group):
            assert isinstance(plugins.find(group, name, shape), shape)
    assert set(re.findall(r"`(independence\.[a-z]+)` \|", PAGE)) >= SHAPES.keys()
