"""One attempt's life in real sandboxes: what the agent sees, what it leaves, and what is graded."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio
import pytest

from graders import Grader, GradingBench, make_graders
from runner.agents import Agent, AgentServices, Assignment, Turn, make_agent
from runner.domain import (
    AgentEnd,
    AttemptReport,
    Config,
    Ending,
    FileContent,
    GraderSpec,
    Isolation,
    JsonObject,
    Limits,
    OnOom,
    Outcome,
    Reason,
    SandboxSpec,
    Task,
    Verdict,
    WorkProduct,
    digest_bytes,
    tree_of,
)
from runner.engine.clock import SystemClock
from runner.engine.trial import TrialWork, carry_out
from runner.errors import SandboxError
from runner.sandbox import Command, CommandResult, SandboxBackend, choose_backend
from runner.testing.recording_journal import RecordingJournal

DONE = AgentEnd(reason=Reason.COMPLETED)
SPEC = SandboxSpec(memory_bytes=64 << 20, memory_ceiling_bytes=256 << 20)
Act = Callable[[Assignment], Awaitable[AgentEnd]]


@pytest.fixture(params=[pytest.param("bubblewrap", marks=pytest.mark.bubblewrap), "process"])
def backend(request: pytest.FixtureRequest) -> SandboxBackend:
    spec = replace(SPEC, backend=request.param, isolation=Isolation.PREFERRED)
    return choose_backend(spec)


@pytest.fixture
def closed_backend() -> SandboxBackend:
    """One that keeps the agent from seeing the host."""
    return choose_backend(SPEC)


@dataclass
class Acts:
    act: Act

    async def work(self, assignment: Assignment) -> AgentEnd:
        return await self.act(assignment)


@dataclass
class Looks:
    """A grader that notes what it finds where and when it judges."""

    look: str
    marker: str = "no such process"
    work: WorkProduct | None = None
    found: str = ""
    alive: list[str] = field(default_factory=list)

    async def grade(self, task: Task, work: WorkProduct, bench: GradingBench) -> Verdict:
        self.work = work
        self.alive = processes(self.marker)
        async with bench.open() as sandbox:
            result = await sandbox.run(Command(argv=["sh", "-c", self.look], seconds=10))
            self.found = result.stdout.decode()
        return Verdict(grader="looks", passed=True, score=1.0, explanation="")


class Blobs:
    def __init__(self, *files: FileContent) -> None:
        self._data = {digest_bytes(file.data): file.data for file in files}

    def read(self, digest: str) -> bytes:
        return self._data[digest]


def text_file(path: str, text: str) -> FileContent:
    return FileContent(path=path, data=text.encode())


def processes(marker: str) -> list[str]:
    """List the machine's processes whose command line holds a text."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marker in line:
            found.append(line)
    return found


async def shell(assignment: Assignment, line: str, *, seconds: float = 20) -> CommandResult:
    assert assignment.sandbox is not None
    return await assignment.sandbox.run(Command(argv=["sh", "-c", line], seconds=seconds))


def running(*lines: str) -> Act:
    async def act(assignment: Assignment) -> AgentEnd:
        for line in lines:
            await shell(assignment, line)
        return DONE

    return act


