"""What changes a digest and what does not; differences; the stored form."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import (
    Config,
    FileEntry,
    FileTree,
    GraderSpec,
    Isolation,
    Limits,
    OnOom,
    SandboxSpec,
    Suite,
    Task,
    canonical_json,
)
from runner.errors import LedgerError, SchemaVersionError
from runner.suites import compare_suites, suite_document, suite_from_document
from runner.testing.suite_directory import SuiteDirectory

SUITE = """\
suite: s
description: Words.
tasks:
  - id: a
    instruction: One.
    expect: x
    tests: tests
    tags: [t]
  - {id: b, instruction: Two., expect: y}
defaults: {limits: {steps: 30}}
configs:
  c: {agent: talker, model: m, effort: low}
repeats: 3
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("suite: s", "# a comment\nsuite: s"),
        ("    instruction: One.\n    expect: x\n", "    expect: x\n    instruction: One.\n"),
        ("expect: x", "graders: [{kind: answer, expect: x}]"),
        ("expect: x", 'expect: "x"'),
        ("expect: y", "expect: y, limits: {agent_seconds: 1800, output_tokens: 64000}"),
        ("expect: y", "expect: y, sandbox: {memory: 1024MiB, network: none, cpus: 1.0}"),
        ("expect: y", "expect: y, pass_at: 1.0, on_oom: infra_error, x-note: z"),
        ("tags: [t]", "tags: [u, v]"),
        ("description: Words.", "description: Others."),
        ("repeats: 3", "repeats: 5\nmax_in_flight: 9\nbudget_usd: 1\nseed: 4\ninfra_attempts: 2"),
        ("effort: low", "max_tokens: 8000, effort: low, named_only: true"),
        ("limits: {steps: 30}", "limits: {steps: 30, cost_usd: null}"),
    ],
)
def test_what_does_not_bear_on_a_trial_changes_neither_digest_nor_comparison(
    suites: SuiteDirectory, old: str, new: str
) -> None:
    suites.write("tests/t.py", "a")
    before = suites.suite(SUITE)

    after = suites.suite(SUITE.replace(old, new))

    assert old in SUITE
    assert not compare_suites(before, after)
    assert before.digest == after.digest
    assert before.configs[0].digest == after.configs[0].digest


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("One.", "One!", 'a instruction: "One." → "One!"'),
        ("expect: x", "expect: z", 'a expect: "x" → "z"'),
        ("steps: 30", "steps: 31", "b limits.steps: 30 → 31"),
        ("expect: y", "expect: y, sandbox: {cpus: 2}", "b sandbox.cpus: 1.0 → 2.0"),
        ("expect: y", "expect: y, on_oom: fail", 'b on_oom: "infra_error" → "fail"'),
        ("effort: low", "effort: high", 'c settings.effort: "low" → "high"'),
        ("model: m", "model: n", 'c model: "m" → "n"'),
        ("expect: y", "expect: y, files: tests", "b files/t.py: absent → 1 bytes ca978112ca1b"),
    ],
)
def test_what_bears_on_a_trial_is_a_difference_with_old_and_new_value(
    suites: SuiteDirectory, old: str, new: str, change: str
) -> None:
    suites.write("tests/t.py", "a")
    before = suites.suite(SUITE)

    changes = compare_suites(before, suites.suite(SUITE.replace(old, new)))

    told = [
        f"{name} {field}"
        for named in (changes.tasks, changes.configs)
        for name, fields in named.changed.items()
        for field in fields
    ]
    assert change in told


def test_byte_of_a_hidden_test_and_its_execute_bit_are_differences(suites: SuiteDirectory) -> None:
    path = suites.write("tests/t.py", "a")
    before = suites.suite(SUITE)
    suites.write("tests/t.py", "b")
    after = suites.suite(SUITE)
    path.chmod(0o755)
    executable = suites.suite(SUITE)

    assert [str(c) for c in compare_suites(before, after).tasks.changed["a"]] == [
        "tests/t.py: 1 bytes ca978112ca1b → 1 bytes 3e23e8160039"
    ]
    assert compare_suites(after, executable)
    assert len({s.digest for s in (before, after, executable)}) == 3


def test_added_removed_and_renamed_are_told(suites: SuiteDirectory) -> None:
    suites.write("tests/t.py", "a")
    before = suites.suite(SUITE)
    after = suites.suite(
        SUITE.replace("suite: s", "suite: r").replace("id: b", "id: d").replace("  c:", "  e:")
    )

    changes = compare_suites(before, after)

    assert (changes.tasks.added, changes.tasks.removed) == (("d",), ("b",))
    assert (changes.configs.added, changes.configs.removed) == (("e",), ("c",))
    assert str(changes.name) == "suite: s → r"


