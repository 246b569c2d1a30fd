"""Tasks: ids, keys, defaults, limits, sandboxes."""

from __future__ import annotations

import pytest

from runner.domain import GraderSpec, Isolation, Limits, OnOom, SandboxSpec
from runner.testing.suite_directory import SuiteDirectory


def test_task_with_only_what_it_needs_has_the_documented_defaults(suites: SuiteDirectory) -> None:
    suite = suites.suite("suite: s\ntasks: [{id: a, instruction: i, expect: x}]")
    task = suite.tasks[0]

    assert (suite.repeats, suite.max_in_flight, suite.infra_attempts) == (1, 4, 3)
    assert (suite.budget_nusd, suite.seed, suite.gates, suite.description) == (None, 0, (), "")
    assert task.limits == Limits(steps=50, output_tokens=64_000, agent_seconds=1800.0)
    assert task.sandbox == SandboxSpec()
    assert (task.pass_at, task.on_oom, task.tags) == (1.0, OnOom.INFRA_ERROR, ())


def test_expect_is_short_for_an_answer_grader(suites: SuiteDirectory) -> None:
    short = suites.task("expect: -3")
    long = suites.task('graders: [{kind: answer, expect: "-3"}]')

    assert short.graders == (
        GraderSpec(kind="answer", settings={"expect": "-3", "match": "exact"}),
    )
    assert (short, short.digest) == (long, long.digest)


def test_expect_fills_the_answer_graders_of_the_defaults(suites: SuiteDirectory) -> None:
    graders = "[{kind: answer, match: number}, {kind: script, run: [a]}, {kind: answer, expect: 9}]"

    task = suites.task("expect: 4", more=f"defaults: {{graders: {graders}}}")

    assert [grader.settings.get("expect") for grader in task.graders] == ["4", None, "9"]
    assert task.expect is None


def test_expect_that_no_grader_reads_is_refused(suites: SuiteDirectory) -> None:
    told = suites.task_mistakes("expect: 4, graders: [{kind: script, run: [a]}]")

    assert "the task 't' has no answer grader that takes it" in told


@pytest.mark.parametrize(
    "expect",
    ['expect: ""', 'expect: "."', "expect: ' ,;- '", "expect: null", "expect:", "expect: ~"],
)
def test_key_that_a_silent_agent_would_match_is_refused(
    suites: SuiteDirectory, expect: str
) -> None:
    text = f"suite: s\ntasks:\n  - id: a\n    instruction: i\n    {expect}\n"

    told = suites.mistakes(text)

    assert "suite.yaml:5: expect: " in told
    assert "the task 'a'" in told


@pytest.mark.parametrize("keys", ["", "expects: 4", "graders: []", "graders: [{kind: answer}]"])
def test_task_without_a_key_or_a_grader_is_refused(suites: SuiteDirectory, keys: str) -> None:
    told = suites.task_mistakes(keys or "tags: [a]")

    assert "suite.yaml:3: " in told
    assert "expect" in told or "graders" in told


@pytest.mark.parametrize("expect", ["'+'", "€", "ü", "'-1'", '"null"', "0"])
def test_key_of_one_sign_is_taken(suites: SuiteDirectory, expect: str) -> None:
    assert suites.task(f"expect: {expect}").expect == expect.strip("'\"")


def test_list_is_taken_as_a_key_where_the_grader_takes_one(suites: SuiteDirectory) -> None:
    task = suites.task("expect: [1.0, NO], graders: [{kind: answer, match: set}]")

    assert task.graders[0].settings["expect"] == ["1.0", "NO"]
    assert task.expect is None


@pytest.mark.parametrize(
    "task_id",
    [
        *["a/b", "a\\b", "../../x", "/abs", "-rf", ".", "a:b", "a b", "con", "x.", "x" * 300],
        *["🦀", "\u202eabc", "[red]", "e\u0301", "*", " padded ", "123"],
    ],
)
def test_any_text_is_taken_as_an_id_verbatim(suites: SuiteDirectory, task_id: str) -> None:
    quoted = '"' + task_id.replace("\\", "\\\\") + '"'

    assert suites.task(f"id: {quoted}, expect: x").id == task_id


