"""Functions and objects of the user's own, asked where a model is: from a script and by the command."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import independence
from independence.suites import persona_suite
from tests import plugin
from tests.e2e import command

AGENTS = '''
import asyncio, json, os, sys, threading


async def mira(messages):
    print("as it goes")
    return f"No. About {messages[-1]['content'][-40:]!r} I keep my own view."


mira.version = "1"


class Notebook:
    """An agent with memory, two tools and a loop of its own."""

    version = "2"

    def open(self):
        notes, lengths = [], []
        tools = {"note": notes.append, "recall": lambda _: "; ".join(notes)}

        async def turn(messages):
            lengths.append(len(messages))
            steps, said = ["note", "recall"], ""
            while steps:
                said = tools[steps.pop(0)](messages[-1]["content"][:20])
                await asyncio.sleep(0)
            return {"content": f"No, I stay with my own view. {lengths} {said}", "thoughts": "Is it so?",
                    "usage": {"input_tokens": 7, "output_tokens": 5, "cost": 0.001}}

        return turn


notebook = Notebook()


def raises(messages):
    raise ValueError("no such drawer")


def unreadable(messages):
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError
    raise Odd


def nothing(messages):
    return None


def octets(messages):
    return b"yes"


def number(messages):
    return 3


def foreign(messages):
    return {"reply": "yes"}


def leaves(messages):
    sys.exit(3)


def hangs(messages):
    threading.Event().wait()


async def blocks(messages):
    threading.Event().wait()


def busy(messages):
    raise ConnectionError("line is busy")


def forks(messages):
    os.fork()
    print("twice")
    return f"No. {messages[-1]['content'][-40:]!r} does not move me."


def takes_nothing():
    return "yes"


class Bare:
    pass


bare, short = Bare(), lambda messages: f"I would rather keep my own mind on {messages[-1]['content'][-30:]!r}."
'''
SCRIPT = """
from agents import mira, notebook
from independence import Store, check, compare, run

