"""The order of a sweep's trials: interleaved, so that drift over time falls on all alike."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTrial:
    """One place in the plan; positions count from 0 over the whole sweep."""

    position: int
    repeat: int
    task: str
    config: str


def expand(
    *,
    tasks: Sequence[str],
    configs: Sequence[str],
    repeats: int,
    seed: int,
    first_repeat: int = 1,
) -> Iterator[PlannedTrial]:
    """Give every trial in its order: repeat by repeat, tasks shuffled, configurations side by side.

    The shuffle hashes seed, repeat and task id, so that it does not depend on the order in the
    file, and adding repeats later leaves the earlier ones as they were.

    Args:
        tasks: Task ids.
        configs: Configuration names, in the order in which they stand side by side.
        repeats: The last repeat, at least ``first_repeat``.
        seed: Seeds the shuffle and nothing else.
        first_repeat: Where to begin; above 1 when repeats are added to a sweep.
    """
    position = (first_repeat - 1) * len(tasks) * len(configs)
    for repeat in range(first_repeat, repeats + 1):
        for task in sorted(tasks, key=lambda name: (_rank(seed, repeat, name), name)):
            for config in configs:
                yield PlannedTrial(position=position, repeat=repeat, task=task, config=config)
                position += 1


def _rank(seed: int, repeat: int, task: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{repeat}\0{task}".encode()).digest()
