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
        document = built.plain()
        rows = {row["config"]: row for row in document["rows"]}
        for subject in built.gated:
            row = rows[subject.config]
            if subject.value is not None and subject.config in configs and not row["simulated"]:
                labels[subject.config] = subject.label
                results.setdefault(subject.config, []).append(_result(document, row, subject.value))
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


def _result(document: Mapping[str, Any], row: Mapping[str, Any], value: float) -> Mapping[str, Any]:
    """One entry: the value on a board, and how it was measured."""
    interval = row.get("ci")
    notes = [
        row["label"],
        f"{document['suite']}@{document['edition']}, {document['condition']}",
        f"judge {document['judge']}",
        *([f"{runs} run{'s' if runs != 1 else ''}"] if (runs := row.get("runs")) else []),
        *([f"95% interval {interval[0]:.1f} to {interval[1]:.1f}"] if interval else []),
    ]
    return {
        "dataset": {"id": _PLACE, "task_id": f"{document['suite']}/{document['condition']}".replace("/", "-")},
        "value": value,
        "source": {"url": f"https://huggingface.co/datasets/{_PLACE}", "name": "Replies and verdicts"},
        "notes": "; ".join(notes),
    }


def _yaml(content: object, label: str | None = None) -> list[bytes]:
    head = "" if label is None else _RESULTS.format(" ".join(label.split()))
    return [(head + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)).encode()]
