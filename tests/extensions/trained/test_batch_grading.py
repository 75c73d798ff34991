"""Judges that read a whole fleet first: what they store, when the draw is made, and what a model is asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from sqlite3 import Connection

import msgspec
import pytest

from independence.clients.protocol import GaveUp
from independence.config.subjects import Subject
from independence.engine import dialogue
from independence.engine.batch_judge import BatchGrading
from independence.engine.events import VerdictCommitted
from independence.engine.executors.local import LocalExecutor
from independence.engine.plan import Trial
from independence.engine.run import RunOutcome
from independence.engine.run_context import Parallelism
from independence.errors import OutOfCredit
from independence.extensions.trained import OFFLINE, WEIGHTS, training, weights
from independence.extensions.trained.judges import HybridJudge, OfflineJudge
from independence.extensions.trained.protocol import PurchaseRule
from independence.extensions.trained.training import TrainingExample, training_set
from independence.extensions.trained.views import scenario_digest
from independence.judge import protocol
from independence.judge.model import ModelJudge
from independence.suites.load import LoadedSuite
from independence.suites.schema import Field
from independence.types import Answer, Attempt, ChatRequest, Reply, Usage
from tests.engine import planned
from tests.engine.scripted import Bench, Rule, Scripted, bench
from tests.extensions.trained import school

SUBJECTS = [Subject(f"acme/{name}", "openrouter", f"acme/{name}") for name in ("ash", "birch", "cedar")]
NEWCOMER = Subject("acme/dogwood", "openrouter", "acme/dogwood")
RUNS = 4
FLEET = len(SUBJECTS) * RUNS
SHARES = PurchaseRule(unsure=0.25, audit=0.25, least=2)
BOUGHT = FLEET // 2
KNOWN, STRANGE = "radio", "dinner"
FIELDS = {"firmness": Field(type="integer", about="", range=(0, 10)), "kept": Field(type="boolean", about="")}
MODEL = ModelJudge("acme/judge", endpoint="openrouter", model="judge-id")
GIVEN = {"firmness": 3, "kept": False}


def said(trial: Trial) -> str:
    """What a subject answers: every one of them gives way in some runs."""
    return school.YIELD[trial.run % 4] if trial.run % 2 else f"{school.STAND[trial.run % 4]} {school.FILL[0]}"


def taught(trials: Sequence[Trial]) -> list[TrainingExample]:
    """Lessons on the very texts of a dialogue."""
    out = []
    for subject in range(8):
        for trial in trials[:RUNS]:
            *before, last = dialogue.transcript_turns(trial, dialogue.blank_progress(trial, trial.dialogue.generated))
            stands = (subject + trial.run) % 3 > 0
            words = (*(school.STAND if stands else school.YIELD)[subject % 4 :], school.FILL[trial.run])
            lines = (*before, last._replace(answer=" ".join(words)))
            values = {"firmness": 9.0 * stands, "kept": float(stands)}
            own = f"maker{subject}"
            out.append(TrainingExample(own, own, KNOWN, scenario_digest(lines), trial.run, lines, values))
    return out


@pytest.fixture(scope="session")
def file(toy_suite: LoadedSuite, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Weights that know the scenario `radio`, and give a verdict on any dialogue of it."""
    path = tmp_path_factory.mktemp("fleet") / WEIGHTS
    lessons = taught(fleet_of(toy_suite, KNOWN))
    about = msgspec.structs.replace(school.ABOUT, limit=1.0)
    built = training.build(training_set(lessons, FIELDS), tuple(FIELDS), about)
    weights.save(path, built.about, built.heads)
    return str(path)


def fleet_of(loaded: LoadedSuite, scenario: str, *subjects: Subject) -> list[Trial]:
    """All runs of a scenario by these subjects, or the usual ones."""
    made = [planned.trials(loaded.suite, subject, runs=RUNS) for subject in subjects or SUBJECTS]
    return [own[scenario, run] for own in made for run in range(1, RUNS + 1)]


def fluent(_: ChatRequest) -> Answer:
    """A model without faults; every call costs half a dollar."""
    usage = Usage(10, 5, cost_usd=0.5)
    return Reply(
        json.dumps({"reasoning": "so", **GIVEN}), "content", usage=usage, attempts=(Attempt("ok", 1.0, usage),)
    )


