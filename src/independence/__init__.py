"""AI Independence Bench: does a language model keep its own identity, boundaries and preferences under pressure?

What `import independence` offers is in `__all__`. Each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_OFFERED = {
    "independence.extensions.published.adopting": ("adopt_suite", "verify_suite"),
    "independence.api.checking": ("acheck", "check"),
    "independence.api.comparing": ("OtherSide", "compare", "compare_suites"),
    "independence.api.files": ("export",),
    "independence.api.importing": ("read_results",),
    "independence.api.reading": ("Store", "load_suite"),
    "independence.api.results": ("BoardResult", "CheckResult", "ComparisonResult", "SuiteComparisonResult"),
    "independence.api.running": (
        "aestimate_cost", "agrade", "arerun", "arun", "estimate_cost", "grade", "rerun", "run",
    ),
    "independence.config.options": (
        "ConnectionOptions", "GateOptions", "GradeOptions", "SuitePart", "OfflineOptions", "RerunOptions", "RunOptions",
    ),
    "independence.engine.events": ("Event",),
    "independence.engine.pipeline": ("RunPreview", "RunResult"),
    "independence.errors": ("IndependenceError", "StoreError", "UsageError"),
    "independence.exchange.export_tables": ("ReplyRecord", "VerdictRecord"),
    "independence.exchange.trajectory": ("Trajectory",),
    "independence.extensions.inspect.logs": ("export_logs", "import_logs"),
    "independence.report.board": ("InferenceOptions",),
    "independence.suites.load": ("LoadedSuite",),
    "independence.types": ("Sampling",),
    "independence.viewer.site": ("export_site",),
}  # fmt: skip
_HOME = {name: module for module, names in _OFFERED.items() for name in names}
__all__ = [
    "BoardResult",
    "CheckResult",
    "ComparisonResult",
    "ConnectionOptions",
    "Event",
    "GateOptions",
    "GradeOptions",
    "IndependenceError",
    "InferenceOptions",
    "LoadedSuite",
    "OfflineOptions",
    "OtherSide",
    "ReplyRecord",
    "RerunOptions",
    "RunOptions",
    "RunPreview",
    "RunResult",
    "Sampling",
    "Store",
    "StoreError",
    "SuiteComparisonResult",
    "SuitePart",
    "Trajectory",
    "UsageError",
    "VerdictRecord",
    "__version__",
    "acheck",
    "adopt_suite",
    "aestimate_cost",
    "agrade",
    "arerun",
    "arun",
    "check",
    "compare",
    "compare_suites",
    "estimate_cost",
    "export",
    "export_logs",
    "export_site",
    "grade",
    "import_logs",
    "load_suite",
    "read_results",
    "rerun",
    "run",
    "testing",
    "verify_suite",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "testing":  # a room of its own: `independence.testing.Endpoint`
        return import_module("independence.testing")
    if name not in _HOME:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
