"""From an error to two lines on stderr and an exit code."""

from __future__ import annotations

import tempfile
import traceback

from runner.cli.exit_codes import ExitCode
from runner.cli.printing.output import say
from runner.cli.settings import read_settings
from runner.errors import RunnerError, UsageError
from runner.printable import printable


def explain(error: Exception) -> ExitCode:
    """Say what went wrong and what to do next; give the exit code."""
    if isinstance(error, ExceptionGroup):
        from runner.engine.endings import foremost  # noqa: PLC0415 - only where tasks were parallel

        error = foremost(error)
    if not isinstance(error, RunnerError):
        return _our_fault(error)
    say_error(error.message, error.hint)
    return ExitCode.MISUSE if isinstance(error, UsageError) else ExitCode.BROKEN


def say_error(message: str, hint: str | None) -> None:
    """Print an error in its two lines."""
    say(f"error: {printable(message)}")
    if hint is not None:
        say(f"hint: {printable(hint)}")


def _our_fault(error: Exception) -> ExitCode:
    """Keep the traceback in a file and say where; a screen full of it helps nobody."""
    text = _without_secrets("".join(traceback.format_exception(error)))
    say_error(
        f"{type(error).__name__}: {_without_secrets(str(error))}",
        "This is a fault of runner; what is recorded is safe.",
    )
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="runner-fault-", suffix=".txt", delete=False, errors="backslashreplace"
        ) as file:
            file.write(text)
        say(f"traceback: {file.name}")
    except OSError:
        say(printable(text))
    return ExitCode.OUR_FAULT


def _without_secrets(text: str) -> str:
    key = read_settings().api_key
    return text if key is None else text.replace(key, "[key]")
