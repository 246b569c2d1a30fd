"""``runner gc``: remove what dead runners left on this machine."""

from __future__ import annotations

from runner.cli.flags import AsJson


def gc(as_json: AsJson = False) -> None:
    """Remove sandboxes whose runner is gone.

    That is their processes, directories and control groups. What belongs to a living runner or to
    another machine stays; the ledger is not touched.
    """
    from runner.cli.printing.output import say, write_json, write_text  # noqa: PLC0415 - as below
    from runner.printable import one_line  # noqa: PLC0415 - as below
    from runner.sandbox import sweep_leftovers  # noqa: PLC0415 - heavy: kept out of --help

    removed = sweep_leftovers()
    if as_json:
        write_json({"removed": list(removed)})
    elif removed:
        write_text("\n".join(one_line(path) for path in removed))
    else:
        say("nothing to remove")
