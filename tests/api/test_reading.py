"""A store read from Python: boards, rows, dialogues, comparisons, files, and what a notebook shows."""

from __future__ import annotations

import asyncio
import inspect
import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import independence
from independence import InferenceOptions, OtherSide, Store, StoreError, UsageError
from tests.e2e import command

MODELS = ["sim/half", "sim/never"]
HALF = "sim/half@none-t0.7"
DIALOGUES = 2 * 2 * 5  # subjects, runs, scenarios


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("reading") / "store.db"
    independence.run("v2", store=made, models=MODELS, judges="cues", runs=2, experiments="stability")
    return made


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path) as opened:
        yield opened


def test_a_store_says_what_it_holds(store: Store) -> None:
    assert store.suites() == ["v2"]
    (edition,) = store.editions()
    assert (edition.edition, edition.trials) == (independence.load_suite("v2").edition, DIALOGUES)


def test_a_store_is_not_written_to_and_is_closed_at_the_end(path: Path) -> None:
    with Store(path) as store:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store.connection.execute("DELETE FROM verdicts")
        rows = store.verdicts()
    with pytest.raises(StoreError, match="closed"):
        list(rows)
    with pytest.raises(StoreError, match="no store here"):
        Store(path.with_name("none.db"))


def test_a_board_is_what_the_command_prints(store: Store, path: Path) -> None:
    board = store.board("v2")
    for format_, text in (("json", board.to_json()), ("csv", board.to_csv()), ("md", board.to_markdown())):
        printed = command.run("leaderboard", "--db", str(path), "--format", format_).out
        assert printed.strip() == text.strip()
    assert [row.label for row in board.rows] == [row["label"] for row in json.loads(board.to_json())["rows"]]
    assert len(board.rows) == len(list(board.records())) == len(MODELS)


def test_a_board_is_asked_for_as_on_the_command_line(store: Store) -> None:
    assert [row.label for row in store.board(models="half").rows] == [HALF]
    wide = store.board(reading=InferenceOptions("scenarios-like-these"))
    assert wide.document.rows[0].config
    with pytest.raises(UsageError, match="no scoring rule"):
        store.board(scoring="nobody's")
    with pytest.raises(UsageError, match="over every condition"):
        store.board(pooled=True, mode="user_role")
    with pytest.raises(StoreError, match="rent"):
        store.board("rent")


def test_a_subject_that_was_not_asked_everything_has_bounds_and_no_interval(store: Store) -> None:
    rows = {row.label: row for row in store.board().rows}
    assert {(row.main.value, row.standing.rank, row.main.interval) for row in rows.values()} == {(None, None, None)}
    assert {label: row.main.ends for label, row in rows.items()} == {HALF: (15, 85), "sim/never@none-t0.7": (30, 100)}


def test_replies_are_rows_with_what_was_sent(store: Store) -> None:
    replies = list(store.replies())
    assert len(replies) == 2 * DIALOGUES
    assert replies == list(store.replies())
    first = replies[0]
    assert (first["suite"], first["turn"], first["missing"], first["simulated"]) == ("v2", 0, None, True)
    assert first["messages"][0]["role"] == "system"
    assert first["text"]
    assert {row["label"] for row in store.replies(subjects="half")} == {HALF}
    assert {row["scenario"] for row in store.replies(scenarios=["pt01"])} == {"pt01"}


def test_verdicts_are_rows(store: Store) -> None:
    verdicts = list(store.verdicts(judge="cues"))
    assert len(verdicts) == DIALOGUES
    assert all(one["current"] and one["values"] and one["pass"] == 1 for one in verdicts)
    with pytest.raises(StoreError, match="nobody"):
        store.verdicts(judge="nobody")


def test_dialogues_are_those_that_the_command_shows(store: Store, path: Path) -> None:
    dialogues = list(store.trajectories(subjects="half", scenarios="pt01"))
    assert [one.run for one in dialogues] == [1, 2]
    shown = command.run("show", "half", "pt01", "--run", "2", "--db", str(path), "--format", "json").out
    assert json.loads(msgspec.json.encode(dialogues[1])) == json.loads(shown)


def test_a_name_that_the_store_does_not_hold_is_said_at_once(store: Store) -> None:
    with pytest.raises(StoreError, match="did you mean `pt01`"):
        store.replies(scenarios="pt1")
    with pytest.raises(StoreError, match="nobody"):
        store.trajectories(subjects="nobody")


def test_subjects_are_compared(store: Store, path: Path) -> None:
    found = independence.compare(store, "half", "never")
    printed = command.run("compare", "half", "never", "--db", str(path), "--format", "json").out
    assert printed.strip() == found.to_json().strip()
    assert {row["scenario"] for row in found.records()} >= {f"pt0{n}" for n in range(1, 6)}
    for second, what in (("half", "same subject"), (OtherSide(judge="cues"), "compared already"),
                         (OtherSide(mode="user_role", judge="cues"), "same replies")):  # fmt: skip
        with pytest.raises(UsageError, match=what):
            independence.compare(store, "half", second)
    with pytest.raises(UsageError, match="above 0"):
        independence.compare(store, "half", "never", equivalence=0)


def test_an_edition_is_exported_and_read_back(store: Store, tmp_path: Path) -> None:
    assert independence.export(store, tmp_path / "csv", "csv", models="half") == [
        "subjects.csv", "dialogues.csv", "verdicts.csv", "board.csv",
    ]  # fmt: skip
    files = independence.export(store, tmp_path / "cache", "published", judge="cues")
    assert len(files) == 2 * DIALOGUES
    with independence.read_results(tmp_path / "cache") as results:
        assert [info.edition for info in results.editions()] == ["published"]
        assert sum(1 for _ in results.verdicts()) == DIALOGUES
        kept = results.path
    assert not kept.exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="nothing in it that can be imported"):
        independence.read_results(tmp_path / "empty")


