"""A way with what a stream's encoding does not know: it never crashes and stays readable."""

from __future__ import annotations

import codecs

from runner.printable import escape

PLAIN = "runner-plain"


def register_plain() -> None:
    """Make the error handler known to encoders under the name ``PLAIN``."""
    codecs.register_error(PLAIN, _replace)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_ALIKE.get(sign) or escape(sign) for sign in signs), error.end


#: How signs of our own look in ASCII; all else becomes an escape.
_ALIKE = {"≥": ">=", "…": "...", "·": "-", "→": "->", "█": "#", "░": "."}