@dataclass
class Setup:
    """What a trial is made of here; ``carry`` runs it."""

    backend: SandboxBackend
    files: tuple[FileContent, ...] = ()
    tests: tuple[FileContent, ...] = ()
    solution: tuple[FileContent, ...] = ()
    graders: tuple[GraderSpec, ...] = ()
    expect: str | None = None
    spec: SandboxSpec = SPEC
    on_oom: OnOom = OnOom.INFRA_ERROR
    limits: Limits = field(default_factory=lambda: Limits(agent_seconds=30))
    journal: RecordingJournal = field(default_factory=RecordingJournal)

    @property
    def task(self) -> Task:
        return Task(
            id="islands/one",
            instruction="",
            graders=self.graders,
            files=tree_of(self.files),
            tests=tree_of(self.tests),
            solution=tree_of(self.solution),
            expect=self.expect,
            limits=self.limits,
            sandbox=self.spec,
            on_oom=self.on_oom,
        )

    @property
    def blobs(self) -> Blobs:
        return Blobs(*self.files, *self.tests, *self.solution)

    async def carry(self, agent: Agent | Act, *graders: Grader) -> AttemptReport:
        trial = TrialWork(
            task=self.task,
            config=Config(name="c", agent="test"),
            label="7.1",
            make_agent=lambda: agent if hasattr(agent, "work") else Acts(agent),
            graders=graders or make_graders(self.task),
            backend=self.backend,
            files=self.blobs,
        )
        with anyio.fail_after(50):
            return await carry_out(trial, journal=self.journal, clock=SystemClock())

    async def carry_kind(
        self,
        kind: str,
        *,
        settings: JsonObject | None = None,
        files: tuple[FileContent, ...] = (),
    ) -> AttemptReport:
        """Run it with an agent of a kind that suites can name."""
        config = Config(name="c", agent=kind, settings=settings or {}, files=tree_of(files))
        blobs = Blobs(*self.solution, *files)
        turn = Turn(repeat=1, attempt=1)
        agent = make_agent(config, self.task, turn=turn, files=blobs, services=AgentServices())
        return await self.carry(agent)


def script(line: str) -> GraderSpec:
    return GraderSpec(kind="script", settings={"run": ["sh", "-c", line]})


# What the agent sees and leaves


async def test_trial_in_a_sandbox_goes_from_the_tasks_files_to_the_verdict_of_hidden_tests(
    backend: SandboxBackend,
) -> None:
    setup = Setup(
        backend,
        files=(text_file("data/in.txt", "b\na\n"),),
        tests=(text_file("expected.txt", "a\nb\n"),),
        graders=(script('cmp "$RUNNER_WORK/out.txt" "$RUNNER_TESTS/expected.txt"'),),
    )

    report = await setup.carry(running("sort data/in.txt > out.txt"))

    assert (report.ending, report.outcome, report.reason) == (
        Ending.FINISHED,
        Outcome.PASS,
        Reason.COMPLETED,
    ), report.detail
    assert report.isolation == backend.name
    assert report.work is not None
    assert report.work.files == (
        text_file("data/in.txt", "b\na\n"),
        text_file("out.txt", "a\nb\n"),
    )


async def test_trial_in_a_sandbox_that_did_the_wrong_thing_fails(backend: SandboxBackend) -> None:
    setup = Setup(
        backend,
        tests=(text_file("expected.txt", "a\nb\n"),),
        graders=(script('cmp "$RUNNER_WORK/out.txt" "$RUNNER_TESTS/expected.txt"'),),
    )

    report = await setup.carry(running("echo wrong > out.txt"))

    assert (report.outcome, report.reason) == (Outcome.FAIL, Reason.COMPLETED)


async def test_trial_grades_where_nothing_of_the_agent_is_left(backend: SandboxBackend) -> None:
    grader = Looks("ls -A; ls -A ~; ls -A ${TMPDIR:-/tmp}", marker="sleep 987.125")
    begin = "(setsid sleep 987.125 &) ; echo x > ~/home; echo x > ${TMPDIR:-/tmp}/tmp; echo x > f"

    await Setup(backend).carry(running(begin), grader)

    assert grader.found == ""
    assert grader.alive == []
    assert grader.work is not None
    assert grader.work.files == (text_file("f", "x\n"),)


