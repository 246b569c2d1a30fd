from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runner.agents.claude.clip import clip


@given(st.binary(max_size=300), st.integers(min_value=0, max_value=9))
def test_a_clipped_output_is_bounded_and_counts_what_is_missing(output: bytes, lost: int) -> None:
    text = clip(output, lost_bytes=lost, most_bytes=100)

    assert len(text) <= 100 + 2 * len("\n[200 bytes cut]\n")
    assert ("bytes cut]" in text) == (len(output) > 100 or lost > 0)


def test_head_and_tail_are_kept_and_what_was_never_captured_is_said_at_the_end() -> None:
    assert clip(b"abcdef", most_bytes=6) == "abcdef"
    assert clip(b"abcdefghij", most_bytes=6) == "abc\n[4 bytes cut]\nhij"
    assert clip(b"abcdefghij", lost_bytes=7, most_bytes=6).endswith("hij\n[7 bytes cut]")
    assert clip(b"abc", lost_bytes=7, most_bytes=6) == "abc\n[7 bytes cut]"
