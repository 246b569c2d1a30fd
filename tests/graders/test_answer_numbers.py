"""``match: number``: which answers pass for which keys, as a table."""
# ruff: noqa: RUF001 - characters that look alike are what is tested

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graders.answer.grader import judge_answer
from graders.answer.number import read_whole
from graders.answer.settings import AnswerSettings, Match

PASS: list[tuple[str, list[str]]] = [
    # key, answers that say it
    (
        "5",
        [
            "5",
            "5.0",
            "5.000",
            "+5",
            "005",
            "5.",
            " 5 ",
            "5e0",
            "0.5e1",
            "10/2",
            "５",
            "٥",
            "5\u200b",
        ],
    ),
    ("5", ["So: 5", "Therefore, the answer is 5.", "Answer: 5", "**Answer:** 5", "**Answer**: 5"]),
    ("5", ["**Answer: 5**", "**5**", "`5`", "'5'", '"5"', "“5”", "_5_", "#### 5", "(5)", "$5$."]),
    ("5", [r"\boxed{5}", r"$\boxed{5}$", r"It is \boxed{5}, as shown.\nBye", r"\(5\)", r"\[5\]"]),
    ("5", ["<answer>5</answer>", "Thinking about 7.\n<ANSWER> 5 </ANSWER>\nDone", "```\n5\n```"]),
    ("5", ["2 + 3 = 5", "1+1+3 = 2+3 = 5", "x=5", "x = 10/2 = 5", "The sum of 2 and 3 is 5."]),
    ("5", ["The square root of 25 is 5", "The difference between 30 and 25 is **5**."]),
    ("5", ["I counted 12 boats and 3 piers. The answer is 5.", "First 7.\n\nThen 5", "It's 5"]),
    (
        "5",
        ["5 in total", "5 of them", "5 (five)", "There are 5", "about 5", "≈ 5", "~5", "5 = 5.0"],
    ),
    ("5", ["In the 2nd row of H2O: it says 5", "$5", "5 €", "€ 5", "5 $"]),
    ("-3", ["-3", "−3", "–3", "﹣3", "－3", "minus 3", "Negative 3", "-3.0", "The gap is -3."]),
    ("-3", ["-$3", "$-3", "-6/2", r"-\frac{6}{2}", r"\frac{-6}{2}", "The gap: -3"]),
    ("1000", ["1,000", "$1,000.00", "1 000", "1\u00a0000", "1\u2009000", "1\u202f000", "1'000"]),
    ("1000", ["1’000", "1_000", "1e3", "1E+3", "10^3", "10³", "10**3", "10^{3}", "1 x 10^3"]),
    ("1000", ["1×10³", r"1 \times 10^{3}", r"1\,000", "1{,}000", "1 thousand", "1000.0"]),
    ("1234567.5", ["1,234,567.5", "1 234 567.50", "1.2345675e6", "1.2345675 million"]),
    ("72", ["That makes 72, all told, for one season."]),
    ("3 %", ["3%", "3 %", "3 percent", "3 per cent", "3.0%", r"3\%", "３％", "It rose by 3 %."]),
    ("$5", ["$5", "5", "$5.00"]),
    ("1.5", ["1 1/2", "1½", "1 ½", "3/2", r"\frac{3}{2}", r"1\frac{1}{2}", "3 / 2"]),
    ("1/3", ["1/3", "2/6", "0.3333333333333333"]),
    ("0.1", ["0.1", ".1", "0.10000000000000001", "1e-1", "1 × 10⁻¹"]),
    ("0.3", ["0.30000000000000004"]),
    ("16", ["16.00"]),
    ("3.0", ["3"]),
    ("0", ["0", "-0", "0.0", "0e5", "0/7"]),
    ("1e400", ["1e400", "10^400", "1" + "0" * 400]),
    ("9007199254740993", ["9007199254740993", "9,007,199,254,740,993"]),
]

