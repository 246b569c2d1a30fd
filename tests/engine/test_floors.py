"""Resource floors: what is guaranteed to the trials in flight never passes what the host has."""

from __future__ import annotations

import random

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import GraderSpec, Isolation, SandboxSpec, Task
from runner.engine.floors import Floors
from runner.errors import UsageError

GIB = 1 << 30


def make_spec(cpus: float = 1.0, gib: int = 1) -> SandboxSpec:
    return SandboxSpec(cpus=cpus, memory_bytes=gib * GIB)


def make_task(name: str, spec: SandboxSpec) -> Task:
    return Task(id=name, instruction="", graders=(GraderSpec(kind="answer"),), sandbox=spec)


class Crowd:
    """Trials that note when they start and end when told."""

    def __init__(self, floors: Floors) -> None:
        self.floors = floors
        self.started: list[str] = []
        self.may_end: dict[str, anyio.Event] = {}

    async def trial(self, name: str, spec: SandboxSpec) -> None:
        self.may_end[name] = anyio.Event()
        async with self.floors.hold(spec):
            self.started.append(name)
            await self.may_end[name].wait()


async def test_floors_that_fit_start_side_by_side_and_the_next_waits() -> None:
    crowd = Crowd(Floors(cpus=2, memory_bytes=8 * GIB))
    async with anyio.create_task_group() as group:
        for name in ("one", "two", "three"):
            group.start_soon(crowd.trial, name, make_spec())
        await anyio.wait_all_tasks_blocked()
        assert crowd.started == ["one", "two"]

        crowd.may_end["one"].set()
        await anyio.wait_all_tasks_blocked()

        assert crowd.started == ["one", "two", "three"]
        group.cancel_scope.cancel()


async def test_floors_bound_memory_as_well_as_cpus() -> None:
    crowd = Crowd(Floors(cpus=64, memory_bytes=3 * GIB))
    async with anyio.create_task_group() as group:
        group.start_soon(crowd.trial, "two gib", make_spec(gib=2))
        group.start_soon(crowd.trial, "two more", make_spec(gib=2))
        await anyio.wait_all_tasks_blocked()

        assert crowd.started == ["two gib"]
        group.cancel_scope.cancel()


async def test_floors_keep_the_order_so_that_a_big_one_is_not_starved() -> None:
    crowd = Crowd(Floors(cpus=2, memory_bytes=8 * GIB))
    async with anyio.create_task_group() as group:
        for name, cpus in (("small", 1), ("big", 2), ("late and small", 1)):
            group.start_soon(crowd.trial, name, make_spec(cpus))
        await anyio.wait_all_tasks_blocked()
        assert crowd.started == ["small"]

        crowd.may_end["small"].set()
        await anyio.wait_all_tasks_blocked()
        assert crowd.started == ["small", "big"]

        crowd.may_end["big"].set()
        await anyio.wait_all_tasks_blocked()
        assert crowd.started == ["small", "big", "late and small"]
        group.cancel_scope.cancel()


async def test_floors_a_cancelled_head_of_the_queue_lets_the_next_one_in() -> None:
    crowd = Crowd(Floors(cpus=2, memory_bytes=8 * GIB))
    async with anyio.create_task_group() as group:
        group.start_soon(crowd.trial, "small", make_spec(1))
        await anyio.wait_all_tasks_blocked()
        async with anyio.create_task_group() as impatient:
            impatient.start_soon(crowd.trial, "big", make_spec(2))
            await anyio.wait_all_tasks_blocked()
            group.start_soon(crowd.trial, "late and small", make_spec(1))
            await anyio.wait_all_tasks_blocked()
            assert crowd.started == ["small"]
            impatient.cancel_scope.cancel()
        await anyio.wait_all_tasks_blocked()

        assert crowd.started == ["small", "late and small"]
        group.cancel_scope.cancel()


async def test_floors_admitted_in_a_scope_that_is_cancelled_already_are_given_back() -> None:
    floors = Floors(cpus=1, memory_bytes=GIB)
    with anyio.CancelScope() as stopped:
        stopped.cancel()
        async with floors.hold(make_spec()):
            raise AssertionError("a trial started after the stop")

    with anyio.fail_after(1):
        async with floors.hold(make_spec()):
            pass


