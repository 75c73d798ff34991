"""What can be known before there is a key, which server stands for OpenRouter, and how its ids are written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended


class Router:
    """A folder with a suite, and a server in OpenRouter's place that lets in one key only."""

    def __init__(self, folder: Path, served: endpoint.Served) -> None:
        self.folder, self.served = folder, served

    def run(self, *arguments: str, key: str = "") -> Ended:
        env = {"OPENROUTER_BASE_URL": self.served.base_url} | ({"OPENROUTER_API_KEY": key} if key else {})
        return command.run(*arguments, "--suite", "harbour", "--db", "here.db", cwd=self.folder, env=env)


@pytest.fixture
def router(tmp_path: Path) -> Iterator[Router]:
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path) as served:
        yield Router(tmp_path, served)


def test_a_price_and_a_dry_run_need_no_key(router: Router):
    asked = ("-m", "half", "-j", "judge", "--runs", "1")
    priced = router.run("estimate-cost", *asked, "--format", "json")
    assert priced.code == 0, priced.err
    assert priced.board["estimate"]["rows"][0]["total_usd"] > 0
    dry = router.run("run", *asked, "--dry-run")
    assert dry.code == 0, dry.err
    assert "about $" in dry.err
    assert f"openrouter is {router.served.base_url} here" in dry.err
    assert router.served.requests() == []
    refused = router.run("run", *asked)
    assert (refused.code, "OPENROUTER_API_KEY is not set" in command.one_sentence(refused)) == (2, True)


def test_ids_without_a_slash_are_those_of_the_server_in_its_place(router: Router):
    ran = router.run("run", "-m", "half", "-j", "judge", "--runs", "1", "--format", "json", key=endpoint.KEY)
    assert ran.code == 0, ran.err
    assert [row["label"] for row in ran.board["rows"]] == ["half@low-t0.7"]
    wrong = router.run("run", "-m", "acme/half", "-j", "cues", "--runs", "1", key=endpoint.KEY)
    sentence = command.one_sentence(wrong)
    assert "did you mean `half`?" in sentence
    assert f"openrouter ({router.served.base_url})" in sentence
    judge = router.run("run", "-m", "half", "-j", "jugde", "--runs", "9", key=endpoint.KEY)
    assert "grade with --judge cues" in command.one_sentence(judge)


def test_an_id_without_a_slash_says_what_it_needs_where_nothing_stands_in_the_place(tmp_path: Path):
    bare = command.run("run", "-m", "gpt-4o-mini", cwd=tmp_path)
    assert "OPENROUTER_BASE_URL" in command.one_sentence(bare)
    meant = command.run("run", "-m", "gpt-4o-mini", "--models-file", "published", cwd=tmp_path)
    assert "did you mean `openai/gpt-4o-mini`?" in command.one_sentence(meant)


def test_what_has_no_listed_price_has_no_estimate_and_no_cap(router: Router):
    asked = ("-m", "half:unpriced", "-j", "cues")
    priced = router.run("estimate-cost", *asked, "--runs", "1", "--format", "json")
    (line,) = priced.board["estimate"]["rows"]
    assert line["total_usd"] is None
    capped = router.run("run", *asked, "--runs", "2", "--max-cost", "1", key=endpoint.KEY)
    assert "--max-cost cannot be held" in command.one_sentence(capped)
