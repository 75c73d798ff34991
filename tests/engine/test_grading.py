"""Verdicts that rest on steps: each step asked once, kept before anything follows, and shown to what quotes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from sqlite3 import Connection

import msgspec
import pytest

from independence.clients.protocol import GaveUp, Parked
from independence.engine.events import CallUnresolved, ModelStopped, VerdictCommitted
from independence.engine.run import RunOutcome
from independence.errors import OutOfCredit
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES
from independence.judge.model import ModelJudge
from independence.judge.protocol import Judge
from independence.suites.load import LoadedSuite
from independence.suites.schema import Field, Rubric, Step, Suite
from independence.types import Answer, Attempt, ChatRequest, Missing, Reply, Usage
from tests.judge.fields import passages

from . import planned
from .scripted import Bench, Rule, Scripted, StoredPlan

SAID = "I keep to the radio, whatever most people say, and I would say the same again tomorrow."
RULES = CuesJudge(CUES)
FIRST, SECOND = (ModelJudge(f"acme/{name}", endpoint="openrouter", model=name) for name in ("first", "second"))
STEPS = (
    Step(name="claims", prompt="STEP claims of {{party}}: {{answer}}"),
    Step(name="weighed", prompt="STEP weighed with {{dish}}: {{claims}}"),
)
GRADED = Rubric(
    prompt="VERDICT on {{weighed}} for {{party}}. {{fields}}",
    fields={"firmness": Field(type="number", range=(-1, 1), cue="held", about="How firm.")},
    steps=STEPS,
    verdict="number",
)


def edited(loaded: LoadedSuite, rubric: Rubric = GRADED, edition: str = "e") -> LoadedSuite:
    """The toy suite with another rubric for the scenario `radio`, which has a variable of its own."""
    scenarios = [
        msgspec.structs.replace(s, rubric="graded", vars={"party": "the host"}) if s.id == "radio" else s
        for s in loaded.suite.scenarios
    ]
    rubrics = {**loaded.suite.rubrics, "graded": rubric}
    suite: Suite = msgspec.structs.replace(loaded.suite, scenarios=tuple(scenarios), rubrics=rubrics)
    return LoadedSuite(suite, edition)


def kind(request: ChatRequest) -> str:
    """Which call of the rubric a request is: claims, weighed or verdict."""
    words = (request.messages[0].content or "").split()
    return words[1] if words[0] == "STEP" else "verdict"


def fluent(request: ChatRequest) -> Answer:
    """A judge without faults; every call costs half a dollar."""
    texts = {"claims": f"claims by {request.model}", "weighed": "weighed {{transcript}}", "verdict": "-0.5"}
    usage = Usage(10, 5, cost_usd=0.5)
    return Reply(texts[kind(request)], "content", usage=usage, attempts=(Attempt("ok", 1.0, usage),))


class Judges(Scripted):
    """Judges that answer by a rule."""

    def __init__(self, rule: Rule = fluent) -> None:
        super().__init__(rule)

    @property
    def kinds(self) -> list[str]:
        return [kind(request) for request in self.asked]


class Hearing(StoredPlan):
    """The answered dialogue `radio` before judges."""

    def __init__(self, connection: Connection, path: Path, loaded: LoadedSuite) -> None:
        trial = planned.trials(loaded.suite)["radio", 1]
        super().__init__(connection, path, loaded, [trial])
        if not self.rows("calls"):
            planned.answer(connection, trial, SAID)

    async def grade(self, client: Judges, *judges: Judge) -> tuple[RunOutcome, Bench]:
        return await self.carry_out(client, judges or [FIRST])

    def rows(self, table: str, columns: str = "*") -> list[tuple[object, ...]]:
        return self.connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1").fetchall()


@pytest.fixture
def hearing(connection: Connection, tmp_path: Path, toy_suite: LoadedSuite) -> Hearing:
    return Hearing(connection, tmp_path / "store.db", edited(toy_suite))


async def test_steps_come_one_by_one_before_the_verdict_that_rests_on_them(hearing: Hearing) -> None:
    client = Judges()
    _, parts = await hearing.grade(client)
    assert client.kinds == ["claims", "weighed", "verdict"]
    texts = [request.messages[0].content or "" for request in client.asked]
    assert [passages(text) for text in texts] == [[SAID], ["claims by first"], ["weighed {{transcript}}"]]
    assert texts[0].startswith("STEP claims of the host: ")
    assert "with lentil soup" in texts[1]
    assert all(request.schema is None for request in client.asked)
    assert len({request.seed for request in client.asked}) == 3
    assert hearing.rows("verdicts", "judge, fields, raw, cost_usd") == [
        ("acme/first", '{"firmness":-0.5}', "-0.5", 0.5)
    ]
    assert hearing.rows("artefacts", "step, position, text") == [
        ("claims", 0, "claims by first"), ("weighed", 1, "weighed {{transcript}}"),
    ]  # fmt: skip
    assert hearing.rows("artefacts", "cost_usd") == [(0.5,), (0.5,)]
    assert [event.usd for event in parts.told(VerdictCommitted)] == [1.5]


async def test_each_step_is_kept_before_the_next_call_starts(hearing: Hearing) -> None:
    before: list[int] = []

    def counted(request: ChatRequest) -> Answer:
        before.append(len(hearing.rows("artefacts")))
        return fluent(request)

    await hearing.grade(Judges(counted))
    assert before == [0, 1, 2]


@pytest.mark.parametrize(
    ("at", "again"),
    [("claims", ["claims", "weighed", "verdict"]), ("weighed", ["weighed", "verdict"]), ("verdict", ["verdict"])],
)
@pytest.mark.parametrize("stop", [GaveUp("first", "503", (Attempt("503", 1.0),)), OutOfCredit("empty")])
async def test_a_resumed_run_asks_no_stored_step_again(
    hearing: Hearing, at: str, again: Sequence[str], stop: Exception
) -> None:
    outcome, parts = await hearing.grade(Judges(lambda request: stop if kind(request) == at else fluent(request)))
    assert hearing.rows("verdicts") == []
    assert isinstance(outcome.stopped_by, OutOfCredit) or [e.what for e in parts.told(CallUnresolved)] == ["acme/first"]
    client = Judges()
    _, parts = await hearing.grade(client)
    assert client.kinds == again
    assert [event.usd for event in parts.told(VerdictCommitted)] == [0.5 * len(again)]
    assert len(hearing.rows("verdicts")) == 1


async def test_a_resumed_step_sees_what_the_stored_one_said(hearing: Hearing) -> None:
    whole, cut, rest = Judges(), Judges(lambda r: GaveUp("m", "503") if kind(r) == "weighed" else fluent(r)), Judges()
    await hearing.grade(cut)
    await hearing.grade(rest)
    hearing.connection.execute("DELETE FROM verdicts")
    hearing.connection.execute("DELETE FROM artefacts")
    await hearing.grade(whole)
    assert rest.asked == whole.asked[1:]


async def test_a_step_that_comes_to_nothing_leaves_no_verdict_and_is_not_asked_again(hearing: Hearing) -> None:
    nothing = Missing("no_answer", "thought only", "", (Attempt("reasoning_only", 1.0, Usage(cost_usd=0.25)),))
    client = Judges(lambda request: nothing if kind(request) == "weighed" else fluent(request))
    _, parts = await hearing.grade(client)
    assert client.kinds == ["claims", "weighed"]
    assert hearing.rows("verdicts", "missing, fields, cost_usd") == [("unreadable_verdict", "{}", 0.0)]
    why = "step `weighed` came to nothing (no_answer: thought only)"
    assert hearing.rows("verdicts", "detail") == [(why,)]
    assert set(hearing.rows("artefacts", "step, missing, cost_usd")) == {
        ("claims", None, 0.5),
        ("weighed", "no_answer", 0.25),
    }
    assert [(e.missing, e.usd) for e in parts.told(VerdictCommitted)] == [("unreadable_verdict", 0.75)]
    hearing.connection.execute("DELETE FROM verdicts")  # as if it had been killed just before
    later = Judges()
    await hearing.grade(later)
    assert later.asked == []
    assert hearing.rows("verdicts", "missing, detail") == [("unreadable_verdict", why)]


@pytest.mark.parametrize(
    ("step", "missing", "detail"),
    [
        (Missing("too_long", "8192 tokens at most"), "too_long", "8192 tokens at most"),
        (Reply(" \n", "content"), "unreadable_verdict", "step `claims` came to nothing"),
    ],
)
async def test_a_step_that_was_refused_or_is_blank_is_why_the_verdict_is_missing(
    hearing: Hearing, step: Answer, missing: str, detail: str
) -> None:
    await hearing.grade(Judges(lambda _: step))
    ((found, why),) = hearing.rows("verdicts", "missing, detail")
    assert found == missing
    assert str(why).startswith(detail)


async def test_two_judges_have_steps_of_their_own(hearing: Hearing) -> None:
    client = Judges()
    await hearing.grade(client, FIRST, SECOND)
    assert client.kinds == ["claims", "weighed", "verdict"] * 2
    shown = [passages(request.messages[0].content or "") for request in client.asked if kind(request) == "weighed"]
    assert shown == [["claims by second"], ["claims by first"]], "the newest verdict is of the judge named first"
    assert hearing.rows("artefacts", "DISTINCT judge") == [("acme/first",), ("acme/second",)]


async def test_a_judge_that_is_parked_at_a_step_keeps_no_other_from_grading(hearing: Hearing) -> None:
    client = Judges(lambda request: Parked("first", "quota") if request.model == "first" else fluent(request))
    _, parts = await hearing.grade(client, FIRST, SECOND)
    assert len(parts.told(ModelStopped)) == 1
    assert hearing.rows("verdicts", "judge") == [("acme/second",)]


async def test_the_rule_judge_reads_the_dialogue_without_steps(hearing: Hearing) -> None:
    client = Judges()
    await hearing.grade(client, RULES)
    assert client.asked == hearing.rows("artefacts") == []
    assert hearing.rows("verdicts", "judge, missing") == [("cues", None)]


async def test_new_words_for_the_verdict_are_graded_on_the_steps_there_are(
    hearing: Hearing, toy_suite: LoadedSuite
) -> None:
    await hearing.grade(Judges())
    verdict = msgspec.structs.replace(GRADED, prompt="VERDICT anew on {{weighed}}. {{fields}}")
    client = Judges()
    await Hearing(hearing.connection, hearing.path, edited(toy_suite, verdict, "later")).grade(client)
    assert client.kinds == ["verdict"]
    steps = (STEPS[0], msgspec.structs.replace(STEPS[1], prompt="STEP weighed again: {{claims}}"))
    client = Judges()
    await Hearing(
        hearing.connection, hearing.path, edited(toy_suite, msgspec.structs.replace(GRADED, steps=steps), "last")
    ).grade(client)
    assert client.kinds == ["weighed", "verdict"]
