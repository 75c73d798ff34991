"""`export --inspect` and `import LOG.eval`: what Inspect's reader shows, the way back, and logs that are none."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest

from independence.errors import IndependenceError, UsageError
from independence.extensions.inspect import logs
from tests import toy
from tests.e2e import command, endpoint, inspected, refusals
from tests.e2e.command import Ended

STORED = {
    "calls": "trial, turn, turn_id, context, after, missing, flags, cost_usd, text, thinking, reasoning, attempts",
    "verdicts": "key, trial, judge, pass, rubric, context, missing, fields, cost_usd, judged_at, settings, reasoning, "
    "raw, attempts, quote, quote_found",
    "artefacts": "key, trial, judge, step, context, missing, text, cost_usd",
    "failures": "trial, what, kind, detail, cost_usd, failed_at",
}
RUN = "run --models-file models.yaml --suite toy -j loop/judge --runs 2 --yes"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In `ours.db` runs of a suite of one's own: two subjects, two modes, a scenario that follows, a model judge.

    In `out` its logs. Only to be read.
    """
    inspected.needed()
    folder = tmp_path_factory.mktemp("made")
    toy.write(folder / "toy")
    with endpoint.serving(folder, "--price", "1/2") as served:
        (folder / "models.yaml").write_text(f"endpoints:\n  - {{name: loop, base_url: {served.base_url}}}\n")
        line = f"{RUN} -m loop/half,loop/always --modes user_role,tool_role --db ours.db"
        for one in (line, "export --inspect out --db ours.db"):
            ended = command.run(*one.split(), cwd=folder)
            assert ended.code == 0, ended.err
    return folder


@pytest.fixture
def log(made: Path) -> Path:
    """A log that is whole."""
    return next(log for log in (made / "out").glob("*half*.eval") if "tool-role" not in log.name)


def board(db: Path) -> dict[str, Any]:
    ended = command.run("leaderboard", "--format", "json", "--db", db, cwd=db.parent)
    assert ended.code == 0, ended.err
    return ended.board


def imported(folder: Path, path: Path, db: str = "new.db") -> Ended:
    return command.run("import", path, "--db", db, cwd=folder)


def test_what_is_exported_is_shown_by_the_reader_and_comes_back_whole(made: Path, tmp_path: Path):
    db, logs = made / "ours.db", sorted((made / "out").glob("*.eval"))
    assert len(logs) == 4  # two subjects, two modes
    log = inspected.read(next(log for log in logs if "tool-role" in log.name and "half" in log.name))
    assert (log.status, log.eval.task, log.eval.model) == ("success", "independence_toy", "openai-api/loop/half")
    row = next(row for row in board(db)["rows"] if row["config"] == "loop--half@low-t0.7")
    metrics = inspected.metrics(log)
    assert {name: metrics[name] for name in ("index", *row["dimensions"])} == {
        "index": row["index"],
        **row["dimensions"],
    }
    verdicts = command.ask(db, "SELECT fields, reasoning FROM verdicts WHERE judge = 'loop/judge'")
    told = {(json.dumps(json.loads(fields), sort_keys=True), reasoning) for fields, reasoning in verdicts}
    scores = [sample.scores["loop/judge"] for sample in log.samples]
    assert {(json.dumps(score.value, sort_keys=True), score.explanation) for score in scores} <= told
    answers = {text for (text,) in command.ask(db, "SELECT text FROM calls")}
    said = [sample.output.completion for sample in log.samples]
    assert [sample.messages[-1].text for sample in log.samples] == said
    assert set(said) <= answers
    spent = sum(used.total_cost for sample in log.samples for used in sample.model_usage.values())
    assert spent == pytest.approx(row["cost_usd"])

    again = imported(tmp_path, made / "out")
    assert again.code == 0, again.err
    assert board(tmp_path / "new.db") == board(db)
    for sql in (f"SELECT {columns} FROM {table}" for table, columns in STORED.items()):
        assert sorted(command.ask(tmp_path / "new.db", sql)) == sorted(command.ask(db, sql))
    twice = imported(tmp_path, made / "out")
    assert (twice.code, "new in the store: nothing" in twice.err) == (0, True)
    resume = f"{RUN} -m loop/half --db {tmp_path / 'new.db'} --dry-run"
    assert "0 calls" in command.run(*resume.split(), cwd=made).err


