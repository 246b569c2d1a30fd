"""A task's limits and sandbox as a suite file writes them."""

from __future__ import annotations

from runner.domain import Isolation, Json, JsonObject, Limits, SandboxSpec
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Mapping
from runner.suites.values.amounts import size_text
from runner.suites.values.keys import Keys

LIMIT_KEYS = ("steps", "output_tokens", "agent_seconds", "cost_usd")
SANDBOX_KEYS = (
    "isolation",
    "backend",
    "network",
    "cpus",
    "memory",
    "memory_ceiling",
    "processes",
    "file_size",
    "setup_seconds",
)
MOST_SECONDS = 10_000_000.0
MOST_COUNT = 1_000_000_000


def read_limits(mapping: Mapping, *, mistakes: Mistakes) -> Limits:
    """Read a task's limits; what is not written keeps its default."""
    said = {**Limits().canonical(), **limits_given(mapping, mistakes=mistakes)}
    seconds = said["agent_seconds"]
    return Limits(
        steps=_count(said["steps"]),
        output_tokens=_count(said["output_tokens"]),
        agent_seconds=seconds if isinstance(seconds, float) else Limits().agent_seconds,
        cost_nusd=_count(said["cost_nusd"]),
    )


def limits_given(mapping: Mapping, *, mistakes: Mistakes) -> JsonObject:
    """Read only the limits that are written, under the names of ``Limits``; null is no limit."""
    keys = Keys(mapping, mistakes)
    keys.check_known(LIMIT_KEYS, owner="limits")
    given: dict[str, Json] = {}
    for name in ("steps", "output_tokens"):
        if keys.is_null(name):
            given[name] = None
        elif (count := keys.integer(name, least=1, most=MOST_COUNT)) is not None:
            given[name] = count
    if (seconds := keys.number("agent_seconds", above=0, most=MOST_SECONDS)) is not None:
        given["agent_seconds"] = seconds
    if keys.is_null("cost_usd"):
        given["cost_nusd"] = None
    elif (cost := keys.nusd("cost_usd")) is not None:
        given["cost_nusd"] = cost
        if cost == 0:
            keys.refuse("cost_usd", "an agent can do nothing for 0 dollars")
    return given


def read_sandbox(mapping: Mapping, *, mistakes: Mistakes) -> SandboxSpec:
    """Read a task's sandbox; what is not written keeps its default.

    A memory ceiling that is not written is the default, or twice the memory if that is more.
    """
    keys = Keys(mapping, mistakes)
    keys.check_known(SANDBOX_KEYS, owner="sandbox")
    default = SandboxSpec()
    memory = keys.bytes("memory") or default.memory_bytes
    ceiling = keys.bytes("memory_ceiling")
    if ceiling is not None and ceiling < memory:
        name = "memory" if keys.has("memory") else "memory_ceiling"
        keys.refuse(
            name,
            f"the memory of {size_text(memory)} is above its ceiling of {size_text(ceiling)}",
            hint="Raise memory_ceiling, or lower memory.",
        )
    processes = keys.integer("processes", least=1, most=4_194_304)
    return SandboxSpec(
        isolation=Isolation(keys.choice("isolation", tuple(Isolation)) or default.isolation),
        backend=_backend(keys),
        network=_network(keys),
        cpus=keys.number("cpus", above=0, most=4096) or default.cpus,
        memory_bytes=memory,
        memory_ceiling_bytes=ceiling or max(default.memory_ceiling_bytes, 2 * memory),
        processes=processes or default.processes,
        file_bytes=keys.bytes("file_size") or default.file_bytes,
        setup_seconds=keys.number("setup_seconds", above=0, most=MOST_SECONDS)
        or default.setup_seconds,
    )


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) else None


def _backend(keys: Keys) -> str | None:
    backend = keys.text("backend")
    if backend is not None and not backend.isidentifier():
        keys.refuse("backend", f"{backend!r} is no back end", hint="Write bubblewrap or process.")
        return None
    return backend


def _network(keys: Keys) -> bool:
    if not keys.has("network"):
        return False
    # Words only: a quoted "false" that counts as true would open the sandbox.
    return keys.choice("network", ("none", "full")) == "full"
