"""Servers of one's own: weights tell subjects and judges of one id apart, the only model needs no name, several
servers share the calls of an endpoint.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import independence
from independence.clients.protocol import ServerLost
from independence.engine.events import CallCommitted, Event
from independence.testing import Endpoint
from tests import toy
from tests.e2e import command, endpoint

Q8, Q4, BOTH = "/models/half-Q8_0.gguf", "/models/half-Q4_K_M.gguf", "/models/half.gguf"


@contextmanager
def served(*told: str, models: str = "half", slots: int = 2, latency: float = 0) -> Iterator[list[Endpoint]]:
    """A server for each file of weights, with these models; the file "" is not told."""
    listed = ",".join(f"lists={model}" for model in models.split())
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                Endpoint(latency=latency, ways=f"{listed},props={slots},weights={file}" if file else listed)
            )
            for file in told
        ]


class Shell:
    """`run` on the toy suite with one store."""

    def __init__(self, cwd: Path) -> None:
        self.cwd = cwd
        toy.write(cwd / "toy")

    def __call__(self, *more: str | Path, name: str = "run", judge: str = "cues") -> command.Ended:
        asked = ("--suite", "toy", "--runs", "1") if name == "run" else ()
        return command.run(name, *asked, "-j", judge, "--db", "x.db", "--delivery", "user_role", *more, cwd=self.cwd)

    def subjects(self) -> list[str]:
        return [row[0] for row in command.ask(self.cwd / "x.db", "SELECT DISTINCT config_dir FROM planned ORDER BY 1")]

    def judges(self) -> list[str]:
        return [row[0] for row in command.ask(self.cwd / "x.db", "SELECT DISTINCT judge FROM verdicts ORDER BY 1")]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_weights_tell_subjects_of_one_id_apart_wherever_they_are_served(shell: Shell) -> None:
    with served("", Q8, Q8, Q4) as (silent, eight, moved, four):
        assert shell("--local-url", silent.url, "-m", "local/half").code == 0
        begun = shell("--local-url", eight.url, "-m", "local/half")
        assert (begun.code, "also has answers of local/half@low-t0.7" in begun.err) == (0, True), begun.err
        again = shell("--local-url", moved.url)
        assert (again.code, "plan: 0 calls and 0 verdicts to go" in again.err, moved.requests) == (0, True, 0)
        assert "also has" not in again.err
        assert shell("--local-url", four.url, "-m", "local").code == 0
        named = ["local--half+half-Q4_K_M@low-t0.7", "local--half+half-Q8_0@low-t0.7", "local--half@low-t0.7"]
        assert shell.subjects() == named
        board = command.ok("leaderboard", "--db", "x.db", "--format", "json", cwd=shell.cwd).board
        assert sorted(row["config"] for row in board["rows"]) == named
        # What was asked under no name goes on by its label, on a server that tells one as well.
        old = shell("--local-url", eight.url, "-m", "local/half@low-t0.7", "--dry-run")
        assert "plan: 0 calls" in old.err
        for more in (("-m", "local/half+half-Q4_K_M"), ("-m", "local/half+half-Q4_K_M@low-t0.7")):
            said = shell("--local-url", eight.url, *more)
            assert (said.code, "is the model with the weights" in said.err) == (2, True), said.err
        for more, code in ((("-m", named[0].replace("--", "/")), 2), (("-m", named[1].replace("--", "/")), 0)):
            said = shell("--local-url", eight.url, *more, "-R", "2", name="rerun")
            assert said.code == code, said.err
        given = shell("--local-url", eight.url, "--provider", "mine", "--dry-run")
        assert "local/half+mine@low-t0.7" in given.err
        dry = command.ok(
            "estimate-cost", "--suite", "toy", "--local-url", four.url, "--no-judge", "--db", "x.db", cwd=shell.cwd
        )
        assert "half-Q4_K_M@low-t0.7" in dry.out


def test_a_complete_run_needs_no_server_to_show_its_board(shell: Shell) -> None:
    with served(Q8) as (server,):
        first = shell("--local-url", server.url, "--local-model", "half")
    again = shell("--local-url", server.url, "--local-model", "half")
    assert (first.code, again.code, again.out) == (0, 0, first.out)
    longer = shell("--local-url", server.url, "--local-model", "half", "--runs", "2")
    assert (longer.code, "no server answers" in longer.err) == (2, True), longer.err


def test_weights_tell_judges_of_one_id_apart(shell: Shell) -> None:
    with served("", Q8, Q4, models="judge") as (silent, *named):
        assert command.ok(
            "run", "--suite", "toy", "-m", "sim/half", "--runs", "1", "--no-judge", "--db", "x.db", cwd=shell.cwd
        )
        for server, judge in ((silent, "local/judge"), (named[0], "local"), (named[1], "local/judge")):
            ended = command.run("judge", "-j", judge, "--local-url", server.url, "--db", "x.db", cwd=shell.cwd)
            assert ended.code == 0, ended.err
        assert shell.judges() == ["local/judge", "local/judge+half-Q4_K_M", "local/judge+half-Q8_0"]
        before = named[1].requests
        for more, code in ((("-j", "local/judge+half-Q4_K_M"), 0), (("-j", "local/judge+half-Q8_0"), 2)):
            ended = command.run("judge", *more, "--local-url", named[1].url, "--db", "x.db", cwd=shell.cwd)
            assert (ended.code, named[1].requests) == (code, before), ended.err


def test_a_server_s_only_model_needs_no_name(shell: Shell) -> None:
    with served(BOTH, "", models="half nomic-embed") as (one, _), served("", models="half firm") as (several,):
        by_variable = {"LOCAL_MODEL_URL": one.url}
        # How it is named, what the environment says, the exit code, and words of the plan or the error.
        cases = [
            (("--local-url", one.url), {}, 0, "plan: "),
            (("--local-url", one.url, "-m", "local"), {}, 0, "plan: "),
            ((), by_variable, 0, "plan: "),
            (
                ("--local-url", several.url),
                {},
                2,
                f"2 models of {several.url}; use a full name: local/firm, local/half",
            ),
            (("--local-url", several.url), {"LOCAL_MODEL_ID": "half"}, 0, "plan: "),
            (("-m", "local"), {}, 2, "needs --local-url"),
            (("-m", "half", "--local-url", one.url), {}, 2, "did you mean `local/half`"),
            (("-m", "sim/half"), by_variable, 0, "plan: "),  # a variable redirects nothing
        ]
        wrong = {}
        for more, env, code, words in cases:
            line = ("run", "--suite", "toy", "-j", "cues", "--dry-run", "--db", "n.db", *more)
            ended = command.run(*line, cwd=shell.cwd, env=env)
            if ended.code != code or words not in ended.err:
                wrong[more] = ended
    assert wrong == {}


def test_several_servers_share_the_calls_and_one_that_dies_leaves_its_own_to_the_others(tmp_path: Path) -> None:
    toy.write(tmp_path / "toy")
    heard: list[Event] = []
    # Calls take a moment, or each could end before the next begins, and all would go to one.
    with served(Q8, latency=0.05) as (stays,), ExitStack() as mortal:
        (dies,) = mortal.enter_context(served("/elsewhere/half-Q8_0.gguf", latency=0.05))

        def hear(event: Event) -> None:
            heard.append(event)
            if sum(isinstance(one, CallCommitted) for one in heard) == 4:
                mortal.close()

        asked = (str(tmp_path / "toy"), tmp_path / "x.db")
        result = independence.run(
            asked[0], models=["local"], judges=["cues"], runs=6, store=asked[1], on_event=hear, modes=["user_role"],
            local_url=f"{stays.url},{dies.url}",
        )  # fmt: skip
        lost = [one.address for one in heard if isinstance(one, ServerLost)]
        assert (result.complete, lost) == (True, [dies.url])
        assert min(stays.requests, dies.requests) > endpoint.PROBED  # both were probed, and both were asked
    assert len(command.ask(asked[1], "SELECT DISTINCT config_dir FROM planned")) == 1


def test_servers_that_share_an_endpoint_must_answer_alike(shell: Shell) -> None:
    with served(Q8, Q4) as (eight, four), served("", models="firm") as (other,):
        (shell.cwd / "models.yaml").write_text(
            f'models: [farm/half]\nendpoints:\n  - {{name: farm, base_url: ["{eight.url}", "{four.url}"]}}\n'
        )
        for more in ((), ("-m", "local/half", "--local-url", f"{eight.url},{four.url}")):
            said = shell(*more)
            words = f"half-Q8_0 at {eight.url}, half-Q4_K_M at {four.url}"
            assert (said.code, words in said.err) == (2, True), said.err
        said = shell("-m", "local/half", "--local-url", f"{eight.url},{other.url}")
        assert (said.code, f"`half` is not listed at {other.url}" in said.err) == (2, True), said.err
        found = command.run("doctor", "--local-url", f"{eight.url},{four.url}", "--format", "json", cwd=shell.cwd)
        assert found.code == 1
        for words in ("weights half-Q8_0; 2 slots; context of 131,072 tokens; chat template", "different weights"):
            assert words in found.out
