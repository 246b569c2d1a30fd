"""The entry point of ``runner``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from typer.main import get_command

from runner.cli.commands import db, gc, launch, list_sweeps, resume, show, sql, status
from runner.cli.exit_codes import TABLE, ExitCode
from runner.cli.faults import explain, say_error
from runner.cli.printing.output import (
    ReaderGoneError,
    prepare_streams,
    say,
    settle_stderr,
    write_text,
)
from runner.errors import UsageError

DISTRIBUTION = "agent-trial-runner"


def main() -> None:
    """Run the command line and exit."""
    code = run(sys.argv[1:])
    settle_stderr()
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command; give its exit code. Without a command, print the help."""
    prepare_streams()
    try:
        return _invoke(arguments or ["--help"])
    except typer.Exit as end:
        return end.exit_code
    except typer.TyperException as error:
        return _misuse(error)
    except ReaderGoneError:
        return ExitCode.DONE
    except Exception as error:  # noqa: BLE001 - the command's edge: every error becomes an exit code
        return explain(error)
    except (KeyboardInterrupt, BaseExceptionGroup):  # a group that is no ExceptionGroup holds one
        say("interrupted")
        return ExitCode.INTERRUPTED


def _invoke(arguments: list[str]) -> int:
    for argument in arguments:
        _require_text(argument)
    command = get_command(make_app())
    with command.make_context("runner", arguments) as context:
        code: int | None = command.invoke(context)
    return code or ExitCode.DONE


def _require_text(argument: str) -> None:
    """Refuse bytes that are no text: no database could hold them."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise UsageError(f"the argument {argument!r} is not valid UTF-8") from None


def _misuse(error: typer.TyperException) -> int:
    """Say what is wrong with the flags; typer's own box is not for logs and scripts."""
    context = getattr(error, "ctx", None)
    hint = None if context is None else f"See `{context.command_path} --help`."
    say_error(error.format_message(), hint)
    return error.exit_code


def make_app() -> typer.Typer:
    """Put the commands together, in the order of a sweep's life."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        epilog=TABLE,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    )
    app.callback()(_runner)
    app.command("launch")(launch.launch)
    app.command("resume")(resume.resume)
    app.command("status")(status.status)
    app.command("list")(list_sweeps.list_sweeps)
    app.command("show")(show.show)
    app.command("sql")(sql.sql)
    app.add_typer(db.make_app(), name="db")
    app.command("gc")(gc.gc)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - slow, and rarely needed

        write_text(f"runner {version(DISTRIBUTION)}")
        raise typer.Exit


def _runner(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Run agents against suites of tasks, many times over, into a ledger that survives crashes.

    A sweep is one launch of a suite. Everything that happens is in the ledger, so a sweep that was
    stopped, for whatever reason, goes on with `runner resume`.
    """
