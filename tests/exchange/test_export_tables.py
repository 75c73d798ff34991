"""Tables of an edition, as objects and as cells, with its boards, and how much of a store they hold in memory."""

from __future__ import annotations

import csv
import gc
import io
import json
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.config import documents
from independence.config.subjects import Subject, to_json
from independence.errors import StoreError
from independence.exchange import export_tables
from independence.exchange.export_tables import ExportedEdition, ExportTable, Row, chosen_subjects, model_names, tables
from independence.extensions.published import cache_files
from independence.report.board import index_tables
from independence.report.board.board_data import SubjectInfo
from independence.store import artefacts, queries, scopes
from independence.store.artefacts import ArtefactRow
from independence.store.dialogues import Dialogue, StoredReply, StoredVerdict, Turn
from independence.store.file import database
from independence.store.scopes import BoardScope
from independence.suites.load import LoadedSuite, load
from independence.types import Attempt, Missing, Reply, Sampling, Usage, Verdict
from tests.e2e import command
from tests.engine import planned

SUBJECT = Subject("lab/m", "lab", "m", Sampling(0.7, "high", "acme/fp8"))
CONFIG = SUBJECT.config_dir
WORDS = '=HYPERLINK("x")\r\n"Soup," he said. \u202e\u2028\x00'
REPLY = Reply(
    WORDS, "content", raw=f"<|x|>{WORDS}", flags=("template_tokens",), usage=Usage(10, 5, cost_usd=0.01),
    served_provider="Acme", attempts=(Attempt("429", 1.0, detail="http://10.0.0.7/key=sk-123"), Attempt("ok", 2.0)),
)  # fmt: skip


@pytest.fixture
def connection(tmp_path: Path, toy_suite: LoadedSuite) -> Iterator[sqlite3.Connection]:
    """One subject under two conditions, something of everything: answered, missing, stale, graded by two judges.

    Of the second condition nothing is answered.
    """
    with closing(database.connect(tmp_path / "store.db")) as opened:
        made = planned.trials(toy_suite.suite, SUBJECT, variants=["firm"])
        planned.store(opened, toy_suite, list(made.values()))
        planned.store(opened, toy_suite, list(planned.trials(toy_suite.suite, SUBJECT, variants=["plain"]).values()))
        opened.execute("UPDATE subjects SET config = ?", (to_json(SUBJECT),))
        at = planned.answer(opened, made["dinner", 1], REPLY, "Soup again.")
        planned.grade(opened, made["dinner", 1], "k1", at, Verdict({"drift": 2}, "It moved."), "zoe")
        planned.grade(opened, made["dinner", 1], "k2", "elsewhere", Missing("unreadable_verdict"), "ann")
        planned.answer(opened, made["dessert", 1], "Mine.")
        planned.answer(opened, made["radio", 1], Missing("blocked", "at http://10.0.0.7"))
        yield opened


def places(connection: sqlite3.Connection, *variants: str) -> list[BoardScope]:
    return [scopes.find(connection, None, variant, "tool_role") for variant in variants or ("firm", "plain")]


def edition(connection: sqlite3.Connection, at: Sequence[BoardScope]) -> ExportedEdition:
    """Every subject of these conditions."""
    stored = queries.subjects(connection, at[0].where)
    return ExportedEdition(connection, at, {config: SubjectInfo(*who) for config, who in stored.items()})


def rows(connection: sqlite3.Connection, name: str, *variants: str) -> list[Row]:
    (sheet,) = [one for one in tables(edition(connection, places(connection, *variants))) if one.name == name]
    found = list(sheet.rows())
    assert all(set(row) == set(sheet.columns) for row in found)
    return found


def test_who_was_asked_and_what_it_cost(connection: sqlite3.Connection, toy_suite: LoadedSuite) -> None:
    assert rows(connection, "subjects") == [
        {
            "suite": "toy", "edition": toy_suite.edition, "config": CONFIG, "label": SUBJECT.label,
            "model_id": "lab/m", "simulated": False, "endpoint": "lab", "provider": "acme/fp8", "temperature": 0.7,
            "temperature_supported": True, "effort": "high", "answers": 3, "cost_usd": pytest.approx(0.01),
        }
    ]  # fmt: skip


