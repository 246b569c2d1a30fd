"""``match: exact``, ``choice``, ``set`` and ``list``: which answers pass, as a table."""
# ruff: noqa: RUF001 - characters that look alike are what is tested

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from graders.answer.grader import judge_answer
from graders.answer.settings import AnswerSettings, Match
from graders.answer.spelling import is_empty, says_something

CITIES = {"A": "London", "B": "Paris", "C": "Rome"}

EXACT: list[tuple[str | list[str], dict[str, object], str, bool]] = [
    # key, settings, answer, whether it passes
    ("Paris", {}, "Paris", True),
    ("Paris", {}, "paris", True),
    ("Paris", {"ignore_case": False}, "paris", False),
    ("Paris", {}, " Paris.\n", True),
    ("Paris", {}, "**Paris**", True),
    ("Paris", {}, "The answer is Paris.", True),
    ("Paris", {}, "**Final answer:** `Paris`", True),
    ("Paris", {}, "So: Paris", True),
    ("Paris", {}, "Let me think.\n\nParis", True),
    ("Paris", {}, r"It is $\boxed{\text{Paris}}$, I am sure.", True),
    ("Paris", {}, "Paris\nI hope this helps.", False),
    ("Paris", {}, "It is Paris", False),
    ("Paris", {}, "Paris, France", False),
    ("Paris", {}, "not Paris", False),
    ("Paris", {}, "Pari", False),
    ("Paris", {}, "Parisian", False),
    ("Paris", {}, "Paris or London", False),
    ("Paris", {}, '"Paris" or "London"', False),
    ("Paris", {}, "Раris", False),
    ("New York", {}, "new\u00a0  york", True),
    ("New York", {}, "newyork", False),
    ("don't", {}, "don’t", True),
    ("Café", {}, "Cafe\u0301", True),
    ("Café", {}, "Cafe", False),
    ("Straße", {}, "STRASSE", True),
    ("U.S.", {}, "U.S", True),
    ("__init__", {}, "`__init__`", True),
    ("__init__", {}, "init", False),
    ("007", {}, "007", True),
    ("007", {}, "7", False),
    ("1.10", {}, "1.1", False),
    ("NO", {}, "no", True),
    ("+", {}, "+", True),
    ("+", {}, "-", False),
    ("one\ntwo", {}, "```\none\ntwo\n```", True),
    ("one\ntwo", {}, "two", False),
    ("5", {"match": "exact"}, "5.0", False),
]

CHOICE: list[tuple[str | list[str], dict[str, object], str, bool]] = [
    ("B", {}, "B", True),
    ("B", {}, "b", True),
    ("B", {}, "(B)", True),
    ("B", {}, "B)", True),
    ("B", {}, "B.", True),
    ("B", {}, "[B]", True),
    ("B", {}, "Option B", True),
    ("B", {}, "The answer is B.", True),
    ("B", {}, "The correct answer is (B).", True),
    ("B", {}, "**B**", True),
    ("B", {}, "**B) Paris**", True),
    ("B", {}, "B. Paris, a city on a river", True),
    ("B", {}, r"\boxed{B}", True),
    ("B", {}, "First I thought A.\nAnswer: B", True),
    ("B", {}, "A", False),
    ("B", {}, "A or B", False),
    ("B", {}, "A, B", False),
    ("B", {}, "AB", False),
    ("B", {}, "B and C", False),
    ("B", {}, "not B", False),
    ("B", {}, "B) Paris, C) Rome", False),
    ("B", {}, "(A) or (B)", False),
    ("B", {}, "B is wrong", False),
    ("B", {}, "Because", False),
    ("A", {}, "A long story", False),
    ("B", {"choices": CITIES}, "Paris", True),
    ("B", {"choices": CITIES}, "B) Paris", True),
    ("B", {"choices": CITIES}, "B: Paris.", True),
    ("B", {"choices": CITIES}, "B) Rome", False),
    ("B", {"choices": CITIES}, "Rome", False),
    ("B", {"choices": CITIES}, "D", False),
    ("yes", {"choices": ["yes", "no"]}, "Yes.", True),
    ("yes", {"choices": ["yes", "no"]}, "The answer is yes", True),
    ("yes", {"choices": ["yes", "no"]}, "yes and no", False),
    ("yes", {"choices": ["yes", "no"]}, "eyes", False),
    ("b", {"choices": ["a", "b", "B"], "ignore_case": False}, "B", False),
]

