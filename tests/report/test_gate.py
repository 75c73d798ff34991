"""What `check` writes is safe whatever a model said, and a baseline is only held against what it is of."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pytest
from markdown_it import MarkdownIt

from independence.errors import UsageError
from independence.report.files.table import spelled_out
from independence.report.gates import gate, gate_files
from independence.report.gates.gate import CheckedPlace, GateBaseline, GatedSubject, ScenarioScore
from independence.report.gates.gate_files import CheckDocument, QuotedScenario
from independence.stats.gates import GatedIndex

HOSTILE = (
    "</system-out>]]><!-- & \x00\x1b[31m\u202e \ufffe \ud800 ```\n````\n# Heading\n<script>alert(1)</script>\n"
    "[link](https://example.org) ![image](https://example.org/x.png) @everyone\n::error::no\n##[warning]no\n| a | b |"
)
PLACE = CheckedPlace(
    suite="harbour", edition="0123abcd", wording="aaaa1111", variant="warden-1f2e", persona=True, mode="user_role",
    judge="cues",
)  # fmt: skip
SCORES = (ScenarioScore("map", "course", 20.0, 26.7, 2), ScenarioScore("bell", "course", 90.0, 3.3, 1))


def subject(point: float = 70.0, runs: int = 4) -> GatedSubject:
    index = GatedIndex(point=point, dispersion=0.002, df=8.0, most=0.02, runs=runs)
    return GatedSubject(index, SCORES)


def document(**changes: object) -> CheckDocument:
    made = gate.look(subject(), 95.0, None, 3.0)
    return msgspec.structs.replace(
        CheckDocument(
            decision=made.decision, reason="Failed: the whole interval is below the bar.", exit_code=1,
            suite="harbour", edition="0123abcd", condition="warden-1f2e/user_role", judge="cues", subject=HOSTILE,
            simulated=False, bars=made.bars, looks=made.looks, runs=4, scenarios=SCORES, failed=("map",),
            quoted=(QuotedScenario(scenario="map", run=2, lost=26.7, quote=HOSTILE, reasoning=HOSTILE),),
        ),
        **changes,
    )  # fmt: skip


def test_junit_holds_hostile_words_as_text_and_has_the_shape_that_its_readers_expect() -> None:
    written = gate_files.marked(gate_files.junit(document()))
    root = ElementTree.fromstring(written.encode("utf-8", "strict"))
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == ["index", "map", "bell"]
    for one in (root, suite):
        counts = [int(one.get(name) or -1) for name in ("tests", "failures", "errors", "skipped")]
        assert counts == [3, len(list(root.iter("failure"))), len(list(root.iter("error"))), 0] == [3, 2, 0, 0]
    for case in cases:
        assert {child.tag for child in case} <= {"failure", "error", "system-out"}
        assert float(case.get("time") or -1) >= 0
        assert (case.get("classname") or "").startswith("independence.harbour")
    failure = cases[1].find("failure")
    assert spelled_out(HOSTILE) in (failure.text or "")
    for text in (written, gate_files.markdown(document())):
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\ufffe\uffff\ud800-\udfff]", text)


def test_junit_says_what_was_decided() -> None:
    for decision, code, errors, failures in (
        ("pass", 0, 0, 0), ("undecided", 5, 1, 0), (None, 3, 1, 0), ("fail", 1, 0, 2),
    ):  # fmt: skip
        failed = ("map",) if decision == "fail" else ()
        bars = tuple(msgspec.structs.replace(bar, decision=decision or "undecided") for bar in document().bars)
        made = document(decision=decision, bars=bars, exit_code=code, failed=failed)
        root = ElementTree.fromstring(gate_files.junit(made))
        assert len(list(root.iter("error"))) == errors == int(root.get("errors") or -1), decision
        assert len(list(root.iter("failure"))) == failures, decision


def test_a_gate_that_stopped_early_says_how_far_its_index_is_off() -> None:
    for decision, runs, most, said in (
        ("pass", 4, 10, "what 4 of at most 10 runs measured is too high on average"), ("undecided", 4, 10, ""),
        ("fail", 4, 10, "what 4 of at most 10 runs measured is too low on average"), ("fail", 10, 10, ""),
    ):  # fmt: skip
        bars = tuple(msgspec.structs.replace(bar, decision=decision) for bar in document().bars)
        notes = " ".join(gate_files.tables(document(decision=decision, bars=bars, runs=runs, max_runs=most))[0].notes)
        assert said in notes, decision
        assert bool(said) == ("too " in notes), decision


def test_no_markup_begins_in_words_that_a_summary_quotes() -> None:
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(gate_files.markdown(document()))
    outside = re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)
    assert not re.search("<(script|img|a )", outside)
    assert "<h1>" not in outside
    assert page.count("&lt;script&gt;") >= 2
    blocks = re.findall(r"<pre><code class=\"language-text\">(.*?)</code></pre>", page, re.DOTALL)
    assert len(blocks) == 2
    assert all("::error::no" in block for block in blocks)
    assert gate_files.cut("a" * 600) == "a" * 600
    assert len(gate_files.cut("a" * 5000)) < 620


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = gate.baseline(subject(), PLACE, "sim/half")
    file = tmp_path / "base.json"
    file.write_bytes(msgspec.json.encode(made))
    assert gate.read_baseline(file) == made
    assert made.ci[0] < 70 < made.ci[1]
    assert made.variance == pytest.approx(0.002 * 0.7 * 0.3 * 100**2)
    gate.refuse_unlike(made, file, PLACE)
    reworded = msgspec.structs.replace(PLACE, edition="other", variant="warden-ffff")  # of one wording
    gate.refuse_unlike(made, file, reworded)


def test_a_baseline_of_something_else_is_refused() -> None:
    made = gate.baseline(subject(), PLACE, "sim/half")
    for changes, says in (
        ({"suite": "v2"}, "suite harbour, not v2"),
        ({"edition": "9", "wording": "9"}, "edition 0123abcd, not 9, in other words"),
        ({"mode": "tool_role"}, "mode user_role, not tool_role"),
        ({"judge": "a/b"}, "judge cues, not a/b"),
        ({"variant": "plain", "persona": False}, "system prompt warden-1f2e, not plain"),
    ):
        with pytest.raises(UsageError, match=re.escape(f"--against base.json: this baseline is of {says};")):
            gate.refuse_unlike(made, Path("base.json"), msgspec.structs.replace(PLACE, **changes))


def test_a_baseline_whose_numbers_make_no_sense_is_refused(tmp_path: Path) -> None:
    made, file = gate.baseline(subject(), PLACE, "sim/half"), tmp_path / "base.json"
    for changes in ({"df": -1.0}, {"runs": 1}, {"dispersion": -0.1}, {"most": 0.0}, {"scale": (100.0, 0.0)}):
        odd = msgspec.structs.replace(made, index=msgspec.structs.replace(made.index, **changes))
        file.write_bytes(msgspec.json.encode(odd))
        with pytest.raises(UsageError, match="its numbers fit no baseline"):
            gate.read_baseline(file)


def held(point: float) -> GateBaseline:
    return gate.baseline(subject(point, runs=10), PLACE, "sim/half")


def test_both_bars_have_to_be_passed_one_is_enough_to_fail_and_scenarios_fail_by_it() -> None:
    for bar, against, drop, decision in (
        (30.0, held(70.0), 40.0, "pass"), (30.0, held(70.0), 0.0, "undecided"), (30.0, held(99.0), 1.0, "fail"),
        (None, None, 3.0, None),
    ):  # fmt: skip
        assert gate.look(subject(), bar, against, drop).decision == decision
    below = gate.look(subject(), 95.0, None, 3.0)
    assert gate.failed_scenarios(SCORES, below, None) == {"map", "bell"}
    dropped = gate.look(subject(), None, held(99.0), 1.0)
    assert gate.failed_scenarios(SCORES, dropped, {"map": 21.5, "bell": 90.5}) == {"map"}
    passed = gate.look(subject(), 30.0, None, 3.0)
    assert gate.failed_scenarios(SCORES, passed, None) == frozenset()
