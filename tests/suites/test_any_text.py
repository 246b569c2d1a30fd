"""Whatever stands in a file, loading it ends in values or in a clear refusal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import canonical_json
from runner.errors import SuiteFileError
from runner.suites import suite_document
from runner.testing.suite_directory import SuiteDirectory

GOOD = """\
suite: s
tasks:
  - from: q.jsonl
    map: {expect: key}
  - id: a
    instruction: |
      Two
      lines.
    expect: -3
    limits: &l {steps: 3, cost_usd: 0.05}
  - {id: b, instruction: i, graders: [{kind: script, run: [a], program: steps.yaml}], files: data}
defaults: {limits: {<<: *l}, sandbox: {memory: 1GiB}, tags: [t]}
configs:
  c: {agent: talker, model: m, thinking: {kind: off}, tools: [a]}
  d: {agent: scripted, script: steps.yaml}
repeats: 3
"""

scraps = st.sampled_from(
    [
        *["&a ", "*l", "<<: ", "[", "]", "{", "}", ": ", ", ", "\n", "  ", "- ", "'", '"', "? "],
        *["null", "~", "1", "-3", "1e999", "9" * 500, "x" * 5000, "#", "|\n", "> ", "!!str ", "!"],
        *["%", "@", "\u2028", "é", "\t", "true", "x-", "..", "/", "*", "\x7f", "\r\n", "---\n"],
        *["from: ", "expect: ", "files: ", "script: ", "target: ", "agent: python:", "\ufeff"],
    ]
)
edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), scraps), max_size=4)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("any")
    SuiteDirectory(root).write("data/a", "a")
    SuiteDirectory(root).write("steps.yaml", "steps")
    SuiteDirectory(root).write("q.jsonl", '{"id": 1, "instruction": "i", "key": 1.10}')
    return root


def test_text_that_the_scraps_are_put_into_is_good(directory: Path) -> None:
    assert len(SuiteDirectory(directory).suite(GOOD).tasks) == 3


@given(edits=edits)
def test_any_text_gives_a_suite_or_a_refusal(
    directory: Path, edits: list[tuple[float, int, str]]
) -> None:
    text = GOOD
    for place, gone, scrap in edits:
        start = int(place * len(text))
        text = text[:start] + scrap + text[start + gone :]

    told = _loaded_or_told(directory, text)

    assert told is None or str(directory) in told


def _loaded_or_told(directory: Path, text: str) -> str | None:
    try:
        suite = SuiteDirectory(directory).suite(text)
    except SuiteFileError as refused:
        return refused.message
    canonical_json(suite_document(suite))
    return None
