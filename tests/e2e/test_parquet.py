"""`export --parquet`: a data set with the columns of the Python API's rows, and the whole way back."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import independence
from independence.exchange.export_tables import REPLY, VERDICT
from tests import toy
from tests.e2e import command, endpoint
from tests.e2e.command import Ended
from tests.stores import Stores

STORED = {
    "calls": "trial, turn, turn_id, context, after, missing, flags, cost_usd, unknown_usd, prompt_tokens, "
    "completion_tokens, reasoning_tokens, seconds, answered_at, channel, finish_reason, served_model, served_provider, "
    "response_id, text, raw, thinking, reasoning, tool_calls, attempts",
    "verdicts": "key, trial, judge, pass, rubric, context, missing, fields, cost_usd, unknown_usd, judged_at, "
    "settings, reasoning, raw, attempts, quote, quote_found",
    "planned": "suite, edition, variant, mode, config_dir, scenario, run, experiment, trial, planned_at",
    "trials": "key, parent, turns, shape",
    "failures": "trial, what, kind, cost_usd, failed_at",
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two subjects, two judges, costs, truncated answers, and verdicts that came to nothing."""
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("parquet")
    toy.write(folder / "toy")
    with endpoint.serving(folder, "--price", "1/2", "--faults", "length@half=0.3,prose-judge@judge=0.5") as served:
        (folder / "models.yaml").write_text(f"endpoints:\n  - {{name: loop, base_url: {served.base_url}}}\n")
        ended = command.run(
            "run", "--models-file", "models.yaml", "--suite", "toy", "-m", "loop/half,loop/always", "-j", "loop/judge",
            "-j", "cues", "--modes", "user_role,tool_role", "--runs", "2", "--db", "ours.db", "--yes", cwd=folder,
        )  # fmt: skip
    assert ended.code in (0, 3), ended.err
    return folder / "ours.db"


def exported(db: Path, folder: Path, *options: str) -> Ended:
    return command.run("export", "--parquet", "set", "--db", db, *options, cwd=folder)


def board(db: Path) -> dict[str, Any]:
    return command.run("leaderboard", "--format", "json", "--db", db, cwd=db.parent).board


def table(folder: Path, name: str) -> Any:
    import pyarrow.parquet as pq

    return pq.ParquetFile(folder / "set" / "data" / f"{name}.parquet")


@pytest.mark.deep
def test_everything_comes_back(db: Path, tmp_path: Path):
    assert exported(db, tmp_path).code == 0
    command.ok("import", "set", "--db", "new.db", cwd=tmp_path)
    new = tmp_path / "new.db"
    for name, columns in STORED.items():
        sql = f"SELECT {columns} FROM {name}"
        assert sorted(command.ask(new, sql), key=str) == sorted(command.ask(db, sql), key=str), name
    assert board(new) == board(db)
    twice = command.run("import", "set", "--db", "new.db", cwd=tmp_path)
    assert (twice.code, "new in the store: nothing" in twice.err) == (0, True)


@pytest.mark.deep
@pytest.mark.parametrize(("name", "columns"), [("replies", REPLY), ("verdicts", VERDICT)])
def test_columns_types_and_rows_are_those_of_the_python_api(
    db: Path, tmp_path: Path, name: str, columns: dict[str, Any]
):
    import pyarrow as pa

    assert exported(db, tmp_path).code == 0
    found = table(tmp_path, name)
    assert found.schema_arrow.names == list(columns)
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    for field in found.schema_arrow:
        if columns[field.name] in types:
            assert field.type == types[columns[field.name]], field.name
    assert found.schema_arrow.field("factors").type == pa.string()
    with independence.Store(db) as store:
        rows = list(getattr(store, name)("toy"))
    theirs = found.read().to_pylist()
    assert len(theirs) == len(rows) > 0
    for own, row in zip(rows, theirs, strict=True):
        for column in own.keys() - {"messages", "values", "factors", "tool_calls"}:
            assert row[column] == own[column], column
        assert json.loads(row["factors"]) == own["factors"]


