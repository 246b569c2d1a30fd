"""One configuration of a suite: its agent's kind decides which keys it may have."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pydantic import BaseModel

from runner.domain import Config, FileTree, JsonObject, Kind, OutsideIdentity
from runner.suites.parts.reading import Reading
from runner.suites.parts.referenced_files import read_named_files
from runner.suites.text.nodes import Entry, Mapping, Mark, Scalar, Style
from runner.suites.text.spelling import spelling_hint
from runner.suites.values.keys import Keys
from runner.suites.values.kind_settings import read_settings
from runner.suites.values.names import is_sound_name
from runner.suites.values.resources import limits_given

COMMON_KEYS = ("agent", "model", "limits", "named_only")
#: In every suite without being written, and run only when named.
BUILT_IN = ("oracle", "nop")


@dataclass(frozen=True, slots=True)
class ReadConfig:
    """A configuration with what the suite's checks need besides."""

    config: Config
    mark: Mark
    runs_commands: bool


def read_config(name: str, mapping: Mapping, *, mark: Mark, reading: Reading) -> ReadConfig | None:
    """Read one configuration; None after a mistake.

    Args:
        name: As written.
        mapping: Its keys.
        mark: The name's place.
        reading: The suite being read.
    """
    before = len(reading.mistakes)
    keys = Keys(mapping, reading.mistakes)
    agent = _read_agent(name, keys, mark, reading)
    if agent is None:
        return None
    own = _own_keys(keys, agent)
    settings = read_settings(
        own,
        agent.kind,
        owner=f"the agent {agent.name!r}",
        other_keys=COMMON_KEYS,
        mistakes=reading.mistakes,
    )
    model = keys.text("model")
    if agent.kind.needs_model and not keys.has("model"):
        reading.mistakes.add(
            mark, f"the configuration {name!r} names no model", hint="Add model: to it."
        )
    limits = keys.submapping("limits")
    given = limits_given(limits, mistakes=reading.mistakes) if limits else {}
    named_only = keys.flag("named_only") or False
    if settings is None or len(reading.mistakes) != before:
        return None
    files = FileTree(tuple(read_named_files(settings, own, reading=reading)))
    config = Config(
        name=name,
        agent=agent.written,
        model=model,
        settings=settings_object(settings),
        outside=outside_identity(settings),
        limits=given,
        files=files,
        named_only=named_only,
    )
    return ReadConfig(config, mark, agent.kind.runs_commands(settings))


def built_in_configs(reading: Reading) -> list[Config]:
    """Give the configurations that every suite has, as far as there are agents for them."""
    agents = reading.vocabulary.agents
    return [
        Config(
            name=name,
            agent=name,
            settings=settings_object(agents[name].settings.model_validate({})),
            named_only=True,
        )
        for name in BUILT_IN
        if name in agents
    ]


def settings_object(settings: BaseModel) -> JsonObject:
    """Give validated settings as JSON with every default written out."""
    return dict(settings.model_dump(mode="json"))


def outside_identity(settings: BaseModel) -> tuple[str, ...]:
    """Name the settings that say how something is reached and not what it is."""
    fields = type(settings).model_fields.items()
    return tuple(
        name
        for name, field in fields
        if any(isinstance(mark, OutsideIdentity) for mark in field.metadata)
    )


def is_config_name(name: str, mark: Mark, *, reading: Reading) -> bool:
    """Refuse names that a command line could not tell from something else."""
    if not is_sound_name(name, mark, what="the configuration's name", mistakes=reading.mistakes):
        return False
    if name in BUILT_IN:
        reading.mistakes.add(
            mark,
            f"the configuration {name!r} is in every suite already",
            hint=f"Choose another name, or remove it and run it by --config {name}.",
        )
        return False
    if "/" in name or "=" in name:
        reading.mistakes.add(
            mark, f"the configuration's name {name!r} holds '/' or '='", hint="Choose another."
        )
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Agent:
    written: str
    name: str
    target: str
    kind: Kind


def _read_agent(name: str, keys: Keys, mark: Mark, reading: Reading) -> _Agent | None:
    written = keys.text("agent")
    if written is None:
        if not keys.has("agent"):
            reading.mistakes.add(
                mark,
                f"the configuration {name!r} names no agent",
                hint=f"Add agent: with one of {', '.join(reading.vocabulary.agents)}.",
            )
        return None
    kind_name, colon, target = written.partition(":")
    kind = reading.vocabulary.agents.get(kind_name)
    if kind is None:
        hint = spelling_hint(kind_name, reading.vocabulary.agents)
        keys.refuse("agent", f"unknown agent {kind_name!r}", hint=hint)
        return None
    field = kind.settings.model_fields.get("target")
    if colon and field is None:
        keys.refuse("agent", f"{kind_name!r} takes nothing after a colon", hint="Remove the rest.")
        return None
    if field is not None and field.is_required() and not target:
        keys.refuse(
            "agent",
            f"{kind_name!r} does not say what to run",
            hint=f'Write it after a colon: agent: "{kind_name}:…".',
        )
        return None
    return _Agent(written, kind_name, target, kind)


def _own_keys(keys: Keys, agent: _Agent) -> Mapping:
    own = keys.mapping.without(*COMMON_KEYS)
    if keys.has("target"):
        keys.refuse("target", "is written after the agent's kind", hint="Write agent: kind:target.")
    if not agent.target:
        return own
    at = keys.mark("agent")
    target = Entry(at, Scalar(agent.target, Style.QUOTED, at))
    return replace(own, entries={**own.entries, "target": target})