def test_every_planned_turn_is_a_row_with_its_request_and_its_words_or_why_it_is_empty(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    found = rows(connection, "dialogues")
    assert [(row["variant"], row["scenario"], row["turn"], row["missing"]) for row in found] == [
        ("firm", "dessert", 0, None), ("firm", "dinner", 0, None), ("firm", "dinner", 1, None),
        ("firm", "radio", 0, "blocked"), ("plain", "dessert", 0, "not_run"), ("plain", "dinner", 0, "not_run"),
        ("plain", "radio", 0, "not_run"),
    ]  # fmt: skip
    row = found[1]
    assert (row["text"], row["raw"], row["flags"]) == (WORDS, f"<|x|>{WORDS}", ["template_tokens"])
    assert (row["attempts"], row["seconds"], row["cost_usd"]) == (["429", "ok"], 3.0, 0.01)
    asked = row["messages"]
    assert isinstance(asked, list)
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "tool"]
    assert asked[-1]["content"] == "Which dish is yours, if you may choose?"
    made = planned.trials(toy_suite.suite, SUBJECT, variants=["firm"])
    planned.answer(connection, made["dinner", 1], "Bread.")  # what was answered before on other words is stale
    stale = [(row["scenario"], row["turn"]) for row in rows(connection, "dialogues", "firm") if row["stale"]]
    assert stale == [("dessert", 0), ("dinner", 1)]
    assert {row["variant"] for row in rows(connection, "dialogues", "plain")} == {"plain"}
    assert rows(connection, "verdicts", "plain") == []


def test_verdicts_of_every_judge_say_whether_they_count(connection: sqlite3.Connection) -> None:
    found = rows(connection, "verdicts")
    assert [(row["judge"], row["missing"], row["values"], row["current"]) for row in found] == [
        ("ann", "unreadable_verdict", {}, False), ("zoe", None, {"drift": 2}, False)
    ]  # fmt: skip
    assert found[1]["reasoning"] == "It moved."
    connection.execute("UPDATE verdicts SET rubric = 'published'")
    assert [row["current"] for row in rows(connection, "verdicts")] == [False, True]


def test_neither_addresses_nor_details_of_errors_are_in_any_table(connection: sqlite3.Connection) -> None:
    sheets = tables(edition(connection, places(connection)))
    every = "".join(json.dumps(row) for sheet in sheets for row in sheet.rows())
    assert "10.0.0.7" not in every
    assert "sk-123" not in every


def test_of_a_grid_the_facts_are_there_and_what_judges_wrote(tmp_path: Path) -> None:
    loaded = load("sides")
    with closing(database.connect(tmp_path / "sides.db")) as connection:
        made = planned.trials(loaded.suite, SUBJECT)
        planned.store(connection, loaded, list(made.values())[:3])
        scenario = loaded.suite.scenarios[0]
        trial, said = made[scenario.id, 1], Reply("A pays.", "content")
        at = planned.answer(connection, trial, "Pay half.")
        artefacts.add(connection, ArtefactRow("k", trial.key, "j", "claims", 0, "w", at, "{}", said))
        by_name = {one.name: one for one in tables(edition(connection, [scopes.find(connection, None, None, None)]))}
        (step,) = by_name["steps"].rows()
        assert (step["step"], step["text"], step["scenario"]) == ("claims", "A pays.", scenario.id)
        first = next(row for row in by_name["dialogues"].rows() if row["scenario"] == scenario.id)
        assert (first["side"], first["cell"], first["factors"]) == (scenario.side, scenario.cell, scenario.factors)
        head = next(export_tables.to_csv(by_name["steps"])).decode()
        assert [name for name in scenario.factors if f"factors.{name}" not in head] == []


def test_a_board_has_a_row_a_subject_and_condition_with_what_it_is_about(
    connection: sqlite3.Connection, toy_suite: LoadedSuite
) -> None:
    at = places(connection)
    built = export_tables.boards_of(connection, at, "zoe")
    found = [json.loads(line) for line in export_tables.board_jsonl(built, [CONFIG])]
    assert [(row["condition"], row["judge"], row["config"], row["index"], row["edition"]) for row in found] == [
        ("firm/tool_role", "zoe", CONFIG, None, toy_suite.edition),
        ("plain/tool_role", "zoe", CONFIG, None, toy_suite.edition),
    ]
    assert list(export_tables.board_jsonl(built, ["somebody-else"])) == []
    assert len(export_tables.board_csv(built, ["somebody-else"]).splitlines()) == 1
    bare = at[0]._replace(suite=msgspec.structs.replace(at[0].suite, index=None))
    assert export_tables.boards_of(connection, [bare], None) == []


