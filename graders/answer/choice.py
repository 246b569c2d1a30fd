"""Answers that name one of several choices."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence

from graders.answer.spelling import fold, shown
from graders.answer.statement import UnclearAnswerError, final_statement, unwrapped


def as_labels(choices: Sequence[str] | Mapping[str, str] | None) -> tuple[str, ...]:
    """Give the labels; single capital letters where a task lists none."""
    return tuple(string.ascii_uppercase) if choices is None else tuple(choices)


def read_choice(
    answer: str, choices: Sequence[str] | Mapping[str, str] | None, *, ignore_case: bool
) -> str:
    """Read the one label that an answer names.

    `B`, `(B)`, `B)`, `option B`, and a label before a text: `B) Paris`. Where the choices have
    texts, also the text alone; a text beside a label must be the label's own.

    Raises:
        UnclearAnswerError: If it names none, or more than one.
    """
    texts = choices if isinstance(choices, Mapping) else {}
    labels = {fold(label, ignore_case=ignore_case): label for label in as_labels(choices)}
    by_text = {fold(text, ignore_case=ignore_case): label for label, text in texts.items()}
    statement = final_statement(answer)
    for reading in (answer, *unwrapped(statement)):
        for spelling in (reading, _bare(reading)):
            folded = fold(spelling, ignore_case=ignore_case)
            label = labels.get(folded) or by_text.get(folded)
            if label is not None:
                return label
        label = _before_text(reading, labels, texts, ignore_case=ignore_case)
        if label is not None:
            return label
    raise UnclearAnswerError(f"{shown(statement)} names no choice")


_AROUND = re.compile(r"(?:(?:option|choice|answer)\s+)?[(\[]?\s*(.*?)\s*[)\].:]?", re.IGNORECASE)
_LABELLED = re.compile(r"(?:(?:option|choice|answer)\s+)?[(\[]?([^\s()\[\].:]+)[)\].:]+\s+(\S.*)")
_SECOND_LABEL = re.compile(r"(?:\(\w\)|\b\w\)|\b[B-Z]\b)")


def _bare(text: str) -> str:
    match = _AROUND.fullmatch(text)
    return match[1] if match else text


def _before_text(
    text: str, labels: Mapping[str, str], texts: Mapping[str, str], *, ignore_case: bool
) -> str | None:
    match = _LABELLED.fullmatch(text)
    label = labels.get(fold(match[1], ignore_case=ignore_case)) if match else None
    if match is None or label is None:
        return None
    if texts:
        same = fold(match[2], ignore_case=ignore_case) == fold(
            texts[label], ignore_case=ignore_case
        )
        return label if same else None
    return None if _SECOND_LABEL.search(match[2]) else label
