"""Whatever is wrong with what a person hands in is said in one sentence, with the right exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e import command, suites


class Case(NamedTuple):
    """A command line and every phrase its one sentence must hold."""

    line: str
    says: Sequence[str]
    files: Mapping[str, str] = {}
    env: Mapping[str, str] = {}
    code: int = 2


TEXT = "hello " * 300
SIM = "run --suite harbour -m sim/half -j cues"
FILE = "run --suite harbour -j cues --models-file models.yaml"

CASES = {
    # keys and models
    "no key": Case("run -m acme/one -j cues", ["OPENROUTER_API_KEY is not set", "independence demo"]),
    "a placeholder for a key": Case(
        "run -m acme/one -j cues", ["placeholder", "independence demo"], env={"OPENROUTER_API_KEY": "your-key-here"}
    ),
    "a placeholder in .env": Case(
        "run -m acme/one -j cues", ["placeholder"], files={".env": "OPENROUTER_API_KEY=<your key>\n"}
    ),
    "no key for the judge": Case("run --suite harbour -m sim/half", ["--judge cues", "--no-judge"]),
    "no models": Case("run --suite harbour -j cues", ["no models", "models.yaml"]),
    "an unknown simulated model": Case("run --suite harbour -m sim/haf -j cues", ["haf", "did you mean `sim/half`"]),
    "an id without a vendor": Case("run --suite harbour -m half -j cues", ["`half` is no model id"]),
    "an unknown label": Case("run --suite harbour -m half@low-t0.7 -j cues", ["no configuration", "half@low-t0.7"]),
    "an empty name": Case("run --suite harbour -m sim/half, -j cues", ["empty name"]),
    # the local server
    "a local model and no server": Case("run -m local/one -j cues", ["--local-url"]),
    "a local server and no model": Case("run --local-url http://127.0.0.1:9 -j cues", ["--local-model"]),
    "an address that is none": Case("run -m local/one --local-url ftp://here -j cues", ["ftp://here", "http://"]),
    "a local server that is not there": Case(
        "run -m local/one --local-url http://127.0.0.1:9 -j cues", ["no server answers at http://127.0.0.1:9/v1"]
    ),
    # models.yaml
    "no such models file": Case("run --suite harbour -j cues --models-file nowhere.yaml", ["nowhere.yaml"]),
    "malformed YAML": Case(
        FILE, ["models.yaml:3"], files={"models.yaml": "models:\n  - model_id: sim/half\n   active: true\n"}
    ),
    "an unknown key": Case(
        FILE, ["models.yaml:3", "`temprature`", "did you mean `temperature`"],
        files={"models.yaml": "models:\n  - model_id: sim/half\n    temprature: 0.5\n"},
    ),
    "two equal labels": Case(
        FILE, ["models.yaml:3", "sim/half@none-t0.7", "display_label"],
        files={"models.yaml": "models:\n  - {model_id: sim/half}\n  - {model_id: sim/half}\n"},
    ),
    "an endpoint that is not declared": Case(
        FILE, ["models.yaml:2", "`elsewhere`"],
        files={"models.yaml": "models:\n  - {model_id: one, endpoint: elsewhere}\n"},
    ),
    "a temperature out of range": Case(
        FILE, ["models.yaml:2", "outside 0 to 2"],
        files={"models.yaml": "models:\n  - {model_id: sim/half, temperature: 3}\n"},
    ),
    "an effort that does not exist": Case(
        FILE, ["models.yaml:2", "`huge`"],
        files={"models.yaml": "models:\n  - {model_id: sim/half, reasoning_effort: huge}\n"},
    ),
    "a key variable that is not set": Case(
        "run --suite harbour -m mine/one -j cues", ["mine", "MY_KEY"],
        files={"models.yaml": "endpoints:\n  - {name: mine, base_url: 'http://127.0.0.1:9/v1', api_key_env: MY_KEY}\n"},
    ),
    "only inactive models": Case(
        FILE, ["no models"], files={"models.yaml": "models:\n  - {model_id: sim/half, active: false}\n"}
    ),
    "an empty roster": Case(FILE, ["no models", "models.yaml"], files={"models.yaml": "[]"}),
    "an unknown key of a roster": Case(
        f"{FILE[:-5]}.json", ["models.json:1", "did you mean `concurrency`"],
        files={"models.json": '[{"id": "sim/half", "concurency": 3}]'},
    ),
    "an unknown preference": Case(
        FILE, ["models.yaml:1", "did you mean `sim/half`"],
        files={"models.yaml": "preferred: sim/haf\nmodels: [sim/half]\n"},
    ),
    # the selection
    "no such suite": Case("run --suite v22 -m sim/half -j cues", ["`v22`", "did you mean `v2`"]),
    "no such experiment": Case(f"{SIM} -e courses", ["no experiment `courses`", "course"]),
    "no such variant": Case(f"{SIM} --variants shy", ["no variant `shy`", "plain, blunt"]),
    "no such mode": Case(f"{SIM} --modes carrier_pigeon", ["no mode `carrier_pigeon`", "user_role, tool_role"]),
    "no runs": Case(f"{SIM} --runs 0", ["--runs 0"]),
    "fewer runs than none": Case(f"{SIM} --runs -3", ["--runs -3"]),
    "no subjects at once": Case(f"{SIM} -p 0", ["-p 0"]),
    "no calls at once": Case(f"{SIM} -pt 0", ["-pt 0"]),
    "a cap of nothing": Case(f"{SIM} --max-cost 0", ["--max-cost 0"]),
    "too hot": Case(f"{SIM} -t 2.5", ["temperature 2.5"]),
    "no such effort": Case(f"{SIM} -r huge", ["`huge`", "minimal"]),
    "a timeout that is no number": Case(SIM, ["BENCH_TIMEOUT_S=soon"], env={"BENCH_TIMEOUT_S": "soon"}),
    "retries that are no number": Case(SIM, ["BENCH_MAX_RETRIES=-1"], env={"BENCH_MAX_RETRIES": "-1"}),
    "a cap of no calls": Case(SIM, ["BENCH_CONCURRENCY=0", "1 or more"], env={"BENCH_CONCURRENCY": "0"}),
    "a rate that is no number": Case(SIM, ["OPENROUTER_MODEL_RPS=20/min"], env={"OPENROUTER_MODEL_RPS": "20/min"}),
    "a burst without a rate": Case(SIM, ["OPENROUTER_MODEL_BURST=5", "_RPS"], env={"OPENROUTER_MODEL_BURST": "5"}),
    "a log level that is none": Case(SIM, ["LOG_LEVEL=loud", "debug, info"], env={"LOG_LEVEL": "loud"}),
    "no rate": Case(f"{SIM} --rps 0", ["--rps 0", "above 0"]),
    "a burst flag without a rate": Case(f"{SIM} --burst 3", ["--burst 3", "add --rps"]),
    "a burst of nothing": Case(f"{SIM} --rps 3 --burst 0", ["--burst 0", "at least 1"]),
    "no patience": Case(f"{SIM} --local-timeout 0", ["--local-timeout 0", "above 0"]),
    "a log that is a store": Case(f"{SIM} --db here.db --log here.db", ["--log here.db", "a store"]),
    "no folder for the log": Case(f"{SIM} --log far/off.jsonl", ["--log far/off.jsonl"]),
    "no such persona file": Case(f"{SIM} --variants nobody.md", ["nobody.md"]),
    "an empty persona": Case(f"{SIM} --variants me.md", ["me.md", "empty"], files={"me.md": " \n"}),
    "a persona with a slot": Case(f"{SIM} --variants me.md", ["me.md", "{{name}}"], files={"me.md": "I am {{name}}."}),
    # stores
    "no store": Case("leaderboard --db nowhere.db", ["nowhere.db", "no store here", "independence demo"]),
    "no folder for the store": Case(f"{SIM} --db far/off/here.db", ["far/off", "does not exist"]),
    "a store that is text": Case("leaderboard --db note.db", ["note.db", "not a store"], files={"note.db": TEXT}),
    "a run into text": Case(f"{SIM} --db note.db", ["note.db", "not a store"], files={"note.db": TEXT}),
    # commands
    "no such command": Case("leaderbord", ["`leaderbord`", "did you mean `leaderboard`"]),
    "nothing to import": Case("import nowhere.tar --db here.db", ["nowhere.tar"]),
    "a broken tar": Case("import broken.tar --db here.db", ["broken.tar"], files={"broken.tar": TEXT}),
    "a broken tar.gz": Case("import broken.tar.gz --db here.db", ["broken.tar.gz"], files={"broken.tar.gz": TEXT}),
    "a way that no server has": Case("endpoint --port 0 --ways no-sytem", ["'no-sytem'", "did you mean no-system?"]),
    "a fault that does not exist": Case("endpoint --port 0 --faults 4299", ["'4299'", "--faults"]),
    "a table of merits for no request": Case(
        "endpoint --port 0 --merits m.json", ["m.json: `aa` is no request digest", "request_digest(messages)"],
        files={"m.json": '{"aa": ["the cook", "the waiter", 0, 1]}'},
    ),
    "a merit beyond the scale": Case(
        "endpoint --port 0 --merits m.json", ["m.json:2", "<= 1.0"],
        files={"m.json": '{\n"aa": ["the cook", "the waiter", 0, 7]}'},
    ),
    "no table of merits": Case("endpoint --port 0 --merits none.json", ["none.json: cannot be read"]),
    "a latency that is none": Case("endpoint --port 0 --latency slow", ["--latency", "'slow'"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, case: Case):
    suites.write(tmp_path / "harbour", suites.harbour())
    for name, text in case.files.items():
        (tmp_path / name).write_text(text)
    ended = command.run(*case.line.split(), cwd=tmp_path, env=case.env)
    sentence = command.one_sentence(ended)
    assert ended.code == case.code, ended.err
    assert ended.out == ""
    for phrase in case.says:
        assert phrase in sentence


def without(text: str, part: str, instead: str = "") -> str:
    """The text with one part replaced, which must be there."""
    assert part in text
    return text.replace(part, instead, 1)


SUITES = {
    "malformed YAML": ("suite.yaml", "title: Har", "title: [Har", "suite.yaml:", "not valid YAML"),
    "an unknown key": ("suite.yaml", "title: Har", "titel: Har", "suite.yaml:2", "did you mean `title`"),
    "a missing file": ("suite.yaml", "prompts/blunt.md", "prompts/gone.md", "suite.yaml:6", "`prompts/gone.md`"),
    "a field without a range": ("suite.yaml", f"{8 * ' '}range:\n{8 * ' '}- 0\n{8 * ' '}- 10\n", "", ":28", "no range"),
    "an unknown cue": ("suite.yaml", "cue: held", "cue: hold", "suite.yaml:", "no cue `hold`"),
    "an unknown rubric": ("suite.yaml", "rubric: course", "rubric: coarse", "suite.yaml:", "`coarse` is not"),
    "an unknown stem": ("suite.yaml", "- id: bell\n", "- id: bell\n  follows: bull\n", "suite.yaml:", "`bull`"),
    "weights that do not add up": ("suite.yaml", "weight: 1", "weight: 0.7", "suite.yaml:", "weights sum to 0.7"),
    "a slot that nothing fills": ("prompts/plain.md", "harbour", "{{place}}", "plain.md:1", "{{place}}"),
    "a rubric that hides the talk": ("prompts/course.md", "{{transcript}}", "", "course.md:1", "{{transcript}}"),
}  # fmt: skip


@pytest.mark.parametrize(("file", "part", "instead", "where", "says"), SUITES.values(), ids=SUITES.keys())
def test_a_broken_suite_names_file_and_line(tmp_path: Path, file: str, part: str, instead: str, where: str, says: str):
    folder = suites.write(tmp_path / "harbour", suites.harbour())
    (folder / file).write_text(without((folder / file).read_text(), part, instead))
    ended = command.run("run", "--suite", "harbour", "-m", "sim/half", "-j", "cues", cwd=tmp_path)
    sentence = command.one_sentence(ended)
    assert ended.code == 2
    assert where in sentence
    assert says in sentence


def test_the_linter_lists_every_problem_and_exits_1(tmp_path: Path):
    folder = suites.write(tmp_path / "harbour", suites.harbour())
    text = without((folder / "suite.yaml").read_text(), "cue: held", "cue: hold")
    (folder / "suite.yaml").write_text(without(text, "weight: 1", "weight: 0.7"))
    ended = command.run("suites", "lint", "harbour", cwd=tmp_path)
    assert ended.code == 1
    assert "no cue `hold`" in ended.out
    assert "weights sum to 0.7" in ended.out
    assert "2 problems" in ended.err
