"""The top of a suite file: its own keys, its tasks and its configurations."""

from __future__ import annotations

from runner.domain import Config, Json, OnOom, Suite, Task
from runner.suites.parts.config_keys import (
    BUILT_IN,
    built_in_configs,
    is_config_name,
    read_config,
)
from runner.suites.parts.isolation import check_isolation
from runner.suites.parts.reading import Reading
from runner.suites.parts.task_keys import DEFAULT_KEYS
from runner.suites.parts.task_sources import written_tasks
from runner.suites.parts.tasks import TaskReader
from runner.suites.text.nodes import OWN_PREFIX, Mapping, Scalar, plain_value
from runner.suites.text.spelling import spelling_hint
from runner.suites.values.keys import Keys
from runner.suites.values.names import TakenNames, is_sound_name

SUITE_KEYS = (
    "suite",
    "description",
    "tasks",
    "defaults",
    "configs",
    "repeats",
    "max_in_flight",
    "infra_attempts",
    "budget_usd",
    "seed",
    "on_oom",
    "gates",
)
MOST_REPEATS = 1_000_000
MOST_IN_FLIGHT = 10_000
MOST_INFRA_ATTEMPTS = 1_000


def read_suite(mapping: Mapping, *, reading: Reading) -> Suite:
    """Read a whole suite; where something was noted as a mistake, a default stands in."""
    keys = Keys(mapping, reading.mistakes)
    keys.check_known(SUITE_KEYS, owner="a suite")
    tasks = _read_tasks(keys, reading)
    configs = _read_configs(keys, tasks, reading)
    default = Suite(name="", tasks=(), configs=())
    seed = keys.integer("seed", least=-(2**63), most=2**63 - 1)
    return Suite(
        name=_read_name(keys, reading),
        tasks=tasks,
        configs=(*configs, *built_in_configs(reading)),
        description=keys.text("description") or "",
        repeats=keys.integer("repeats", least=1, most=MOST_REPEATS) or default.repeats,
        max_in_flight=keys.integer("max_in_flight", least=1, most=MOST_IN_FLIGHT)
        or default.max_in_flight,
        infra_attempts=keys.integer("infra_attempts", least=1, most=MOST_INFRA_ATTEMPTS)
        or default.infra_attempts,
        budget_nusd=None if keys.is_null("budget_usd") else keys.nusd("budget_usd"),
        seed=default.seed if seed is None else seed,
        gates=_read_gates(keys, reading),
    )


def _read_name(keys: Keys, reading: Reading) -> str:
    name = keys.text("suite")
    if name is None:
        if not keys.has("suite"):
            reading.mistakes.add(keys.mark("suite"), "the suite has no name", hint="Add suite:.")
        return ""
    is_sound_name(name, keys.mark("suite"), what="the suite's name", mistakes=reading.mistakes)
    return name


def _read_tasks(keys: Keys, reading: Reading) -> tuple[Task, ...]:
    defaults = keys.submapping("defaults") or Mapping({}, keys.mapping.mark)
    default_keys = Keys(defaults, reading.mistakes)
    default_keys.check_known(DEFAULT_KEYS, owner="defaults")
    on_oom = keys.choice("on_oom", tuple(OnOom))
    if on_oom and default_keys.has("on_oom"):
        keys.refuse("on_oom", "is written here and in defaults", hint="Remove one of the two.")
    items = keys.items("tasks")
    if items is None or not items.items:
        if items is not None or not keys.has("tasks"):
            told = "the suite has no tasks"
            reading.mistakes.add(keys.mark("tasks"), told, hint="Add at least one to tasks:.")
        return ()
    reader = TaskReader(defaults, OnOom(on_oom) if on_oom else OnOom.INFRA_ERROR, reading=reading)
    read = [reader.read(raw) for raw in written_tasks(items, reading=reading)]
    reader.files.check_sources()
    return tuple(task for task in read if task is not None)


def _read_configs(keys: Keys, tasks: tuple[Task, ...], reading: Reading) -> list[Config]:
    configs = keys.submapping("configs") or Mapping({}, keys.mapping.mark)
    taken = TakenNames("the configuration", mistakes=reading.mistakes)
    found: list[Config] = []
    for name, entry in configs.entries.items():
        if name.startswith(OWN_PREFIX) or not is_config_name(name, entry.mark, reading=reading):
            continue
        if not taken.take(name, entry.mark):
            continue
        if not isinstance(entry.value, Mapping):
            told = f"the configuration {name!r} is not a map"
            reading.mistakes.add(entry.mark, told, hint="Write {agent: …}.")
            continue
        read = read_config(name, entry.value, mark=entry.mark, reading=reading)
        if read is not None:
            check_isolation(read, tasks, mistakes=reading.mistakes)
            found.append(read.config)
    return found


def _read_gates(keys: Keys, reading: Reading) -> Json:
    items = keys.items("gates")
    gates: list[Json] = []
    configs = keys.mapping.get("configs")
    names = [*(configs.entries if isinstance(configs, Mapping) else ()), *BUILT_IN]
    for item in items.items if items else ():
        if not isinstance(item, Mapping):
            reading.mistakes.add(item.mark, "a gate is a map", hint="Write {config: …, metric: …}.")
            continue
        gate = plain_value(item)
        config = item.get("config")
        if isinstance(config, Scalar) and isinstance(gate, dict):
            gate["config"] = config.text
            if not config.is_null and config.text not in names:
                hint = spelling_hint(config.text, names)
                told = f"config: there is no configuration {config.text!r}"
                reading.mistakes.add(item.mark_of("config"), told, hint=hint)
        gates.append(gate)
    return tuple(gates)
