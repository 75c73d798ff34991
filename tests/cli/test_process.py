from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from independence.cli import process

LEADERBOARD = (
    "import sys; sys.modules['independence.report.board'] = None\nfrom independence.__main__ import main; main()"
)
DAMAGED = "Error: the installation is damaged ({}); install ai-independence-bench again\n"


def raised(error: ImportError) -> None:
    raise error


def test_a_module_of_ours_that_is_missing_is_a_damaged_installation() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEADERBOARD, "leaderboard"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == DAMAGED.format("import of independence.report.board halted; None in sys.modules")


@pytest.mark.parametrize(
    ("limit", "code", "said"),
    [
        (resource.RLIM_INFINITY, 2, DAMAGED.format("cannot import name 'x' from 'independence.y'")),
        (2**40, 1, "Error: not enough memory; what was stored is kept\n"),
    ],
)
def test_a_name_of_ours_that_is_missing_is_lack_of_memory_only_where_memory_is_limited(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], limit: int, code: int, said: str
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (limit, limit))
    error = ImportError("cannot import name 'x' from 'independence.y'", name="independence.y")
    with pytest.raises(SystemExit) as ended:
        process.run(lambda: raised(error))
    assert (ended.value.code, capsys.readouterr().err) == (code, said)


def test_a_library_that_does_not_fit_is_lack_of_memory(capsys: pytest.CaptureFixture[str]) -> None:
    error = ImportError("libblas.so: failed to map segment from shared object", name="numpy")
    with pytest.raises(SystemExit) as ended:
        process.run(lambda: raised(error))
    assert (ended.value.code, capsys.readouterr().err) == (1, "Error: not enough memory; what was stored is kept\n")


def test_a_module_of_somebody_else_that_is_missing_is_shown_as_it_is() -> None:
    error = ModuleNotFoundError("No module named 'elsewhere'", name="elsewhere")
    with pytest.raises(ModuleNotFoundError):
        process.run(lambda: raised(error))