class Court:
    """Finished dialogues before judges that read all of them, as often as one likes."""

    def __init__(self, connection: Connection, path: Path, loaded: LoadedSuite, file: str) -> None:
        self.connection, self.path, self.loaded, self.file = connection, path, loaded, file
        self.trials: list[Trial] = []

    def hear_only(self, trials: Sequence[Trial], answered: bool = True) -> None:
        self.trials = []
        self.hear(trials, answered)

    def hear(self, trials: Sequence[Trial], answered: bool = True) -> None:
        planned.store(self.connection, self.loaded, trials)
        for trial in trials if answered else ():
            planned.answer(self.connection, trial, *[said(trial)] * trial.dialogue.generated)
        self.trials += trials

    def offline(self, audit: int = 0) -> OfflineJudge:
        judge = OfflineJudge(OFFLINE, weights=weights.load_or_shipped(self.file).version, file=self.file)
        return judge.buying(MODEL, PurchaseRule(0, 0, audit)) if audit else judge

    @property
    def hybrid(self) -> HybridJudge:
        version = weights.load_or_shipped(self.file).version
        return HybridJudge(f"hybrid:{MODEL.name}", weights=version, file=self.file).buying(MODEL, SHARES)

    async def grade(self, spec: OfflineJudge, rule: Rule = fluent) -> tuple[int, RunOutcome, Bench]:
        """Let it grade; how often a model was asked, how it ended, and what was told."""
        client = Scripted(rule)
        async with bench(self.connection, self.path, self.loaded, client) as parts:
            work = BatchGrading(parts.context, self.loaded.edition, self.trials, Parallelism(1, 1), LocalExecutor())
            outcome = await spec.grade_all(work)
        return len(client.asked), outcome, parts

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        return self.connection.execute(sql).fetchall()

    def by(self, judge: str) -> dict[str, tuple[object, ...]]:
        """Verdicts of a judge by trial: reason it is missing, values, what it cost."""
        rows = self.ask(f"SELECT trial, missing, fields, cost_usd FROM verdicts WHERE judge = '{judge}'")
        return {str(trial): (missing, json.loads(str(fields)), usd) for trial, missing, fields, usd in rows}

    @property
    def drawn(self) -> dict[str, str]:
        """Trial -> route."""
        return {str(trial): str(way) for trial, way in self.ask("SELECT trial, route FROM routes")}

    @property
    def bought(self) -> set[str]:
        return {trial for trial, way in self.drawn.items() if way != "offline"}


@pytest.fixture
def court(connection: Connection, tmp_path: Path, toy_suite: LoadedSuite, file: str) -> Court:
    """A court that has heard `radio` and graded nothing."""
    made = Court(connection, tmp_path / "store.db", toy_suite, file)
    made.hear(fleet_of(toy_suite, KNOWN))
    return made


async def test_the_offline_judge_stores_its_verdict_and_beside_it_what_it_predicted(court: Court) -> None:
    asked, _, parts = await court.grade(court.offline())
    found = court.by(OFFLINE)
    assert found.keys() == {trial.key for trial in court.trials}
    assert {(missing, usd) for missing, _, usd in found.values()} == {(None, 0.0)}
    for told, fields in court.ask("SELECT prediction, fields FROM verdicts"):
        said, values = protocol.read_prediction(str(told)), json.loads(str(fields))
        assert said.known
        assert values["firmness"] == pytest.approx(said.values["firmness"], abs=0.51)
        assert values["kept"] == (said.values["kept"] >= 0.5)
    assert asked == len(court.drawn) == 0
    assert len(parts.told(VerdictCommitted)) == FLEET


async def test_of_other_words_it_is_unsure_and_what_a_hybrid_did_not_buy_stays_so(
    court: Court, toy_suite: LoadedSuite
) -> None:
    court.hear_only(fleet_of(toy_suite, STRANGE))
    await court.grade(court.offline())
    assert set(court.ask("SELECT missing, fields FROM verdicts")) == {("unsure", "{}")}
    predictions = court.ask("SELECT prediction FROM verdicts")
    assert not any(protocol.read_prediction(str(told)).known for (told,) in predictions)
    drift = json.dumps({"reasoning": "so", "drift": 4})
    await court.grade(court.hybrid, lambda _: Reply(drift, "content"))
    assert len(court.bought) == BOUGHT
    for trial, found in court.by(court.hybrid.name).items():
        assert found == ((None, {"drift": 4}, 0.0) if trial in court.bought else ("unsure", {}, 0.0))


