"""Where everything lies in the sandbox in which a script judges."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Self

from graders.script.reward import MOST_REWARD_BYTES, bad_reward
from runner.domain import FileContent, Reason, Task, WorkProduct
from runner.errors import GraderError
from runner.sandbox import Command, CommandResult, Sandbox

WORK, TESTS, CASE = "work", "tests", "case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A grading sandbox laid out: the agent's files, the hidden tests and the reward apart.

    Attributes:
        reward_directory: Made after everything else, under a name that nobody could foresee.
    """

    root: str
    reward_directory: str
    has_answer: bool

    @classmethod
    async def make(
        cls, sandbox: Sandbox, *, task: Task, work: WorkProduct, tests: tuple[FileContent, ...]
    ) -> Self:
        """Lay a sandbox out.

        Raises:
            GraderError: If its directories cannot be made.
        """
        reward = f"reward-{secrets.token_hex(8)}"
        await sandbox.put(work.files or (), directory=WORK)
        await sandbox.put(tests, directory=TESTS)
        await sandbox.put(_case(task, work), directory=CASE)
        await _must(sandbox, ["mkdir", "-p", WORK, TESTS])
        await _must(sandbox, ["mkdir", "-m", "700", reward])
        return cls(
            root=sandbox.directory,
            reward_directory=reward,
            has_answer=work.answer is not None,
        )

    def environment(self) -> dict[str, str]:
        """Give what tells the script where everything is."""
        paths = {
            "RUNNER_WORK": WORK,
            "RUNNER_TESTS": TESTS,
            "RUNNER_TASK": f"{CASE}/task.json",
            "RUNNER_REWARD": self._reward_file,
        }
        if self.has_answer:
            paths["RUNNER_ANSWER"] = f"{CASE}/answer.txt"
        return {name: f"{self.root}/{path}" for name, path in paths.items()}

    async def read_reward(self, sandbox: Sandbox) -> bytes | None:
        """Read the reward file; None if the script made none.

        Raises:
            GraderError: ``bad_reward`` if the directory holds anything but one regular file of
                that name, which no other name leads to.
        """
        here = self.reward_directory
        directory, plain = ["-type", "d", "-path", here], ["-type", "f", "-links", "1"]
        # What is no plain file is listed with a NUL at its end instead of a newline.
        matched = ["(", *directory, "-o", *plain, ")", "-print", "-o", "-print0"]
        found = await sandbox.run(Command(argv=["find", here, *matched], seconds=30))
        if found.exit == 127:
            raise _broken("find", found)
        listed = found.stdout
        nothing = f"{here}\n".encode()
        one_file = nothing + f"{self._reward_file}\n".encode()
        if listed == nothing:
            return None
        if listed != one_file:
            others = (
                (listed or b"nothing at all")
                .removeprefix(nothing)
                .replace(b"\0", b" (no plain file)\n")
            )
            raise bad_reward(
                "beside or instead of the reward file the script left"
                f" {others[:400].decode(errors='replace').strip()!r}"
            )
        try:
            return await sandbox.read(self._reward_file, most_bytes=MOST_REWARD_BYTES + 1)
        except FileNotFoundError as error:
            raise bad_reward("the reward file went away while it was read") from error

    @property
    def _reward_file(self) -> str:
        return f"{self.reward_directory}/reward"


def _case(task: Task, work: WorkProduct) -> tuple[FileContent, ...]:
    """Give the task and the answer as files, for scripts that judge many tasks."""
    told = {"id": task.id, "instruction": task.instruction, "expect": task.expect}
    files = [FileContent(path="task.json", data=json.dumps(told).encode())]
    if work.answer is not None:
        data = work.answer.encode("utf-8", "replace")
        files.append(FileContent(path="answer.txt", data=data))
    return tuple(files)


async def _must(sandbox: Sandbox, argv: list[str]) -> None:
    result = await sandbox.run(Command(argv=argv, seconds=30))
    if result.exit != 0:
        raise _broken(argv[0], result)


def _broken(program: str, result: CommandResult) -> GraderError:
    said = (result.stderr or result.stdout)[:400].decode(errors="replace").strip()
    return GraderError(
        f"{program} failed in the grading sandbox: {said or result.exit}",
        reason=Reason.GRADER_ERROR,
        hint="Use a sandbox that has mkdir and find.",
    )