def test_difference_deep_in_a_long_text_is_shown(suites: SuiteDirectory) -> None:
    suites.write("tests/t.py", "a")
    long = "word " * 100
    before = suites.suite(SUITE.replace("One.", f"{long}here {long}"))
    after = suites.suite(SUITE.replace("One.", f"{long}there {long}"))

    (change,) = compare_suites(before, after).tasks.changed["a"]

    assert "here" in change.old
    assert "there" in change.new
    assert len(str(change)) < 160


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
counts = st.none() | st.integers(1, 10**9)
floats = st.floats(0.001, 1e6)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | text
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3)
)
settings = st.dictionaries(text, json_values, max_size=3)
trees = st.builds(
    FileTree,
    st.lists(
        st.builds(
            FileEntry,
            path=text,
            digest=st.sampled_from(["a" * 64, "b" * 64]),
            size=st.integers(0, 2**40),
            executable=st.booleans(),
        ),
        max_size=3,
        unique_by=lambda entry: entry.path,
    ).map(tuple),
)
limits = st.builds(
    Limits, steps=counts, output_tokens=counts, agent_seconds=floats, cost_nusd=counts
)
sandboxes = st.builds(
    SandboxSpec,
    isolation=st.sampled_from(Isolation),
    backend=st.none() | text,
    network=st.booleans(),
    cpus=floats,
    memory_bytes=st.integers(1, 2**60),
)
tasks = st.builds(
    Task,
    id=text,
    instruction=text,
    graders=st.lists(st.builds(GraderSpec, kind=text, settings=settings), max_size=2).map(tuple),
    pass_at=st.floats(0.01, 1),
    files=trees,
    tests=trees,
    solution=trees,
    expect=st.none() | text,
    limits=limits,
    sandbox=sandboxes,
    on_oom=st.sampled_from(OnOom),
    tags=st.lists(text, max_size=2).map(tuple),
)
configs = st.builds(
    Config,
    name=text,
    agent=text,
    model=st.none() | text,
    settings=settings,
    limits=st.dictionaries(st.sampled_from(["steps", "cost_nusd"]), counts),
    files=trees,
    named_only=st.booleans(),
)
whole_suites = st.builds(
    Suite,
    name=text,
    tasks=st.lists(tasks, max_size=3, unique_by=lambda task: task.id).map(tuple),
    configs=st.lists(configs, max_size=3, unique_by=lambda config: config.name).map(tuple),
    description=text,
    repeats=st.integers(1, 10**6),
    budget_nusd=counts,
    seed=st.integers(-(2**63), 2**63 - 1),
    gates=st.lists(json_values, max_size=2).map(tuple),
)


@given(suite=whole_suites)
def test_stored_suite_comes_back_as_it_was(suite: Suite) -> None:
    stored = canonical_json(suite_document(suite))

    back = suite_from_document(json.loads(stored))

    assert back == suite
    assert back.digest == suite.digest
    assert canonical_json(suite_document(back)) == stored
    assert not compare_suites(suite, back)


@given(suite=whole_suites, random=st.randoms(use_true_random=False))
def test_order_of_tasks_changes_neither_digest_nor_comparison(suite: Suite, random: Any) -> None:
    shuffled = list(suite.tasks)
    random.shuffle(shuffled)

    other = replace(suite, tasks=tuple(shuffled))

    assert other.digest == suite.digest
    assert not compare_suites(suite, other)


@given(one=tasks, two=tasks)
def test_two_tasks_differ_exactly_where_their_digests_do(one: Task, two: Task) -> None:
    two = replace(two, id=one.id)
    suites = [Suite(name="s", tasks=(task,), configs=()) for task in (one, two)]

    assert bool(compare_suites(*suites)) == (one.digest != two.digest)


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        (lambda d: {**d, "format": 2}, SchemaVersionError),
        (lambda d: {**d, "format": 0}, LedgerError),
        (lambda d: {k: v for k, v in d.items() if k != "tasks"}, LedgerError),
        (lambda d: {**d, "trees": {}}, LedgerError),
        (lambda d: {}, LedgerError),
    ],
)
def test_stored_suite_that_cannot_be_read_is_refused(
    suites: SuiteDirectory, broken: Callable[[Any], Any], error: type[LedgerError]
) -> None:
    document = suite_document(suites.suite("suite: s\ntasks: [{id: a, instruction: i, expect: x}]"))

    with pytest.raises(error):
        suite_from_document(broken(document))
