from __future__ import annotations

from pathlib import Path

from independence.suites.lint_texts import text_of, unfilled


def test_a_file_that_is_not_there_or_no_text_has_none(tmp_path: Path) -> None:
    (tmp_path / "odd.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "good.md").write_text("Grüße")
    assert [text_of(tmp_path / name) for name in ("absent.md", "odd.md", "good.md")] == [None, None, "Grüße"]


def test_every_slot_that_is_not_known_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "prompt.md"
    found = list(unfilled(file, "{{a}}\nplain\n{{b}} {{c}} {{a}}\n{{b}}", {"a"}))
    assert [(one.path, one.line, one.what[-6:]) for one in found] == [
        (str(file), 3, "{{b}}`"),
        (str(file), 3, "{{c}}`"),
        (str(file), 4, "{{b}}`"),
    ]
