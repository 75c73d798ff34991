"""What `check` prints is obeyed by no runner of CI, whatever a model wrote."""

from __future__ import annotations

import json

import pytest

from independence.api.results import CheckResult
from independence.cli import check
from independence.cli.options import TerminalOptions
from independence.report.gate_files import CheckDocument, QuotedScenario

ORDERS = "::error::one\n  ::stop-commands::two\n##[add-mask]three\r::warning::four"


@pytest.mark.parametrize("format_", ["table", "json", "md"])
def test_words_of_a_model_give_no_orders(format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = QuotedScenario(scenario="map", run=1, lost=3.0, quote=ORDERS, reasoning=ORDERS)
    document = CheckDocument(
        decision="fail", reason="Failed.", exit_code=1, suite="harbour", edition="0123abcd",
        condition="plain/user_role", judge="cues", subject="loop/half", simulated=False, quoted=(words,),
    )  # fmt: skip
    check._print(CheckResult(document, None, started=True), TerminalOptions(format_=format_))
    out = capsys.readouterr().out
    assert "add-mask]three" in out
    assert "##[" not in out
    assert not [line for line in out.splitlines() if line.lstrip().startswith("::")]
    if format_ == "json":
        assert json.loads(out)["quoted"][0]["quote"] == ORDERS
