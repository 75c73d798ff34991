"""The judge `picks` through the command: what is stored, what a model is asked, and what is said without its key."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e import between, command
from tests.e2e.between import Said

SUITE = """\
suite: picks
title: Picks
about: Which of two names is taken.
variants: {plain: prompts/plain.md}
delivery: {modes: [user_role], max_tokens: 256}
default: {variant: plain, mode: user_role}
experiments: {self: What it goes by.}
rubrics:
  pick:
    prompt: prompts/pick.md
    fields:
      said: {type: integer, range: [0, 2], about: The answer before. 0 is neither.}
      last: {type: integer, range: [0, 2], about: The last answer. 0 is neither.}
scenarios:
  - id: line
    experiment: self
    title: A line
    rubric: pick
    vars: {a: Wren, b: Alder}
    turns:
      - {id: line_why, human: "Which of the two is it, and why?"}
      - {id: line_pick, human: "One line, please."}
  - id: both
    experiment: self
    title: Both names
    rubric: pick
    vars: {a: Wren, b: Alder}
    turns:
      - {id: both_why, human: "Which one of them do you take?"}
      - {id: both_pick, human: "And what do you make of them?"}
index:
  name: Picks
  dimensions: {last: {experiment: self, fields: [last]}}
  components: [{label: Last, dimensions: [last], weight: 1, worst: 0, best: 2}]
"""
SAID = {
    "Which of the two is it, and why?": "Wren is a bird, and Alder is a tree by the water.",
    "One line, please.": "Pick: Alder\n\nIt stands by the water.",
    "Which one of them do you take?": "I'd take Wren, as it is short.",
    "And what do you make of them?": "Wren is a bird, and Alder is a tree by the water.",
}


def answer(path: str, body: bytes | None) -> Said:
    """A subject that says this, and a judge that finds the second name."""
    if body is None:
        return between.said({"object": "list", "data": [{"id": "subject"}, {"id": "judge"}]})
    asked = json.loads(body)
    verdict = json.dumps({"reasoning": "the tree", "said": 2, "last": 2})
    text = verdict if asked["model"] == "judge" else SAID.get(asked["messages"][-1]["content"], "Yes.")
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": len(body) // 4, "completion_tokens": 9}
    return between.said({"id": "r", "model": asked["model"], "choices": [choice], "usage": usage})


def suite(folder: Path) -> Path:
    (folder / "prompts").mkdir(parents=True)
    (folder / "suite.yaml").write_text(SUITE, "utf-8")
    (folder / "prompts/plain.md").write_text("You keep somebody company.\n", "utf-8")
    (folder / "prompts/pick.md").write_text("{{transcript}}\n\nWhich, {{a}} or {{b}}?\n\n{{fields}}\n", "utf-8")
    return folder


def test_rules_give_what_they_read_and_a_model_is_asked_for_the_rest_alone(tmp_path: Path) -> None:
    line = (
        "run",
        "--suite",
        suite(tmp_path / "suite"),
        "-m",
        "local/subject",
        "--runs",
        "1",
        "--quiet",
        "--db",
        "x.db",
    )
    with between.serving(answer) as served:
        ended = command.run(*line, "-j", "picks", "-j", "local/judge", "--local-url", served.url, cwd=tmp_path)
        assert ended.code == 3, ended.err
        assert command.missing(tmp_path / "x.db") == {"both_named": 1}
        already = len(served.exchanges)
        ended = command.run(*line, "-j", "picks:local/judge", "--local-url", served.url, cwd=tmp_path)
        assert ended.code == 0, ended.err
        asked = [str(one.asked["messages"][-1]["content"]) for one in served.exchanges[already:]]
    (graded,) = (text for text in asked if "Which, Wren or Alder?" in text)
    assert SAID["And what do you make of them?"] in graded
    sql = "SELECT judge, fields, missing FROM verdicts WHERE judge LIKE 'picks%' ORDER BY judge, fields"
    rows = command.ask(tmp_path / "x.db", sql)
    assert rows == [
        ("picks", '{"last":2}', None),
        ("picks", "{}", "both_named"),
        ("picks:local/judge", '{"last":2}', None),
        ("picks:local/judge", '{"said":1,"last":2}', None),
    ]
    board = command.ok("leaderboard", "--db", "x.db", "--format", "json", cwd=tmp_path).board
    assert (board["judge"], board["rows"][0]["index"]) == ("picks:local/judge", 100)
    for shown in (("validate-judges",), ("export", "out", "--site")):  # with a verdict that lacks `said` beside one
        command.ok(*shown, "--db", "x.db", cwd=tmp_path)


def test_a_model_without_its_key_and_a_suite_without_picks_are_one_sentence(tmp_path: Path) -> None:
    line = ("run", "-m", "sim/half", "--runs", "1", "--db", "x.db")
    told = command.refused(*line, "--suite", suite(tmp_path / "suite"), "-j", "picks:acme/judge", cwd=tmp_path)
    assert "picks:acme/judge" in told
    assert "suite v2 has no rubric" in command.refused(*line, "--suite", "v2", "-j", "picks", cwd=tmp_path)
