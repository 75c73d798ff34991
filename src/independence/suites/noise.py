"""What a suite's folder says about its noise: `noise.yaml`, beside the suite and no part of its edition."""

from __future__ import annotations

from pathlib import Path

from independence.config import documents
from independence.suites.schema import Suite


def shipped(folder: Path, suite: Suite) -> dict[str, float] | None:
    """Scenario -> variance of one run in squared index points; None without the file.

    Raises DocumentError for a scenario that is missing, unknown, or has no positive variance.
    """
    path = folder / "noise.yaml"
    if not path.is_file():
        return None
    document = documents.read(path)
    variances = documents.convert(document, dict[str, float])
    known = {scenario.id for scenario in suite.scenarios}
    for name, variance in variances.items():
        if name not in known:
            raise document.error(f"$.{name}", f"suite {suite.suite} has no scenario `{name}`")
        if not variance > 0:
            raise document.error(f"$.{name}", f"a variance is above 0, not {variance:g}")
    if missing := sorted(known - variances.keys()):
        raise document.error("$", f"no variance for {', '.join(missing)}")
    return variances