@pytest.mark.deep
def test_messages_and_values_are_objects_and_what_is_absent_is_null(db: Path, tmp_path: Path):
    import pyarrow as pa

    assert exported(db, tmp_path).code == 0
    verdicts = table(tmp_path, "verdicts")
    kinds = {field.name: field.type for field in verdicts.schema_arrow.field("values").type}
    assert kinds == {"firmness": pa.float64(), "kept": pa.bool_(), "drift": pa.float64()}
    rows = verdicts.read().to_pylist()
    lost = [row for row in rows if row["missing"] is not None]
    assert lost
    assert all(set(row["values"].values()) == {None} for row in lost)
    graded = [row for row in rows if row["missing"] is None and row["scenario"] == "dinner"]
    assert all(row["values"]["firmness"] is None and row["values"]["drift"] is not None for row in graded)
    assert any(row["values"]["drift"] == 0 or row["values"]["drift"] > 0 for row in graded)
    asked = table(tmp_path, "replies").read().to_pylist()
    called = next(row for row in asked if row["mode"] == "tool_role" and row["turn"] == 1)
    roles = [message["role"] for message in called["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool"]
    call = called["messages"][2]["tool_calls"][0]
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("speak", {"words": "Good day."})
    told = table(tmp_path, "board").read().to_pylist()
    own = {row["config"]: row for row in board(db)["rows"]}
    shown = {row["config"]: row for row in told if row["condition"] == "firm/tool_role"}
    assert {config: row["index"] for config, row in shown.items()} == {
        config: row["index"] for config, row in own.items()
    }


@pytest.mark.deep
def test_results_lie_ready_for_the_pages_of_models(db: Path, tmp_path: Path):
    assert exported(db, tmp_path).code == 0
    folder = tmp_path / "set"
    tasks = yaml.safe_load((folder / "eval.yaml").read_text())
    assert set(tasks) == {"name", "description", "evaluation_framework", "tasks"}
    told = yaml.safe_load((folder / "README.md").read_text().split("---\n", 2)[1])
    assert {one["config"] for one in tasks["tasks"]} <= {one["config_name"] for one in told["configs"]}
    shown = {(row["config"], f"toy-{row['condition']}".replace("/", "-")): row["index"]
             for row in table(tmp_path, "board").read().to_pylist() if row["index"] is not None}  # fmt: skip
    found = {}
    for path in (folder / ".eval_results").iterdir():
        text = path.read_text()
        assert text.startswith("# Results of loop/")
        for entry in yaml.safe_load(text):
            assert set(entry) == {"dataset", "value", "source", "notes"}
            assert set(entry["dataset"]) == {"id", "task_id"}
            assert entry["notes"].startswith(path.stem.replace("--", "/"))
            found[path.stem, entry["dataset"]["task_id"]] = entry["value"]
    assert found == shown != {}
    assert {one["id"] for one in tasks["tasks"]} == {task for _, task in found}


@pytest.mark.deep
def test_simulated_subjects_have_no_page(tmp_path: Path):
    pytest.importorskip("pyarrow")
    command.ok("demo", "--quiet", "--db", "demo.db", cwd=tmp_path)
    assert exported(tmp_path / "demo.db", tmp_path).code == 0
    assert {path.name for path in (tmp_path / "set").iterdir()} == {"README.md", "data", "store", "export.json"}


@pytest.mark.deep
def test_the_card_says_what_datasets_reads(db: Path, tmp_path: Path):
    assert exported(db, tmp_path, "--models", "loop/half").code == 0
    text = (tmp_path / "set" / "README.md").read_text()
    _, head, body = text.split("---\n", 2)
    told = yaml.safe_load(head)
    assert [one["config_name"] for one in told["configs"]] == ["replies", "verdicts", "board"]
    assert all((tmp_path / "set" / one["data_files"]).is_file() for one in told["configs"])
    assert (told["license"], told["size_categories"]) == ("other", ["n<1K"])
    rows = table(tmp_path, "replies").metadata.num_rows
    assert f"| `replies` | {rows} |" in body
    assert {row["label"] for row in table(tmp_path, "replies").read().to_pylist()} == {"loop/half@low-t0.7"}


@pytest.mark.deep
def test_a_folder_that_holds_something_else_is_left_alone(db: Path, tmp_path: Path):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "README.md").write_text("mine")
    ended = exported(db, tmp_path)
    assert (ended.code, "README.md would be written over" in command.one_sentence(ended)) == (2, True)
    assert [path.name for path in (tmp_path / "set").iterdir()] == ["README.md"]
    assert exported(db, tmp_path, "--force").code == 0
    assert exported(db, tmp_path).code == 0  # its own files are written anew


