from __future__ import annotations

from sqlite3 import Connection

from independence.store import artefacts, deletion, dialogues, queries, records, spending
from independence.store.artefacts import ArtefactRow, StepOutput
from independence.store.deletion import DeletedCounts, DeletionScope, EditionSubject
from independence.store.spending import JudgeSpending, SubjectSpending
from independence.types import Answer, Attempt, Condition, Reply, Usage, Verdict, Where

from . import rows

CONDITION = Condition("v", "m")
HERE = Where("s", "e", CONDITION)


def said(text: str, usd: float = 0.5, completion: int = 5) -> Reply:
    first = Attempt("503", 1.0, unknown_usd=0.25)
    usage = Usage(10, completion, cost_usd=usd)
    return Reply(text, "content", raw=f"<b>{text}", usage=usage, attempts=(first, Attempt("ok", 1.0, usage)))


def step(
    connection: Connection,
    key: str,
    trial: str,
    at: str,
    output: Answer,
    *,
    judge: str = "j",
    name: str = "claims",
    wording: str = "w",
) -> None:
    position = ("claims", "second").index(name)
    artefacts.add(connection, ArtefactRow(key, trial, judge, name, position, wording, at, "{}", output))


def newest(connection: Connection, where: Where = HERE) -> list[tuple[str, int, str, str, int, str, str]]:
    """Place, judge, step, position, wording and text of each step on the dialogues of a condition as they are now."""
    return [
        (one.scenario, one.run, step.judge, step.step, step.position, step.wording, step.text)
        for one in dialogues.read(connection, where)
        for step in one.newest_steps
        if not step.missing
    ]


def dialogue(connection: Connection, key: str, *texts: str, **place: str | int) -> str:
    """A dialogue with one answer for each text; returns its end."""
    rows.trial(connection, key, turns=len(texts), **place)  # type: ignore[arg-type]
    return rows.dialogue(connection, key, *texts)


def test_a_step_is_found_by_its_key_and_stays_as_it_was_also_where_it_came_to_nothing(connection: Connection) -> None:
    at = dialogue(connection, "t", "answer")
    step(connection, "k", "t", at, said("- one"))
    step(connection, "k", "t", at, said("- another"))
    step(connection, "l", "t", at, rows.missing("blocked", usd=0.125))
    assert artefacts.known(connection, "k") == StepOutput("- one", None)
    assert artefacts.known(connection, "l") == StepOutput("", "blocked", "nothing")
    assert artefacts.known(connection, "other") is None
    kept = connection.execute("SELECT raw, cost_usd, unknown_usd, json_array_length(attempts) FROM artefacts")
    assert kept.fetchall() == [("<b>- one", 0.5, 0.25, 2), ("raw", 0.125, 0.0, 1)]


def test_the_steps_of_a_dialogue_come_by_judge_in_their_order(connection: Connection) -> None:
    at = dialogue(connection, "t", "answer")
    step(connection, "b", "t", at, said("two"), name="second")
    step(connection, "c", "t", at, said("one"))
    step(connection, "a", "t", at, said("theirs"), judge="other")
    assert newest(connection) == [
        ("t", 1, "j", "claims", 0, "w", "one"),
        ("t", 1, "j", "second", 1, "w", "two"),
        ("t", 1, "other", "claims", 0, "w", "theirs"),
    ]


def test_of_each_wording_the_newest_step_counts_and_none_on_an_answer_that_was_replaced(connection: Connection) -> None:
    at = dialogue(connection, "t", "answer")
    step(connection, "a", "t", at, said("old"), name="second")
    step(connection, "b", "t", at, said("new"), name="second")
    step(connection, "c", "t", at, said("else"), name="second", wording="w2")
    connection.execute("UPDATE artefacts SET written_at = '2020' WHERE key = 'b'")
    assert {step[-2:] for step in newest(connection)} == {("w", "old"), ("w2", "else")}
    rows.dialogue(connection, "t", "another answer")
    assert newest(connection) == []
    assert artefacts.known(connection, "b") == StepOutput("new", None)


