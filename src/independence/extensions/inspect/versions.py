"""Which versions of Inspect AI this package was tested with, and what to say of others."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from independence.errors import UsageError

TESTED: Final = ("0.3.285",)
_OLDEST: Final = (0, 3, 285)
_NEXT: Final = (0, 4)
# What is used of it: module -> names.
NEEDED: Final = {
    "inspect_ai": ("Task", "task"),
    "inspect_ai.event": ("ModelEvent", "ScoreEvent"),
    "inspect_ai.log": ("EvalLog", "EvalSample", "read_eval_log", "transcript", "write_eval_log"),
    "inspect_ai.model": ("GenerateConfig", "ModelOutput", "ModelUsage", "ResponseSchema", "get_model"),
    "inspect_ai.model._generate_config": ("active_generate_config",),
    "inspect_ai.scorer": ("Metric", "SampleScore", "Score", "Scorer", "metric", "scorer"),
    "inspect_ai.solver": ("Solver", "TaskState", "solver"),
    "inspect_ai.tool": ("ToolCall", "ToolInfo", "ToolParams"),
    "inspect_ai.util": ("JSONSchema", "registry_info"),
}


def require() -> None:
    """Raises UsageError where Inspect AI is not installed, or lacks something that is used of it."""
    try:
        found = version("inspect-ai")
    except PackageNotFoundError as error:
        what = "Inspect AI is not installed, which reads and writes .eval logs"
        raise UsageError(what, "pip install 'ai-independence-bench[inspect]'") from error
    check(found)


def check(found: str) -> None:
    """Raises UsageError for a version of Inspect AI that is out of the range, or that lacks something."""
    least, below = (".".join(map(str, part)) for part in (_OLDEST, _NEXT))
    takes = f"this package was tested with {', '.join(TESTED)} and takes {least} up to below {below}"
    mend = f"pip install 'inspect-ai=={TESTED[-1]}'"
    numbers = tuple(int(part) for part in re.findall(r"\d+", found)[:3])
    if numbers < _OLDEST or numbers[: len(_NEXT)] >= _NEXT:
        raise UsageError(f"Inspect AI {found} is installed, and {takes}", mend)
    lacking = [f"{module}.{name}" for module, names in NEEDED.items() for name in names if not _has(module, name)]
    if lacking:
        raise UsageError(f"Inspect AI {found} has no {', '.join(lacking)}; {takes}", mend)


def _has(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name)
    except ImportError:
        return False
