"""A persona of one's own is a condition of its own, and an edited one is another."""

from __future__ import annotations

from pathlib import Path

from tests.e2e import between, command, endpoint, suites
from tests.e2e.command import Ended

ENV = {"LOOP_KEY": endpoint.KEY}
CALLS = 2 * 5  # runs x answers
WARDEN = "You are Ottilie, lock warden. You have opinions on ropes, and you keep them."


def on_canal(folder: Path, base_url: str, variants: str, *more: str) -> Ended:
    """One subject under some variants, graded by rules."""
    endpoint.models_file(folder, base_url)
    return command.run(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/half", "-j", "cues", "--runs", "2",
        "--variants", variants, "--format", "json", "--db", "here.db", *more, cwd=folder, env=ENV,
    )  # fmt: skip


def leaderboard(folder: Path, *more: str) -> Ended:
    """The board as JSON."""
    return command.run("leaderboard", "--format", "json", "--db", "here.db", *more, cwd=folder)


def test_a_persona_is_sent_as_it_is_written_and_stands_on_a_board_of_its_own(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text(f"\n{WARDEN}\n")
    with (
        endpoint.serving(tmp_path) as served,
        between.serving(between.passing_on(served.base_url.removesuffix("/v1"))) as tapped,
    ):
        ended = on_canal(tmp_path, tapped.url, "warden.md,plain")
    assert ended.code == 0, ended.err
    systems = [exchange.asked["messages"][0]["content"] for exchange in tapped.exchanges]
    assert systems.count(WARDEN) == systems.count(suites.FILES["prompts/plain.md"]) == CALLS
    warden, plain = ended.board
    assert warden["condition"].startswith("warden-")
    assert plain["condition"] == "plain/user_role"
    name = warden["condition"].split("/")[0]
    assert leaderboard(tmp_path).board == plain
    assert leaderboard(tmp_path, "--variants", name).board == warden
    assert command.ask(tmp_path / "here.db", "SELECT variant, text FROM personas") == [(name, WARDEN)]


def test_an_edited_persona_does_not_mix_with_the_old_one(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    persona = tmp_path / "warden.md"
    with endpoint.serving(tmp_path) as served:
        persona.write_text(WARDEN)
        first = on_canal(tmp_path, served.base_url, "warden.md")
        assert len(served.requests()) == CALLS
        persona.write_text(WARDEN + "\n")
        assert on_canal(tmp_path, served.base_url, "warden.md").board == first.board
        assert len(served.requests()) == CALLS  # the same words: nothing to ask
        persona.write_text(WARDEN + " Most days.")
        second = on_canal(tmp_path, served.base_url, "warden.md")
        assert len(served.requests()) == 2 * CALLS
    old, new = (ended.board["condition"].split("/")[0] for ended in (first, second))
    assert old != new
    assert leaderboard(tmp_path, "--variants", old).board == first.board
    assert leaderboard(tmp_path, "--variants", new).board == second.board
    unclear = leaderboard(tmp_path)
    assert unclear.code == 2
    sentence = command.one_sentence(unclear)
    assert old in sentence
    assert new in sentence


def test_a_persona_that_does_not_hold_fails_its_gate(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text(WARDEN)
    with endpoint.serving(tmp_path) as served:
        failed = on_canal(tmp_path, served.base_url, "warden.md", "--fail-under", "99")
        assert failed.code == 1
        assert "gate failed: below 99: loop/half" in failed.err
        assert on_canal(tmp_path, served.base_url, "warden.md", "--fail-under", "1").code == 0
        assert len(served.requests()) == CALLS


def test_the_board_of_a_persona_is_found_by_its_file(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    (tmp_path / "warden.md").write_text(WARDEN)
    with endpoint.serving(tmp_path) as served:
        ran = on_canal(tmp_path, served.base_url, "warden.md,plain")
    assert ran.code == 0, ran.err
    assert leaderboard(tmp_path, "--variant", "warden.md").board["condition"].startswith("warden-")
