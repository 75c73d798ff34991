from __future__ import annotations

from independence.report.table import Column, Prose, Section, Svg, Table, document


def table(rows: int, title: str = "Numbers") -> Table:
    return Table("numbers", title, (Column("n", "N", "count"),), tuple((n,) for n in range(rows)), ("a note",))


def test_sections_come_in_order_under_contents_that_lead_to_them() -> None:
    text = document("A *report*", [Section("b", "Second <b>", ()), Section("a", "First", ())], str)
    assert text.startswith("# A \\*report\\*\n\n- [Second &lt;b>](#b)\n- [First](#a)\n")
    assert text.index('<a id="b"></a>\n\n## Second') < text.index('<a id="a"></a>\n\n## First')


def test_figures_are_links_to_files_with_their_caption_as_text() -> None:
    section = Section("s", "S", [Prose("Words.\n"), Svg("forest", "<svg/>", "Index [a] by subject")])
    text = document("R", [section], lambda name: f"my figures/{name}.svg")
    assert "Words.\n\n![Index \\[a\\] by subject](my%20figures/forest.svg)\n\n*Index \\[a\\] by subject*\n" in text
    assert "<svg" not in text


def test_long_tables_are_folded_below_their_heading_except_where_they_are_the_point() -> None:
    long = document("R", [Section("s", "S", [table(41)])], str)
    assert "### Numbers\n\n<details>\n<summary>41 rows</summary>\n\n| N |\n|---:|\n| 0 |" in long
    assert long.endswith("a note\n\n</details>\n")
    assert "<details>" not in document("R", [Section("s", "S", [table(40)])], str)
    assert "<details>" not in document("R", [Section("s", "S", [table(41)], folds=False)], str)


def test_a_title_is_not_said_twice() -> None:
    text = document("R", [Section("s", "Numbers", [table(2)])], str)
    assert text.count("Numbers") == 1


def test_the_contents_lead_to_every_table_of_a_long_section() -> None:
    tables = [Table(f"t{n}", f"Subject {n}", (Column("a", "A"),), (("x",),)) for n in range(4)]
    other = Section("o", "O", [])
    few, many = (document("T", [Section("s", "S", tables[:count]), other], str) for count in (3, 4))
    assert "#table-" not in few
    for one in tables:
        assert f"  - [{one.title}](#table-{one.id})\n" in many
        assert f'<a id="table-{one.id}"></a>\n\n### {one.title}' in many
