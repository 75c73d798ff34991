"""Reports as one page of HTML and as Markdown: whole, linked, folded where long, and safe whatever a name says."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from independence.report import html
from independence.report.charts import Bar, Bars
from independence.report.markdown import document
from independence.report.table import Column, Prose, Section, Table

HOSTILE = "<script>alert(1)</script>$x^2$&\u202e\x1b[31m漢\ud800"

TABLE = Table(
    "scores",
    "Scores <i>",
    (Column("rank", "#", "count"), Column("who", "Who"), Column("ci", "CI", "interval"), Column("said", "Said")),
    ((1, HOSTILE, (1.0, 2.0), "<img src=x onerror=alert(1)>" + "long " * 60), (None, "b", None, None)),
    ("a <b>note</b>", "Run `independence judge -j MODEL`, or `<img src=x>`."),
)
FIGURES = tuple(
    Bars(id=name, title="T", caption=caption, head="runs", bars=(Bar(label=HOSTILE, count=2),))
    for name, caption in (("tiers", "Tiers & more"), ("runs", "Runs"))
)
WORDS = Prose("Our *words*.\n\n<script>no()</script> ![x](https://e.org/x.png)")
SECTIONS = (Section("tiers", "Tiers & bands", (WORDS, FIGURES[0])), Section("scores", "Scores", (TABLE, FIGURES[1])))
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


def column(rows: int, title: str = "Numbers", id_: str = "numbers", **more: object) -> Table:
    """A table of one column."""
    return Table(id_, title, (Column("a", "A"),), tuple((f"cell {n}",) for n in range(rows)), **more)


def page(*tables: Table, title: str = "S", folds: bool = True) -> str:
    return html.page("A", [Section("s", title, tables, folds=folds)])


def markdown(*tables: Table, title: str = "S", folds: bool = True) -> str:
    return document("R", [Section("s", title, tables, folds=folds), Section("o", "O", [])])


def test_the_page_is_whole_asks_nobody_for_anything_and_runs_our_one_script() -> None:
    text = html.page("A <report>", SECTIONS)
    found = Reader(text)
    assert found.open == []
    assert {name for name, _ in found.tags} & {"img", "link", "iframe", "object", "image", "b", "i"} == set()
    assert len(found.all("script")) == 1
    assert not [key for _, attributes in found.tags for key in attributes if key == "src" or key.startswith("on")]
    assert not re.search(r"url\((?!#)|@import", text)
    policy = next(tag for tag in found.all("meta") if tag.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    )
    assert "@media(prefers-color-scheme:dark){:root:not([data-theme=light])" in text
    assert ":root[data-theme=dark]{color-scheme:dark;" in text
    assert text.encode()


def test_no_id_is_given_twice_and_every_link_of_the_contents_leads_somewhere() -> None:
    found = Reader(html.page("A", SECTIONS))
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert [link["href"] for link in found.all("a")][1:3] == ["#tiers", "#scores"]
    assert {link["href"] for link in found.all("a")} <= {f"#{one}" for one in ids} | {"https://e.org/x.png"}
    pointed = [str(tag["aria-labelledby"]).split() for _, tag in found.tags if "aria-labelledby" in tag]
    assert {one for many in pointed for one in many} <= set(ids)


def test_tables_are_tables_with_scopes_a_caption_and_notes() -> None:
    text = html.page("A", SECTIONS)
    heads = Reader(text).all("th")
    assert [tag["scope"] for tag in heads] == ["col"] * 4 + ["row"] * 2
    assert [str(tag["class"]).split()[-1] for tag in heads if tag["scope"] == "row"] == ["key"] * 2
    for said in (
        "<span>Scores &lt;i&gt;</span></caption>",
        "<p>a &lt;b&gt;note&lt;/b&gt;</p>",
        '<td class="n">1.0 to 2.0</td>',
        '<td class="n absent">—</td>',
        "Run <code>independence judge -j MODEL</code>, or `&lt;img src=x&gt;`.",
    ):
        assert said in text
    start, inside = re.search(r"<details><summary>(.*?)</summary><div>(.*?)</div></details>", text).groups()
    assert start.startswith("&lt;img src=x onerror=alert(1)&gt;long")
    assert (inside.count("long"), len(start) < len(inside)) == (60, True), "a long text is folded and whole inside"


def test_a_long_name_breaks_after_its_separators_alone_and_a_short_one_nowhere() -> None:
    rows = (("negotiation",), ("anthropic/claude-sonnet-4.5@none-t0.7",), ("x" * 60,))
    text = page(Table("t", "T", (Column("a", "A"),), rows))
    assert '<th scope="row" class="key">negotiation</th>' in text
    assert ">anthropic/<wbr>claude-sonnet-4.5@<wbr>none-t0.7</th>" in text
    assert "<wbr>" in text.split("x" * 24, 1)[1][:5], "a name without any is broken all the same"


def test_long_and_many_tables_are_folded_except_where_they_are_the_point() -> None:
    assert 'class="scroll tall"' in page(column(41))
    assert 'class="scroll tall"' not in page(column(41), folds=False)
    long = markdown(column(41, notes=("a note",)))
    assert "### Numbers\n\n<details>\n<summary>41 rows</summary>\n\n| A |\n|---|\n| cell 0 |" in long
    assert "a note\n\n</details>\n" in long
    assert "<details>" not in markdown(column(40)) + markdown(column(41), folds=False)
    tables = [column(1, f"Subject {n}", f"t{n}") for n in range(4)]
    assert 'class="fold"' not in page(*tables[:3])
    assert page(*tables).count('<details class="fold"><summary>Subject ') == 4
    assert "#table-" not in markdown(*tables[:3])
    for one in tables:
        assert f"  - [{one.title}](#table-{one.id})\n" in markdown(*tables)
        assert f'<a id="table-{one.id}"></a>\n\n### {one.title}' in markdown(*tables)


def test_an_empty_table_says_so_or_why_and_no_title_is_said_twice() -> None:
    assert "Nothing to show." in page(column(0))
    text = page(column(0, "Run health", notes=("80 of 80 runs are whole.",)), title="Run health")
    assert "Nothing to show." not in text
    assert text.split("</h2>")[1].count("Run health") == 0
    assert "80 of 80 runs are whole." in text
    assert markdown(column(2), title="Numbers").split("\n\n", 2)[2].count("Numbers") == 1
