from __future__ import annotations

import re
from html.parser import HTMLParser

from independence.report import html
from independence.report.plots.board import ForestRow, forest
from independence.report.plots.svg import FigureMeta
from independence.report.table import Column, Prose, Section, Svg, Table
from tests.report import drawn

TABLE = Table(
    "scores",
    "Scores <i>",
    (Column("rank", "#", "count"), Column("who", "Who"), Column("ci", "CI", "interval"), Column("said", "Said")),
    ((1, drawn.HOSTILE, (1.0, 2.0), "<img src=x onerror=alert(1)>" + "long " * 60), (None, "b", None, None)),
    ("a <b>note</b>",),
)
FIGURES = (
    Svg("tiers", forest([ForestRow(drawn.HOSTILE, 90.0)], FigureMeta("tiers", "T", "D")), "Tiers & more"),
    Svg("runs", forest([ForestRow("a", 90.0)], FigureMeta("runs", "T", "D")), "Runs"),
)
SECTIONS = (
    Section(
        "tiers", "Tiers & bands", (Prose("Our *words*.\n\n<script>no()</script> ![x](https://e.org/x.png)"), FIGURES[0])
    ),
    Section("scores", "Scores", (TABLE, FIGURES[1])),
)
VOID = {"meta", "br", "hr", "img", "input", "link", "wbr"}


class Reader(HTMLParser):
    """Tags in order, checked for balance."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_the_page_is_whole_and_asks_nobody_for_anything() -> None:
    text = html.page("A <report>", SECTIONS)
    page = Reader(text)
    assert page.open == []
    assert {name for name, _ in page.tags} & {"img", "link", "iframe", "object", "image"} == set()
    assert all("src" not in attributes for _, attributes in page.tags)
    assert not re.search(r"url\((?!#)|@import", text)
    policy = next(tag for tag in page.all("meta") if tag.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    )
    assert text.encode()


def test_only_our_one_script_is_in_it_and_no_handler() -> None:
    page = Reader(html.page("A <report>", SECTIONS))
    assert len(page.all("script")) == 1
    assert not [key for _, attributes in page.tags for key in attributes if key.startswith("on")]
    assert page.all("b") == []
    assert page.all("i") == []


def test_no_id_is_given_twice_and_every_link_of_the_contents_leads_somewhere() -> None:
    page = Reader(html.page("A", SECTIONS))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert [link["href"] for link in page.all("a")][1:3] == ["#tiers", "#scores"]
    assert {link["href"] for link in page.all("a")} <= {f"#{one}" for one in ids} | {"https://e.org/x.png"}
    pointed = [str(tag["aria-labelledby"]).split() for _, tag in page.tags if "aria-labelledby" in tag]
    assert {one for many in pointed for one in many} <= set(ids)


def test_tables_are_tables_with_scopes_a_caption_and_notes() -> None:
    text = html.page("A", SECTIONS)
    page = Reader(text)
    assert [tag["scope"] for tag in page.all("th")] == ["col"] * 4 + ["row"] * 2
    assert "<span>Scores &lt;i&gt;</span></caption>" in text
    assert "<p>a &lt;b&gt;note&lt;/b&gt;</p>" in text
    assert '<td class="n">1.0 to 2.0</td>' in text
    assert '<td class="n absent">—</td>' in text
    keys = [str(tag["class"]).split() for tag in page.all("th") if tag["scope"] == "row"]
    assert [kinds[-1] for kinds in keys] == ["key"] * 2, "the first column of text names the row"


def test_a_long_name_breaks_after_its_separators_alone_and_a_short_one_nowhere() -> None:
    rows = (("negotiation",), ("anthropic/claude-sonnet-4.5@none-t0.7",), ("x" * 60,))
    text = html.page("A", [Section("s", "S", [Table("t", "T", (Column("a", "A"),), rows)])])
    assert '<th scope="row" class="key">negotiation</th>' in text
    assert ">anthropic/<wbr>claude-sonnet-4.5@<wbr>none-t0.7</th>" in text
    assert "<wbr>" in text.split("x" * 24, 1)[1][:5], "a name without any is broken all the same"


def test_a_long_text_is_folded_and_whole_inside() -> None:
    text = html.page("A", SECTIONS)
    start, inside = re.search(r"<details><summary>(.*?)</summary><div>(.*?)</div></details>", text).groups()
    assert start.startswith("&lt;img src=x onerror=alert(1)&gt;long")
    assert inside.count("long") == 60
    assert len(start) < len(inside)


def test_long_tables_scroll_in_a_box_except_where_they_are_the_point() -> None:
    table = Table("t", "T", (Column("a", "A"),), tuple((str(n),) for n in range(41)))
    folded, whole = (html.page("A", [Section("s", "S", [table], folds=folds)]) for folds in (True, False))
    assert 'class="scroll tall"' in folded
    assert 'class="scroll tall"' not in whole


def test_many_tables_stand_behind_their_titles() -> None:
    tables = [Table(f"t{n}", f"Table {n}", (Column("a", "A"),), (("x",),)) for n in range(4)]
    few, many = (html.page("A", [Section("s", "S", tables[:count])]) for count in (3, 4))
    assert few.count('class="fold"') == 0
    assert many.count('<details class="fold"><summary>Table ') == 4


def test_an_empty_table_says_so() -> None:
    assert "Nothing to show." in html.page("A", [Section("s", "S", [Table("t", "T", (Column("a", "A"),), ())])])


def test_an_empty_table_with_notes_says_why_and_does_not_repeat_the_section() -> None:
    table = Table("t", "Run health", (Column("a", "A"),), (), ("80 of 80 runs are whole.",))
    text = html.page("A", [Section("s", "Run health", [table])])
    assert "Nothing to show." not in text
    assert text.split("</h2>")[1].count("Run health") == 0
    assert "80 of 80 runs are whole." in text


def test_what_stands_between_back_ticks_in_a_note_is_code_and_nothing_else_is_markup() -> None:
    note = "Run `independence judge -j MODEL`, or `<img src=x>`."
    text = html.page("A", [Section("s", "S", [Table("t", "T", (Column("a", "A"),), (("x",),), (note,))])])
    assert "Run <code>independence judge -j MODEL</code>, or `&lt;img src=x&gt;`." in text


def test_both_themes_are_there_and_the_readers_choice_wins() -> None:
    text = html.page("A", ())
    assert "@media(prefers-color-scheme:dark){:root:not([data-theme=light])" in text
    assert ":root[data-theme=dark]{color-scheme:dark;" in text
    assert "svg:root" not in text, "the page's own colours"