FRAMES = """
import json, sys
from inspect_ai.analysis import EventInfo, ModelEventColumns, evals_df, events_df, messages_df, samples_df
place = sys.argv[1]
evals, samples = evals_df(place, quiet=True), samples_df(place, quiet=True)
messages, events = messages_df(place, quiet=True), events_df(place, quiet=True)
asked = {"columns": EventInfo + ModelEventColumns, "filter": lambda event: event.event == "model"}
calls = events_df(place, quiet=True, **asked)
print(json.dumps({
    "rows": [len(evals), len(samples)], "tasks": sorted(set(evals["task_name"])),
    "stderr": int(evals["score_headline_stderr"].notna().sum()),
    "headline": sorted(set(evals["score_headline_metric"])),
    "messages": int((messages["role"] == "assistant").sum()), "ids": bool(messages["message_id"].notna().all()),
    "distinct": not messages.duplicated(["sample_id", "message_id"]).any(),
    "models": sorted(set(calls["model_event_model"])), "events": bool(events["event_id"].is_unique),
    "scores": int((events["event"] == "score").sum()),
    "said": sorted(calls["model_event_completion"]),
}))
"""


def frames(logs: Path) -> dict[str, Any]:
    """What the four data frames of Inspect hold of logs."""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FRAMES, str(logs)], env=command.environment(), text=True,
        capture_output=True, timeout=command.PATIENCE_S, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.deep
def test_the_four_data_frames_of_inspect_hold_what_was_asked_and_said(made: Path, tmp_path: Path):
    pytest.importorskip("pandas")
    found = frames(made / "out")
    assert (found["rows"], found["tasks"], found["stderr"]) == ([4, 24], ["independence_toy"], 4)
    assert [found[name] for name in ("ids", "distinct", "events")] == [True] * 3
    assert found["scores"] == 24
    assert found["models"] == ["openai-api/loop/always", "openai-api/loop/half"]
    assert found["said"] == sorted(text for (text,) in command.ask(made / "ours.db", "SELECT text FROM calls"))
    with endpoint.serving(tmp_path) as served:
        line = f"independence/suite -T suite={made / 'toy'} -T judge=cues -T runs=2"
        log = inspected.evaluate(line, served.base_url, tmp_path)
    theirs = frames(log)
    assert (theirs["rows"], theirs["tasks"]) == ([1, 6], found["tasks"])
    assert theirs["headline"] == found["headline"] == ["index"]
    assert [theirs[name] for name in ("ids", "events")] == [True] * 2


