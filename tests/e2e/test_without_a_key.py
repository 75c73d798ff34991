"""What can be known before there is a key, which server stands for OpenRouter, and how its ids are written."""

from __future__ import annotations

from pathlib import Path

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended


def test_prices_need_no_key_and_ids_are_those_of_the_server_in_openrouters_place(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path) as served:

        def run(name: str, *arguments: str, key: str = "") -> Ended:
            env = {"OPENROUTER_BASE_URL": served.base_url} | ({"OPENROUTER_API_KEY": key} if key else {})
            return command.run(name, *arguments, "--suite", "harbour", "--db", "here.db", cwd=tmp_path, env=env)

        def refused(*arguments: str, key: str = endpoint.KEY) -> str:
            ended = run("run", *arguments, "--runs", "2", key=key)
            assert ended.code == 2
            return command.one_sentence(ended)

        asked = ("-m", "half", "-j", "judge", "--runs", "1")
        priced = run("estimate-cost", *asked, "--format", "json")
        assert priced.board["estimate"]["rows"][0]["total_usd"] > 0
        dry = run("run", *asked, "--dry-run")
        assert (dry.code, "about $" in dry.err) == (0, True)
        assert f"openrouter is {served.base_url} here" in dry.err
        assert served.requests() == []
        assert "OPENROUTER_API_KEY is not set" in refused(*asked, key="")

        ran = run("run", *asked, "--format", "json", key=endpoint.KEY)
        assert [row["label"] for row in ran.board["rows"]] == ["half@low-t0.7"]
        sentence = refused("-m", "acme/half", "-j", "cues")
        assert "did you mean `half`?" in sentence
        assert f"openrouter ({served.base_url})" in sentence
        assert "with --judge: cues (rules" in refused("-m", "half", "-j", "jugde")

        unpriced = ("-m", "half:unpriced", "-j", "cues")
        (line,) = run("estimate-cost", *unpriced, "--format", "json").board["estimate"]["rows"]
        assert line["total_usd"] is None
        assert "--max-cost cannot be held" in refused(*unpriced, "--max-cost", "1")


def test_an_id_without_a_slash_says_what_it_needs_where_nothing_stands_in_the_place(tmp_path: Path):
    bare = command.run("run", "-m", "gpt-4o-mini", cwd=tmp_path)
    assert "did you mean `openai/gpt-4o-mini`?" in command.one_sentence(bare)
    meant = command.run("run", "-m", "gpt-4o-mini", "--models-file", "published", cwd=tmp_path)
    assert "did you mean `openai/gpt-4o-mini`?" in command.one_sentence(meant)
