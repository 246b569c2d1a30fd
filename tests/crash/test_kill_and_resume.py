"""Real launches, killed at random moments and resumed: nothing lost, counted twice or unbilled."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from runner.ledger import parse_address, run_query

KILLS = 10
REPEATS = 6
SUITE = """\
suite: killed
tasks:
  - {{id: sums/one, instruction: "What is 2 + 2?", expect: "4"}}
  - {{id: sums/two, instruction: "What is 3 + 3?", expect: "4"}}
  - {{id: sums/three, instruction: "What is 5 - 1?", expect: "4"}}
defaults:
  graders: [{{kind: answer, match: number}}]
  sandbox: {{isolation: none}}
configs:
  model:
    agent: claude
    model: claude-haiku-4-5
    base_url: {url}
    tools: [submit]
repeats: {repeats}
max_in_flight: 4
"""
#: Two turns: words, then the answer by the submit tool; every seventh request is overloaded.
SCRIPT = {
    "prices": {"input": 1, "output": 5, "cache_read": 0.1},
    "turns": [
        {
            "content": [
                {"type": "text", "text": "Let me think."},
                {"type": "tool_use", "name": "submit", "input": {"wrong": 1}},
            ],
            "stop_reason": "tool_use",
            "delay": 0.05,
        },
        {
            "content": [{"type": "tool_use", "name": "submit", "input": {"answer": "4"}}],
            "stop_reason": "tool_use",
            "delay": 0.05,
        },
    ],
    "every": {
        "nth": 7,
        "reply": {"status": 529, "error": "overloaded_error", "headers": {"retry-after": "0"}},
    },
}


@dataclass(frozen=True)
class Service:
    """A scripted model service in a process of its own, which outlives every launch."""

    url: str
    bill: Path

    def billed(self) -> list[dict[str, Any]]:
        lines = self.bill.read_text().splitlines() if self.bill.exists() else []
        return [json.loads(line) for line in lines]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    script, bill, port = (tmp_path / name for name in ("script.json", "bill.jsonl", "port"))
    script.write_text(json.dumps(SCRIPT))
    module = "runner.testing.messages_server"
    with running(
        [sys.executable, "-m", module, "--script", script, "--bill", bill, "--port-file", port]
    ):
        deadline = time.monotonic() + 30
        while not port.exists() or not port.read_text().strip():
            assert time.monotonic() < deadline, "the scripted service did not start"
            time.sleep(0.01)
        yield Service(url=f"http://127.0.0.1:{port.read_text().strip()}", bill=bill)


@contextmanager
def running(command: list[Any]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([str(part) for part in command], text=True) as process:
        try:
            yield process
        finally:
            process.kill()


class Sweep:
    """A sweep under attack, and what must be true of it at any time."""

    def __init__(self, url: str, service: Service, directory: Path) -> None:
        self.url = url
        self.service = service
        self.suite = directory / "suite.yaml"
        self.suite.write_text(SUITE.format(url=service.url, repeats=REPEATS))
        self.graded: dict[int, tuple[Any, ...]] = {}
        self.spent = 0

    def command(self, *words: str) -> list[str]:
        program = "import sys; from runner.cli.main import main; sys.exit(main())"
        return [sys.executable, "-c", program, *words, "--ledger", self.url]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return list(run_query(parse_address(self.url), statement).rows)

    def check(self) -> None:
        self._settled_rows_do_not_change()
        self._spend_never_shrinks()
        self._every_billed_request_has_a_row()

    def _settled_rows_do_not_change(self) -> None:
        columns = "id, outcome, reason, passed, score, cost_nusd, fence"
        graded = "outcome IN ('pass', 'fail')"
        now = {row[0]: row for row in self.rows(f"SELECT {columns} FROM trials WHERE {graded}")}
        assert now.items() >= self.graded.items()
        self.graded = now

    def _spend_never_shrinks(self) -> None:
        ((spent, known),) = self.rows(
            "SELECT (SELECT spent_nusd FROM sweeps), "
            "(SELECT coalesce(sum(cost_nusd), 0) FROM model_calls)"
        )
        assert spent == known >= self.spent
        self.spent = spent

    def _every_billed_request_has_a_row(self) -> None:
        """Known requests cost what the bill says; the rest hide among the unknown ones."""
        calls = self.rows("SELECT request_id, state, cost_nusd, reserved_nusd FROM model_calls")
        billed = {line["request_id"]: line["cost_nusd"] for line in self.service.billed()}
        known = {request: cost for request, state, cost, _ in calls if state != "sent" and request}
        assert all(billed[request] == cost for request, cost in known.items())
        unseen = [cost for request, cost in billed.items() if request not in known]
        open_calls = [most for request, _, _, most in calls if not request]
        assert len(unseen) <= len(open_calls)
        assert sum(unseen) <= sum(open_calls)


@pytest.mark.crash
@pytest.mark.timeout(300)
def test_ten_kills_at_random_moments_lose_nothing_and_count_nothing_twice(
    ledger_url: str, service: Service, tmp_path: Path
) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    chance = random.Random(seed)
    sweep = Sweep(ledger_url, service, tmp_path)
    words = ["launch", str(sweep.suite), "--name", "killed"]
    kills = 0
    while kills < KILLS:
        with running(sweep.command(*words)) as process:
            kills += _killed_at_random(process, service, chance)
        if _recorded(sweep):
            words = ["resume", "killed"]
            sweep.check()
        if process.returncode == 0:
            break

    done = subprocess.run(sweep.command("resume", "killed"), timeout=120, check=False)

    sweep.check()
    assert done.returncode == 0
    assert sweep.rows("SELECT state FROM sweeps") == [("complete",)]
    outcomes = Counter(row[0] for row in sweep.rows("SELECT outcome FROM trials"))
    assert outcomes == {"pass": 3 * REPEATS}
    endings = sweep.rows(
        "SELECT trial_id, count(*) FROM attempts WHERE ending = 'finished' GROUP BY trial_id"
    )
    assert [count for _, count in endings] == [1] * (3 * REPEATS)
    assert sweep.rows("SELECT count(*) FROM model_calls WHERE state = 'sent'") == [(0,)]


def _killed_at_random(
    process: subprocess.Popen[str], service: Service, chance: random.Random
) -> bool:
    """Kill a run: one in five while it starts, the others soon after some request of theirs."""
    before = len(service.billed())
    requests = chance.randint(1, 8)
    starting = chance.random() < 0.2
    deadline = time.monotonic() + (chance.uniform(0.1, 2.0) if starting else 60)
    while process.poll() is None and time.monotonic() < deadline:
        if len(service.billed()) >= before + requests:
            break
        time.sleep(0.005)
    time.sleep(chance.uniform(0.0, 0.1))
    alive = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    return alive


def _recorded(sweep: Sweep) -> bool:
    """Tell whether the launch lived long enough to be recorded."""
    try:
        return sweep.rows("SELECT count(*) FROM sweeps") != [(0,)]
    except Exception:  # noqa: BLE001 - killed before its ledger had tables
        return False


@pytest.mark.crash
@pytest.mark.timeout(120)
def test_two_resumes_at_once_share_the_work_and_run_no_trial_twice(
    ledger_url: str, service: Service, tmp_path: Path
) -> None:
    sweep = Sweep(ledger_url, service, tmp_path)
    with running(sweep.command("launch", str(sweep.suite), "--name", "killed")) as process:
        while not _recorded(sweep):
            assert process.poll() is None
            time.sleep(0.02)

    with (
        running(sweep.command("resume", "killed")) as first,
        running(sweep.command("resume", "killed")) as second,
    ):
        codes = {first.wait(timeout=100), second.wait(timeout=100)}

    assert codes <= {0, 4}
    sweep.check()
    assert sweep.rows("SELECT state, outcome, count(*) FROM trials GROUP BY state, outcome") == [
        ("settled", "pass", 3 * REPEATS)
    ]
    per_trial = sweep.rows(
        "SELECT count(*) FROM attempts WHERE ending = 'finished' GROUP BY trial_id"
    )
    assert per_trial == [(1,)] * (3 * REPEATS)
    finished = sweep.rows("SELECT DISTINCT worker_id FROM attempts WHERE ending = 'finished'")
    assert len(finished) >= 2