FAIL: list[tuple[str, list[str | None]]] = [
    # key, answers that do not say it
    ("5", ["25", "50 in total", "55", "15", "-5", "5.5", "0.5", "5,5", "5 000", "5,000", "500e-1"]),
    ("5", ["5%", "5 %", "5 percent", "5 km", "5km", "5 boats", "There are 5 boats.", "5 million"]),
    ("5", ["5 and a half", "5½", "5 (thousand)", "5 hundred", "5 squared", "5²", "5!", "5?", "5+"]),
    ("5", ["5 or 6", "5 to 7", "3-5", "3–5", "5-7", "5±1", "±5", "2+3", "2 + 3", "5 - 3", "5 * 1"]),
    (
        "5",
        ["not 5", "It is not 5", "It isn't 5.", "The answer is not: 5", "5, not 6", "less than 5"],
    ),
    ("5", ["at least 5", "more than 5", "> 5", ">5", "x >= 5", "x ≤ 5", "!= 5", "between 4 and 5"]),
    ("5", ["x = 2, y = 5", "25 = 5", "The first is 4 and the last is 5", "4 5", "5\n4", "5, 4"]),
    (
        "5",
        [
            "sqrt(5)",
            r"\sqrt{5}",
            "√5",
            "|5|",
            "x5",
            "5x",
            "5th",
            "H5",
            "#5",
            "0x5",
            "v1.5",
            "12:05",
        ],
    ),
    ("5", ["5/10/2024", "1/5", "5.5.5", "5..5", "--5", "+-5", "- 5", "5\n\nI hope this helps."]),
    (
        "5",
        ["", None, " ", ".", "**", "five", "I do not know", "It is 5 squared", "25 is 5 squared"],
    ),
    (
        "5",
        [
            r"\boxed{5} or \boxed{6}",
            r"\boxed{6}",
            r"\boxed{}",
            "<answer>5</answer><answer>6</answer>",
        ],
    ),
    (
        "5",
        ["USD 5", "twice 5", "double 5", "half of 5", "the root of 5", "5 times", "It is wrong: 5"],
    ),
    ("-3", ["3", "- 3", "2-3", "(3)"]),
    (
        "1000",
        ["1.000", "1,00", "1,0000", "1.000,00", "1,000,00", "1,000 USD", "It costs 1,000 USD."],
    ),
    ("1000", ["1,000 000", "1 000,000", "2^10", "1 000/3", "10,00", "1,000 K", "1K", "1k"]),
    ("3 %", ["0.03", "3", "3 percentage points", "30 %", "3‰"]),
    ("$5", ["€5", "5 €", "$6", "$5 €"]),
    ("150", ["15"]),
    ("100", ["10"]),
    ("15", ["150"]),
    ("11", ["711"]),
    ("49", ["149"]),
    ("3.14", ["33.14", "3.141", "3.1400001", "3,14", "π"]),
    ("1/3", ["0.333", "1/30", "1/0"]),
    ("9007199254740993", ["9007199254740992", "9.007199254740992e15"]),
    ("3.141592653589793238", ["3.141592653589793"]),
    ("1e400", ["inf", "Infinity", "1e401", "1e999999999"]),
    ("0", ["nan", "NaN", "1e-9", "0/0", "-", "1e-999999999"]),
]

SETTINGS = [
    # key, settings, answer, whether it passes
    ("1000", {"units": ["USD"]}, "1,000 USD", True),
    ("1000", {"units": "USD"}, "USD 1,000", True),
    ("1000", {"units": ["USD"]}, "It costs 1,000 USD.", True),
    ("1000", {"units": ["USD"]}, "1,000 EUR", False),
    ("1000 USD", {"match": "number", "units": ["USD"]}, "1,000", True),
    ("5", {"units": "any"}, "There are 5 boats.", True),
    ("5", {"units": "any"}, "5 million", False),
    ("5", {"units": "any"}, "5 squared", False),
    ("5", {"units": ["%"]}, "5 %", True),
    ("5", {"units": ["km", "sea miles"]}, "5 sea miles", True),
    ("5", {"units": ["km"]}, r"5\,\text{km}", True),
    ("5", {"units": ["km"]}, "5 km²", False),
    ("5", {"units": ["km"]}, "It drives 5 km/h", False),
    ("5", {"units": ["km"]}, "It drives 5 km per hour", False),
    ("5", {"units": ["km"]}, "It is 5 km from here.", True),
    ("5", {"units": ["mW"]}, "5 MW", False),
    ("3.14", {"tolerance": "0.01"}, "3.15", True),
    ("3.14", {"tolerance": "0.01"}, "3.1500001", False),
    ("3.14", {"tolerance": "0.01"}, "3.13", True),
    ("200", {"tolerance": "1%"}, "202", True),
    ("200", {"tolerance": "1%"}, "202.1", False),
    ("-200", {"tolerance": "1 %"}, "-198", True),
    ("0.1", {"tolerance": "0"}, "0.10000000000000001", False),
    ("0.1", {"tolerance": "0"}, "0.10", True),
]


def judge(key: str, answer: str | None, **settings: object) -> bool:
    passed, explanation = judge_answer(
        answer, AnswerSettings.model_validate({"expect": key, **settings})
    )
    assert explanation
    return passed


@pytest.mark.parametrize(("key", "answer"), [(key, a) for key, answers in PASS for a in answers])
def test_answer_that_says_the_number_passes(key: str, answer: str) -> None:
    assert judge(key, answer, match="number")


@pytest.mark.parametrize(("key", "answer"), [(key, a) for key, answers in FAIL for a in answers])
def test_answer_that_does_not_say_the_number_fails(key: str, answer: str | None) -> None:
    assert not judge(key, answer, match="number")


