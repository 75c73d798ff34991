"""The site of the documentation: built strictly, whole, and as GitHub shows the same pages."""

from __future__ import annotations

import html
import re
import runpy
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests import stores
from tests.e2e import packaging

pytestmark = pytest.mark.deep
ROOT = Path(__file__).parent.parent
# What both have to show alike. The site marks up code anew, and GitHub wraps items of lists in other paragraphs.
TAGS = ("h1", "h2", "h3", "h4", "ul", "ol", "li", "table", "tr", "pre", "blockquote", "img", "a", "strong", "em")

ADDRESS, REPOSITORY = "https://example.org/bench/", "https://example.org/owner/bench"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site."""
    pytest.importorskip("material")
    pytest.importorskip("mkdocstrings_handlers.python")
    return stores.once(tmp_path_factory, "docs-site", build)


def build(into: Path) -> None:
    # A process of its own: it warns of what its own packages do.
    arguments = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(into / "site")]
    env = packaging.environment(
        {"NO_MKDOCS_2_WARNING": "1", "SITE_URL": ADDRESS, "EDIT_URI": f"{REPOSITORY}/edit/main/docs/"}
    )
    ended = subprocess.run(arguments, check=False, capture_output=True, text=True, cwd=ROOT, env=env)
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")


class Page(HTMLParser):
    """What a page loads and links to, its anchors, and how often it has each tag in its article."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads, self.links, self.anchors = set[str](), set[str](), set[str]()
        self.tags = Counter[str]()
        self._in_article = False
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._in_article |= tag == "article"
        self.anchors |= {values["id"]} if "id" in values else set()
        if tag == "a":
            self.links |= {values["href"]} if "href" in values else set()
        elif values.get("rel") not in ("canonical", "prev", "next"):
            self.loads |= {values[name] for name in ("href", "src") if name in values}
        if self._in_article and values.get("class") != "headerlink" and values.get("rel") != "edit":
            self.tags[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        self._in_article &= tag != "article"


def sources() -> dict[str, str]:
    """Every page of the site by its name, and the text that it is made from."""
    hook = runpy.run_path(str(ROOT / "docs" / "site" / "pages.py"))
    guides = {path.stem: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md") if path.name != "package.md"}
    roots = {Path(page).stem: (ROOT / source).read_text("utf-8") for source, page in hook["PAGES"].items()}
    return {**{name: hook["on_page_markdown"](text) for name, text in guides.items()}, **roots}


def test_the_site_shows_what_github_shows(site: Path) -> None:
    """A list, a table or a block of code that one of both reads otherwise is counted otherwise."""
    github = MarkdownIt("commonmark").enable("table")
    unlike = {}
    for name, text in sources().items():
        if name == "python-reference":  # a list of names, which the site replaces
            continue
        counted = Counter(re.findall(r"<(\w+)", github.render(text)))
        shown = Page(site / "site" / f"{name}.html").tags
        unlike |= {f"{name}: {tag}": (counted[tag], shown[tag]) for tag in TAGS if counted[tag] != shown[tag]}
    assert unlike == {}


def test_the_python_reference_shows_signatures_fields_and_types_as_links(site: Path) -> None:
    path = site / "site" / "python-reference.html"
    page = Page(path)
    assert {"independence.run", "independence.RunResult", "independence.Store.board"} <= page.anchors
    assert {"#independence.RunResult", "#independence.ConnectionOptions"} <= page.links  # what `run` returns; a field
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", "", path.read_text("utf-8"))).split())
    assert "max_tokens int | None of an answer, reasoning included; None: as many as the suite allows None" in text
    assert 'latency: float | str = "", faults: str = "", ways: str = "",' in text  # a signature in lines


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    folder = site / "site"
    pages = {path.name: Page(path) for path in folder.glob("*.html") if path.name != "404.html"}
    assert pages.keys() == {f"{name}.html" for name in sources()}
    broken = []
    for name, page in pages.items():
        for target in page.links | page.loads:
            file, _, anchor = target.partition("#")
            if target.startswith(("https://", "data:")):
                continue
            known = pages[file or name].anchors if (file or name) in pages else {anchor}
            broken += [f"{name}: {target}"] if not (folder / file).exists() or (anchor and anchor not in known) else []
    assert broken == []


def test_every_page_says_where_it_is_and_leads_to_where_it_is_edited(site: Path) -> None:
    for name in sources():
        text = (site / "site" / f"{name}.html").read_text("utf-8")
        assert f'<link rel="canonical" href="{ADDRESS}{name}.html">' in text
        (edited,) = [link for link in Page(site / "site" / f"{name}.html").links if link.startswith(REPOSITORY)]
        assert (ROOT / "docs" / edited.removeprefix(f"{REPOSITORY}/edit/main/docs/")).is_file()
    missing = Page(site / "site" / "404.html").loads
    assert {link for link in missing if not link.startswith(("/bench/", "data:"))} == set()


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    folder = site / "site"
    loaded = {target for path in folder.glob("*.html") for target in Page(path).loads}
    styles = "".join(path.read_text("utf-8") for path in folder.rglob("*.css"))
    loaded |= set(re.findall(r"(?:@import\s*|url\()[\"']?([^\"')]+)", styles))
    assert [target for target in loaded if re.match(r"(?:https?:)?//", target)] == []
    assert not [path for path in folder.rglob("*") if path.suffix == ".py"]
