from __future__ import annotations

from independence.report import findings
from independence.report.findings import Finding

FOUND = [
    Finding("key", "openrouter", "ok", "accepted"),
    Finding("price", "a/b", "warn", "not listed", "add --allow-unpriced"),
    Finding("answer", "a/b", "fail", "HTTP 404", "check the id", 0.25),
    Finding("verdict", "c/d", "ok", "complete", usd=0.5),
]


def test_every_finding_is_a_row_and_what_was_not_asked_has_no_cost() -> None:
    table = findings.table(FOUND, ["Go on."])
    assert [column.key for column in table.columns] == ["check", "of", "result", "found", "fix", "cost_usd"]
    assert table.rows[0] == ("key", "openrouter", "ok", "accepted", None, None)
    assert table.rows[2] == ("answer", "a/b", "fail", "HTTP 404", "check the id", 0.25)
    assert table.notes == ("2 ok, 1 warn, 1 fail; 2 model calls, $0.750000", "Go on.")


def test_a_terminal_gets_what_to_do_below_what_was_found() -> None:
    found, fixes = findings.terminal_table(FOUND)
    assert "fix" not in [column.key for column in found.columns]
    assert found.notes == findings.table(FOUND).notes
    assert [row[:2] for row in fixes.rows] == [("price", "a/b"), ("answer", "a/b")]
    assert len(findings.terminal_table(FOUND[:1])) == 1


def test_a_check_that_cost_nothing_is_a_call_all_the_same() -> None:
    assert findings.table([Finding("answer", "sim/half", "ok", "x", usd=0.0)]).notes == (
        "1 ok; 1 model call, $0.000000",
    )
    assert findings.table(FOUND[:1]).notes == ("1 ok",)


def test_only_a_failure_fails() -> None:
    assert findings.failed(FOUND)
    assert not findings.failed([FOUND[0], FOUND[1], Finding("x", "y", "skipped", "z")])
