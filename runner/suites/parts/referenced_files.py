"""Files that a kind's settings name: found by the mark on their fields, and read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from runner.domain import FileEntry, FileReference
from runner.suites.parts.reading import Reading, beside
from runner.suites.text.nodes import Mapping


class NamedFile(NamedTuple):
    """A file that a setting names, and that setting's outermost key."""

    key: str
    path: str


def read_named_files(
    settings: BaseModel, written: Mapping, *, reading: Reading
) -> Iterator[FileEntry]:
    """Read every file that settings name, relative to the file in which they are written."""
    for key, path in named_files(settings):
        mark = written.mark_of(key)
        if not path or path.startswith("/") or path.split("/")[0] == "..":
            reading.mistakes.add(
                mark,
                f"{key}: {path!r} is not below the directory of {mark.source.shown}",
                hint="Put the file beside the file that names it, or below.",
            )
        elif posixpath.normpath(path) != path:
            hint = f"Write {posixpath.normpath(path)!r}."
            reading.mistakes.add(mark, f"{key}: {path!r} has needless parts", hint=hint)
        else:
            entry = reading.trees.file(beside(mark, path), path, mark)
            if entry is not None:
                yield entry


def named_files(settings: BaseModel) -> Iterator[NamedFile]:
    """Give every file that validated settings name, each once, also inside lists and below."""
    seen: set[str] = set()
    for name, field in type(settings).model_fields.items():
        for path in _paths(field.annotation, field.metadata, getattr(settings, name)):
            if path not in seen:
                seen.add(path)
                yield NamedFile(field.alias or name, path)


def _paths(annotation: object, metadata: Sequence[object], value: object) -> Iterator[str]:
    if any(isinstance(mark, FileReference) for mark in metadata):
        if isinstance(value, str):
            yield value
        return
    if isinstance(value, BaseModel):
        for named in named_files(value):
            yield named.path
        return
    arguments: tuple[Any, ...] = get_args(annotation)
    if get_origin(annotation) is Annotated:
        yield from _paths(arguments[0], arguments[1:], value)
        return
    for argument in arguments:
        for item in _parts(value):
            yield from _paths(argument, (), item)


def _parts(value: object) -> Iterator[object]:
    """Give what an annotation's arguments can tell of: a union's the value, a list's its items."""
    yield value
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, (list, tuple)):
        yield from value
