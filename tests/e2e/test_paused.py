"""A process that stands still for longer than its limits of time, as after Ctrl-Z or in a paused container."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from tests.e2e import command, endpoint, suites

LATENCY_S, TIMEOUT_S = 2.0, 4


def test_what_was_answered_while_it_stood_still_is_read_and_not_bought_again(tmp_path: Path) -> None:
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path, "--latency", str(LATENCY_S)) as served:
        models = endpoint.models_file(tmp_path, served.base_url)
        models.write_text(models.read_text().replace("backoff_s", f"timeout_s: {TIMEOUT_S}, backoff_s"))
        line = "run --models-file models.yaml --suite harbour -m loop/half -j cues --runs 4 --quiet --db here.db"
        process = command.start(*line.split(), cwd=tmp_path, env={"LOOP_KEY": endpoint.KEY})
        endpoint.until(lambda: len(served.requests()) >= 12, "requests came")
        process.send_signal(signal.SIGSTOP)
        time.sleep(LATENCY_S + 2 * TIMEOUT_S)
        process.send_signal(signal.SIGCONT)
        ended = command.finish(process)
        asked = served.asked()
    assert ended.code == 0, ended.err
    attempts = "SELECT max(json_array_length(attempts)), count(*) FROM calls"
    assert command.ask(tmp_path / "here.db", attempts) == [(1, 20)]
    assert max(asked.values()) == 1
