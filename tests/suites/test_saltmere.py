"""The shipped suite ``saltmere``: its key is what the data say, computed in two ways."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from runner.domain import Suite
from runner.engine.vocabulary import VOCABULARY
from runner.models.pricing import find_prices
from runner.shipped import shipped
from runner.suites import load_suite

SALTMERE = shipped("tasks", "saltmere")
SOLVE = SALTMERE / "solution" / "solve.py"
KEY = {
    task["id"]: task["expect"]
    for task in map(json.loads, (SALTMERE / "questions.jsonl").read_text("utf-8").splitlines())
}
#: Runs a solution so that a socket or a child process is an error, and says what it read.
WATCHED = """
import json, runpy, sys, time
read = set()
def watch(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.fork")):
        raise PermissionError(event)
    if event == "open" and isinstance(arguments[0], str):
        read.add(arguments[0])
sys.addaudithook(watch)
sys.argv = sys.argv[1:]
sys.path.insert(0, sys.argv[0].rpartition("/")[0])
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps({"read": sorted(read), "seconds": time.process_time()}), file=sys.stderr)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    answer: str
    read: frozenset[str]
    seconds: float


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite(SALTMERE / "suite.yaml", VOCABULARY).suite


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Solved]:
    papers = tmp_path_factory.mktemp("agent") / "papers"
    shutil.copytree(SALTMERE / "data", papers)
    return {task: solve(task, papers) for task in KEY}


def solve(task: str, papers: Path) -> Solved:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(SOLVE), task],
        cwd=papers,
        env={},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, f"{task}: {done.stderr}"
    seen = json.loads(done.stderr.splitlines()[-1])
    return Solved(
        answer=done.stdout.splitlines()[-1], read=frozenset(seen["read"]), seconds=seen["seconds"]
    )


@pytest.mark.parametrize("task", KEY)
def test_solution_of_a_task_computes_its_key_from_the_data_alone(
    task: str, solved: dict[str, Solved]
) -> None:
    assert solved[task].answer == KEY[task]
    assert not any(path.endswith("questions.jsonl") for path in solved[task].read)


def test_solutions_take_less_than_a_second_each(solved: dict[str, Solved]) -> None:
    # Processor time: wall-clock time would measure what else the machine does.
    assert max(one.seconds for one in solved.values()) < 1


def test_second_computation_agrees_with_every_key() -> None:
    done = subprocess.run(
        [sys.executable, "-B", str(SALTMERE / "proof" / "prove.py")],
        env={},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    compared = [line.split("\t")[:2] for line in done.stdout.splitlines()]
    assert sorted(compared) == sorted(["same", task] for task in KEY)


def test_second_computation_shares_no_module_with_the_solution() -> None:
    names = {path.stem for path in SOLVE.parent.glob("*.py")}
    for path in (SALTMERE / "proof").glob("*.py"):
        imported = re.findall(r"^\s*(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE)
        assert not names & set(imported), path


def test_data_made_again_from_the_seed_are_the_same_bytes(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-B", str(SALTMERE / "make_data.py"), str(tmp_path)],
        env={"PYTHONHASHSEED": "7"},
        timeout=50,
        check=True,
    )

    assert contents(tmp_path) == contents(SALTMERE / "data")


def test_every_data_file_is_read_by_some_solution(solved: dict[str, Solved]) -> None:
    read = {path for one in solved.values() for path in one.read}
    clues_written_as_code = {"README.md", "harbour_dues.md", "fair.md"}

    assert contents(SALTMERE / "data").keys() - read == clues_written_as_code


def test_corrections_change_many_answers(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    shutil.copytree(SALTMERE / "data", papers)
    (papers / "errata.txt").write_text("")

    changed = {task for task in KEY if solve(task, papers).answer != KEY[task]}

    assert len(changed) >= 8, changed


def test_suite_loads_with_36_tasks_of_the_planned_spread(suite: Suite) -> None:
    tags = Counter(tag for task in suite.tasks for tag in task.tags)

    assert len({task.id for task in suite.tasks}) == len(suite.tasks) == 36
    assert (tags["easy"], tags["medium"], tags["hard"]) == (12, 14, 10)
    assert min(tags[kind] for kind in ("lookup", "aggregate", "route", "puzzle")) >= 8
    assert sum(tags.values()) == 72
    assert any(str(task.expect).startswith("-") for task in suite.tasks)


def test_agents_are_given_the_data_and_nothing_else(suite: Suite) -> None:
    size = sum(len(data) for data in contents(SALTMERE / "data").values())

    for task in suite.tasks:
        assert {entry.path for entry in task.files.entries} == contents(SALTMERE / "data").keys()
        assert "solve.py" in {entry.path for entry in task.solution.entries}
        assert not task.sandbox.network
    assert size < 1_000_000


def test_no_instruction_holds_its_own_answer_or_any_part_of_a_list(suite: Suite) -> None:
    for task in suite.tasks:
        words = re.findall(r"[\w:.-]*\w", task.instruction.casefold())
        for part in str(task.expect).casefold().split(", "):
            wanted = part.split()
            runs = (words[n : n + len(wanted)] for n in range(len(words)))
            assert wanted not in runs, f"{task.id}: {part}"


def test_instructions_are_all_different_and_name_the_guide(suite: Suite) -> None:
    assert len({task.instruction for task in suite.tasks}) == 36
    assert all("README.md" in task.instruction for task in suite.tasks)


def test_models_of_all_configurations_have_a_price(suite: Suite) -> None:
    now_us = 1_790_000_000_000_000
    models = {str(config.model) for config in suite.configs if config.model}

    assert len(models) >= 2
    assert {model for model in models if find_prices(model, now_us=now_us) is None} == set()


def contents(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }
