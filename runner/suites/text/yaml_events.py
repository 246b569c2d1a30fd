"""The YAML library's event stream as values of our own; the only file that sees the library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class EventKind(Enum):
    """What begins, ends or stands at a place of the text."""

    SCALAR = "scalar"
    ALIAS = "alias"
    LIST = "list"
    MAP = "map"
    END = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlEvent:
    """One event.

    Attributes:
        line: Counts from 1.
        text: A scalar's text.
        quoted: Whether the scalar can only be text.
        anchor: The anchor that it sets, or the alias's name.
    """

    kind: EventKind
    line: int
    text: str = ""
    quoted: bool = False
    anchor: str = ""


class YamlSyntaxError(Exception):
    """The text is not YAML, or YAML that a suite file may not hold; never leaves this package."""

    def __init__(self, line: int, what: str, hint: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what
        self.hint = hint


def yaml_events(text: str) -> Iterator[YamlEvent]:
    """Parse one document into events, in the order of the text.

    Raises:
        YamlSyntaxError: On bad syntax, a second document, a tag, or another version than 1.2.
    """
    # The library takes 40 ms to load, which a command that reads no suite should not pay.
    from ruamel.yaml import YAML, events  # noqa: PLC0415 - as said above
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415 - as said above

    hidden, shown = _line_separators(text)
    documents = 0
    try:
        for event in YAML(typ="safe", pure=True).parse(text.translate(hidden)):
            line = event.start_mark.line + 1
            if isinstance(event, events.DocumentStartEvent):
                documents += 1
                _check_document(documents, line, event.version)
            elif isinstance(event, events.ScalarEvent):
                yield YamlEvent(
                    kind=EventKind.SCALAR,
                    line=line,
                    text=event.value.translate(shown),
                    quoted=_is_text(event.tag, line) or event.style is not None,
                    anchor=event.anchor or "",
                )
            elif isinstance(event, events.AliasEvent):
                yield YamlEvent(kind=EventKind.ALIAS, line=line, anchor=event.anchor)
            elif isinstance(event, events.CollectionEndEvent):
                yield YamlEvent(kind=EventKind.END, line=line)
            elif isinstance(event, events.CollectionStartEvent):
                _is_text(event.tag, line)
                is_map = isinstance(event, events.MappingStartEvent)
                yield YamlEvent(
                    kind=EventKind.MAP if is_map else EventKind.LIST,
                    line=line,
                    anchor=event.anchor or "",
                )
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(filter(None, (error.problem, error.context)))
        raise YamlSyntaxError(mark.line + 1 if mark else 1, what, _syntax_hint(what)) from error
    except YAMLError as error:
        raise YamlSyntaxError(*_unprintable(text)) from error


def _check_document(number: int, line: int, version: tuple[int, int] | None) -> None:
    if number > 1:
        raise YamlSyntaxError(
            line, "a second document starts here", "Keep one document in a file: remove '---'."
        )
    if version not in (None, (1, 2)):
        raise YamlSyntaxError(
            line, "the file asks for another YAML than 1.2", "Remove the %YAML line."
        )


def _is_text(tag: str | None, line: int) -> bool:
    """Tell whether a tag makes a scalar text; refuse every tag that could make anything else."""
    if tag in (None, *_HARMLESS):
        return False
    if tag in ("!", "tag:yaml.org,2002:str"):
        return True
    raise YamlSyntaxError(line, f"the tag {tag} is not allowed", "Remove the tag.")


def _line_separators(text: str) -> tuple[dict[int, int], dict[int, int]]:
    """Give tables that hide U+0085, U+2028 and U+2029 from the library, and show them again.

    YAML 1.2 takes them for ordinary characters, the library's scanner for line ends.
    """
    present = [ord(char) for char in "\x85\u2028\u2029" if char in text]
    spare = (code for code in range(0xF0000, 0xFFFFD) if not present or chr(code) not in text)
    hidden = dict(zip(present, spare, strict=False))
    return hidden, {there: here for here, there in hidden.items()}


def _unprintable(text: str) -> tuple[int, str, str]:
    for number, line in enumerate(text.split("\n"), start=1):
        for char in line:
            if (ord(char) < 0x20 and char not in "\t\r") or 0x7F <= ord(char) < 0xA0:
                return (
                    number,
                    f"the control character U+{ord(char):04X} stands here",
                    'Remove it, or write it as an escape in double quotes ("\\x1b").',
                )
    return 1, "a character stands here that YAML does not allow", "Remove it, or escape it."


def _syntax_hint(what: str) -> str:
    for part, hint in _SYNTAX_HINTS.items():
        if part in what:
            return hint
    return "Check indentation, quotes and brackets on this line and the one above."


_HARMLESS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_SYNTAX_HINTS = {
    "'\\t'": "Indent with spaces, not with tabs.",
    "mapping values are not allowed": "Quote the text if it holds a colon followed by a space.",
    "quoted scalar": "Close the quote.",
    "flow sequence": "Close the bracket ']'.",
    "flow mapping": "Close the brace '}'.",
    "cannot start any token": "Quote text that starts with @, `, % or another special character.",
}
