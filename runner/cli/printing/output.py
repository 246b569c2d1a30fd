"""Where output goes: data to stdout, everything else to stderr."""

from __future__ import annotations

import errno
import json
import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from runner.cli.printing.encoding import PLAIN, register_plain
from runner.errors import RunnerError


class ReaderGoneError(Exception):
    """Whoever read our stdout has closed it (``runner list | head -1``): nothing went wrong."""


def prepare_streams() -> None:
    """Make both streams take any text, whatever their encoding, also where they are closed.

    A descriptor that is free would be given to the next file, which whatever is printed would
    then destroy.
    """
    register_plain()
    for descriptor in range(3):
        _open_if_closed(descriptor)
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=PLAIN)


def write_text(text: str) -> None:
    """Write data for people to stdout, with a line end.

    Raises:
        ReaderGoneError: If nobody reads it.
        RunnerError: If it cannot be written, for instance to a full disk.
    """
    try:
        _write_whole(text if text.endswith("\n") else f"{text}\n")
    except OSError as error:
        _discard(sys.stdout)
        if error.errno in {errno.EPIPE, errno.EIO}:  # EIO: the terminal was closed
            raise ReaderGoneError from None
        raise RunnerError(f"cannot write the output: {error.strerror}") from error


def write_json(value: object) -> None:
    """Write data for programs to stdout: strict JSON in ASCII.

    Raises:
        ReaderGoneError: If nobody reads it.
    """
    write_text(json.dumps(value, indent=2, allow_nan=False))


def say(text: str) -> None:
    """Tell people something on stderr; a closed stderr is no reason to stop anything."""
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        pass


def settle_stderr() -> None:
    """Drop what nobody took from stderr; else Python fails at exit and hides the exit code."""
    try:
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def _write_whole(text: str) -> None:
    """Write every byte: with PYTHONUNBUFFERED a text stream drops what a pipe did not take."""
    stream = sys.stdout.buffer
    rest = memoryview(text.encode(sys.stdout.encoding, PLAIN))
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def _open_if_closed(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        os.open(os.devnull, os.O_RDWR)  # takes the lowest number, which is this one


def _nowhere() -> TextIOWrapper:
    return Path(os.devnull).open("w", encoding="utf-8")


def _discard(stream: TextIO) -> None:
    """Send what is still buffered nowhere; else Python complains of it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