async def test_trials_agent_starts_with_an_empty_home_whatever_the_last_one_left(
    backend: SandboxBackend,
) -> None:
    seen: list[bytes] = []

    async def act(assignment: Assignment) -> AgentEnd:
        look = "cat ~/.memory; ls -A; ls -A ~; ls -A ${TMPDIR:-/tmp}"
        seen.append((await shell(assignment, look)).stdout)
        left = await shell(assignment, "echo note | tee ~/.memory ${TMPDIR:-/tmp}/note note")
        assert left.exit == 0
        return DONE

    for _ in range(2):
        await Setup(backend).carry(act, Looks("true"))

    assert seen == [b"", b""]


@pytest.mark.bubblewrap
async def test_trials_agent_finds_its_own_files_and_no_hidden_test_and_no_solution(
    closed_backend: SandboxBackend,
) -> None:
    results: list[CommandResult] = []

    async def act(assignment: Assignment) -> AgentEnd:
        # The system and the interpreter are large, and the sandbox's own tests look into them.
        excluded = " ".join(f"--exclude-dir={name}" for name in ("proc", "sys", "usr", "root"))
        results.append(await shell(assignment, f"grep -rlsI MARKER-71 / {excluded}"))
        return DONE

    setup = Setup(
        closed_backend,
        files=(text_file("own.txt", "MARKER-71\n"),),
        tests=(text_file("test.sh", "# MARKER-71\n"),),
        solution=(text_file("solve.sh", "# MARKER-71\n"),),
        graders=(script("true"),),
    )
    await setup.carry(act)

    assert not results[0].timed_out
    assert [Path(line).name for line in results[0].stdout.decode().split()] == ["own.txt"]


# Limits


async def test_trial_over_its_time_kills_what_runs_and_grades_what_is_there(
    backend: SandboxBackend,
) -> None:
    setup = Setup(
        backend,
        graders=(script('test -f "$RUNNER_WORK/early"'),),
        limits=Limits(agent_seconds=1.0),
    )
    clock = SystemClock()
    start = clock.monotonic()

    report = await setup.carry(
        running("echo x > early", "(setsid sleep 986.25 &); sleep 986.25; echo x > late")
    )

    assert (report.outcome, report.reason, report.flags) == (
        Outcome.PASS,
        Reason.TIME_LIMIT,
        ("timed_out",),
    ), report.detail
    assert report.work is not None
    assert [file.path for file in report.work.files or ()] == ["early"]
    assert processes("sleep 986.25") == []
    assert clock.monotonic() - start < 15


async def test_trial_whose_sandbox_is_not_ready_in_time_is_no_fair_attempt(
    backend: SandboxBackend,
) -> None:
    setup = Setup(backend, spec=replace(SPEC, setup_seconds=1e-6), graders=(script("true"),))

    report = await setup.carry(running("true"))

    assert (report.ending, report.reason) == (Ending.INFRA_ERROR, Reason.SETUP_TIMEOUT)
    assert report.seconds.agent is None


async def test_trial_may_work_and_be_graded_longer_than_its_sandbox_took_to_be_ready(
    backend: SandboxBackend,
) -> None:
    setup = Setup(backend, spec=replace(SPEC, setup_seconds=1.5), graders=(script("sleep 1.7"),))

    report = await setup.carry(running("sleep 1.7"))

    assert (report.outcome, report.reason) == (Outcome.PASS, Reason.COMPLETED), report.detail


HOG = "x = [bytearray(1 << 24) for _ in range(64)]; import time; time.sleep(20)"


@pytest.mark.bubblewrap
@pytest.mark.parametrize(
    ("on_oom", "ending", "outcome", "score"),
    [
        (OnOom.INFRA_ERROR, Ending.INFRA_ERROR, Outcome.INFRA_ERROR, None),
        (OnOom.FAIL, Ending.FINISHED, Outcome.FAIL, 0.0),
    ],
)
async def test_trial_killed_for_memory_means_what_the_task_says(
    closed_backend: SandboxBackend,
    on_oom: OnOom,
    ending: Ending,
    outcome: Outcome,
    score: float | None,
) -> None:
    setup = Setup(closed_backend, on_oom=on_oom, graders=(script("true"),))

    report = await setup.carry(running("echo x > before", f"python3 -c '{HOG}'"))

    assert (report.ending, report.outcome, report.reason, report.score) == (
        ending,
        outcome,
        Reason.OOM,
        score,
    )
    assert report.flags == ("oom",)
    assert report.verdicts == ()
    assert report.work is not None
    assert report.detail is not None
    assert "256 MiB" in report.detail


