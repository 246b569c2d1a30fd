"""Trees of files on their way into and out of a sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from runner.domain import FileContent, Reason
from runner.errors import SandboxError
from runner.sandbox.protocol import TakenFiles

#: Files go in by batches of about this size, because init keeps a whole batch in memory.
_BATCH = 8 << 20


def packed(files: Sequence[FileContent], *, below: str) -> Iterator[bytes]:
    """Give batches for ``inside.files.put`` that write ``files`` to the directory ``below``.

    Raises:
        SandboxError: If a path leaves its directory.
    """
    batch: list[bytes] = []
    size = 0
    for file in files:
        path = f"{below}/{_checked(file.path)}".encode(errors="surrogateescape")
        kind = b"x" if file.executable else b"-"
        for start in range(0, max(1, len(file.data)), _BATCH):
            data = file.data[start : start + _BATCH]
            batch.append(b"%s %d %d\n" % (kind if start == 0 else b"a", len(path), len(data)))
            batch += (path, data)
            size += len(data) + len(path)
            if size >= _BATCH:
                yield b"".join(batch)
                batch, size = [], 0
    if batch:
        yield b"".join(batch)


def unpacked(stream: bytes) -> TakenFiles:
    """Read what ``inside.files.take`` wrote.

    Raises:
        ValueError: If it is not whole.
    """
    files: list[FileContent] = []
    left_out: list[tuple[str, str]] = []
    for kind, path, data in _records(stream):
        try:
            name = path.decode()
        except UnicodeDecodeError:
            left_out.append((path.decode(errors="backslashreplace"), "its name is not UTF-8"))
            continue
        if kind == b"!":
            left_out.append((name, data.decode(errors="backslashreplace")))
        elif not _stays_below(name):
            # The stream was written inside, where nothing can be relied on.
            left_out.append((name, "its path leads out of the directory"))
        else:
            files.append(FileContent(path=name, data=data, executable=kind == b"x"))
    files.sort(key=lambda file: file.path)
    return TakenFiles(files=tuple(files), left_out=tuple(left_out))


def _records(stream: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    position = 0
    while position < len(stream):
        line_end = stream.index(b"\n", position)
        kind, path_length, data_length = stream[position:line_end].split()
        path_end = line_end + 1 + int(path_length)
        position = path_end + int(data_length)
        if position > len(stream):
            raise ValueError("the stream of files is cut off")
        yield kind, stream[line_end + 1 : path_end], stream[path_end:position]


def _stays_below(path: str) -> bool:
    pure = PurePosixPath(path)
    return bool(pure.parts) and not (pure.is_absolute() or ".." in pure.parts or "\0" in path)


def _checked(path: str) -> str:
    if not _stays_below(path):
        raise SandboxError(
            f"{path!r} is not a path below a sandbox's directory",
            reason=Reason.UNFORESEEN,
            hint="Name files relative to the directory, without '..'.",
        )
    return path
