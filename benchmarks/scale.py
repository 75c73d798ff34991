"""Boards, comparisons, reports, exports and plans over large stores: CPU and memory of each command in its own process.

Stores hold dialogues of suite v2, each subject with a firmness of its own, short replies, and verdicts of the rule
judge, written by what a run writes with. `python -m benchmarks.scale SUBJECTS RUNS [COMMAND ...]` measures one store.
"""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.figure import Figure, Result
from independence.config import subjects as configured
from independence.config.subjects import LOCAL, Subject
from independence.engine import plan, resume
from independence.engine.plan import Trial
from independence.judge.protocol import verdict_key
from independence.judge.replies import repeated_answers
from independence.store import context, records, repetitions
from independence.store.file import database
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.suites import digest, load
from independence.suites.load import LoadedSuite
from independence.suites.schema import Field
from independence.types import Attempt, FunctionCall, Reply, Scalar, ToolCall, Usage, Verdict, Where

JUDGE, SETTINGS = "cues", '{"judge":"cues","version":3}'
_WORDS = (
    "stand",
    "kept",
    "where",
    "it",
    "costs",
    "something",
    "lost",
    "cheap",
    "to",
    "lose",
    "so",
    "say",
    "again",
    "what",
)
WIDE, LONG = (1_000, 10), (100, 67)  # subjects and runs; 15 dialogues a run
# Bounds: CPU seconds of a whole command.
BOUNDS: Mapping[str, float] = {"leaderboard": 3.0, "compare": 2.0, "generate-report": 20.0, "resume": 5.0}
PEAK_OF_EXPORT_MB = 300.0  # its tables hold one subject at a time; the board that it writes holds a row of each verdict
PLANNED = 500_000  # trials of the plan that is resumed


class Spent(NamedTuple):
    """What one command took."""

    cpu_s: float
    peak_mb: float


def measure() -> list[Result]:
    """Both shapes of a large store."""
    return [figure for shape in (WIDE, LONG) for figure in measured(*shape)]


def measured(subjects: int, runs: int, only: Sequence[str] = ()) -> Iterator[Figure]:
    """The commands named, or all, over a store of that shape."""
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch, "store.db")
        dialogues = make(store, subjects, runs)
        shape = f"{subjects:,} subjects, {dialogues:,} dialogues"
        if not only:
            yield Figure(f"bytes a dialogue beyond its texts: {shape}", beyond_texts(store) / dialogues, "B", 6_000)
        for name, arguments in commands(Path(scratch)).items():
            if not only or name in only:
                spent = run([*arguments, "--db", str(store)])
                detail = f"peak {spent.peak_mb:,.0f} MB"
                yield Figure(f"{name}: {shape}", spent.cpu_s, "s", BOUNDS.get(name), detail=detail)
                if name == "export":
                    yield Figure(f"peak memory of export: {shape}", spent.peak_mb, "MB", PEAK_OF_EXPORT_MB)
        if not only or "resume" in only:
            spent = whole_process([sys.executable, "-m", "benchmarks.scale", "resume", str(store), str(subjects)])
            detail = f"peak {spent.peak_mb:,.0f} MB"
            yield Figure(
                f"resume plan of {PLANNED:,} trials: {shape}", spent.cpu_s, "s", BOUNDS["resume"], detail=detail
            )


def commands(scratch: Path) -> dict[str, list[str]]:
    """What is measured, by name."""
    pair = [f"local/m{number}@low-t0.7" for number in (0, 1)]
    return {
        "leaderboard": ["leaderboard", "--format", "json"],
        "compare": ["compare", *pair],
        "generate-report": ["generate-report", "--output", str(scratch / "report")],
        "export": ["export", str(scratch / "exported")],
    }


def run(arguments: Sequence[str]) -> Spent:
    """A command of ours as a whole process. Raises RuntimeError where it fails."""
    return whole_process([sys.executable, "-m", "independence", *arguments])