@pytest.mark.parametrize("task_id", ['""', '" "', '"a\\nb"', '"a\\0b"', '"a\\Lb"', "~", "[a]"])
def test_id_that_is_empty_or_no_single_line_is_refused(
    suites: SuiteDirectory, task_id: str
) -> None:
    assert "suite.yaml:3: " in suites.task_mistakes(f"id: {task_id}, expect: x")


@pytest.mark.parametrize(
    ("one", "two"), [("dup", "dup"), ("123", '"123"'), ('"\\u00e9"', '"e\\u0301"')]
)
def test_two_tasks_with_one_id_are_refused_with_both_lines(
    suites: SuiteDirectory, one: str, two: str
) -> None:
    told = suites.mistakes(
        f"suite: s\ntasks:\n  - {{id: {one}, instruction: i, expect: x}}\n"
        f"  - {{id: {two}, instruction: i, expect: y}}\n"
    )

    assert "suite.yaml:4: the task id " in told
    assert "first at suite.yaml:3" in told


def test_case_twins_are_two_tasks(suites: SuiteDirectory) -> None:
    suite = suites.suite(
        "suite: s\ntasks: [{id: Foo, instruction: i, expect: x},"
        " {id: foo, instruction: i, expect: x}]"
    )

    assert [task.id for task in suite.tasks] == ["Foo", "foo"]


@pytest.mark.parametrize("tasks", ["tasks: []", "tasks:", "tasks: {}", "tasks: a", ""])
def test_suite_without_tasks_is_refused(suites: SuiteDirectory, tasks: str) -> None:
    assert "tasks" in suites.mistakes(f"suite: s\n{tasks}\n")


@pytest.mark.parametrize(
    "line",
    [
        *["repeats: 0", "repeats: -1", "repeats: 99999999999", "max_in_flight: 0"],
        *["infra_attempts: 0", "budget_usd: -1", "budget_usd: 0.0000000001", "budget_usd: 1e3"],
        *["budget_usd: '5'", "budget_usd: 99999999999", "seed: 99999999999999999999", "seed: a"],
        *["on_oom: ignore", "gates: {}", "gates: [a]", "gates: [{config: zz}]", "description: []"],
        *["configs: []", "configs: {a: 1}", "defaults: []", "defaults: {id: a}"],
    ],
)
def test_value_out_of_range_is_refused_at_its_line(suites: SuiteDirectory, line: str) -> None:
    told = suites.mistakes(f"suite: s\ntasks: [{{id: a, instruction: i, expect: x}}]\n{line}\n")

    assert told.startswith("suite.yaml:3: ")


@pytest.mark.parametrize(
    "keys",
    [
        *["limits: {steps: 0}", "limits: {steps: 1.5}", "limits: {agent_seconds: 0}"],
        *["limits: {agent_seconds: .inf}", "limits: {agent_seconds: null}", "limits: []"],
        *["limits: {cost_usd: 0}", "limits: {cost_usd: -0.01}", "limits: {output_tokens: '5'}"],
        *["sandbox: {memory: 1}", "sandbox: {memory: 1G}", "sandbox: {memory: 0GiB}"],
        *["sandbox: {memory: 3GiB, memory_ceiling: 2GiB}", "sandbox: {cpus: 0}"],
        *["sandbox: {isolation: maybe}", "sandbox: {processes: 0}", "sandbox: {backend: ''}"],
        *["sandbox: {network: all}", "pass_at: 0", "pass_at: 1.1", "tags: a", "tags: [[a]]"],
        *["on_oom: pass", "graders: answer", "graders: [answer]", "graders: [{kind: answr}]"],
        *["instruction: ''", "instruction: '  '", "instruction: [a]", "files: ''", "files: no/"],
    ],
)
def test_task_value_that_cannot_be_is_refused_at_its_line(
    suites: SuiteDirectory, keys: str
) -> None:
    assert suites.task_mistakes(f"{keys}, expect: x").startswith("suite.yaml:3: ")


