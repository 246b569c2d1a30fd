"""What a reward file's content and an exit status mean."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.script.reward import parse_reward, score_of
from runner.domain import Reason
from runner.errors import GraderError


@pytest.mark.parametrize(
    ("data", "reward"),
    [
        (b"0", 0.0),
        (b"1", 1.0),
        (b"1.0\n", 1.0),
        (b" +0.25 \r\n", 0.25),
        (b".5", 0.5),
        (b"1.", 1.0),
        (b"5e-1", 0.5),
        (b"0.1e1", 1.0),
        (b"1e-999", 0.0),
    ],
)
def test_one_decimal_number_within_0_and_1_is_a_reward(data: bytes, reward: float) -> None:
    assert parse_reward(data) == reward


@pytest.mark.parametrize(
    "data",
    [b"nan", b"NaN", b"inf", b"-inf", b"Infinity", b"1.1", b"1.0000001", b"-0.1", b"-0", b"2"],
)
def test_number_outside_0_and_1_is_a_bad_reward(data: bytes) -> None:
    with pytest.raises(GraderError) as caught:
        parse_reward(data)

    assert caught.value.reason == Reason.BAD_REWARD
    assert caught.value.hint


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"yes",
        b"true",
        b"1 1",
        b"1\n0",
        b"0x1",
        b"1,0",
        b"1_0",
        b"1e999",
        b"1" * 65,
        b"0" * 64 + b"1",
        b'{"reward": 1}',
        b"50%",
        b"0.5\0",
        b"\xff",
        "\u0661".encode(),
        b"e5",
        b".",
    ],
)
def test_anything_else_is_a_bad_reward(data: bytes) -> None:
    with pytest.raises(GraderError) as caught:
        parse_reward(data)

    assert caught.value.reason == Reason.BAD_REWARD


@given(st.binary(max_size=80))
def test_any_bytes_are_a_reward_within_0_and_1_or_a_bad_one(data: bytes) -> None:
    with suppress(GraderError):
        assert 0.0 <= parse_reward(data) <= 1.0


@given(st.floats(0, 1))
def test_reward_as_python_prints_it_is_read_back(reward: float) -> None:
    assert parse_reward(repr(reward).encode()) == reward


@given(st.integers(2, 255), st.none() | st.just(0.0), st.booleans())
def test_exit_status_above_1_without_a_reward_is_never_a_verdict(
    status: int, reward: float | None, required: bool
) -> None:
    with pytest.raises(GraderError) as caught:
        score_of(status, reward, required=required)

    assert caught.value.reason == Reason.GRADER_ERROR


@given(st.integers(1, 255), st.floats(0, 1, exclude_min=True), st.booleans())
def test_reward_above_0_with_a_failing_exit_status_is_a_contradiction(
    status: int, reward: float, required: bool
) -> None:
    with pytest.raises(GraderError) as caught:
        score_of(status, reward, required=required)

    assert caught.value.reason == Reason.BAD_REWARD


@given(st.floats(0, 1), st.booleans())
def test_reward_of_a_script_that_ends_well_is_its_score(reward: float, required: bool) -> None:
    assert score_of(0, reward, required=required) == reward
