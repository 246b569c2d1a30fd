"""Start one command, or one of init's own workers, with a command's rights and limits."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # without the ``enum`` that ``signal`` loads
import os
import resource
from _collections_abc import Callable

from runner.sandbox.inside.libc import make_dumpable
from runner.sandbox.inside.removal import names_in
from runner.sandbox.inside.setup import Limits
from runner.sandbox.inside.tree import MARKER_LIMIT

#: What a shell gives for a program that is there and cannot be executed.
CANNOT_EXECUTE = 126
NOT_FOUND = 127


class Rights:
    """What a command may be and use.

    Attributes:
        user: User and group id to become, or None to stay who init is.
        limits: Resource limits.
    """

    __slots__ = ("limits", "user")

    def __init__(self, *, user: int | None, limits: Limits) -> None:
        self.user = user
        self.limits = limits


def start(work: Callable[[], int], rights: Rights, *, marker: int, standard: list[int]) -> int:
    """Fork a child that does ``work`` and ends with its result; give its process id.

    Args:
        work: What the child does; it may replace the process and then never returns.
        rights: What the child may be and use.
        marker: The number by which the child's descendants are known.
        standard: The descriptors of its standard input, output and error.
    """
    pid = os.fork()
    if pid:
        return pid
    status = CANNOT_EXECUTE
    try:
        _become(rights, marker=marker, standard=standard)
        status = work()
    except BaseException as error:  # noqa: BLE001 - a child must never go on as a second init
        os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="backslashreplace"))
    finally:
        os._exit(status)


def execute(argv: list[bytes], environment: dict[bytes, bytes], directory: bytes) -> int:
    """Replace this process by a program; give an exit status only if that fails."""
    # Not before: what a worker of init hands over must not be open to tracers either.
    make_dumpable()
    _prefer_for_oom_kill()
    os.chdir(directory)
    status, reason = NOT_FOUND, "No such file or directory"
    for program in _candidates(argv[0], environment.get(b"PATH", b"")):
        try:
            os.execve(program, argv, environment)  # noqa: S606 - a shell is what it must not be
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            status, reason = CANNOT_EXECUTE, str(error.strerror)
    os.write(2, argv[0] + f": {reason}\n".encode())
    return status


def _candidates(name: bytes, path: bytes) -> list[bytes]:
    # os.execvpe would import modules, which a command's rights may not even allow.
    if b"/" in name or not name:
        return [name]
    return [directory + b"/" + name for directory in path.split(b":") if directory]


def _become(rights: Rights, *, marker: int, standard: list[int]) -> None:
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
    # The control socket among them: from here on nothing in this process is worth reaching.
    # os.closerange would try every number, where Python was built for an older libc.
    for name in names_in("/proc/self/fd"):
        if int(name) > 2:
            _close_quietly(int(name))
    os.setsid()
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ, _signal.SIGTERM, _signal.SIGCHLD):
        _signal.signal(number, _signal.SIG_DFL)
    resource.setrlimit(MARKER_LIMIT, (marker, marker))
    for which, soft, hard in rights.limits:
        _lower(which, soft=soft, hard=hard)
    if rights.user is not None:
        os.setgroups([])
        os.setgid(rights.user)
        os.setuid(rights.user)


def _close_quietly(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        # That of the listing itself is closed by now.
        return


def _prefer_for_oom_kill() -> None:
    # The kernel then ends a command rather than init, with whom the whole sandbox would end.
    try:
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    except OSError:
        return
    try:
        os.write(descriptor, b"500")
    except OSError:
        return
    finally:
        os.close(descriptor)


def _lower(which: int, *, soft: int, hard: int) -> None:
    most = resource.getrlimit(which)[1]
    if most != resource.RLIM_INFINITY:
        hard = min(hard, most)
    resource.setrlimit(which, (min(soft, hard), hard))