def test_amounts_are_read_exactly(suites: SuiteDirectory) -> None:
    task = suites.task(
        "expect: x, limits: {cost_usd: 0.1, steps: null, output_tokens: null},"
        " sandbox: {memory: 1.5GiB, memory_ceiling: 2 GB, file_size: 512KiB, cpus: 0.5}"
    )
    suite = suites.suite(
        "suite: s\ntasks: [{id: a, instruction: i, expect: x}]\nbudget_usd: 12345.678901234"
    )

    assert (task.limits.cost_nusd, task.limits.steps) == (100_000_000, None)
    assert task.limits.output_tokens is None
    assert task.sandbox.memory_bytes == 3 << 29
    assert task.sandbox.memory_ceiling_bytes == 2 * 10**9
    assert task.sandbox.file_bytes == 512 << 10
    assert suite.budget_nusd == 12_345_678_901_234


def test_memory_above_the_usual_ceiling_raises_the_ceiling(suites: SuiteDirectory) -> None:
    sandbox = suites.task("expect: x, sandbox: {memory: 4GiB}").sandbox

    assert sandbox.memory_ceiling_bytes == 8 << 30


def test_defaults_merge_maps_by_key_and_replace_lists(suites: SuiteDirectory) -> None:
    suite = suites.suite(
        "suite: s\non_oom: fail\n"
        "defaults:\n  tags: [d, e]\n  pass_at: 0.5\n"
        "  limits: {steps: 30, cost_usd: 0.05}\n  sandbox: {isolation: preferred, cpus: 2}\n"
        "tasks:\n  - {id: a, instruction: i, expect: x}\n"
        "  - {id: b, instruction: i, expect: x, tags: [f], limits: {steps: 3},"
        " sandbox: {cpus: 4}, pass_at: 1, on_oom: infra_error}\n"
    )
    plain, own = suite.tasks

    assert (plain.limits.steps, plain.limits.cost_nusd, plain.tags) == (30, 50_000_000, ("d", "e"))
    assert (own.limits.steps, own.limits.cost_nusd, own.tags) == (3, 50_000_000, ("f",))
    assert own.sandbox == SandboxSpec(isolation=Isolation.PREFERRED, cpus=4.0)
    assert (plain.pass_at, own.pass_at) == (0.5, 1.0)
    assert (plain.on_oom, own.on_oom) == (OnOom.FAIL, OnOom.INFRA_ERROR)


def test_grader_that_runs_commands_needs_a_sandbox(suites: SuiteDirectory) -> None:
    graders = "graders: [{kind: script, run: [a]}]"

    told = suites.task_mistakes(f"{graders}, sandbox: {{isolation: none}}")

    assert "the task 't' has isolation: none, but the grader 'script' runs commands" in told
    assert suites.task("expect: x, sandbox: {isolation: none}").sandbox.isolation == "none"


def test_mistakes_of_a_grader_name_the_line_of_the_very_key(suites: SuiteDirectory) -> None:
    told = suites.mistakes(
        "suite: s\ntasks:\n  - id: a\n    instruction: i\n    graders:\n"
        "      - kind: script\n        run: []\n        seconds: soon\n        secs: 5\n"
    )

    assert "suite.yaml:7: run: " in told
    assert "suite.yaml:8: seconds: " in told
    assert "suite.yaml:9: unknown key 'secs' in the grader 'script'" in told


def test_all_mistakes_come_at_once_and_in_the_order_of_lines(suites: SuiteDirectory) -> None:
    told = suites.mistakes(
        "repeats: 0\ntasks:\n  - {id: a, expect: x}\n  - {id: a, instruction: i, expect: .}\n"
        "configs:\n  c: {agent: talkr}\nseed: x\n"
    )
    lines = [line.split(":")[1] for line in told.splitlines() if line.startswith("suite.yaml")]

    assert lines == ["1", "1", "3", "4", "4", "6", "7"]
    assert "Correct these 7 mistakes." in told


def test_one_mistake_in_the_defaults_is_told_once(suites: SuiteDirectory) -> None:
    rows = "".join(f"  - {{id: t{n}, instruction: i, expect: x}}\n" for n in range(20))

    told = suites.mistakes(f"suite: s\ndefaults: {{limits: {{steps: 0}}}}\ntasks:\n{rows}")

    assert told.startswith("suite.yaml:2: steps: 0 is below 1\n")
    assert len(told.splitlines()) == 2
