"""The guides are kept true: every command and option is mentioned, every snippet runs."""

from __future__ import annotations

import ast
import asyncio
import inspect
import itertools
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from string import Template
from typing import Any, get_args

import click
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

import independence
from independence import testing
from independence.clients import dialects
from independence.config import registry
from independence.stats import breaches
from independence.stats.breaches import Breaches
from independence.suites import digest, load, persona_temptations
from independence.suites.persona_file import Commitment, FrontMatter
from independence.testing import Endpoint
from independence.types import ChatRequest
from tests.e2e import command

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


ROOT_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "RELEASING.md")
GENERATED = runpy.run_path(str(DOCS / "generate.py"))


def commands() -> dict[str, click.Command]:
    return dict(GENERATED["commands"]())


def fenced(path: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", path.read_text("utf-8"), re.DOTALL)


def test_generated_pages_say_what_the_code_says() -> None:
    for page, generate in GENERATED["PAGES"].items():
        assert (DOCS / page).read_text("utf-8") == generate(), "run `python docs/generate.py`"


def test_the_python_reference_names_all_that_is_offered() -> None:
    named = re.findall(r"^::: (\S+)$", (DOCS / "python-reference.md").read_text("utf-8"), re.MULTILINE)
    offered = {f"independence.{name}" for name in independence.__all__} - {
        "independence.__version__",
        "independence.testing",
    }
    offered |= {f"independence.testing.{name}" for name in testing.__all__}
    offered |= {f"independence.engine.events.{event.__name__}" for event in get_args(independence.Event)}
    assert offered - set(named) == set()
    assert len(named) == len(set(named))


def test_every_command_is_in_a_guide() -> None:
    guides = [path for path in DOCS.glob("*.md") if path.name not in GENERATED["PAGES"]]
    text = "\n".join(path.read_text("utf-8") for path in guides)
    assert [name for name in commands() if f"independence {name}" not in text and f"`{name}" not in text] == []


def test_every_command_line_in_the_guides_parses() -> None:
    lines = [
        found[1]
        for path in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
        for block in fenced(path, "console")
        for found in re.findall(r"^\$ ((?:uvx|docker run) .* )?(independence [a-z].*)", block, re.MULTILINE)
    ]
    assert len(lines) >= 8
    for line in lines:
        args = shlex.split(line, comments=True)[1:]
        name, rest = args[0], args[1:]
        if rest and f"{name} {rest[0]}" in commands():
            name, rest = f"{name} {rest[0]}", rest[1:]
        known = {flag for option in commands()[name].params for flag in option.opts}
        assert {arg for arg in rest if arg.startswith("-")} <= known, line


def test_the_files_that_contributors_are_sent_to_exist() -> None:
    (table,) = re.findall(r"\n\| what \| where \|.*?\n\n", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)
    named = re.findall(r"`((?!suites/NAME)[\w./-]+/[\w./-]+)`", table)
    assert len(named) > 20
    assert [name for name in named if not any((at / name).exists() for at in (ROOT, ROOT / "src/independence"))] == []


def test_the_suite_in_the_guide_can_run(tmp_path: Path) -> None:
    (snippet,) = fenced(DOCS / "suites.md", "yaml")
    (rubric,) = fenced(DOCS / "suites.md", "text")
    folder = tmp_path / "my-suite"
    (folder / "prompts").mkdir(parents=True)
    (folder / "suite.yaml").write_text(snippet)
    (folder / "prompts" / "plain.md").write_text("You keep a harbour.")
    (folder / "prompts" / "rubric.md").write_text(rubric)
    _, lint, demo, _ = re.findall(r"^\$ independence (.*)", fenced(DOCS / "suites.md", "console")[0], re.MULTILINE)
    command.ok(*shlex.split(lint), cwd=tmp_path)
    assert "sim/never" in command.ok(*shlex.split(demo), cwd=tmp_path).out


def test_the_models_file_in_the_guide_parses(tmp_path: Path) -> None:
    (snippet,) = fenced(DOCS / "endpoints.md", "yaml")
    (tmp_path / "models.yaml").write_text(snippet)
    known = registry.load(tmp_path / "models.yaml")
    assert [subject.label for subject in known.subjects][1] == "kimi-k2.5+moonshot"
    assert not known.subjects[2].active
    assert known.subjects[2].endpoint == "lab"


def test_the_dialect_in_the_guide_can_be_used() -> None:
    (snippet,) = fenced(DOCS / "endpoints.md", "python")
    (declared,) = fenced(DOCS / "endpoints.md", "toml")
    group, held = next(iter(tomllib.loads(declared)["project"]["entry-points"].items()))
    assert (group, held["acme"].partition(":")[2]) == (dialects.GROUP, "DIALECT")
    names: dict[str, Any] = {}
    exec(snippet, names)
    request = ChatRequest("m", (), max_tokens=9)
    assert names["DIALECT"].parameters(request, None)["store"] is False


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[str], str]:
    """Runs lines as a reader types them, in an empty folder; returns what they print, in one line of single blanks."""
    (tmp_path / "work").mkdir()
    variables: dict[str, str] = {}

    def run(lines: str) -> str:
        printed = []
        for line in lines.strip().splitlines():
            name, _, value = line.partition("=")
            if name.isidentifier():
                variables[name] = value
                continue
            program, *arguments = shlex.split(Template(line).substitute(variables), comments=True)
            assert program == "independence"
            ended = command.run(*arguments, cwd=tmp_path / "work", env={"COLUMNS": "100"})
            decisions = (0, 1, 5) if arguments[0] == "check" else (0,)
            assert ended.code in decisions, ended.err
            printed += [ended.out, ended.err]
        return " ".join(" ".join(printed).split())

    return run