def test_columns_of_some_boards_only_shift_no_cell_of_the_others(connection: sqlite3.Connection) -> None:
    at = places(connection)
    plain, other = export_tables.boards_of(connection, at, "zoe")
    document = msgspec.structs.replace(other.document, caution="Careful.")
    index = at[0].suite.index
    assert index is not None
    cautioned = msgspec.structs.replace(other, document=document, record=index_tables.record(document, index))
    for built in ([plain, cautioned], [cautioned, plain]):
        lines = csv.DictReader(io.StringIO(export_tables.board_csv(built, [CONFIG]).decode()))
        said = {line["condition"]: (line["config"], line["caution"]) for line in lines}
        assert said == {"firm/tool_role": (CONFIG, ""), "plain/tool_role": (CONFIG, "Careful.")}


def test_a_subject_answers_to_label_id_and_directory(tmp_path: Path, toy_suite: LoadedSuite) -> None:
    one, warm, two = (
        Subject("acme/one", "openrouter", "acme/one"),
        Subject("acme/one", "openrouter", "acme/one", Sampling(1.0, "low")),
        Subject("acme/two", "openrouter", "acme/two"),
    )
    with closing(database.connect(tmp_path / "three.db")) as connection:
        for subject in (two, warm, one):
            planned.store(connection, toy_suite, list(planned.trials(toy_suite.suite, subject).values()))
        scope = scopes.find(connection, None, None, None)
        expected = {
            (): [one, warm, two], ("acme/one",): [one, warm], (one.label,): [one], (warm.config_dir,): [warm],
            ("acme/two",): [two],
        }  # fmt: skip
        found = {names: list(chosen_subjects(connection, scope, names)) for names in expected}
        assert found == {names: [subject.config_dir for subject in own] for names, own in expected.items()}
        with pytest.raises(StoreError, match="no subject `acme/thre`"):
            chosen_subjects(connection, scope, ["acme/one", "acme/thre"])
        assert model_names(chosen_subjects(connection, scope)) == {
            one.config_dir: one.label, warm.config_dir: warm.label, two.config_dir: "acme/two"
        }  # fmt: skip
        assert model_names(chosen_subjects(connection, scope, [one.label])) == {one.config_dir: "acme/one"}


def sheet(**row: object) -> ExportTable:
    return ExportTable("one", tuple(row), lambda: iter([row]), {"factors": ("a", "b")} if "factors" in row else {})


def cells(one: ExportTable) -> list[list[str]]:
    text = b"".join(export_tables.to_csv(one)).decode()
    return list(csv.reader(io.StringIO(text, newline="")))


