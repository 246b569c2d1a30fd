"""YAML 1.2 and its traps: words that are no booleans, keys that are there twice, bombs."""

from __future__ import annotations

import pytest

from runner.testing.suite_directory import SuiteDirectory

TASK = "suite: s\ntasks: [{id: a, instruction: i, expect: x}]\n"


@pytest.mark.parametrize(
    "written",
    ["1.10", "007", "NO", "no", "off", "y", "yes", "true", "-3", "1:30", "0o17", "1e3", "1_000"],
)
def test_expect_and_id_and_tags_stay_as_they_are_written(
    suites: SuiteDirectory, written: str
) -> None:
    task = suites.task(f"id: {written}, expect: {written}, tags: [{written}]")

    assert (task.id, task.expect, task.tags) == (written, written, (written,))


def test_setting_that_wants_text_takes_a_number_as_it_is_written(suites: SuiteDirectory) -> None:
    config = suites.config(
        "agent: talker, model: 1.10, system: 007, tools: [1, off], environment: {PORT: 0800}"
    )

    assert config.model == "1.10"
    assert config.settings["system"] == "007"
    assert config.settings["tools"] == ["1", "off"]
    assert config.settings["environment"] == {"PORT": "0800"}


def test_number_with_a_leading_zero_is_not_octal(suites: SuiteDirectory) -> None:
    assert suites.suite(TASK + "repeats: 010").repeats == 10


@pytest.mark.parametrize("value", ["1:30", "yes", "1_000", "'3'", ".inf", "1.5", "null", "[1]"])
def test_repeats_that_is_no_whole_number_is_refused_with_its_line(
    suites: SuiteDirectory, value: str
) -> None:
    assert "suite.yaml:3: repeats: " in suites.mistakes(TASK + f"repeats: {value}")


@pytest.mark.parametrize("value", ['"false"', '"no"', "0", "no", "false", "true", "[]"])
def test_network_is_opened_by_one_word_only(suites: SuiteDirectory, value: str) -> None:
    assert "network" in suites.task_mistakes(f"expect: x, sandbox: {{network: {value}}}")


@pytest.mark.parametrize("value", ['"false"', '"no"', "off", "0", "1", "'1'"])
def test_setting_is_switched_on_by_true_only(suites: SuiteDirectory, value: str) -> None:
    assert "eager: " in suites.config_mistakes(f"agent: talker, model: m, eager: {value}")


@pytest.mark.parametrize("keys", ["max_tokens: '3'", "max_tokens: true", "temperature: '0.5'"])
def test_setting_takes_no_number_that_is_not_written_as_one(
    suites: SuiteDirectory, keys: str
) -> None:
    assert "is not a number" in suites.config_mistakes(f"agent: talker, model: m, {keys}")


def test_duplicate_key_is_refused_with_both_lines(suites: SuiteDirectory) -> None:
    told = suites.mistakes(TASK + "repeats: 1\nseed: 2\nrepeats: 3")

    assert "suite.yaml:5: duplicate key 'repeats', first on line 3" in told


def test_second_tasks_block_does_not_swallow_the_first(suites: SuiteDirectory) -> None:
    assert "duplicate key 'tasks', first on line 2" in suites.mistakes(TASK + "tasks: []")


def test_keys_that_are_one_number_are_duplicates(suites: SuiteDirectory) -> None:
    assert "suite.yaml:5: duplicate key '01'" in suites.mistakes(TASK + "x-own:\n  1: a\n  01: b")


def test_merge_key_fills_in_and_is_overridden(suites: SuiteDirectory) -> None:
    suite = suites.suite(
        "suite: s\nx-base: &base {expect: one, instruction: hi, tags: [t]}\n"
        "tasks:\n  - {id: a, <<: *base, expect: two}\n  - {id: b, <<: [{tags: [u]}, *base]}"
    )

    assert [task.expect for task in suite.tasks] == ["two", "one"]
    assert [task.tags for task in suite.tasks] == [("t",), ("u",)]


@pytest.mark.parametrize(
    ("key", "near"),
    [("repeat: 10", "repeats"), ("suites: x", "suite"), ("max_inflight: 3", "max_in_flight")],
)
def test_unknown_key_of_a_suite_is_refused_with_the_nearest_name(
    suites: SuiteDirectory, key: str, near: str
) -> None:
    told = suites.mistakes(TASK + key)

    assert f"suite.yaml:3: unknown key {key.split(':', maxsplit=1)[0]!r}" in told
    assert f"Did you mean {near!r}?" in told


