"""The command line that closes a sandbox off with bubblewrap."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import runner
from runner.domain import SandboxSpec
from runner.sandbox.outside.interpreter import base_interpreter

WORK = "/workspace"
HOME = "/home/agent"
SCRATCH = "/tmp"  # noqa: S108 - a directory of the sandbox's own
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - likewise

#: Shares of the memory ceiling, because a file in memory is memory. Together they stay below it: a
#: full disk is an error of the command that filled it, no kill for memory.
_SHARES = {WORK: 1 / 2, SCRATCH: 1 / 8, HOME: 1 / 8, SHARED_MEMORY: 1 / 16}
_LEAST_BYTES = 1 << 20

_USR = Path("/usr")
_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
#: What programs need of the system's settings; nothing that tells about the machine or its users.
#: Files are copied, because each mount adds a quarter of a millisecond to a sandbox's start.
_COPIED = ("/etc/ld.so.cache", "/etc/mime.types", "/etc/protocols", "/etc/services")
_COPIED_FOR_NETWORK = ("/etc/hosts", "/etc/resolv.conf")
_MOUNTED = ("/etc/alternatives",)
_MOUNTED_FOR_NETWORK = (
    "/etc/ssl/certs",
    "/etc/ca-certificates",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
)
_INIT_CAPABILITIES = ("CAP_CHOWN", "CAP_KILL", "CAP_SETGID", "CAP_SETUID")


class Mode(StrEnum):
    """How a process gets the right to make namespaces.

    ``ROOT`` makes them as root; commands then run as a user id that nobody else has. ``USER`` works
    for everybody, through a user namespace in which commands and init are the same user.
    """

    ROOT = "root"
    USER = "user namespace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """One sandbox's namespaces.

    Attributes:
        program: The bwrap executable.
        mode: How it gets its rights.
        spec: What the task asks for.
        user: The user and group id of commands.
    """

    program: Path
    mode: Mode
    spec: SandboxSpec
    user: int

    def arguments(self, settings: Mapping[str, int], inside: Sequence[str]) -> list[str]:
        """Give the whole command line.

        Args:
            settings: Descriptors that hold the contents of files in ``/etc``, by their path.
            inside: The command line of the first process.
        """
        return [
            str(self.program),
            *self._rights(),
            *_system_arguments(),
            *self._certificates(),
            *(
                part
                for path, descriptor in settings.items()
                for part in ("--perms", "0644", "--file", str(descriptor), path)
            ),
            *self._writable(),
            *_interpreter_arguments(),
            *(part for path in ("/", "/dev", *_covered()) for part in ("--remount-ro", path)),
            *("--chdir", "/"),
            "--",
            *inside,
        ]

    def settings(self) -> dict[str, bytes]:
        """Give the contents of the files in ``/etc``."""
        made = {
            "/etc/passwd": (
                "root:x:0:0:root:/root:/usr/sbin/nologin\n"
                f"agent:x:{self.user}:{self.user}:agent:{HOME}:/bin/sh\n"
                "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
            ),
            "/etc/group": f"root:x:0:\nagent:x:{self.user}:\nnogroup:x:65534:\n",
            "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
            "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
        }
        copied = [*_COPIED, *(_COPIED_FOR_NETWORK if self.spec.network else ())]
        return {
            **{path: text.encode() for path, text in made.items()},
            **{path: Path(path).read_bytes() for path in copied if Path(path).is_file()},
        }

    def _rights(self) -> list[str]:
        arguments = [
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
            *("--hostname", "sandbox"),
            "--as-pid-1",
            "--new-session",
            "--clearenv",
            *("--setenv", "LANG", "C.UTF-8"),
            *("--cap-drop", "ALL"),
        ]
        if not self.spec.network:
            arguments.append("--unshare-net")
        if self.mode is Mode.USER:
            arguments += ["--unshare-user", "--disable-userns"]
            arguments += ["--uid", str(self.user), "--gid", str(self.user)]
        else:
            for capability in _INIT_CAPABILITIES:
                arguments += ["--cap-add", capability]
        return arguments

    def _certificates(self) -> list[str]:
        if not self.spec.network:
            return []
        return [
            *_open_directory("/etc/ssl"),
            *(part for path in _MOUNTED_FOR_NETWORK for part in ("--ro-bind-try", path, path)),
        ]

    def _writable(self) -> list[str]:
        arguments = []
        for directory, share in _SHARES.items():
            size = max(_LEAST_BYTES, int(self.spec.memory_ceiling_bytes * share))
            open_to_all = directory in {SCRATCH, SHARED_MEMORY}
            arguments += ["--perms", "1777" if open_to_all else "0755"]
            arguments += ["--size", str(size), "--tmpfs", directory]
        return [*arguments, "--symlink", "../tmp", "/var/tmp"]  # noqa: S108 - inside


@cache
def _system_arguments() -> tuple[str, ...]:
    """Mount the system read-only, and cover what must not be seen in it."""
    arguments = ["--proc", "/proc", "--dev", "/dev", "--ro-bind", "/usr", "/usr"]
    # Directories that bwrap makes on its way are closed to all but root.
    arguments += [*_open_directory("/etc"), *_open_directory("/var")]
    for name in _SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            arguments += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            arguments += ["--ro-bind", str(path), str(path)]
    for setting in _MOUNTED:
        arguments += ["--ro-bind-try", setting, setting]
    return (*arguments, *_covers(_USR))


@cache
def _interpreter_arguments() -> tuple[str, ...]:
    """Mount the interpreter by its real path, wherever that is, and cover likewise."""
    arguments: list[str] = []
    for directory in base_interpreter().directories:
        covered = any(directory.is_relative_to(hidden) for hidden in _hidden())
        if covered or not directory.is_relative_to(_USR):
            for parent in reversed(directory.parents[:-1]):
                arguments += _open_directory(str(parent))
            arguments += ["--ro-bind", str(directory), str(directory)]
            arguments += _covers(directory)
    return tuple(arguments)


@cache
def _covered() -> tuple[str, ...]:
    """Find what is covered, to be closed once all mounts below it are made."""
    mounted = (_USR, *base_interpreter().directories)
    covers = [_covers(directory) for directory in mounted]
    return tuple(dict.fromkeys(path for cover in covers for path in cover[1::2]))


def _open_directory(path: str) -> list[str]:
    return ["--perms", "0755", "--dir", path]


def _covers(mounted: Path) -> list[str]:
    return [
        part
        for hidden in _hidden()
        if hidden.is_relative_to(mounted) and hidden != mounted
        for part in ("--tmpfs", str(hidden))
    ]


@cache
def _hidden() -> tuple[Path, ...]:
    """Find where graders, hidden tests and solutions may lie: this package, or the checkout."""
    packages = Path(runner.__file__).resolve().parent.parent
    if (packages / "pyproject.toml").exists():
        return (packages,)
    return tuple(p for p in (packages / "runner", packages / "graders") if p.is_dir())


def memory_file(content: bytes) -> int:
    """Give a descriptor from which ``content`` can be read; the caller closes it."""
    descriptor = os.memfd_create("settings")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
