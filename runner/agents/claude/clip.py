"""The part of a long output that a model gets to read."""

from __future__ import annotations

#: Most bytes of one tool's output in the conversation; the ledger has all of it.
MOST_BYTES = 16_000


def clip(output: bytes, *, lost_bytes: int = 0, most_bytes: int = MOST_BYTES) -> str:
    """Give an output's head and tail as text, with the number of bytes that were cut.

    Args:
        output: What was captured.
        lost_bytes: How many bytes more there were after it.
        most_bytes: The most that is kept, head and tail together.
    """
    if len(output) > most_bytes:
        half = most_bytes // 2
        cut = len(output) - 2 * half
        kept = f"{_text(output[:half])}\n[{cut} bytes cut]\n{_text(output[-half:])}"
    else:
        kept = _text(output)
    return f"{kept}\n[{lost_bytes} bytes cut]" if lost_bytes else kept


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
