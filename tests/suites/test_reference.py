"""The user's reference names every key, and its example is a suite."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runner.domain import Vocabulary
from runner.suites import load_suite
from runner.suites.parts.config_keys import COMMON_KEYS
from runner.suites.parts.suite_keys import SUITE_KEYS
from runner.suites.parts.task_keys import DEFAULT_KEYS, TASK_KEYS
from runner.suites.parts.task_sources import FROM_KEYS
from runner.suites.values.resources import LIMIT_KEYS, SANDBOX_KEYS
from runner.testing.suite_directory import VOCABULARY, SuiteDirectory

REFERENCE = (Path(__file__).parents[2] / "docs" / "suite-file.md").read_text()


@pytest.mark.parametrize(
    "keys",
    [SUITE_KEYS, TASK_KEYS, DEFAULT_KEYS, LIMIT_KEYS, SANDBOX_KEYS, COMMON_KEYS, FROM_KEYS],
)
def test_every_key_is_in_the_reference(keys: tuple[str, ...]) -> None:
    assert [key for key in keys if not re.search(rf"`{key}[`:]", REFERENCE)] == []


def test_example_of_the_reference_is_a_suite(suites: SuiteDirectory) -> None:
    suites.write("data/timetable.csv", "06:40")
    suites.write("questions.jsonl", '{"id": 7, "instruction": "i", "expect": 8}')
    suites.write("survey.csv", "id,question,target,author,note 1\n9,q,a,me,n\n")
    suites.write("bugs/one/task.yaml", "{instruction: i, graders: [{kind: script, run: [a]}]}")
    example = REFERENCE.split("```yaml\n")[1].split("```")[0]
    path = suites.write("suite.yaml", example)
    talker = VOCABULARY.agents["talker"]
    vocabulary = Vocabulary(
        agents={**VOCABULARY.agents, "claude": talker}, graders=VOCABULARY.graders
    )

    suite = load_suite(path, vocabulary).suite

    ids = ["ferries/first", "ferries/count", "7", "9", "one"]
    assert [task.id for task in suite.tasks] == ids
    assert suite.tasks[0].expect == "06:40"
    assert [config.name for config in suite.configs] == ["low", "high", "mute", "oracle", "nop"]
    assert suite.budget_nusd == 2_500_000_000