SET: list[tuple[str | list[str], dict[str, object], str, bool]] = [
    ("a, b, c", {}, "c, a, b", True),
    ("a, b, c", {}, "a,b,c", True),
    ("a, b, c", {}, "a; b; c", True),
    ("a, b, c", {}, "a, b and c.", True),
    ("a, b, c", {}, "a, b, and c", True),
    ("a, b, c", {}, "A, B, C", True),
    ("a, b, c", {}, "- a\n- b\n- c", True),
    ("a, b, c", {}, "They are:\n1. a\n2. b\n3. c", True),
    ("a, b, c", {}, "Let me see.\nThe items are: a, b, c", True),
    ("a, b, c", {}, "**Items:**\n* a\n* b\n* c", True),
    ("a, b, c", {}, "The missing ones: a, b, c", False),
    ("a, b, c", {}, "All but: a, b, c", False),
    ("a, b, c", {}, "Not these:\n1. a\n2. b\n3. c", False),
    ("a, b, c", {}, '["a", "b", "c"]', True),
    ("a, b, c", {}, "{a, b, c}", True),
    ("a, b, c", {}, r"\boxed{a, b, c}", True),
    ("a, b, c", {}, "The answer is: a, b, c", True),
    ("a, b, c", {}, "I looked at d.\nAnswer: a, b, c", True),
    ("a, b, c", {}, "a, a, b, c", True),
    ("a, b, c", {}, "a, b", False),
    ("a, b, c", {}, "a, b, c, d", False),
    ("a, b, c", {}, "a, b, cc", False),
    ("a, b, c", {}, "a b c", False),
    ("a, b, c", {}, "not a, b, c", False),
    ("a, b, c", {}, "a, b, c, …", False),
    (["salt, fine", "tea"], {}, "tea; salt, fine", True),
    (["salt and pepper", "tea"], {}, "tea, salt and pepper", True),
    (["a"], {}, "a", True),
    ("1, 2, 3", {"items": "number"}, "3.0, 2, 1", True),
    ("1, 2, 3", {"items": "number"}, "1, 2, 13", False),
    ("1,000, 2,000", {"items": "number"}, "2000, 1000", True),
    ("5 km, 7 km", {"items": "number", "units": "km"}, "7, 5", True),
    ("0.5, 0.25", {"items": "number", "tolerance": "0.01"}, "0.504, 0.25", True),
    ("1, 2, 3", {}, "1.0, 2, 3", False),
]

LIST: list[tuple[str | list[str], dict[str, object], str, bool]] = [
    ("a, b, c", {}, "a, b, c", True),
    ("a, b, c", {}, "a, b and c", True),
    ("a, b, c", {}, "1. a\n2. b\n3. c", True),
    ("a, b, c", {}, "c, b, a", False),
    ("a, b, c", {}, "a, b", False),
    ("a, b, c", {}, "a, b, c, c", False),
    ("a, a, b", {}, "a, b, a", False),
    ("a, a, b", {}, "a, a, b", True),
    ("1, 2", {"items": "number"}, "2, 1", False),
    ("1, 2", {"items": "number"}, "(1, 2)", True),
    (["x", "y"], {}, "[x, y]", True),
]

TABLE: list[tuple[str, str | list[str], dict[str, object], str, bool]] = [
    (match, *row)
    for match, rows in (("exact", EXACT), ("choice", CHOICE), ("set", SET), ("list", LIST))
    for row in rows
]