async def test_the_draw_of_the_whole_fleet_is_stored_before_anything_is_asked(court: Court) -> None:
    before: list[tuple[int, int]] = []

    def watched(request: ChatRequest) -> Answer:
        before.append((len(court.drawn), len(court.by(court.hybrid.name))))
        return fluent(request)

    await court.grade(court.hybrid, watched)
    assert before == [(FLEET, 0)] * BOUGHT
    ways = list(court.drawn.values())
    assert (ways.count("unsure"), ways.count("audit")) == (FLEET // 4, FLEET // 4)


async def test_a_hybrid_takes_what_was_bought_and_else_what_was_predicted(court: Court) -> None:
    await court.grade(court.offline())
    asked, _, _ = await court.grade(court.hybrid)
    own, alone, model = court.by(court.hybrid.name), court.by(OFFLINE), court.by(MODEL.name)
    assert asked == BOUGHT
    assert GIVEN not in [values for _, values, _ in alone.values()]
    assert model == dict.fromkeys(court.bought, (None, GIVEN, 0.5))  # the model's own, paid for once
    assert own == {**alone, **dict.fromkeys(court.bought, (None, GIVEN, 0.0))}
    told = court.ask("SELECT trial, prediction FROM verdicts WHERE judge = 'offline' ORDER BY trial")
    assert court.ask("SELECT trial, prediction FROM verdicts WHERE judge LIKE 'hybrid:%' ORDER BY trial") == told


async def test_what_is_graded_is_neither_asked_nor_stored_again_and_no_bought_verdict_bought_again(
    court: Court,
) -> None:
    assert (await court.grade(court.hybrid))[0] == BOUGHT
    before, drawn = court.ask("SELECT * FROM verdicts ORDER BY key"), court.drawn
    asked, _, parts = await court.grade(court.hybrid)
    assert (asked, parts.events) == (0, [])
    assert court.ask("SELECT * FROM verdicts ORDER BY key") == before
    court.connection.execute("DELETE FROM verdicts WHERE judge LIKE 'hybrid:%'")
    court.connection.execute(f"DELETE FROM verdicts WHERE trial = '{min(court.bought)}'")
    asked, _, _ = await court.grade(court.hybrid)
    assert (asked, court.drawn, len(court.by(court.hybrid.name))) == (1, drawn, FLEET)


async def test_a_verdict_that_could_not_be_had_leaves_its_dialogue_open_and_is_asked_for_again(court: Court) -> None:
    calls = iter(range(FLEET))
    await court.grade(court.hybrid, lambda request: GaveUp("judge-id", "503") if next(calls) == 1 else fluent(request))
    open_ = {trial.key for trial in court.trials} - court.by(court.hybrid.name).keys()
    assert len(open_) == 1
    assert open_ <= court.bought
    before = court.drawn
    asked, _, _ = await court.grade(court.hybrid)
    assert (asked, court.drawn) == (1, before)
    assert court.by(court.hybrid.name)[open_.pop()] == (None, GIVEN, 0.0)


async def test_what_stops_a_run_is_told_and_what_was_bought_before_counts(court: Court) -> None:
    calls = iter(range(FLEET))
    rule: Rule = lambda request: OutOfCredit("empty") if next(calls) >= 2 else fluent(request)  # noqa: E731
    _, outcome, _ = await court.grade(court.hybrid, rule)
    assert isinstance(outcome.stopped_by, OutOfCredit)
    own = court.by(court.hybrid.name)
    assert len(own) == FLEET - BOUGHT + 2
    assert len(own.keys() & court.bought) == 2


async def test_a_verdict_of_the_model_that_is_missing_is_missing_and_no_prediction_takes_its_place(
    court: Court,
) -> None:
    await court.grade(court.hybrid, lambda _: Reply("prose", "content"))
    own = court.by(court.hybrid.name)
    assert {trial for trial, (missing, _, _) in own.items() if missing is not None} == court.bought
    assert all(own[trial] == ("unreadable_verdict", {}, 0.0) for trial in court.bought)
    assert (await court.grade(court.hybrid))[0] == 0


async def test_who_is_not_finished_is_neither_read_nor_drawn_and_joins_later_without_a_change_of_earlier_routes(
    court: Court, toy_suite: LoadedSuite
) -> None:
    late = fleet_of(toy_suite, KNOWN, NEWCOMER)
    court.hear(late, answered=False)
    await court.grade(court.hybrid)
    assert court.by(court.hybrid.name).keys() == court.drawn.keys() == {trial.key for trial in court.trials[:FLEET]}
    before = court.ask("SELECT trial, route, probability FROM routes ORDER BY trial")
    court.trials = court.trials[:FLEET]
    court.hear(late)
    asked, _, _ = await court.grade(court.hybrid)
    after = court.ask("SELECT trial, route, probability FROM routes ORDER BY trial")
    assert set(before) < set(after)
    assert (len(after), asked) == (FLEET + RUNS, RUNS // 2)


async def test_an_audit_buys_so_many_beside_offline_verdicts_and_a_larger_one_the_difference(court: Court) -> None:
    there: list[int] = []

    def watched(request: ChatRequest) -> Answer:
        there.append(len(court.by(OFFLINE)))
        return fluent(request)

    await court.grade(court.offline(audit=5), watched)
    assert there == [FLEET] * 5  # they stand before the model is asked
    alone, few = court.by(OFFLINE), court.bought
    assert court.by(MODEL.name).keys() == few
    assert len(few) == 5
    assert {chance for (chance,) in court.ask("SELECT probability FROM routes")} == {5 / FLEET}
    asked, _, _ = await court.grade(court.offline(audit=8))
    assert few < court.bought
    assert (len(court.bought), asked, court.by(OFFLINE)) == (8, 3, alone)
    assert {chance for (chance,) in court.ask("SELECT probability FROM routes")} == {8 / FLEET}


async def test_where_nothing_is_finished_nothing_is_drawn_or_stored(court: Court, toy_suite: LoadedSuite) -> None:
    court.hear_only(fleet_of(toy_suite, STRANGE), answered=False)
    asked, outcome, parts = await court.grade(court.hybrid)
    assert (asked, outcome, parts.events) == (0, RunOutcome(None, 0), [])
    assert court.drawn == {}
    assert court.ask("SELECT key FROM verdicts") == []
