"""What every sandbox back end must hold; a subclass gives the back end."""

# ruff: noqa: D102, S101 - these are tests, and their names say what they hold

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from runner.domain import FileContent, SandboxSpec
from runner.errors import SandboxError
from runner.sandbox import Command, CommandResult, Sandbox, SandboxBackend
from runner.testing.sandbox_backends import make_backend

#: For what should be immediate, on a machine that is busy.
SOON = 10.0


def new_token() -> str:
    """Give a number of seconds to sleep that nobody else on this machine sleeps."""
    return f"300.{secrets.randbelow(10**12):012d}"


def living(token: str) -> list[int]:
    """Find the processes on the whole machine that have ``token`` on their command line."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if token.encode() in line.read_bytes():
                found.append(int(line.parent.name))
        except OSError:
            continue
    return found


async def wait_until_dead(token: str) -> None:
    """Wait, in bounded time, until no process has ``token`` on its command line."""
    with anyio.fail_after(SOON):
        while living(token):  # noqa: ASYNC110 - only the kernel knows
            await anyio.sleep(0.01)


async def wait_until_living(token: str) -> None:
    """Wait, in bounded time, until a process has ``token`` on its command line."""
    with anyio.fail_after(SOON):
        while not living(token):  # noqa: ASYNC110 - only the kernel knows
            await anyio.sleep(0.01)


async def shell(sandbox: Sandbox, script: str, *, seconds: float = SOON) -> CommandResult:
    """Run a script by ``sh``."""
    return await sandbox.run(Command(argv=["sh", "-c", script], seconds=seconds))


class SandboxContract:
    """One test a promise of ``runner.sandbox.protocol``."""

    #: What ``python -m runner.testing.open_sandbox`` calls this back end.
    opener = ""

    @pytest.fixture
    def backend(self) -> SandboxBackend:
        """Give the back end under test."""
        return make_backend(self.opener)

    @pytest.fixture
    async def sandbox(self, backend: SandboxBackend) -> AsyncIterator[Sandbox]:
        """Give a fresh sandbox."""
        async with backend.open(SandboxSpec(), label="contract") as sandbox:
            yield sandbox

    async def test_run_gives_exit_and_both_outputs(self, sandbox: Sandbox) -> None:
        result = await shell(sandbox, "echo out; echo err >&2; exit 3")

        assert (result.exit, result.stdout, result.stderr) == (3, b"out\n", b"err\n")
        assert (result.cut_bytes, result.timed_out) == (0, False)

    async def test_run_ended_by_a_signal_is_128_and_its_number(self, sandbox: Sandbox) -> None:
        assert (await shell(sandbox, "kill -SEGV $$")).exit == 139

    async def test_run_of_a_missing_program_is_127(self, sandbox: Sandbox) -> None:
        result = await sandbox.run(Command(argv=["no-such-program"], seconds=SOON))

        assert result.exit == 127
        assert b"no-such-program" in result.stderr

    @pytest.mark.parametrize(
        "argv", [[], [""], ["/etc/hosts"], ["echo", "a\0b"], ["echo", "x" * 10**6]]
    )
    async def test_run_of_what_cannot_run_is_an_ordinary_failure(
        self, sandbox: Sandbox, argv: list[str]
    ) -> None:
        assert (await sandbox.run(Command(argv=argv, seconds=SOON))).exit in {126, 127}

    async def test_run_in_a_missing_directory_is_an_ordinary_failure(
        self, sandbox: Sandbox
    ) -> None:
        command = Command(argv=["pwd"], seconds=SOON, directory="not/there")

        assert (await sandbox.run(command)).exit == 126

    async def test_run_in_a_directory_below_starts_there(self, sandbox: Sandbox) -> None:
        await shell(sandbox, "mkdir -p a/b")

        result = await sandbox.run(Command(argv=["pwd"], seconds=SOON, directory="a/b"))

        assert result.stdout.decode().strip() == f"{sandbox.directory}/a/b"

    async def test_stdin_is_fed_and_closed(self, sandbox: Sandbox) -> None:
        data = secrets.token_bytes(1_000_000)

        result = await sandbox.run(Command(argv=["cat"], seconds=SOON, stdin=data))

        assert result.stdout == data

    async def test_stdin_that_nobody_reads_holds_nothing_up(self, sandbox: Sandbox) -> None:
        result = await sandbox.run(Command(argv=["true"], seconds=SOON, stdin=bytes(1_000_000)))

        assert result.exit == 0

    async def test_empty_stdin_is_at_its_end(self, sandbox: Sandbox) -> None:
        assert (await sandbox.run(Command(argv=["cat"], seconds=SOON))).stdout == b""

    async def test_output_that_is_no_text_comes_back_unchanged(self, sandbox: Sandbox) -> None:
        result = await shell(sandbox, r"printf '\000\377\303(\r\n\033[31m'")

        assert result.stdout == b"\0\xff\xc3(\r\n\x1b[31m"

    async def test_arguments_keep_spaces_and_lone_surrogates(self, sandbox: Sandbox) -> None:
        result = await sandbox.run(Command(argv=["printf", "%s|", "a b", "\ud800"], seconds=SOON))

        assert result.stdout == b"a b|\xed\xa0\x80|"

    async def test_output_of_10_mb_in_one_line_comes_whole(self, sandbox: Sandbox) -> None:
        script = "print('x' * 10_000_000)"

        result = await sandbox.run(Command(argv=["python3", "-c", script], seconds=30))

        assert (len(result.stdout), result.cut_bytes) == (10_000_001, 0)

    async def test_output_without_end_is_cut_and_counted(self, sandbox: Sandbox) -> None:
        result = await sandbox.run(Command(argv=["yes"], seconds=0.5, output_bytes=1000))

        assert len(result.stdout) == 1000
        assert result.cut_bytes > 10_000_000
        assert result.timed_out

    async def test_the_interpreter_is_the_runners(self, sandbox: Sandbox) -> None:
        result = await shell(sandbox, "python3 -c 'import sys, ssl, sqlite3; print(sys.version)'")

        assert result.stdout.decode().strip() == sys.version

    async def test_home_tmp_and_working_directory_are_empty(self, sandbox: Sandbox) -> None:
        result = await shell(sandbox, 'ls -A . "$HOME" "${TMPDIR:-/tmp}" | grep -v :; pwd')

        assert result.stdout.decode().split() == [sandbox.directory]

    async def test_environment_is_an_allow_list(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PLANTED_API_KEY", "planted")

        result = await shell(sandbox, "env")

        names = {line.partition("=")[0] for line in result.stdout.decode().splitlines()}
        allowed = {"PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "PWD"}
        assert names <= allowed | {"SHLVL", "_", "OLDPWD"}

    async def test_environment_of_a_command_is_added(self, sandbox: Sandbox) -> None:
        command = Command(
            argv=["sh", "-c", "echo $EXTRA $HOME"], seconds=SOON, environment={"EXTRA": "more"}
        )

        assert (await sandbox.run(command)).stdout.startswith(b"more /")

    async def test_leftovers_do_not_reach_the_next_sandbox(self, backend: SandboxBackend) -> None:
        token = new_token()
        async with backend.open(SandboxSpec(), label="first") as first:
            await shell(
                first,
                f'touch "$HOME/.memory" note "${{TMPDIR}}/x"; sleep {token} >/dev/null 2>&1 &',
            )
            assert living(token)

        assert not living(token)
        async with backend.open(SandboxSpec(), label="second") as second:
            result = await shell(second, 'ls -A . "$HOME" "$TMPDIR"')
            assert b"memory" not in result.stdout
            assert b"note" not in result.stdout
            assert b"x" not in result.stdout.split()

    async def test_time_limit_may_be_none_at_all(self, sandbox: Sandbox) -> None:
        assert (await shell(sandbox, "sleep 0.1", seconds=float("inf"))).exit == 0

    async def test_time_limit_kills_the_tree_with_its_daemons(self, sandbox: Sandbox) -> None:
        token = new_token()
        daemon = f"(setsid sh -c 'sleep {token} & exec env -i sleep {token}' &)"

        result = await shell(sandbox, f"echo before; {daemon}; {daemon}; sleep {token}", seconds=1)

        assert (result.exit, result.timed_out, result.stdout) == (None, True, b"before\n")
        assert 1 <= result.seconds < SOON
        assert not living(token)

    async def test_time_limit_frees_the_port_of_a_server(self, sandbox: Sandbox) -> None:
        token = new_token()
        serve = 'python3 -c \'import socket, time; s = socket.create_server(("127.0.0.1", 0))'
        await shell(sandbox, f"{serve}; time.sleep({token})' & wait", seconds=1)

        assert not living(token)

    async def test_time_limit_spares_the_background_of_earlier_commands(
        self, sandbox: Sandbox
    ) -> None:
        earlier, later = new_token(), new_token()
        await shell(sandbox, f"sleep {earlier} &")

        await shell(sandbox, f"sleep {later}", seconds=0.3)

        assert living(earlier)
        assert not living(later)

    async def test_background_child_holding_the_pipe_does_not_block(self, sandbox: Sandbox) -> None:
        token = new_token()

        result = await shell(sandbox, f"sleep {token} & echo hi", seconds=5)

        assert (result.exit, result.stdout, result.timed_out) == (0, b"hi\n", False)
        assert result.seconds < 4
        assert living(token)

    async def test_background_child_may_go_on_writing(self, sandbox: Sandbox) -> None:
        await shell(sandbox, "(while [ ! -e stop ]; do echo noise; done; echo ok > end) &")

        result = await shell(sandbox, "touch stop; while [ ! -s end ]; do :; done; cat end")

        assert result.stdout == b"ok\n"

    async def test_commands_run_at_once(self, sandbox: Sandbox) -> None:
        results: list[CommandResult] = []

        async def run(script: str) -> None:
            results.append(await shell(sandbox, script))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, "while [ ! -e go ]; do sleep 0.01; done; echo first")
            tasks.start_soon(run, "touch go; echo second")

        assert {result.stdout for result in results} == {b"first\n", b"second\n"}

    async def test_cancelling_the_caller_kills_the_command(self, sandbox: Sandbox) -> None:
        token = new_token()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(shell, sandbox, f"(setsid sleep {token} &); sleep {token}")
            await wait_until_living(token)
            tasks.cancel_scope.cancel()

        assert not living(token)
        assert (await shell(sandbox, "echo still")).stdout == b"still\n"

    async def test_put_and_take_give_back_the_same_files(self, sandbox: Sandbox) -> None:
        files = (
            FileContent(path="a b/\n/ü.txt", data=b""),
            FileContent(path="big", data=secrets.token_bytes(20_000_001)),
            FileContent(path="run", data=b"#!/bin/sh\necho ran\n", executable=True),
        )

        await sandbox.put(files)

        assert (await sandbox.take(most_bytes=1 << 30, most_files=10)).files == files
        assert (await shell(sandbox, "./run")).stdout == b"ran\n"

    async def test_put_into_a_directory_replaces_whatever_is_there(self, sandbox: Sandbox) -> None:
        await shell(sandbox, "mkdir -p d/in/the/way; touch d/file; chmod 500 d")

        await sandbox.put(
            [FileContent(path="in", data=b"1"), FileContent(path="file/below", data=b"2")],
            directory="d",
        )

        taken = await sandbox.take(most_bytes=100, most_files=10)
        assert [(f.path, f.data) for f in taken.files] == [("d/file/below", b"2"), ("d/in", b"1")]

    async def test_put_follows_no_link(self, sandbox: Sandbox) -> None:
        await shell(
            sandbox, 'mkdir "$HOME/t"; echo old > "$HOME/f"; ln -s "$HOME/t" d; ln -s "$HOME/f" l'
        )

        await sandbox.put(
            [FileContent(path="d/x", data=b"new"), FileContent(path="l", data=b"new")]
        )

        result = await shell(sandbox, 'cat d/x l; ls "$HOME/t"; cat "$HOME/f"')
        assert result.stdout == b"newnewold\n"

    @pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", ".", "a\0b"])
    async def test_put_outside_of_the_directory_is_refused(
        self, sandbox: Sandbox, path: str
    ) -> None:
        with pytest.raises(SandboxError):
            await sandbox.put([FileContent(path=path, data=b"")])

    async def test_read_gives_at_most_what_is_asked_for(self, sandbox: Sandbox) -> None:
        await shell(sandbox, 'echo 0123456789 > f; ln -s f within; echo there > "$HOME/h"')

        assert await sandbox.read("f", most_bytes=4) == b"0123"
        assert await sandbox.read("within", most_bytes=100) == b"0123456789\n"
        assert await sandbox.read("f", most_bytes=0) == b""

    @pytest.mark.parametrize("path", ["fifo", "out", "zero", "dir", "missing", "fifo/x", "../../x"])
    async def test_read_of_no_regular_file_inside_is_file_not_found(
        self, sandbox: Sandbox, path: str
    ) -> None:
        await shell(sandbox, "mkfifo fifo; ln -s /etc/hosts out; ln -s /dev/zero zero; mkdir dir")

        with pytest.raises(FileNotFoundError):
            await sandbox.read(path, most_bytes=10)

    async def test_take_leaves_out_and_names_what_is_no_regular_file(
        self, sandbox: Sandbox
    ) -> None:
        await shell(sandbox, "echo 1 > f; mkfifo p; ln -s /etc/hosts l; ln -s /etc d; mkdir -p e")

        taken = await sandbox.take(most_bytes=100, most_files=10)

        assert [file.path for file in taken.files] == ["f"]
        assert sorted(path for path, _ in taken.left_out) == ["d", "l", "p"]

    async def test_take_stays_within_its_caps(self, sandbox: Sandbox) -> None:
        await shell(sandbox, "for i in 1 2 3 4; do echo $i > $i; done; truncate -s 900M sparse")

        by_files = await sandbox.take(most_bytes=100, most_files=3)
        by_bytes = await sandbox.take(most_bytes=5, most_files=100)

        assert [file.path for file in by_files.files] == ["1", "2", "3"]
        assert [file.path for file in by_bytes.files] == ["1", "2"]
        assert {path for path, _ in by_bytes.left_out} >= {"3", "4"}

    async def test_take_of_a_hostile_tree_ends(self, sandbox: Sandbox) -> None:
        script = (
            "import os\n"
            "open(b'\\xff', 'w').close()\n"
            "for i in range(3000): os.symlink('x', f'link{i}')\n"
            "for _ in range(500): os.mkdir('deep'); os.chdir('deep')\n"
        )
        await sandbox.run(Command(argv=["python3", "-c", script], seconds=30))

        taken = await sandbox.take(most_bytes=100, most_files=10)

        assert taken.files == ()
        reasons = dict(taken.left_out)
        assert reasons["\\xff"] == "its name is not UTF-8"
        assert "too deep" in reasons.values()
        assert len(taken.left_out) < 1100

    async def test_twenty_at_once_do_not_disturb_each_other(self, backend: SandboxBackend) -> None:
        seen: list[bytes] = []

        async def live(number: int) -> None:
            async with backend.open(SandboxSpec(), label=f"one of many {number}") as sandbox:
                await shell(sandbox, f"echo {number} > f", seconds=30)
                seen.append((await shell(sandbox, "cat f", seconds=30)).stdout)

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(live, number)

        assert sorted(map(int, seen)) == list(range(20))

    async def test_an_error_in_the_block_comes_out_as_it_is(self, backend: SandboxBackend) -> None:
        token = new_token()

        async def fail_inside() -> None:
            async with backend.open(SandboxSpec(), label="failing") as sandbox:
                await shell(sandbox, f"sleep {token} &")
                raise KeyError(token)

        with pytest.raises(KeyError, match=token):
            await fail_inside()

        assert not living(token)

    async def test_closing_ends_soon_whatever_runs(self, backend: SandboxBackend) -> None:
        token = new_token()
        async with backend.open(SandboxSpec(), label="stubborn") as sandbox:
            await shell(sandbox, f"trap '' TERM HUP INT; for i in 1 2 3; do sleep {token} & done")
            await shell(sandbox, "yes & yes >&2 &")
            started = time.monotonic()

        assert time.monotonic() - started < SOON
        assert not living(token)

    async def test_a_killed_runner_leaves_nothing(self) -> None:
        token = new_token()
        command = [sys.executable, "-m", "runner.testing.open_sandbox", self.opener, token]

        async with await anyio.open_process(command, stderr=subprocess.DEVNULL) as runner:
            await wait_until_living(f"sleep {token}")
            runner.kill()

        await wait_until_dead(token)

    async def test_a_runner_killed_while_it_opens_leaves_nothing(self) -> None:
        token = new_token()
        command = [sys.executable, "-m", "runner.testing.open_sandbox", self.opener, token]

        for round_number in range(5):
            async with await anyio.open_process(command, stderr=subprocess.DEVNULL) as runner:
                assert runner.stdout is not None
                await runner.stdout.receive()
                await anyio.sleep(round_number * 0.004)  # a moment within the sandbox's start
                runner.kill()

        await wait_until_dead(token)
