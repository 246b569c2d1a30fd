"""Which part of a suite a launch runs, and with which settings changed by flags."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from runner.domain import Config, Suite, Task, Vocabulary
from runner.errors import NotFoundError, UsageError
from runner.suites.overrides import override_configs
from runner.suites.text.spelling import spelling_hint


def select(
    suite: Suite,
    *,
    vocabulary: Vocabulary,
    configs: Sequence[str] = (),
    tasks: Sequence[str] = (),
    tags: Sequence[str] = (),
    limit: int | None = None,
    model: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> Suite:
    """Give the suite with only what a launch runs.

    Args:
        suite: All there is.
        vocabulary: Validates changed settings.
        configs: Names; without any, all run that are not ``named_only``.
        tasks: Ids or patterns with ``*`` and ``?``; a task needs to match one. All, if empty.
        tags: A task needs to have one. All, if empty.
        limit: Keep only so many tasks, the first of the file.
        model: Takes the place of the model of every selected configuration that has one.
        settings: ``config.key`` to a value as it would stand in the suite file.

    Raises:
        NotFoundError: If a name, pattern or tag matches nothing, or nothing is left to run.
        UsageError: If a setting does not fit its configuration.
    """
    chosen = _chosen_configs(suite.configs, configs)
    left = _limited(_tagged(_matching(suite.tasks, tasks), tags), limit)
    changed = override_configs(
        chosen, left, model=model, settings=settings or {}, vocabulary=vocabulary
    )
    return replace(suite, configs=changed, tasks=left)


def _chosen_configs(configs: Iterable[Config], names: Sequence[str]) -> tuple[Config, ...]:
    known = {config.name: config for config in configs}
    for name in names:
        if name not in known:
            hint = spelling_hint(name, known)
            raise NotFoundError(f"the suite has no configuration {name!r}", hint=hint)
    if names:
        return tuple(config for name, config in known.items() if name in names)
    chosen = tuple(config for config in known.values() if not config.named_only)
    if not chosen:
        raise NotFoundError(
            "no configuration runs without being named",
            hint=f"Name one by --config: {', '.join(known)}." if known else "Add configs: to it.",
        )
    return chosen


def _matching(tasks: tuple[Task, ...], patterns: Sequence[str]) -> tuple[Task, ...]:
    if not patterns:
        return tasks
    ids = [task.id for task in tasks]
    kept: set[str] = set()
    for pattern in patterns:
        # An id may hold brackets or stars; written out in full it means itself.
        found = {pattern} if pattern in ids else set(_by_pattern(ids, pattern))
        if not found:
            hint = spelling_hint(pattern, ids)
            raise NotFoundError(f"no task matches {pattern!r}", hint=hint)
        kept |= found
    return tuple(task for task in tasks if task.id in kept)


def _by_pattern(ids: list[str], pattern: str) -> Iterable[str]:
    return (task_id for task_id in ids if fnmatch.fnmatchcase(task_id, pattern))


def _tagged(tasks: tuple[Task, ...], tags: Sequence[str]) -> tuple[Task, ...]:
    if not tags:
        return tasks
    known = dict.fromkeys(tag for task in tasks for tag in task.tags)
    for tag in tags:
        if tag not in known:
            hint = spelling_hint(tag, known)
            raise NotFoundError(f"no selected task has the tag {tag!r}", hint=hint)
    return tuple(task for task in tasks if not set(tags).isdisjoint(task.tags))


def _limited(tasks: tuple[Task, ...], limit: int | None) -> tuple[Task, ...]:
    if limit is not None and limit < 1:
        raise UsageError(f"the limit {limit} leaves no task", hint="Give at least 1.")
    return tasks if limit is None else tasks[:limit]
