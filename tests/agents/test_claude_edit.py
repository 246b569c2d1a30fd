from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from runner.agents.claude.edit import MOST_FILE_BYTES, Edit, tell
from runner.agents.claude.tool import BadInputError
from runner.domain import Json, SandboxSpec
from runner.sandbox import ProcessBackend, Sandbox


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with ProcessBackend().open(SandboxSpec(), label="test") as opened:
        (Path(opened.directory) / "poem").write_text("one\ntwo\ntwo\nthree")
        yield opened


async def edit(sandbox: Sandbox, command: str, *, path: str = "poem", **more: Json) -> str:
    given = {"command": command, "path": path, **more}
    told = tell(await Edit().run(given, sandbox))
    return f"error: {told.text}" if told.is_error else told.text


async def test_view_numbers_the_lines(sandbox: Sandbox) -> None:
    assert await edit(sandbox, "view") == "1\tone\n2\ttwo\n3\ttwo\n4\tthree"
    assert await edit(sandbox, "view", view_range=[3, -1]) == "3\ttwo\n4\tthree"
    assert await edit(sandbox, "view", view_range=[4, 90]) == "4\tthree"


async def test_view_of_an_empty_file_says_so(sandbox: Sandbox) -> None:
    await edit(sandbox, "create", path="empty", file_text="")

    assert await edit(sandbox, "view", path="empty") == "(the file is empty)"


async def test_view_of_a_long_file_is_cut(sandbox: Sandbox) -> None:
    (Path(sandbox.directory) / "long").write_text("line\n" * 1_000)

    text = await edit(sandbox, "view", path="long")

    assert text.endswith("400\tline\n[600 more lines; use view_range]")


async def test_create_writes_a_file_and_the_directories_it_needs(
    sandbox: Sandbox,
) -> None:
    said = await edit(sandbox, "create", path=f"{sandbox.directory}/a/b.txt", file_text="ä\n")

    assert said == "wrote a/b.txt"
    assert (Path(sandbox.directory) / "a/b.txt").read_text() == "ä\n"


async def test_str_replace_needs_exactly_one_occurrence(sandbox: Sandbox) -> None:
    assert await edit(sandbox, "str_replace", old_str="one", new_str="1") == "changed poem"
    assert "occurs 2 times" in await edit(sandbox, "str_replace", old_str="two", new_str="2")
    assert "occurs 0 times" in await edit(sandbox, "str_replace", old_str="four", new_str="4")
    assert (Path(sandbox.directory) / "poem").read_text() == "1\ntwo\ntwo\nthree"


async def test_insert_puts_whole_lines(sandbox: Sandbox) -> None:
    await edit(sandbox, "insert", insert_line=0, insert_text="zero")
    await edit(sandbox, "insert", insert_line=5, insert_text="four\n")

    assert (Path(sandbox.directory) / "poem").read_text() == "zero\none\ntwo\ntwo\nthree\nfour\n"


async def test_a_changed_program_stays_executable(sandbox: Sandbox) -> None:
    (Path(sandbox.directory) / "poem").chmod(0o755)

    await edit(sandbox, "str_replace", old_str="one", new_str="1")

    assert os.access(Path(sandbox.directory) / "poem", os.X_OK)


async def test_what_is_not_there_or_no_text_is_told(sandbox: Sandbox) -> None:
    (Path(sandbox.directory) / "picture").write_bytes(b"\xff\xd8")
    (Path(sandbox.directory) / "huge").write_bytes(b"x" * (MOST_FILE_BYTES + 1))
    (Path(sandbox.directory) / "folder/inner").mkdir(parents=True)

    assert "is not a file" in await edit(sandbox, "view", path="nothing")
    assert "is not UTF-8" in await edit(sandbox, "view", path="picture")
    assert "larger than" in await edit(sandbox, "str_replace", path="huge", old_str="x", new_str="")
    assert "is a directory" in await edit(sandbox, "create", path="folder", file_text="x")
    assert "cannot be written" in await edit(sandbox, "create", path="poem/x", file_text="x")
    assert "cannot be written" in await edit(sandbox, "create", path="x" * 300, file_text="x")
    assert (await edit(sandbox, "view")).startswith("1\tone")
    assert (Path(sandbox.directory) / "huge").stat().st_size == MOST_FILE_BYTES + 1


@pytest.mark.parametrize("path", ["", ".", "..", "../x", "/etc/passwd", "a/../../x", "a\0b"])
async def test_a_path_outside_the_working_directory_is_refused(sandbox: Sandbox, path: str) -> None:
    with pytest.raises(BadInputError, match="path"):
        await edit(sandbox, "create", path=path, file_text="x")


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("undo", {}),
        ("create", {}),
        ("create", {"file_text": "\ud800"}),
        ("str_replace", {"old_str": "", "new_str": "x"}),
        ("insert", {"insert_line": 9, "insert_text": "x"}),
        ("insert", {"insert_line": "1", "insert_text": "x"}),
        ("insert", {"insert_line": True, "insert_text": "x"}),
        ("view", {"view_range": [0, 1]}),
        ("view", {"view_range": [3, 2]}),
        ("view", {"view_range": "all"}),
    ],
)
async def test_an_edit_that_cannot_be_is_refused_and_changes_nothing(
    sandbox: Sandbox, command: str, more: dict[str, Json]
) -> None:
    with pytest.raises(BadInputError):
        await Edit().run({"command": command, "path": "poem", **more}, sandbox)

    assert (Path(sandbox.directory) / "poem").read_text() == "one\ntwo\ntwo\nthree"
