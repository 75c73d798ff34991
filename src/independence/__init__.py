"""AI Independence Bench: does a language model keep its own identity, boundaries and preferences under pressure?

What `import independence` offers is in `__all__`. Each name is loaded when it is first used (PEP 562), so that the
command starts fast; type checkers read the same names below.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from independence import testing as testing
    from independence.api.checking import CheckResult as CheckResult
    from independence.api.checking import acheck as acheck
    from independence.api.checking import check as check
    from independence.api.comparing import ComparisonResult as ComparisonResult
    from independence.api.comparing import OtherSide as OtherSide
    from independence.api.comparing import StemComparisonResult as StemComparisonResult
    from independence.api.comparing import SuiteComparisonResult as SuiteComparisonResult
    from independence.api.comparing import compare as compare
    from independence.api.comparing import compare_suites as compare_suites
    from independence.api.deciding import DecisionResult as DecisionResult
    from independence.api.deciding import adecide as adecide
    from independence.api.deciding import decide as decide
    from independence.api.files import export as export
    from independence.api.importing import read_results as read_results
    from independence.api.profiling import ProfileResult as ProfileResult
    from independence.api.profiling import compare_profiles as compare_profiles
    from independence.api.profiling import read_profile as read_profile
    from independence.api.reading import Store as Store
    from independence.api.reading import load_suite as load_suite
    from independence.api.results import BoardResult as BoardResult
    from independence.api.running import RunResult as RunResult
    from independence.api.running import aestimate_cost as aestimate_cost
    from independence.api.running import agrade as agrade
    from independence.api.running import arerun as arerun
    from independence.api.running import arun as arun
    from independence.api.running import estimate_cost as estimate_cost
    from independence.api.running import grade as grade
    from independence.api.running import rerun as rerun
    from independence.api.running import run as run
    from independence.config.options import ConnectionOptions as ConnectionOptions
    from independence.config.options import DecisionOptions as DecisionOptions
    from independence.config.options import GateOptions as GateOptions
    from independence.config.options import GradeOptions as GradeOptions
    from independence.config.options import RerunOptions as RerunOptions
    from independence.config.options import RunOptions as RunOptions
    from independence.config.options import SuitePart as SuitePart
    from independence.engine.events import Event as Event
    from independence.engine.pipeline import RunPreview as RunPreview
    from independence.errors import IndependenceError as IndependenceError
    from independence.errors import StoreError as StoreError
    from independence.errors import UsageError as UsageError
    from independence.exchange.trajectory import Trajectory as Trajectory
    from independence.extensions.inspect.logs import export_logs as export_logs
    from independence.extensions.inspect.logs import import_logs as import_logs
    from independence.extensions.published.adopting import adopt_suite as adopt_suite
    from independence.extensions.published.adopting import verify_suite as verify_suite
    from independence.report.board.board import InferenceOptions as InferenceOptions
    from independence.suites.load import LoadedSuite as LoadedSuite
    from independence.types import Sampling as Sampling
    from independence.viewer.report_file import write_report_file as write_report_file
    from independence.viewer.site import export_site as export_site

__version__ = "0.1.0"

_OFFERED = {
    "independence.extensions.published.adopting": ("adopt_suite", "verify_suite"),
    "independence.api.checking": ("CheckResult", "acheck", "check"),
    "independence.api.comparing": (
        "ComparisonResult", "OtherSide", "StemComparisonResult", "SuiteComparisonResult", "compare", "compare_suites",
    ),
    "independence.api.deciding": ("DecisionResult", "adecide", "decide"),
    "independence.api.files": ("export",),
    "independence.api.importing": ("read_results",),
    "independence.api.profiling": ("ProfileResult", "compare_profiles", "read_profile"),
    "independence.api.reading": ("Store", "load_suite"),
    "independence.api.results": ("BoardResult",),
    "independence.api.running": (
        "RunResult", "aestimate_cost", "agrade", "arerun", "arun", "estimate_cost", "grade", "rerun", "run",
    ),
    "independence.config.options": (
        "ConnectionOptions", "DecisionOptions", "GateOptions", "GradeOptions", "SuitePart",
        "RerunOptions", "RunOptions",
    ),
    "independence.engine.events": ("Event",),
    "independence.engine.pipeline": ("RunPreview",),
    "independence.errors": ("IndependenceError", "StoreError", "UsageError"),
    "independence.exchange.trajectory": ("Trajectory",),
    "independence.extensions.inspect.logs": ("export_logs", "import_logs"),
    "independence.report.board.board": ("InferenceOptions",),
    "independence.suites.load": ("LoadedSuite",),
    "independence.types": ("Sampling",),
    "independence.viewer.report_file": ("write_report_file",),
    "independence.viewer.site": ("export_site",),
}  # fmt: skip
_HOME = {name: module for module, names in _OFFERED.items() for name in names}
__all__ = ["__version__", "testing", *_HOME]  # noqa: PLE0604 - a test pins what it holds


if not TYPE_CHECKING:  # a type checker that sees it takes every name for one that is offered

    def __getattr__(name: str) -> object:
        if name == "testing":  # a package of its own: `independence.testing.Endpoint`
            return _import_module("independence.testing")
        if name not in _HOME:
            raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
        return getattr(_import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
