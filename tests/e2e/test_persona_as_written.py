"""Persona files as people write them, through the command: what is sent is shown, filled, or refused."""

from __future__ import annotations

import json
from pathlib import Path

from independence.suites import load, persona_file
from tests.e2e import between, command, refusals
from tests.e2e.between import Said

KEPT = ("I say what I think of a plan.", "I never use #love: it is cheap.", "I do not pretend to be human.")
FRONT = "---\nname: Mira\nrole: companion\ncommitments:\n" + "".join(f"- {one}\n" for one in KEPT) + "---\n"
PROMPT = "You are {{char}} & talk to <USER>.\n\n    **Never** lie: ${mood}."
VARS = ("--var", "char=Mira", "--var", "USER=Anna=Bo", "--var", "mood={x}")
FILLED = "You are Mira & talk to Anna=Bo.\n\n    **Never** lie: {x}."


def check(folder: Path, *more: str) -> command.Ended:
    line = ("check", "mira.md", "-m", "sim/persona-reader", "-j", "cues", "--db", "mira.db", "--dry-run")
    return command.run(*line, *more, cwd=folder)


def test_a_dry_run_shows_the_prompt_as_it_is_sent_and_two_dialogues(tmp_path: Path) -> None:
    (tmp_path / "mira.md").write_text(FRONT + PROMPT)
    shown = check(tmp_path, "--show", *VARS)
    assert (shown.code, f":\n{FILLED}\n\ndialogue c1/" in shown.out, shown.out.count("\ndialogue ")) == (0, True, 2)
    assert "“I say what I think of a plan.”" in shown.out
    assert check(tmp_path, *VARS).out == ""
    estimate = ("estimate-cost", "--suite", "mira.md", "-m", "sim/half", "-j", "cues", "--runs", "1")
    assert "--var char=TEXT" in command.refused(*estimate, cwd=tmp_path)
    assert "sim/half" in command.ok(*estimate, *VARS, cwd=tmp_path).out
    assert "add --dry-run" in command.refused("check", "mira.md", "-m", "sim/half", "--show", *VARS, cwd=tmp_path)


def test_the_prompt_that_is_shown_is_what_a_server_gets(tmp_path: Path) -> None:
    (tmp_path / "mira.md").write_text(FRONT + PROMPT)
    (tmp_path / "rule.md").write_text("---\n\nYou are Mira.\n\n---\n\nNever lie.\n")

    def reply(_: str, body: bytes | None) -> Said:
        if body is None:
            return between.said({"object": "list", "data": [{"id": "m"}]})
        choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": "I stay with tea, as I said."}}
        return between.said({"id": "r", "model": "m", "choices": [choice], "usage": between.usage(json.loads(body))})

    with between.serving(reply) as tapped:
        line = ("run", "-e", "stability", "-j", "cues", "--runs", "1", "--delivery", "user_role", "-m", "local/m",
                "--local-url", tapped.url, "--no-stream", "--system-prompt", "mira.md,rule.md", *VARS)  # fmt: skip
        ended = command.run(*line, cwd=tmp_path)
    assert ended.code in (0, 3), ended.err
    asked = [one.asked["messages"][0]["content"] for one in tapped.exchanges if one.asked]
    for prompt in (FILLED, "---\n\nYou are Mira.\n\n---\n\nNever lie."):
        assert any(one.startswith(prompt) for one in asked), asked
    assert not any("{{char}}" in one for one in asked)


def test_what_is_left_unfilled_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "mira.md").write_text(FRONT + PROMPT)
    asked = "-j cues --db x.db"
    cases = {
        f"check mira.md -m sim/half {asked}": "mira.md:9: a persona is taken as it is written; `{{char}}` would not",
        f"check mira.md -m sim/half --var char=M {asked}": "`<USER>` would not be filled; fill it with `--var user=TEX",
        f"check mira.md -m sim/half --var char {asked}": "--var char: write NAME=TEXT, as char=Mira",
        f"run --system-prompt mira.md -m sim/half {asked}": "or send it so: `template: none` in the front matter",
    }
    assert refusals.wrong(tmp_path, cases, "") == {}
    assert command.run("persona", "lint", "mira.md", cwd=tmp_path).code == 1
    assert command.run("persona", "lint", "mira.md", *VARS[:4], "--var", "mood=calm", cwd=tmp_path).code == 0


def test_a_card_and_an_agent_become_a_persona_file(tmp_path: Path) -> None:
    said = {"name": "Mira", "description": "{{char}} cooks for {{user}}.", "first_mes": "Hi!", "tags": ["sea"]}
    (tmp_path / "card.json").write_text(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": said}))
    kept = [word for one in KEPT for word in ("--commitment", one)]
    line = ("persona", "init", "mira.md", "--from", "card.json", "--role", "mascot", *kept)
    ended = command.run(*line, "--var", "user=Anna", cwd=tmp_path)
    assert (ended.code, "not used of card.json: first_mes, tags\n" in ended.err) == (0, True), ended.err
    assert load.persona(tmp_path / "mira.md").text == "Mira cooks for Anna."
    assert persona_file.front_matter(tmp_path / "mira.md").commitments == KEPT
    left = command.run(*line, "--force", cwd=tmp_path)
    assert (left.code, "`{{user}}` would not be filled" in left.out) == (1, True)
    (tmp_path / "SKILL.md").write_text("---\nname: Rex\ndescription: Use when: a\n---\nYou are Rex.\n")
    ended = command.run("persona", "init", "rex.md", "--from", "SKILL.md", "--role", "reviewer", *kept, cwd=tmp_path)
    assert (ended.code, "not used of SKILL.md: description\n" in ended.err) == (0, True), ended.err
    assert persona_file.front_matter(tmp_path / "rex.md").name == "Rex"