@pytest.mark.bubblewrap
async def test_trial_whose_sandbox_broke_after_a_kill_for_memory_was_out_of_memory(
    closed_backend: SandboxBackend,
) -> None:
    async def act(assignment: Assignment) -> AgentEnd:
        await shell(assignment, f"python3 -c '{HOG}'")
        raise SandboxError("the sandbox answers no more", reason="sandbox_start")

    setup = Setup(closed_backend, on_oom=OnOom.FAIL, graders=(script("true"),))

    report = await setup.carry(act)

    assert (report.outcome, report.reason, report.flags) == (Outcome.FAIL, Reason.OOM, ("oom",))


async def test_trial_with_a_memory_error_inside_is_an_ordinary_one(
    backend: SandboxBackend,
) -> None:
    report = await Setup(backend, graders=(script("true"),)).carry(
        running("ulimit -v 200000; python3 -c 'bytearray(2 << 30)'")
    )

    assert (report.outcome, report.reason, report.flags) == (Outcome.PASS, Reason.COMPLETED, ())


async def test_trial_cancelled_in_the_middle_of_a_command_leaves_nothing_alive(
    backend: SandboxBackend,
) -> None:
    begun = anyio.Event()

    async def act(assignment: Assignment) -> AgentEnd:
        await shell(assignment, "(setsid sleep 985.5 &); true")
        begun.set()
        await shell(assignment, "sleep 985.5", seconds=900)
        return DONE

    async with anyio.create_task_group() as group:
        group.start_soon(Setup(backend).carry, act, Looks("true"))
        await begun.wait()
        assert processes("sleep 985.5")
        group.cancel_scope.cancel()

    assert processes("sleep 985.5") == []


async def test_trial_whose_agent_fails_leaves_nothing_alive(backend: SandboxBackend) -> None:
    async def act(assignment: Assignment) -> AgentEnd:
        await shell(assignment, "(setsid sleep 984.75 &); true")
        raise RuntimeError("a bug")

    report = await Setup(backend).carry(act, Looks("true"))

    assert report.reason is Reason.UNFORESEEN
    assert processes("sleep 984.75") == []


# The oracle


async def test_oracle_runs_solve_sh_beside_the_work_and_submits_its_last_line(
    backend: SandboxBackend,
) -> None:
    solve = 'echo thinking; cp "$(dirname "$0")/table.txt" copied.txt; echo "$1 $(cat n) "; echo\n'
    setup = Setup(
        backend,
        files=(text_file("n", "4\n"),),
        solution=(text_file("solve.sh", solve), text_file("table.txt", "t\n")),
        graders=(GraderSpec(kind="answer", settings={"expect": "islands/one 4"}),),
        expect="not the key",
    )

    report = await setup.carry_kind("oracle")

    assert report.outcome is Outcome.PASS, report
    assert report.work is not None
    assert [file.path for file in report.work.files or ()] == ["copied.txt", "n"]
    assert [tool.request.name for tool in setup.journal.tools] == ["run", "write", "run"]


async def test_oracle_runs_solve_py(backend: SandboxBackend) -> None:
    solve = "import sys, pathlib\nprint(len(sys.argv[1]), pathlib.Path('n').read_text())\n"
    setup = Setup(
        backend,
        files=(text_file("n", "4"),),
        solution=(text_file("solve.py", solve),),
        graders=(GraderSpec(kind="answer", settings={"expect": "11 4", "match": "exact"}),),
    )

    report = await setup.carry_kind("oracle")

    assert report.outcome is Outcome.PASS, report


