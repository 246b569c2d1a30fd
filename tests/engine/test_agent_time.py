"""Working time: what the limit counts, and what it leaves out."""

from __future__ import annotations

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import CallRole, ModelRequest
from runner.engine.agent_time import TimedJournal, agent_time
from runner.engine.clock import SystemClock
from runner.testing.manual_clock import ManualClock
from runner.testing.recording_journal import RecordingJournal

REQUEST = ModelRequest(
    role=CallRole.AGENT,
    model="m",
    endpoint="http://127.0.0.1",
    parameters={},
    messages=(),
    reserved_nusd=None,
)


async def test_agent_time_without_waits_is_all_work() -> None:
    clock = ManualClock()
    with agent_time(60, clock=clock) as time:
        clock.advance(7)

        assert (time.worked(), time.waited()) == (7, 0)


async def test_agent_time_counts_waits_that_overlap_once() -> None:
    clock = ManualClock()
    with agent_time(60, clock=clock) as time:
        clock.advance(20)
        time.book(2, 6)
        time.book(4, 9)
        time.book(5, 7)

        assert (time.worked(), time.waited()) == (13, 7)


async def test_agent_time_leaves_out_what_a_cancelled_wait_had_planned() -> None:
    clock = ManualClock()
    with agent_time(60, clock=clock) as time:
        clock.advance(3)
        time.book(3, 603)
        clock.advance(2)

        assert (time.worked(), time.waited()) == (3, 2)


async def test_agent_time_a_wait_booked_ahead_does_not_end_the_agent() -> None:
    clock = SystemClock()
    with agent_time(0.05, clock=clock) as time:
        start = clock.monotonic()
        time.book(start, start + 0.3)
        await clock.sleep(0.3)

    assert not time.over
    assert time.waited() == pytest.approx(0.3, abs=0.05)


async def test_agent_time_goes_on_after_a_wait_and_then_ends_the_agent() -> None:
    clock = SystemClock()
    begin = clock.monotonic()
    with agent_time(0.1, clock=clock) as time:
        time.book(begin, begin + 0.2)
        await anyio.sleep_forever()

    assert time.over
    assert clock.monotonic() - begin == pytest.approx(0.3, abs=0.15)


async def test_agent_time_stands_still_while_a_call_waits_for_the_budget() -> None:
    clock = SystemClock()

    class SlowJournal(RecordingJournal):
        async def call_sent(self, request: ModelRequest) -> int:
            await clock.sleep(0.3)
            return await RecordingJournal.call_sent(self, request)

    with agent_time(0.1, clock=clock) as time:
        call = await TimedJournal(SlowJournal(), time=time).call_sent(REQUEST)

    assert call == 1
    assert not time.over
    assert time.waited() == pytest.approx(0.3, abs=0.1)


async def test_agent_time_hands_waits_on_to_the_journal() -> None:
    clock, inner = ManualClock(), RecordingJournal()
    with agent_time(60, clock=clock) as time:
        TimedJournal(inner, time=time).waited(0.0, 5.0)

    assert inner.waits == [(0.0, 5.0)]


@given(
    waits=st.lists(st.tuples(st.integers(-5, 50), st.integers(-5, 50))),
    elapsed=st.integers(0, 40),
)
def test_agent_time_work_and_waiting_are_all_that_passed(
    waits: list[tuple[int, int]], elapsed: int
) -> None:
    clock = ManualClock()

    async def measure() -> tuple[float, float]:
        with agent_time(1000, clock=clock) as time:
            clock.advance(elapsed)
            for start, end in waits:
                time.book(start, end)
            return time.worked(), time.waited()

    worked, waited = anyio.run(measure)

    waiting = {s for start, end in waits for s in range(max(start, 0), min(end, elapsed))}
    assert waited == len(waiting)
    assert worked + waited == elapsed
