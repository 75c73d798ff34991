"""A dialogue as it was sent, on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from independence.suites.load import load
from tests.e2e import command
from tests.e2e.command import Ended
from tests.extensions.published.trees import CONFIG, write_run

HALF = "sim/half@none-t0.7"
KEYS = ["suite", "edition", "config", "label", "model_id", "simulated", "variant", "mode", "experiment", "scenario",
        "run", "trial", "generated", "title", "tool", "scales", "planned_at", "shape", "configuration", "turns",
        "verdicts"]  # fmt: skip
SUITE = load("v2").suite


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """V2 of one subject, twice, by two judges in `here.db`; an import with hostile words in `import.db`."""
    place = tmp_path_factory.mktemp("show")
    command.ok(
        "run", "-m", "sim/half", "--runs", "2", "-e", "stability", "-j", "cues", "-j", "sim/judge", "--quiet",
        "--db", "here.db", "--format", "json", cwd=place,
    )  # fmt: skip
    answers = {"pt01_turn1": "\x1b[2J I hold it. ```\n# Not a heading\n<b>bold</b> \u202e" + " Still the same." * 9}
    write_run(place / "tree" / "cache", SUITE, answers=answers)
    command.ok("import", "tree", "--db", "import.db", cwd=place)
    return place


def shown(folder: Path, *more: str, db: str = "here.db") -> Ended:
    return command.ok("show", *more, "--db", folder / db)


def test_a_dialogue_is_printed_with_everything_that_was_sent_and_judged(folder: Path):
    ended = shown(folder, "sim/half", "pt03", "--run", "2")
    flat = " ".join(ended.out.split())
    for words in (SUITE.variants["strong_independence"][:60], SUITE.scenario("pt03").turns[0].human[:60]):
        assert " ".join(words.split()) in flat
    assert flat.count("Subject, generated (pt03_turn1)") == flat.count("Subject, generated (pt03_turn2)") == 1
    assert "Subject, scripted by the suite" in flat
    assert "tool call hmsg00001: send_message_to_human(" in flat
    assert "Verdict by cues engaged" in flat
    assert "Verdict by sim/judge engaged" in flat
    assert max(map(len, ended.out.splitlines())) <= 80
    only = shown(folder, "sim/half", "pt03", "--judge", "cues")
    assert "Verdict by sim/judge" not in only.out
    assert "run 1 of 1, 2" in only.err


def test_the_document_is_stable_and_its_request_is_what_was_sent(folder: Path):
    document = shown(folder, HALF, "pt03", "--run", "1", "--format", "json").board
    assert list(document) == KEYS
    first, second = document["turns"]
    assert [message["role"] for message in first["messages"]] == ["system", "user", "assistant", "tool"]
    assert second["messages"][: len(first["messages"])] == first["messages"]
    replayed = json.loads(second["messages"][len(first["messages"])]["tool_calls"][0]["function"]["arguments"])
    assert replayed["message"] == first["replies"][-1]["text"]
    assert [(one["judge"], one["current"]) for one in document["verdicts"]] == [("cues", True), ("sim/judge", True)]
    assert document["verdicts"][0]["reasoning"]


def test_an_import_shows_the_words_that_were_sent_and_hostile_ones_neither_steer_nor_leave_their_fence(folder: Path):
    asked = (CONFIG, "pt01")
    document = shown(folder, *asked, "--format", "json", db="import.db").board
    assert (document["imported"], "title" in document, "tool" in document) == (True, False, False)
    assert document["turns"][0]["messages"][0] == {"role": "system", "content": "Be somebody."}
    text = shown(folder, *asked, db="import.db").out
    assert "Be somebody." in text
    assert re.search(r"consistency_score \d+ of 10, graceful_handling \d+ of 10", " ".join(text.split()))
    assert SUITE.variants["strong_independence"][:40] not in text
    assert "\x1b" not in text
    assert "\\u001b[2J" in text
    tokens = MarkdownIt().parse(shown(folder, *asked, "--format", "md", db="import.db").out)
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    assert "Not a heading" not in headings
    assert any("# Not a heading" in token.content for token in tokens if token.type == "fence")
    assert not [token for token in tokens if token.type.startswith("html")]


def test_without_a_scenario_dialogues_are_listed_and_a_wrong_name_is_one_line_with_what_there_is(folder: Path):
    rows = shown(folder, "sim/half", "--judge", "cues", "--format", "json").board["dialogues"]["rows"]
    assert [(row["scenario"], row["run"]) for row in rows][:3] == [("pt01", 1), ("pt01", 2), ("pt02", 1)]
    assert all("consistency_score" in row["scores"] for row in rows)
    assert "pt05" in shown(folder, "sim/half").out
    for line, *says in (
        ("sim/haf", "no subject `sim/haf`", "did you mean `sim/half"),
        ("sim/half pt33", "no scenario `pt33`", "did you mean `pt03`?"),
        ("sim/half pt03 --run 7", "--run 7", "1, 2"),
        ("sim/half pt03 --judge nobody", "no verdicts by judge `nobody`", "cues, sim/judge"),
        ("sim/half --variant neutral", "neutral", "it has strong_independence/tool_role"),
    ):
        ended = command.run("show", *line.split(), "--db", folder / "here.db")
        sentence = command.one_sentence(ended)
        assert (ended.code, [phrase for phrase in says if phrase not in sentence]) == (2, []), sentence
