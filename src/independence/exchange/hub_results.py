"""Results as the Hugging Face Hub shows them on the page of a model (its documentation: Evaluation Results).

`eval.yaml` makes a data set a benchmark. `.eval_results/` has a file for each model, to be copied into its repository.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import yaml

from independence.exchange import output
from independence.report.analysis import RenderedBoard
from independence.report.board.rows import Board, Row
from independence.suites.schema import Suite

_PLACE: Final = "OWNER/NAME"
_RESULTS: Final = (
    f"# Results of {{}}. Write in place of {_PLACE} where you push this data set, and copy the file into the folder\n"
    "# .eval_results of the model's repository.\n"
)


def files(suite: Suite, boards: Sequence[RenderedBoard], configs: Collection[str]) -> dict[str, Iterable[bytes]]:
    """Name -> content, of subjects that have a value on a board; not of simulated ones, which have no repository."""
    results: dict[str, list[Mapping[str, Any]]] = {}
    labels: dict[str, str] = {}
    for built in boards:
        for row in built.document.rows:
            if row.main.value is not None and row.config in configs and not row.simulated:
                labels[row.config] = row.label
                results.setdefault(row.config, []).append(_result(built.document, row))
    if not results:
        return {}
    tasks = dict.fromkeys(entry["dataset"]["task_id"] for own in results.values() for entry in own)
    about = {
        "name": suite.title,
        "description": suite.about,
        "evaluation_framework": "ai-independence-bench",
        "tasks": [{"id": task, "config": "board", "split": "train"} for task in tasks],
    }
    names = output.distinct_names({config: (re.sub(r"[\\:]", "-", config), ".yaml") for config in labels})
    written = {f".eval_results/{names[config]}": _yaml(own, labels[config]) for config, own in results.items()}
    return {"eval.yaml": _yaml(about), **written}


def _result(board: Board, row: Row) -> Mapping[str, Any]:
    """One entry: the value on a board, and how it was measured."""
    interval = row.main.interval
    notes = [
        row.label,
        f"{board.suite}@{board.edition}, {board.condition}",
        f"judge {board.judge}",
        *([f"{row.runs} run{'s' if row.runs != 1 else ''}"] if row.runs else []),
        *([f"95% interval {interval[0]:.3g} to {interval[1]:.3g}"] if interval else []),
    ]
    return {
        "dataset": {"id": _PLACE, "task_id": f"{board.suite}/{board.condition}".replace("/", "-")},
        "value": row.main.value,
        "source": {"url": f"https://huggingface.co/datasets/{_PLACE}", "name": "Replies and verdicts"},
        "notes": "; ".join(notes),
    }


def _yaml(content: object, label: str | None = None) -> list[bytes]:
    head = "" if label is None else _RESULTS.format(" ".join(label.split()))
    return [(head + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)).encode()]