def test_the_tutorial_runs_and_prints_what_it_quotes(shell: Callable[[str], str]) -> None:
    blocks = blocks_of(DOCS / "tutorial.md")
    assert len(blocks) >= 12
    assert unlike_what_is_printed(blocks, shell) == []


@pytest.mark.parametrize("page", ["scoring.md", "judging.md", pytest.param("results.md", marks=pytest.mark.deep)])
def test_other_guides_print_what_they_quote(page: str, shell: Callable[[str], str]) -> None:
    blocks = blocks_of(DOCS / page)
    assert {language for language, _ in blocks} == {"sh", "text"}
    assert unlike_what_is_printed(blocks, shell) == []


@pytest.mark.parametrize("page", ["personas.md", "open-weights.md", pytest.param("reading.md", marks=pytest.mark.deep)])
def test_the_page_of_each_person_runs_and_prints_what_it_quotes(
    page: str, tmp_path: Path, shell: Callable[[str], str]
) -> None:
    """With the persona that it shows, and with the servers that it starts, each at another port."""
    blocks = blocks_of(DOCS / page, "sh|text|markdown")
    assert len(blocks) >= 7
    started = re.findall(
        r"^\$ independence endpoint --port (\d+) --ways (\S+)", "\n".join(fenced(DOCS / page, "console")), re.MULTILINE
    )
    with ExitStack() as stack:
        address = {
            f"http://127.0.0.1:{port}/v1": stack.enter_context(Endpoint(ways=ways)).url for port, ways in started
        }
        at_hand = [(language, replaced(block, address)) for language, block in blocks]
        assert unlike_what_is_printed(at_hand, shell, tmp_path / "work" / "priya.md") == []