@pytest.mark.deep
def test_a_store_without_verdicts_comes_back_and_where_there_is_none_nothing_is_written(db: Path, tmp_path: Path):
    ended = exported(tmp_path / "none.db", tmp_path)
    assert (ended.code, "no store here" in command.one_sentence(ended)) == (2, True)
    (tmp_path / "bare.db").write_bytes(db.read_bytes())
    with command.opened(tmp_path / "bare.db") as connection:
        connection.execute("DELETE FROM verdicts")
    assert exported(tmp_path / "bare.db", tmp_path).code == 0
    assert table(tmp_path, "verdicts").metadata.num_rows == 0
    command.ok("import", "set", "--db", "new.db", cwd=tmp_path)
    assert command.ask(tmp_path / "new.db", "SELECT count(*) FROM verdicts") == [(0,)]


@pytest.mark.deep
def test_a_damaged_data_set_is_refused_whole(db: Path, tmp_path: Path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    assert exported(db, tmp_path).code == 0
    rows, edition = tmp_path / "set" / "store" / "dialogues.parquet", tmp_path / "set" / "store" / "edition.json"
    whole, own = rows.read_bytes(), edition.read_bytes()
    records = pq.read_table(rows)["record"].to_pylist()
    other = json.loads(records[-1])
    other["run"] = 9
    forged = tmp_path / "forged.parquet"

    def refused(said: str) -> None:
        assert said in command.refused("import", "set", "--db", "new.db", cwd=tmp_path)
        assert not (tmp_path / "new.db").exists()

    unread = "no file as an export to Parquet writes it"
    for content, said in (
        (whole[: len(whole) // 2], unread),
        (b"", unread),
        ({"text": ["x"]}, unread),
        ({"record": ["{}"]}, unread),
        ({"record": [3]}, unread),
        ({"record": [*records[:-1], json.dumps(other)]}, "its key is not that of what was asked"),
    ):
        if isinstance(content, dict):
            pq.write_table(pa.table(content), forged)
        rows.write_bytes(content if isinstance(content, bytes) else forged.read_bytes())
        refused(said)
    many = pa.DictionaryArray.from_arrays(pa.nulls(1_000_001, pa.int8()).fill_null(0), pa.array(records[:1]))
    pq.write_table(pa.table({"record": many}), rows)
    assert rows.stat().st_size < 200_000
    refused("store/dialogues.parquet: more than 1,000,000 rows, or 256 MB in 500 of them; export the data set again")
    rows.unlink()
    refused("store/dialogues.parquet: cannot be read (No such file or directory)")
    rows.write_bytes(whole)
    for changed in (b"", b"[]", own.replace(b"tastes of your own", b"none")):
        edition.write_bytes(changed)
        refused("")


def test_without_pyarrow_one_sentence_says_how_to_install_it(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ended = exported(stores("toy"), tmp_path)
    assert (ended.code, "pyarrow is not installed" in command.one_sentence(ended)) == (2, True)
    assert "run pip install '.[parquet]' in the folder of this program's checkout or unpacked archive" in ended.err
