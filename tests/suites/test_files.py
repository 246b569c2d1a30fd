"""File trees: what is read, what is refused, and where the bytes are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runner.domain import digest_bytes
from runner.errors import UsageError
from runner.suites import load_suite
from runner.testing.suite_directory import VOCABULARY, SuiteDirectory


def test_directory_is_laid_out_by_its_contents_and_a_file_by_its_name(
    suites: SuiteDirectory,
) -> None:
    suites.write("data/deep/a.txt", "one")
    suites.write("data/run.sh", "two").chmod(0o755)

    tree = suites.task("expect: x, files: data/").files
    file = suites.task("expect: x, tests: data/run.sh").tests

    assert [(e.path, e.size, e.executable) for e in tree.entries] == [
        ("deep/a.txt", 3, False),
        ("run.sh", 3, True),
    ]
    assert [(e.path, e.digest) for e in file.entries] == [("run.sh", digest_bytes(b"two"))]


def test_bytes_of_every_file_can_be_read_by_digest(suites: SuiteDirectory) -> None:
    suites.write("data/a", b"\x00\xff")
    suites.write("tests/b", "hidden")
    loaded = suites.load(
        "suite: s\ntasks: [{id: a, instruction: i, expect: x, files: data, tests: tests}]"
    )

    contents = {loaded.blobs.read(digest) for digest in loaded.blobs.digests}

    assert contents == {b"\x00\xff", b"hidden"}
    with pytest.raises(KeyError):
        loaded.blobs.read("0" * 64)


def test_file_that_changes_after_loading_is_not_handed_out(suites: SuiteDirectory) -> None:
    suites.write("data/a", "old")
    loaded = suites.load("suite: s\ntasks: [{id: a, instruction: i, expect: x, files: data}]")

    suites.write("data/a", "new")

    with pytest.raises(UsageError, match="has changed since"):
        loaded.blobs.read(digest_bytes(b"old"))
    (suites.root / "data/a").unlink()
    with pytest.raises(UsageError, match="cannot be read any more"):
        loaded.blobs.read(digest_bytes(b"old"))


def test_paths_are_relative_to_the_file_that_names_them(
    suites: SuiteDirectory,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    suites.write("data/a", "suite's")
    suites.write("rows/data/a", "rows'")
    suites.write("rows/q.jsonl", '{"id":"b","instruction":"i","expect":"x","files":"data"}')
    text = (
        "suite: s\ndefaults: {files: data}\n"
        "tasks: [{id: a, instruction: i, expect: x}, {from: rows/q.jsonl}]"
    )
    suites.write("suite.yaml", text)
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))

    loaded = load_suite(suites.root, VOCABULARY)

    read = [loaded.blobs.read(task.files.entries[0].digest) for task in loaded.suite.tasks]
    assert read == [b"suite's", b"rows'"]


def test_task_can_leave_the_default_files_out(suites: SuiteDirectory) -> None:
    suites.write("data/a", "a")

    task = suites.task("expect: x, files: null", more="defaults: {files: data}")

    assert not task.files


def test_link_inside_the_tree_is_read_as_the_file(suites: SuiteDirectory) -> None:
    suites.write("data/a", "a")
    (suites.root / "data/b").symlink_to("a")

    entries = suites.task("expect: x, files: data").files.entries

    assert [(e.path, e.size) for e in entries] == [("a", 1), ("b", 1)]


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("../secret", "points outside its directory"),
        ("/etc/hostname", "points outside its directory"),
        ("nowhere", "points to nothing"),
        (".", "points to a directory"),
        ("deep", "points to a directory"),
    ],
)
def test_link_that_leads_elsewhere_is_refused(
    suites: SuiteDirectory, target: str, told: str
) -> None:
    suites.write("secret", "s")
    suites.write("data/deep/a", "a")
    (suites.root / "data/link").symlink_to(target)

    assert told in suites.task_mistakes("expect: x, files: data")


def test_special_file_is_refused_without_waiting_for_it(suites: SuiteDirectory) -> None:
    suites.write("data/a", "a")
    os.mkfifo(suites.root / "data/pipe")
    os.mkfifo(suites.root / "q.jsonl")

    told = suites.mistakes(
        "suite: s\ntasks: [{id: a, instruction: i, expect: x, files: data}, {from: q.jsonl}]"
    )

    assert "data/pipe is not a regular file" in told
    assert "q.jsonl is not a regular file" in told


def test_name_that_is_not_utf8_is_refused(suites: SuiteDirectory) -> None:
    suites.write("data/a", "a")
    Path(os.fsdecode(os.fsencode(suites.root) + b"/data/\xff")).write_bytes(b"")

    assert "has a name that is not UTF-8" in suites.task_mistakes("expect: x, files: data")


def test_caches_beside_tests_do_not_change_the_tree(suites: SuiteDirectory) -> None:
    suites.write("tests/test_a.py", "a")
    before = suites.task("expect: x, tests: tests")

    suites.write("tests/__pycache__/test_a.pyc", b"\x00")

    assert suites.task("expect: x, tests: tests").digest == before.digest


def test_deep_tree_is_read(suites: SuiteDirectory) -> None:
    directory = suites.root / "data"
    directory.mkdir()
    handle = os.open(directory, os.O_RDONLY)
    for _ in range(200):
        os.mkdir("d", dir_fd=handle)
        below = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)

    assert suites.task("expect: x, files: data").files.entries[0].path == "d/" * 200 + "leaf"


@pytest.mark.parametrize(
    "keys", ["files: .", "files: /", "files: data, tests: data/tests", "files: data/.."]
)
def test_files_that_would_show_the_suite_or_hidden_files_are_refused(
    suites: SuiteDirectory, keys: str
) -> None:
    suites.write("data/tests/a", "a")

    assert "which the agent must not see" in suites.task_mistakes(f"expect: x, {keys}")


def test_file_that_a_grader_names_is_hidden_with_the_tests(suites: SuiteDirectory) -> None:
    suites.write("graders/check.py", "check")
    suites.write("tests/a", "a")
    graders = "graders: [{kind: script, run: [a], program: graders/check.py}]"

    loaded = suites.load(f"suite: s\ntasks: [{{id: t, instruction: i, tests: tests, {graders}}}]")

    paths = [entry.path for entry in loaded.suite.tasks[0].tests.entries]
    assert paths == ["a", "graders/check.py"]
    assert digest_bytes(b"check") in loaded.blobs.digests


def test_file_that_a_grader_names_may_not_hide_another(suites: SuiteDirectory) -> None:
    suites.write("check.py", "check")
    suites.write("tests/check.py", "other")

    told = suites.task_mistakes(
        "tests: tests, graders: [{kind: script, run: [a], program: check.py}]"
    )

    assert "tests: holds another 'check.py'" in told


def test_tests_that_hold_the_suite_itself_are_refused_unread(suites: SuiteDirectory) -> None:
    assert "tests: holds suite.yaml itself" in suites.task_mistakes("expect: x, tests: /")


def test_data_file_with_the_keys_may_not_lie_among_the_agent_s_files(
    suites: SuiteDirectory,
) -> None:
    suites.write("data/q.jsonl", '{"id": "a", "instruction": "i", "expect": "x"}')
    suites.write("data/deep/more.csv", "id,instruction,expect\nb,i,x\n")

    told = suites.mistakes(
        "suite: s\ndefaults: {files: data}\ntasks: [{from: data/*.jsonl}, {from: data/*/*.csv}]"
    )

    assert "suite.yaml:2: files: holds data/q.jsonl, which the agent must not see" in told
    assert "suite.yaml:2: files: holds data/deep/more.csv, which" in told


def test_suite_may_not_lie_among_the_files_that_a_data_file_names(suites: SuiteDirectory) -> None:
    elsewhere = suites.root / "elsewhere"
    elsewhere.mkdir()
    row = f'{{"id": "a", "instruction": "i", "expect": "x", "files": "{suites.root}/inner"}}'
    (elsewhere / "q.jsonl").write_text(row)
    inner = SuiteDirectory(suites.root / "inner")

    told = inner.mistakes("suite: s\ntasks: [{from: ../elsewhere/q.jsonl}]")

    assert "files: holds suite.yaml, which the agent must not see" in told


def test_grader_s_file_may_not_lie_among_the_agent_s_files(suites: SuiteDirectory) -> None:
    suites.write("data/check.py", "check")

    told = suites.task_mistakes(
        "files: data, graders: [{kind: script, run: [a], program: data/check.py}]"
    )

    assert "files: holds data/check.py, which a grader names" in told
