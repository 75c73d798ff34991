"""A model whose entry says that it takes no temperature is sent none, and everything that shows it says so."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.e2e import command, endpoint, suites

ENV = {"LOOP_KEY": endpoint.KEY}
LABEL = "loop/half@low-t1.0"


def test_no_temperature_is_sent_and_board_export_and_doctor_say_so(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path) as served:
        file = endpoint.models_file(tmp_path, served.base_url)
        entry = "{model_id: loop/half, temperature: 1.0, reasoning_effort: low, temperature_supported: false}"
        file.write_text(file.read_text() + f"models:\n  - {entry}\n")
        run = ("run", "--suite", "harbour", "-j", "cues", "--runs", "1", "--db", "here.db")
        ended = command.run(*run, "--format", "json", cwd=tmp_path, env=ENV)
        again = command.run(*run, "-t", "0.3", cwd=tmp_path, env=ENV)
        doctor = command.run("doctor", "-m", LABEL, cwd=tmp_path, env=ENV)
    (row,) = ended.board["rows"]
    assert (row["label"], row["flags"]["temperature_unsent"]) == (LABEL, 5)
    (shape,) = {shape for (shape,) in command.ask(tmp_path / "here.db", "SELECT DISTINCT shape FROM trials LIMIT 1")}
    assert '"temperature":null' in shape
    assert again.code == 0, again.err
    assert f"No temperature is sent to {LABEL}" in again.out
    assert command.ask(tmp_path / "here.db", "SELECT count(DISTINCT config_dir) FROM planned") == [(1,)]
    assert "temperature_supported: false" in " ".join(doctor.out.split())
    assert command.run("export", "out", "--format", "csv", "--db", "here.db", cwd=tmp_path).code == 0
    (subject,) = csv.DictReader((tmp_path / "out" / "subjects.csv").open())
    assert subject["temperature_supported"].lower() == "false"
