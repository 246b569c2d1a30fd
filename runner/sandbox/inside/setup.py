"""What init is told once, before its first command."""

from __future__ import annotations

#: (resource, soft, hard); a hard limit above one's own is lowered to it.
Limits = list[tuple[int, int, int]]


class Setup:
    """How the sandbox is held together.

    Attributes:
        enclosed: Whether this is process 1 of its own process namespace, so that the kernel ends
            everything inside with it.
        user: User and group id that commands become, or None where they stay who init is.
        owned: Directories that are given to that user.
        limits: Resource limits of every command.
        marker: Command n's descendants carry the number ``marker + n``.
        memory_bytes: Ceiling that the watchdog holds, or 0.
        most_processes: Likewise.
        removed: Trees to remove at the end.
    """

    __slots__ = (
        "enclosed",
        "limits",
        "marker",
        "memory_bytes",
        "most_processes",
        "owned",
        "removed",
        "user",
    )

    def __init__(
        self,
        *,
        enclosed: bool,
        marker: int,
        limits: Limits,
        user: int | None = None,
        owned: list[str],
        memory_bytes: int = 0,
        most_processes: int = 0,
        removed: list[str],
    ) -> None:
        self.enclosed = enclosed
        self.user = user
        self.owned = owned
        self.limits = limits
        self.marker = marker
        self.memory_bytes = memory_bytes
        self.most_processes = most_processes
        self.removed = removed

    def values(self) -> dict[str, object]:
        """Give what ``__init__`` takes, of types that ``marshal`` knows."""
        return {name: getattr(self, name) for name in self.__slots__}
