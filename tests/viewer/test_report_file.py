"""A report as one file: what is in it, what is not, and that nothing in it can become a script."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from shutil import copy
from typing import Any

import msgspec
import pytest

import independence
from independence.config import user_files
from independence.errors import UsageError
from independence.store.file import database
from tests.e2e import command
from tests.stores import Stores

EVIL = "</script><script>alert(1)</script><!-- <script>"


class Reader(HTMLParser):
    """The scripts and styles of a page, and its policy."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.inside: str | None = None
        self.texts: dict[str, str] = {}
        self.policy = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if own.get("http-equiv") == "Content-Security-Policy":
            self.policy = own["content"] or ""
        if tag in ("script", "style"):
            self.inside = own.get("id") or f"{tag} {len(self.texts)}"
            self.texts[self.inside] = ""

    def handle_endtag(self, tag: str) -> None:
        self.inside = None

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts[self.inside] += data

    @property
    def documents(self) -> dict[str, Any]:
        packed = base64.b64decode(self.texts["independence-documents"])
        return msgspec.json.decode(gzip.decompress(packed), type=dict[str, Any])


def written(store: Path, path: Path, **options: Any) -> Reader:
    with independence.Store(store) as held:
        independence.write_report_file(
            held, path, **{"suite": "toy", "variant": "firm", "mode": "tool_role", "judge": "cues", **options}
        )
    return Reader(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def toy(stores: Stores) -> Path:
    return stores("toy")


def dialogues(page: Reader) -> int:
    return sum(len(own["dialogues"]) for path, own in page.documents.items() if "/text/" in path)


def test_the_policy_names_the_scripts_and_the_style_of_the_file_and_no_others(toy: Path, tmp_path: Path) -> None:
    page = written(toy, tmp_path / "r.html")
    code = [text for name, text in page.texts.items() if name.startswith(("script", "style"))]
    hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in code}
    assert len(hashes) == 3
    assert set(re.findall(r"'sha256-[^']+'", page.policy)) == hashes
    assert page.policy.startswith("default-src 'none';")
    assert "unsafe" not in page.policy
    assert "connect-src" not in page.policy


def test_a_file_holds_one_board_and_the_quoted_dialogues_alone_unless_all_are_asked_for(
    toy: Path, tmp_path: Path
) -> None:
    page, whole = written(toy, tmp_path / "r.html"), written(toy, tmp_path / "w.html", with_dialogues=True)
    boot = msgspec.json.decode(page.texts["independence-config"])
    (board,) = boot["board_list"]["boards"]
    assert (boot["served"], boot["embedded"]) == (False, True)
    assert {path.split("/")[0] for path in page.documents} == {"boards.json", board["id"]}
    assert len(board["judges"]) == 1
    report = next(own for path, own in page.documents.items() if "/report." in path)
    quoted = [one for section in report["sections"] for one in section["blocks"] if one["kind"] == "quotation"]
    assert quoted
    assert len(quoted) <= dialogues(page) <= 2 * len(quoted)
    assert dialogues(whole) == board["dialogues"] > dialogues(page)
    for one in quoted:
        held = [own for path, own in page.documents.items() if "/text/" in path for own in own["dialogues"]]
        own = next(d for d in held if all(d[key] == one[key] for key in ("subject", "scenario", "run")))
        assert one["text"].removesuffix(" …") in " ".join(turn["text"] for turn in own["turns"])


def test_words_of_a_model_begin_no_element(toy: Path, tmp_path: Path) -> None:
    store = Path(copy(toy, tmp_path / "evil.db"))
    with closing(database.connect(store)) as connection:
        connection.execute("UPDATE subjects SET label = label || ?", (EVIL,))
        command.meant(connection)
    clean, page = written(toy, tmp_path / "r.html"), written(store, tmp_path / "e.html", with_dialogues=True)
    text = (tmp_path / "e.html").read_text("utf-8")
    assert "<script>alert" not in text
    assert len(page.texts) == len(clean.texts) == 5
    assert EVIL in str(page.documents)


def test_a_report_is_written_over_a_report_and_over_nothing_else(toy: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    written(toy, path)
    first = path.read_bytes()
    assert first.rstrip().endswith(user_files.MARK)
    written(toy, path)
    assert path.read_bytes() == first
    path.write_text("mine")
    with pytest.raises(UsageError, match="not written by this command"):
        written(toy, path)