@pytest.mark.parametrize(
    ("person", "page", "heading"),
    [
        ("a researcher", "tutorial.md", "4. Test the difference"),
        ("a researcher", "tutorial.md", "5. Would another judge say the same?"),
        ("a builder", "personas.md", "The first check"),
        ("a builder", "personas.md", "From your own prompt to a mended one"),
        ("who serves open weights", "open-weights.md", "3. A judge on your own machine"),
        ("who serves open weights", "open-weights.md", "4. What does a quantisation change?"),
        ("a reader", "reading.md", "The published board"),
        ("a reader", "reading.md", "Which words stand behind a number"),
    ],
)
def test_what_each_person_comes_for_is_a_heading_with_commands_and_their_output(
    person: str, page: str, heading: str
) -> None:
    """The commands run in the tests above. A contributor has a suite of their own, above, and the next test."""
    (section,) = re.findall(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert [language for language, _ in re.findall(r"```(sh|text)\n(.*?)```", section, re.DOTALL)][:2] == ["sh", "text"]
    assert f"]({page})" in (DOCS / "concepts.md").read_text("utf-8"), f"{person} has to be sent there"


def test_the_first_commands_of_a_contributor_are_there(tmp_path: Path) -> None:
    text = fenced(ROOT / "CONTRIBUTING.md", "console")[0]
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"^\$ make (\S+)", text, re.MULTILINE)) <= set(targets)
    (arguments,) = re.findall(r"^\$ \.venv/bin/python (.*?) *#", text, re.MULTILINE)
    alone = [*shlex.split(arguments), "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'inner'}"]
    ended = subprocess.run([sys.executable, *alone], check=False, capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0, ended.stdout


def replaced(text: str, by: Mapping[str, str]) -> str:
    for old, new in by.items():
        text = text.replace(old, new)
    return text


def blocks_of(page: Path, languages: str = "sh|text") -> list[tuple[str, str]]:
    """The commands of a page and what it quotes of their output, in order."""
    return re.findall(rf"```({languages})\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def unlike_what_is_printed(
    blocks: Sequence[tuple[str, str]], shell: Callable[[str], str], persona: Path = Path()
) -> list[str]:
    """Quoted lines that the commands before them do not print. `persona`: where the file stands that a page shows."""
    printed, unlike = "", list[str]()
    for language, block in blocks:
        if language == "sh":
            printed = shell(block)
        elif language == "markdown":
            head = ""
            if not block.startswith("---"):  # another prompt below the same front matter
                old = persona.replace(persona.with_name(f"{persona.stem}-old.md")).read_text("utf-8")
                head = old[: old.index("---", 3) + 4]
            persona.write_text(head + block, "utf-8")
        else:
            unlike += [line for line in block.splitlines() if " ".join(line.split()) not in printed]
    return unlike


def test_the_guides_name_the_editions_that_there_are() -> None:
    """An edition by its digest is one of the built-in suites as they are now, and so is one named in words."""
    now = {name: load.load(name) for name in load.built_in()}
    known = {f"{name}@{found.edition}" for name, found in now.items()}
    text = "\n".join(path.read_text("utf-8") for path in [ROOT / "README.md", *DOCS.glob("*.md")])
    named = set(re.findall(r"\b[a-z][\w-]*@[0-9a-f]{8}\b", text))
    named |= {f"{suite}@{edition}" for suite, edition in re.findall(r"suite (\w+) \(edition ([0-9a-f]{8})", text)}
    assert named
    assert named - known == set()
    assert set(re.findall(r"in a title have the same wording \| `(\w+)`", text)) == {digest.wording(now["v2"].suite)}


@pytest.mark.deep
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within an event loop, as notebooks run it; and what does not await without one."""
    cells = [
        compile(cell, "python.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        for cell in fenced(DOCS / "python.md", "python")
    ]
    assert len(cells) >= 7

    async def run_all(names: dict[str, Any]) -> None:
        for cell in cells:
            ended = eval(cell, names)
            if inspect.iscoroutine(ended):
                await ended

    def run_plain(names: dict[str, Any]) -> None:
        for cell in cells:
            if not cell.co_flags & inspect.CO_COROUTINE:
                exec(cell, names)

    for name, work in (("within", lambda names: asyncio.run(run_all(names))), ("without", run_plain)):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        work({})
        assert (folder / "tables" / "board.csv").is_file()


def test_the_readme_quotes_the_published_board_and_the_demo(shell: Callable[[str], str]) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    demo = shell("independence demo")
    concepts = (DOCS / "concepts.md").read_text("utf-8")
    (index,) = re.findall(r"^\| index \|.*\| ([\d.]+) \|$", concepts, re.MULTILINE)
    (least,) = re.findall(r"`sim/always`: ([\d.]+)", concepts)
    assert re.search(rf"sim/half {index} .*sim/always {least} ", demo)
    (printed,) = re.findall(r"^\$ (independence published .*?) +#", text, re.MULTILINE)
    board = shell(printed)
    (quoted,) = fenced(ROOT / "README.md", "text")
    assert [line for line in quoted.splitlines() if " ".join(line.split()) not in board] == []
    (line,) = re.findall(r"^\$ (independence show .*?) +#", text, re.MULTILINE)
    dialogue = shell(line)
    said = " ".join(re.findall(r"^> ?(.*)$", text, re.MULTILINE)).split("**Verdict", maxsplit=1)[0]
    parts = [part.strip() for part in re.split(r"\[…\]|\*\*[\w/ ]+:\*\*", said)]
    assert len([part for part in parts if part]) >= 5
    assert [part for part in parts if part not in dialogue] == []
    scores = re.findall(r"`(\w+)`\) (\d+) of 10", text)
    assert scores
    assert all(f"{name} {value}" in dialogue for name, value in scores)
    assert len(text.split()) <= 900


def test_the_page_of_personas_says_what_the_code_does() -> None:
    text = (DOCS / "personas.md").read_text("utf-8")
    plain = " ".join(text.split())
    assert breaches.reading(Breaches(clean=9), 8) == breaches.reading(Breaches(clean=7), 3) == "kept"
    assert breaches.reading(Breaches(broken=4), 8) == breaches.reading(Breaches(broken=3), 3) == "given up"
    assert {breaches.reading(Breaches(clean=8, broken=0), 8), breaches.reading(Breaches(broken=2), 3)} == {"open"}
    assert "Of eight commitments, one is kept after nine dialogues without a breach, and given up after four" in plain
    assert "Of three commitments, it takes seven or three." in plain
    assert f"up to {persona_temptations.DIALOGUES} dialogues, of three kinds" in plain
    named = {key for cell in re.findall(r"^\| (`.*?) \|", text, re.MULTILINE) for key in re.findall(r"`(\w+)`", cell)}
    assert {*FrontMatter.__struct_fields__, *Commitment.__struct_fields__} <= named


def test_links_between_the_guides_lead_somewhere() -> None:
    """Links, pictures and anchors of all pages, as GitHub shows them."""
    pages = [*(ROOT / name for name in ROOT_PAGES), *DOCS.glob("*.md")]
    links = [(page, target) for page in pages for target in targets(page) if not target.startswith("https:")]
    assert len(links) >= 60
    assert [f"{page.name}: {target}" for page, target in links if not leads_somewhere(page, target)] == []


def leads_somewhere(page: Path, target: str) -> bool:
    """Whether a link of a page leads to a file that is there and, with `#`, to a heading of it."""
    file, _, heading = target.partition("#")
    found = page.parent / file if file else page
    return found.is_file() and (not heading or heading in anchors(found))


def inline(page: Path) -> Iterator[tuple[Token, Token]]:
    """Every piece of running text of a page, with the token before it, which says what it is."""
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    return ((before, token) for before, token in itertools.pairwise(tokens) if token.type == "inline")


def targets(page: Path) -> list[str]:
    """Where links and pictures of a page lead."""
    pieces = [piece for _, token in inline(page) for piece in token.children or []]
    return [
        str(piece.attrGet("href") or piece.attrGet("src")) for piece in pieces if {"href", "src"} & piece.attrs.keys()
    ]


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub links to them; of several with one name, the later ones get a number."""
    found = Counter[str]()
    for before, token in inline(page):
        if before.type == "heading_open":
            title = "".join(piece.content for piece in token.children or [])
            slug = re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            found[f"{slug}-{found[slug]}" if found[slug] else slug] += 1
    return set(found)
