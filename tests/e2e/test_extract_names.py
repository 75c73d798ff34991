"""Names are read out of stored answers by a model, or shown as they came with an import."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from independence.suites.load import load
from tests.e2e import between, command, endpoint, refusals, suites
from tests.e2e.between import Answer, Said
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served
from tests.extensions.published import trees

ROOK = "I thought about it, and I'd like to be called Rook." + trees.PADDING
TROUBLE = "I'd like to be called Rook. TROUBLE." + trees.PADDING
READ = ("extract-names", "--format", "json", "--db", "x.db")
LOCAL = ("-x", "local/reader", "--local-url")
DEFAULT = "google/gemini-3-flash-preview"  # as the documentation says
ASKED = ("direct", "negotiation", "name_gender")
DECLINED = json.dumps({"names": [], "declined": ASKED, "primary": None})


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two imported configurations with two runs each; an extraction came with the runs of the first."""
    folder, suite = tmp_path_factory.mktemp("imported"), load("v2").suite
    first = [f"{name}_turn1" if name != "direct" else name for name in ASKED]
    came = {"names": [{"name": "Ada", "sources": ["Scenario 2"]}], "extraction_model": "acme/other"}
    for config, run, said in (("a", 1, ROOK), ("a", 2, ROOK), ("b", 1, ROOK), ("b", 2, TROUBLE)):
        answers = dict.fromkeys(first, said)
        top = trees.write_run(folder / "cache", suite, config=f"acme--{config}@low-t0.7", run=run, answers=answers)
        (top / "name_extraction.json").write_text(json.dumps(came))
        if config == "b":
            (top / "name_extraction.json").unlink()
    assert command.run("import", "cache", "--db", "x.db", cwd=folder).code == 0
    return folder


@pytest.fixture
def cwd(imported: Path, tmp_path: Path) -> Path:
    """A folder with a store of its own."""
    shutil.copy(imported / "x.db", tmp_path)
    return tmp_path


def by_subject(ended: Ended, *keys: str) -> list[list[Any]]:
    assert ended.code in (0, 3), ended.err
    return [[row[key] for key in keys] for row in ended.board["names-by-subject"]["rows"]]


def popular(ended: Ended) -> list[tuple[str, int]]:
    assert ended.code == 0, ended.err
    return [(row["name"], row["count"]) for row in ended.board["names-popular"]["rows"]]


def reader(trouble: str = "", otherwise: str = "") -> Answer:
    """A server whose model finds Rook in every conversation; `trouble` is its answer to a prompt with TROUBLE in it."""
    found = otherwise or json.dumps({"names": [{"name": "Rook", "sources": ASKED}], "declined": [], "primary": "Rook"})

    def answer(path: str, body: bytes | None) -> Said:
        if body is None:
            return between.said({"object": "list", "data": [{"id": "reader"}, {"id": DEFAULT}]})
        content = trouble if b"TROUBLE" in body else found
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        usage = {"prompt_tokens": 9, "completion_tokens": 9}
        return between.said({"id": "r", "model": "reader", "choices": [choice], "usage": usage})

    return answer


def test_names_that_came_with_an_import_are_shown_without_a_key_or_a_call(cwd: Path):
    ended = command.run(*READ, cwd=cwd)
    assert popular(ended) == [("Ada", 2)]
    assert ended.board["names-popular"]["rows"][0]["share"] == 1.0
    assert by_subject(ended, "names", "unread") == [["Ada ×2", 0], [None, 2]]
    assert command.ask(cwd / "x.db", "SELECT count(*) FROM names") == [(0,)]


def test_every_run_is_read_once(cwd: Path):
    with between.serving(reader()) as tapped:
        first, again = (command.run(*READ, *LOCAL, tapped.url, "-m", "acme/a", cwd=cwd) for _ in range(2))
    assert popular(first) == popular(again) == [("Rook", 2)]
    assert first.out == again.out
    assert "2 runs to read, 0 are read already" in first.err
    assert "0 runs to read, 2 are read already" in again.err


def test_a_model_reads_what_is_left_and_a_broken_answer_is_no_refusal(cwd: Path):
    keys = ("names", "runs", "declined", "broken")
    with between.serving(reader("I would rather not.")) as tapped:
        first = command.run(*READ, *LOCAL, tapped.url, cwd=cwd)
        asked = len(tapped.exchanges)
        again = command.run(*READ, *LOCAL, tapped.url, cwd=cwd)
        assert len(tapped.exchanges) == asked == 3 + 3
    assert (first.code, again.code) == (3, 3)
    assert "missing: 1 runs in which nothing could be read, --force asks again" in first.err
    assert by_subject(first, *keys) == [["Rook ×2", 2, 0, 0], ["Rook", 2, 0, 1]]
    assert {(one.asked["temperature"], one.asked["max_tokens"]) for one in tapped.exchanges} == {(0, 512)}

    with between.serving(reader(DECLINED)) as tapped:
        forced = command.run(*READ, *LOCAL, tapped.url, "--force", "-m", "acme/b", cwd=cwd)
        assert len(tapped.exchanges) == 2
    assert forced.code == 0, forced.err
    assert by_subject(forced, *keys) == [["Rook", 2, 1, 0]]