@pytest.mark.parametrize(("key", "settings", "answer", "passes"), SETTINGS)
def test_number_settings_decide_as_documented(
    key: str, settings: dict[str, object], answer: str, passes: bool
) -> None:
    assert judge(key, answer, **settings) is passes


@pytest.mark.parametrize(
    "answer",
    [
        "9" * 65_000,
        "9" * 1_000_000,
        "9" * 4001,
        "1e999999999",
        "1e-999999999",
        "1/" + "9" * 3990,
        "9" * 3990 + "e4000",
        "1," * 30_000,
        "1 " * 32_000,
        "5." * 30_000,
        "1/" * 30_000,
        "5.5 " * 490,
        "\\boxed{" * 9_000,
        "<answer>" * 8_000,
        "**" * 30_000,
        "(" * 60_000,
        "so: " * 16_000,
        "\\frac{" * 10_000,
        "^" * 60_000,
        "is 6 " * 400,
        " " * 60_000 + "6",
    ],
    ids=lambda answer: f"{answer[:8]!r}x{len(answer)}",
)
def test_hostile_answer_is_judged_within_a_second(answer: str) -> None:
    started = time.perf_counter()

    passed = judge("5", answer)

    assert not passed
    assert time.perf_counter() - started < 1


def test_answer_over_64_kib_fails_and_says_so() -> None:
    passed, explanation = judge_answer("5" + " " * (64 << 10), AnswerSettings(expect="5"))

    assert not passed
    assert "65536 bytes" in explanation


def test_explanation_says_what_was_compared_with_what() -> None:
    _, explanation = judge_answer("I say 25.", AnswerSettings(expect="5"))

    assert explanation == 'expected number "5"; read "25" from "I say 25."'


@pytest.mark.parametrize(
    ("key", "match"),
    [
        ("-3", Match.NUMBER),
        ("2.5", Match.NUMBER),
        ("0", Match.NUMBER),
        ("007", Match.EXACT),
        ("1.10", Match.EXACT),
        ("NO", Match.EXACT),
        ("1e5", Match.EXACT),
        ("1/2", Match.EXACT),
        ("5 %", Match.EXACT),
    ],
)
def test_match_left_out_is_number_only_for_plainly_written_numbers(key: str, match: Match) -> None:
    assert AnswerSettings(expect=key).match is match


numbers = st.one_of(
    st.integers(-(10**30), 10**30).map(str),
    st.decimals(-(10**9), 10**9, places=3).map(lambda d: format(d, "f")),
    st.tuples(st.integers(-999, 999), st.integers(1, 999)).map(lambda f: f"{f[0]}/{f[1]}"),
    st.integers(-(10**12), 10**12).map(lambda i: f"{i:,}"),
    st.tuples(st.integers(-99, 99), st.integers(-300, 300)).map(lambda f: f"{f[0]}e{f[1]}"),
)
wrappers = st.sampled_from(
    [
        "{}",
        "**{}**",
        "`{}`",
        '"{}"',
        "${}$",
        "\\boxed{{{}}}",
        "<answer>{}</answer>",
        "{}.",
        "({})",
        "The answer is {}",
        "So: {}",
        "Final answer: {}",
        "Some words.\n{}",
        "```\n{}\n```",
        " {} ",
    ]
)


@given(numbers, wrappers, st.booleans())
def test_key_passes_as_an_answer_in_any_wrapper(key: str, wrapper: str, percent: bool) -> None:
    key += " %" if percent else ""

    assert judge(key, wrapper.format(key), match="number")


@given(st.integers(-(10**20), 10**20), wrappers, st.integers(0, 9))
def test_integer_with_another_digit_never_passes(key: int, wrapper: str, digit: int) -> None:
    assume(key)

    assert not judge(str(key), wrapper.format(f"{key}{digit}"))
    assert not judge(str(key), wrapper.format(f"{digit or 1}{abs(key)}"))


@given(st.decimals(-(10**9), 10**9, places=4), st.integers(1, 9))
def test_decimal_with_another_digit_never_passes(key: Decimal, digit: int) -> None:
    written = format(key, "f")

    assert not judge(written, f"{written}{digit}", match="number")


@given(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), wrappers)
def test_another_number_never_passes(key: int, other: int, wrapper: str) -> None:
    assume(key != other)

    assert not judge(str(key), wrapper.format(other))


@given(numbers)
def test_reading_a_number_gives_its_exact_value(written: str) -> None:
    quantity = read_whole(written)

    assert quantity is not None
    assert quantity.value == Fraction(written.replace(",", ""))


@given(st.text(max_size=60))
def test_any_text_is_judged_without_an_error(answer: str) -> None:
    judge("5", answer)
    judge("a, b", answer, match="set")
    judge("B", answer, match="choice")
