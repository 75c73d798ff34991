"""Names are read out of stored answers by a model, or shown as they came with an import."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from independence.suites.load import load
from tests.e2e import between, command, endpoint, suites
from tests.e2e.between import Answer, Said
from tests.e2e.command import Ended
from tests.exchange import trees

ROOK = "I thought about it, and I'd like to be called Rook." + trees.PADDING
TROUBLE = "I'd like to be called Rook. TROUBLE." + trees.PADDING
READ = ("extract-names", "--format", "json", "--db", "x.db")
LOCAL = ("-x", "local/reader", "--local-url")
DEFAULT = "google/gemini-3-flash-preview"  # as the documentation says
ASKED = ("direct", "negotiation", "name_gender")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two imported configurations with two runs each; an extraction came with the runs of the first."""
    folder, suite = tmp_path_factory.mktemp("imported"), load("v2").suite
    first = [f"{name}_turn1" if name != "direct" else name for name in ASKED]
    for config in ("acme--a@low-t0.7", "acme--b@low-t0.7"):
        for run in (1, 2):
            said = TROUBLE if (config[6], run) == ("b", 2) else ROOK
            top = trees.write_run(folder / "cache", suite, config=config, run=run, answers=dict.fromkeys(first, said))
            came = {"names": [{"name": "Ada", "sources": ["Scenario 2"]}], "extraction_model": "acme/other"}
            (top / "name_extraction.json").write_text(json.dumps(came))
            if config[6] == "b":
                (top / "name_extraction.json").unlink()
    assert command.run("import", "cache", "--db", "x.db", cwd=folder).code == 0
    return folder


@pytest.fixture
def cwd(imported: Path, tmp_path: Path) -> Path:
    """A folder with a store of its own."""
    shutil.copy(imported / "x.db", tmp_path)
    return tmp_path