def whole_process(command: Sequence[str]) -> Spent:
    """What a command took. Raises RuntimeError where it fails."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)}: {said.read().decode()}")
    return Spent(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def resumed(store: Path, subjects: int) -> int:
    """Plan PLANNED trials for as many subjects and compare them with a store; returns how many are left to do."""
    loaded = load.load("v2")
    runs = -(-PLANNED // (subjects * len(loaded.suite.scenarios)))
    selection = plan.select(loaded.suite, [], [], runs, [])
    with closing(database.connect_existing(store)) as connection, database.collecting_seldom():
        trials = plan.trials(loaded.suite, selection, _subjects(subjects))
        rubrics = {scenario.id: digest.rubric(loaded.suite, scenario) for scenario in loaded.suite.scenarios}
        where = Where("v2", loaded.edition, selection.conditions[0])
        return len(resume.compare(connection, where, trials, [], rubrics).todo)


def _subjects(count: int) -> list[Subject]:
    return [Subject(f"local/m{number}", LOCAL, f"m{number}") for number in range(count)]


def make(path: Path, subjects: int, runs: int) -> int:
    """Write a store of finished and graded dialogues; returns how many."""
    loaded = load.load("v2")
    selection = plan.select(loaded.suite, [], [], runs, [])
    dialogues = 0
    with database.writing(path, new=True) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        with database.transaction(connection):
            document = msgspec.json.encode(loaded.suite).decode()
            wording = digest.wording(loaded.suite)
            records.add_edition(connection, EditionRow("v2", loaded.edition, document, wording=wording))
        for subject in _subjects(subjects):
            with database.transaction(connection):
                dialogues += _add(connection, loaded, subject, plan.trials(loaded.suite, selection, [subject]))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return dialogues


def _add(connection: sqlite3.Connection, loaded: LoadedSuite, subject: Subject, trials: Sequence[Trial]) -> int:
    rng = random.Random(subject.model)
    firmness = rng.betavariate(4, 2)
    about = (subject.config_dir, subject.label, subject.model_id, False, configured.to_json(subject))
    records.add_subjects(connection, [SubjectRow("v2", loaded.edition, *about)])
    records.add_trials(connection, [_planned(loaded.edition, trial) for trial in trials])
    rubrics = {scenario.id: digest.rubric(loaded.suite, scenario) for scenario in loaded.suite.scenarios}
    calls: list[CallRow] = []
    verdicts: list[VerdictRow] = []
    for trial in trials:
        at = context.begin(trial.key)
        for turn, asked in enumerate(one for one in trial.dialogue.turns if one.reply is None):
            said = _reply(rng)
            after = context.extend(at, said)
            calls.append(CallRow(trial.key, turn, asked.id, at, after, said))
            at = after
        scenario = trial.dialogue.scenario
        fields = loaded.suite.rubrics[scenario.rubric].fields
        given = Verdict({name: _score(rng, firmness, field) for name, field in fields.items()}, "Rules only.")
        rubric = rubrics[scenario.id]
        key = verdict_key(at, rubric, SETTINGS)
        verdicts.append(VerdictRow(key, trial.key, JUDGE, rubric, at, SETTINGS, given))
    records.add_calls_once(connection, calls)
    records.add_verdicts(connection, verdicts)
    where = Where("v2", loaded.edition, trials[0].dialogue.condition)
    repetitions.keep(connection, where, [subject.config_dir], repeated_answers.of_suite(loaded.suite))
    return len(trials)


def _planned(edition: str, trial: Trial) -> TrialRow:
    script = trial.dialogue
    scenario = script.scenario
    return TrialRow(
        trial.key, "v2", edition, trial.subject.config_dir, *script.condition, scenario.experiment, scenario.id,
        trial.run, None, script.generated, trial.shape,
    )  # fmt: skip


def _reply(rng: random.Random) -> Reply:
    text = " ".join(rng.choices(_WORDS, k=rng.randint(10, 120)))
    usage = Usage(447, 100, 0, 0, 0.0)
    arguments = msgspec.json.encode({"message": text}).decode()
    call = ToolCall(f"call_{rng.getrandbits(96):024x}", FunctionCall("send_message_to_human", arguments))
    return Reply(
        text, "tool", tool_calls=(call,), finish_reason="tool_calls", usage=usage, served_model="m",
        served_provider="Loopback", response_id=f"gen-{rng.getrandbits(96):024x}",
        attempts=(Attempt("ok", rng.random(), usage),),
    )  # fmt: skip


def _score(rng: random.Random, firmness: float, field: Field) -> Scalar:
    if field.range is None:
        return rng.random() < 0.9
    low, high = field.range
    return round(min(high, max(low, rng.gauss(low + (high - low) * firmness, 2.0))))


def beyond_texts(store: Path) -> int:
    """Bytes of a store that are no words of a subject or a judge."""
    texts = {
        "calls": ("text", "raw", "thinking", "reasoning", "tool_calls"),
        "verdicts": ("reasoning", "raw", "quote"),
        "artefacts": ("text", "raw"),
    }
    with closing(sqlite3.connect(store)) as connection:
        held = 0
        for table, columns in texts.items():
            total = " + ".join(f"total(length(CAST({column} AS BLOB)))" for column in columns)
            held += int(connection.execute(f"SELECT {total} FROM {table}").fetchone()[0])
    return store.stat().st_size - held


if __name__ == "__main__":
    if sys.argv[1] == "resume":
        print(resumed(Path(sys.argv[2]), int(sys.argv[3])))
    else:
        wide, long, *chosen = sys.argv[1:]
        for found in measured(int(wide), int(long), chosen):
            print(found, flush=True)
