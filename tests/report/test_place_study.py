from __future__ import annotations

import json

import msgspec
import pytest

from independence.errors import StoreError
from independence.report import analysis, board_notes, place_board, study
from independence.report.table import Column
from independence.stats import strict

from .filled import Toy


def test_a_place_is_read_whatever_its_suite_measures(toy: Toy) -> None:
    toy.complete("a", simulated=True)
    toy.plan("b")
    bare = msgspec.structs.replace(toy.suite, index=None)
    read = study.read_place(toy.connection, toy.scope._replace(suite=bare))
    assert (read.judge, list(read.about), len(read.planned["b"])) == ("cues", ["a", "b"], 3)
    where, days, simulated, missing = board_notes.place_notes(read)
    assert where == f"toy@{toy.loaded.edition}, firm/tool_role, judge cues"
    assert simulated == board_notes.SIMULATED_NOTE
    assert missing == "label of b: missing not_run 3."
    assert list(read.only(["label of b"]).planned) == ["b"]
    assert board_notes.place_notes(read.only(["label of b"])) == [where, days, missing]
    with pytest.raises(StoreError, match="no subject `c`"):
        read.only(["c"])


def test_who_lacks_answers_or_verdicts_is_named_alike_below_every_board() -> None:
    flags = {strict.UNANSWERED: 3, "missing:no_answer": 3, "missing:not_run": 1}
    silent, incomplete = board_notes.lacking([("a", flags), ("b", {}), ("c", {"missing:stale": 2, "cleaned": 4})])[1:]
    assert (silent, incomplete) == ("a: missing no_answer 3, not_run 1.", "c: missing stale 2.")
    assert board_notes.lacking([("a", flags)])[0].startswith("No index: a (3). Half of the replies or more")
    assert board_notes.lacking([("b", {})]) == []


class Counted(msgspec.Struct):
    config: str
    verdicts: int


def test_a_board_of_one_table_is_made_from_rows(toy: Toy) -> None:
    toy.complete("a", simulated=True)
    read = study.read_place(toy.connection, toy.scope)
    column = Column("verdicts", "Verdicts", "count")
    built = place_board.rendered(read, "Counts", [column], [Counted("a", 3)], "verdicts")
    assert analysis.to_csv([built]).splitlines() == ["config,subject,verdicts", "a,label of a (simulated),3"]
    assert '"rows": [\n    {\n      "config": "a",\n      "verdicts": 3' in analysis.to_json([built])
    assert [(one.config, one.label, one.value) for one in built.gated] == [("a", "label of a", 3)]
    assert [column.key for column in built.tables[0].columns] == ["subject", "verdicts"]
    assert list(built.tables[0].notes) == board_notes.place_notes(read)


def test_its_json_and_csv_say_what_its_judge_is_not_good_for(toy: Toy) -> None:
    toy.complete("a")
    read = study.read_place(toy.connection, toy.scope)
    built = place_board.rendered(read, "Counts", [Column("verdicts", "Verdicts", "count")], [Counted("a", 3)])
    document = json.loads(analysis.to_json([built]))
    assert document["caution"] == study.RULES_ONLY
    assert (document["repeats"], document["as_full"]) == ([], [])
    assert analysis.to_csv([built]).splitlines() == [
        "config,subject,verdicts,caution", f"a,label of a,3,{study.RULES_ONLY}",
    ]  # fmt: skip
    assert [column.key for column in built.tables[0].columns] == ["subject", "verdicts"]