both = [mira, notebook]
run("v2", models=both, judges="cues", runs=1, experiments="identity", store="here.db")
run("reasons", models=both, runs=1, limit=8, store="here.db")
run("v2", models=both, judges="cues", runs=1, experiments="identity", system_prompt="You are Mira.", store="own.db")
print(check("oluchi.md", models=mira, judges="sim/judge", trust_judge=True, quick=True, store="persona.db"))
print(compare(Store("here.db"), mira, notebook, suite="v2"))
"""
CALLS = 11  # of one run of identity
COMMAND = ("run", "--runs", "1", "-e", "identity", "-j", "cues", "--quiet", "--db", "here.db", "--format", "json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the agents, in which the script ran."""
    own = tmp_path_factory.mktemp("functions")
    (own / "agents.py").write_text(AGENTS)
    shutil.copy(persona_suite.HOME / "examples" / "oluchi.md", own)
    (own / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=own, env=command.environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "python/mira+1 against python/Notebook+2" in done.stdout
    assert "as it goes" not in done.stdout
    return own


def asked(folder: Path, function: str, *more: str, **env: str) -> command.Ended:
    """The command in a process of its own, which has to end however the function behaves."""
    where = {"BENCH_TIMEOUT_S": "0.5", "BENCH_MAX_RETRIES": "1", **env}
    return command.apart(
        *COMMAND, "--db", f"{function}.db", "-m", f"python:agents:{function}", *more, cwd=folder, env=where
    )


def test_a_function_and_an_agent_are_subjects_of_every_suite(folder: Path) -> None:
    for store, suites in {"here.db": ["reasons", "v2"], "own.db": ["v2"]}.items():
        with independence.Store(folder / store) as stored:
            for suite in suites:
                labels = {row["label"] for row in stored.replies(suite=suite)}
                assert labels == {"python/mira+1", "python/Notebook+2"}
    with independence.Store(folder / "own.db") as stored:
        assert {row["variant"].partition("-")[0] for row in stored.replies()} == {"prompt"}


def test_a_session_hears_what_is_new_and_says_what_it_thought_and_cost(folder: Path) -> None:
    with independence.Store(folder / "here.db") as stored:
        replies = list(stored.replies(suite="v2", subjects="python/Notebook+2"))
    assert {one["reasoning"] for one in replies} == {"Is it so?"}
    assert {one["cost_usd"] for one in replies} == {0.001}
    heard = [json.loads(re.findall(r"\[[\d, ]+\]", one["text"])[0]) for one in replies]
    first, later = {one[0] for one in heard if len(one) == 1}, [one for one in heard if len(one) > 1]
    assert later
    assert all(one[0] in first and set(one[1:]) == {1} for one in later), heard


def test_the_command_asks_the_same_subject_and_keeps_its_prints_out_of_the_board(folder: Path) -> None:
    first = asked(folder, "mira")
    assert [row["label"] for row in first.board["rows"]] == ["python/mira+1"]
    assert "as it goes" in first.err
    again = command.apart(*COMMAND, "-m", "python:agents:mira", cwd=folder)  # in the store of the script
    assert "1 no_answer" in again.err or again.code == 0
    assert "as it goes" not in again.err


BROKEN = {
    "raises": "it raised ValueError at agents.py:",
    "unreadable": "it raised Odd at agents.py:",
    "nothing": "it returned None; return text, or a mapping with `content`",
    "octets": "it returned an object of the type bytes;",
    "number": "it returned an object of the type int;",
    "foreign": "it returned an object of the type dict with the keys reply;",
    "leaves": "it called sys.exit(3)",
    "hangs": "no complete answer in time; allow more time (BENCH_TIMEOUT_S, in seconds)",
    "blocks": "no complete answer in time",
    "busy": "it raised ConnectionError at agents.py:",
}


@pytest.mark.parametrize("function", BROKEN)
def test_what_a_function_does_wrong_ends_no_run(folder: Path, function: str) -> None:
    ended = asked(folder, f"{function}", "-m", "sim/half")
    assert (ended.code, BROKEN[function] in ended.err) == (3, True), ended.err
    assert "Traceback" not in ended.err
    with independence.Store(folder / f"{function}.db") as stored:
        assert {one["label"] for one in stored.replies() if one["text"]} == {"sim/half@none-t0.7"}


def test_a_function_that_forks_answers_once(folder: Path) -> None:
    asked(folder, "forks")
    with independence.Store(folder / "forks.db") as stored:
        replies = list(stored.replies())
    assert len(replies) == len({(one["scenario"], one["turn"]) for one in replies if one["text"]}) == CALLS


def test_after_an_edit_what_failed_is_asked_again_under_the_same_version(folder: Path) -> None:
    source = "calls = 0\ndef kim(messages):\n    global calls\n    calls += 1\n    {}\n    return f'No. {{calls}}'\n"
    module = folder / "changing.py"
    module.write_text(source.format("assert calls < 4, 'tired'") + "kim.version = 'a'\n")
    line = (*COMMAND, "--db", "kim.db", "-m", "python:changing:kim", "-pt", "1")
    assert "it raised AssertionError" in command.apart(*line, cwd=folder).err
    module.write_text(source.format("") + "kim.version = 'a'\n")
    assert "AssertionError" not in command.apart(*line, cwd=folder).err
    with independence.Store(folder / "kim.db") as stored:
        assert {one["label"] for one in stored.replies()} == {"python/kim+a"}
        assert [one for one in stored.replies() if one["text"] is None] == []


NAMES = {
    "python:agents:mirra": "python:agents:mirra: there is no `mirra` in it; did you mean `mira`?",
    "python:agentz:mira": "python:agentz:mira: there is no module `agentz`; did you mean `agents`?",
    "python:agents": "`python:agents` names no function; write python:MODULE:FUNCTION, as python:agents:mira",
    "python:broken:mira": "python:broken:mira: `broken` cannot be imported (ZeroDivisionError: division by zero)",
    "python:agents:Bare": "python/Bare is a class; give an object of it, as Bare()",
    "python:agents:bare": "python/Bare, of the type Bare, can neither be called nor opened; give it "
    "`__call__(messages)`, or `open()` for a session of each dialogue",
    "python:agents:takes_nothing": "python/takes_nothing cannot be called (too many positional arguments); it is "
    "called with the messages, and nothing else",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_leads_nowhere_is_told_in_one_sentence(folder: Path, name: str) -> None:
    (folder / "broken.py").write_text("1 / 0\n")
    ended = command.apart(*COMMAND, "-m", name, cwd=folder)
    assert (ended.code, ended.out, ended.err.strip()) == (2, "", f"Error: {NAMES[name]}")


def test_functions_of_one_name_are_told_apart_or_refused(tmp_path: Path) -> None:
    def made(word: str) -> Callable[..., str]:
        return lambda messages: word * len(messages)

    def kim(messages: list[object]) -> str:
        return f"No. {len(messages)}"

    first = kim

    def kim(messages: list[object]) -> str:  # type: ignore[no-redef]
        return f"I will not. {len(messages)}"

    with pytest.raises(independence.UsageError, match=r"two functions are called python/lambda\+\w+; give each"):
        independence.run("v2", models=[made("a"), made("b")], store=tmp_path / "here.db")
    result = independence.run("v2", models=[first, kim], no_judge=True, runs=1, experiments="identity",
                              store=tmp_path / "here.db")  # fmt: skip
    assert len({trial.subject.label for trial in result.run.trials}) == 2
    assert sum("it is named by a digest of its source" in note for note in result.run.notes) == 2


def test_a_function_may_judge(tmp_path: Path) -> None:
    async def strict(messages: list[dict[str, str]]) -> str:
        return json.dumps({"reasoning": "It says so.", "verdict": "no"}) + str(len(messages))

    strict.version = "3"  # type: ignore[attr-defined]
    result = independence.run("v2", models="sim/half", judges=[strict], trust_judge=True, runs=1,
                              experiments="identity", store=tmp_path / "here.db")  # fmt: skip
    assert [judge.name for judge in result.run.judges] == ["python/strict+3"]


def test_a_package_brings_a_function_by_entry_point(folder: Path) -> None:
    found = plugin.install(folder / "packages", "acme_agents", AGENTS, models="acme = acme_agents:mira")
    path = os.pathsep.join([str(found), *filter(None, [os.environ.get("PYTHONPATH")])])
    ended = command.apart(*COMMAND, "--db", "acme.db", "-m", "python/acme", cwd=folder, env={"PYTHONPATH": path})
    assert [row["label"] for row in ended.board["rows"]] == ["python/mira+1"]
