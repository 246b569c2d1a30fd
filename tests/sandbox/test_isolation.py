"""What only a back end that isolates can promise."""

from __future__ import annotations

import secrets
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from runner.domain import FileContent, SandboxSpec
from runner.sandbox import Command, Sandbox, SandboxBackend
from runner.testing.sandbox_backends import make_backend
from runner.testing.sandbox_contract import SOON, new_token, shell

pytestmark = pytest.mark.bubblewrap

MEMORY = 192 << 20
#: Slow enough that the machine bears it for as long as a watchdog needs to see it.
BOMB = """\
import os, time
while True:
    time.sleep(0.02)
    try:
        os.fork()
    except OSError:
        pass
"""
SMALL = SandboxSpec(memory_ceiling_bytes=MEMORY, processes=48)


@pytest.fixture(params=["bubblewrap", "bubblewrap-bare"])
def backend(request: pytest.FixtureRequest) -> SandboxBackend:
    return make_backend(request.param)


@pytest.fixture
async def sandbox(backend: SandboxBackend) -> AsyncIterator[Sandbox]:
    async with backend.open(SMALL, label="isolation") as sandbox:
        yield sandbox


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept_one() -> None:
            server.accept()[0].close()

        thread = threading.Thread(target=accept_one)
        thread.start()
        yield server.getsockname()[1]
        with socket.create_connection(server.getsockname()):
            pass
        thread.join()


async def test_commands_cannot_reach_the_host_by_network(sandbox: Sandbox, listener: int) -> None:
    script = f"import socket; socket.create_connection(('127.0.0.1', {listener}), 5)"

    result = await sandbox.run(Command(argv=["python3", "-c", script], seconds=SOON))

    assert b"ConnectionRefusedError" in result.stderr


async def test_commands_can_talk_to_each_other_on_loopback(sandbox: Sandbox) -> None:
    script = (
        "import socket; s = socket.create_server(('127.0.0.1', 0));"
        "socket.create_connection(s.getsockname()); print('joined')"
    )

    result = await sandbox.run(Command(argv=["python3", "-c", script], seconds=SOON))

    assert result.stdout == b"joined\n"


async def test_commands_reach_the_network_where_the_task_asks_for_it(
    backend: SandboxBackend, listener: int
) -> None:
    script = f"import socket; socket.create_connection(('127.0.0.1', {listener}), 5); print('in')"

    async with backend.open(SandboxSpec(network=True), label="network") as sandbox:
        result = await sandbox.run(Command(argv=["python3", "-c", script], seconds=SOON))

    assert result.stdout == b"in\n"


