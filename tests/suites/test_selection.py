"""What a launch runs of a suite, and what its flags change."""

from __future__ import annotations

from typing import Any

import pytest

from runner.domain import Suite
from runner.errors import NotFoundError, UsageError
from runner.suites import select
from runner.testing.suite_directory import VOCABULARY, SuiteDirectory


@pytest.fixture
def suite(suites: SuiteDirectory) -> Suite:
    suites.write("steps.yaml", "steps")
    return suites.suite(
        "suite: s\ntasks:\n"
        "  - {id: a/one, instruction: i, expect: x, tags: [easy]}\n"
        "  - {id: a/two, instruction: i, expect: x, tags: [hard, maths]}\n"
        "  - {id: 'b[1]', instruction: i, expect: x, tags: [hard]}\n"
        "configs:\n"
        "  v1.5: {agent: talker, model: m, effort: low, limits: {cost_usd: 0.25}}\n"
        "  plain: {agent: talker, model: m, tools: []}\n"
        "  replay: {agent: scripted, script: steps.yaml, named_only: true}\n"
    )


def pick(suite: Suite, **flags: Any) -> Suite:
    return select(suite, vocabulary=VOCABULARY, **flags)


def test_without_flags_all_tasks_and_all_unnamed_configurations_run(suite: Suite) -> None:
    picked = pick(suite)

    assert [config.name for config in picked.configs] == ["v1.5", "plain"]
    assert picked.tasks == suite.tasks


@pytest.mark.parametrize(
    ("flags", "configs", "tasks"),
    [
        ({"configs": ["oracle"]}, ["oracle"], ["a/one", "a/two", "b[1]"]),
        ({"configs": ["replay", "v1.5"]}, ["v1.5", "replay"], ["a/one", "a/two", "b[1]"]),
        ({"tasks": ["a/*"]}, ["v1.5", "plain"], ["a/one", "a/two"]),
        ({"tasks": ["b[1]", "*one"]}, ["v1.5", "plain"], ["a/one", "b[1]"]),
        ({"tags": ["maths", "easy"]}, ["v1.5", "plain"], ["a/one", "a/two"]),
        ({"tags": ["hard"], "tasks": ["a/*"]}, ["v1.5", "plain"], ["a/two"]),
        ({"tags": ["hard"], "limit": 1}, ["v1.5", "plain"], ["a/two"]),
        ({"limit": 99}, ["v1.5", "plain"], ["a/one", "a/two", "b[1]"]),
    ],
)
def test_flags_keep_what_they_name_in_the_order_of_the_file(
    suite: Suite, flags: dict[str, Any], configs: list[str], tasks: list[str]
) -> None:
    picked = pick(suite, **flags)

    assert [config.name for config in picked.configs] == configs
    assert [task.id for task in picked.tasks] == tasks


@pytest.mark.parametrize(
    ("flags", "near"),
    [
        ({"configs": ["plane"]}, "plain"),
        ({"tasks": ["a/tow"]}, "a/two"),
        ({"tags": ["herd"]}, "hard"),
        ({"tags": ["maths"], "tasks": ["a/one"]}, "easy"),
        ({"settings": {"plian.effort": "low"}}, "plain"),
        ({"settings": {"replay.script": "steps.yaml"}}, "plain"),
    ],
)
def test_name_that_selects_nothing_is_refused_with_the_nearest(
    suite: Suite, flags: dict[str, Any], near: str
) -> None:
    with pytest.raises(NotFoundError) as refused:
        pick(suite, **flags)

    assert near in (refused.value.hint or "")


def test_suite_whose_configurations_all_wait_to_be_named_asks_for_a_name(
    suites: SuiteDirectory,
) -> None:
    suite = suites.suite("suite: s\ntasks: [{id: a, instruction: i, expect: x}]")

    with pytest.raises(NotFoundError, match="no configuration runs without being named"):
        pick(suite)


def test_model_replaces_that_of_every_selected_configuration_that_has_one(suite: Suite) -> None:
    picked = pick(suite, configs=["v1.5", "plain", "replay"], model="other")

    assert [config.model for config in picked.configs] == ["other", "other", None]


def test_setting_changes_one_configuration_and_leaves_the_rest_of_it(suite: Suite) -> None:
    settings = {"v1.5.effort": "high", "v1.5.thinking.budget": "5", "v1.5.limits.steps": "7"}

    changed, other = pick(suite, settings=settings).configs

    assert changed.settings == {
        **suite.configs[0].settings,
        "effort": "high",
        "thinking": {"kind": "off", "budget": 5},
    }
    assert changed.limits == {"steps": 7, "cost_nusd": 250_000_000}
    assert other == suite.configs[1]


def test_setting_is_read_as_the_suite_file_would(suite: Suite) -> None:
    settings = {"plain.system": "1.10", "plain.tools": "[]", "plain.effort": "null"}

    changed = pick(suite, settings=settings).configs[1]

    assert (changed.settings["system"], changed.settings["tools"]) == ("1.10", [])
    assert changed.settings["effort"] is None
    assert pick(suite, settings={"plain.system": ""}).configs[1].settings["system"] == ""


def test_setting_to_what_is_there_already_changes_nothing(suite: Suite) -> None:
    picked = pick(suite, configs=["replay", "v1.5"], settings={"replay.script": "steps.yaml"})

    assert picked.configs == (suite.configs[0], suite.configs[2])


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ({"limit": 0}, "leaves no task"),
        ({"configs": ["nop"], "model": "m"}, "no selected configuration has a model"),
        ({"model": " "}, "empty"),
        ({"settings": {"effort": "low"}}, "names no setting"),
        ({"settings": {"plain.effort": "lo"}}, "--set plain.effort: effort: should be"),
        ({"settings": {"plain.efort": "low"}}, "--set plain.efort: unknown key 'efort'"),
        ({"settings": {"plain.max_tokens": "'3'"}}, "is not a number"),
        ({"settings": {"plain.max_tokens": "["}}, "--set plain.max_tokens:1: "),
        ({"settings": {"plain.limits.steps": "0"}}, "steps: 0 is below 1"),
        ({"settings": {"plain.agent": "nobody"}}, "unknown agent 'nobody'"),
    ],
)
def test_flag_that_does_not_fit_is_refused(suite: Suite, flags: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as refused:
        pick(suite, **flags)

    assert told in refused.value.message


def test_setting_cannot_bring_in_a_file_that_was_not_loaded(suite: Suite) -> None:
    with pytest.raises(UsageError, match=r"other\.yaml is not a file of the suite"):
        pick(suite, configs=["replay"], settings={"replay.script": "other.yaml"})


def test_setting_cannot_give_tools_to_an_agent_without_a_sandbox(suites: SuiteDirectory) -> None:
    suite = suites.suite(
        "suite: s\ntasks: [{id: a, instruction: i, expect: x, sandbox: {isolation: none}}]\n"
        "configs: {c: {agent: talker, model: m, tools: []}}"
    )

    with pytest.raises(UsageError, match="runs commands"):
        pick(suite, settings={"c.tools": "[bash]"})
