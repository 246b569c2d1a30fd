"""The reference of the command line, made from its own --help; ``docs/cli.md`` is its output.

Print it with ``python -m runner.cli.reference``.
"""

from __future__ import annotations

from collections.abc import Iterator

from typer.main import get_command

from runner.cli.main import make_app
from runner.cli.printing.output import prepare_streams, write_text

COLUMNS = 100
_HEAD = """# Command line

Made from `runner --help`; do not edit by hand.
"""


def reference() -> str:
    """Give the whole reference as Markdown."""
    return "\n".join([_HEAD, *(_section(path) for path in _paths())])


def _paths() -> Iterator[tuple[str, ...]]:
    app = make_app()
    yield ()
    for command in app.registered_commands:
        yield (str(command.name),)
    for group in app.registered_groups:
        yield (str(group.name),)
        assert group.typer_instance is not None  # noqa: S101 - it was given
        for command in group.typer_instance.registered_commands:
            yield (str(group.name), str(command.name))


def _section(path: tuple[str, ...]) -> str:
    name = " ".join(["runner", *path])
    return f"## {name}\n\n```\n{_help(path)}\n```\n"


def _help(path: tuple[str, ...]) -> str:
    command = get_command(make_app())
    context = command.make_context(
        "runner",
        list(path),
        resilient_parsing=True,
        terminal_width=COLUMNS,
        max_content_width=COLUMNS,
    )
    for word in path:
        inner = getattr(command, "commands", {})[word]
        context = inner.make_context(word, [], parent=context, resilient_parsing=True)
        command = inner
    lines = command.get_help(context).rstrip().split("\n")
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    prepare_streams()
    write_text(reference())