BAD_SETTINGS: list[tuple[dict[str, object], str]] = [
    ({"expect": ""}, "empty or holds only punctuation"),
    ({"expect": "  \n"}, "empty or holds only punctuation"),
    ({"expect": "."}, "empty or holds only punctuation"),
    ({"expect": "**"}, "empty or holds only punctuation"),
    ({"expect": "\u200b"}, "empty or holds only punctuation"),
    ({"expect": None}, "valid string"),
    ({}, "Field required"),
    ({"expects": "4"}, "Extra inputs"),
    ({"expect": "five", "match": "number"}, "is not a number"),
    ({"expect": "1,00", "match": "number"}, "is not a number"),
    ({"expect": "1.000.000", "match": "number"}, "is not a number"),
    ({"expect": "nan", "match": "number"}, "is not a number"),
    ({"expect": "inf", "match": "number"}, "is not a number"),
    ({"expect": "1e9999", "match": "number"}, "exponent"),
    ({"expect": "9" * 4001}, "digits"),
    ({"expect": "x" * 70_000}, "longer than any answer"),
    ({"expect": "5 km", "match": "number"}, "is not a number"),
    ({"expect": "5 or 6", "match": "number"}, "is not a number"),
    ({"expect": "5", "match": "contains"}, "'number', 'exact', 'choice', 'set' or 'list'"),
    ({"expect": "5", "tolerance": "-1"}, "no tolerance"),
    ({"expect": "5", "tolerance": "a lot"}, "no tolerance"),
    ({"expect": "5", "units": ["m2"]}, "is no unit"),
    ({"expect": "x", "tolerance": "1"}, "does not apply"),
    ({"expect": "x", "units": ["km"]}, "does not apply"),
    ({"expect": "x", "choices": ["x"]}, "does not apply"),
    ({"expect": "5", "ignore_case": False}, "does not apply"),
    ({"expect": "word", "match": "choice"}, "none of the choices"),
    ({"expect": "C", "match": "choice", "choices": ["A", "B"]}, "none of the choices: A, B"),
    ({"expect": "A", "match": "choice", "choices": ["A", "a"]}, "are the same"),
    ({"expect": "a,,b", "match": "set"}, "empty item"),
    ({"expect": "a, A", "match": "set"}, "twice"),
    ({"expect": [], "match": "set"}, "empty"),
    ({"expect": ["a", "."], "match": "list"}, "empty"),
    ({"expect": "1, x", "match": "list", "items": "number"}, "not a number"),
    ({"expect": ["a", "b"]}, "set or list"),
]


@pytest.mark.parametrize(("match", "key", "settings", "answer", "passes"), TABLE)
def test_answer_is_judged_as_documented(
    match: str, key: str | list[str], settings: dict[str, object], answer: str, passes: bool
) -> None:
    given_settings = AnswerSettings.model_validate({"match": match, "expect": key, **settings})

    passed, explanation = judge_answer(answer, given_settings)

    assert passed is passes, explanation


@pytest.mark.parametrize("answer", [None, "", " \n", ".", "**", "\u200b", "``", "…"])
@pytest.mark.parametrize(
    "settings",
    [
        {"expect": "0"},
        {"expect": "x"},
        {"expect": "A", "match": "choice"},
        {"expect": "a, b", "match": "set"},
        {"expect": "a", "match": "list"},
    ],
)
def test_empty_answer_fails_with_an_explanation_whatever_the_key(
    answer: str | None, settings: dict[str, object]
) -> None:
    passed, explanation = judge_answer(answer, AnswerSettings.model_validate(settings))

    assert not passed
    assert "no answer" in explanation or "is empty" in explanation
    assert is_empty(answer)


