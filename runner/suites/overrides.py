"""Change configurations by flags, checked as if the suite file said so."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as AnyMapping
from dataclasses import replace
from pathlib import Path

from runner.domain import Config, FileEntry, FileTree, Json, Task, Vocabulary
from runner.errors import NotFoundError, UsageError
from runner.suites.files.trees import Trees
from runner.suites.parts.config_keys import read_config
from runner.suites.parts.isolation import check_isolation
from runner.suites.parts.reading import Reading
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Entry, Mapping, Mark, Node, Scalar, Source, Style, node_of
from runner.suites.text.spelling import spelling_hint
from runner.suites.text.yaml_nodes import parse_yaml
from runner.suites.values.amounts import usd_text


def override_configs(
    configs: tuple[Config, ...],
    tasks: Iterable[Task],
    *,
    model: str | None,
    settings: AnyMapping[str, str],
    vocabulary: Vocabulary,
) -> tuple[Config, ...]:
    """Give the configurations with a model or single settings changed.

    Args:
        configs: Those that are selected.
        tasks: Those that are selected; an agent that now runs commands must suit them.
        model: For every configuration that has one.
        settings: ``config.key`` to a value in YAML; keys of ``limits`` and of nested settings
            follow after another dot.
        vocabulary: Validates the changed settings.

    Raises:
        NotFoundError: If a setting names no selected configuration.
        UsageError: If a value does not fit.
    """
    if model is not None:
        configs = _with_model(configs, model, vocabulary)
    wanted: dict[str, dict[str, str]] = {}
    for dotted, value in settings.items():
        name, key = _split(dotted, [config.name for config in configs])
        wanted.setdefault(name, {})[key] = value
    mistakes = Mistakes()
    changed = tuple(
        _changed(config, wanted[config.name], tasks, vocabulary, mistakes=mistakes)
        if config.name in wanted
        else config
        for config in configs
    )
    mistakes.raise_as_usage()
    return changed


def _with_model(
    configs: tuple[Config, ...], model: str, vocabulary: Vocabulary
) -> tuple[Config, ...]:
    if not model.strip():
        raise UsageError("the model's name is empty", hint="Write --model NAME.")
    takers = {c.name for c in configs if c.model is not None or _needs_model(c, vocabulary)}
    if not takers:
        names = ", ".join(config.name for config in configs)
        raise UsageError(
            f"no selected configuration has a model: {names}",
            hint="Leave --model out, or select a configuration that has one.",
        )
    return tuple(replace(c, model=model) if c.name in takers else c for c in configs)


def _needs_model(config: Config, vocabulary: Vocabulary) -> bool:
    kind = vocabulary.agents.get(config.agent.partition(":")[0])
    return kind is not None and kind.needs_model


def _split(dotted: str, names: list[str]) -> tuple[str, str]:
    # A name may hold dots itself (haiku-5.5), so the longest that fits is meant.
    for name in sorted(names, key=len, reverse=True):
        key = dotted.removeprefix(f"{name}.")
        if key not in ("", dotted):
            return name, key
    name, dot, _ = dotted.partition(".")
    if not dot:
        raise UsageError(f"{dotted!r} names no setting", hint="Write --set config.key=value.")
    raise NotFoundError(
        f"no selected configuration fits {dotted!r}", hint=spelling_hint(name, names)
    )


def _changed(
    config: Config,
    values: AnyMapping[str, str],
    tasks: Iterable[Task],
    vocabulary: Vocabulary,
    *,
    mistakes: Mistakes,
) -> Config:
    node = _written(config, _flag_mark(config.name))
    for key, value in values.items():
        mark = _flag_mark(f"{config.name}.{key}")
        parsed = _value(value, mark, mistakes)
        if parsed is None:
            return config
        node = _with_value(node, key.split("."), parsed, mark)
    reading = Reading(vocabulary, mistakes, _LoadedFiles(config.files, mistakes=mistakes))
    if not isinstance(node, Mapping):
        return config
    read = read_config(config.name, node, mark=node.mark, reading=reading)
    if read is None:
        return config
    check_isolation(read, tasks, mistakes=mistakes)
    return read.config


def _flag_mark(shown: str) -> Mark:
    return Mark(Source(Path(), f"--set {shown}"))


def _written(config: Config, mark: Mark) -> Node:
    """Give a configuration as a suite file would write it."""
    settings = {key: value for key, value in config.settings.items() if key != "target"}
    written: dict[str, Json] = {**settings, "agent": config.agent, "named_only": config.named_only}
    written["limits"] = {key: value for key, value in config.limits.items() if key != "cost_nusd"}
    if config.model is not None:
        written["model"] = config.model
    node = node_of(written, mark)
    if "cost_nusd" not in config.limits:
        return node
    cost = config.limits["cost_nusd"]
    text = usd_text(cost) if isinstance(cost, int) else "null"
    return _with_value(node, ["limits", "cost_usd"], Scalar(text, Style.PLAIN, mark), mark)


def _value(text: str, mark: Mark, mistakes: Mistakes) -> Node | None:
    plain = Scalar(text.strip(), Style.PLAIN, mark)
    if plain.is_null:
        return plain if plain.text else Scalar("", Style.QUOTED, mark)
    return parse_yaml(text, mark.source, mistakes=mistakes)


def _with_value(node: Node, path: list[str], value: Node, mark: Mark) -> Node:
    if not path:
        return value
    entries = dict(node.entries) if isinstance(node, Mapping) else {}
    below = entries[path[0]].value if path[0] in entries else Mapping({}, mark)
    entries[path[0]] = Entry(mark, _with_value(below, path[1:], value, mark))
    return Mapping(entries, node.mark)


class _LoadedFiles(Trees):
    """Reads nothing: a flag cannot bring in a file that the suite does not hold."""

    def __init__(self, loaded: FileTree, *, mistakes: Mistakes) -> None:
        super().__init__(mistakes=mistakes)
        self._loaded = {entry.path: entry for entry in loaded.entries}

    def file(self, path: Path, name: str, mark: Mark) -> FileEntry | None:
        if name not in self._loaded:
            self._mistakes.add(
                mark,
                f"{path} is not a file of the suite",
                hint="Write a configuration with it in the suite file.",
            )
        return self._loaded.get(name)
