"""Compares an answer with a key and says what was compared with what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graders.answer.choice import read_choice
from graders.answer.compare import Differences, compare_items, same_quantity, same_text
from graders.answer.items import answer_items
from graders.answer.prose import read_number
from graders.answer.settings import AnswerSettings, Match
from graders.answer.spelling import MOST_BYTES, is_empty, is_too_long, shown
from graders.answer.statement import UnclearAnswerError, final_statement
from graders.protocol import GradingBench
from runner.domain import Task, Verdict, WorkProduct


@dataclass(frozen=True, slots=True)
class AnswerGrader:
    """Passes an answer that equals the key, under the rules of its kind of match."""

    name: str
    settings: AnswerSettings

    async def grade(self, task: Task, work: WorkProduct, bench: GradingBench) -> Verdict:  # noqa: ARG002 - the protocol's
        """Judge the answer alone; open no sandbox."""
        passed, explanation = judge_answer(work.answer, self.settings)
        return Verdict(
            grader=self.name,
            passed=passed,
            score=1.0 if passed else 0.0,
            explanation=explanation,
        )


def judge_answer(answer: str | None, settings: AnswerSettings) -> tuple[bool, str]:
    """Compare an answer with the key; give the verdict and what was compared with what."""
    expected = f"expected {_key_shown(settings)}"
    if answer is None:
        return False, f"{expected}; no answer was submitted"
    if is_too_long(answer):
        return False, f"{expected}; the answer is over {MOST_BYTES} bytes and was not read"
    if is_empty(answer):
        return False, f"{expected}; the answer {shown(answer)} is empty"
    try:
        passed, finding = _JUDGES[settings.match](answer, settings)
    except UnclearAnswerError as unclear:
        passed, finding = False, str(unclear)
    return passed, f"{expected}; {finding}"


def _judge_number(answer: str, settings: AnswerSettings) -> tuple[bool, str]:
    quantity = read_number(answer, units=settings.unit_words)
    passed = same_quantity(settings.number_key(), quantity, settings)
    return passed, f"read {shown(quantity.written)} from {shown(answer)}"


def _judge_exact(answer: str, settings: AnswerSettings) -> tuple[bool, str]:
    key = str(settings.expect)
    if same_text(key, answer, settings):
        return True, f"got {shown(answer)}"
    statement = final_statement(answer)
    return same_text(key, statement, settings), f"got {shown(statement)}"


def _judge_choice(answer: str, settings: AnswerSettings) -> tuple[bool, str]:
    label = read_choice(answer, settings.choices, ignore_case=settings.ignore_case)
    passed = same_text(str(settings.expect), label, settings)
    return passed, f"read {shown(label)} from {shown(answer)}"


def _judge_items(answer: str, settings: AnswerSettings) -> tuple[bool, str]:
    key = settings.item_keys()
    finding = f"no items to compare in {shown(answer)}"
    for items in answer_items(answer, most=2 * len(key) + 16):
        found = compare_items(key, items, settings)
        same_set = not found.missing and not found.extra
        if found.in_order or (same_set and settings.match is Match.SET):
            return True, f"got the {len(items)} items"
        finding = _differences_shown(len(items), found)
    return False, finding


_JUDGES: dict[Match, Callable[[str, AnswerSettings], tuple[bool, str]]] = {
    Match.NUMBER: _judge_number,
    Match.EXACT: _judge_exact,
    Match.CHOICE: _judge_choice,
    Match.SET: _judge_items,
    Match.LIST: _judge_items,
}


def _key_shown(settings: AnswerSettings) -> str:
    if isinstance(settings.expect, tuple):
        return f"the {settings.match} {shown(', '.join(settings.expect))}"
    return f"{settings.match} {shown(settings.expect)}"


def _differences_shown(count: int, found: Differences) -> str:
    parts = [f"got {count} items"]
    if found.missing:
        parts.append(f"missing {shown(', '.join(found.missing))}")
    if found.extra:
        parts.append(f"not expected {shown(', '.join(found.extra))}")
    if not found.missing and not found.extra:
        parts.append("in another order or number")
    return ", ".join(parts)