def test_the_steps_of_a_condition_come_with_their_places(connection: Connection) -> None:
    rows.edition(connection)
    for key, run in (("t1", 1), ("t2", 2)):
        step(connection, key, key, dialogue(connection, key, "answer", scenario="s1", run=run), said(f"of {key}"))
    rows.trial(connection, "t1", edition="later", scenario="s1")
    assert newest(connection) == [("s1", run, "j", "claims", 0, "w", f"of t{run}") for run in (1, 2)]
    assert len(newest(connection, Where("s", "later", CONDITION))) == 1
    assert newest(connection, Where("s", "e", Condition("v", "other"))) == []


def test_what_steps_took_is_summed_by_judge_and_subject(connection: Connection) -> None:
    graded(connection)  # half a dollar for a step of each judge, a quarter reserved for its first attempt
    step(connection, "d", "t", "an older end", said("two", usd=1.0), name="second")
    rows.trial(connection, "t", scenario="twin")  # a dialogue at two places was paid for once
    assert spending.by_judge(connection, HERE) == [
        JudgeSpending("j", "a", verdicts=1, missing=1, published=0, cost_usd=1.5),
        JudgeSpending("k", "a", verdicts=1, missing=0, published=0, cost_usd=0.5),
    ]
    assert spending.by_subject(connection, HERE) == {
        "a": SubjectSpending(
            calls=1, answers_usd=0.0, verdicts=2, verdicts_usd=2.0, failed_usd=0.0, unknown_usd=0.75,
            extra_attempts=0, tokens=4 * 15, runs=1, without_cost=1, answer_tokens=15,
        )
    }  # fmt: skip
    assert queries.costs(connection, HERE) == {"a": 2.0}


def graded(connection: Connection) -> str:
    """A dialogue with two steps and a verdict of `j`, one step and a verdict of `k`; returns its end."""
    rows.edition(connection)
    at = dialogue(connection, "t", "answer")
    step(connection, "a", "t", at, said("one"))
    step(connection, "b", "t", at, rows.missing(), name="second")
    step(connection, "c", "t", at, said("theirs"), judge="k")
    rows.verdict(connection, "v", "t", at, rows.missing("unreadable_verdict"))
    rows.verdict(connection, "w", "t", at, Verdict({"x": 1}), judge="k")
    return at


def left(connection: Connection) -> set[str]:
    return {key for (key,) in connection.execute("SELECT key FROM artefacts")}


def delete(connection: Connection, scope: DeletionScope) -> None:
    deletion.delete(connection, scope, deletion.find(connection, scope))


def test_the_steps_a_verdict_rests_on_go_with_it(connection: Connection) -> None:
    graded(connection)
    delete(connection, DeletionScope("verdicts", judge="j"))
    assert left(connection) == {"c"}


def test_a_step_that_another_verdict_rests_on_too_stays(connection: Connection) -> None:
    at = graded(connection)
    rows.verdict(connection, "v by another rubric", "t", at, Verdict({"x": 1}))
    artefacts.forget(connection, ["v"], broken=False)
    assert left(connection) == {"a", "b", "c"}
    artefacts.forget(connection, ["v", "v by another rubric"], broken=False)
    assert left(connection) == {"c"}


def test_what_is_missing_is_forgotten_without_the_steps_that_are_there(connection: Connection) -> None:
    graded(connection)
    delete(connection, DeletionScope("missing"))
    assert left(connection) == {"a", "c"}
    assert {key for (key,) in connection.execute("SELECT key FROM verdicts")} == {"w"}


def test_the_steps_of_a_dialogue_go_with_it_and_count_in_what_it_cost(connection: Connection) -> None:
    graded(connection)
    records.add_failure(connection, records.FailureRow("t", "j", "GaveUp", "", ()))
    scope = DeletionScope("dialogues", frozenset([EditionSubject("s", "e", "a")]))
    counts = deletion.counts(connection, scope, deletion.find(connection, scope))
    assert counts == {EditionSubject("s", "e", "a"): DeletedCounts(1, 1, 2, 1.0)}
    delete(connection, scope)
    assert left(connection) == set()