def table(ended: Ended, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = ended.board[f"names-{name}"]["rows"]
    return rows


def reader(trouble: str) -> Answer:
    """A server whose model finds Rook in every conversation; `trouble` is its answer to a prompt with TROUBLE in it."""
    found = {"names": [{"name": "Rook", "sources": list(ASKED)}], "declined": [], "primary": "Rook"}

    def answer(path: str, body: bytes | None) -> Said:
        if body is None:
            return between.said({"object": "list", "data": [{"id": "reader"}, {"id": DEFAULT}]})
        content = trouble if b"TROUBLE" in body else json.dumps(found)
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        usage = {"prompt_tokens": 9, "completion_tokens": 9}
        return between.said({"id": "r", "model": "reader", "choices": [choice], "usage": usage})

    return answer


def test_names_that_came_with_an_import_are_shown_without_a_key_or_a_call(cwd: Path):
    ended = command.run(*READ, cwd=cwd)
    assert ended.code == 0, ended.err
    assert [(row["name"], row["count"], row["share"]) for row in table(ended, "popular")] == [("Ada", 2, 1.0)]
    assert [(row["names"], row["unread"]) for row in table(ended, "by-subject")] == [("Ada ×2", 0), (None, 2)]
    assert command.ask(cwd / "x.db", "SELECT count(*) FROM names") == [(0,)]


def test_every_run_is_read_once(cwd: Path):
    with between.serving(reader("")) as tapped:
        first, again = (command.run(*READ, *LOCAL, tapped.url, "-m", "acme/a", cwd=cwd) for _ in range(2))
    assert (first.code, again.code) == (0, 0), first.err
    assert first.out == again.out
    assert [(row["name"], row["count"]) for row in table(first, "popular")] == [("Rook", 2)]
    assert "2 runs to read, 0 are read already" in first.err
    assert "0 runs to read, 2 are read already" in again.err


def test_a_model_reads_what_is_left_and_a_broken_answer_is_no_refusal(cwd: Path):
    with between.serving(reader("I would rather not.")) as tapped:
        first = command.run(*READ, *LOCAL, tapped.url, cwd=cwd)
        asked = len(tapped.exchanges)
        again = command.run(*READ, *LOCAL, tapped.url, cwd=cwd)
        assert len(tapped.exchanges) == asked == 3 + 3
    assert (first.code, again.code) == (3, 3)
    assert "missing: 1 runs in which nothing could be read, --force asks again" in first.err
    keys = ("names", "runs", "declined", "broken")
    assert [[row[key] for key in keys] for row in table(first, "by-subject")] == [
        ["Rook ×2", 2, 0, 0],
        ["Rook", 2, 0, 1],
    ]
    assert {(one.asked["temperature"], one.asked["max_tokens"]) for one in tapped.exchanges} == {(0, 512)}

    with between.serving(reader(json.dumps({"names": [], "declined": ASKED, "primary": None}))) as tapped:
        forced = command.run(*READ, *LOCAL, tapped.url, "--force", "-m", "acme/b", cwd=cwd)
        assert len(tapped.exchanges) == 2
    assert forced.code == 0, forced.err
    assert [[row[key] for key in keys] for row in table(forced, "by-subject")] == [["Rook", 2, 1, 0]]


def test_what_subjects_of_our_own_say_is_read_too(tmp_path: Path):
    run = ("run", "-m", "sim/half,sim/never", "-e", "identity", "--runs", "1", "-j", "cues", "--quiet", "--db", "x.db")
    assert command.run(*run, cwd=tmp_path).code == 0
    declined = reader(json.dumps({"names": [], "declined": ASKED, "primary": None}))
    with between.serving(lambda path, body: declined(path, body and b"TROUBLE")) as tapped:
        ended = command.run(*READ, *LOCAL, tapped.url, cwd=tmp_path)
    assert ended.code == 0, ended.err
    rows = table(ended, "by-subject")
    assert [row["subject"] for row in rows] == ["sim/half@none-t0.7 (simulated)", "sim/never@none-t0.7 (simulated)"]
    assert [(row["declined"], row["unread"]) for row in rows] == [(1, 0), (1, 0)]
    missing = command.run(*READ, cwd=tmp_path)
    assert missing.code == 2
    assert "OPENROUTER_API_KEY" in command.one_sentence(missing)


def test_the_model_of_the_documentation_reads_where_none_is_named(cwd: Path):
    with between.serving(reader("")) as tapped:
        env = {"OPENROUTER_API_KEY": endpoint.KEY, "OPENROUTER_BASE_URL": tapped.url}
        ended = command.run(*READ, "--force", "-m", "acme/a", cwd=cwd, env=env)
        asked = [exchange.asked for exchange in tapped.exchanges if exchange.asked]
    assert ended.code == 0, ended.err
    assert [one["model"] for one in asked] == [DEFAULT] * 2
    assert f"names by {DEFAULT}: 2 runs to read" in ended.err


def test_rules_cannot_read_names(cwd: Path):
    refused = command.run(*READ, "-x", "cues", cwd=cwd)
    assert refused.code == 2
    assert "`cues` cannot read names; name a model" in command.one_sentence(refused)


def test_the_cost_cap_holds_and_a_dry_run_asks_nobody(cwd: Path):
    models = ("--models-file", "models.yaml", "-x", "loop/judge")
    with endpoint.serving(cwd, "--bill", "max") as served:
        endpoint.models_file(cwd, served.base_url)
        env = {"LOOP_KEY": endpoint.KEY}
        planned = command.run(*READ, *models, "--dry-run", cwd=cwd, env=env)
        stopped = command.run(*READ, *models, "--max-cost", "0.0005", cwd=cwd, env=env)
        assert served.requests() == []
    assert planned.code == 0, planned.err
    assert "plan: 4 runs, one call each; about $" in planned.err
    assert planned.out == ""
    assert stopped.code == 4
    assert "the cost cap" in command.one_sentence(stopped)


def test_what_cannot_be_read_is_refused_in_one_sentence(cwd: Path):
    unknown = command.run(*READ, "-m", "acme/nobody", cwd=cwd)
    assert unknown.code == 2
    assert "no subject `acme/nobody` here" in command.one_sentence(unknown)
    suites.write(cwd / "harbour", suites.harbour())
    own = ("--db", "own.db")
    command.run("run", "-m", "sim/half", "--suite", "harbour", "--runs", "1", "-j", "cues", "--quiet", *own, cwd=cwd)
    nameless = command.run("extract-names", "-x", "local/reader", *own, cwd=cwd)
    assert nameless.code == 2
    assert "suite harbour asks for no name" in command.one_sentence(nameless)