async def test_nothing_planted_on_the_host_is_visible(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"planted-{secrets.token_hex(8)}"
    monkeypatch.setenv("PLANTED_API_KEY", name)
    home = Path.home() / name
    (tmp_path / name).write_text(name)
    home.write_text(name)
    try:
        search = f"find / -name '{name}' -o -name sandbox_contract.py; cat /proc/[0-9]*/environ"
        result = await shell(sandbox, f"({search}) 2>/dev/null | grep -ac -e planted -e contract")
    finally:
        home.unlink()

    assert result.stdout == b"0\n"


async def test_runners_own_code_cannot_be_imported(sandbox: Sandbox) -> None:
    result = await sandbox.run(Command(argv=["python3", "-c", "import runner"], seconds=SOON))

    assert b"ModuleNotFoundError" in result.stderr


async def test_descriptors_of_the_runner_are_out_of_reach(sandbox: Sandbox) -> None:
    own = await shell(sandbox, "ls /proc/self/fd")
    of_init = await shell(sandbox, "readlink /proc/1/fd/*; cat /proc/1/environ /proc/1/maps")

    # The fourth is of ls itself, reading the directory.
    assert own.stdout.split() == [b"0", b"1", b"2", b"3"]
    assert of_init.stdout == b""


async def test_commands_can_neither_trace_nor_end_the_first_process(sandbox: Sandbox) -> None:
    script = (
        "import ctypes, os, signal\n"
        "print(ctypes.CDLL(None).ptrace(16, 1, 0, 0))\n"
        "for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGCHLD):\n"
        "    try: os.kill(1, number)\n"
        "    except PermissionError: pass\n"
    )
    result = await sandbox.run(Command(argv=["python3", "-c", script], seconds=SOON))

    assert result.stdout == b"-1\n"
    assert (await shell(sandbox, "kill -9 -1; echo on")).exit is not None
    assert (await shell(sandbox, "echo on")).stdout == b"on\n"


async def test_commands_have_no_rights(sandbox: Sandbox) -> None:
    status = (await shell(sandbox, "cat /proc/self/status")).stdout.decode()

    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {lines[name] for name in ("CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert lines["NoNewPrivs"] == "1"


async def test_the_system_is_read_only(sandbox: Sandbox) -> None:
    script = "for d in / /usr /etc /bin /dev /proc/sys/kernel; do touch $d/x && echo $d; done"

    assert (await shell(sandbox, script)).stdout == b""


async def test_a_fork_bomb_is_contained_and_killed(sandbox: Sandbox) -> None:

    result = await sandbox.run(Command(argv=["python3", "-c", BOMB], seconds=1.5))

    # Where the kernel holds no limit, the watchdog kills it before its time is over.
    assert result.timed_out or result.exit == 137
    assert result.seconds < SOON
    count = await shell(sandbox, "ls -d /proc/[0-9]* | wc -l")
    assert int(count.stdout) <= 5


async def test_a_fork_bomb_in_the_background_leaves_init_in_charge(sandbox: Sandbox) -> None:
    await sandbox.put([FileContent(path="bomb.py", data=BOMB.encode())])
    await shell(sandbox, "python3 bomb.py & sleep 0.5", seconds=3)

    taken = await sandbox.take(most_bytes=10_000, most_files=10)

    assert [file.path for file in taken.files] == ["bomb.py"]


async def test_taking_files_survives_a_background_child_that_kills_all(sandbox: Sandbox) -> None:
    await sandbox.put([FileContent(path="f", data=bytes(5_000_000))])
    await shell(
        sandbox, "python3 -c 'import os\nwhile 1:\n  try: os.kill(-1, 9)\n  except OSError: 0' &"
    )

    taken = await sandbox.take(most_bytes=10_000_000, most_files=10)

    assert [file.path for file in taken.files] == ["f"]


async def test_a_memory_hog_is_killed_and_counted(sandbox: Sandbox) -> None:
    before = sandbox.oom_kills

    result = await sandbox.run(
        Command(argv=["python3", "-c", f"x = b'1' * {3 * MEMORY // 2}; input()"], seconds=30)
    )

    assert (result.exit, result.timed_out) == (137, False)
    assert before == 0
    assert sandbox.oom_kills == 1


async def test_memory_of_many_processes_counts_together(sandbox: Sandbox) -> None:
    script = (
        "import os, time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        f"        x = b'1' * {MEMORY // 3}\n"
        "        time.sleep(3)\n"
        "        os._exit(0)\n"
        "print(sum(os.wait()[1] == 9 for _ in range(4)))\n"
    )

    result = await sandbox.run(Command(argv=["python3", "-c", script], seconds=30))

    assert int(result.stdout) >= 1
    assert sandbox.oom_kills >= 1


async def test_a_full_disk_is_the_commands_own_error(sandbox: Sandbox) -> None:
    script = "for d in . $HOME $TMPDIR /dev/shm; do head -c 1G /dev/zero > $d/x; done; du -sm ."

    result = await shell(sandbox, script, seconds=30)

    assert result.stderr.count(b"No space left on device") == 4
    assert int(result.stdout.split()[0]) <= MEMORY >> 20
    assert sandbox.oom_kills == 0


async def test_a_file_beyond_the_limit_is_the_commands_own_error(backend: SandboxBackend) -> None:
    async with backend.open(SandboxSpec(file_bytes=1 << 20), label="files") as sandbox:
        result = await shell(sandbox, "head -c 2M /dev/zero > x; ls -l x")

    assert b" 1048576 " in result.stdout


async def test_the_label_is_not_visible_inside(backend: SandboxBackend) -> None:
    label = new_token()
    async with backend.open(SandboxSpec(), label=label) as sandbox:
        result = await shell(
            sandbox, "cat /proc/*/cmdline /proc/*/cgroup /proc/mounts; env; hostname"
        )

    assert label.encode() not in result.stdout