def test_unknown_keys_deeper_down_are_refused_too(suites: SuiteDirectory) -> None:
    task = suites.task_mistakes("expect: x, time_out: 5, limits: {step: 3}, sandbox: {cpu: 1}")
    config = suites.config_mistakes("agent: talker, modle: m, thinking: {knd: off}")

    for key in ("time_out", "step", "cpu"):
        assert f"unknown key {key!r}" in task
    assert "unknown key 'modle'" in config
    assert "Did you mean 'model'?" in config
    assert "unknown key 'thinking.knd'" in config


def test_own_keys_are_taken_everywhere_and_read_nowhere(suites: SuiteDirectory) -> None:
    own = "x-me: [1, {a: b}]"
    text = (
        f"suite: s\n{own}\ndefaults: {{{own}, limits: {{{own}}}}}\n"
        f"tasks: [{{id: a, instruction: i, {own}, graders: [{{kind: answer, expect: x, {own}}}],"
        f" sandbox: {{{own}}}}}]\nconfigs: {{{own}, c: {{agent: nop, {own}}}}}"
    )

    assert [config.name for config in suites.suite(text).configs] == ["c", "oracle", "nop"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "~", "---\n...\n", "\ufeff"])
def test_empty_file_is_refused(suites: SuiteDirectory, text: str) -> None:
    assert "suite.yaml:1: the file is empty" in suites.mistakes(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"\xff\xfes\x00u\x00", "UTF-16"),
        (b"suite: \x00", "binary"),
        (b"a: 1\nsuite: \xe9\n", "line 2: byte 0xe9 is not UTF-8"),
        (b"suite: \x07\n", "suite.yaml:1: the control character U+0007"),
        (b"- a\n- b\n", "a suite file holds one map"),
        (b"suite: s\n---\nsuite: t\n", "suite.yaml:2: a second document"),
        (b"suite: !!python/name:os.system x\n", "suite.yaml:1: the tag "),
        (b"suite: s\nx-a: !mine {}\n", "suite.yaml:2: the tag !mine"),
        (b"%YAML 1.1\n---\nsuite: s\n", "another YAML"),
        (b"suite: s\n\ttasks: []\n", "suite.yaml:2: "),
        (b"suite: 'open\n", "Close the quote"),
        (b"suite: *nowhere\n", "*nowhere names no anchor"),
        (b"x-a: &a [*a]\n", "*a stands inside the value"),
        (b"? [a]\n: b\n", "a list or map stands as a key"),
        (b'suite: "\\ud800"\n', "surrogate"),
    ],
)
def test_text_that_is_no_suite_gets_one_clear_line(
    suites: SuiteDirectory, text: bytes, told: str
) -> None:
    assert told in suites.mistakes(text)


def test_byte_order_mark_is_left_out(suites: SuiteDirectory) -> None:
    assert suites.load(b"\xef\xbb\xbf" + TASK.encode()).suite.name == "s"


@pytest.mark.parametrize("text", ["[" * 50_000, "- " * 5_000, "x-a: " + "{a: " * 5_000])
def test_deep_nesting_is_refused_without_exhausting_the_stack(
    suites: SuiteDirectory, text: str
) -> None:
    assert "levels deep" in suites.mistakes(text)


def test_nesting_by_aliases_is_counted_as_what_it_stands_for(suites: SuiteDirectory) -> None:
    chain = "".join(f"x-{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 3000))

    assert "levels deep" in suites.mistakes("x-0: &a0 [1]\n" + chain)


def test_alias_bomb_is_refused(suites: SuiteDirectory) -> None:
    bomb = "".join(f"x-{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))

    assert "aliases stand for more than" in suites.mistakes("x-0: &a0 [1]\n" + bomb)


def test_line_separators_inside_a_text_are_no_line_ends(suites: SuiteDirectory) -> None:
    suite = suites.suite(
        "suite: s\ntasks:\n  - id: a\n    expect: x\n    instruction: |\n"
        "      one\u2028two\u2029\n      three\x85four\n"
    )

    assert suite.tasks[0].instruction == "one\u2028two\u2029\nthree\x85four\n"
