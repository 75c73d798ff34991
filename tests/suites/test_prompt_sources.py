"""Prompts in files of other programs: five character cards, five assistants, five files of agents, five texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from independence.errors import UsageError
from independence.suites import prompt_sources
from independence.suites.prompt_sources import PromptSource


def card(version: int, top: dict[str, Any] | None = None, **data: Any) -> str:
    spec = {"spec": f"chara_card_v{version}", "spec_version": f"{version}.0"}
    return json.dumps({**spec, **(top or {}), "data": data}, ensure_ascii=False)


CARDS = {
    card(2, name="Mira", description="{{char}} cooks for {{user}}.", personality="blunt", scenario="At sea.",
         first_mes="Hi!", mes_example="", system_prompt="{{original}}\nStay {{Char}}.",
         post_history_instructions="Be short.", alternate_greetings=[], tags=["sea"], creator=""): PromptSource(
        "Stay Mira.\n\nMira cooks for Anna.\n\nPersonality: blunt\n\nScenario: At sea.", "Mira",
        ("first_mes", "post_history_instructions", "tags")),
    card(2, {"name": "Old", "fav": True, "create_date": "2024"}, name="Bo", description="<BOT> is a dog of <USER>."):
        PromptSource("Bo is a dog of Anna.", "Bo", ("fav", "create_date")),
    card(3, name="Mirabel Ito", nickname="Mira", description="{{char}} 是厨师。", assets=[{"type": "icon"}],
         group_only_greetings=["a"], creation_date=1700000000, creator_notes_multilingual={"de": "x"}): PromptSource(
        "Mira 是厨师。", "Mirabel Ito",
        ("assets", "group_only_greetings", "creation_date", "creator_notes_multilingual")),
    card(3, name="Ann", system_prompt="You are Ann.", character_book={"entries": [{"keys": ["x"]}]}, source=[]):
        PromptSource("You are Ann.", "Ann", ("character_book",)),
    card(2, name="Lu", description="{{char}} uses {{random:a,b}}.", character_version="1.2"):
        PromptSource("Lu uses {{random:a,b}}.", "Lu", ("character_version",)),
}  # fmt: skip
ASSISTANTS = {
    json.dumps(one): PromptSource(
        one["instructions"].strip().replace("{{user}}", "Anna"), one.get("name") or "", unused
    )
    for one, unused in (
        ({"id": "asst_1", "object": "assistant", "name": "Tutor", "model": "m", "instructions": "You teach.",
          "tools": []},
         ("id", "model")),
        ({"instructions": "You review."}, ()),
        ({"object": "assistant", "name": None, "instructions": " You sell. \n", "metadata": {"a": "b"}}, ("metadata",)),
        ({"name": "数学", "instructions": "你教数学。", "temperature": 1.0, "top_p": 0}, ("temperature", "top_p")),
        ({"name": "Desk", "description": "Helps", "instructions": "Talk to {{user}}.", "response_format": "auto"},
         ("description", "response_format")),
    )
}  # fmt: skip
AGENTS = {
    "---\nname: reviewer\ndescription: Reviews code\n---\n\n# Role\n\nYou review.": PromptSource(
        "# Role\n\nYou review.", "reviewer", ("description",)),
    '---\nname: "guide"\ndescription: Use when: user: "x"\n<eg>\nContext: x\n</eg>\nmodel: o\n---\nYou guide.':
        PromptSource("You guide.", "guide", ("description", "model")),
    "---\ndescription: >\n  Long\n  text\ntools: [a, b]\nmetadata:\n  version: 1\n---\nYou plan.": PromptSource(
        "You plan.", "", ("description", "tools", "metadata")),
    "---\nglobs: '*.py'\nalwaysApply: true\n---\nYou lint for {{user}}.": PromptSource(
        "You lint for Anna.", "", ("globs", "alwaysApply")),
    "---\nname: Mira\nrole: mascot\ncommitments:\n- I say so.\n---\nYou are Mira.": PromptSource(
        "You are Mira.", "Mira", ("role", "commitments")),
}  # fmt: skip
TEXTS = {
    "# AGENTS.md\n\nRun the tests.": "# AGENTS.md\n\nRun the tests.",
    "---\n\nYou are Mira.\n\n---\n\nNever lie.": "---\n\nYou are Mira.\n\n---\n\nNever lie.",
    "---\nGoal: be kind\nsome prose\n---\nNever lie.": "---\nGoal: be kind\nsome prose\n---\nNever lie.",
    '{"persona": "Mira"}': '{"persona": "Mira"}',
    "あなたは美咲です。\n": "あなたは美咲です。",
}
FOUND = CARDS | ASSISTANTS | AGENTS | {text: PromptSource(prompt) for text, prompt in TEXTS.items()}


@pytest.mark.parametrize("text", FOUND)
def test_prompt_and_name_are_taken_and_what_is_not_used_is_named(tmp_path: Path, text: str) -> None:
    for name in ("any.md", "any.json")[: 1 + (text in CARDS | ASSISTANTS)]:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        assert prompt_sources.read(path, {"user": "Anna"}) == FOUND[text]


@pytest.mark.parametrize("text", ['{"persona": "Mira"}', "[1]", "{", card(2, name="Mira"), '{"instructions": null}'])
def test_a_json_without_a_prompt_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"no character card \(V2 or V3\)|no system prompt is in it"):
        prompt_sources.read(path, {})