async def test_floors_without_isolation_hold_nothing_and_pass_a_waiting_queue() -> None:
    crowd = Crowd(Floors(cpus=1, memory_bytes=GIB))
    async with anyio.create_task_group() as group:
        group.start_soon(crowd.trial, "holder", make_spec())
        group.start_soon(crowd.trial, "waiting", make_spec())
        for number in range(3):
            spec = SandboxSpec(isolation=Isolation.NONE, cpus=99.0)
            group.start_soon(crowd.trial, f"none {number}", spec)
        await anyio.wait_all_tasks_blocked()

        assert sorted(crowd.started) == ["holder", "none 0", "none 1", "none 2"]
        group.cancel_scope.cancel()


async def test_floors_an_error_in_the_block_gives_its_floor_back() -> None:
    floors = Floors(cpus=1, memory_bytes=GIB)
    with pytest.raises(RuntimeError, match="inside"):
        async with floors.hold(make_spec()):
            raise RuntimeError("inside")

    with anyio.fail_after(1):
        async with floors.hold(make_spec()):
            pass


async def test_floors_that_never_fit_are_refused_by_hold_instead_of_waiting_for_ever() -> None:
    with pytest.raises(UsageError, match=r"guaranteed 3 cpus.*this machine has 2 cpus"):
        async with Floors(cpus=2, memory_bytes=8 * GIB).hold(make_spec(3)):
            pass


def test_floors_check_names_each_task_that_never_fits_and_what_to_do() -> None:
    floors = Floors(cpus=2, memory_bytes=8 * GIB)
    tasks = [
        make_task("fits", make_spec(2, 8)),
        make_task("islands/many-cpus", make_spec(2.5)),
        make_task("much-memory", make_spec(1, 9)),
        make_task("none", SandboxSpec(isolation=Isolation.NONE, cpus=99.0)),
    ]

    with pytest.raises(UsageError) as caught:
        floors.check(tasks)

    assert "task islands/many-cpus" in caught.value.message
    assert "2.5 cpus" in caught.value.message
    assert "task much-memory" in caught.value.message
    assert "9 GiB" in caught.value.message
    assert "fits" not in caught.value.message
    assert caught.value.hint is not None


def test_floors_check_of_a_long_list_counts_what_it_does_not_name() -> None:
    tasks = [make_task(f"t{number}", make_spec(9)) for number in range(8)]
    with pytest.raises(UsageError, match="and 3 tasks more"):
        Floors(cpus=2, memory_bytes=GIB).check(tasks)


def test_floors_check_accepts_what_fits_exactly() -> None:
    Floors(cpus=2, memory_bytes=GIB).check([make_task("edge", make_spec(2, 1))])


@given(
    wishes=st.lists(
        st.tuples(st.sampled_from([0.1, 0.25, 0.3, 0.7, 1.0, 1.5, 2.0]), st.integers(1, 4)),
        min_size=1,
        max_size=12,
    ),
    seed=st.integers(0, 1000),
)
def test_floors_in_flight_never_pass_the_host_and_all_get_their_turn(
    wishes: list[tuple[float, int]], seed: int
) -> None:
    floors = Floors(cpus=2, memory_bytes=4 * GIB)
    rng = random.Random(seed)
    held = [0.0, 0]
    done: list[int] = []

    async def trial(number: int, cpus: float, gib: int) -> None:
        async with floors.hold(make_spec(cpus, gib)):
            held[0] += cpus
            held[1] += gib
            assert held[0] <= 2 + 1e-6
            assert held[1] <= 4
            for _ in range(rng.randrange(4)):
                await anyio.lowlevel.checkpoint()
            held[0] -= cpus
            held[1] -= gib
            done.append(number)

    async def crowd() -> None:
        async with anyio.create_task_group() as group:
            for number, (cpus, gib) in enumerate(wishes):
                group.start_soon(trial, number, cpus, gib)
        with anyio.fail_after(1):
            async with floors.hold(make_spec(2, 4)):
                pass

    anyio.run(crowd)

    assert sorted(done) == list(range(len(wishes)))