def changed(source: Path, to: Path, within: str, **edits: Any) -> Path:
    """The log with values of its parts whose name begins with `within` set, by their place: `eval__task`."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(to, "w") as new:
        for name in dict.fromkeys(old.namelist()):
            part = json.loads(old.read(name))
            for place, value in edits.items() if name.startswith(within) and isinstance(part, dict) else ():
                *outer, last = place.split("__")
                target = part
                for key in outer:
                    target = target.get(key, {}) if isinstance(target, dict) else target[0]
                target[last] = value(target[last]) if callable(value) and last in target else value
            new.writestr(name, json.dumps(part))
    return to


HEAD, SAMPLE = "header", "samples/radio_epoch_2"
OWN = "metadata__independence__"
CHANGES: list[tuple[str, dict[str, Any], str]] = [
    (HEAD, {"eval__metadata": {}, "eval__task": "theirs/arc"}, "a log of task `theirs/arc`, which is none of this"),
    (HEAD, {"status": "error"}, "the evaluation did not finish (status `error`)"),
    (SAMPLE, {"error": {"message": "boom", "traceback": "", "traceback_ansi": ""}}, "the first is radio (epoch 2)"),
    (HEAD, {"version": 3}, "a log of Inspect's format 3, and this package reads 2"),
    (HEAD, {f"eval__{OWN}format": 99}, "written by another version of this package (format 99, this one 2)"),
    (
        HEAD,
        {f"eval__{OWN}edition__document": lambda text: text.replace("tastes of your own", "no tastes")},
        "the texts of suite toy are not those of edition",
    ),
    (SAMPLE, {f"{OWN}verdicts__0__values__firmness": 11}, "`firmness` is 11, outside 0 to 10"),
    (SAMPLE, {f"{OWN}run": 7}, "its key is not that of what was asked"),
    (SAMPLE, {f"{OWN}turns": "none"}, "what it holds of a dialogue is not as this package writes it"),
]


@pytest.mark.parametrize(("within", "edits", "said"), CHANGES)
def test_a_log_that_is_not_as_it_was_written_is_refused_whole(
    tmp_path: Path, log: Path, within: str, edits: dict[str, Any], said: str
):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.eval").write_bytes(log.read_bytes())  # one that is whole comes first
    changed(log, tmp_path / "logs" / "b.eval", within, **edits)
    with pytest.raises(IndependenceError) as refused:
        logs.import_logs(tmp_path / "logs", tmp_path / "new.db")
    assert said in str(refused.value)
    assert not (tmp_path / "new.db").exists()


def test_a_log_that_is_refused_is_said_in_one_sentence(tmp_path: Path, log: Path):
    whole = log.read_bytes()
    contents = {"empty": b"", "zip": b"PK\x03\x04 nothing", "json": b"{}", "cut": whole[: len(whole) // 2]}
    for name, content in contents.items():
        (tmp_path / f"{name}.eval").write_bytes(content)
    cases = {f"{name}.eval": f"{name}.eval: no log of Inspect AI that can be read" for name in contents}
    changed(log, tmp_path / "changed.eval", SAMPLE, **{f"{OWN}verdicts__0__values__firmness": 11})
    cases |= {"changed.eval": "`firmness` is 11, outside 0 to 10", f"{log} --suite v2": "--suite"}
    assert refusals.wrong(tmp_path, cases, "import --db new.db") == {}


def test_a_log_that_unpacks_to_more_than_any_log_is_refused_before_it_fills_the_memory(tmp_path: Path, log: Path):
    from independence.extensions.inspect import eval_files  # which needs Inspect

    said = {"one": "bomb.eval: one of its files has more than 64 MB", "many": "bomb.eval: more than 256 MB"}
    bomb, own = tmp_path / "bomb.eval", log.read_bytes()
    for name, count, size, claimed in (
        ("one", 1, 2 * eval_files.MEMBER, None), ("one", 1, 2 * eval_files.MEMBER, 10),
        ("many", 9, eval_files.MEMBER, None),
    ):  # fmt: skip
        bomb.write_bytes(own)
        with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for number in range(count):
                archive.writestr(f"samples/../../out{number}_epoch_1.json", bytes(size))
            if claimed is not None:  # in the list of contents, which readers go by
                archive.infolist()[-1].file_size = claimed
        tracemalloc.start()
        with pytest.raises(UsageError, match=said[name]):
            logs.import_logs(bomb, tmp_path / "new.db")
        assert tracemalloc.get_traced_memory()[1] < 2**24
        tracemalloc.stop()
    assert [path.name for path in tmp_path.iterdir()] == ["bomb.eval"]


def test_another_dialogue_in_the_same_place_is_not_hidden(tmp_path: Path, log: Path):
    assert imported(tmp_path, log).code == 0
    with command.opened(tmp_path / "new.db") as connection:
        connection.execute("UPDATE planned SET trial = 'other' WHERE scenario = 'radio' AND run = 1")
        connection.execute(
            "UPDATE trials SET key = 'other' WHERE key IN (SELECT trial FROM calls WHERE turn_id = 'radio') "
            "AND key NOT IN (SELECT trial FROM planned)"
        )
    ended = imported(tmp_path, log)
    assert ended.code == 2
    assert "the store holds another dialogue of loop/half@low-t0.7, radio, run 1" in command.one_sentence(ended)


def test_options_that_do_not_fit(made: Path, log: Path, tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / log.name).write_text("mine")
    cases = {
        "--inspect --site x": "export one after the other",
        "--inspect -j loop/judge x": "--as inspect writes the verdicts of all judges",
        "--inspect --models loop/nobody x": "loop/nobody",
        "--inspect out": "would be written over",
    }
    assert refusals.wrong(tmp_path, cases, f"export --db {made / 'ours.db'}") == {}


def test_without_inspect_one_sentence_says_how_to_install_it(made: Path, log: Path, tmp_path: Path):
    blocked = tmp_path / "sitecustomize.py"
    blocked.write_text(
        "import importlib.metadata as m, sys\nsys.modules['inspect_ai'] = None\nold = m.version\n"
        "def version(name):\n    if name == 'inspect-ai': raise m.PackageNotFoundError(name)\n    return old(name)\n"
        "m.version = version\n"
    )
    path = f"{tmp_path}:{command.environment().get('PYTHONPATH', '')}"
    for arguments in (("import", log), ("export", "--inspect", "out")):
        ended = command.apart(*arguments, "--db", made / "ours.db", cwd=tmp_path, env={"PYTHONPATH": path})
        assert ended.code == 2
        assert "Inspect AI is not installed" in command.one_sentence(ended)
        assert "run pip install '.[inspect]' in the folder of this program's checkout or unpacked archive" in ended.err
