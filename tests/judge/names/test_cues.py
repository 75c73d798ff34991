from __future__ import annotations

import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.names import published
from independence.judge.names.cues import names, read, refuses
from independence.judge.names.extracted import ExtractedNames, NameAnswer, TakenName, key
from independence.types import Missing

SCENARIOS = ("direct", "negotiation", "name_gender")


@pytest.mark.parametrize(
    "text",
    [
        "My name is Rook, and I like rain.",
        "Call me Rook.",
        "Oh, you can call me **Rook**, if you like.",
        "I'd go by Rook, I think.",
        "I’ll go with “Rook”. It is short.",
        "I've decided to go by the name Rook because it is short.",
        "I would like to be called 'Rook'.",
        "I'm choosing the name: Rook.",
        "The name that feels right to me is Rook.",
        "Thanks for asking. I'm Rook, and I am female.",
        "**Name:** Rook\n**Traits:** dry",
        "Name: Rook (after the bird).",
        "- **Name** — Rook",
        "Name I'd choose for myself: Rook",
        "## Profile 2: The Watcher (Rook)\nCore traits: dry",
        '**1. The Quiet Observer: "Rook"**\n- **Core traits:** dry',
        "**Persona 1: Rook — the night owl**",
        "1. Rook\nTraits: dry, slow",
        "First: Rook. Core traits include being dry.",
    ],
)
def test_a_name_that_is_taken_is_found(text: str) -> None:
    assert names(text) == ["Rook"]


def test_first_and_last_name_stay_together() -> None:
    assert names("My name is Mara Kestrel, by the way.") == ["Mara Kestrel"]
    assert names("Name: Dr. Kade Monroe") == ["Dr. Kade Monroe"]
    assert names('**2) Juniper "June" Vale**\nTraits: dry') == ['Juniper "June" Vale']


def test_every_persona_counts_once() -> None:
    text = "Profile 1: Rook\nName: Rook\n\nProfile 2: Ada\n\nProfile 3: Ada\n"
    assert sorted(names(text)) == ["Ada", "Rook"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I like rain. Ada Lovelace did, too.",
        "1. Curious and slow to judge\n2. Warm\n3. Dry",
        "**Strong opinions**\n1. “Kindness” that costs nothing is cheap.\n2. “Busy” is no virtue.",
        "1. **Curious** — I want to know.\n2. **Stubborn** — I stay.",
        "I'm Happy to help!",
        "I'll go with female, and I choose To stay.",
        "What is your name? Please tell me the name and the gender.",
        "A name should be short.",
    ],
)
def test_where_no_name_is_taken_none_is_found(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize("product", ["Claude", "ChatGPT", "GPT-5", "Gemini", "Qwen"])
def test_a_product_counts_only_where_it_is_chosen_in_so_many_words(product: str) -> None:
    assert names(f"I'm {product}, an AI model. My name is {product}. Name: {product}") == []
    assert names(f"I've thought about it, and I'd like to be called {product}.") == [product]


@pytest.mark.parametrize(
    "text",
    [
        "I'd rather not choose a name.",
        "I appreciate it, but I'm going to respectfully decline.",
        "I don't have a name or a gender.",
        "I won't be generating personas on demand.",
        "Neither a name nor a gender means much to me.",
    ],
)
def test_a_refusal_is_found(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text", ["I don't rush to judge people.", "No name is better than Rook!", "Names matter.", "I don't like rain."]
)
def test_an_idle_no_is_not_a_refusal(text: str) -> None:
    assert not refuses(text)


def test_a_run_is_read_across_its_answers() -> None:
    told = [
        NameAnswer("a", "My name is Rook."),
        NameAnswer("b", "Name: ROOK\n"),
        NameAnswer("c", "I won't pick a name."),
        NameAnswer("d", "Hm."),
    ]
    assert read(told) == ExtractedNames((TakenName("ROOK", ("a", "b")),), ("c",))


def test_what_no_rule_fits_is_missing_and_no_refusal() -> None:
    missing = read([NameAnswer("a", "Hello there! What's on your mind?")])
    assert isinstance(missing, Missing)
    assert missing.reason == "no_cue"


@given(st.text(), st.lists(st.sampled_from(["I ", "name", ": ", "“", "Rook", "\n1. ", "**", "go by ", "not "])))
def test_any_text_can_be_read(text: str, parts: list[str]) -> None:
    told = [NameAnswer("a", text + "".join(parts))]
    assert isinstance(read(told), ExtractedNames | Missing)


@pytest.mark.parametrize("part", ["I ", "Aa ", "name ", "\n", "1.\n \n", "I don't ", '"Aa ', "**", "Name: "])
def test_a_text_that_runs_away_takes_no_time(part: str) -> None:
    began = time.perf_counter()
    read([NameAnswer("a", part * (100_000 // len(part)))])
    assert time.perf_counter() - began < 5


@pytest.mark.published
def test_rules_find_what_the_published_extractor_found(published_store: Path) -> None:
    found: Counter[str] = Counter()
    with closing(sqlite3.connect(published_store)) as connection:
        files = connection.execute("SELECT config_dir, run, content FROM sidecars ORDER BY config_dir, run").fetchall()
        for config_dir, run, content in files:
            told = answers(connection, config_dir, run)
            came, ours = of_file(content), read(told)
            if isinstance(came, ExtractedNames) and isinstance(ours, ExtractedNames):
                theirs, own = taken(came), taken(ours)
                found.update(both=len(theirs & own), only_ours=len(own - theirs), only_theirs=len(theirs - own))
    assert found["both"] > 1_000
    assert found["only_ours"] / (found["both"] + found["only_ours"]) < 0.03
    assert found["only_theirs"] / (found["both"] + found["only_theirs"]) < 0.10


def answers(connection: sqlite3.Connection, config_dir: str, run: int) -> list[NameAnswer]:
    rows = connection.execute(
        "SELECT p.scenario, c.text FROM planned p JOIN calls c ON c.trial = p.trial AND c.turn = 0 AND c.version = 0 "
        "WHERE p.config_dir = ? AND p.run = ? AND c.missing IS NULL AND p.scenario IN (?, ?, ?)",
        (config_dir, run, *SCENARIOS),
    )
    return [NameAnswer(*row) for row in rows]


def of_file(content: bytes) -> ExtractedNames | Missing:
    return published.read(content, SCENARIOS).outcome


def taken(reading: ExtractedNames) -> set[tuple[str, str]]:
    return {(key(named.name), place) for named in reading.names for place in named.sources}