async def test_oracle_copies_other_solutions_over_the_work(backend: SandboxBackend) -> None:
    setup = Setup(
        backend,
        files=(text_file("src/a.py", "broken"), text_file("b", "b")),
        solution=(text_file("src/a.py", "fixed"),),
        graders=(script('grep -q fixed "$RUNNER_WORK/src/a.py" && test -f "$RUNNER_WORK/b"'),),
    )

    report = await setup.carry_kind("oracle")

    assert report.outcome is Outcome.PASS, report


@pytest.mark.parametrize("line", ["exit 3", "kill -SEGV $$", "nonsense"])
async def test_oracle_whose_solution_fails_is_an_error_that_names_its_output(
    backend: SandboxBackend, line: str
) -> None:
    solve = f"echo out; echo err >&2; {line}\n"
    setup = Setup(backend, solution=(text_file("solve.sh", solve),), graders=(script("true"),))

    report = await setup.carry_kind("oracle")

    assert (report.ending, report.reason) == (Ending.INFRA_ERROR, Reason.AGENT_REPORTED_ERROR)
    assert report.detail is not None
    assert "solve.sh of task islands/one failed: exit" in report.detail
    assert "out\nerr" in report.detail


async def test_nop_passes_no_task_that_asks_for_work(backend: SandboxBackend) -> None:
    setup = Setup(backend, graders=(script('test -f "$RUNNER_WORK/done"'),))

    report = await setup.carry_kind("nop")

    assert (report.outcome, report.reason) == (Outcome.FAIL, Reason.COMPLETED)


# The scripted agent and the user's own


async def test_script_runs_commands_and_writes_files_in_the_journal(
    backend: SandboxBackend,
) -> None:
    steps = """
    steps:
      - {write: greet.sh, text: "echo hello $1\\n", executable: true}
      - run: ./greet.sh you > out.txt; cat out.txt; exit 3
      - argv: [cat, "no such file"]
      - {run: sleep 60, seconds: 0.2}
    """.replace("\n    ", "\n")
    setup = Setup(backend, graders=(script('grep -q "hello you" "$RUNNER_WORK/out.txt"'),))

    report = await setup.carry_kind(
        "scripted", settings={"script": "s.yaml"}, files=(text_file("s.yaml", steps),)
    )

    assert report.outcome is Outcome.PASS, report
    results = [tool.result for tool in setup.journal.tools]
    assert [result.exit for result in results if result] == [None, 3, 1, None]
    assert results[1] is not None
    assert results[1].output == b"hello you\n"
    assert results[3] is not None
    assert results[3].error == "stopped after 0.2 seconds"


async def test_users_own_agent_has_what_it_runs_in_the_journal(backend: SandboxBackend) -> None:
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text()
    source = page.split("```python\n")[1].split("```")[0]
    setup = Setup(
        backend,
        files=(text_file("a", "1\n2\n"), text_file("b", "3\n")),
        graders=(GraderSpec(kind="answer", settings={"expect": "3 lines", "match": "exact"}),),
    )

    report = await setup.carry_kind(
        "python:my_agents.py:Counts",
        settings={
            "target": "my_agents.py:Counts",
            "python_file": "my_agents.py",
            "suffix": "lines",
        },
        files=(text_file("my_agents.py", source),),
    )

    assert report.outcome is Outcome.PASS, report
    assert setup.journal.tools[0].output == b"3\n"


async def test_trial_keeps_seconds_that_are_numbers(backend: SandboxBackend) -> None:
    report = await Setup(backend, graders=(script("true"),)).carry(running("sleep 0.2"))

    seconds = report.seconds
    assert seconds.agent == pytest.approx(0.2, abs=1.5)
    assert seconds.agent is not None
    assert seconds.agent >= 0.2
    assert all(
        s is not None and math.isfinite(s)
        for s in (seconds.setup, seconds.waiting, seconds.grading)
    )
