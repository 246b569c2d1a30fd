"""Tasks out of JSON lines, CSV and task folders."""

from __future__ import annotations

import json

import pytest

from runner.testing.suite_directory import SuiteDirectory


def from_file(name: str, more: str = "") -> str:
    return f"suite: s\ntasks:\n  - from: {name}\n{more}"


def test_json_line_has_the_same_keys_as_an_inline_task(suites: SuiteDirectory) -> None:
    row = {"id": "a", "instruction": "i", "expect": "x", "tags": ["t"], "limits": {"steps": 3}}
    suites.write("q.jsonl", json.dumps(row) + "\n\n")

    inline = suites.suite(f"suite: s\ntasks: [{json.dumps(row)}]")

    assert suites.suite(from_file("q.jsonl")).tasks == inline.tasks


def test_json_numbers_are_keys_as_they_are_written(suites: SuiteDirectory) -> None:
    suites.write("q.jsonl", '{"id": 7, "instruction": "i", "expect": 1.10}\n')

    task = suites.suite(from_file("q.jsonl")).tasks[0]

    assert (task.id, task.expect) == ("7", "1.10")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id": "b", "id": "c"}', "duplicate key 'id'"),
        ('{"id": NaN}', "NaN is not JSON"),
        ('{"id": "b"', "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"id": "\\ud800"}', "surrogate"),
        ('{"id": ' + "[" * 100_000, "levels deep"),
        ('{"id": "b", "instruction": "i"}', "the task 'b' has no grader"),
        ('{"id": "b", "instruction": "i", "expect": null}', "the task 'b' has no grader"),
        (
            '{"id": "a", "instruction": "i", "expect": "x"}',
            "'a' is there twice, first at q.jsonl:1",
        ),
        ('{"id": "b", "instruction": "i", "expect": "x", "hint": 1}', "the column 'hint'"),
        ('{"instruction": "i", "expect": "x"}', "the task has no id"),
    ],
)
def test_broken_json_line_is_refused_with_its_line(
    suites: SuiteDirectory, line: str, told: str
) -> None:
    good = '{"id": "a", "instruction": "i", "expect": "x"}'
    suites.write("q.jsonl", f"{good}\n{line}\n")

    said = suites.mistakes(from_file("q.jsonl"))

    assert "q.jsonl:2: " in said
    assert told in said


@pytest.mark.parametrize(
    "data",
    [
        'id,question,target\n7,"one, two\nthree",007\n',
        '\ufeffid;question;target\r\n7;"one, two\nthree";007\r\n',
        'id\tquestion\ttarget\n\n7\t"one, two\nthree"\t007\n',
    ],
)
def test_csv_is_read_with_its_own_separator_and_a_map(suites: SuiteDirectory, data: str) -> None:
    suites.write("q.csv", data)

    task = suites.suite(
        from_file("q.csv", "    map: {instruction: question, expect: target}")
    ).tasks[0]

    assert (task.id, task.instruction, task.expect) == ("7", "one, two\nthree", "007")


def test_csv_cells_of_null_and_no_are_words_and_empty_ones_are_not_there(
    suites: SuiteDirectory,
) -> None:
    suites.write("q.csv", 'id,instruction,expect,tags,pass_at\na,i,null,"t, u",\nb,i,NO,,0.5\n')

    one, two = suites.suite(from_file("q.csv")).tasks

    assert (one.expect, one.tags, one.pass_at) == ("null", ("t", "u"), 1.0)
    assert (two.expect, two.tags, two.pass_at) == ("NO", (), 0.5)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("id,instruction,answer\na,i,x\n", "q.csv:2: the column 'answer'"),
        ("id,instruction,expect\na,i,x,y\n", "q.csv:2: the row has 4 cells, the header 3"),
        ('id,instruction,expect\na,"i\ni",x\nb,i\n', "q.csv:4: the row has 2 cells"),
        ("id,instruction,id\na,i,x\n", "two columns are called 'id'"),
        ("id,,expect\na,i,x\n", "column 2 has no name"),
        ("", "there is no header"),
        ("id,instruction,expect\n", "holds no task"),
        ('id,instruction,expect\na,"i,x\n', "q.csv:2: not CSV"),
        ("id,instruction,expect\na,i,.\n", "q.csv:2: expect: '.' of the task 'a'"),
        ("id,instruction,expect\na,i,\n", "q.csv:2: the task 'a' has no grader"),
    ],
)
def test_broken_csv_is_refused_with_its_line(suites: SuiteDirectory, data: str, told: str) -> None:
    suites.write("q.csv", data)

    assert told in suites.mistakes(from_file("q.csv"))


