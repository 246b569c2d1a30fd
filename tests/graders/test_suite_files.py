"""Graders as they are written in suite files: short forms, keys, mistakes and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from graders import GRADERS, make_graders
from graders.answer.grader import AnswerGrader
from graders.answer.settings import Match
from graders.script.grader import ScriptGrader
from runner.domain import Suite, Vocabulary
from runner.errors import SuiteFileError
from runner.suites import load_suite

HEAD = "suite: s\nconfigs: {}\n"


def load(directory: Path, text: str) -> Suite:
    path = directory / "suite.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    return load_suite(path, Vocabulary(agents={}, graders=GRADERS)).suite


@pytest.mark.parametrize(
    ("written", "key", "match"),
    [
        ("-3", "-3", Match.NUMBER),
        ("1.10", "1.10", Match.EXACT),
        ("007", "007", Match.EXACT),
        ("NO", "NO", Match.EXACT),
        ("true", "true", Match.EXACT),
        ("'5 km'", "5 km", Match.EXACT),
    ],
)
def test_expect_alone_makes_an_answer_grader_with_the_key_as_it_is_written(
    tmp_path: Path, written: str, key: str, match: Match
) -> None:
    suite = load(tmp_path, f"tasks: [{{id: t, instruction: i, expect: {written}}}]")

    (grader,) = make_graders(suite.tasks[0])

    assert isinstance(grader, AnswerGrader)
    assert (grader.settings.expect, grader.settings.match) == (key, match)


def test_settings_in_the_defaults_meet_each_tasks_own_key(tmp_path: Path) -> None:
    suite = load(
        tmp_path,
        """
defaults:
  graders: [{kind: answer, match: number, units: [km], tolerance: 0.10}]
tasks:
  - {id: a, instruction: i, expect: 5 km}
  - {id: b, instruction: i, expect: 1.10}
""",
    )

    made = [make_graders(task)[0] for task in suite.tasks]

    assert [g.settings.expect for g in made if isinstance(g, AnswerGrader)] == ["5 km", "1.10"]
    assert isinstance(made[0], AnswerGrader)
    assert made[0].settings.tolerance == "0.10"


@pytest.mark.parametrize(
    "task",
    [
        "expect: ''",
        "expect: '.'",
        "expect: null",
        "expect:",
        "expects: 4",
        "graders: [{kind: answer, expect: five, match: number}]",
        "graders: [{kind: answer, expect: '1,00', match: number}]",
        "graders: [{kind: answer, expect: B, match: choice, choices: [A, C]}]",
        "graders: [{kind: answer, expect: a, tolerence: 1}]",
        "graders: [{kind: answer, expect: a, match: contains}]",
        "graders: [{kind: script, run: []}]",
        "graders: [{kind: script}]",
        "graders: [{kind: script, run: [sh], seconds: -1}]",
        "graders: [{kind: script, run: [sh], files: [nowhere.py]}]",
        "graders: [{kind: scripts, run: [sh]}]",
    ],
)
def test_key_or_setting_that_cannot_be_is_an_error_with_its_line(tmp_path: Path, task: str) -> None:
    with pytest.raises(SuiteFileError) as caught:
        load(tmp_path, f"tasks:\n- id: t\n  {task}\n  instruction: i\n")

    assert "suite.yaml:5: " in caught.value.message


def test_script_with_its_files_becomes_a_part_of_the_tasks_hidden_tests(tmp_path: Path) -> None:
    (tmp_path / "grade.py").write_text("raise SystemExit(1)")
    text = """
tasks:
  - id: t
    instruction: i
    graders: [{kind: script, run: [python, grade.py], files: [grade.py], seconds: 5}]
"""

    suite = load(tmp_path, text)
    (grader,) = make_graders(suite.tasks[0])
    (tmp_path / "grade.py").write_text("raise SystemExit(0)")

    assert isinstance(grader, ScriptGrader)
    assert grader.settings.seconds == 5.0
    assert [entry.path for entry in suite.tasks[0].tests.entries] == ["grade.py"]
    assert load(tmp_path, text).tasks[0].digest != suite.tasks[0].digest


@pytest.mark.parametrize("written", ["expect: 5", "graders: [{kind: answer, expect: 5}]"])
def test_written_out_defaults_give_the_same_digest(tmp_path: Path, written: str) -> None:
    short = load(tmp_path, f"tasks: [{{id: t, instruction: i, {written}}}]")
    long = load(
        tmp_path,
        "tasks: [{id: t, instruction: i, graders: [{kind: answer, expect: '5', match: number,"
        " tolerance: null, units: [], ignore_case: true, choices: null, items: text}]}]",
    )

    assert short.tasks[0].digest == long.tasks[0].digest
