"""A suite file from disk to values, or every mistake in it at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from runner.domain import Suite, Vocabulary
from runner.errors import UsageError
from runner.suites.files.blobs import DiskBlobs
from runner.suites.files.trees import Trees
from runner.suites.parts.reading import Reading
from runner.suites.parts.suite_keys import read_suite
from runner.suites.parts.task_sources import MOST_YAML_BYTES
from runner.suites.text.mistakes import Mistakes
from runner.suites.text.nodes import Mapping, Mark, Source
from runner.suites.text.presence import is_folder, is_there
from runner.suites.text.text_files import read_text
from runner.suites.text.yaml_nodes import parse_yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSuite:
    """A suite with the place of its files' bytes.

    Attributes:
        blobs: Reads from disk what the suite's trees name by digest.
        path: The suite file.
    """

    suite: Suite
    blobs: DiskBlobs
    path: Path


def load_suite(path: Path, vocabulary: Vocabulary) -> LoadedSuite:
    """Read a suite file with everything that it names.

    Args:
        path: The file, or a directory that holds a ``suite.yaml``.
        vocabulary: The kinds of agents and graders that it may name.

    Raises:
        UsageError: If there is no such file.
        SuiteFileError: With every mistake that was found, each with file and line.
    """
    path = path / "suite.yaml" if is_folder(path) else path
    if not is_there(path):
        raise UsageError(
            f"there is no suite file {path}", hint="Name a suite.yaml, or a directory with one."
        )
    mistakes = Mistakes()
    mark = Mark(Source(path, str(path)), 1)
    reading = Reading(vocabulary, mistakes, Trees(mistakes=mistakes), sources=[path])
    text = read_text(path, mark, most_bytes=MOST_YAML_BYTES, mistakes=mistakes)
    root = None if text is None else parse_yaml(text, mark.source, mistakes=mistakes)
    if root is not None and not isinstance(root, Mapping):
        mistakes.add(root.mark, "a suite file holds one map", hint="Write suite: and tasks: in it.")
    if not isinstance(root, Mapping):
        raise mistakes.as_error()
    suite = read_suite(root, reading=reading)
    mistakes.raise_if_any()
    return LoadedSuite(suite=suite, blobs=reading.trees.blobs, path=path)