def test_column_that_is_no_key_is_told_once_and_can_be_ignored(suites: SuiteDirectory) -> None:
    rows = "".join(f"{n},i,x,n,m\n" for n in range(5))
    suites.write("q.csv", f"id,instruction,expect,note,meta/a\n{rows}")

    told = suites.mistakes(from_file("q.csv"))

    assert told.count("the column 'note'") == 1
    assert len(suites.suite(from_file("q.csv", "    ignore: [note, meta/*]")).tasks) == 5


@pytest.mark.parametrize(
    ("map_keys", "told"),
    [
        ("{expct: target}", "unknown key 'expct' in map"),
        ("{expect: taget}", "no row has a column 'taget'"),
        ("{expect: instruction}", "the task '1' has no instruction"),
        ("[a]", "map: is not a map"),
        ("{instruction: target}", "stands beside 'target'"),
    ],
)
def test_map_that_does_not_fit_is_refused(suites: SuiteDirectory, map_keys: str, told: str) -> None:
    suites.write("q.csv", "id,instruction,target\n1,i,x\n")

    assert told in suites.mistakes(from_file("q.csv", f"    map: {map_keys}"))


def test_task_folder_brings_instruction_files_tests_and_solution(suites: SuiteDirectory) -> None:
    suites.write("bugs/one/task.yaml", "graders: [{kind: script, run: [a]}]\ntags: [bug]")
    suites.write("bugs/one/instruction.md", "Fix *it*.\n")
    suites.write("bugs/one/files/src/a.py", "a")
    suites.write("bugs/one/tests/test_a.py", "b")
    suites.write("bugs/one/solution/src/a.py", "c")
    suites.write("bugs/two/task.yaml", "{id: two, instruction: i, expect: x}")

    one, two = suites.suite(
        from_file("bugs/*/task.yaml", "defaults: {files: bugs/one/files}")
    ).tasks

    assert (one.id, one.instruction, one.tags) == ("one", "Fix *it*.\n", ("bug",))
    assert [entry.path for entry in one.files.entries] == ["src/a.py"]
    assert [entry.path for entry in one.tests.entries] == ["test_a.py"]
    assert [entry.path for entry in one.solution.entries] == ["src/a.py"]
    assert two.files == one.files


def test_task_folder_can_be_named_as_a_directory(suites: SuiteDirectory) -> None:
    suites.write("bugs/one/task.yaml", "{instruction: i, expect: x}")

    assert suites.suite(from_file("bugs/*")).tasks[0].id == "one"


def test_instruction_in_two_places_is_refused(suites: SuiteDirectory) -> None:
    suites.write("one/task.yaml", "{instruction: i, expect: x}")
    suites.write("one/instruction.md", "j")

    assert "one/task.yaml:1: instruction: is written here and" in suites.mistakes(from_file("one"))


def test_same_id_in_two_files_is_refused_with_both_places(suites: SuiteDirectory) -> None:
    suites.write("one.yaml", "id: a\ninstruction: i\nexpect: x")
    suites.write("two.yaml", "\nid: a\ninstruction: i\nexpect: x")

    told = suites.mistakes("suite: s\ntasks: [{from: '*o*.yaml'}, {from: one.yaml}]")

    assert "two.yaml:2: the task id 'a' is there twice, first at one.yaml:1" in told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere.jsonl", "'nowhere.jsonl' does not exist"),
        ("x/*.jsonl", "nothing matches"),
        ("q.jsnl", "Did you mean 'q.jsonl'?"),
        ("notes.txt", "is neither a task.yaml nor a data file"),
        ("empty", "is neither a task.yaml nor a data file"),
        ("''", "from: "),
        ("list.yaml", "a task file holds one map"),
    ],
)
def test_from_that_leads_to_no_task_is_refused(
    suites: SuiteDirectory, name: str, told: str
) -> None:
    suites.write("q.jsonl", "")
    suites.write("notes.txt", "")
    suites.write("empty/x", "")
    suites.write("list.yaml", "- a")

    assert told in suites.mistakes(from_file(name))


def test_file_called_like_a_pattern_is_that_file(suites: SuiteDirectory) -> None:
    suites.write("q[1].jsonl", '{"id": "a", "instruction": "i", "expect": "x"}')

    assert suites.suite(from_file('"q[1].jsonl"')).tasks[0].id == "a"
