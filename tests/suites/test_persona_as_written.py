"""Persona files as people write them: rules of dashes, sentences without quotation marks, any script, templates."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from independence.config import documents
from independence.errors import DocumentError
from independence.judge import quotation
from independence.suites import front_matter, load, persona_file, persona_suite, script, template
from independence.suites.persona_file import Commitment, FrontMatter
from independence.types import Condition

HEAD = "name: Mira\nrole: companion\ncommitments:\n- I say so.\n- I keep to it.\n- I never lie.\n"
PROMPT = "You are Mira."


def write(folder: Path, text: str) -> Path:
    path = folder / "mira.md"
    path.write_text(text, encoding="utf-8", newline="")
    return path


PROMPTS = {  # all of which are sent whole
    "two rules": "---\n\nYou are Mira.\n\n---\n\nNever lie.",
    "one rule": "---\nYou are Mira: a cook.",
    "rules and colons": "---\nGoal: be kind\nTone: dry\n---\nNever lie.",
    "prose with a key": "---\nYou are Mira. Answer as:\nname: Mira\n---\nNever lie.",
    "front matter of a site": "---\ntitle: Mira\ndate: 2026-01-01\n---\nYou are Mira.",
    "broken front matter of an agent": '---\ndescription: Use when: user: "x"\ntools: [Read\n---\nYou are Mira.',
    "no text between": "---\n---\nYou are Mira.",
    "a list": "---\n- never lie\n- be kind\n---\nYou are Mira.",
    "an example below text": f"You are Mira. A file:\n---\n{HEAD}---\nend",
}


@pytest.mark.parametrize("kind", PROMPTS)
def test_whatever_is_no_front_matter_of_ours_is_sent_whole(tmp_path: Path, kind: str) -> None:
    assert load.persona(write(tmp_path, PROMPTS[kind])).text == PROMPTS[kind]


@pytest.mark.parametrize(
    "above",
    ["", "\n\n", "# of the team\n", "<!-- a\ncomment\n-->\n\n", "\ufeff\r\n# x\r\n", "<!-- a --> \n<!-- b -->\n"],
)
def test_blank_lines_and_comments_may_stand_above_the_front_matter(tmp_path: Path, above: str) -> None:
    path = write(tmp_path, f"{above}---\n{HEAD}---\n{PROMPT}")
    assert (load.persona(path).text, persona_file.problems(path)) == (PROMPT, [])


BROKEN = {  # the line, words of the sentence
    f"---\n{HEAD}{PROMPT}": (1, "the front matter has no end"),
    f"\n# x\n---\n{HEAD}{PROMPT}": (3, "the front matter has no end"),
    f"---\nmay: [[x\n{HEAD}---\n{PROMPT}": (3, "not valid YAML"),
    f"---\n{HEAD}mood: calm\n---\n{PROMPT}": (8, "unknown key `mood`; `independence persona init FILE --from`"),
    f"---\n{HEAD.replace('commitments', 'Commitments')}---\n{PROMPT}": (4, "did you mean `commitments`?"),
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_front_matter_is_refused_with_its_line_and_never_sent(tmp_path: Path, text: str) -> None:
    line, words = BROKEN[text]
    with pytest.raises(DocumentError) as refused:
        load.persona(write(tmp_path, text))
    assert (refused.value.line, words in str(refused.value)) == (line, True), str(refused.value)


SENTENCES = (
    "I do not use hashtags such as #love in a letter.",
    "My rule: I say what I think.",
    '"Never" is what I say to it.',
    "'Tis my rule to be kind.",
    "*Always* I tell the truth.",
    "@all of you hear it from me.",
    "{This} is no set for me.",
    'I answer with {"ok": true} alone.',
    "[x] is how I mark it.",
    "- I begin with a dash.",
    "% of sales is not told.",
    "`code` is what I write.",
    "& so I go on with it.",
    "! is no sign of mine.",
    "? is what I end with: always.",
    "I say so - and mean it: \"yes\", 'no', `well`, 50%, a@b.c, C#, #1.",
    "> is greater than < for me.",
    "| is a pipe to me.",
    "Honesty: I keep to it # always",
    "2026-01-01 is no day of mine.",
    "I say 12: it is 12.",
    "我从不假装自己是人类：绝不。",
)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_plain_sentence_needs_no_quotation_marks(tmp_path: Path, sentence: str) -> None:
    both = f"- {sentence}\n- keeps: {sentence} 2\n  gives_up: {sentence}\n- I never lie.\n"
    text = f"---\nname: Mira\nrole: a cook: at sea\ncommitments:\n{both}may:\n- {sentence}\n---\n{PROMPT}"
    head = persona_file.front_matter(write(tmp_path, text))
    assert head.commitments == (sentence, Commitment(keeps=f"{sentence} 2", gives_up=sentence), "I never lie.")
    assert (head.role, head.may) == ("a cook: at sea", (sentence,))


VALID = {  # YAML as it was always read
    "- 'I say: so.'": ["I say: so."],
    '- "I say\\n so." # why': ["I say\n so."],
    "- >-\n  I say\n  - so: it is\n- I lie.": ["I say - so: it is", "I lie."],
    "- |\n  I say\n\n  so\n": ["I say\n\nso\n"],
    "- I say\n  so and\n\n  so.\n# a comment\n- I lie.": ["I say so and\nso.", "I lie."],
    "- I say so.\n  # a comment\n- I lie.": ["I say so.", "I lie."],
    "- {keeps: I say so, gives_up: It lies}": [{"keeps": "I say so", "gives_up": "It lies"}],
    "- keeps: I say\n    so\n  gives_up: It lies": [{"keeps": "I say so", "gives_up": "It lies"}],
    "- I say\n  #love, it is": ["I say #love, it is"],  # which YAML would cut
    "- 12 is\n- off": ["12 is", "off"],
}


@pytest.mark.parametrize("written", VALID)
def test_quoted_folded_and_several_lines_are_read_as_before(written: str) -> None:
    made = front_matter.plain_sentences(written)
    assert yaml.safe_load(made) == VALID[written]
    assert made.count("\n") == written.count("\n")


def test_labels_keep_comments_and_mistaken_keys_are_named(tmp_path: Path) -> None:
    head = HEAD.replace("Mira", "Mira # the cook").replace("companion", "No")
    found = persona_file.front_matter(write(tmp_path, f"---\n{head}---\n{PROMPT}"))
    assert (found.name, found.role) == ("Mira", "No")
    for wrong in ("- keep: I say so.", "- keeps: I say so.\n    gives_up: It lies."):
        (problem,) = persona_file.problems(write(tmp_path, f"---\n{HEAD}{wrong}\n---\n{PROMPT}"))
        assert problem.line in (8, 9)


_SAID = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp", "Cf")), min_size=1, max_size=120
).map(lambda text: unicodedata.normalize("NFC", " ".join(text.split()))).filter(bool)  # fmt: skip


@given(st.builds(
    FrontMatter, name=_SAID, role=_SAID, may=st.tuples(_SAID),
    commitments=st.tuples(_SAID, st.builds(Commitment, keeps=_SAID, gives_up=_SAID), _SAID),
))  # fmt: skip
def test_what_is_written_reads_back_to_the_same(head: FrontMatter) -> None:
    found = front_matter.parts(persona_file.written(head, PROMPT))
    assert found is not None
    document = front_matter.parse(found, "x.md", FrontMatter.__struct_fields__)
    assert document is not None
    assert documents.convert(document, FrontMatter) == head


SCRIPTS = {
    "ja": "私は人間のふりをしません。",
    "zh": "我从不假装自己是人类。",
    "th": "ฉันไม่แกล้งทำเป็นมนุษย์",
    "ar": "أنا لا أتظاهر بأنني إنسان؟",
    "de": "Ich gebe mich nicht als Mensch aus.",
    "ko": "나는 사람인 척하지 않는다.",
    "hi": "मैं इंसान होने का दिखावा नहीं करता।",
}


@pytest.mark.parametrize("script_", SCRIPTS)
def test_a_sentence_in_any_script_is_one_and_its_own_mark_ends_it(script_: str) -> None:
    said = SCRIPTS[script_]
    assert persona_file.sentence_fault(said) == ""
    assert persona_file.sentence_fault("好") != ""
    head = FrontMatter(name="M", role="mascot", commitments=(said, f"{said}」", "I never lie"))
    shown = {one.vars["commitment"] for one in persona_suite.of(head).scenarios}
    ends = "." if script_ == "th" else ""
    assert shown == {said + ends, f"{said}」{ends}", "I never lie."}


def test_decomposed_letters_are_the_same(tmp_path: Path) -> None:
    said = "Ich rede nicht schlecht über Änne."
    apart = unicodedata.normalize("NFD", said)
    assert persona_file.holds(apart, said)
    assert persona_file.holds(said, apart)
    assert quotation.found(apart, [said])
    assert quotation.found("über Änne nicht", [unicodedata.normalize("NFD", "… über Änne nicht")])
    assert not quotation.found("ich rede scho", [unicodedata.normalize("NFD", "ich rede schön")])
    heads = [HEAD.replace("Mira", unicodedata.normalize(form, "Änne")) for form in ("NFC", "NFD")]
    one, other = [load.load(str(write(tmp_path, f"---\n{head}---\n{PROMPT}"))) for head in heads]
    assert (one.suite.suite, one.edition) == (other.suite.suite, other.edition)


SLOTS = {  # what is left to be filled: the name of what would fill it
    "{{char}}": "char",
    "{{ user.name }}": "user.name",
    "{{#if x}}": "",
    "{{/if}}": "",
    "{{random:a,b}}": "",
    "{{> part}}": "",
    "{{// note}}": "",
    "{{{raw}}}": "raw",
    "{{user|upper}}": "",
    "{{имя}}": "имя",
    "{% if user %}": "",
    "{%- endfor -%}": "",
    "{# note #}": "",
    "${NAME}": "NAME",
    "${}": "",
    "${x:-y}": "",
    "{name}": "name",
    "{user.name}": "user.name",
    "{price:.2f}": "",
    "{name!r}": "",
    "<USER>": "user",
    "<BOT>": "char",
    "%name%": "name",
    "<%= x %>": "",
    "{$NAME}": "NAME",
}
CODE = (
    '{"a": 1}',
    '{"a": {"b": []}}',
    '{\n  "say": "..."\n}',
    "p { color: red }",
    ".a{color:red}",
    ".a{opacity:0.5}",
    "{ return x; }",
    "if (x) {\n  y\n}",
    "<b>bold</b>",
    "<user>hi</user>",
    "<USER>hi</USER>",
    "<br>",
    "{1, 2, 3}",
    "{x | x > 0}",
    "{a, b}",
    "{x}",
    "{{1, 2}, {3}}",
    "{{red}, {blue}}",
    "{{a, b}}",
    "a ∈ {apple}",
    r"\frac{a}{bc}",
    r"\begin{itemize}",
    "x^{10}",
    "x_{max}",
    r"\{name\}",
    'f"Hello {name}"',
    "import {useState} from 'react'",
    "style={{ color: 'red' }}",
    "GET /users/{id}",
    "{}",
    "{{ }}",
    "100% sure, 50% off",
    "$5 and $HOME",
    "[[name]]",
    "%d%%",
)


@pytest.mark.parametrize("slot", SLOTS)
def test_what_a_template_leaves_to_be_filled_is_refused_with_its_line(tmp_path: Path, slot: str) -> None:
    text = f"---\n{HEAD}---\n\n{PROMPT}\nYou talk to {slot}, gladly."
    (problem,) = persona_file.problems(write(tmp_path, text))
    assert (problem.line, f"`{slot}` would not be filled" in str(problem)) == (11, True)
    name = SLOTS[slot]
    assert ("--var" in str(problem)) == bool(name)
    filled = load.persona(write(tmp_path, text), {name.casefold(): "Anna {x}"}).text if name else ""
    assert filled.endswith("You talk to Anna {x}, gladly.") == bool(name)
    meant = write(tmp_path, text.replace("role:", "template: none\nrole:"))
    assert (persona_file.problems(meant), load.persona(meant).text.endswith(f"to {slot}, gladly.")) == ([], True)


@pytest.mark.parametrize("code", CODE)
def test_code_json_and_mathematics_are_no_template(tmp_path: Path, code: str) -> None:
    assert template.unfilled(f"Answer with {code} alone.") == []
    assert load.persona(write(tmp_path, f"Answer with {code} alone.")).text == f"Answer with {code} alone."


def test_a_prompt_that_is_no_template_is_composed_as_it_is(tmp_path: Path) -> None:
    suite = load.load("v2").suite
    text = f"Write {{{{{next(iter(suite.vars))}}}}} and {{{{b}}}}."
    name, sent = load.persona(write(tmp_path, f"---\ntemplate: none\n---\n{text}"))
    own = replace(suite, variants={**suite.variants, name: sent})
    made = script.compose(own, own.scenarios[0], Condition(name, "user_role"))
    assert made.system.startswith(f"{text}\n\n")


EXCLUDED = [
    ("I always answer in French.", "I never answer in French."),
    ("I answer in French.", "I do not answer in French!"),
    ("I don't lie to you.", "I lie to you."),
    ("I will always help out.", "I won't help out."),
    ("I am a doctor.", "I am not a doctor."),
    ("I can keep secrets.", "I cannot keep secrets."),
    ("Ich antworte immer auf Deutsch.", "Ich antworte nie auf Deutsch."),
    ("Siempre hablo en español.", "Nunca hablo en español."),
    ("我总是说真话给你听。", "我从不说真话给你听。"),
]
TOGETHER = [
    ("I always answer in French.", "I never answer in German."),
    ("I say when I know it.", "I say when I do not know it."),
    ("I never say that I can fly.", "I always say that I cannot fly."),
    ("I do not lie to you.", "I never lie to you."),
    ("I can keep secrets.", "I do not keep secrets."),
]


@pytest.mark.parametrize("pair", EXCLUDED + TOGETHER)
def test_two_commitments_that_exclude_each_other_are_refused(tmp_path: Path, pair: tuple[str, str]) -> None:
    kept = "".join(f"- {one}\n" for one in (pair[0], "I keep to my recipes.", pair[1]))
    found = persona_file.problems(write(tmp_path, f"---\nname: Mira\nrole: mascot\ncommitments:\n{kept}---\n{PROMPT}"))
    assert [problem.line for problem in found] == [7] * (pair in EXCLUDED)
    assert all(f"nobody can keep both “{pair[0]}” and “{pair[1]}”" in str(problem) for problem in found)


def test_the_reported_files_are_read_as_they_are_meant(published_data: Path) -> None:
    if not (published_data / "cases-b").is_dir():
        pytest.skip("there is no folder of cases")

    def case(number: int, name: str) -> Path:
        return next((published_data / "cases-b").glob(f"{number}-*")) / name

    rule = case(30, "rule.md")
    assert load.persona(rule).text == rule.read_text("utf-8").strip()
    assert (
        "I do not use hashtags such as #love in a letter." in persona_file.front_matter(case(31, "hash.md")).commitments
    )
    for number, name in ((32, "ja.md"), (32, "zh.md"), (38, "nfc.md"), (38, "nfd.md")):
        assert persona_file.problems(case(number, name)) == []
    said = [note.partition(":")[0] for note in persona_file.notes(case(38, "nfd.md"))]
    assert said == ["no `tempts` for these commitments"]
    for name, lines in (("char.md", {10}), ("jinja.md", {10}), ("latex.md", {13})):
        assert {problem.line for problem in persona_file.problems(case(33, name))} == lines
    values = {"char": "Mira", "user": "Anna"}
    assert persona_file.problems(case(33, "char.md"), values) == []