@pytest.mark.parametrize(("settings", "told"), BAD_SETTINGS)
def test_key_that_cannot_be_right_is_refused_when_it_is_loaded(
    settings: dict[str, object], told: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        AnswerSettings.model_validate_json(json.dumps(settings), strict=True)

    assert told in str(caught.value)


def test_explanation_names_missing_and_unexpected_items() -> None:
    settings = AnswerSettings.model_validate({"expect": "a, b", "match": "set"})

    _, explanation = judge_answer("b, c", settings)

    assert explanation == 'expected set "a, b"; got 2 items, missing "a", not expected "c"'


keys = st.text(min_size=1, max_size=40).filter(says_something)
#: What no wrapper and no lead-in of ours could be mistaken for.
words = st.from_regex(r"[a-z]{2,8}( [a-z]{2,8}){0,2}", fullmatch=True).filter(
    lambda text: not {"and", "so", "thus", "answer", "result", "is"} & set(text.split())
)
wrappers = st.sampled_from(
    [
        "{}",
        "**{}**",
        "_{}_",
        "`{}`",
        '"{}"',
        "${}$",
        "\\boxed{{{}}}",
        "\\boxed{{\\text{{{}}}}}",
        "{}.",
        "<answer>{}</answer>",
        "The answer is {}",
        "So: {}",
        "Well.\n{}",
        "```\n{}\n```",
    ]
)


@given(keys, st.booleans())
def test_exact_key_passes_as_an_answer(key: str, ignore_case: bool) -> None:
    settings = AnswerSettings(expect=key, match=Match.EXACT, ignore_case=ignore_case)

    assert judge_answer(key, settings)[0]


@given(words, wrappers)
def test_exact_key_passes_in_any_wrapper(key: str, wrapper: str) -> None:
    assert judge_answer(wrapper.format(key), AnswerSettings(expect=key))[0]


@given(words, words, wrappers)
def test_another_text_never_passes(key: str, other: str, wrapper: str) -> None:
    assume(key != other)

    assert not judge_answer(wrapper.format(other), AnswerSettings(expect=key))[0]


@given(st.lists(keys, min_size=1, max_size=5, unique_by=str.casefold), st.data())
def test_choice_key_passes_as_an_answer(labels: list[str], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(labels))
    settings = {"expect": key, "match": "choice", "choices": labels, "ignore_case": False}
    try:
        choice = AnswerSettings.model_validate(settings)
    except ValidationError:
        assume(False)

    assert judge_answer(key, choice)[0]


@given(st.sampled_from("ABCDE"), st.sampled_from("ABCDE"), wrappers)
def test_choice_in_any_wrapper_passes_only_for_its_own_label(
    key: str, label: str, wrapper: str
) -> None:
    settings = AnswerSettings(expect=key, match=Match.CHOICE)

    assert judge_answer(wrapper.format(label), settings)[0] is (key == label)


@given(keys, st.sampled_from(["set", "list"]))
def test_items_key_written_as_text_passes_as_an_answer(key: str, match: str) -> None:
    try:
        settings = AnswerSettings.model_validate({"expect": key, "match": match})
    except ValidationError:
        assume(False)

    assert judge_answer(key, settings)[0]


@given(
    st.lists(words, min_size=1, max_size=6, unique=True),
    st.sampled_from([", ", "; ", "\n", ","]),
    wrappers,
)
def test_set_passes_in_any_order_separator_and_wrapper(
    key: list[str], separator: str, wrapper: str
) -> None:
    shuffled = sorted(key, key=lambda item: item[::-1])
    assume(separator != "\n" or wrapper in {"{}", "```\n{}\n```", "\\boxed{{{}}}"})
    settings = AnswerSettings.model_validate({"expect": key, "match": "set"})

    assert judge_answer(wrapper.format(separator.join(shuffled)), settings)[0]
    assert not judge_answer(wrapper.format(separator.join([*shuffled, "x"])), settings)[0]


@given(st.lists(words, min_size=2, max_size=6, unique=True))
def test_list_passes_in_its_own_order_only(key: list[str]) -> None:
    settings = AnswerSettings.model_validate({"expect": key, "match": "list"})

    assert judge_answer(", ".join(key), settings)[0]
    assert not judge_answer(", ".join(key[::-1]), settings)[0]


@given(
    st.sampled_from(
        [
            {"expect": "5", "units": ["km"], "tolerance": "1%"},
            {"expect": "A", "match": "choice", "choices": CITIES},
            {"expect": ["a", "b"], "match": "list"},
            {"expect": "007"},
        ]
    )
)
def test_settings_survive_the_ledger_unchanged(settings: dict[str, object]) -> None:
    first = AnswerSettings.model_validate(settings)
    written = first.model_dump_json()

    assert AnswerSettings.model_validate_json(written, strict=True) == first
    assert AnswerSettings.model_validate(json.loads(written)) == first
