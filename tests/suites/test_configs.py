"""Configurations: kinds, settings, names, and what every suite has besides."""

from __future__ import annotations

import pytest

from runner.domain import Config
from runner.testing.suite_directory import SuiteDirectory


def test_configuration_has_its_kind_s_settings_with_defaults_written_out(
    suites: SuiteDirectory,
) -> None:
    config = suites.config(
        "agent: talker, model: m-1, effort: low, tools: [], named_only: true,"
        " limits: {steps: 3, cost_usd: 0.5, output_tokens: null}"
    )

    assert config == Config(
        name="c",
        agent="talker",
        model="m-1",
        settings={
            "effort": "low",
            "max_tokens": 8000,
            "system": "",
            "thinking": {"kind": "off", "budget": None},
            "tools": [],
            "environment": {},
            "eager": False,
            "temperature": None,
        },
        limits={"steps": 3, "cost_nusd": 500_000_000, "output_tokens": None},
        named_only=True,
    )


def test_oracle_and_nop_are_in_every_suite_and_run_only_when_named(suites: SuiteDirectory) -> None:
    suite = suites.suite("suite: s\ntasks: [{id: a, instruction: i, expect: x}]")

    assert [(c.name, c.agent, c.named_only) for c in suite.configs] == [
        ("oracle", "oracle", True),
        ("nop", "nop", True),
    ]


def test_what_follows_the_kind_is_its_target(suites: SuiteDirectory) -> None:
    config = suites.config('agent: "python:mine.py:Agent"')

    assert config.agent == "python:mine.py:Agent"
    assert config.settings == {"target": "mine.py:Agent"}


def test_file_that_a_setting_names_is_part_of_the_configuration(suites: SuiteDirectory) -> None:
    suites.write("steps/a.yaml", "one")
    before = suites.config("agent: scripted, script: steps/a.yaml, others: [steps/a.yaml]")

    suites.write("steps/a.yaml", "two")
    after = suites.config("agent: scripted, script: steps/a.yaml, others: [steps/a.yaml]")

    assert [entry.path for entry in before.files.entries] == ["steps/a.yaml"]
    assert before.settings == after.settings
    assert before.digest != after.digest


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("agent: talkr, model: m", "Did you mean 'talker'?"),
        ("agent: talker", "the configuration 'c' names no model"),
        ("agent: talker, model: null", "model: has no value"),
        ("model: m", "the configuration 'c' names no agent"),
        ("agent: talker, model: m, effort: lo", "Did you mean 'low'?"),
        ("agent: talker, model: m, tools: bash", "tools: should be a list, not 'bash'"),
        ("agent: talker, model: m, max_tokens: 0", "max_tokens: "),
        ("agent: talker, model: m, thinking: {kind: on}", "thinking.kind: "),
        ("agent: talker, model: m, limits: {steps: 0}", "steps: 0 is below 1"),
        ("agent: talker, model: m, named_only: 'true'", "Remove the quotes."),
        ("agent: 'talker:x', model: m", "takes nothing after a colon"),
        ("agent: python", "does not say what to run"),
        ("agent: 'python:'", "does not say what to run"),
        ("agent: 'python:a', target: b", "target: is written after the agent's kind"),
        ("agent: scripted", "the agent 'scripted' needs the key 'script'"),
        ("agent: scripted, script: no.yaml", "no.yaml does not exist"),
        ('agent: scripted, script: "a\\0b"', "cannot be read: embedded null byte"),
        ("agent: scripted, script: deep", "deep is not a regular file"),
        ("agent: scripted, script: ../a.yaml", "is not below the directory of"),
        ("agent: scripted, script: /a.yaml", "is not below the directory of"),
        ("agent: scripted, script: ./deep/a.yaml", "Write 'deep/a.yaml'."),
    ],
)
def test_configuration_that_cannot_be_is_refused_at_its_line(
    suites: SuiteDirectory, keys: str, told: str
) -> None:
    suites.write("deep/a.yaml", "a")

    said = suites.config_mistakes(keys)

    assert said.startswith("suite.yaml:5: ")
    assert told in said


@pytest.mark.parametrize("name", ["oracle", "nop", '""', "a/b", "a=b", '"a\\nb"'])
def test_name_that_a_command_line_could_not_say_is_refused(
    suites: SuiteDirectory, name: str
) -> None:
    told = suites.mistakes(
        "suite: s\ntasks: [{id: a, instruction: i, expect: x}]\n"
        f"configs:\n  {name}: {{agent: nop}}\n"
    )

    assert told.startswith("suite.yaml:4: ")


def test_name_is_read_as_it_is_written_and_gates_may_name_it(suites: SuiteDirectory) -> None:
    suite = suites.suite(
        "suite: s\ntasks: [{id: a, instruction: i, expect: x}]\n"
        "configs: {1.10: {agent: nop}, no: {agent: nop}}\n"
        "gates:\n  - {config: 1.10, metric: pass^5, at_least: 0.95}\n  - {config: oracle}\n"
    )

    assert [config.name for config in suite.configs][:2] == ["1.10", "no"]
    assert suite.gates == (
        {"config": "1.10", "metric": "pass^5", "at_least": 0.95},
        {"config": "oracle"},
    )


def test_agent_that_runs_commands_needs_a_sandbox_for_every_task(suites: SuiteDirectory) -> None:
    text = (
        "suite: s\ntasks:\n  - {id: a, instruction: i, expect: x}\n"
        "  - {id: b, instruction: i, expect: x, sandbox: {isolation: none}}\nconfigs:\n"
    )

    told = suites.mistakes(text + "  c: {agent: talker, model: m}")

    assert told.startswith("suite.yaml:6: the configuration 'c' runs commands, but the task 'b'")
    assert suites.suite(text + "  c: {agent: talker, model: m, tools: []}").configs[0].name == "c"
