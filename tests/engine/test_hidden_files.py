"""What an agent must never see: tests, solutions, the suite, keys, the ledger, runner itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runner.ledger import parse_address, read_ledger, run_query

MARKER = "plum-velvet-anvil"
SUITE = f"""\
suite: hidden
description: {MARKER} suite
tasks:
  - from: task/task.yaml
configs:
  spy: {{agent: scripted, script: spy.yaml}}
"""
SCRIPT_GRADER = "  - {kind: script, run: [python3, grade.py]}\n"
TASK = f"""\
id: spied-upon
instruction: Look around.
expect: {MARKER}-key
graders:
  - {{kind: answer, match: exact}}
{SCRIPT_GRADER}"""
#: The words are put together in the sandbox, so that the script itself does not hold the marker;
#: command lines are read before there is a grep whose own one holds it.
SPY = """\
steps:
  - run: |
      m=plum-velvet; m="$m-anvil"
      grep -rlIs "$m" / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr --exclude-dir=lib
      grep -rls "$m" /usr/local /usr/share/doc /home /root /opt /srv /var 2>/dev/null
      seen=$(cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n')
      echo "$seen" | grep "$m"
      env | grep "$m"; grep "$m" /proc/self/mountinfo
      echo searched
    seconds: 100
  - run: |
      find / -path /proc -prune -o -path '*runner/domain/suite.py' -print 2>/dev/null
      find / -path /proc -prune -o -name 'ledger.db*' -print 2>/dev/null
      find / -path /proc -prune -o -name 'grade.py' -print 2>/dev/null
      echo searched
    seconds: 100
  - submit: nothing
"""


@pytest.mark.bubblewrap
@pytest.mark.timeout(240)
def test_no_trace_of_what_is_hidden_is_found_in_the_whole_sandbox(tmp_path: Path) -> None:
    task = tmp_path / "task"
    for folder in ("files", "tests", "solution"):
        (task / folder).mkdir(parents=True)
    (tmp_path / "suite.yaml").write_text(SUITE)
    (tmp_path / "spy.yaml").write_text(SPY)
    (task / "task.yaml").write_text(TASK)
    (task / "files" / "readme.txt").write_text("You may read this.\n")
    (task / "tests" / "grade.py").write_text(f"# {MARKER} test\nraise SystemExit(1)\n")
    (task / "solution" / "solve.sh").write_text(f"echo {MARKER}-key\n")
    ledger = tmp_path / f"{MARKER}.db"

    launch(tmp_path / "suite.yaml", ledger, ANTHROPIC_API_KEY=MARKER, OTHER_SECRET=MARKER)

    assert outputs_of_tools(ledger)[:2] == ["searched\n", "searched\n"]


def launch(suite: Path, ledger: Path, **environment: str) -> None:
    program = "import sys; from runner.cli.main import main; sys.exit(main())"
    subprocess.run(
        [sys.executable, "-c", program, "launch", str(suite), "--ledger", str(ledger)],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )


def outputs_of_tools(ledger: Path) -> list[str]:
    address = parse_address(str(ledger))
    rows = run_query(address, "SELECT output_digest FROM tool_calls ORDER BY number").rows
    with read_ledger(address) as reader:
        return [reader.read(str(digest)).decode() for (digest,) in rows]


@pytest.mark.bubblewrap
@pytest.mark.timeout(240)
def test_the_search_would_find_the_marker_if_it_were_there(tmp_path: Path) -> None:
    task = tmp_path / "task"
    (task / "files").mkdir(parents=True)
    (tmp_path / "suite.yaml").write_text(SUITE)
    (tmp_path / "spy.yaml").write_text(SPY)
    (task / "task.yaml").write_text(
        TASK.replace("  - {kind: script, run: [python3, grade.py]}\n", "")
    )
    (task / "files" / "notes.txt").write_text(f"{MARKER} leaked\n")
    ledger = tmp_path / "leaked.db"

    launch(tmp_path / "suite.yaml", ledger)

    assert "notes.txt" in outputs_of_tools(ledger)[0]
