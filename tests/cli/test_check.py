"""What `check` prints is obeyed by no runner of CI, whatever a model wrote."""

from __future__ import annotations

from pathlib import Path

from tests.e2e import command

ORDERS = "::error::one\n  ::stop-commands::two\n##[add-mask]three\r::warning::four"


def test_words_of_a_model_give_no_orders(toy_folder: Path, tmp_path: Path) -> None:
    gate = ("check", "--suite", toy_folder, "-m", "sim/always", "-j", "cues", "--min-index", "90", "--db", "here.db")
    assert command.run(*gate, cwd=tmp_path).code == 1
    with command.opened(tmp_path / "here.db") as store:
        store.execute("UPDATE calls SET text = ?", (ORDERS,))
        store.execute("UPDATE verdicts SET reasoning = ?", (ORDERS,))
    for form in ("table", "json", "md"):
        ended = command.run(*gate, "--format", form, cwd=tmp_path)
        assert (ended.code, "add-mask]three" in ended.out, "##[" in ended.out) == (1, True, False), form
        assert not [line for line in ended.out.splitlines() if line.lstrip().startswith("::")], form
        if form == "json":
            assert ended.board["quoted"][0]["quote"] == ended.board["quoted"][0]["reasoning"] == ORDERS