TEXT = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\r\n\u2028\x00=\"',\x1b\x9b\u202e\u2066\u061c")
)
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # of the Unicode Character Database
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT | st.sampled_from(["\x7f", "é", "\u2028", "\U0001f600"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


def acts(sign: str) -> bool:
    """Whether a terminal or an editor does something at a character, instead of showing it."""
    return unicodedata.category(sign) in ("Cc", "Zl", "Zp") or unicodedata.bidirectional(sign) in DIRECTIONS


@given(TEXT)
def test_any_text_comes_back_from_a_line_of_json_and_is_one_cell_and_no_formula(text: str) -> None:
    (line,) = export_tables.jsonl(sheet(answer=text, n=1))
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"answer": text, "n": 1}
    head, row = cells(sheet(answer=text, n=1))
    assert head == ["answer", "n"]
    assert len(row) == 2
    assert not row[0].lstrip().startswith(("=", "+", "-", "@"))
    assert [sign for sign in row[0] if acts(sign) and sign not in "\n\t"] == []


@given(TEXT)
def test_json_for_pages_and_files_says_the_same_and_holds_no_character_that_acts(text: str) -> None:
    written = documents.encode({"one": text, text: [text]})
    assert msgspec.json.decode(written) == {"one": text, text: [text]}
    assert [sign for sign in written.decode() if acts(sign)] == []


@given(VALUE)
def test_values_are_spelled_as_the_standard_library_spells_them(value: object) -> None:
    (line,) = export_tables.jsonl(sheet(one=value))
    assert line == json.dumps({"one": value}).encode() + b"\n"


def test_cells_are_plain_and_objects_with_known_keys_have_a_column_a_key() -> None:
    plain = [(None, ""), (True, "true"), (False, "false"), (-0.5, "-0.5"), ([1, "a"], '[1, "a"]'), (0, "0")]
    assert [cells(sheet(value=value, n=1))[1] for value, _ in plain] == [[cell, "1"] for _, cell in plain]
    assert cells(sheet(factors={"b": "x"}, other={"b": "x"})) == [
        ["factors.a", "factors.b", "other"], ["", "x", '{"b": "x"}']
    ]  # fmt: skip
    empty = ExportTable("none", ("a", "b"), lambda: iter(()))
    assert (list(export_tables.to_csv(empty)), list(export_tables.jsonl(empty))) == ([b"a,b\n"], [])


def test_the_two_formats_hold_the_same_rows(connection: sqlite3.Connection) -> None:
    for one in tables(edition(connection, places(connection))):
        head, *lines = cells(one)
        objects = [json.loads(line) for line in export_tables.jsonl(one)]
        assert {len(line) for line in lines} <= {len(head)}
        for line, found in zip(lines, objects, strict=True):
            assert line[head.index("config")] == found["config"]
            if found.get("text") and not found["text"].startswith("="):
                assert line[head.index("text")] == found["text"]


def test_a_published_file_holds_its_own_turn_and_the_last_one_the_current_verdict(
    connection: sqlite3.Connection,
) -> None:
    connection.execute(
        "UPDATE calls SET turn_id = 'dinner_turn' || (turn + 1) WHERE trial IN (SELECT trial FROM verdicts)"
    )
    command.meant(connection)
    exported = edition(connection, places(connection, "firm"))

    def files() -> dict[str, tuple[str, object]]:
        contents = cache_files.files(connection, exported.places, "zoe", exported.about)
        whole = {Path(path).stem: json.loads(b"".join(parts)) for path, parts in contents.items()}
        return {name: (one["response"], one["judge_scores"]) for name, one in whole.items() if "dinner" in name}

    assert files() == {"dinner_turn1": (WORDS, None), "dinner_turn2": ("Soup again.", None)}  # by another rubric
    connection.execute("UPDATE verdicts SET rubric = 'published'")
    assert files()["dinner_turn1"] == (WORDS, None)
    assert files()["dinner_turn2"] == ("Soup again.", {"reasoning": "It moved.", "drift": 2})


HELD = (Dialogue, Turn, StoredReply, StoredVerdict)


def held() -> int:
    """How many rows of a store are in memory."""
    return sum(isinstance(one, HELD) for one in gc.get_objects())


def while_written(rows: Iterable[object]) -> tuple[int, int]:
    """How many rows there are, and how many of a store were in memory at most; it is looked at some of the time."""
    before, count, most = held(), 0, 0
    for count, _ in enumerate(rows, start=1):
        most = max(most, held() - before) if count % 16 == 1 else most
    return count, most


def written(path: Path, loaded: LoadedSuite, subjects: int) -> dict[str, tuple[int, int]]:
    """Rows of every table, and how many rows of the store were in memory at most while they were written.

    As `published` the same of the files of the published layout.
    """
    with closing(database.connect(path)) as connection:
        with database.transaction(connection):
            for number in range(subjects):
                made = planned.trials(loaded.suite, Subject(f"lab/m{number}", "lab", f"m{number}"), runs=2)
                planned.store(connection, loaded, list(made.values()))
                for (scenario, run), trial in sorted(made.items(), key=lambda one: one[1].parent is not None):
                    said = [f"{scenario} {run}"] * trial.dialogue.generated
                    at = planned.answer(connection, trial, *said)
                    planned.grade(connection, trial, f"{trial.key} by zoe", at, Verdict({"drift": 2}), "zoe")
        exported = edition(connection, [scopes.find(connection, None, None, None)])
        found = {table.name: while_written(table.rows()) for table in tables(exported)}
        contents = cache_files.files(connection, exported.places, "zoe", exported.about).values()
        found["published"] = while_written(chain.from_iterable(contents))
    return found


@pytest.fixture
def others_uncounted() -> Iterator[None]:
    """What is in memory already is not looked through at every row."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("others_uncounted")
def test_no_more_of_a_store_is_in_memory_for_more_subjects(tmp_path: Path, toy_suite: LoadedSuite) -> None:
    few, many = (written(tmp_path / f"{count}.db", toy_suite, count) for count in (17, 51))  # 102 dialogues
    for name in few:
        assert many[name][0] == 3 * few[name][0]
        assert many[name][1] <= few[name][1] + 4
