"""The built page as it is committed: its weight, its policy, and the colours and numbers that it has from Python."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from tests.web import building, generated, word_cases

BUNDLE = Path(__file__).parents[2] / "src" / "independence" / "viewer" / "bundle"
KB = 1000
ENTRY, STYLE, CHUNK = 117 * KB, 12 * KB, 40 * KB  # packed


def packed(name: str) -> int:
    return len(gzip.compress((BUNDLE / name).read_bytes(), 9))


def test_no_file_is_over_its_budget() -> None:
    page = (BUNDLE / "index.html").read_text(encoding="utf-8")
    first = {f"app/{name}" for name in re.findall(r'"\./app/([a-z-]+\.js)"', page)}
    chunks = [name for path in (BUNDLE / "app").glob("*.js") if (name := f"app/{path.name}") not in first]
    assert "app/index.js" in first
    assert sum(map(packed, first)) <= ENTRY
    assert packed("app/style.css") <= STYLE
    assert chunks
    assert [name for name in chunks if packed(name) > CHUNK] == []


def test_the_one_script_of_a_report_is_there_alone_and_small() -> None:
    assert [file.name for file in (BUNDLE / "file").iterdir()] == ["report.js"]
    assert packed("file/report.js") <= 225 * KB  # the typeface is in it


def test_the_typeface_is_small_and_comes_with_its_licence() -> None:
    (face,) = (BUNDLE / "app").glob("*.woff2")
    assert face.stat().st_size <= 60 * KB
    assert "SIL OPEN FONT LICENSE" in (BUNDLE / "app" / "OFL.txt").read_text(encoding="utf-8")


def test_the_page_names_no_other_host_and_has_no_script_in_it() -> None:
    page = (BUNDLE / "index.html").read_text(encoding="utf-8")
    assert "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';" in page
    assert "connect-src 'self'" in page
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)
    inline = re.findall(r"<script(?![^>]*src=)[^>]*>", page)
    assert inline == ['<script id="independence-config" type="application/json">']


def test_the_committed_page_was_built_of_these_sources() -> None:
    assert building.BUILT_OF.read_text("utf-8").strip() == building.digest(), "run `make web`"


def test_the_lock_names_no_host() -> None:
    assert '"resolved"' not in (generated.WEB / "package-lock.json").read_text(encoding="utf-8")


def test_what_the_page_has_from_python_is_committed() -> None:
    assert generated.SHOWN.read_text(encoding="utf-8") == generated.shown_cases()
    assert generated.WORDS.read_text(encoding="utf-8") == word_cases.written()
