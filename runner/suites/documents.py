"""Read a file that a suite names as YAML or JSON, with the same care as the suite itself."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from runner.domain import Kind
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Mapping, Source
from runner.suites.text.yaml_nodes import parse_yaml
from runner.suites.values.kind_settings import read_settings

Document = TypeVar("Document", bound=BaseModel)


def read_document(text: str, model: type[Document], *, shown: str) -> Document:
    """Validate a document's one map; text in it stays as it is written.

    Args:
        text: YAML 1.2, and so JSON.
        model: What it must be.
        shown: How messages name the file.

    Raises:
        SuiteFileError: With each mistake and its line.
    """
    mistakes = Mistakes()
    root = parse_yaml(text, Source(Path(shown), shown), mistakes=mistakes)
    document: BaseModel | None = None
    if isinstance(root, Mapping):
        kind = Kind(settings=model, runs_commands=lambda _: False)
        document = read_settings(root, kind, owner=shown, other_keys=(), mistakes=mistakes)
    elif root is not None:
        mistakes.add(root.mark, "the file is not a map", hint="Write `key: value` lines.")
    mistakes.raise_if_any()
    if not isinstance(document, model):
        raise TypeError(f"{shown} was read without a mistake and without a result")
    return document
