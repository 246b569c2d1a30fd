"""No text from outside steers a terminal, and tables stay aligned."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runner.printable import columns, one_line, printable
from runner.reports.table import table_text

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_printable_text_holds_no_control_character_and_is_encodable(text: str) -> None:
    shown = printable(text)

    shown.encode()
    assert not any(ord(sign) < 0x20 and sign not in "\n\t" for sign in shown)
    assert not any(0x7F <= ord(sign) < 0xA0 for sign in shown)
    assert not set(shown) & set("\u202e\u2066\u2028")


@given(ANY_TEXT)
def test_one_line_stays_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(st.text(st.characters(categories=("L", "N", "P"))))
def test_harmless_text_is_left_as_it_is(text: str) -> None:
    assert printable(text) == text


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=1, max_size=5))
def test_a_tables_second_column_begins_at_the_same_place(rows: list[tuple[str, str]]) -> None:
    marked = [(left, f"|{right}") for left, right in rows]

    lines = table_text(("left", "|right"), marked).split("\n")

    assert len(lines) == len(rows) + 1
    widest = max(columns(one_line(left)) for left, _ in [("left", ""), *rows])
    for line, (left, _) in zip(lines, [("left", ""), *rows], strict=True):
        shown = one_line(left)
        assert line.startswith(shown)
        assert line[len(shown) :].lstrip(" ").startswith("|")
        assert columns(shown) + line[len(shown) :].index("|") == widest + 2
