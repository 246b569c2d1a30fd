"""What loading costs: large suites stay quick, and nobody else pays for the YAML library."""

from __future__ import annotations

import json
import subprocess
import sys
import time

from runner.suites import suite_document, suite_from_document
from runner.testing.suite_directory import SuiteDirectory


def test_ten_thousand_json_lines_are_loaded_in_three_seconds_of_work(
    suites: SuiteDirectory,
) -> None:
    rows = (
        {"id": f"t{n}", "instruction": "What is this? " * 20, "expect": n, "tags": ["a"]}
        for n in range(10_000)
    )
    suites.write("q.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    suites.write("data/a", "a")
    suites.write("data/b", "b")

    start = time.process_time()
    suite = suites.suite("suite: s\ndefaults: {files: data}\ntasks: [{from: q.jsonl}]")
    seconds = time.process_time() - start

    assert len(suite.tasks) == 10_000
    assert seconds < 3
    assert suite_from_document(suite_document(suite)) == suite


def test_importing_the_package_does_not_load_the_yaml_library() -> None:
    program = "import sys, runner.suites; sys.exit('ruamel.yaml' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
