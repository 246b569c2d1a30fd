"""A directory to write suites into, and a small vocabulary to read them by."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from runner.domain import Config, Kind, Suite, SuiteFile, Task, Vocabulary
from runner.errors import SuiteFileError
from runner.suites import LoadedSuite, load_suite


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Nothing(_Settings):
    pass


class _Thinking(_Settings):
    kind: Literal["adaptive", "off"] = "off"
    budget: int | None = None


class _Talker(_Settings):
    effort: Literal["low", "medium", "high"] | None = None
    max_tokens: int = Field(8000, ge=1)
    system: str = ""
    thinking: _Thinking = _Thinking()
    tools: tuple[str, ...] = ("bash",)
    environment: dict[str, str] = {}
    eager: bool = False
    temperature: float | None = None


class _Script(_Settings):
    script: SuiteFile
    others: list[SuiteFile] | None = None


class _Program(_Settings):
    target: str


class _Answer(_Settings):
    expect: str | tuple[str, ...]
    match: Literal["number", "exact", "set"] = "exact"


class _Command(_Settings):
    run: list[str] = Field(min_length=1)
    seconds: float = 60.0
    program: SuiteFile | None = None


def _has_tools(settings: BaseModel) -> bool:
    return isinstance(settings, _Talker) and bool(settings.tools)


def _always(_: BaseModel) -> bool:
    return True


def _never(_: BaseModel) -> bool:
    return False


VOCABULARY = Vocabulary(
    agents={
        "talker": Kind(settings=_Talker, runs_commands=_has_tools, needs_model=True),
        "scripted": Kind(settings=_Script, runs_commands=_never),
        "python": Kind(settings=_Program, runs_commands=_never),
        "oracle": Kind(settings=_Nothing, runs_commands=_never),
        "nop": Kind(settings=_Nothing, runs_commands=_never),
    },
    graders={
        "answer": Kind(settings=_Answer, runs_commands=_never),
        "script": Kind(settings=_Command, runs_commands=_always),
    },
)


class SuiteDirectory:
    """Writes files below one directory and loads ``suite.yaml`` there."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file, with the directories that it needs."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def load(self, text: str | bytes) -> LoadedSuite:
        """Load a suite file with this text."""
        return load_suite(self.write("suite.yaml", text), VOCABULARY)

    def suite(self, text: str) -> Suite:
        """Load a suite file with this text and give its values."""
        return self.load(text).suite

    def task(self, keys: str, *, more: str = "") -> Task:
        """Load a suite with one task that has these keys, in one line, over some that it needs.

        Args:
            keys: As in a flow map, without its braces.
            more: Further lines of the suite.
        """
        return self.suite(_one_task(keys, more)).tasks[0]

    def config(self, keys: str) -> Config:
        """Load a suite with one configuration that has these keys."""
        return self.suite(_one_task("expect: x", f"configs:\n  c: {{{keys}}}")).configs[0]

    def mistakes(self, text: str | bytes) -> str:
        """Load a bad suite and give what is said about it, hint included.

        Raises:
            AssertionError: If it loads.
        """
        try:
            self.load(text)
        except SuiteFileError as error:
            told = f"{error.message}\n{error.hint or ''}"
            return told.replace(f"{self.root}/", "")
        raise AssertionError("the suite was loaded without a mistake")

    def task_mistakes(self, keys: str, *, more: str = "") -> str:
        """Give what is said about a suite with one task that has these keys."""
        return self.mistakes(_one_task(keys, more))

    def config_mistakes(self, keys: str) -> str:
        """Give what is said about a suite with one configuration that has these keys."""
        return self.mistakes(_one_task("expect: x", f"configs:\n  c: {{{keys}}}"))


def _one_task(keys: str, more: str) -> str:
    needed = {"id": "t", "instruction": "Do it."}
    missing = [f"{k}: {v}" for k, v in needed.items() if f"{k}:" not in keys]
    return f"suite: s\ntasks:\n  - {{{', '.join([*missing, keys])}}}\n{more}\n"