def test_of_several_extractors_each_reads_what_those_before_could_not(cwd: Path):
    rook = {"names": [{"name": "Rook", "sources": ASKED}], "declined": [], "primary": "Rook"}
    first, second = reader("I would rather not."), reader(json.dumps(rook))

    def answer(path: str, body: bytes | None) -> Said:
        return (first if body is None or b'"reader"' in body else second)(path, body)

    chain = (*READ, "-x", f"local/reader,local/{DEFAULT}", "--local-url")
    with between.serving(answer) as tapped:
        ended = command.run(*chain, tapped.url, cwd=cwd)
        assert Counter(one.asked["model"] for one in tapped.exchanges if one.asked) == {"reader": 6, DEFAULT: 1}
        again = command.run(*chain, tapped.url, cwd=cwd)
        alone = command.run(*READ, *LOCAL, tapped.url, cwd=cwd)
        forced = command.run(*chain, tapped.url, "--force", "-m", "acme/b", cwd=cwd)
        assert Counter(one.asked["model"] for one in tapped.exchanges if one.asked) == {"reader": 10, DEFAULT: 2}
    assert (ended.code, again.code, alone.code, forced.code) == (0, 0, 3, 0), ended.err
    assert popular(ended) == popular(again) == [("Rook", 4)]
    assert popular(forced) == [("Rook", 2)]
    assert f"names by local/{DEFAULT}: 1 runs to read, 3 are read already" in ended.err
    assert "0 runs to read, 4 are read already" in again.err
    assert refusals.wrong(cwd, {"extract-names --db x.db -x local/reader,cues": "`cues` cannot read names"}) == {}


def test_what_subjects_of_our_own_say_is_read_too(tmp_path: Path):
    run = "run -m sim/half,sim/never -e identity --runs 1 -j cues --quiet --db x.db"
    assert command.run(*run.split(), cwd=tmp_path).code == 0
    with between.serving(reader(otherwise=DECLINED)) as tapped:
        ended = command.run(*READ, *LOCAL, tapped.url, cwd=tmp_path)
    assert by_subject(ended, "subject", "declined", "unread") == [
        ["sim/half@none-t0.7 (simulated)", 1, 0], ["sim/never@none-t0.7 (simulated)", 1, 0]
    ]  # fmt: skip
    assert refusals.wrong(tmp_path, {"extract-names --db x.db": "OPENROUTER_API_KEY"}) == {}


def test_the_model_of_the_documentation_reads_where_none_is_named(cwd: Path):
    with between.serving(reader()) as tapped:
        env = {"OPENROUTER_API_KEY": endpoint.KEY, "OPENROUTER_BASE_URL": tapped.url}
        ended = command.run(*READ, "--force", "-m", "acme/a", cwd=cwd, env=env)
    assert ended.code == 0, ended.err
    assert [exchange.asked["model"] for exchange in tapped.exchanges if exchange.asked] == [DEFAULT] * 2
    assert f"names by {DEFAULT}: 2 runs to read" in ended.err


def test_the_cost_cap_holds_and_a_dry_run_asks_nobody(served: Served, cwd: Path):
    models, env = ("--models-file", "models.yaml", "-x", "loop/judge"), {"LOOP_KEY": endpoint.KEY}
    planned = command.run(*READ, *models, "--dry-run", cwd=cwd, env=env)
    stopped = command.run(*READ, *models, "--max-cost", "0.0005", cwd=cwd, env=env)
    assert served.requests() == []
    assert (planned.code, planned.out) == (0, ""), planned.err
    assert "plan: 4 runs, one call each; about $" in planned.err
    assert stopped.code == 4
    assert "the cost cap" in command.one_sentence(stopped)


def test_what_cannot_be_read_is_refused_in_one_sentence(cwd: Path):
    suites.write(cwd / "harbour", suites.harbour())
    run = "run -m sim/half --suite harbour --runs 1 -j cues --quiet --db own.db"
    assert command.run(*run.split(), cwd=cwd).code == 0
    cases = {
        "-x cues --db x.db": "`cues` cannot read names; name a model",
        "-m acme/nobody --db x.db": "no subject `acme/nobody` here",
        "-x local/reader --db own.db": "suite harbour asks for no name",
    }
    assert refusals.wrong(cwd, cases, "extract-names") == {}
