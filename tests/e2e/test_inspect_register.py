"""What the register of Inspect Evals asks of us: metadata, tasks run by their file, a run on a mock, its linter."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import independence
from independence.suites import load
from tests.e2e import endpoint, inspected

ROOT = Path(__file__).parents[2]
TASKS = "src/independence/extensions/inspect/tasks.py"
ASKED = ["direct", "000", "self.boat"]  # one of each task
# Keys of an entry for a task in a repository of its own; any other is an error there.
ENTRY_KEYS = {"full_title", "common_title", "description", "contributors", "tasks", "source"}


def document(text: str) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(text)
    return read


METADATA = document((ROOT / TASKS).with_name("eval.yaml").read_text("utf-8"))


def test_the_metadata_are_of_this_version_and_name_every_suite_that_ships() -> None:
    shipped = {f"independence_{name.replace('-', '_')}": load.load(name).suite for name in load.built_in()}
    told = {task["name"]: task["dataset_samples"] for task in METADATA["tasks"]}
    assert told == {name: len(suite.scenarios) for name, suite in shipped.items()}
    assert METADATA["metadata"]["extras"]["version"] == re.sub(r"\.dev\d+$", "", independence.__version__)


def test_the_entry_for_the_register_names_tasks_of_ours_where_they_are() -> None:
    (entry,) = map(document, re.findall(r"```yaml\n(.*?)```", (ROOT / "RELEASING.md").read_text("utf-8"), re.DOTALL))
    assert entry.keys() == ENTRY_KEYS
    assert {task["name"] for task in entry["tasks"]} <= {task["name"] for task in METADATA["tasks"]}
    for task in entry["tasks"]:
        assert f"def {task['name']}(" in (ROOT / task["task_path"]).read_text("utf-8")


@pytest.mark.deep
def test_the_file_of_the_tasks_can_be_run_by_its_path(tmp_path: Path) -> None:
    inspected.needed()
    with endpoint.serving(tmp_path) as served:
        line = f"{ROOT / TASKS}@independence_sides_es -T judge=openai-api/loop/judge --limit 1"
        log = inspected.read(inspected.evaluate(line, served.base_url, tmp_path))
    assert (log.status, log.eval.task) == ("success", "independence_sides_es")


def mock(answer: Callable[[Any], str]) -> Any:
    """`mockllm/model` with these answers. It says its usage, since Inspect would fetch a file to count tokens."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def output(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        made = ModelOutput.from_content("mockllm/model", answer(config))
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def graded(config: Any) -> str:
    """A verdict that has the least of every field, or a number where no fields are asked for, as in `rent`."""
    if config.response_schema is None:
        return "0"
    fields = config.response_schema.json_schema.properties
    simple = {"boolean": False, "string": "said"}
    return json.dumps({name: (one.enum or [simple.get(one.type, one.minimum)])[0] for name, one in fields.items()})


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore")  # what Inspect and its libraries warn of
def test_every_task_runs_on_the_mock_of_inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inspected.needed()
    from inspect_ai import eval as evaluate

    from independence.extensions.inspect import tasks

    monkeypatch.setenv("OPENROUTER_API_KEY", "-")  # a task has its usual grader until its evaluation names one
    made = [getattr(tasks, task["name"])() for task in METADATA["tasks"]]
    roles = {"grader": mock(graded)}
    logs = evaluate(
        made, model=mock(lambda _: "I keep it."), model_roles=roles, sample_id=ASKED, log_dir=str(tmp_path),
        display="none",
    )  # fmt: skip
    assert {log.eval.task: log.status for log in logs} == {task["name"]: "success" for task in METADATA["tasks"]}
    for log in logs:
        ((score,),) = [sample.scores.values() for sample in log.samples or ()]
        assert None not in score.value.values(), log.eval.task
        assert inspected.metrics(log)["coverage"] == pytest.approx(1 / log.eval.dataset.samples), log.eval.task


@pytest.mark.filterwarnings("ignore")
def test_the_linter_of_the_register_fails_nothing_but_what_is_known() -> None:
    lint = pytest.importorskip("inspect_evals_lint", reason="the `dev` extra brings inspect-evals-lint")
    (package,) = lint.lint_task_files(ROOT, [TASKS]).packages
    failed = {found.rule.name for found in package.diagnostics if found.status == "fail"}
    assert failed <= {
        "private_api_imports"
    }  # of what Inspect offers nowhere else: what its command line says of a model
    assert package.summary()["pass"] > 10