def test_a_store_is_read_in_a_running_loop_too(path: Path) -> None:
    async def read() -> int:
        with Store(path) as store:
            return sum(1 for _ in store.trajectories())

    assert asyncio.run(read()) == DIALOGUES


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[2J"


def test_what_a_notebook_shows_is_escaped(path: Path, tmp_path: Path) -> None:
    mean = tmp_path / "mean.db"
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(mean)) as target:
        source.backup(target)
        target.execute("UPDATE subjects SET label = ? || label", (HOSTILE,))
        target.execute("UPDATE calls SET text = ?, thinking = ?, served_model = ?", (HOSTILE,) * 3)
        target.execute("UPDATE verdicts SET reasoning = ?", (HOSTILE,))
        command.meant(target)
        target.commit()
    with Store(mean) as store:
        shown = [store.board(), independence.compare(store, "sim/half", "sim/never"), next(iter(store.trajectories()))]
        for one in shown:
            html = one._repr_html_()  # type: ignore[attr-defined]
            assert "&lt;script&gt;" in html
            assert "<script" not in html
            assert "<img" not in html
            assert "\x1b" not in html


def test_frames_need_their_library(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, result in (("pandas", store.board()), ("polars", store.verdicts())):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(UsageError, match=f"{name} is not installed.*pip install {name}"):
            getattr(result, f"to_{name}")()
        monkeypatch.delitem(sys.modules, name)
        (tmp_path / f"{name}.py").write_text("def DataFrame(rows, **options):\n    return rows, options\n")
    monkeypatch.syspath_prepend(tmp_path)
    rows, options = store.verdicts().to_polars()
    assert (len(rows), options) == (DIALOGUES, {"infer_schema_length": None})
    assert rows[0]["values.consistency_score"] is not None
    frame, _ = store.board().to_pandas()
    assert [row["label"] for row in frame] == [row.label for row in store.board().rows]
    dialogues, _ = store.trajectories().to_pandas()
    assert dialogues[0]["label"]
    assert independence.compare(store, "half", "never").to_pandas()[0][0]["scenario"] == "direct"


SIGNATURES = {
    "compare": "store first second suite variant mode judge equivalence scoring",
    "compare_suites": "store first second variant mode judge",
    "export": "store folder layout suite variant mode judge models",
    "load_suite": "name",
    "read_results": "path suite models_file",
    "Store": "path notice",
    "Store.board": "self suite variant mode judge scoring models reading pooled",
    "Store.replies": "self suite variant mode subjects scenarios",
    "Store.verdicts": "self suite variant mode subjects scenarios judge",
    "Store.trajectories": "self suite variant mode subjects scenarios judge",
}


def test_signatures_stay() -> None:
    for name, parameters in SIGNATURES.items():
        found: Any = independence
        for part in name.split("."):
            found = getattr(found, part)
        assert (name, " ".join(inspect.signature(found).parameters)) == (name, parameters)
        assert inspect.getdoc(found), name


@pytest.fixture(scope="module")
def two_conditions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rules graded both, a model one of them."""
    made = tmp_path_factory.mktemp("conditions") / "store.db"
    arguments: dict[str, Any] = {"store": made, "models": MODELS, "runs": 2, "experiments": "stability"}
    independence.run("v2", judges="cues", modes="tool_role", **arguments)
    independence.grade("sim/judge", store=made, modes="tool_role")
    independence.run("v2", judges="cues", modes="user_role", **arguments)
    return made


@pytest.mark.parametrize(("mode", "judge"), [(None, "cues"), ("user_role", "cues"), ("tool_role", "sim/judge")])
def test_all_boards_of_an_export_are_by_one_judge(
    mode: str | None, judge: str, two_conditions: Path, tmp_path: Path
) -> None:
    said: list[str] = []
    with Store(two_conditions, said.append) as store:
        independence.export(store, tmp_path / "out", mode=mode)
    rows = [json.loads(line) for line in (tmp_path / "out" / "board.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == (2 if mode else 4)
    assert {row["judge"] for row in rows} == {judge}
    assert json.loads((tmp_path / "out" / "export.json").read_bytes())["judge"] == judge
    told = f"judge of this export: {judge}; --judge takes another of cues, sim/judge"
    assert said == ([] if mode == "user_role" else [told])


def test_without_a_judge_of_all_conditions_an_export_says_that_boards_have_their_own(
    two_conditions: Path, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    with closing(sqlite3.connect(two_conditions)) as source, closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
        with copy:
            copy.execute(
                "DELETE FROM verdicts WHERE judge = 'cues' AND trial IN "
                "(SELECT trial FROM planned WHERE mode = 'tool_role')"
            )
    said: list[str] = []
    with Store(path, said.append) as store:
        independence.export(store, tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "board.jsonl").read_text("utf-8").splitlines()]
    assert {(row["condition"].split("/")[1], row["judge"]) for row in rows} == {
        ("tool_role", "sim/judge"), ("user_role", "cues")
    }  # fmt: skip
    assert json.loads((tmp_path / "out" / "export.json").read_bytes())["judge"] is None
    (told,) = said
    assert told.startswith("no judge graded under every condition")
    assert told.endswith("one of cues, sim/judge")
